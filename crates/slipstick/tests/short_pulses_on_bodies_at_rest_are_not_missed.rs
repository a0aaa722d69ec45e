//! While nothing moves, steps grow. A pulse of force far shorter than a step used to lie between all times at which the
//! forces of contacts and joints were looked at, and nothing happened.

use slipstick::model::Model;
use slipstick::simulate::{Overrides, Plan, simulate};
use slipstick::trajectory::Trajectory;

/// When the pulse is largest.
const PEAK: f64 = 3.217;
const METHODS: [&str; 8] = ["auto", "dopri5", "dop853", "tsit5", "radau5", "hem5", "phem56", "alpha"];

fn run(text: &str, method: &str) -> Trajectory {
    let text = format!("{text}\nrun = {{ until = 10, method = \"{method}\", rtol = 1e-8 }}");
    let model = Model::from_toml(&text).expect("a model");
    let plan = Plan::new(&model, &Overrides::default()).expect("a plan");
    simulate(&plan.system, &plan.start, &plan.options).expect("a run")
}

/// A block on the floor, with a pulse of force along it and one against the floor's.
fn block(along: &str, up: &str) -> String {
    format!(
        "coordinates = {{ x = 0, y = 0 }}\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = \"9.81*y\"\n\
         forces = {{ x = \"{along}\", y = \"{up}\" }}\n\
         contacts.floor = {{ gap = \"y\", slip = \"x'\", friction = 0.5 }}"
    )
}

/// When a bell of this width and height comes to a value.
fn begins(width: f64, height: f64, value: f64) -> f64 {
    PEAK - width * (height / value).ln().sqrt()
}

#[test]
fn a_blow_makes_a_block_slip() {
    for width in [1e-2, 1e-4, 1e-6] {
        let text = block(&format!("50*exp(-((t - {PEAK})/{width})^2)"), "0");
        for method in METHODS {
            let run = run(&text, method);
            let slips: Vec<f64> = run.event_times("contact.floor.slip").collect();
            assert_eq!(slips.len(), 1, "{method} {width}: {slips:?}");
            let error = (slips[0] - begins(width, 50.0, 0.5 * 9.81)).abs();
            assert!(error < 1e-6 * width + 1e-14, "{method} {width}: off by {error}");
            assert_eq!(run.event_times("contact.floor.stick").count(), 1, "{method} {width}");
        }
    }
}

#[test]
fn a_blow_lifts_a_block() {
    let text = block("0", &format!("60*exp(-((t - {PEAK})/1e-4)^2)"));
    for method in METHODS {
        let run = run(&text, method);
        let lifts: Vec<f64> = run.event_times("contact.floor.lift").collect();
        assert!(
            lifts.len() == 1 && (lifts[0] - begins(1e-4, 60.0, 9.81)).abs() < 1e-10,
            "{method} {lifts:?}"
        );
    }
}

/// The second derivative of the bump comes to `-g` where `2 A/w^2 (2 s^2 - 1) exp(-s^2) = -g`.
#[test]
fn a_bump_of_the_floor_throws_a_ball() {
    let text = "coordinates.y = 0\nkinetic = \"y'^2/2\"\npotential = \"9.81*y\"\n\
        contacts.floor = { gap = \"y - 1e-3*exp(-((t - 3.217)/1e-3)^2)\" }";
    for method in METHODS {
        let run = run(text, method);
        let lifts: Vec<f64> = run.event_times("contact.floor.lift").collect();
        assert_eq!(lifts.len(), 1, "{method}: {lifts:?}");
        let s = (lifts[0] - PEAK) / 1e-3;
        let curvature = 2e-3 / 1e-6 * (2.0 * s * s - 1.0) * (-s * s).exp();
        assert!((curvature + 9.81).abs() < 1e-5 * 2e3, "{method}: {curvature}");
    }
}

#[test]
fn a_joint_breaks_by_a_blow() {
    let text = format!(
        "coordinates = {{ x = 0, y = -1 }}\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = \"9.81*y\"\n\
         forces.y = \"-100*exp(-((t - {PEAK})/1e-4)^2)\"\nconstraints.rod = \"hypot(x, y) - 1\"\n\
         events.overload = {{ guard = \"abs(constraint.rod.force) > 50\" }}"
    );
    for method in METHODS {
        let run = run(&text.replace("constraint.rod.force", "lambda.rod"), method);
        let broken: Vec<f64> = run.event_times("overload").collect();
        let exact = begins(1e-4, 100.0, 50.0 - 9.81);
        assert!(broken.len() == 1 && (broken[0] - exact).abs() < 1e-9, "{method}: {broken:?}, {exact}");
    }
}

/// A vibration that is far below what would move anything costs no steps.
#[test]
fn a_faint_vibration_costs_nothing() {
    let run = run(&block("1e-9*sin(1e6*t)", "0"), "dopri5");
    assert!(run.statistics.accepted < 100 && run.statistics.events == 0, "{}", run.statistics.accepted);
}
