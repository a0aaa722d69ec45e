//! A simulator is made once, and runs with many parameters from many starts. Each run has the bits of a run by
//! itself of a model that was compiled with these parameters, whatever was run before it.

mod common;

use slipstick::model::Model;
use slipstick::simulate::{
    Error, Failure, Monitor, Overrides, Plan, Progress, Simulator, Start, Stop, simulate,
};
use slipstick::step::Method;
use slipstick::trajectory::{EnergyBalance, Joints, Outcome, Trajectory};
use std::fmt::Write;

const BALL: &str = r#"
parameters = { g = 9.81, e = 0.9, top = 1 }
states = { y = "top", v = 0 }
derivatives = { y = "v", v = "-g" }
events.floor = { guard = "y < 0", reset = { v = "-e * v" } }
run = { rtol = 1e-6, until = 3 }
"#;
const BALLS: &[&[(usize, f64)]] =
    &[&[], &[(0, 1.6)], &[(1, 0.4)], &[(2, 5.0), (1, 1.0)], &[(0, -1.0)], &[(0, 3.7), (1, 0.0)]];

/// It slides on and off.
const RELAY: &str = r#"
parameters = { gain = 1, rate = 627.5 }
states = { y1 = 0, y2 = 0.2, y3 = 0.06 }
switches.relay = "gain * y1"
derivatives = { y1 = "-3.5*y1 + y2 - relay", y2 = "-rate*y1 + y3 + 2*relay", y3 = "-625*y1 - relay" }
run = { rtol = 1e-6, until = 1.5 }
"#;
const RELAYS: &[&[(usize, f64)]] = &[&[], &[(0, 0.5)], &[(1, 300.0)], &[(0, 2.0), (1, 100.0)]];

/// A pendulum that is caught, and let go some time later: joints shut and open.
const LATCH: &str = r#"
parameters = { weight = 9.81, catch = 0, hold = 0.25 }
coordinates = { x = 1, y = 0 }
kinetic = "0.5 * (x'^2 + y'^2)"
potential = "weight * y"
discrete = { latched = 0, until = "10 * hold" }
constraints = { rod = "x^2 + y^2 - 1", latch = "if latched > 0.5 then x - catch else 0" }
events.catch = { guard = "x < catch", reset = { latched = 1, until = "t + hold" } }
events.open = { guard = "t > until", reset = { latched = 0 } }
run = { until = 1.6, rtol = 1e-6 }
"#;
const LATCHES: &[&[(usize, f64)]] = &[&[], &[(0, 5.0)], &[(1, 0.3)], &[(1, -0.2), (2, 0.1)]];

/// Stiff for a while, so that `auto` goes to and fro; a clock strikes, and counts.
const STIFF: &str = r#"
parameters = { mu = 200, period = 0.7 }
states = { x = 2, v = 0 }
discrete = { n = "mu / 100" }
derivatives = { x = "v", v = "mu * (1 - x^2) * v - x" }
events.tick = { every = "period", reset = { n = "n + 1" } }
run = { until = 3, rtol = 1e-5 }
"#;
const STIFFS: &[&[(usize, f64)]] = &[&[], &[(0, 1.0)], &[(0, 1000.0)], &[(1, 0.3), (0, 20.0)]];

/// Where the root is of a negative number, there is no way on.
const ROOT: &str = r#"
parameters = { rate = 1, start = 1 }
states = { x = "start" }
derivatives = { x = "-rate * sqrt(x - 0.5) - 1" }
run = { until = 1 }
"#;
const ROOTS: &[&[(usize, f64)]] = &[&[(1, 9.0)], &[], &[(1, 0.2)], &[(0, 0.5), (1, 7.0)]];

/// Everything that a run has come to, or how it failed, to the last bit.
fn bits(run: Result<Trajectory, Box<Failure>>) -> String {
    match run {
        Ok(run) => format!("{run:?}"),
        Err(failure) => format!("{:?} after {:?}", failure.error, failure.trajectory),
    }
}

/// The order in which all of `count` come three times.
fn shuffled(count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..3 * count).map(|k| k % count).collect();
    let mut seed = 12345_usize;
    for k in (1..order.len()).rev() {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        order.swap(k, (seed >> 33) % (k + 1));
    }
    order
}

/// The same model, compiled with these values and run by itself.
fn run_alone(model: &Model, values: &[(usize, f64)], method: Method) -> String {
    let parameters = values.iter().map(|&(i, value)| (model.parameters[i].name.clone(), value)).collect();
    let overrides = Overrides { parameters, ..Overrides::default() };
    let plan = Plan::new(model, &overrides).expect("a plan");
    let options = plan.options.with_method(method);
    bits(simulate(&plan.system, &plan.start, &options))
}

fn assert_reused(text: &str, sets: &[&[(usize, f64)]], methods: &[Method]) {
    let model = Model::from_toml(text).expect("a model");
    let plan = Plan::new(&model, &Overrides::default()).expect("a plan");
    for &method in methods {
        let options = plan.options.clone().with_method(method);
        let expected: Vec<String> = sets.iter().map(|values| run_alone(&model, values, method)).collect();
        let mut simulator = Simulator::new(&plan.system, &options);
        for k in shuffled(sets.len()) {
            let values = plan.system.prepare(sets[k]).expect("values");
            let run = simulator.run(&values.parameters, &plan.start.with(&values));
            assert_same(&bits(run), &expected[k], &format!("{method:?}, {:?}", sets[k]));
        }
    }
}

/// Shows where two texts begin to differ, if they do.
fn assert_same(found: &str, expected: &str, what: &str) {
    if found == expected {
        return;
    }
    let at = found.bytes().zip(expected.bytes()).position(|(a, b)| a != b).unwrap_or(0).saturating_sub(200);
    let mut shown = String::new();
    for text in [found, expected] {
        let part: String = text.chars().skip(at).take(400).collect();
        writeln!(shown, "… {part} …").expect("room");
    }
    panic!("{what}:\n{shown}");
}

const GOOD: [Method; 4] = [Method::Automatic, Method::DormandPrince5, Method::DormandPrince8, Method::Radau5];

#[test]
fn a_ball_bounces_as_if_it_was_alone() {
    assert_reused(BALL, BALLS, &GOOD);
    assert_reused(BALL, BALLS, &[Method::Rodas4, Method::Sdirk4, Method::BogackiShampine3]);
}

#[test]
fn a_relay_slides_as_if_it_was_alone() {
    assert_reused(RELAY, RELAYS, &GOOD);
}

#[test]
fn joints_shut_and_open_as_if_they_were_alone() {
    assert_reused(LATCH, LATCHES, &GOOD);
    assert_reused(LATCH, LATCHES, &[Method::HalfExplicit5, Method::GeneralizedAlpha2]);
}

#[test]
fn auto_chooses_as_if_it_was_alone() {
    assert_reused(STIFF, STIFFS, &[Method::Automatic, Method::Tsitouras5]);
    let fixed = STIFF.replace("rtol = 1e-5", "fixed_step = 0.01");
    assert_reused(&fixed, STIFFS, &[Method::Automatic, Method::Radau5]);
}

#[test]
fn failures_leave_nothing_behind() {
    assert_reused(ROOT, ROOTS, &GOOD);
}

#[test]
fn every_case_can_be_run_again() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a text");
        let Ok(model) = Model::from_toml(&text) else { continue };
        let Ok(mut plan) = Plan::new(&model, &Overrides::default()) else { continue };
        plan.options.limits.steps = 300;
        let expected = bits(simulate(&plan.system, &plan.start, &plan.options));
        let mut simulator = Simulator::new(&plan.system, &plan.options);
        let parameters = &plan.system.initial_values().parameters;
        for number in ["first", "second", "third"] {
            let what = format!("{number} run of {}", path.display());
            assert_same(&bits(simulator.run(parameters, &plan.start)), &expected, &what);
        }
        count += 1;
    }
    assert!(count > 20, "{count} cases");
}

/// What is found along a run: energies, joints, forces, states put back to the constraints.
fn looked_at(plan: &Plan, run: &Trajectory) -> String {
    let (system, upkeep) = (&plan.system, plan.options.upkeep());
    let mut path = run.of(system);
    let within = (path.state_after(0.3), path.forces_after(0.3));
    format!("{:?} {:?} {within:?}", EnergyBalance::of(system, run), Joints::of(system, &upkeep, run))
}

#[test]
fn what_is_found_along_a_run_has_its_parameters() {
    let model = Model::from_toml(LATCH).expect("a model");
    let plan = Plan::new(&model, &Overrides::default()).expect("a plan");
    let overrides = Overrides { parameters: vec![("weight".to_owned(), 5.0)], ..Overrides::default() };
    let other = Plan::new(&model, &overrides).expect("a plan");
    let alone = simulate(&other.system, &other.start, &other.options).expect("a run");
    let values = plan.system.prepare(&[(0, 5.0)]).expect("values");
    let run = Simulator::new(&plan.system, &plan.options).run(&values.parameters, &plan.start.with(&values));
    let (found, expected) = (looked_at(&plan, &run.expect("a run")), looked_at(&other, &alone));
    assert_same(&found, &expected, "energies, joints, states");
}

struct AtOnce;

impl Monitor for AtOnce {
    fn watch(&mut self, _progress: &Progress) -> Option<Stop> {
        Some(Stop { code: "enough", reason: "nothing was wanted".to_owned() })
    }
}

#[test]
fn what_cannot_be_run_is_refused_and_the_next_run_is_not_touched_by_it() {
    let (ball, clock) = (common::plan(BALL), common::plan(STIFF));
    let mut simulator = Simulator::new(&ball.system, &ball.options);
    let parameters = ball.system.initial_values().parameters.clone();
    let alone = bits(simulate(&ball.system, &ball.start, &ball.options));
    let length = |what, expected, got| Error::ListLength { what, expected, got };
    let refused = |run: Result<Trajectory, Box<Failure>>| run.expect_err("a refusal").error;
    let error = refused(simulator.run(&parameters[1..], &ball.start));
    assert_eq!(error, length("values of parameters", 3, 2));
    let discrete = Start { discrete: Some(vec![1.0]), ..ball.start.clone() };
    let error = refused(simulator.run(&parameters, &discrete));
    assert_eq!(error, length("values of discrete variables", 0, 1));
    let stopped = simulator.run_watched(&parameters, &ball.start, &mut AtOnce).expect("a run");
    assert!(matches!(stopped.outcome, Outcome::Interrupted { .. }) && stopped.statistics.accepted == 0);
    assert_same(&bits(simulator.run(&parameters, &ball.start)), &alone, "after refusals");
    let mut simulator = Simulator::new(&clock.system, &clock.options);
    assert_eq!(refused(simulator.run(&[200.0, 0.0], &clock.start)), Error::OtherParameters);
}
