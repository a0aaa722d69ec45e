//! The report is one file: it asks for nothing from outside, and text from a model cannot break out of it.

mod common;

use common::slipstick;

#[test]
fn report_needs_nothing_from_outside_and_survives_hostile_names() {
    let folder = tempfile::tempdir().unwrap();
    let model = "title = \"</script><script>alert(1)</script> {{data}} & <b>\"\n\
                 states.x = 1\nderivatives.x = \"-x\"\nevents.half = { guard = \"x < 0.5\" }\nrun.until = 2\n";
    std::fs::write(folder.path().join("odd.toml"), model).unwrap();
    assert!(slipstick(folder.path(), &["run", "odd.toml"]).status.success());
    let page = std::fs::read_to_string(folder.path().join("runs/odd/report.html")).unwrap();
    assert!(!page.contains("http://") && !page.contains("https://"), "no address from outside");
    assert!(!page.contains("alert(1)</script>"));
    let data = page.split("id=\"data\">").nth(1).unwrap().split("</script>").next().unwrap();
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    assert_eq!(data["title"], "</script><script>alert(1)</script> {{data}} & <b>");
    assert_eq!(data["events"].as_array().unwrap().len(), 1);
    assert_eq!(data["segments"].as_array().unwrap().len(), 2);
}
