//! A reset takes a motion off a surface that it slides on, or the surface away from the motion: it goes on from the
//! side where it stands then, and nothing moves that is not set.

mod common;

use common::run_model;

#[test]
fn a_kick_to_the_negative_side_comes_back() {
    let run = run_model(
        r#"
        states = { x = 0 }
        derivatives = { x = "-sign(x)" }
        events.k = { at = 1, reset = { x = -0.3 } }
        run.until = 2
        "#,
    );
    assert_eq!(run.end_state(), [0.0]);
    assert!((run.events[1].t - 1.3).abs() < 1e-12, "{:?}", run.events);
}

#[test]
fn a_block_that_is_hit_comes_to_rest_whichever_side_it_is_hit_from() {
    for side in [1.0, -1.0] {
        let text = r#"
            parameters = { s = SIDE }
            states = { x = 0, v = 0, y = "3*s", w = "-s" }
            derivatives = { x = "v", v = "-0.5*sign(v)", y = "w", w = 0 }
            events.hit = { guard = "s*(y - x) < 0", reset = { v = "w", w = "v" } }
            run = { until = 6, rtol = 1e-9 }
            "#;
        let run = run_model(&text.replace("SIDE", &format!("{side}")));
        let [x, v, ..] = run.end_state() else { panic!("four states") };
        assert!((x + side).abs() < 1e-8 && *v == 0.0, "{:?}", run.end_state());
    }
}

#[test]
fn a_block_on_a_belt_that_is_switched_on_is_carried_along() {
    let run = run_model(
        r#"
        states = { x = 0, v = 0 }
        discrete = { belt = 0 }
        derivatives = { x = "v", v = "-0.6*sign(v - belt)" }
        events.on = { at = 1, reset = { belt = 1 } }
        run = { until = 4, rtol = 1e-9 }
        "#,
    );
    assert_eq!(run.events[0].before, run.events[0].after, "nothing but the belt is set");
    // It slips for 5/3 s, and goes with the belt from then on.
    let expected = 0.3 * (5.0_f64 / 3.0).powi(2) + (3.0 - 5.0 / 3.0);
    assert!((run.end_state()[0] - expected).abs() < 1e-8, "{:?}", run.end_state());
}

#[test]
fn a_motion_between_two_modes_goes_on_in_the_mode_of_the_side_where_it_stands() {
    let text = r#"
        states = { y = 0 }
        discrete = { threshold = 1 }
        [modes.up]
        derivatives = { y = 1 }
        events.high = { guard = "y > threshold", goto = "down" }
        [modes.down]
        derivatives = { y = -2 }
        events.low = { guard = "y < threshold", goto = "up" }
        [events.kick]
        at = 2
        reset = RESET
        [run]
        until = 6
        "#;
    for (reset, second, end) in [
        ("{ threshold = 3 }", 4.0, 3.0),
        ("{ threshold = -1 }", 3.0, -1.0),
        ("{ y = 1.5 }", 2.25, 1.0),
        ("{ y = 0.5 }", 2.5, 1.0),
    ] {
        let run = run_model(&text.replace("RESET", reset));
        let fired: Vec<&str> =
            run.events[1].guards.iter().map(|&guard| run.guard_names[guard].as_str()).collect();
        assert_eq!(fired, ["kick"], "{reset}");
        let [slides, kick, again] = &run.events[..] else { panic!("{reset}: {:?}", run.events) };
        assert!((slides.t - 1.0).abs() < 1e-14 && kick.t == 2.0, "{reset}: {:?}", run.events);
        assert!((again.t - second).abs() < 1e-14 && run.end_state() == [end], "{reset}: {:?}", run.events);
    }
}
