//! A frame as SVG.

use super::super::{escape, number};
use super::bounds::Frame;
use super::ink::{PAPER, hex};
use super::outline::PathPart;
use super::paint::Stroke;
use std::fmt::Write;

/// The text of a file; each thing has its name as a title.
pub(crate) fn svg(title: &str, view: &Frame, strokes: &[Stroke]) -> String {
    let (width, height) = (view.width, view.height);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">\n<title>{}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"{}\"/>\n",
        escape(title),
        hex(PAPER)
    );
    for stroke in strokes {
        let fill = stroke.fill.map_or_else(|| "none".to_owned(), hex);
        let line = stroke.line.map_or_else(String::new, |(ink, width)| {
            let width = short(width);
            format!(
                " stroke=\"{}\" stroke-width=\"{width}\" stroke-linecap=\"round\" stroke-linejoin=\"round\"",
                hex(ink)
            )
        });
        let (path, name) = (path(&stroke.parts), escape(&stroke.name));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "<path d=\"{path}\" fill=\"{fill}\"{line}><title>{name}</title></path>");
    }
    text + "</svg>\n"
}

fn path(parts: &[PathPart]) -> String {
    let place = |[x, y]: [f64; 2]| format!("{} {}", short(x), short(y));
    let part = |part: &PathPart| match part {
        PathPart::Move(to) => format!("M{}", place(*to)),
        PathPart::Line(to) => format!("L{}", place(*to)),
        PathPart::Cubic(places) => format!("C{}", places.map(place).join(" ")),
        PathPart::Close => "Z".to_owned(),
    };
    parts.iter().map(part).collect()
}

/// A hundredth of a pixel is near enough.
fn short(x: f64) -> String {
    number((x * 100.0).round() / 100.0)
}
