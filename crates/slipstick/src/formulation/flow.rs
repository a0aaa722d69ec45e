//! The flow of a system whose mode is locked: first-order equations integrated as they stand. Work is counted here.

use super::behind_mass::{BehindMass, difference};
use super::engine::Engine;
use super::one_sided::OneSided;
use super::sliding::Effort;
use super::start_slope::StartSlope;
use super::visits::Visits;
use super::{Field, MassKind, Sliding, Stabilisation, Surface, Upkeep};
use crate::equations::{Guard, PlainField, Point, Reset, System};
use crate::expr::Bounds;
use crate::mode::Mode;

/// A system in a mode, with the scratch to evaluate it and the count of what was evaluated.
pub struct Flow<'a> {
    pub(super) system: &'a dyn System,
    pub(super) evaluator: Engine<'a>,
    /// The right-hand side, where that is all there is to call: the motion neither slides nor has to stay on one side.
    plain: Option<&'a PlainField>,
    /// The discrete state that holds now.
    pub mode: Mode,
    /// Right-hand sides evaluated so far.
    pub derivative_count: u64,
    /// Those of them that the rates of guards took, at the start of a segment: formulas know their rates, closures and mechanisms need the field.
    pub heading_count: u64,
    /// What is known of the right-hand side where the segment begins.
    pub(super) start_slope: StartSlope,
    /// Values of single guards so far.
    pub guard_count: u64,
    /// Jacobians evaluated so far, exactly or by differences.
    pub jacobian_count: u64,
    /// A state and a derivative next to the one of interest, for differences. There is room for them once they are needed.
    pub(super) beside: Vec<f64>,
    pub(super) slope: Vec<f64>,
    /// The guards that matter while signs and counts stay as they are.
    needed: Vec<bool>,
    /// The surfaces that the motion slides on, if it does.
    pub(super) sliding: Option<Sliding>,
    pub(super) one_sided: OneSided,
    /// Where a step has evaluated the field along the surfaces since [`forget_visits`](Self::forget_visits).
    pub(super) visits: Visits,
    pub(super) is_mechanism: bool,
    /// What finds rates behind a mass matrix, if there is one.
    pub(super) behind_mass: Option<BehindMass>,
}

impl<'a> Flow<'a> {
    /// The flow of `system` in `mode`.
    pub fn new(system: &'a dyn System, mode: Mode) -> Self {
        Self::stabilised(system, mode, Stabilisation::Twice)
    }

    /// The flow of `system` in `mode`, with a choice of what keeps the constraints of a mechanism met.
    pub fn stabilised(system: &'a dyn System, mode: Mode, upkeep: impl Into<Upkeep>) -> Self {
        let evaluator = Engine::new(system, upkeep.into());
        let (derivative_count, heading_count, guard_count, jacobian_count) = (0, 0, 0, 0);
        Self {
            system,
            evaluator,
            plain: system.plain_field(),
            start_slope: StartSlope::new(mode.clone()),
            mode,
            derivative_count,
            heading_count,
            guard_count,
            jacobian_count,
            beside: Vec::new(),
            slope: Vec::new(),
            needed: vec![true; system.guards().len()],
            sliding: None,
            one_sided: OneSided::new(system),
            visits: Visits::default(),
            is_mechanism: !system.constraints().is_empty(),
            behind_mass: (system.mass_kind() != MassKind::Identity)
                .then(|| BehindMass::new(system.layout().dimension())),
        }
    }

    /// The equations.
    pub fn system(&self) -> &'a dyn System {
        self.system
    }

    /// Whether a guard is watched in the mode that holds. A lock in a branch that is not taken is not.
    pub fn watches(&self, guard: usize) -> bool {
        self.needed[guard] && self.has(guard)
    }

    /// Whether a guard belongs to the mode that holds.
    pub fn has(&self, guard: usize) -> bool {
        is_watched(&self.system.guards()[guard], self.mode.values.place)
    }

    /// Finds out which guards matter with the present signs and counts. A motion that slides on a surface has both of its branches.
    pub fn find_needed(&mut self) {
        if self.mode.structure.sliding.is_empty() {
            self.evaluator.find_needed(self.mode.locked(self.system.parameters()), &mut self.needed);
        } else {
            self.needed.fill(true);
        }
        self.one_sided.know_needed(&self.needed);
    }

    /// The value of one guard.
    ///
    /// A guard that the motion slides on is zero; its place is taken by how far the motion is from leaving: the product of the weights of both
    /// sides, which is zero where one side's field runs along the surface.
    pub fn guard(&mut self, guard: usize, t: f64, y: &[f64]) -> f64 {
        if let Some(i) = self.sliding.as_ref().and_then(|sliding| sliding.index_of(guard)) {
            return self.distance_from_leaving(i, t, y);
        }
        self.guard_count += 1;
        self.evaluator.guard(self.mode.locked(self.system.parameters()), guard, t, y)
    }

    /// What is certain of a guard while time (0) and states (from 1 on) move within bounds; none if it is not a formula.
    pub fn guard_bounds(&mut self, guard: usize, input: &dyn Fn(usize) -> Bounds) -> Option<Bounds> {
        let bounds = self.evaluator.guard_bounds(self.mode.locked(self.system.parameters()), guard, input)?;
        self.guard_count += 1;
        Some(bounds)
    }

    /// The times at which the scheduled guards fire.
    pub fn schedule(&mut self, times: &mut [f64]) {
        self.evaluator.schedule(self.mode.locked(self.system.parameters()), times);
    }

    /// The right-hand side of a system that needs its evaluator, or along surfaces. Kept apart, so that the short way stays short.
    #[cold]
    fn evaluated_derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) {
        if self.one_sided.is_on() {
            let (behind, count) = self.one_sided.is_behind(&mut *self.evaluator, &self.mode, t, y);
            self.guard_count += count;
            if behind {
                return dy.fill(f64::NAN);
            }
            if let Some(surface) = self.one_sided.beside() {
                return self.derivative_beside(surface, t, y, dy);
            }
        }
        if self.sliding.is_some() {
            self.slide(t, y, dy);
            return self.note_visit(t);
        }
        self.derivative_count += 1;
        self.evaluator.derivative(self.mode.locked(self.system.parameters()), t, y, dy);
        if self.one_sided.may_turn_back() {
            self.one_sided.look_where_it_goes(&mut *self.evaluator, &self.mode, Point { t, y, dy });
        }
    }

    /// The right-hand side on the right side of a surface that the motion has just left.
    fn derivative_beside(&mut self, surface: Surface, t: f64, y: &[f64], dy: &mut [f64]) {
        let mut beside = y.to_vec();
        self.step_aside(surface, surface.sign(&self.mode), t, &mut beside);
        self.derivative_count += 1;
        self.evaluator.derivative(self.mode.locked(self.system.parameters()), t, &beside, dy);
    }

    /// The motion stands on the surfaces of these guards.
    pub fn stand_on(&mut self, guards: &[usize]) {
        self.one_sided.stand_on(guards);
    }

    /// A step was taken: the motion is no longer next to the surfaces that it met or came through.
    pub fn move_on(&mut self) {
        self.one_sided.move_on();
    }

    /// The side that the motion has just gone to through the surface of each guard that has changed the mode, zero for all others. In the next
    /// step the field is not used behind those.
    pub fn enter(&mut self, side_of: impl Fn(usize) -> f64) {
        self.one_sided.enter(side_of);
    }

    /// The side that each guard must not leave without its event, zero if it may.
    pub fn know_sides(&mut self, side_of: impl Fn(usize) -> f64) {
        self.one_sided.know_sides(side_of);
    }

    /// From now on the field is not used behind surfaces that the motion has not crossed. False if that is so already, or there are none.
    pub fn stay_on_this_side(&mut self) -> bool {
        let new = self.settles_switches() && self.one_sided.turn_on();
        self.find_short_way();
        new
    }

    fn find_short_way(&mut self) {
        let short = self.sliding.is_none() && !self.one_sided.is_on();
        self.plain = self.system.plain_field().filter(|_| short);
    }

    /// Whether the field is not used behind surfaces that the motion has not crossed.
    pub fn stays_on_this_side(&self) -> bool {
        self.one_sided.is_on()
    }

    /// When the motion would have crossed a surface in the last step, if that step failed for it, and that of which guard.
    pub fn take_crossed(&mut self) -> Option<(f64, usize)> {
        self.one_sided.take_crossed()
    }

    /// Moves a state to the given side of the surface that a motion leaves, by as little as can be.
    pub fn step_aside(&mut self, surface: Surface, side: f64, t: f64, y: &mut [f64]) {
        let mut sliding = Sliding::new(self.system, vec![surface]);
        let sign = surface.sign(&self.mode);
        surface.rest(&mut self.mode);
        sliding.step_to(&mut *self.evaluator, &self.mode, t, side, y);
        surface.lock(&mut self.mode, sign);
        self.count(sliding.take_effort());
    }

    /// Whether it can be settled how a motion goes on at a switching surface: the fields are then the rates of the state.
    pub fn settles_switches(&self) -> bool {
        self.behind_mass.as_ref().is_none_or(BehindMass::is_regular)
    }

    /// Whether a guard depends on a state that is algebraic, and so has no rate.
    pub fn depends_on_algebraic(&mut self, guard: usize, t: f64, y: &mut [f64]) -> bool {
        let Some(algebraic) = self.behind_mass.as_mut().and_then(BehindMass::algebraic) else { return false };
        let mut gradient = vec![0.0; y.len()];
        self.evaluator.guard_gradient(self.mode.locked(self.system.parameters()), guard, t, y, &mut gradient);
        algebraic.columns.iter().any(|&column| gradient[column] != 0.0)
    }

    /// Solves for the algebraic states of a point, if there are some: those of the mode that holds, or the mixture while sliding. Tells whether
    /// that was done.
    pub fn solve_algebraic(&mut self, t: f64, y: &mut [f64]) -> bool {
        let Some(algebraic) = self.behind_mass.as_mut().and_then(BehindMass::algebraic) else { return false };
        if let Some(sliding) = &mut self.sliding {
            sliding.evaluate(&mut *self.evaluator, &mut self.mode, t, y);
            sliding.find_free_weights();
            sliding.mix_algebraic(y);
            return true;
        }
        let mut solved = y.to_vec();
        let count =
            algebraic.solve(&mut *self.evaluator, self.mode.locked(self.system.parameters()), t, &mut solved);
        self.derivative_count += count.unwrap_or(0);
        if count.is_some() {
            y.copy_from_slice(&solved);
        }
        count.is_some()
    }

    /// Looks at the mass matrix, if there is one, to find out whether it determines the rates of all states.
    pub fn look_at_mass(&mut self, t: f64, y: &[f64]) {
        if let Some(behind) = &mut self.behind_mass {
            behind.look(&mut *self.evaluator, self.mode.locked(self.system.parameters()), t, y);
        }
    }

    /// Lets the motion slide on the given surfaces, or on none, from a point on.
    pub fn slide_on(&mut self, surfaces: &[Surface], t: f64, y: &[f64]) {
        self.mode.structure.sliding = surfaces.iter().map(|surface| surface.guard).collect();
        self.sliding = (!surfaces.is_empty()).then(|| self.meet(surfaces, t, y));
        self.find_short_way();
        self.visits.forget();
    }

    /// The motion slides on surfaces whose fields have been evaluated where it stands.
    pub fn slide_along(&mut self, sliding: Sliding) {
        let followers = sliding.followers().iter().map(|follower| follower.surface.guard);
        let mut guards: Vec<usize> =
            sliding.surfaces().iter().map(|surface| surface.guard).chain(followers).collect();
        guards.sort_unstable();
        self.mode.structure.sliding = guards;
        self.sliding = Some(sliding);
        self.find_short_way();
        self.visits.forget();
    }

    /// The surfaces that meet at a point, each once.
    pub fn meet(&mut self, surfaces: &[Surface], t: f64, y: &[f64]) -> Sliding {
        Sliding::at(self.system, &mut *self.evaluator, &self.mode, (t, y), surfaces)
    }

    /// What the motion slides on, if it does.
    pub fn sliding(&self) -> Option<&Sliding> {
        self.sliding.as_ref()
    }

    /// Evaluates all fields that meet at the given surfaces.
    pub fn fields_at(&mut self, sliding: &mut Sliding, t: f64, y: &[f64]) {
        sliding.evaluate_here(&mut *self.evaluator, &mut self.mode, t, y);
        self.count(sliding.take_effort());
    }

    /// The same at the projection of a state that is next to them.
    pub fn fields_next_to(&mut self, sliding: &mut Sliding, t: f64, y: &[f64]) {
        sliding.evaluate(&mut *self.evaluator, &mut self.mode, t, y);
        self.count(sliding.take_effort());
    }

    /// Whether the fields that meet at many surfaces are the sums of their terms; they must have been evaluated.
    pub fn fields_add_up(&mut self, sliding: &mut Sliding, t: f64) -> bool {
        let add_up = !sliding.adds_up() || sliding.terms_add_up(&mut *self.evaluator, &mut self.mode, t);
        self.count(sliding.take_effort());
        add_up
    }

    /// Moves a state onto the surfaces that the motion slides on.
    pub fn project(&mut self, t: f64, y: &mut [f64]) {
        let Some(mut sliding) = self.sliding.take() else { return };
        sliding.project(&mut *self.evaluator, &self.mode, t, y);
        self.count(sliding.take_effort());
        self.sliding = Some(sliding);
    }

    /// The times at which a step has evaluated the field along the surfaces, with the weight of the positive side of each surface.
    pub fn visits(&self) -> &[(f64, Vec<f64>)] {
        self.visits.stages()
    }

    /// Forgets where the field was evaluated: another step is tried.
    pub fn forget_visits(&mut self) {
        self.visits.forget();
    }

    pub(super) fn count(&mut self, effort: Effort) {
        self.derivative_count += effort.derivatives;
        self.guard_count += effort.guards;
    }

    fn distance_from_leaving(&mut self, i: usize, t: f64, y: &[f64]) -> f64 {
        let mut slope = std::mem::take(&mut self.slope);
        slope.resize(y.len(), 0.0);
        self.slide(t, y, &mut slope);
        self.slope = slope;
        let weight = self.sliding.as_ref().map_or(0.5, |sliding| sliding.exits()[i]);
        weight * (1.0 - weight)
    }

    /// The right-hand side along the surfaces that the motion slides on.
    pub(super) fn slide(&mut self, t: f64, y: &[f64], dy: &mut [f64]) {
        let Some(mut sliding) = self.sliding.take() else { return };
        sliding.derivative(&mut *self.evaluator, &mut self.mode, t, y, dy);
        self.count(sliding.take_effort());
        self.sliding = Some(sliding);
    }

    /// Takes note of the weights where the field along the surfaces was evaluated last.
    fn note_visit(&mut self, t: f64) {
        let Some(sliding) = &self.sliding else { return };
        self.visits.add_stage(t, sliding.exits());
    }

    /// Applies the reset of one guard to `after`.
    pub fn reset(&mut self, guard: usize, t: f64, before: &[f64], after: Reset<'_>) {
        self.evaluator.reset(self.mode.locked(self.system.parameters()), guard, t, before, after);
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
                self.derivative_count += 1;
                field(t, y, dy);
            }
            None => self.evaluated_derivative(t, y, dy),
        }
    }

    /// Exact where the system knows it, else by forward differences, column by column.
    fn jacobian(&mut self, t: f64, y: &[f64], f: &[f64], jacobian: &mut [f64]) {
        self.jacobian_count += 1;
        if self.sliding.is_none()
            && self.evaluator.jacobian(self.mode.locked(self.system.parameters()), t, y, jacobian)
        {
            return;
        }
        let n = y.len();
        let (mut beside, mut slope) = (std::mem::take(&mut self.beside), std::mem::take(&mut self.slope));
        slope.resize(n, 0.0);
        beside.clear();
        beside.extend_from_slice(y);
        self.hold_factors(t, y);
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
        self.let_factors_go();
        (self.beside, self.slope) = (beside, slope);
    }

    fn time_derivative(&mut self, t: f64, y: &[f64], f: &[f64], out: &mut [f64]) {
        if self.sliding.is_none()
            && self.evaluator.time_derivative(self.mode.locked(self.system.parameters()), t, y, out)
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
        self.evaluator.mass(self.mode.locked(self.system.parameters()), t, y, mass);
    }

    fn mass_slopes(&mut self, t: f64, y: &[f64], rate: &[f64], slopes: (&mut [f64], &mut [f64])) {
        if let Some(behind) = &mut self.behind_mass {
            behind.mass_slopes(
                &mut *self.evaluator,
                (self.mode.locked(self.system.parameters()), t, y),
                rate,
                slopes,
            );
        }
    }
}

/// Whether a guard is watched in a mode. What happens at rest has no surface.
fn is_watched(guard: &Guard, mode: usize) -> bool {
    guard.kind.has_surface() && guard.mode.is_none_or(|own| own == mode)
}
