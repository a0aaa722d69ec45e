//! Systems written as Rust closures.
//!
//! ```
//! use slipstick::equations::{ClosureGuard, ClosureSystem};
//! let ball = ClosureSystem::new(["y", "v"], |_t, y, dy| {
//!     dy[0] = y[1];
//!     dy[1] = -9.81;
//! })
//! .guard(ClosureGuard::falling("floor", |_t, y| y[0]).reset(|_t, before, after| after[1] = -0.9 * before[1]));
//! # assert_eq!(slipstick::equations::System::guards(&ball).len(), 1);
//! ```

use super::{
    Direction, Evaluator, Guard, GuardRates, Layout, Locked, MassKind, PlainField, Response, Side, System,
};

type Field = Box<PlainField>;
type Surface = Box<dyn Fn(f64, &[f64]) -> f64 + Send + Sync>;
type Matrix = Box<dyn Fn(f64, &[f64], &mut [f64]) + Send + Sync>;
type Reset = Box<dyn Fn(f64, &[f64], &mut [f64]) + Send + Sync>;

/// A system of first-order equations given by closures.
pub struct ClosureSystem {
    state_names: Vec<String>,
    mode_names: Vec<String>,
    switch_names: Vec<String>,
    field: Field,
    jacobian: Option<Matrix>,
    mass: Option<Matrix>,
    mass_kind: MassKind,
    guards: Vec<Guard>,
    surfaces: Vec<Surface>,
    resets: Vec<Option<Reset>>,
}

impl ClosureSystem {
    /// `dy = f(t, y)` for the named states.
    pub fn new<N: Into<String>>(
        states: impl IntoIterator<Item = N>,
        field: impl Fn(f64, &[f64], &mut [f64]) + Send + Sync + 'static,
    ) -> Self {
        Self::switched(states, move |t, y, _signs, dy| field(t, y, dy))
    }

    /// `dy = f(t, y, signs)`: the field also receives the locked sign (+1 or -1) of each switch.
    pub fn switched<N: Into<String>>(
        states: impl IntoIterator<Item = N>,
        field: impl Fn(f64, &[f64], &[f64], &mut [f64]) + Send + Sync + 'static,
    ) -> Self {
        Self {
            state_names: states.into_iter().map(Into::into).collect(),
            mode_names: vec![String::new()],
            switch_names: Vec::new(),
            field: Box::new(field),
            jacobian: None,
            mass: None,
            mass_kind: MassKind::Identity,
            guards: Vec::new(),
            surfaces: Vec::new(),
            resets: Vec::new(),
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
        self.mass = Some(Box::new(move |_, _, out| out.copy_from_slice(&mass)));
        self.mass_kind = MassKind::Constant;
        self
    }

    /// Puts a matrix that depends on time or state before the derivatives, to be filled in by rows.
    #[must_use]
    pub fn varying_mass(mut self, mass: impl Fn(f64, &[f64], &mut [f64]) + Send + Sync + 'static) -> Self {
        self.mass = Some(Box::new(mass));
        self.mass_kind = MassKind::Varying;
        self
    }

    /// Adds a guard.
    #[must_use]
    pub fn guard(mut self, guard: ClosureGuard) -> Self {
        self.guards.push(guard.guard);
        self.surfaces.push(guard.surface);
        self.resets.push(guard.reset);
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
        guard.guard.response.switch = Some(self.switch_names.len());
        self.switch_names.push(name.to_owned());
        self.guard(guard)
    }
}

/// A guard given by closures, built in the order in which one would say it.
pub struct ClosureGuard {
    guard: Guard,
    surface: Surface,
    reset: Option<Reset>,
}

impl ClosureGuard {
    fn new(
        name: &str,
        direction: Direction,
        surface: impl Fn(f64, &[f64]) -> f64 + Send + Sync + 'static,
    ) -> Self {
        let (side, response) = (Side::After, Response::default());
        let guard = Guard { name: name.to_owned(), direction, side, response, mode: None };
        Self { guard, surface: Box::new(surface), reset: None }
    }

    /// Fires when the surface goes from negative to positive.
    pub fn rising(name: &str, surface: impl Fn(f64, &[f64]) -> f64 + Send + Sync + 'static) -> Self {
        Self::new(name, Direction::Rising, surface)
    }

    /// Fires when the surface goes from positive to negative.
    pub fn falling(name: &str, surface: impl Fn(f64, &[f64]) -> f64 + Send + Sync + 'static) -> Self {
        Self::new(name, Direction::Falling, surface)
    }

    /// Fires when the surface goes through zero either way.
    pub fn both(name: &str, surface: impl Fn(f64, &[f64]) -> f64 + Send + Sync + 'static) -> Self {
        Self::new(name, Direction::Both, surface)
    }

    /// Changes the state (`reset(t, before, after)`), and places the event just before the root unless
    /// [`side`](Self::side) says otherwise: a thing that bounces is not to be found inside the wall.
    #[must_use]
    pub fn reset(mut self, reset: impl Fn(f64, &[f64], &mut [f64]) + Send + Sync + 'static) -> Self {
        self.reset = Some(Box::new(reset));
        self.guard.response.reset = true;
        self.guard.side = Side::Before;
        self
    }

    /// Chooses the side of the root on which the event is placed.
    #[must_use]
    pub fn side(mut self, side: Side) -> Self {
        self.guard.side = side;
        self
    }

    /// Stops the run when the guard has fired `n` times.
    #[must_use]
    pub fn stop_after(mut self, n: u64) -> Self {
        self.guard.response.stop_after = Some(n);
        self
    }
}

impl System for ClosureSystem {
    fn layout(&self) -> Layout {
        Layout::first_order(self.state_names.len())
    }
    fn state_names(&self) -> &[String] {
        &self.state_names
    }
    fn mode_names(&self) -> &[String] {
        &self.mode_names
    }
    fn switch_names(&self) -> &[String] {
        &self.switch_names
    }
    fn guards(&self) -> &[Guard] {
        &self.guards
    }
    fn mass_kind(&self) -> MassKind {
        self.mass_kind
    }
    fn plain_field(&self) -> Option<&PlainField> {
        Some(&*self.field)
    }
    fn evaluator(&self) -> Box<dyn Evaluator + '_> {
        let n = self.state_names.len();
        Box::new(ClosureEvaluator { system: self, dy: vec![0.0; n], bend: vec![0.0; n], ahead: vec![0.0; n] })
    }
}

struct ClosureEvaluator<'a> {
    system: &'a ClosureSystem,
    dy: Vec<f64>,
    bend: Vec<f64>,
    ahead: Vec<f64>,
}

impl ClosureEvaluator<'_> {
    /// Values of the guards at `y + s f + s²/2 f'`, a little along the flow; `dy` holds `f` and `bend` holds `f'`.
    fn guards_along(&mut self, t: f64, y: &[f64], s: f64, out: &mut [f64]) {
        for (i, ahead) in self.ahead.iter_mut().enumerate() {
            *ahead = y[i] + s * (self.dy[i] + 0.5 * s * self.bend[i]);
        }
        for (value, surface) in out.iter_mut().zip(&self.system.surfaces) {
            *value = surface(t + s, &self.ahead);
        }
    }
}

impl Evaluator for ClosureEvaluator<'_> {
    fn derivative(&mut self, locked: Locked<'_>, t: f64, y: &[f64], dy: &mut [f64]) {
        (self.system.field)(t, y, locked.signs, dy);
    }

    fn jacobian(&mut self, _locked: Locked<'_>, t: f64, y: &[f64], jacobian: &mut [f64]) -> bool {
        self.system.jacobian.as_ref().is_some_and(|fill| {
            jacobian.fill(0.0);
            fill(t, y, jacobian);
            true
        })
    }

    fn mass(&mut self, _locked: Locked<'_>, t: f64, y: &[f64], mass: &mut [f64]) {
        if let Some(fill) = &self.system.mass {
            mass.fill(0.0);
            fill(t, y, mass);
        }
    }

    fn guards(&mut self, _locked: Locked<'_>, t: f64, y: &[f64], values: &mut [f64]) {
        for (value, surface) in values.iter_mut().zip(&self.system.surfaces) {
            *value = surface(t, y);
        }
    }

    /// Closures have no formulas to differentiate: differences along a parabola that touches the flow stand in. Its bend comes from the field
    /// a little ahead; the first derivative does not depend on it, so that a stiff field does no harm.
    fn guard_rates(
        &mut self,
        locked: Locked<'_>,
        t: f64,
        y: &[f64],
        reach: f64,
        rates: GuardRates<'_>,
    ) -> u64 {
        // Below 64 spacings of doubles at t, a difference in time would be rounding.
        let s = (1e-4 * reach).max(64.0 * f64::EPSILON * t.abs());
        (self.system.field)(t, y, locked.signs, &mut self.dy);
        for (i, ahead) in self.ahead.iter_mut().enumerate() {
            *ahead = y[i] + s * self.dy[i];
        }
        (self.system.field)(t + s, &self.ahead, locked.signs, &mut self.bend);
        for (bend, f) in self.bend.iter_mut().zip(&self.dy) {
            *bend = (*bend - f) / s;
        }
        let GuardRates { first, second } = rates;
        self.guards_along(t, y, s, first);
        self.guards_along(t, y, -s, second);
        for (i, surface) in self.system.surfaces.iter().enumerate() {
            let (now, ahead, behind) = (surface(t, y), first[i], second[i]);
            // What is below the rounding of the differences is zero.
            let noise = 4.0 * f64::EPSILON * (now.abs() + ahead.abs() + behind.abs());
            let known = |x: f64| if x.abs() <= noise { 0.0 } else { x };
            first[i] = known(ahead - behind) / (2.0 * s);
            second[i] = known(ahead - 2.0 * now + behind) / s / s;
        }
        2
    }

    fn reset(&mut self, _locked: Locked<'_>, guard: usize, t: f64, before: &[f64], after: &mut [f64]) {
        if let Some(reset) = &self.system.resets[guard] {
            reset(t, before, after);
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
        let locked = Locked { mode: 0, signs: &[] };
        let rates = GuardRates { first: &mut first, second: &mut second };
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
        let locked = Locked { mode: 0, signs: &[] };
        let rates = GuardRates { first: &mut first, second: &mut second };
        system.evaluator().guard_rates(locked, 0.0, &[0.0, 0.0], 0.1, rates);
        assert!(first[0].abs() < 1e-8 && second[0] < -9.0, "{first:?} {second:?}");
    }
}
