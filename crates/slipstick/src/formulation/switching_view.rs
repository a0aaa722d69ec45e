//! Switching surfaces of a form at an instant: the fields that meet there, and the way onto those slid on.

use super::{FieldEnv, Sliding, SlidingMotions, Surface, SurfaceSet, Visits};
use crate::equations::System;

/// What a form has at switching surfaces at an instant.
pub struct SwitchingView<'f> {
    pub(super) system: &'f dyn System,
    pub(super) env: FieldEnv<'f>,
    /// What the motion slides on, if it does.
    pub(super) motions: &'f mut SlidingMotions,
    pub(super) visits: &'f mut Visits,
}

impl SwitchingView<'_> {
    /// The surfaces that meet at a state, each once.
    pub fn meet(self, surfaces: &[Surface], y: &[f64]) -> Sliding {
        self.motions.meet(self.system, self.env, surfaces, y)
    }

    /// What was met is not of interest any more: its room is kept.
    pub fn give_back(&mut self, sliding: Sliding) {
        self.motions.give_back(sliding);
    }

    /// Evaluates all fields that meet at the given surfaces.
    pub fn evaluate_here(&mut self, sliding: &mut Sliding, y: &[f64]) {
        sliding.evaluate_here(&mut self.env, y);
    }

    /// The same at the projection of a state that is next to them.
    pub fn evaluate(&mut self, sliding: &mut Sliding, y: &[f64]) {
        sliding.evaluate(&mut self.env, y);
    }

    /// Whether the fields that meet at many surfaces are the sums of their terms; they must have been
    /// evaluated.
    pub fn fields_add_up(&mut self, sliding: &Sliding) -> bool {
        !sliding.set.sides().add_up() || sliding.terms_add_up(&mut self.env)
    }

    /// Moves a state to the given side of the surface that a motion leaves, by as little as can be.
    pub fn step_aside(&mut self, surface: Surface, side: f64, y: &mut [f64]) {
        let mut sliding = self.motions.take(self.system, SurfaceSet::of(vec![surface]));
        let sign = surface.sign(self.env.mode);
        surface.rest(self.env.mode);
        sliding.step_to(&mut self.env, side, y);
        surface.lock(self.env.mode, sign);
        self.motions.give_back(sliding);
    }

    /// Moves a state onto the surfaces that the motion slides on.
    pub fn project(&mut self, y: &mut [f64]) {
        if let Some(sliding) = &mut self.motions.now {
            sliding.project(&mut self.env, y);
        }
    }

    /// How far the motion is from leaving a surface, by its place among those slid on: the weight of the
    /// positive side, and its band. Below 0 it leaves to the negative side, above 1 to the positive one.
    pub fn exit_weight(&mut self, surface: usize, y: &[f64]) -> (f64, f64) {
        let t = self.env.t;
        if let Some(known) = self.visits.exit(surface, t, y) {
            return known;
        }
        let Some(sliding) = &mut self.motions.now else { return (0.5, 0.0) };
        sliding.combine(&mut self.env, y);
        let (exits, bands) = sliding.combination.exits_with_bands();
        self.visits.add_exits((t, y), exits, bands);
        (exits[surface], sliding.combination.rates.band_of_weight(surface))
    }
}
