//! A run with contacts says what happened to them: in the log, in the summary, in run.json and in the report.
//! What has no contacts has none of it.

mod common;

use common::{slipstick, transcript};
use serde_json::Value;
use std::path::Path;

/// It falls onto a belt, bounces, and is taken along.
const BELT: &str = r#"
title = "A parcel on a belt"
coordinates = { x = 0, y = 0.5 }
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y"
contacts.belt = { gap = "y", slip = "x' - 2", friction = 0.3, restitution = 0.2 }
run.until = 2
"#;

const PLAIN: &str =
    "states.x = 1\nderivatives.x = \"-x\"\nevents.half = { guard = \"x < 0.5\" }\nrun.until = 2\n";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in [("belt.toml", BELT), ("plain.toml", PLAIN)] {
        std::fs::write(folder.path().join(name), text).expect("a file");
    }
    folder
}

fn json(folder: &Path, arguments: &[&str]) -> Vec<Value> {
    let output = slipstick(folder, arguments);
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines().map(|line| serde_json::from_str(line).expect("an object")).collect()
}

/// The data of a report.
fn data(folder: &Path, name: &str) -> (Value, String) {
    let page = std::fs::read_to_string(folder.join("runs").join(name).join("report.html")).expect("a page");
    let data = page.split("id=\"data\">").nth(1).and_then(|rest| rest.split("</script>").next());
    (serde_json::from_str(data.expect("data")).expect("an object"), page)
}

#[test]
fn impacts_are_in_the_log() {
    let folder = folder();
    let events = json(folder.path(), &["events", "belt.toml", "--json"]);
    let impact = &events[0]["impacts"][0];
    let hit = &impact["contacts"][0];
    assert_eq!(
        (impact["law"].as_str(), impact["passes"].as_u64(), hit["name"].as_str()),
        (Some("moreau"), Some(1), Some("belt"))
    );
    let number = |value: &Value| value.as_f64().expect("a number");
    assert!((number(&hit["gap_velocity_after"]) + 0.2 * number(&hit["gap_velocity_before"])).abs() < 1e-12);
    assert!((number(&hit["impulse_t"]) - 0.3 * number(&hit["impulse_n"])).abs() < 1e-12);
    assert!(
        (number(&hit["slip_after"]) - number(&hit["slip_before"]) - number(&hit["impulse_t"])).abs() < 1e-12
    );
    assert!(number(&impact["energy_lost"]) > 0.0 && impact["joints"].as_array().is_some_and(Vec::is_empty));
    let first = String::from_utf8(slipstick(folder.path(), &["events", "belt.toml"]).stdout).expect("text");
    assert!(first.lines().next().is_some_and(|line| line.contains("impulse of `belt` 3.758")), "{first}");
    assert!(
        first.contains("belt: open -> slides -") && first.contains("belt: slides - -> sticks"),
        "{first}"
    );
    assert_eq!(json(folder.path(), &["events", "plain.toml", "--json"])[0].get("impacts"), None);
}

#[test]
fn the_audit_is_in_summary_json_and_tables() {
    let folder = folder();
    let text = String::from_utf8(slipstick(folder.path(), &["run", "belt.toml"]).stdout).expect("text");
    let line = text.lines().find(|line| line.starts_with("  contacts")).expect("a line");
    for part in ["penetrate by", "pull by", "lost by friction", "in impacts", "4 put in by moving surfaces"] {
        assert!(line.contains(part), "{part}: {line}");
    }
    let read =
        |name: &str| std::fs::read_to_string(folder.path().join("runs/belt").join(name)).expect("a file");
    let run: Value = serde_json::from_str(&read("run.json")).expect("an object");
    let energy = &run["contacts"]["energy"];
    let number = |value: &Value| value.as_f64().expect("a number");
    assert!(
        (number(&energy["surfaces"]) - 4.0).abs() < 1e-6 && number(&energy["error"]).abs() < 1e-6,
        "{energy}"
    );
    assert!(number(&run["contacts"]["penetration"]["relative"]) < 1e-12);
    assert!(number(&run["end"]["contact.belt.total.n"]) > 3.7);
    let events = read("events.csv");
    assert!(
        events.lines().next().is_some_and(|head| head.ends_with("contact.belt.total.t after,energy_lost"))
    );
    let lost = events
        .lines()
        .nth(1)
        .and_then(|row| row.rsplit(',').next())
        .and_then(|cell| cell.parse::<f64>().ok());
    assert!(lost.is_some_and(|lost| lost > 1.0), "{events}");
}

#[test]
fn the_report_shows_contacts_and_the_modes_reached() {
    let folder = folder();
    slipstick(folder.path(), &["run", "belt.toml"]);
    let (data, page) = data(folder.path(), "belt");
    let contacts = &data["contacts"];
    let does: Vec<&str> = contacts["contacts"][0]["spans"]
        .as_array()
        .map(|spans| spans.iter().filter_map(|span| span["does"].as_str()).collect())
        .expect("spans");
    assert_eq!(does, ["open", "slides -", "sticks"]);
    let count = |key: &str| contacts[key].as_array().map(Vec::len);
    assert_eq!(count("hits"), count("losses"), "one contact is hit in each impact: {contacts}");
    assert_eq!((count("audit"), count("balance")), (Some(2), Some(7)));
    assert_eq!(contacts["graph"]["modes"][2]["name"], "belt sticks");
    assert!(
        page.contains("S.contactSections =")
            && page.contains("S.modeGraphSection =")
            && page.contains(".mode-graph")
    );
    assert!(!page.contains("http://") && !page.contains("https://"), "no address from outside");
}

#[test]
fn what_has_no_contacts_shows_nothing_of_them() {
    let folder = folder();
    let text = String::from_utf8(slipstick(folder.path(), &["run", "plain.toml"]).stdout).expect("text");
    assert!(!text.contains("contacts"), "{text}");
    let (data, page) = data(folder.path(), "plain");
    assert_eq!((data.get("contacts"), data["events"][0].get("words")), (None, None));
    assert!(!page.contains("S.contactSections =") && !page.contains(".mode-graph"));
    let results = folder.path().join("runs/plain");
    let run = std::fs::read_to_string(results.join("run.json")).expect("a file");
    assert_eq!(serde_json::from_str::<Value>(&run).expect("an object").get("contacts"), None);
    let events = std::fs::read_to_string(results.join("events.csv")).expect("a file");
    assert!(!events.contains("energy_lost"));
}

#[test]
fn modes_are_printed_with_the_events_between_them() {
    let folder = folder();
    insta::assert_snapshot!("modes", transcript(folder.path(), &["modes", "belt.toml"]));
    let graph = &json(folder.path(), &["modes", "belt.toml", "--json"])[0];
    let edges = graph["edges"].as_array().expect("edges");
    assert_eq!(
        (&edges[0]["from"], &edges[0]["to"], &edges[0]["event"]),
        (&1.into(), &1.into(), &"contact.belt.hit".into())
    );
    assert_eq!(graph["modes"][0]["name"], "belt open");
}
