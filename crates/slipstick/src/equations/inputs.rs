//! The inputs of tapes, in their order.

use super::Locked;
use super::formula_mechanism::FormulaMechanism;
use crate::expr::Registers;

/// Writes the inputs of a tape:
/// `[t, states…, parameters…, switch signs…, counts…, discrete…, index of the mode]`.
pub(super) fn load(registers: &mut Registers, t: f64, y: &[f64], locked: Locked<'_>) {
    let inputs = registers.inputs_mut();
    inputs[0] = t;
    let mut first = 1;
    for list in [y, locked.parameters, locked.signs, locked.counts, locked.discrete] {
        inputs[first..first + list.len()].copy_from_slice(list);
        first += list.len();
    }
    inputs[first] = locked.mode as f64;
}

/// Writes accelerations and multipliers behind all other inputs.
pub(super) fn load_motion(registers: &mut Registers, mechanism: Option<&FormulaMechanism<'_>>) {
    if let Some(FormulaMechanism { scratch, .. }) = mechanism {
        let inputs = registers.inputs_mut();
        let first = inputs.len() - scratch.motion.len();
        inputs[first..].copy_from_slice(&scratch.motion);
    }
}

/// How many inputs there are between those of states and those of the motion.
pub(super) fn locked_count(locked: Locked<'_>) -> usize {
    let lists = [locked.parameters, locked.signs, locked.counts, locked.discrete];
    lists.iter().map(|list| list.len()).sum::<usize>() + 1
}

/// The input of this place behind time and states.
pub(super) fn locked_input(locked: Locked<'_>, mut index: usize) -> f64 {
    for list in [locked.parameters, locked.signs, locked.counts, locked.discrete] {
        match list.get(index) {
            Some(&value) => return value,
            None => index -= list.len(),
        }
    }
    if index == 0 { locked.mode as f64 } else { f64::NAN }
}
