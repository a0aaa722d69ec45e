//! Rest is sliding on all velocity surfaces at once, however many there are; where their fields do not add up, that is an error and not a guess.

mod common;

use common::{plan, run_model};
use slipstick::simulate::simulate;

/// Blocks in a row, joined by springs, each with dry friction; the first is pulled harder and harder.
fn blocks(count: usize, friction: &str) -> String {
    let states = (0..count).map(|i| format!("x{i} = 0\nv{i} = 0"));
    let derivatives = (0..count).map(|i| {
        let left = if i == 0 { "t".to_owned() } else { format!("10 * (x{} - x{i})", i - 1) };
        let right = if i + 1 == count { String::new() } else { format!(" + 10 * (x{} - x{i})", i + 1) };
        let friction = friction.replace('#', &i.to_string());
        format!("x{i} = \"v{i}\"\nv{i} = \"{left}{right} - {friction}\"")
    });
    let (states, derivatives): (Vec<_>, Vec<_>) = (states.collect(), derivatives.collect());
    format!("run.until = 3\n[states]\n{}\n[derivatives]\n{}", states.join("\n"), derivatives.join("\n"))
}

#[test]
fn twenty_blocks_rest_until_one_after_the_other_is_torn_away() {
    let run = run_model(&blocks(20, "0.5 * sign(v#)"));
    assert!(run.outcome.is_complete(), "{}", run.outcome);
    assert_eq!(run.segments[0].mode.structure.sliding.len(), 20, "all rest at first");
    // The first block moves when the pull t exceeds 0.5, the second when its spring is stretched by 0.05.
    assert!((run.segments[0].end_time - 0.5).abs() < 1e-9, "{}", run.segments[0].end_time);
    let second =
        run.segments.iter().find(|s| !s.mode.structure.sliding.contains(&1)).expect("the second block moves");
    assert!((second.start[0] - 0.05).abs() < 1e-7, "{}", second.start[0]);
    // The last one has not moved.
    assert!(run.end_state()[38..].iter().all(|y| y.abs() < 1e-14), "{:?}", &run.end_state()[38..]);
}

#[test]
fn signs_that_stand_in_the_same_term_are_refused_by_name() {
    let all = (0..8).map(|i| format!("sign(v{i})")).collect::<Vec<_>>().join(" * ");
    let plan = plan(&blocks(8, &format!("0.5 * sign(v#) - 0.1 * {all}")));
    let failure =
        simulate(&plan.system, &plan.start, &plan.options).expect_err("it is not known what happens");
    assert_eq!(failure.error.code(), "too-many-surfaces");
    let message = failure.error.to_string();
    assert!(
        message.contains("8 switching surfaces meet at t = 0") && message.contains("sign(v0)"),
        "{message}"
    );
}
