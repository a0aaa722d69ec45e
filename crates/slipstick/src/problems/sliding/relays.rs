//! Relays, with hysteresis and without.
//!
//! - Relay with hysteresis: x' = u - x from 0; u = 1 until x rises to 1/2, then u = -1 until it falls to
//!   -1/2, and so on: after ln 2, then every ln 3.
//! - Temperature control: T' = (T∞ - T)/τ with τ = 0.8, T∞ = 35 while heating and 5 while cooling, between 19
//!   and 21, from 15: logarithms.
//! - Two relays: x' = z/2 - sign x, y' = z/5 - sign y + (sign x)/5, z' = 1 - (sign x)/2 from (-1/2, 1, 0). It
//!   slides on x = 0 (z' = 1 - z/4), then on both surfaces, leaves x = 0 where z = 2 and y = 0 where z = 4.
//!   Closed form; the time at which y is zero is a root in 50 digits.
//! - Chatter: x' = -1 above 1/2 and 1 below, from 1, as a model file: it slides from t = 1/2.

use super::{EventProblem, expected};
use crate::equations::{ClosureGuard, ClosureSystem};
use crate::model::Model;
use crate::problems::Bounds;
use crate::simulate::{Overrides, Plan};
use crate::trajectory::EventKind::{Leave, Mode, Slide};

pub(super) fn relays() -> Vec<EventProblem> {
    vec![hysteresis(), temperature(), two_relays(), chatter()]
}

fn hysteresis() -> EventProblem {
    let system = ClosureSystem::hybrid(["x"], |locked, _, y, dy| {
        dy[0] = if locked.mode == 0 { 1.0 - y[0] } else { -1.0 - y[0] };
    })
    .modes(["up", "down"])
    .guard(ClosureGuard::rising("high", |_, y| y[0] - 0.5).in_mode(0).goto(1))
    .guard(ClosureGuard::falling("low", |_, y| y[0] + 0.5).in_mode(1).goto(0));
    let event = |k: u8| {
        let guard = usize::from(k % 2 == 1);
        (guard, Mode, 2_f64.ln() + f64::from(k) * 3_f64.ln(), [if guard == 0 { 0.5 } else { -0.5 }])
    };
    let events: Vec<_> = (0..10).map(event).collect();
    // It goes up for another ln 2 after the last of them: 1 - x falls from 3/2 to 3/4.
    let until = events[9].2 + 2_f64.ln();
    let problem = EventProblem::new("relay-hysteresis", "closed form", system, [0.0], until);
    problem.truth(expected(&events), [0.25], Bounds::all(1e-7))
}

fn temperature() -> EventProblem {
    const TAU: f64 = 0.8;
    let system = ClosureSystem::hybrid(["temperature"], |locked, _, y, dy| {
        dy[0] = (if locked.mode == 0 { 35.0 } else { 5.0 } - y[0]) / TAU;
    })
    .modes(["heating", "cooling"])
    .guard(ClosureGuard::rising("warm_enough", |_, y| y[0] - 21.0).in_mode(0).goto(1))
    .guard(ClosureGuard::falling("too_cold", |_, y| y[0] - 19.0).in_mode(1).goto(0));
    let (heating, cooling) = (TAU * (16.0_f64 / 14.0).ln(), TAU * (16.0_f64 / 14.0).ln());
    let first = TAU * (20.0_f64 / 14.0).ln();
    let event = |k: u8| {
        let pairs = f64::from(k / 2);
        let t = first + pairs * (heating + cooling) + if k % 2 == 1 { cooling } else { 0.0 };
        (usize::from(k % 2), Mode, t, [if k % 2 == 1 { 19.0 } else { 21.0 }])
    };
    let events: Vec<_> = (0..20).map(event).collect();
    // Half of the time to 21: the distance to 35 falls with the square root.
    let end = 35.0 - (16.0_f64 * 14.0).sqrt();
    let until = events[19].2 + heating / 2.0;
    let problem = EventProblem::new("temperature-control", "closed form", system, [15.0], until);
    problem.truth(expected(&events), [end], Bounds::all(1e-6))
}

fn two_relays() -> EventProblem {
    let system = ClosureSystem::switched(["x", "y", "z"], |_, y, relay, dy| {
        dy[0] = 0.5 * y[2] - relay[0];
        dy[1] = 0.2 * y[2] - relay[1] + 0.2 * relay[0];
        dy[2] = 1.0 - 0.5 * relay[0];
    })
    .switch("x", |_, y| y[0])
    .switch("y", |_, y| y[1]);
    let events = [
        (0, Slide, 0.4305008740430604, [0.0, 0.5111986015311034, 0.6457513110645906]),
        (1, Slide, 1.138261810568844, [0.0, 0.0, 1.189710301761474]),
        (0, Leave, 2.498823382289995, [0.0, 0.0, 2.0]),
        (1, Leave, 6.498823382289995, [2.0, 0.0, 4.0]),
    ];
    let end = [5.283162176832413, 0.3127942236489631, 5.2505883088550025];
    let problem = EventProblem::new("two-relays", "closed form", system, [-0.5, 1.0, 0.0], 9.0);
    problem.truth(expected(&events), end, Bounds::all(1e-7))
}

const CHATTER: &str = r#"
states.x = 1
derivatives.x = "if x > 0.5 then -1 else 1"
run.until = 10
"#;

fn chatter() -> EventProblem {
    let model = Model::from_toml(CHATTER).expect("the model is good");
    let plan = Plan::new(&model, &Overrides::default()).expect("the model can be run");
    let events = [(0, Slide, 0.5, [0.5])];
    let problem = EventProblem::new("chatter", "closed form", plan.system, plan.start.y, plan.options.until);
    problem.truth(expected(&events), [0.5], Bounds::all(1e-15))
}
