//! Dry friction in joints sticks, slides and turns round as that of contacts does, by every method on every form, and
//! beside them.

mod common;

use common::plan;
use slipstick::formulation::Stabilisation;
use slipstick::simulate::{Options, Plan, simulate};
use slipstick::step::Method;
use slipstick::trajectory::Trajectory;
use std::f64::consts::PI;

/// What event times may be off by: of methods of order two, and of others.
const OFF: [f64; 2] = [1e-4, 1e-6];

/// A method on a form: all of them, and Radau IIA on the stabilised form too.
fn rows() -> impl Iterator<Item = (String, Method, bool)> {
    let own = Method::named().map(|method| (method.name().to_owned(), method, false));
    own.chain([("radau5+ggl".to_owned(), Method::Radau5, true)])
}

fn options(plan: &Plan, method: Method, is_stabilised: bool) -> Options {
    let mut options = plan.options.clone().tolerances(1e-7, 1e-9).with_method(method);
    if is_stabilised {
        options = options.stabilisation(Stabilisation::Ggl);
    }
    if method.facts().error_order.is_none() { options.fixed_step(1e-3) } else { options }
}

fn run(plan: &Plan, options: &Options) -> Trajectory {
    simulate(&plan.system, &plan.start, options).unwrap_or_else(|failure| panic!("{failure}"))
}

/// The events by name, with their times.
fn events(run: &Trajectory) -> Vec<(String, f64)> {
    let name = |guards: &[usize]| {
        guards.iter().map(|&guard| run.guard_names[guard].clone()).collect::<Vec<_>>().join(" + ")
    };
    run.events.iter().map(|event| (name(&event.guards), event.t)).collect()
}

/// All methods find these events.
fn assert_happens(text: &str, truth: &[(&str, f64)]) -> Vec<Trajectory> {
    let plan = plan(text);
    let one = |(name, method, is_stabilised): (String, Method, bool)| {
        let run = run(&plan, &options(&plan, method, is_stabilised));
        let off = OFF[usize::from(method.facts().order > 2)];
        let found = events(&run);
        assert_eq!(found.len(), truth.len(), "{name}: {found:?}");
        for ((event, t), (expected, at)) in found.iter().zip(truth) {
            assert!(
                event == expected && (t - at).abs() < off,
                "{name}: {event} at {t}, not {expected} at {at}"
            );
        }
        run
    };
    rows().map(one).collect()
}

/// A mass on a spring, of which friction takes the same from each swing.
const SWINGS: &str = r#"
bodies.b = { mass = 1, inertia = 1, x = 2.35 }
joints.track = { prismatic = ["ground", "b.origin"], axis = [1, 0], at = [0, 0], friction = { force = 1 } }
forces = { "b.x" = "-10*b.x" }
run.until = 13
"#;

#[test]
fn swings_lose_the_same_until_they_stop() {
    let half = PI / 10.0_f64.sqrt();
    let turns: Vec<(&str, f64)> = (1..12).map(|k| ("joint.track.reverse", f64::from(k) * half)).collect();
    let truth: Vec<(&str, f64)> = turns.into_iter().chain([("joint.track.stick", 12.0 * half)]).collect();
    for run in assert_happens(SWINGS, &truth) {
        let end = run.end_state();
        assert!((end[0] + 0.05).abs() < 1e-4, "{end:?}");
        assert!(end[3].abs() < 1e-12, "{end:?}");
        let at_stop = run.events.last().expect("a stop");
        assert!((at_stop.after[0] - end[0]).abs() < 1e-12, "it creeps: {at_stop:?}");
    }
}

/// A torque that grows breaks a pendulum loose, which had held against more than it rubs with.
const BREAKS_LOOSE: &str = r#"
bodies.w = { mass = 1, inertia = 2 }
joints.axle = { revolute = ["ground", "w.origin"], friction = { torque = { static = 0.6, sliding = 0.4 } } }
forces.m = { motor = "axle", torque = "0.3*t" }
run.until = 3
"#;

#[test]
fn what_sticks_holds_against_more_than_what_slides() {
    for run in assert_happens(BREAKS_LOOSE, &[("joint.axle.slip", 2.0)]) {
        // 2 w' = 0.3 t - 0.4 from t = 2 on.
        let speed = (0.15 * 5.0 - 0.4) / 2.0;
        assert!((run.end_state()[5] - speed).abs() < 1e-4, "{:?}", run.end_state());
    }
}

/// A slider that sticks is hit, and slides until it sticks again.
const STRUCK: &str = r#"
[bodies]
a = { mass = 1, inertia = 1, shape = { disc = 0.1 } }
b = { mass = 1, inertia = 1, shape = { disc = 0.1 }, x = -1.2, velocity = [2, 0] }
[joints]
of_a = { prismatic = ["ground", "a.origin"], axis = [1, 0], at = [0, 0], friction = { force = 1 } }
of_b = { prismatic = ["ground", "b.origin"], axis = [1, 0], at = [-1.2, 0] }
[contacts]
hit = { between = ["a", "b"], restitution = 0.5, friction = 0 }
[run]
until = 2.5
"#;

#[test]
fn a_hit_ends_what_sticks_as_friction_has_no_impulse() {
    let truth = [("contact.hit.hit + joint.of_a.slip", 0.5), ("joint.of_a.stick", 2.0)];
    for run in assert_happens(STRUCK, &truth) {
        assert!((run.end_state()[0] - 1.125).abs() < 1e-4, "{:?}", run.end_state());
    }
}

/// Two wheels with a gear between them: the friction on one axle helps to hold the other.
const GEARS: &str = r#"
[bodies]
a = { mass = 1, inertia = 1 }
b = { mass = 1, inertia = 1, x = 1 }
[joints]
p = { revolute = ["ground", "a.origin"], friction = { torque = { static = 0.5, sliding = 0.4 } } }
q = { revolute = ["ground", "b.origin"], friction = { torque = { static = 0.2, sliding = 0.1 } } }
g = { gear = ["p", "q"], ratio = -2 }
[forces]
m = { motor = "p", torque = "0.45*t" }
[run]
until = 4
"#;

#[test]
fn joints_that_hold_each_other_give_way_together() {
    // At the first axle they bear 0.5 and twice 0.2.
    for run in assert_happens(GEARS, &[("joint.p.slip + joint.q.slip", 2.0)]) {
        // (1 + 4) w' = 0.45 t - 0.6, for two seconds.
        let angle = (0.45 * 8.0 / 6.0 + 0.3 * 4.0 / 2.0) / 5.0;
        assert!((run.end_state()[2] - angle).abs() < 1e-4, "{:?}", run.end_state());
    }
}

/// A motor turns a wheel with friction against a stop, lets go, and turns it back.
const STOPPED: &str = r#"
[bodies]
w = { mass = 1, inertia = 1 }
[joints]
[joints.axle]
revolute = ["ground", "w.origin"]
friction = { torque = { static = 0.7, sliding = 0.5 } }
stops = { to = 0.1 }
[forces]
m = { motor = "axle", torque = "2*cos(t)" }
[run]
until = 4
"#;

#[test]
fn what_is_driven_against_a_stop_is_held_until_it_is_driven_back() {
    let (hit, back) = (time_of_stop(), (-0.35_f64).acos());
    let plan = plan(STOPPED);
    for (name, method, is_stabilised) in rows() {
        let run = run(&plan, &options(&plan, method, is_stabilised));
        let found = events(&run);
        assert!(found[0].0.starts_with("stop.axle.to.hit"), "{name}: {found:?}");
        let off = OFF[usize::from(method.facts().order > 2)];
        let last = found.last().expect("it turns back");
        assert!((found[0].1 - hit).abs() < off && (last.1 - back).abs() < off, "{name}: {found:?}");
        assert!(last.0.contains("joint.axle"), "{name}: {found:?}");
        let held = run.state_before(back - 0.01).expect("a state");
        assert!((held.y[2] - 0.1).abs() < 1e-9 && held.y[5].abs() < 1e-9, "{name}: {:?}", held.y);
    }
}

/// When the wheel comes to its stop: `w'' = 2 cos t - 0.5`.
fn time_of_stop() -> f64 {
    let angle = |t: f64| 2.0 * (1.0 - t.cos()) - 0.25 * t * t;
    let (mut early, mut late) = (0.0, 1.0);
    for _ in 0..80 {
        let middle = 0.5 * (early + late);
        if angle(middle) < 0.1 { early = middle } else { late = middle }
    }
    late
}

#[test]
fn lengths_and_mirrors_do_not_matter() {
    let with = |scale: f64, sign: f64| {
        let (x, force) = (sign * 2.35 * scale, scale);
        let text =
            SWINGS.replace("2.35", &format!("{x:e}")).replace("force = 1", &format!("force = {force:e}"));
        events(&run(&plan(&text), &plan(&text).options))
    };
    let plain = with(1.0, 1.0);
    for (scale, sign) in [(1e-3, 1.0), (1e3, 1.0), (1.0, -1.0)] {
        let other = with(scale, sign);
        assert_eq!(other.len(), plain.len(), "{scale} {sign}: {other:?}");
        for ((name, t), (expected, at)) in other.iter().zip(&plain) {
            assert!(
                name == expected && (t - at).abs() < 1e-5,
                "{scale} {sign}: {name} at {t}, not {expected} at {at}"
            );
        }
    }
}

#[test]
fn a_ratchet_with_friction_on_its_axle_lifts_and_holds() {
    let axle = "axle  = { revolute  = [\"ground\", \"wheel.origin\"]";
    let text = include_str!("../../../models/ratchet.toml");
    let rubbing = text.replace(axle, &format!("{axle}, friction = {{ torque = \"0.1 N*m\" }}"));
    assert_ne!(text, rubbing);
    let plan = plan(&rubbing);
    let mut angles = Vec::new();
    for method in [Method::Automatic, Method::DormandPrince5, Method::Radau5] {
        let run = run(&plan, &plan.options.clone().with_method(method));
        angles.push([1.0, 2.0, 3.0].map(|t| run.state_before(t).expect("a state").y[2]));
    }
    for angles in &angles {
        let strokes = [angles[1] - angles[0], angles[2] - angles[1]];
        assert!(strokes.iter().all(|stroke| *stroke < -0.5), "{angles:?}");
        for stroke in strokes {
            let teeth = stroke / (PI / 6.0);
            assert!((teeth - teeth.round()).abs() < 1e-6, "it rests between teeth: {angles:?}");
        }
    }
    assert!(
        angles.iter().flatten().zip(angles[0].iter().cycle()).all(|(a, b)| (a - b).abs() < 1e-4),
        "{angles:?}"
    );
}

/// An arm of seven links that friction holds against its weight, in the first joint up to this part of what it takes.
fn arm(part: f64) -> String {
    let links = 7;
    let mut text = "gravity = [0, -1]\nrun.until = 0.01\n".to_owned();
    for k in 0..links {
        let left = f64::from(links - k);
        let most = 0.5 * left * left * if k == 0 { part } else { 1.1 };
        let before = if k == 0 { "ground".to_owned() } else { format!("l{}.b", k - 1) };
        let link = format!(
            "[bodies.l{k}]\nlink = {{ a = [0, 0], b = [1, 0] }}\nmass = 1\nx = {k}\ny = 0\nangle = 0\n\
             [joints.j{k}]\nrevolute = [\"{before}\", \"l{k}.a\"]\nfriction = {{ torque = {most} }}\n"
        );
        text.push_str(&link);
    }
    text
}

#[test]
fn many_joints_at_once_stick_or_slide() {
    let run_of = |part: f64| {
        let plan = plan(&arm(part));
        (run(&plan, &plan.options), plan)
    };
    let (held, _) = run_of(1.01);
    assert!(held.events.is_empty() && held.end_state()[21..].iter().all(|v| v.abs() < 1e-12), "{held:?}");
    let (falls, _) = run_of(0.9);
    assert!(falls.events.is_empty());
    // The whole arm turns about its first joint: its inertia is a third of the cube of its length.
    let rate = -0.1 * 24.5 / (343.0 / 3.0) * 0.01;
    for k in 0..7 {
        let found = falls.end_state()[21 + 3 * k + 2];
        assert!((found - rate).abs() < 1e-6 * rate.abs(), "{k}: {found}, not {rate}");
    }
}

#[test]
fn joints_break_by_the_impulse_of_a_hit() {
    let text = |limit: f64| {
        format!(
            "[bodies]\na = {{ mass = 1, inertia = 1, shape = {{ disc = 0.1 }} }}\n\
             b = {{ mass = 1, inertia = 1, shape = {{ disc = 0.1 }}, x = -1.2, velocity = [2, 0] }}\n\
             c = {{ mass = 1, inertia = 1, shape = {{ disc = 0.1 }}, x = -2.2, velocity = [2, 0] }}\n\
             [joints]\nhold = {{ revolute = [\"ground\", \"a.origin\"], break = {{ impulse = {limit} }} }}\n\
             [contacts]\nhit = {{ among = [\"a\", \"b\", \"c\"], restitution = 0, friction = 0 }}\n[run]\nuntil = 2\n"
        )
    };
    for limit in [1.9, 2.1] {
        let run = run(&plan(&text(limit)), &plan(&text(limit)).options);
        let broke =
            events(&run).iter().any(|(name, t)| name.contains("joint.hold.break") && (t - 0.5).abs() < 1e-9);
        // The hit is borne in full: with nothing given back, what hits first rests. The next one takes both along if the joint has
        // broken.
        assert_eq!(broke, limit < 2.0, "{:?}", events(&run));
        assert!((run.events[0].after[9]).abs() < 1e-12, "{:?}", run.events[0].after);
        let speed = run.end_state()[9];
        assert!((speed - if broke { 2.0 / 3.0 } else { 0.0 }).abs() < 1e-9, "{limit}: {:?}", run.end_state());
    }
}

#[test]
fn what_joints_take_as_they_shut_is_logged() {
    let text = "bodies.a = { mass = 1, inertia = 1, angular_velocity = 2 }\nbodies.b = { mass = 1, inertia = 3 }\n\
                joints.p = { revolute = [\"ground\", \"a.origin\"] }\njoints.q = { revolute = [\"ground\", \"b.origin\"] }\n\
                joints.c = { angle = [\"a\", \"b\"], at = \"here\", open = true }\nevents.shut = { at = 1, close = \"c\" }\nrun.until = 2\n";
    let run = run(&plan(text), &plan(text).options);
    assert!((run.events[0].energy_lost() - 1.5).abs() < 1e-12, "{:?}", run.events);
    assert!(run.notes.is_empty(), "{:?}", run.notes);
}

#[test]
fn what_is_shut_at_the_start_is_not_noted_as_past() {
    let text = "bodies.a = { mass = 1, inertia = 1 }\n\
                joints.p = { revolute = [\"ground\", \"a.origin\"] }\n\
                joints.c = { angle = [\"ground\", \"a\"], at = \"here\", while = \"cos(3*t) > 0\" }\n\
                forces.m = { motor = \"p\", torque = 1 }\nrun.until = 2\n";
    let run = run(&plan(text), &plan(text).options);
    assert!(run.notes.iter().all(|note| note.code != "already-past"), "{:?}", run.notes);
}

#[test]
fn a_slider_rubs_by_the_force_in_its_joint() {
    let incline = |friction: f64| {
        format!(
            "gravity = [0, -10]\nbodies.b = {{ mass = 2, inertia = 1, velocity = [\"3*cos(0.4)\", \"3*sin(0.4)\"] }}\nrun.until = 2\n\
             [joints.track]\nprismatic = [\"ground\", \"b.origin\"]\naxis = [\"cos(0.4)\", \"sin(0.4)\"]\nat = [0, 0]\n\
             friction = {{ coefficient = {friction} }}\n"
        )
    };
    let (down, across) = (10.0 * 0.4_f64.sin(), 10.0 * 0.4_f64.cos());
    let stops = |friction: f64| 3.0 / (down + friction * across);
    // Above the friction angle it stays where it stops, below it slides back.
    for run in assert_happens(&incline(0.5), &[("joint.track.stick", stops(0.5))]) {
        assert!(
            (run.end_state()[0] - 1.5 * stops(0.5) * 0.4_f64.cos()).abs() < 1e-4,
            "{:?}",
            run.end_state()
        );
    }
    for run in assert_happens(&incline(0.3), &[("joint.track.reverse", stops(0.3))]) {
        let back = -(down - 0.3 * across) * (2.0 - stops(0.3)) * 0.4_f64.cos();
        assert!((run.end_state()[3] - back).abs() < 1e-4, "{:?}", run.end_state());
    }
}

/// A push along a slider that less and less presses on its track, and then more from the other side.
#[test]
fn a_slider_lets_go_as_its_joint_is_relieved() {
    let text = "bodies.b = { mass = 1, inertia = 1 }\nforces = { \"b.x\" = 3, \"b.y\" = \"-10 + 2*t\" }\nrun.until = 7\n\
                [joints.track]\nprismatic = [\"ground\", \"b.origin\"]\naxis = [1, 0]\nat = [0, 0]\n\
                friction = { coefficient = { static = 0.5, sliding = 0.4 } }\n";
    let plan = plan(text);
    for (name, method, is_stabilised) in rows() {
        let run = run(&plan, &options(&plan, method, is_stabilised));
        let off = OFF[usize::from(method.facts().order > 2)];
        let slips: Vec<f64> =
            events(&run).iter().filter(|(name, _)| name == "joint.track.slip").map(|(_, t)| *t).collect();
        assert!(slips.len() == 1 && (slips[0] - 2.0).abs() < off, "{name}: {:?}", events(&run));
        // 3 - 0.4 |10 - 2 t| from 2 to 7.
        let speed = 3.0 * 5.0 - 0.4 * (9.0 + 4.0);
        assert!((run.end_state()[3] - speed).abs() < 1e-4, "{name}: {:?}", run.end_state());
    }
}

/// What presses on a joint can begin at nothing.
#[test]
fn a_slider_without_any_force_in_its_joint_is_held_as_soon_as_there_is_one() {
    let text = "bodies.b = { mass = 1, inertia = 1 }\nforces = { \"b.x\" = \"0.4*t\", \"b.y\" = \"-t\" }\nrun.until = 2\n\
                [joints.track]\nprismatic = [\"ground\", \"b.origin\"]\naxis = [1, 0]\nat = [0, 0]\nfriction = { coefficient = 0.5 }\n";
    let plan = plan(text);
    let run = run(&plan, &plan.options);
    assert!(run.end_state()[0].abs() < 1e-12 && events(&run).is_empty(), "{:?}", events(&run));
}
