//! The jumps of the field across the surfaces that a motion slides on: along them a state is put back, so that what no switch acts on stays as it is.

use super::Sliding;
use crate::equations::Evaluator;
use crate::math::dot;
use crate::mode::Mode;

/// A jump of the field leads across a surface if at least this part of its terms does.
const JUMPS_ACROSS: f64 = 1e-6;

impl Sliding {
    /// Large fields that cancel leave their rounding across the surface, which a step would take for motion and be small for. It is taken off along the
    /// jump of the field, or along the gradient.
    pub(super) fn remove_rounding(&mut self, dy: &mut [f64]) {
        if self.mass.is_some() || self.dependent {
            return;
        }
        for i in 0..self.surfaces.len() {
            let row = i * self.n..(i + 1) * self.n;
            let rate = self.time_rates[i] + dot(&self.gradients[row.clone()], dy);
            if rate == 0.0 || rate.abs() > self.noise[i] {
                continue;
            }
            self.find_jump(i);
            if !self.along_jumps || !self.leads_across(i) {
                self.beside.copy_from_slice(&self.gradients[row.clone()]);
            }
            let part = rate / dot(&self.gradients[row], &self.beside);
            for (dy, way) in dy.iter_mut().zip(&self.beside) {
                *dy -= part * way;
            }
        }
    }

    /// The directions in which the point is moved. What slides is moved along the jumps of the field, so that a state that no switch acts on stays as it
    /// is to the bit; stages, which are only evaluated, take the shortest way.
    pub(super) fn find_directions(
        &mut self,
        evaluator: &mut dyn Evaluator,
        mode: &Mode,
        t: f64,
        within: bool,
    ) {
        for i in 0..self.surfaces.len() {
            self.find_moving_gradient(i);
        }
        if !within {
            return;
        }
        for i in 0..self.surfaces.len() {
            if self.jump_crosses(i) {
                self.directions[i * self.n..(i + 1) * self.n].copy_from_slice(&self.beside);
            } else {
                let locked = mode.locked(&self.parameters);
                evaluator.allow(locked, t, &self.point, &mut self.directions[i * self.n..(i + 1) * self.n]);
            }
        }
    }

    /// The jump that is kept for a surface. False if it does not lead across, is not the jump of rates, or is not asked for.
    fn jump_crosses(&mut self, i: usize) -> bool {
        if !self.along_jumps || self.mass.is_some() {
            return false;
        }
        self.beside.copy_from_slice(&self.jumps[i * self.n..(i + 1) * self.n]);
        self.leads_across(i)
    }

    /// Keeps the jumps of the fields as they were last evaluated, to put states back along them.
    pub(super) fn keep_jumps(&mut self) {
        self.along_jumps = true;
        for i in 0..self.surfaces.len() {
            self.find_jump(i);
            self.jumps[i * self.n..(i + 1) * self.n].copy_from_slice(&self.beside);
        }
    }

    /// Finds the jump of the field across a surface, as it was last evaluated.
    fn find_jump(&mut self, i: usize) {
        self.beside.fill(0.0);
        for side in 0..self.sides() {
            let part = match (self.adds_up(), side) {
                (true, 0) => -1.0,
                (true, _) => f64::from(side == i + 1),
                (false, _) => self.sign_on(side, i),
            };
            let field = &self.fields[side * self.n..(side + 1) * self.n];
            self.beside.iter_mut().zip(field).for_each(|(jump, f)| *jump += part * f);
        }
    }

    /// Whether what was found leads across a surface.
    fn leads_across(&self, i: usize) -> bool {
        let gradient = &self.gradients[i * self.n..(i + 1) * self.n];
        let across: f64 = gradient.iter().zip(&self.beside).map(|(g, jump)| g * jump).sum();
        let size: f64 = gradient.iter().zip(&self.beside).map(|(g, jump)| (g * jump).abs()).sum();
        across.is_finite() && across.abs() > JUMPS_ACROSS * size
    }
}
