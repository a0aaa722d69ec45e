//! A joint that is open has no row anywhere: no linear system knows of it, and the motion is that of the mechanism without it, to the bit.

mod common;

use slipstick::equations::{System, UncertainPoint};
use slipstick::expr::Inexact;
use slipstick::formulation::Flow;
use slipstick::mode::Mode;
use slipstick::simulate::{Plan, simulate};
use slipstick::step::Method;

const BALLS: usize = 6;

/// Balls on springs, linked two by two; further joints would hold each of them where it starts.
fn balls(joints: bool) -> Plan {
    let list = |text: &dyn Fn(usize) -> String| (0..BALLS).map(text).collect::<Vec<_>>();
    let links = (0..BALLS / 2).map(|i| format!("link{i} = \"y{} - 2 * y{}\"", 2 * i, 2 * i + 1));
    let holds =
        (0..BALLS).filter(|_| joints).map(|i| format!("hold{i} = \"if held > 0.5 then y{i} - 1 else 0\""));
    let constraints: Vec<String> = links.chain(holds).collect();
    let text = format!(
        "coordinates = {{ {} }}\ninertia = {{ {} }}\npotential = \"{}\"\nstates = {{ held = 0 }}\nderivatives = {{ held = 0 }}\n\
         constraints = {{ {} }}\nevents.low.guard = \"y0 < 0.2\"\nrun = {{ until = 0.3, rtol = 1e-6 }}",
        list(&|i| format!("y{i} = {}", 1 + (i + 1) % 2)).join(", "),
        list(&|i| format!("y{i} = {}", 1 + i % 3)).join(", "),
        list(&|i| format!("9.81*y{i} + {}*y{i}^2", i % 7 + 1)).join(" + "),
        constraints.join(", "),
    );
    common::plan(&text)
}

fn methods() -> impl Iterator<Item = Method> {
    Method::named().filter(|method| method.facts().error_order.is_some())
}

#[test]
fn the_motion_is_that_of_the_mechanism_without_them() {
    let (free, open) = (balls(false), balls(true));
    for method in methods() {
        let [alone, among] = [&free, &open].map(|plan| {
            let mut options = plan.options.clone();
            options.method = method;
            simulate(&plan.system, &plan.start, &options).unwrap_or_else(|e| panic!("{method:?} {e}"))
        });
        assert_eq!(alone.end_state(), among.end_state(), "{method:?}");
        let counts = |run: &slipstick::trajectory::Trajectory| {
            let s = &run.statistics;
            (s.accepted, s.rejected, s.derivatives)
        };
        assert_eq!(counts(&alone), counts(&among), "{method:?}");
        let forces = among.of(&open.system).forces_after(0.2).unwrap();
        assert!(forces.multipliers[BALLS / 2..].iter().all(|force| *force == 0.0), "{method:?}");
        assert_eq!(
            forces.multipliers[..BALLS / 2],
            alone.of(&free.system).forces_after(0.2).unwrap().multipliers
        );
    }
}

#[test]
fn constraints_that_hold_have_rows_and_others_do_not() {
    let plan = balls(true);
    let mut flow = Flow::new(&plan.system, Mode::new(0, 1, 0));
    for (sign, rows) in [(1.0, 6), (-1.0, 3), (1.0, 6), (-1.0, 3)] {
        flow.mode.values.signs[0] = sign;
        assert_eq!(flow.constraints().active_rows(0.0, &plan.start.y).len(), rows);
    }
}

#[test]
fn series_of_guards_are_those_of_the_mechanism_without_them() {
    let series = |plan: &Plan| -> Vec<f64> {
        let mut mode = Mode::start(&plan.system, 0);
        mode.values.signs.fill(-1.0);
        let guard = plan.system.shape().guards.iter().position(|guard| guard.name == "low").unwrap();
        let (mut flow, delta, mut out) =
            (Flow::new(&plan.system, mode), vec![0.0; plan.start.y.len()], Vec::new());
        let point = UncertainPoint { t: 0.0, y: &plan.start.y, delta: &delta };
        assert!(flow.guards().series(guard, point, 6, &mut out));
        out.iter().map(|c: &Inexact| c.value).collect()
    };
    let (alone, among) = (series(&balls(false)), series(&balls(true)));
    // The speed is zero at first, and then there is an acceleration.
    assert!(alone[1] == 0.0 && alone[2] != 0.0 && alone[4] != 0.0, "{alone:?}");
    assert_eq!(alone, among);
}
