//! Branches in the gaps of contacts that close, or are about to: their signs follow from where the motion stands.
//!
//! While a contact is open, its gap is read as it is written, and nothing watches the branches in it. The gap is
//! continuous, so that next to a border both branches say the same of velocities. Of accelerations they do not: on a
//! border the branch is the one that the motion goes on to.

use crate::equations::{Evaluator, Locked, System, UncertainPoint};

/// Signs decide which other signs matter: how often they are looked at, at most.
const MOST_PASSES: usize = 8;
/// Rounding of a sum of a few terms, in units of the sum of their sizes.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// The signs with those that matter `after`, and did not `before`, as the state has them. What cannot be told stays as
/// it is.
pub(super) fn entered_signs(
    system: &dyn System,
    evaluator: &mut dyn Evaluator,
    [before, after]: [Locked<'_>; 2],
    point: UncertainPoint<'_>,
) -> Vec<f64> {
    let (guards, mut signs) = (system.guards(), after.signs.to_vec());
    if signs.is_empty() {
        return signs;
    }
    let (mut mattered, mut matters) = (vec![true; guards.len()], vec![true; guards.len()]);
    evaluator.find_needed(before, &mut mattered);
    for _ in 0..MOST_PASSES {
        evaluator.find_needed(Locked { signs: &signs, stamp: 0, ..after }, &mut matters);
        let mut changes = false;
        for (g, guard) in guards.iter().enumerate().filter(|(g, _)| matters[*g] && !mattered[*g]) {
            let Some(switch) = guard.response.switch.filter(|_| guard.kind.has_formula()) else { continue };
            let locked = Locked { signs: &signs, stamp: 0, ..after };
            if let Some(sign) = side_of(system, evaluator, (locked, g), point) {
                changes |= signs[switch] != sign;
                signs[switch] = sign;
            }
        }
        if !changes {
            break;
        }
    }
    signs
}

/// The side of a surface that a point is on, or that it moves to.
fn side_of(
    system: &dyn System,
    evaluator: &mut dyn Evaluator,
    (locked, guard): (Locked<'_>, usize),
    point: UncertainPoint<'_>,
) -> Option<f64> {
    let value = evaluator.guard_banded(locked, guard, point);
    if value.value.abs() > value.bound {
        return Some(value.value.signum());
    }
    let (mut y, mut gradient) = (point.y.to_vec(), vec![0.0; point.y.len()]);
    let by_time = evaluator.guard_gradient(locked, guard, point.t, &mut y, &mut gradient);
    let q = system.layout().q;
    // Of speeds the rates are not known before forces are.
    if gradient[q..].iter().any(|slope| *slope != 0.0) {
        return None;
    }
    let rates = position_rates(system, evaluator, point.t, point.y);
    let parts = gradient.iter().zip(&rates).map(|(slope, rate)| slope * rate);
    let (rate, size) =
        parts.fold((by_time, by_time.abs()), |(sum, size), part| (sum + part, size + part.abs()));
    (rate.abs() > ROUNDING * size).then(|| rate.signum())
}

/// The rates of positions that the speeds of a state say: the speeds, or `T v`.
pub(super) fn position_rates(
    system: &dyn System,
    evaluator: &mut dyn Evaluator,
    t: f64,
    y: &[f64],
) -> Vec<f64> {
    let layout = system.layout();
    let (q, speeds) = (&y[..layout.q], &y[layout.q..layout.q + layout.v]);
    if !evaluator.has_kinematics() {
        return speeds.to_vec();
    }
    let mut before = q.to_vec();
    evaluator.shift_positions(t, &mut before, speeds);
    q.iter().zip(&before).map(|(now, before)| now - before).collect()
}
