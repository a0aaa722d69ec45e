//! What joints run along: the line, the circle or the curve on which a point stays, or the centre of a disc at its radius.
//!
//! The place along it, `s`, is a coordinate of its own without a mass: `q - c(s) - r n(s) = 0` are two constraints, in the axes
//! of the shape. Its own equation of motion says that the force has no part along the curve, so the foot point is exact, and
//! needs neither a search nor a division by what may vanish. Two directions n and t = n turned by -90 degrees, with the angle
//! α of n, give what rolls: `(c'·t - r α') s' + r (ω₁ - ω₂) = 0`, which is the rate of something on lines and circles.

use super::bodies::{BodyList, BodyPlace, Pose};
use super::curve::{SAMPLES, SmoothCurve, falling_zero};
use super::indices::Indices;
use super::joint::Joint;
use super::joints::{Ends, TrackKind};
use super::lowered::LoweredParts;
use super::shapes::{BodyShape, ShapeForm};
use super::source::PartSource;
use super::term::{Pair, Term, cross, dot, left_of, length, minus, origin, plus, scaled, turned, unit};
use crate::model::Setting;
use std::ops::Range;

/// What a joint runs along.
#[derive(Clone, Debug)]
pub(super) struct CurveTrack {
    path: TrackPath,
    /// How far from it the centre of the disc is; zero for a point.
    radius: Term,
    /// Whether the disc is where the shape is solid.
    is_inside: bool,
    /// Whether places count as in a mirror.
    is_mirrored: bool,
}

#[derive(Clone, Debug)]
enum TrackPath {
    /// From a point along a direction, with what is free on its left.
    Line(Pair, Pair),
    Circle(Term),
    Curve(Box<SmoothCurve>),
}

/// How far a disc has rolled, or how fast it rolls for each unit of the rate of `s`.
enum Rolled {
    Way(Term),
    Factor(Term),
}

/// The places of both ends, and what is between them.
pub(super) type TrackPlaces = ([BodyPlace; 2], CurveTrack);

/// The shapes that the ends of a joint name.
pub(super) struct TrackEnds<'e> {
    pub(super) name: &'e str,
    pub(super) kind: &'static TrackKind,
    pub(super) part: &'e Setting,
    pub(super) ends: [(String, Range<usize>); 2],
}

impl TrackEnds<'_> {
    /// Both places, and what is between them.
    pub(super) fn read(
        &self,
        source: &mut PartSource,
        (bodies, shapes): (&BodyList, &[BodyShape]),
    ) -> Option<TrackPlaces> {
        let inside = self.part.get("inside").and_then(|value| source.keep(value.boolean()));
        let mirror = self.part.get("mirror").and_then(|value| value.boolean().ok());
        let [first, second] = &self.ends;
        let (place, radius) = if self.kind.takes_disc {
            let shape = Self::shape(source, first, shapes)?;
            let ShapeForm::Disc(radius) = &shape.form else {
                return self.wrong(source, first, shape, "the first end must be a disc");
            };
            (shape.own_place(), radius.clone())
        } else {
            (bodies.find(source, &first.0, &first.1)?.0, Term::zero())
        };
        let shape = Self::shape(source, second, shapes)?;
        let path = match &shape.form {
            ShapeForm::Curve(curve) => {
                let mut curve = curve.clone();
                curve.is_clockwise ^= mirror == Some(true) && !curve.is_closed;
                TrackPath::Curve(curve)
            }
            ShapeForm::Disc(radius) if self.kind.rolls => TrackPath::Circle(radius.clone()),
            ShapeForm::HalfPlane(out) if self.kind.rolls => {
                let [x, y] = unit(out.clone());
                let along = if shape.is_hollow { [-&y, x] } else { [y, -&x] };
                TrackPath::Line(origin(), along)
            }
            ShapeForm::Segment(from, to) if self.kind.rolls => {
                // In the mirror its ends have changed places.
                let start = if mirror == Some(true) { to } else { from };
                TrackPath::Line(start.clone(), unit(minus(to, from)))
            }
            _ => return self.wrong(source, second, shape, self.kind.second),
        };
        let is_inside = inside.unwrap_or(shape.is_hollow && !matches!(path, TrackPath::Line(..)));
        let track = CurveTrack { path, radius, is_inside, is_mirrored: mirror == Some(true) };
        let has_ends = match &shape.form {
            ShapeForm::Curve(curve) => !curve.is_closed,
            form => matches!(form, ShapeForm::Segment(..)),
        };
        self.check(source, &track, has_ends)?;
        Some(([place, shape.own_place()], track))
    }

    fn shape<'s>(
        source: &mut PartSource,
        (name, span): &(String, Range<usize>),
        shapes: &'s [BodyShape],
    ) -> Option<&'s BodyShape> {
        let found = shapes.iter().find(|shape| shape.name == *name);
        if found.is_none() {
            let known = shapes.iter().map(|shape| shape.name.as_str());
            let error = crate::model::unknown_name(name, span.clone(), known, "among the shapes");
            source.errors.push(error);
        }
        found
    }

    fn wrong<T>(
        &self,
        source: &mut PartSource,
        (_, span): &(String, Range<usize>),
        shape: &BodyShape,
        hint: &str,
    ) -> Option<T> {
        let message = format!("joint `{}` cannot take the {} `{}`", self.name, shape.form.word(), shape.name);
        source.error("bad-joint", span.clone(), message, hint);
        None
    }

    /// What has ends needs stops, and a disc needs room.
    fn check(&self, source: &mut PartSource, track: &CurveTrack, has_ends: bool) -> Option<()> {
        let stops = self.part.get("stops");
        let has_stops = stops.is_some_and(|stops| stops.get("from").is_some() && stops.get("to").is_some());
        if has_ends && !has_stops {
            let message = format!("joint `{}` may run off the ends of its curve", self.name);
            let hint = "add `stops = { from, to }` for `s`, or close the curve: `closed = true`";
            source.error("bad-joint", self.part.key_span.clone(), message, hint);
            return None;
        }
        let values = source.indices.values();
        let value = |term: &Term| source.indices.value(term.text());
        let has_room = match (&track.path, value(&track.radius)) {
            (TrackPath::Circle(outer), Some(radius)) if track.is_inside => {
                value(outer).is_none_or(|outer| outer > radius)
            }
            (TrackPath::Curve(curve), Some(radius)) => {
                let side = track.side() * if curve.is_clockwise { -1.0 } else { 1.0 };
                curve.has_room((radius, side), values) != Some(false)
            }
            (TrackPath::Line(..), _) if track.is_inside => false,
            _ => true,
        };
        if has_room {
            return Some(());
        }
        let message = format!("the disc of joint `{}` does not fit", self.name);
        source.error(
            "bad-joint",
            self.part.key_span.clone(),
            message,
            "a disc is smaller than what it is in, and nowhere less round than the curve it runs along",
        );
        None
    }
}

impl CurveTrack {
    /// Whether the disc is outside of what is solid, as a sign.
    fn side(&self) -> f64 {
        if self.is_inside { -1.0 } else { 1.0 }
    }

    fn mirror(&self) -> f64 {
        if self.is_mirrored { -1.0 } else { 1.0 }
    }

    /// Where the point or the centre of the disc is, in the axes of the shape.
    pub(super) fn centre(&self, s: &Term) -> Pair {
        let signed = |sign: f64, term: &Term| if sign < 0.0 { -term } else { term.clone() };
        match &self.path {
            TrackPath::Line(from, along) => {
                let at = plus(from, &scaled(along, &signed(self.mirror(), s)));
                plus(&at, &scaled(&left_of(along), &self.radius))
            }
            TrackPath::Circle(outer) => {
                let reach = outer + &signed(self.side(), &self.radius);
                [&reach * &signed(self.mirror(), &s.cos()), &reach * &s.sin()]
            }
            TrackPath::Curve(curve) if self.radius.is_zero() => curve.at(0, s),
            TrackPath::Curve(curve) => {
                let [dx, dy] = curve.at(1, s);
                let out = signed(self.turn(curve), &self.radius).over(&length(&[dx.clone(), dy.clone()]));
                plus(&curve.at(0, s), &scaled(&[dy, -&dx], &out))
            }
        }
    }

    /// Whether the normal to the disc is on the right of the curve, as a sign.
    fn turn(&self, curve: &SmoothCurve) -> f64 {
        self.side() * if curve.is_clockwise { -1.0 } else { 1.0 }
    }

    fn rolled(&self, s: &Term) -> Rolled {
        let signed = |sign: f64, term: &Term| if sign < 0.0 { -term } else { term.clone() };
        match &self.path {
            TrackPath::Line(..) => Rolled::Way(signed(self.mirror(), s)),
            TrackPath::Circle(outer) => {
                let reach = &signed(self.side(), outer) + &self.radius;
                Rolled::Way(&reach * &signed(-self.mirror(), s))
            }
            TrackPath::Curve(curve) => {
                let (first, second) = (curve.at(1, s), curve.at(2, s));
                let speed = length(&first);
                let bend = cross(&first, &second).over(&dot(&first, &first));
                Rolled::Factor(&signed(-self.turn(curve), &speed) - &(&self.radius * &bend))
            }
        }
    }

    /// Where along it a place of the drawing is, in the axes of the shape.
    fn foot(&self, at: &Pair, indices: &Indices) -> Term {
        match &self.path {
            TrackPath::Line(from, along) => {
                let way = dot(along, &minus(at, from));
                if self.is_mirrored { -&way } else { way }
            }
            TrackPath::Circle(_) => {
                let x = if self.is_mirrored { -&at[0] } else { at[0].clone() };
                Term::call("atan2", &[&at[1], &x])
            }
            TrackPath::Curve(curve) => {
                self.nearest(curve, at, indices).unwrap_or_else(|| curve.ends[0].clone())
            }
        }
    }

    /// The nearest of many places, and from there to where the curve goes neither nearer nor farther.
    fn nearest(&self, curve: &SmoothCurve, at: &Pair, indices: &Indices) -> Option<Term> {
        let [x, y] = [&at[0], &at[1]].map(|term| indices.value(term.text()));
        let [from, to] = [&curve.ends[0], &curve.ends[1]].map(|term| indices.value(term.text()));
        let (x, y, from, to) = (x?, y?, from?, to?);
        let mut best = None;
        for i in 0..SAMPLES {
            let s = from + (to - from) * i as f64 / SAMPLES as f64;
            let [cx, cy] = self.centre(&Term::number(s)).map(|term| indices.value(term.text()));
            let away = (cx? - x).hypot(cy? - y);
            if best.is_none_or(|(least, _)| away < least) {
                best = Some((away, s));
            }
        }
        let (_, s) = best?;
        let step = (to - from) / SAMPLES as f64;
        let slope = |s: f64| {
            let ([cx, cy], [dx, dy]) = (curve.at(0, &Term::number(s)), curve.at(1, &Term::number(s)));
            let [cx, cy, dx, dy] =
                [cx, cy, dx, dy].map(|term| indices.value(term.text()).unwrap_or(f64::NAN));
            (x - cx) * dx + (y - cy) * dy
        };
        Some(Term::number(falling_zero(slope, [s - step, s + step]).unwrap_or(s)))
    }
}

impl Ends<'_> {
    /// The place along a track.
    pub(super) fn along_track(&self, pose: Pose) -> Term {
        match (&self.track, pose) {
            (Some((_, name, _)), Pose::Moving) => Term::whole(name.clone()),
            (Some((_, _, start)), Pose::Drawn) => start.clone(),
            (None, _) => Term::zero(),
        }
    }

    /// What keeps a place on a track: nothing of it where there is none.
    pub(super) fn on_track(&self, pose: Pose) -> Vec<(&'static str, Term)> {
        let Some((track, ..)) = &self.track else { return Vec::new() };
        let [x, y] = minus(&self.in_axes_of_track(pose), &track.centre(&self.along_track(pose)));
        vec![("x", x), ("y", y)]
    }

    /// What keeps a disc from slipping.
    pub(super) fn rolls(&self, pose: Pose) -> Option<(&'static str, Term)> {
        let (track, ..) = self.track.as_ref()?;
        match track.rolled(&self.along_track(pose)) {
            Rolled::Way(way) => Some(("roll", &way - &(&track.radius * &self.turn(pose)))),
            Rolled::Factor(factor) => {
                let rate = Term::whole(format!("{}'", self.along_track(Pose::Moving).text()));
                let spin = &self.bodies.turning(&self.first) - &self.bodies.turning(&self.second);
                Some(("slip", &(&factor * &rate) + &(&track.radius * &spin)))
            }
        }
    }

    /// Where the first end is in the axes of the second.
    fn in_axes_of_track(&self, pose: Pose) -> Pair {
        let away = self.between(pose);
        turned(&[-&away[0], -&away[1]], &-&self.bodies.angle(&self.second, pose))
    }

    /// Force and moment on the second body at its place.
    pub(super) fn track_reaction(&self, multiplier: &dyn Fn(&str) -> Term, rolls: bool) -> (Pair, Term) {
        let along = turned(&[Term::one(), Term::zero()], &self.bodies.angle(&self.second, Pose::Moving));
        let across = left_of(&along);
        let (x, y) = (multiplier("x"), multiplier("y"));
        let force = plus(&scaled(&along, &x), &scaled(&across, &y));
        let at = self.in_axes_of_track(Pose::Moving);
        let moment = &(&y * &at[0]) - &(&x * &at[1]);
        let row = self.rolls(Pose::Drawn).filter(|_| rolls);
        let Some(((row, _), (track, ..))) = row.zip(self.track.as_ref()) else { return (force, moment) };
        let friction = &track.radius * &multiplier(row);
        (force, &moment + &friction)
    }
}

impl Joint {
    /// Where along its track a joint starts: as it says, or where it is drawn.
    pub(super) fn start_on(
        &self,
        track: &CurveTrack,
        ends: &Ends<'_>,
        (source, lowered): (&PartSource, &mut LoweredParts),
    ) -> Term {
        let found = || {
            let indices = source.indices.with(&lowered.drawn);
            track.foot(&ends.in_axes_of_track(Pose::Drawn), &indices)
        };
        let start = self.start[0].clone().unwrap_or_else(found);
        lowered.fixed(&format!("joint.{}.start", self.name), start, &self.span)
    }
}
