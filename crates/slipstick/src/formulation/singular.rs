//! Singular configurations of a mechanism: there a row of constraints vanishes, or follows from others on
//! which it does not depend elsewhere, and the rank of the gradients is less.
//!
//! In the motion through such a position accelerations are smooth, but only where the constraints are met:
//! off them by `e`, at a distance `d`, directions of motion are wrong by `e / d`. A method that makes its
//! stages off the constraints loses its order there, and a shorter step only comes nearer. So the least that
//! is left of an independent row beside the others is kept an eye on: if it changes much within a step that
//! is not good enough, an explicit method makes the step again with stages that are brought to the
//! constraints. That is the same method for equations with the same solution, `y' = f(P(y))`, where `P` is the
//! projection; these are smooth along the motion. Implicit methods leave the step to an explicit one
//! (`simulate/singular_passage.rs`).

use super::views::InMode;
use crate::math::Saddle;

/// A row of constraints that is shorter than this part of what it can be has next to no direction left, and
/// so has one of which less is left beside others.
const NEXT_TO_NOTHING: f64 = 0.05;
/// The rank is about to change within a step if what is left of a row at one point is less than this part of
/// what it is at another.
const CHANGES: f64 = 0.5;

/// The least and the most that something has been.
type Range = (f64, f64);
const NOT_YET: Range = (f64::INFINITY, 0.0);

/// What is known of how near the motion has come to singular configurations.
#[derive(Clone, Debug)]
pub(super) struct SingularWatch {
    /// The lengths that the row of each constraint has had in steps that were taken, and in the attempt of
    /// one: in coordinates, and weighed by masses. Units of coordinates may make a row short in one of both
    /// measures.
    lengths: Vec<[Range; 2]>,
    tried: Vec<[Range; 2]>,
    /// What was left of the narrowest row beside the others: in steps that were taken, and in the attempt of
    /// one, with the row that had least.
    narrowest: Range,
    in_step: Range,
    narrowest_row: usize,
    /// The first constraint that came next to nothing, if one has.
    first: Option<Shrunk>,
}

/// A constraint that fixes next to nothing at some position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shrunk {
    /// The constraint.
    pub row: usize,
    /// Whether it fixes something that others fix too; else it fixes nothing at all.
    pub beside_others: bool,
}

impl SingularWatch {
    pub(super) fn new(constraints: usize) -> Self {
        Self {
            lengths: vec![[NOT_YET; 2]; constraints],
            tried: vec![[NOT_YET; 2]; constraints],
            narrowest: NOT_YET,
            in_step: NOT_YET,
            narrowest_row: 0,
            first: None,
        }
    }

    /// Takes note of the length of a row, and of the one by masses, which is zero if there are none.
    pub(super) fn note_length(&mut self, row: usize, length: f64, weighed: f64) {
        // A constraint with branches may say nothing for a while.
        if length > 0.0 {
            widen(&mut self.tried[row][0], length);
            widen(&mut self.tried[row][1], if weighed > 0.0 { weighed } else { length });
        }
    }

    /// Takes note of the row that has least left beside the others.
    pub(super) fn note_narrowest(&mut self, (row, left): (usize, f64)) {
        if left < self.in_step.0 {
            self.narrowest_row = row;
        }
        widen(&mut self.in_step, left);
    }

    /// Another step is tried.
    #[inline]
    pub(super) fn begin_step(&mut self) {
        self.in_step = NOT_YET;
    }

    /// What was seen of a row in the attempt of a step does not count.
    pub(super) fn forget_row(&mut self, row: usize) {
        self.tried[row] = [NOT_YET; 2];
    }

    /// The step that was tried is not taken.
    fn forget_trial(&mut self) {
        self.tried.fill([NOT_YET; 2]);
    }

    /// How long the shortest row of a linear system is, as a part of what it has been in steps that were
    /// taken. A row beside which there are no others can only be short.
    fn shortest(&self, saddle: &Saddle) -> f64 {
        let rows = saddle.lengths.iter().zip(&saddle.weighed).zip(&self.lengths);
        let part = |length: f64, taken: Range| if length > 0.0 { length / taken.1.max(length) } else { 1.0 };
        let more = |((length, weighed), taken): ((&f64, &f64), &[Range; 2])| {
            let by_masses = if *weighed > 0.0 { part(*weighed, taken[1]) } else { 0.0 };
            part(*length, taken[0]).max(by_masses)
        };
        rows.map(more).fold(f64::INFINITY, f64::min)
    }

    /// Whether what is left of a row changes much in the attempt of a step, or a row that is next to nothing
    /// does: lengths change far from singular configurations too.
    fn changes(&self) -> bool {
        changes(self.in_step) || self.vanishes()
    }

    fn vanishes(&self) -> bool {
        let is_short = |(tried, taken): (&Range, &Range)| {
            changes(*tried) && tried.0 < NEXT_TO_NOTHING * tried.1.max(taken.1)
        };
        let vanishes = |(tried, taken): (&[Range; 2], &[Range; 2])| tried.iter().zip(taken).all(is_short);
        self.tried.iter().zip(&self.lengths).any(vanishes)
    }

    /// Whether next to nothing is left of a row beside the others.
    fn is_narrow(&self) -> bool {
        self.in_step.0 < NEXT_TO_NOTHING * self.narrowest.1
    }

    /// The step was taken. An attempt that was not may have been far off: it says nothing.
    fn take_step(&mut self) {
        let (least, most) = std::mem::replace(&mut self.in_step, NOT_YET);
        if least <= most && (widen(&mut self.narrowest, least) | widen(&mut self.narrowest, most)) {
            self.name(self.narrowest_row, true);
        }
        for row in 0..self.tried.len() {
            let tried = std::mem::replace(&mut self.tried[row], [NOT_YET; 2]);
            let widened = |(range, (least, most)): (&mut Range, Range)| {
                least <= most && (widen(range, least) | widen(range, most))
            };
            let short = self.lengths[row].iter_mut().zip(tried).map(widened).filter(|is_short| *is_short);
            if short.count() == 2 {
                self.name(row, false);
            }
        }
    }

    /// A constraint fixes next to nothing; of these only the first is of interest.
    pub(super) fn name(&mut self, row: usize, beside_others: bool) {
        self.first = self.first.or(Some(Shrunk { row, beside_others }));
    }
}

fn changes((least, most): Range) -> bool {
    least < CHANGES * most
}

/// Brings a number into a range; true if the least is next to nothing beside the most.
fn widen(range: &mut Range, x: f64) -> bool {
    *range = (range.0.min(x), range.1.max(x));
    range.0 < NEXT_TO_NOTHING * range.1
}

/// How near the motion of a mechanism is to singular configurations.
pub struct SingularView<'f, 'a> {
    pub(super) in_mode: InMode<'f, 'a>,
}

impl SingularView<'_, '_> {
    /// Begins to watch the rank of the gradients, before the attempt of a step from a point.
    #[inline]
    pub fn begin_step(&mut self, t: f64, y: &[f64]) {
        if let Some(mechanism) = &mut self.in_mode.mechanism {
            mechanism.refresh(self.in_mode.locked, t, y);
            mechanism.form_mut().index1.linear.watch.begin_step();
        }
    }

    /// Whether the rank of the gradients is about to change, by what was seen since
    /// [`begin_step`](Self::begin_step), in a mechanism that is kept on its constraints.
    pub fn rank_changes(&self) -> bool {
        self.in_mode
            .form()
            .is_some_and(|form| form.projection.keeps_positions() && form.index1.linear.watch.changes())
    }

    /// Whether a step was next to a singular configuration, by what was seen since
    /// [`begin_step`](Self::begin_step), or the rank changes and it is not good, in a mechanism that is kept
    /// on its constraints.
    #[inline]
    pub fn is_near(&self, is_good: bool) -> bool {
        let form = self.in_mode.form();
        let is_near = form
            .is_some_and(|form| form.index1.linear.watch.is_narrow() && form.projection.keeps_positions());
        is_near || !is_good && self.rank_changes()
    }

    /// The same for a method that keeps the constraints by itself and may not have looked at the ends of its
    /// step: whether it was next to a singular configuration, or a row vanishes in it and it is not good.
    /// That the rank changes is no reason: its own steps are much shorter than those that pass, and it would
    /// not come back to them.
    pub fn is_at(&mut self, is_good: bool, ends: &[(f64, &[f64])]) -> bool {
        if !is_good {
            for (t, y) in ends {
                self.left_at(*t, y);
            }
        }
        let is_at = |watch: &SingularWatch| watch.is_narrow() || !is_good && watch.vanishes();
        self.in_mode
            .form()
            .is_some_and(|form| form.projection.keeps_positions() && is_at(&form.index1.linear.watch))
    }

    /// What is left of the narrowest row beside the others at a point, as a part of it.
    pub fn left_at(&mut self, t: f64, y: &[f64]) -> f64 {
        let left = self.in_mode.on_form(t, y, |form, env, y| {
            form.index1.linear.factor(env, y);
            form.index1.linear.left_beside_others()
        });
        left.unwrap_or(1.0)
    }

    /// The least that was seen to be left of it since [`begin_step`](Self::begin_step), in a mechanism that
    /// is kept on its constraints.
    pub fn narrowest_in_step(&self) -> f64 {
        let form = self.in_mode.form().filter(|form| form.projection.keeps_positions());
        form.map_or(f64::INFINITY, |form| form.index1.linear.watch.in_step.0)
    }

    /// The most that was left of it in steps that were taken.
    pub fn widest(&self) -> f64 {
        self.in_mode.form().map_or(1.0, |form| form.index1.linear.watch.narrowest.1)
    }

    /// What is left of the narrowest row beside the others where the linear system was factored last, as a
    /// part of it: nothing at a singular configuration.
    pub fn narrowest(&self) -> f64 {
        let Some(form) = self.in_mode.form() else { return 1.0 };
        let linear = &form.index1.linear;
        linear.watch.shortest(&linear.saddle).min(linear.left_beside_others())
    }

    /// Takes note of the point whose terms were evaluated last, for a method that does not factor them.
    pub fn note_evaluated(&mut self) {
        if let Some(mechanism) = &mut self.in_mode.mechanism {
            mechanism.factor_terms();
        }
    }

    /// The step that was tried is not taken: where it has been does not count.
    pub fn forget_trial(&mut self) {
        if let Some(form) = self.in_mode.form_mut() {
            form.index1.linear.watch.forget_trial();
        }
    }

    /// The first constraint of a mechanism that has come next to a configuration in which it fixes nothing,
    /// if one has, now that a step was taken.
    pub fn take_shrunk(&mut self) -> Option<Shrunk> {
        let linear = &mut self.in_mode.form_mut()?.index1.linear;
        linear.watch.take_step();
        let first = linear.watch.first.take()?;
        Some(Shrunk { row: linear.rows.constraint(first.row), ..first })
    }

    /// Whether the row of a constraint is about as long all around a state as it is there.
    pub fn is_only_scaled(&mut self, constraint: usize, t: f64, y: &[f64]) -> bool {
        let is_scaled = self.in_mode.on_form(t, y, |form, env, y| {
            let row = form.rows().row(constraint);
            row.is_some_and(|row| form.index1.linear.is_only_scaled(env, row, y))
        });
        is_scaled.unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_vanishes_in_a_taken_step_is_named() {
        let mut watch = SingularWatch::new(2);
        watch.note_length(1, 1.0, 0.0);
        watch.take_step();
        assert!(watch.first.is_none() && !watch.changes());
        watch.begin_step();
        watch.note_length(1, 0.5, 0.0);
        watch.note_length(1, 0.01, 0.0);
        assert!(watch.vanishes(), "less than a twentieth of what it was, and it changes");
        watch.forget_trial();
        watch.take_step();
        assert!(watch.first.is_none(), "a step that was not taken says nothing");
        watch.note_length(1, 0.01, 0.0);
        watch.take_step();
        assert_eq!(watch.first, Some(Shrunk { row: 1, beside_others: false }));
    }

    #[test]
    fn the_rank_changes_where_little_is_left_beside_others() {
        let mut watch = SingularWatch::new(1);
        watch.note_narrowest((0, 0.8));
        watch.take_step();
        watch.note_narrowest((0, 0.7));
        assert!(!watch.changes() && !watch.is_narrow());
        watch.note_narrowest((0, 0.02));
        assert!(watch.changes() && watch.is_narrow());
        watch.begin_step();
        assert!(!watch.changes() && !watch.is_narrow());
    }
}
