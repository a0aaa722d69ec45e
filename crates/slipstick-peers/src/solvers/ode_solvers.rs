//! The crate `ode_solvers`: Dopri5 and Dop853.

use super::{Solve, Solver};
use crate::equations::{Equations, fixed, fixed_mut};
use ode_solvers::{Dop853, Dopri5, OutputType, SVector, System};

/// The equations as this crate wants them.
#[derive(Clone, Copy)]
struct Field<E>(std::marker::PhantomData<E>);

impl<const N: usize, E: Equations<N>> System<f64, SVector<f64, N>> for Field<E> {
    #[inline(always)]
    fn system(&self, t: f64, y: &SVector<f64, N>, dy: &mut SVector<f64, N>) {
        E::field(t, fixed(y.as_slice()), fixed_mut(dy.as_mut_slice()));
    }
}

macro_rules! prepare {
    ($method:ident, $n:ident, $e:ty) => {
        |tolerance: f64| -> Solve {
            let problem = <$e>::problem();
            let (until, absolute) = (problem.until, problem.absolute * tolerance);
            let start = SVector::<f64, $n>::from(<$e>::start());
            Box::new(move || {
                let field = Field::<$e>(std::marker::PhantomData);
                let mut solver = $method::new(field, 0.0, until, until, start, tolerance, absolute);
                solver.set_output(OutputType::Sparse);
                solver.integrate().ok()?;
                solver.y_out().last().map(|y| y.as_slice().to_vec())
            })
        }
    };
}

pub(super) fn explicit<const N: usize, E: Equations<N>>() -> Vec<Solver> {
    vec![
        Solver::peer("ode_solvers Dopri5", Some(5), prepare!(Dopri5, N, E)),
        Solver::peer("ode_solvers Dop853", Some(8), prepare!(Dop853, N, E)),
    ]
}
