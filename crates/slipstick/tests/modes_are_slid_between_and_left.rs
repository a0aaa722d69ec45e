//! A motion that slides between two modes is left, and has events, as if the two were the sides of a switch.

mod common;

use common::{run_model, try_model};
use slipstick::trajectory::EventKind;

const METHODS: [&str; 6] = ["auto", "dopri5", "tsit5", "bs32", "radau5", "rodas4"];

/// Above the surface the motion falls; below it rises or falls as `below` says.
fn relay(below: &str, more: &str, run: &str) -> String {
    format!(
        r#"
        states = {{ x = 0, y = 1 }}
        [modes.above]
        derivatives = {{ x = 0, y = -1 }}
        events.down = {{ guard = "y < 0", goto = "below" }}
        [modes.below]
        derivatives = {{ x = 2, y = "{below}" }}
        events.up = {{ guard = "y > 0", goto = "above" }}
        {more}
        [run]
        {run}
        "#
    )
}

#[test]
fn the_surface_is_left_where_a_switch_leaves_it() {
    for method in METHODS {
        let run =
            run_model(&relay("3 - 0.5 * t", "", &format!("until = 7.5\nmethod = \"{method}\"\nrtol = 1e-8")));
        // It slides from 1 to 6 with x' = 2 / (4 - t/2), and falls below from then on.
        let (x, y) = (4.0 * 3.5_f64.ln() + 3.0, -0.25 * 1.5 * 1.5);
        let [slide, leave] = &run.events[..] else { panic!("{method}: {:?}", run.events) };
        assert!(slide.kinds.contains(&EventKind::Slide) && leave.kinds.contains(&EventKind::Leave));
        assert!((slide.t - 1.0).abs() < 1e-7 && (leave.t - 6.0).abs() < 1e-6, "{method}: {:?}", run.events);
        let end = run.end_state();
        assert!((end[0] - x).abs() < 1e-5 && (end[1] - y).abs() < 1e-5, "{method}: {end:?}");
    }
}

#[test]
fn events_of_both_modes_happen_while_the_motion_slides_between_them() {
    for (mode, method) in ["above", "below"].iter().flat_map(|mode| METHODS.map(|method| (mode, method))) {
        let far = format!("[modes.{mode}.events.far]\nguard = \"x > 0.5\"");
        let run = run_model(&relay("1", &far, &format!("until = 10\nmethod = \"{method}\"")));
        let times: Vec<f64> = run.event_times("far").collect();
        // Half of the time in each mode: x' = 1.
        assert!(times.len() == 1 && (times[0] - 1.5).abs() < 1e-9, "{mode}, {method}: {times:?}");
        assert!((run.end_state()[0] - 9.0).abs() < 1e-8);
    }
}

#[test]
fn an_event_of_one_mode_leads_to_a_third() {
    let more = r#"
        [modes.above.events.enough]
        guard = "x > 0.5"
        goto = "rest"
        [modes.rest]
        derivatives = { x = 0, y = -3 }
        "#;
    let run = run_model(&relay("1", more, "until = 2.5"));
    let end = run.end_state();
    assert!((end[0] - 0.5).abs() < 1e-9 && (end[1] + 3.0).abs() < 1e-8, "{end:?}");
}

#[test]
fn fields_that_both_cross_are_not_slid_between() {
    let text = r#"
        states = { x = 0, y = -1 }
        modes.a = { derivatives = { x = 1, y = 2 }, events.ab = { guard = "y > 0", goto = "b" } }
        modes.b = { derivatives = { x = 0, y = 1 }, events.ba = { guard = "y > 0", goto = "a" } }
        run.until = 8
        "#;
    let failure = try_model(text).expect_err("each mode leads to the other at once");
    assert!(failure.error.to_string().contains("ab"), "{}", failure.error);
    let end = failure.trajectory.end_state();
    assert!((end[0] - 0.5).abs() < 1e-12 && end[1].abs() < 1e-12, "{end:?}");
}

#[test]
fn a_block_on_a_belt_written_as_modes_sticks_and_slips() {
    let block = |law: &str| {
        format!(
            "coordinates = {{ x = 0 }}\nspeeds = {{ x = 0 }}\nkinetic = \"x'^2 / 2\"\npotential = \"x^2 / 2\"\n\
             {law}\nrun = {{ until = 20, rtol = 1e-9 }}"
        )
    };
    let modes = "modes.slow = { forces = { x = 0.6 }, events.up = { guard = \"x' > 0.5\", goto = \"fast\" } }\n\
        modes.fast = { forces = { x = -0.6 }, events.down = { guard = \"x' < 0.5\", goto = \"slow\" } }";
    let [by_modes, by_sign] = [modes, "forces.x = \"-0.6*sign(x' - 0.5)\""].map(|law| run_model(&block(law)));
    assert_eq!(by_modes.events.len(), by_sign.events.len());
    for (a, b) in by_modes.events.iter().zip(&by_sign.events) {
        assert!((a.t - b.t).abs() < 1e-7, "{} and {}", a.t, b.t);
    }
    let off = by_modes.end_state().iter().zip(by_sign.end_state()).map(|(a, b)| (a - b).abs());
    assert!(off.fold(0.0, f64::max) < 1e-7, "{:?} and {:?}", by_modes.end_state(), by_sign.end_state());
}
