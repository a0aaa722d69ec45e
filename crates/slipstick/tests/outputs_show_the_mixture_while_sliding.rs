//! While a motion slides, outputs are mixed from both sides as the field is: a sticking force is what balances the load.

mod common;

use common::system_of as model;
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
