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
use super::closure_jets::MechanismJets;
use super::closure_mechanism::Mechanism;
use super::closure_sides::LockedSides;
use super::differences::gradient_by_differences;
use super::{
    At, ContactGap, ContactShape, Count, Evaluator, FieldSlopes, GuardFunctions, Layout, Locked, MassKind,
    MechanismShape, MechanismStructure, MechanismTerms, PlainField, Reset, ResetTargets, Shape, System,
};
use crate::expr::Bounds;
use crate::model::ContactChange;
use std::sync::Arc;

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
            mechanism: MechanismShape::default(),
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
        system.shape.mechanism.constraints = mechanism.constraints();
        for name in mechanism.contact_variables() {
            system = system.discrete(&name, 0.0);
        }
        for (k, (contact, shape)) in mechanism.contacts.iter().zip(mechanism.contact_shapes()).enumerate() {
            let hit = system.surfaces.len();
            for change in ContactChange::of_contact(true, shape.tangent.is_some()) {
                system = system.guard(contact.guard(k, change, &shape));
            }
            let gap = shape.normal().map(|normal| ContactGap { normal, hit });
            system.shape.mechanism.contacts.push(ContactShape { gap, ..shape });
        }
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
    /// fields, guards and resets read it. Those of contacts stand behind all others.
    #[must_use]
    pub fn discrete(mut self, name: &str, start: f64) -> Self {
        let first_of_contacts = self.shape.mechanism.contacts.iter().map(|contact| contact.state).min();
        let place = first_of_contacts.unwrap_or(self.shape.discrete_names.len());
        self.shape.discrete_names.insert(place, name.to_owned());
        self.shape.discrete_start.insert(place, start);
        self.shape.mechanism.contacts.iter_mut().for_each(|contact| contact.state += 1);
        for of in self.shape.guards.iter_mut().filter_map(|guard| guard.contact.as_mut()) {
            of.state += 1;
        }
        if let Some(mechanism) = &mut self.mechanism {
            mechanism.shift_contact_states();
        }
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
        let ClosureGuard { mut guard, mut surface, growth, reset, rest, leader } = guard;
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
        for other in &mut self.shape.guards {
            other.response.at_rest.iter_mut().for_each(|at_rest| *at_rest += 1);
            if leader.as_ref() == Some(&other.name) {
                other.response.followers.push(place);
            }
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
    fn admits(&self, _parameters: &[f64]) -> bool {
        true
    }
    fn plain_field(&self) -> Option<&PlainField> {
        self.plain.as_deref()
    }
    fn evaluator(&self) -> Box<dyn Evaluator + '_> {
        let n = self.shape.state_names.len();
        Box::new(ClosureEvaluator {
            system: self,
            beside: vec![0.0; if self.shape.guards.is_empty() { 0 } else { n }],
            sides: self.black_box.then(|| LockedSides::new(n)),
            jets: self.mechanism.as_ref().map(MechanismJets::new),
        })
    }
}

pub(super) struct ClosureEvaluator<'a> {
    pub(super) system: &'a ClosureSystem,
    /// A point next to the one of interest, for differences of guards.
    pub(super) beside: Vec<f64>,
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
}

impl ClosureEvaluator<'_> {
    /// The value of the surface of a guard.
    pub(super) fn surface(&mut self, locked: Locked<'_>, guard: usize, t: f64, y: &[f64]) -> f64 {
        let surface = self.system.surfaces.get(guard);
        surface.map_or(f64::NAN, |surface| value_of(surface, &mut self.jets, (locked, t, y)))
    }

    /// What a guard says of a contact, if it belongs to one.
    fn contact_of(&self, guard: usize) -> Option<(usize, ContactChange)> {
        match self.system.surfaces.get(guard) {
            Some(ClosureSurface::OfContact(contact, change)) => Some((*contact, *change)),
            _ => None,
        }
    }
}

/// The value of a surface; those of contacts are known to the mechanism.
fn value_of(surface: &ClosureSurface, jets: &mut Option<MechanismJets<'_>>, at: At<'_>) -> f64 {
    match (surface, jets) {
        (ClosureSurface::OfContact(contact, change), Some(jets)) => {
            jets.contact_surface((*contact, *change), at)
        }
        _ => surface.value(at.0, at.1, at.2),
    }
}

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

    fn hidden_peaks(&mut self, _: Locked<'_>, _: (f64, f64), _: &mut dyn FnMut(f64)) {}

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
            values[g] = value_of(surface, &mut self.jets, (locked, t, y));
        }
    }

    fn guard(&mut self, locked: Locked<'_>, guard: usize, t: f64, y: &[f64]) -> f64 {
        self.surface(locked, guard, t, y)
    }

    fn guard_gradient(
        &mut self,
        locked: Locked<'_>,
        guard: usize,
        t: f64,
        y: &mut [f64],
        gradient: &mut [f64],
    ) -> f64 {
        if let (Some(of), Some(jets)) = (self.contact_of(guard), &mut self.jets)
            && let Some(rate) = jets.contact_gradient(of, (locked, t, y), gradient)
        {
            return rate;
        }
        gradient_by_differences(&mut |t, y| self.surface(locked, guard, t, y), t, y, gradient)
    }

    fn differences_guard(&self, _: Locked<'_>, guard: usize) -> bool {
        let knows =
            |(contact, change)| self.jets.as_ref().is_some_and(|jets| jets.knows_gradient(contact, change));
        !self.contact_of(guard).is_some_and(knows)
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
