//! Hits that are too dense to be located one by one are stepped over: the run goes on, nothing goes through
//! anything, no energy is made, and the log says so.

mod common;

use slipstick::problems::discs_in_a_box;
use slipstick::simulate::{DenseEvents, Keep, Options, Plan, simulate};
use slipstick::trajectory::{Event, EventKind, Outcome, Trajectory};

/// A pile is sorted out by events in the end: its gaps are rounding of lengths of one.
const ROUNDING: f64 = 1e-12;
/// The part of the energy by which steps of first order may raise it for a while.
const FIRST_ORDER: f64 = 1e-3;

fn run(plan: &Plan, options: &Options) -> Trajectory {
    simulate(&plan.system, &plan.start, options).unwrap_or_else(|failure| panic!("{}", failure.error))
}

/// The energy of discs of one kilogram, without friction.
fn energy(y: &[f64]) -> f64 {
    let count = y.len() / 4;
    let kinetic: f64 = y[2 * count..].iter().map(|v| 0.5 * v * v).sum();
    kinetic + (0..count).map(|i| 9.81 * y[2 * i + 1]).sum::<f64>()
}

/// The smallest gap of discs in the box.
fn smallest_gap(y: &[f64]) -> f64 {
    let (count, mut least) = (y.len() / 4, f64::INFINITY);
    for i in 0..count {
        let (x, h) = (y[2 * i], y[2 * i + 1]);
        least = least.min(x - 0.1).min(0.9 - x).min(h - 0.1);
        for j in 0..i {
            least = least.min((x - y[2 * j]).hypot(h - y[2 * j + 1]) - 0.2);
        }
    }
    least
}

/// The states at the ends of all steps and segments, in order.
fn states(run: &Trajectory) -> impl Iterator<Item = Vec<f64>> + '_ {
    run.segments.iter().flat_map(|segment| {
        let steps = segment.steps().iter().map(|step| segment.state(step.t));
        let (start, end) = ([segment.start.clone()], [segment.end.clone()]);
        start.into_iter().chain(steps).chain(end).collect::<Vec<_>>()
    })
}

/// The energy never rises above what it was before, but for the first order of steps that are captured: by this
/// part of it.
fn assert_no_energy_is_made(run: &Trajectory) {
    let mut least = f64::INFINITY;
    for y in states(run) {
        let now = energy(&y);
        assert!(now <= least * (1.0 + FIRST_ORDER), "{now} after {least}");
        least = least.min(now);
    }
}

fn captured_time(run: &Trajectory) -> f64 {
    run.segments.iter().filter(|s| s.is_captured()).map(|s| s.end_time - s.start_time).sum()
}

#[test]
fn discs_come_to_rest_in_a_box() {
    let plan = discs_in_a_box(6, None, 2.0).plan;
    let run = run(&plan, &plan.options);
    assert_eq!(run.outcome, Outcome::ReachedEnd);
    let least = states(&run).map(|y| smallest_gap(&y)).fold(f64::INFINITY, f64::min);
    assert!(least > -1e-9, "{least:e}");
    assert_no_energy_is_made(&run);
    let time = captured_time(&run);
    assert!(time > 0.0 && time < 1.0, "{time}");
    let note = run.notes.iter().find(|note| note.code == "events-captured").expect("a warning");
    assert!(note.text.contains("penetration") && note.text.contains("steps"), "{}", note.text);
    // Events go on in the end.
    let last = run.segments.last().expect("a segment");
    let speed = last.end[12..].iter().fold(0.0_f64, |most, v| most.max(v.abs()));
    assert!(!last.is_captured() && speed < ROUNDING && smallest_gap(&last.end) > -ROUNDING, "{speed:e}");
}

#[test]
fn capturing_begins_and_ends_by_events_of_their_own() {
    let plan = discs_in_a_box(6, None, 2.0).plan;
    let run = run(&plan, &plan.options);
    let count = |kind: EventKind| run.events.iter().filter(|event| event.kinds.contains(&kind)).count();
    let captured = run.segments.iter().filter(|segment| segment.is_captured()).count();
    assert!(captured > 0 && count(EventKind::Capture) == captured && count(EventKind::Resume) == captured);
    assert_eq!(run.event_times("capture").count(), captured);
    for (event, segment) in run.events.iter().zip(&run.segments) {
        assert_eq!(event.before, segment.end, "nothing jumps without an event");
        let hits = event.kinds.contains(&EventKind::Hit) && segment.is_captured();
        assert!(!hits || event.kinds.contains(&EventKind::Resume), "no hit is located while it lasts");
    }
    let lost: f64 = run.events.iter().map(Event::energy_lost).sum();
    let (first, last) = (energy(&run.segments[0].start), energy(run.end_state()));
    assert!((first - last - lost).abs() < 0.02 * lost, "{first} - {last} against {lost}");
}

#[test]
fn the_same_model_is_captured_whatever_its_first_and_longest_step() {
    let plan = discs_in_a_box(6, None, 2.0).plan;
    let begins = |options: &Options| run(&plan, options).event_times("capture").next().is_some();
    assert!(begins(&plan.options.clone().longest_step(0.01)));
    assert!(begins(&plan.options.clone().first_step(1e-4)));
}

#[test]
fn the_run_stops_if_that_is_asked_for() {
    let plan = discs_in_a_box(6, None, 2.0).plan;
    let mut options = plan.options.clone();
    options.contacts.dense_events = DenseEvents::Stop;
    let run = run(&plan, &options);
    assert!(matches!(run.outcome, Outcome::DenseEvents { events, .. } if events > 50), "{:?}", run.outcome);
    assert_eq!(run.outcome.code(), "dense-events");
    assert!(run.outcome.hint().is_some_and(|hint| hint.contains("capture")) && captured_time(&run) == 0.0);
}

/// Twenty discs at a loose tolerance, until their pile has collapsed.
#[test]
fn twenty_discs_are_poured_into_a_box() {
    let plan = discs_in_a_box(20, None, 0.6).plan;
    let options = plan.options.clone().tolerances(1e-6, 1e-8);
    let run = run(&plan, &options);
    assert_eq!(run.outcome, Outcome::ReachedEnd);
    let least = states(&run).map(|y| smallest_gap(&y)).fold(f64::INFINITY, f64::min);
    assert!(least > -1e-9, "{least:e}");
    assert_no_energy_is_made(&run);
}

#[test]
fn a_ball_that_bounces_is_not_captured() {
    for restitution in [0.9, 1.0] {
        let text = format!(
            "coordinates.y = 1\nkinetic = \"y'^2/2\"\npotential = \"9.81*y\"\nrun.until = 60\n\
             contacts.floor = {{ gap = \"y\", restitution = {restitution} }}"
        );
        let plan = common::plan(&text);
        let run = run(&plan, &plan.options);
        assert!(run.statistics.events > 60 && captured_time(&run) == 0.0);
    }
}

const THREE_BALLS: &str = r#"
    coordinates = { a = 1, b = 1.5, c = 2.25 }
    kinetic     = "(a'^2 + b'^2 + c'^2)/2"
    potential   = "9.81*(a + b + c)"
    run.until   = 1
    [contacts]
    floor = { gap = "a", restitution = 0.5 }
    lower = { gap = "b - a", restitution = 0.5 }
    upper = { gap = "c - b", restitution = 0.5 }"#;

#[test]
fn a_whole_run_is_stepped_through_and_converges_with_order_one() {
    let plan = common::plan(THREE_BALLS);
    let exact = run(&plan, &plan.options).end_state().to_vec();
    let error = |h: f64| {
        let stepped = run(&plan, &plan.options.clone().time_stepping(h));
        assert_eq!(captured_time(&stepped), 1.0);
        assert_eq!(stepped.event_times("contact.floor.hit").count(), 0);
        let end = stepped.end_state();
        end.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    let errors = [1e-2, 1e-3, 1e-4].map(error);
    assert!(errors[2] < 0.05 * errors[0] && errors[2] < 1e-2, "{errors:?}");
}

/// The speeds of the start are off by less than is worth a note: the log has those that the motion begins with.
#[test]
fn a_run_that_is_stepped_through_begins_where_its_start_was_corrected_to() {
    let text = r#"
        coordinates = { x = 0.6, y = -0.8 }
        speeds      = { x = 0.8, y = 0.6000000000000123 }
        kinetic     = "(x'^2 + y'^2)/2"
        potential   = "9.81*y"
        constraints.rod = "x^2 + y^2 - 1"
        contacts.floor  = { gap = "y + 0.9", restitution = 0.5 }
        run.until = 0.5"#;
    let plan = common::plan(text);
    let run = run(&plan, &plan.options.clone().time_stepping(1e-3));
    assert_eq!(run.outcome, Outcome::ReachedEnd);
    let begins = &run.events[0];
    assert!(begins.kinds.contains(&EventKind::Capture) && begins.t == 0.0);
    assert_ne!(begins.before[3], plan.start.y[3], "the start is corrected");
    assert_eq!(begins.before, run.segments[0].end);
}

#[test]
fn what_is_no_contact_happens_on_time_while_contacts_are_captured() {
    let text = format!("{THREE_BALLS}\n[events]\nclock = {{ at = 0.35 }}\nhalf = {{ guard = \"c < 1.25\" }}");
    let plan = common::plan(&text);
    let run = run(&plan, &plan.options.clone().time_stepping(1e-3));
    assert_eq!(run.event_times("clock").collect::<Vec<_>>(), [0.35]);
    let falls = run.event_times("half").next().expect("it falls by a metre");
    assert!((falls - (2.0_f64 / 9.81).sqrt()).abs() < 1e-3, "{falls}");
}

#[test]
fn captured_runs_are_the_same_to_the_bit_and_keep_their_ends_alone_if_asked() {
    let plan = discs_in_a_box(6, None, 1.2).plan;
    let [first, second] = [(); 2].map(|()| run(&plan, &plan.options));
    assert_eq!(first.end_state(), second.end_state());
    let ends = run(&plan, &Options { keep: Keep::Ends, ..plan.options.clone() });
    assert_eq!(ends.end_state(), first.end_state());
}
