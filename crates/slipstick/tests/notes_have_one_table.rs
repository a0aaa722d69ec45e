//! Every code of a note has a row in the table of codes, a section in the book, and the book has the table.

use slipstick::trajectory::NOTE_KINDS;
use std::fmt::Write as _;
use std::path::Path;

/// The codes that stand in the sources, the first string after a call that makes a note.
fn codes_in(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            codes_in(&path, found);
        } else {
            let text = std::fs::read_to_string(&path).unwrap();
            // Remarks about contacts are notes, and have their codes in one function.
            if path.ends_with("contacts/remark.rs") {
                let codes = text.split("=> \"").skip(1).filter_map(|rest| rest.split('"').next());
                found.extend(codes.map(str::to_owned));
            }
            for call in [".note(", ".note_once("] {
                let after = text.split(call).skip(1);
                found.extend(after.filter_map(|rest| rest.split('"').nth(1)).map(str::to_owned));
            }
        }
    }
}

#[test]
fn every_code_in_the_sources_has_a_row() {
    let mut found = Vec::new();
    codes_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    assert!(found.len() > 10, "{found:?}");
    for code in &found {
        assert!(NOTE_KINDS.iter().any(|kind| kind.code == code), "`{code}` has no row in trajectory/note.rs");
    }
    for kind in NOTE_KINDS {
        assert!(found.iter().any(|code| code == kind.code), "nothing makes a note `{}`", kind.code);
    }
}

#[test]
fn the_book_has_the_table_and_explains_every_code() {
    let mut table = String::from("| code | kind | |\n|---|---|---|\n");
    for kind in NOTE_KINDS {
        let (code, severity) = (kind.code, kind.severity.name());
        writeln!(table, "| [`{code}`](../troubleshooting.md#{code}) | {severity} | {} |", kind.about)
            .unwrap();
    }
    let results = include_str!("../../../book/src/concepts/results.md");
    assert!(results.contains(&table), "the table is now:\n{table}");
    let sections = include_str!("../../../book/src/troubleshooting.md");
    for kind in NOTE_KINDS {
        assert!(sections.contains(&format!("\n## {}\n", kind.code)), "`{}` is not explained", kind.code);
    }
}
