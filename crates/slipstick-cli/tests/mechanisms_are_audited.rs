//! A run of a mechanism says how far its joints were open and what became of its energy: in the summary, in run.json and in the report.

mod common;

use common::slipstick;

const SWING: &str = r#"
title = "A damped pendulum"
coordinates = { x = 1, y = 0 }
kinetic = "x'^2 + y'^2"
potential = "2 * 9.81 * y"
forces = { x = "-0.1 * x'", y = "-0.1 * y'" }
constraints.rod = "x^2 + y^2 - 1"
run = { until = 5, rtol = 1e-9 }
"#;

#[test]
fn joints_and_energy_are_in_summary_json_and_report() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("swing.toml"), SWING).expect("a file");
    let output = slipstick(folder.path(), &["run", "swing.toml"]);
    let text = String::from_utf8_lossy(&output.stdout);
    for part in ["joints", "and accelerations", "corrected by", "energy", "dissipated; the sum is off by"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let read =
        |name: &str| std::fs::read_to_string(folder.path().join("runs/swing").join(name)).expect("a result");
    let run: serde_json::Value = serde_json::from_str(&read("run.json")).expect("an object");
    assert_eq!(run["joints"]["acceleration"]["name"], "rod");
    assert!(run["joints"]["adjustment"]["size"].as_f64().is_some_and(|size| size > 0.0 && size < 1e-6));
    let number = |key: &str| run["energy"][key].as_f64().expect("a number");
    let end = run["energy"]["end"]["kinetic"].as_f64().zip(run["energy"]["end"]["potential"].as_f64());
    let end = end.map(|(kinetic, potential)| kinetic + potential).expect("two numbers");
    assert!((end + number("dissipated") - number("work_in")).abs() < 1e-7, "{}", run["energy"]);
    assert!(number("error") < 1e-7 && number("error_t") <= 5.0);
    assert!(read("report.html").contains("error of the energy"));
}
