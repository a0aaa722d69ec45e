//! Which guards cross zero in a step, as far as samples of it tell: the detection levels of paper 002, section 3.1.
//!
//! A sign that differs from the one before is a crossing between two samples; whatever comes and goes between two samples is missed. These
//! levels are there for comparison and for guards that cost a lot; `detect.rs` looks at the whole step.

use super::Detector;
use super::detect::{BadGuard, check_finite, quiet};
use super::exits::slid_on;
use super::locate::Candidate;
use crate::formulation::Flow;
use crate::math::Probe;
use crate::model::Detection;
use crate::step::Trial;

/// Where a step is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Level {
    /// As asked for.
    pub detection: Detection,
    /// The times of the method's stages, as parts of the step.
    pub nodes: &'static [f64],
}

impl Level {
    /// How many samples there are in a step, its start not among them.
    fn count(&self) -> usize {
        match self.detection {
            Detection::WholeStep | Detection::Ends => 1,
            // The end, where the method has no stage there.
            Detection::Stages => self.nodes.len() + 1,
            Detection::Samples(count) => count.max(1) as usize,
        }
    }

    /// The place of a sample in a part of a step. They are in order, the last is its end; some can be the same.
    fn place(&self, index: usize, (from, to): (f64, f64)) -> f64 {
        let share = match self.detection {
            Detection::Stages => self.sorted_node(index),
            _ => (index + 1) as f64 / self.count() as f64,
        };
        if share == 1.0 { to } else { from + share * (to - from) }
    }

    /// The node with `index` others before it, the end after all of them.
    fn sorted_node(&self, index: usize) -> f64 {
        let before = |i: usize| {
            let node = self.nodes[i];
            self.nodes
                .iter()
                .enumerate()
                .filter(|&(j, other)| *other < node || (*other == node && j < i))
                .count()
        };
        (0..self.nodes.len()).find(|&i| before(i) == index).map_or(1.0, |i| self.nodes[i])
    }
}

impl Detector {
    /// Looks for crossings and for the end of sliding at the samples of a part of a step.
    pub(super) fn look_at_samples(
        &mut self,
        flow: &mut Flow<'_>,
        trial: &Trial,
        part: (f64, f64),
        level: Level,
    ) -> Result<(), BadGuard> {
        let sliding = flow.sliding().filter(|_| part.0 == 0.0).map_or(0, |sliding| sliding.surfaces().len());
        for i in 0..sliding {
            let Some(g) = slid_on(flow, i) else { continue };
            let start = Probe { x: part.0, value: 0.25 };
            self.sample_guard(flow, trial, g, (1.0, start, part), level)?;
        }
        if self.surfaces.is_empty() {
            return Ok(());
        }
        self.know_last(flow, trial)?;
        self.sample_end(flow, trial, part.1)?;
        for i in 0..self.surfaces.len() {
            let g = self.surfaces[i];
            if self.sides[g] == 0.0 {
                self.find_departure(flow, g, part.0);
                continue;
            }
            let start = Probe { x: part.0, value: self.last.values[g] };
            self.sample_guard(flow, trial, g, (self.sides[g], start, part), level)?;
        }
        Ok(())
    }

    /// The guards at the end of a part of a step.
    fn sample_end(&mut self, flow: &mut Flow<'_>, trial: &Trial, to: f64) -> Result<(), BadGuard> {
        trial.state_at(to, &mut self.state);
        flow.guards(trial.t + to, &self.state, &mut self.next.values);
        check_finite(&self.surfaces, &self.next.values, trial.t + to)?;
        for &g in self.surfaces.iter().filter(|&&g| to <= self.noise_ends[g]) {
            self.next.values[g] = quiet(self.next.values[g], self.noise[g], self.sides[g]);
        }
        self.between.iter_mut().for_each(|values| values.copy_from_slice(&self.next.values));
        self.settle_residues(to);
        Ok(())
    }

    /// The first change of sign of one guard that its direction admits.
    fn sample_guard(
        &mut self,
        flow: &mut Flow<'_>,
        trial: &Trial,
        g: usize,
        (mut side, mut lo, part): (f64, Probe, (f64, f64)),
        level: Level,
    ) -> Result<(), BadGuard> {
        let slides = flow.mode.structure.sliding.contains(&g);
        let direction = flow.system().guards()[g].direction;
        for k in 0..level.count() {
            let x = level.place(k, part);
            if x <= lo.x {
                continue;
            }
            let hi = Probe { x, value: self.value_at(flow, trial, g, x) };
            if !hi.value.is_finite() {
                return Err(BadGuard { guard: g, t: trial.t + x, value: hi.value });
            }
            if hi.value * side < 0.0 {
                if slides || direction.admits(side) {
                    self.candidates.push(Candidate { guard: g, side, lo, hi });
                    return Ok(());
                }
                side = -side;
            }
            lo = hi;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(detection: Detection, nodes: &'static [f64]) -> Vec<f64> {
        let level = Level { detection, nodes };
        (0..level.count()).map(|k| level.place(k, (2.0, 4.0))).collect()
    }

    #[test]
    fn samples_are_in_order_and_end_with_the_step() {
        assert_eq!(places(Detection::Ends, &[]), [4.0]);
        assert_eq!(places(Detection::Samples(4), &[]), [2.5, 3.0, 3.5, 4.0]);
        assert_eq!(places(Detection::Stages, &[0.0, 0.75, 0.25, 1.0, 0.75]), [2.0, 2.5, 3.5, 3.5, 4.0, 4.0]);
    }
}
