//! The same model run twice, and in two threads at once, gives byte-identical result files, wall times apart.

mod common;

use common::{files, root, slipstick};
use std::path::Path;

fn results(model: &Path, folder: &Path) -> Vec<(String, Vec<u8>)> {
    let out = folder.join("out");
    slipstick(
        folder,
        &["run", &model.display().to_string(), "--out", &out.display().to_string(), "--parquet"],
    );
    let read = |path: std::path::PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let bytes = std::fs::read(&path).unwrap();
        if name != "run.json" {
            return (name, bytes);
        }
        let mut json: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        assert!(json["wall_s"].take().is_number());
        (name, serde_json::to_vec(&json).unwrap())
    };
    files(&out, "").into_iter().map(read).collect()
}

#[test]
fn twice_and_in_two_threads_at_once() {
    for model in files(&root().join("models"), ".toml") {
        let run = || {
            let folder = tempfile::tempdir().unwrap();
            results(&model, folder.path())
        };
        let first = run();
        assert_eq!(first.len(), 5);
        let (second, third) = std::thread::scope(|scope| {
            let other = scope.spawn(run);
            (run(), other.join().unwrap())
        });
        for ((name, a), ((_, b), (_, c))) in first.iter().zip(second.iter().zip(&third)) {
            assert!(a == b && b == c, "{name} of {}", model.display());
        }
    }
}
