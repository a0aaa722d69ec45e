//! A piece of a trajectory between two events: one mode, no jumps, dense output throughout.

use crate::mode::{Mode, State};
use crate::step::{Interpolant, interpolate_at};

/// One accepted step of a segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SegmentStep {
    /// The time at the start of the step.
    pub t: f64,
    /// The step size that the dense output is scaled with. The last step of a segment may be cut short by the
    /// segment's end.
    pub h: f64,
    first_coefficient: usize,
}

/// A piece of a trajectory with one mode.
#[derive(Clone, Debug, Default)]
pub struct Segment {
    /// The discrete state that holds throughout.
    pub mode: Mode,
    /// The time at which the segment begins.
    pub start_time: f64,
    /// The state there, after the event that began the segment.
    pub start: Vec<f64>,
    /// The time at which the segment ends.
    pub end_time: f64,
    /// The state there, before the event that ended the segment.
    pub end: Vec<f64>,
    steps: Vec<SegmentStep>,
    coefficients: Vec<f64>,
}

impl Segment {
    /// A segment that has only its start so far.
    pub fn new(mode: Mode, t: f64, start: &[f64]) -> Self {
        Self {
            mode,
            start_time: t,
            start: start.to_vec(),
            end_time: t,
            end: start.to_vec(),
            steps: Vec::new(),
            coefficients: Vec::new(),
        }
    }

    /// Forgets everything, and begins at another point.
    pub fn begin(&mut self, mode: &Mode, t: f64, start: &[f64]) {
        self.mode.clone_from(mode);
        (self.start_time, self.end_time) = (t, t);
        self.start.copy_from_slice(start);
        self.end.copy_from_slice(start);
        self.steps.clear();
        self.coefficients.clear();
    }

    /// Appends a step of size `h` from the segment's end, of which the part up to `end_time` is used.
    pub fn push(&mut self, h: f64, dense: &Interpolant, end_time: f64, end: &[f64]) {
        self.steps.push(SegmentStep { t: self.end_time, h, first_coefficient: self.coefficients.len() });
        self.coefficients.extend_from_slice(dense.coefficients());
        self.end_time = end_time;
        self.end.copy_from_slice(end);
    }

    /// Moves the end on without keeping what lies between.
    pub fn extend(&mut self, end_time: f64, end: &[f64]) {
        self.end_time = end_time;
        self.end.copy_from_slice(end);
    }

    /// Whether contacts were captured throughout: steps of first order, and no event of a contact located.
    pub fn is_captured(&self) -> bool {
        self.mode.structure.captured
    }

    /// The accepted steps, if they were kept.
    pub fn steps(&self) -> &[SegmentStep] {
        &self.steps
    }

    /// Whether the state is known at a time: the ends always, what lies between if the steps were kept.
    pub fn covers(&self, t: f64) -> bool {
        let between = self.start_time <= t && t <= self.end_time && !self.steps.is_empty();
        between || t == self.start_time || t == self.end_time
    }

    /// The whole state at a time in the segment, with its mode; times outside give the nearer end.
    pub fn state_at(&self, t: f64) -> State {
        State { t, y: self.state(t), mode: self.mode.clone() }
    }

    /// The continuous state at a time in the segment; times outside give the nearer end.
    pub fn state(&self, t: f64) -> Vec<f64> {
        let mut y = vec![0.0; self.start.len()];
        self.state_into(t, &mut y);
        y
    }

    /// As [`state`](Self::state), without allocating.
    pub fn state_into(&self, t: f64, y: &mut [f64]) {
        if t <= self.start_time {
            y.copy_from_slice(&self.start);
        } else if t >= self.end_time {
            y.copy_from_slice(&self.end);
        } else {
            let after = self.steps.partition_point(|s| s.t <= t);
            let Some((index, &step)) = after.checked_sub(1).and_then(|i| Some((i, self.steps.get(i)?)))
            else {
                // Only the ends were kept: the one before is the nearest that is known.
                return y.copy_from_slice(&self.start);
            };
            let next = self.steps.get(index + 1).map_or(self.coefficients.len(), |s| s.first_coefficient);
            interpolate_at(&self.coefficients[step.first_coefficient..next], (t - step.t) / step.h, y);
        }
    }
}
