//! Branches of formulas that come to matter where contacts close: their signs follow from where the motion stands.
//!
//! While a contact is open, its gap is read as it is written, and nothing watches the branches in it. The gap is
//! continuous, so that next to a border both branches say the same of velocities; the motion decides about them once
//! the contact is closed.

use crate::equations::{Evaluator, Locked, System};

/// Signs decide which other signs matter: how often they are looked at, at most.
const MOST_PASSES: usize = 8;

/// The signs with those that matter `after`, and did not `before`, as the state has them.
pub(super) fn entered_signs(
    system: &dyn System,
    evaluator: &mut dyn Evaluator,
    [before, after]: [Locked<'_>; 2],
    (t, y): (f64, &[f64]),
) -> Vec<f64> {
    let (guards, mut signs) = (system.guards(), after.signs.to_vec());
    let (mut mattered, mut matters) = (vec![true; guards.len()], vec![true; guards.len()]);
    evaluator.find_needed(before, &mut mattered);
    for _ in 0..MOST_PASSES {
        evaluator.find_needed(Locked { signs: &signs, stamp: 0, ..after }, &mut matters);
        let mut changes = false;
        for (g, guard) in guards.iter().enumerate().filter(|(g, _)| matters[*g] && !mattered[*g]) {
            let Some(switch) = guard.response.switch.filter(|_| guard.kind.has_formula()) else { continue };
            let value = evaluator.guard(Locked { signs: &signs, stamp: 0, ..after }, g, t, y);
            if value != 0.0 && !value.is_nan() {
                changes |= signs[switch] != value.signum();
                signs[switch] = value.signum();
            }
        }
        if !changes {
            break;
        }
    }
    signs
}
