//! The page that shows the moving picture and nothing else.

use super::super::RunResult;
use super::super::report::{PageParts, page};
use super::data::data;
use serde_json::json;

/// The style and the script of the picture, which are in a page only where something is drawn.
pub(crate) const PARTS: [&str; 2] = [
    include_str!("../../../assets/report/picture.css"),
    concat!(
        include_str!("../../../assets/report/motion.js"),
        include_str!("../../../assets/report/scene.js"),
        include_str!("../../../assets/report/picture.js")
    ),
];
const SCRIPT: &str = include_str!("../../../assets/report/view.js");

/// The page; none if the model draws nothing.
pub(crate) fn picture_page(result: &RunResult<'_>) -> Option<String> {
    let data = json!({
        "title": result.file.title(),
        "model_file": result.file.name,
        "version": env!("CARGO_PKG_VERSION"),
        "outcome": result.outcome_code(),
        "ok": result.is_complete(),
        "picture": data(result)?,
    });
    let parts = PageParts { sections: [["", ""], PARTS], script: SCRIPT };
    Some(page(result.file.title(), &data, parts))
}
