//! Joints, drives and forces of bodies do what their names say: small models with closed forms.

use slipstick::formulation::Mixture;
use slipstick::model::Model;
use slipstick::simulate::{Overrides, Plan, simulate};
use std::f64::consts::PI;

/// Runs a model until 1, and compares outputs and states at its end.
fn assert_ends(name: &str, text: &str, expected: &[(&str, f64)]) {
    let text = format!("{text}\n[run]\nuntil = 1\nrtol = 1e-10\natol = 1e-12\n");
    let model = Model::from_toml(&text).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
    let plan = Plan::new(&model, &Overrides::default()).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
    let run = simulate(&plan.system, &plan.start, &plan.options).unwrap_or_else(|f| panic!("{name}: {f}"));
    let last = run.segments.last().expect("a segment");
    let mut outputs = vec![0.0; model.outputs.len()];
    let mut observer = Mixture::new(&plan.system, plan.system.outputs());
    observer.observe(&last.mode, run.end_time(), run.end_state(), &mut outputs);
    let states = model.states.iter().map(|d| &d.name).zip(run.end_state());
    let outputs = model.outputs.iter().map(|d| &d.name).zip(&outputs);
    let values: Vec<(&String, &f64)> = states.chain(outputs).collect();
    for (what, truth) in expected {
        let found = values.iter().find(|(name, _)| name == what);
        let value = found.unwrap_or_else(|| panic!("{name} has no {what}: {values:?}")).1;
        assert!((value - truth).abs() < 1e-7 * (1.0 + truth.abs()), "{name}: {what} is {value}, not {truth}");
    }
}

const BOX: &str = "shape = { box = [0.2, 0.1] }, mass = 2";

#[test]
fn a_body_without_joints_falls_and_turns() {
    let text = format!(
        "gravity = [0, -10]\nbodies.b = {{ {BOX}, com = [0.1, 0], angular_velocity = 3, velocity = [1, 2] }}\n\
         outputs = {{ x = \"b.x\", corner = \"b.com.y\" }}"
    );
    // The centre of mass flies; the origin of the frame turns around it.
    let (angle, centre) = (3.0_f64, [0.1 + 1.0, 2.0 + 0.3 - 5.0]);
    let origin = [centre[0] - 0.1 * angle.cos(), centre[1] - 0.1 * angle.sin()];
    let expected = [("x", origin[0]), ("corner", centre[1]), ("b.angle", 3.0), ("b.y", origin[1])];
    assert_ends("a body", &text, &expected);
}

/// A wheel of one kilogram metre squared, which all torques turn.
fn wheel(more: &str) -> String {
    format!(
        "bodies.w = {{ mass = 3, inertia = 1, points = {{ rim = [0, 2] }} }}\n\
         joints.axle = {{ revolute = [\"ground\", \"w.origin\"] }}\n{more}"
    )
}

#[test]
fn torques_turn_a_wheel() {
    let motor = wheel("forces.m = { motor = \"axle\", torque = \"6*t\" }");
    assert_ends("a motor", &motor, &[("w.angle", 1.0), ("w.angle'", 3.0)]);
    let couple = wheel("forces.c = { couple = \"w\", torque = 2 }");
    assert_ends("a couple", &couple, &[("w.angle", 1.0)]);
    let spring = wheel("forces.s = { spring = \"axle\", stiffness = 4, rest = 1 }");
    assert_ends("a spring", &spring, &[("w.angle", 1.0 - 2.0_f64.cos())]);
    let damped =
        wheel("forces.d = { damper = \"axle\", damping = 2 }\nforces.m = { motor = \"axle\", torque = 2 }");
    let decay = (-2.0_f64).exp();
    assert_ends("a damper", &damped, &[("w.angle'", 1.0 - decay)]);
    let point = wheel("forces.p = { point = \"w.rim\", force = [-1, 0], in = \"w\" }");
    assert_ends("a force at the rim", &point, &[("w.angle", 1.0)]);
}

#[test]
fn dry_friction_of_a_joint_holds_and_brakes() {
    let text = wheel("forces.m = { motor = \"axle\", torque = 0.4 }");
    let stuck = text.replace("\"w.origin\"]", "\"w.origin\"], friction = { torque = 0.5 }");
    assert_ends("a stuck wheel", &stuck, &[("w.angle", 0.0)]);
    let turning = stuck.replace("torque = 0.4", "torque = 2.5");
    assert_ends("a turning wheel", &turning, &[("w.angle", 1.0)]);
}

#[test]
fn bodies_slide_along_prismatic_joints_and_slots() {
    let incline = format!(
        "gravity = [0, -10]\nbodies.b = {{ {BOX} }}\n\
         joints.track = {{ prismatic = [\"ground\", \"b.origin\"], axis = [\"cos(0.3)\", \"sin(0.3)\"] }}\n\
         outputs = {{ s = \"joint.track.position\", v = \"joint.track.position'\", n = \"joint.track.force.y\" }}"
    );
    let down = -10.0 * 0.3_f64.sin();
    let normal = 2.0 * 10.0 * 0.3_f64.cos() * 0.3_f64.cos();
    assert_ends("an incline", &incline, &[("s", 0.5 * down), ("v", down), ("n", normal), ("b.angle", 0.0)]);
    let slot =
        incline.replace("prismatic", "slot").replace("[0.2, 0.1] }", "[0.2, 0.1] }, angular_velocity = 2");
    assert_ends("a slot", &slot, &[("s", 0.5 * down), ("b.angle", 2.0)]);
}

#[test]
fn rods_and_fixed_joints_hold() {
    // A point mass on a rod without mass, through the bottom with the energy of its fall.
    let rod = "gravity = [0, -10]\nbodies.b = { mass = 2, inertia = 0.1, x = 1 }\n\
               joints.rod = { distance = [\"ground\", \"b.origin\"], at = [0, 0] }\n\
               outputs = { e = \"5*(b.x'^2 + b.y'^2)/10 + 10*b.y\", l = \"joint.rod.length\" }";
    assert_ends("a rod", rod, &[("e", 0.0), ("l", 1.0), ("b.angle", 0.0)]);
    // Two halves that are one body.
    let halves = "gravity = [0, -10]\n[bodies]\na = { mass = 1, inertia = 0.1, x = -1, velocity = [0, -2] }\n\
                  b = { mass = 1, inertia = 0.1, x = 1, velocity = [0, 2] }\n\
                  [joints]\nweld = { fixed = [\"a.origin\", \"b.origin\"] }\n";
    // The velocities that are given are kept, and the bodies turn with them.
    let rate = 2.0_f64;
    let expected = [("a.angle", rate), ("a.x", -rate.cos()), ("b.y", rate.sin() - 5.0), ("b.angle'", rate)];
    assert_ends("two halves", halves, &expected);
}

#[test]
fn gears_belts_and_racks_keep_their_ratio() {
    let pair = |joint: &str| {
        format!(
            "[bodies]\na = {{ mass = 1, inertia = 1 }}\nb = {{ mass = 1, inertia = 2, x = 5 }}\n[joints]\n\
             p = {{ revolute = [\"ground\", \"a.origin\"] }}\nq = {{ revolute = [\"ground\", \"b.origin\"] }}\n\
             {joint}\n[forces]\nm = {{ motor = \"p\", torque = 3 }}\n[outputs]\nforce = \"lambda.joint.g.ratio\"\n"
        )
    };
    // (1 + 2 r^2) a'' = 3
    let gear = pair("g = { gear = [\"p\", \"q\"], ratio = -0.5 }");
    assert_ends("a gear", &gear, &[("a.angle", 1.0), ("b.angle", -0.5), ("force", 2.0)]);
    let belt = pair("g = { belt = [\"p\", \"q\"], radii = [1, 2] }");
    assert_ends("a belt", &belt, &[("a.angle", 1.0), ("b.angle", 0.5)]);
    let crossed = pair("g = { belt = [\"p\", \"q\"], radii = [1, 2], crossed = true }");
    assert_ends("a crossed belt", &crossed, &[("b.angle", -0.5)]);
    let rack = "gravity = [0, -10]\n[bodies]\nw = { mass = 1, inertia = 1 }\nload = { mass = 2, inertia = 1, x = -0.5, y = -3 }\n\
                [joints]\naxle = { revolute = [\"ground\", \"w.origin\"] }\nguide = { prismatic = [\"ground\", \"load.origin\"], axis = [0, 1] }\n\
                rope = { rack = [\"axle\", \"guide\"], radius = -0.5 }\n";
    // (1 / 0.25 + 2) y'' = -20
    let fall = -20.0 / 6.0;
    assert_ends("a rack", rack, &[("load.y", -3.0 + 0.5 * fall), ("w.angle", 0.5 * fall / -0.5)]);
}

#[test]
fn drives_prescribe_and_tell_their_torque() {
    let position =
        wheel("drives.d = { joint = \"axle\", position = \"t^3\" }\noutputs.m = \"drive.d.torque\"");
    assert_ends("a driven angle", &position, &[("w.angle", 1.0), ("m", 6.0)]);
    let velocity =
        wheel("drives.d = { joint = \"axle\", velocity = \"3*t^2\" }\noutputs.m = \"drive.d.torque\"");
    assert_ends("a driven velocity", &velocity, &[("w.angle", 1.0), ("m", 6.0)]);
}

#[test]
fn springs_bushings_and_drag_act_between_points() {
    let spring = "bodies.b = { mass = 1, inertia = 1, x = 3 }\n\
                  forces.s = { spring = [\"ground\", \"b.origin\"], stiffness = 4, rest = 2, damping = 0 }";
    assert_ends("a spring", spring, &[("b.x", 2.0 + 2.0_f64.cos())]);
    let preload = spring.replace("rest = 2", "preload = 4");
    assert_ends("a preload", &preload, &[("b.x", 2.0 + 2.0_f64.cos())]);
    let bushing = "bodies.b = { mass = 1, inertia = 1, x = 1, y = 2, angle = 0.5 }\n\
                   forces.s = { bushing = [\"ground\", \"b\"], stiffness = [1, 4, 9] }";
    let expected = [("b.x", 1.0_f64.cos()), ("b.y", 2.0 * 2.0_f64.cos()), ("b.angle", 0.5 * 3.0_f64.cos())];
    assert_ends("a bushing", bushing, &expected);
    // v' = -v^2 / 2 from 2.
    let drag = "bodies.b = { mass = 1, inertia = 1, velocity = [2, 0] }\n\
                forces.d = { drag = \"b\", area = 1, coefficient = 1, density = 1 }";
    assert_ends("a drag", drag, &[("b.x'", 1.0), ("b.x", 2.0 * 2.0_f64.ln())]);
}

#[test]
fn reactions_act_on_the_second_body_in_ground_axes() {
    let held = |ends: &str| {
        format!(
            "gravity = [0, -10]\nbodies.b = {{ {BOX}, x = 1 }}\njoints.j = {{ fixed = {ends} }}\n\
             outputs = {{ f = \"joint.j.force.y\", m = \"joint.j.moment\" }}\n\
             sensors.s = {{ force = \"j\", on = \"b\", in = \"b\" }}"
        )
    };
    assert_ends("held", &held("[\"ground\", \"b.origin\"]"), &[("f", 20.0), ("m", 0.0), ("s.y", 20.0)]);
    // At the point of the second end: 20 N at a distance of one metre.
    assert_ends("held far", &held("[\"ground.origin\", \"b.origin\"]"), &[("f", 20.0), ("m", 0.0)]);
    assert_ends(
        "the other way",
        &held("[\"b.origin\", \"ground.origin\"]"),
        &[("f", -20.0), ("m", -20.0), ("s.y", 20.0)],
    );
}

#[test]
fn sensors_look_from_a_body_that_turns() {
    let text = "[bodies]\na = { mass = 1, inertia = 1, angular_velocity = 2 }\nb = { mass = 1, inertia = 1, x = 1 }\n\
                [sensors]\np = { position = \"b\", relative_to = \"a\", in = \"a\" }\n\
                v = { velocity = \"b\", relative_to = \"a\", in = \"a\" }\nd = { distance = [\"a\", \"b\"] }\n";
    let (sin, cos) = 2.0_f64.sin_cos();
    let expected = [("p.x", cos), ("p.y", -sin), ("v.x", -2.0 * sin), ("v.y", -2.0 * cos), ("d", 1.0)];
    assert_ends("sensors", text, &expected);
}

#[test]
fn the_energy_of_bodies_is_that_of_motion_weights_and_springs() {
    let text = "gravity = [0, -10]\nbodies.b = { mass = 2, inertia = 1, x = 3, y = 1, angular_velocity = 3 }\n\
                forces.s = { spring = [\"ground\", \"b\"], stiffness = 4, rest = 1 }\n\
                sensors = { total = { energy = \"total\" }, moving = { energy = \"kinetic\" }, stored = { energy = \"potential\" } }\n\
                outputs.sum = \"moving + stored - total\"\n";
    let stored = 20.0 + 2.0 * (10.0_f64.sqrt() - 1.0).powi(2);
    assert_ends("energies", text, &[("total", 4.5 + stored), ("sum", 0.0)]);
}

#[test]
fn many_bodies_are_written_once() {
    let text = "[parameters]\nn = 4\n[bodies.w]\nrepeat = \"n\"\nmass = 1\ninertia = \"1 + k\"\nx = \"2*k\"\n\
                [joints]\naxle = { repeat = \"n\", revolute = [\"ground\", \"w[k].origin\"] }\n\
                gear = { repeat = \"n - 1\", gear = [\"axle[k]\", \"axle[k+1]\"], ratio = -1 }\n\
                [forces]\nm = { motor = \"axle[0]\", torque = 10 }\n[outputs]\nlast = \"w[n-1].angle\"\n";
    assert_ends("a train of gears", text, &[("w[0].angle", 0.5), ("last", -0.5), ("w[2].angle", 0.5)]);
}

#[test]
fn lengths_come_from_shapes_and_links() {
    // A rod that swings a little about its end: 3 g / (2 l).
    let text = "gravity = [0, -10]\nbodies.rod = { link = { top = [0, 0], end = [1.5, 0] }, mass = 7, angle = \"1e-5 - pi/2\" }\n\
                joints.pin = { revolute = [\"ground.origin\", \"rod.top\"] }\noutputs.a = \"1e5*(rod.angle + pi/2)\"";
    assert_ends("a rod", text, &[("a", 10.0_f64.sqrt().cos())]);
    // A capsule is a disc if it has no length, and a thin one is a rod.
    for (shape, inertia) in [
        ("disc = 0.2", 0.02),
        ("capsule = [0, 0.2]", 0.02),
        ("capsule = [3, 1e-9]", 9.0 / 12.0),
        ("box = [3, 4]", 25.0 / 12.0),
        ("polygon = [[0, 0], [3, 0], [3, 4], [0, 4]]", 25.0 / 12.0),
        ("polygon = [[1, 5], [1, 1], [4, 1], [4, 5]]", 25.0 / 12.0),
        ("ellipse = [0.2, 0.2]", 0.02),
    ] {
        let text = format!(
            "bodies.b = {{ shape = {{ {shape} }}, mass = 1 }}\n\
             forces.c = {{ couple = \"b\", torque = {inertia:?} }}"
        );
        assert_ends(shape, &text, &[("b.angle", 0.5)]);
    }
    // Density and depth give the mass.
    let text = "gravity = [0, -1]\n[materials]\nlead = { density = 10 }\n[bodies]\n\
                b = { shape = { disc = 2 }, material = \"lead\", depth = 0.5 }\n[joints]\nj = { fixed = [\"ground\", \"b.origin\"] }\n\
                [outputs]\nweight = \"joint.j.force.y\"\n";
    assert_ends("a disc of lead", text, &[("weight", 20.0 * PI)]);
}

#[test]
fn accelerations_are_names_and_sensors() {
    let fall = format!(
        "gravity = [0, -10]\nbodies.b = {{ {BOX}, com = [0.1, 0], angular_velocity = 3 }}\n\
         outputs = {{ com = \"b.com.y''\", x = \"b.x''\", y = \"b.y''\", spin = \"b.angle''\" }}\n\
         sensors = {{ own = {{ acceleration = \"b\", in = \"b\" }} }}"
    );
    // The origin of the frame turns around the centre of mass, which falls.
    let (sin, cos) = 3.0_f64.sin_cos();
    let frame = [0.9 * cos, 0.9 * sin - 10.0];
    let own = [frame[0] * cos + frame[1] * sin, frame[1] * cos - frame[0] * sin];
    let expected = [
        ("com", -10.0),
        ("x", frame[0]),
        ("y", frame[1]),
        ("spin", 0.0),
        ("own.x", own[0]),
        ("own.y", own[1]),
    ];
    assert_ends("a falling body", &fall, &expected);
    let motor = wheel(
        "forces.m = { motor = \"axle\", torque = \"6*t\" }\n\
         sensors = { seen = { acceleration = \"ground\", relative_to = \"w.rim\", in = \"w\" }, still = { acceleration = \"w.rim\", relative_to = \"w\" } }\n\
         outputs = { a = \"joint.axle.angle''\", rim = \"w.rim.x''\" }",
    );
    let (turned, rate, faster) = (1.0_f64, 3.0, 6.0);
    let rim = -2.0 * (turned.cos() * faster - turned.sin() * rate * rate);
    let expected =
        [("a", faster), ("rim", rim), ("still.x", 0.0), ("still.y", 0.0), ("seen.x", 0.0), ("seen.y", 0.0)];
    assert_ends("a wheel", &motor, &expected);
}

#[test]
fn accelerations_are_no_causes() {
    let model = |more: &str| wheel(&format!("{more}\nrun.until = 1"));
    for wrong in [
        "events.e = { guard = \"w.rim.x'' > 3\" }",
        "outputs.a = \"w.angle''\"\nevents.e = { guard = \"a > 3\" }",
        "forces.m = { motor = \"axle\", torque = \"-w.angle''\" }",
        "outputs.a = \"2*w.angle''\"\nforces.\"w.angle\" = \"-a\"",
    ] {
        let errors = Model::from_toml(&model(wrong)).expect_err(wrong);
        assert!(errors.iter().any(|error| error.code == "unknown-name"), "{wrong}: {errors:?}");
    }
}

#[test]
fn joints_start_where_they_say() {
    let axle = wheel("");
    let start = axle.replace("\"w.origin\"]", "\"w.origin\"], start = { angle = \"90 deg\", velocity = 2 }");
    assert_ends("a wheel that is turned", &start, &[("w.angle", PI / 2.0 + 2.0), ("w.angle'", 2.0)]);
    let track = format!(
        "bodies.b = {{ {BOX} }}\n\
         joints.track = {{ prismatic = [\"ground.origin\", \"b.origin\"], axis = [3, 4], start = {{ position = 5, velocity = 1 }} }}\n"
    );
    assert_ends("a slide", &track, &[("b.x", 3.6), ("b.y", 4.8)]);
    let turned = format!(
        "[bodies]\na = {{ {BOX}, angle = 0.5 }}\nb = {{ {BOX} }}\n[joints]\np = {{ revolute = [\"ground\", \"a.origin\"], start = {{ velocity = 1 }} }}\n\
         q = {{ revolute = [\"a.origin\", \"b.origin\"], start = {{ angle = 0.25, velocity = -3 }} }}\n"
    );
    assert_ends("two arms", &turned, &[("a.angle", 1.5), ("b.angle", 0.75 - 2.0)]);
    let twice = axle
        .replace("inertia = 1,", "inertia = 1, angle = 1,")
        .replace("\"w.origin\"]", "\"w.origin\"], start = { angle = 2 }");
    let errors = Model::from_toml(&format!("{twice}\nrun.until = 1")).expect_err("an error");
    assert_eq!(errors[0].code, "bad-joint");
}

#[test]
fn what_weighs_more_is_moved_less() {
    let apart = "[bodies]\na = { mass = 1, inertia = 1, x = 0 }\nb = { mass = 1, inertia = 1, x = 1 }\n[joints]\npin = { revolute = [\"a.origin\", \"b.origin\"] }\n[assemble]\nweight = { a = 9 }\n";
    assert_ends("two bodies", apart, &[("a.x", 0.1), ("b.x", 0.1)]);
    assert_ends("alike", &apart.replace("a = 9", "a = 2, b = 2"), &[("a.x", 0.5), ("b.x", 0.5)]);
}

#[test]
fn defaults_stand_for_all_entries_of_a_section() {
    let text = "defaults = { bodies = { density = 1000, depth = 0.1 }, shapes = { disc = 0.2 }, joints = { friction = { torque = 0.5 } }, forces = { torque = 1.5 } }\n\
        bodies = { a = { shape = {} }, b = { shape = { disc = 0.1 }, mass = 3, x = 5 } }\n\
        joints = { p = { revolute = [\"ground\", \"a.origin\"] }, q = { revolute = [\"ground\", \"b.origin\"] } }\n\
        forces = { m = { motor = \"p\" }, n = { motor = \"q\", torque = 0.4 } }\n";
    let inertia = 1000.0 * 0.1 * PI * 0.2_f64.powi(4) / 2.0;
    assert_ends("defaults", text, &[("a.angle'", 1.0 / inertia), ("b.angle", 0.0)]);
}
