//! A part from another file moves as if it were written out: placed, turned, mirrored, on a body that moves, and with
//! parts of its own.

mod parts;

use parts::{RUN, assert_near, end, sources};
use slipstick::model::{Diagnostic, Model};
use std::collections::BTreeMap;

/// Two rods with a motor, a spring at the knee that knows its angle, a foot that is pushed, stops, and a wall.
const LEG: &str = r#"
gravity = [0, -3]
run.until = 7
[parameters]
l = 0.4
k = "2 N*m/rad"
[bodies]
ground = { points = { hook = [0.3, 0.5] } }
thigh = { link = { hip = [0, 0], knee = ["l", 0] }, mass = 2, angle = "-60 deg", angular_velocity = 1 }
shank = { link = { knee = [0, 0], foot = ["l", 0] }, mass = 1, angle = "-100 deg", com = [0.15, 0.02] }
[joints]
hip = { revolute = ["ground", "thigh.hip"], at = [0.1, 0] }
knee = { revolute = ["thigh.knee", "shank.knee"], stops = { from = "-2", to = "-0.2", restitution = 0.5 } }
[forces]
swing = { motor = "hip", torque = "6 N*m * sin(5 rad/s * t) - k * joint.hip.angle" }
knee = { spring = "knee", stiffness = "k", rest = -1 }
push = { point = "shank.foot", force = ["if shank.foot.x' > 0 m/s then 1 N else 2 N", 0.5] }
band = { spring = ["ground.hook", "shank.foot"], stiffness = 20, rest = 0.1 }
twist = { couple = "shank", torque = "0.3 N*m - 0.1 N*m*s * shank.angle'" }
[outputs]
reach = "shank.foot.x"
load = "joint.hip.force.x"
turn = "shank.angle"
[sensors]
foot = { velocity = "shank.foot" }
"#;

const FILES: &[(&str, &str)] = &[("leg.toml", LEG)];
/// What the leg says of itself: the same wherever it stands.
const OWN: &[&str] = &["reach", "load", "turn", "foot.x", "foot.y"];

/// The leg on its own, with this gravity.
fn own(gravity: &str) -> BTreeMap<String, f64> {
    let lines = LEG.lines().filter(|line| !line.starts_with("gravity") && !line.starts_with("run"));
    end(&format!("gravity = {gravity}\n{}", lines.collect::<Vec<_>>().join("\n")), &[])
}

#[test]
fn a_part_without_a_place_is_what_its_file_says() {
    let (own, used) = (own("[0, -9.81]"), end("gravity = [0, -9.81]\nparts.a.use = \"leg.toml\"", FILES));
    for (name, value) in own.iter().filter(|(name, _)| !name.contains("contact") && !name.contains("stop")) {
        let named = match name.split_once('.') {
            Some((kind @ ("joint" | "lambda"), rest)) if rest != "x" => format!("{kind}.a.{rest}"),
            _ => format!("a.{name}"),
        };
        assert_eq!(used.get(&named), Some(value), "{named}: {used:?}");
    }
}

#[test]
fn a_leg_and_its_mirror_image_move_as_mirror_images() {
    let text = "gravity = [0, -9.81]\n[parts]\nleft = { use = \"leg.toml\" }\nright = { use = \"leg.toml\", mirror = true, y = 0 }\n";
    let both = end(text, FILES);
    for (name, sign) in
        [("shank.foot.x", -1.0), ("thigh.x", -1.0), ("thigh.angle", -1.0), ("thigh.angle'", -1.0)]
    {
        if let (Some(left), Some(right)) =
            (both.get(&format!("left.{name}")), both.get(&format!("right.{name}")))
        {
            assert!((left - sign * right).abs() < 1e-9, "{name}: {left} and {right}");
        }
    }
    let (left, right) = (both["left.shank.com.x"], both["right.shank.com.x"]);
    assert!((left + right).abs() < 1e-9 && left.abs() > 1e-3, "{left} and {right}");
    for name in OWN {
        let (left, right) = (both[&format!("left.{name}")], both[&format!("right.{name}")]);
        assert!((left - right).abs() < 1e-8 * (1.0 + left.abs()), "{name}: {left} and {right}");
    }
}

#[test]
fn a_part_that_is_placed_and_turned_feels_the_same() {
    // The drawing is turned, and gravity with it.
    let (sin, cos) = 0.7_f64.sin_cos();
    let plain = own("[0, -9.81]");
    let turned = format!(
        "gravity = [{}, {}]\nparts.a = {{ use = \"leg.toml\", x = 3, y = \"-2 m\", angle = 0.7 }}\n",
        9.81 * sin,
        -9.81 * cos
    );
    let values = end(&turned, FILES);
    for name in OWN {
        assert_near(&values, &format!("a.{name}"), plain[*name], 1e-7);
    }
    // On a frame of the ground, and as its own mirror image in a mirror.
    let framed = turned
        .replace("x = 3, y = \"-2 m\", angle = 0.7", "on = \"ground.F\", x = 1, angle = 0.2")
        .replace("parts.a", "bodies.ground.frames.F = { at = [1, 1], angle = 0.5 }\nparts.a");
    let values = end(&framed, FILES);
    for name in OWN {
        assert_near(&values, &format!("a.{name}"), plain[*name], 1e-7);
    }
    let files = [
        FILES[0],
        ("pair.toml", "parts.inner = { use = \"leg.toml\", mirror = true, x = 1, angle = 0.3 }\nbodies = {}"),
    ];
    let twice = format!(
        "gravity = [{}, {}]\nparts.a = {{ use = \"pair.toml\", mirror = true, angle = 1 }}\n",
        9.81 * sin,
        -9.81 * cos
    );
    // Turned by 1 - 0.3 in all.
    let values = end(&twice, &files);
    for name in OWN {
        assert_near(&values, &format!("a.inner.{name}"), plain[*name], 1e-7);
    }
}

#[test]
fn a_part_stands_on_a_body_that_moves() {
    let trunk = "gravity = [0, -9.81]\nbodies.trunk = { mass = 5, inertia = 0.4, angle = 0.2, velocity = [1, 2], points = { hip = [0.2, -0.1] } }\n";
    let arm = "bodies.arm = { link = { a = [0, 0], b = [0.5, 0] }, mass = 1, angle = -1 }\njoints.j = { revolute = [\"ground\", \"arm.a\"] }\nforces.m = { motor = \"j\", torque = \"-joint.j.angle\" }\noutputs.seen = \"arm.b.y\"";
    let used = format!("{trunk}parts.left = {{ use = \"arm.toml\", on = \"trunk.hip\", angle = 0.3 }}\n");
    let written = format!(
        "{trunk}bodies.arm = {{ link = {{ a = [0, 0], b = [0.5, 0] }}, mass = 1, angle = -0.5 }}\n\
         joints.j = {{ revolute = [\"trunk.hip\", \"arm.a\"] }}\nforces.m = {{ motor = \"j\", torque = \"-(joint.j.angle - 0.3)\" }}\n\
         outputs.seen = \"-sin(trunk.angle + 0.3) * (arm.b.x - trunk.hip.x) + cos(trunk.angle + 0.3) * (arm.b.y - trunk.hip.y)\"\n"
    );
    let (used, written) = (end(&used, &[("arm.toml", arm)]), end(&written, &[]));
    for (name, value) in &written {
        let named = name.replace("arm", "left.arm").replace("seen", "left.seen");
        if let Some(other) = used.get(&named) {
            assert!((value - other).abs() < 1e-7 * (1.0 + value.abs()), "{name}: {value} and {other}");
        }
    }
    assert_near(&used, "left.seen", written["seen"], 1e-7);
    assert_near(&used, "trunk.x", written["trunk.x"], 1e-7);
}

#[test]
fn parameters_of_a_part_are_set_by_the_model() {
    let text = "parameters.size = 0.2\n[parts]\na = { use = \"leg.toml\", set = { l = \"2*size\" } }\nb = { use = \"leg.toml\", set = { l = \"400 mm\" } }\n";
    let values = end(text, FILES);
    assert_near(&values, "a.reach", values["b.reach"], 1e-9);
}

/// The errors of a model with files, each with the file and the text that it is about.
fn errors(text: &str, files: &[(&str, &str)]) -> Vec<(&'static str, String, String)> {
    let sources = sources(&format!("{text}{RUN}"), files);
    let errors = Model::from_sources(&sources).expect_err("an error");
    let place = |error: &Diagnostic| {
        let place = sources.place(error.span.as_ref().expect("a place"));
        (error.code, place.path.unwrap_or("model").to_owned(), place.text[place.span.clone()].to_owned())
    };
    errors.iter().map(place).collect()
}

#[test]
fn what_is_wrong_with_files_is_said_in_the_right_file() {
    let one = |text: &str, files: &[(&str, &str)]| errors(text, files).swap_remove(0);
    let said = |code, file: &str, text: &str| (code, file.to_owned(), text.to_owned());
    let own = "[bodies]\nb = { mass = 1, inertia = 1 }\n";
    assert_eq!(one("parts.a.use = \"leg.toml\"", &[]), said("part-file", "model", "\"leg.toml\""));
    assert_eq!(one("parts.a.use = \"../leg.toml\"", FILES), said("part-file", "model", "\"../leg.toml\""));
    assert_eq!(one("parts.a.us = \"leg.toml\"", FILES), said("missing-key", "model", "a"));
    let circle = [("a.toml", "parts.b.use = \"b.toml\"\n"), ("b.toml", "parts.a.use = \"a.toml\"\n")];
    let text = format!("parts.a.use = \"a.toml\"\n{own}");
    assert_eq!(one(&text, &circle), said("part-file", "b.toml", "\"a.toml\""));
    let broken =
        [("leg.toml", "[bodies]\nrod = { mass = 1, inertia = \"3 s\" }\nbar = { mas = 1, inertia = 1 }\n")];
    let found = errors("parts.left.use = \"leg.toml\"", &broken);
    assert!(
        found.contains(&said("wrong-dimension", "leg.toml", "3 s"))
            || found.contains(&said("wrong-dimension", "leg.toml", "\"3 s\"")),
        "{found:?}"
    );
    assert!(found.contains(&said("unknown-key", "leg.toml", "mas")), "{found:?}");
    let syntax = [("leg.toml", "[bodies\n")];
    assert_eq!(one("parts.left.use = \"leg.toml\"", &syntax).1, "leg.toml");
    let unknown = format!("{own}parts.a = {{ use = \"leg.toml\", set = {{ r = 1 }} }}");
    assert_eq!(one(&unknown.replace("parts.a", "[parts]\na"), FILES), said("unknown-name", "model", "r"));
    // Names of the model are not those of the part.
    let outer = "parameters.g = 3\nparts.a.use = \"a.toml\"\n";
    let inner = [("a.toml", "bodies.b = { mass = \"g\", inertia = 1 }")];
    assert_eq!(one(outer, &inner).1, "a.toml");
    let modes = [("a.toml", "bodies.b = { mass = 1, inertia = 1 }\nmodes.m = {}")];
    assert_eq!(one("parts.a.use = \"a.toml\"", &modes), said("part-file", "a.toml", "modes"));
}

#[test]
fn what_holds_for_whole_models_is_left_out_with_a_note() {
    let model =
        Model::from_sources(&sources(&format!("parts.a.use = \"leg.toml\"{RUN}"), FILES)).expect("a model");
    assert_eq!(
        model.about.left_out,
        ["part `a` leaves out `gravity` of its file", "part `a` leaves out `run` of its file"]
    );
}

#[test]
fn parts_that_multiply_are_stopped() {
    let twice = |next: &str| format!("parts.a.use = \"{next}\"\nparts.b.use = \"{next}\"\nbodies = {{}}\n");
    let texts: Vec<(String, String)> =
        (0..40).map(|i| (format!("{i}.toml"), twice(&format!("{}.toml", i + 1)))).collect();
    let files: Vec<(&str, &str)> =
        texts.iter().map(|(a, b)| (a.as_str(), b.as_str())).chain([("40.toml", "bodies = {}")]).collect();
    let found = errors("parts.a.use = \"0.toml\"\n", &files);
    assert!(found.iter().any(|(code, ..)| *code == "part-file"), "{found:?}");
}
