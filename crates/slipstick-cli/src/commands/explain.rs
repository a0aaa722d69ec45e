//! `slipstick explain`: what a code means, from the troubleshooting page of the book, which is the only place
//! it is written down.

use super::Finish;
use crate::model_file::suggestion;
use crate::talk::{Trouble, data};
use serde_json::json;

const PAGE: &str = include_str!("../../../../book/src/troubleshooting.md");

/// Prints the explanation of a code, or all codes with their first lines.
pub(crate) fn explain(code: Option<&str>, json: bool) -> Result<Finish, Trouble> {
    let Some(code) = code else {
        for (code, text) in sections() {
            print(code, text.lines().next().unwrap_or(""), json);
        }
        return Ok(Finish::Done);
    };
    let wanted = code.trim_matches(|c| c == '[' || c == ']');
    match sections().find(|(c, _)| *c == wanted) {
        Some((code, text)) if json => print(code, text, true),
        Some((code, text)) => data(format!("{code}\n\n{text}")),
        None => {
            let hint = suggestion(wanted, sections().map(|(c, _)| c));
            return Err(Trouble::new("unknown-name", format!("there is no code `{wanted}`"), hint));
        }
    }
    Ok(Finish::Done)
}

fn print(code: &str, text: &str, json: bool) {
    if json {
        data(json!({ "code": code, "text": text }));
    } else {
        data(format!("{code:<24} {text}"));
    }
}

/// The sections of the page: each begins with `## code`.
fn sections() -> impl Iterator<Item = (&'static str, &'static str)> {
    PAGE.split("\n## ").skip(1).filter_map(|section| {
        let (code, text) = section.split_once('\n')?;
        let text = text.split("\n# ").next().unwrap_or(text);
        Some((code.trim().trim_matches('`'), text.trim()))
    })
}
