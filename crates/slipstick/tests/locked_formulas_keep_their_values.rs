//! A formula whose branches are locked at a point has the value and the slopes there that it has as it is written.

mod common;

use common::{lock, system_of};
use proptest::prelude::*;
use slipstick::equations::System;
use slipstick::simulate::simulate;

/// Formulas of `x`, `y` and `t` that have kinks and jumps, with roots and quotients only where they are defined.
fn formula() -> impl Strategy<Value = String> {
    let number = prop::sample::select(vec!["0.5", "1", "2", "3.7", "p"]);
    let leaf = prop_oneof![
        3 => prop::sample::select(vec!["x", "y", "t"]).prop_map(str::to_owned),
        1 => number.prop_map(str::to_owned),
    ];
    leaf.prop_recursive(4, 24, 3, |part| {
        let unary = prop::sample::select(vec!["abs", "sign", "floor", "ceil", "round", "sin", "-"]);
        let binary = prop::sample::select(vec!["min", "max", "mod", "atan2"]);
        let infix = prop::sample::select(vec!["+", "-", "*"]);
        let relation = prop::sample::select(vec!["<", "<=", ">", ">="]);
        let word = prop::sample::select(vec!["and", "or", "and not"]);
        let pair = (part.clone(), part.clone());
        prop_oneof![
            3 => (infix, pair.clone()).prop_map(|(op, (a, b))| format!("({a} {op} {b})")),
            3 => (unary, part.clone()).prop_map(|(f, a)| format!("{f}({a})")),
            2 => (binary, pair.clone()).prop_map(|(f, (a, b))| format!("{f}({a}, {b})")),
            1 => part.clone().prop_map(|a| format!("clamp({a}, -1, p)")),
            1 => part.clone().prop_map(|a| format!("if({a} > 0, abs(sqrt({a}) - 1), 0.5)")),
            1 => part.clone().prop_map(|a| format!("if({a} < 0.1, {a}, min(1 / {a}, ln({a})))")),
            2 => (relation.clone(), pair.clone(), pair.clone())
                .prop_map(|(r, (a, b), (c, d))| format!("if({a} {r} {b}, {c}, {d})")),
            1 => (relation, word, pair.clone(), pair)
                .prop_map(|(r, w, (a, b), (c, d))| format!("if({a} {r} {b} {w} {c} < {d}, {a}, {d})")),
        ]
    })
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * (1.0 + b.abs())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn locking_changes_no_value_and_no_slope(
        formula in formula(), t in -5.0..5.0_f64, x in -5.0..5.0_f64, y in -5.0..5.0_f64,
    ) {
        let system = system_of(&format!(
            "parameters.p = 1.5\nstates = {{ x = 0, y = 0 }}\nrun.until = 1\n\
             derivatives = {{ x = \"{formula}\", y = \"smooth({formula})\" }}"
        ));
        let (state, mut evaluator) = ([x, y], system.evaluator());
        let mut values = vec![0.0; system.shape().guards.len()];
        let mode = lock(&system, 0, t, &state);
        evaluator.guards(mode.locked(&system.shape().parameters), t, &state, &mut values);
        let mut dy = [0.0; 2];
        evaluator.derivative(mode.locked(&system.shape().parameters), t, &state, &mut dy);
        // What has no value as it is written (`mod(x, 0)`) need not have one.
        prop_assume!(dy[1].is_finite());
        // Nor need a comparison with it have a side.
        let undefined = values.iter().any(|v| v.is_nan()) && formula.contains("mod(");
        prop_assume!(!undefined);
        prop_assert!(values.iter().all(|v| v.is_finite()), "{formula}: {values:?}");
        // On a surface, both branches are as good.
        if values.contains(&0.0) {
            return Ok(());
        }
        prop_assert!(dy[0].is_finite() && near(dy[0], dy[1]), "{formula}: {dy:?}");
        let mut jacobian = [0.0; 4];
        prop_assert!(evaluator.jacobian(mode.locked(&system.shape().parameters), t, &state, &mut jacobian));
        let rows = (&jacobian[..2], &jacobian[2..]);
        let same = rows.0.iter().zip(rows.1).all(|(a, b)| near(*a, *b) || !b.is_finite());
        prop_assert!(same, "{formula}: {jacobian:?}");
    }

    /// Each guard depends only on those before it, so that one pass from the first to the last locks all.
    #[test]
    fn one_pass_locks_everything(
        formula in formula(), t in -5.0..5.0_f64, x in -5.0..5.0_f64, y in -5.0..5.0_f64,
    ) {
        let system = system_of(&format!(
            "parameters.p = 1.5\nstates = {{ x = 0, y = 0 }}\nrun.until = 1\n\
             switches.way = \"abs(x) - 1\"\nderivatives = {{ x = \"{formula}\", y = \"way * abs(way + y)\" }}"
        ));
        let (state, mut evaluator) = ([x, y], system.evaluator());
        let mode = lock(&system, 0, t, &state);
        let mut dy = [0.0; 2];
        evaluator.derivative(mode.locked(&system.shape().parameters), t, &state, &mut dy);
        // Where a formula has no value there is nothing to lock.
        prop_assume!(dy[0].is_finite());
        for (g, guard) in system.shape().guards.iter().enumerate() {
            let value = evaluator.guard(mode.locked(&system.shape().parameters), g, t, &state);
            prop_assume!(!value.is_nan() || !formula.contains("mod("));
            if let Some(switch) = guard.response.switch {
                prop_assert!(value * mode.values.signs[switch] >= 0.0, "{} in {formula}", guard.name);
            }
            if let Some(count) = guard.response.count {
                prop_assert!(if count.up { value < 0.0 } else { value >= 0.0 }, "{} in {formula}", guard.name);
            }
        }
    }
}

/// A remainder of nothing is not a number, locked or not.
#[test]
fn a_remainder_of_nothing_is_an_error() {
    for (formula, name) in [("mod(x, 0)", "x"), ("mod(t, 0)", "x"), ("mod(x, p)", "mod"), ("mod(x, z)", "x")]
    {
        let text = format!(
            "parameters.p = 0\nstates = {{ x = 1, z = 0 }}\nderivatives = {{ x = \"{formula}\", z = 0 }}\nrun.until = 1"
        );
        let plan = common::plan(&text);
        let failure = simulate(&plan.system, &plan.start, &plan.options).expect_err(formula);
        let message = failure.error.to_string();
        assert!(message.contains(name) && (message.contains("NaN") || message.contains("inf")), "{message}");
    }
}
