//! The first time at which a comparison leaves its band on the other side (rule 7), from a polynomial that
//! bounds it.
//!
//! Letters: `q` is the comparison seen from its present side, so that leaving is `q > band`. An interval is
//! done with if its Bernstein coefficients exclude that; if `q` rises or is convex there, its end decides; if
//! it is concave, its peak does. Otherwise the interval is split. Values are only asked for where the
//! polynomial cannot tell. A zero of any order at the start needs no division, as the question is not where
//! `q` vanishes but where it exceeds its band.

use super::bernstein::{Bernstein, Monotonicity};
use super::chebyshev;
use super::flip::value_at;
use super::signals::{Banded, NotFinite, Signals};

/// Intervals of a piece that a search looks at before it takes the comparison as it looks: noise would
/// split for ever.
const MOST_INTERVALS: u32 = 600;
/// How often a stretch is sampled anew because its polynomial is not exact enough: each time it is far
/// shorter.
const MOST_NESTED: u32 = 3;
/// How often that is done in one search: around a double root there is nothing but rounding.
const MOST_SAMPLES: u32 = 32;
/// How large a stretch next to zero is that is looked at by values, in units of what its polynomial is not exact to.
const ZONE: f64 = 8.0;
/// Splits of an interval until it is as narrow as the spacing of floats.
const DEEPEST: u32 = 53;
/// Parabolas through values on the way to a touch: for a square one will do, and for what is nearly one a
/// second.
const MOST_CLIMBS: u32 = 4;
/// Rounding of a Bernstein coefficient, in units of the largest one: an operation of 2⁻⁵³ per degree, and
/// some room.
pub(super) const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// A remainder is coarse if it is this many times larger than rounding: then values know more than the
/// polynomial.
const COARSE: f64 = 32.0;

/// A comparison between two local times.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepPiece {
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) shape: Bernstein,
    /// How far the polynomial may be from the formula's value, rounding of the coefficients included.
    pub(super) doubt: f64,
    pub(super) band: f64,
    /// Whether values could say more than the polynomial does.
    coarse: bool,
}

/// What is added to a band: `w_0 + w_1 s + w_2 (s² + s³ + s⁴)`, with s in units of the step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Widening {
    pub(super) constant: f64,
    pub(super) linear: f64,
    pub(super) dense: f64,
    /// The step.
    pub(super) h: f64,
}

/// What a search was given.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quest {
    /// +1: the comparison leaves its band upwards; -1: downwards.
    pub(super) up: f64,
    /// Where the search starts and ends.
    pub(super) from: f64,
    pub(super) limit: f64,
    pub(super) widening: Widening,
    /// Whether peaks inside the band matter, and a bound of how far outside it they do.
    pub(super) touches: bool,
    pub(super) near: f64,
    /// The length of the step.
    pub(super) h: f64,
    /// Whether the value at `from` is inside the band, and whether the motion came into it before.
    pub(super) inside: bool,
    pub(super) entered: bool,
}

/// A point inside the band.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peak {
    pub(super) s: f64,
    /// The value there, and how fast it may still move; both are zero where nothing is known.
    pub(super) height: f64,
    pub(super) slope: f64,
    /// Whether it is an extremum: no point beside it is nearer to it, whatever rounding makes of heights.
    pub(super) extremum: bool,
}

/// One comparison, for a search.
pub(super) struct Source<'a> {
    pub(super) signals: &'a mut dyn Signals,
    pub(super) comparison: usize,
}

impl Source<'_> {
    fn value(&mut self, s: f64) -> Result<Banded, NotFinite> {
        value_at(self.signals, self.comparison, s)
    }

    /// What the dense output cannot tell from zero.
    fn tolerance(&mut self, s: f64) -> f64 {
        self.signals.dense_error(self.comparison, s)
    }
}

/// The points passed by a search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walk {
    /// The last point where q is surely below its band, if there was one.
    pub(super) before: Option<f64>,
    /// The last point where q was not positive, and the first positive one after it.
    pub(super) low: f64,
    pub(super) high: Option<f64>,
    /// The highest point inside the band since q was last surely below it, and its height.
    pub(super) peak: Option<Peak>,
    /// The first such point after which q was surely below its band again.
    pub(super) touch: Option<Peak>,
    /// Whether something could not be proved.
    pub(super) unproved: bool,
    /// Whether the step started beyond the band already.
    pub(super) beyond: bool,
}

/// Where a comparison has left its band on the other side, and the polynomial there.
pub(super) type Exit = (f64, StepPiece);

/// A search over the pieces of one comparison.
pub(super) struct Search<'a> {
    quest: Quest,
    source: Source<'a>,
    /// Room for pieces that are sampled on the way.
    room: &'a mut Vec<StepPiece>,
    pub(super) walk: Walk,
    intervals: u32,
    /// How often the stretch at hand has been sampled anew.
    nested: u32,
    /// How often stretches have been.
    samples: u32,
}

/// A part of a piece with the polynomial that is searched: q less what widens its band.
struct Stretch<'a> {
    piece: &'a StepPiece,
    excess: Bernstein,
    from: f64,
    to: f64,
    depth: u32,
}

impl StepPiece {
    /// A polynomial between two times, with the bound of its difference from the formula.
    pub(super) fn new((from, to): (f64, f64), shape: Bernstein, remainder: f64, band: f64) -> Self {
        let rounding = ROUNDING * shape.size();
        let coarse = remainder > COARSE * (rounding + band);
        Self { from, to, shape, doubt: remainder + rounding, band, coarse }
    }

    /// The least band that was seen: where the largest is far larger, shorter stretches tell more.
    pub(super) fn with_least_band(mut self, least: f64) -> Self {
        self.coarse |= self.band > COARSE * least;
        self
    }

    /// The place of a local time, from 0 to 1.
    pub(super) fn place(&self, s: f64) -> f64 {
        ((s - self.from) / (self.to - self.from)).clamp(0.0, 1.0)
    }

    /// The local time of a place.
    pub(super) fn time(&self, t: f64) -> f64 {
        if t >= 1.0 { self.to } else { self.from + t * (self.to - self.from) }
    }
}

impl Widening {
    /// Its size at a local time.
    pub(super) fn at(&self, s: f64) -> f64 {
        let x = s / self.h;
        if *self == Self::default() {
            0.0
        } else {
            self.constant + x * (self.linear + x * self.dense * (1.0 + x + x * x))
        }
    }

    /// Its coefficients on a part of the step.
    fn on(&self, from: f64, to: f64, degree: usize) -> Bernstein {
        let powers = [self.constant, self.linear, self.dense, self.dense, self.dense];
        Bernstein::from_powers(&powers, degree).part(from / self.h, to / self.h)
    }

    /// Whether nothing is added.
    pub(super) fn is_zero(&self) -> bool {
        self.constant == 0.0 && self.linear == 0.0 && self.dense == 0.0
    }
}

impl<'a> Search<'a> {
    /// A search that starts at `quest.from`, on the side opposite to `quest.up`.
    pub(super) fn new(quest: Quest, source: Source<'a>, room: &'a mut Vec<StepPiece>) -> Self {
        let before = (!quest.inside).then_some(quest.from);
        let start = Peak { s: quest.from, height: f64::NEG_INFINITY, slope: 0.0, extremum: false };
        let peak = quest.entered.then_some(start);
        let walk =
            Walk { before, low: quest.from, high: None, peak, touch: None, unproved: false, beyond: false };
        Self { quest, source, room, walk, intervals: 0, nested: 0, samples: 0 }
    }

    /// A point where the comparison has left its band on the other side, in the first of some pieces where
    /// that happens.
    pub(super) fn run(&mut self, pieces: &[StepPiece]) -> Result<Option<Exit>, NotFinite> {
        if let Some(first) = pieces.first().filter(|_| self.quest.from == 0.0)
            && self.starts_beyond(first)?
        {
            self.walk.beyond = true;
            return Ok(Some((0.0, *first)));
        }
        for piece in pieces {
            self.intervals = 0;
            let exit = self.piece(piece)?;
            if exit.is_some() {
                return Ok(exit);
            }
        }
        Ok(None)
    }

    /// Whether the step starts on the other side already: what came after the last step (a projection) has
    /// moved it there.
    fn starts_beyond(&mut self, piece: &StepPiece) -> Result<bool, NotFinite> {
        let excess = self.quest.up * piece.shape.first() - self.quest.widening.constant;
        if excess + piece.doubt <= piece.band || excess - piece.doubt > piece.band || self.quest.inside {
            return Ok(excess - piece.doubt > piece.band);
        }
        let at = self.source.value(piece.from)?;
        Ok(self.quest.up * at.value > at.band + self.quest.widening.constant)
    }

    fn piece(&mut self, piece: &StepPiece) -> Result<Option<Exit>, NotFinite> {
        let (from, to) = (piece.from.max(self.quest.from), piece.to.min(self.quest.limit));
        if from >= to {
            return Ok(None);
        }
        let mut excess = piece.shape;
        if from > piece.from || to < piece.to {
            excess = excess.part(piece.place(from), piece.place(to));
        }
        if self.quest.widening.is_zero() {
            excess.scale(self.quest.up);
        } else {
            let widening = self.quest.widening.on(from, to, excess.degree());
            excess = excess.raised(widening.degree()).combined(self.quest.up, &widening);
        }
        self.visit(&Stretch { piece, excess, from, to, depth: 0 })
    }

    /// A point in a stretch where q has left its band.
    fn visit(&mut self, stretch: &Stretch) -> Result<Option<Exit>, NotFinite> {
        self.intervals += 1;
        let (excess, piece) = (&stretch.excess, stretch.piece);
        let (least, most) = excess.range();
        if most + piece.doubt <= self.level(piece) {
            self.pass(stretch.to, piece, most);
            return Ok(None);
        }
        // As flat as the polynomial is exact: nothing more can be learnt from it.
        let flat = most - least <= piece.doubt || stretch.depth >= DEEPEST;
        let shape = excess.shape();
        match shape {
            Monotonicity::Mixed if flat && self.may_sample(piece) => self.sample(stretch),
            Monotonicity::Mixed if flat => self.end(stretch),
            Monotonicity::Mixed if self.intervals >= MOST_INTERVALS => {
                self.walk.unproved = true;
                self.end(stretch)
            }
            Monotonicity::Mixed => self.halves(stretch),
            _ => {
                let walk = self.walk;
                let exit = self.shaped(stretch, shape)?;
                if exit.is_some() || !self.is_unsure(stretch) {
                    return Ok(exit);
                }
                // Where the polynomial is nearer to zero than it is exact, two roots may hide.
                self.walk = walk;
                self.zoom(stretch)
            }
        }
    }

    /// The end or the extremum of a stretch whose shape is known decides.
    fn shaped(&mut self, stretch: &Stretch, shape: Monotonicity) -> Result<Option<Exit>, NotFinite> {
        match shape {
            Monotonicity::Falling => {
                self.pass(stretch.to, stretch.piece, stretch.excess.last());
                Ok(None)
            }
            Monotonicity::Convex => self.valley(stretch),
            Monotonicity::Concave => self.hill(stretch),
            Monotonicity::Rising | Monotonicity::Mixed => self.end(stretch),
        }
    }

    /// Whether a stretch comes nearer to zero than its polynomial is exact, and values can say more.
    fn is_unsure(&self, stretch: &Stretch) -> bool {
        let (least, most) = stretch.excess.range();
        let zone = stretch.piece.band + stretch.piece.doubt;
        self.may_sample(stretch.piece) && least <= zone && most >= -zone && stretch.depth < DEEPEST
    }

    /// Looks at what is next to zero in a stretch by values.
    fn zoom(&mut self, stretch: &Stretch) -> Result<Option<Exit>, NotFinite> {
        let (least, most) = stretch.excess.range();
        if !self.is_unsure(stretch) {
            self.pass(stretch.to, stretch.piece, stretch.excess.last());
            return Ok(None);
        }
        if most - least <= ZONE * (stretch.piece.band + stretch.piece.doubt) {
            return self.sample(stretch);
        }
        let (left, right) = stretch.halved();
        let exit = self.zoom(&left)?;
        if exit.is_some() { Ok(exit) } else { self.zoom(&right) }
    }

    /// What is below this does not matter: it neither leaves the band nor touches it.
    fn level(&self, piece: &StepPiece) -> f64 {
        if self.quest.touches { -piece.band - self.quest.near } else { piece.band }
    }

    /// Splits a stretch in the middle.
    fn halves(&mut self, stretch: &Stretch) -> Result<Option<Exit>, NotFinite> {
        let (left, right) = stretch.halved();
        let exit = self.visit(&left)?;
        if exit.is_some() { Ok(exit) } else { self.visit(&right) }
    }

    /// Whether values can say more of a stretch than its polynomial does.
    fn may_sample(&self, piece: &StepPiece) -> bool {
        piece.coarse && self.nested < MOST_NESTED && self.samples < MOST_SAMPLES
    }

    /// Looks at a stretch with a polynomial through values, where the one that was given is not exact enough.
    fn sample(&mut self, stretch: &Stretch) -> Result<Option<Exit>, NotFinite> {
        self.nested += 1;
        self.samples += 1;
        let intervals = std::mem::take(&mut self.intervals);
        let start = self.room.len();
        let source = &mut self.source;
        let smooth = chebyshev::sample(&mut |s| source.value(s), stretch.from, stretch.to, self.room)?;
        self.walk.unproved |= !smooth;
        let mut exit = None;
        for index in start..self.room.len() {
            let piece = self.room[index];
            exit = self.piece(&piece)?;
            if exit.is_some() {
                break;
            }
        }
        self.room.truncate(start);
        self.nested -= 1;
        self.intervals = intervals;
        Ok(exit)
    }

    /// The end of a stretch decides.
    fn end(&mut self, stretch: &Stretch) -> Result<Option<Exit>, NotFinite> {
        self.look(stretch, stretch.to, stretch.excess.last())
    }

    /// One minimum inside: the end decides, and the root is after the minimum.
    fn valley(&mut self, stretch: &Stretch) -> Result<Option<Exit>, NotFinite> {
        if stretch.excess.last() + stretch.piece.doubt > self.level(stretch.piece) {
            let bottom = stretch.excess.extremum();
            self.pass(stretch.time(bottom), stretch.piece, stretch.excess.at(bottom));
        }
        self.end(stretch)
    }

    /// One maximum inside: it decides.
    fn hill(&mut self, stretch: &Stretch) -> Result<Option<Exit>, NotFinite> {
        let top = stretch.excess.extremum();
        let (s, height) = (stretch.time(top), stretch.excess.at(top));
        let highest = height + stretch.piece.doubt;
        if highest > self.level(stretch.piece) {
            let walk = self.walk;
            let slope = stretch.slope_near(top);
            if self.quest.near > 0.0 && self.is_near(s, slope)? {
                return self.end(stretch);
            }
            let exit = self.look(stretch, s, height)?;
            if exit.is_some() {
                return Ok(exit);
            }
            // The top may be higher beside this point.
            if highest > stretch.piece.band && self.may_sample(stretch.piece) {
                self.walk = walk;
                return self.sample(stretch);
            }
            if self.walk.before == Some(s) {
                let exit = self.climb(stretch, top)?;
                if exit.is_some() {
                    return Ok(exit);
                }
            } else {
                self.peak_at(s, slope);
            }
        }
        self.pass(stretch.to, stretch.piece, stretch.excess.last());
        Ok(None)
    }

    /// The point that was noted last is an extremum.
    fn peak_at(&mut self, s: f64, slope: f64) {
        if let Some(peak) = self.walk.peak.as_mut() {
            *peak = Peak { s, slope, extremum: true, ..*peak };
        }
    }

    /// Whether the dense output cannot tell an extremum from zero. Then it touches there.
    fn is_near(&mut self, s: f64, slope: f64) -> Result<bool, NotFinite> {
        let at = self.source.value(s)?;
        let near = at.value.abs() <= at.band + self.source.tolerance(s);
        if near && (self.walk.before.is_some() || self.quest.entered) {
            self.note(s, self.quest.up * at.value, false);
            self.walk.peak = Some(Peak { s, height: at.value, slope, extremum: true });
        }
        Ok(near)
    }

    /// The band of a square next to zero is far smaller than what its polynomial is exact to: then the top
    /// of the parabola through three values is nearer to the touch than that of the polynomial.
    fn climb(&mut self, stretch: &Stretch, top: f64) -> Result<Option<Exit>, NotFinite> {
        let (piece, length) = (stretch.piece, stretch.to - stretch.from);
        let bend = stretch.excess.curvature(top).abs();
        let mut width = length * (2.0 * (piece.doubt + piece.band) / bend).sqrt();
        let mut s = stretch.time(top);
        for _ in 0..MOST_CLIMBS {
            width = width.min(s - stretch.from).min(stretch.to - s);
            let [left, right] = [s - width, s + width];
            if !(left < s && s < right) {
                return Ok(None);
            }
            let (here, up) = (self.source.value(s)?.value, self.quest.up);
            let [fall, rise] =
                [self.source.value(left)?, self.source.value(right)?].map(|at| up * (at.value - here));
            let shift = 0.5 * width * (rise - fall) / (rise + fall).abs();
            if shift.is_nan() || shift.abs() > width {
                return Ok(None);
            }
            let before = self.walk.before;
            s += shift;
            let exit = self.look_by_value(stretch, s)?;
            if exit.is_some() {
                return Ok(exit);
            }
            if self.walk.before != Some(s) {
                self.peak_at(s, stretch.slope_near(top));
                return Ok(None);
            }
            self.walk.before = before;
            width = 2.0 * shift.abs();
        }
        Ok(None)
    }

    /// Decides whether q has left its band at a point, by the polynomial or by the value.
    fn look(&mut self, stretch: &Stretch, s: f64, excess: f64) -> Result<Option<Exit>, NotFinite> {
        let (doubt, band) = (stretch.piece.doubt, stretch.piece.band);
        let near = if self.is_inner(s) { self.quest.near } else { 0.0 };
        if excess - doubt > band + near {
            return Ok(Some((s, *stretch.piece)));
        }
        if excess + doubt <= self.level(stretch.piece) {
            self.pass(s, stretch.piece, excess);
            return Ok(None);
        }
        self.look_by_value(stretch, s)
    }

    fn look_by_value(&mut self, stretch: &Stretch, s: f64) -> Result<Option<Exit>, NotFinite> {
        let at = self.source.value(s)?;
        let q = self.quest.up * at.value;
        let band = at.band + self.quest.widening.at(s);
        let near = if q > band && self.is_inner(s) { self.source.tolerance(s) } else { 0.0 };
        if q > band + near {
            return Ok(Some((s, *stretch.piece)));
        }
        self.note(s, q, q < -band);
        Ok(None)
    }

    /// Whether what is less than the error of the dense output beyond zero may still turn back: touches
    /// count, and the step goes on.
    fn is_inner(&self, s: f64) -> bool {
        self.quest.near > 0.0 && s < self.quest.h
    }

    /// Takes note of a point by the polynomial, as far as it can tell. `excess` bounds q less what widens the
    /// band.
    fn pass(&mut self, s: f64, piece: &StepPiece, excess: f64) {
        let widening = &self.quest.widening;
        if widening.is_zero() && excess + piece.doubt < -piece.band {
            self.note(s, -1.0, true);
            return;
        }
        let q = self.quest.up * piece.shape.at(piece.place(s));
        let surely_before = q + widening.at(s) + piece.doubt < -piece.band;
        if q.abs() >= piece.doubt {
            self.note(s, q, surely_before);
        }
    }

    fn note(&mut self, s: f64, q: f64, surely_before: bool) {
        if surely_before {
            self.walk.touch = self.walk.touch.or(self.walk.peak.take());
            self.walk.before = Some(s);
        } else if (self.walk.before.is_some() || self.quest.entered)
            && self.walk.peak.is_none_or(|peak| !peak.extremum && q > peak.height)
        {
            self.walk.peak = Some(Peak { s, height: q, slope: 0.0, extremum: false });
        }
        if q <= 0.0 {
            (self.walk.low, self.walk.high) = (s, None);
        } else if self.walk.high.is_none() {
            self.walk.high = Some(s);
        }
    }
}

impl<'a> Stretch<'a> {
    fn halved(&self) -> (Stretch<'a>, Stretch<'a>) {
        let middle = 0.5 * (self.from + self.to);
        let (left, right) = self.excess.split(0.5);
        let (piece, depth) = (self.piece, self.depth + 1);
        let left = Stretch { piece, excess: left, from: self.from, to: middle, depth };
        (left, Stretch { piece, excess: right, from: middle, to: self.to, depth })
    }

    /// How fast q may still move where its derivative seems to vanish.
    fn slope_near(&self, top: f64) -> f64 {
        let height = self.piece.doubt + self.piece.band + self.excess.at(top).abs();
        (2.0 * height * self.excess.curvature(top).abs()).sqrt() / (self.to - self.from)
    }

    /// The local time of a place in it.
    fn time(&self, t: f64) -> f64 {
        self.from + t * (self.to - self.from)
    }
}
