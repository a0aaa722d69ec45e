//! One frame as filled and stroked paths in pixels, in the order in which they are drawn.

use super::bounds::Frame;
use super::ink::{BODIES, EDGE, FILL, GROUND, Ink, LINE, LIT, PAPER, POINT, tint};
use super::outline::{Motion, PathPart, path, polyline, spring};
use super::scene::{PoseTrack, Scene};
use slipstick::model::{DrawnBody, DrawnLine, DrawnShape, Outline, Picture};

/// Widths in pixels: edges of bodies, of the ground, lines, springs; half of the teeth; points.
const BODY_EDGE: f64 = 1.6;
const GROUND_EDGE: f64 = 2.0;
const LINE_WIDTH: f64 = 3.0;
const SPRING_WIDTH: f64 = 1.6;
const TOOTH: f64 = 7.0;
const POINT_RADIUS: f64 = 3.5;

/// A path with what fills it and what follows it.
#[derive(Clone, Debug)]
pub(crate) struct Stroke {
    /// What it belongs to, in the user's words.
    pub(crate) name: String,
    pub(crate) parts: Vec<PathPart>,
    pub(crate) fill: Option<Ink>,
    /// Colour and width in pixels.
    pub(crate) line: Option<(Ink, f64)>,
}

/// The picture at a time, at an event after it; what has happened stays lit for a time `glow`.
pub(crate) fn paint(scene: &mut Scene<'_>, t: f64, view: &Frame, glow: f64) -> Vec<Stroke> {
    let segment = scene.segment_at(t);
    let picture = scene.frame(segment, t);
    let lit = scene.lit(&segment.mode, t, glow);
    Painter { view, lit: &lit, strokes: Vec::new() }.all(&picture, &scene.tracks)
}

struct Painter<'a> {
    view: &'a Frame,
    /// Bodies, and behind them lines.
    lit: &'a [bool],
    strokes: Vec<Stroke>,
}

impl Painter<'_> {
    fn all(mut self, picture: &Picture<f64>, tracks: &[PoseTrack]) -> Vec<Stroke> {
        let mut tracks = tracks.iter();
        let of_bodies: Vec<Option<&PoseTrack>> =
            picture.bodies.iter().map(|body| body.pose.and_then(|_| tracks.next())).collect();
        // What is infinite lies behind everything, lines before bodies.
        let is_ground = |body: &DrawnBody<f64>| {
            body.shapes.iter().any(|shape| matches!(shape.outline, Outline::HalfPlane(_)))
        };
        let bodies = |ground: bool| {
            picture.bodies.iter().enumerate().filter(move |(_, body)| is_ground(body) == ground)
        };
        bodies(true).for_each(|(k, body)| self.body(body, k, of_bodies[k]));
        for (k, line) in picture.lines.iter().enumerate() {
            self.line(line, self.lit[picture.bodies.len() + k]);
        }
        bodies(false).for_each(|(k, body)| self.body(body, k, of_bodies[k]));
        for point in &picture.points {
            let [x, y] = self.view.pixel(point.at);
            let parts = path(&Outline::Disc(POINT_RADIUS));
            let parts = parts.into_iter().map(|part| part.map(|[u, v]| [x + u, y + v])).collect();
            self.add(&point.name, parts, Some(PAPER), Some((POINT, BODY_EDGE)));
        }
        self.strokes
    }

    fn add(&mut self, name: &str, parts: Vec<PathPart>, fill: Option<Ink>, line: Option<(Ink, f64)>) {
        let is_finite = |part: &PathPart| match part {
            PathPart::Move(to) | PathPart::Line(to) => to.iter().all(|x| x.is_finite()),
            PathPart::Cubic(places) => places.iter().flatten().all(|x| x.is_finite()),
            PathPart::Close => true,
        };
        // What has no place is not drawn.
        if !parts.is_empty() && parts.iter().all(is_finite) {
            self.strokes.push(Stroke { name: name.to_owned(), parts, fill, line });
        }
    }

    fn body(&mut self, body: &DrawnBody<f64>, k: usize, track: Option<&PoseTrack>) {
        let motion = Motion::of(body.pose.unwrap_or_default());
        let own = BODIES[k % BODIES.len()];
        let (edge, fill) = match track {
            _ if self.lit[k] => (LIT, tint(LIT, FILL)),
            Some(track) if track.moves => (own, tint(own, FILL)),
            _ => (EDGE, GROUND),
        };
        for shape in &body.shapes {
            let own = Motion::of([shape.at[0], shape.at[1], shape.turn]);
            let view = *self.view;
            let pixel = |place: [f64; 2]| view.pixel(motion.apply(own.apply(place)));
            match &shape.outline {
                Outline::HalfPlane(direction) => self.half_plane(&body.name, pixel, *direction, self.lit[k]),
                Outline::Segment(ends) => {
                    let line = Some((edge, self.width(shape.width, GROUND_EDGE)));
                    self.add(&body.name, polyline(&ends.map(pixel), false), None, line);
                }
                outline => {
                    let parts = path(outline).into_iter().map(|part| part.map(pixel)).collect();
                    let line = Some((edge, self.width(shape.width, BODY_EDGE)));
                    self.add(&body.name, parts, Some(fill), line);
                    if track.is_some_and(|track| track.turns) {
                        self.spoke(&body.name, shape, pixel, edge);
                    }
                }
            }
        }
    }

    /// A disc that turns has a line that shows it.
    fn spoke(
        &mut self,
        name: &str,
        shape: &DrawnShape<f64>,
        pixel: impl Fn([f64; 2]) -> [f64; 2],
        edge: Ink,
    ) {
        if let Outline::Disc(radius) = shape.outline {
            let places = [pixel([0.0, 0.0]), pixel([radius, 0.0])];
            self.add(name, polyline(&places, false), None, Some((edge, BODY_EDGE)));
        }
    }

    /// The part of a half-plane that can be seen, as a rectangle that is large enough.
    fn half_plane(
        &mut self,
        name: &str,
        pixel: impl Fn([f64; 2]) -> [f64; 2],
        direction: [f64; 2],
        lit: bool,
    ) {
        let ([x, y], tip) = (pixel([0.0, 0.0]), pixel(direction));
        let (u, v) = (tip[0] - x, tip[1] - y);
        let length = u.hypot(v);
        let [width, height] = [f64::from(self.view.width), f64::from(self.view.height)];
        let far = 2.0 * (width + height) + (x - width / 2.0).hypot(y - height / 2.0);
        let (out, along) = ([u / length, v / length], [-v / length, u / length]);
        let at =
            |a: f64, b: f64| [x + far * (a * along[0] + b * out[0]), y + far * (a * along[1] + b * out[1])];
        let (fill, edge) = if lit { (tint(LIT, FILL), LIT) } else { (GROUND, EDGE) };
        let corners = [at(-1.0, 0.0), at(1.0, 0.0), at(1.0, -1.0), at(-1.0, -1.0)];
        self.add(name, polyline(&corners, true), Some(fill), None);
        self.add(name, polyline(&corners[..2], false), None, Some((edge, GROUND_EDGE)));
    }

    fn line(&mut self, line: &DrawnLine<f64>, lit: bool) {
        let places: Vec<[f64; 2]> = line.through.iter().map(|at| self.view.pixel(*at)).collect();
        let colour = if lit { LIT } else { LINE };
        if let (true, &[from, to]) = (line.is_spring, places.as_slice()) {
            let half = line.width.map_or(TOOTH, |width| width * self.view.scale / 2.0);
            let teeth = polyline(&spring([from, to], half), false);
            self.add(&line.name, teeth, None, Some((colour, SPRING_WIDTH)));
        } else {
            let width = self.width(line.width, LINE_WIDTH);
            self.add(&line.name, polyline(&places, false), None, Some((colour, width)));
        }
    }

    fn width(&self, given: Option<f64>, pixels: f64) -> f64 {
        given.map_or(pixels, |width| width * self.view.scale)
    }
}
