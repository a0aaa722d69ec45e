//! Discrete variables: bit-constant between events, set by resets, read by all formulas, and in no norm, Jacobian or projection.

mod common;

use common::{plan, run_model, system_of, times};
use slipstick::equations::{ClosureGuard, ClosureSystem, Direction, Reset, System};
use slipstick::mode::Mode;
use slipstick::simulate::{Options, Start, simulate};

const GEARBOX: &str = r#"
parameters = { vs = 7.3, drag = 0.01 }
states = { v = 0 }
discrete = { gear = 1, shifts = "vs - 7.3" }
derivatives = { v = "force - drag * v^2" }
outputs = { force = "if(gear == 1, 4, if(gear == 2, 2.5, if(gear == 3, 1.5, 0)))" }
events.up = { guard = "v > vs * gear", reset = { gear = "gear + 1", shifts = "shifts + 1" } }
run.until = 60
"#;

#[test]
fn a_gear_stays_a_whole_number() {
    let run = run_model(GEARBOX);
    let gears: Vec<f64> = run.segments.iter().map(|segment| segment.mode.values.discrete[0]).collect();
    // In third gear the drive balances the drag at v = sqrt(150).
    assert_eq!(gears, [1.0, 2.0, 3.0]);
    assert!((run.end_state()[0] - 150_f64.sqrt()).abs() < 1e-4, "{:?}", run.end_state());
}

#[test]
fn they_are_no_states() {
    let system = system_of(GEARBOX);
    assert_eq!(
        (system.shape().layout.dimension(), &system.shape().discrete_names[..]),
        (1, &["gear", "shifts"].map(str::to_owned)[..])
    );
    assert_eq!(system.shape().discrete_start, [1.0, 0.0]);
    let mode = Mode::start(&system, 0);
    let mut jacobian = [f64::NAN];
    assert!(system.evaluator().jacobian(mode.locked(&system.shape().parameters), 0.0, &[2.0], &mut jacobian));
    assert_eq!(jacobian, [-0.04]);
}

#[test]
fn resets_read_the_values_before_and_say_what_they_set() {
    let system = system_of(
        r#"
        states = { x = 1 }
        discrete = { a = 2, b = 3, c = 4 }
        derivatives = { x = "a * b" }
        outputs = { product = "a * x" }
        events.swap = { guard = "x > a + b", reset = { a = "b", b = "a", x = "product" } }
        run.until = 1
        "#,
    );
    let targets = system.reset_targets(0).expect("formulas say what they set");
    assert_eq!((targets.states, targets.discrete), (&[0][..], &[0, 1][..]));
    let mode = Mode::start(&system, 0);
    let (mut state, mut discrete) = ([7.0], [2.0, 3.0, 4.0]);
    let after = Reset { state: &mut state, discrete: &mut discrete };
    system.evaluator().reset(mode.locked(&system.shape().parameters), 0, 0.0, &[7.0], after);
    assert_eq!((state, discrete), ([14.0], [3.0, 2.0, 4.0]));
}

#[test]
fn a_time_that_is_a_discrete_variable_is_known_beforehand() {
    let run = run_model(
        r#"
        states = { x = 0 }
        discrete = { next = 0.3, wait = 0.3 }
        derivatives = { x = 1 }
        events.strike = { guard = "t > next", reset = { wait = "2 * wait", next = "next + 2 * wait" } }
        run.until = 5
        "#,
    );
    let expected = [0.3, 0.9, 2.1, 4.5];
    assert_eq!(run.events.len(), expected.len());
    for (t, expected) in times(&run).iter().zip(expected) {
        assert!((t - expected).abs() < 1e-14, "{t} and not {expected}");
    }
}

#[test]
fn constraints_may_use_them() {
    let plan = plan(
        r#"
        coordinates = { x = 1, y = 0 }
        discrete = { length = 1 }
        kinetic = "(x'^2 + y'^2) / 2"
        potential = "9.81 * y"
        constraints.rod = "x^2 + y^2 - length^2"
        run.until = 1
        "#,
    );
    assert!(plan.system.shape().mechanism.constraints[0].switches, "an event can change what it says");
    let run = simulate(&plan.system, &plan.start, &plan.options).unwrap();
    let [x, y, ..] = run.end_state() else { panic!("four states") };
    assert!((x * x + y * y - 1.0).abs() < 1e-9);
}

#[test]
fn closures_have_them_too() {
    let system = ClosureSystem::hybrid(["x"], |locked, _, _, dy| dy[0] = locked.discrete[0])
        .discrete("rate", 1.0)
        .guard(
            ClosureGuard::hybrid("double", Direction::Rising, |locked, _, y| y[0] - locked.discrete[0])
                .hybrid_reset(|locked, _, _, after| after.discrete[0] = 2.0 * locked.discrete[0]),
        );
    assert_eq!(system.reset_targets(0), None);
    let run = simulate(&system, &Start::at([0.0]), &Options::until(2.25)).unwrap();
    let rates: Vec<f64> = run.segments.iter().map(|segment| segment.mode.values.discrete[0]).collect();
    assert_eq!(rates, [1.0, 2.0, 4.0, 8.0]);
    assert!((run.end_state()[0] - 6.0).abs() < 1e-9, "{:?}", run.end_state());
}
