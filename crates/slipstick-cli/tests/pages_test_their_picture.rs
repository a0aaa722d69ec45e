//! The page compares its picture, poses and pixels, with the trajectory. It needs Chromium; where there is none, the
//! test says that it was skipped.

mod common;

use common::{root, slipstick};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The first browser on the path.
fn browser() -> Option<PathBuf> {
    const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let found = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    found.into_iter().find(|file| file.is_file())
}

/// What the page says of itself.
fn verdict(browser: &Path, page: &Path, hash: &str) -> String {
    let profile = tempfile::tempdir().unwrap();
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("file://{}#{hash}", page.display()))
        .output()
        .expect("the browser starts");
    let page = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = page.split("id=\"picture-test\"").nth(1).and_then(|rest| rest.split(['<', '>']).nth(1));
    said.unwrap_or("the page says nothing").to_owned()
}

#[test]
fn pictures_in_pages_follow_their_trajectories() {
    let Some(browser) = browser() else {
        eprintln!("skipped: there is no Chromium on the path");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    for model in ["bouncing-ball", "rocking-block", "slider-crank", "pendulum", "stick-slip"] {
        let file = root().join("models").join(format!("{model}.toml"));
        let (file, page) = (file.to_string_lossy().into_owned(), folder.path().join(format!("{model}.html")));
        let run = slipstick(folder.path(), &["view", &file, "--out", &page.to_string_lossy()]);
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        for theme in ["test&theme=light", "test&theme=dark"] {
            let said = verdict(&browser, &page, theme);
            assert!(said.starts_with("picture test passed: "), "{model}, {theme}: {said}");
            assert!(!said.contains("0 of 0 pixels"), "{model}, {theme}: {said}");
        }
    }
    // The report has the same picture.
    let model = root().join("models/bouncing-ball.toml");
    slipstick(folder.path(), &["run", &model.to_string_lossy(), "--out", "run"]);
    let said = verdict(&browser, &folder.path().join("run/report.html"), "test");
    assert!(said.starts_with("picture test passed: "), "{said}");
}
