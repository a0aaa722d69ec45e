//! Mechanisms written as Rust closures: `q' = T(t, q) v`, `M v' = f - Gᵀ λ`, joints `g(t, q) = 0` and rolling
//! conditions `b(t, q, v) = 0`.
//!
//! Joints are computed with [`Jet`]s, which gives their rates exactly. Their gradient `G` comes from jets
//! too, one direction after the other, or from a closure that fills in its entries; it is then checked
//! against differences when a run begins.
//!
//! ```
//! use slipstick::equations::Mechanism;
//! let pendulum = Mechanism::new(["x", "y"])
//!     .masses(|_t, _q, m| m.fill(1.0))
//!     .forces(|_t, _y, f| f[1] = -9.81)
//!     .joints(["rod"], |_t, q, g| g[0] = q[0] * q[0] + q[1] * q[1] - 1.0)
//!     .system();
//! # assert_eq!(slipstick::equations::System::shape(&pendulum).mechanism.constraints.len(), 1);
//! ```

use super::{
    ActiveRows, BadPlace, ClosureSystem, Constraint, Layout, Locked, PlainField, Terms, WrongGradient,
};
use crate::math::{Jet, Matrix, generic_entry};
use std::collections::BTreeSet;

/// Entries of both halves of a mass matrix are the same to this part of them: closures round.
const EVEN: f64 = 1e-10;
/// A gradient that is given is that of the joint to this part of it: differences are not more exact.
const SAME_GRADIENT: f64 = 1e-8;
/// How far differences of fourth order reach, as a part of the coordinates: there they lose the least.
const DIFFERENCE: f64 = 1e-3;

type OfState = Box<dyn Fn(f64, &[f64], &mut [f64]) + Send + Sync>;
type Force = Box<dyn Fn(Locked<'_>, f64, &[f64], &mut [f64]) + Send + Sync>;
type Normalise = Box<dyn Fn(&mut [f64]) + Send + Sync>;
type OfJets = Box<dyn Fn(Jet, &[Jet], &mut [Jet]) + Send + Sync>;
type Potential = Box<dyn Fn(Jet, &[Jet]) -> Jet + Send + Sync>;
type OfTwo = Box<dyn Fn(Jet, &[Jet], &[Jet], &mut [Jet]) + Send + Sync>;

/// A mechanism given by closures, on its way to a [`ClosureSystem`].
pub struct Mechanism {
    coordinates: Vec<String>,
    speeds: Vec<String>,
    others: Vec<String>,
    constraints: Vec<Constraint>,
    kinematics: Option<OfTwo>,
    normalise: Option<Normalise>,
    /// The places of the entries of the mass matrix, if they are not its diagonal.
    mass_places: Option<Vec<(usize, usize)>>,
    mass: OfState,
    force: Force,
    potential: Option<Potential>,
    other_rates: OfState,
    joints: OfJets,
    gradient: Option<(Vec<(usize, usize)>, OfState)>,
    rolling: OfTwo,
}

impl Mechanism {
    /// With these coordinates, whose rates are the speeds. By default masses are one and forces zero.
    pub fn new<N: Into<String>>(coordinates: impl IntoIterator<Item = N>) -> Self {
        let coordinates: Vec<String> = coordinates.into_iter().map(Into::into).collect();
        let speeds: Vec<String> = coordinates.iter().map(|name| format!("{name}'")).collect();
        Self {
            mass_places: None,
            mass: Box::new(|_, _, m| m.fill(1.0)),
            coordinates,
            speeds,
            others: Vec::new(),
            constraints: Vec::new(),
            kinematics: None,
            normalise: None,
            force: Box::new(|_, _, _, _| {}),
            potential: None,
            other_rates: Box::new(|_, _, _| {}),
            joints: Box::new(|_, _, _| {}),
            gradient: None,
            rolling: Box::new(|_, _, _, _| {}),
        }
    }

    /// Gives the speeds names of their own, and says how positions follow from them: `q' = T(t, q) v`, linear
    /// in `v`, as with Euler parameters. They may be fewer than the coordinates.
    #[must_use]
    pub fn kinematics<N: Into<String>>(
        mut self,
        speeds: impl IntoIterator<Item = N>,
        rates: impl Fn(Jet, &[Jet], &[Jet], &mut [Jet]) + Send + Sync + 'static,
    ) -> Self {
        self.speeds = speeds.into_iter().map(Into::into).collect();
        self.kinematics = Some(Box::new(rates));
        self
    }

    /// Normalises coordinates after every correction, such as Euler parameters to length one.
    #[must_use]
    pub fn normalise(mut self, normalise: impl Fn(&mut [f64]) + Send + Sync + 'static) -> Self {
        self.normalise = Some(Box::new(normalise));
        self
    }

    /// The masses of the speeds, one for each: `(t, q, m)`.
    #[must_use]
    pub fn masses(mut self, masses: impl Fn(f64, &[f64], &mut [f64]) + Send + Sync + 'static) -> Self {
        (self.mass_places, self.mass) = (None, Box::new(masses));
        self
    }

    /// A mass matrix with entries at the given places, in order of rows and then columns; both halves count.
    /// The closure fills in their values: `(t, q, values)`.
    #[must_use]
    pub fn mass_matrix(
        mut self,
        places: &[(usize, usize)],
        masses: impl Fn(f64, &[f64], &mut [f64]) + Send + Sync + 'static,
    ) -> Self {
        (self.mass_places, self.mass) = (Some(places.to_vec()), Box::new(masses));
        self
    }

    /// The forces on the speeds: `(t, y, f)` with `y = (q, v, z)`. What is not set is zero.
    #[must_use]
    pub fn forces(self, forces: impl Fn(f64, &[f64], &mut [f64]) + Send + Sync + 'static) -> Self {
        self.switched_forces(move |_locked, t, y, f| forces(t, y, f))
    }

    /// As [`forces`](Self::forces), with everything that is discrete: the mode and the signs of switches.
    #[must_use]
    pub fn switched_forces(
        mut self,
        forces: impl Fn(Locked<'_>, f64, &[f64], &mut [f64]) + Send + Sync + 'static,
    ) -> Self {
        self.force = Box::new(forces);
        self
    }

    /// A potential energy `V(t, q)`, computed with jets. Its forces, `-∂V/∂q T`, come beside those of
    /// [`forces`](Self::forces): leave them out there. They cost one evaluation for each speed. The balance
    /// of energy needs the potential, or else shows what its forces do as work.
    #[must_use]
    pub fn potential(mut self, potential: impl Fn(Jet, &[Jet]) -> Jet + Send + Sync + 'static) -> Self {
        self.potential = Some(Box::new(potential));
        self
    }

    /// States of first order beside the motion, such as currents: `(t, y, dz)`.
    #[must_use]
    pub fn states<N: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = N>,
        rates: impl Fn(f64, &[f64], &mut [f64]) + Send + Sync + 'static,
    ) -> Self {
        self.others = names.into_iter().map(Into::into).collect();
        self.other_rates = Box::new(rates);
        self
    }

    /// Joints `g(t, q) = 0`: `(t, q, g)`, computed with jets.
    #[must_use]
    pub fn joints<N: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = N>,
        joints: impl Fn(Jet, &[Jet], &mut [Jet]) + Send + Sync + 'static,
    ) -> Self {
        self.constraints.retain(|constraint| !constraint.holonomic);
        let named =
            names.into_iter().map(|name| Constraint { name: name.into(), holonomic: true, switches: false });
        self.constraints.splice(0..0, named);
        self.joints = Box::new(joints);
        self
    }

    /// Joints without jets: their rates come from differences, good to nine digits, their gradient to twelve.
    #[must_use]
    pub fn joints_by_differences<N: Into<String>>(
        self,
        names: impl IntoIterator<Item = N>,
        joints: impl Fn(f64, &[f64], &mut [f64]) + Send + Sync + 'static,
    ) -> Self {
        self.joints(names, move |t, q, g| differ(&joints, t, q, g))
    }

    /// The gradient of the joints by the speeds, `G = ∂g/∂q T`: its entries are at the given places (joint,
    /// speed), in order of rows and then columns, and the closure fills in their values: `(t, q, values)`.
    /// Large mechanisms need it.
    #[must_use]
    pub fn gradient(
        mut self,
        places: &[(usize, usize)],
        gradient: impl Fn(f64, &[f64], &mut [f64]) + Send + Sync + 'static,
    ) -> Self {
        self.gradient = Some((places.to_vec(), Box::new(gradient)));
        self
    }

    /// Conditions on speeds `b(t, q, v) = 0`, such as rolling: `(t, q, v, b)`, computed with jets.
    #[must_use]
    pub fn rolling<N: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = N>,
        rolling: impl Fn(Jet, &[Jet], &[Jet], &mut [Jet]) + Send + Sync + 'static,
    ) -> Self {
        self.constraints.retain(|constraint| constraint.holonomic);
        let named =
            names.into_iter().map(|name| Constraint { name: name.into(), holonomic: false, switches: false });
        self.constraints.extend(named);
        self.rolling = Box::new(rolling);
        self
    }

    /// The system, to which guards and modes can be added.
    pub fn system(self) -> ClosureSystem {
        ClosureSystem::mechanism(self)
    }

    pub(super) fn state_names(&self) -> impl Iterator<Item = &String> {
        self.coordinates.iter().chain(&self.speeds).chain(&self.others)
    }

    pub(super) fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    pub(super) fn layout(&self) -> Layout {
        Layout { q: self.coordinates.len(), v: self.speeds.len(), z: self.others.len() }
    }

    pub(super) fn has_kinematics(&self) -> bool {
        self.kinematics.is_some()
    }

    pub(super) fn joint_count(&self) -> usize {
        self.constraints.iter().filter(|constraint| constraint.holonomic).count()
    }

    pub(super) fn fill_masses(&self, t: f64, q: &[f64], values: &mut [f64]) {
        (self.mass)(t, q, values);
    }

    /// The forces without those of the potential.
    pub(super) fn fill_forces(&self, locked: Locked<'_>, t: f64, y: &[f64], forces: &mut [f64]) {
        forces.fill(0.0);
        (self.force)(locked, t, y, forces);
    }

    /// A place that is outside of its matrix.
    pub(super) fn outside_place(&self) -> Option<BadPlace> {
        let (n, joints) = (self.speeds.len(), self.joint_count());
        let outside = |matrix, places: &[(usize, usize)], rows: usize| {
            let place = places.iter().find(|(row, column)| *row >= rows || *column >= n);
            place.map(|&place| BadPlace { matrix, place, size: (rows, n) })
        };
        let of_masses = self.mass_places.as_ref().and_then(|places| outside("mass matrix", places, n));
        let of_gradient =
            || self.gradient.as_ref().and_then(|(places, _)| outside("gradient", places, joints));
        of_masses.or_else(of_gradient)
    }

    /// An entry of the mass matrix that is not that of its other half, by more than rounding.
    pub(super) fn uneven_entry(&self, t: f64, y: &[f64]) -> Option<(usize, usize, (f64, f64))> {
        let places = self.mass_places.as_ref()?;
        let mut mass = Matrix::with_places(self.speeds.len(), self.speeds.len(), places);
        self.fill_masses(t, &y[..self.coordinates.len()], &mut mass.values);
        let entry = |i: usize, j: usize| mass.row(i).find(|(column, _)| *column == j).map_or(0.0, |(_, m)| m);
        let differ = |a: f64, b: f64| (a - b).abs() > EVEN * (a.abs() + b.abs());
        mass.places().map(|(i, j)| (i, j, (entry(i, j), entry(j, i)))).find(|(_, _, (a, b))| differ(*a, *b))
    }

    /// The places of the gradients of all constraints: rows without a gradient of their own are full.
    fn gradients(&self) -> Matrix {
        let (n, m) = (self.speeds.len(), self.constraints.len());
        let everywhere = |rows: std::ops::Range<usize>| rows.flat_map(move |k| (0..n).map(move |j| (k, j)));
        let mut places: Vec<(usize, usize)> = match &self.gradient {
            Some((places, _)) => places.clone(),
            None => everywhere(0..self.joint_count()).collect(),
        };
        places.extend(everywhere(self.joint_count()..m));
        Matrix::with_places(m, n, &places)
    }

    /// Room for the terms of some constraints.
    pub(super) fn terms_with(&self, rows: &ActiveRows) -> Terms {
        let (n, gradients) = (self.speeds.len(), self.gradients());
        let own = gradients.places().filter_map(|(k, j)| Some((rows.row(k)?, j)));
        let gradients = Matrix::with_places(rows.len(), n, &own.collect::<Vec<_>>());
        let mass = match &self.mass_places {
            Some(places) => Matrix::with_places(n, n, places),
            None => Matrix::identity(n),
        };
        Terms::new(mass, gradients)
    }

    /// How many entries the gradient has that a closure fills in.
    fn given_entries(&self) -> Option<usize> {
        let (places, _) = self.gradient.as_ref()?;
        Some(places.iter().collect::<BTreeSet<_>>().len())
    }
}

/// A function of jets from one of numbers, by differences along the curve that the jets describe.
fn differ(f: &PlainField, t: Jet, q: &[Jet], out: &mut [Jet]) {
    let fastest = q.iter().fold(t.first.abs(), |fastest, q| fastest.max(q.first.abs()));
    let largest = q.iter().fold(1.0_f64, |largest, q| largest.max(q.value.abs()));
    // Differences of fourth order lose the least at about this distance.
    let s = if fastest > 0.0 { DIFFERENCE * largest / fastest } else { 1.0 };
    let along = |jet: &Jet, s: f64| jet.value + s * (jet.first + 0.5 * s * jet.second);
    let values = [-2.0, -1.0, 0.0, 1.0, 2.0].map(|k| {
        let (place, mut values): (Vec<f64>, _) =
            (q.iter().map(|q| along(q, k * s)).collect(), vec![0.0; out.len()]);
        f(along(&t, k * s), &place, &mut values);
        values
    });
    for (k, out) in out.iter_mut().enumerate() {
        let [b2, b1, a0, a1, a2] = [0, 1, 2, 3, 4].map(|i: usize| values[i][k]);
        let moves = if fastest > 0.0 { 1.0 } else { 0.0 };
        *out = Jet {
            value: a0,
            first: moves * (8.0 * (a1 - b1) - (a2 - b2)) / (12.0 * s),
            second: moves * (16.0 * (a1 + b1) - (a2 + b2) - 30.0 * a0) / (12.0 * s * s),
        };
    }
}

/// Copies what belongs to some constraints from a list by all of them.
fn copy_rows(rows: Option<&ActiveRows>, all: impl Iterator<Item = f64>, to: &mut [f64]) {
    match rows.filter(|rows| !rows.is_all()) {
        None => to.iter_mut().zip(all).for_each(|(to, value)| *to = value),
        Some(rows) => {
            let own = all.enumerate().filter(|(k, _)| rows.row(*k).is_some());
            to.iter_mut().zip(own).for_each(|(to, (_, value))| *to = value);
        }
    }
}

/// The scratch to evaluate a mechanism with.
pub(super) struct MechanismJets<'a> {
    mechanism: &'a Mechanism,
    t: Jet,
    q: Vec<Jet>,
    v: Vec<Jet>,
    /// The rates of the coordinates, and the constraints of positions and of speeds.
    rates: Vec<Jet>,
    joints: Vec<Jet>,
    rolling: Vec<Jet>,
    /// How many entries of the gradient a closure fills in, if one does.
    given: Option<usize>,
    /// The gradients of all constraints, where some of them are asked for.
    gradients: Option<Matrix>,
    /// Accelerations, and behind them multipliers and reactions.
    pub(super) motion: Vec<f64>,
}

impl<'a> MechanismJets<'a> {
    pub(super) fn new(mechanism: &'a Mechanism) -> Self {
        let (layout, m, joints) = (mechanism.layout(), mechanism.constraints.len(), mechanism.joint_count());
        let room = |length| vec![Jet::default(); length];
        Self {
            mechanism,
            given: mechanism.given_entries(),
            gradients: None,
            t: Jet::default(),
            q: room(layout.q),
            v: room(layout.v),
            rates: room(layout.q),
            joints: room(joints),
            rolling: room(m - joints),
            motion: vec![0.0; 2 * layout.v + m],
        }
    }

    /// Positions and speeds that stay where they are.
    fn hold(&mut self, t: f64, y: &[f64]) {
        self.t = Jet::constant(t);
        let (q, rest) = y.split_at(self.q.len());
        self.q.iter_mut().zip(q).for_each(|(jet, value)| *jet = Jet::constant(*value));
        self.v.iter_mut().zip(rest).for_each(|(jet, value)| *jet = Jet::constant(*value));
    }

    /// The rates of positions: `T v`.
    fn find_rates(&mut self) {
        match &self.mechanism.kinematics {
            Some(kinematics) => kinematics(self.t, &self.q, &self.v, &mut self.rates),
            None => self.rates.copy_from_slice(&self.v),
        }
    }

    /// Lets positions move with the speeds, which stay as they are.
    fn move_along(&mut self, t: f64, y: &[f64]) {
        self.hold(t, y);
        self.find_rates();
        self.t.first = 1.0;
        for (q, rate) in self.q.iter_mut().zip(&self.rates) {
            q.first = rate.value;
        }
        self.find_rates();
        for (q, rate) in self.q.iter_mut().zip(&self.rates) {
            q.second = rate.first;
        }
    }

    fn evaluate_constraints(&mut self) {
        (self.mechanism.joints)(self.t, &self.q, &mut self.joints);
        (self.mechanism.rolling)(self.t, &self.q, &self.v, &mut self.rolling);
    }

    /// The rates of the whole state, with the accelerations that were found.
    pub(super) fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) {
        self.hold(t, y);
        self.find_rates();
        let (dq, rest) = dy.split_at_mut(self.q.len());
        let (dv, dz) = rest.split_at_mut(self.v.len());
        dq.iter_mut().zip(&self.rates).for_each(|(dq, rate)| *dq = rate.value);
        dv.copy_from_slice(&self.motion[..self.v.len()]);
        (self.mechanism.other_rates)(t, y, dz);
    }

    /// The terms of the equations of motion.
    pub(super) fn all_terms(&mut self, locked: Locked<'_>, t: f64, y: &[f64], terms: &mut Terms) {
        let q = &y[..self.q.len()];
        self.mechanism.fill_masses(t, q, &mut terms.mass.values);
        self.mechanism.fill_forces(locked, t, y, &mut terms.force);
        self.pull_down(t, y, &mut terms.force);
        self.move_along(t, y);
        self.evaluate_constraints();
        let levels = self.joints.iter().map(|joint| -joint.second);
        copy_rows(
            locked.rows,
            levels.chain(self.rolling.iter().map(|rolling| -rolling.first)),
            &mut terms.level,
        );
        self.gradients(locked.rows, t, y, terms);
    }

    /// Adds the forces of the potential: its slope along each speed, with the sign turned.
    fn pull_down(&mut self, t: f64, y: &[f64], forces: &mut [f64]) {
        let Some(potential) = &self.mechanism.potential else { return };
        for (j, force) in forces.iter_mut().enumerate() {
            self.move_one(t, y, j);
            *force -= potential(self.t, &self.q).first;
        }
    }

    /// The potential energy, and its rate along the motion.
    pub(super) fn potential(&mut self, t: f64, y: &[f64]) -> (f64, f64) {
        let Some(potential) = &self.mechanism.potential else { return (0.0, 0.0) };
        self.move_along(t, y);
        let energy = potential(self.t, &self.q);
        (energy.value, energy.first)
    }

    /// `q' = T v`.
    pub(super) fn rates_of_positions(&mut self, t: f64, y: &[f64], rates: &mut [f64]) {
        self.hold(t, y);
        self.find_rates();
        rates.iter_mut().zip(&self.rates).for_each(|(rate, jet)| *rate = jet.value);
    }

    /// Of the terms, the gradients of the constraints.
    pub(super) fn gradients(&mut self, rows: Option<&ActiveRows>, t: f64, y: &[f64], terms: &mut Terms) {
        let Some(rows) = rows.filter(|rows| !rows.is_all()) else {
            return self.all_gradients(t, y, &mut terms.jacobian);
        };
        let mut all = self.gradients.take().unwrap_or_else(|| self.mechanism.gradients());
        self.all_gradients(t, y, &mut all);
        for (row, &constraint) in rows.constraints().iter().enumerate() {
            terms.jacobian.row_mut(row).copy_from_slice(all.row_mut(constraint));
        }
        self.gradients = Some(all);
    }

    fn all_gradients(&mut self, t: f64, y: &[f64], gradients: &mut Matrix) {
        let (values, rows) = gradients.values.split_at_mut(self.given.unwrap_or(0));
        if let Some((_, fill)) = &self.mechanism.gradient {
            fill(t, &y[..self.q.len()], values);
        }
        self.fill_gradient(t, y, rows);
    }

    /// The rows of the gradient that no closure gives, full, column by column: the rates when one speed is
    /// one and the others are zero, and for conditions on speeds the slopes by that speed.
    fn fill_gradient(&mut self, t: f64, y: &[f64], rows: &mut [f64]) {
        let (n, by_jets) = (self.v.len(), self.mechanism.gradient.is_none());
        if rows.is_empty() {
            return;
        }
        for j in 0..n {
            if by_jets {
                self.move_one(t, y, j);
                (self.mechanism.joints)(self.t, &self.q, &mut self.joints);
            }
            self.hold(t, y);
            self.v[j].first = 1.0;
            (self.mechanism.rolling)(self.t, &self.q, &self.v, &mut self.rolling);
            let joints = self.joints.iter().filter(|_| by_jets);
            for (k, row) in joints.chain(&self.rolling).enumerate() {
                rows[k * n + j] = row.first;
            }
        }
    }

    /// Lets positions move with one speed.
    fn move_one(&mut self, t: f64, y: &[f64], speed: usize) {
        self.hold(t, y);
        self.v.fill(Jet::default());
        self.v[speed].value = 1.0;
        self.find_rates();
        for (q, rate) in self.q.iter_mut().zip(&self.rates) {
            q.first = rate.value;
        }
    }

    /// How far the constraints are from being met.
    pub(super) fn all_residuals(
        &mut self,
        (rows, t, y): (Option<&ActiveRows>, f64, &[f64]),
        position: &mut [f64],
        velocity: &mut [f64],
    ) {
        self.move_along(t, y);
        self.evaluate_constraints();
        copy_rows(rows, self.joints.iter().map(|joint| joint.value), position);
        let rates = self.joints.iter().map(|joint| joint.first);
        copy_rows(rows, rates.chain(self.rolling.iter().map(|rolling| rolling.value)), velocity);
    }

    /// Takes `T` times a change off the positions.
    pub(super) fn shift(&mut self, t: f64, q: &mut [f64], change: &[f64]) {
        if self.mechanism.kinematics.is_none() {
            q.iter_mut().zip(change).for_each(|(q, change)| *q -= change);
        } else {
            self.t = Jet::constant(t);
            self.q.iter_mut().zip(&*q).for_each(|(jet, value)| *jet = Jet::constant(*value));
            self.v.iter_mut().zip(change).for_each(|(jet, value)| *jet = Jet::constant(*value));
            self.find_rates();
            q.iter_mut().zip(&self.rates).for_each(|(q, rate)| *q -= rate.value);
        }
        if let Some(normalise) = &self.mechanism.normalise {
            normalise(q);
        }
    }

    /// The first joint whose gradient, as given, is not what jets say.
    pub(super) fn wrong_gradient(&mut self, t: f64, y: &[f64]) -> Option<WrongGradient> {
        let (places, fill) = self.mechanism.gradient.as_ref()?;
        let mut gradient = Matrix::with_places(self.joints.len(), self.v.len(), places);
        fill(t, &y[..self.q.len()], &mut gradient.values);
        let direction: Vec<f64> = (0..self.v.len()).map(generic_entry).collect();
        self.hold(t, y);
        self.v.iter_mut().zip(&direction).for_each(|(jet, value)| *jet = Jet::constant(*value));
        self.find_rates();
        self.q.iter_mut().zip(&self.rates).for_each(|(q, rate)| q.first = rate.value);
        (self.mechanism.joints)(self.t, &self.q, &mut self.joints);
        let size = |k: usize| gradient.row(k).map(|(j, g)| (g * direction[j]).abs()).sum::<f64>();
        self.joints.iter().enumerate().find_map(|(k, joint)| {
            let given = gradient.row_times(k, &direction);
            let is_wrong = (given - joint.first).abs() > SAME_GRADIENT * (size(k) + joint.first.abs());
            is_wrong.then_some(WrongGradient { constraint: k, given, found: joint.first })
        })
    }
}
