//! A user's model is verified in variants that need no knowledge of it: what holds is said to hold, what is
//! fragile is named, with the reason.

use slipstick::model::Model;
use slipstick::problems::{Cause, Trust, Verification};
use slipstick::simulate::{Overrides, Plan};

fn verify(text: &str) -> Trust {
    let model = Model::from_toml(text).unwrap();
    Verification::new(&model, &Overrides::default(), &|_: &mut Plan| ()).verify().unwrap()
}

/// Models that the gallery tests against their truth, and that are not verified here, with the reason.
const NOT_HERE: &[(&str, &str)] = &[
    ("chain-on-floor", "rounding decides which of two ends of links is hit first"),
    ("cradle", "takes half a minute"),
    ("crank-with-clearance", "sdirk4 ends with an event-cycle where a corner slides"),
    ("four-bar", "ten seconds of dopri5 are off by twice the tolerance"),
    (
        "latch",
        "sdirk4 ends with contact-unsolved where the latch shuts on what a stop and dry friction hold too",
    ),
    ("n-four-bar", "dopri5 stops at its singular configuration"),
    ("pinball", "errors grow with each hit"),
    ("ratchet", "how the pawl shares its load between a tooth and the hub is not unique"),
    ("verge", "errors grow until it has found its period"),
];

#[test]
fn ready_models_hold() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");
    for file in std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path()) {
        let Some("toml") = file.extension().and_then(|ending| ending.to_str()) else { continue };
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        if NOT_HERE.iter().any(|(not, _)| *not == name) {
            continue;
        }
        let trust = verify(&std::fs::read_to_string(&file).unwrap());
        assert!(trust.holds(), "{}: {:?} {:?}", file.display(), trust.failure, trust.fragile);
        assert!(trust.tried.len() >= 15 && trust.apart < 1e-5, "{}: {}", file.display(), trust.apart);
    }
}

/// The crest of a swing is 1e-10 above a level: less than errors within the tolerance.
#[test]
fn a_graze_below_the_tolerance_is_named() {
    let trust = verify(
        r#"
        states = { x = 0, v = 1 }
        derivatives = { x = "v", v = "-x" }
        events.high.guard = "x > 0.9999999999"
        run = { until = 6, rtol = 1e-7 }
        "#,
    );
    assert!(!trust.holds() && trust.growth.is_none());
    let fragile = trust.fragile.expect("an event");
    assert_eq!(fragile.difference.name, "high");
    assert!((fragile.difference.t - std::f64::consts::FRAC_PI_2).abs() < 1e-3);
    assert!(matches!(fragile.cause, Cause::Graze { extreme, .. } if extreme < 1e-9), "{:?}", fragile.cause);
}

/// Restitution that tends to one with the speed: intervals shrink as 1/k², and accumulate too slowly to be
/// followed.
#[test]
fn a_slow_accumulation_is_named() {
    let trust = verify(
        r#"
        states = { y = 1, v = 0 }
        derivatives = { y = "v", v = -9.81 }
        events.floor = { guard = "y < 0", reset = { v = "-(1 - 0.05*sqrt(abs(v)))*v" } }
        run = { until = 60, max_events = 1000 }
        "#,
    );
    assert!(!trust.holds());
    let (name, cause) = trust.slow.expect("an event");
    assert_eq!(name, "floor");
    assert!(matches!(cause, Cause::Zeno { ratio, .. } if ratio > 0.99), "{cause:?}");
}

/// The equations of Lorenz: errors grow by e in about 1.1 s on the attractor, and tenfold in about 2.5 s.
#[test]
fn chaos_is_told_by_the_growth_of_errors() {
    let trust = verify(
        r#"
        states = { x = -5, y = -8, z = 20 }
        derivatives = { x = "10*(y - x)", y = "x*(28 - z) - y", z = "x*y - 8/3*z" }
        run.until = 40
        "#,
    );
    assert!(!trust.holds());
    let growth = trust.growth.expect("errors grow");
    assert!((1.5..4.0).contains(&growth.tenfold), "{growth:?}");
    assert!(growth.from.is_some_and(|from| (5.0..20.0).contains(&from)), "{growth:?}");
    assert_eq!(trust.fragile.map(|fragile| fragile.cause), Some(Cause::Chaos));
}

/// Two events at one instant that set the same speed: which of them is last must not matter, and does.
#[test]
fn an_order_that_matters_is_found() {
    let trust = verify(
        r#"
        coordinates = { a = -1, b = 0, c = 1 }
        speeds = { a = 1, b = 0, c = -1 }
        inertia = { a = 1, b = 1, c = 1 }
        events.ab = { guard = "b - a < 0", reset = { "a'" = "b'", "b'" = "a'" } }
        events.bc = { guard = "c - b < 0", reset = { "b'" = "c'", "c'" = "b'" } }
        run.until = 1.5
        "#,
    );
    assert!(!trust.holds());
}
