//! The size of the first step after an event: what was good the last time after the same event.
//!
//! A contact that closes needs small steps each time, a body that flies off can take large ones each time. The step before the event tells
//! nothing about that, and an estimate at the event cannot see a force that is still zero there.

use super::respond::Change;
use crate::event::Detector;

/// Which event a segment begins with: the guard, the side that it came from, and whether the motion slides from there on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Beginning {
    place: Option<usize>,
}

/// The sizes that the first steps after each event should have had.
pub(super) struct Beginnings {
    sizes: Vec<Option<f64>>,
    /// The last of them after an event of any guard that came from the same side, and slid or not.
    alike: [Option<f64>; 4],
}

impl Beginnings {
    pub(super) fn new(guards: usize) -> Self {
        Self { sizes: vec![None; 4 * guards], alike: [None; 4] }
    }

    /// The event that begins a segment: the first of the guards that fired, and whether the motion slides from there on.
    pub(super) fn key(detector: &Detector, change: Change, slides: bool) -> Beginning {
        let fired = if change == Change::Everything { None } else { detector.fired_last() };
        let place = |(guard, side)| 4 * guard + 2 * usize::from(slides) + usize::from(side > 0.0);
        Beginning { place: fired.map(place) }
    }

    /// The size that would have been right the last time.
    pub(super) fn recall(&self, beginning: Option<Beginning>) -> Option<f64> {
        self.sizes[beginning?.place?]
    }

    /// The size that was right after the last event like this one, of another guard: a guess, for marbles are often alike.
    pub(super) fn guess(&self, beginning: Option<Beginning>) -> Option<f64> {
        self.alike[beginning?.place? % 4]
    }

    /// Takes note of the size that a first step should have had.
    pub(super) fn learn(&mut self, beginning: Beginning, h: f64) {
        if let Some(place) = beginning.place {
            self.sizes[place] = Some(h);
            self.alike[place % 4] = Some(h);
        }
    }
}
