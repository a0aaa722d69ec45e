//! A guard that is zero at the start is decided by the motion with the right switch signs.

mod common;

#[test]
fn a_guard_at_zero_heads_where_the_locked_switch_sends_it() {
    let run = common::run_model(
        r#"
        states = { x = 0, w = -1 }
        switches.s = "w"
        derivatives = { x = "s", w = 0 }
        events.e.guard = "x < 0"
        run.until = 1
        "#,
    );
    assert!(run.events.is_empty(), "{:?}", run.events);
    assert!((run.end_state()[0] + 1.0).abs() < 1e-14);
}
