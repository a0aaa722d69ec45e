//! The crate `diffsol`, with dense matrices of nalgebra: Tsitouras 5(4), BDF, ESDIRK34 and TR-BDF2.

use super::{Solve, Solver};
use crate::equations::{Equations, fixed, fixed_mut};
use diffsol::{
    NalgebraLU, NalgebraMat, NalgebraVec, OdeBuilder, OdeEquations, OdeSolverMethod, OdeSolverStopReason,
};

type Lu = NalgebraLU<f64>;

/// Steps to the end and keeps nothing on the way.
fn to_the_end<'a, Q, S>(mut solver: S, until: f64) -> Option<Vec<f64>>
where
    Q: OdeEquations<T = f64, V = NalgebraVec<f64>> + 'a,
    S: OdeSolverMethod<'a, Q>,
{
    solver.set_stop_time(until).ok()?;
    while !matches!(solver.step().ok()?, OdeSolverStopReason::TstopReached) {}
    Some(solver.state().y.batch_as_slice(0).to_vec())
}

/// The Jacobian times a vector.
#[inline(always)]
fn jacobian_times<const N: usize, E: Equations<N>>(y: &[f64], v: &[f64], out: &mut [f64]) {
    let (v, out) = (fixed::<N>(v), fixed_mut::<N>(out));
    for (out, row) in out.iter_mut().zip(E::jacobian(fixed(y))) {
        *out = row.iter().zip(v).map(|(j, v)| j * v).sum();
    }
}

macro_rules! prepare {
    ($n:ident, $e:ty, |$problem:ident| $solver:expr) => {
        |tolerance: f64| -> Solve {
            let problem = <$e>::problem();
            let (until, absolute, start) = (problem.until, problem.absolute * tolerance, <$e>::start());
            let built = OdeBuilder::<NalgebraMat<f64>>::new()
                .rtol(tolerance)
                .atol([absolute; $n])
                .rhs_implicit(
                    |y, _p, t, dy| <$e>::field(t, fixed(y), fixed_mut(dy)),
                    |y, _p, _t, v, out| jacobian_times::<$n, $e>(y, v, out),
                )
                .init(move |_p, _t, y| y.copy_from_slice(&start), $n)
                .build();
            Box::new(move || {
                let $problem = built.as_ref().ok()?;
                to_the_end($solver.ok()?, until)
            })
        }
    };
}

pub(super) fn explicit<const N: usize, E: Equations<N>>() -> Vec<Solver> {
    vec![Solver::peer("diffsol tsit45", Some(5), prepare!(N, E, |problem| problem.tsit45()))]
}

pub(super) fn implicit<const N: usize, E: Equations<N>>() -> Vec<Solver> {
    vec![
        Solver::peer("diffsol bdf", None, prepare!(N, E, |problem| problem.bdf::<Lu>())),
        Solver::peer("diffsol esdirk34", None, prepare!(N, E, |problem| problem.esdirk34::<Lu>())),
        Solver::peer("diffsol tr_bdf2", None, prepare!(N, E, |problem| problem.tr_bdf2::<Lu>())),
    ]
}
