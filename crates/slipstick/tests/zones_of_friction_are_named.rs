//! Where a contact comes to another zone of its friction, the log says so, and names the contact.

mod common;

use common::{plan, run_model};
use slipstick::equations::System;
use slipstick::trajectory::EventKind;

/// A disc on a ramp of which the lower part is smooth. A wind blows from a height on.
const DISC: &str = r#"
    parameters = { p = "pi/12", g = 9.8 }
    coordinates = { x = 14, y = 1, th = 0 }
    speeds = { x = 7, th = -4 }
    kinetic = "(x'^2 + y'^2)/2 + th'^2/4"
    potential = "g*(x*sin(p) + y*cos(p))"
    forces.x = "if x > 15 then -0.1 else 0"
    contacts.ramp = { gap = "y - 1", slip = "x' + th'", friction = "if x < 17 then 0.2 else 0" }
    run.until = 3"#;

/// The kinds of the events whose names have this in them.
fn kinds(text: &str, part: &str) -> Vec<Vec<EventKind>> {
    let run = run_model(text);
    let named = run.events.iter().filter(|e| run.guard_names[e.guards[0]].contains(part));
    named.map(|event| event.kinds.clone()).collect()
}

#[test]
fn the_border_of_a_zone_is_an_event_of_its_contact() {
    // It rolls onto the smooth part, where its contact cannot stick any more.
    assert_eq!(kinds(DISC, "contacts.ramp.friction"), [[EventKind::Zone, EventKind::Slip]]);
    let run = run_model(DISC);
    let border = run.events.iter().find(|e| e.kinds.contains(&EventKind::Zone)).expect("a border");
    assert!((border.after[0] - 17.0).abs() < 1e-12);
    let plan = plan(DISC);
    let guard = &plan.system.shape().guards[border.guards[0]];
    assert_eq!(guard.border.zones(), [0]);
    assert_eq!(run.statistics.kinds.switchings, 2);
}

#[test]
fn other_switches_are_switches() {
    assert_eq!(kinds(DISC, "forces.x"), [[EventKind::Switch]]);
    let gap = DISC.replace("y - 1", "y - 1 + (if x < 17.5 then 0 else 0*x)");
    assert!(kinds(&gap, "contacts.ramp.gap").iter().all(|kinds| !kinds.contains(&EventKind::Zone)));
}

#[test]
fn a_border_that_two_contacts_share_names_both() {
    let text = r#"
        coordinates = { x = 0, y = 0, a = 0, b = 0 }
        speeds = { x = 4, a = 3 }
        kinetic = "(x'^2 + y'^2 + a'^2 + b'^2)/2"
        potential = "9.81*(y + b)"
        outputs.mu = "if x < 1 then 0.1 else 0.2"
        contacts.one = { gap = "y", slip = "x'", friction = "mu" }
        contacts.two = { gap = "b", slip = "a'", friction = { static = "mu", sliding = 0.1 } }
        run.until = 0.5"#;
    let run = run_model(text);
    let border = run.events.iter().find(|e| e.kinds.contains(&EventKind::Zone)).expect("a border");
    assert_eq!(plan(text).system.shape().guards[border.guards[0]].border.zones(), [0, 1]);
}
