//! The bouncing ball from 1 m with e = 0.9 to t = 3 s gives every impact time to 1e-12 at rtol 1e-10, with the default method.

mod common;

use common::{plan, run_model};
use slipstick::model::Model;
use slipstick::simulate::{Overrides, Plan, simulate};
use slipstick::trajectory::Outcome;

const BALL: &str = r#"
parameters = { g = 9.81, e = 0.9 }
states = { y = 1, v = 0 }
derivatives = { y = "v", v = "-g" }
events.floor = { guard = "y < 0", reset = { v = "-e * v" } }
run = { until = 3, rtol = 1e-10 }
"#;

/// Impact times of a ball dropped from 1 m: t₁ = √(2/g), then flights of 2 e^k √(2/g).
fn impact_times(e: f64, until: f64) -> Vec<f64> {
    let first = (2.0_f64 / 9.81).sqrt();
    let (mut t, mut flight) = (first, 2.0 * first);
    let mut times = Vec::new();
    while t < until && times.len() < 1000 {
        times.push(t);
        flight *= e;
        t += flight;
    }
    times
}

#[test]
fn every_impact_time_is_within_1e_minus_12() {
    let plan = plan(BALL);
    let run = simulate(&plan.system, &plan.start, &plan.options).unwrap();
    let expected = impact_times(0.9, 3.0);
    let found: Vec<f64> = run.event_times("floor").collect();
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found - expected).abs() < 1e-12, "{found} against {expected}");
    }
}

#[test]
fn ball_is_never_below_the_floor() {
    let plan = plan(BALL);
    let run = simulate(&plan.system, &plan.start, &plan.options).unwrap();
    for event in &run.events {
        assert!(event.before[0] >= 0.0 && event.after[0] >= 0.0, "{event:?}");
        assert!(event.bracket.lo <= event.t && event.t <= event.bracket.hi && event.width < 1e-14);
    }
}

#[test]
fn speed_after_each_impact_is_e_times_the_speed_before() {
    let plan = plan(BALL);
    let run = simulate(&plan.system, &plan.start, &plan.options).unwrap();
    for event in &run.events {
        assert_eq!(event.after[1], -0.9 * event.before[1]);
        assert_eq!(run.state_before(event.t).unwrap().y, event.before);
        assert_eq!(run.state_after(event.t).unwrap().y, event.after);
    }
}

#[test]
fn ball_on_either_side_of_the_root_bounces_the_same() {
    let after = BALL.replace("guard = \"y < 0\"", "guard = \"y < 0\", side = \"after\"");
    let plan = plan(&after);
    let run = simulate(&plan.system, &plan.start, &plan.options).unwrap();
    let expected = impact_times(0.9, 3.0);
    assert_eq!(run.events.len(), expected.len());
    for (event, expected) in run.events.iter().zip(&expected) {
        assert!((event.t - expected).abs() < 1e-12 && event.before[0] < 0.0);
    }
}

/// Zeno: the full treatment is another matter, but the ball must neither hang nor fall through the floor.
#[test]
fn ball_with_small_restitution_stops_at_the_zeno_time_and_says_so() {
    for e in [0.0, 0.1, 0.5, 0.7] {
        let overrides = Overrides { parameters: vec![("e".to_owned(), e)], ..Overrides::default() };
        let plan = Plan::new(&Model::from_toml(BALL).unwrap(), &overrides).unwrap();
        let run = simulate(&plan.system, &plan.start, &plan.options).unwrap();
        let zeno = (2.0_f64 / 9.81).sqrt() * (1.0 + e) / (1.0 - e);
        assert_eq!(run.outcome.code(), "accumulation", "e = {e}");
        let Outcome::Accumulation { t, .. } = run.outcome else { panic!("e = {e}: {:?}", run.outcome) };
        assert!((t - zeno).abs() < 1e-9 && run.end_time() <= t, "e = {e}: {t} against {zeno}");
        assert!(run.segments.iter().all(|s| s.start[0] >= 0.0 && s.end[0] >= 0.0), "e = {e}");
    }
}

/// Steps that go far beyond the floor would locate it only to the rounding of their ends.
#[test]
fn a_ball_that_loses_nothing_keeps_its_height_over_many_bounces() {
    for method in ["auto", "dopri5", "tsit5", "rkf45", "dop853"] {
        let run = run_model(&format!(
            r#"
            states = {{ y = 1, v = 0 }}
            derivatives = {{ y = "v", v = -1 }}
            events.floor = {{ guard = "y < 0", reset = {{ v = "-v" }} }}
            run = {{ until = 20000, method = "{method}" }}
            "#
        ));
        assert_eq!(run.events.len(), 7071, "{method}");
        let late = |(i, event): (usize, &slipstick::trajectory::Event)| {
            (event.t - std::f64::consts::SQRT_2 * (2 * i + 1) as f64).abs()
        };
        let worst = run.events.iter().enumerate().map(late).fold(0.0, f64::max);
        assert!(worst < 1e-6, "{method}: {worst:e}");
    }
}
