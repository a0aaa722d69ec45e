//! What is looked at while a motion slides: outputs are combined from both sides of each surface with the
//! weights of the field.
//!
//! A friction force written with a sign then shows what sticking needs, and the sign itself the equivalent
//! control `2 w - 1` between -1 and 1 (paper 002, equation (5), with `α = w`).

use super::Ground;
use super::engine::Engine;
use crate::equations::{At, Observer, System};
use crate::mode::Mode;

/// Formulas that are looked at along a motion that may slide.
pub struct Mixture<'a> {
    ground: Ground<'a>,
    observer: Observer<'a>,
    signs: Vec<f64>,
    part: Vec<f64>,
}

impl<'a> Mixture<'a> {
    /// Looks at the formulas of `observer` along motions of `system`.
    pub fn new(system: &'a dyn System, observer: Observer<'a>) -> Self {
        Self { ground: Ground::new(system), observer, signs: Vec::new(), part: Vec::new() }
    }

    /// The same for a run with other parameters than those of the system.
    #[must_use]
    pub fn with_parameters(mut self, parameters: &[f64]) -> Self {
        self.ground.parameters = parameters.to_vec();
        self
    }

    /// The values at a point of a trajectory.
    pub fn observe(&mut self, mode: &Mode, t: f64, y: &[f64], out: &mut [f64]) {
        self.signs.clone_from(&mode.values.signs);
        if mode.structure.sliding.is_empty() {
            let at = (mode.locked(&self.ground.parameters), t, y);
            return look(&mut self.ground.evaluator, &mut self.observer, at, out);
        }
        self.ground.slide_on(mode, t, y);
        if let (Some(sliding), mut env) = self.ground.on_surfaces(t) {
            sliding.combine(&mut env, y);
        }
        self.find_signs();
        let Ground { parameters, evaluator, sliding: Some(sliding), mode, .. } = &mut self.ground else {
            return;
        };
        self.part.resize(out.len(), 0.0);
        out.fill(0.0);
        for (side, share) in sliding.combination.shares().iter().enumerate() {
            sliding.set.lock_side(side, mode);
            let at = (mode.locked(parameters), t, y);
            look(evaluator, &mut self.observer, at, &mut self.part);
            for (out, part) in out.iter_mut().zip(&self.part) {
                *out += share * part;
            }
        }
    }

    /// The equivalent control of each switch that is slid on.
    fn find_signs(&mut self) {
        let Some(sliding) = &self.ground.sliding else { return };
        let control = |surface: usize| 2.0 * sliding.combination.weights()[surface] - 1.0;
        for (i, surface) in sliding.set.surfaces().iter().enumerate() {
            if let Some(switch) = surface.switch() {
                self.signs[switch] = control(i);
            }
        }
        for follower in sliding.set.followers() {
            if let Some(switch) = follower.surface.switch() {
                self.signs[switch] = follower.orientation * control(follower.leader);
            }
        }
    }

    /// Puts a state between the ends of steps back to where it belongs.
    pub fn put_back(&mut self, mode: &Mode, t: f64, y: &mut [f64]) {
        self.ground.put_back(mode, t, y);
    }

    /// Finds out which constraints are independent next to a state of the motion, for what is looked at
    /// between the ends of steps and not put back.
    pub fn enter_form(&mut self, mode: &Mode, t: f64, y: &[f64]) {
        self.ground.enter_form(mode, t, y);
    }

    /// The signs of all switches where it was last looked; between -1 and 1 for those slid on.
    pub fn signs(&self) -> &[f64] {
        &self.signs
    }
}

/// The values in a mode that is locked; of a mechanism with its multipliers.
fn look(engine: &mut Engine<'_>, observer: &mut Observer<'_>, at: At<'_>, out: &mut [f64]) {
    let (locked, t, y) = at;
    if let Engine::Mechanism(mechanism) = engine {
        observer.set_motion(mechanism.motion_at(locked, t, y));
    }
    observer.observe(locked, t, y, out);
}
