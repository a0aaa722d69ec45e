//! `painleve = "stop"` ends a run where a contact slides with more friction than its motion can have.

mod common;

use common::{has_note, run_model, try_model};
use slipstick::simulate::Error;
use slipstick::trajectory::EventKind;

/// A rod slides with its lower tip on a rough floor. Its friction may depend on where the tip is.
fn rod(friction: &str, run: &str) -> String {
    format!(
        r#"
        coordinates = {{ x = "cos(1.1)", y = "sin(1.1)", th = 1.1 }}
        speeds.x = -2
        kinetic = "(x'^2 + y'^2)/2 + th'^2/6"
        potential = "9.81*y"
        contacts.tip = {{ gap = "y - sin(th)", slip = "x' + th'*sin(th)", friction = "{friction}" }}
        [run]
        until = 0.02
        {run}"#
    )
}

/// Half way down, friction becomes too large for the motion.
const ZONES: &str = "if x - cos(th) > -0.01 then 1.2 else 1.4";

/// The friction from which on the force of the tip pulls its gap shut, at an angle.
fn critical(angle: f64) -> f64 {
    let (s, c) = angle.sin_cos();
    (1.0 + 3.0 * c * c) / (3.0 * s * c)
}

#[test]
fn a_run_goes_on_with_a_warning_unless_it_is_to_stop() {
    for friction in ["1.4", ZONES] {
        for run in ["", "painleve = \"continue\""] {
            let run = run_model(&rod(friction, run));
            assert!(has_note(&run, "painleve"), "{:?}", run.notes);
            assert!(run.events.iter().any(|e| e.kinds.contains(&EventKind::ImpactWithoutCollision)));
        }
    }
}

#[test]
fn the_end_of_a_run_names_contact_friction_critical_value_and_time() {
    for (friction, at_start) in [("1.4", true), (ZONES, false)] {
        let failure = try_model(&rod(friction, "painleve = \"stop\"")).expect_err("it jams");
        let Error::PainleveMet { contact, jam, has_forces, t } = &failure.error else {
            panic!("{}", failure.error);
        };
        assert_eq!((contact.as_str(), *has_forces, *t == 0.0), ("tip", false, at_start));
        assert_eq!(failure.error.code(), "painleve");
        let end = failure.trajectory.end_state();
        assert!((jam.friction - 1.4).abs() < 1e-15);
        assert!((jam.critical - critical(end[2])).abs() < 1e-9, "{} {}", jam.critical, critical(end[2]));
        assert!((*t - failure.trajectory.end_time()).abs() < 1e-15);
        assert!(failure.error.to_string().contains("critical 1.33"), "{}", failure.error);
    }
}

#[test]
fn a_run_with_little_friction_does_not_stop() {
    let run = run_model(&rod("1.2", "painleve = \"stop\""));
    assert!(run.notes.is_empty() && run.end_time() == 0.02);
}
