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
