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

use super::closure_contact::{Contact, Friction, GradientRow};
use super::{
    ActiveRows, BadPlace, ClosureSystem, Constraint, ContactShape, Layout, Locked, PlainField, Terms,
};
use crate::math::{Jet, Matrix};
use crate::model::{contact_name, contact_variables};
use std::collections::BTreeSet;

/// Entries of both halves of a mass matrix are the same to this part of them: closures round.
const EVEN: f64 = 1e-10;
/// How far differences of fourth order reach, as a part of the coordinates: there they lose the least.
const DIFFERENCE: f64 = 1e-3;

pub(super) type OfState = Box<dyn Fn(f64, &[f64], &mut [f64]) + Send + Sync>;
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
    /// Joints and conditions on speeds, in this order.
    constraints: Vec<Constraint>,
    pub(super) kinematics: Option<OfTwo>,
    pub(super) normalise: Option<Normalise>,
    /// The places of the entries of the mass matrix, if they are not its diagonal.
    mass_places: Option<Vec<(usize, usize)>>,
    mass: OfState,
    force: Force,
    pub(super) potential: Option<Potential>,
    pub(super) other_rates: OfState,
    pub(super) joints: OfJets,
    pub(super) gradient: Option<(Vec<(usize, usize)>, OfState)>,
    pub(super) rolling: OfTwo,
    pub(super) contacts: Vec<Contact>,
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
            contacts: Vec::new(),
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

    /// Adds a contact. Its normal is a constraint behind the joints, that of its slip behind the conditions on
    /// speeds; both hold while it touches.
    #[must_use]
    pub fn contact(mut self, contact: Contact) -> Self {
        let state = self.contact_variables().count();
        self.contacts.push(contact.with_state(state));
        self
    }

    /// The system, to which guards and modes can be added.
    pub fn system(self) -> ClosureSystem {
        ClosureSystem::mechanism(self)
    }

    pub(super) fn state_names(&self) -> impl Iterator<Item = &String> {
        self.coordinates.iter().chain(&self.speeds).chain(&self.others)
    }

    /// All constraints: joints, normals of contacts, conditions on speeds, slips of contacts.
    pub(super) fn constraints(&self) -> Vec<Constraint> {
        let of_contact = |contact: &Contact, property: &str, holonomic: bool| Constraint {
            name: contact_name(&contact.name, property),
            holonomic,
            switches: true,
        };
        let (joints, rolling) = self.constraints.split_at(self.joint_count());
        let normals = self.contacts.iter().map(|contact| of_contact(contact, "normal", true));
        let rubbing = self.contacts.iter().filter(|contact| contact.friction.is_some());
        let tangents = rubbing.map(|contact| of_contact(contact, "tangent", false));
        joints.iter().cloned().chain(normals).chain(rolling.iter().cloned()).chain(tangents).collect()
    }

    /// The contacts with the constraints of their gaps and slips; their guards are not known here.
    pub(super) fn contact_shapes(&self) -> Vec<ContactShape> {
        let normals = self.joint_count()..;
        let mut tangents = self.contacts.len() + self.constraints.len()..;
        let mut shape = |(normal, contact): (usize, &Contact)| {
            let tangent = contact.friction.as_ref().and_then(|_| tangents.next());
            contact.shape(normal, tangent, usize::MAX)
        };
        normals.zip(&self.contacts).map(&mut shape).collect()
    }

    /// What rubs, contact by contact.
    pub(super) fn slips(&self) -> impl Iterator<Item = &Friction> {
        self.contacts.iter().filter_map(|contact| contact.friction.as_ref())
    }

    /// Whether the gradient of each constraint is given by a closure.
    pub(super) fn given_rows(&self) -> Vec<bool> {
        let (joints, rolling) = (self.joint_count(), self.constraints.len() - self.joint_count());
        let own = (0..joints).map(|_| self.gradient.is_some());
        let gaps = self.contacts.iter().map(|contact| contact.row.is_some());
        let slips = self.slips().map(|friction| friction.row.is_some());
        own.chain(gaps).chain((0..rolling).map(|_| false)).chain(slips).collect()
    }

    /// The names of the discrete variables of all contacts.
    pub(super) fn contact_variables(&self) -> impl Iterator<Item = String> {
        self.contacts.iter().flat_map(|contact| {
            let properties = contact_variables(contact.friction.is_some()).iter();
            properties.map(|property| contact_name(&contact.name, property))
        })
    }

    /// The discrete variables of contacts stand one further behind.
    pub(super) fn shift_contact_states(&mut self) {
        self.contacts.iter_mut().for_each(|contact| contact.state += 1);
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

    /// How many constraints are of positions.
    pub(super) fn holonomic_count(&self) -> usize {
        self.joint_count() + self.contacts.len()
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
        let column = |row: &GradientRow| row.speeds.last().copied().filter(|&last| last >= n);
        let of_row = |matrix, row: Option<&GradientRow>| {
            row.and_then(column).map(|column| BadPlace { matrix, place: (0, column), size: (1, n) })
        };
        let of_contact = |contact: &Contact| {
            let slip = contact.friction.as_ref().and_then(|friction| friction.row.as_ref());
            of_row("gradient of a gap", contact.row.as_ref()).or_else(|| of_row("gradient of a slip", slip))
        };
        of_masses.or_else(of_gradient).or_else(|| self.contacts.iter().find_map(of_contact))
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
    pub(super) fn gradients(&self) -> Matrix {
        let (n, joints) = (self.speeds.len(), self.joint_count());
        let mut places: Vec<(usize, usize)> = match &self.gradient {
            Some((places, _)) => places.clone(),
            None => (0..joints).flat_map(|k| (0..n).map(move |j| (k, j))).collect(),
        };
        let rolling = self.constraints.len() - joints;
        let normals = self.contacts.iter().map(|contact| contact.row.as_ref());
        let tangents = self.slips().map(|friction| friction.row.as_ref());
        let rows = normals.chain((0..rolling).map(|_| None)).chain(tangents);
        for (row, given) in rows.enumerate() {
            places.extend(self.columns(given).into_iter().map(|j| (joints + row, j)));
        }
        Matrix::with_places(self.constraint_count(), n, &places)
    }

    /// The speeds of a row: those of its own gradient, or all.
    fn columns(&self, given: Option<&GradientRow>) -> Vec<usize> {
        given.map_or_else(|| (0..self.speeds.len()).collect(), |row| row.speeds.clone())
    }

    pub(super) fn constraint_count(&self) -> usize {
        self.constraints.len() + self.contacts.len() + self.slips().count()
    }

    /// Room for the terms of some constraints. The normal of a contact with friction pushes along its slip.
    pub(super) fn terms_with(&self, rows: &ActiveRows) -> Terms {
        let (n, gradients) = (self.speeds.len(), self.gradients());
        let own = gradients.places().filter_map(|(k, j)| Some((rows.row(k)?, j)));
        let gradients = Matrix::with_places(rows.len(), n, &own.collect::<Vec<_>>());
        let mass = match &self.mass_places {
            Some(places) => Matrix::with_places(n, n, places),
            None => Matrix::identity(n),
        };
        let mut pushes = Vec::new();
        for (contact, normal) in self.contacts.iter().zip(self.joint_count()..) {
            let (Some(friction), Some(row)) = (&contact.friction, rows.row(normal)) else { continue };
            pushes.extend(self.columns(friction.row.as_ref()).into_iter().map(|j| (row, j)));
        }
        let feedback = Matrix::with_places(rows.len(), n, &pushes);
        Terms { feedback, ..Terms::new(mass, gradients) }
    }

    /// How many entries the gradient has that a closure fills in.
    pub(super) fn given_entries(&self) -> Option<usize> {
        let (places, _) = self.gradient.as_ref()?;
        Some(places.iter().collect::<BTreeSet<_>>().len())
    }
}

/// A function of jets from one of numbers, by differences along the curve that the jets describe.
pub(super) fn differ(f: &PlainField, t: Jet, q: &[Jet], out: &mut [Jet]) {
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
