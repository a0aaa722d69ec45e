//! A block on a belt that sticks and slips.
//!
//! A spring holds a block on a belt of speed V = 0.5: x'' = -x - F(w) sign(w), where w = x' - V is its speed
//! on the belt and F(w) = 1 - 0.2 |w| falls with it. From x = 0, stuck. It breaks away at x = 1; then it is
//! an oscillator with negative damping, x = q + exp(r t)(a cos ωt + b sin ωt) with q = 0.9, r = 0.1,
//! ω² = 1 - r², until it has the speed of the belt again, at a root found in 50 digits, and sticks. From
//! there on it repeats itself.

use super::{EventProblem, expected};
use crate::equations::ClosureSystem;
use crate::problems::Bounds;
use crate::trajectory::EventKind::{Leave, Slide};

const BELT: f64 = 0.5;
/// How long it slips, where it sticks again, and for how long.
const SLIP: f64 = 5.266719402578421;
const STICKS_AT: f64 = 0.264941105406643;
const STICK: f64 = 1.470117789186714;

pub(super) fn belt() -> EventProblem {
    let system = ClosureSystem::switched(["x", "v"], |_, y, way, dy| {
        let on_belt = y[1] - BELT;
        dy[0] = y[1];
        dy[1] = -y[0] - (1.0 - 0.2 * way[0] * on_belt) * way[0];
    })
    .switch("moves", |_, y| y[1] - BELT);
    let mut events = Vec::new();
    let mut breaks = 1.0 / BELT;
    for _ in 0..6 {
        events.push((0, Leave, breaks, [1.0, BELT]));
        events.push((0, Slide, breaks + SLIP, [STICKS_AT, BELT]));
        breaks += SLIP + STICK;
    }
    // Half a time unit after the last of them.
    let sticks = breaks - STICK;
    let end = [STICKS_AT + 0.5 * BELT, BELT];
    let problem = EventProblem::new("stick-slip-belt", "closed form", system, [0.0, BELT], sticks + 0.5);
    problem.truth(expected(&events), end, Bounds { time: 1e-6, ..Bounds::all(1e-6) })
}
