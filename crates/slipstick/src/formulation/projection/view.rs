//! The way back to the constraints, for states of a flow.

use super::super::Flow;
use super::super::constrained_form::{ConstrainedForm, FormAt};
use super::super::views::InMode;
use super::{Evaluated, Projection};

/// A state is moved onto surfaces and constraints in turn, as often as this at most.
const MOST_TURNS: usize = 60;

/// The way back to the constraints of a mechanism, for states of the flow.
pub struct ProjectionView<'f, 'a> {
    pub(in crate::formulation) flow: &'f mut Flow<'a>,
}

impl ProjectionView<'_, '_> {
    /// Does something with the projection of the form at a point; none where there is no mechanism.
    fn on<Y: std::ops::Deref<Target = [f64]>, R>(
        &mut self,
        t: f64,
        y: Y,
        act: impl FnOnce(&mut Projection, &mut FormAt<'_, '_>, Y) -> R,
    ) -> Option<R> {
        let InMode { mechanism, locked } = self.flow.in_mode();
        let (form, mut env) = mechanism?.at(locked, t, &y);
        let mut at = FormAt { linear: &mut form.index1.linear, env: &mut env };
        Some(act(&mut form.projection, &mut at, y))
    }

    /// Projects the end of a step.
    pub fn project_end(&mut self, t: f64, y: &mut [f64]) {
        self.on(t, y, |projection, at, y| projection.project_end(Evaluated::Nothing, at, y));
    }

    /// The same for the point at which the derivative has just been evaluated, so that nothing of it has to
    /// be evaluated again.
    pub fn project_end_from_derivative(&mut self, t: f64, y: &mut [f64]) {
        // Along surfaces, the derivative is put together from others.
        let evaluated = if self.flow.is_mixed() { Evaluated::Nothing } else { Evaluated::Derivative };
        self.on(t, y, |projection, at, y| projection.project_end(evaluated, at, y));
    }

    /// The same for the point at which the equations of motion have just been evaluated, for a method that
    /// projects by itself.
    pub fn project_evaluated(&mut self, t: f64, y: &mut [f64]) {
        self.on(t, y, |projection, at, y| projection.project_end(Evaluated::Terms, at, y));
    }

    /// Projects the end of a half-explicit step: positions, and velocities to rounding (paper 001, equation
    /// (35)). If the derivative there has just been evaluated, its factors are used.
    pub fn project_half_explicit(&mut self, t: f64, y: &mut [f64], has_derivative: bool) {
        let before = self.flow.motion_counts().corrected;
        if has_derivative {
            self.project_end_from_derivative(t, y);
        } else {
            self.project_end(t, y);
        }
        let was_projected = self.flow.motion_counts().corrected > before;
        self.on(t, y, |projection, at, y| {
            let is_open = was_projected && !projection.project_velocities(at, y);
            if is_open && !has_derivative && projection.factor(at, y) {
                projection.project_velocities(at, y);
            }
        });
    }

    /// Projects a state within a step as the end of a step is, and velocities to rounding with methods that
    /// keep them there. It does not count as a projected step.
    pub fn project_within(&mut self, t: f64, y: &mut [f64], keeps_velocities: bool) {
        self.on(t, y, |projection, at, y| projection.project_within(at, y, keeps_velocities));
    }

    /// Moves a state onto the surfaces that the motion slides on. If joints are kept shut, that and the
    /// projection are made in turn, for each of both leads away from the other.
    pub fn project_onto_surfaces(&mut self, t: f64, y: &mut [f64], keeps_joints: bool) {
        for _ in 0..MOST_TURNS {
            self.flow.switching(t).project(y);
            let goes_on = keeps_joints && self.flow.motions.now.is_some();
            if !goes_on || self.on(t, &mut *y, Projection::project_if_open) != Some(true) {
                return;
            }
        }
    }

    /// Projects the positions of a state to rounding.
    pub fn project_positions(&mut self, t: f64, y: &mut [f64]) {
        self.on(t, y, Projection::project_positions);
    }

    /// Projects the velocities of a state to rounding.
    pub fn project_velocities(&mut self, t: f64, y: &mut [f64]) {
        self.on(t, y, |projection, at, y| projection.factor(at, y) && projection.project_velocities(at, y));
    }

    /// The same where the derivative has just been evaluated, with its factors.
    pub fn project_velocities_from_derivative(&mut self, t: f64, y: &mut [f64]) {
        if self.flow.has_terms() {
            self.on(t, y, Projection::project_velocities);
        }
    }

    /// Projects the positions and velocities of a state to rounding.
    pub fn project_state(&mut self, t: f64, y: &mut [f64]) {
        self.on(t, y, Projection::project_state);
    }

    /// The constraint of positions that is furthest from met after a projection, with its residual, if the
    /// projection has hardly brought it nearer.
    pub fn left_open(&mut self, t: f64, y: &[f64]) -> Option<(usize, f64)> {
        self.on(t, y, Projection::left_open).flatten()
    }

    /// How far each coordinate would be moved to meet the constraints of positions.
    pub fn distances(&mut self, t: f64, y: &[f64]) -> Vec<f64> {
        self.on(t, y, Projection::distances).unwrap_or_default()
    }
}

/// What the last projection of a mechanism has done.
pub struct ProjectedView<'f> {
    pub(in crate::formulation) form: Option<&'f ConstrainedForm>,
}

impl<'f> ProjectedView<'f> {
    /// How far it has moved each position and velocity.
    pub fn adjustment(&self) -> &'f [f64] {
        self.form.map_or(&[], |form| form.projection.adjustment())
    }

    /// How far rounding moves each state when it is projected: what is open by no more than that is left as
    /// it is.
    pub fn rounding(&self, y: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        if let Some(form) = self.form {
            form.index1.linear.rounding(y, out);
        }
    }
}
