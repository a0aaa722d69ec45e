//! Frames as an animated PNG file, which shows each change only.

use super::changes::Rectangle;
use super::pixels::{Pixels, cannot_write};
use crate::talk::Trouble;
use png::{BitDepth, BlendOp, ColorType, DisposeOp, Encoder, EncodingError};

/// Writes so many frames, of which each is drawn when its turn comes.
pub(crate) fn apng(
    fps: u16,
    count: u32,
    mut draw: impl FnMut(u32) -> Result<Pixels, Trouble>,
) -> Result<Vec<u8>, Trouble> {
    let mut bytes = Vec::new();
    let failed = |error: EncodingError| cannot_write("apng", &error);
    let mut last = draw(0)?;
    let mut encoder = Encoder::new(&mut bytes, last.width, last.height);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_animated(count, 0).map_err(failed)?;
    encoder.set_frame_delay(1, fps).map_err(failed)?;
    encoder.set_blend_op(BlendOp::Source).map_err(failed)?;
    encoder.set_dispose_op(DisposeOp::None).map_err(failed)?;
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(&last.rgb).map_err(failed)?;
    for frame in 1..count {
        let next = draw(frame)?;
        let changes = Rectangle::of_changes(&last, &next);
        let mut write = || {
            // A rectangle has to fit at each moment: first it is small, then it moves.
            writer.set_frame_dimension(1, 1)?;
            writer.set_frame_position(changes.left, changes.top)?;
            writer.set_frame_dimension(changes.width, changes.height)?;
            writer.write_image_data(&changes.cut(&next))
        };
        write().map_err(failed)?;
        last = next;
    }
    writer.finish().map_err(failed)?;
    Ok(bytes)
}
