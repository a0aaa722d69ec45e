//! The first firing within a step: flips of comparisons in order of time, guards read after each group of
//! them (rule 12).

use super::bernstein::{Extent, bounds};
use super::chebyshev;
use super::condition::{Placement, Touches};
use super::cover::Cover;
use super::flip::{Flip, Track, value_at};
use super::guards::{Cause, GuardTable, Snapshot};
use super::polyline;
use super::search::{Peak, Quest, ROUNDING, StepPiece, Widening};
use super::side::{Input, SideState, turn};
use super::sides::SideTable;
use super::signals::{Banded, Described, NotFinite, STEP_DEGREE, Signals, StepPolynomial};
use super::step_scan::Arrival;
use crate::math::Bracket;
use std::cmp::Ordering;

/// How many times further than its slope says a comparison can be beyond its root without a jump.
const STEEP: f64 = 8.0;

/// The most pieces of a comparison in a step that could be shorter, those through values counted by what they cost: a
/// polynomial that bends a few times, or has a kink that is told apart by halving, takes a few dozen. What takes more turns
/// many times, and its first event is near the beginning.
const MOST_PIECES: usize = 128;

/// The first firing in a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Where the state is put, in local time of the step; it can be 0.
    pub s: f64,
    /// The last time surely before it.
    pub lo: f64,
    /// The first time surely after it.
    pub hi: f64,
    /// The guards that fire together, in rising order.
    pub fired: Vec<usize>,
    /// The comparisons whose change makes them fire, in rising order.
    pub changed: Vec<usize>,
    /// For each of `changed`, the largest `|g|` since it last fired, with its band (rule 18).
    pub peaks: Vec<Banded>,
    /// Touches that are among what fires; the scan itself finds none.
    pub touched: Vec<Touch>,
}

/// The peak of a comparison that came into its band and left it on the same side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// The comparison.
    pub comparison: usize,
    /// Where, in local time.
    pub s: f64,
    /// How far from zero it is there.
    pub height: f64,
    /// How fast it may still move there.
    pub slope: f64,
}

/// How a comparison ends the part of the step that was scanned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ending {
    /// How far it is outside its band at least, at the end of what was looked at; negative inside.
    pub(super) reach: f64,
    /// The same anywhere before that: the step may be taken up to an event only.
    pub(super) nearest: f64,
    /// The largest `|g|` in the step, with its band.
    pub(super) peak: Banded,
}

/// What the scan is to know of one comparison.
#[derive(Clone, Copy, Debug)]
pub(super) struct Brief {
    pub(super) comparison: usize,
    pub(super) widening: Widening,
    pub(super) touches: Touches,
    /// A bound of how far from zero a peak can be that counts as a touch.
    pub(super) near: f64,
    /// Whether it came into its band in an earlier step.
    pub(super) entered: bool,
    /// What comes after this local time does not matter.
    pub(super) until: f64,
    /// Whether it may take any number of pieces. Otherwise a step that takes very many is too long.
    pub(super) patient: bool,
}

/// The work of a scan; all its room is kept from step to step.
#[derive(Clone, Debug, Default)]
pub(super) struct Scanner {
    pieces: Vec<StepPiece>,
    room: Vec<StepPiece>,
    tracks: Vec<Track>,
    /// How far from zero each of `found.changed` is where the state is put, as floats of time are
    /// not dense.
    pub(super) slacks: Vec<f64>,
    /// Tracks that flip together, with the sides that they had.
    group: Vec<(usize, SideState)>,
    changed: Vec<usize>,
    affected: Vec<usize>,
    fired: Vec<usize>,
    pub(super) ends: Vec<(usize, Ending)>,
    pub(super) found: Found,
    pub(super) touches: Vec<Touch>,
    pub(super) unproved: Vec<usize>,
    /// What is known of the comparison at hand over the step.
    polynomial: StepPolynomial,
    known: Option<Described>,
    /// The only points that may be looked at; empty: all.
    points: Vec<f64>,
}

/// Whether a value beyond a root is more than the slope after it explains: then the comparison has jumped
/// there.
fn jumps(
    signals: &mut dyn Signals,
    comparison: usize,
    (before, s): (f64, f64),
    value: Banded,
) -> Result<bool, NotFinite> {
    let further = s + (s - before);
    let rise = (value_at(signals, comparison, further)?.value.abs() - value.value).abs();
    Ok(value.value.abs() > STEEP * (rise + value.band))
}

/// Whether a comparison starts inside its band, and whether it came into it by motion. What came near its
/// band in the last step may be outside it by its value.
fn starts(signals: &mut dyn Signals, brief: &Brief, side: SideState) -> Result<(bool, bool), NotFinite> {
    if !brief.entered {
        return Ok((side.is_inside(), false));
    }
    let at = value_at(signals, brief.comparison, 0.0)?;
    let up = if side.truth() == Some(true) { at.value } else { -at.value };
    let inside = up <= at.band + brief.widening.constant;
    Ok((inside, inside))
}

impl Scanner {
    /// Takes over where comparisons may be looked at.
    pub(super) fn look_at(&mut self, points: &[f64]) {
        self.points.clear();
        self.points.extend_from_slice(points);
    }

    /// Forgets the last scan.
    pub(super) fn clear(&mut self) {
        self.pieces.clear();
        self.tracks.clear();
        self.ends.clear();
        self.touches.clear();
        self.unproved.clear();
        self.found.fired.clear();
        self.found.changed.clear();
        self.found.peaks.clear();
        self.slacks.clear();
    }

    /// Takes up a comparison that cannot come to its band before a local time: nothing has to be known of it.
    pub(super) fn keep_away(&mut self, sides: &SideTable, arrival: Arrival, until: f64) {
        let Arrival { comparison, earliest } = arrival;
        let reach = sides.records[comparison].reach;
        let goes = reach * (until / earliest);
        let left = reach - goes;
        let end = Ending { reach: left, nearest: left, peak: Banded::new(reach + goes, 0.0) };
        self.ends.push((comparison, end));
    }

    /// Takes up the comparison that was described, which is outside its band, on the + side or not, and needs
    /// no track if it stays there for this part of the step. False: it has to be followed.
    pub(super) fn passes(&mut self, comparison: usize, plus: bool, part: f64) -> bool {
        if self.known != Some(Described::Here) {
            return false;
        }
        let end = self.polynomial.outside(plus, part);
        if let Some(end) = end {
            self.ends.push((comparison, end));
        }
        end.is_some()
    }

    /// Whether the comparison that was described surely ends the step on the other side than it is on.
    pub(super) fn ends_beyond(
        &self,
        signals: &mut dyn Signals,
        brief: &Brief,
        plus: bool,
        h: f64,
    ) -> Result<bool, NotFinite> {
        let end = match self.known {
            Some(Described::Never) => value_at(signals, brief.comparison, h)?,
            Some(Described::Here) => self.polynomial.end(),
            Some(Described::Shorter) | None => return Ok(false),
        };
        let beyond = if plus { -end.value } else { end.value };
        Ok(beyond > end.band + brief.widening.at(h))
    }

    /// When the comparison that was followed last has changed for sure, if a guard fires by that, whatever the
    /// others do: what changes after it does not matter.
    pub(super) fn fires_by(&self, table: &GuardTable, now: &Snapshot) -> Option<f64> {
        let track = self.tracks.last()?;
        let flip = track.flip.as_ref()?;
        table.fires_alone(track.comparison, flip.plus, now).then_some(flip.hi + (flip.hi - flip.lo))
    }

    /// Asks for the polynomial of a comparison over the step, if all of it may be looked at.
    pub(super) fn describe(&mut self, signals: &mut dyn Signals, comparison: usize, h: f64) {
        let all = self.points.is_empty();
        self.known = all.then(|| signals.polynomial(comparison, (0.0, h), &mut self.polynomial));
    }

    /// Whether the comparison that was described has to be covered part by part.
    pub(super) fn needs_parts(&self) -> bool {
        match self.known {
            Some(Described::Here) => !self.polynomial.will_do(),
            Some(Described::Shorter) => true,
            Some(Described::Never) | None => false,
        }
    }

    /// Adds the pieces of a comparison up to `limit`, by what is known of it. Gives whether all of them could be proved, and
    /// whether they are all: otherwise they were too many.
    fn add_pieces(
        &mut self,
        signals: &mut dyn Signals,
        (comparison, most): (usize, usize),
        (h, limit): (f64, f64),
    ) -> Result<(bool, bool), NotFinite> {
        match self.known {
            None => {
                let value = &mut |s| value_at(signals, comparison, s);
                polyline::lines(value, &self.points, (h, limit), &mut self.pieces).map(|()| (true, true))
            }
            Some(Described::Never) => {
                let value = &mut |s| value_at(signals, comparison, s);
                chebyshev::sample(value, 0.0, limit, &mut self.pieces).map(|told| (told, true))
            }
            Some(known) => {
                let cover = Cover::new(signals, comparison, h, (&mut self.pieces, most, limit));
                cover.whole(known, &self.polynomial)
            }
        }
    }

    /// Follows the comparison that was described. False: it turns too often in this step.
    pub(super) fn follow(
        &mut self,
        signals: &mut dyn Signals,
        brief: Brief,
        side: SideState,
        (h, limit): (f64, f64),
    ) -> Result<bool, NotFinite> {
        let (comparison, start) = (brief.comparison, self.pieces.len());
        let most = if brief.patient { usize::MAX } else { MOST_PIECES };
        let (proved, complete) = self.add_pieces(signals, (comparison, most), (h, limit))?;
        if !complete {
            return Ok(false);
        }
        let (inside, entered) = starts(signals, &brief, side)?;
        let quest = Quest {
            up: 1.0,
            from: 0.0,
            limit: limit.min(brief.until),
            widening: brief.widening,
            touches: brief.touches != Touches::Ignored,
            near: brief.near,
            h,
            inside,
            entered,
        };
        let mut track = Track {
            comparison,
            pieces: (start, self.pieces.len()),
            quest,
            flip: None,
            touch: None,
            peak: None,
            unproved: !proved,
            flips: 0,
        };
        track.advance(signals, side, (&self.pieces, &mut self.room))?;
        self.tracks.push(track);
        Ok(true)
    }

    /// Whether comparisons are followed: otherwise no side changes.
    pub(super) fn follows(&self) -> bool {
        !self.tracks.is_empty()
    }

    /// Whether a guard may fire by the flips as polynomials show them; sides and pasts move on in `next`. Flips
    /// that overlap could fire in one order or another, which only values tell.
    pub(super) fn may_fire(
        &mut self,
        signals: &mut dyn Signals,
        table: &GuardTable,
        next: &mut Snapshot,
    ) -> Result<bool, NotFinite> {
        while let Some(first) = self.first() {
            self.gather(first, next);
            self.cross(next);
            table.affected(&self.changed, &mut self.affected);
            table.firing(&self.affected, next, Cause::Crossing, &mut self.fired);
            if self.group.len() > 1 || !self.fired.is_empty() {
                return Ok(true);
            }
            table.remember(&self.affected, &[], next);
            self.go_on(signals, next)?;
        }
        Ok(false)
    }

    /// Goes through the flips in order of time until a guard fires; sides and pasts move on in `next`.
    pub(super) fn resolve(
        &mut self,
        signals: &mut dyn Signals,
        table: &GuardTable,
        next: &mut Snapshot,
    ) -> Result<bool, NotFinite> {
        while let Some(first) = self.first() {
            self.gather(first, next);
            if self.group.len() > 1 && self.locate_group(signals)? {
                continue;
            }
            self.cross(next);
            table.affected(&self.changed, &mut self.affected);
            table.firing(&self.affected, next, Cause::Crossing, &mut self.fired);
            if self.fired.is_empty() {
                table.remember(&self.affected, &[], next);
                self.go_on(signals, next)?;
                continue;
            }
            self.group.iter().for_each(|&(track, side)| next.sides[self.tracks[track].comparison] = side);
            if self.locate_group(signals)? {
                continue;
            }
            if self.passes_poles(signals, table, next)? {
                continue;
            }
            self.place(first, table);
            table.affected(&self.found.changed, &mut self.affected);
            for flipped in self.tracks.iter().filter(|track| self.found.changed.contains(&track.comparison)) {
                let side = flipped.flip.as_ref().map_or(SideState::Fired, Flip::fired_side);
                next.sides[flipped.comparison] = side;
            }
            self.measure_slacks(signals, next)?;
            table.remember(&self.affected, &self.found.fired, next);
            return Ok(true);
        }
        Ok(false)
    }

    /// Comparisons of the group that change sides through a pole do so without firing, unless a guard asks
    /// for it. True: there was one.
    fn passes_poles(
        &mut self,
        signals: &mut dyn Signals,
        table: &GuardTable,
        next: &mut Snapshot,
    ) -> Result<bool, NotFinite> {
        let tracks = &self.tracks;
        let fires = |comparison: usize| table.readers(comparison).any(|guard| table.specs[guard].poles);
        let pole = |track: &Track| track.flip.as_ref().is_some_and(|flip| flip.pole);
        let passes =
            |&(index, _): &(usize, SideState)| pole(&tracks[index]) && !fires(tracks[index].comparison);
        if !self.group.iter().any(passes) {
            return Ok(false);
        }
        self.group.retain(passes);
        self.changed.clear();
        self.changed.extend(self.group.iter().map(|&(index, _)| self.tracks[index].comparison));
        self.cross(next);
        table.affected(&self.changed, &mut self.affected);
        table.remember(&self.affected, &[], next);
        self.go_on(signals, next)?;
        Ok(true)
    }

    /// The flip that is the first to be surely over.
    fn first(&self) -> Option<Bracket> {
        let flips = self.tracks.iter().filter_map(|track| track.flip.as_ref());
        let first = flips.min_by(|a, b| a.hi.total_cmp(&b.hi))?;
        Some(Bracket { lo: first.lo, hi: first.hi })
    }

    /// Rule 12: what flips together with the first flip.
    fn gather(&mut self, first: Bracket, next: &Snapshot) {
        self.group.clear();
        self.changed.clear();
        let latest = first.hi + first.width();
        for (index, track) in self.tracks.iter().enumerate() {
            // Windows that come from polynomials are too wide to say what does not happen together.
            let together = |flip: &Flip| flip.lo <= first.hi && (flip.hi <= latest || !flip.located);
            if track.flip.as_ref().is_some_and(together) {
                self.group.push((index, next.sides[track.comparison]));
                self.changed.push(track.comparison);
            }
        }
    }

    /// Locates the flips of the group. True: something has moved.
    fn locate_group(&mut self, signals: &mut dyn Signals) -> Result<bool, NotFinite> {
        let mut moved = false;
        for &(index, side) in &self.group {
            let track = &mut self.tracks[index];
            if track.flip.as_ref().is_some_and(|flip| !flip.located) {
                track.locate(signals, side, (&self.pieces, &mut self.room))?;
                moved = true;
            }
        }
        Ok(moved)
    }

    /// The comparisons of the group change sides.
    fn cross(&self, next: &mut Snapshot) {
        for &(index, side) in &self.group {
            let track = &self.tracks[index];
            let plus = track.flip.as_ref().is_some_and(|flip| flip.plus);
            let leaves = if plus { Input::LeavesToPlus } else { Input::LeavesToMinus };
            let inside = turn(side, Input::Enters).0;
            next.sides[track.comparison] = turn(turn(inside, leaves).0, leaves).0;
        }
    }

    /// No guard fires: the comparisons of the group are searched from the ends of their windows on.
    fn go_on(&mut self, signals: &mut dyn Signals, next: &Snapshot) -> Result<(), NotFinite> {
        for &(index, _) in &self.group {
            let track = &mut self.tracks[index];
            track.go_on(signals, next.sides[track.comparison], (&self.pieces, &mut self.room))?;
        }
        Ok(())
    }

    /// Chooses where the state is put, and drops guards that are not yet within their window there.
    ///
    /// It is the last of the roots, so that none of them is crossed again; but not after the root of a guard
    /// that wants to be before it.
    fn place(&mut self, first: Bracket, table: &GuardTable) {
        let (mut latest, mut bound) = (f64::NEG_INFINITY, f64::INFINITY);
        for &guard in &self.fired {
            let flips = flips_of(table.reads(guard), &self.group, &self.tracks);
            if table.specs[guard].placement == Placement::Before {
                let before = flips.map(|flip| flip.before).fold(f64::NEG_INFINITY, f64::max);
                (latest, bound) = (latest.max(before), bound.min(before));
            } else {
                latest = flips.map(|flip| flip.after).fold(latest, f64::max);
            }
        }
        let s = latest.min(bound);
        let found = &mut self.found;
        (found.s, found.lo, found.hi) = (s, first.lo.min(s), first.hi.max(s));
        for &guard in &self.fired {
            let reads = table.reads(guard);
            if flips_of(reads, &self.group, &self.tracks).all(|flip| flip.lo <= s) {
                found.fired.push(guard);
                found.changed.extend(self.changed.iter().filter(|&comparison| reads.contains(comparison)));
            }
        }
        found.changed.sort_unstable();
        found.changed.dedup();
    }

    /// What has fired counts as inside its band, however steep it is. Where it has jumped, it is on its new
    /// side.
    fn measure_slacks(&mut self, signals: &mut dyn Signals, next: &mut Snapshot) -> Result<(), NotFinite> {
        for &comparison in &self.found.changed {
            self.slacks.push(0.0);
            if next.sides[comparison] != SideState::Fired {
                continue;
            }
            let track = self.tracks.iter().find(|track| track.comparison == comparison);
            let Some(flip) = track.and_then(|track| track.flip.as_ref()) else { continue };
            let s = self.found.s;
            // Seen from the old side.
            let up = if flip.plus { 1.0 } else { -1.0 };
            let value = match flip.value_at(s) {
                Some(value) => value,
                None => value_at(signals, comparison, s).map(|v| Banded::new(up * v.value, v.band))?,
            };
            let beyond = value.value > value.band;
            if beyond && jumps(signals, comparison, (flip.before, s), value)? {
                next.sides[comparison] = if flip.plus { SideState::Plus } else { SideState::Minus };
            } else if let Some(slack) = self.slacks.last_mut() {
                // Also inside its band: that may be narrower when it is looked at again.
                *slack = value.value.abs();
            }
        }
        Ok(())
    }

    /// Ends the scan at a local time: sides of comparisons that are near their band there, touches, peaks.
    /// What touches within the window of what fires counts, too: up to `latest`.
    pub(super) fn finish(&mut self, (s, latest): (f64, f64), next: &mut Snapshot) {
        for track in &self.tracks {
            let comparison = track.comparison;
            let mut end = Ending::of(&self.pieces[track.pieces.0..track.pieces.1], s);
            // Where it fires, its values know their band; that of a polynomial is one for all of a long step.
            end.peak.band = track.flip.as_ref().and_then(Flip::band).unwrap_or(end.peak.band);
            let inside = end.reach <= track.quest.widening.at(s);
            let side = next.sides[comparison];
            next.sides[comparison] = match side {
                SideState::Fired | SideState::Unknown => side,
                _ if inside => turn(side, Input::Enters).0,
                SideState::NearPlus => SideState::Plus,
                SideState::NearMinus => SideState::Minus,
                _ => side,
            };
            // Outside its band again, although no point was surely so.
            let left = !inside && !next.sides[comparison].is_inside() && track.flip.is_none();
            let touch = track.touch.or(track.peak.filter(|_| left)).filter(|at| at.s <= latest);
            if track.quest.touches {
                let told = |Peak { s, height, slope, .. }| {
                    let height = if height.is_finite() { height.abs() } else { 0.0 };
                    Touch { comparison, s, height, slope }
                };
                self.touches.extend(touch.map(told));
            }
            if track.unproved {
                self.unproved.push(comparison);
            }
            self.ends.push((comparison, end));
        }
        self.touches.sort_by(|a, b| a.s.total_cmp(&b.s));
    }
}

/// The flips of a group that some comparisons have.
fn flips_of<'a>(
    reads: &'a [usize],
    group: &'a [(usize, SideState)],
    tracks: &'a [Track],
) -> impl Iterator<Item = &'a Flip> {
    let tracks = group.iter().map(|&(index, _)| &tracks[index]);
    tracks.filter(|track| reads.contains(&track.comparison)).filter_map(|track| track.flip.as_ref())
}

impl StepPolynomial {
    /// The coefficients that are used.
    pub(super) fn powers(&self) -> &[f64] {
        &self.coefficients[..=self.degree.min(STEP_DEGREE)]
    }

    /// The value at the end of the step, with all that it can be wrong by.
    fn end(&self) -> Banded {
        let (value, size) = self.powers().iter().fold((0.0, 0.0), |(sum, size), c| (sum + c, size + c.abs()));
        Banded::new(value, self.band + self.remainder + ROUNDING * size)
    }

    /// How it ends this part of the step, if it stays outside its band on one side in it.
    fn outside(&self, plus: bool, part: f64) -> Option<Ending> {
        let Extent { least, most, last } = if part < 1.0 {
            let (mut powers, mut factor) = (self.coefficients, 1.0);
            for power in &mut powers[1..=self.degree.min(STEP_DEGREE)] {
                factor *= part;
                *power *= factor;
            }
            bounds(&powers[..=self.degree.min(STEP_DEGREE)])
        } else {
            bounds(self.powers())
        };
        let size = if most > -least { most } else { -least };
        let needed = self.band + self.remainder + ROUNDING * size;
        let nearest = if plus { least } else { -most };
        let reach = last.abs() - needed;
        // What is not finite is not outside.
        let outside = nearest > needed && last.is_finite();
        let (nearest, peak) = (nearest - needed, Banded::new(size, self.band));
        outside.then_some(Ending { reach, nearest, peak })
    }
}

impl Ending {
    /// How far outside its band the comparison is at least where the step is taken up to, if it was looked at
    /// until then. Before that, what it came to later is not where the motion goes on.
    pub(super) fn reach_at(&self, s: f64, looked: f64) -> f64 {
        match s.total_cmp(&looked) {
            Ordering::Less => self.nearest,
            Ordering::Equal => self.reach,
            Ordering::Greater => 0.0,
        }
    }

    /// How the comparison of some pieces ends at a local time.
    fn of(pieces: &[StepPiece], s: f64) -> Self {
        let mut end = Self { reach: 0.0, nearest: 0.0, peak: Banded::default() };
        let reached = |(index, piece): &(usize, &StepPiece)| *index == 0 || piece.from < s;
        for (_, piece) in pieces.iter().enumerate().take_while(reached) {
            let whole = piece.to <= s;
            let place = piece.place(s);
            let size = if whole { piece.shape.size() } else { piece.shape.part(0.0, place).size() };
            let value = if whole { piece.shape.last() } else { piece.shape.at(place) };
            end.peak = Banded::new(end.peak.value.max(size), end.peak.band.max(piece.band));
            end.reach = value.abs() - piece.band - piece.doubt;
            end.nearest = end.reach;
        }
        end
    }
}
