//! The colours of pictures in files; those of the page are its own, with the same light set.

/// Red, green and blue.
pub(crate) type Ink = [u8; 3];

pub(crate) const PAPER: Ink = [0xff, 0xff, 0xff];
pub(crate) const GROUND: Ink = [0xe4, 0xe6, 0xe1];
pub(crate) const EDGE: Ink = [0x6b, 0x75, 0x7b];
pub(crate) const LINE: Ink = [0x50, 0x5c, 0x66];
pub(crate) const POINT: Ink = [0x1b, 0x21, 0x26];
pub(crate) const LIT: Ink = [0xd8, 0x43, 0x15];
/// The edges of bodies, in turn.
pub(crate) const BODIES: [Ink; 6] = [
    [0x0b, 0x6c, 0xb3],
    [0x0a, 0x84, 0x64],
    [0xab, 0x4f, 0x8b],
    [0xa6, 0x78, 0x00],
    [0x6b, 0x55, 0xb8],
    [0x3a, 0x9b, 0xd3],
];
/// How much of the edge's colour is in what it encloses.
pub(crate) const FILL: f64 = 0.28;

/// Some of a colour on paper.
pub(crate) fn tint(ink: Ink, part: f64) -> Ink {
    let mix = |k: usize| f64::from(PAPER[k]) + part * (f64::from(ink[k]) - f64::from(PAPER[k]));
    // Between 0 and 255.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    [0, 1, 2].map(|k| mix(k).round() as u8)
}

/// `#0b6cb3`
pub(crate) fn hex([red, green, blue]: Ink) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}
