//! What is looked at while a motion slides: outputs are mixed from both sides of each surface with the weights of the field.
//!
//! A friction force written with a sign then shows what sticking needs, and the sign itself the equivalent control `2 w - 1` between -1 and 1
//! (paper 002, equation (5), with `α = w`).

use super::flow::Engine;
use super::{Sliding, Stabilisation, Surface};
use crate::equations::{Observer, System};
use crate::mode::Mode;

/// Formulas that are looked at along a motion that may slide.
pub struct Mixture<'a> {
    system: &'a dyn System,
    evaluator: Engine<'a>,
    observer: Observer<'a>,
    /// The surfaces slid on where it was last looked.
    sliding: Option<Sliding>,
    /// The mode that is looked at, with the signs of one side after the other.
    mode: Mode,
    signs: Vec<f64>,
    part: Vec<f64>,
}

impl<'a> Mixture<'a> {
    /// Looks at the formulas of `observer` along motions of `system`.
    pub fn new(system: &'a dyn System, observer: Observer<'a>) -> Self {
        let (evaluator, mode) = (Engine::new(system, Stabilisation::Project), Mode::new(0, 0, 0));
        Self { system, evaluator, observer, sliding: None, mode, signs: Vec::new(), part: Vec::new() }
    }

    /// The values at a point of a trajectory.
    pub fn observe(&mut self, mode: &Mode, t: f64, y: &[f64], out: &mut [f64]) {
        self.signs.clone_from(&mode.signs);
        if mode.sliding.is_empty() {
            return look(&mut self.evaluator, &mut self.observer, mode, (t, y), out);
        }
        self.slide_on(mode, t, y);
        let Some(sliding) = &mut self.sliding else { return };
        sliding.evaluate(&mut *self.evaluator, &mut self.mode, t, y);
        sliding.find_free_weights();
        for (surface, weight) in sliding.surfaces().iter().zip(sliding.weights()) {
            self.signs[surface.switch] = 2.0 * weight - 1.0;
        }
        for follower in sliding.followers() {
            let weight = sliding.weights()[follower.leader];
            self.signs[follower.surface.switch] = follower.orientation * (2.0 * weight - 1.0);
        }
        self.part.resize(out.len(), 0.0);
        out.fill(0.0);
        for side in 0..sliding.sides() {
            let share = sliding.set_side(side, &mut self.mode);
            look(&mut self.evaluator, &mut self.observer, &self.mode, (t, y), &mut self.part);
            for (out, part) in out.iter_mut().zip(&self.part) {
                *out += share * part;
            }
        }
    }

    /// Puts a state between the ends of steps back onto the surfaces that the motion slides on, and to where the constraints of a mechanism are met.
    pub fn put_back(&mut self, mode: &Mode, t: f64, y: &mut [f64]) {
        if !mode.sliding.is_empty() {
            self.slide_on(mode, t, y);
            if let Some(sliding) = &mut self.sliding {
                sliding.project(&mut *self.evaluator, &self.mode, t, y);
            }
        }
        if let Engine::Mechanism(mechanism) = &mut self.evaluator {
            mechanism.land(mode.locked(), t, y);
        }
    }

    /// The signs of all switches where it was last looked; between -1 and 1 for those slid on.
    pub fn signs(&self) -> &[f64] {
        &self.signs
    }

    fn slide_on(&mut self, mode: &Mode, t: f64, y: &[f64]) {
        if self.mode.sliding != mode.sliding {
            let guards = self.system.guards();
            let surfaces: Vec<Surface> =
                mode.sliding.iter().filter_map(|&g| Surface::of(guards, g)).collect();
            self.sliding = Some(Sliding::at(self.system, &mut *self.evaluator, mode, (t, y), &surfaces));
        }
        self.mode.clone_from(mode);
    }
}

/// The values in a mode that is locked; of a mechanism with its multipliers.
fn look(
    engine: &mut Engine<'_>,
    observer: &mut Observer<'_>,
    mode: &Mode,
    at: (f64, &[f64]),
    out: &mut [f64],
) {
    let (t, y) = at;
    if let Engine::Mechanism(mechanism) = engine {
        observer.set_motion(mechanism.motion_at(mode.locked(), t, y));
    }
    observer.observe(mode.locked(), t, y, out);
}
