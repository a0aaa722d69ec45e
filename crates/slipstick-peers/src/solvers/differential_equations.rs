//! The crate `differential-equations`: Dormand and Prince's methods, Verner's of order 8, Radau5, BDF and
//! Kværnø's of order 5.

use super::{Solve, Solver};
use crate::equations::Equations;
use differential_equations::prelude::*;

/// Many more steps than the fastest solver needs at any tolerance: one that comes here has lost, and is not
/// waited for.
const MOST_STEPS: usize = 100_000;

/// The equations as this crate wants them.
#[derive(Clone, Copy)]
struct Field<E>(std::marker::PhantomData<E>);

impl<const N: usize, E: Equations<N>> ODE<f64, [f64; N]> for Field<E> {
    #[inline(always)]
    fn diff(&self, t: f64, y: &[f64; N], dy: &mut [f64; N]) {
        E::field(t, y, dy);
    }

    fn jacobian(&self, _t: f64, y: &[f64; N], j: &mut Matrix<f64>) {
        for (row, values) in E::jacobian(y).iter().enumerate() {
            for (column, value) in values.iter().enumerate() {
                j[(row, column)] = *value;
            }
        }
    }
}

/// Keeps only the end.
struct End(f64);

impl<const N: usize> Solout<f64, [f64; N]> for End {
    #[inline(always)]
    fn solout<I>(
        &mut self,
        t: f64,
        _before: f64,
        y: &[f64; N],
        _y_before: &[f64; N],
        _interpolator: &mut I,
        solution: &mut Solution<f64, [f64; N]>,
    ) -> ControlFlag<f64, [f64; N]>
    where
        I: Interpolation<f64, [f64; N]> + ?Sized,
    {
        if t >= self.0 * (1.0 - 1e-14) {
            solution.push(t, *y);
        }
        ControlFlag::Continue
    }
}

macro_rules! prepare {
    ($family:ident :: $method:ident, $n:ident, $e:ty) => {
        |tolerance: f64| -> Solve {
            let problem = <$e>::problem();
            let (until, absolute, start) = (problem.until, problem.absolute * tolerance, <$e>::start());
            let field = Field::<$e>(std::marker::PhantomData);
            Box::new(move || {
                let method = $family::$method().rtol(tolerance).atol(absolute).max_steps(MOST_STEPS);
                let ivp = IVP::ode(&field, 0.0, until, start).method(method).solout(End(until));
                ivp.solve().ok()?.y.last().map(|y: &[f64; $n]| y.to_vec())
            })
        }
    };
}

pub(super) fn explicit<const N: usize, E: Equations<N>>() -> Vec<Solver> {
    vec![
        Solver::peer("differential-equations dopri5", Some(5), prepare!(ExplicitRungeKutta::dopri5, N, E)),
        Solver::peer("differential-equations dop853", Some(8), prepare!(ExplicitRungeKutta::dop853, N, E)),
        Solver::peer("differential-equations rkv877e", Some(8), prepare!(ExplicitRungeKutta::rkv877e, N, E)),
    ]
}

pub(super) fn implicit<const N: usize, E: Equations<N>>() -> Vec<Solver> {
    vec![
        Solver::peer("differential-equations radau5", None, prepare!(ImplicitRungeKutta::radau5, N, E)),
        Solver::peer(
            "differential-equations bdf",
            None,
            prepare!(BackwardDifferentiationFormula::adaptive, N, E),
        ),
        Solver::peer(
            "differential-equations kvaerno745",
            None,
            prepare!(DiagonallyImplicitRungeKutta::kvaerno745, N, E),
        ),
    ]
}
