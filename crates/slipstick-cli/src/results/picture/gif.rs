//! Frames as an animated GIF file: one palette for all, and each change only.

use super::changes::Rectangle;
use super::ink::{BODIES, EDGE, FILL, GROUND, Ink, LINE, LIT, PAPER, POINT, tint};
use super::pixels::{Pixels, cannot_write};
use crate::talk::Trouble;
use gif::{Encoder, Frame, Repeat};
use std::borrow::Cow;
use std::collections::HashMap;

/// Between an edge and what is next to it there are so many colours.
const STEPS: usize = 12;

/// Writes so many frames, of which each is drawn when its turn comes.
pub(crate) fn gif(
    fps: u16,
    count: u32,
    mut draw: impl FnMut(u32) -> Result<Pixels, Trouble>,
) -> Result<Vec<u8>, Trouble> {
    let mut bytes = Vec::new();
    let failed = |error: gif::EncodingError| cannot_write("gif", &error);
    let mut last = draw(0)?;
    let size = |x: u32| u16::try_from(x).unwrap_or(u16::MAX);
    let mut palette = Palette::new();
    let mut encoder =
        Encoder::new(&mut bytes, size(last.width), size(last.height), &palette.bytes()).map_err(failed)?;
    encoder.set_repeat(Repeat::Infinite).map_err(failed)?;
    let mut changes = Rectangle::whole(&last);
    for frame in 0..count {
        if frame > 0 {
            let next = draw(frame)?;
            changes = Rectangle::of_changes(&last, &next);
            last = next;
        }
        let buffer = Cow::Owned(palette.indices(&changes.cut(&last)));
        let (left, top) = (size(changes.left), size(changes.top));
        let (width, height) = (size(changes.width), size(changes.height));
        let delay = delay(frame, fps);
        let frame = Frame { delay, left, top, width, height, buffer, ..Frame::default() };
        encoder.write_frame(&frame).map_err(failed)?;
    }
    drop(encoder);
    Ok(bytes)
}

/// Times are in hundredths of a second: each frame ends at the nearest one, so that the film keeps
/// its length.
fn delay(frame: u32, fps: u16) -> u16 {
    let ends = |frames: u64| (200 * frames + u64::from(fps)) / (2 * u64::from(fps));
    u16::try_from(ends(u64::from(frame) + 1) - ends(u64::from(frame))).unwrap_or(u16::MAX)
}

/// The colours that pictures are drawn in, and those between them where edges are smooth.
struct Palette {
    colours: Vec<Ink>,
    known: HashMap<Ink, u8>,
}

impl Palette {
    fn new() -> Self {
        let mut colours = vec![PAPER, GROUND];
        let edges = BODIES.into_iter().chain([EDGE, LINE, POINT, LIT]);
        for edge in edges {
            // From the edge to its own fill, and on to paper.
            colours.extend((0..=STEPS).map(|k| tint(edge, 1.0 - k as f64 / STEPS as f64)));
            colours.push(tint(edge, FILL));
        }
        colours.sort_unstable();
        colours.dedup();
        Self { colours, known: HashMap::new() }
    }

    fn bytes(&self) -> Vec<u8> {
        self.colours.concat()
    }

    /// The nearest colours to those of pixels.
    fn indices(&mut self, rgb: &[u8]) -> Vec<u8> {
        let (colours, known) = (&self.colours, &mut self.known);
        let nearest = |ink: Ink| {
            let far = |colour: &Ink| {
                let part = |k: usize| (i32::from(colour[k]) - i32::from(ink[k])).pow(2);
                part(0) + part(1) + part(2)
            };
            let found = (0..colours.len()).min_by_key(|k| far(&colours[*k])).unwrap_or(0);
            u8::try_from(found).unwrap_or(0)
        };
        let index = |pixel: &[u8]| {
            let ink = [pixel[0], pixel[1], pixel[2]];
            *known.entry(ink).or_insert_with(|| nearest(ink))
        };
        rgb.chunks_exact(3).map(index).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_palette_has_room_and_all_plain_colours() {
        let mut palette = Palette::new();
        assert!(palette.colours.len() <= 256, "{}", palette.colours.len());
        for ink in BODIES.into_iter().chain([PAPER, GROUND, EDGE, LINE, POINT, LIT, tint(LIT, FILL)]) {
            let index = palette.indices(&ink)[0];
            assert_eq!(palette.colours[usize::from(index)], ink);
        }
    }

    #[test]
    fn frames_add_up_to_their_time() {
        for fps in [7, 24, 30, 60] {
            let total: u32 = (0..10 * u32::from(fps)).map(|frame| u32::from(delay(frame, fps))).sum();
            assert_eq!(total, 1000, "{fps}");
        }
    }
}
