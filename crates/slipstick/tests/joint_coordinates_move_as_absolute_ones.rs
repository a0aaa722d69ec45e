//! Machines of parts move in the same way whether bodies have three coordinates each or those of their joints.

mod gallery;

use gallery::Gallery;
use slipstick::model::{Model, Sources};
use slipstick::simulate::{Overrides, Plan, simulate};
use std::fmt::Write;

/// Hits that come to rest are as many as rounding lets there be: those that are this close are no evidence.
const BURST: f64 = 1e-5;

fn with_joints(text: &str) -> String {
    text.replace("[run]", "[run]\ncoordinates = \"joint\"")
}

/// A model with tight tolerances that ends early, and with the forces of all joints as outputs.
fn looked_at(text: &str, until: f64) -> String {
    let is_told = |line: &&str| !["rtol", "atol", "until"].iter().any(|key| line.starts_with(key));
    let text: String = text.lines().filter(is_told).flat_map(|line| [line, "\n"]).collect();
    let text = text.replace("[run]\n", &format!("[run]\nuntil = {until:?}\nrtol = 1e-9\natol = 1e-11\n"));
    let model = Model::from_toml(&text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let mut forces = String::from("[outputs]\n");
    for joint in &model.mechanism.joints {
        for part in ["force.x", "force.y", "moment"] {
            let _ = writeln!(forces, "\"seen.{0}.{part}\" = \"joint.{0}.{part}\"", joint.name);
        }
    }
    if text.contains("[outputs]\n") {
        text.replace("[outputs]\n", &forces)
    } else {
        text.replace("[run]\n", &format!("{forces}\n[run]\n"))
    }
}

/// The events of a run, without those that come right after another.
fn events(run: &Gallery) -> Vec<(String, f64)> {
    let mut before = f64::NEG_INFINITY;
    let mut list = Vec::new();
    for event in &run.run.events {
        if event.t - before > BURST {
            list.push((run.run.names_of(event), event.t));
        }
        before = event.t;
    }
    list
}

/// Compares both, with everything that the one with three coordinates for each body knows by name.
fn assert_same(name: &str, text: &str, (until, bound): (f64, f64), forces_are_known: bool) {
    let text = looked_at(text, until);
    let [absolute, joint] = [text.clone(), with_joints(&text)].map(|text| Gallery::of(&text));
    let [n, fewer] = [&absolute, &joint].map(|run| run.model.mechanism.coordinates);
    assert!(fewer < n, "{name} has {fewer} coordinates, and not fewer than {n}");
    let (expected, found) = (events(&absolute), events(&joint));
    // What switches in a formula is named after that.
    let name_of = |name: &String| {
        let name = name.split_once("sign(").map_or(name.as_str(), |(before, _)| before);
        // Whether something is the cause of another thing or comes with it may hang on rounding, and rest is no event.
        let mut parts: Vec<&str> = name.split([' ', '+']).filter(|part| !["", "->"].contains(part)).collect();
        parts.retain(|part| part.strip_suffix(".rest").is_none());
        parts.sort_unstable();
        parts.join(" ")
    };
    let names = |list: &[(String, f64)]| list.iter().map(|(name, _)| name_of(name)).collect::<Vec<_>>();
    assert_eq!(names(&found), names(&expected), "{name}");
    for ((event, t), (_, truth)) in found.iter().zip(&expected) {
        assert!((t - truth).abs() < bound, "{name}: {event} at {t}, not {truth}");
    }
    for k in 0..=10 {
        let t = until * f64::from(k) / 10.0;
        // Next to an event one of them may be before it and the other after.
        if expected.iter().any(|(_, event)| (event - t).abs() < 1e-4 * until) {
            continue;
        }
        let (expected, found) = (absolute.at(t), joint.at(t));
        for (what, truth) in expected {
            let is_force = what.starts_with("seen.") || what.contains(".force.");
            if is_force && !forces_are_known {
                continue;
            }
            // A friction has no slip where nothing touches that it could be of.
            if truth.is_nan() {
                continue;
            }
            let value = found.get(what).unwrap_or_else(|| panic!("{name} has no {what}"));
            let size = if is_force { 100.0 } else { 1.0 };
            assert!(
                (value - truth).abs() < bound * size * (1.0 + truth.abs()),
                "{name} at {t}: {what} is {value}, not {truth}"
            );
        }
    }
}

macro_rules! model {
    ($name:literal) => {
        ($name, include_str!(concat!("../../../models/", $name, ".toml")))
    };
}

#[test]
fn machines_without_contacts_move_alike() {
    for ((name, text), until) in [
        (model!("four-bar"), 1.0),
        (model!("n-four-bar"), 1.0),
        (model!("quick-return"), 1.0),
        (model!("straight-line"), 1.0),
        (model!("scotch-yoke"), 0.3),
        (model!("engine"), 0.05),
        (model!("toggle-press"), 0.5),
        (model!("clutch"), 1.0),
    ] {
        assert_same(name, text, (until, 1e-6), true);
    }
}

#[test]
fn forces_of_joints_that_repeat_one_another_are_shared_in_another_way() {
    let (name, text) = model!("pantograph");
    assert_same(name, text, (1.0, 1e-6), false);
}

#[test]
fn machines_with_contacts_move_alike() {
    for ((name, text), until) in [
        (model!("crank-with-clearance"), 0.02),
        (model!("cam-follower"), 0.3),
        (model!("cradle"), 1.5),
        (model!("dominoes"), 0.3),
        (model!("verge"), 1.0),
        (model!("ratchet"), 0.3),
        (model!("chain-on-floor"), 0.24),
    ] {
        assert_same(name, text, (until, 1e-6), true);
    }
}

#[test]
fn a_chain_that_lies_on_the_floor_weighs_what_it_weighs() {
    let (_, text) = model!("chain-on-floor");
    let text = text.replace(", friction = 0.4", "").replace("n = 5", "n = 10").replace("0.25 rad", "0.1 rad");
    let run = Gallery::of(&with_joints(&text));
    assert_eq!(run.model.mechanism.coordinates, 12, "nine pins, and three of the first link");
    let end = run.end();
    assert!(
        (end["load"] - end["weight"]).abs() < 1e-9 * end["weight"],
        "{} of {}",
        end["load"],
        end["weight"]
    );
}

/// A slider on a crank, driven by nothing, with an event.
fn crank(event: &str) -> String {
    format!(
        r#"
gravity = [0, -9.81]
[bodies]
crank = {{ link = {{ pin = [0, 0], tip = [0.3, 0] }}, mass = 1, angle = 0.5 }}
arm   = {{ link = {{ pin = [0, 0], tip = [0.4, 0] }}, mass = 1, angle = 1.0 }}
block = {{ mass = 2, inertia = 0.1, x = 1 }}
cart  = {{ mass = 1, inertia = 0.1, x = 2, y = -1 }}
[joints]
main  = {{ revolute = ["ground", "crank.pin"] }}
elbow = {{ revolute = ["crank.tip", "arm.pin"] }}
rail  = {{ prismatic = ["ground", "block.origin"], axis = [0.6, 0.8] }}
lift  = {{ prismatic = ["cart.origin", "ground"], axis = [1, 0] }}
[forces]
back  = {{ spring = ["block.origin", "cart.origin"], stiffness = 5, rest = 0.5 }}
[events.kick]
{event}
[run]
"#
    )
}

#[test]
fn events_set_angles_and_ways_of_bodies() {
    for event in [
        r#"at = 0.3
           reset = { "crank.angle'" = 2, "arm.angle'" = "-arm.angle' + crank.angle'" }"#,
        r#"at = 0.3
           reset = { "block.x'" = "3", "cart.x'" = "1 + cart.x'" }"#,
        r#"at = 0.3
           reset = { "block.y'" = "3", "cart.x" = "1.5", "crank.angle" = 0.1, "arm.angle" = 0.2 }"#,
    ] {
        assert_same(event, &crank(event), (0.6, 1e-6), true);
    }
}

/// A loop: what is set of its crank the others follow.
#[test]
fn events_set_the_crank_of_a_loop() {
    let (_, text) = model!("four-bar");
    let kick = "[events.kick]\nat = 0.2\nreset = { \"crank.angle'\" = \"0.5*crank.angle'\" }\n[run]";
    assert_same("kicked", &text.replace("[run]", kick), (0.5, 1e-6), true);
}

/// A drawing that is open, with a loop that closes in two ways, is put together to the same start.
#[test]
fn a_rough_drawing_is_put_together_in_the_same_way() {
    let text = r#"
gravity = [0, -9.81]
[bodies]
crank   = { link = { A = [0, 0], B = [0.1, 0] }, mass = 0.3, angle = 1.2, angular_velocity = 2 }
coupler = { link = { B = [0, 0], C = [0.35, 0] }, mass = 0.8, x = 0.05, y = 0.12, angle = 0.3 }
rocker  = { link = { D = [0, 0], C = [0.25, 0] }, mass = 0.6, x = 0.4, angle = 1.7 }
weight  = { mass = 0.2, inertia = 1e-3, com = [0.01, 0.02] }
[joints]
A = { revolute = ["ground", "crank.A"] }
B = { revolute = ["crank.B", "coupler.B"] }
C = { revolute = ["coupler.C", "rocker.C"], mirror = true }
D = { revolute = ["rocker.D", "ground"], at = [0.4, 0] }
W = { fixed = ["rocker.C", "weight.origin"] }
[forces]
twist  = { spring = "C", stiffness = 0.2, rest = 1, damping = 0.01 }
pull   = { point = "coupler.C", force = [1, 0], in = "crank" }
[drives]
[run]
"#;
    let text = text.replace("[drives]\n", "");
    for bodies in [
        text.clone(),
        text.replace("crank ", "zcrank ").replace("crank.", "zcrank.").replace("\"crank\"", "\"zcrank\""),
    ] {
        assert_same("four bars", &bodies, (1.0, 1e-6), true);
    }
}

#[test]
fn impulses_act_through_joints() {
    for impulse in [
        r#"impulse = { along = "arm.tip.x'", size = 0.2 }"#,
        r#"impulse = { along = "arm.angle'", restitution = 0.5 }"#,
        r#"impulse = { along = "block.x'", size = 1 }"#,
    ] {
        assert_same(impulse, &crank(&format!("at = 0.3\n{impulse}")), (0.6, 1e-6), true);
    }
}

#[test]
fn gears_turn_alike() {
    let (name, text) = model!("planetary-gear");
    let without = |line: &&str| !["brake ", "release"].iter().any(|word| line.starts_with(word));
    let text: String = text.lines().filter(without).flat_map(|line| [line, "\n"]).collect();
    assert_same(name, &text, (0.5, 1e-6), true);
}

/// A wheel on an arm rolls around another.
#[test]
fn wheels_on_arms_roll_alike() {
    let text = r#"
gravity = [0, -9.81]
[bodies]
arm    = { link = { origin = [0, 0], end = [0.3, 0] }, mass = 1, angle = 0.3 }
planet = { shape = { disc = 0.1 }, mass = 2 }
sun    = { shape = { disc = 0.2 }, mass = 3 }
[joints]
hub  = { revolute = ["ground", "arm.origin"] }
pin  = { revolute = ["arm.end", "planet.origin"] }
axle = { revolute = ["ground", "sun.origin"] }
mesh = { rolling = ["planet", "sun"] }
[run]
"#;
    // The centre of the planet is held by the arm and by what it rolls on.
    assert_same("wheels", text, (0.5, 1e-6), false);
}

/// What the model says of bodies itself: constraints, forces, energies and switches of its own.
#[test]
fn formulas_of_a_model_use_bodies_alike() {
    let event = "at = 0.3\ngoto = \"pushed\"";
    let more = r#"
[coordinates]
u = 1
[inertia]
u = 0.5
[constraints]
rope = "u - arm.tip.x - block.y"
[forces."arm.angle"]
"#;
    let more = more.replace("[forces.\"arm.angle\"]\n", "");
    let modes =
        "[modes.free]\n[modes.pushed.forces]\n\"crank.angle\" = \"0.5*t - 0.1*arm.x'\"\n\"block.x\" = 1\n";
    let text = crank(event).replace("[forces]\n", "[forces]\n\"arm.com.y\" = \"-0.3*arm.y'\"\n");
    let text = text
        .replace("[events.kick]", "[modes.free.events.kick]")
        .replace("[run]", &format!("{more}{modes}[run]\nmode = \"free\""));
    let text = text.replace("[modes.free]\n", "");
    assert_same("a rope", &text, (0.6, 1e-6), true);
}

/// A force that follows from that of a joint: there the joint stays a constraint.
#[test]
fn a_joint_whose_force_is_a_cause_stays_a_constraint() {
    let event = "guard = \"joint.elbow.force.y > 3\"\nreset = {}";
    let text = crank(event);
    let model = Model::from_toml(&with_joints(&text.replace("[run]", "[run]\nuntil = 1"))).expect("a model");
    let names: Vec<&str> = model.mechanism.constraints.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["joint.elbow.x", "joint.elbow.y"]);
    assert_same("a watched elbow", &text, (0.5, 1e-6), true);
}

#[test]
fn the_order_in_the_file_does_not_matter() {
    let text = crank("at = 0.3");
    let (bodies, joints) = (text.find("[bodies]").expect("bodies"), text.find("[joints]").expect("joints"));
    let end = text.find("[forces]").expect("forces");
    let turned = |part: &str| {
        let mut lines: Vec<&str> = part.trim_end().lines().collect();
        lines[1..].reverse();
        lines.join("\n") + "\n"
    };
    let other =
        [&text[..bodies], &turned(&text[bodies..joints]), &turned(&text[joints..end]), &text[end..]].concat();
    let coordinates = |text: &str| {
        let model =
            Model::from_toml(&with_joints(&text.replace("[run]", "[run]\nuntil = 1"))).expect("a model");
        let mut names: Vec<String> = model.coordinates().iter().map(|c| c.name.clone()).collect();
        names.sort();
        names
    };
    assert_ne!(text, other);
    assert_eq!(coordinates(&text), coordinates(&other));
    assert_same("the other way round", &other, (0.6, 1e-6), true);
}

/// Legs from a file, one in a mirror, on a trunk that nothing holds.
#[test]
fn parts_from_files_move_alike() {
    let leg = r#"
[bodies]
thigh = { link = { hip = [0, 0], knee = ["0.4 m", 0] }, mass = "2 kg", angle = "-60 deg" }
shank = { link = { knee = [0, 0], foot = ["0.4 m", 0] }, mass = "1 kg", angle = "-100 deg" }
[joints]
hip  = { revolute = ["ground", "thigh.hip"] }
knee = { revolute = ["thigh.knee", "shank.knee"], stops = { from = -2, to = -0.2 } }
[forces]
push = { point = "shank.foot", force = ["0.5 N", "1 N - 2 N*s/m * shank.foot.x'"] }
bend = { spring = "knee", stiffness = 3, damping = 0.1, rest = -1 }
"#;
    let text = r#"
gravity = [0, -9.81]
[bodies]
trunk = { mass = 5, inertia = 1, points = { hip = ["0.1 m", 0] }, y = "1 m", angular_velocity = 1 }
[parts]
left  = { use = "leg.toml", on = "trunk.hip" }
right = { use = "leg.toml", on = "trunk", x = "-0.1 m", mirror = true, angle = "5 deg" }
[outputs]
apart = "left.shank.foot.x - right.shank.foot.x"
speed = "right.shank.foot.y''"
force = "joint.right.knee.force.x"
[run]
until = 0.3
rtol = 1e-9
atol = 1e-11
"#;
    let end = |text: &str| {
        let sources = Sources::gather(text, &mut |_| Ok(leg.to_owned()));
        let model = Model::from_sources(&sources).unwrap_or_else(|errors| panic!("{errors:#?}"));
        let plan = Plan::new(&model, &Overrides::default()).unwrap_or_else(|errors| panic!("{errors:#?}"));
        let run =
            simulate(&plan.system, &plan.start, &plan.options).unwrap_or_else(|failure| panic!("{failure}"));
        let run = Gallery { model, plan, run };
        run.end().into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Vec<_>>()
    };
    let (expected, found) = (end(text), end(&with_joints(text)));
    for (what, truth) in expected {
        let value = found.iter().find(|(name, _)| *name == what).unwrap_or_else(|| panic!("no {what}")).1;
        assert!((value - truth).abs() < 1e-5 * (1.0 + truth.abs()), "{what} is {value}, not {truth}");
    }
}
