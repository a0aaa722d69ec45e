//! Constraints with branches hold while their branch is taken: a joint that shuts at an event takes the speed across it away, one that opens lets go, and no method
//! minds that the rank of the gradients changes.

mod common;

use slipstick::formulation::Stabilisation;
use slipstick::simulate::{Failure, simulate};
use slipstick::step::Method;
use slipstick::trajectory::Trajectory;

fn run(text: &str, method: Method) -> Result<Trajectory, Box<Failure>> {
    let mut plan = common::plan(text);
    plan.options.method = method;
    simulate(&plan.system, &plan.start, &plan.options)
}

/// Those that choose their steps and are good at the tolerance of these models.
fn methods() -> impl Iterator<Item = Method> {
    let good = |method: &Method| method.facts().error_order.is_some() && method.facts().order > 2;
    Method::named().filter(good)
}

fn of_order_two() -> [Method; 3] {
    [Method::GeneralizedAlpha, Method::GeneralizedAlpha2, Method::GeneralizedAlpha3]
}

fn times(run: &Trajectory) -> Vec<f64> {
    run.events.iter().map(|event| event.t).collect()
}

/// A pendulum that is caught at the bottom.
const CAUGHT: &str = r#"
    coordinates = { x = 1, y = 0 }
    states = { latched = 0 }
    kinetic = "0.5 * (x'^2 + y'^2)"
    potential = "9.81 * y"
    constraints = { rod = "x^2 + y^2 - 1", latch = "if latched > 0.5 then x else 0" }
    derivatives = { latched = 0 }
    events.catch = { guard = "x < 0", reset = { latched = 1 } }
    run = { until = 2, rtol = 1e-8 }
"#;

#[test]
fn a_latch_catches_a_pendulum() {
    // A quarter of a period from the horizontal: K(1/2) sqrt(l/g) = 1.8540746773013719 / sqrt(9.81).
    let bottom = 1.854_074_677_301_371_9 / 9.81_f64.sqrt();
    for method in methods().chain(of_order_two()) {
        let run = run(CAUGHT, method).unwrap_or_else(|failure| panic!("{method:?} {failure}"));
        let bound = if method.facts().order == 2 { 1e-4 } else { 1e-6 };
        assert!(!run.events.is_empty(), "{method:?}");
        assert!(times(&run).iter().all(|t| (t - bottom).abs() < bound), "{method:?} {:?}", times(&run));
        let end = run.end_state();
        assert!(end[0].abs() < 1e-12 && (end[1] + 1.0).abs() < 1e-12, "{method:?} {end:?}");
        assert!(end[2].abs() < 1e-8 && end[3].abs() < 1e-8, "{method:?} {end:?}");
        assert!(run.notes.iter().all(|note| note.code != "singular-position"), "{:?}", run.notes);
    }
}

#[test]
fn the_stabilised_form_does_not_mind_open_joints() {
    for text in [CAUGHT, CLUTCH] {
        let mut plan = common::plan(text);
        plan.options.method = Method::Radau5;
        let expected = simulate(&plan.system, &plan.start, &plan.options).expect("the index-1 form");
        plan.options.constraints.stabilisation = Stabilisation::Ggl;
        let run = simulate(&plan.system, &plan.start, &plan.options).expect("the stabilised form");
        assert_eq!(run.events.len(), expected.events.len());
        for (a, b) in run.end_state().iter().zip(expected.end_state()) {
            assert!((a - b).abs() < 1e-6, "{a} {b}");
        }
    }
}

/// Two wheels, one turning; a clutch shuts at 1 and opens at 2; from 3 on a brake moves the second one.
const CLUTCH: &str = r#"
    coordinates = { a = 0, b = 0 }
    speeds = { a = 3, b = 0 }
    kinetic = "0.5 * a'^2 + 0.5 * 2 * b'^2"
    constraints = { clutch = "if t > 1 and t < 2 then a' - b' else 0" }
    forces = { b = "if t > 3 then -1 else 0" }
    run = { until = 4, rtol = 1e-8 }
"#;

#[test]
fn a_clutch_shares_the_momentum_and_lets_go() {
    for method in methods().chain(of_order_two()) {
        let run = run(CLUTCH, method).unwrap_or_else(|failure| panic!("{method:?} {failure}"));
        let clutch = [1.0, 2.0];
        assert!(clutch.iter().all(|t| times(&run).contains(t)), "{method:?} {:?}", times(&run));
        // From 1 on both turn with 3 / (1 + 2).
        let end = run.end_state();
        let right = [3.0 + 3.0, 1.0 + 2.0 - 0.25, 1.0, 0.5];
        assert!(end.iter().zip(right).all(|(end, right)| (end - right).abs() < 1e-6), "{method:?} {end:?}");
    }
}

/// Two rods in parallel, one of which is there for a while only: all the time the motion is that with one of them.
#[test]
fn a_joint_that_follows_from_another_comes_and_goes_unnoticed() {
    let text = |second: &str| {
        format!(
            "coordinates = {{ x = 1, y = 0 }}\nkinetic = \"0.5 * (x'^2 + y'^2)\"\npotential = \"9.81 * y\"\n\
             constraints = {{ rod = \"x^2 + y^2 - 1\"{second} }}\nrun = {{ until = 3, rtol = 1e-9 }}"
        )
    };
    let both = text(", other = \"if t > 0.7 and t < 2.1 then sqrt(x^2 + y^2) - 1 else 0\"");
    for method in methods() {
        let [one, two] = [text(""), both.clone()].map(|text| {
            let run = run(&text, method).unwrap_or_else(|failure| panic!("{method:?} {failure}"));
            run.end_state().to_vec()
        });
        let apart = one.iter().zip(&two).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
        assert!(apart < 1e-5, "{method:?} {one:?} {two:?}");
    }
}

#[test]
fn a_rail_with_a_corner_is_an_event() {
    let text = r#"
        coordinates = { x = 1, y = 0 }
        speeds = { y = -1 }
        kinetic = "0.5 * (x'^2 + y'^2)"
        constraints = { rail = "abs(x) + y^2 - 1" }
        run = { until = 3, rtol = 1e-8 }
    "#;
    for method in [Method::Automatic, Method::PartitionedHalfExplicit5, Method::Radau5] {
        let run = run(text, method).unwrap_or_else(|failure| panic!("{method:?} {failure}"));
        assert_eq!(run.events.len(), 1, "{method:?}");
        let (event, end) = (&run.events[0], run.end_state());
        // At (0, -1) the rail turns from (2, 1) / sqrt(5) to (2, -1) / sqrt(5): 3/5 of the speed are left, which was 1 all the way.
        let speed = |y: &[f64]| y[2].hypot(y[3]);
        assert!((speed(&event.before) - 1.0).abs() < 1e-6, "{method:?} {:?}", event.before);
        assert!((speed(&event.after) - 0.6).abs() < 1e-6, "{method:?} {:?}", event.after);
        assert!((end[0].abs() + end[1] * end[1] - 1.0).abs() < 1e-12, "{method:?} {end:?}");
    }
}

#[test]
fn springs_in_a_potential_begin_and_end_at_events() {
    let text = r#"
        coordinates = { x = 1 }
        kinetic = "0.5 * x'^2"
        potential = "500 * min(0, x)^2 + 9.81 * x"
        run = { until = 3, rtol = 1e-8 }
    "#;
    let run = run(text, Method::DormandPrince5).unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(*run.guard_names, ["min(0, x) in potential"]);
    assert!(run.events.len() == 6 && (run.events[0].t - (2.0 / 9.81_f64).sqrt()).abs() < 1e-9);
}

#[test]
fn a_joint_does_not_shut_where_its_parts_are_apart() {
    let text = r#"
        coordinates = { x = 1, y = 0 }
        speeds = { y = 1 }
        kinetic = "0.5 * (x'^2 + y'^2)"
        constraints = { pin = "if t > 1 then x - 0.5 else 0" }
        run.until = 2
    "#;
    for method in methods().chain(of_order_two()) {
        let failure = run(text, method).expect_err("it is open");
        assert_eq!(failure.error.code(), "not-consistent", "{method:?}");
        let message = failure.error.to_string();
        let names = [
            "the state after `t > 1 in constraints.pin`",
            "`pin` is off by 5.000e-1",
            "`x` would have to jump from 1 to 0.5",
        ];
        assert!(names.iter().all(|name| message.contains(name)), "{message}");
    }
}
