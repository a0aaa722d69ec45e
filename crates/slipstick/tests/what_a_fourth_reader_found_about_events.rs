//! What a reader who had not seen the work found wrong about events in the fourth round, each as the smallest model that showed it.

mod common;

use common::run_model;
use slipstick::simulate::simulate;
use slipstick::trajectory::Trajectory;
use std::f64::consts::{PI, TAU};

fn times(run: &Trajectory, name: &str) -> Vec<f64> {
    let guard = run.guard_names.iter().position(|own| own == name).expect("a guard");
    run.events.iter().filter(|event| event.guards.contains(&guard)).map(|event| event.t).collect()
}

const MOVING: &str = "states.x = 0\nderivatives.x = 1\n";

#[test]
fn the_last_strike_of_a_clock_is_not_lost_to_rounding() {
    for (every, until, strikes) in
        [(0.1, 0.3, 3), (0.1, 3.0, 30), (0.2, 0.6, 3), (0.05, 0.15, 3), (0.1, 100.0, 1000), (0.7, 2.1, 3)]
    {
        for reset in ["", ", reset = { x = \"x - 1\" }"] {
            let run =
                run_model(&format!("{MOVING}events.a = {{ every = {every}{reset} }}\nrun.until = {until}"));
            let times = times(&run, "a");
            assert_eq!(times.len(), strikes, "{every} {until} {times:?}");
            assert!(times.iter().all(|t| *t <= until));
            let end = if reset.is_empty() { until } else { until - strikes as f64 };
            assert!((run.end_state()[0] - end).abs() < 1e-9 * (1.0 + strikes as f64), "{every} {until}");
        }
    }
}

#[test]
fn clocks_that_strike_a_hair_apart_strike_at_once() {
    let run = run_model(&format!(
        "{MOVING}events.a.every = 0.1\nevents.b.every = 0.3\nevents.c.at = 0.6\nrun.until = 10"
    ));
    assert_eq!(run.events.len(), 100, "{:?}", run.events.iter().map(|e| e.t).collect::<Vec<_>>());
    assert_eq!([times(&run, "a").len(), times(&run, "b").len(), times(&run, "c").len()], [100, 33, 1]);
}

#[test]
fn a_set_time_a_hair_behind_a_strike_comes_once() {
    // The third strike is at 0.3 and an ulp; the ninth is at 0.9, the set time an ulp behind it.
    let run = run_model(&format!(
        "{MOVING}events.a.every = 0.1\nevents.b = {{ at = 0.9000000000000001, reset = {{ x = \"x + 1\" }} }}\n\
         events.c = {{ at = 0.3, reset = {{ x = \"x + 1\" }} }}\nrun.until = 2"
    ));
    assert_eq!((run.events.len(), times(&run, "b").len(), times(&run, "c").len()), (20, 1, 1));
    assert!((run.end_state()[0] - 4.0).abs() < 1e-9);
}

/// A motion along the states' axis, with a guard whose touches count.
fn run_touching(guard: &str, more: &str) -> Trajectory {
    run_model(&format!("{MOVING}events.a = {{ guard = \"{guard}\", touches = true{more} }}\nrun.until = 20"))
}

fn assert_times(found: &[f64], expected: &[f64], bound: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}: {found:?}");
    assert!(found.iter().zip(expected).all(|(t, e)| (t - e).abs() < bound), "{what}: {found:?}");
}

#[test]
fn all_touches_of_a_long_step_are_events() {
    let turns = |n: u32, by: f64| (1..=n).map(|k| by * f64::from(k)).collect::<Vec<f64>>();
    let cases = [
        ("(x-1)^2*(x-3)^2*(x-5)^2", vec![1.0, 3.0, 5.0]),
        ("-(x-1)^2*(x-3)^2*(x-5)^2", vec![1.0, 3.0, 5.0]),
        ("1-cos(x)", turns(3, TAU)),
        ("sin(x)^2", turns(6, PI)),
        ("sin(x)^2*(x-10)", {
            let mut all = turns(6, PI);
            all.insert(3, 10.0);
            all
        }),
    ];
    for (guard, expected) in cases {
        for more in ["", ", reset = { x = \"x\" }", ", side = \"before\", reset = { x = \"x\" }"] {
            let run = run_touching(guard, more);
            assert_times(&times(&run, "a"), &expected, 1e-6, &format!("{guard} {more}"));
        }
    }
}

#[test]
fn a_kink_that_comes_to_zero_touches_it() {
    for guard in ["abs(x-1)", "-abs(x-1)", "max(x-1,1-x)", "3*abs(x-1)*(1+x)"] {
        let run = run_touching(guard, ", stop = true");
        assert_times(&times(&run, "a"), &[1.0], 1e-9, guard);
    }
    let run = run_touching("abs(sin(x))", "");
    assert_times(&times(&run, "a"), &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0].map(|k| k * PI), 1e-9, "abs(sin(x))");
}

/// `x' = -z` beside an algebraic equation for z, from x = 1.
fn run_algebraic(equation: &str, z: f64, more: &str) -> Trajectory {
    run_model(&format!(
        "states = {{ x = 1, z = {z} }}\nderivatives = {{ x = \"-z\", z = \"{equation}\" }}\nmass.z = 0\n{more}\nrun.until = 3"
    ))
}

fn adjusted(run: &Trajectory) -> usize {
    run.notes.iter().filter(|note| note.code == "start-adjusted").count()
}

#[test]
fn a_jump_in_a_nonlinear_algebraic_equation_is_followed() {
    let run = run_algebraic("z^3+z-2*x-if(t>1,1,0)", 1.0, "");
    let [x, z] = run.end_state()[..] else { panic!() };
    assert!((z.powi(3) + z - 2.0 * x - 1.0).abs() < 1e-6, "{x} {z}");
    assert_eq!(adjusted(&run), 0);
    let after = &run.events[0].after;
    assert!((after[1].powi(3) + after[1] - 2.0 * after[0] - 1.0).abs() < 1e-12, "{after:?}");
}

#[test]
fn a_reset_of_a_state_takes_the_algebraic_one_along() {
    let run = run_algebraic("z^3+z-2*x", 1.0, "events.a = { at = 1, reset = { x = \"x + 5\" } }");
    let after = &run.events[0].after;
    assert!((after[1].powi(3) + after[1] - 2.0 * after[0]).abs() < 1e-12 && after[0] > 5.0, "{after:?}");
}

#[test]
fn a_start_that_does_not_meet_an_algebraic_equation_is_changed_with_a_note() {
    for z in [0.0, 5.0, -40.0] {
        let run = run_algebraic("z^3+z-2*x-if(t>1,1,0)", z, "");
        assert_eq!(adjusted(&run), 1, "{:?}", run.notes);
        assert!((run.segments[0].state(0.0)[1] - 1.0).abs() < 1e-12);
    }
    // Without damping Newton's method goes away from the solution.
    let run = run_algebraic("atan(10*(z-x))", 5.0, "");
    assert!((run.end_state()[0] - (-3.0_f64).exp()).abs() < 1e-5, "{:?}", run.end_state());
    let run = run_algebraic("z-x", 5.0, "events.a.guard = \"z < 3\"");
    assert_eq!((adjusted(&run), run.events.len()), (1, 0), "{:?}", run.events);
}

#[test]
fn a_plateau_at_zero_is_no_crossing() {
    let states = "states.x = 0\nrun.until = 4\n";
    let back = "derivatives.x = \"if(t<1,1,if(t<2,0,-1))\"\n";
    let on = "derivatives.x = \"if(t<1,1,if(t<2,0,1))\"\n";
    for reset in ["", ", reset = { x = \"x\" }"] {
        let run = run_model(&format!("{states}{back}events.a = {{ guard = \"x-1\"{reset} }}"));
        assert_eq!(times(&run, "a"), [0.0; 0], "back {reset}");
        for guard in ["x>1", "x-1"] {
            let run = run_model(&format!("{states}{on}events.a = {{ guard = \"{guard}\"{reset} }}"));
            assert_eq!(times(&run, "a").len(), 1, "on {guard} {reset} {:?}", times(&run, "a"));
        }
    }
}

#[test]
fn whole_numbers_that_no_double_can_count_are_refused() {
    let text = r#"
        states = { x = 1 }
        derivatives = { x = "-1e-18 * round(x * 1e18)" }
        run.until = 1
    "#;
    let plan = common::plan(text);
    let failure = simulate(&plan.system, &plan.start, &plan.options).expect_err("too large");
    assert_eq!(failure.error.code(), "count-too-large");
    let message = failure.error.to_string();
    assert!(
        message.contains("round(x * 1e18) in derivatives.x") && message.contains("1e18 at t = 0"),
        "{message}"
    );
}
