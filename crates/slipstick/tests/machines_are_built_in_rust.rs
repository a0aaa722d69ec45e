//! A machine that is built in Rust is the one that a file of the same words gives, and its errors are the same, too.

use slipstick::builder::*;
use slipstick::simulate::{Options, Overrides, Plan, simulate};
use slipstick::trajectory::Trajectory;

const ENGINE: &str = include_str!("../../../models/engine.toml");
const LATCH: &str = include_str!("../../../models/latch.toml");

fn run_file(text: &str) -> Trajectory {
    let model = Plan::read_model(text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let plan = Plan::new(&model, &Overrides::default()).expect("a plan");
    simulate(&plan.system, &plan.start, &plan.options).expect("a run")
}

/// Steps and states of a run, bit by bit, and its events.
fn bits(run: &Trajectory) -> (Vec<u64>, Vec<(u64, Vec<usize>)>) {
    let mut numbers = Vec::new();
    for segment in &run.segments {
        numbers.extend([segment.start_time, segment.end_time]);
        numbers.extend(segment.steps().iter().flat_map(|step| [step.t, step.h]));
        numbers.extend(segment.start.iter().chain(&segment.end));
    }
    let events = run.events.iter().map(|event| (event.t.to_bits(), event.guards.clone()));
    (numbers.into_iter().map(f64::to_bits).collect(), events.collect())
}

fn engine() -> PlanarModel {
    let mut m = Model::planar().gravity(["0", "-9.81 m/s^2"]);
    let r = m.parameter("r", "50 mm");
    let l = m.parameter("l", mm(150.0));
    let bore = m.parameter("bore", "40 mm");
    let zero = Amount::from(0);
    let ends = |first: &str, second: &str, length: &Amount| {
        Body::link([(first, [zero.clone(), zero.clone()]), (second, [length.clone(), zero.clone()])])
    };
    let crank = m.body("crank", ends("pin", "tip", &r).mass("0.8 kg").angle("30 deg"));
    let rod = m.body("rod", ends("big", "small", &l).mass(0.5).angle("-10 deg"));
    let block = Body::shape(Shape::rect(mm(60.0), &bore)).density("7.8 g/cm^3").depth(&bore);
    let piston = m.body("piston", block);
    let main = m.joint("main", Revolute::new(GROUND.origin(), crank.point("pin")));
    m.joint("tip", Revolute::new(crank.point("tip"), rod.point("big")));
    m.joint("wrist", Revolute::new(rod.point("small"), piston.centre()));
    let guide = m.joint("guide", Prismatic::new(GROUND.origin(), piston.centre()).axis([1.0, 0.0]));
    let speed = m.drive("speed", main.velocity(rpm(1200.0)));
    let push = "if piston.x' > 0 m/s then -2000 N else 0 N";
    m.force("gas", Force::point(piston.centre(), [push, "0"]));
    m.output("torque", speed.torque());
    m.output("side", &guide.force()[1]);
    m
}

#[test]
fn a_slider_crank_is_that_of_the_file() {
    let built = engine().check().expect("no errors").simulate(Options::until(0.1)).expect("a run");
    let (numbers, events) = bits(&built);
    assert!(numbers.len() > 100 && !events.is_empty());
    assert_eq!((numbers, events), bits(&run_file(ENGINE)));
}

#[test]
fn a_built_model_prints_as_its_file() {
    let model = engine().until("0.1 s");
    let text = model.to_toml();
    assert_eq!(bits(&run_file(&text)), bits(&run_file(ENGINE)), "{text}");
    assert!(text.contains("main = { revolute = [\"ground.origin\", \"crank.pin\"] }\n"), "{text}");
}

fn latch() -> PlanarModel {
    let mut m = Model::planar();
    let snaps = m.discrete("snaps", 0);
    let link = Body::link([("hinge", [0.0, 0.0]), ("edge", [0.8, 0.0])]);
    let door = m.body("door", link.mass(20).angle("60 deg").angular_velocity(-2));
    let hinge = Revolute::new(GROUND.origin(), door.point("hinge"));
    let hinge = m.joint("hinge", hinge.friction(0.5).stops([deg(0.0), deg(110.0)], 0.2));
    let latch = m.joint("latch", Angle::new(GROUND, &door).at(0).open().break_moment(150));
    m.force("pull", Force::motor_torque(&hinge, "if t > 3 s then 100 N*m/s * (t - 3 s) else 0 N*m"));
    m.event("snap", Event::on(hinge.hits_from()).closes(&latch).reset(&snaps, format!("{snaps} + 1")));
    m.event("torn", Event::on(latch.breaks()));
    m.output("strain", latch.moment());
    m
}

#[test]
fn a_latch_snaps_and_breaks_as_in_the_file() {
    let built = latch().check().expect("no errors").simulate(Options::until(8.0)).expect("a run");
    assert_eq!(bits(&built), bits(&run_file(LATCH)));
    assert_eq!(built.event_times("snap").count(), 1);
}

/// Each error has the code that a file would have, and names the part.
#[test]
fn a_model_with_five_errors_reports_five() {
    let mut m = Model::planar();
    let rod = m.body("rod", Body::link([("big", [0.0, 0.0]), ("small", [0.1, 0.0])]));
    let wheel = m.body("wheel", Body::shape(Shape::disc("30 kg")).mass(1));
    m.body("wheel", Body::rigid(1, 1));
    m.joint("pin", Revolute::new(GROUND.origin(), rod.point("smal")));
    let free = m.joint("free", Fixed::new(&wheel, GROUND));
    m.drive("speed", free.velocity(1));
    let errors = m.check().expect_err("errors").0;
    let found: Vec<(&str, &str)> =
        errors.iter().map(|error| (error.part.as_deref().unwrap_or("?"), error.code)).collect();
    let expected = [
        ("bodies.wheel", "duplicate-name"),
        ("bodies.rod", "no-mass"),
        ("bodies.wheel", "wrong-dimension"),
        ("joints.pin", "unknown-name"),
        ("drives.speed", "bad-drive"),
    ];
    assert_eq!(found, expected, "{errors:?}");
    let text = errors[3].to_string();
    assert!(text.starts_with("error[unknown-name] in joints.pin: body `rod` has no point `smal`"), "{text}");
}

/// Numbers that are none, names that need quotes, and keys that are not there are found by the reader.
#[test]
fn what_is_no_model_is_refused() {
    let refusal = |body: Body| {
        let mut m = Model::planar();
        m.body("a b\"", body);
        m.check().expect_err("an error").0.into_iter().map(|error| error.code).collect::<Vec<_>>()
    };
    assert!(refusal(Body::rigid(f64::NAN, 1)).contains(&"wrong-type"));
    assert!(refusal(Body::rigid(1, 1).set("mas", 1)).contains(&"unknown-key"));
    assert!(refusal(Body::rigid("1 +", 1)).contains(&"formula-syntax"));
    assert!(Model::planar().check().is_err(), "nothing is no model");
}

/// Every word that the builder writes is one that the reader knows.
#[test]
fn every_word_is_known_to_files() {
    let mut m = Model::planar().title("All \"words\"").description("one\ntwo").gravity([0.0, -9.81]);
    m.material("steel", "7850 kg/m^3");
    m.material("wood", 700);
    m.pair(["steel", "wood"], 0.3, 0.4);
    let post = m.ground_point("post", [0.0, 1.0]);
    m.ground_point("other", [3.0, 1.0]);
    let body = |x: f64| Body::rigid(1, 0.1).at([x, 2.0]).point("eye", [0.1, 0.0]);
    let a = m.body("a", body(0.0).frame("F", [0.0, 0.1], 0.3).velocity([0.0, 0.0]).angular_velocity(0));
    let b = m.body("b", body(1.0).com([0.0, 0.0]).angle(0));
    let c = m.body("c", Body::shape(Shape::rect(0.1, 0.2)).material("steel").depth(0.1).at([2.0, 2.0]));
    let d =
        m.body("d", Body::link([("p", [0.0, 0.0]), ("q", [0.2, 0.0])]).density(700).depth(0.1).width(0.1));
    let e = m.body("e", Body::shape(Shape::disc(0.1).at([0.0, 0.0]).turn(0.1)).mass(1).at([5.0, 3.0]));
    let f = m.body("f", Body::shape(Shape::capsule(0.1, 0.05)).mass(1).at([6.0, 3.0]));
    let turn_a = m.joint("turn_a", Revolute::new(post, a.point("eye")).friction("0.1 N*m"));
    let turn_b = m.joint("turn_b", Revolute::new(GROUND, b.point("eye")).at([1.1, 2.0]));
    let slide = m.joint("slide", Prismatic::new(GROUND, c.centre()).axis([1.0, 0.0]).stops([-5, 5], 0.5));
    m.joint("gear", Gear::ratio(&turn_a, &turn_b, -2));
    m.joint("rack", Rack::radius(&turn_a, &slide, 0.1));
    let turn_d = m.joint("turn_d", Revolute::new(GROUND, d.point("p")).at([0.0, 0.0]));
    let turn_e = m.joint("turn_e", Revolute::new(GROUND, e.centre()));
    m.joint("belt", Belt::radii(&turn_d, &turn_e, [0.1, 0.2]));
    let latch = m.joint("latch", Fixed::new(&f, GROUND).open().break_force(10).break_moment(1));
    m.joint("rope", Distance::new(f.com(), e.com()).holds_while("t > 5"));
    m.joint("line", Slot::new(GROUND, f.origin()).axis([1.0, 0.0]).open().set("at", "here"));
    m.drive("push", slide.position("0.1 m * sin(2 rad/s * t)"));
    m.force("spring", Force::spring(a.com(), c.com(), 10).rest(1).damping(1).preload(0.1));
    m.force("twist", Force::joint_spring(&turn_d, 1).rest(0));
    m.force("damper", Force::damper(a.com(), b.com(), 1));
    m.force("brake", Force::joint_damper(&turn_d, 1));
    m.force("bush", Force::bushing(a.point("F"), c.com(), [1, 1, 1]));
    m.force("motor", Force::motor_torque(&turn_d, 0.1));
    m.force("wind", Force::point(f.com(), [0.1, 0.0]).in_axes_of(&f));
    m.force("couple", Force::couple(&f, 0.1));
    m.force("air", Force::drag(f.com()).set("area", 1).set("coefficient", 1).set("density", 1.2));
    let floor = m.shape("floor", GROUND, Shape::half_plane([0.0, 1.0]).at([0.0, -9.0]).material("wood"));
    let wall = m.shape("wall", GROUND, Shape::segment([[9.0, 9.0], [9.0, 0.0]]));
    let wedge = m.shape("wedge", GROUND, Shape::polygon([[9.0, -9.0], [10.0, -9.0], [9.0, -8.0]]));
    m.shape("bowl", e.point("com"), Shape::disc(2.0).solid_outside());
    m.contact("hit", Contact::between(&e.own_shape(), &floor).restitution(0.5).static_and_sliding(0.3, 0.2));
    m.contact("land", Contact::between(&c.own_shape(), &floor).law("smith"));
    let soft = Contact::between_all([&f.own_shape()], [&wall, &wedge]).compliant(1e4, 10);
    let soft = m.contact("soft", soft);
    m.event("tick", Event::every(0.1).stop_after(1000));
    m.event("shut", Event::at(100).closes(&latch));
    m.event("end", Event::when("t - 90").direction("rising").stop());
    m.event("touch", Event::on(soft.hit()));
    m.sensor("place", Sensor::position(a.com()).relative_to(&b).in_axes_of(&b));
    m.sensor("speed", Sensor::velocity(a.com()));
    m.sensor("apart", Sensor::distance(a.com(), b.com()));
    m.sensor("load", Sensor::force(&turn_a).on(&a));
    m.sensor("energy", Sensor::energy("total"));
    m.output("push", soft.value("force.n"));
    m.pin([d.angle()]);
    m.branch(&turn_a, true);
    let machine = m.check().unwrap_or_else(|errors| panic!("{errors}\n{}", m.to_toml()));
    assert_eq!(machine.model().about.title.as_deref(), Some("All \"words\""));
    assert!(machine.start().t == 0.0);
}
