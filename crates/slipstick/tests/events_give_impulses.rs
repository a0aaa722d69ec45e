//! An event with an impulse changes all speeds through the joints, as an impact does.

mod common;

use common::{has_note, plan, run_model, try_model};
use slipstick::contact::GivenImpulse;
use slipstick::model::Model;
use slipstick::problems::contact_methods;
use slipstick::simulate::{Overrides, Plan, simulate};
use slipstick::step::Method;
use slipstick::trajectory::{EnergyBalance, Event, EventKind, Trajectory};

/// A double pendulum of points on massless rods that falls against an inclined wall, in angles.
const ANGLES: &str = r#"
parameters = { m1 = 1, m2 = 2, l = 0.7, e = 1 }
coordinates = { a = -0.7, b = -0.4 }
kinetic = "(m1 + m2)/2*a'^2 + m2/2*l^2*b'^2 + m2*l*cos(a - b)*a'*b'"
potential = "-9.81*((m1 + m2)*cos(a) + m2*l*cos(b))"
outputs.un = "-0.96*(cos(a)*a' + l*cos(b)*b') + 0.28*(sin(a)*a' + l*sin(b)*b')"
events.wall = { guard = "-0.96*(sin(a) + l*sin(b)) - 0.28*(cos(a) + l*cos(b)) + 0.9 < 0", impulse = { along = "un", restitution = "e" }, stop_after = 2 }
run = { until = 5, rtol = 1e-11, atol = 1e-13 }"#;

/// The same with the rods as joints. Their multipliers are forces in newtons.
const RODS: &str = r#"
parameters = { m1 = 1, m2 = 2, l = 0.7, e = 1 }
coordinates = { x1 = "-sin(0.7)", y1 = "-cos(0.7)", x2 = "-sin(0.7) - l*sin(0.4)", y2 = "-cos(0.7) - l*cos(0.4)" }
kinetic = "m1/2*(x1'^2 + y1'^2) + m2/2*(x2'^2 + y2'^2)"
potential = "9.81*(m1*y1 + m2*y2)"
constraints = { upper = "(x1^2 + y1^2 - 1)/2", lower = "((x2 - x1)^2 + (y2 - y1)^2 - l^2)/(2*l)" }
events.wall = { guard = "-0.96*x2 + 0.28*y2 + 0.9 < 0", impulse = { along = "-0.96*x2' + 0.28*y2'", restitution = "e" }, stop_after = 2 }
run = { until = 5, rtol = 1e-11, atol = 1e-13 }"#;

/// A hit as it is known: in 40 digits, by the impact in angles and again with the rods as joints.
struct Hit {
    t: f64,
    after: [f64; 2],
    impulse: f64,
    velocity: f64,
    rods: [f64; 2],
    lost: f64,
}

/// The first two hits for a restitution of 1 and of 0.6.
const HITS: [(&str, [Hit; 2]); 2] = [
    (
        "e = 1 ",
        [
            Hit {
                t: 0.818_414_972_727_991_7,
                after: [-1.211_103_649_870_933, -1.601_838_300_154_415_4],
                impulse: 12.583_902_969_565_295,
                velocity: -1.889_705_991_468_888_8,
                rods: [-6.427_466_591_552_734, -6.972_798_581_341_75],
                lost: 0.0,
            },
            Hit {
                t: 2.455_499_143_569_586,
                after: [-0.707_712_299_636_631_8, -2.482_047_609_693_697],
                impulse: 12.458_212_974_428_503,
                velocity: -1.879_751_085_943_878_3,
                rods: [-6.556_707_097_311_322, -7.012_239_988_422_046],
                lost: 0.0,
            },
        ],
    ),
    (
        "e = 0.6 ",
        [
            Hit {
                t: 0.818_414_972_727_991_7,
                after: [-0.670_452_439_923_706_5, -1.067_483_450_911_722],
                impulse: 10.067_122_375_652_236,
                velocity: -1.889_705_991_468_888_8,
                rods: [-5.141_973_273_242_187, -5.578_238_865_073_4],
                lost: 3.804_780_294_024_108_6,
            },
            Hit {
                t: 2.643_222_563_973_559,
                after: [1.797_310_797_357_358_7, -3.412_480_728_603_687_4],
                impulse: 3.720_981_028_823_429_7,
                velocity: -0.837_215_000_260_499_6,
                rods: [-1.968_974_635_146_426, -1.968_974_895_634_236_8],
                lost: 0.623_052_226_603_144_4,
            },
        ],
    ),
];

fn given(event: &Event) -> GivenImpulse {
    event.impacts().next().expect("an impact").given[0]
}

fn near(is: f64, truth: f64, tolerance: f64, what: &str) {
    assert!((is - truth).abs() < tolerance, "{what}: {is} and not {truth}");
}

fn check_hit(event: &Event, hit: &Hit, e: f64, tolerance: f64) {
    near(event.t, hit.t, tolerance, "time");
    let given = given(event);
    near(given.impulse, hit.impulse, 30.0 * tolerance, "impulse");
    near(given.velocity.0, hit.velocity, 10.0 * tolerance, "velocity before");
    near(given.velocity.1, -e * given.velocity.0, 1e-13, "velocity after");
    near(event.energy_lost(), hit.lost, 30.0 * tolerance, "energy lost");
    assert!(event.kinds.contains(&EventKind::Impulse));
}

#[test]
fn an_oblique_impact_is_that_of_a_contact_in_angles() {
    for (e, hits) in &HITS {
        let run = run_model(&ANGLES.replace("e = 1 ", e));
        let part = if *e == "e = 1 " { 1.0 } else { 0.6 };
        assert_eq!(run.events.len(), 2);
        for (event, hit) in run.events.iter().zip(hits) {
            check_hit(event, hit, part, 1e-9);
            near(event.after[2], hit.after[0], 1e-8, "speed of a");
            near(event.after[3], hit.after[1], 1e-8, "speed of b");
        }
        assert!(run.notes.is_empty(), "{:?}", run.notes);
    }
}

#[test]
fn joints_pass_an_impulse_on_and_bear_their_part() {
    for (e, hits) in &HITS {
        let plan = plan(&RODS.replace("e = 1 ", e));
        let run = simulate(&plan.system, &plan.start, &plan.options).expect("a run");
        let part = if *e == "e = 1 " { 1.0 } else { 0.6 };
        for (event, hit) in run.events.iter().zip(hits) {
            check_hit(event, hit, part, 1e-9);
            let joints = &event.impacts().next().expect("an impact").joints;
            near(joints[0].1, hit.rods[0], 1e-7, "impulse of the upper rod");
            near(joints[1].1, hit.rods[1], 1e-7, "impulse of the lower rod");
        }
        assert!(run.notes.is_empty(), "{:?}", run.notes);
        let balance = EnergyBalance::of(&plan.system, &run).expect("a mechanism");
        near(balance.at_events, -hits[0].lost - hits[1].lost, 1e-7, "energy at events");
    }
}

#[test]
fn every_method_gives_the_same_impulses() {
    let (e, hits) = &HITS[1];
    let text = RODS.replace("e = 1 ", e).replace("rtol = 1e-11, atol = 1e-13", "rtol = 1e-8, atol = 1e-10");
    let plan = plan(&text);
    for method in contact_methods() {
        let mut options = plan.options.clone();
        options.method = method.method;
        if let Some(stabilisation) = &method.stabilisation {
            options.constraints.stabilisation = *stabilisation;
        }
        let run =
            simulate(&plan.system, &plan.start, &options).unwrap_or_else(|e| panic!("{}: {e}", method.name));
        // Those of order two have larger errors at the same tolerance.
        let is_alpha = matches!(method.method, Method::GeneralizedAlpha | Method::GeneralizedAlpha3);
        let tolerance = if is_alpha { 1e-3 } else { 3e-6 };
        for (event, hit) in run.events.iter().zip(hits) {
            check_hit(event, hit, 0.6, tolerance);
        }
        assert_eq!(run.events.len(), 2, "{}", method.name);
    }
}

/// The momentum and the kinetic energy of balls of equal mass.
fn sums(speeds: &[f64]) -> (f64, f64) {
    (speeds.iter().sum(), speeds.iter().map(|v| v * v / 2.0).sum())
}

#[test]
fn impulses_of_one_instant_are_one_impact() {
    let run = run_model(
        r#"
        coordinates = { x = -2, y = 0, z = 2 }
        speeds = { x = 1, z = -1 }
        kinetic = "(x'^2 + y'^2 + z'^2)/2"
        events.left = { guard = "y - x < 1", impulse = { along = "y' - x'", restitution = 1 } }
        events.right = { guard = "z - y < 1", impulse = { along = "z' - y'", restitution = 1 } }
        run.until = 3"#,
    );
    assert_eq!(run.events.len(), 1);
    let event = &run.events[0];
    let (before, after) = (sums(&event.before[3..]), sums(&event.after[3..]));
    near(after.0, before.0, 1e-15, "momentum");
    near(after.1, before.1, 1e-15, "energy");
    for (speed, truth) in event.after[3..].iter().zip([-1.0, 0.0, 1.0]) {
        near(*speed, truth, 1e-15, "speed");
    }
    assert_eq!(event.impacts().next().expect("an impact").given.len(), 2);
}

#[test]
fn a_hit_of_a_contact_at_the_same_instant_is_part_of_it() {
    // A disc falls into a corner: the floor is a contact, the inclined wall an event.
    let run = run_model(
        r#"
        coordinates = { x = 1, y = 1 }
        speeds = { x = -1, y = -1 }
        kinetic = "(x'^2 + y'^2)/2"
        contacts.floor = { gap = "y", restitution = 0.5 }
        events.wall = { guard = "0.8*x + 0.6*y < 0", impulse = { along = "0.8*x' + 0.6*y'", restitution = 0.5 } }
        run.until = 2"#,
    );
    let event = &run.events[0];
    let impact = event.impacts().next().expect("an impact");
    assert_eq!((impact.hits.len(), impact.given.len()), (1, 1));
    let [vx, vy] = [event.after[2], event.after[3]];
    near(vy, 0.5, 1e-14, "speed from the floor");
    near(0.8 * vx + 0.6 * vy, 0.7, 1e-14, "speed from the wall");
}

/// A bar that hangs from a joint is struck at its end: the angular velocity follows from the moment of inertia about the joint.
#[test]
fn an_impulse_of_a_given_size_acts_through_joints() {
    let run = run_model(
        r#"
        parameters = { m = 3, l = 2, p = 5 }
        coordinates = { x = 0, y = "-l/2", a = 0 }
        kinetic = "m/2*(x'^2 + y'^2) + m*l^2/24*a'^2"
        constraints = { px = "x - l/2*sin(a)", py = "y + l/2*cos(a)" }
        events.blow = { at = 1, impulse = { along = "x' + l/2*cos(a)*a'", size = "p" } }
        run.until = 1.5"#,
    );
    let event = &run.events[0];
    let rate = 5.0 * 2.0 / (3.0 * 4.0 / 3.0);
    near(event.after[5], rate, 1e-12, "angular velocity");
    let given = given(event);
    near(given.velocity.1, 2.0 * rate, 1e-12, "velocity of the end");
    near(event.energy_lost(), -0.5 * 5.0 * 2.0 * rate, 1e-11, "energy");
    let joint = event.impacts().next().expect("an impact").joints[0].1;
    // The centre moves with l/2 times the rate: the joint takes what is missing, with the sign of its multiplier.
    near(joint, 5.0 - 3.0 * rate, 1e-11, "impulse of the joint");
}

#[test]
fn a_block_that_sticks_slides_when_it_is_struck_along_the_floor() {
    let run = run_model(
        r#"
        coordinates = { x = 0, y = 0 }
        kinetic = "(x'^2 + y'^2)"
        potential = "2*9.81*y"
        contacts.floor = { gap = "y", slip = "x'", friction = 0.5 }
        events.kick = { at = 1, impulse = { along = "x'", size = 3 } }
        run = { until = 3, rtol = 1e-10 }"#,
    );
    let names: Vec<&str> = run.events.iter().map(|event| run.guard_names[event.guards[0]].as_str()).collect();
    let slides: Vec<f64> = run.events.iter().map(|event| event.t).collect();
    assert_eq!(run.events.len(), 2, "{names:?} {slides:?}");
    assert!(run.events[0].kinds.contains(&EventKind::Slip));
    near(run.events[0].after[2], 1.5, 1e-14, "speed");
    near(run.events[1].t, 1.0 + 1.5 / (0.5 * 9.81), 1e-9, "when it sticks again");
}

#[test]
fn a_contact_that_is_pressed_by_an_impulse_gives_back_its_part() {
    let run = run_model(
        r#"
        coordinates = { x = 0, y = 0 }
        kinetic = "(x'^2 + y'^2)/2"
        potential = "9.81*y"
        contacts.floor = { gap = "y", restitution = 0.5 }
        events.kick = { at = 1, impulse = { along = "-0.6*y' + 0.8*x'", size = 2 } }
        run.until = 1.1"#,
    );
    let event = &run.events[0];
    near(event.after[2], 1.6, 1e-14, "along the floor");
    near(event.after[3], 0.6, 1e-14, "off the floor");
}

#[test]
fn what_an_impulse_brings_to_a_halt_is_said_to_accumulate() {
    let text = |e: f64| {
        format!(
            r#"
            coordinates.y = 1
            kinetic = "y'^2/2"
            potential = "9.81*y"
            events.floor = {{ guard = "y < 0", impulse = {{ along = "y'", restitution = {e} }} }}
            run.until = 5"#
        )
    };
    let run = run_model(&text(0.8));
    let limit = (2.0 / 9.81_f64).sqrt() * (1.8 / 0.2);
    assert_eq!(run.outcome.code(), "accumulation");
    near(run.outcome.estimated_time().expect("a time"), limit, 1e-9, "limit");
    let run = run_model(&text(0.0));
    assert!(run.outcome.code() == "accumulation" || has_note(&run, "passes-through"), "{:?}", run.outcome);
    let run = run_model(&text(1.0));
    near(run.events[1].t - run.events[0].t, 2.0 * (2.0 / 9.81_f64).sqrt(), 1e-9, "period");
}

#[test]
fn an_impulse_along_the_wrong_velocity_is_said_to_pass_through() {
    let run = run_model(
        r#"
        coordinates = { x = 0, y = 1 }
        speeds.x = 1
        kinetic = "(x'^2 + y'^2)/2"
        potential = "9.81*y"
        events.floor = { guard = "y < 0", impulse = { along = "x' + 0.1*y'", restitution = 0.5 } }
        run.until = 1"#,
    );
    assert!(has_note(&run, "passes-through"), "{:?}", run.notes);
}

#[test]
fn events_that_contradict_each_other_end_the_run() {
    let text = r#"
        coordinates = { x = 1, y = 1 }
        speeds = { x = -1, y = -1 }
        kinetic = "(x'^2 + y'^2)/2"
        events.a = { guard = "x < 0", reset = { "x'" = "-x'" } }
        events.b = { guard = "y < 0", impulse = { along = "y'", restitution = 1 } }
        run.until = 3"#;
    let failure = try_model(text).expect_err("a conflict");
    assert_eq!(failure.error.code(), "conflicting-resets");
    let wrong = text
        .replace(r#"reset = { "x'" = "-x'" }"#, r#"impulse = { along = "x'", restitution = "2 - t + y" }"#);
    let failure = try_model(&wrong.replace("2 - t", "3 - t")).expect_err("out of range");
    assert_eq!(failure.error.code(), "restitution-range");
    let wrong =
        text.replace(r#"reset = { "x'" = "-x'" }"#, r#"impulse = { along = "x'", size = "1/(t - t)" }"#);
    let failure = try_model(&wrong).expect_err("not finite");
    assert_eq!(failure.error.code(), "impulse-not-finite");
}

#[test]
fn impulses_that_make_no_sense_are_refused() {
    let model = |impulse: &str| {
        let text = format!(
            r#"
            coordinates = {{ x = 1, y = 1 }}
            kinetic = "(x'^2 + y'^2)/2"
            outputs.force = "lambda.rod"
            constraints.rod = "x - y"
            events.a = {{ guard = "x < 0", {impulse} }}
            run.until = 3"#
        );
        let read = Model::from_toml(&text).map_err(|errors| errors[0].code.to_owned());
        read.and_then(|model| {
            Plan::new(&model, &Overrides::default()).map(|_| ()).map_err(|errors| errors[0].code.to_owned())
        })
    };
    let refused = |impulse: &str| model(impulse).expect_err(impulse);
    for impulse in [
        "impulse = { along = \"x'^2\", restitution = 1 }",
        "impulse = { along = \"abs(x')\", restitution = 1 }",
        "impulse = { along = \"x\", restitution = 1 }",
        "impulse = { along = \"x' + force\", restitution = 1 }",
        "impulse = { along = \"x'\", size = \"force\" }",
        "impulse = { along = \"x'\", restitution = 1, size = 1 }",
        "impulse = { along = \"x'\" }",
        "impulse = { along = \"x'\", restitution = 1 }, reset = { \"y'\" = 0 }",
    ] {
        assert_eq!(refused(impulse), "bad-impulse", "{impulse}");
    }
    assert_eq!(refused("impulse = { along = \"x'\", restitution = 1.5 }"), "restitution-range");
    assert_eq!(refused("impulse = { restitution = 1 }"), "missing-key");
    assert_eq!(model("impulse = { along = \"x'\", restitution = \"if x < 5 then 1 else 0\" }"), Ok(()));
}

#[test]
fn a_run_without_impulses_has_none_in_its_log() {
    let run: Trajectory =
        run_model("coordinates.y = 1\nkinetic = \"y'^2\"\nevents.a = { at = 1 }\nrun.until = 2");
    assert_eq!(run.events[0].impacts().count(), 0);
}
