//! The projection of a point onto the surfaces that a motion slides on.

use super::dependence::Dependence;
use super::jumps::FieldJumps;
use super::local::LocalSurfaces;
use super::still::StillStates;
use super::{SurfaceSet, SurfaceSides};
use crate::formulation::FieldEnv;
use crate::math::{RealLu, dot};

/// Rounds of Newton's method.
const MOST_ROUNDS: usize = 20;
/// Surfaces up to this many are independent, or the same one.
const INDEPENDENT: usize = 2;
/// By how many times its distance a point is moved to the other side of a surface, and by how many spacings
/// of doubles more.
const BEYOND: f64 = 2.0;
const SPACINGS: f64 = 4.0;

/// In which directions a point is moved to surfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Directions {
    /// The shortest way: for stages, which are only evaluated.
    Shortest,
    /// For states: along the jumps of the field, so that what no switch acts on stays as it is to the bit, or
    /// as the constraints of a mechanism allow.
    Allowed,
}

/// Moves points to surfaces.
#[derive(Clone, Debug)]
pub(super) struct SurfaceProjection {
    /// The directions to the surfaces, by rows.
    directions: Vec<f64>,
    /// A point next to the projected one.
    beside: Vec<f64>,
    matrix: RealLu,
    step: Vec<f64>,
    dependence: Dependence,
    pub(super) still: StillStates,
    pub(super) jumps: FieldJumps,
}

impl SurfaceProjection {
    /// Room for surfaces of `n` states. `fields_are_rates` if no mass matrix stands before the rates.
    pub(super) fn new(sides: SurfaceSides, n: usize, fields_are_rates: bool) -> Self {
        let k = sides.surfaces();
        Self {
            directions: vec![0.0; k * n],
            beside: vec![0.0; n],
            matrix: RealLu::new(k),
            step: vec![0.0; k],
            dependence: Dependence::new(k, n),
            still: StillStates::new(n, fields_are_rates),
            jumps: FieldJumps::new(sides, n),
        }
    }

    /// Becomes as new, for other surfaces.
    pub(super) fn renew(&mut self) {
        let Self { directions: _, beside: _, matrix: _, step: _, dependence, still, jumps } = self;
        dependence.renew();
        still.renew();
        jumps.renew();
    }

    /// Moves the point onto all surfaces, by Newton's method.
    pub(super) fn project(
        &mut self,
        env: &mut FieldEnv<'_>,
        set: &SurfaceSet,
        local: &mut LocalSurfaces,
        directions: Directions,
    ) {
        local.find_values(env, set);
        if local.is_on_all() {
            return;
        }
        let size = local.size() + f64::MIN_POSITIVE;
        local.find_gradients(env, set);
        self.still.find(env, set, local, &mut self.beside);
        for round in 0..MOST_ROUNDS {
            let distance = local.distance() / size;
            // Once is always worth it: that often brings the point onto the surface to the last bit.
            if distance.is_nan() || distance == 0.0 || (round > 0 && distance <= f64::EPSILON) {
                return;
            }
            local.find_gradients(env, set);
            self.find_directions(env, local, directions);
            if !self.newton_step(local) {
                return;
            }
            local.find_values(env, set);
        }
    }

    fn find_directions(&mut self, env: &mut FieldEnv<'_>, local: &LocalSurfaces, directions: Directions) {
        let n = local.point().len();
        for (i, direction) in self.directions.chunks_exact_mut(n.max(1)).enumerate() {
            self.still.moving_part(local.gradient(i), direction);
            if directions == Directions::Shortest {
                continue;
            }
            match self.jumps.across(i, local.gradient(i)) {
                Some(jump) => direction.copy_from_slice(jump),
                None => env.allow(local.point(), direction),
            }
        }
    }

    /// One step of Newton's method; false if the gradients do not allow it.
    fn newton_step(&mut self, local: &mut LocalSurfaces) -> bool {
        let (k, n) = (self.step.len(), local.point().len());
        if k > INDEPENDENT {
            (0..k).for_each(|i| self.dependence.set(i, local.gradient(i), 0.0));
            self.dependence.find(|_| true);
        }
        let leads = &self.dependence.leads;
        for i in 0..k {
            for (j, direction) in self.directions.chunks_exact(n.max(1)).enumerate() {
                let identity = if i == j { 1.0 } else { 0.0 };
                let counts = leads[i] && leads[j];
                let entry = if counts { dot(local.gradient(i), direction) } else { identity };
                self.matrix.entries_mut()[i * k + j] = entry;
            }
            self.step[i] = if leads[i] { local.values[i] } else { 0.0 };
        }
        if self.matrix.factor().is_err() {
            return false;
        }
        self.matrix.solve(&mut self.step);
        local.move_back(&self.step, &self.directions);
        true
    }

    /// The projected point, moved by as little as can be to where all surfaces have the signs of a side or
    /// are zero.
    pub(super) fn step_aside(
        &mut self,
        local: &LocalSurfaces,
        sides: SurfaceSides,
        side: usize,
    ) -> &mut [f64] {
        self.beside.copy_from_slice(local.point());
        if local.is_on_all() {
            return &mut self.beside;
        }
        let n = local.point().len();
        for (i, way) in self.directions.chunks_exact_mut(n.max(1)).enumerate() {
            let (sign, value) = (sides.sign(side, i), local.values[i]);
            if value * sign >= 0.0 {
                continue;
            }
            self.still.moving_part(local.gradient(i), way);
            let square: f64 = way.iter().map(|g| g * g).sum();
            // A surface in time alone has no side to step to.
            if square == 0.0 {
                continue;
            }
            let far = BEYOND * value.abs() + SPACINGS * f64::EPSILON * local.size() * square.sqrt();
            for (beside, way) in self.beside.iter_mut().zip(way) {
                *beside += sign * far / square * *way;
            }
        }
        &mut self.beside
    }
}
