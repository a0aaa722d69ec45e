//! The problems of the suite `sliding` meet surfaces, slide on them and leave them when they should.

use slipstick::model::Location;
use slipstick::problems::{MOST_MISSES, Measured, TOLERANCES, disode45, more_sliding};

fn assert_ok(row: &Measured) {
    assert!(row.is_ok(), "{} at {:e}: {:?}", row.name, row.tolerance, row.complaints);
}

/// Every event is found, in order and of the right kind. Errors are compared with a multiple of the tolerance.
fn assert_events(number: usize, tolerances: &[f64], multiple: f64) {
    for &tolerance in tolerances {
        let row = disode45(number, tolerance).problem.measure(&[]);
        assert_ok(&row);
        let error = row.end_error.unwrap();
        assert!(error <= multiple * tolerance, "{} at {tolerance:e}: {error:e}", row.name);
    }
}

fn assert_named_ok(name: &str) -> Measured {
    let problem = more_sliding().into_iter().find(|p| p.name == name).unwrap();
    let row = problem.measure(&[]);
    assert_ok(&row);
    row
}

#[test]
fn a_curved_surface_with_fields_on_one_side_only() {
    assert_events(1, &TOLERANCES, 200.0);
}

#[test]
fn structural_pounding_with_fractional_powers() {
    assert_events(2, &TOLERANCES, 20.0);
}

#[test]
fn relay_feedback_slides_28_times() {
    assert_events(3, &TOLERANCES[1..4], 200.0);
    assert_events(3, &TOLERANCES[5..], 200.0);
}

#[test]
fn an_exit_at_the_end_of_a_step_is_found() {
    assert_events(3, &[1e-7], 200.0);
}

#[test]
fn relay_feedback_slides_28_times_at_a_loose_tolerance() {
    assert_events(3, &TOLERANCES[..1], 200.0);
}

#[test]
fn two_masses_come_to_rest_after_18_events() {
    assert_events(4, &TOLERANCES, 20.0);
}

#[test]
fn errors_and_work_are_no_larger_than_in_the_paper() {
    let mut misses = Vec::new();
    for number in 1..=4 {
        for tolerance in TOLERANCES {
            let row = disode45(number, tolerance);
            let measured = row.problem.measure(&[]);
            let paper = row.paper.unwrap();
            if !paper.misses(&measured).is_empty() {
                misses.push(format!("{} at {tolerance:e}: {}", measured.name, paper.remark(&measured)));
            }
        }
    }
    assert!(misses.len() <= MOST_MISSES, "{} rows miss:\n{}", misses.len(), misses.join("\n"));
}

#[test]
fn a_relay_with_hysteresis_and_a_thermostat_switch_on_time() {
    assert_named_ok("relay-hysteresis");
    assert_named_ok("temperature-control");
}

/// With hysteresis the motion turns back through the surface that it has just come through: that is not to be taken for a forbidden side.
#[test]
fn all_others_are_the_same_from_one_side() {
    for mut problem in more_sliding() {
        problem.options.events.location = Some(Location::OneSided);
        assert_ok(&problem.measure(&[]));
    }
}

#[test]
fn two_relays_slide_on_both_surfaces_and_leave_one_after_the_other() {
    let row = assert_named_ok("two-relays");
    assert!(row.statistics.derivatives < 2000, "{:?}", row.statistics);
}

#[test]
fn a_block_on_a_belt_sticks_and_slips() {
    assert_named_ok("stick-slip-belt");
}

#[test]
fn chatter_is_one_slide_and_a_few_steps() {
    let row = assert_named_ok("chatter");
    assert!(row.statistics.accepted + row.statistics.rejected < 40, "{:?}", row.statistics);
}
