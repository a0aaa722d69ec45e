//! The Filippov field on the intersection of switching surfaces (paper 002, section 4).
//!
//! On k surfaces `g_i = 0` there are 2^k fields `f_σ`, one for each choice of signs. The field along the
//! surfaces is a convex combination of them in which every `g_i` stays zero; `combination.rs` says which. On
//! more than [`MOST_SURFACES`] `2^k` fields are too many; there each sign must stand in a term of its own, as
//! in friction forces and relays, so that `k + 1` fields tell all others. Duplicate guards, which write a
//! surface twice, count once (`duplicates.rs`): the others follow the first. The fields are taken at the
//! projection of the given point onto the surfaces, each on its own side: so the stages of any method lie on
//! the surfaces, and here a field is never used where it is not defined.

mod combination;
mod dependence;
mod dependent;
mod duals;
mod duplicates;
mod fields;
mod jumps;
mod local;
mod motions;
mod projection;
mod rates;
mod sides;
mod still;
mod surface;
mod surface_set;
mod visits;

pub use combination::FilippovCombination;
pub use fields::SideFields;
pub use motions::SlidingMotions;
pub use rates::SideRates;
pub use sides::{MOST_SURFACES, SurfaceSides};
pub use surface::{SideLock, Surface, is_jump};
pub use surface_set::{Follower, SurfaceSet};
pub use visits::{ExitPoint, Visits};

use super::FieldEnv;
use crate::equations::System;
use local::LocalSurfaces;
use projection::{Directions, SurfaceProjection};

/// The field along surfaces that meet.
#[derive(Clone, Debug)]
pub struct Sliding {
    /// The surfaces.
    pub set: SurfaceSet,
    /// The fields on their sides, where they were last evaluated.
    pub fields: SideFields,
    /// The combination of these fields, with the rates of the surfaces along them.
    pub combination: FilippovCombination,
    local: LocalSurfaces,
    projection: SurfaceProjection,
}

impl Sliding {
    /// Room for a motion along some surfaces.
    pub fn new(system: &dyn System, set: SurfaceSet) -> Self {
        let (sides, n) = (set.sides(), system.layout().dimension());
        let fields = SideFields::new(system, sides);
        Self {
            combination: FilippovCombination::new(sides, n),
            local: LocalSurfaces::new(set.len(), n),
            projection: SurfaceProjection::new(sides, n, fields.are_rates()),
            fields,
            set,
        }
    }

    /// Becomes as new, for as many other surfaces.
    fn renew(&mut self, surfaces: SurfaceSet) {
        let Self { set, fields, combination, local: _, projection } = self;
        *set = surfaces;
        fields.renew();
        combination.renew();
        projection.renew();
    }

    /// The field along all surfaces at the projection of `y`.
    pub fn derivative(&mut self, env: &mut FieldEnv<'_>, y: &[f64], dy: &mut [f64]) {
        self.combine(env, y);
        self.fields.combine(self.combination.shares(), dy);
        if self.fields.are_rates() && !self.combination.is_dependent() {
            let rounding = &self.combination.rates.rounding;
            self.projection.jumps.remove_rounding(&self.local, &self.fields, rounding, dy);
        }
    }

    /// Finds the combination of the fields at the projection of `y`.
    pub fn combine(&mut self, env: &mut FieldEnv<'_>, y: &[f64]) {
        self.evaluate(env, y);
        self.combination.find_free_weights();
    }

    /// Evaluates surfaces and all fields at the projection of `y`.
    pub fn evaluate(&mut self, env: &mut FieldEnv<'_>, y: &[f64]) {
        self.find_point(env, y, Directions::Shortest);
        self.evaluate_point(env);
    }

    /// Evaluates all fields at a state that stands on the surfaces, as it is: a transition moves nothing
    /// (rule 21).
    pub fn evaluate_here(&mut self, env: &mut FieldEnv<'_>, y: &[f64]) {
        self.local.place(y);
        self.local.find_values(env, &self.set);
        self.evaluate_point(env);
    }

    /// Moves `y` onto all surfaces, the shortest way that the constraints of a mechanism allow.
    pub fn project(&mut self, env: &mut FieldEnv<'_>, y: &mut [f64]) {
        self.find_point(env, y, Directions::Allowed);
        y.copy_from_slice(self.local.point());
    }

    /// Moves `y` to the given side of the first surface, or onto it.
    pub fn step_to(&mut self, env: &mut FieldEnv<'_>, side: f64, y: &mut [f64]) {
        self.find_point(env, y, Directions::Allowed);
        let (sides, side) = (self.set.sides(), usize::from(side > 0.0));
        y.copy_from_slice(self.projection.step_aside(&self.local, sides, side));
    }

    /// From now on states are put back along the jumps of the fields as they were last evaluated, if these
    /// are the jumps of rates.
    pub(super) fn keep_jumps(&mut self) {
        if self.fields.are_rates() {
            self.projection.jumps.keep(&self.fields);
        }
    }

    /// Whether the field of all positive sides is the sum of its terms; the fields must have been evaluated.
    pub fn terms_add_up(&self, env: &mut FieldEnv<'_>) -> bool {
        let point = self.local.point();
        let mut positive = vec![0.0; point.len()];
        self.set.lock(env.mode, |_| 1.0);
        env.derivative(point, &mut positive);
        self.set.rest(env.mode);
        self.fields.add_up_to(&positive, point)
    }

    /// Whether no other combination stays on the surfaces whose weights are not fixed.
    pub fn has_only_combination(&mut self, fixed: &[Option<f64>]) -> bool {
        self.combination.find_weights(fixed);
        self.fields.follow_from_rates(&self.combination, fixed)
    }

    /// Puts the algebraic states of a point to their combination at its projection.
    pub(super) fn combine_algebraic(&mut self, env: &mut FieldEnv<'_>, y: &mut [f64]) {
        self.combine(env, y);
        self.fields.combine_algebraic(self.combination.shares(), y);
    }

    fn find_point(&mut self, env: &mut FieldEnv<'_>, y: &[f64], directions: Directions) {
        self.local.place(y);
        self.projection.project(env, &self.set, &mut self.local, directions);
    }

    fn evaluate_point(&mut self, env: &mut FieldEnv<'_>) {
        self.local.find_gradients(env, &self.set);
        self.fields.begin(env, &self.local);
        let own = self.evaluate_own_side(env);
        for side in (0..self.set.sides().count()).filter(|side| Some(*side) != own) {
            self.evaluate_side(env, side);
        }
        self.set.rest(env.mode);
        self.fields.find_rates(&self.local, &mut self.combination.rates);
        let rounding = &mut self.combination.rates.rounding;
        self.fields.find_rounding(env, &self.set, &self.local, rounding);
        self.combination.begin(&self.local, &self.fields);
    }

    /// Finds the states that do not move, if they are not known yet: by the field of the side that the point
    /// is on, which is evaluated first. Gives that side.
    fn evaluate_own_side(&mut self, env: &mut FieldEnv<'_>) -> Option<usize> {
        if self.set.sides().add_up() || !self.projection.still.are_wanted(&self.local) {
            return None;
        }
        let positive = |(i, value): (usize, &f64)| usize::from(*value >= 0.0) << i;
        let own = self.local.values.iter().enumerate().map(positive).sum();
        self.evaluate_side(env, own);
        self.projection.still.take(self.fields.field(own));
        Some(own)
    }

    /// Evaluates one of the fields at the projected point.
    fn evaluate_side(&mut self, env: &mut FieldEnv<'_>, side: usize) {
        self.set.lock_side(side, env.mode);
        let beside = self.projection.step_aside(&self.local, self.set.sides(), side);
        self.fields.evaluate(env, side, &self.local, beside);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::equations::ClosureSystem;
    use crate::formulation::WorkCounts;
    use crate::mode::Mode;

    fn slide(system: &ClosureSystem, y: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let mut dy = vec![0.0; y.len()];
        let mut sliding = on_all(system);
        with_env(system, |env| sliding.derivative(env, y, &mut dy));
        (dy, sliding.combination.weights().to_vec())
    }

    /// All surfaces of a system.
    fn on_all(system: &ClosureSystem) -> Sliding {
        let (guards, mode) = (&system.shape().guards, Mode::new(0, system.shape().switch_names.len(), 0));
        let surfaces = (0..guards.len()).filter_map(|g| Surface::of(guards, &mode, g)).collect();
        Sliding::new(system, SurfaceSet::of(surfaces))
    }

    fn with_env<R>(system: &ClosureSystem, act: impl FnOnce(&mut FieldEnv<'_>) -> R) -> R {
        let mut mode = Mode::new(0, system.shape().switch_names.len(), 0);
        mode.values.signs.fill(1.0);
        let (mut eval, mut counts) = (system.evaluator(), WorkCounts::default());
        act(&mut FieldEnv { eval: &mut *eval, mode: &mut mode, parameters: &[], t: 0.0, counts: &mut counts })
    }

    #[test]
    fn the_field_on_one_surface_is_that_of_filippov() {
        let relay = ClosureSystem::switched(["x", "y"], |_, y, signs, dy| {
            dy[0] = 0.3 - signs[0];
            dy[1] = y[0] + signs[0];
        })
        .switch("s", |_, y| y[0]);
        let (dy, weights) = slide(&relay, &[1e-9, 2.0]);
        assert!((weights[0] - 0.65).abs() < 1e-15);
        assert!(dy[0].abs() < 1e-15 && (dy[1] - 0.3).abs() < 1e-15, "{dy:?}");
    }

    #[test]
    fn fields_are_only_used_on_their_own_side_of_a_curved_surface() {
        let circle = |y: &[f64]| y[0] * y[0] + y[1] * y[1] - 1.0;
        let system = ClosureSystem::switched(["x", "y"], move |_, y, signs, dy| {
            assert!(signs[0] * circle(y) >= 0.0, "wrong side: {}", circle(y));
            dy[0] = -signs[0] * y[0] - y[1];
            dy[1] = -signs[0] * y[1] + y[0];
        })
        .switch("circle", move |_, y| circle(y));
        for k in 0..100 {
            let angle = 0.1 * f64::from(k);
            let (dy, _) = slide(&system, &[1.01 * angle.cos(), 1.01 * angle.sin()]);
            assert!((dy[0] + angle.sin()).abs() < 1e-7 && (dy[1] - angle.cos()).abs() < 1e-7, "{dy:?}");
        }
    }

    #[test]
    fn two_surfaces_are_kept_at_once() {
        let two = ClosureSystem::switched(["x", "y", "z"], |_, _, signs, dy| {
            dy[0] = 0.2 - signs[0] + 0.1 * signs[1];
            dy[1] = -0.4 - signs[1] + 0.2 * signs[0] * signs[1];
            dy[2] = signs[0] + 2.0 * signs[1];
        })
        .switch("a", |_, y| y[0])
        .switch("b", |_, y| y[1]);
        let (dy, weights) = slide(&two, &[0.0, 0.0, 1.0]);
        assert!(dy[0].abs() < 1e-14 && dy[1].abs() < 1e-14, "{dy:?}");
        assert!(weights.iter().all(|w| (0.0..1.0).contains(w)), "{weights:?}");
    }

    #[test]
    fn a_state_without_motion_keeps_every_bit_where_fields_are_evaluated() {
        let system = ClosureSystem::switched(["v", "gear"], |_, y, signs, dy| {
            dy[0] = if y[1] == 1.0 { 2.0 - signs[0] } else { f64::NAN };
            dy[1] = 0.0;
        })
        .switch("fast", |_, y| y[0] - 1e5 * y[1]);
        let mut sliding = on_all(&system);
        with_env(&system, |env| sliding.evaluate(env, &[1e5 + 1e-11, 1.0]));
        let rates = &sliding.combination.rates;
        assert_eq!([rates.rate(0, 0), rates.rate(0, 1)], [3.0, 1.0]);
    }

    /// On a circle the true rates are known.
    #[test]
    fn rates_from_differences_are_as_exact_as_is_said() {
        let system = ClosureSystem::switched(["x", "y"], |_, y, signs, dy| {
            (dy[0], dy[1]) = (-signs[0] * y[0] - 5.0 * y[1], -signs[0] * y[1] + 5.0 * y[0]);
        })
        .switch("circle", |_, y| y[0] * y[0] + y[1] * y[1] - 1.0);
        let mut sliding = on_all(&system);
        let mut worst = 0.0_f64;
        for k in 0..200 {
            let angle = 0.05 * f64::from(k);
            with_env(&system, |env| sliding.evaluate(env, &[angle.cos(), angle.sin()]));
            let rates = &sliding.combination.rates;
            worst = worst.max((rates.rate(0, 0) - 2.0).abs() / rates.rounding(0));
        }
        assert!(worst < 1.0 && worst > 0.01, "{worst:e}");
    }

    #[test]
    fn a_state_is_put_onto_a_surface_along_the_jumps() {
        let system = ClosureSystem::switched(["x", "y"], |_, _, signs, dy| {
            (dy[0], dy[1]) = (1.0, -signs[0]);
        })
        .switch("s", |_, y| y[0] + y[1]);
        let mut sliding = on_all(&system);
        let (mut shortest, mut along) = ([1.0, -0.9], [1.0, -0.9]);
        with_env(&system, |env| {
            sliding.project(env, &mut shortest);
            sliding.evaluate(env, &along);
            sliding.keep_jumps();
            sliding.project(env, &mut along);
        });
        assert!((shortest[0] - 0.95).abs() < 1e-9 && (shortest[1] + 0.95).abs() < 1e-9, "{shortest:?}");
        assert_eq!(along, [1.0, -1.0]);
    }
}
