//! The folder of results: made before the run, whole files only, nothing left of an earlier run, never outside its place.

mod common;

use common::slipstick;

#[test]
fn a_folder_that_cannot_be_written_to_is_refused_before_the_run() {
    let folder = tempfile::tempdir().unwrap();
    slipstick(folder.path(), &["examples", "bouncing-ball"]);
    std::fs::write(folder.path().join("file"), "").unwrap();
    let output = slipstick(folder.path(), &["run", "bouncing-ball.toml", "--out", "file"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
}

#[test]
fn parquet_of_an_earlier_run_does_not_stay() {
    let folder = tempfile::tempdir().unwrap();
    slipstick(folder.path(), &["examples", "bouncing-ball"]);
    let parquet = folder.path().join("runs/bouncing-ball/trajectory.parquet");
    slipstick(folder.path(), &["run", "bouncing-ball.toml", "--parquet"]);
    assert!(parquet.exists());
    slipstick(folder.path(), &["run", "bouncing-ball.toml"]);
    assert!(!parquet.exists());
    let parts = common::files(&folder.path().join("runs"), ".part");
    assert!(parts.is_empty(), "{parts:?}");
}

#[test]
fn a_name_of_dots_does_not_lead_out_of_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("...toml"), "states.x = 1\nderivatives.x = 0\nrun.until = 1").unwrap();
    assert!(slipstick(folder.path(), &["run", "...toml"]).status.success());
    assert!(folder.path().join("runs/model/report.html").exists());
}

#[test]
fn output_steps_are_checked_against_the_end_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let model = "states.x = 1\nderivatives.x = 0\nrun = { until = 1, output_step = 1e-6 }";
    std::fs::write(folder.path().join("m.toml"), model).unwrap();
    let output = slipstick(folder.path(), &["run", "m.toml", "--until", "1e6"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("[bad-step]"));
}
