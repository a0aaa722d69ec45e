//! ARCHITECTURE.md is the map: its paths exist, and imports only go down its list of rooms.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn map() -> String {
    std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap()
}

/// The rooms in the order of the table.
fn rooms() -> Vec<String> {
    let row = |line: &str| line.strip_prefix("| `")?.split('`').next().map(str::to_owned);
    map().lines().filter_map(row).collect()
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    files
}

#[test]
fn paths_on_the_map_exist() {
    let text = map();
    let mut count = 0;
    for path in text.split('`').skip(1).step_by(2).filter(|word| word.contains('/') && !word.contains(' ')) {
        count += 1;
        assert!(root().join(path).exists(), "{path}");
    }
    assert!(count > 15);
}

#[test]
fn every_room_is_on_the_map() {
    let on_disk = std::fs::read_dir(root().join("crates/slipstick/src")).unwrap().flatten();
    let mut folders: Vec<String> =
        on_disk.filter(|e| e.path().is_dir()).map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    let mut rooms = rooms();
    folders.sort();
    rooms.sort();
    assert_eq!(folders, rooms);
}

#[test]
fn imports_only_go_down_the_list_of_rooms() {
    let rooms = rooms();
    for (own, room) in rooms.iter().enumerate() {
        for file in rust_files(&root().join("crates/slipstick/src").join(room)) {
            let text = std::fs::read_to_string(&file).unwrap();
            for used in text.split("crate::").skip(1) {
                let name: String = used.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                let Some(index) = rooms.iter().position(|r| *r == name) else {
                    panic!("{} imports `crate::{name}`, which is no room", file.display())
                };
                assert!(index <= own, "{} imports from `{name}`, which comes after `{room}`", file.display());
            }
        }
    }
}

/// The library prints nothing, reads no files, and has no clock and no environment.
#[test]
fn the_library_does_not_touch_the_outside() {
    let forbidden =
        ["println!", "print!(", "std::fs", "std::env", "Instant", "SystemTime", "HashMap", "unsafe "];
    for file in rust_files(&root().join("crates/slipstick/src")) {
        let text = std::fs::read_to_string(&file).unwrap();
        let code = text.lines().filter(|l| !l.trim_start().starts_with("//"));
        // Tests beside the code may print and measure.
        let code: Vec<&str> = code.take_while(|l| !l.contains("#[cfg(test)]")).collect();
        for word in forbidden {
            assert!(!code.iter().any(|l| l.contains(word)), "{word} in {}", file.display());
        }
    }
}
