//! Every deliberately broken model gives messages that name the place and the cure.

mod common;

use common::{files, root, slipstick, transcript};
use std::path::Path;

#[test]
fn broken_models_are_explained() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken");
    // Files of parts stand in folders.
    let is_model = |path: &std::path::PathBuf| path.parent() == Some(folder.as_path());
    let models: Vec<_> = files(&folder, ".toml").into_iter().filter(is_model).collect();
    assert!(models.len() >= 10);
    for model in models {
        let name = model.file_name().unwrap().to_string_lossy().into_owned();
        let text = transcript(&folder, &["check", &name]);
        assert!(text.contains("hint:") && text.ends_with("exit 1"), "{text}");
        insta::assert_snapshot!(name.trim_end_matches(".toml"), text);
    }
}

/// Every code that a message can carry has a section in the troubleshooting page, and every section a code.
#[test]
fn every_code_is_explained() {
    let page = std::fs::read_to_string(root().join("book/src/troubleshooting.md")).unwrap();
    let sections: Vec<&str> = page.lines().filter_map(|l| l.strip_prefix("## ")).collect();
    let used = codes_in_the_source();
    for code in &used {
        assert!(sections.contains(&code.as_str()), "`{code}` is not in troubleshooting.md");
    }
    for section in &sections {
        assert!(used.iter().any(|code| code == section), "no message has the code `{section}`");
    }
}

/// Words in quotes that stand where a code stands.
fn codes_in_the_source() -> Vec<String> {
    let before = [
        "Diagnostic::new(",
        "self.error(",
        "error(",
        "Trouble::new(",
        "code: ",
        "=> ",
        "talk::error(",
        "note(",
        "warning(",
        "{",
    ];
    let mut codes = Vec::new();
    for file in ["slipstick/src", "slipstick-cli/src"]
        .iter()
        .flat_map(|f| files(&root().join("crates").join(f), ".rs"))
    {
        let is_coded = |p: &str| {
            ["model", "simulate", "trajectory/outcome", "trajectory/note", "equations", "slipstick-cli"]
                .iter()
                .any(|r| p.contains(r))
        };
        // What stands before is where the project is, and no place of a message.
        let path = file.strip_prefix(root()).unwrap();
        if !is_coded(&path.to_string_lossy()) {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        for (at, _) in text.match_indices('"') {
            let head = text[..at].trim_end();
            let word: String = text[at + 1..].chars().take_while(|c| *c != '"').collect();
            let kebab = word.len() > 3 && word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
            let known = before.iter().any(|b| head.ends_with(b.trim_end()));
            if kebab
                && known
                && (word.contains('-')
                    || word == "file"
                    || word == "overlap"
                    || word == "interrupted"
                    || word == "accumulation"
                    || word == "failed"
                    || word == "slides"
                    || word == "painleve"
                    || word == "stiff")
            {
                codes.push(word);
            }
        }
    }
    codes.sort();
    codes.dedup();
    codes
}

#[test]
fn a_run_of_a_broken_model_could_not_be_made() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken");
    assert_eq!(slipstick(&folder, &["run", "unknown-name.toml"]).status.code(), Some(2));
    assert_eq!(slipstick(&folder, &["run", "no-such-file.toml"]).status.code(), Some(2));
}

#[test]
fn hostile_files_are_refused_and_not_crashed_on() {
    let folder = tempfile::tempdir().unwrap();
    let deep = format!("states.x = \"{}1\"\nrun.until = 1", "(".repeat(100_000));
    let long = format!("states.x = \"{}\"\nrun.until = 1", "1+".repeat(1_000_000));
    let tables = format!("states{} = 1\nrun.until = 1", ".a".repeat(100_000));
    let arrays = format!("states = {}", "[".repeat(100_000));
    let cases: [&[u8]; 7] = [
        deep.as_bytes(),
        long.as_bytes(),
        tables.as_bytes(),
        arrays.as_bytes(),
        b"\xff\xfe\x00",
        b"states.x = nan\nderivatives.x = inf\nrun.until = 1",
        b"states = { x = 1e999 }\n[[run]]\n",
    ];
    for (k, bytes) in cases.iter().enumerate() {
        std::fs::write(folder.path().join("hostile.toml"), bytes).unwrap();
        let output = slipstick(folder.path(), &["run", "hostile.toml"]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            output.status.code(),
            Some(2),
            "case {k}: {}",
            stderr.chars().take(600).collect::<String>()
        );
        assert!(stderr.contains("error[") && !stderr.contains("panicked"), "case {k}");
    }
}
