//! While a motion slides, outputs are mixed from both sides as the field is: a sticking force is what balances the load.

mod common;

use common::{run_model, system_of as model};
use slipstick::formulation::Mixture;
use slipstick::mode::Mode;

fn stuck(switches: usize) -> Mode {
    let mut mode = Mode::new(0, switches, 0);
    mode.structure.sliding = vec![0];
    mode
}

#[test]
fn a_sticking_force_balances_the_load() {
    let system = model(
        r#"
        states = { x = 0.3, v = 0.5 }
        switches = { slips = "v - 0.5" }
        derivatives = { x = "v", v = "-x - 0.6 * slips" }
        outputs = { force = "-0.6 * slips", product = "slips * x" }
        run.until = 1
        "#,
    );
    let (mut mixture, mut out) = (Mixture::new(&system, system.outputs()), [0.0; 2]);
    mixture.observe(&stuck(1), 0.0, &[0.3, 0.5], &mut out);
    assert!((out[0] - 0.3).abs() < 1e-15 && (out[1] + 0.15).abs() < 1e-15, "{out:?}");
    assert!((mixture.signs()[0] + 0.5).abs() < 1e-15, "the sign is the equivalent control");
    mixture.observe(&Mode::new(0, 1, 0), 0.0, &[0.3, 0.9], &mut out);
    assert_eq!((out, mixture.signs()), ([-0.6, 0.3], &[1.0][..]));
}

/// The output is not used by the motion, but it has the same sign in it.
#[test]
fn a_plain_sign_in_an_output_is_the_one_that_the_motion_slides_on() {
    let system = model(
        r#"
        states = { x = 0.3, v = 0.5 }
        derivatives = { x = "v", v = "-x - 0.6 * sign(v - 0.5)" }
        outputs = { force = "-0.6 * sign(v - 0.5)", twice = "2 * force" }
        run.until = 1
        "#,
    );
    let (mut mixture, mut out) = (Mixture::new(&system, system.outputs()), [0.0; 2]);
    mixture.observe(&stuck(1), 0.0, &[0.3, 0.5], &mut out);
    assert!((out[0] - 0.3).abs() < 1e-15 && (out[1] - 0.6).abs() < 1e-15, "{out:?}");
}

#[test]
fn a_guard_on_an_output_fires_once_for_each_crossing() {
    for (reset, method) in ["", ", reset = { n = \"n + 1\" }"].iter().flat_map(|reset| {
        ["auto", "dopri5", "tsit5", "bs32", "radau5", "rodas4"].map(|method| (reset, method))
    }) {
        let run = run_model(&format!(
            r#"
            states = {{ x = 0 }}
            discrete = {{ n = 0 }}
            outputs = {{ u = "-2*sign(x)" }}
            derivatives = {{ x = "u + 0.5*sin(t)" }}
            events.low = {{ guard = "u < -0.3"{reset} }}
            run = {{ until = 20, method = "{method}" }}
            "#
        ));
        // While it slides u = -sin(t) / 2: it falls through -0.3 where sin(t) rises through 0.6.
        let expected = (0..4).map(|k| 0.6_f64.asin() + f64::from(k) * std::f64::consts::TAU);
        let times: Vec<f64> = run.event_times("low").collect();
        assert_eq!(times.len(), 4, "{method}{reset}: {times:?}");
        assert!(times.iter().zip(expected).all(|(t, exact)| (t - exact).abs() < 1e-9), "{method}: {times:?}");
    }
}

#[test]
fn a_reset_reads_what_the_outputs_show() {
    let run = run_model(
        r#"
        states = { x = 1 }
        discrete = { s = 0, n = 0 }
        switches = { w = "x" }
        outputs = { u = "-2 * w" }
        derivatives = { x = "u + 0.5 * sin(t)" }
        events.sample = { at = 5, reset = { s = "u", n = "n + 1" } }
        run.until = 6
        "#,
    );
    let discrete = &run.segments.last().expect("a segment").mode.values.discrete;
    assert!((discrete[0] + 0.5 * 5.0_f64.sin()).abs() < 1e-12 && discrete[1] == 1.0, "{discrete:?}");
}
