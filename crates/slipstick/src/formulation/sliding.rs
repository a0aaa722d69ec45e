//! The Filippov field on the intersection of switching surfaces (paper 002, section 4).
//!
//! On k surfaces `g_i = 0` there are 2^k fields `f_σ`, one for each choice of signs. The field along the surfaces is a mixture of them in which every
//! `g_i` stays zero; `weights.rs` says which. On more than [`MOST_SURFACES`] `2^k` fields are
//! too many; there each sign must stand in a term of its own, as in friction forces and relays, so that `k + 1` fields tell all others.
//! A surface that is written twice counts once (`twins.rs`): its other guards follow the first.
//! Behind a mass matrix, `M y' = f`, the rate of a surface along a field is `∇g · M⁻¹ f`. The fields are taken at
//! the projection of the given point onto the surfaces, each on its own side: so the stages of any method lie on the surfaces, and here a field is
//! never used where it is not defined.

use super::Surface;
use super::algebraic::Algebraic;
use super::dependence::Dependence;
use super::twins::Place;
use crate::equations::{Evaluator, MassKind, System};
use crate::math::{LeastNorm, RealLu};
use crate::mode::Mode;

/// Up to so many surfaces may depend on each other in any way: there are two to this power fields to be evaluated.
pub const MOST_SURFACES: usize = 6;
/// How far a field may be from the sum of its terms.
const ADDS_UP: f64 = 1e-9;
/// Rounds of Newton's method for the projection and for the weights.
pub(super) const MOST_ROUNDS: usize = 20;

/// A surface that is one of the others, written again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Follower {
    /// Its own guard and switch.
    pub surface: Surface,
    /// The index of the surface that it is.
    pub leader: usize,
    /// +1 if both have the same positive side, else -1.
    pub orientation: f64,
}

/// What was evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Right-hand sides.
    pub derivatives: u64,
    /// Guards, and gradients of guards.
    pub guards: u64,
}

/// The surfaces that a motion slides on, or could, with the scratch for the field along them.
#[derive(Clone, Debug)]
pub struct Sliding {
    pub(super) surfaces: Vec<Surface>,
    pub(super) followers: Vec<Follower>,
    pub(super) n: usize,
    pub(super) parameters: Vec<f64>,
    /// The projected point, and a point next to it.
    pub(super) point: Vec<f64>,
    pub(super) beside: Vec<f64>,
    /// The surfaces at the projected point: values, gradients by rows, rates in time.
    pub(super) values: Vec<f64>,
    pub(super) gradients: Vec<f64>,
    pub(super) time_rates: Vec<f64>,
    /// The ways to the surfaces, by rows: the gradients, or what constraints allow of them.
    pub(super) directions: Vec<f64>,
    /// The fields, and the rate of each surface along each of them, by surfaces.
    pub(super) fields: Vec<f64>,
    pub(super) rates: Vec<f64>,
    /// The share of each field in the mixture, and the weight of the positive side of each surface: the sum of the shares there.
    pub(super) shares: Vec<f64>,
    pub(super) weights: Vec<f64>,
    /// The weights by which it is told where the motion leaves a surface, and room to keep the mixture while they are found.
    pub(super) exits: Vec<f64>,
    pub(super) kept: (Vec<f64>, Vec<f64>),
    pub(super) matrix: RealLu,
    pub(super) step: Vec<f64>,
    pub(super) least_norm: LeastNorm,
    /// Whether each sign stands in a term of its own, as far as the fields at the last point tell.
    pub(super) affine: bool,
    /// Which surfaces are independent, and whether some were not at the last point.
    pub(super) dependence: Dependence,
    pub(super) dependent: bool,
    /// How large the rates of each surface are by rounding alone.
    pub(super) noise: Vec<f64>,
    /// The transposed mass matrix, if there is one, what is algebraic beside it, and the gradients behind it.
    pub(super) mass: Option<RealLu>,
    algebraic: Option<Algebraic>,
    pub(super) duals: Vec<f64>,
    /// Whether a state is put back along the jumps of the field, and not along the gradients of the surfaces.
    pub(super) along_jumps: bool,
    /// Which states do not move; empty where that is not known yet.
    pub(super) still: Vec<bool>,
    /// The jumps of the field that are kept for that, by surfaces.
    pub(super) jumps: Vec<f64>,
    /// No weight is fixed.
    pub(super) free: Vec<Option<f64>>,
    pub(super) effort: Effort,
}

impl Sliding {
    /// Room for a motion along some surfaces.
    pub fn new(system: &dyn System, surfaces: Vec<Surface>) -> Self {
        let (k, n) = (surfaces.len(), system.layout().dimension());
        let sides = if k > MOST_SURFACES { k + 1 } else { 1 << k };
        let has_mass = system.mass_kind() != MassKind::Identity;
        let mut sliding = Self {
            n,
            parameters: system.parameters().to_vec(),
            followers: Vec::new(),
            point: vec![0.0; n],
            beside: vec![0.0; n],
            values: vec![0.0; k],
            gradients: vec![0.0; k * n],
            time_rates: vec![0.0; k],
            directions: vec![0.0; k * n],
            fields: vec![0.0; n * sides],
            rates: vec![0.0; k * sides],
            shares: vec![0.0; sides],
            weights: vec![0.5; k],
            exits: vec![0.5; k],
            kept: (vec![0.0; sides], vec![0.0; k]),
            least_norm: LeastNorm::new(k, if k > MOST_SURFACES { 0 } else { sides }),
            affine: false,
            dependence: Dependence::new(k, n + 1),
            dependent: false,
            noise: vec![0.0; k],
            matrix: RealLu::new(k),
            step: vec![0.0; k],
            mass: has_mass.then(|| RealLu::new(n)),
            algebraic: None,
            duals: vec![0.0; k * n],
            along_jumps: false,
            still: Vec::new(),
            jumps: vec![0.0; k * n],
            free: vec![None; k],
            effort: Effort::default(),
            surfaces,
        };
        sliding.find_shares();
        sliding
    }

    /// As [`new`](Self::new), for surfaces that are met at a point: those that are the same surface count once.
    pub fn at(
        system: &dyn System,
        evaluator: &mut dyn Evaluator,
        mode: &Mode,
        (t, y): (f64, &[f64]),
        surfaces: &[Surface],
    ) -> Self {
        let mut place = Place { evaluator, mode, parameters: system.parameters(), t, y };
        let (mut leaders, mut followers): (Vec<Surface>, Vec<Follower>) = (Vec::new(), Vec::new());
        for &surface in surfaces {
            let same = |leader: &Surface| place.same_surface(leader.guard, surface.guard);
            let twin = leaders.iter().map(same).enumerate().find_map(|(i, found)| Some((i, found?)));
            match twin {
                Some((leader, orientation)) => followers.push(Follower { surface, leader, orientation }),
                None => leaders.push(surface),
            }
        }
        Self { followers, ..Self::new(system, leaders) }
    }

    /// The surfaces, each once.
    pub fn surfaces(&self) -> &[Surface] {
        &self.surfaces
    }

    /// The surfaces that are one of the others.
    pub fn followers(&self) -> &[Follower] {
        &self.followers
    }

    /// The index of a guard's surface, or of the one that it is the same as.
    pub fn index_of(&self, guard: usize) -> Option<usize> {
        let own = self.surfaces.iter().position(|surface| surface.guard == guard);
        let follower = |f: &&Follower| f.surface.guard == guard;
        own.or_else(|| self.followers.iter().find(follower).map(|follower| follower.leader))
    }

    /// The weight of the positive side of each surface, where the field was last evaluated.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// What tells where the motion leaves: outside of 0 to 1 it goes to the negative or positive side of a surface. On one and two surfaces these are
    /// the weights.
    pub fn exits(&self) -> &[f64] {
        &self.exits
    }

    /// What was evaluated since this was last asked.
    pub fn take_effort(&mut self) -> Effort {
        std::mem::take(&mut self.effort)
    }

    /// The field along all surfaces at the projection of `y`.
    pub fn derivative(
        &mut self,
        evaluator: &mut dyn Evaluator,
        mode: &mut Mode,
        t: f64,
        y: &[f64],
        dy: &mut [f64],
    ) {
        self.evaluate(evaluator, mode, t, y);
        self.find_free_weights();
        dy.fill(0.0);
        for (field, weight) in self.fields.chunks_exact(self.n).zip(&self.shares) {
            for (dy, f) in dy.iter_mut().zip(field) {
                *dy += weight * f;
            }
        }
        self.remove_rounding(dy);
    }

    /// How many sides there are: one for each choice of signs.
    pub fn sides(&self) -> usize {
        let k = self.surfaces.len();
        if self.adds_up() { k + 1 } else { 1 << k }
    }

    /// Whether every sign must stand in a term of its own, because there are too many surfaces for all choices of signs.
    pub fn adds_up(&self) -> bool {
        self.surfaces.len() > MOST_SURFACES
    }

    /// The sign of surface `i` on a side. Where fields add up, the first side is negative everywhere, and each other one positive on one surface.
    pub(super) fn sign_on(&self, side: usize, i: usize) -> f64 {
        let positive = if self.adds_up() { side == i + 1 } else { side >> i & 1 == 1 };
        if positive { 1.0 } else { -1.0 }
    }

    /// Whether the field of all positive sides is the sum of its terms; the fields must have been evaluated.
    pub fn terms_add_up(&mut self, evaluator: &mut dyn Evaluator, mode: &mut Mode, t: f64) -> bool {
        for surface in &self.surfaces {
            surface.lock(mode, 1.0);
        }
        for follower in &self.followers {
            follower.surface.lock(mode, follower.orientation);
        }
        evaluator.derivative(mode.locked(&self.parameters), t, &self.point, &mut self.beside);
        self.rest(mode);
        self.effort.derivatives += 1;
        let (n, sides) = (self.n, self.sides());
        // The fields are taken at points that differ by rounding, and so can their small entries.
        let largest = self.fields.iter().chain(&self.point).fold(0.0_f64, |a, b| a.max(b.abs()));
        let rounding = 1e-12 * largest;
        (0..n).all(|j| {
            let entry = |b: usize| self.fields[b * n + j];
            let sum: f64 = entry(0) + (1..sides).map(|b| entry(b) - entry(0)).sum::<f64>();
            let size = (0..sides).fold(self.beside[j].abs(), |size, b| size.max(entry(b).abs()));
            (self.beside[j] - sum).abs() <= ADDS_UP * size + rounding
        })
    }

    /// Locks the signs of a side, and gives the share that it has in the field along the surfaces.
    pub fn set_side(&self, side: usize, mode: &mut Mode) -> f64 {
        for (i, surface) in self.surfaces.iter().enumerate() {
            surface.lock(mode, self.sign_on(side, i));
        }
        for follower in &self.followers {
            follower.surface.lock(mode, follower.orientation * self.sign_on(side, follower.leader));
        }
        self.shares[side]
    }

    /// Moves `y` onto all surfaces, the shortest way that the constraints of a mechanism allow.
    pub fn project(&mut self, evaluator: &mut dyn Evaluator, mode: &Mode, t: f64, y: &mut [f64]) {
        self.find_point(evaluator, mode, t, y, true);
        y.copy_from_slice(&self.point);
    }

    /// Moves `y` to the given side of the first surface, or onto it.
    pub fn step_to(&mut self, evaluator: &mut dyn Evaluator, mode: &Mode, t: f64, side: f64, y: &mut [f64]) {
        self.find_point(evaluator, mode, t, y, true);
        self.step_aside(usize::from(side > 0.0));
        y.copy_from_slice(&self.beside);
    }

    /// Evaluates surfaces and all fields at the projection of `y`.
    pub fn evaluate(&mut self, evaluator: &mut dyn Evaluator, mode: &mut Mode, t: f64, y: &[f64]) {
        self.find_point(evaluator, mode, t, y, false);
        self.evaluate_point(evaluator, mode, t);
    }

    /// Evaluates all fields at a state that stands on the surfaces, as it is: a transition moves nothing (rule 21).
    pub fn evaluate_here(&mut self, evaluator: &mut dyn Evaluator, mode: &mut Mode, t: f64, y: &[f64]) {
        self.point.copy_from_slice(y);
        self.find_values(evaluator, mode, t);
        self.evaluate_point(evaluator, mode, t);
    }

    fn evaluate_point(&mut self, evaluator: &mut dyn Evaluator, mode: &mut Mode, t: f64) {
        self.find_gradients(evaluator, mode, t);
        self.find_duals(evaluator, mode, t);
        let own = self.evaluate_own_side(evaluator, mode, t);
        for b in (0..self.sides()).filter(|b| Some(*b) != own) {
            self.evaluate_field(evaluator, mode, t, b);
        }
        self.rest(mode);
        self.find_noise(evaluator, mode, t);
        self.affine = self.is_affine();
        self.dependent = self.surfaces.len() > 2 && self.find_leads(|_| true, 1.0) > 0;
    }

    /// Locks counts as they are locked while sliding: their guards are only the surfaces then.
    fn rest(&self, mode: &mut Mode) {
        for surface in self.surfaces.iter().chain(self.followers.iter().map(|f| &f.surface)) {
            surface.rest(mode);
        }
    }

    /// Evaluates one of the fields at the projected point, and the rates of all surfaces along it.
    pub(super) fn evaluate_field(
        &mut self,
        evaluator: &mut dyn Evaluator,
        mode: &mut Mode,
        t: f64,
        b: usize,
    ) {
        let sides = self.sides();
        self.set_side(b, mode);
        self.step_aside(b);
        self.solve_beside(evaluator, mode, t);
        let field = &mut self.fields[b * self.n..(b + 1) * self.n];
        evaluator.derivative(mode.locked(&self.parameters), t, &self.beside, field);
        self.effort.derivatives += 1;
        if let Some(algebraic) = &self.algebraic {
            // The equation of an algebraic state is that it is the mixture of those of all sides.
            for (&row, &column) in algebraic.rows.iter().zip(&algebraic.columns) {
                field[row] = self.beside[column] - self.point[column];
            }
        }
        for i in 0..self.surfaces.len() {
            let dual = &self.duals[i * self.n..(i + 1) * self.n];
            let along: f64 = dual.iter().zip(&*field).map(|(g, f)| g * f).sum();
            self.rates[i * sides + b] = self.time_rates[i] + along;
        }
    }

    /// Solves for the algebraic states of the side that is locked, at the point next to the projected one.
    fn solve_beside(&mut self, evaluator: &mut dyn Evaluator, mode: &Mode, t: f64) {
        let Some(algebraic) = &mut self.algebraic else { return };
        match algebraic.solve(evaluator, mode.locked(&self.parameters), t, &mut self.beside) {
            Some(count) => self.effort.derivatives += count,
            None => self.beside.fill(f64::NAN),
        }
    }

    /// Puts the algebraic states of a point to their mixture; the fields must have been evaluated there and the weights found.
    pub(super) fn mix_algebraic(&self, y: &mut [f64]) {
        let Some(algebraic) = &self.algebraic else { return };
        for (&row, &column) in algebraic.rows.iter().zip(&algebraic.columns) {
            let fields = self.fields.chunks_exact(self.n);
            y[column] += fields.zip(&self.shares).map(|(field, share)| share * field[row]).sum::<f64>();
        }
    }

    /// The gradients behind the mass matrix: `M⁻ᵀ ∇g`. Where the matrix is singular they are not known.
    fn find_duals(&mut self, evaluator: &mut dyn Evaluator, mode: &Mode, t: f64) {
        self.duals.copy_from_slice(&self.gradients);
        let Some(mass) = &mut self.mass else { return };
        evaluator.mass(mode.locked(&self.parameters), t, &self.point, mass.entries_mut());
        if self.algebraic.is_none() {
            self.algebraic = Algebraic::of(mass.entries_mut(), self.n);
        }
        if let Some(algebraic) = &self.algebraic {
            algebraic.complete(mass.entries_mut());
        }
        transpose(mass.entries_mut(), self.n);
        if mass.factor().is_err() {
            return self.duals.fill(f64::NAN);
        }
        for dual in self.duals.chunks_exact_mut(self.n) {
            mass.solve(dual);
        }
    }

    /// Newton's method along the gradients, or along what of them the constraints of a mechanism allow.
    fn find_point(&mut self, evaluator: &mut dyn Evaluator, mode: &Mode, t: f64, y: &[f64], within: bool) {
        self.point.copy_from_slice(y);
        let size = y.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
        self.find_gradients(evaluator, mode, t);
        self.find_still(evaluator, mode, t);
        for round in 0..MOST_ROUNDS {
            let distance = self.find_values(evaluator, mode, t) / (size + f64::MIN_POSITIVE);
            // Once is always worth it: that often brings the point onto the surface to the last bit.
            if distance.is_nan() || distance == 0.0 || (round > 0 && distance <= f64::EPSILON) {
                return;
            }
            if round > 0 {
                self.find_gradients(evaluator, mode, t);
            }
            self.find_directions(evaluator, mode, t, within);
            if !self.newton_step() {
                return;
            }
        }
        self.find_values(evaluator, mode, t);
    }

    /// The values at the projected point. Gives about how far it is from the farthest surface.
    pub(super) fn find_values(&mut self, evaluator: &mut dyn Evaluator, mode: &Mode, t: f64) -> f64 {
        self.effort.guards += self.surfaces.len() as u64;
        let mut farthest = 0.0_f64;
        for (i, surface) in self.surfaces.iter().enumerate() {
            self.values[i] = evaluator.guard(mode.locked(&self.parameters), surface.guard, t, &self.point);
            let gradient = &self.gradients[i * self.n..(i + 1) * self.n];
            let steep: f64 = gradient.iter().map(|g| g.abs()).sum();
            farthest = farthest.max(self.values[i].abs() / steep);
        }
        farthest
    }

    /// The gradients and rates in time at the projected point.
    fn find_gradients(&mut self, evaluator: &mut dyn Evaluator, mode: &Mode, t: f64) {
        for (i, surface) in self.surfaces.iter().enumerate() {
            let gradient = &mut self.gradients[i * self.n..(i + 1) * self.n];
            self.time_rates[i] = evaluator.guard_gradient(
                mode.locked(&self.parameters),
                surface.guard,
                t,
                &mut self.point,
                gradient,
            );
        }
    }

    /// Finds the independent ones among the surfaces that count, and how many are not; `time` is how much their rates in time count.
    pub(super) fn find_leads(&mut self, counts: impl Fn(usize) -> bool, time: f64) -> usize {
        let (n, gradients, time_rates) = (self.n, &self.gradients, &self.time_rates);
        let row = |i: usize, out: &mut [f64]| {
            out[..n].copy_from_slice(&gradients[i * n..(i + 1) * n]);
            out[n] = time * time_rates[i];
        };
        self.dependence.find(row, counts)
    }

    /// One step of Newton's method for the projection; false if the gradients do not allow it.
    fn newton_step(&mut self) -> bool {
        let (k, n) = (self.surfaces.len(), self.n);
        if k > 2 {
            self.find_leads(|_| true, 0.0);
        }
        let row = |i: usize| &self.gradients[i * n..(i + 1) * n];
        let way = |i: usize| &self.directions[i * n..(i + 1) * n];
        let leads = &self.dependence.leads;
        for i in 0..k {
            for j in 0..k {
                let entry = row(i).iter().zip(way(j)).map(|(a, b)| a * b).sum();
                let identity = if i == j { 1.0 } else { 0.0 };
                self.matrix.entries_mut()[i * k + j] = if leads[i] && leads[j] { entry } else { identity };
            }
            self.step[i] = if leads[i] { self.values[i] } else { 0.0 };
        }
        if self.matrix.factor().is_err() {
            return false;
        }
        self.matrix.solve(&mut self.step);
        for i in 0..k {
            for (point, way) in self.point.iter_mut().zip(&self.directions[i * n..(i + 1) * n]) {
                *point -= self.step[i] * way;
            }
        }
        true
    }

    /// The projected point, moved by as little as can be to where all surfaces have the wanted signs or are zero.
    fn step_aside(&mut self, signs: usize) {
        self.beside.copy_from_slice(&self.point);
        let size = self.point.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
        for i in 0..self.surfaces.len() {
            let sign = self.sign_on(signs, i);
            self.find_moving_gradient(i);
            let way = &self.directions[i * self.n..(i + 1) * self.n];
            let square: f64 = way.iter().map(|g| g * g).sum();
            // A surface in time alone has no side to step to.
            if self.values[i] * sign >= 0.0 || square == 0.0 {
                continue;
            }
            let far = 2.0 * self.values[i].abs() + 4.0 * f64::EPSILON * size * square.sqrt();
            for (beside, way) in self.beside.iter_mut().zip(way) {
                *beside += sign * far / square * way;
            }
        }
    }
}

/// Turns a square matrix of `n` rows over.
fn transpose(matrix: &mut [f64], n: usize) {
    for i in 0..n {
        for j in 0..i {
            matrix.swap(i * n + j, j * n + i);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::equations::ClosureSystem;

    fn slide(system: &ClosureSystem, y: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let guards = &system.shape().guards;
        let mut mode = Mode::new(0, system.shape().switch_names.len(), 0);
        let surfaces = (0..guards.len()).filter_map(|g| Surface::of(guards, &mode, g)).collect();
        let mut sliding = Sliding::new(system, surfaces);
        let mut dy = vec![0.0; y.len()];
        sliding.derivative(&mut *system.evaluator(), &mut mode, 0.0, y, &mut dy);
        (dy, sliding.weights().to_vec())
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
}
