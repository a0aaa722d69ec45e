//! Problems that are compared with closed forms over a short time, or only have to come to their end.

use super::ContactProblem;
use std::f64::consts::PI;

pub(super) fn more() -> Vec<ContactProblem> {
    let read = ContactProblem::read;
    vec![
        floor_and_ceiling(),
        taut_string(),
        cradle("cradle-moreau", "moreau", [-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0], [&["contact.first.hit"]; 2]),
        cradle("cradle-poisson", "poisson", [-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0], [&["contact.first.hit"]; 2]),
        cradle("cradle-sequential", "sequential", [0.0, 0.0, 1.0], ONE_FLIES_OFF),
        read("woodpecker", include_str!("models/woodpecker.toml"), &[]),
        read("rocking-block", include_str!("models/rocking-block.toml"), &[]),
        read("pendulum-with-stops", include_str!("models/pendulum-with-stops.toml"), &[]),
        read("crank-with-clearance", include_str!("models/crank-with-clearance.toml"), &[]),
    ]
}

/// It keeps its energy: it is at the floor with 5.9, and from there as fast as it comes.
fn floor_and_ceiling() -> ContactProblem {
    let (g, low) = (9.81, 5.9_f64);
    let high = (low * low - 2.0 * g).sqrt();
    let (first, between) = ((5.0 - high) / g, (low - high) / g);
    let mut problem =
        ContactProblem::read("floor-and-ceiling", include_str!("models/floor-and-ceiling.toml"), &[]);
    for k in 0..10 {
        let (name, v) = if k % 2 == 0 { ("contact.ceiling.hit", high) } else { ("contact.floor.hit", -low) };
        problem = problem.then(&[name], first + f64::from(k) * between, [&[("y'", v)], &[("y'", -v)]]);
    }
    problem
}

/// At the bottom it has 3.5 g L of squared speed: it goes slack at 120 degrees, and is caught at the bottom.
/// The time to the first is by quadrature in 30 digits.
fn taut_string() -> ContactProblem {
    let (vx, vy) = (-1.107361729517505, 1.9180067778816634);
    let slack = [("x", 0.75_f64.sqrt()), ("y", 0.5), ("x'", vx), ("y'", vy), ("contact.string.force.n", 0.0)];
    let caught = [("x", 0.0), ("y", -1.0), ("x'", vx), ("y'", -5.75402033364499)];
    ContactProblem::read("taut-string", include_str!("models/taut-string.toml"), &[])
        .starts(&[("contact.string.force.n", 4.5 * 9.81)])
        .then(&["contact.string.lift"], 0.4819942834614219, [&slack, &[]])
        .then(&["contact.string.hit"], 1.264056170467197, [&caught, &[("x'", vx), ("y'", 0.0)]])
}

/// What happens where one ball flies off to the right, and where it comes back.
const ONE_FLIES_OFF: [&[&str]; 2] =
    [&["contact.first.hit", "contact.second.lift"], &["contact.first.lift", "contact.second.hit"]];

/// A chain at rest is hit by its first ball. All balls have the same period, so that they meet where they were, with
/// the velocities turned round: that takes all motion back to the first ball, which hits the chain again.
fn cradle(
    name: &'static str,
    law: &str,
    after: [f64; 3],
    [parts, meets]: [&[&'static str]; 2],
) -> ContactProblem {
    let text = include_str!("models/cradle.toml").replace("moreau", law);
    let speeds = |[x1, x2, x3]: [f64; 3]| [("x1'", x1), ("x2'", x2), ("x3'", x3)];
    let (comes, goes) = (speeds([1.0, 0.0, 0.0]), speeds([-1.0, 0.0, 0.0]));
    let (apart, together) = (speeds(after), speeds(after.map(|v| -v)));
    ContactProblem::read(name, &text, &[])
        .then(parts, 0.5 * PI, [&comes, &apart])
        .then(meets, 1.5 * PI, [&together, &goes])
        .then(parts, 2.5 * PI, [&comes, &apart])
}
