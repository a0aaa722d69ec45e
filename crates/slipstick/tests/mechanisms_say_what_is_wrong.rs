//! What a mechanism cannot do is refused or noted in words that name it.

mod common;

use common::{plan, run_model};
use slipstick::equations::{ClosureSystem, Mechanism};
use slipstick::formulation::{Mixture, Stabilisation};
use slipstick::model::Model;
use slipstick::simulate::{Failure, Options, Overrides, Plan, Start, simulate};
use slipstick::trajectory::Trajectory;

fn failure_of(text: &str) -> Failure {
    let plan = plan(text);
    *simulate(&plan.system, &plan.start, &plan.options).expect_err("it cannot be run")
}

fn note<'a>(run: &'a Trajectory, code: &str) -> Option<&'a str> {
    run.notes.iter().find(|note| note.code == code).map(|note| note.text.as_str())
}

/// A pendulum of one metre that begins at the side, with what is put behind it.
fn pendulum(more: &str) -> String {
    format!(
        r#"
        coordinates = {{ x = 1, y = 0 }}
        kinetic = "(x'^2 + y'^2) / 2"
        potential = "9.81 * y"
        {more}
        "#
    )
}

#[test]
fn audits_see_the_multipliers_of_their_own_moment() {
    let plan = plan(&pendulum(
        r#"
        constraints.rod = "x^2 + y^2 - 1"
        outputs.pull = "2 * lambda.rod"
        audit.straight = "2 * lambda.rod - (x'^2 + y'^2 - 9.81 * y)"
        audit.by_output = "pull - (x'^2 + y'^2 - 9.81 * y)"
        audit.by_reaction = "reaction.x + 2 * lambda.rod * x"
        run.until = 1
        "#,
    ));
    let run = simulate(&plan.system, &plan.start, &plan.options).expect("a run");
    let (mut observer, mut row) = (Mixture::new(&plan.system, plan.system.audit()), [0.0; 3]);
    for i in 0..=20 {
        let t = f64::from(i) / 20.0;
        let state = run.of(&plan.system).state_after(t).expect("a time of the run");
        observer.observe(&run.segments[0].mode, t, &state.y, &mut row);
        assert!(row.iter().all(|value| value.abs() < 1e-11), "t = {t}: {row:?}");
    }
}

/// A force in proportion to a multiplier: (2 + k) λ = -10, which no multiplier solves for k = -2.
#[test]
fn a_force_that_takes_back_all_that_a_multiplier_pushes_is_an_error() {
    let pushed = |k: &str| {
        format!(
            r#"
            coordinates = {{ x = 0, y = 0 }}
            inertia = {{ x = 1, y = 1 }}
            forces = {{ y = -10, x = "{k} * lambda.c" }}
            constraints.c = "y - x"
            run.until = 1
            "#
        )
    };
    // x'' = (1 + k) λ.
    for (k, end) in [("-1", 0.0), ("-3", -10.0), ("-2.001", 5005.0 - 10010.0), ("0", -2.5)] {
        let run = run_model(&pushed(k));
        assert!((run.end_state()[0] - end).abs() < 1e-9 * (1.0 + end.abs()), "{k}: {:?}", run.end_state());
    }
    let failure = failure_of(&pushed("-2"));
    assert_eq!((failure.error.code(), failure.trajectory.end_time()), ("not-consistent", 0.0));
    let text = failure.error.to_string();
    assert!(text.contains("(t = 0): no force meets `c`") && text.contains("`lambda.c`"), "{text}");
    // What takes it back from t = 0.5 on is named there.
    let failure = failure_of(&pushed("if(t < 0.5, -1, -2)"));
    assert!(failure.error.to_string().contains("no force meets `c`"), "{}", failure.error);
    assert!((failure.trajectory.end_time() - 0.5).abs() < 1e-9);
}

#[test]
fn constraints_that_part_after_the_start_are_an_error() {
    for (later, stabilisation, t) in [
        ("t^3", "\"pstab\"", 0.3),
        ("t^3", "\"none\"", 0.3),
        ("t^3", "{ rate = 20, position = 100 }", 0.3),
        ("max(0, t - 0.5)", "\"pstab\"", 0.6),
    ] {
        let failure = failure_of(&pendulum(&format!(
            r#"
            constraints = {{ a = "x - 1", b = "x - 1 - {later}" }}
            run = {{ until = 1, longest_step = 0.01, stabilisation = {stabilisation} }}
            "#
        )));
        assert_eq!(failure.error.code(), "not-consistent", "{later} {stabilisation}");
        let text = failure.error.to_string();
        assert!(text.contains("`a`") || text.contains("`b`"), "{text}");
        assert!(
            failure.trajectory.end_time() < t,
            "{later} {stabilisation}: {}",
            failure.trajectory.end_time()
        );
    }
}

#[test]
fn constraints_that_are_written_twice_do_not_part() {
    for stabilisation in ["\"pstab\"", "\"none\"", "\"s-speed\"", "{ rate = 20, position = 100 }"] {
        let run = run_model(&pendulum(&format!(
            r#"
            constraints = {{ rod = "x^2 + y^2 - 1", again = "40 * sqrt(x^2 + y^2) - 40" }}
            run = {{ until = 30, rtol = 1e-5, stabilisation = {stabilisation} }}
            "#
        )));
        assert_eq!(run.outcome.code(), "reached-end", "{stabilisation}");
    }
}

#[test]
fn what_an_event_sets_is_not_undone_without_a_word() {
    let run = run_model(
        r#"
        coordinates = { x = 1, y = 0 }
        kinetic = "(x'^2 + y'^2) / 2"
        constraints.wall = "x - 1"
        events.hit = { at = 0.2, reset = { "x'" = 1, "y'" = 2 } }
        run.until = 1
        "#,
    );
    let text = note(&run, "reset-adjusted").expect("a note");
    assert!(text.contains("`hit`") && text.contains("`x'` to 1 but it is 0"), "{text}");
    assert!(!text.contains("`y'`"), "{text}");
    assert!((run.end_state()[3] - 2.0).abs() < 1e-12);
}

#[test]
fn an_impact_on_one_coordinate_needs_no_note() {
    let run = run_model(&pendulum(
        r#"
        constraints.rod = "x^2 + y^2 - 1"
        events.wall = { guard = "x < 0.3", reset = { "x'" = "-0.8 * x'" } }
        run.until = 3
        "#,
    ));
    assert!(run.event_times("wall").count() > 2 && note(&run, "reset-adjusted").is_none());
}

#[test]
fn a_pin_that_cannot_stay_is_refused() {
    let positions = failure_of(&pendulum(
        r#"
        constraints.rod = "x^2 + y^2 - 4"
        run = { until = 1, pinned = ["x", "y"] }
        "#,
    ));
    assert_eq!(positions.error.code(), "not-consistent");
    assert!(positions.error.to_string().contains("`x` is pinned at 1"), "{}", positions.error);
    let speeds = failure_of(&pendulum(
        r#"
        constraints.drive = "x - 1 - 3 * t"
        run = { until = 1, pinned = ["x"] }
        "#,
    ));
    assert!(
        speeds.error.to_string().contains("`x'` is pinned at 0 and would have to be 3"),
        "{}",
        speeds.error
    );
}

#[test]
fn a_constraint_that_is_not_a_number_is_named() {
    for (formula, left) in [("sqrt(x - 2)", "NaN"), ("1 / y - 3", "inf")] {
        let failure = failure_of(&pendulum(&format!("constraints.arm = \"{formula}\"\nrun.until = 1")));
        assert_eq!(failure.error.code(), "not-consistent");
        assert!(failure.error.to_string().contains(&format!("`arm` is off by {left}")), "{}", failure.error);
    }
}

#[test]
fn a_coordinate_without_mass_is_named() {
    for constraints in ["", "constraints.rod = \"x - 1\"\n"] {
        let failure = failure_of(&format!(
            "coordinates = {{ x = 1, y = 0, s = 1 }}\ninertia = {{ x = 1, y = 2 }}\n{constraints}run.until = 1"
        ));
        assert_eq!(failure.error.code(), "motion-not-determined");
        assert!(failure.error.to_string().contains("the mass of `s'` is 0"), "{}", failure.error);
    }
}

#[test]
fn a_constraint_without_a_gradient_is_not_called_a_copy_of_others() {
    let run = run_model(&pendulum("constraints.rod = \"(x - 1)^3\"\nrun.until = 1"));
    assert!(note(&run, "redundant-constraints").is_none());
    assert!(note(&run, "singular-position").is_some_and(|text| text.contains("`rod`")));
}

#[test]
fn a_surface_that_is_not_reached_is_told() {
    let run = run_model(&pendulum(
        r#"
        constraints = { rod = "x^2 + y^2 - 4" }
        run = { until = 1, stabilisation = { reach = 1, speed = 2 } }
        "#,
    ));
    let text = note(&run, "surface-not-reached").expect("a note");
    // From 6 the surface comes nearer by 1 in each unit of time.
    assert!(text.contains("`rod` (|s| = 5.000e0, |s| / η = 5.000e0)"), "{text}");
}

#[test]
fn upkeep_without_a_mechanism_is_refused() {
    for key in ["stabilisation = \"none\"", "datol = 1e-8", "metric = \"identity\""] {
        let text =
            format!("states = {{ x = 1 }}\nderivatives = {{ x = \"-x\" }}\nrun = {{ until = 1, {key} }}");
        let errors = Model::from_toml(&text).expect_err("there are no coordinates");
        assert!(errors.len() == 1 && errors[0].message.contains("no `coordinates`"), "{errors:?}");
    }
}

#[test]
fn what_is_said_about_corrections_is_refused_where_there_are_none() {
    let makers =
        ["stabilisation = \"none\"", "stabilisation = { rate = 20, position = 100 }", "method = \"alpha3\""];
    for maker in makers {
        for key in ["datol = 1e-8", "metric = \"identity\""] {
            let model = Model::from_toml(&pendulum(&format!("run = {{ until = 1, {maker}, {key} }}")));
            let errors =
                Plan::new(&model.expect("a model"), &Overrides::default()).expect_err("no corrections");
            assert!(errors.len() == 1 && errors[0].code == "wrong-method", "{maker} {key} {errors:?}");
            assert!(errors[0].message.contains("no corrections") && errors[0].span.is_some(), "{errors:?}");
        }
    }
}

#[test]
fn a_mode_at_rest_that_holds_nothing_is_told_at_once() {
    let run = run_model(
        "states = { a = -0.9, w = 0 }\nderivatives = { a = \"w\", w = \"-9.81*sin(a)\" }\n\
         events.wall = { guard = \"a > -0.1\", reset = { w = \"-0.5*w\" }, at_rest = \"held\" }\n\
         modes.free = {}\nmodes.held = {}\nrun.until = 8",
    );
    assert_eq!(run.outcome.code(), "accumulation", "{:?}", run.outcome);
    let rests = run.notes.iter().filter(|note| note.code == "came-to-rest").count();
    assert!(rests == 1 && run.statistics.events < 200, "{rests} {:?}", run.statistics);
}

#[test]
fn both_halves_of_inertia_are_one_entry() {
    let text = pendulum("inertia = { x.y = 0.5, y.x = 0.5 }\nrun.until = 1");
    let errors = Model::from_toml(&text).expect_err("the off-diagonal entry would count twice");
    assert!(errors.len() == 1 && errors[0].code == "duplicate-name", "{errors:?}");
    assert!(errors[0].message.contains("`y.x`") && errors[0].message.contains("`x.y`"), "{errors:?}");
}

fn rod(mechanism: Mechanism) -> ClosureSystem {
    mechanism.joints(["rod"], |_t, q, g| g[0] = q[0] * q[0] + q[1] * q[1] - 1.0).system()
}

fn refusal(system: &ClosureSystem, options: &Options) -> (&'static str, String) {
    let failure = simulate(system, &Start::at([1.0, 0.0, 0.0, 0.0]), options).expect_err("it is refused");
    (failure.error.code(), failure.error.to_string())
}

#[test]
fn a_pin_that_is_no_coordinate_is_refused() {
    let options = Options::until(1.0).pinned(vec![0, 2]);
    let (code, text) = refusal(&rod(Mechanism::new(["x", "y"])), &options);
    assert!(code == "bad-pin" && text.contains("coordinate 2 is pinned, and there are 2"), "{text}");
}

#[test]
fn a_mass_matrix_with_one_half_is_refused() {
    let half = Mechanism::new(["x", "y"])
        .mass_matrix(&[(0, 0), (0, 1), (1, 1)], |_t, _q, m| m.copy_from_slice(&[2.0, 0.5, 2.0]));
    let (code, text) = refusal(&rod(half), &Options::until(1.0));
    assert!(
        code == "uneven-mass" && text.contains("0.5 in row `x'` and column `y'`, and 0 in row"),
        "{text}"
    );
}

#[test]
fn terms_that_push_away_are_refused() {
    for stabilisation in [
        Stabilisation::Baumgarte { rate: -1.0, position: 1.0 },
        Stabilisation::Normal { rate: f64::NAN, position: 1.0 },
        Stabilisation::Reduced { decay: 1.0, rate: f64::INFINITY },
    ] {
        let options = Options::until(1.0).stabilisation(stabilisation);
        let (code, text) = refusal(&rod(Mechanism::new(["x", "y"])), &options);
        assert!(code == "bad-term" && text.contains("`rate`"), "{text}");
    }
}
