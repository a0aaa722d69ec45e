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
        conveyor(),
        verge(),
    ]
}

/// Paper 004, section 6.3: two hits that give back 0.9, one that gives back nothing. Where it strikes does not agree
/// with the times that the paper prints. By `dop853` and `hem5` at 1e-13, which agree to 3e-14 in times.
fn conveyor() -> ContactProblem {
    let state = |[a, b, va, vb]: [f64; 4]| [("a", a), ("b", b), ("a'", va), ("b'", vb)];
    let speeds = |[va, vb]: [f64; 2]| [("a'", va), ("b'", vb)];
    let text = include_str!("models/double-pendulum-conveyor.toml");
    let mut problem = ContactProblem::read("double-pendulum-conveyor", text, &[]);
    for (t, before, after) in CONVEYOR {
        problem = problem.then(&["contact.belt.hit", "count"], t, [&state(before), &speeds(after)]);
    }
    let sticks = state([1.36049150821869, -0.13244490087993, 0.33114828937485, 2.45234783350068]);
    problem.then(&["contact.belt.stick"], 0.89013482011076, [&sticks, &sticks])
}

/// When the pendulum hits the belt; angles and rates before, and rates after.
const CONVEYOR: [(f64, [f64; 4], [f64; 2]); 3] = [
    (
        0.07951492002262,
        [-0.11484349603533, -1.36271063181756, 2.87564037836689, 1.14616895680347],
        [2.69772081908422, -1.65061224514581],
    ),
    (
        0.35052666565754,
        [0.54077275699671, -1.22101873276906, 1.9405855870970, 2.46299558214818],
        [2.78749807169493, 0.26785616272267],
    ),
    (
        0.58583717328817,
        [1.03688166246376, -0.80779620066304, 1.09195934569743, 2.78438768006663],
        [1.73139137299615, 2.06210457307762],
    ),
];

/// How many teeth of the verge each pallet has to do with in four seconds.
const TEETH: u32 = 13;
/// Where the suite ends it: after eight ticks.
const TICKS: f64 = 1.5;

/// The contacts of the first tooth stand in the model; those of the others are like them.
fn verge() -> ContactProblem {
    let text = include_str!("models/verge.toml");
    let first = text.find("[contacts").map_or("", |place| &text[place..]);
    let tooth = |k: u32| {
        let of_tooth = first.replace("upper0", &format!("upper{k}")).replace("lower0", &format!("lower{k}"));
        of_tooth.replace("x - 0", &format!("x - {k}"))
    };
    let teeth: String = (1..TEETH).map(tooth).collect();
    let mut problem = ContactProblem::read("verge", &format!("{text}{teeth}"), &[]);
    problem.plan.options.until = TICKS;
    problem
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
