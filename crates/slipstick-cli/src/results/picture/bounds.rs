//! How far things reach, and the part of the plane that is shown.

use super::outline::{Motion, corners};
use slipstick::model::{DrawnBody, Outline, Picture};

/// A rectangle around things; none yet at first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Extent {
    pub(crate) low: [f64; 2],
    pub(crate) high: [f64; 2],
}

impl Default for Extent {
    fn default() -> Self {
        Self { low: [f64::INFINITY; 2], high: [f64::NEG_INFINITY; 2] }
    }
}

impl Extent {
    fn add(&mut self, place: [f64; 2]) {
        if place.iter().all(|x| x.is_finite()) {
            for (k, x) in place.into_iter().enumerate() {
                self.low[k] = self.low[k].min(x);
                self.high[k] = self.high[k].max(x);
            }
        }
    }

    /// Makes room for everything in a picture that has an end.
    pub(crate) fn add_picture(&mut self, picture: &Picture<f64>) {
        for body in &picture.bodies {
            let motion = Motion::of(body.pose.unwrap_or_default());
            for shape in &body.shapes {
                let own = Motion::of([shape.at[0], shape.at[1], shape.turn]);
                for corner in corners(&shape.outline) {
                    self.add(motion.apply(own.apply(corner)));
                }
            }
        }
        picture.lines.iter().flat_map(|line| &line.through).for_each(|at| self.add(*at));
        picture.points.iter().for_each(|point| self.add(point.at));
    }

    /// This, or a rectangle around its only place, or around the origin.
    pub(crate) fn or_unit(self) -> Self {
        if self.low[0] > self.high[0] {
            return Self { low: [-1.0; 2], high: [1.0; 2] };
        }
        let size = (self.high[0] - self.low[0]).max(self.high[1] - self.low[1]);
        // Neither side is thinner than a hundredth of the other: a point that moves along a line has room.
        let least = if size > 0.0 { 0.01 * size } else { self.low[0].abs().max(self.low[1].abs()).max(1.0) };
        let mut wide = self;
        for k in 0..2 {
            let lack = (least - (self.high[k] - self.low[k])).max(0.0) / 2.0;
            (wide.low[k], wide.high[k]) = (self.low[k] - lack, self.high[k] + lack);
        }
        wide
    }

    /// The longer side.
    pub(crate) fn size(&self) -> f64 {
        (self.high[0] - self.low[0]).max(self.high[1] - self.low[1])
    }
}

/// How far a body reaches from its place; a half-plane goes through the whole picture of this size.
pub(crate) fn reach(body: &DrawnBody<f64>, size: f64) -> f64 {
    let mut far = 0.0_f64;
    for shape in &body.shapes {
        if matches!(shape.outline, Outline::HalfPlane(_)) {
            far = far.max(size);
        }
        let own = Motion::of([shape.at[0], shape.at[1], shape.turn]);
        for corner in corners(&shape.outline) {
            let [x, y] = own.apply(corner);
            far = far.max(x.hypot(y));
        }
    }
    far
}

/// What is shown, and how large.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Pixels in one unit of length.
    pub(crate) scale: f64,
    middle: [f64; 2],
}

/// The part of the shorter side that stays free at each border.
const MARGIN: f64 = 0.07;

impl Frame {
    /// A frame of so many pixels that shows all of some bounds.
    pub(crate) fn fit(bounds: &Extent, [width, height]: [u32; 2]) -> Self {
        let margin = 2.0 * MARGIN * f64::from(width.min(height));
        let part = |pixels: u32, k: usize| (f64::from(pixels) - margin) / (bounds.high[k] - bounds.low[k]);
        let middle = [0, 1].map(|k| f64::midpoint(bounds.low[k], bounds.high[k]));
        Self { width, height, scale: part(width, 0).min(part(height, 1)), middle }
    }

    /// The pixel of a place.
    pub(crate) fn pixel(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let [u, v] = [(x - self.middle[0]) * self.scale, (y - self.middle[1]) * self.scale];
        [f64::from(self.width) / 2.0 + u, f64::from(self.height) / 2.0 - v]
    }
}

#[cfg(test)]
mod tests {
    use super::{Extent, Frame};

    #[test]
    fn a_frame_has_equal_scales_and_y_goes_up() {
        let bounds = Extent { low: [0.0, 0.0], high: [2.0, 1.0] };
        let frame = Frame::fit(&bounds, [400, 400]);
        let [low, high] = [frame.pixel([0.0, 0.0]), frame.pixel([2.0, 1.0])];
        assert!((low[0] - 28.0).abs() < 1e-9 && (high[0] - 372.0).abs() < 1e-9, "{low:?} {high:?}");
        assert!((low[1] - high[1] - 172.0).abs() < 1e-9, "{low:?} {high:?}");
    }

    #[test]
    fn what_has_no_size_has_room() {
        let mut point = Extent::default();
        point.add([5.0, 5.0]);
        assert!(point.or_unit().size() >= 1.0);
        assert_eq!(Extent::default().or_unit().size(), 2.0);
        let mut line = Extent::default();
        line.add([0.0, 0.0]);
        line.add([0.0, 100.0]);
        let wide = line.or_unit();
        assert_eq!((wide.low, wide.high), ([-0.5, 0.0], [0.5, 100.0]));
    }
}
