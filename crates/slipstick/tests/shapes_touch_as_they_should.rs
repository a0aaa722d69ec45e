//! Bodies with shapes fall, roll, slide, hit and rest as closed forms say.

mod common;

use common::{plan, run_model};
use slipstick::formulation::Mixture;
use slipstick::model::Model;
use slipstick::trajectory::Trajectory;

fn tight(text: &str) -> String {
    format!("{text}\nrtol = 1e-10\natol = 1e-12\n")
}

fn run(text: &str) -> (Model, Trajectory) {
    let text = tight(text);
    (Model::from_toml(&text).expect("a model"), run_model(&text))
}

/// A state or an output at the end of a run.
fn end(text: &str, name: &str) -> f64 {
    let (model, run) = run(text);
    let states = model.states.iter().map(|d| &d.name).zip(run.end_state());
    if let Some((_, value)) = states.clone().find(|(state, _)| *state == name) {
        return *value;
    }
    let system = plan(&tight(text)).system;
    let mut outputs = vec![0.0; model.outputs.len()];
    let mode = &run.segments.last().expect("a segment").mode;
    Mixture::new(&system, system.outputs()).observe(mode, run.end_time(), run.end_state(), &mut outputs);
    let outputs = model.outputs.iter().map(|d| &d.name).zip(outputs);
    outputs.clone().find(|(output, _)| *output == name).expect("a name").1
}

fn assert_near(found: f64, truth: f64, within: f64) {
    assert!((found - truth).abs() <= within, "{found} and not {truth}");
}

const FLOOR: &str = "[shapes]\nfloor = { body = \"ground\", half_plane = [0, 1] }\n";

/// A disc rolls down with 2/3 g sin a.
#[test]
fn a_disc_rolls_down_a_slope() {
    let text = "gravity = [0, -10]\nparameters.a = 0.3\n[bodies]\n\
        wheel = { shape = { disc = 0.1 }, mass = 2, x = \"-0.1*sin(a)\", y = \"0.1*cos(a)\" }\n\
        [shapes]\nslope = { body = \"ground\", half_plane = [0, 1], turn = \"a\" }\n\
        [contacts]\ndown = { between = [\"wheel\", \"slope\"], friction = 0.5 }\n[run]\nuntil = 1";
    assert_near(end(text, "wheel.angle'"), 10.0 * 0.3_f64.sin() * 2.0 / 3.0 / 0.1, 1e-8);
}

#[test]
fn a_box_falls_and_rests_on_two_corners() {
    let text = format!(
        "gravity = [0, -10]\n[bodies]\ncrate = {{ shape = {{ box = [0.2, 0.1] }}, mass = 2, y = 0.3, angle = 0.3 }}\n{FLOOR}\
         [contacts]\nland = {{ between = [\"crate\", \"floor\"], friction = 0.5, restitution = 0.2 }}\n\
         [outputs]\nforce = \"contact.land.force.n\"\ngap = \"contact.land.gap\"\n\
         [events]\nbang = {{ on = \"contact.land.hit\" }}\n[run]\nuntil = 2"
    );
    assert_near(end(&text, "force"), 20.0, 1e-9);
    assert_near(end(&text, "gap"), 0.0, 1e-12);
    let (_, run) = run(&text);
    assert!(run.event_times("bang").count() > 1, "an event of a set follows each of its members");
}

/// A box stays on a slope whose slope is less than its friction, and slides down with g (sin a - μ cos a) else.
#[test]
fn friction_holds_a_box_on_a_slope_or_not() {
    let text = |friction: f64| {
        format!(
            "gravity = [0, -10]\n[bodies]\ncrate = {{ shape = {{ box = [0.2, 0.1] }}, mass = 2, angle = 0.3, \
             x = \"-0.05*sin(0.3)\", y = \"0.05*cos(0.3)\" }}\n\
             [shapes]\nslope = {{ body = \"ground\", half_plane = [0, 1], turn = 0.3 }}\n\
             [contacts]\ndown = {{ between = [\"crate\", \"slope\"], friction = {friction} }}\n[run]\nuntil = 1"
        )
    };
    assert_near(end(&text(0.4), "crate.x'"), 0.0, 1e-10);
    let fast = 10.0 * (0.3_f64.sin() - 0.2 * 0.3_f64.cos());
    assert_near(end(&text(0.2), "crate.x'"), -fast * 0.3_f64.cos(), 1e-8);
}

/// Equal discs that meet head on exchange their velocities; the formulas of one pair have one name.
#[test]
fn two_discs_exchange_their_velocities() {
    let text = "[bodies.ball]\nrepeat = 2\nshape = { disc = 0.1 }\nmass = 1\nx = \"k\"\nvelocity = [\"1 - k\", 0]\n\
        [contacts]\nmeet = { between = [\"ball[0]\", \"ball[1]\"], restitution = 1 }\n[run]\nuntil = 2";
    assert_near(end(text, "ball[0].x'"), 0.0, 1e-12);
    assert_near(end(text, "ball[1].x'"), 1.0, 1e-12);
    let (_, run) = run(text);
    let hits: Vec<f64> = run.event_times("contact.meet.hit").collect();
    assert!(hits.len() == 1 && (hits[0] - 0.8).abs() < 1e-10, "{hits:?}");
}

/// A disc that rolls over the end of a wall turns about it until the wall does not push any more, and falls past it. With
/// friction that holds, cos a = (4 + 3 v² / (g r)) / 7 there.
#[test]
fn a_disc_rolls_over_the_end_of_a_wall() {
    let text = "gravity = [0, -10]\n[bodies]\n\
        wheel = { shape = { disc = 0.1 }, mass = 2, x = 0.5, y = 0.1, velocity = [0.3, 0], angular_velocity = -3 }\n\
        [shapes]\ntable = { body = \"ground\", segment = [[0, 0], [1, 0]] }\n\
        [contacts]\nroll = { between = [\"wheel\", \"table\"], friction = 1000 }\n[run]\nuntil = 2.5";
    let (_, run) = run(text);
    let lifts: Vec<f64> = run.event_times("contact.roll.lift").collect();
    assert_eq!(lifts.len(), 1);
    let event = run.events.iter().find(|event| (event.t - lifts[0]).abs() < 1e-12).expect("the lift");
    let [x, y] = [event.before[0] - 1.0, event.before[1]];
    let cosine = (4.0 + 3.0 * 0.09 / (10.0 * 0.1)) / 7.0;
    assert_near(y / x.hypot(y), cosine, 1e-4);
    assert_near(x.hypot(y), 0.1, 1e-9);
}

/// A box that slides over a box does not catch at the corners of that.
#[test]
fn a_box_slides_over_the_edge_of_another() {
    let text = |friction: f64| {
        format!(
            "gravity = [0, -10]\n[bodies]\n\
             crate = {{ shape = {{ box = [0.1, 0.1] }}, mass = 2, x = -0.2, y = 0.05, velocity = [1, 0] }}\n\
             [shapes]\nfloor = {{ body = \"ground\", box = [1, 0.2], at = [-0.5, -0.1] }}\n\
             [contacts]\non = {{ between = [\"crate\", \"floor\"], friction = {friction} }}\n[run]\nuntil = 0.19"
        )
    };
    assert_near(end(&text(0.0), "crate.x"), -0.01, 1e-9);
    assert_near(end(&text(0.1), "crate.x"), -0.2 + 0.19 - 0.5 * 0.19 * 0.19, 1e-8);
}

/// Springs push where shapes overlap.
#[test]
fn compliant_contacts_of_shapes_push() {
    let text = format!(
        "gravity = [0, -10]\n[bodies]\nball = {{ shape = {{ disc = 0.1 }}, mass = 2, y = 0.099 }}\n{FLOOR}\
         [contacts]\nsoft = {{ between = [\"ball\", \"floor\"], compliant = {{ stiffness = 1e4, damping = 200 }} }}\n\
         [outputs]\nforce = \"contact.soft.force.n\"\n[run]\nuntil = 3"
    );
    assert_near(end(&text, "force"), 20.0, 1e-6);
}

/// The first message of a model that is wrong.
fn refusal(shapes: &str, contacts: &str) -> String {
    let text = format!(
        "[materials]\nsteel = {{}}\nwood = {{}}\n[bodies]\na = {{ shape = {{ disc = 0.1 }}, mass = 1, material = \"steel\" }}\n\
         b = {{ shape = {{ ellipse = [0.1, 0.2] }}, mass = 1, x = 1 }}\n\
         [shapes]\n{shapes}\n[contacts]\n{contacts}\n[run]\nuntil = 1\n"
    );
    let errors = Model::from_toml(&text).expect_err("a wrong model");
    format!("{}: {} {}", errors[0].code, errors[0].message, errors[0].hint.clone().unwrap_or_default())
}

#[test]
fn what_is_wrong_is_named() {
    let floor = "floor = { body = \"ground\", half_plane = [0, 1], at = [0, -0.0992], material = \"wood\" }";
    for (shapes, contacts, expected) in [
        (floor, "c = { between = [\"a\", \"floor\"] }", "no-pair: contact `c` is between `steel` and `wood`"),
        (
            floor,
            "c = { between = [\"a\", \"floor\"], restitution = 0, friction = 0 }",
            "overlap: `a` is 0.8 mm inside `floor` at the start",
        ),
        (
            "p = { body = \"a\", ellipse = [0.1, 0.2] }",
            "c = { between = [\"p\", \"b\"] }",
            "not-yet: ellipse `p` and ellipse `b` cannot touch yet",
        ),
        (floor, "c = { between = [\"a\", \"flor\"] }", "unknown-name: unknown name `flor` among the shapes"),
        (floor, "c = { between = [\"a\", \"a\"] }", "bad-contact: `a` and `a` are on one body"),
        (floor, "c = { between = [\"a\"] }", "wrong-type: contact `c` needs two sides"),
        (
            "p = { body = \"b\", polygon = [[0, 0], [1, 0], [1, 1], [0.9, 0.1]] }",
            "c = { between = [\"a\", \"p\"] }",
            "bad-shape: polygon `p` is not convex at corner 3",
        ),
        (
            "p = { body = \"b\", disc = 0 }",
            "c = { between = [\"a\", \"p\"] }",
            "bad-shape: shape `p` has no size",
        ),
        (
            "p = { body = \"b\", disc = 1, radius = 1 }",
            "c = { between = [\"a\", \"p\"] }",
            "unknown-key: unknown key `radius`",
        ),
    ] {
        let found = refusal(shapes, contacts);
        assert!(found.starts_with(expected), "{found} and not {expected}");
    }
}

/// A set has the nearest gap and the sum of the forces; members have their numbers.
#[test]
fn sets_have_members_with_numbers() {
    let text = format!(
        "gravity = [0, -10]\n[bodies.ball]\nrepeat = 3\nshape = {{ disc = 0.1 }}\nmass = \"k + 1\"\nx = \"k\"\ny = \"0.1 + if k == 2 then 50 else 0\"\n{FLOOR}\
         [contacts]\nland = {{ between = [\"ball[*]\", \"floor\"] }}\nballs = {{ among = \"ball[*]\" }}\n\
         [outputs]\nsum = \"contact.land.force.n\"\none = \"contact.land[1].force.n\"\ngap = \"contact.balls.gap\"\nslip = \"contact.land[0].slip\"\n[run]\nuntil = 0.5"
    );
    assert_near(end(&text, "sum"), 30.0, 1e-9);
    assert_near(end(&text, "one"), 20.0, 1e-9);
    assert_near(end(&text, "gap"), 0.8, 1e-9);
    assert_near(end(&text, "slip"), 0.0, 1e-12);
}

/// One ball swings in, one swings out, and those between stay.
#[test]
fn a_cradle_passes_the_swing_on() {
    let text = "gravity = [0, -9.81]\nparameters = { r = 0.01, l = 0.12 }\n[bodies.ball]\nrepeat = 5\nshape = { disc = \"r\" }\nmass = 0.033\n\
        points = { eye = [0, \"l\"] }\nangle = \"if k == 0 then -pi/6 else 0\"\n\
        [joints.string]\nrepeat = 5\nrevolute = [\"ground\", \"ball[k].eye\"]\nat = [\"2*r*k\", 0]\n\
        [contacts]\nballs = { among = \"ball[*]\", restitution = 1, law = \"sequential\" }\n[run]\nuntil = 5";
    let (_, run) = run(text);
    // All other pairs share nothing: ball and string meet at the ground only, and are no pairs.
    let hits: usize =
        [0, 3].iter().map(|k| run.event_times(&format!("contact.balls[{k},{}].hit", k + 1)).count()).sum();
    assert!(hits > 10, "{hits}");
    for k in 1..4 {
        assert_near(end(text, &format!("ball[{k}].angle")), 0.0, 1e-8);
    }
}

/// The pin of the driver turns the wheel by a quarter in each turn, up to the play in the slot.
#[test]
fn a_geneva_drive_turns_by_quarters() {
    let text = "parameters = { c = 0.06, a = \"c*sin(pi/4)\", b = \"c*cos(pi/4)\", d = 0.003, e = \"d + 2e-5\" }\n[bodies]\n\
        driver = { mass = 0.2, inertia = 1e-4, points = { pin = [\"a\", 0] }, angle = \"pi/2\" }\n\
        wheel = { mass = 0.1, inertia = 4e-5, x = \"c\", angle = \"pi/4\" }\n[joints]\n\
        shaft1 = { revolute = [\"ground\", \"driver.origin\"] }\nshaft2 = { revolute = [\"ground\", \"wheel.origin\"] }\n\
        lock = { angle = [\"ground\", \"wheel\"], at = \"here\", while = \"cos(pi/4) - cos(driver.angle) > 0.02\" }\n\
        [drives]\nmotor = { joint = \"shaft1\", velocity = \"-2*pi\" }\n[shapes]\npin = { body = \"driver.pin\", disc = \"d\" }\n\
        left = { body = \"wheel\", repeat = 4, turn = \"pi/2*k\", segment = [[\"b\", \"e\"], [\"c - a\", \"e\"]] }\n\
        right = { body = \"wheel\", repeat = 4, turn = \"pi/2*k\", segment = [[\"c - a\", \"-e\"], [\"b\", \"-e\"]] }\n\
        [contacts]\nslot = { between = [\"pin\", [\"left[*]\", \"right[*]\"]], friction = 0.05 }\n[run]\nuntil = 3";
    let angle = end(text, "wheel.angle");
    let quarters = (angle - std::f64::consts::FRAC_PI_4) / std::f64::consts::FRAC_PI_2;
    assert!((quarters - 3.0).abs() < 1e-2, "{quarters}");
}
