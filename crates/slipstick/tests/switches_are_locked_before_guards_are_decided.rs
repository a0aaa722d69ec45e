//! A guard that is zero at the start is decided by the motion with the right switch signs: if it goes to its true side, that is a crossing at the start
//! (rule 9).

mod common;

#[test]
fn a_guard_at_zero_heads_where_the_locked_switch_sends_it() {
    for (w, times) in [(-1.0, &[0.0][..]), (1.0, &[])] {
        let run = common::run_model(&format!(
            r#"
            states = {{ x = 0, w = {w} }}
            switches.s = "w"
            derivatives = {{ x = "s", w = 0 }}
            events.e.guard = "x < 0"
            run.until = 1
            "#
        ));
        assert_eq!(common::times(&run), times, "{:?}", run.events);
        assert!((run.end_state()[0] - w).abs() < 1e-14);
    }
}

/// A ball has the same speed before and after a bounce: `abs(v) > 3` does not become true there.
#[test]
fn guards_are_read_with_the_signs_of_the_state_that_a_reset_leads_to() {
    let run = common::run_model(
        r#"
        states = { y = 1, v = 0 }
        derivatives = { y = "v", v = "-9.81" }
        events.floor = { guard = "y < 0", reset = { v = "-v" } }
        events.alarm = { guard = "abs(v) > 3" }
        events.never = { guard = "abs(v) < -0.5" }
        run.until = 2
        "#,
    );
    assert_eq!(
        (run.event_times("alarm").count(), run.event_times("never").count()),
        (2, 0),
        "{:?}",
        run.events
    );
}
