//! Where the motion stood when its guards were last read.

use crate::mode::Mode;

/// A time, state and mode at which the side of every guard is known.
#[derive(Default)]
pub(super) struct LastKnown {
    t: f64,
    state: Vec<f64>,
    mode: Mode,
}

impl LastKnown {
    /// The guards are known here.
    pub(super) fn keep(&mut self, (t, y): (f64, &[f64]), mode: &Mode) {
        self.t = t;
        self.state.clear();
        self.state.extend_from_slice(y);
        self.mode.clone_from(mode);
    }

    /// Nothing is known: another run begins.
    pub(super) fn forget(&mut self) {
        self.t = f64::NAN;
    }

    /// Whether no more than some states has changed since then.
    pub(super) fn is_of(&self, (t, y): (f64, &[f64]), mode: &Mode) -> bool {
        self.t == t && self.state.len() == y.len() && self.mode == *mode
    }

    /// Whether one of the inputs of a guard is a state that has changed. Time and what comes after the states
    /// have not.
    pub(super) fn has_moved(&self, y: &[f64], reads: &[u32]) -> bool {
        let states = reads.iter().filter_map(|&input| (input as usize).checked_sub(1));
        let moved = |i: usize| y.get(i).is_some_and(|y| y.to_bits() != self.state[i].to_bits());
        states.into_iter().any(moved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guards_of_states_that_an_event_has_set_have_moved() {
        let (mode, mut known) = (Mode::new(0, 1, 0), LastKnown::default());
        assert!(!known.is_of((1.0, &[2.0, 3.0]), &mode), "nothing is known yet");
        known.keep((1.0, &[2.0, 3.0]), &mode);
        assert!(known.is_of((1.0, &[2.0, -3.0]), &mode) && !known.is_of((1.5, &[2.0, 3.0]), &mode));
        assert!(!known.is_of((1.0, &[2.0, 3.0]), &Mode::new(1, 1, 0)));
        let moved = |reads: &[u32]| known.has_moved(&[2.0, -3.0], reads);
        assert!(moved(&[2]) && moved(&[0, 1, 2]) && !moved(&[0, 1]) && !moved(&[0, 3]) && !moved(&[]));
    }
}
