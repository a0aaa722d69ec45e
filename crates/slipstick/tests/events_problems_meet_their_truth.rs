//! The problems of the suite `events` have the events that they should have, when they should have them; large jars are left to `bench`.

use slipstick::problems::{
    EventProblem, Events, MarbleJar, Measured, hundred_balls, marble_jar, quick_events,
};

/// Runs problems in order, so that later ones can be compared with earlier ones.
fn measure(problems: &[EventProblem]) -> Vec<Measured> {
    let mut rows = Vec::new();
    for problem in problems {
        let row = problem.measure(&rows);
        rows.push(row);
    }
    rows
}

fn assert_ok(rows: &[Measured]) {
    for row in rows {
        assert!(row.is_ok(), "{}: {:?}", row.name, row.complaints);
    }
}

fn assert_named_ok(names: &[&str]) {
    let problems: Vec<_> = quick_events().into_iter().filter(|p| names.contains(&p.name.as_str())).collect();
    assert_eq!(problems.len(), names.len(), "{names:?}");
    assert_ok(&measure(&problems));
}

#[test]
fn balls_bounce_at_their_closed_form_times() {
    assert_named_ok(&["ball-e0.5", "ball-e0.7", "ball-e0.9", "ball-e1", "floor-and-ceiling"]);
}

#[test]
fn a_ball_comes_to_rest_at_the_zeno_time() {
    assert_named_ok(&["ball-rests"]);
}

#[test]
fn three_roots_in_one_step_are_three_events() {
    assert_named_ok(&["three-roots-in-a-step"]);
}

#[test]
fn guards_close_to_each_other_are_kept_apart_and_equal_ones_together() {
    assert_named_ok(&["guards-1e-12-apart", "duplicated-guards"]);
}

#[test]
fn a_touch_that_counts_is_an_event() {
    assert_named_ok(&["touch-is-an-event"]);
}

#[test]
fn a_touch_that_does_not_count_is_no_event() {
    assert_named_ok(&["touch-is-no-event"]);
}

#[test]
fn guards_that_are_zero_at_the_start_go_to_either_side() {
    assert_named_ok(&["zero-at-start-after", "zero-at-start-before"]);
}

#[test]
fn friction_sticks_and_the_relay_hops() {
    assert_named_ok(&["coulomb-oscillator", "relay-hops"]);
}

#[test]
fn circuits_switch_on_time() {
    assert_named_ok(&["diode-bridge", "buck-converter"]);
}

#[test]
fn a_clock_strikes_at_the_very_times() {
    assert_named_ok(&["doses"]);
}

#[test]
fn every_tooth_of_the_escapement_strikes_both_pallets() {
    let names = ["verge-escapement"];
    assert_named_ok(&names);
    let escapement = quick_events().into_iter().find(|p| p.name == names[0]).unwrap();
    let Events::All(all) = &escapement.events else { panic!("its events are known") };
    let mut struck: Vec<usize> = all.iter().flat_map(|e| e.guards.clone()).collect();
    struck.sort_unstable();
    struck.dedup();
    assert_eq!(struck, (0..30).collect::<Vec<_>>());
    assert_eq!(escapement.system.guards().len(), 30);
}

/// Events are found one by one, 2e-10 s apart.
#[test]
fn a_hundred_balls_have_1200_events() {
    let problems: Vec<_> = hundred_balls().into_iter().filter(|p| p.name == "balls-100").collect();
    let rows = measure(&problems);
    assert_ok(&rows);
    assert_eq!(rows[0].found, 1200);
}

#[test]
fn balls_that_hit_together_cost_a_seventh_of_the_work() {
    assert_ok(&measure(&hundred_balls()));
}

#[test]
fn small_jars_need_a_third_of_the_work_and_keep_their_energy() {
    for damped in [false, true] {
        for marbles in [2, 4] {
            for eps in [1e-3, 1e-6] {
                assert_ok(&measure(&marble_jar(MarbleJar { marbles, damped }, eps)));
            }
        }
    }
}

/// The numbers of paper 000, table 5.6.
#[test]
fn ten_marbles_need_less_work_by_the_factors_of_the_paper() {
    for eps in [1e-3, 1e-6] {
        assert_ok(&measure(&marble_jar(MarbleJar { marbles: 10, damped: false }, eps)));
    }
}

#[test]
fn jars_have_the_guards_of_the_formula() {
    let counts = [2, 4, 8, 10, 16].map(|marbles| {
        let jar = MarbleJar { marbles, damped: false };
        let problem = marble_jar(jar, 1e-3).pop().unwrap();
        assert_eq!(problem.system.shape().guards.len(), jar.guard_count());
        jar.guard_count()
    });
    assert_eq!(counts, [5, 14, 44, 65, 152]);
}
