//! Points and discs stay on curves, and discs roll, as closed forms and other equations of the same motion say.

mod parts;

use parts::{assert_near, end};
use slipstick::model::Model;

fn assert_ends(text: &str, expected: &[(&str, f64)]) {
    let values = end(text, &[]);
    for (name, truth) in expected {
        assert_near(&values, name, *truth, 2e-8);
    }
}

const WHEEL: &str =
    "gravity = [0, -9.81]\nbodies.wheel = { shape = { disc = 0.1 }, mass = 2, x = 0.05, y = 0.1 }\n";

#[test]
fn a_disc_rolls_down_an_incline_with_two_thirds_of_what_slides() {
    let slope = 0.3_f64;
    let ground = "shapes.ramp = { body = \"ground\", half_plane = [\"-sin(-0.3)\", \"cos(-0.3)\"] }\n";
    let joint = "joints.roll = { rolling = [\"wheel\", \"ramp\"] }\noutputs = { s = \"joint.roll.s - 0.05*cos(0.3) + 0.1*sin(0.3)\", v = \"joint.roll.s'\", fx = \"joint.roll.force.x\", fy = \"joint.roll.force.y\" }\n";
    let (a, g) = (2.0 / 3.0 * 9.81 * slope.sin(), 9.81);
    // Down the slope the wheel turns to the right. On the ground act the normal force and the friction.
    let (normal, friction) = (2.0 * g * slope.cos(), 2.0 * g * slope.sin() / 3.0);
    let force =
        [-normal * slope.sin() + friction * slope.cos(), -normal * slope.cos() - friction * slope.sin()];
    let expected = [
        ("v", a),
        ("wheel.angle'", -a / 0.1),
        ("wheel.angle", -0.5 * a / 0.1),
        ("fx", force[0]),
        ("fy", force[1]),
    ];
    assert_ends(&format!("{WHEEL}{ground}{joint}"), &expected);
    // A segment along the same line, and the same line as a curve without an end.
    let segment =
        "shapes.ramp = { body = \"ground\", segment = [[0, 0], [\"9*cos(0.3)\", \"-9*sin(0.3)\"]] }\n";
    let stopped = joint.replace("\"ramp\"]", "\"ramp\"], stops = { from = -1, to = 9 }");
    assert_ends(&format!("{WHEEL}{segment}{stopped}"), &expected);
    let curve = "shapes.ramp = { body = \"ground\", curve = { x = \"3*s*cos(0.3)\", y = \"-3*s*sin(0.3)\", s = [0, 3] } }\n";
    let thrice = stopped.replace("s'\"", "s'*3\"");
    assert_ends(&format!("{WHEEL}{curve}{thrice}"), &expected);
}

/// A disc in a ring, beside a pendulum of the length that it has: theta'' = -2 g sin(theta) / (3 (R - r)).
#[test]
fn a_disc_rolls_in_a_ring_as_a_pendulum_swings() {
    let pendulum = "gravity = [0, -9.81]\nstates = { theta = 1, rate = 0 }\nderivatives = { theta = \"rate\", rate = \"-2*9.81*sin(theta)/(3*0.4)\" }\n\
        bodies.wheel = { shape = { disc = 0.1 }, mass = 2, x = \"0.4*sin(1)\", y = \"-0.4*cos(1)\" }\n";
    let joint = "joints.roll = { rolling = [\"wheel\", \"ring\"] }\noutputs = { x = \"wheel.x - 0.4*sin(theta)\", y = \"wheel.y + 0.4*cos(theta)\", turn = \"0.1*wheel.angle + 0.4*(theta - 1)\", slip = \"0.1*wheel.angle' + 0.4*rate\" }\n";
    let expected = [("x", 0.0), ("y", 0.0), ("turn", 0.0), ("slip", 0.0)];
    for ring in [
        "shapes.ring = { body = \"ground\", disc = 0.5, solid = \"outside\" }\n",
        "shapes.ring = { body = \"ground\", curve = { x = \"0.5*cos(s)\", y = \"0.5*sin(s)\", s = [0, \"2*pi\"], closed = true }, solid = \"outside\" }\n",
        "shapes.ring = { body = \"ground\", curve = { x = \"0.5*sin(2*s)\", y = \"0.5*cos(2*s)\", s = [0, \"pi\"], closed = true }, solid = \"outside\" }\n",
    ] {
        assert_ends(&format!("{pendulum}{ring}{joint}"), &expected);
        let inside = ring.replace(", solid = \"outside\"", "");
        let joint = joint.replace("\"ring\"]", "\"ring\"], inside = true");
        assert_ends(&format!("{pendulum}{inside}{joint}"), &expected);
    }
}

#[test]
fn a_disc_rolls_around_another() {
    // The centre goes round by the arm; the turns are those of an epicyclic gear.
    let text = "[bodies]\narm = { mass = 1, inertia = 1, points = { end = [0.3, 0] } }\nplanet = { shape = { disc = 0.1 }, mass = 1 }\nsun = { shape = { disc = 0.2 }, mass = 1 }\n\
        [joints]\nhub = { revolute = [\"ground\", \"arm.origin\"] }\npin = { revolute = [\"arm.end\", \"planet.origin\"] }\naxle = { revolute = [\"ground\", \"sun.origin\"] }\nmesh = { rolling = [\"planet\", \"sun\"] }\n\
        [drives]\nd = { joint = \"hub\", velocity = \"2*t\" }\ne = { joint = \"axle\", position = \"0.5*t\" }\n";
    // (r1 + r2) theta - r1 phi1 - r2 phi2 is constant; the wheel and the arm are held twice, in one of their directions.
    assert_ends(text, &[("arm.angle", 1.0), ("planet.angle", (0.3 - 0.2 * 0.5) / 0.1)]);
    let circle = text.replace(
        "disc = 0.2 }",
        "curve = { x = \"0.2*cos(s)\", y = \"0.2*sin(s)\", s = [0, \"2*pi\"], closed = true } }, inertia = 1",
    );
    assert_ends(&circle, &[("arm.angle", 1.0), ("planet.angle", (0.3 - 0.2 * 0.5) / 0.1)]);
}

#[test]
fn an_eccentric_circle_lifts_as_its_closed_form_says() {
    let text = "gravity = [0, -9.81]\n[bodies]\ncam = { mass = 1, inertia = 0.1 }\nrod = { shape = { disc = 0.02 }, mass = 0.5, y = 0.13 }\n\
        [shapes]\nouter = { body = \"cam\", curve = { x = \"0.03 + 0.1*cos(s)\", y = \"0.1*sin(s)\", s = [0, \"2*pi\"], closed = true } }\n\
        [joints]\nmain = { revolute = [\"ground\", \"cam.origin\"] }\nguide = { prismatic = [\"ground.origin\", \"rod.origin\"], axis = [0, 1] }\nfollow = { cam = [\"rod\", \"outer\"] }\n\
        [drives]\nd = { joint = \"main\", velocity = 7 }\n[outputs]\nlift = \"joint.guide.position\"\nspeed = \"joint.guide.position'\"\ntorque = \"drive.d.torque\"\n";
    let (e, reach, angle, rate) = (0.03_f64, 0.12_f64, 7.0_f64, 7.0_f64);
    let (sin, cos) = angle.sin_cos();
    let root = (reach * reach - e * e * cos * cos).sqrt();
    let lift = e * sin + root;
    let slope = e * cos + e * e * cos * sin / root;
    let bend = -e * sin + e * e * (cos * cos - sin * sin) / root - (e * e * cos * sin).powi(2) / root.powi(3);
    // The power of the drive lifts the rod and speeds it up.
    let torque = 0.5 * (9.81 + bend * rate * rate) * slope;
    assert_ends(text, &[("lift", lift), ("speed", slope * rate), ("torque", torque)]);
}

#[test]
fn a_bead_on_a_wire_moves_as_its_own_equation_says() {
    let text = "gravity = [0, -9.81]\ncoordinates = { u = 0.4 }\nkinetic = \"0.5*3*(0.09*sin(u)^2 + 0.04*cos(u)^2)*u'^2\"\npotential = \"3*9.81*0.2*sin(u)\"\n\
        bodies.bead = { mass = 3, inertia = 0.1 }\nshapes.wire = { body = \"ground\", curve = { x = \"0.3*cos(s)\", y = \"0.2*sin(s)\", s = [0, \"2*pi\"], closed = true } }\n\
        joints.j = { on_curve = [\"bead.origin\", \"wire\"], start = { s = 0.4 } }\noutputs = { apart = \"joint.j.s - u\", rates = \"joint.j.s' - u'\" }\n";
    assert_ends(text, &[("apart", 0.0), ("rates", 0.0)]);
    // It starts where it is drawn, and with a velocity of its own.
    let moving = text
        .replace("u = 0.4 }", "u = 0.4 }\nspeeds = { u = 2 }")
        .replace("inertia = 0.1", "inertia = 0.1, x = \"0.3*cos(0.4)\", y = \"0.2*sin(0.4)\"")
        .replace("{ s = 0.4 }", "{ velocity = 2 }");
    assert_ends(&moving, &[("apart", 0.0), ("rates", 0.0)]);
}

#[test]
fn what_does_not_fit_is_refused() {
    let refused = |text: &str, code: &str| {
        let errors = Model::from_toml(&format!("{WHEEL}{text}\nrun.until = 1")).expect_err("an error");
        assert!(errors.iter().any(|error| error.code == code), "{text}: {errors:?}");
    };
    let ellipse = "curve = { x = \"0.3*cos(s)\", y = \"0.05*sin(s)\", s = [0, \"2*pi\"], closed = true }";
    let joint = |kind: &str, shape: &str| {
        format!("joints.j = {{ {kind} = [\"wheel\", \"e\"] }}\nshapes.e = {{ body = \"ground\", {shape} }}")
    };
    // The disc is larger than the ellipse is round at its ends.
    refused(&joint("rolling", &format!("{ellipse}, solid = \"outside\"")), "bad-joint");
    refused(&joint("rolling", "disc = 0.05, solid = \"outside\""), "bad-joint");
    refused(&joint("rolling", "segment = [[0, 0], [1, 0]]"), "bad-joint");
    refused(&joint("rolling", "box = [1, 1]"), "bad-joint");
    refused(&joint("cam", "disc = 1"), "bad-joint");
    refused(&joint("cam", &ellipse.replace("2*pi", "3")), "bad-shape");
    refused(&joint("cam", &ellipse.replace("0.05*sin(s)", "0.05*abs(s - 1)")), "bad-shape");
    refused(&joint("cam", &ellipse.replace("0.05*sin(s)", "0.05*w*sin(s)")), "unknown-name");
    refused(
        &joint(
            "cam",
            &ellipse.replace("0.3*cos(s)", "s*(2*pi - s)").replace("0.05*sin(s)", "s^2*(2*pi - s)"),
        ),
        "bad-shape",
    );
    refused(&joint("cam", &ellipse.replace("closed = true", "closed = false")), "bad-joint");
    refused(
        &joint("on_curve", ellipse).replace("\"wheel\", \"e\"]", "\"wheel.origin\", \"e\"], open = true"),
        "not-yet",
    );
    refused(
        &format!(
            "shapes.e = {{ body = \"ground\", {ellipse} }}\ncontacts.c = {{ between = [\"wheel\", \"e\"] }}"
        ),
        "overlap",
    );
}
