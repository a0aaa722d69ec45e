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

    /// Whether no more has changed since then than states and what is locked: the guards have the same formulas.
    pub(super) fn is_of(&self, (t, y): (f64, &[f64]), mode: &Mode) -> bool {
        let (known, now) = (&self.mode, mode);
        let lengths = |mode: &Mode| lists(mode).map(<[f64]>::len);
        self.t == t
            && self.state.len() == y.len()
            && known.structure == now.structure
            && known.values.place == now.values.place
            && lengths(known) == lengths(now)
    }

    /// Whether these positions at this time are those that are known.
    pub(super) fn has_positions(&self, t: f64, positions: &[f64]) -> bool {
        self.t == t
            && self
                .state
                .get(..positions.len())
                .is_some_and(|known| differ(known, positions).next().is_none())
    }

    /// The inputs of guards that are states, of which time comes first, and have changed since then.
    pub(super) fn moved<'r>(&'r self, y: &'r [f64]) -> impl Iterator<Item = usize> + 'r {
        differ(&self.state, y).map(|i| 1 + i)
    }

    /// The inputs of guards that are locked and have changed since then: they come after time, states and parameters, of
    /// which there are so many.
    pub(super) fn turned<'r>(&'r self, mode: &'r Mode, before: usize) -> impl Iterator<Item = usize> + 'r {
        let mut first = before;
        lists(&self.mode).into_iter().zip(lists(mode)).flat_map(move |(known, now)| {
            let begin = first;
            first += now.len();
            differ(known, now).map(move |i| begin + i)
        })
    }
}

fn lists(mode: &Mode) -> [&[f64]; 3] {
    [&mode.values.signs, &mode.values.counts, &mode.values.discrete]
}

/// Where two lists differ, to the bit.
fn differ<'r>(known: &'r [f64], now: &'r [f64]) -> impl Iterator<Item = usize> + 'r {
    let differs = |(_, (known, now)): &(usize, (&f64, &f64))| known.to_bits() != now.to_bits();
    known.iter().zip(now).enumerate().filter(differs).map(|(i, _)| i)
}

/// Which comparisons read an input: those that no reset has changed are not looked at.
pub(super) struct Readers {
    /// For each input its readers, and those comparisons of which it is not known what they read.
    by_input: Vec<Vec<usize>>,
    unknown: Vec<usize>,
}

impl Readers {
    /// From what each comparison reads, if that is known.
    pub(super) fn new<'r>(reads: impl Iterator<Item = Option<&'r [u32]>>) -> Self {
        let (mut by_input, mut unknown): (Vec<Vec<usize>>, Vec<usize>) = (Vec::new(), Vec::new());
        for (comparison, reads) in reads.enumerate() {
            let Some(reads) = reads else {
                unknown.push(comparison);
                continue;
            };
            for &input in reads {
                let input = input as usize;
                by_input.resize_with(by_input.len().max(input + 1), Vec::new);
                by_input[input].push(comparison);
            }
        }
        Self { by_input, unknown }
    }

    /// What reads one of some inputs, once for each.
    pub(super) fn of(&self, inputs: impl Iterator<Item = usize>) -> impl Iterator<Item = usize> {
        inputs.filter_map(|input| self.by_input.get(input)).flatten().copied()
    }

    /// The comparisons that may read anything.
    pub(super) fn of_anything(&self) -> impl Iterator<Item = usize> {
        self.unknown.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guards_of_what_an_event_has_set_have_moved() {
        let (mut mode, mut known) = (Mode::new(0, 1, 0), LastKnown::default());
        mode.values.discrete = vec![5.0, 6.0];
        assert!(!known.is_of((1.0, &[2.0, 3.0]), &mode), "nothing is known yet");
        known.keep((1.0, &[2.0, 3.0]), &mode);
        assert!(known.is_of((1.0, &[2.0, -3.0]), &mode) && !known.is_of((1.5, &[2.0, 3.0]), &mode));
        assert!(!known.is_of((1.0, &[2.0, 3.0]), &Mode::new(1, 1, 0)));
        assert!(known.has_positions(1.0, &[2.0]) && !known.has_positions(1.0, &[2.0, 4.0]));
        let mut other = mode.clone();
        other.values.discrete[1] = 7.0;
        assert!(known.is_of((1.0, &[2.0, 3.0]), &other));
        // Time, two states, three parameters, a sign, two discrete variables.
        assert_eq!(known.moved(&[2.0, -3.0]).collect::<Vec<_>>(), [2]);
        assert_eq!(known.turned(&other, 1 + 2 + 3).collect::<Vec<_>>(), [8]);
        assert_eq!(known.turned(&mode, 1 + 2 + 3).count(), 0);
    }

    #[test]
    fn readers_of_what_has_changed_are_known_and_those_of_which_nothing_is() {
        let readers = Readers::new([Some(&[0, 2][..]), Some(&[1]), None, Some(&[2, 8])].into_iter());
        assert_eq!(readers.of([2, 9].into_iter()).collect::<Vec<_>>(), [0, 3]);
        assert_eq!(readers.of_anything().collect::<Vec<_>>(), [2]);
    }
}
