//! The inputs of tapes, in their order.

use super::Locked;
use super::formula_mechanism::FormulaMechanism;
use crate::expr::Registers;

/// Inputs up to this number are written one by one faster than all of them in blocks; and up to this part of all of them.
const FEW_READS: usize = 8;
const SMALL_PART: usize = 16;

/// Writes the inputs of a tape:
/// `[t, states…, parameters…, switch signs…, counts…, discrete…, index of the mode]`.
pub(super) fn load(registers: &mut Registers, t: f64, y: &[f64], locked: Locked<'_>) {
    let keeps = registers.keeps(locked.stamp);
    let inputs = registers.inputs_mut();
    inputs[0] = t;
    let mut first = 1;
    for list in [y, locked.parameters] {
        inputs[first..first + list.len()].copy_from_slice(list);
        first += list.len();
    }
    // What changes only at events is copied then.
    for list in [locked.signs, locked.counts, locked.discrete] {
        if !keeps {
            inputs[first..first + list.len()].copy_from_slice(list);
        }
        first += list.len();
    }
    inputs[first] = locked.mode as f64;
}

/// Writes those inputs that a tape reads; what is of the motion is left as it is.
pub(super) fn load_read(registers: &mut Registers, reads: &[u32], t: f64, y: &[f64], locked: Locked<'_>) {
    if reads.len() > FEW_READS && reads.len() > y.len() / SMALL_PART {
        return load(registers, t, y, locked);
    }
    registers.keeps(0);
    let inputs = registers.inputs_mut();
    for &input in reads {
        let input = input as usize;
        // Time comes before the states.
        let value = match y.get(input.wrapping_sub(1)) {
            Some(&state) => Some(state),
            None if input == 0 => Some(t),
            None => locked_input(locked, input - 1 - y.len()),
        };
        if let Some(value) = value {
            inputs[input] = value;
        }
    }
}

/// Writes accelerations and multipliers behind all other inputs.
pub(super) fn load_motion(registers: &mut Registers, mechanism: Option<&FormulaMechanism<'_>>) {
    if let Some(FormulaMechanism { scratch, .. }) = mechanism {
        let inputs = registers.inputs_mut();
        let first = inputs.len() - scratch.motion.len();
        inputs[first..].copy_from_slice(&scratch.motion);
    }
}

/// The same, as far as a tape reads them.
pub(super) fn load_motion_read(
    registers: &mut Registers,
    reads: &[u32],
    mechanism: Option<&FormulaMechanism<'_>>,
) {
    if let Some(FormulaMechanism { scratch, .. }) = mechanism {
        let inputs = registers.inputs_mut();
        let first = inputs.len() - scratch.motion.len();
        let of_motion = reads.iter().filter_map(|&input| (input as usize).checked_sub(first));
        of_motion.for_each(|place| inputs[first + place] = scratch.motion[place]);
    }
}

/// How many inputs there are between those of states and those of the motion.
pub(super) fn locked_count(locked: Locked<'_>) -> usize {
    let lists = [locked.parameters, locked.signs, locked.counts, locked.discrete];
    lists.iter().map(|list| list.len()).sum::<usize>() + 1
}

/// The input of this place behind time and states; none if it is of the motion.
pub(super) fn locked_input(locked: Locked<'_>, mut index: usize) -> Option<f64> {
    for list in [locked.parameters, locked.signs, locked.counts, locked.discrete] {
        match list.get(index) {
            Some(&value) => return Some(value),
            None => index -= list.len(),
        }
    }
    (index == 0).then_some(locked.mode as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Arena, InputId, Tape};

    #[test]
    fn what_a_tape_reads_is_the_same_however_it_is_written() {
        let mut arena = Arena::new();
        let ids: Vec<_> = (0..7).map(|n| arena.input(InputId(n))).collect();
        let locked =
            Locked { mode: 3, parameters: &[0.5], signs: &[-1.0], counts: &[2.0], ..Locked::default() };
        for read in [0, 1, 2, 3, 4, 5, 6] {
            let tape = Tape::compile(&arena, 7, &[ids[read]]);
            let (mut all, mut some) = (tape.registers(), tape.registers());
            load(&mut all, 9.0, &[1.5, 2.5], locked);
            load_read(&mut some, tape.read_list(), 9.0, &[1.5, 2.5], locked);
            assert_eq!(all.inputs_mut()[read], some.inputs_mut()[read]);
        }
    }
}
