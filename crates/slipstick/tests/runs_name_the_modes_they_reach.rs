//! A run builds a hybrid automaton on its way: modes by what holds in them, and the events between them.

mod common;

use common::plan;
use slipstick::simulate::simulate;
use slipstick::trajectory::ModeGraph;

/// From where, to where, the event, and how often.
type Way = (usize, usize, String, usize);

/// Modes with how often they were entered, and the ways between them.
fn graph(text: &str) -> (Vec<(String, usize)>, Vec<Way>) {
    let plan = plan(text);
    let trajectory = simulate(&plan.system, &plan.start, &plan.options).expect("a run");
    let graph = ModeGraph::of(&plan.system, &trajectory);
    let time: f64 = graph.modes.iter().map(|mode| mode.time).sum();
    assert!((time - trajectory.end_time()).abs() < 1e-12 * time, "times add up to that of the run");
    let ways: usize = graph.edges.iter().map(|edge| edge.count).sum();
    assert_eq!(ways, trajectory.events.len(), "every event is on a way");
    let modes = graph.modes.into_iter().map(|mode| (mode.name, mode.entered)).collect();
    (modes, graph.edges.into_iter().map(|edge| (edge.from, edge.to, edge.event, edge.count)).collect())
}

fn mode(name: &str, entered: usize) -> (String, usize) {
    (name.to_owned(), entered)
}

#[test]
fn contacts_name_modes_by_what_they_do() {
    let text = r#"
        parameters = { k = 40, L = 0.4, H = 0.5, vb = 0.3 }
        coordinates = { x = 0, y = 0 }
        speeds.x = 0.3
        kinetic = "(x'^2 + y'^2)/2"
        potential = "9.81*y + k/2*(hypot(x, y - H) - L)^2"
        contacts.belt = { gap = "y", slip = "x' - vb", friction = { static = 0.6, sliding = 0.4 } }
        run.until = 3"#;
    let (modes, ways) = graph(text);
    assert_eq!(modes, [mode("belt sticks", 2), mode("belt slides -", 2)]);
    let slip = (0, 1, "contact.belt.slip".to_owned(), 2);
    assert_eq!(ways, [slip, (1, 0, "contact.belt.stick".to_owned(), 1)]);
}

#[test]
fn a_hit_that_changes_no_mode_leads_back() {
    let text = "coordinates.y = 1\nkinetic = \"y'^2/2\"\npotential = \"9.81*y\"\n\
                contacts.floor = { gap = \"y\", restitution = 0.8 }\nrun.until = 2";
    let (modes, ways) = graph(text);
    assert_eq!((modes, ways), (vec![mode("floor open", 1)], vec![(0, 0, "contact.floor.hit".to_owned(), 3)]));
}

#[test]
fn of_many_contacts_only_those_that_are_closed_are_named() {
    let contact = |i: usize| format!("contacts.c{i} = {{ gap = \"y + {i}\" }}\n");
    let contacts: String = (0..5).map(contact).collect();
    let text =
        format!("coordinates.y = 1\nkinetic = \"y'^2/2\"\npotential = \"9.81*y\"\n{contacts}run.until = 1");
    let (modes, _) = graph(&text);
    assert_eq!(modes, [mode("all contacts open", 1), mode("c0 closed, others open", 1)]);
}

#[test]
fn modes_switches_and_sliding_name_modes() {
    let (modes, ways) = graph(
        "states.x = 1\nmodes.down.derivatives.x = -1\nmodes.down.events.low = { guard = \"x < 0\", goto = \"up\" }\n\
         modes.up.derivatives.x = 1\nmodes.up.events.high = { guard = \"x > 1\", goto = \"down\" }\nrun = { until = 3.5, mode = \"down\" }",
    );
    assert_eq!(modes, [mode("down", 2), mode("up", 2)]);
    assert_eq!(ways, [(0, 1, "low".to_owned(), 2), (1, 0, "high".to_owned(), 1)]);
    let relay = "states.x = 1\nswitches.relay = \"x\"\nderivatives.x = \"-relay\"\nrun.until = 2";
    let (modes, ways) = graph(relay);
    assert_eq!(
        (modes, ways),
        (vec![mode("relay +", 1), mode("slides on relay", 1)], vec![(0, 1, "relay".to_owned(), 1)])
    );
}

#[test]
fn a_run_with_one_mode_says_so() {
    let (modes, ways) =
        graph("states.x = 1\nderivatives.x = \"-x\"\nevents.half = { guard = \"x < 0.5\" }\nrun.until = 2");
    assert_eq!((modes, ways), (vec![mode("the only mode", 1)], vec![(0, 0, "half".to_owned(), 1)]));
}
