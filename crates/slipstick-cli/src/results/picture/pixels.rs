//! A frame as pixels, and as a PNG file.

use super::bounds::Frame;
use super::ink::{Ink, PAPER};
use super::outline::PathPart;
use super::paint::Stroke;
use crate::talk::Trouble;
use tiny_skia::{Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Transform};

/// A picture of three bytes for each pixel, rows from the top.
#[derive(Clone, Debug)]
pub(crate) struct Pixels {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) rgb: Vec<u8>,
}

impl Pixels {
    /// Draws a frame; none if there is no room for so many pixels.
    pub(crate) fn draw(view: &Frame, strokes: &[Stroke]) -> Option<Self> {
        let mut map = Pixmap::new(view.width, view.height)?;
        map.fill(colour(PAPER));
        for stroke in strokes {
            let Some(path) = path(&stroke.parts) else { continue };
            if let Some(ink) = stroke.fill {
                map.fill_path(&path, &paint(ink), FillRule::Winding, Transform::identity(), None);
            }
            if let Some((ink, width)) = stroke.line {
                let line = tiny_skia::Stroke {
                    width: single(width),
                    line_cap: LineCap::Round,
                    line_join: LineJoin::Round,
                    ..Default::default()
                };
                map.stroke_path(&path, &paint(ink), &line, Transform::identity(), None);
            }
        }
        // Nothing is transparent on paper.
        let rgb = map.data().chunks_exact(4).flat_map(|pixel| &pixel[..3]).copied().collect();
        Some(Self { width: view.width, height: view.height, rgb })
    }
}

fn path(parts: &[PathPart]) -> Option<Path> {
    let mut path = PathBuilder::new();
    let at = |place: [f64; 2]| place.map(single);
    for part in parts {
        match part.map(|place| place) {
            PathPart::Move(to) => path.move_to(at(to)[0], at(to)[1]),
            PathPart::Line(to) => path.line_to(at(to)[0], at(to)[1]),
            PathPart::Cubic(places) => {
                let [a, b, c] = places.map(at);
                path.cubic_to(a[0], a[1], b[0], b[1], c[0], c[1]);
            }
            PathPart::Close => path.close(),
        }
    }
    path.finish()
}

fn paint(ink: Ink) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color(colour(ink));
    paint.anti_alias = true;
    paint
}

fn colour([red, green, blue]: Ink) -> Color {
    Color::from_rgba8(red, green, blue, 255)
}

/// Pixels need no more digits.
#[allow(clippy::cast_possible_truncation)]
fn single(x: f64) -> f32 {
    x as f32
}

/// A picture as a PNG file.
pub(crate) fn png(picture: &Pixels) -> Result<Vec<u8>, Trouble> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&picture.rgb));
    written.map_err(|error| cannot_write("png", &error))?;
    Ok(bytes)
}

/// What an encoder complains of.
pub(crate) fn cannot_write(format: &str, error: &dyn std::fmt::Display) -> Trouble {
    Trouble::new("file", format!("cannot write the {format}: {error}"), "ask for a smaller `--size`")
}
