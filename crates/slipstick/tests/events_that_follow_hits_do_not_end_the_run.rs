//! An event that follows each hit of a contact happens as often as that, and ends with it where the contact comes to
//! rest: it does not accumulate by itself.

mod common;

use common::run_model;
use slipstick::trajectory::Outcome;

#[test]
fn a_counted_bounce_comes_to_rest() {
    let run = run_model(
        "discrete.n = 0\ncoordinates.y = 1\nkinetic = \"y'^2/2\"\npotential = \"9.81*y\"\n\
        contacts.floor = { gap = \"y\", restitution = 0.5 }\n\
        events.tap = { on = \"contact.floor.hit\", reset = { n = \"n + 1\" } }\nrun.until = 3\n",
    );
    assert_eq!(run.outcome, Outcome::ReachedEnd);
    let (hits, taps) = (run.event_times("contact.floor.hit").count(), run.event_times("tap").count());
    assert!(hits > 10 && taps == hits, "{taps} of {hits}");
}
