//! What the tests of the program share.
#![allow(dead_code)] // each test uses a part of it

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs the program in a folder.
pub(crate) fn slipstick(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_slipstick"))
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .output()
        .expect("the program starts")
}

/// Exit code, stdout and stderr in one text, for snapshots.
pub(crate) fn transcript(folder: &Path, arguments: &[&str]) -> String {
    let output = slipstick(folder, arguments);
    let text = |bytes: &[u8]| without_rounding(String::from_utf8_lossy(bytes).trim_end());
    let mut parts = vec![format!("$ slipstick {}", arguments.join(" "))];
    for (label, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
        if !bytes.is_empty() {
            parts.push(format!("--- {label}\n{}", text(bytes)));
        }
    }
    parts.push(format!("--- exit {}", output.status.code().unwrap_or(-1)));
    parts.join("\n")
}

/// Numbers that are mere rounding, and the moments at which they were largest, differ between machines.
fn without_rounding(text: &str) -> String {
    let word = |word: &str| {
        let number = word.trim_matches(|c: char| !c.is_ascii_digit()).parse::<f64>().ok();
        let rounding = number.is_some_and(|x| x != 0.0 && x.abs() < 1e-9 && word.contains("e-"));
        // Real time, such as `0.012s`.
        let is_time = number.is_some() && word.ends_with('s') && word.contains('.');
        match (rounding, is_time) {
            (true, _) => "(rounding)".to_owned(),
            (_, true) => "(time)".to_owned(),
            _ => word.to_owned(),
        }
    };
    let line = |line: &str| {
        let line: Vec<String> = line.split(' ').map(word).collect();
        let line = line.join(" ");
        match (line.find("(rounding) at most (t = "), line.find("), jumps")) {
            (Some(from), Some(to)) => format!("{}(rounding) at most{}", &line[..from], &line[to + 1..]),
            (Some(from), None) => {
                let rest = line[from..].find(");").map_or("", |at| &line[from + at + 1..]);
                format!("{}(rounding) at most{rest}", &line[..from])
            }
            _ => line,
        }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// All files below a folder with the given ending, in order.
pub(crate) fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).expect("the folder can be read").flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.to_string_lossy().ends_with(ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
