//! Every solver behind one interface: prepare it for a problem and a tolerance, then solve again and again.
//!
//! What can be built once is built once; what a solve needs anew (scratch, statistics) is part of its time.
//! Nothing is kept but the end where a crate allows that: `ode_solvers` always stores the accepted states,
//! and gets its cheapest kind of output.

use crate::equations::{Arenstorf, Equations, Pleiades, Robertson, VanDerPol, fixed};
use slipstick::equations::ClosureSystem;
use slipstick::math::Norm;
use slipstick::simulate::{Keep, Options, simulate};
use slipstick::step::Method;

mod differential_equations;
mod diffsol;
mod ode_solvers;

/// Solves once; gives the state at the end, if it came there.
pub(crate) type Solve = Box<dyn FnMut() -> Option<Vec<f64>>>;

/// A solver for one problem.
pub(crate) struct Solver {
    /// The crate and its method.
    pub(crate) name: String,
    /// Whether it is Slipstick's.
    pub(crate) ours: bool,
    /// The order of an explicit method; `None` for stiff problems, where every implicit method takes part.
    pub(crate) order: Option<u32>,
    /// Makes it ready for a tolerance.
    pub(crate) prepare: Box<dyn Fn(f64) -> Solve>,
}

impl Solver {
    /// A solver of another crate.
    fn peer(name: &str, order: Option<u32>, prepare: impl Fn(f64) -> Solve + 'static) -> Self {
        Self { name: name.to_owned(), ours: false, order, prepare: Box::new(prepare) }
    }
}

/// The solvers of a problem, by its name.
pub(crate) fn solvers(problem: &str) -> Option<Vec<Solver>> {
    match problem {
        Arenstorf::NAME => Some(explicit::<4, Arenstorf>()),
        Pleiades::NAME => Some(explicit::<28, Pleiades>()),
        Robertson::NAME => Some(implicit::<3, Robertson>()),
        VanDerPol::NAME => Some(implicit::<2, VanDerPol>()),
        _ => None,
    }
}

/// The names of the problems.
pub(crate) const PROBLEMS: [&str; 4] = [Arenstorf::NAME, Pleiades::NAME, Robertson::NAME, VanDerPol::NAME];

fn explicit<const N: usize, E: Equations<N>>() -> Vec<Solver> {
    let mut all = ours::<N, E>();
    all.extend(ode_solvers::explicit::<N, E>());
    all.extend(differential_equations::explicit::<N, E>());
    all.extend(diffsol::explicit::<N, E>());
    all
}

fn implicit<const N: usize, E: Equations<N>>() -> Vec<Solver> {
    let mut all = ours::<N, E>();
    all.extend(differential_equations::implicit::<N, E>());
    all.extend(diffsol::implicit::<N, E>());
    all
}

/// Every method of Slipstick that has an error estimate: the explicit ones of order 5 and 8, or the implicit
/// ones.
fn ours<const N: usize, E: Equations<N>>() -> Vec<Solver> {
    let takes_part = |method: &&Method| {
        let facts = method.facts();
        let right_kind =
            if E::STIFF { facts.implicit } else { !facts.implicit && matches!(facts.order, 5 | 8) };
        facts.error_order.is_some() && !facts.mechanisms_only && right_kind
    };
    let norms: &[Norm] = if E::STIFF { &[Norm::Mean] } else { &[Norm::Worst, Norm::Mean] };
    let each = |&method: &Method| norms.iter().map(move |&norm| solver::<N, E>(method, norm));
    Method::ALL.iter().filter(takes_part).flat_map(each).collect()
}

/// Explicit methods take part with both norms: the worst state is our default, the mean is what the peers
/// use.
fn solver<const N: usize, E: Equations<N>>(method: Method, norm: Norm) -> Solver {
    let suffix = if !E::STIFF && norm == Norm::Mean { " mean" } else { "" };
    Solver {
        name: format!("slipstick {}{suffix}", method.name()),
        ours: true,
        order: (!E::STIFF).then_some(method.facts().order),
        prepare: Box::new(move |tolerance| slipstick::<N, E>(method, norm, tolerance)),
    }
}

fn slipstick<const N: usize, E: Equations<N>>(method: Method, norm: Norm, tolerance: f64) -> Solve {
    let problem = E::problem();
    let names = (0..N).map(|i| format!("y{i}"));
    // Other crates know the length of the state when they are compiled; here it is checked in each call.
    let system = ClosureSystem::new(names, |t, y, dy| {
        if let (Ok(y), Ok(dy)) = (y.try_into(), dy.try_into()) {
            E::field(t, y, dy);
        }
    });
    let system = if E::STIFF {
        system.jacobian(|_, y, j| j.copy_from_slice(E::jacobian(fixed(y)).as_flattened()))
    } else {
        system
    };
    let mut options = Options { method, keep: Keep::Ends, ..problem.options(tolerance) };
    options.tolerances.norm = Some(norm);
    Box::new(move || {
        let run = simulate(&system, &problem.start, &options).ok()?;
        run.outcome.is_complete().then(|| run.end_state().to_vec())
    })
}
