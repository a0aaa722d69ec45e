//! Constraints of mechanisms are met all along a run, by every method that can run them; the motion is the true one.

mod common;

use common::{plan, run_model};
use slipstick::formulation::{Mixture, Stabilisation};
use slipstick::simulate::{Options, Plan, simulate};
use slipstick::step::Method;
use slipstick::trajectory::Trajectory;

const PENDULUM: &str = r#"
parameters = { m = 2, g = 9.81, l = 1 }
coordinates = { x = 1, y = 0 }
kinetic = "m / 2 * (x'^2 + y'^2)"
potential = "m * g * y"
constraints.rod = "x^2 + y^2 - l^2"
run = { until = 10, rtol = 1e-9 }
"#;

/// The largest `x² + y² - 1` and `x x' + y y'` at the ends of steps.
fn drift(run: &Trajectory) -> (f64, f64) {
    let mut worst = (0.0_f64, 0.0_f64);
    for segment in &run.segments {
        for step in segment.steps() {
            let y = segment.state(step.t);
            worst.0 = worst.0.max((y[0] * y[0] + y[1] * y[1] - 1.0).abs());
            worst.1 = worst.1.max((y[0] * y[2] + y[1] * y[3]).abs());
        }
    }
    worst
}

fn run_with(text: &str, change: impl Fn(&mut Options)) -> Trajectory {
    let mut plan: Plan = plan(text);
    change(&mut plan.options);
    simulate(&plan.system, &plan.start, &plan.options).unwrap_or_else(|failure| panic!("{failure}"))
}

#[test]
fn a_pendulum_keeps_its_length_and_its_energy_by_every_method() {
    for &method in Method::ALL {
        let run = run_with(PENDULUM, |options| {
            options.method = method;
            options.until = 3.0;
            options.steps.fixed = method.facts().error_order.is_none().then_some(1e-3);
            if method.facts().order < 4 {
                options.tolerances = slipstick::step::Tolerances::uniform(1e-6, 1e-8);
            }
        });
        let (position, velocity) = drift(&run);
        // What two corrections leave is the square of what a step leaves, which at 1e-6 is no rounding.
        let closed = if method.facts().order == 2 { 1e-11 } else { 1e-13 };
        // The index-3 form keeps positions only; speeds, up to 4.4 here, have the error of the method.
        let still = if method == Method::GeneralizedAlpha3 { 1e-2 } else { 1e-12 };
        assert!(position < closed && velocity < still, "{method:?} {position:e} {velocity:e}");
        let y = run.end_state();
        let energy = 0.5 * (y[2] * y[2] + y[3] * y[3]) + 9.81 * y[1];
        // Ten units of energy go to and fro. A method that carries its order 2 on makes an error of about tolerance^(2/3), 1e-4 of that;
        // twice as much is allowed.
        let bound = if method.facts().order == 2 { 2e-3 } else { 2e-4 };
        assert!(energy.abs() < bound, "{method:?} {energy:e}");
    }
}

/// A uniform rod on a pivot as a free body with two constraints; the truth is paper 000's pendulum in elliptic functions, good to 1e-22.
#[test]
fn a_rod_on_a_pivot_swings_as_in_the_closed_form() {
    let run = run_model(
        r#"
        parameters = { m = 36, l = 1, g = 9.81, a = "pi / 9" }
        coordinates = { x = "l / 2 * cos(a)", y = "l / 2 * sin(a)", angle = "a" }
        speeds = { x = "-l / 2 * sin(a)", y = "l / 2 * cos(a)", angle = 1 }
        kinetic = "m / 2 * (x'^2 + y'^2) + m * l^2 / 24 * angle'^2"
        potential = "-m * g * x"
        constraints = { px = "x - l / 2 * cos(angle)", py = "y - l / 2 * sin(angle)" }
        run = { until = 10, rtol = 1e-11, atol = 1e-12 }
        "#,
    );
    let truth = [
        (1.0, -0.437_735_656_675_401_4, -0.001_944_011_097_570_665),
        (10.0, 0.394_906_186_706_117_2, 0.713_930_925_638_456_6),
    ];
    for (t, angle, rate) in truth {
        let y = run.state_before(t).expect("within the run").y;
        assert!(
            (y[2] - angle).abs() < 1e-9 && (y[5] - rate).abs() < 1e-9,
            "{t} {} {}",
            y[2] - angle,
            y[5] - rate
        );
    }
    assert!(run.notes.is_empty(), "{:?}", run.notes);
}

/// The end of Andrews' squeezer at 0.03 s, good to 1e-21: the widely published values are off by 1e-9.
const SQUEEZER: [f64; 7] = [
    15.810_771_195_153_707,
    -15.756_371_058_411_84,
    0.040_822_240_119_645_8,
    -0.534_730_116_342_079_6,
    0.524_409_965_879_954,
    0.534_730_116_342_079_6,
    1.048_080_741_041_938,
];

#[test]
fn the_squeezer_is_right_to_eight_digits() {
    let text = include_str!("../src/problems/constrained/andrews.toml");
    for method in [
        Method::Automatic,
        Method::DormandPrince5,
        Method::DormandPrince8,
        Method::Tsitouras5,
        Method::Radau5,
    ] {
        let run = run_with(text, |options| options.method = method);
        let error = |(q, truth): (&f64, &f64)| (q - truth).abs() / truth.abs();
        let worst = run.end_state().iter().zip(&SQUEEZER).map(error).fold(0.0, f64::max);
        assert!(worst < 1e-8, "{method:?} {worst:e}");
    }
}

#[test]
fn doubled_constraints_change_nothing_and_are_named() {
    let single = run_model(PENDULUM);
    let doubled = run_model(&PENDULUM.replace(
        "constraints.rod = \"x^2 + y^2 - l^2\"",
        "constraints = { rod = \"x^2 + y^2 - l^2\", again = \"3 * (x^2 + y^2 - l^2)\" }",
    ));
    let codes: Vec<&str> = doubled.notes.iter().map(|note| note.code).collect();
    assert_eq!(codes, ["redundant-constraints"]);
    assert!(doubled.notes[0].text.contains("1 of 2 constraints"), "{}", doubled.notes[0].text);
    for (a, b) in single.end_state().iter().zip(doubled.end_state()) {
        assert!((a - b).abs() < 1e-12, "{a} {b}");
    }
}

/// Paper 003, corollary 3.2: the drift of a step of order p is O(h^(p+1)), after one correction of each kind the velocity still feels that of the
/// position, and after two it is O(h^(2(p+1))).
#[test]
fn two_corrections_square_the_drift() {
    let largest = |stabilisation, h: f64| {
        let run = run_with(PENDULUM, |options| {
            (options.method, options.constraints.stabilisation) = (Method::Heun2, stabilisation);
            (options.steps.fixed, options.until) = (Some(h), 1.0);
        });
        drift(&run).0
    };
    let order = |stabilisation| (largest(stabilisation, 0.02) / largest(stabilisation, 0.01)).log2();
    assert!((order(Stabilisation::None) - 2.0).abs() < 0.5, "{}", order(Stabilisation::None));
    assert!(order(Stabilisation::Twice) > 5.5, "{}", order(Stabilisation::Twice));
    let [none, once, twice] =
        [Stabilisation::None, Stabilisation::Once, Stabilisation::Twice].map(|s| largest(s, 0.01));
    assert!(none > 1e3 * once && once > 1e2 * twice, "{none:e} {once:e} {twice:e}");
}

#[test]
fn baumgarte_drifts_more_than_a_correction() {
    let of = |stabilisation| {
        drift(&run_with(PENDULUM, |options| {
            options.constraints.stabilisation = stabilisation;
            options.tolerances = slipstick::step::Tolerances::uniform(1e-5, 1e-6);
        }))
    };
    let (baumgarte, none) =
        (of(Stabilisation::Baumgarte { rate: 20.0, position: 100.0 }), of(Stabilisation::None));
    let pstab = of(Stabilisation::Twice);
    assert!(none.0 > baumgarte.0 && baumgarte.0 > 1e4 * pstab.0, "{none:?} {baumgarte:?} {pstab:?}");
}

/// The bob hits a wall at x = -0.5; the speed along the wall is what the rod leaves of it.
#[test]
fn an_impact_on_one_coordinate_is_passed_on_by_the_joints() {
    let wall = "events.wall = { guard = \"x + 0.5\", direction = \"falling\", side = \"before\", reset = { \"x'\" = \"-0.8 * x'\" } }";
    let run = run_model(&format!("{}\n{wall}", PENDULUM.trim()));
    let event = &run.events[0];
    assert!((event.after[2] + 0.8 * event.before[2]).abs() < 1e-12);
    assert!((event.after[0] * event.after[2] + event.after[1] * event.after[3]).abs() < 1e-12);
    assert!(
        (event.after[3] + 0.8 * event.before[3]).abs() < 1e-9,
        "on a circle both speeds are in proportion"
    );
}

#[test]
fn a_rough_start_is_closed_and_said() {
    let rough = PENDULUM.replace("x = 1, y = 0", "x = 1.1, y = 0.1");
    let run = run_model(&rough);
    assert_eq!(run.notes[0].code, "start-adjusted");
    let y = &run.segments[0].start;
    assert!((y[0].hypot(y[1]) - 1.0).abs() < 1e-15 && (y[1] / y[0] - 0.1 / 1.1).abs() < 1e-12, "{y:?}");
    let pinned = run_model(&format!(
        "{}\nrun.pinned = [\"x\"]",
        rough.replace("x = 1.1", "x = 0.6").replace("run = { until = 10, rtol = 1e-9 }", "run.until = 1")
    ));
    let y = &pinned.segments[0].start;
    assert!(y[0] == 0.6 && (y[1] - 0.8).abs() < 1e-12, "{y:?}");
}

#[test]
fn a_mechanism_that_cannot_be_closed_is_refused_by_name() {
    let plan = plan(&PENDULUM.replace(
        "constraints.rod = \"x^2 + y^2 - l^2\"",
        "constraints = { rod = \"x^2 + y^2 - l^2\", rail = \"x - 2\" }",
    ));
    let failure =
        simulate(&plan.system, &plan.start, &plan.options).expect_err("a rod of 1 m does not reach x = 2");
    assert_eq!(failure.error.code(), "not-consistent");
    assert!(failure.error.to_string().contains('`'), "{}", failure.error);
}

/// A skate: the constraint is one of speeds. Under gravity down a slope of 1 with a constant turning rate its path is a cycloid.
#[test]
fn a_skate_on_a_slope_draws_a_cycloid() {
    let run = run_model(
        r#"
        coordinates = { x = 0, y = 0, turn = 0 }
        speeds = { x = 0, y = 0, turn = 2 }
        kinetic = "(x'^2 + y'^2 + turn'^2) / 2"
        potential = "-9 * x"
        constraints.skate = "y' * cos(turn) - x' * sin(turn)"
        run = { until = 3, rtol = 1e-10, atol = 1e-11 }
        "#,
    );
    // v along the blade: v' = 9 cos(2 t); x' = v cos(2 t), y' = v sin(2 t).
    for t in [0.5_f64, 1.7, 3.0] {
        let y = run.state_before(t).expect("within the run").y;
        let (x_true, y_true) =
            (9.0 / 16.0 * (1.0 - (4.0 * t).cos()), 9.0 / 4.0 * (t - (4.0 * t).sin() / 4.0));
        assert!(
            (y[0] - x_true).abs() < 1e-8 && (y[1] - y_true).abs() < 1e-8,
            "{t} {} {}",
            y[0] - x_true,
            y[1] - y_true
        );
    }
}

/// In a pendulum of length 1 the rod pulls with `m (g cos φ + φ'²)`; with `g = x² + y² - 1` the force on the bob is `-2 (x, y) λ`, of size `2 λ`.
#[test]
fn multipliers_are_outputs_that_give_the_force_in_the_rod() {
    let plan = plan(&format!("{}\noutputs.pull = \"2 * lambda.rod\"", PENDULUM.trim()));
    let run = simulate(&plan.system, &plan.start, &plan.options).expect("a run");
    let mut outputs = slipstick::formulation::Mixture::new(&plan.system, plan.system.outputs());
    for t in [0.0, 0.7, 3.0, 9.5] {
        let state = run.state_before(t).expect("within the run");
        let (y, mut out) = (&state.y, [0.0]);
        outputs.observe(&state.mode, t, y, &mut out);
        let pull = 2.0 * (-9.81 * y[1] + y[2] * y[2] + y[3] * y[3]);
        assert!((out[0] - pull).abs() < 1e-9 * (1.0 + pull), "{t} {} {pull}", out[0]);
    }
}

#[test]
fn multipliers_depend_on_no_derivative_or_mass_that_uses_them() {
    let text = format!("{}\noutputs.pull = \"2 * lambda.rod\"", PENDULUM.trim());
    for wrong in ["states.heat = 0\nderivatives.heat = \"pull\"", "inertia.x = \"1 + pull\""] {
        let errors = slipstick::model::Model::from_toml(&format!("{text}\n{wrong}")).expect_err("a circle");
        assert!(errors[0].message.contains("`pull` follows from the motion"), "{errors:?}");
    }
    let direct = format!("{}\ninertia.x = \"1 + lambda.rod\"", PENDULUM.trim());
    let errors = slipstick::model::Model::from_toml(&direct).expect_err("a circle");
    assert!(errors[0].message.contains("`lambda.rod` is a multiplier"), "{errors:?}");
    let reaction = format!("{}\nforces.x = \"0.1 * reaction.x\"", PENDULUM.trim());
    let errors = slipstick::model::Model::from_toml(&reaction).expect_err("a circle");
    assert!(errors[0].message.contains("`reaction.x` is a reaction"), "{errors:?}");
}

/// The constraint pulls with `-2 x λ` along `x`. A force of `2 c x λ` along it and `2 c y λ` along `y` takes a part of that off, and
/// the multiplier has to be larger by as much: the motion is the same.
#[test]
fn a_force_along_a_constraint_changes_the_multiplier_alone() {
    let end = |c: f64| {
        let forces = format!("forces = {{ x = \"2 * {c} * x * lambda.rod\", y = \"{c} * 2 * y * pull\" }}");
        let plan = plan(&format!("{}\noutputs.pull = \"lambda.rod\"\n{forces}", PENDULUM.trim()));
        let run = simulate(&plan.system, &plan.start, &plan.options).expect("a run");
        let force = run.of(&plan.system).forces_after(1.0).expect("within the run").multipliers[0];
        (run.state_before(10.0).expect("the end").y.clone(), force)
    };
    let ((free, force), (pushed, larger)) = (end(0.0), end(0.25));
    assert!(free.iter().zip(&pushed).all(|(a, b)| (a - b).abs() < 1e-6), "{free:?} {pushed:?}");
    assert!((0.75 * larger - force).abs() < 1e-6 * force.abs(), "{force} {larger}");
}

#[test]
fn forces_that_are_not_linear_in_multipliers_are_refused() {
    let model = format!("{}\nforces.x = \"-0.1 * lambda.rod^2\"", PENDULUM.trim());
    let model = slipstick::model::Model::from_toml(&model).expect("names are known");
    let errors = slipstick::simulate::Plan::new(&model, &slipstick::simulate::Overrides::default());
    assert_eq!(errors.expect_err("it cannot be solved for")[0].code, "nonlinear-force");
}

/// A reset read zero in the place of a multiplier behind an output, and a unit of one was shown nowhere.
#[test]
fn guards_and_resets_read_multipliers() {
    let text = PENDULUM.trim();
    let events =
        "events.e = { at = 0.5, reset = { felt = \"pull\" } }\nevents.high.guard = \"abs(pull) > 10\"";
    let plan = plan(&format!("{text}\ndiscrete.felt = 0\noutputs.pull = \"2 * lambda.rod\"\n{events}"));
    let run = simulate(&plan.system, &plan.start, &plan.options).expect("a run");
    let at = |y: &[f64]| 2.0 * (-9.81 * y[1] + y[2] * y[2] + y[3] * y[3]);
    for event in &run.events {
        let pull = at(&event.before);
        match run.guard_names[event.guards[0]].as_str() {
            "e" => {
                let felt = run.state_after(0.5).expect("within the run").mode.values.discrete[0];
                assert!((felt - pull).abs() < 1e-6 * pull.abs(), "{felt} {pull}");
            }
            _ => assert!((pull.abs() - 10.0).abs() < 1e-6, "{pull}"),
        }
    }
    assert!(run.event_times("high").count() > 1);
    for name in ["lambda.rod", "reaction.x"] {
        let text = format!("{}\nunits.\"{name}\" = \"N\"", PENDULUM.trim());
        let errors = slipstick::model::Model::from_toml(&text).expect_err("it has no column");
        assert!(errors[0].message.contains(&format!("`{name}` is shown nowhere")), "{errors:?}");
    }
}

/// A slider-crank of equal links lies flat on its way: there the gradient of its constraint vanishes. It passes, and says so.
#[test]
fn a_singular_position_is_passed_with_a_note() {
    let text = include_str!("../src/problems/constrained/singular-slider-crank.toml");
    let run = run_model(&format!("{text}\n[constraints]\nflat = \"cos(th1) + cos(th2)\""));
    let codes: Vec<&str> = run.notes.iter().map(|note| note.code).collect();
    assert_eq!(codes, ["singular-position"]);
    let y = run.end_state();
    assert!((y[0] + y[1] - std::f64::consts::PI).abs() < 1e-9, "{y:?}");
}

#[test]
fn reactions_are_what_the_constraints_push_with() {
    // At the lowest point of its swing a bob is pulled up by its weight and by m v² / l.
    let text = r#"
        parameters = { m = 2, g = 9.81 }
        coordinates = { x = 0, y = -1 }
        speeds = { x = 3 }
        kinetic = "m / 2 * (x'^2 + y'^2)"
        potential = "m * g * y"
        constraints.rod = "x^2 + y^2 - 1"
        outputs = { up = "reaction.y", along = "-2 * y * lambda.rod", across = "reaction.x" }
        run.until = 1
    "#;
    let plan = plan(text);
    let run = simulate(&plan.system, &plan.start, &plan.options).unwrap();
    let mut out = [0.0; 3];
    let segment = &run.segments[0];
    Mixture::new(&plan.system, plan.system.outputs()).observe(&segment.mode, 0.0, &plan.start.y, &mut out);
    assert!((out[0] - 2.0 * (9.81 + 9.0)).abs() < 1e-12 && out[1] == out[0] && out[2] == 0.0, "{out:?}");
}
