//! Machines of parts move in the same way whether bodies have three coordinates each or those of their joints.

use slipstick::model::Model;
use slipstick::simulate::{Overrides, Plan, simulate};
use std::collections::BTreeMap;

const ANDREWS: &str = include_str!("../../../models/andrews.toml");

fn plan(text: &str) -> Plan {
    let model = Model::from_toml(text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    Plan::new(&model, &Overrides::default()).unwrap_or_else(|errors| panic!("{errors:?}"))
}

#[test]
fn t() {
    for name in std::fs::read_dir("../../models").unwrap() {
        let path = name.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        if !text.contains("[bodies") { continue; }
        for joint in [false, true] {
            let text = if joint { text.replace("[run]", "[run]\ncoordinates = \"joint\"") } else { text.clone() };
            let model = match Model::from_toml(&text) { Ok(m) => m, Err(e) => { println!("{path:?} {:?}", e.iter().map(|e| e.message.clone()).collect::<Vec<_>>()); continue } };
            let plan = match Plan::new(&model, &Overrides::default()) { Ok(m) => m, Err(e) => { println!("{path:?} plan {:?}", e[0]); continue } };
            let t0 = std::time::Instant::now();
            let run = simulate(&plan.system, &plan.start, &plan.options);
            match run {
                Ok(run) => println!("{:<28} joint {joint} n={} events {} end {:.6} steps {:?} {:?} notes {}", path.file_name().unwrap().to_str().unwrap(), model.mechanism.coordinates, run.events.len(), run.end_time(), run.end_state().len(), t0.elapsed(), run.notes.len()),
                Err(f) => println!("{path:?} joint {joint} FAIL {}", f.error),
            }
        }
    }
}
