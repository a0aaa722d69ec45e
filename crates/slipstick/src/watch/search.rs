//! The first time at which a comparison leaves its band on the other side (rule 7), from a polynomial that
//! bounds it.
//!
//! Letters: `q` is the comparison seen from its present side, so that leaving is `q > band`. An interval is
//! done with if its Bernstein coefficients exclude that; if `q` rises or is convex there, its end decides; if
//! it is concave, its peak does. Otherwise the interval is split. Values are only asked for where the
//! polynomial cannot tell. A zero of any order at the start needs no division, as the question is not where
//! `q` vanishes but where it exceeds its band.

use super::bernstein::{Bernstein, Shape};
use super::chebyshev;
use super::signals::{Banded, NotFinite};

/// Intervals of a piece that a search looks at before it takes the comparison as it looks: noise would split for ever.
const MOST_INTERVALS: u32 = 600;
/// How often a stretch is sampled anew because its polynomial is not exact enough: each time it is far shorter.
const MOST_NESTED: u32 = 3;
/// Splits of an interval until it is as narrow as the spacing of floats.
const DEEPEST: u32 = 53;
/// Parabolas through values on the way to a touch: for a square one will do, and for what is nearly one a second.
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
    /// Whether peaks inside the band matter.
    pub(super) touches: bool,
    /// Whether the value at `from` is inside the band, and whether the motion came into it before.
    pub(super) inside: bool,
    pub(super) entered: bool,
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
    pub(super) peak: Option<(f64, f64)>,
    /// The first such point after which q was surely below its band again.
    pub(super) touch: Option<f64>,
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
    value: &'a mut dyn FnMut(f64) -> Result<Banded, NotFinite>,
    /// Room for pieces that are sampled on the way.
    room: &'a mut Vec<StepPiece>,
    pub(super) walk: Walk,
    intervals: u32,
    /// How often the stretch at hand has been sampled anew.
    nested: u32,
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

    fn is_zero(&self) -> bool {
        self.constant == 0.0 && self.linear == 0.0 && self.dense == 0.0
    }
}

impl<'a> Search<'a> {
    /// A search that starts at `quest.from`, on the side opposite to `quest.up`.
    pub(super) fn new(
        quest: Quest,
        value: &'a mut dyn FnMut(f64) -> Result<Banded, NotFinite>,
        room: &'a mut Vec<StepPiece>,
    ) -> Self {
        let before = (!quest.inside).then_some(quest.from);
        let peak = quest.entered.then_some((quest.from, f64::NEG_INFINITY));
        let walk =
            Walk { before, low: quest.from, high: None, peak, touch: None, unproved: false, beyond: false };
        Self { quest, value, room, walk, intervals: 0, nested: 0 }
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
        let at = (self.value)(piece.from)?;
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
        match excess.shape() {
            Shape::Rising => self.end(stretch),
            Shape::Falling => {
                self.pass(stretch.to, piece, excess.last());
                Ok(None)
            }
            Shape::Convex => self.valley(stretch),
            Shape::Concave => self.hill(stretch),
            Shape::Mixed if flat && self.may_sample(piece) => self.sample(stretch),
            Shape::Mixed if flat => self.end(stretch),
            Shape::Mixed if self.intervals >= MOST_INTERVALS => {
                self.walk.unproved = true;
                self.end(stretch)
            }
            Shape::Mixed => self.halves(stretch),
        }
    }

    /// What is below this does not matter: it neither leaves the band nor touches it.
    fn level(&self, piece: &StepPiece) -> f64 {
        if self.quest.touches { -piece.band } else { piece.band }
    }

    /// Splits a stretch in the middle.
    fn halves(&mut self, stretch: &Stretch) -> Result<Option<Exit>, NotFinite> {
        let middle = 0.5 * (stretch.from + stretch.to);
        let (left, right) = stretch.excess.split(0.5);
        let (piece, depth) = (stretch.piece, stretch.depth + 1);
        let exit = self.visit(&Stretch { piece, excess: left, from: stretch.from, to: middle, depth })?;
        if exit.is_some() {
            return Ok(exit);
        }
        self.visit(&Stretch { piece, excess: right, from: middle, to: stretch.to, depth })
    }

    /// Whether values can say more of a stretch than its polynomial does.
    fn may_sample(&self, piece: &StepPiece) -> bool {
        piece.coarse && self.nested < MOST_NESTED
    }

    /// Looks at a stretch with a polynomial through values, where the one that was given is not exact enough.
    fn sample(&mut self, stretch: &Stretch) -> Result<Option<Exit>, NotFinite> {
        self.nested += 1;
        let start = self.room.len();
        let smooth = chebyshev::sample(self.value, stretch.from, stretch.to, self.room)?;
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
                self.peak_at(s);
            }
        }
        self.pass(stretch.to, stretch.piece, stretch.excess.last());
        Ok(None)
    }

    /// No point beside an extremum is nearer to it, whatever rounding makes of heights.
    fn peak_at(&mut self, s: f64) {
        if let Some(peak) = self.walk.peak.as_mut() {
            *peak = (s, f64::INFINITY);
        }
    }

    /// The band of a square next to zero is far smaller than what its polynomial is exact to: then the top of the
    /// parabola through three values is nearer to the touch than that of the polynomial.
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
            let (here, up) = ((self.value)(s)?.value, self.quest.up);
            let [fall, rise] = [left, right].map(|s| (self.value)(s).map(|at| up * (at.value - here)));
            let (fall, rise) = (fall?, rise?);
            let shift = 0.5 * width * (rise - fall) / (rise + fall).abs();
            if !(shift.abs() <= width) {
                return Ok(None);
            }
            let before = self.walk.before;
            s += shift;
            let exit = self.look_by_value(stretch, s)?;
            if exit.is_some() {
                return Ok(exit);
            }
            if self.walk.before != Some(s) {
                self.peak_at(s);
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
        if excess - doubt > band {
            return Ok(Some((s, *stretch.piece)));
        }
        if excess + doubt <= self.level(stretch.piece) {
            self.pass(s, stretch.piece, excess);
            return Ok(None);
        }
        self.look_by_value(stretch, s)
    }

    fn look_by_value(&mut self, stretch: &Stretch, s: f64) -> Result<Option<Exit>, NotFinite> {
        let at = (self.value)(s)?;
        let q = self.quest.up * at.value;
        let band = at.band + self.quest.widening.at(s);
        if q > band {
            return Ok(Some((s, *stretch.piece)));
        }
        self.note(s, q, q < -band);
        Ok(None)
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
            self.walk.touch = self.walk.touch.or(self.walk.peak.take().map(|(peak, _)| peak));
            self.walk.before = Some(s);
        } else if (self.walk.before.is_some() || self.quest.entered) && self.walk.peak.is_none_or(|p| q > p.1)
        {
            self.walk.peak = Some((s, q));
        }
        if q <= 0.0 {
            (self.walk.low, self.walk.high) = (s, None);
        } else if self.walk.high.is_none() {
            self.walk.high = Some(s);
        }
    }
}

impl Stretch<'_> {
    /// The local time of a place in it.
    fn time(&self, t: f64) -> f64 {
        self.from + t * (self.to - self.from)
    }
}
