//! Sliding-mode control (paper 000, sections 3.2 to 3.6): a run begins where its constraints are not met, meets each in finite time, once, and keeps it.

mod common;

use common::{plan, run_model};
use slipstick::simulate::{Options, simulate};
use slipstick::step::{Method, Tolerances};
use slipstick::trajectory::{EventKind, Trajectory};

const SPHERES: &str = include_str!("../src/problems/constrained/rolling-spheres-inconsistent.toml");

/// A bob whose rod is too short by a tenth and that moves along it.
const BOB: &str = r#"
parameters = { g = 9.81 }
coordinates = { x = 0.9, y = 0 }
speeds = { x = 0.5 }
kinetic = "(x'^2 + y'^2) / 2"
potential = "g * y"
constraints.rod = "sqrt(x^2 + y^2) - 1"

[run]
until = 5
rtol = 1e-9
stabilisation = { reach = 2, speed = 8 }
"#;

fn run_with(text: &str, change: impl Fn(&mut Options)) -> Trajectory {
    let mut plan = plan(text);
    change(&mut plan.options);
    simulate(&plan.system, &plan.start, &plan.options).unwrap_or_else(|failure| panic!("{failure}"))
}

fn kinds(run: &Trajectory) -> Vec<(String, Vec<EventKind>)> {
    let name = |g: &usize| run.guard_names[*g].clone();
    let names = |guards: &[usize]| guards.iter().map(name).collect::<Vec<_>>().join("+");
    run.events.iter().map(|event| (names(&event.guards), event.kinds.clone())).collect()
}

/// Equation (3.20) holds with equality: `|s|` falls by `η` per second. The truth is the distance in closed form.
#[test]
fn surfaces_are_met_once_at_the_time_that_is_known() {
    let run = run_model(SPHERES);
    let expected = [
        ("rolls-1", vec![EventKind::Reach]),
        ("rolls-2", vec![EventKind::Reach]),
        ("distance", vec![EventKind::Reach]),
        ("distance", vec![EventKind::Close]),
    ];
    assert_eq!(kinds(&run), expected.map(|(name, kinds)| (name.to_owned(), kinds)));
    let w = 45.0 / 8.0 * std::f64::consts::PI / 180.0;
    for (event, time) in run.events.iter().zip([0.3 * w / 0.03, 0.12 * w / 0.01, 2.0]) {
        assert!((event.t - time).abs() < 1e-9, "{} {time}", event.t);
    }
    let codes: Vec<&str> = run.notes.iter().map(|note| note.code).collect();
    assert_eq!(codes, ["surface-reached"; 3], "{:?}", run.notes);
    assert!(run.notes[2].text.contains("`distance` was reached after 2.000000000"), "{}", run.notes[2].text);
    let (eta, sigma) = (0.5_f64, 10.0_f64);
    for t in [0.1_f64, 0.7, 1.5, 1.99] {
        let open = 0.1 + eta / sigma.powi(2) * (1.0 - (-sigma * t).exp()) - eta / sigma * t;
        let rho = run.state_before(t).expect("within the run").y[5];
        assert!((rho - 0.6 - open).abs() < 1e-8, "{t} {rho} {open}");
    }
    assert!(run.statistics.accepted < 300, "it chatters: {} steps", run.statistics.accepted);
}

/// After everything is met, the constraints hold to rounding and the energy does not change any more.
#[test]
fn what_is_met_stays_met() {
    let plan = plan(SPHERES);
    let run = simulate(&plan.system, &plan.start, &plan.options).expect("a run");
    let last = run.segments.last().expect("segments");
    assert!(last.mode.structure.reaching.is_empty() && last.start_time < 5.0);
    let energy = |y: &[f64]| {
        let (al, th, rho) = (y[0], y[3], y[5]);
        let [dal, dbe, dph, dth, dps, drho] = [6, 7, 8, 9, 10, 11].map(|i| y[i]);
        let centre = drho * drho + (rho * dal).powi(2) + (rho * dbe * al.cos()).powi(2);
        centre / 2.0 + 0.0005 * (dph * dph + dth * dth + dps * dps + 2.0 * dph * dps * th.cos())
    };
    for step in last.steps().iter().skip(1) {
        let y = last.state(step.t);
        assert!((y[5] - 0.6).abs() < 1e-14 && y[11].abs() < 1e-13, "{:e} {:e}", y[5] - 0.6, y[11]);
        assert!((energy(&y) - 0.008_961_149_016_070_416).abs() < 1e-9, "{}", energy(&y));
    }
}

#[test]
fn every_method_meets_the_surface_and_closes_the_rod() {
    // Half-explicit methods keep the constraints of speeds from the start on: there is no surface to reach.
    for &method in Method::ALL.iter().filter(|m| !m.facts().mechanisms_only) {
        let run = run_with(BOB, |options| {
            options.method = method;
            options.steps.fixed = method.facts().error_order.is_none().then_some(1e-3);
            if method.facts().order < 4 {
                options.tolerances = Tolerances::uniform(1e-6, 1e-8);
            }
        });
        let (start, y) = (&run.segments[0].start, run.end_state());
        assert_eq!((start[0], start[2]), (0.9, 0.5), "{method:?}: the start was changed");
        // s = 0.5 - 8 · 0.1 = -0.3, approached at 2 per second.
        assert!((run.events[0].t - 0.15).abs() < 1e-6, "{method:?} {}", run.events[0].t);
        assert_eq!(run.events.last().map(|e| e.kinds.clone()), Some(vec![EventKind::Close]), "{method:?}");
        let (position, velocity) = (y[0].hypot(y[1]) - 1.0, y[0] * y[2] + y[1] * y[3]);
        assert!(position.abs() < 1e-13 && velocity.abs() < 1e-12, "{method:?} {position:e} {velocity:e}");
    }
}

/// An impact while the rod is still open throws the surface off; it is approached again, and nothing that the event has set is undone.
#[test]
fn an_event_on_the_way_does_not_end_the_approach() {
    let kick = "events.kick = { at = 0.1, reset = { \"x'\" = \"x' + 1\" } }\n";
    let run = run_model(&format!("{kick}{}", BOB.trim_start()));
    let names: Vec<String> = kinds(&run).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["kick", "rod", "rod"]);
    let event = &run.events[0];
    assert!((event.after[2] - event.before[2] - 1.0).abs() < 1e-15 && event.after[3] == event.before[3]);
    // s was -0.1 and is 0.9 along the rod, which is nearly that of x.
    assert!((run.events[1].t - 0.55).abs() < 0.01, "{}", run.events[1].t);
}

/// A start that meets its constraints has nothing to approach: the run is that of `pstab`.
#[test]
fn a_start_on_the_surface_has_nothing_to_reach() {
    let shut = BOB.replace("x = 0.9, y = 0", "x = 1, y = 0").replace("speeds = { x = 0.5 }", "");
    let run = run_model(&shut);
    assert!(run.events.is_empty() && run.notes.is_empty(), "{:?}", run.notes);
    let pstab = run_model(&shut.replace("stabilisation = { reach = 2, speed = 8 }", ""));
    let distance = |(a, b): (&f64, &f64)| (a - b).abs();
    let worst = run.end_state().iter().zip(pstab.end_state()).map(distance).fold(0.0, f64::max);
    // The stages feel the terms that hold the surface: the errors of steps differ, within ten times the tolerance.
    assert!(worst < 1e-8, "{worst:e}");
}

#[test]
fn names_in_reach_are_those_of_constraints() {
    let wrong = BOB.replace("reach = 2", "reach = { rode = 2 }");
    let errors = slipstick::simulate::Plan::read_model(&wrong).expect_err("there is no `rode`");
    assert!(errors.iter().any(|e| e.message.contains("`rode`")), "{errors:?}");
    assert!(errors.iter().any(|e| e.message.contains("no number for the constraint `rod`")), "{errors:?}");
}

#[test]
fn numbers_that_lead_nowhere_are_refused() {
    use slipstick::formulation::PerConstraint;
    for reach in [PerConstraint::Same(0.0), PerConstraint::Same(f64::NAN), PerConstraint::Each(Vec::new())] {
        let mut plan = plan(BOB);
        plan.options.constraints.reach = reach;
        let failure = simulate(&plan.system, &plan.start, &plan.options).expect_err("it would never arrive");
        assert_eq!(failure.error.code(), "bad-reach");
        assert!(failure.error.to_string().contains("`rod`"), "{}", failure.error);
    }
}
