//! A step of time stepping over contacts (Moreau 1988, Jean 1999), for times in which hits are too dense to
//! be located one by one.
//!
//! In: a state, and the length of the step. Out: the end of it as that of a [`Trial`](crate::step::Trial),
//! with a straight line between, and what contacts did. Contacts are active whose gap is closed half a step
//! ahead, `g(q + h v/2) ≤ 0`; their impulses are those of `contact/capturing.rs`, with forces in the middle of
//! the step. The end is `q⁺ = q + h (v + v⁺)/2`, and is then put back to where no gap is below zero and joints
//! are shut.

use super::integrator::Integrator;
use super::near_contacts::{Gaps, NearContacts, rounding_of};
use crate::contact::{Status, TimeStep, Unsolved, separate, time_step};
use crate::expr::Inexact;
use crate::formulation::{Field, TouchPoint, Touching};
use crate::watch::NOTHING_LEFT;

/// How often gaps are brought back to zero within a step, at most. They are curved, so that each time leaves
/// the square of what it takes off; four are enough from any depth that is small beside the bodies.
const MOST_SEPARATIONS: usize = 6;

/// How often a step is solved with more contacts, at most: each is pushed into by those before it.
const MOST_ATTEMPTS: usize = 4;

/// What contacts did in a step.
#[derive(Clone, Debug, Default)]
pub(super) struct CapturedStep {
    /// The contacts that were active, in rising order.
    pub(super) active: Vec<usize>,
    /// Those of them whose gap stays closed.
    pub(super) stays: Vec<usize>,
    /// The impulses of active contacts along normals and tangents.
    pub(super) impulses: Vec<(f64, f64)>,
    pub(super) hits: usize,
    /// The work of impulses and of bringing gaps back, and what of the former is gained.
    pub(super) energy: f64,
    pub(super) gain: f64,
    /// The contact that was deepest below zero before gaps were brought back, and how deep.
    pub(super) deepest: Option<(usize, f64)>,
}

/// Contacts whose step could not be solved.
pub(super) type UnsolvedStep = (Vec<usize>, Unsolved);

/// Makes steps of time stepping, as the trials of an integrator.
pub(super) struct TimeStepping<'r, 'a> {
    pub(super) integrator: &'r mut Integrator<'a>,
    pub(super) near: &'r mut NearContacts,
}

impl TimeStepping<'_, '_> {
    /// Makes a step in which contacts are captured.
    pub(super) fn attempt(&mut self, h: f64) -> Result<CapturedStep, UnsolvedStep> {
        let t = self.integrator.trial.t;
        self.near.begin(self.integrator, h);
        let middle = self.middle(h);
        let mut active = self.closed_at(t + 0.5 * h, &middle);
        let (solved, mut end) = self.solve(h, &middle, &mut active)?;
        let fail = |why| (active.clone(), why);
        let (deepest, lifted) = self.open_gaps(t + h, &mut end, &active);
        if !end.iter().all(|y| y.is_finite()) {
            return Err(fail(Unsolved::Impact));
        }
        self.integrator.trial.h = h;
        self.integrator.trial.end.copy_from_slice(&end);
        (self.integrator.trial.error, self.integrator.trial.fault) = (0.0, None);
        self.integrator.trial.fill_line();
        self.integrator.dense_number += 1;
        let stays = active.iter().zip(&solved.stays).filter(|(_, stays)| **stays).map(|(&k, _)| k).collect();
        let all: Vec<f64> = solved.impulses.iter().zip(&solved.impacts).map(|(p, more)| p + more).collect();
        let impulses = all.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        let (hits, energy, gain) = (solved.hits, solved.energy + lifted, solved.gain);
        Ok(CapturedStep { active, stays, impulses, hits, energy, gain, deepest })
    }

    /// The impulses of active contacts and the end of the step. A contact that is below zero there without having
    /// been active is so in another attempt: to bring its gap back would do work that no impulse makes up for.
    fn solve(
        &mut self,
        h: f64,
        middle: &[f64],
        active: &mut Vec<usize>,
    ) -> Result<(TimeStep, Vec<f64>), UnsolvedStep> {
        let t = self.integrator.trial.t;
        let mut attempts = 0;
        loop {
            let touching = self.touching(t + 0.5 * h, middle, active);
            let touching = touching.ok_or_else(|| (active.clone(), Unsolved::Impact))?;
            let solved = time_step(&touching.relations, h);
            let mut end = self.end_of(h, middle, (&touching, &solved));
            self.shut_joints_of(t + h, &mut end);
            attempts += 1;
            let gaps = self.gaps(t + h, &end);
            let mut missed = gaps.that(is_below);
            missed.retain(|k| !active.contains(k));
            if missed.is_empty() || attempts == MOST_ATTEMPTS {
                return Ok((solved, end));
            }
            active.extend(missed);
            active.sort_unstable();
        }
    }

    /// The coordinates half a step ahead with the speeds of its start. States that are no part of the
    /// mechanism follow their derivatives.
    fn middle(&mut self, h: f64) -> Vec<f64> {
        let (start, layout) = (&self.integrator.trial.start, self.integrator.flow.system().layout());
        let mut middle = start.clone();
        for i in 0..layout.q.min(layout.v) {
            middle[i] += 0.5 * h * start[layout.q + i];
        }
        if layout.q + layout.v < start.len() {
            let mut rates = vec![0.0; start.len()];
            self.integrator.flow.derivative(self.integrator.trial.t, start, &mut rates);
            for i in layout.q + layout.v..start.len() {
                middle[i] += 0.5 * h * rates[i];
            }
        }
        middle
    }

    /// The end of the step with these impulses. Impacts at its end do not move the coordinates, so that forces do
    /// the work that impulses were found with.
    fn end_of(&mut self, h: f64, middle: &[f64], (touching, solved): (&Touching, &TimeStep)) -> Vec<f64> {
        let (mut end, layout) = (self.integrator.trial.start.clone(), self.integrator.flow.system().layout());
        for i in 0..layout.v {
            let kick = |impulses: &[f64]| -> f64 {
                impulses.iter().zip(&touching.responses).map(|(p, response)| p * response[i]).sum()
            };
            let change = h * touching.free_motion[i] + kick(&solved.impulses);
            end[layout.q + i] += change + kick(&solved.impacts);
            if i < layout.q {
                end[i] += h * (self.integrator.trial.start[layout.q + i] + 0.5 * change);
            }
        }
        if layout.q + layout.v < end.len() {
            let mut rates = vec![0.0; end.len()];
            self.integrator.flow.derivative(self.integrator.trial.t + 0.5 * h, middle, &mut rates);
            for i in layout.q + layout.v..end.len() {
                end[i] += h * rates[i];
            }
        }
        end
    }

    /// The contacts whose gap at a point is zero as far as can be told, or below.
    fn closed_at(&mut self, t: f64, y: &[f64]) -> Vec<usize> {
        self.gaps(t, y).that(|gap| gap.value <= NOTHING_LEFT * gap.bound)
    }

    /// The gaps at a point that may be zero or below, with what rounding makes of them.
    fn gaps(&mut self, t: f64, y: &[f64]) -> Gaps {
        self.near.gaps(self.integrator, t, y)
    }

    fn touching(&mut self, t: f64, y: &[f64], which: &[usize]) -> Option<Touching> {
        let mode = self.integrator.flow.mode.clone();
        let point = TouchPoint { t, y, before: y, mode_before: &mode, delta: &rounding_of(y) };
        self.integrator.flow.contacts().touching(point, (which, &vec![Status::Open; which.len()]), &[])
    }

    fn shut_joints_of(&mut self, t: f64, y: &mut [f64]) {
        if self.integrator.flow.has_active_constraints() {
            self.integrator.flow.projection().project_state(t, y);
        }
    }

    /// Moves the coordinates so that no gap is below zero, by as little as that takes in the metric of the
    /// masses. Gives the contact that was deepest, and the work that this takes against the forces.
    fn open_gaps(&mut self, t: f64, y: &mut [f64], active: &[usize]) -> (Option<(usize, f64)>, f64) {
        let (mut deepest, mut members): (Option<(usize, f64)>, Vec<usize>) = (None, Vec::new());
        let mut lifted = 0.0;
        for _ in 0..MOST_SEPARATIONS {
            let gaps = self.gaps(t, y);
            let depth = |k: usize| gaps.of(k).map_or(0.0, |gap| -gap.value);
            let open = gaps.that(is_below);
            let worst = open.iter().copied().max_by(|&a, &b| depth(a).total_cmp(&depth(b)));
            let Some(worst) = worst else { break };
            deepest = deepest.or(Some((worst, depth(worst))));
            let near = |k: &usize| gaps.of(*k).is_some_and(|gap| gap.value <= NOTHING_LEFT * gap.bound);
            members.extend(open);
            members.extend(active.iter().filter(|k| near(k)));
            members.sort_unstable();
            members.dedup();
            match self.separate(t, y, (&members, &gaps)) {
                Some(work) => lifted += work,
                None => break,
            }
        }
        (deepest, lifted)
    }

    /// One correction of the gaps of some contacts. Gives its work against the forces; none if the mechanism cannot
    /// move so.
    fn separate(&mut self, t: f64, y: &mut [f64], (members, gaps): (&[usize], &Gaps)) -> Option<f64> {
        let Touching { mut relations, responses, .. } = self.touching(t, y, members)?;
        for (i, &k) in members.iter().enumerate() {
            relations.velocity[2 * i] = gaps.of(k).unwrap_or_default();
            relations.velocity[2 * i + 1] = Inexact::default();
        }
        let impulses = separate(&relations);
        let layout = self.integrator.flow.system().layout();
        for i in 0..layout.q.min(layout.v) {
            y[i] += impulses.iter().zip(&responses).map(|(p, response)| p * response[i]).sum::<f64>();
        }
        if self.integrator.flow.has_active_constraints() {
            self.integrator.flow.projection().project_positions(t, y);
        }
        Some(0.0 - impulses.iter().zip(&relations.free).map(|(p, free)| p * free.value).sum::<f64>())
    }
}

/// Whether a gap is below zero, as far as can be told.
fn is_below(gap: Inexact) -> bool {
    gap.value < -gap.bound
}
