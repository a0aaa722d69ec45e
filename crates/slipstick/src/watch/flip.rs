//! The change of one comparison within a step: found by its polynomial, located by its values (rules 7 and
//! 12).

use super::locate::{Bracketed, narrow};
use super::search::{Peak, Quest, Search, Source, StepPiece, Walk, Widening};
use super::side::SideState;
use super::signals::{Banded, NotFinite, Signals};

/// How exactly the ends of a window are found, as a part of the band.
const WINDOW: f64 = 0.05;

/// Flips in a row that values deny before the comparison is taken as it stands.
const MOST_FALSE_ALARMS: u32 = 8;
/// Flips in one step that fire no guard, before the comparison is taken as it stands: noise without a band.
const MOST_FLIPS: u32 = 500;
/// The part of a step whose widening a comparison has to leave at least, on its own side.
const EARLY: f64 = 0.1;
/// Windows narrower than this part of the step are straight lines.
const LINEAR: f64 = 1e-9;
/// How many times further back it is looked each time for a point surely before a root.
const FURTHER: f64 = 4.0;
/// How many times further than its slope says a comparison can be beyond its root without a jump or a pole.
const STEEP: f64 = 8.0;
/// How far from a change of sign a pole is compared with itself, in units of the bracket, and how much
/// larger it is beside the change.
const ASIDE: f64 = 64.0;
const LARGER: f64 = 4.0;

/// A comparison leaves its band on the other side.
#[derive(Clone, Debug)]
pub(super) struct Flip {
    /// Whether to +.
    pub(super) plus: bool,
    /// The window: the last time surely before, the first time surely after.
    pub(super) lo: f64,
    pub(super) hi: f64,
    /// The floats before and after the root.
    pub(super) before: f64,
    pub(super) after: f64,
    /// Whether the root was located by values; otherwise all times come from the polynomial.
    pub(super) located: bool,
    /// Whether the sign changes through a pole.
    pub(super) pole: bool,
    /// The values there, seen from the old side, where they were computed.
    values: [Option<Banded>; 2],
    walk: Walk,
    exit: f64,
    piece: StepPiece,
}

/// The pieces of one comparison, where its search goes on, and its next flip.
#[derive(Clone, Debug)]
pub(super) struct Track {
    pub(super) comparison: usize,
    /// The range of its pieces.
    pub(super) pieces: (usize, usize),
    pub(super) quest: Quest,
    pub(super) flip: Option<Flip>,
    /// Where it first touched its band and turned back, and where it peaks inside its band at the end.
    pub(super) touch: Option<Peak>,
    pub(super) peak: Option<Peak>,
    pub(super) unproved: bool,
    /// How often it has flipped in this step without firing a guard.
    pub(super) flips: u32,
}

/// The formula's value at a local time.
pub(super) fn value_at(signals: &mut dyn Signals, comparison: usize, s: f64) -> Result<Banded, NotFinite> {
    let mut out = [Banded::default()];
    signals.values(&[comparison], s, &mut out);
    if out[0].is_finite() { Ok(out[0]) } else { Err(NotFinite { comparison, s }) }
}

impl Track {
    /// Looks for the next flip from `quest.from` on. A band that was widened is so only until the comparison has
    /// left it on its own side.
    pub(super) fn advance(
        &mut self,
        signals: &mut dyn Signals,
        side: SideState,
        (pieces, room): (&[StepPiece], &mut Vec<StepPiece>),
    ) -> Result<(), NotFinite> {
        let left = self.leaves_own_side(signals, side, (pieces, room))?;
        if let Some(s) = left.filter(|&s| s < self.quest.limit) {
            let limit = std::mem::replace(&mut self.quest.limit, s);
            self.look(signals, side, (pieces, room))?;
            self.quest.limit = limit;
            if self.flip.is_some() {
                return Ok(());
            }
            (self.quest.from, self.quest.inside) = (s, false);
            self.quest.widening = Widening::default();
        }
        self.look(signals, side, (pieces, room))
    }

    /// Where a comparison whose band is widened, by the error of the dense output or by how far from zero it was put
    /// when it fired, has left that on its own side.
    fn leaves_own_side(
        &self,
        signals: &mut dyn Signals,
        side: SideState,
        (pieces, room): (&[StepPiece], &mut Vec<StepPiece>),
    ) -> Result<Option<f64>, NotFinite> {
        let Some(plus) = side.truth().filter(|_| !self.quest.widening.is_zero()) else { return Ok(None) };
        let up = if plus { 1.0 } else { -1.0 };
        let widening = self.quest.widening;
        // At the very start the error of the dense output is still to come.
        let widening = Widening { constant: widening.at(EARLY * widening.h), ..widening };
        let quest = Quest { up, widening, touches: false, ..self.quest };
        let comparison = self.comparison;
        let source = Source { signals, comparison };
        let exit = Search::new(quest, source, room).run(&pieces[self.pieces.0..self.pieces.1])?;
        Ok(exit.map(|(s, _)| s))
    }

    /// Looks for the next flip up to `quest.limit`. A comparison without a side is watched in both directions.
    fn look(
        &mut self,
        signals: &mut dyn Signals,
        side: SideState,
        (pieces, room): (&[StepPiece], &mut Vec<StepPiece>),
    ) -> Result<(), NotFinite> {
        self.flip = None;
        let comparison = self.comparison;
        let directions: &[f64] = match side.truth() {
            Some(true) => &[-1.0],
            Some(false) => &[1.0],
            None => &[1.0, -1.0],
        };
        for &up in directions {
            let quest = Quest { up, ..self.quest };
            let mut search = Search::new(quest, Source { signals, comparison }, room);
            let exit = search.run(&pieces[self.pieces.0..self.pieces.1])?;
            let walk = search.walk;
            self.unproved |= walk.unproved;
            self.touch = self.touch.or(walk.touch);
            self.peak = walk.peak;
            if let Some((exit, piece)) = exit {
                let flip = Flip::from_polynomial(&quest, walk, exit, piece);
                if self.flip.as_ref().is_none_or(|other| flip.hi < other.hi) {
                    self.flip = Some(flip);
                }
            }
        }
        Ok(())
    }

    /// Goes on after a flip that fires no guard.
    pub(super) fn go_on(
        &mut self,
        signals: &mut dyn Signals,
        side: SideState,
        room: (&[StepPiece], &mut Vec<StepPiece>),
    ) -> Result<(), NotFinite> {
        let Some(flip) = &self.flip else { return Ok(()) };
        (self.quest.from, self.quest.inside, self.quest.entered) = (flip.hi, false, false);
        self.quest.widening = Widening::default();
        self.flips += 1;
        if self.flips < MOST_FLIPS {
            return self.advance(signals, side, room);
        }
        (self.flip, self.unproved) = (None, true);
        Ok(())
    }

    /// Locates the flip by values. If they do not show what the polynomial does, the search goes on after it.
    pub(super) fn locate(
        &mut self,
        signals: &mut dyn Signals,
        side: SideState,
        (pieces, room): (&[StepPiece], &mut Vec<StepPiece>),
    ) -> Result<(), NotFinite> {
        for _ in 0..MOST_FALSE_ALARMS {
            let Some(flip) = self.flip.as_mut() else { return Ok(()) };
            let up = if flip.plus { 1.0 } else { -1.0 };
            let (comparison, quest) = (self.comparison, Quest { up, ..self.quest });
            if flip.locate(&quest, &mut |s| value_at(signals, comparison, s))? {
                return Ok(());
            }
            (self.quest.from, self.quest.inside) = (flip.exit, true);
            self.advance(signals, side, (pieces, room))?;
        }
        (self.flip, self.unproved) = (None, true);
        Ok(())
    }
}

/// The nearest time to this one that is in an interval. Samples and values can tell its ends in the other order: then
/// the second, which values have told, is right.
fn between(s: f64, first: f64, last: f64) -> f64 {
    s.max(first).min(last)
}

impl Flip {
    /// A flip as the polynomial shows it.
    fn from_polynomial(quest: &Quest, walk: Walk, exit: f64, piece: StepPiece) -> Self {
        let (low, high) = (piece.place(walk.low), piece.place(walk.high.unwrap_or(exit)));
        let root = piece.shape.solve(0.0, (low, high), f64::NAN, f64::EPSILON * piece.shape.size());
        let root = between(piece.time(root), walk.low, walk.high.unwrap_or(exit));
        let plus = quest.up > 0.0;
        let mut flip = Self {
            plus,
            lo: root,
            hi: root,
            before: root,
            after: root,
            located: false,
            pole: false,
            values: [None; 2],
            walk,
            exit,
            piece,
        };
        flip.open_window(quest, (0.0, piece.band + piece.doubt));
        flip
    }

    /// The side after the flip: it has fired inside its band, unless the step started beyond it.
    pub(super) fn fired_side(&self) -> SideState {
        match (self.walk.beyond, self.plus) {
            (false, _) => SideState::Fired,
            (true, true) => SideState::Plus,
            (true, false) => SideState::Minus,
        }
    }

    /// The value at one of the floats around the root, if it was computed.
    pub(super) fn value_at(&self, s: f64) -> Option<Banded> {
        self.values[0].filter(|_| s == self.before).or(self.values[1].filter(|_| s == self.after))
    }

    /// The band of the values around the root, if they were computed.
    pub(super) fn band(&self) -> Option<f64> {
        self.values.iter().flatten().map(|value| value.band).reduce(f64::max)
    }

    /// Sets the window around the root: where the polynomial, less its value at the root, is as large as the
    /// band.
    fn open_window(&mut self, quest: &Quest, (at_root, band): (f64, f64)) {
        let (piece, shape) = (&self.piece, &self.piece.shape);
        let level = quest.up * (band + quest.widening.at(self.after));
        let exact = WINDOW * band;
        let (after, exit) = (piece.place(self.after), piece.place(self.exit));
        let half = level / shape.value_and_slope(after).1;
        if self.walk.before.is_some() && half.abs() <= LINEAR {
            let half = half.abs() * (piece.to - piece.from);
            self.hi = (self.after + half).min(self.exit.max(self.after));
            self.lo = (self.before - half).max(quest.from);
            return;
        }
        let hi = shape.solve(at_root + level, (after, exit), after + half, exact);
        self.hi = piece.time(hi).clamp(self.after, self.exit.max(self.after));
        self.lo = match self.walk.before {
            Some(before) if before >= piece.from => {
                let ends = (piece.place(before), piece.place(self.before));
                let lo = shape.solve(at_root - level, ends, ends.1 - half, exact);
                between(piece.time(lo), before, self.before)
            }
            Some(before) => before.min(self.before),
            None => quest.from,
        };
    }

    /// Whether the values at both sides of the change of sign are larger than further away. A root is
    /// smaller there, and a jump is as large.
    fn is_pole(
        &self,
        quest: &Quest,
        slope: f64,
        value: &mut dyn FnMut(f64) -> Result<Banded, NotFinite>,
    ) -> Result<bool, NotFinite> {
        let [Some(before), Some(after)] = self.values else { return Ok(false) };
        let width = self.after - self.before;
        let usual = STEEP * (slope.abs() * width + self.piece.band + self.piece.doubt);
        let least = before.value.abs().min(after.value.abs());
        let ends = [self.before - ASIDE * width, self.after + ASIDE * width];
        if least <= usual || ends[0] < quest.from || ends[1] > quest.limit {
            return Ok(false);
        }
        let [a, b] = [value(ends[0])?, value(ends[1])?].map(|end| LARGER * end.value.abs());
        Ok(before.value.abs() > a && after.value.abs() > b)
    }

    /// A time before the root at which the comparison surely was on its old side, where the polynomial is not exact
    /// enough to know one: its window would begin with the step, and hold what happened long before.
    fn surely_before(
        &self,
        quest: &Quest,
        (slope, band): (f64, f64),
        value: &mut dyn FnMut(f64) -> Result<Banded, NotFinite>,
    ) -> Result<Option<f64>, NotFinite> {
        let mut back = (band / slope.abs()).max(f64::EPSILON * self.before);
        while back < self.before - quest.from {
            let s = self.before - back;
            let at = value(s)?;
            if quest.up * at.value < -at.band - quest.widening.at(s) {
                return Ok(Some(s));
            }
            back *= FURTHER;
        }
        Ok(None)
    }

    /// Locates the root by values. False: the values never leave the old side.
    fn locate(
        &mut self,
        quest: &Quest,
        value: &mut dyn FnMut(f64) -> Result<Banded, NotFinite>,
    ) -> Result<bool, NotFinite> {
        self.located = true;
        let (up, piece) = (quest.up, &self.piece);
        let (low, high) = (self.walk.low, self.walk.high.unwrap_or(self.exit));
        // From inside the band the value may be beyond the root already: then the root is at the start.
        let at_start = quest.inside && low <= quest.from && up * value(low)?.value > 0.0;
        if at_start || low >= high {
            (self.before, self.after) = (low, low);
            let at_root = (piece.shape.at(piece.place(low)), piece.band);
            self.open_window(quest, at_root);
            return Ok(true);
        }
        let slope = up * piece.shape.value_and_slope(piece.place(self.before)).1 / (piece.to - piece.from);
        let bracket = Bracketed { lo: low, hi: high, guess: self.before, slope };
        let root = narrow(bracket, &mut |s| value(s).map(|v| Banded::new(up * v.value, v.band)))?;
        if !root.seen {
            let exit = value(self.exit)?;
            if up * exit.value <= exit.band + quest.widening.at(self.exit) {
                return Ok(false);
            }
        }
        (self.before, self.after, self.values) = (root.before, root.after, root.values);
        self.pole = self.is_pole(quest, slope, value)?;
        if self.walk.before.is_none() {
            self.walk.before = self.surely_before(quest, (slope, root.band), value)?;
        }
        let at_root = (piece.shape.at(piece.place(root.after)), root.band);
        self.open_window(quest, at_root);
        Ok(true)
    }
}
