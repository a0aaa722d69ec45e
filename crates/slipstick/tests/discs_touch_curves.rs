//! Discs touch smooth curves and ellipses as the same shapes otherwise written, and as closed forms say.

mod gallery;

use gallery::Gallery;
use slipstick::model::Model;
use slipstick::step::Method;
use slipstick::trajectory::Outcome;

/// A follower that is thrown off an eccentric cam and comes back to it.
fn cam(lobe: &str, friction: &str) -> String {
    format!(
        "gravity = [0, -9.81]
        [bodies]
        cam = {{ mass = 1, inertia = 0.01, angle = -1.5707963267948966 }}
        follower = {{ shape = {{ disc = 0.01 }}, mass = 0.5, x = 0.004, y = 0.05 }}
        [joints]
        axis = {{ revolute = [\"ground\", \"cam.origin\"] }}
        guide = {{ prismatic = [\"ground\", \"follower.origin\"], axis = [0, 1] }}
        [drives]
        turn = {{ joint = \"axis\", velocity = 30 }}
        [shapes]
        lobe = {{ body = \"cam\", at = [0.02, 0], {lobe} }}
        [contacts]
        touch = {{ between = [\"follower\", \"lobe\"], restitution = 0{friction} }}
        [outputs]
        gap = \"contact.touch.gap\"
        force = \"contact.touch.force.n\"
        [run]
        until = 0.6
        rtol = 1e-10
        atol = 1e-12"
    )
}

const DISC: &str = "disc = 0.05";
const CURVE: &str = "curve = { x = \"0.05*cos(s)\", y = \"0.05*sin(s)\", s = [0, \"2*pi\"], closed = true }";
/// The other way round, and not at one speed.
const BACK: &str = "curve = { x = \"0.05*cos(s + 0.2*sin(s))\", y = \"-0.05*sin(s + 0.2*sin(s))\", s = [0, \"2*pi\"], closed = true }";
const ELLIPSE: &str = "ellipse = [0.05, 0.05]";

/// The times and names of all events.
fn events(run: &Gallery) -> Vec<(f64, Vec<String>)> {
    let names = |guards: &[usize]| guards.iter().map(|&g| run.run.guard_names[g].clone()).collect();
    run.run.events.iter().map(|event| (event.t, names(&event.guards))).collect()
}

fn assert_same_events(what: &str, run: &Gallery, truth: &[(f64, Vec<String>)]) {
    let found = events(run);
    assert_eq!(found.len(), truth.len(), "{what}: {found:?} {truth:?}");
    for (found, truth) in found.iter().zip(truth) {
        assert!((found.0 - truth.0).abs() < 1e-9 && found.1 == truth.1, "{what}: {found:?}, not {truth:?}");
    }
}

#[test]
fn a_cam_throws_its_follower_off_however_it_is_written() {
    for friction in ["", ", friction = 0.2"] {
        let disc = Gallery::of(&cam(DISC, friction));
        let truth = events(&disc);
        assert!(truth.len() >= 6, "{truth:?}");
        for lobe in [CURVE, BACK, ELLIPSE] {
            let run = Gallery::of(&cam(lobe, friction));
            assert_same_events(lobe, &run, &truth);
            let [end, other] = [&disc, &run].map(|run| run.end()["follower.y"]);
            assert!((end - other).abs() < 1e-9, "{lobe}: {end} {other}");
        }
    }
}

#[test]
fn and_by_every_method() {
    let truth = events(&Gallery::of(&cam(DISC, "")));
    for method in [Method::DormandPrince5, Method::DormandPrince8, Method::HalfExplicit5, Method::Radau5] {
        assert_same_events(&format!("{method:?}"), &Gallery::by(&cam(CURVE, ""), method), &truth);
    }
}

/// A disc without friction in a bowl in which its centre is on a cycloid.
fn tautochrone(start: f64, until: f64) -> String {
    format!(
        "gravity = [0, -9.81]
        parameters = {{ a = 0.3, r = 0.02, s0 = {start} }}
        bodies.ball = {{ shape = {{ disc = \"r\" }}, mass = 1, x = \"a*(s0 + sin(s0))\", y = \"a*(1 - cos(s0))\" }}
        contacts.bowl = {{ between = [\"ball\", \"bowl\"] }}
        [shapes.bowl]
        body = \"ground\"
        curve = {{ x = \"a*(s + sin(s)) + r*sin(s/2)\", y = \"a*(1 - cos(s)) - r*cos(s/2)\", s = [-2.4, 2.4] }}
        [run]
        until = {until}
        rtol = 1e-10
        atol = 1e-12"
    )
}

#[test]
fn a_cycloid_brings_a_disc_to_its_bottom_in_the_same_time_from_everywhere() {
    let quarter = std::f64::consts::PI * (0.3_f64 / 9.81).sqrt();
    for start in [0.3, 1.0, 1.9] {
        let run = Gallery::of(&tautochrone(start, quarter));
        let (end, fall) = (run.end(), 2.0 * 9.81 * 0.3 * (1.0 - start.cos()));
        assert!(run.run.events.is_empty(), "{:?}", events(&run));
        assert!(end["ball.x"].abs() < 1e-8 && end["ball.y"].abs() < 1e-8, "{start}: {end:?}");
        assert!((end["ball.x'"] + fall.sqrt()).abs() < 1e-8, "{start}: {end:?}");
    }
}

#[test]
fn what_flies_too_far_from_a_hollow_ends_the_run() {
    let thrown = tautochrone(0.5, 2.0).replace("mass = 1,", "mass = 1, velocity = [0, 5],");
    let run = Gallery::of(&thrown);
    assert!(matches!(run.run.outcome, Outcome::StoppedByEvent { .. }), "{:?}", run.run.outcome);
    assert_eq!(run.times("contact.bowl.lost").len(), 1);
    // So does what runs off the end.
    let pushed = tautochrone(0.5, 2.0).replace("mass = 1,", "mass = 1, velocity = [9, 0],");
    assert_eq!(Gallery::of(&pushed).times("contact.bowl.lost").len(), 1);
}

#[test]
fn what_cannot_be_known_is_refused() {
    let above = tautochrone(0.0, 1.0).replace("y = \"a*(1 - cos(s0))\"", "y = 3");
    let boxed = cam(CURVE, "").replace("disc = 0.01", "box = [0.01, 0.01]");
    for (text, part) in [(above, "farther than"), (boxed, "cannot touch yet")] {
        let errors = Model::from_toml(&text).expect_err("an error");
        assert!(errors.iter().any(|error| error.message.contains(part)), "{errors:?}");
    }
}
