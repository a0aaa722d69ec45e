//! Discrete variables are columns, stand beside the states at events, and keep every bit.

mod common;

use common::slipstick;

const CLIMB: &str = r#"
states = { x = 0 }
discrete = { level = 0.1, hits = 0 }
derivatives = { x = 1 }
outputs = { left = "level - x" }
events.hit = { guard = "x > level", reset = { level = "level + 1", hits = "hits + 1" } }
run.until = 2.5
"#;

#[test]
fn they_are_columns_and_stand_at_events_and_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("climb.toml"), CLIMB).unwrap();
    let output = slipstick(folder.path(), &["run", "climb.toml", "--out", "results"]);
    assert!(output.status.success(), "{output:?}");
    let read = |name: &str| std::fs::read_to_string(folder.path().join("results").join(name)).unwrap();
    let table = read("trajectory.csv");
    assert_eq!(table.lines().next(), Some("t,x,level,hits,left"));
    let column = |k: usize| table.lines().skip(1).map(move |row| row.split(',').nth(k).unwrap());
    let mut levels: Vec<&str> = column(2).collect();
    levels.dedup();
    assert_eq!(levels, ["0.1", "1.1", "2.1", "3.1"]);
    let events = read("events.csv");
    assert!(
        events
            .lines()
            .next()
            .unwrap()
            .ends_with("x before,x after,level before,level after,hits before,hits after")
    );
    assert!(events.lines().nth(2).unwrap().ends_with(",1.1,2.1,1,2"), "{events}");
    let run: serde_json::Value = serde_json::from_str(&read("run.json")).unwrap();
    assert_eq!((run["end"]["level"].as_f64(), run["end"]["hits"].as_f64()), (Some(3.1), Some(3.0)));
    let list = slipstick(folder.path(), &["events", "climb.toml"]);
    assert!(String::from_utf8_lossy(&list.stdout).contains("hits: 2.000000 -> 3.000000"), "{list:?}");
}
