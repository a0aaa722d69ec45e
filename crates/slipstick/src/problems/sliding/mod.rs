//! The suite `sliding`: motions along switching surfaces, each with the truth about when they meet a surface
//! and leave it.
//!
//! The four problems of paper 002 at seven tolerances, beside the errors and the work of its tables; then
//! relays and friction with closed forms, at default options. A row promises every event, in order, with the
//! guard that fires and what happens; the rows of the paper also an error at the end and a number of
//! right-hand sides that are no larger than the paper's.

mod disode45;
mod friction;
mod relays;
mod truths;

pub use disode45::{Paper, TOLERANCES, disode45};

use super::events::EventProblem;
use crate::trajectory::EventKind;

/// How many rows may miss the numbers of the paper.
pub const MOST_MISSES: usize = 2;

/// A problem of the suite.
pub struct SlidingProblem {
    /// The problem and its truth.
    pub problem: EventProblem,
    /// The numbers of the paper for this row, if it has them.
    pub paper: Option<Paper>,
}

/// The problems of the suite `sliding`, in the order of the rows.
pub fn sliding() -> Vec<SlidingProblem> {
    let of_paper = (1..=4).flat_map(|number| TOLERANCES.map(|tolerance| disode45(number, tolerance)));
    let others = more_sliding().into_iter().map(|problem| SlidingProblem { problem, paper: None });
    of_paper.chain(others).collect()
}

/// Those that are not in the paper: relays and friction with closed forms.
pub fn more_sliding() -> Vec<EventProblem> {
    let mut all = relays::relays();
    all.push(friction::belt());
    all
}

/// The guard that fires, what happens, when, and the state before it.
type Known<const N: usize> = (usize, EventKind, f64, [f64; N]);

fn expected<const N: usize>(known: &[Known<N>]) -> Vec<super::Expected> {
    let one = |&(guard, kind, t, y): &Known<N>| super::Expected::of_kind(t, guard, kind, y);
    known.iter().map(one).collect()
}
