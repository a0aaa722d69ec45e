//! The commands: what they print, where they print it, and how they end.

mod common;

use common::{root, slipstick, transcript};

#[test]
fn help_has_examples() {
    let folder = root();
    for (name, arguments) in [
        ("help", vec!["--help"]),
        ("help-run", vec!["run", "--help"]),
        ("help-check", vec!["check", "--help"]),
        ("help-events", vec!["events", "--help"]),
        ("help-view", vec!["view", "--help"]),
        ("help-render", vec!["render", "--help"]),
        ("help-modes", vec!["modes", "--help"]),
        ("help-examples", vec!["examples", "--help"]),
        ("help-explain", vec!["explain", "--help"]),
        ("help-verify", vec!["verify", "--help"]),
        ("help-compare", vec!["compare", "--help"]),
        ("help-bench", vec!["bench", "--help"]),
    ] {
        let text = transcript(&folder, &arguments);
        assert!(text.contains("Example"), "{text}");
        insta::assert_snapshot!(name, text);
    }
}

#[test]
fn run_prints_a_summary_and_writes_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    slipstick(folder.path(), &["examples", "bouncing-ball"]);
    insta::assert_snapshot!("run", transcript(folder.path(), &["run", "bouncing-ball.toml", "--parquet"]));
    let results = folder.path().join("runs/bouncing-ball");
    for name in ["trajectory.csv", "events.csv", "run.json", "report.html", "trajectory.parquet"] {
        assert!(results.join(name).metadata().is_ok_and(|m| m.len() > 100), "{name}");
    }
    let events = std::fs::read_to_string(results.join("events.csv")).unwrap();
    insta::assert_snapshot!("events-csv-header", events.lines().next().unwrap());
}

#[test]
fn trajectory_has_units_and_both_rows_at_an_event() {
    let folder = tempfile::tempdir().unwrap();
    slipstick(folder.path(), &["examples", "bouncing-ball"]);
    slipstick(folder.path(), &["run", "bouncing-ball.toml"]);
    let text = std::fs::read_to_string(folder.path().join("runs/bouncing-ball/trajectory.csv")).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("t [s],y [m],v [m/s]"));
    let rows: Vec<Vec<f64>> = lines.map(|l| l.split(',').map(|x| x.parse().unwrap()).collect()).collect();
    let jumps: Vec<_> = rows.windows(2).filter(|w| w[0][0] == w[1][0]).collect();
    assert_eq!(jumps.len(), 4);
    assert!(jumps.iter().all(|w| w[0][2] < 0.0 && w[1][2] > 0.0));
}

#[test]
fn output_step_gives_rows_at_its_multiples() {
    let folder = tempfile::tempdir().unwrap();
    slipstick(folder.path(), &["examples", "van-der-pol"]);
    slipstick(folder.path(), &["run", "van-der-pol.toml"]);
    let text = std::fs::read_to_string(folder.path().join("runs/van-der-pol/trajectory.csv")).unwrap();
    assert_eq!(text.lines().count(), 1 + 201);
    let times: Vec<f64> =
        text.lines().skip(1).map(|l| l.split(',').next().unwrap().parse().unwrap()).collect();
    assert!(times.iter().zip(0..).all(|(t, k)| (t - f64::from(k) * 0.1).abs() < 1e-12));
}

#[test]
fn json_of_a_run_is_one_object() {
    let folder = tempfile::tempdir().unwrap();
    slipstick(folder.path(), &["examples", "bouncing-ball"]);
    let output = slipstick(folder.path(), &["run", "bouncing-ball.toml", "--json"]);
    let mut json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    json["wall_s"] = serde_json::Value::Null;
    for field in ["drift", "drift_t"] {
        json["audit"][0][field] = serde_json::Value::Null;
    }
    insta::assert_snapshot!("run-json", serde_json::to_string_pretty(&json).unwrap());
}

#[test]
fn early_stops_and_failures_say_so_and_keep_the_results() {
    let folder = tempfile::tempdir().unwrap();
    slipstick(folder.path(), &["examples", "bouncing-ball"]);
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("root.toml", "states.x = 1\nderivatives.x = \"-sqrt(x) - 0.5\"\nrun.until = 5");
    write("pole.toml", "states.x = 1\nderivatives.x = \"x^2\"\nrun.until = 5");
    write(
        "chatter.toml",
        "states = { x = 1, a = 1 }\nmass.a = 0\nswitches.over = \"a - 0.5\"\n\
         derivatives = { x = \"-over\", a = \"x - a\" }\nrun.until = 2",
    );
    write(
        "drift.toml",
        "states = { x = 1, v = 0 }\nderivatives = { x = \"v\", v = \"-x\" }\n\
         audit.energy = { formula = \"x^2 + v^2\", tolerance = 1e-15 }\nrun.until = 5",
    );
    let cases: [(&str, &[&str], &str); 8] = [
        ("stop-accumulation", &["run", "bouncing-ball.toml", "--set", "e=0.5"], "exit 1"),
        ("stop-event-limit", &["run", "bouncing-ball.toml", "--max-events", "2"], "exit 1"),
        ("stop-step-limit", &["run", "bouncing-ball.toml", "--max-steps", "3"], "exit 1"),
        ("stop-chatter", &["run", "chatter.toml"], "exit 1"),
        ("stop-audit", &["run", "drift.toml"], "exit 1"),
        ("fail-not-finite", &["run", "root.toml"], "exit 2"),
        ("fail-pole", &["run", "pole.toml"], "exit 2"),
        ("fail-refused", &["run", "bouncing-ball.toml", "--until", "-1"], "exit 2"),
    ];
    for (name, arguments, end) in cases {
        let text = transcript(folder.path(), arguments);
        assert!(text.ends_with(end) && text.contains("hint:"), "{text}");
        insta::assert_snapshot!(name, text);
    }
    assert!(folder.path().join("runs/root/trajectory.csv").exists());
}

#[test]
fn examples_are_listed_and_written_once() {
    let folder = tempfile::tempdir().unwrap();
    insta::assert_snapshot!("examples", transcript(folder.path(), &["examples"]));
    insta::assert_snapshot!("examples-write", transcript(folder.path(), &["examples", "thermostat"]));
    insta::assert_snapshot!("examples-twice", transcript(folder.path(), &["examples", "thermostat"]));
    insta::assert_snapshot!("examples-unknown", transcript(folder.path(), &["examples", "thermostats"]));
}

#[test]
fn explain_knows_codes() {
    insta::assert_snapshot!("explain", transcript(&root(), &["explain", "unreachable-mode"]));
    insta::assert_snapshot!("explain-unknown", transcript(&root(), &["explain", "unreachable-mod"]));
}

#[test]
fn bench_rows_have_the_promised_fields() {
    insta::assert_snapshot!("bench-list", transcript(&root(), &["bench", "--list"]));
    let output = slipstick(&root(), &["bench", "smooth", "--json"]);
    assert!(output.status.success());
    let fields = [
        "suite",
        "problem",
        "method",
        "formulation",
        "tolerance",
        "ok",
        "events_found",
        "events_expected",
        "err_time",
        "err_event_state",
        "err_end",
        "drift_position",
        "drift_velocity",
        "energy_error",
        "n_rhs",
        "n_guard",
        "n_jacobian",
        "n_factor",
        "n_accepted",
        "n_rejected",
        "n_accepted_sliding",
        "n_rejected_sliding",
        "wall_s",
        "note",
    ];
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.lines().count() >= 16);
    for line in text.lines() {
        let row: serde_json::Map<String, serde_json::Value> = serde_json::from_str(line).unwrap();
        assert_eq!(row.keys().map(String::as_str).collect::<Vec<_>>(), fields);
        assert_eq!(row["ok"], true, "{line}");
    }
}

const PENDULUM: &str = "title = \"A <pendulum>\"\ncoordinates = { x = 1, y = 0 }\nkinetic = \"(x'^2 + y'^2)/2\"\n\
                        potential = \"9.81*y\"\nconstraints.rod = \"x^2 + y^2 - 1\"\nrun.until = 2\n";

#[test]
fn compare_prints_rows_and_profiles_and_writes_a_page() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("swing.toml"), PENDULUM).unwrap();
    let arguments =
        ["compare", "swing.toml", "--methods", "hem5,mdop5,dopri5+none", "--tolerances", "1e-4,1e-6"];
    insta::assert_snapshot!("compare-model", transcript(folder.path(), &arguments));
    let page = std::fs::read_to_string(folder.path().join("runs/compare-swing/compare.html")).unwrap();
    assert!(page.contains("A &lt;pendulum&gt;") && !page.contains("<pendulum>"));
    assert!(!page.contains("http://") && !page.contains("<script"), "no address from outside, no script");
    assert_eq!(page.matches("<circle").count(), 6, "a dot for each run");
    let arguments = ["compare", "mechanisms", "--only", "four-bar-", "--tolerances", "1e-4,1e-6"];
    insta::assert_snapshot!("compare-suite", transcript(folder.path(), &arguments));
}

#[test]
fn compare_as_json_has_runs_and_curves() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("swing.toml"), PENDULUM).unwrap();
    let objects = |arguments: &[&str]| -> Vec<serde_json::Value> {
        let output = slipstick(folder.path(), arguments);
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().map(|line| serde_json::from_str(line).expect("an object on each line")).collect()
    };
    let lines = objects(&["compare", "swing.toml", "--tolerances", "1e-4,1e-6", "--json"]);
    assert_eq!((lines.len(), &lines[0]["kind"]), (7, &serde_json::json!("reference")));
    assert!(lines[0]["apart"].as_f64().unwrap() < 1e-7);
    let fields: Vec<&str> = lines[1].as_object().unwrap().keys().map(String::as_str).collect();
    insta::assert_snapshot!("compare-json-fields", fields.join("\n"));
    let lines = objects(&["compare", "mechanisms", "--only", "watt", "--tolerances", "1e-4", "--json"]);
    let curves: Vec<_> = lines.iter().filter(|line| line["kind"] == "profile").collect();
    assert_eq!((lines.len(), curves.len()), (5 * 3 + 2 * 3, 6));
    for curve in curves {
        let rises = curve["rises"].as_array().unwrap();
        assert_eq!(
            rises.last().map_or(0.0, |rise| rise[1].as_f64().unwrap()),
            curve["solved"].as_f64().unwrap()
        );
    }
}

#[test]
fn compare_says_what_is_wrong_with_its_arguments() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("swing.toml"), PENDULUM).unwrap();
    std::fs::write(folder.path().join("pole.toml"), "states.x = 1\nderivatives.x = \"x^2\"\nrun.until = 5")
        .unwrap();
    let cases: [(&str, &[&str]); 13] = [
        ("run-entrant", &["run", "swing.toml", "--method", "mdop5"]),
        ("run-entrant-ggl", &["run", "swing.toml", "--method", "radau5+ggl"]),
        ("run-method-of-mechanisms", &["run", "pole.toml", "--method", "hem5"]),
        ("compare-no-suite", &["compare", "mechanism"]),
        ("compare-no-method", &["compare", "swing.toml", "--methods", "hem5,hem6"]),
        ("compare-no-stabilisation", &["compare", "swing.toml", "--methods", "dopri5+projct"]),
        ("compare-stabilisation-of-another", &["compare", "swing.toml", "--methods", "hem5,hem5+ggl"]),
        ("compare-empty-method", &["compare", "swing.toml", "--methods", "hem5,"]),
        ("compare-negative-drift", &["compare", "swing.toml", "--drift=-1"]),
        ("compare-no-estimate", &["compare", "swing.toml", "--methods", "rk4"]),
        ("compare-bad-tolerance", &["compare", "swing.toml", "--tolerances", "1e-4,0"]),
        ("compare-no-problem", &["compare", "mechanisms", "--only", "wat-1"]),
        ("compare-no-reference", &["compare", "pole.toml"]),
    ];
    for (name, arguments) in cases {
        let text = transcript(folder.path(), arguments);
        assert!(text.ends_with("exit 2"), "{text}");
        insta::assert_snapshot!(name, text);
    }
}

#[test]
fn verify_says_what_can_be_trusted() {
    let folder = tempfile::tempdir().unwrap();
    slipstick(folder.path(), &["examples", "bouncing-ball"]);
    let graze = "states = { x = 0, v = 1 }\nderivatives = { x = \"v\", v = \"-x\" }\n\
                 events.high.guard = \"x > 0.9999999999\"\nrun = { until = 6, rtol = 1e-7 }\n";
    std::fs::write(folder.path().join("graze.toml"), graze).unwrap();
    insta::assert_snapshot!("verify", transcript(folder.path(), &["verify", "bouncing-ball.toml"]));
    let text = transcript(folder.path(), &["verify", "graze.toml"]);
    assert!(text.contains("not robust   `high` at t = 1.5707") && text.contains("it grazes"), "{text}");
    assert!(text.ends_with("exit 1"), "{text}");
    let output = slipstick(folder.path(), &["verify", "graze.toml", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&json["ok"], &json["fragile"]["cause"]), (&false.into(), &"graze".into()));
    let fields: Vec<&str> = json.as_object().unwrap().keys().map(String::as_str).collect();
    insta::assert_snapshot!("verify-json-fields", fields.join("\n"));
    insta::assert_snapshot!(
        "verify-unknown",
        transcript(folder.path(), &["verify", "bouncing-ball.toml", "--set", "f=1"])
    );
}

#[test]
fn drawn_models_are_judged_as_json() {
    let arguments = ["bench", "metamorphic", "--kind", "smooth", "--seed", "3", "--count", "2", "--json"];
    let output = slipstick(&root(), &arguments);
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 2);
    let fields = [
        "suite",
        "seed",
        "kind",
        "verdict",
        "events",
        "variants",
        "differences",
        "explained",
        "failure",
        "wall_s",
        "model",
    ];
    for (line, seed) in text.lines().zip(3..) {
        let row: serde_json::Map<String, serde_json::Value> = serde_json::from_str(line).unwrap();
        assert_eq!(row.keys().map(String::as_str).collect::<Vec<_>>(), fields);
        assert_eq!((&row["verdict"], &row["seed"]), (&"same".into(), &seed.into()), "{line}");
    }
    insta::assert_snapshot!(
        "bench-unknown-kind",
        transcript(&root(), &["bench", "metamorphic", "--kind", "smoth"])
    );
}

#[test]
fn no_colour_reaches_a_pipe() {
    let output = slipstick(&root(), &["check", "no-such.toml"]);
    assert!(!String::from_utf8_lossy(&output.stderr).contains('\u{1b}'));
}

#[test]
fn the_fingerprint_finds_what_has_changed() {
    let folder = tempfile::tempdir().unwrap();
    let stored = std::fs::read_to_string(root().join("crates/slipstick-cli/fingerprint.jsonl")).unwrap();
    let against = |text: &str| {
        std::fs::write(folder.path().join("old.jsonl"), text).unwrap();
        slipstick(folder.path(), &["bench", "fingerprint", "--against", "old.jsonl", "--only", "harmonic"])
    };
    let same = against(&stored);
    assert!(same.status.success(), "{}", String::from_utf8_lossy(&same.stdout));
    let first = stored.lines().next().unwrap();
    assert!(first.contains("\"rhs\":1502"), "{first}");
    let fewer = against(&stored.replacen("\"rhs\":1502", "\"rhs\":1400", 1));
    assert_eq!(fewer.status.code(), Some(1));
    let text = String::from_utf8(fewer.stdout).unwrap();
    assert_eq!(text, "smooth harmonic-oscillator auto ode 1e-6: rhs: 1400 -> 1502 (+7.3 %)\n");
}

#[test]
fn warnings_come_first_and_strict_makes_them_matter() {
    let folder = tempfile::tempdir().unwrap();
    let model = "states.x = 0\nderivatives.x = \"sign(x)\"\nrun.until = 1\n";
    std::fs::write(folder.path().join("either.toml"), model).unwrap();
    let plain = slipstick(folder.path(), &["run", "either.toml", "--json"]);
    assert!(plain.status.success(), "{}", String::from_utf8_lossy(&plain.stderr));
    let json: serde_json::Value = serde_json::from_slice(&plain.stdout).unwrap();
    assert_eq!(json["warnings"][0]["code"], "not-unique");
    assert_eq!(json["notes"].as_array().map(Vec::len), Some(0));
    let stderr = String::from_utf8(plain.stderr).unwrap();
    assert!(stderr.starts_with("warning[not-unique]"), "{stderr}");
    let strict = slipstick(folder.path(), &["run", "either.toml", "--strict"]);
    assert_eq!(strict.status.code(), Some(1));
    let events = slipstick(folder.path(), &["events", "either.toml", "--strict"]);
    assert_eq!(events.status.code(), Some(1));
    let page = std::fs::read_to_string(folder.path().join("runs/either/report.html")).unwrap();
    assert!(page.contains("\"warnings\":[{"), "the report has the warning");
}
