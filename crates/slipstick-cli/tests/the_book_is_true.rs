//! Every complete model in the README and the book runs; every broken one gives the error that it is said to give.

mod common;

use common::{files, root, slipstick};
use std::path::Path;

/// The fenced blocks of a page: what stands after the backticks, and the text.
fn blocks(page: &str) -> Vec<(String, String)> {
    let mut list: Vec<(String, String)> = Vec::new();
    let mut open = false;
    for line in page.lines() {
        match (open, line.trim_start().strip_prefix("```")) {
            (false, Some(label)) => {
                list.push((label.trim().to_owned(), String::new()));
                open = true;
            }
            (true, Some(_)) => open = false,
            (true, None) => {
                if let Some(last) = list.last_mut() {
                    last.1 += line;
                    last.1.push('\n');
                }
            }
            (false, None) => {}
        }
    }
    list
}

fn check_block(page: &Path, label: &str, text: &str, folder: &Path) {
    let place = format!("{}:\n{text}", page.file_name().unwrap().to_string_lossy());
    std::fs::write(folder.join("model.toml"), text).unwrap();
    if label == "toml model" {
        let output = slipstick(folder, &["run", "model.toml", "--max-wall", "20"]);
        assert!(output.status.success(), "{place}\n{}", String::from_utf8_lossy(&output.stderr));
    } else if let Some(code) = label.strip_prefix("toml broken ") {
        let output = slipstick(folder, &["run", "model.toml", "--max-wall", "20"]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains(&format!("[{code}]")), "{place}\nshould give `{code}`:\n{stderr}");
    }
}

#[test]
fn models_in_the_book_do_what_the_book_says() {
    let folder = tempfile::tempdir().unwrap();
    let mut pages = files(&root().join("book/src"), ".md");
    pages.push(root().join("README.md"));
    let mut count = 0;
    for page in pages {
        for (label, text) in blocks(&std::fs::read_to_string(&page).unwrap()) {
            count += usize::from(label == "toml model" || label.starts_with("toml broken"));
            check_block(&page, &label, &text, folder.path());
        }
    }
    assert!(count > 20, "only {count} models found");
}

#[test]
fn links_between_pages_lead_somewhere() {
    for page in files(&root().join("book/src"), ".md") {
        let text = std::fs::read_to_string(&page).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = link.split('#').next().unwrap_or("");
            if !target.is_empty() && !target.contains("://") {
                assert!(page.parent().unwrap().join(target).exists(), "{link} in {}", page.display());
            }
        }
    }
}

/// Numbers to six digits, mere rounding left out: what holds on every machine.
fn roughly(text: &str) -> Vec<String> {
    let word = |word: &str| {
        let bare = word.trim_matches(|c: char| !c.is_ascii_digit() && c != '-');
        match bare.parse::<f64>() {
            Ok(x) if bare.contains("e-") && x.abs() < 1e-6 => "tiny".to_owned(),
            // Real time, such as `0.012s`.
            Ok(_) if word.ends_with('s') && word.contains('.') => "time".to_owned(),
            Ok(x) => format!("{x:.5e}"),
            Err(_) => word.to_owned(),
        }
    };
    text.split_whitespace().map(word).collect()
}

/// Blocks that begin with `$ slipstick` show what the program prints. A file outside `models/` is the last model on the page.
#[test]
fn transcripts_in_the_book_are_what_the_program_prints() {
    let mut count = 0;
    for page in files(&root().join("book/src"), ".md") {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("models")).unwrap();
        for model in files(&root().join("models"), ".toml") {
            std::fs::copy(&model, folder.path().join("models").join(model.file_name().unwrap())).unwrap();
        }
        let mut model = String::new();
        for (label, text) in blocks(&std::fs::read_to_string(&page).unwrap()) {
            if label == "toml model" {
                model.clone_from(&text);
            }
            let Some((command, shown)) = text.split_once('\n').filter(|_| label == "text") else { continue };
            let command = command.replace("cargo run --release --", "slipstick");
            let Some(arguments) = command.strip_prefix("$ slipstick ") else { continue };
            let arguments: Vec<&str> = arguments.split(' ').collect();
            // Benchmarks show times, and a shell would have to find the files of a pattern.
            if arguments[0] == "bench" || arguments.iter().any(|a| a.contains('*')) {
                continue;
            }
            let own = arguments.iter().find(|a| a.contains(".toml") && !a.starts_with("models/"));
            if own.is_some() && model.is_empty() {
                continue;
            }
            if let Some(own) = own {
                std::fs::write(folder.path().join(own), &model).unwrap();
            }
            let output = slipstick(folder.path(), &arguments);
            let printed = [output.stdout, output.stderr].concat();
            let what = format!("{command} in {}", page.display());
            // A drift of the size of the tolerance is largest at a time that is a matter of rounding.
            let lines =
                |text: &str| text.lines().filter(|l| !l.contains("drifts by")).collect::<Vec<_>>().join("\n");
            assert_eq!(
                roughly(&lines(shown)),
                roughly(&lines(&String::from_utf8(printed).unwrap())),
                "{what}"
            );
            count += 1;
        }
    }
    assert!(count >= 7, "only {count} transcripts found");
}

/// The names of all fields of a JSON value, with those they are in.
fn fields(value: &serde_json::Value, path: &str, found: &mut Vec<String>) {
    match value {
        serde_json::Value::Object(object) => {
            for (name, value) in object {
                found.push(format!("{path}.{name}"));
                fields(value, &format!("{path}.{name}"), found);
            }
        }
        serde_json::Value::Array(list) => list.iter().for_each(|value| fields(value, path, found)),
        _ => {}
    }
}

#[test]
fn the_json_of_a_run_in_the_book_has_the_fields_that_the_program_prints() {
    let page = std::fs::read_to_string(root().join("book/src/cli.md")).unwrap();
    let sample = blocks(&page).into_iter().find(|(label, _)| label == "json").expect("a sample").1;
    let folder = tempfile::tempdir().unwrap();
    let model = root().join("models/bouncing-ball.toml");
    let output = slipstick(folder.path(), &["run", model.to_str().unwrap(), "--json"]);
    let [in_book, printed] = [sample.as_bytes(), &output.stdout].map(|text| {
        let mut found = Vec::new();
        fields(&serde_json::from_slice(text).expect("it is JSON"), "", &mut found);
        found
    });
    assert_eq!(in_book, printed);
}
