//! Events of mechanisms happen once, and keep what they set, while joints open, shut, slide and stick.

mod common;

use common::{has_note, plan};
use slipstick::formulation::Stabilisation;
use slipstick::simulate::{Failure, simulate};
use slipstick::step::{Method, Tolerances};
use slipstick::trajectory::{EventKind, Joints, Trajectory};

/// A method with its name; `mdop5` and the stabilised form have a stabilisation of their own.
type Way = (&'static str, Method, Option<Stabilisation>);

const EXPLICIT: [Way; 5] = [
    ("hem5", Method::HalfExplicit5, None),
    ("phem56", Method::PartitionedHalfExplicit5, None),
    ("mdop5", Method::DormandPrince5, Some(Stabilisation::Project)),
    ("dop853", Method::DormandPrince8, None),
    ("auto", Method::Automatic, None),
];

const IMPLICIT: [Way; 2] =
    [("radau5", Method::Radau5, None), ("ggl", Method::Radau5, Some(Stabilisation::Ggl))];

const ALPHA: [Way; 3] = [
    ("alpha", Method::GeneralizedAlpha, None),
    ("alpha2", Method::GeneralizedAlpha2, None),
    ("alpha3", Method::GeneralizedAlpha3, None),
];

fn all() -> impl Iterator<Item = Way> {
    EXPLICIT.into_iter().chain(IMPLICIT).chain(ALPHA)
}

fn try_with(text: &str, (_, method, stabilisation): Way, rtol: f64) -> Result<Trajectory, Box<Failure>> {
    let mut plan = plan(text);
    plan.options = plan.options.with_method(method);
    plan.options.constraints.stabilisation = stabilisation.unwrap_or(plan.options.constraints.stabilisation);
    plan.options.tolerances = Tolerances::uniform(rtol, rtol / 100.0);
    simulate(&plan.system, &plan.start, &plan.options)
}

fn run_with(text: &str, way: Way, rtol: f64) -> Trajectory {
    try_with(text, way, rtol).unwrap_or_else(|failure| panic!("{} {rtol:e}: {failure}", way.0))
}

/// A body on the floor, which lets go of it where it is thrown.
const THROWN: &str = r#"
    coordinates = { y = 0 }
    states.held = 1
    derivatives.held = 0
    inertia.y = 1
    potential = "9.81*y"
    constraints.floor = "if held > 0.5 then y else 0"
    events.throw = { at = 1, reset = { held = 0, "y'" = 3 } }
    run.until = 1.4
"#;

#[test]
fn a_joint_that_an_event_opens_does_not_take_away_the_speed_that_it_sets() {
    for way in all() {
        let run = run_with(THROWN, way, 1e-6);
        // Thrown at 1: 3 t - g t² / 2.
        let right = 3.0 * 0.4 - 0.5 * 9.81 * 0.16;
        assert!((run.end_state()[0] - right).abs() < 1e-5, "{} {:?}", way.0, run.end_state());
        assert!(!has_note(&run, "reset-adjusted"), "{} {:?}", way.0, run.notes);
        assert_eq!(run.events[0].after[1], 3.0, "{}", way.0);
    }
}

#[test]
fn a_joint_that_an_event_shuts_passes_on_the_speed_that_it_sets() {
    let text = r#"
        coordinates = { x = 0, y = 0 }
        speeds = { x = 1, y = 1 }
        states.held = 0
        derivatives.held = 0
        inertia = { x = 1, y = 1 }
        constraints.c = "if held > 0.5 then x' - y' - 2 else 0"
        events.shut = { at = 1, reset = { held = 1, "x'" = 5 } }
        run.until = 1.4
    "#;
    for way in all() {
        let run = run_with(text, way, 1e-6);
        let (end, right) = (run.end_state(), [1.0 + 2.0, 1.0 + 1.2, 5.0, 3.0, 1.0]);
        let apart = end.iter().zip(right).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
        assert!(apart < 1e-9, "{} {end:?}", way.0);
    }
}

#[test]
fn a_joint_that_an_event_shuts_must_find_its_parts_together_also_if_it_sets_a_speed() {
    let text = r#"
        coordinates = { x = 0, y = 0.3 }
        states.held = 0
        derivatives.held = 0
        inertia = { x = 1, y = 1 }
        constraints.c = "if held > 0.5 then x - y else 0"
        events.shut = { at = 1, reset = { held = 1, "x'" = 5 } }
        run.until = 1.4
    "#;
    for way in all() {
        let failure = try_with(text, way, 1e-6).expect_err("parts that are apart");
        let message = failure.error.to_string();
        assert_eq!(failure.error.code(), "not-consistent", "{} {message}", way.0);
        assert!(message.contains("`c` is off by -3.000e-1"), "{message}");
        assert!(message.contains("`throw`") || message.contains("`shut`"), "{message}");
        assert!(message.contains("`y` would have to jump from 0.3 to 0"), "{message}");
    }
}

#[test]
fn a_body_that_lands_and_is_thrown_lands_again() {
    let text = r#"
        coordinates = { y = 1 }
        states.held = 0
        derivatives.held = 0
        inertia.y = 1
        potential = "9.81*y"
        constraints.floor = "if held > 0.5 then y else 0"
        events.land = { guard = "y < 0", reset = { held = 1 } }
        events.throw = { at = 1, reset = { held = 0, "y'" = 3 } }
        run.until = 2
    "#;
    let right = [(2.0 / 9.81_f64).sqrt(), 1.0 + 2.0 * 3.0 / 9.81];
    for way in EXPLICIT.into_iter().chain(IMPLICIT) {
        for rtol in [1e-4, 1e-6, 1e-8] {
            let run = run_with(text, way, rtol);
            let times = run.event_times("land").collect::<Vec<f64>>();
            assert_eq!(times.len(), 2, "{} {rtol:e} {times:?}", way.0);
            assert!(
                times.iter().zip(right).all(|(t, right)| (t - right).abs() < 1e-6),
                "{} {times:?}",
                way.0
            );
            assert!(run.end_state()[0].abs() < 1e-12, "{} {:?}", way.0, run.end_state());
        }
    }
}

/// A pendulum that is caught by a latch where its guard is.
fn latched(at: f64, latch: &str, more: &str) -> String {
    format!(
        r#"
        coordinates = {{ x = 1, y = 0 }}
        states.latched = 0
        derivatives.latched = 0
        kinetic = "(x'^2 + y'^2) / 2"
        potential = "9.81 * y"
        constraints = {{ rod = "x^2 + y^2 - 1", latch = "if latched > 0.5 then {latch} else 0" }}
        events.catch = {{ guard = "x < {at}", reset = {{ latched = 1 }} }}
        {more}
        run.until = 2
        "#
    )
}

#[test]
fn a_latch_that_holds_its_guard_at_zero_catches_once() {
    for k in 1..=18 {
        let at = 0.05 * f64::from(k);
        for latch in [format!("x - {at}"), "2*x' + y'".to_owned()] {
            let text = latched(at, &latch, "");
            for way in EXPLICIT.into_iter().chain(IMPLICIT) {
                for rtol in [1e-4, 1e-6, 1e-8] {
                    let run = run_with(&text, way, rtol);
                    let what = format!("{} {rtol:e} `{latch}` at {at}", way.0);
                    assert!(run.outcome.is_complete(), "{what}: {:?}", run.outcome);
                    // The latch, and the branch of its constraint that it changes.
                    let [event] = &run.events[..] else { panic!("{what}: {} events", run.events.len()) };
                    assert_eq!(event.rounds.len(), 2, "{what}");
                    assert!((run.end_state()[0] - at).abs() < 1e-9, "{what}: {:?}", run.end_state());
                }
            }
        }
    }
}

#[test]
fn what_a_latch_does_when_it_lets_go_does_not_hang_on_rounding() {
    for at in [0.1, 0.3, 0.7] {
        // Let go at rest, the motion goes to where the guard fires, and is caught at once; kicked away, it is caught when it comes back.
        for (kick, again) in [("", true), (", \"x'\" = 1", false)] {
            let open = format!("events.open = {{ at = 1, reset = {{ latched = 0{kick} }} }}");
            let text = latched(at, &format!("x - {at}"), &open);
            let mut returns: Vec<f64> = Vec::new();
            for way in EXPLICIT.into_iter().chain(IMPLICIT) {
                let run = run_with(&text, way, 1e-8);
                let times = run.event_times("catch").collect::<Vec<f64>>();
                assert_eq!(times.len(), 2, "{} at {at}{kick}: {times:?}", way.0);
                assert_eq!(times[1] == 1.0, again, "{} at {at}{kick}: {times:?}", way.0);
                assert!((run.end_state()[0] - at).abs() < 1e-9, "{} at {at}{kick}", way.0);
                returns.push(times[1]);
            }
            assert!(returns.iter().all(|t| (t - returns[0]).abs() < 1e-6), "{at}{kick}: {returns:?}");
        }
    }
}

#[test]
fn a_count_beside_a_mechanism_still_reaches_its_limit() {
    let text = r#"
        coordinates = { x = 1, y = 0 }
        states.n = 0
        derivatives.n = 0
        kinetic = "(x'^2 + y'^2) / 2"
        potential = "9.81 * y"
        constraints.rod = "x^2 + y^2 - 1"
        events.down = { guard = "x", reset = { n = "n + 1" } }
        events.done = { guard = "n >= 3" }
        run.until = 4
    "#;
    for way in EXPLICIT.into_iter().chain(IMPLICIT) {
        let run = run_with(text, way, 1e-6);
        let (down, done) =
            (run.event_times("down").collect::<Vec<f64>>(), run.event_times("done").collect::<Vec<f64>>());
        assert_eq!(done, [down[2]], "{} {down:?} {done:?}", way.0);
    }
}

#[test]
fn a_guard_that_a_drive_carries_through_zero_is_not_held() {
    let text = r#"
        coordinates = { x = 0 }
        speeds.x = 3
        inertia = { x = 1 }
        constraints = { a = "x - sin(3*t)" }
        events.up = { guard = "x > 0.5" }
        events.zero = { guard = "x" }
        run.until = 5
    "#;
    for way in EXPLICIT.into_iter().chain(IMPLICIT) {
        let run = run_with(text, way, 1e-6);
        let count = |name: &str| run.event_times(name).collect::<Vec<f64>>().len();
        // sin(3 t) passes 0.5 upwards at (π/6 + 2 k π) / 3, and zero at k π / 3.
        assert_eq!((count("up"), count("zero")), (3, 4), "{}", way.0);
    }
}

/// A pendulum that rubs on a slide which moves to and fro.
const RUBBED: &str = r#"
    coordinates = { x = 0, y = -1, s = 0 }
    speeds.s = 2
    inertia = { x = 1, y = 1, s = 1 }
    potential = "9.81*y"
    forces.x = "-3*sign(x'-s')"
    constraints = { r = "x^2+y^2-1", d = "s-0.5*sin(4*t)" }
    run.until = 3
"#;

#[test]
fn a_motion_that_leaves_a_surface_does_not_cross_it_there_and_back() {
    for way in EXPLICIT.into_iter().chain(IMPLICIT) {
        for rtol in [1e-4, 1e-6, 1e-8] {
            let run = run_with(RUBBED, way, rtol);
            let times: Vec<f64> = run.events.iter().map(|event| event.t).collect();
            assert_eq!(run.events.len(), 7, "{} {rtol:e} {times:?}", way.0);
            let leaves = run.events.iter().filter(|event| event.kinds.contains(&EventKind::Leave)).count();
            assert!(leaves >= 2, "{} {rtol:e}", way.0);
        }
    }
}

/// A double pendulum with dry friction in both joints.
const FRICTION: &str = r#"
    coordinates = { x = 0.8, y = -0.6, u = 1.6, w = -1.2 }
    inertia = { x = 1, y = 1, u = 1, w = 1 }
    potential = "9.81*(y+w)"
    constraints = { a = "x^2+y^2-1", b = "(u-x)^2+(w-y)^2-1" }
    switches = { s1 = "x*y'-y*x'", s2 = "(u-x)*(w'-y')-(w-y)*(u'-x')" }
    forces = { x = "3*y*s1 - 2*(w-y)*s2", y = "-3*x*s1 + 2*(u-x)*s2", u = "2*(w-y)*s2", w = "-2*(u-x)*s2" }
    run.until = 4
"#;

#[test]
fn speeds_stay_on_their_constraints_to_rounding_while_joints_stick() {
    for text in [FRICTION, RUBBED] {
        for way in EXPLICIT {
            for rtol in [1e-4, 1e-6] {
                let plan = plan(text);
                let run = run_with(text, way, rtol);
                assert!(run.statistics.sliding.accepted > 0, "{}", way.0);
                let joints = Joints::of(&plan.system, &plan.options.upkeep(), &run).expect("a mechanism");
                assert!(joints.velocity.value <= 1e-13, "{} {rtol:e} {:?}", way.0, joints);
            }
        }
    }
}

#[test]
fn a_constraint_that_only_grows_or_falls_is_no_singular_position() {
    for factor in ["exp(20*t)", "exp(-20*t)", "1"] {
        let text = format!(
            r#"
            coordinates = {{ x = 1, y = 0 }}
            kinetic = "(x'^2 + y'^2) / 2"
            potential = "9.81 * y"
            constraints.rod = "{factor}*(x^2+y^2-1)"
            run.until = 1
            "#
        );
        for way in EXPLICIT {
            let run = run_with(&text, way, 1e-6);
            assert!(!has_note(&run, "singular-position"), "{} {factor} {:?}", way.0, run.notes);
        }
    }
}

#[test]
fn a_row_that_vanishes_is_still_a_singular_position() {
    // Crank and rod are equal, and lie on each other at 0.497.
    let text = r#"
        coordinates = { a = 0.5, x = 1.7551651237807455 }
        speeds = { a = 3, x = -2.876553231625218 }
        kinetic = "a'^2/2+x'^2/2"
        constraints.rod = "(x-cos(a))^2+sin(a)^2-1"
        run.until = 0.6
    "#;
    for way in [EXPLICIT[0], EXPLICIT[1], EXPLICIT[2]] {
        let run = run_with(text, way, 1e-5);
        assert!(has_note(&run, "singular-position"), "{} {:?}", way.0, run.notes);
    }
}
