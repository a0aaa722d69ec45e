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

    /// Whether no more than some states, and what formulas read, have changed since then.
    pub(super) fn is_of(&self, (t, y): (f64, &[f64]), mode: &Mode) -> bool {
        let same_place = self.mode.values.place == mode.values.place;
        self.t == t && self.state.len() == y.len() && same_place && self.mode.structure == mode.structure
    }

    /// Whether one of the inputs of a guard is a state from a place on, a sign, a count or a discrete variable that has
    /// changed. Time has not.
    pub(super) fn has_moved(
        &self,
        (y, mode): (&[f64], &Mode),
        parameters: &[f64],
        (reads, from): (&[u32], usize),
    ) -> bool {
        let moved = |input: &u32| {
            let Some(i) = (*input as usize).checked_sub(1).filter(|i| *i >= from) else { return false };
            if let (Some(now), Some(then)) = (y.get(i), self.state.get(i)) {
                return now.to_bits() != then.to_bits();
            }
            let [then, now] = [&self.mode, mode].map(|mode| mode.locked(parameters).input(i - y.len()));
            then.map(f64::to_bits) != now.map(f64::to_bits)
        };
        reads.iter().any(moved)
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
        let moved = |reads: &[u32]| known.has_moved((&[2.0, -3.0], &mode), &[], (reads, 0));
        assert!(moved(&[2]) && moved(&[0, 1, 2]) && !moved(&[0, 1]) && !moved(&[0, 3]) && !moved(&[]));
    }

    #[test]
    fn and_so_have_guards_of_signs_that_it_has_turned() {
        let (mut mode, mut known) = (Mode::new(0, 2, 0), LastKnown::default());
        known.keep((1.0, &[2.0]), &mode);
        mode.values.signs[1] = -1.0;
        assert!(known.is_of((1.0, &[2.0]), &mode));
        // After time, the state and a parameter come the signs.
        let moved = |reads: &[u32]| known.has_moved((&[2.0], &mode), &[7.0], (reads, 0));
        assert!(moved(&[4]) && !moved(&[0, 1, 2, 3, 5]));
    }
}
