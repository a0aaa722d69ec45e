//! Limits cover the reading of a model, signals to end keep what was computed, and no name or line is too long.

mod common;

use common::slipstick;
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const LONG: &str = "states = { x = 1, v = 0 }\nderivatives = { x = \"v\", v = \"-x\" }\n\
                    run = { until = 1e9, max_steps = 1000000000, rtol = 1e-12 }\n";

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).unwrap();
}

/// Sends a signal to a run and gives the code of its outcome; none if nothing was written.
#[cfg(unix)]
fn outcome_after(signal: &str) -> (Option<i32>, Option<String>) {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "long.toml", LONG);
    let mut run = Command::new(env!("CARGO_BIN_EXE_slipstick"))
        .args(["run", "long.toml", "--out", "results"])
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // The folder is made before the run, and the handler before that.
    while !folder.path().join("results").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(50));
    let sent = Command::new("kill").args([&format!("-{signal}"), &run.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let code = run.wait().unwrap().code();
    let json = std::fs::read_to_string(folder.path().join("results/run.json")).ok();
    let outcome = json.and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
    (code, outcome.and_then(|json| json["outcome"]["code"].as_str().map(str::to_owned)))
}

#[cfg(unix)]
#[test]
fn signals_to_end_keep_what_was_computed() {
    for signal in ["INT", "TERM", "HUP"] {
        assert_eq!(outcome_after(signal), (Some(1), Some("interrupted".to_owned())), "{signal}");
    }
}

#[test]
fn the_limit_on_real_time_covers_reading_and_compiling() {
    let folder = tempfile::tempdir().unwrap();
    let outputs = (0..20_000).fold(String::new(), |mut text, i| {
        let _ = writeln!(text, "o{i} = \"x * {i}\"");
        text
    });
    write(
        folder.path(),
        "large.toml",
        &format!("states.x = 1\nderivatives.x = 0\nrun.until = 1\n[outputs]\n{outputs}"),
    );
    for command in ["run", "events", "compare"] {
        let output = slipstick(folder.path(), &[command, "large.toml", "--max-wall", "1e-6"]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(
            stderr.contains("warning[wall-limit]") && stderr.contains("before the model was read"),
            "{stderr}"
        );
    }
    assert!(!folder.path().join("runs").exists());
}

#[test]
fn errors_in_a_long_line_are_shown_with_what_is_near() {
    let folder = tempfile::tempdir().unwrap();
    let outputs: Vec<String> = (0..2000).map(|i| format!("o{i} = \"é + y{i}\"")).collect();
    let text =
        format!("states.x = 1\nderivatives.x = 0\nrun.until = 1\noutputs = {{ {} }}\n", outputs.join(", "));
    write(folder.path(), "line.toml", &text);
    let output = slipstick(folder.path(), &["check", "line.toml", "--json"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    let column = text.lines().nth(3).unwrap().split("y1999").next().unwrap().chars().count() + 1;
    assert!(stderr.contains(&format!("--> line.toml:4:{column}")), "{}", &stderr[stderr.len() - 2000..]);
    assert!(stderr.contains("unknown name `y1999`"));
    assert!(stderr.len() < 2000 * 2 * 1000, "{} bytes for 4000 errors", stderr.len());
    let list: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let last = list["errors"].as_array().unwrap().last().unwrap();
    assert_eq!((last["line"].as_u64(), last["column"].as_u64()), (Some(4), Some(column as u64)));
}

#[test]
fn names_of_any_length_are_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    // A formula may have 2^20 bytes, and so may a name.
    let [long, longer, too_long] = [200_000, 500_000, 1_000_000].map(|n| "ab".repeat(n));
    let cases = [
        (longer.as_str(), "0", Some(0)),
        (longer.as_str(), "NAME + 1", Some(0)),
        (longer.as_str(), "NAME + NAME", Some(1)),
        (too_long.as_str(), "0", Some(1)),
        (long.as_str(), "abs(NAME) + sign(NAME - 1)", Some(0)),
        ("ab", "NAMEx", Some(1)),
        ("\"\"", "0", Some(1)),
        ("\"\\u0000\"", "0", Some(1)),
        ("\"φ ψ\"", "0", Some(1)),
        ("\"é́́\"", "0", Some(1)),
    ];
    for (k, (name, formula, code)) in cases.into_iter().enumerate() {
        let formula = formula.replace("NAME", name);
        let text = format!(
            "states.{name} = 1\nderivatives.{name} = '{formula}'\nrun.until = 1\nunits.{name} = \"m\"\n"
        );
        write(folder.path(), "name.toml", &text);
        let output = slipstick(folder.path(), &["check", "name.toml"]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), code, "case {k}: {}", stderr.chars().take(400).collect::<String>());
        assert!(!stderr.contains("panicked"), "case {k}");
    }
    write(
        folder.path(),
        "event.toml",
        &format!(
            "states.x = 1\nderivatives.x = 0\nrun.until = 1\nevents.{long} = {{ guard = \"x > 2 and x < {long}\", goto = \"{long}\" }}\n"
        ),
    );
    assert_eq!(slipstick(folder.path(), &["check", "event.toml"]).status.code(), Some(1));
}

/// A column is not wider than a number of characters can say.
#[test]
fn runs_with_names_of_any_length_are_summed_up() {
    let folder = tempfile::tempdir().unwrap();
    for length in [1, 60, 61, 65_535, 65_536, 300_000] {
        let name = "a".repeat(length);
        let text = format!(
            "title = \"{name}\"\nstates.{name} = 1\nderivatives.{name} = \"-sign({name})\"\n\
             events.{name}_e = {{ guard = \"{name} < 0.5\", goto = \"{name}_m\" }}\nmodes.first = {{}}\n\
             modes.{name}_m = {{}}\naudit.{name}_q = {{ formula = \"{name}\", tolerance = 10 }}\nrun.until = 2\n"
        );
        write(folder.path(), "name.toml", &text);
        for command in ["run", "events"] {
            let output = slipstick(folder.path(), &[command, "name.toml"]);
            let stderr: String = String::from_utf8_lossy(&output.stderr).chars().take(400).collect();
            assert_eq!(output.status.code(), Some(0), "{command}, {length} characters: {stderr}");
            assert!(String::from_utf8_lossy(&output.stdout).contains(&format!("{name}_e")));
        }
    }
}

/// The memory that a check takes grows with the file, not with its square: 2e4 states with their neighbours take some 80 MB, and a table of all pairs
/// would take 400 MB with one byte for each.
#[cfg(target_os = "linux")]
#[test]
fn a_check_takes_memory_in_proportion() {
    const STATES: usize = 20_000;
    /// In KiB, of address space, the program itself included.
    const MOST: usize = 300_000;
    let folder = tempfile::tempdir().unwrap();
    let (mut states, mut derivatives) = (String::new(), String::new());
    for i in 0..STATES {
        let next = (i + 1) % STATES;
        let _ = writeln!(states, "s{i} = {i}");
        let _ = writeln!(derivatives, "s{i} = \"abs(s{next}) - s{i}\"");
    }
    let text = format!("[states]\n{states}[derivatives]\n{derivatives}[run]\nuntil = 1\n");
    write(folder.path(), "states.toml", &text);
    let output = Command::new("sh")
        .args(["-c", &format!("ulimit -v {MOST}; exec \"$0\" check states.toml")])
        .arg(env!("CARGO_BIN_EXE_slipstick"))
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}
