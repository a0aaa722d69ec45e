//! The least change of positions in the metric of the masses moves light bodies most. If one of them hangs on a stiff spring, corrections after each step excited that: `radau5` took 600000 steps where it takes
//! 180 without corrections.

use slipstick::formulation::Stabilisation;
use slipstick::simulate::{Options, Overrides, Plan, simulate};
use slipstick::step::Method;
use slipstick::trajectory::{Joints, Trajectory};

/// A pendulum whose rod is a spring, of a stiffness in newtons per metre.
fn plan(stiffness: f64, has_event: bool, more: &str) -> Plan {
    let events = if has_event { "events.low = { guard = \"x < 0\" }" } else { "" };
    let text = format!(
        r#"
        coordinates = {{ x = 1, y = 0, r = 1 }}
        kinetic = "(x'^2 + y'^2) / 2"
        inertia.r = 0.1
        potential = "9.81 * y + {stiffness:e} * (r - 1)^2 / 2"
        constraints.rod = "x^2 + y^2 - r^2"
        {events}
        [run]
        until = 2
        {more}
        "#
    );
    let model = Plan::read_model(&text).expect("a model");
    Plan::new(&model, &Overrides::default()).expect("a plan")
}

fn run(plan: &Plan, options: &Options) -> Trajectory {
    simulate(&plan.system, &plan.start, options).expect("a run")
}

fn drift(plan: &Plan, options: &Options, run: &Trajectory) -> f64 {
    let joints = Joints::of(&plan.system, &options.upkeep(), run).expect("a mechanism");
    joints.position.expect("a constraint of positions").value.max(joints.velocity.value)
}

#[test]
fn radau5_takes_as_many_steps_as_without_corrections() {
    for stiffness in [1e8, 1e9, 1e10] {
        let plan = plan(stiffness, false, "method = \"radau5\"");
        let free = Options { stabilisation: Stabilisation::None, ..plan.options.clone() };
        let (free, corrected) = (run(&plan, &free), run(&plan, &plan.options));
        let (few, steps) = (free.statistics.accepted, corrected.statistics.accepted);
        assert!(steps < 2 * few, "{steps} steps at {stiffness:e} instead of {few}");
        assert!(drift(&plan, &plan.options, &corrected) < 1e-13);
    }
}

/// With an event it stays on the index-1 form, without one it solves the stabilised form.
#[test]
fn auto_takes_few_steps_too() {
    let mut times = Vec::new();
    for (stiffness, has_event) in [(1e8, false), (1e10, false), (1e8, true), (1e10, true)] {
        let plan = plan(stiffness, has_event, "");
        let run = run(&plan, &plan.options);
        let (steps, shares) = (run.statistics.accepted + run.statistics.rejected, &run.statistics.shares);
        assert!(steps < 3000, "{steps} steps at {stiffness:e}: {shares:?}");
        assert_eq!(shares.iter().any(|share| share.is_ggl), !has_event, "{shares:?}");
        times.extend(run.events.iter().map(|event| event.t));
    }
    // The rod gets longer by 3e-7 at most.
    assert!(times.len() == 2 && (times[0] - times[1]).abs() < 1e-6, "{times:?}");
}

#[test]
fn corrections_that_are_asked_for_are_kept() {
    let plan = plan(1e8, false, "stabilisation = \"pstab\"");
    let run = run(&plan, &plan.options);
    let shares = &run.statistics.shares;
    assert!(shares.iter().all(|share| !share.is_ggl), "{shares:?}");
    assert!(shares.iter().any(|share| share.method == Method::Radau5), "{shares:?}");
    assert!(drift(&plan, &plan.options, &run) < 1e-13);
}
