//! Every model file that comes with the program checks, runs to its end, and gives the events that are stored for it.

mod common;

use common::{files, root, slipstick};
use std::fmt::Write;

#[test]
fn events_are_as_stored() {
    let models = root().join("models");
    for model in files(&models, ".toml") {
        let name = model.file_stem().unwrap().to_string_lossy().into_owned();
        let output = slipstick(&models, &["events", &format!("{name}.toml"), "--json"]);
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let mut list = String::new();
        for line in String::from_utf8(output.stdout).unwrap().lines() {
            let event: serde_json::Value = serde_json::from_str(line).unwrap();
            // Nine digits: enough to see a change, few enough to hold on other machines.
            writeln!(list, "{:.9} {} {}", event["t"].as_f64().unwrap(), event["names"], event["kinds"])
                .unwrap();
        }
        insta::assert_snapshot!(name, list);
    }
}

/// The models are also the examples that the program writes out.
#[test]
fn every_model_is_an_example() {
    let output = slipstick(&root(), &["examples", "--json"]);
    let text = String::from_utf8(output.stdout).unwrap();
    for model in files(&root().join("models"), ".toml") {
        let name = model.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(text.contains(&format!("\"name\":\"{name}\"")), "{name}");
    }
}

/// Whoever looks for a machine to begin with finds all of them on one page of the book.
#[test]
fn every_model_is_in_the_gallery() {
    let page = std::fs::read_to_string(root().join("book/src/concepts/gallery.md")).unwrap();
    for model in files(&root().join("models"), ".toml") {
        let name = model.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(page.contains(&format!("`{name}`")), "{name}");
    }
}
