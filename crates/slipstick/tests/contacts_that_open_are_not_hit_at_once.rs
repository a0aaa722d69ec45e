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

/// A mass that bounces in a wedge that shakes: what is hit together touches together, although the polynomial of a long
/// step does not know when a gap that had just closed was open.
#[test]
fn a_contact_is_not_hit_across_its_gap_with_another_that_was_hit_before() {
    let text = r#"
        coordinates = { x = 0.0664, y = 0.4019 }
        kinetic     = "(x'^2 + y'^2)/2"
        potential   = "8.0335*y"
        contacts.left  = { gap = "y + 0.8485*x - 0.0268*sin(3.3391*t)", restitution = 0.5777 }
        contacts.right = { gap = "y - 0.5695*x - 0.0268*sin(3.3391*t)", restitution = 0.5777 }
        run = { until = 3, rtol = 1e-7, location = "dense" }"#;
    let run = run_model(text);
    for (name, side) in [("contact.left.hit", 0.8485), ("contact.right.hit", -0.5695)] {
        let guard = run.guard_names.iter().position(|other| other == name).expect("a guard");
        let own = run.events.iter().filter(|event| event.guards.contains(&guard));
        let rising = |t: f64| 0.0268 * (3.3391 * t).sin();
        let gaps: Vec<f64> = own.map(|e| e.before[1] + side * e.before[0] - rising(e.t)).collect();
        assert!(gaps.len() > 10 && gaps.iter().all(|gap| gap.abs() < 1e-9), "{name}: {gaps:?}");
    }
}

/// An impact leaves a gap in its band: that its guard asks again is no event if nothing comes of it.
#[test]
fn a_guard_of_a_contact_that_asks_in_vain_is_not_logged() {
    let text = r#"
        coordinates = { x0 = 0.8191, y0 = 0.3, x1 = 1.329, y1 = 0.9, x2 = 1.538, y2 = 1.5 }
        speeds      = { x0 = 0.426, y0 = -0.733, x1 = 1.1559, y1 = -0.4403, x2 = 1.6436, y2 = -0.6782 }
        kinetic     = "1.7298*(x0'^2 + y0'^2)/2 + 0.8736*(x1'^2 + y1'^2)/2 + 0.9198*(x2'^2 + y2'^2)/2"
        potential   = "1.7298*4.028*y0 + 0.8736*4.028*y1 + 0.9198*4.028*y2"
        run = { until = 1, rtol = 1e-7, atol = 1e-9, method = "radau5" }
        [contacts]
        f0  = { gap = "y0 - 0.1118" }
        r0  = { gap = "2 + 0.1169*y0 - 0.1118 - x0" }
        f1  = { gap = "y1 - 0.2488" }
        r1  = { gap = "2 + 0.1169*y1 - 0.2488 - x1" }
        d10 = { gap = "hypot(x1 - x0, y1 - y0) - 0.1118 - 0.2488" }
        f2  = { gap = "y2 - 0.1591" }
        r2  = { gap = "2 + 0.1169*y2 - 0.1591 - x2" }
        d20 = { gap = "hypot(x2 - x0, y2 - y0) - 0.1118 - 0.1591" }
        d21 = { gap = "hypot(x2 - x1, y2 - y1) - 0.2488 - 0.1591" }"#;
    let run = run_model(text);
    assert!(run.event_times("contact.d21.hit").count() > 0);
    let in_vain = run.events.iter().find(|event| event.kinds == [EventKind::Record]);
    assert!(in_vain.is_none(), "{in_vain:?}");
}
