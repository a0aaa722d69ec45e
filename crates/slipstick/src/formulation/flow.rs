//! The flow of a system whose mode is locked: first-order equations integrated as they stand. Work is counted
//! here.

use super::behind_mass::{BehindMass, difference};
use super::engine::Engine;
use super::entered_branches::{entered_signs, position_rates};
use super::guards_view::GuardEquations;
use super::one_sided::OneSided;
use super::start_slope::StartSlope;
use super::{AlgebraicView, Field, FieldEnv, GuardsView, MassKind, Sliding, SlidingMotions};
use super::{Stabilisation, Surface, SwitchingView, Upkeep, Visits, WorkCounts};
use crate::equations::{PlainField, System, UncertainPoint};
use crate::mode::Mode;

/// A system in a mode, with the layers that its form has around the equations.
pub struct Flow<'a> {
    pub(super) system: &'a dyn System,
    pub(super) evaluator: Engine<'a>,
    /// The right-hand side, where that is all there is to call: the motion neither slides nor has to stay on
    /// one side.
    plain: Option<&'a PlainField>,
    /// The values of the parameters in this run.
    pub(super) parameters: Vec<f64>,
    /// The discrete state that holds now.
    pub mode: Mode,
    /// What was evaluated so far.
    pub counts: WorkCounts,
    /// What is known of the right-hand side where the segment begins.
    start_slope: StartSlope,
    /// A state and a derivative next to the one of interest, for differences. There is room for them once
    /// they are needed.
    pub(super) beside: Vec<f64>,
    pub(super) slope: Vec<f64>,
    /// The guards that matter while signs and counts stay as they are.
    needed: Vec<bool>,
    /// The surfaces that the motion slides on, if it does.
    pub(super) motions: SlidingMotions,
    /// Where a step has evaluated the field along the surfaces.
    pub visits: Visits,
    /// Keeps the field from being used behind surfaces that the motion has not crossed.
    pub one_sided: OneSided,
    pub(super) has_constraints: bool,
    /// What finds rates after a mass matrix, if there is one.
    behind_mass: Option<BehindMass>,
}

impl<'a> Flow<'a> {
    /// The flow of `system` in `mode`.
    pub fn new(system: &'a dyn System, mode: Mode) -> Self {
        Self::stabilised(system, mode, Stabilisation::Twice)
    }

    /// The flow of `system` in `mode`, with a choice of what keeps the constraints of a mechanism met.
    pub fn stabilised(system: &'a dyn System, mode: Mode, upkeep: impl Into<Upkeep>) -> Self {
        let n = system.layout().dimension();
        let has_mass = system.mass_kind() != MassKind::Identity;
        Self {
            system,
            evaluator: Engine::new(system, upkeep.into()),
            plain: system.plain_field(),
            parameters: system.parameters().to_vec(),
            start_slope: StartSlope::new(mode.clone()),
            mode,
            counts: WorkCounts::default(),
            beside: Vec::new(),
            slope: Vec::new(),
            needed: vec![true; system.guards().len()],
            motions: SlidingMotions::default(),
            visits: Visits::default(),
            one_sided: OneSided::new(system),
            has_constraints: !system.constraints().is_empty(),
            behind_mass: has_mass.then(|| BehindMass::new(n)),
        }
    }

    /// The same with other parameters than those of the system.
    #[must_use]
    pub fn with_parameters(mut self, parameters: &[f64]) -> Self {
        self.parameters.clear();
        self.parameters.extend_from_slice(parameters);
        self
    }

    /// Becomes as new, for another run: with these parameters, from this mode on.
    pub fn renew(&mut self, parameters: &[f64], mode: &Mode) {
        let Self { system: _, evaluator, plain: _, start_slope, beside: _, slope: _, needed, .. } = self;
        evaluator.renew();
        start_slope.forget();
        needed.fill(true);
        self.parameters.clear();
        self.parameters.extend_from_slice(parameters);
        self.mode.clone_from(mode);
        self.counts = WorkCounts::default();
        self.motions.leave();
        self.visits.forget();
        self.one_sided.renew();
        if let Some(behind) = &mut self.behind_mass {
            behind.forget();
        }
        self.find_short_way();
    }

    /// The equations.
    pub fn system(&self) -> &'a dyn System {
        self.system
    }

    /// The inputs that a guard depends on, time first, if that is all that its value along the motion depends on:
    /// a state that is brought to constraints or surfaces moves as a whole.
    pub fn guard_reads(&self, guard: usize) -> Option<&[u32]> {
        let reads = self.guard_inputs(guard)?;
        let held = self.held_velocities();
        if held.is_empty() {
            return Some(reads);
        }
        let q = self.system.layout().q;
        let is_held = |input: &u32| {
            let state = (*input as usize).checked_sub(1);
            state.and_then(|i| held.get(if i < q { i } else { i - q })).is_some_and(|held| *held)
        };
        (!reads.iter().any(is_held)).then_some(reads)
    }

    /// The inputs that a guard depends on where the motion stands, time first.
    pub fn guard_inputs(&self, guard: usize) -> Option<&[u32]> {
        if self.motions.now.is_some() {
            return None;
        }
        self.evaluator.guard_reads(self.mode.locked(&self.parameters), guard)
    }

    /// The values of the parameters.
    pub fn parameters(&self) -> &[f64] {
        &self.parameters
    }

    /// Guards along the motion.
    #[inline]
    pub fn guards(&mut self) -> GuardsView<'_> {
        let (system, eval, parameters) = (self.system, &mut *self.evaluator, &self.parameters[..]);
        let (mode, counts) = (&mut self.mode, &mut self.counts);
        let equations = GuardEquations { system, eval, parameters, mode, counts };
        GuardsView { equations, sliding: &mut self.motions.now }
    }

    /// Switching surfaces at an instant.
    #[inline]
    pub fn switching(&mut self, t: f64) -> SwitchingView<'_> {
        let (eval, parameters) = (&mut *self.evaluator, &self.parameters[..]);
        let env = FieldEnv { eval, mode: &mut self.mode, parameters, t, counts: &mut self.counts };
        let (motions, visits) = (&mut self.motions, &mut self.visits);
        SwitchingView { system: self.system, env, motions, visits }
    }

    /// Algebraic states at an instant.
    pub fn algebraic(&mut self, t: f64) -> AlgebraicView<'_> {
        let (eval, parameters) = (&mut *self.evaluator, &self.parameters[..]);
        let env = FieldEnv { eval, mode: &mut self.mode, parameters, t, counts: &mut self.counts };
        AlgebraicView { env, mass: self.behind_mass.as_mut(), sliding: self.motions.now.as_mut() }
    }

    /// What the motion slides on, if it does.
    pub fn sliding(&self) -> Option<&Sliding> {
        self.motions.now.as_ref()
    }

    /// The rates of positions that the speeds of a state say: the speeds, or `T v`.
    pub fn position_rates(&mut self, t: f64, y: &[f64]) -> Vec<f64> {
        position_rates(self.system, &mut *self.evaluator, t, y)
    }

    /// Whether a guard is watched in the modes that hold. A lock in a branch that is not taken is not.
    pub fn watches(&self, guard: usize) -> bool {
        let guards = self.system.guards();
        self.needed[guard] && guards[guard].kind.has_formula() && self.mode.holds(guards, guard)
    }

    /// Finds out which guards matter with the present signs and counts. A motion that slides on a surface has
    /// both of its branches.
    pub fn find_needed(&mut self) {
        if self.mode.structure.sliding.is_empty() {
            self.evaluator.find_needed(self.mode.locked(&self.parameters), &mut self.needed);
        } else {
            self.needed.fill(true);
        }
        self.one_sided.know_needed(&self.needed);
    }

    /// Locks the branches that matter in this mode, and did not in the one before, as they are at a point.
    pub fn enter_branches(&mut self, before: &Mode, point: UncertainPoint<'_>) {
        let locked = [before, &self.mode].map(|mode| mode.locked(&self.parameters));
        let signs = entered_signs(self.system, &mut *self.evaluator, locked, point);
        self.mode.values.signs.copy_from_slice(&signs);
    }

    /// Lets the motion slide on the given surfaces, or on none, from a point on.
    pub fn slide_on(&mut self, surfaces: &[Surface], t: f64, y: &[f64]) {
        self.mode.structure.sliding.clear();
        self.mode.structure.sliding.extend(surfaces.iter().map(|surface| surface.guard));
        self.motions.leave();
        self.motions.now = (!surfaces.is_empty()).then(|| self.switching(t).meet(surfaces, y));
        self.find_short_way();
        self.visits.forget();
    }

    /// The motion slides on surfaces whose fields have been evaluated where it stands.
    pub fn slide_along(&mut self, sliding: Sliding) {
        self.mode.structure.sliding = sliding.set.guards();
        self.motions.leave();
        self.motions.now = Some(sliding);
        self.find_short_way();
        self.visits.forget();
    }

    /// From here on a state that slides is put back along the jumps of the field as it was last evaluated:
    /// what no switch acts on keeps every bit (rule 21). They are the same for a whole step, so that a state
    /// between its ends does not depend on what was looked at before. A mechanism is moved as its constraints
    /// allow where it stands.
    pub fn move_along_jumps(&mut self) {
        if let Some(sliding) = self.motions.now.as_mut().filter(|_| !self.has_constraints) {
            sliding.keep_jumps();
        }
    }

    /// From now on the field is not used behind surfaces that the motion has not crossed. False if that is so
    /// already, or there are none.
    pub fn stay_on_this_side(&mut self) -> bool {
        // How a motion goes on at a surface is known where the fields are the rates of the state.
        let has_rates = self.behind_mass.as_ref().is_none_or(BehindMass::is_regular);
        let new = has_rates && self.one_sided.turn_on();
        self.find_short_way();
        new
    }

    fn find_short_way(&mut self) {
        let short = self.motions.now.is_none() && !self.one_sided.is_on();
        self.plain = self.system.plain_field().filter(|_| short);
    }

    /// The right-hand side where a segment begins, which may be known.
    #[cold]
    pub fn first_derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) {
        // Elsewhere an evaluation leaves more behind than its value, or is not the field of one side.
        let is_plain = matches!(self.evaluator, Engine::Plain(_)) && !self.one_sided.is_on();
        if !is_plain || self.motions.now.is_some() {
            return self.derivative(t, y, dy);
        }
        if let Some(slope) = self.start_slope.at(&self.mode, t, y) {
            dy.copy_from_slice(slope);
            self.counts.reused += 1;
            return;
        }
        self.derivative(t, y, dy);
        self.start_slope.keep(&self.mode, t, y, dy);
    }

    /// The right-hand side of a system that needs its evaluator, or has layers around it. Kept apart, so that
    /// the short way stays short.
    #[cold]
    fn evaluated_derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) {
        if self.motions.now.is_some() || self.one_sided.is_on() {
            return self.layered_derivative(t, y, dy);
        }
        self.counts.derivatives += 1;
        self.evaluator.derivative(self.mode.locked(&self.parameters), t, y, dy);
    }

    /// The right-hand side along surfaces, or on one side of them. Kept apart for the same reason.
    #[inline(never)]
    fn layered_derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) {
        let (eval, parameters) = (&mut *self.evaluator, &self.parameters[..]);
        let mut env = FieldEnv { eval, mode: &mut self.mode, parameters, t, counts: &mut self.counts };
        if self.one_sided.is_on() {
            if self.one_sided.is_behind(&mut env, y) {
                return dy.fill(f64::NAN);
            }
            if let Some(surface) = self.one_sided.beside() {
                return self.derivative_beside(surface, t, y, dy);
            }
        }
        if let Some(sliding) = &mut self.motions.now {
            sliding.derivative(&mut env, y, dy);
            let (exits, bands) = sliding.combination.exits_with_bands();
            return self.visits.add_stage((t, y), exits, bands);
        }
        env.derivative(y, dy);
        if self.one_sided.may_turn_back() {
            self.one_sided.look_where_it_goes(&mut env, y, dy);
        }
    }

    /// The right-hand side on the right side of a surface that the motion has just left.
    fn derivative_beside(&mut self, surface: Surface, t: f64, y: &[f64], dy: &mut [f64]) {
        let (mut beside, side) = (y.to_vec(), surface.sign(&self.mode));
        let mut switching = self.switching(t);
        switching.step_aside(surface, side, &mut beside);
        switching.env.derivative(&beside, dy);
    }
}

impl Field for Flow<'_> {
    fn dimension(&self) -> usize {
        self.system.layout().dimension()
    }

    #[inline]
    fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) {
        match self.plain {
            Some(field) => {
                self.counts.derivatives += 1;
                field(t, y, dy);
            }
            None => self.evaluated_derivative(t, y, dy),
        }
    }

    /// Exact where the system knows it, otherwise by forward differences, column by column.
    fn jacobian(&mut self, t: f64, y: &[f64], f: &[f64], jacobian: &mut [f64]) {
        self.counts.jacobians += 1;
        if self.motions.now.is_none()
            && self.evaluator.jacobian(self.mode.locked(&self.parameters), t, y, jacobian)
        {
            return;
        }
        let n = y.len();
        let (mut beside, mut slope) = (std::mem::take(&mut self.beside), std::mem::take(&mut self.slope));
        slope.resize(n, 0.0);
        beside.clear();
        beside.extend_from_slice(y);
        if self.has_terms() {
            self.counts.derivatives += 1;
            self.in_mode().hold_factors(t, y);
        }
        for j in 0..n {
            let h = difference(y[j]).copysign(f[j]);
            beside[j] = y[j] + h;
            self.derivative(t, &beside, &mut slope);
            let exact_h = beside[j] - y[j];
            for i in 0..n {
                jacobian[i * n + j] = (slope[i] - f[i]) / exact_h;
            }
            beside[j] = y[j];
        }
        self.in_mode().let_factors_go();
        (self.beside, self.slope) = (beside, slope);
    }

    fn time_derivative(&mut self, t: f64, y: &[f64], f: &[f64], out: &mut [f64]) {
        if self.motions.now.is_none()
            && self.evaluator.time_derivative(self.mode.locked(&self.parameters), t, y, out)
        {
            return;
        }
        let h = difference(t);
        let mut slope = std::mem::take(&mut self.slope);
        slope.resize(y.len(), 0.0);
        self.derivative(t + h, y, &mut slope);
        let exact_h = (t + h) - t;
        for ((out, slope), f) in out.iter_mut().zip(&slope).zip(f) {
            *out = (slope - f) / exact_h;
        }
        self.slope = slope;
    }

    fn mass_kind(&self) -> MassKind {
        self.system.mass_kind()
    }

    fn mass(&mut self, t: f64, y: &[f64], mass: &mut [f64]) {
        self.evaluator.mass(self.mode.locked(&self.parameters), t, y, mass);
    }

    fn mass_slopes(&mut self, t: f64, y: &[f64], rate: &[f64], slopes: (&mut [f64], &mut [f64])) {
        if let Some(behind) = &mut self.behind_mass {
            behind.mass_slopes(
                &mut *self.evaluator,
                (self.mode.locked(&self.parameters), t, y),
                rate,
                slopes,
            );
        }
    }
}
