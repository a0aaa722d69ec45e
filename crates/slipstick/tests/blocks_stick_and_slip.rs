//! Blocks that rub the floor and each other stick, and break away when they must.

mod common;

use common::{plan, run_model, run_shortly, times};
use slipstick::equations::ClosureSystem;
use slipstick::simulate::{Options, Start, simulate};
use slipstick::step::Method;
use slipstick::trajectory::{EventKind, Outcome};

/// A block sticks until the force exceeds 1: in every half period from asin(1 / 1.1) on.
#[test]
fn a_block_breaks_away_in_every_half_period_by_every_method() {
    for method in Method::ALL.iter().filter(|m| m.facts().error_order.is_some() && !m.facts().mechanisms_only)
    {
        let mut plan = plan(
            r#"
            states.v = 0
            derivatives.v = "1.1 * sin(t) - sign(v)"
            run.until = 12
            "#,
        );
        plan.options.method = *method;
        let run = simulate(&plan.system, &plan.start, &plan.options).expect("a run");
        let leave: Vec<f64> =
            run.events.iter().filter(|e| e.kinds.contains(&EventKind::Leave)).map(|e| e.t).collect();
        let first = (1.0 / 1.1_f64).asin();
        assert_eq!(leave.len(), 4, "{method:?} {leave:?}");
        for (t, k) in leave.iter().zip(0..) {
            assert!((t - first - std::f64::consts::PI * f64::from(k)).abs() < 1e-6, "{method:?} {leave:?}");
        }
    }
}

/// Three surfaces, any two of which determine the third.
#[test]
fn blocks_that_rub_each_other_come_to_rest_on_the_floor() {
    for method in ["auto", "dopri5", "radau5"] {
        let run = run_shortly(&format!(
            "states = {{ v1 = 1, v2 = 0.5 }}\nrun = {{ until = 3, method = \"{method}\" }}\n\
             derivatives = {{ v1 = \"-sign(v1)-sign(v1-v2)\", v2 = \"-sign(v2)+sign(v1-v2)\" }}"
        ));
        assert_eq!(run.outcome, Outcome::ReachedEnd, "{method}");
        let times = times(&run);
        assert_eq!(times.len(), 2, "{method} {:?}", run.events);
        assert!((times[0] - 0.25).abs() < 1e-12 && (times[1] - 0.75).abs() < 1e-12, "{method} {times:?}");
        assert!(run.end_state().iter().all(|v| v.abs() < 1e-15), "{method} {:?}", run.end_state());
    }
}

/// The upper block is held by all that floor and neighbour can do together; then it moves and the other stays.
#[test]
fn a_block_that_rubs_another_starts_when_it_is_pushed_hard_enough() {
    let run = run_shortly(
        r#"
        states = { v1 = 1, v2 = 0.5 }
        derivatives = { v1 = "max(t-3,0)-sign(v1)-0.5*sign(v1-v2)", v2 = "-sign(v2)+0.5*sign(v1-v2)" }
        run.until = 5
        "#,
    );
    let last = run.events.last().expect("events");
    assert!((last.t - 4.5).abs() < 1e-8 && last.kinds.contains(&EventKind::Leave), "{:?}", run.events);
    let end = run.end_state();
    assert!((end[0] - 0.125).abs() < 1e-8 && end[1].abs() < 1e-15, "{end:?}");
}

/// The push hardly exceeds what holds the block, so that the motion stays near the limit for long before it leaves.
#[test]
fn the_end_of_a_common_rest_is_not_seen_too_early() {
    let run = run_shortly(
        r#"
        states = { v0 = -0.217, v1 = 0.630 }
        derivatives = { v0 = "0.219*sin(0.765*t)-1.386*sign(v0)-0.576*sign(v0-v1)", v1 = "1.671*sin(0.826*t+1)-1.06*sign(v1)+0.576*sign(v0-v1)" }
        run.until = 6
        "#,
    );
    assert_eq!(run.outcome, Outcome::ReachedEnd);
    assert_eq!(run.events.len(), 4, "{:?}", times(&run));
    let leaves = (std::f64::consts::PI + (1.636_f64 / 1.671).asin() - 1.0) / 0.826;
    assert!((run.events[2].t - leaves).abs() < 1e-8, "{:?} {leaves}", times(&run));
}

/// Four floors and three neighbours: too many for all choices of signs.
#[test]
fn a_row_of_blocks_comes_to_rest() {
    let run = run_shortly(
        r#"
        states = { a = 1, b = 0.7, c = 0.4, d = 0.2 }
        [derivatives]
        a = "-sign(a)-0.2*sign(a-b)"
        b = "-sign(b)+0.2*sign(a-b)-0.2*sign(b-c)"
        c = "-sign(c)+0.2*sign(b-c)-0.2*sign(c-d)"
        d = "-sign(d)+0.2*sign(c-d)"
        [run]
        until = 3
        "#,
    );
    assert_eq!(run.outcome, Outcome::ReachedEnd, "{:?}", times(&run));
    assert!(run.end_state().iter().all(|v| v.abs() < 1e-15), "{:?}", run.end_state());
    assert!(run.events.len() < 12, "{:?}", times(&run));
}

/// As above on a belt, with rubbing that depends on the side of the belt that a block is on.
#[test]
fn so_do_blocks_of_closures_whose_signs_stand_in_products() {
    let system = ClosureSystem::switched(["v1", "v2"], |_, _, signs, dv| {
        let rub = (1.0 + 0.1 * signs[0] * signs[1]) * signs[2];
        dv[0] = -signs[0] - rub;
        dv[1] = -signs[1] + rub;
    })
    .switch("first", |_, v| v[0] - 2.0)
    .switch("second", |_, v| v[1] - 2.0)
    .switch("both", |_, v| v[0] - v[1]);
    let mut options = Options::until(3.0);
    options.limits.steps = 5000;
    let run = simulate(&system, &Start::at([3.0, 2.5]), &options).expect("a run");
    assert_eq!(run.outcome, Outcome::ReachedEnd, "{:?}", times(&run));
    assert_eq!(run.events.len(), 2, "{:?}", times(&run));
    assert!(run.end_state().iter().all(|v| (v - 2.0).abs() < 1e-14), "{:?}", run.end_state());
}

#[test]
fn seven_blocks_with_positions_come_to_rest() {
    let states: Vec<String> =
        (0..7).map(|i| format!("x{i} = {}\nv{i} = 0", 1.0 + 0.13 * f64::from(i))).collect();
    let rates: Vec<String> =
        (0..7).map(|i| format!("x{i} = \"v{i}\"\nv{i} = \"-x{i} - 0.3*sign(v{i})\"")).collect();
    let run = run_model(&format!(
        "run.until = 30\n[states]\n{}\n[derivatives]\n{}",
        states.join("\n"),
        rates.join("\n")
    ));
    assert!(run.outcome.is_complete(), "{}", run.outcome);
    assert!(run.end_state().iter().skip(1).step_by(2).all(|v| v.abs() < 1e-12), "{:?}", run.end_state());
}
