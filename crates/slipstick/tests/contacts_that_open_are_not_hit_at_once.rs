//! A contact opens where another one closes, and what rounding leaves of both is not taken for a motion: it is hit
//! again where its gap has closed again, and not before.

mod common;

use common::run_model;
use slipstick::trajectory::{EventKind, Trajectory};

fn hits(run: &Trajectory, name: &str) -> Vec<f64> {
    run.event_times(name).collect()
}

/// A mass that falls into a wedge slides down one side and then up and down the other, in turn.
#[test]
fn a_side_of_a_wedge_is_left_where_the_other_is_met() {
    let text = r#"
        coordinates = { x = 0.0002, y = 0.3311 }
        kinetic     = "(x'^2 + y'^2)/2"
        potential   = "5.6639*y"
        contacts.left  = { gap = "y + 0.7972*x" }
        contacts.right = { gap = "y - 0.6533*x" }
        run = { until = 1, rtol = 1e-7, LOCATION }"#;
    for location in ["location = \"dense\"", "first_step = 0.093", "first_step = 5.1e-5", "max_events = 1000"]
    {
        let run = run_model(&text.replace("LOCATION", location));
        let times = hits(&run, "contact.right.hit");
        assert!((times[1] - 0.530_390_412_899_258_9).abs() < 1e-12, "{location}: {times:?}");
        assert!(run.events.iter().all(|event| event.kinds != [EventKind::Record]), "{location}");
    }
}

/// A disc rests in a corner, with another that rolls over it: it stays where it is when that has left it.
#[test]
fn a_disc_in_a_corner_is_not_pushed_by_one_that_leaves_it() {
    let text = r#"
        coordinates = { x0 = 0.6219, y0 = 0.3, x1 = 1.4754, y1 = 0.9 }
        speeds      = { x0 = -0.6262, y0 = 1.7893, x1 = -1.5726, y1 = 0.4759 }
        kinetic     = "0.5821*(x0'^2 + y0'^2)/2 + 1.6355*(x1'^2 + y1'^2)/2"
        potential   = "0.5821*8.8063*y0 + 1.6355*8.8063*y1"
        run = { until = 1, rtol = 1e-7, longest_step = 0.0071 }
        [contacts]
        f0  = { gap = "y0 - 0.1029", restitution = 0.4385 }
        l0  = { gap = "x0 + 0.0838*y0 - 0.1029", restitution = 0.4385 }
        r0  = { gap = "2 + 0.0838*y0 - 0.1029 - x0", restitution = 0.4385 }
        f1  = { gap = "y1 - 0.2317", restitution = 0.4385 }
        l1  = { gap = "x1 + 0.0838*y1 - 0.2317", restitution = 0.4385 }
        r1  = { gap = "2 + 0.0838*y1 - 0.2317 - x1", restitution = 0.4385 }
        d10 = { gap = "hypot(x1 - x0, y1 - y0) - 0.1029 - 0.2317", restitution = 0.4385 }"#;
    let run = run_model(text);
    let leaves = run.event_times("contact.d10.lift").last().expect("it rolls off");
    assert!(hits(&run, "contact.l0.hit").into_iter().all(|t| t < leaves));
    let end = run.end_state();
    assert!(end[4..6].iter().all(|speed| *speed == 0.0), "{end:?}");
}
