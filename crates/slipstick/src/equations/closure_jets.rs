//! What a mechanism in closures is at a point: its terms, residuals and the surfaces of its contacts, from jets.

use super::closure_contact::{Contact, Friction};
use super::closure_mechanism::Mechanism;
use super::{ActiveRows, At, BadContact, LAW_NUMBERS, Locked, Terms, WrongGradient};
use crate::contact::Status;
use crate::math::{Jet, Matrix, generic_entry};
use crate::model::ContactChange;

/// A gradient that is given is that of the joint to this part of it: differences are not more exact.
const SAME_GRADIENT: f64 = 1e-8;
/// A slip is linear in the speeds if its second derivative along them is below this part of its terms: jets round.
const LINEAR: f64 = 1e-10;

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
    /// The rows of positions and of speeds whose gradients come from jets.
    by_jets: (Vec<usize>, Vec<usize>),
    /// Accelerations, and behind them multipliers and reactions.
    pub(super) motion: Vec<f64>,
}

impl<'a> MechanismJets<'a> {
    pub(super) fn new(mechanism: &'a Mechanism) -> Self {
        let (layout, m) = (mechanism.layout(), mechanism.constraint_count());
        let (holonomic, room) = (mechanism.holonomic_count(), |length| vec![Jet::default(); length]);
        Self {
            mechanism,
            given: mechanism.given_entries(),
            gradients: None,
            by_jets: (Vec::new(), Vec::new()),
            t: Jet::default(),
            q: room(layout.q),
            v: room(layout.v),
            rates: room(layout.q),
            joints: room(holonomic),
            rolling: room(m - holonomic),
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

    /// Of contacts, only those with rows are evaluated.
    fn evaluate_constraints(&mut self, rows: Option<&ActiveRows>) {
        self.evaluate_joints();
        self.evaluate_gaps(rows);
        self.evaluate_rolling();
        self.evaluate_slips(rows);
    }

    fn evaluate_joints(&mut self) {
        let joints = self.mechanism.joint_count();
        (self.mechanism.joints)(self.t, &self.q, &mut self.joints[..joints]);
    }

    fn evaluate_rolling(&mut self) {
        let slips = self.mechanism.slips().count();
        let rolling = self.rolling.len() - slips;
        (self.mechanism.rolling)(self.t, &self.q, &self.v, &mut self.rolling[..rolling]);
    }

    fn evaluate_gaps(&mut self, rows: Option<&ActiveRows>) {
        let first = self.mechanism.joint_count();
        for (k, contact) in (first..).zip(&self.mechanism.contacts) {
            if has_row(rows, k) {
                self.joints[k] = (contact.gap)(self.t, &self.q);
            }
        }
    }

    fn evaluate_slips(&mut self, rows: Option<&ActiveRows>) {
        let (holonomic, slips) = (self.joints.len(), self.mechanism.slips().count());
        for (k, friction) in (self.rolling.len() - slips..).zip(self.mechanism.slips()) {
            if has_row(rows, holonomic + k) {
                self.rolling[k] = (friction.slip)(self.t, &self.q, &self.v);
            }
        }
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
        self.evaluate_constraints(locked.rows);
        let levels = self.joints.iter().map(|joint| -joint.second);
        copy_rows(
            locked.rows,
            levels.chain(self.rolling.iter().map(|rolling| -rolling.first)),
            &mut terms.level,
        );
        self.gradients(locked.rows, t, y, terms);
        self.push_by_friction(locked, t, y, &mut terms.feedback);
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
            return self.all_gradients(None, t, y, &mut terms.jacobian);
        };
        let mut all = self.gradients.take().unwrap_or_else(|| self.mechanism.gradients());
        self.all_gradients(Some(rows), t, y, &mut all);
        for (row, &constraint) in rows.constraints().iter().enumerate() {
            terms.jacobian.row_mut(row).copy_from_slice(all.row_mut(constraint));
        }
        self.gradients = Some(all);
    }

    fn all_gradients(&mut self, rows: Option<&ActiveRows>, t: f64, y: &[f64], gradients: &mut Matrix) {
        if let Some((_, fill)) = &self.mechanism.gradient {
            fill(t, &y[..self.q.len()], &mut gradients.values[..self.given.unwrap_or(0)]);
        }
        let (joints, q) = (self.mechanism.joint_count(), &y[..self.q.len()]);
        let first_slip = self.joints.len() + self.rolling.len() - self.mechanism.slips().count();
        let normals = (joints..).zip(self.mechanism.contacts.iter().map(|contact| contact.row.as_ref()));
        let slips = (first_slip..).zip(self.mechanism.slips().map(|friction| friction.row.as_ref()));
        for (k, given) in normals.chain(slips).filter(|(k, _)| has_row(rows, *k)) {
            if let Some(given) = given {
                (given.fill)(t, q, gradients.row_mut(k));
            }
        }
        self.fill_gradient(rows, t, y, gradients);
    }

    /// The rows of the gradient that no closure gives, full, column by column: the rates when one speed is one and the
    /// others are zero, and for conditions on speeds the slopes by that speed.
    fn fill_gradient(&mut self, rows: Option<&ActiveRows>, t: f64, y: &[f64], gradients: &mut Matrix) {
        self.find_rows_by_jets(rows);
        let (of_positions, of_speeds) = std::mem::take(&mut self.by_jets);
        let holonomic = self.joints.len();
        for j in 0..self.v.len() {
            if !of_positions.is_empty() {
                self.move_one(t, y, j);
                if self.mechanism.gradient.is_none() {
                    self.evaluate_joints();
                }
                self.evaluate_gaps(rows);
                for &k in &of_positions {
                    gradients.row_mut(k)[j] = self.joints[k].first;
                }
            }
            if !of_speeds.is_empty() {
                self.hold(t, y);
                self.v[j].first = 1.0;
                self.evaluate_rolling();
                self.evaluate_slips(rows);
                for &k in &of_speeds {
                    gradients.row_mut(holonomic + k)[j] = self.rolling[k].first;
                }
            }
        }
        self.by_jets = (of_positions, of_speeds);
    }

    /// Finds the rows that are wanted and that no closure gives.
    fn find_rows_by_jets(&mut self, rows: Option<&ActiveRows>) {
        let (mechanism, holonomic) = (self.mechanism, self.joints.len());
        let (joints, first_slip) = (mechanism.joint_count(), self.rolling.len() - mechanism.slips().count());
        let (of_positions, of_speeds) = &mut self.by_jets;
        of_positions.clear();
        of_positions.extend((0..joints).filter(|_| mechanism.gradient.is_none()));
        let gaps = (joints..).zip(&mechanism.contacts).filter(|(_, contact)| contact.row.is_none());
        of_positions.extend(gaps.map(|(k, _)| k).filter(|&k| has_row(rows, k)));
        of_speeds.clear();
        of_speeds.extend(0..first_slip);
        let slips = (first_slip..).zip(mechanism.slips()).filter(|(_, friction)| friction.row.is_none());
        of_speeds.extend(slips.map(|(k, _)| k).filter(|&k| has_row(rows, holonomic + k)));
    }

    /// What each normal adds to the forces while its contact slides: `μ s ∂u/∂v`.
    fn push_by_friction(&mut self, locked: Locked<'_>, t: f64, y: &[f64], feedback: &mut Matrix) {
        let mechanism = self.mechanism;
        for (k, contact) in (mechanism.joint_count()..).zip(&mechanism.contacts) {
            let Some(friction) = &contact.friction else { continue };
            let Some(row) = locked.rows.map_or(Some(k), |rows| rows.row(k)) else { continue };
            let values = feedback.row_mut(row);
            match status_of(locked, contact) {
                Status::Slides(direction) => {
                    self.slip_gradient(friction, t, y, values);
                    let along = friction.sliding.at(locked, t, y) * direction;
                    for value in values {
                        *value *= along;
                    }
                }
                _ => values.fill(0.0),
            }
        }
    }

    /// The derivatives of a slip by the speeds of its row.
    fn slip_gradient(&mut self, friction: &Friction, t: f64, y: &[f64], values: &mut [f64]) {
        if let Some(given) = &friction.row {
            return (given.fill)(t, &y[..self.q.len()], values);
        }
        self.hold(t, y);
        for (j, value) in values.iter_mut().enumerate() {
            self.v[j].first = 1.0;
            *value = (friction.slip)(self.t, &self.q, &self.v).first;
            self.v[j].first = 0.0;
        }
    }

    /// The surface of an event of a contact, which falls to zero where it happens; forces are those of the motion that
    /// was set.
    pub(super) fn contact_surface(
        &mut self,
        (contact, change): (usize, ContactChange),
        (locked, t, y): (Locked<'_>, f64, &[f64]),
    ) -> f64 {
        let (own, n) = (&self.mechanism.contacts[contact], self.v.len());
        let normal = self.motion[n + self.mechanism.joint_count() + contact];
        match (change, &own.friction) {
            (ContactChange::Hit, _) => {
                self.hold(t, y);
                (own.gap)(self.t, &self.q).value
            }
            (ContactChange::Lift, _) => -normal,
            (ContactChange::Stick, Some(friction)) => {
                self.hold(t, y);
                direction_of(locked, own) * (friction.slip)(self.t, &self.q, &self.v).value
            }
            (ContactChange::Slip, Some(friction)) => {
                let tangent = self.motion[n + self.tangent_of(contact)];
                let most = friction.sticking.at(locked, t, y) * normal;
                // (μ N)² - T², which falls to zero at both ends of the cone.
                (most - tangent) * (most + tangent)
            }
            _ => f64::NAN,
        }
    }

    /// The gradient of such a surface, and its rate in time; none where it has forces or a coefficient that only
    /// differences know.
    pub(super) fn contact_gradient(
        &mut self,
        (contact, change): (usize, ContactChange),
        at: At<'_>,
        gradient: &mut [f64],
    ) -> Option<f64> {
        let (locked, t, y) = at;
        let own = &self.mechanism.contacts[contact];
        if !self.knows_gradient(contact, change) {
            return None;
        }
        let direction = direction_of(locked, own);
        let slope = |jets: &Self| match &own.friction {
            Some(friction) if change == ContactChange::Stick => {
                direction * (friction.slip)(jets.t, &jets.q, &jets.v).first
            }
            _ => (own.gap)(jets.t, &jets.q).first,
        };
        self.hold(t, y);
        gradient.fill(0.0);
        for (i, entry) in gradient.iter_mut().enumerate().take(self.q.len() + self.v.len()) {
            self.state_mut(i).first = 1.0;
            *entry = slope(self);
            self.state_mut(i).first = 0.0;
        }
        self.t.first = 1.0;
        Some(slope(self))
    }

    /// A coordinate or a speed, by its place in the state.
    fn state_mut(&mut self, i: usize) -> &mut Jet {
        let q = self.q.len();
        if i < q { &mut self.q[i] } else { &mut self.v[i - q] }
    }

    /// Whether jets give the gradient of such a surface.
    pub(super) fn knows_gradient(&self, contact: usize, change: ContactChange) -> bool {
        match change {
            ContactChange::Hit => !self.mechanism.contacts[contact].by_differences,
            ContactChange::Stick => true,
            _ => false,
        }
    }

    /// The constraint of the slip of a contact.
    fn tangent_of(&self, contact: usize) -> usize {
        let rubs = |contact: &&Contact| contact.friction.is_some();
        let before = self.mechanism.contacts[..contact].iter().filter(rubs).count();
        self.joints.len() + self.rolling.len() - self.mechanism.slips().count() + before
    }

    /// Which constraints hold: those of contacts while these touch, and stick.
    pub(super) fn find_shut(&self, locked: Locked<'_>, shut: &mut [bool]) {
        shut.fill(true);
        for (k, contact) in self.mechanism.contacts.iter().enumerate() {
            let status = status_of(locked, contact);
            shut[self.mechanism.joint_count() + k] = status.is_closed();
            if contact.friction.is_some() {
                shut[self.tangent_of(k)] = status == Status::Sticks;
            }
        }
    }

    /// Restitution and friction of all contacts.
    pub(super) fn fill_laws(&self, (locked, t, y): (Locked<'_>, f64, &[f64]), laws: &mut [f64]) {
        for (numbers, contact) in laws.chunks_exact_mut(LAW_NUMBERS).zip(&self.mechanism.contacts) {
            let friction = contact.friction.as_ref().map_or([0.0, 0.0], |friction| {
                [friction.sticking.at(locked, t, y), friction.sliding.at(locked, t, y)]
            });
            numbers.copy_from_slice(&[contact.restitution.at(locked, t, y), friction[0], friction[1]]);
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

    /// How far the constraints are from being met. Where all are asked for, those of contacts that do not hold are zero.
    pub(super) fn all_residuals(
        &mut self,
        (locked, t, y): (Locked<'_>, f64, &[f64]),
        position: &mut [f64],
        velocity: &mut [f64],
    ) {
        let rows = locked.rows;
        self.move_along(t, y);
        self.evaluate_constraints(rows);
        if rows.is_none() {
            self.leave_out_open(locked);
        }
        copy_rows(rows, self.joints.iter().map(|joint| joint.value), position);
        let rates = self.joints.iter().map(|joint| joint.first);
        copy_rows(rows, rates.chain(self.rolling.iter().map(|rolling| rolling.value)), velocity);
    }

    /// The constraints of contacts that do not hold say nothing.
    fn leave_out_open(&mut self, locked: Locked<'_>) {
        let (mechanism, holonomic) = (self.mechanism, self.joints.len());
        for (k, contact) in mechanism.contacts.iter().enumerate() {
            let status = status_of(locked, contact);
            if !status.is_closed() {
                self.joints[mechanism.joint_count() + k] = Jet::default();
            }
            if contact.friction.is_some() && status != Status::Sticks {
                let slip = self.tangent_of(k) - holonomic;
                self.rolling[slip] = Jet::default();
            }
        }
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

    /// The first joint or contact whose gradient, as given, is not what jets say.
    pub(super) fn wrong_gradient(&mut self, t: f64, y: &[f64]) -> Option<WrongGradient> {
        let is_given = self.mechanism.given_rows();
        if !is_given.contains(&true) {
            return None;
        }
        let mut given = self.mechanism.gradients();
        self.all_gradients(None, t, y, &mut given);
        let direction: Vec<f64> = (0..self.v.len()).map(generic_entry).collect();
        let along = self.rates_along(&direction, t, y);
        let size = |k: usize| given.row(k).map(|(j, g)| (g * direction[j]).abs()).sum::<f64>();
        along.into_iter().enumerate().filter(|(k, _)| is_given[*k]).find_map(|(constraint, found)| {
            let says = given.row_times(constraint, &direction);
            let is_wrong = (says - found).abs() > SAME_GRADIENT * (size(constraint) + found.abs());
            is_wrong.then_some(WrongGradient { constraint, given: says, found })
        })
    }

    /// The rates of all constraints of positions while the mechanism moves along a direction of the speeds, and the
    /// slopes of those of speeds along it.
    fn rates_along(&mut self, direction: &[f64], t: f64, y: &[f64]) -> Vec<f64> {
        self.hold(t, y);
        self.v.iter_mut().zip(direction).for_each(|(jet, value)| *jet = Jet::constant(*value));
        self.find_rates();
        self.q.iter_mut().zip(&self.rates).for_each(|(q, rate)| q.first = rate.value);
        self.evaluate_joints();
        self.evaluate_gaps(None);
        self.hold(t, y);
        self.v.iter_mut().zip(direction).for_each(|(jet, slope)| jet.first = *slope);
        self.evaluate_rolling();
        self.evaluate_slips(None);
        self.joints.iter().chain(&self.rolling).map(|jet| jet.first).collect()
    }

    /// The first contact that cannot be what it says.
    pub(super) fn bad_contact(&mut self, t: f64, y: &[f64]) -> Option<(usize, BadContact)> {
        let wrong = self.mechanism.contacts.iter().position(Contact::has_wrong_law);
        if let Some(contact) = wrong {
            return Some((contact, BadContact::Law));
        }
        let direction: Vec<f64> = (0..self.v.len()).map(generic_entry).collect();
        self.rates_along(&direction, t, y);
        (0..self.mechanism.contacts.len()).find_map(|contact| {
            let friction = self.mechanism.contacts[contact].friction.as_ref()?;
            let slip = (friction.slip)(self.t, &self.q, &self.v);
            (slip.second.abs() > LINEAR * slip.first.abs()).then_some((contact, BadContact::Slip))
        })
    }
}

/// Whether a constraint is among the rows that are asked for.
fn has_row(rows: Option<&ActiveRows>, constraint: usize) -> bool {
    rows.is_none_or(|rows| rows.row(constraint).is_some())
}

/// What a contact does; it is open where nothing is said.
fn status_of(locked: Locked<'_>, contact: &Contact) -> Status {
    let state = locked.discrete.get(contact.state).copied().unwrap_or_default();
    Status::of(state, direction_of(locked, contact))
}

/// The direction in which a contact slides; zero if it does not.
fn direction_of(locked: Locked<'_>, contact: &Contact) -> f64 {
    locked.discrete.get(contact.state + 1).copied().unwrap_or_default()
}
