//! Dry friction that sticks, and a relay that hops.
//!
//! - Coulomb oscillator: x'' + x = -F sgn(x'), F = 0.1, from rest at 1.05. It turns at kπ at the places
//!   1.05 - 0.2 k in size, of alternating sign, and sticks for good at the fifth turn, at -0.05, where the
//!   spring is weaker than F (textbook closed form).
//! - Relay: a satellite x'' = u is turned by thrusters that a relay switches by σ = x + 0.5 x': one pulls
//!   (u = -1) from where σ rises above 0.1, the other pushes (u = 1) from where σ falls below -0.1, each
//!   until |σ| is below 0.098, so that there is a dead zone and hysteresis. When a thruster begins, σ jumps
//!   in its rate and comes back at once: the relay hops, thirteen times in the end. Truth: x and σ are
//!   quadratic between switchings; roots in 50 digits.

use super::{Bounds, EventProblem, Expected};
use crate::equations::{ClosureGuard, ClosureSystem, Side};
use std::f64::consts::PI;

/// Both.
pub(super) fn friction_and_relays() -> Vec<EventProblem> {
    vec![coulomb_oscillator(), relay()]
}

const FRICTION: f64 = 0.1;

/// The third state is the direction of sliding: -1, 1, or 0 while it sticks.
fn coulomb_oscillator() -> EventProblem {
    let system = ClosureSystem::new(["x", "v", "slides"], |_, y, dy| {
        let force = -y[0] - FRICTION * y[2];
        dy.copy_from_slice(&[y[1], if y[2] == 0.0 { 0.0 } else { force }, 0.0]);
    });
    // The turn is placed after the root: at the start the mass stands at a root that is not a turn.
    let turn = ClosureGuard::both("turn", |_, y| y[1]).reset(|_, before, after| {
        after[1] = 0.0;
        after[2] = if before[0].abs() <= FRICTION { 0.0 } else { -before[2] };
    });
    let expected = [-0.85, 0.65, -0.45, 0.25, -0.05].iter().zip(1_u8..).map(|(&x, k)| {
        let slides = if k % 2 == 1 { -1.0 } else { 1.0 };
        Expected::with_state(f64::from(k) * PI, 0, [x, 0.0, slides])
    });
    let expected = expected.collect();
    let system = system.guard(turn.side(Side::After));
    let problem =
        EventProblem::new("coulomb-oscillator", "textbook closed form", system, [1.05, 0.0, -1.0], 20.0);
    problem.truth(expected, [-0.05, 0.0, 0.0], Bounds::all(1e-7))
}

const WIDE: f64 = 0.1;
const NARROW: f64 = 0.1 - 0.002;

/// The third state is what the relay does: -1 pull, 0 nothing, 1 push. A guard is far from zero while it does
/// not matter.
fn relay() -> EventProblem {
    let system = ClosureSystem::new(["x", "v", "u"], |_, y, dy| dy.copy_from_slice(&[y[1], y[2], 0.0]));
    let sigma = |y: &[f64]| y[0] + 0.5 * y[1];
    let system = system
        .guard(relay_guard("pull", 0.0, move |y| sigma(y) - WIDE, -1.0))
        .guard(relay_guard("push", 0.0, move |y| -sigma(y) - WIDE, 1.0))
        .guard(relay_guard("pull-ends", -1.0, move |y| NARROW - sigma(y), 0.0))
        .guard(relay_guard("push-ends", 1.0, move |y| NARROW + sigma(y), 0.0));
    let expected = RELAY.iter().map(|&(t, guard)| Expected::at(t, guard)).collect();
    let problem = EventProblem::new("relay-hops", "roots in 50 digits", system, [1.0, 0.0, -1.0], 4.0);
    // The last hops come at a speed of 0.007: an error of the state is an error of time 150 times as large.
    let end = [-0.09836396036775251, -0.0023621521381846896, 0.0];
    problem.truth(expected, end, Bounds { time: 1e-9, ..Bounds::all(1e-10) })
}

/// Fires when `surface` rises through zero while the relay is at `now`, and puts it to `next`.
fn relay_guard(
    name: &str,
    now: f64,
    surface: impl Fn(&[f64]) -> f64 + Send + Sync + 'static,
    next: f64,
) -> ClosureGuard {
    let watched = move |_: f64, y: &[f64]| if y[2] == now { surface(y) } else { -1.0 };
    ClosureGuard::rising(name, watched).reset(move |_, _, after| after[2] = next).side(Side::After)
}

const RELAY: [(f64, usize); 31] = [
    (0.9331782861877304, 2),
    (1.1453563907693105, 1),
    (2.0163056531815267, 3),
    (2.048444997150907, 1),
    (2.0529900025781576, 3),
    (2.0876616509353356, 1),
    (2.092160426900824, 3),
    (2.129764843283962, 1),
    (2.134218772398422, 3),
    (2.175260145303518, 1),
    (2.179670542604159, 3),
    (2.2247959637813457, 1),
    (2.2291640812670157, 3),
    (2.279223152871245, 1),
    (2.283550183653599, 3),
    (2.339689324762399, 1),
    (2.343976406872082, 3),
    (2.407795292774567, 1),
    (2.4120435126568127, 3),
    (2.4858702242969124, 1),
    (2.490080620026992, 3),
    (2.5774929400921978, 1),
    (2.581666504337672, 3),
    (2.6885811803672377, 1),
    (2.692718863120968, 3),
    (2.8299983127347113, 1),
    (2.834101023839946, 3),
    (3.025193955410904, 1),
    (3.0292625668974487, 3),
    (3.3418846660177537, 1),
    (3.345920014266227, 3),
];
