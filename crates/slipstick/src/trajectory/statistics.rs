//! Work, counted.

use super::{Event, EventKind};
use crate::step::Share;

/// What a run cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Statistics {
    /// Steps that were taken.
    pub accepted: u64,
    /// Steps that were tried and not taken, for their error or for values that were not finite.
    pub rejected: u64,
    /// Steps among those taken, and among those not taken, in which the motion slid on switching surfaces.
    pub slid: u64,
    /// See [`slid`](Self::slid).
    pub slid_rejected: u64,
    /// Evaluations of the right-hand side.
    pub derivatives: u64,
    /// Right-hand sides among those to settle how the motion goes on at a switching surface, and where guards
    /// that are not formulas are heading after an event.
    pub settling: u64,
    /// Right-hand sides among those for a finer dense output, to locate events.
    pub locating: u64,
    /// Evaluations of the Jacobian by implicit methods, exactly or by differences. The right-hand sides of
    /// the differences are counted among `derivatives` too.
    pub jacobians: u64,
    /// Matrix factorisations by implicit methods; what a method counts as one is said there.
    pub factorisations: u64,
    /// Values of single guards.
    pub guards: u64,
    /// Ends of steps that were corrected to keep the constraints of a mechanism met, those of steps not taken
    /// too.
    pub corrected: u64,
    /// Factorisations of the linear system of a mechanism, for accelerations and for corrections.
    pub motion_factorisations: u64,
    /// How often the size of a first step was estimated, with two right-hand sides.
    pub estimates: u64,
    /// Right-hand sides that were known already when an estimate or a first step wanted them. They do not
    /// count among `derivatives`.
    pub reused: u64,
    /// Steps that were made again, shorter, to locate an event.
    pub relocations: u64,
    /// How often a crossing that was located turned out not to be the first.
    pub went_back: u64,
    /// How often a guard that could have crossed in a step had not.
    pub phantoms: u64,
    /// Events, of any kind.
    pub events: u64,
    /// Events that only recorded.
    pub records: u64,
    /// Events that changed the state.
    pub resets: u64,
    /// Events that changed the sign of a switch.
    pub switchings: u64,
    /// Events that changed the mode.
    pub mode_changes: u64,
    /// The smallest step that was taken for accuracy; steps cut short by an event or by the end do not count.
    pub smallest_step: f64,
    /// The largest step that was taken.
    pub largest_step: f64,
    /// What each method did, in the order in which they began: `auto` is made of several.
    pub shares: Vec<Share>,
}

impl Default for Statistics {
    fn default() -> Self {
        Self {
            accepted: 0,
            rejected: 0,
            slid: 0,
            slid_rejected: 0,
            derivatives: 0,
            settling: 0,
            locating: 0,
            jacobians: 0,
            factorisations: 0,
            guards: 0,
            corrected: 0,
            motion_factorisations: 0,
            estimates: 0,
            reused: 0,
            relocations: 0,
            went_back: 0,
            phantoms: 0,
            events: 0,
            records: 0,
            resets: 0,
            switchings: 0,
            mode_changes: 0,
            smallest_step: f64::INFINITY,
            largest_step: 0.0,
            shares: Vec::new(),
        }
    }
}

impl Statistics {
    /// Counts a step that was taken. `cut` tells that something else than its error decided its size.
    pub fn count_step(&mut self, h: f64, cut: bool) {
        self.accepted += 1;
        if h > self.largest_step {
            self.largest_step = h;
        }
        if !cut && h < self.smallest_step {
            self.smallest_step = h;
        }
    }

    /// Counts a step that was not taken.
    pub fn count_rejection(&mut self, sliding: bool) {
        self.rejected += 1;
        self.slid_rejected += u64::from(sliding);
    }

    /// Counts an event under each of its kinds.
    pub fn count_event(&mut self, event: &Event) {
        self.events += 1;
        for kind in &event.kinds {
            match kind {
                EventKind::Record => self.records += 1,
                EventKind::Reset => self.resets += 1,
                EventKind::Switch => self.switchings += 1,
                EventKind::Mode => self.mode_changes += 1,
                EventKind::Slide
                | EventKind::Leave
                | EventKind::Rest
                | EventKind::Reach
                | EventKind::Close
                | EventKind::Stop => {}
            }
        }
    }
}
