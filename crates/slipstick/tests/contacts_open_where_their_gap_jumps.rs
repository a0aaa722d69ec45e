//! A closed contact whose body is put elsewhere, or whose surface is, is what its gap is then: open, or too deep. It used
//! to stay closed: a body that was lifted and thrown hit the floor from a metre above it.

use slipstick::model::Model;
use slipstick::simulate::{Error, Failure, Overrides, Plan, simulate};
use slipstick::trajectory::Trajectory;

const BODY: &str = "coordinates.y = 0\nkinetic = \"y'^2/2\"\npotential = \"9.81*y\"\nrun.until = 2\n";

fn run_text(text: &str) -> Result<Trajectory, Box<Failure>> {
    let model = Model::from_toml(text).expect("a model");
    let plan = Plan::new(&model, &Overrides::default()).expect("a plan");
    simulate(&plan.system, &plan.start, &plan.options.tolerances(1e-10, 1e-12))
}

fn run(rest: &str) -> Result<Trajectory, Box<Failure>> {
    run_text(&format!("{BODY}{rest}"))
}

fn times(run: &Trajectory, name: &str) -> Vec<f64> {
    run.event_times(name).collect()
}

#[test]
fn a_body_that_is_lifted_and_thrown_flies() {
    let text = "contacts.f = { gap = \"y\", restitution = 0 }\nevents.e = { at = 1, reset = { y = 1, \"y'\" = -2 } }";
    let run = run(text).expect("a run");
    assert_eq!(times(&run, "contact.f.lift"), [1.0]);
    let falls = (-2.0 + (4.0_f64 + 2.0 * 9.81).sqrt()) / 9.81;
    let hits = times(&run, "contact.f.hit");
    assert!(hits.len() == 1 && (hits[0] - 1.0 - falls).abs() < 1e-9, "{hits:?}");
}

#[test]
fn a_body_that_is_only_lifted_falls_back() {
    let text = "contacts.f = { gap = \"y\" }\nevents.e = { at = 1, reset = { y = 1 } }";
    let run = run(text).expect("a run");
    let hits = times(&run, "contact.f.hit");
    assert!(hits.len() == 1 && (hits[0] - 1.0 - (2.0_f64 / 9.81).sqrt()).abs() < 1e-9, "{hits:?}");
}

#[test]
fn a_floor_that_drops_and_rises_is_hit_where_it_is_met() {
    let text = "contacts.f = { gap = \"if t < 1 then y else y + 0.01 - 0.3*(t - 1)\" }";
    let run = run(text).expect("a run");
    let hits = times(&run, "contact.f.hit");
    let met = (-0.3 + (0.09_f64 + 4.0 * 4.905 * 0.01).sqrt()) / 9.81;
    assert!(hits.len() == 1 && (hits[0] - 1.0 - met).abs() < 1e-9, "{hits:?} {met}");
}

#[test]
fn a_block_slides_over_the_edge_of_a_table() {
    let text = "coordinates = { x = 0, y = 0 }\nspeeds.x = 1\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = \"9.81*y\"\n\
        contacts.f = { gap = \"if x < 1 then y else y + 1\" }\nrun.until = 2";
    let run = run_text(text).expect("a run");
    let (lifts, hits) = (times(&run, "contact.f.lift"), times(&run, "contact.f.hit"));
    assert!(lifts.len() == 1 && (lifts[0] - 1.0).abs() < 1e-12, "{lifts:?}");
    assert!(hits.len() == 1 && (hits[0] - 1.0 - (2.0_f64 / 9.81).sqrt()).abs() < 1e-9, "{hits:?}");
}

#[test]
fn a_floor_that_jumps_into_a_body_is_refused() {
    let jumps = [
        "contacts.f = { gap = \"if t < 1 then y else y - 0.01 - 0.3*(t - 1)\" }",
        "contacts.f = { gap = \"y - w*t\" }\ndiscrete.w = 0\nevents.e = { at = 1, reset = { w = 1 } }",
        "contacts.f = { gap = \"y\" }\nevents.e = { at = 1, reset = { y = -1 } }",
    ];
    for text in jumps {
        let failure = run(text).expect_err("too deep");
        let Error::ContactPenetrates { contact, gap, t, .. } = &failure.error else {
            panic!("{text}: {}", failure.error)
        };
        assert!(contact == "f" && *gap < -9e-3 && (*t - 1.0).abs() < 1e-12, "{}", failure.error);
        assert!((failure.trajectory.end_time() - 1.0).abs() < 1e-12, "the partial result is kept");
    }
}
