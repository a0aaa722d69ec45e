//! Outlines of shapes as paths of lines and cubic curves.

use super::scene::Pose;
use slipstick::model::Outline;

/// Turns and moves places.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Motion {
    cos: f64,
    sin: f64,
    at: [f64; 2],
}

impl Motion {
    pub(crate) fn of([x, y, angle]: Pose) -> Self {
        Self { cos: angle.cos(), sin: angle.sin(), at: [x, y] }
    }

    pub(crate) fn apply(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        [self.at[0] + self.cos * x - self.sin * y, self.at[1] + self.sin * x + self.cos * y]
    }
}

/// A part of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PathPart {
    Move([f64; 2]),
    Line([f64; 2]),
    Cubic([[f64; 2]; 3]),
    Close,
}

impl PathPart {
    /// The same part elsewhere.
    pub(crate) fn map(self, place: impl Fn([f64; 2]) -> [f64; 2]) -> Self {
        match self {
            Self::Move(to) => Self::Move(place(to)),
            Self::Line(to) => Self::Line(place(to)),
            Self::Cubic(places) => Self::Cubic(places.map(place)),
            Self::Close => Self::Close,
        }
    }
}

/// A quarter of a circle is a cubic curve with handles of this length, right to 3e-4 of the radius.
const HANDLE: f64 = 0.552_284_749_830_793_4;

/// The outline of a shape about its centre; a half-plane has none.
pub(crate) fn path(outline: &Outline<f64>) -> Vec<PathPart> {
    match outline {
        Outline::Disc(radius) => ellipse([*radius; 2]),
        Outline::Ellipse(axes) => ellipse(*axes),
        Outline::Capsule(sizes) => capsule(*sizes),
        Outline::Segment(ends) => polyline(ends, false),
        Outline::Polygon(corners) => polyline(corners, true),
        Outline::Box(_) => polyline(&corners(outline), true),
        Outline::HalfPlane(_) => Vec::new(),
    }
}

/// Places that a shape lies between.
pub(crate) fn corners(outline: &Outline<f64>) -> Vec<[f64; 2]> {
    let rectangle = |[x, y]: [f64; 2]| vec![[-x, -y], [x, -y], [x, y], [-x, y]];
    match outline {
        // Corners of a square would make room for a disc that turns.
        Outline::Disc(radius) => (0..8).map(|k| on_circle(*radius, f64::from(k))).collect(),
        Outline::Ellipse(axes) => rectangle(*axes),
        Outline::Box([width, height]) => rectangle([width / 2.0, height / 2.0]),
        Outline::Capsule([length, radius]) => rectangle([length / 2.0 + radius, *radius]),
        Outline::Segment(ends) => ends.to_vec(),
        Outline::Polygon(corners) => corners.clone(),
        Outline::HalfPlane(_) => Vec::new(),
    }
}

fn on_circle(radius: f64, eighth: f64) -> [f64; 2] {
    let (sin, cos) = (eighth * std::f64::consts::FRAC_PI_4).sin_cos();
    [radius * cos, radius * sin]
}

/// A path through places.
pub(crate) fn polyline(places: &[[f64; 2]], closed: bool) -> Vec<PathPart> {
    let mut parts: Vec<PathPart> = places.iter().map(|place| PathPart::Line(*place)).collect();
    if let (Some(first), Some(place)) = (parts.first_mut(), places.first()) {
        *first = PathPart::Move(*place);
    }
    parts.extend(closed.then_some(PathPart::Close));
    parts
}

/// A quarter turn to the left about a centre: the place goes from `centre + from` to `centre + from⊥`.
fn quarter(centre: [f64; 2], from: [f64; 2], to: [f64; 2]) -> PathPart {
    let at = |a: f64, b: f64| [0, 1].map(|k| centre[k] + a * from[k] + b * to[k]);
    PathPart::Cubic([at(1.0, HANDLE), at(HANDLE, 1.0), at(0.0, 1.0)])
}

fn ellipse([a, b]: [f64; 2]) -> Vec<PathPart> {
    let ends = [[a, 0.0], [0.0, b], [-a, 0.0], [0.0, -b]];
    let quarters = (0..4).map(|k| quarter([0.0; 2], ends[k], ends[(k + 1) % 4]));
    std::iter::once(PathPart::Move(ends[0])).chain(quarters).chain([PathPart::Close]).collect()
}

fn capsule([length, r]: [f64; 2]) -> Vec<PathPart> {
    let [right, left] = [[length / 2.0, 0.0], [-length / 2.0, 0.0]];
    let [east, north, west, south] = [[r, 0.0], [0.0, r], [-r, 0.0], [0.0, -r]];
    vec![
        PathPart::Move([right[0], -r]),
        quarter(right, south, east),
        quarter(right, east, north),
        PathPart::Line([left[0], r]),
        quarter(left, north, west),
        quarter(left, west, south),
        PathPart::Close,
    ]
}

/// How many teeth a spring has, and the part of its length at both ends that is straight.
const TEETH: u32 = 12;
const STRAIGHT: f64 = 0.12;

/// A spring between two places: teeth as high as `half`, all in pixels.
pub(crate) fn spring([from, to]: [[f64; 2]; 2], half: f64) -> Vec<[f64; 2]> {
    let along = [to[0] - from[0], to[1] - from[1]];
    let length = along[0].hypot(along[1]);
    if length <= 0.0 || !length.is_finite() {
        return vec![from, to];
    }
    let across = [-along[1] / length * half, along[0] / length * half];
    let at = |s: f64, side: f64| [0, 1].map(|k| from[k] + s * along[k] + side * across[k]);
    let mut places = vec![from, at(STRAIGHT, 0.0)];
    for tooth in 0..TEETH {
        let s = STRAIGHT + (1.0 - 2.0 * STRAIGHT) * (f64::from(tooth) + 0.5) / f64::from(TEETH);
        places.push(at(s, if tooth % 2 == 0 { 1.0 } else { -1.0 }));
    }
    places.extend([at(1.0 - STRAIGHT, 0.0), to]);
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disc_is_round() {
        let mut at = [0.0; 2];
        for part in path(&Outline::Disc(2.0)) {
            match part {
                PathPart::Move(to) => at = to,
                PathPart::Cubic([a, b, c]) => {
                    let middle = [0, 1].map(|k| (at[k] + 3.0 * a[k] + 3.0 * b[k] + c[k]) / 8.0);
                    assert!((middle[0].hypot(middle[1]) - 2.0).abs() < 1e-3);
                    at = c;
                }
                PathPart::Line(_) | PathPart::Close => {}
            }
        }
        assert_eq!(at, [2.0, 0.0]);
    }

    #[test]
    fn a_motion_turns_and_then_moves() {
        let [x, y] = Motion::of([1.0, 2.0, std::f64::consts::FRAC_PI_2]).apply([3.0, 0.0]);
        assert!((x - 1.0).abs() < 1e-12 && (y - 5.0).abs() < 1e-12);
    }

    #[test]
    fn a_spring_begins_and_ends_where_it_is_held() {
        let places = spring([[0.0, 0.0], [10.0, 0.0]], 1.0);
        assert_eq!((places[0], places[places.len() - 1]), ([0.0, 0.0], [10.0, 0.0]));
        assert!(places.iter().all(|[_, y]| y.abs() <= 1.0) && places.iter().any(|[_, y]| *y == 1.0));
        assert_eq!(spring([[1.0, 1.0]; 2], 1.0).len(), 2);
    }
}
