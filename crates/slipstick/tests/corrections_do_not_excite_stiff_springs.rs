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
        let free = plan.options.clone().stabilisation(Stabilisation::None);
        let (free, corrected) = (run(&plan, &free), run(&plan, &plan.options));
        let (few, steps) = (free.statistics.accepted, corrected.statistics.accepted);
        assert!(steps < 2 * few, "{steps} steps at {stiffness:e} instead of {few}");
        assert!(drift(&plan, &plan.options, &corrected) < 1e-13);
    }
}

/// The stabilised form puts the ends of its steps back to the constraints too. And once the explicit method had been at work, what it had excited never died away: `auto` took 30000 steps to half of the time, where it takes
/// 480 now.
#[test]
fn auto_takes_few_steps_too() {
    for (stiffness, has_event, tolerance) in cases() {
        let plan = plan(stiffness, has_event, "");
        let options = plan.options.clone().tolerances(tolerance, tolerance / 100.0);
        let run = run(&plan, &options);
        let (steps, shares) = (run.statistics.accepted + run.statistics.rejected, &run.statistics.shares);
        // About as many as of the form alone: 260 at 1e-4, 620 at 1e-6, 2000 at 1e-8.
        let many = 1500.0 * (1e-6 / tolerance).powf(0.25);
        assert!((steps as f64) < many, "{steps} steps at {stiffness:e}, {tolerance:e}: {shares:?}");
        assert!(shares.iter().any(|share| share.is_ggl), "{shares:?}");
        // A quarter of a period from the horizontal: K(1/2) sqrt(l/g). The rod gets longer by 3e-7 at most.
        let bottom = 1.854_074_677_301_371_9 / 9.81_f64.sqrt();
        let times: Vec<f64> = run.events.iter().map(|event| event.t).collect();
        assert_eq!(times.len(), usize::from(has_event), "{times:?}");
        assert!(times.iter().all(|t| (t - bottom).abs() < 1e-6 + tolerance), "{times:?}");
    }
}

/// Stiffnesses, with an event or without, and tolerances. Behind an event, rods of 1e12 N/m and more take up to ten times as many steps at some tolerances.
fn cases() -> impl Iterator<Item = (f64, bool, f64)> {
    let free = [1e8, 1e10, 1e12, 1e14].map(|stiffness| (stiffness, false));
    let with_event = [1e8, 1e9, 1e10].map(|stiffness| (stiffness, true));
    let tolerances = [1e-3, 1e-4, 1e-6, 1e-8];
    free.into_iter()
        .chain(with_event)
        .flat_map(move |(stiffness, has_event)| tolerances.map(|tolerance| (stiffness, has_event, tolerance)))
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
