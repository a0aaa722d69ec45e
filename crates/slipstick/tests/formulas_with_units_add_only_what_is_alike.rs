//! A unit in a model is checked wherever its quantity goes; a model without units is free.

mod common;

use common::run_model;
use slipstick::model::{Diagnostic, Model};

/// A spring with a mass, in units. `extra` is added, `x` starts at `start`.
fn spring(start: &str, rate: &str, extra: &str) -> String {
    format!(
        r#"
        parameters = {{ m = "200 g", k = "80 N/m", c = "0.1 N*s/m", g = "9.81 m/s^2" }}
        states = {{ x = "{start}", v = "0 m/s" }}
        derivatives = {{ x = "v", v = "{rate}" }}
        outputs = {{ force = "-k * x - c * v", energy = "m * v^2 / 2 + k * x^2 / 2" }}
        run = {{ until = "2 s", longest_step = "50 ms" }}
        {extra}
        "#
    )
}

fn errors(text: &str) -> Vec<Diagnostic> {
    Model::from_toml(text).err().unwrap_or_default()
}

/// Code, message and place of the only error.
fn only_error(text: &str) -> (&'static str, String, &str) {
    let errors = errors(text);
    let [error] = errors.as_slice() else { panic!("not one error: {errors:?}") };
    let span = error.span.clone().unwrap_or_default();
    (error.code, error.message.clone(), text.get(span).unwrap_or_default())
}

fn message(text: &str) -> String {
    only_error(text).1
}

#[test]
fn a_model_in_units_runs_as_the_same_one_in_si() {
    let with = run_model(&spring("30 mm", "force / m - g", ""));
    let plain = run_model(
        r#"
        parameters = { m = 0.2, k = 80, c = 0.1, g = 9.81 }
        states = { x = 0.03, v = 0 }
        derivatives = { x = "v", v = "force / m - g" }
        outputs = { force = "-k * x - c * v" }
        run = { until = 2, longest_step = 0.05 }
        "#,
    );
    let bits = |state: &[f64]| state.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(with.end_state()), bits(plain.end_state()));
}

#[test]
fn sums_of_different_dimensions_are_named_where_they_stand() {
    let text = spring("30 mm", "(k * x + m * v) / m", "");
    let wanted = ("mixed-units", "`k * x + m * v` adds N and N*s".to_owned(), "k * x + m * v");
    assert_eq!(only_error(&text), wanted);
    let guard = spring("30 mm", "-k * x / m", "[events.low]\nguard = \"x < m\"");
    assert_eq!(only_error(&guard), ("mixed-units", "`x < m` compares m with kg".to_owned(), "x < m"));
    let audit = spring("30 mm", "-k * x / m", "[audit]\ntotal = \"energy + force\"");
    assert_eq!(message(&audit), "`energy + force` adds N*m and N");
}

#[test]
fn states_and_their_rates_go_together() {
    assert_eq!(message(&spring("30 mm", "force", "")), "`force` is a force, `derivatives.v` needs m/s^2");
    let first = &errors(&spring("3 s", "-v / 1 s", ""))[0];
    assert_eq!(first.message, "`v` is a velocity, `derivatives.x` needs a plain number");
}

#[test]
fn resets_fit_what_they_set() {
    let event = |reset: &str| format!("[events.low]\nguard = \"x < 0\"\nreset = {{ v = \"{reset}\" }}");
    assert_eq!(errors(&spring("30 mm", "force / m", &event("-0.5 * v"))), []);
    assert_eq!(message(&spring("30 mm", "force / m", &event("x"))), "`x` is a length, `reset.v` needs m/s");
}

#[test]
fn times_are_times() {
    let text = "states.x = 1\nderivatives.x = \"-x\"\nrun.until = \"3 m\"";
    assert_eq!(
        only_error(text),
        ("wrong-dimension", "`\"3 m\"` is a length, `until` needs s".to_owned(), "3 m")
    );
    let event = "[events.tick]\nevery = \"20 Hz\"\nreset = { v = 0 }";
    assert_eq!(message(&spring("30 mm", "force / m", event)), "`\"20 Hz\"` is a frequency, `every` needs s");
}

#[test]
fn what_has_no_unit_is_free() {
    for model in [
        "states = { x = 0, v = 1 }\nderivatives = { x = \"v\", v = \"sin(t) + t - exp(v) * cos(x)\" }\nrun.until = 1",
        "parameters.m = 2\nstates.x = \"m + 1\"\nderivatives.x = \"m + t * x + 1 / x\"\nrun.until = 1",
        "states.x = 0\nderivatives.x = \"t + x\"\nrun.until = \"1 s\"",
    ] {
        assert_eq!(errors(model), [], "{model}");
    }
}

#[test]
fn coordinates_and_speeds_know_each_other() {
    let model = |speed: &str, potential: &str| {
        format!(
            r#"
            parameters = {{ m = "2 kg", l = "300 mm", g = "9.81 m/s^2" }}
            coordinates.phi = "30 deg"
            speeds.phi = "{speed}"
            kinetic = "m * l^2 * phi'^2 / 2"
            potential = "{potential}"
            run.until = "1 s"
            "#
        )
    };
    let weight = "-m * g * l * cos(phi)";
    assert_eq!(errors(&model("20 rpm", weight)), []);
    assert_eq!(message(&model("2 Hz", weight)), "`\"2 Hz\"` is no angular velocity");
    assert_eq!(message(&model("1 m/s", weight)), "`\"1 m/s\"` is a velocity, `phi'` needs rad/s");
    assert_eq!(message(&model("0", "-m * g * (l + cos(phi))")), "`l + cos(phi)` adds m and a plain number");
}

#[test]
fn compliant_contacts_keep_their_units() {
    let model = |numbers: &str| {
        format!(
            r#"
            parameters = {{ m = "2 kg", g = "9.81 m/s^2" }}
            coordinates.y = "200 mm"
            kinetic = "m * y'^2 / 2"
            potential = "m * g * y"
            contacts.floor = {{ gap = "y - 5 mm * sin(2 rad/s * t)", {numbers} }}
            outputs.sum = "contact.floor.force.n - m * g"
            run.until = "0.3 s"
            "#
        )
    };
    for numbers in [
        "stiffness = \"10 kN/m\"",
        "stiffness = \"10 kN/m\", damping = \"3 N*s/m\"",
        "stiffness = 10000, damping = 3",
        "stiffness = 10000, damping = 3, law = \"hertz\"",
    ] {
        assert_eq!(errors(&model(numbers)), [], "{numbers}");
    }
    let text = model("stiffness = \"10 kN\"");
    assert_eq!(message(&text), "`contact.floor.force.n - m * g` subtracts N from N*m");
    let text = model("stiffness = \"10 kN/m\", damping = \"3 N/m\"");
    assert_eq!(message(&text), "`\"3 N/m\"` is a stiffness, `damping` needs N*s/m");
}
