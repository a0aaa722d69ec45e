//! Guards that are Boolean formulas of comparisons, the mode and discrete variables, and what runs make of them.

mod common;

use common::{plan, system_of};
use slipstick::equations::{Direction, EntryRule, Facts, GuardCondition, GuardKind, System};
use slipstick::mode::Mode;
use slipstick::simulate::simulate;
use slipstick::trajectory::Event;
use std::f64::consts::PI;

fn sign(comparison: usize, positive: bool) -> GuardCondition {
    GuardCondition::Sign { comparison, positive }
}

/// A system with one event that has this guard.
fn guarded(guard: &str) -> slipstick::equations::FormulaSystem {
    system_of(&format!(
        r#"
        states = {{ x = 1, v = 0 }}
        discrete = {{ n = 2 }}
        parameters = {{ on = 1 }}
        outputs = {{ next = "n + 1", height = "x + next" }}
        derivatives = {{ x = "v", v = "-x" }}
        events.e = {{ guard = "{guard}" }}
        run.until = 1
        "#
    ))
}

#[test]
fn a_single_comparison_is_one_surface_as_before() {
    for guard in ["x > 1", "v", "x + n < 3", "height >= 2", "(x > 1)", "not (not x > 1)"] {
        let system = guarded(guard);
        let [only] = &system.shape().guards[..] else { panic!("{guard}") };
        assert_eq!((only.kind, &only.condition), (GuardKind::Surface, &GuardCondition::Crossing), "{guard}");
        assert_eq!(system.shape().condition_number, 0);
    }
}

#[test]
fn every_comparison_is_a_surface_of_its_own() {
    let system = guarded("x > 0.5 and (v < 0 or not x + v <= 2)");
    let guards = &system.shape().guards;
    assert_eq!(guards.len(), 4);
    let names: Vec<&str> = guards.iter().map(|guard| guard.name.as_str()).collect();
    assert_eq!(
        names,
        ["x > 0.5 in events.e.guard", "v < 0 in events.e.guard", "x + v <= 2 in events.e.guard", "e"]
    );
    for guard in &guards[..3] {
        assert_eq!(
            (guard.kind, guard.direction),
            (GuardKind::Comparison { scheduled: None }, Direction::Both)
        );
        assert!(!guard.response.acts());
    }
    // Zero belongs to the side on which `>=` holds and `<` does not.
    assert_eq!([0, 1, 2].map(|g| guards[g].closed), [false, true, false]);
    assert_eq!(guards[3].kind, GuardKind::Compound);
    let other = GuardCondition::Not(Box::new(sign(2, false)));
    assert_eq!(
        guards[3].condition,
        GuardCondition::And(vec![sign(0, true), GuardCondition::Or(vec![sign(1, false), other])])
    );
    let (mode, mut values) = (Mode::start(&system, 0), [f64::NAN; 4]);
    system.evaluator().guards(mode.locked(&system.shape().parameters), 0.0, &[1.0, 3.0], &mut values);
    assert_eq!(values[..3], [0.5, 3.0, 2.0]);
    assert!(values[3].is_nan(), "what joins conditions has no surface");
}

#[test]
fn a_comparison_that_is_written_twice_or_turned_round_is_one() {
    let system = guarded("x > 0.5 and 0.5 < x and (x <= 0.5 or 0.5 >= x) and x >= 0.5");
    // `>` and `<=` share a surface; `>=` has another zero.
    assert_eq!(system.shape().guards.len(), 3);
    let either = GuardCondition::Or(vec![sign(0, false), sign(0, false)]);
    let all = vec![sign(0, true), sign(0, true), either, sign(1, true)];
    assert_eq!(system.shape().guards[2].condition, GuardCondition::And(all));
}

#[test]
fn what_changes_only_at_events_has_no_surface() {
    for (guard, holds) in [("n >= 3", false), ("n == 2", true), ("next != 3", false), ("3 > n", true)] {
        let system = guarded(guard);
        let [only] = &system.shape().guards[..] else { panic!("{guard}") };
        assert_eq!(
            (only.kind, &only.condition),
            (GuardKind::Compound, &GuardCondition::Discrete(0)),
            "{guard}"
        );
        let (mode, mut values) = (Mode::start(&system, 0), [f64::NAN]);
        system.evaluator().conditions(mode.locked(&system.shape().parameters), &mut values);
        assert_eq!(values[0] > 0.0, holds, "{guard}");
    }
}

#[test]
fn discrete_variables_and_parameters_stand_beside_comparisons() {
    let system = guarded("n >= 2 and on > 0.5 and x > n");
    assert_eq!(system.shape().condition_number, 2);
    let condition = &system.shape().guards[1].condition;
    assert_eq!(
        *condition,
        GuardCondition::And(vec![GuardCondition::Discrete(0), GuardCondition::Discrete(1), sign(0, true)])
    );
    let truth = |positive: bool, n: f64| {
        let (mut mode, mut values) = (Mode::start(&system, 0), [f64::NAN; 2]);
        mode.values.discrete[0] = n;
        system.evaluator().conditions(mode.locked(&system.shape().parameters), &mut values);
        condition.truth(Facts { mode: 0, discrete: &values, is_positive: &|_| Some(positive) })
    };
    assert_eq!(
        [truth(true, 2.0), truth(true, 1.0), truth(false, 2.0)],
        [Some(true), Some(false), Some(false)]
    );
}

#[test]
fn times_in_conditions_are_known_beforehand() {
    let system = guarded("t > 0.25 and x > 0.5");
    let guards = &system.shape().guards;
    assert_eq!(guards[0].kind, GuardKind::Comparison { scheduled: Some(true) });
    let (mode, mut times) = (Mode::start(&system, 0), [f64::NAN; 3]);
    system.evaluator().schedule(mode.locked(&system.shape().parameters), &mut times);
    assert_eq!(times[0], 0.25);
}

const MODES: &str = r#"
states = { x = 0 }
derivatives = { x = 1 }
events.warm = { guard = "mode == heating and x > 1" }
modes.heating.events.hot = { guard = "x > 2 and t > 1", goto = "cooling", on_entry = false }
modes.cooling.events.cold = { guard = "x < 3 or mode != cooling", goto = "heating", priority = -2 }
run.until = 1
"#;

#[test]
fn the_mode_is_part_of_a_condition_and_comparisons_are_watched_where_they_are_used() {
    let system = system_of(MODES);
    let guards = &system.shape().guards;
    let find = |name: &str| guards.iter().find(|guard| guard.name.starts_with(name)).expect("a guard");
    assert_eq!(find("warm").condition, GuardCondition::And(vec![GuardCondition::Mode(0), sign(0, true)]));
    assert_eq!([find("x > 1").mode, find("x > 2").mode, find("x < 3").mode], [None, Some(0), Some(1)]);
    assert_eq!((find("hot").on_entry, find("cold").on_entry), (EntryRule::Waits, EntryRule::Fires));
    assert_eq!((find("hot").priority, find("cold").priority), (0, -2));
}

#[test]
fn locks_in_a_condition_are_watched() {
    let system = guarded("abs(v) > 0.5 and floor(x) >= 2");
    let names: Vec<&str> = system.shape().guards.iter().map(|guard| guard.name.as_str()).collect();
    assert!(names.contains(&"abs(v) in events.e.guard"), "{names:?}");
    assert!(names.contains(&"floor(x) in events.e.guard"), "{names:?}");
}

/// Names and times of events.
fn happens(text: &str) -> Vec<(String, f64)> {
    let plan = plan(text);
    let run = simulate(&plan.system, &plan.start, &plan.options).expect("a run");
    let names = |event: &Event| event.guards.iter().map(|&g| run.guard_names[g].clone()).collect::<Vec<_>>();
    run.events.iter().map(|event| (names(event).join("+"), event.t)).collect()
}

fn assert_happens(found: &[(String, f64)], expected: &[(&str, f64)]) {
    let same = found.len() == expected.len()
        && found.iter().zip(expected).all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() < 1e-6);
    assert!(same, "{found:?}, not {expected:?}");
}

#[test]
fn a_joined_condition_fires_where_it_becomes_true() {
    let run = |guard: &str| {
        happens(&format!(
            "states = {{ x = 0, y = 0 }}\nderivatives = {{ x = 1, y = \"cos(3*t)\" }}\n\
             events.e = {{ guard = \"{guard}\" }}\nrun = {{ until = 4, rtol = 1e-9 }}"
        ))
    };
    // y = sin(3 t) / 3 falls below zero at π/3 and π, and rises above it at 2π/3.
    let third = std::f64::consts::FRAC_PI_3;
    assert_happens(&run("x > 0.5 and y < 0"), &[("e", third), ("e", 3.0 * third)]);
    assert_happens(&run("x > 1.5 and y < 0"), &[("e", 1.5), ("e", 3.0 * third)]);
    assert_happens(&run("y < 0 or x > 3"), &[("e", third), ("e", 3.0)]);
    assert_happens(&run("not (x < 2) and not (y > 0)"), &[("e", 2.0), ("e", 3.0 * third)]);
    assert_happens(&run("x > 1 and x < 1"), &[]);
    for guard in ["not (not (x > 1))", "not not x > 1", "not (not (not (x < 1)))"] {
        assert_happens(&run(guard), &[("e", 1.0)]);
    }
}

#[test]
fn modes_and_discrete_variables_are_parts_of_conditions() {
    let found = happens(
        r#"
        states = { T = 15, k = 0 }
        discrete = { gear = 1 }
        events.warm = { guard = "T > 18 and mode == heat" }
        events.up = { guard = "k > 1", reset = { gear = 2 } }
        events.high = { guard = "gear == 2 and T < 17.5" }
        run.until = 12
        modes.heat = { derivatives = { T = 1, k = 0.3 }, events.hot = { guard = "T > 20", goto = "cool" } }
        modes.cool = { derivatives = { T = -1, k = 0.3 }, events.cold = { guard = "T < 16", goto = "heat" } }
        "#,
    );
    let expected =
        [("warm", 3.0), ("up", 10.0 / 3.0), ("hot", 5.0), ("high", 7.5), ("cold", 9.0), ("warm", 11.0)];
    assert_happens(&found, &expected);
}

#[test]
fn what_waits_on_entry_has_to_be_false_first() {
    for (entry, expected) in [("", vec![("go", 0.0)]), (", on_entry = false", vec![("go", 7.0 / 6.0 * PI)])] {
        let found = happens(&format!(
            "states.s = 1\nrun = {{ until = 4, rtol = 1e-9 }}\n\
             modes.a = {{ derivatives.s = \"cos(t)\", events.go = {{ guard = \"s < 0.5 or s > 0.9\", goto = \"b\"{entry} }} }}\n\
             modes.b = {{ derivatives.s = 0 }}"
        ));
        assert_happens(&found, &expected);
    }
}

#[test]
fn the_higher_priority_decides_between_two_resets() {
    for (first, second, end) in [(1, 0, 1.0), (0, 1, 2.0), (-3, -4, 1.0)] {
        let plan = plan(&format!(
            "states = {{ x = -1, n = 0 }}\nderivatives = {{ x = 1, n = 0 }}\n\
             events.one = {{ guard = \"x > 0\", reset.n = 1, priority = {first} }}\n\
             events.two = {{ guard = \"x > 0\", reset.n = 2, priority = {second} }}\nrun.until = 2"
        ));
        let run = simulate(&plan.system, &plan.start, &plan.options).expect("a run");
        assert_eq!(run.end_state()[1], end);
    }
}
