//! Work, counted.

use super::{Event, EventKind};
use crate::step::Share;

/// What a run cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Steps that were taken.
    pub accepted: u64,
    /// Steps that were tried and not taken, for their error or for values that were not finite.
    pub rejected: u64,
    /// Steps among those in which the motion slid on switching surfaces.
    pub sliding: SlidingSteps,
    /// The sizes of steps that were taken.
    pub sizes: StepRange,
    /// Evaluations of the right-hand side.
    pub derivatives: u64,
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
    /// What it took to begin segments.
    pub starts: StartCounts,
    /// What it took to locate events.
    pub locating: LocatingCounts,
    /// Events, of any kind.
    pub events: u64,
    /// Events by what they changed.
    pub kinds: KindCounts,
    /// What each method did, in the order in which they began: `auto` is made of several.
    pub shares: Vec<Share>,
}

/// Steps in which the motion slid on switching surfaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SlidingSteps {
    /// Those that were taken.
    pub accepted: u64,
    /// Those that were not.
    pub rejected: u64,
}

/// The sizes of steps that were taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepRange {
    /// The smallest that was taken for accuracy; steps cut short by an event or by the end do not count.
    /// Infinite if there is none.
    pub smallest: f64,
    /// The largest.
    pub largest: f64,
}

impl Default for StepRange {
    fn default() -> Self {
        Self { smallest: f64::INFINITY, largest: 0.0 }
    }
}

/// What it took to begin segments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StartCounts {
    /// Right-hand sides to settle how the motion goes on at a switching surface, and where guards that are
    /// not formulas are heading after an event.
    pub settling: u64,
    /// How often the size of a first step was estimated, with two right-hand sides.
    pub estimates: u64,
    /// Right-hand sides that were known already when an estimate or a first step wanted them. They do not
    /// count among all.
    pub reused: u64,
}

/// What it took to locate events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LocatingCounts {
    /// Right-hand sides for a finer dense output.
    pub derivatives: u64,
    /// Steps that were made again, shorter.
    pub relocations: u64,
    /// How often a guard that could have crossed in a step had not.
    pub phantoms: u64,
}

/// Events by what they changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KindCounts {
    /// Nothing: they only recorded.
    pub records: u64,
    /// The state.
    pub resets: u64,
    /// The sign of a switch.
    pub switchings: u64,
    /// The mode.
    pub mode_changes: u64,
}

impl Statistics {
    /// Counts a step that was taken. `cut` tells that something else than its error decided its size.
    pub fn count_step(&mut self, h: f64, cut: bool) {
        self.accepted += 1;
        if h > self.sizes.largest {
            self.sizes.largest = h;
        }
        if !cut && h < self.sizes.smallest {
            self.sizes.smallest = h;
        }
    }

    /// Counts a step that was not taken.
    pub fn count_rejection(&mut self, sliding: bool) {
        self.rejected += 1;
        self.sliding.rejected += u64::from(sliding);
    }

    /// Counts an event under each of its kinds.
    pub fn count_event(&mut self, event: &Event) {
        self.events += 1;
        for kind in &event.kinds {
            match kind {
                EventKind::Record => self.kinds.records += 1,
                EventKind::Reset => self.kinds.resets += 1,
                EventKind::Switch | EventKind::Zone | EventKind::Corner => self.kinds.switchings += 1,
                EventKind::Mode => self.kinds.mode_changes += 1,
                _ => {}
            }
        }
    }
}
