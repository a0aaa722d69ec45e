//! Systems written as Rust closures.
//!
//! ```
//! use slipstick::equations::{ClosureGuard, ClosureSystem};
//! let ball = ClosureSystem::new(["y", "v"], |_t, y, dy| {
//!     dy[0] = y[1];
//!     dy[1] = -9.81;
//! })
//! .guard(ClosureGuard::falling("floor", |_t, y| y[0]).reset(|_t, before, after| after[1] = -0.9 * before[1]));
//! # assert_eq!(slipstick::equations::System::shape(&ball).guards.len(), 1);
//! ```

use super::closure_guard::{ClosureGuard, ClosureSurface, ResetRule};
use super::closure_mechanism::{Mechanism, MechanismJets};
use super::closure_sides::LockedSides;
use super::differences::gradient_by_differences;
use super::{
    At, Count, Evaluator, FieldSlopes, GuardFunctions, GuardKind, GuardRates, Layout, Locked, MassKind,
    MechanismStructure, MechanismTerms, PlainField, Reset, ResetTargets, Shape, System,
};
use crate::expr::Bounds;
use std::sync::Arc;

/// How far differences in time reach, as a part of the step; and at least, in spacings of doubles at the
/// time: below that a difference would be rounding.
const DIFFERENCE_IN_TIME: f64 = 1e-4;
const SPACINGS_IN_TIME: f64 = 64.0;
/// How far beyond a surface a point on its other side is looked for, in distances to it.
const BEYOND_SURFACE: f64 = 1.5;

type Field = Box<dyn Fn(Locked<'_>, f64, &[f64], &mut [f64]) + Send + Sync>;
type Matrix = Box<dyn Fn(f64, &[f64], &mut [f64]) + Send + Sync>;

/// A system of first-order equations given by closures.
pub struct ClosureSystem {
    /// Guards that say what happens at rest come behind all others, and have no surface.
    pub(super) shape: Shape,
    field: Field,
    /// The same, if it depends on nothing discrete.
    plain: Option<Arc<PlainField>>,
    jacobian: Option<Matrix>,
    mass: Option<Matrix>,
    pub(super) surfaces: Vec<ClosureSurface>,
    resets: Vec<Option<ResetRule>>,
    /// Whether the field switches by itself, and does not look at the signs that are locked.
    black_box: bool,
    /// If it is a mechanism, the field is not used.
    mechanism: Option<Mechanism>,
}

impl ClosureSystem {
    /// `dy = f(t, y)` for the named states.
    pub fn new<N: Into<String>>(
        states: impl IntoIterator<Item = N>,
        field: impl Fn(f64, &[f64], &mut [f64]) + Send + Sync + 'static,
    ) -> Self {
        let field = Arc::new(field);
        let plain: Arc<PlainField> = Arc::clone(&field) as Arc<PlainField>;
        let mut system = Self::hybrid(states, move |_locked, t, y, dy| field(t, y, dy));
        system.plain = Some(plain);
        system
    }

    /// `dy = f(t, y, signs)`: the field also receives the locked sign (+1 or -1) of each switch. They tell
    /// the side, and the state does not; a field that looks at the state instead is a [black
    /// box](Self::black_box).
    pub fn switched<N: Into<String>>(
        states: impl IntoIterator<Item = N>,
        field: impl Fn(f64, &[f64], &[f64], &mut [f64]) + Send + Sync + 'static,
    ) -> Self {
        Self::hybrid(states, move |locked, t, y, dy| field(t, y, locked.signs, dy))
    }

    /// `dy = f(t, y)` for a field that switches by itself where the surfaces of its [switches](Self::switch)
    /// are zero: it does not receive signs. While the sign of a switch is locked, the field is only evaluated
    /// on that side of its surface.
    pub fn black_box<N: Into<String>>(
        states: impl IntoIterator<Item = N>,
        field: impl Fn(f64, &[f64], &mut [f64]) + Send + Sync + 'static,
    ) -> Self {
        let mut system = Self::hybrid(states, move |_locked, t, y, dy| field(t, y, dy));
        system.black_box = true;
        system
    }

    /// `dy = f(locked, t, y)`: the field receives everything discrete, such as the index of the mode.
    pub fn hybrid<N: Into<String>>(
        states: impl IntoIterator<Item = N>,
        field: impl Fn(Locked<'_>, f64, &[f64], &mut [f64]) + Send + Sync + 'static,
    ) -> Self {
        let state_names: Vec<String> = states.into_iter().map(Into::into).collect();
        let shape = Shape {
            layout: Layout::first_order(state_names.len()),
            state_names,
            mode_names: vec![String::new()],
            switch_names: Vec::new(),
            parameters: Vec::new(),
            discrete_names: Vec::new(),
            discrete_start: Vec::new(),
            condition_number: 0,
            count_number: 0,
            mass_kind: MassKind::Identity,
            constraints: Vec::new(),
            guards: Vec::new(),
            guard_growth: Vec::new(),
            clocks: Vec::new(),
            has_formulas: false,
        };
        Self {
            shape,
            field: Box::new(field),
            plain: None,
            jacobian: None,
            mass: None,
            surfaces: Vec::new(),
            resets: Vec::new(),
            black_box: false,
            mechanism: None,
        }
    }

    pub(super) fn mechanism(mechanism: Mechanism) -> Self {
        let mut system = Self::hybrid(mechanism.state_names(), |_, _, _, _| {});
        system.shape.layout = mechanism.layout();
        system.shape.constraints = mechanism.constraints().to_vec();
        system.mechanism = Some(mechanism);
        system
    }

    /// Names the modes; the run begins in the first, or in the one that its start says.
    #[must_use]
    pub fn modes<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        let highest = self.shape.mode_names.len() - 1;
        self.shape.mode_names = names.into_iter().map(Into::into).collect();
        self.need_mode(highest);
        self
    }

    /// Adds a discrete variable with its value at the start. Only resets change it; [`hybrid`](Self::hybrid)
    /// fields, guards and resets read it.
    #[must_use]
    pub fn discrete(mut self, name: &str, start: f64) -> Self {
        self.shape.discrete_names.push(name.to_owned());
        self.shape.discrete_start.push(start);
        self
    }

    /// Makes sure that there is a mode of this index: guards may speak of modes before they have names.
    fn need_mode(&mut self, mode: usize) {
        if mode > 0 && self.shape.mode_names == [""] {
            self.shape.mode_names.clear();
        }
        for index in self.shape.mode_names.len()..=mode {
            self.shape.mode_names.push(format!("mode {index}"));
        }
    }

    /// Gives the Jacobian `∂f/∂y`, to be filled in by rows; without it, implicit methods use differences.
    #[must_use]
    pub fn jacobian(mut self, jacobian: impl Fn(f64, &[f64], &mut [f64]) + Send + Sync + 'static) -> Self {
        self.jacobian = Some(Box::new(jacobian));
        self
    }

    /// Puts a constant matrix, given by rows, before the derivatives: `M y' = f`. It may be singular.
    #[must_use]
    pub fn constant_mass(mut self, mass: Vec<f64>) -> Self {
        let fill = move |_: f64, _: &[f64], out: &mut [f64]| out.copy_from_slice(&mass);
        self.shape.mass_kind = MassKind::Constant;
        self.mass = Some(Box::new(fill));
        self
    }

    /// Puts a matrix that depends on time or state before the derivatives, to be filled in by rows.
    #[must_use]
    pub fn varying_mass(mut self, mass: impl Fn(f64, &[f64], &mut [f64]) + Send + Sync + 'static) -> Self {
        self.shape.mass_kind = MassKind::Varying;
        self.mass = Some(Box::new(mass));
        self
    }

    /// Adds a guard.
    #[must_use]
    pub fn guard(mut self, guard: ClosureGuard) -> Self {
        let ClosureGuard { mut guard, mut surface, growth, reset, rest } = guard;
        if let ClosureSurface::Every { period, count, .. } = &mut surface {
            self.shape.clocks.push((self.surfaces.len(), *period));
            *count = self.shape.count_number;
            guard.response.count = Some(Count { index: *count, up: true, clock: true });
            self.shape.count_number += 1;
        }
        let rest = rest.map(|rest| (rest.guard(&guard), rest.reset));
        let at_rest = rest.as_ref().and_then(|(guard, _)| guard.response.mode);
        for mode in [guard.mode, guard.response.mode, at_rest].into_iter().flatten() {
            self.need_mode(mode);
        }
        // One more stands before what happens at rest.
        let place = self.surfaces.len();
        for at_rest in self.shape.guards.iter_mut().filter_map(|guard| guard.response.at_rest.as_mut()) {
            *at_rest += 1;
        }
        guard.response.at_rest = rest.is_some().then_some(self.shape.guards.len() + 1);
        self.shape.guards.insert(place, guard);
        self.surfaces.push(surface);
        self.shape.guard_growth.insert(place, growth);
        self.resets.insert(place, reset);
        if let Some((guard, reset)) = rest {
            self.shape.guards.push(guard);
            self.shape.guard_growth.push(f64::INFINITY);
            self.resets.push(reset);
        }
        self
    }

    /// Adds a switch: a surface whose locked sign the field receives.
    #[must_use]
    pub fn switch(
        mut self,
        name: &str,
        surface: impl Fn(f64, &[f64]) -> f64 + Send + Sync + 'static,
    ) -> Self {
        let mut guard = ClosureGuard::both(name, surface);
        guard.guard.response.switch = Some(self.shape.switch_names.len());
        self.shape.switch_names.push(name.to_owned());
        self.guard(guard)
    }
}

impl System for ClosureSystem {
    fn shape(&self) -> &Shape {
        &self.shape
    }
    fn mechanism(&self) -> Option<&dyn MechanismStructure> {
        self.mechanism.as_ref().map(|mechanism| mechanism as &dyn MechanismStructure)
    }
    fn reset_targets(&self, guard: usize) -> Option<ResetTargets<'_>> {
        self.resets[guard].is_none().then(ResetTargets::default)
    }
    fn reset_can_turn(&self, _mode: usize, _reset: usize, _guard: usize) -> bool {
        true
    }
    fn plain_field(&self) -> Option<&PlainField> {
        self.plain.as_deref()
    }
    fn evaluator(&self) -> Box<dyn Evaluator + '_> {
        let n = self.shape.state_names.len();
        let for_guards = if self.shape.guards.is_empty() { 0 } else { n };
        Box::new(ClosureEvaluator {
            system: self,
            dy: vec![0.0; for_guards],
            bend: vec![0.0; for_guards],
            is_slope: false,
            ahead: vec![0.0; for_guards],
            sides: self.black_box.then(|| LockedSides::new(n)),
            jets: self.mechanism.as_ref().map(MechanismJets::new),
        })
    }
}

pub(super) struct ClosureEvaluator<'a> {
    pub(super) system: &'a ClosureSystem,
    /// Rates, their rate, and a point further on, where there are guards.
    dy: Vec<f64>,
    bend: Vec<f64>,
    /// Whether `dy` is the right-hand side at the very point at which it was wanted.
    is_slope: bool,
    pub(super) ahead: Vec<f64>,
    sides: Option<LockedSides>,
    jets: Option<MechanismJets<'a>>,
}

impl ClosureEvaluator<'_> {
    /// The right-hand side; for a mechanism, with the accelerations that were found last.
    #[inline]
    fn field(&mut self, locked: Locked<'_>, t: f64, y: &[f64], dy: &mut [f64]) {
        let system = self.system;
        match (&mut self.jets, &mut self.sides) {
            (Some(jets), _) => jets.derivative(t, y, dy),
            (None, None) => (system.field)(locked, t, y, dy),
            (None, Some(sides)) => {
                let y = sides.point(&system.shape.guards, &system.surfaces, (locked, t, y));
                (system.field)(locked, t, y, dy);
            }
        }
    }

    /// The right-hand side at `ahead`.
    fn field_ahead(&mut self, locked: Locked<'_>, t: f64, mut dy: Vec<f64>) -> Vec<f64> {
        let ahead = std::mem::take(&mut self.ahead);
        self.field(locked, t, &ahead, &mut dy);
        self.ahead = ahead;
        dy
    }

    /// Finds the right-hand side at `y` on the locked sides, unless it is known. Returns the evaluations.
    fn find_slope(&mut self, locked: Locked<'_>, t: f64, y: &[f64], known: Option<&[f64]>) -> u64 {
        self.is_slope = false;
        if let Some(known) = known {
            self.dy.copy_from_slice(known);
            return 0;
        }
        self.ahead.copy_from_slice(y);
        self.keep_sides(locked, t);
        let dy = std::mem::take(&mut self.dy);
        self.dy = self.field_ahead(locked, t, dy);
        self.is_slope = self.ahead == y;
        1
    }

    /// Values of the guards at `y + s f + s²/2 f'`, a little ahead; `dy` holds `f` and `bend` holds `f'`.
    fn guards_along(&mut self, locked: Locked<'_>, t: f64, y: &[f64], s: f64, out: &mut [f64]) {
        for (i, ahead) in self.ahead.iter_mut().enumerate() {
            *ahead = y[i] + s * (self.dy[i] + 0.5 * s * self.bend[i]);
        }
        for (g, surface) in watched(self.system, locked) {
            out[g] = surface.value(locked, t + s, &self.ahead);
        }
    }

    /// Moves `ahead` the shortest way to the locked side of each switch, because the field may not be defined
    /// on the other. It is close to every surface that it has crossed, so little more than the distance is
    /// enough.
    fn keep_sides(&mut self, locked: Locked<'_>, t: f64) {
        let mut gradient = vec![0.0; self.ahead.len()];
        for (g, guard) in self.system.shape.guards.iter().enumerate() {
            let (Some(k), GuardKind::Surface) = (guard.response.switch, guard.kind) else { continue };
            for _ in 0..MOST_MOVES {
                let value = self.system.surfaces[g].value(locked, t, &self.ahead);
                if value * locked.signs[k] >= 0.0 {
                    break;
                }
                let mut point = std::mem::take(&mut self.ahead);
                self.guard_gradient(locked, g, t, &mut point, &mut gradient);
                self.ahead = point;
                let square: f64 = gradient.iter().map(|g| g * g).sum();
                if square == 0.0 {
                    break;
                }
                let size = self.ahead.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
                let far = BEYOND_SURFACE * value.abs() + 4.0 * f64::EPSILON * size * square.sqrt();
                for (ahead, gradient) in self.ahead.iter_mut().zip(&gradient) {
                    *ahead += locked.signs[k] * far / square * gradient;
                }
            }
        }
    }
}

/// How often a point is moved towards the right side of a surface.
const MOST_MOVES: usize = 8;

/// The surfaces that are watched in the locked mode.
fn watched<'a>(
    system: &'a ClosureSystem,
    locked: Locked<'_>,
) -> impl Iterator<Item = (usize, &'a ClosureSurface)> {
    let mode = locked.mode;
    system.shape.guards.iter().zip(&system.surfaces).enumerate().filter_map(move |(g, (guard, surface))| {
        guard.mode.is_none_or(|own| own == mode).then_some((g, surface))
    })
}

impl Evaluator for ClosureEvaluator<'_> {
    fn derivative(&mut self, locked: Locked<'_>, t: f64, y: &[f64], dy: &mut [f64]) {
        self.field(locked, t, y, dy);
    }

    fn mechanism(&mut self) -> Option<&mut dyn MechanismTerms> {
        self.jets.as_mut().map(|jets| jets as &mut dyn MechanismTerms)
    }

    fn has_kinematics(&self) -> bool {
        self.system.mechanism.as_ref().is_some_and(Mechanism::has_kinematics)
    }

    fn allow(&mut self, _: Locked<'_>, _: f64, _: &[f64], _: &mut [f64]) {}

    fn reset(&mut self, locked: Locked<'_>, guard: usize, t: f64, before: &[f64], after: Reset<'_>) {
        if let Some(reset) = &self.system.resets[guard] {
            reset(locked, t, before, after);
        }
    }
}

impl FieldSlopes for ClosureEvaluator<'_> {
    fn jacobian_entries(&mut self, _: At<'_>, _: &mut dyn FnMut(usize, f64)) -> bool {
        false
    }

    fn jacobian(&mut self, _locked: Locked<'_>, t: f64, y: &[f64], jacobian: &mut [f64]) -> bool {
        self.system.jacobian.as_ref().is_some_and(|fill| {
            jacobian.fill(0.0);
            fill(t, y, jacobian);
            true
        })
    }

    fn time_derivative(&mut self, _: Locked<'_>, _: f64, _: &[f64], _: &mut [f64]) -> bool {
        false
    }

    fn mass(&mut self, _locked: Locked<'_>, t: f64, y: &[f64], mass: &mut [f64]) {
        if let Some(fill) = &self.system.mass {
            mass.fill(0.0);
            fill(t, y, mass);
        }
    }

    fn mass_slopes(&mut self, _: At<'_>, _: &[f64], _: (&mut [f64], &mut [f64])) -> bool {
        false
    }
}

impl GuardFunctions for ClosureEvaluator<'_> {
    fn guards(&mut self, locked: Locked<'_>, t: f64, y: &[f64], values: &mut [f64]) {
        for (g, surface) in watched(self.system, locked) {
            values[g] = surface.value(locked, t, y);
        }
    }

    fn guard(&mut self, locked: Locked<'_>, guard: usize, t: f64, y: &[f64]) -> f64 {
        self.system.surfaces.get(guard).map_or(f64::NAN, |surface| surface.value(locked, t, y))
    }

    fn guard_gradient(
        &mut self,
        locked: Locked<'_>,
        guard: usize,
        t: f64,
        y: &mut [f64],
        gradient: &mut [f64],
    ) -> f64 {
        gradient_by_differences(&mut |t, y| self.guard(locked, guard, t, y), t, y, gradient)
    }

    fn differences_guard(&self, _: Locked<'_>, _: usize) -> bool {
        true
    }

    /// Closures have no formulas to differentiate: differences along a parabola that touches the flow stand
    /// in. Its bend comes from the field a little ahead; the first derivative does not depend on it, so that
    /// a stiff field does no harm.
    fn guard_rates(
        &mut self,
        locked: Locked<'_>,
        t: f64,
        y: &[f64],
        reach: f64,
        rates: GuardRates<'_>,
    ) -> u64 {
        if self.system.shape.guards.is_empty() {
            return 0;
        }
        let s = (DIFFERENCE_IN_TIME * reach).max(SPACINGS_IN_TIME * f64::EPSILON * t.abs());
        let GuardRates { slope, first, second } = rates;
        let count = 1 + self.find_slope(locked, t, y, slope);
        for (i, ahead) in self.ahead.iter_mut().enumerate() {
            *ahead = y[i] + s * self.dy[i];
        }
        self.keep_sides(locked, t + s);
        let bend = std::mem::take(&mut self.bend);
        self.bend = self.field_ahead(locked, t + s, bend);
        for (bend, f) in self.bend.iter_mut().zip(&self.dy) {
            *bend = (*bend - f) / s;
        }
        self.guards_along(locked, t, y, s, first);
        self.guards_along(locked, t, y, -s, second);
        for (i, surface) in watched(self.system, locked) {
            let (now, ahead, behind) = (surface.value(locked, t, y), first[i], second[i]);
            // Below the rounding of differences it is zero. Rounded time counts too: the guard changes
            // meanwhile.
            let rounding = 4.0 * f64::EPSILON * (1.0 + t.abs() / s);
            let noise = rounding * (now.abs() + ahead.abs() + behind.abs());
            let known = |x: f64| if x.abs() <= noise { 0.0 } else { x };
            first[i] = known(ahead - behind) / (2.0 * s);
            second[i] = known(ahead - 2.0 * now + behind) / s / s;
        }
        count
    }

    fn slope_of_rates(&self) -> Option<&[f64]> {
        self.is_slope.then_some(&self.dy)
    }

    fn guard_bounds(&mut self, _: Locked<'_>, _: usize, _: &dyn Fn(usize) -> Bounds) -> Option<Bounds> {
        None
    }

    fn find_needed(&mut self, _: Locked<'_>, needed: &mut [bool]) {
        needed.fill(true);
    }

    fn conditions(&mut self, _: Locked<'_>, _: &mut [f64]) {}

    fn schedule(&mut self, locked: Locked<'_>, times: &mut [f64]) {
        for (time, surface) in times.iter_mut().zip(&self.system.surfaces) {
            *time = surface.time(locked).unwrap_or(*time);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_of_a_closure_guard_match_the_closed_form() {
        let system = ClosureSystem::new(["x", "v"], |_, y, dy| {
            dy[0] = y[1];
            dy[1] = -9.81;
        })
        .guard(ClosureGuard::falling("floor", |_, y| y[0]));
        let (mut first, mut second) = ([0.0], [0.0]);
        let locked = Locked::default();
        let rates = GuardRates { slope: None, first: &mut first, second: &mut second };
        system.evaluator().guard_rates(locked, 0.0, &[0.0, 2.0], 0.1, rates);
        assert!((first[0] - 2.0).abs() < 1e-8, "{}", first[0]);
        assert!((second[0] + 9.81).abs() < 1e-3, "{}", second[0]);
    }

    #[test]
    fn a_resting_contact_has_rate_zero_and_a_second_rate() {
        let system = ClosureSystem::new(["x", "v"], |_, y, dy| {
            dy[0] = y[1];
            dy[1] = -9.81;
        })
        .guard(ClosureGuard::falling("floor", |_, y| y[0]));
        let (mut first, mut second) = ([9.0], [9.0]);
        let locked = Locked::default();
        let rates = GuardRates { slope: None, first: &mut first, second: &mut second };
        system.evaluator().guard_rates(locked, 0.0, &[0.0, 0.0], 0.1, rates);
        assert!(first[0].abs() < 1e-8 && second[0] < -9.0, "{first:?} {second:?}");
    }
}
