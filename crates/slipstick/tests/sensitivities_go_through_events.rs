//! An event in the log can be linearised: with the motion between events, its saltation matrices say how the end of a
//! run depends on its start.

mod common;

use common::run_model;
use slipstick::trajectory::Trajectory;

/// A matrix of two rows times another.
fn times(a: &[f64], b: &[f64]) -> [f64; 4] {
    [
        a[0] * b[0] + a[1] * b[2],
        a[0] * b[1] + a[1] * b[3],
        a[2] * b[0] + a[3] * b[2],
        a[2] * b[1] + a[3] * b[3],
    ]
}

fn ball(height: f64, more: &str) -> String {
    format!(
        r#"
        states = {{ y = {height}, v = 0 }}
        derivatives = {{ y = "v", v = "-9.81" }}
        events.floor = {{ guard = "y < 0.1*sin(t)", reset = {{ v = "0.1*cos(t) - 0.8 * (v - 0.1*cos(t))" }} }}
        {more}
        run = {{ until = 1.9, rtol = 1e-11 }}
        "#
    )
}

fn matrix_of(text: &str) -> ([f64; 4], Trajectory) {
    let (run, plan) = (run_model(text), common::plan(text));
    let mut matrix = [1.0, 0.0, 0.0, 1.0];
    for (index, segment) in run.segments.iter().enumerate() {
        let fall = [1.0, segment.end_time - segment.start_time, 0.0, 1.0];
        matrix = times(&fall, &matrix);
        if index < run.events.len() {
            let event = run.linearise_event(&plan.system, index).expect("an event of a guard");
            matrix = times(&event.saltation(), &matrix);
        }
    }
    (matrix, run)
}

#[test]
fn a_ball_on_a_moving_floor_depends_on_its_height_as_neighbours_do() {
    // A kick at a known time makes the floor fire in the same instant: the resets of both rounds count.
    for more in ["", "events.kick = { at = 0.3, reset = { y = \"-0.2*y\" } }"] {
        let (matrix, run) = matrix_of(&ball(1.0, more));
        assert!(run.events.len() >= 3, "{:?}", run.events);
        let step = 1e-5;
        let [low, high] = [1.0 - step, 1.0 + step].map(|height| run_model(&ball(height, more)));
        for i in 0..2 {
            let slope = (high.end_state()[i] - low.end_state()[i]) / (2.0 * step);
            assert!(
                (matrix[2 * i] - slope).abs() < 1e-6 * (1.0 + slope.abs()),
                "{} and {slope}",
                matrix[2 * i]
            );
        }
    }
}

#[test]
fn a_motion_that_comes_to_a_surface_forgets_how_far_it_was() {
    let text =
        "states = { x = 1, z = 0 }\nderivatives = { x = \"-sign(x)\", z = \"x\" }\nrun = { until = 2 }";
    let (run, plan) = (run_model(text), common::plan(text));
    let event = run.linearise_event(&plan.system, 0).expect("the surface");
    let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-15);
    assert!(near(&event.field_before, &[-1.0, 0.0]) && near(&event.field_after, &[0.0, 0.0]), "{event:?}");
    assert!(near(&event.saltation(), &[0.0, 0.0, 0.0, 1.0]), "{:?}", event.saltation());
    assert!(run.linearise_event(&plan.system, 1).is_none());
}
