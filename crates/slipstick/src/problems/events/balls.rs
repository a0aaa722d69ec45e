//! Balls: dropped on a floor, between floor and ceiling, and a hundred of them at nearly the same time.
//!
//! - One ball: from 1 m, g = 9.81. Impacts at t₁ (1 + 2 (e + … + eⁿ⁻¹)), t₁ = √(2/g), with the speeds g t₁
//!   eⁿ⁻¹ before them; they accumulate at t₁ (1 + e)/(1 - e), from where on the ball rests.
//! - Floor and ceiling at 0 and 1 m, from 0.5 m upwards at 6 m/s, e = 0.9: each flight is one quadratic
//!   equation.
//! - A hundred balls (paper 000, section 5.3.3): 1 kg each, from 1 m + i 1e-9 m, on a floor that is a spring
//!   of 1e8 N/m with a damper of a twentieth of the critical damping, 1000 N s/m. Each ball makes six
//!   contacts until 3.5 s, so that there are 1200 events. Tolerances as in the paper: 1e-3, the longest step
//!   0.1 s, the region of concurrency 1e-7 s and 1e-6 m. Truth: flights are parabolas and contacts damped
//!   oscillations; the end of a contact is the root of such an oscillation.

use super::marked::Marked;
use super::{Against, Bounds, EventProblem, Events, Expected, Solver};
use crate::equations::{ClosureGuard, ClosureSystem};
use crate::simulate::Concurrency;
use crate::simulate::Options;
use crate::step::Method;

const G: f64 = 9.81;

/// The problems with one ball.
pub(super) fn single_balls() -> Vec<EventProblem> {
    vec![
        bouncing_ball("ball-e0.5", 0.5),
        bouncing_ball("ball-e0.7", 0.7),
        bouncing_ball("ball-e0.9", 0.9),
        bouncing_ball("ball-e1", 1.0),
        ball_that_comes_to_rest(),
        floor_and_ceiling(),
    ]
}

fn fall(_: f64, y: &[f64], dy: &mut [f64]) {
    dy[0] = y[1];
    dy[1] = -G;
}

/// Twelve impacts, and half of the flight after the last.
fn bouncing_ball(name: &str, e: f64) -> EventProblem {
    let floor = ClosureGuard::falling("floor", |_, y| y[0]);
    let floor = floor.reset(move |_, before, after| after[1] = -e * before[1]);
    let system = ClosureSystem::new(["y", "v"], fall).guard(floor);
    let first = (2.0_f64 / G).sqrt();
    let (mut t, mut speed) = (first, G * first);
    let mut impacts = Vec::new();
    for _ in 0..12 {
        impacts.push(Expected::with_state(t, 0, [0.0, -speed]));
        speed *= e;
        t += 2.0 * speed / G;
    }
    let until = t - speed / G;
    let top = [0.5 * speed * speed / G, 0.0];
    let problem = EventProblem::new(name, "closed form", system, [1.0, 0.0], until);
    // An error of time is an error of place at 4.4 m/s.
    problem.truth(impacts, top, Bounds { time: 1e-12, ..Bounds::all(1e-11) })
}

/// With e = 0.5 the impacts accumulate at 1.35457 s. From then on the ball has no weight: the floor carries
/// it.
fn ball_that_comes_to_rest() -> EventProblem {
    let e = 0.5;
    let system = ClosureSystem::new(["y", "v", "weight"], |_, y, dy| {
        dy[0] = y[1];
        dy[1] = -y[2];
        dy[2] = 0.0;
    })
    .guard(
        ClosureGuard::falling("floor", |_, y| y[0]).reset(move |_, before, after| after[1] = -e * before[1]),
    )
    .guard(ClosureGuard::falling("resting", |_, _| 1.0).reset(|_, _, after| after.fill(0.0)));
    let system = Marked::new(system).comes_to_rest(0, 1);
    let zeno = (2.0_f64 / G).sqrt() * (1.0 + e) / (1.0 - e);
    let mut problem = EventProblem::new("ball-rests", "closed form", system, [1.0, 0.0, G], 3.0);
    problem.events = Events::Of { guard: 1, times: vec![zeno] };
    problem.end = Some(vec![0.0; 3]);
    problem.bounds = Bounds { time: 1e-6, ..Bounds::all(1e-12) };
    problem
}

fn floor_and_ceiling() -> EventProblem {
    let e = 0.9;
    let bounce = move |_: f64, before: &[f64], after: &mut [f64]| after[1] = -e * before[1];
    let system = ClosureSystem::new(["y", "v"], fall)
        .guard(ClosureGuard::falling("floor", |_, y| y[0]).reset(bounce))
        .guard(ClosureGuard::rising("ceiling", |_, y| y[0] - 1.0).reset(bounce));
    let (until, start) = (3.0, [0.5, 6.0]);
    let (impacts, end) = impacts_between(start, e, until);
    let problem = EventProblem::new("floor-and-ceiling", "closed form", system, start, until);
    problem.truth(impacts, end, Bounds::all(1e-11))
}

/// The impacts of a ball between 0 and 1 m until a time, and its state then.
fn impacts_between([mut y, mut v]: [f64; 2], e: f64, until: f64) -> (Vec<Expected>, [f64; 2]) {
    let (mut t, mut impacts) = (0.0, Vec::new());
    loop {
        // The ceiling is reached if the speed there is real, at the earlier of two roots.
        let at_ceiling = v * v - 2.0 * G * (1.0 - y);
        let rises = v > 0.0 && at_ceiling > 0.0;
        let speed = if rises { at_ceiling.sqrt() } else { -(v * v + 2.0 * G * y).sqrt() };
        let flight = (v - speed) / G;
        if t + flight > until {
            let left = until - t;
            return (impacts, [y + left * (v - 0.5 * G * left), v - G * left]);
        }
        t += flight;
        y = if rises { 1.0 } else { 0.0 };
        impacts.push(Expected::with_state(t, usize::from(rises), [y, speed]));
        v = -e * speed;
    }
}

const BALLS: usize = 100;
const STIFFNESS: f64 = 1e8;
const DAMPING: f64 = 1e3;
const CONTACTS: usize = 6;
const UNTIL: f64 = 3.5;

/// The force of the floor, per mass of 1 kg, on a ball that touches it.
fn push_of_floor(y: f64, v: f64) -> f64 {
    -STIFFNESS * y - DAMPING * v
}

/// The rates of all balls; `touches` tells which are on the floor.
fn fall_and_touch(y: &[f64], dy: &mut [f64], touches: impl Fn(usize, f64) -> bool) {
    let (positions, velocities) = y.split_at(BALLS);
    dy[..BALLS].copy_from_slice(velocities);
    for i in 0..BALLS {
        let push = if touches(i, positions[i]) { push_of_floor(positions[i], velocities[i]) } else { 0.0 };
        dy[BALLS + i] = push - G;
    }
}

fn names() -> Vec<String> {
    ["y", "v"].iter().flat_map(|letter| (0..BALLS).map(move |i| format!("{letter}{i}"))).collect()
}

fn balls_without_events() -> ClosureSystem {
    ClosureSystem::new(names(), |_, y, dy| fall_and_touch(y, dy, |_, height| height < 0.0))
}

fn balls_with_events() -> ClosureSystem {
    let field = |_: f64, y: &[f64], signs: &[f64], dy: &mut [f64]| {
        fall_and_touch(y, dy, |i, _| signs[i] < 0.0);
    };
    let switch = |system: ClosureSystem, i: usize| system.switch(&format!("floor{i}"), move |_, y| y[i]);
    (0..BALLS).fold(ClosureSystem::switched(names(), field), switch)
}

/// Without event handling by the solver of the paper and by our own pair, with events one by one, and with
/// the region of concurrency.
pub fn hundred_balls() -> Vec<EventProblem> {
    let plain = Hundred { solver: Solver::Plain, ..Hundred::new("balls-100-plain") };
    let own = Hundred::new("balls-100-no-events");
    let events = Hundred { events: true, ..Hundred::new("balls-100") };
    let concurrent = Hundred { events: true, concurrent: true, ..Hundred::new("balls-100-together") };
    [plain, own, events, concurrent].map(Hundred::problem).into()
}

/// A way to run the hundred balls.
struct Hundred {
    name: &'static str,
    solver: Solver,
    events: bool,
    concurrent: bool,
}

impl Hundred {
    fn new(name: &'static str) -> Self {
        Self { name, solver: Solver::Simulate, events: false, concurrent: false }
    }

    fn problem(self) -> EventProblem {
        let system = if self.events { balls_with_events() } else { balls_without_events() };
        let heights = (0..BALLS).map(|i| 1.0 + 1e-9 * i as f64);
        let start: Vec<f64> = heights.chain([0.0; BALLS]).collect();
        let source = "paper 000, section 5.3.3 and table 5.5; closed form in pieces";
        let mut problem = EventProblem::new(self.name, source, system, start, UNTIL);
        let (contacts, end) = all_contacts();
        problem.solver = self.solver;
        problem.tolerance = 1e-3;
        problem.options =
            Options { method: Method::DormandPrince5, ..Options::until(UNTIL).tolerances(1e-3, 1e-3) }
                .longest_step(0.1);
        problem.end = Some(end);
        if self.concurrent {
            problem.options = together(problem.options);
            problem.events = Events::Firings(contacts.len() as u64);
            let others = ["balls-100-plain", "balls-100-no-events"];
            problem.against = others.map(|other| Against::fewer(other, 7.0)).into();
        } else if self.events {
            problem.events = Events::All(contacts);
        }
        if self.events {
            // The end is a distance in 200 components; without events it is not worth a promise.
            problem.bounds = Bounds { time: 1e-2, ..Bounds::all(1.0) };
        }
        problem
    }
}

/// Switches the region of concurrency on, with the numbers of the paper.
fn together(options: Options) -> Options {
    options.concurrency(Concurrency { time: 1e-7, amplitude: 1e-6 })
}

/// Every contact of every ball, in order of time, and the state at the end.
fn all_contacts() -> (Vec<Expected>, Vec<f64>) {
    let (mut all, mut end) = (Vec::new(), vec![0.0; 2 * BALLS]);
    for i in 0..BALLS {
        let (times, [y, v]) = contacts(1.0 + 1e-9 * i as f64);
        all.extend(times.into_iter().map(|t| Expected::at(t, i)));
        (end[i], end[BALLS + i]) = (y, v);
    }
    all.sort_by(|a, b| a.t.total_cmp(&b.t));
    (all, end)
}

/// When a ball from this height begins and ends each of its contacts, and its state at the end.
fn contacts(height: f64) -> (Vec<f64>, [f64; 2]) {
    let (mut t, mut v) = ((2.0 * height / G).sqrt(), -(2.0 * height * G).sqrt());
    let mut times = Vec::new();
    for contact in 1..=CONTACTS {
        let (duration, up) = contact_from(v);
        times.extend([t, t + duration]);
        t += duration;
        v = up;
        if contact < CONTACTS {
            t += 2.0 * up / G;
            v = -up;
        }
    }
    let left = UNTIL - t;
    (times, [left * (v - 0.5 * G * left), v - G * left])
}

/// How long a contact lasts that begins at the velocity `v`, and the velocity at its end: the root of a
/// damped oscillation about the depth at which the floor would carry the ball.
fn contact_from(v: f64) -> (f64, f64) {
    let (decay, depth) = (0.5 * DAMPING, G / STIFFNESS);
    let omega = (STIFFNESS - decay * decay).sqrt();
    let b = (v + decay * depth) / omega;
    let oscillation = |t: f64| {
        let (sin, cos) = (omega * t).sin_cos();
        let shrink = (-decay * t).exp();
        let y = shrink * (depth * cos + b * sin) - depth;
        let rate = shrink * ((b * omega - decay * depth) * cos - (depth * omega + decay * b) * sin);
        (y, rate)
    };
    // Half a period is close to the end: Newton's method needs few iterations.
    let mut t = std::f64::consts::PI / omega;
    for _ in 0..20 {
        let (y, rate) = oscillation(t);
        t -= y / rate;
    }
    (t, oscillation(t).1)
}
