//! What half-explicit methods share: their stages (paper 001, equations (31) and (32)).
//!
//! A stage knows its own state and finds the accelerations with which the constraints of speeds are met
//! ahead: at the next stage, or at a point of its own. Ahead, positions need the rates of positions of this
//! stage, which are known, and speeds its accelerations, which are what is looked for. Where the rank of the
//! gradients changes within a step, positions are brought to their constraints in every stage
//! (`formulation/singular.rs`).

use super::Trial;
use super::stages::add_stages_later;
use crate::formulation::{Flow, Stage};

/// The rates of all stages, one after the other, with the state ahead of the last.
#[derive(Clone, Debug)]
pub(super) struct Stages {
    n: usize,
    pub(super) rates: Vec<f64>,
    /// The state ahead, once its stage is made.
    pub(super) ahead: Vec<f64>,
    /// Whether accelerations of the last stage follow from constraints ahead.
    pub(super) is_half_explicit: bool,
    /// Whether positions of stages are brought to where their constraints are met.
    pub(super) is_closed: bool,
}

/// Where a stage is evaluated, and how far ahead its constraints are met.
pub(super) struct StagePoint<'a> {
    /// The number of the stage.
    pub(super) stage: usize,
    pub(super) node: f64,
    pub(super) state: &'a [f64],
    /// The node ahead, and there the weights of the stages up to this one.
    pub(super) node_ahead: f64,
    pub(super) weights: &'a [f64],
}

impl Stages {
    pub(super) fn new(dimension: usize, count: usize) -> Self {
        let (rates, ahead) = (vec![0.0; count * dimension], vec![0.0; dimension]);
        Self { n: dimension, rates, ahead, is_half_explicit: false, is_closed: false }
    }

    /// Brings positions to where their constraints are met, if this step needs that.
    pub(super) fn close(&self, field: &mut Flow<'_>, t: f64, state: &mut [f64]) {
        if self.is_closed {
            field.close_positions(t, state);
        }
    }

    /// The rates of a stage.
    pub(super) fn of(&self, stage: usize) -> &[f64] {
        &self.rates[stage * self.n..(stage + 1) * self.n]
    }

    pub(super) fn of_mut(&mut self, stage: usize) -> &mut [f64] {
        &mut self.rates[stage * self.n..(stage + 1) * self.n]
    }

    /// Evaluates a stage.
    pub(super) fn make(&mut self, field: &mut Flow<'_>, trial: &Trial, point: &StagePoint<'_>) {
        let &StagePoint { stage, node, state, node_ahead, weights } = point;
        let (before, rest) = self.rates.split_at_mut(stage * self.n);
        let (own, positions) = (&mut rest[..self.n], field.system().layout().q);
        let (t, reach) = (trial.t + node * trial.h, trial.h * weights[stage]);
        self.is_half_explicit = !field.begin_stage(t, state, own);
        add_stages_later(&weights[..stage], before, trial.h, Some(&trial.start), &mut self.ahead);
        go_on(&mut self.ahead[..positions], reach, own);
        if self.is_half_explicit {
            let t_ahead = trial.t + node_ahead * trial.h;
            if self.is_closed {
                field.close_positions(t_ahead, &mut self.ahead);
            }
            let stage = Stage { here: (t, state), ahead: (t_ahead, &self.ahead), reach };
            field.end_stage(stage, own);
        }
        go_on(&mut self.ahead[positions..], reach, &own[positions..]);
    }
}

/// `y ← y + reach y'`.
fn go_on(y: &mut [f64], reach: f64, rates: &[f64]) {
    for (y, rate) in y.iter_mut().zip(rates) {
        *y += reach * rate;
    }
}
