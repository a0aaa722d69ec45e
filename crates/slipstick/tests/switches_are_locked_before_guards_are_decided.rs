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
