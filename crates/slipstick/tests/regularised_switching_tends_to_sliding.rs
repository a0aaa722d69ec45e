//! With `regularise`, signs and comparisons are straight lines near their surface; the narrower, the nearer to the sliding motion.

mod common;

use common::{run_model, system_of};
use slipstick::equations::System;
use slipstick::math::distance;
use slipstick::trajectory::EventKind;

fn end(right_hand_side: &str, rest: &str, regularise: Option<f64>) -> Vec<f64> {
    let layer = regularise.map_or(String::new(), |width| format!("run.regularise = {width}"));
    let run = run_model(&format!(
        "states = {{ x = 0, v = 0 }}\nderivatives = {{ x = \"v\", v = \"{right_hand_side}\" }}\n{rest}\nrun.until = 4\n{layer}"
    ));
    assert!(run.outcome.is_complete(), "{}", run.outcome);
    let slides = run.events.iter().any(|e| e.kinds.contains(&EventKind::Slide));
    assert_eq!(slides, regularise.is_none(), "a layer is not slid on");
    run.end_state().to_vec()
}

#[test]
fn the_error_is_about_the_width_of_the_layer() {
    let switch = "switches.slips = \"v - 0.5\"";
    let named = "1.2 * sin(2 * t) - x - 0.6 * slips";
    let plain = "1.2 * sin(2 * t) - x - 0.6 * sign(v - 0.5)";
    let chosen = "1.2 * sin(2 * t) - x + (if v > 0.5 then -0.6 else 0.6)";
    let both = "1.2 * sin(2 * t) - x + (if not (v <= 0.5) and t > -1 then -0.6 else 0.6)";
    for (formula, rest) in [(named, switch), (plain, ""), (chosen, ""), (both, "")] {
        let exact = end(formula, rest, None);
        for width in [1e-2, 1e-3, 1e-4] {
            let error = distance(&end(formula, rest, Some(width)), &exact);
            assert!(error > 1e-3 * width && error < 10.0 * width, "{formula} {width} {error}");
        }
    }
}

#[test]
fn the_ends_of_the_layer_are_kinks_with_names() {
    let system = system_of(
        "states.x = 1\nderivatives.x = \"-sign(x) - abs(x)\"\nrun = { until = 1, regularise = 0.1 }",
    );
    let names: Vec<&str> = system.shape().guards.iter().map(|guard| guard.name.as_str()).collect();
    let expected =
        ["sign(x) = 1 in derivatives.x", "sign(x) = -1 in derivatives.x", "abs(x) in derivatives.x"];
    assert_eq!(names, expected);
    let mut slope = [0.0];
    let mode = common::lock(&system, 0, 0.0, &[0.05]);
    system.evaluator().derivative(mode.locked(&system.shape().parameters), 0.0, &[0.05], &mut slope);
    assert_eq!(slope, [-0.55]);
}

/// Only the ends of the layer are there to be met. Before, the surface in its middle switched a sign that nothing used.
#[test]
fn a_named_switch_has_no_surface_of_its_own() {
    let text = "states.x = -1\nswitches = { s = \"x\", other = \"x - 0.2\" }\n\
                derivatives.x = \"2 + s + 0.1 * abs(x)\"\noutputs.shown = \"s\"\nrun = { until = 2, regularise = 0.1 }";
    let system = system_of(text);
    let names: Vec<&str> = system.shape().guards.iter().map(|guard| guard.name.as_str()).collect();
    assert_eq!(names, ["s = 1 in switches", "s = -1 in switches", "abs(x) in derivatives.x"]);
    assert_eq!(system.shape().switch_names[..2], ["s", "other"]);
    let run = run_model(text);
    let fired: Vec<usize> = run.events.iter().flat_map(|event| event.guards.clone()).collect();
    assert_eq!(fired, [1, 2, 0], "{:?}", run.events);
    let mode = common::lock(&system, 0, 0.0, &[0.05]);
    let mut shown = [0.0; 2];
    system.switches().observe(mode.locked(&system.shape().parameters), 0.0, &[0.05], &mut shown);
    assert!((shown[0] - 0.5).abs() < 1e-15 && shown[1] == -1.0, "{shown:?}");
}
