//! Contacts of a mechanism as numbers: how their gaps and slips respond to impulses and forces through the joints.

use super::entered_branches::entered_signs;
use super::impulses::GivenRow;
use super::views::InMode;
use crate::contact::{LawNumbers, Relations, Status};
use crate::equations::{
    ActiveRows, At, ContactShape, Evaluator, LAW_NUMBERS, LawsWanted, Locked, System, Terms, UncertainPoint,
};
use crate::expr::Inexact;
use crate::math::{Saddle, dot};
use crate::mode::Mode;

/// Rounding of forces, as a part of all of them: springs can cancel inside of a formula, where that cannot be seen.
const FIELD_ROUNDING: f64 = 8.0 * f64::EPSILON;
/// Rounding of a sum of a few terms, in units of the sum of their sizes.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// The contacts of a mechanism in the mode that holds.
pub struct ContactsView<'f, 'a> {
    pub(super) system: &'a dyn System,
    pub(super) in_mode: InMode<'f, 'a>,
}

/// Contacts as numbers, and the change of the speeds for an impulse in each of their rows.
pub struct Touching {
    /// The contacts as numbers.
    pub relations: Relations,
    /// For each row the change of the speeds for an impulse of one.
    pub responses: Vec<Vec<f64>>,
    /// What the joints bear of these impulses.
    pub joints: JointResponses,
    /// Accelerations with joints and without forces in contacts.
    pub free_motion: Vec<f64>,
    /// For each contact the velocity that its gap was held with while it was closed: what steps have left of zero.
    pub held: Vec<f64>,
}

/// The impulses of joints for impulses in contacts.
#[derive(Clone, Debug, Default)]
pub struct JointResponses {
    /// The constraints that are joints.
    pub constraints: Vec<usize>,
    /// For each row of the contacts, the impulses of all joints for an impulse of one.
    pub by_row: Vec<Vec<f64>>,
    /// The forces of all joints without forces in contacts.
    pub free: Vec<f64>,
}

impl JointResponses {
    /// The impulse of each joint for impulses in the rows of contacts.
    pub fn impulses(&self, rows: &[f64]) -> Vec<(usize, f64)> {
        let of_joint = |k: usize| self.by_row.iter().zip(rows).map(|(own, p)| own[k] * p).sum();
        self.constraints.iter().enumerate().map(|(k, &constraint)| (constraint, of_joint(k))).collect()
    }

    /// The force of one joint with forces in the rows of contacts, and the size of what it is the sum of.
    pub fn force(&self, constraint: usize, rows: &[f64]) -> (f64, f64) {
        let Some(k) = self.constraints.iter().position(|own| *own == constraint) else { return (0.0, 0.0) };
        let terms = self.by_row.iter().zip(rows).map(|(own, p)| own[k] * p);
        terms.fold((self.free[k], self.free[k].abs()), |(sum, size), term| (sum + term, size + term.abs()))
    }
}

/// Where contacts are looked at: the time, the state, and the speeds with which closed contacts were met.
#[derive(Clone, Copy)]
pub struct TouchPoint<'p> {
    /// The time.
    pub t: f64,
    /// The state.
    pub y: &'p [f64],
    /// The state before anything was set: closed contacts move with what has changed since.
    pub before: &'p [f64],
    /// The mode before.
    pub mode_before: &'p Mode,
    /// How uncertain each state is by rounding.
    pub delta: &'p [f64],
}

impl ContactsView<'_, '_> {
    /// The numbers of the laws of all contacts at a point.
    pub fn laws(&mut self, t: f64, y: &[f64]) -> Vec<LawNumbers> {
        let all: Vec<usize> = (0..self.system.contacts().len()).collect();
        let locked = self.in_mode.locked;
        let Some(mechanism) = self.in_mode.mechanism.as_mut() else { return Vec::new() };
        laws(&mut *mechanism.inner, (locked, t, y), self.system, &all)
    }

    /// Whether a joint holds that did not in another mode.
    pub fn shuts(&mut self, before: &Mode) -> bool {
        let (system, locked) = (self.system, self.in_mode.locked);
        let Some(mechanism) = self.in_mode.mechanism.as_mut() else { return false };
        let mut held = |locked| joints(system, &mut *mechanism.inner, locked);
        let (then, now) = (held(before.locked(locked.parameters)), held(locked));
        now.constraints().iter().any(|&k| then.row(k).is_none())
    }

    /// Some contacts as numbers at a point, with what they do so far; behind them impulses that events give, as contacts
    /// without friction. None if the mechanism cannot move so.
    pub fn touching(
        &mut self,
        point: TouchPoint<'_>,
        (which, statuses): (&[usize], &[Status]),
        given: &[GivenRow],
    ) -> Option<Touching> {
        let mechanism = self.in_mode.mechanism.as_mut()?;
        let (system, locked) = (self.system, self.in_mode.locked);
        let contacts: Vec<&ContactShape> = which.iter().map(|&k| &system.contacts()[k]).collect();
        let joints = joints(system, &mut *mechanism.inner, locked);
        let constraints = joints.constraints().to_vec();
        let TouchPoint { t, y, before, mode_before, delta } = point;
        let with_joints =
            terms_of_joints(system, &mut *mechanism.inner, (locked, t, y), (&joints, &contacts));
        let mut saddle = Saddle::new(&with_joints.mass, &with_joints.jacobian);
        saddle.factor(&with_joints.mass, &with_joints.jacobian).ok()?;
        let discrete = with_status(locked.discrete, &contacts, Status::Sticks);
        let owned = |k: usize| contacts.iter().any(|contact| contact.owns(k));
        let rows = ActiveRows::of(system.constraints(), owned);
        let closed = Locked { rows: Some(&rows), discrete: &discrete, stamp: 0, ..locked };
        let open = with_status(locked.discrete, &contacts, Status::Open);
        let open = Locked { discrete: &open, stamp: 0, ..locked };
        let point = UncertainPoint { t, y, delta };
        let signs = entered_signs(system, &mut *mechanism.inner, [open, closed], point);
        let closed = Locked { signs: &signs, ..closed };
        let mut terms = system.room_for_terms(&rows);
        mechanism.inner.terms(closed, t, y, &mut terms);
        let rates = velocity_residuals(&mut *mechanism.inner, closed, &rows, (t, y));
        // Closed contacts have no velocity before: they move with what has changed, speeds or formulas.
        let discrete = with_status(&mode_before.values.discrete, &contacts, Status::Sticks);
        let earlier = mode_before.locked(locked.parameters);
        let earlier = Locked { discrete: &discrete, stamp: 0, ..earlier };
        let held = velocity_residuals(&mut *mechanism.inner, earlier, &rows, (t, before));
        let mut builder = RelationBuilder { system, saddle, with_joints, terms, rows, rates, held };
        let (free, of_joints) = builder.free_motion();
        let (speeds, delta) = (speeds_of(system, y), speeds_of(system, delta));
        let mut relations = Relations {
            laws: laws(&mut *mechanism.inner, (locked, t, y), system, which),
            ..Relations::default()
        };
        (relations.velocity, relations.free) =
            builder.motion_of_rows((&contacts, statuses), (speeds, delta), &free);
        let (responses, by_row) = builder.respond((&contacts, given), &mut relations)?;
        let left = velocity_residuals(&mut *mechanism.inner, locked, &joints, (t, y));
        move_with_joints(&mut relations, &by_row, &left);
        Some(Touching {
            held: builder.left_of((&contacts, statuses)),
            relations,
            responses,
            joints: JointResponses { constraints, by_row, free: of_joints },
            free_motion: free,
        })
    }
}

/// The terms of a mechanism with its joints. Friction of a given size is among the forces where it slides: without it.
fn terms_of_joints(
    system: &dyn System,
    evaluator: &mut dyn Evaluator,
    (locked, t, y): At<'_>,
    (joints, contacts): (&ActiveRows, &[&ContactShape]),
) -> Terms {
    let mut terms = system.room_for_terms(joints);
    let rubbing: Vec<&ContactShape> = contacts.iter().copied().filter(|of| of.gap.is_none()).collect();
    let unpressed = with_status(locked.discrete, &rubbing, Status::Open);
    let free = Locked { rows: Some(joints), discrete: &unpressed, ..locked };
    let free = if rubbing.is_empty() { free } else { Locked { stamp: 0, ..free } };
    evaluator.terms(free, t, y, &mut terms);
    terms
}

/// A gap moves no better than the joints are met that move it: each row is as uncertain as what impulses in them would
/// have to take off.
fn move_with_joints(relations: &mut Relations, by_row: &[Vec<f64>], residuals: &[f64]) {
    for (velocity, impulses) in relations.velocity.iter_mut().zip(by_row) {
        velocity.bound += impulses.iter().zip(residuals).map(|(p, rate)| (p * rate).abs()).sum::<f64>();
    }
}

/// The velocities of some constraints.
fn velocity_residuals(
    evaluator: &mut dyn Evaluator,
    locked: Locked<'_>,
    rows: &ActiveRows,
    (t, y): (f64, &[f64]),
) -> Vec<f64> {
    let (mut position, mut rates) = (vec![0.0; rows.holonomic()], vec![0.0; rows.len()]);
    evaluator.residuals(Locked { rows: Some(rows), ..locked }, t, y, &mut position, &mut rates);
    rates
}

/// The constraints that hold and belong to no contact.
fn joints(system: &dyn System, evaluator: &mut dyn Evaluator, locked: Locked<'_>) -> ActiveRows {
    let mut holds = vec![true; system.constraints().len()];
    evaluator.joints(locked, &mut holds);
    for contact in system.contacts() {
        contact.normal().into_iter().chain(contact.tangent).for_each(|row| holds[row] = false);
    }
    ActiveRows::of(system.constraints(), |k| holds[k])
}

/// The discrete variables with a status of some contacts. While they stick, all of their rows say something.
fn with_status(discrete: &[f64], contacts: &[&ContactShape], status: Status) -> Vec<f64> {
    let mut changed = discrete.to_vec();
    for contact in contacts {
        changed[contact.state..contact.state + 2].copy_from_slice(&status.values());
    }
    changed
}

fn speeds_of<'y>(system: &dyn System, y: &'y [f64]) -> &'y [f64] {
    let layout = system.layout();
    &y[layout.q..layout.q + layout.v]
}

fn laws(evaluator: &mut dyn Evaluator, at: At<'_>, system: &dyn System, which: &[usize]) -> Vec<LawNumbers> {
    let mut numbers = vec![0.0; LAW_NUMBERS * system.contacts().len()];
    if let Some(mechanism) = evaluator.mechanism() {
        mechanism.laws(at, LawsWanted::Contacts, &mut numbers);
    }
    let law = |&k: &usize| {
        let contact = &system.contacts()[k];
        let own = &numbers[LAW_NUMBERS * k..LAW_NUMBERS * (k + 1)];
        LawNumbers {
            restitution: contact.gap.map_or(0.0, |_| own[0]),
            friction: contact.tangent.map(|_| (own[1], own[2])),
            law: contact.law,
            given: if contact.gap.is_some() { None } else { Some(own[0]) },
        }
    };
    which.iter().map(law).collect()
}

/// For each row the change of the speeds for an impulse of one, and the impulses of joints.
type Responses = (Vec<Vec<f64>>, Vec<Vec<f64>>);

/// A row of a contact or of an impulse.
#[derive(Clone, Copy)]
enum ResponseRow<'r> {
    /// It is always zero.
    Nothing,
    /// That of a constraint.
    Constraint(usize),
    /// This gradient by the speeds.
    Direction(&'r [f64]),
}

/// The rows of contacts beside the mechanism with its joints.
struct RelationBuilder<'a> {
    system: &'a dyn System,
    saddle: Saddle,
    with_joints: Terms,
    terms: Terms,
    rows: ActiveRows,
    rates: Vec<f64>,
    /// The velocities of rows before what happens.
    held: Vec<f64>,
}

impl RelationBuilder<'_> {
    /// The velocities of closed gaps before what happens, zero for others.
    fn left_of(&self, (contacts, statuses): (&[&ContactShape], &[Status])) -> Vec<f64> {
        let left = |(contact, status): (&&ContactShape, &Status)| {
            let row =
                contact.normal().and_then(|normal| self.rows.row(normal)).filter(|_| status.is_closed());
            row.map_or(0.0, |row| self.held[row])
        };
        contacts.iter().zip(statuses).map(left).collect()
    }

    /// Sets how all rows respond to an impulse in each. Gives for each the changes of speeds and the impulses of
    /// joints; none if they are not finite.
    fn respond(
        &mut self,
        (contacts, given): (&[&ContactShape], &[GivenRow]),
        relations: &mut Relations,
    ) -> Option<Responses> {
        for row in given {
            relations.velocity.extend([row.velocity, Inexact::default()]);
            relations.free.extend([Inexact::default(); 2]);
            relations.laws.push(row.law());
        }
        let of_contacts = contacts.iter().flat_map(|contact| self.rows_of(contact));
        let of_contacts = of_contacts.map(|row| row.map_or(ResponseRow::Nothing, ResponseRow::Constraint));
        let of_events =
            given.iter().flat_map(|row| [ResponseRow::Direction(&row.direction), ResponseRow::Nothing]);
        let all: Vec<ResponseRow<'_>> = of_contacts.chain(of_events).collect();
        let (speeds, joints): Responses = all.iter().map(|row| self.response(*row)).unzip();
        let unseen = FIELD_ROUNDING * self.size_of_forces();
        for (k, row) in all.iter().enumerate() {
            relations.response.extend(speeds.iter().map(|response| self.along(*row, response)));
            let unseen = unseen * self.without_joints(*row).sqrt();
            relations.free[k].bound += self.cancelled(&speeds[k], &joints[k]) + unseen;
        }
        let is_finite = relations.response.iter().all(|w| w.is_finite())
            && relations.free.iter().all(|a| a.value.is_finite());
        is_finite.then_some((speeds, joints))
    }

    /// The velocities and free accelerations of all rows. Rows that hold move with what has changed since
    /// they were held.
    fn motion_of_rows(
        &self,
        (contacts, statuses): (&[&ContactShape], &[Status]),
        (speeds, delta): (&[f64], &[f64]),
        free: &[f64],
    ) -> (Vec<Inexact>, Vec<Inexact>) {
        let (mut velocities, mut accelerations) = (Vec::new(), Vec::new());
        for (contact, status) in contacts.iter().zip(statuses) {
            let is_held = [status.is_closed(), *status == Status::Sticks];
            for (row, is_held) in self.rows_of(contact).into_iter().zip(is_held) {
                let held = row.filter(|_| is_held).map_or(0.0, |row| self.held[row]);
                velocities.push(self.velocity(row, (speeds, delta), held));
                accelerations.push(self.acceleration(row, free));
            }
        }
        (velocities, accelerations)
    }

    /// The rows of the normal and the tangent of a contact.
    fn rows_of(&self, contact: &ContactShape) -> [Option<usize>; 2] {
        [contact.normal(), contact.tangent].map(|row| self.rows.row(row?))
    }

    /// Accelerations with joints and without forces in contacts, and the forces of joints.
    fn free_motion(&mut self) -> (Vec<f64>, Vec<f64>) {
        let (mut motion, mut level) = (self.with_joints.force.clone(), self.with_joints.level.clone());
        self.saddle.solve(&mut motion, &mut level);
        (motion, level)
    }

    /// The change of the speeds for an impulse of one in a row, and the impulses of the joints.
    fn response(&mut self, row: ResponseRow<'_>) -> (Vec<f64>, Vec<f64>) {
        let (mut push, mut level) =
            (vec![0.0; self.system.layout().v], vec![0.0; self.with_joints.level.len()]);
        match row {
            ResponseRow::Nothing => return (push, level),
            ResponseRow::Constraint(row) => {
                self.terms.jacobian.row(row).for_each(|(column, g)| push[column] = g);
            }
            ResponseRow::Direction(direction) => push.copy_from_slice(direction),
        }
        self.saddle.solve(&mut push, &mut level);
        (push, level)
    }

    /// The size of all applied forces, `Σ f_j²/M_jj` under a root.
    fn size_of_forces(&self) -> f64 {
        let Terms { mass, force, .. } = &self.with_joints;
        let own = |j: usize| mass.slot(j, j).map_or(0.0, |slot| mass.values[slot]);
        let squares = force.iter().enumerate().map(|(j, f)| if own(j) > 0.0 { f * f / own(j) } else { 0.0 });
        squares.sum::<f64>().sqrt()
    }

    /// How a row would respond to an impulse of one if no joint held: what joints take up of forces is rounded, too.
    fn without_joints(&self, row: ResponseRow<'_>) -> f64 {
        let mass = &self.with_joints.mass;
        let own = |(j, g): (usize, f64)| {
            let mass = mass.slot(j, j).map_or(0.0, |slot| mass.values[slot]);
            if mass > 0.0 { g * g / mass } else { 0.0 }
        };
        match row {
            ResponseRow::Nothing => 0.0,
            ResponseRow::Constraint(row) => self.terms.jacobian.row(row).map(own).sum(),
            ResponseRow::Direction(direction) => direction.iter().copied().enumerate().map(own).sum(),
        }
    }

    /// Rounding of the acceleration of a row whose impulse has these responses, as forces and joints can cancel in it.
    fn cancelled(&self, speeds: &[f64], joints: &[f64]) -> f64 {
        let size = |of: &[f64], by: &[f64]| of.iter().zip(by).map(|(a, b)| (a * b).abs()).sum::<f64>();
        ROUNDING * (size(speeds, &self.with_joints.force) + size(joints, &self.with_joints.level))
    }

    /// A row times a vector.
    fn along(&self, row: ResponseRow<'_>, of: &[f64]) -> f64 {
        match row {
            ResponseRow::Nothing => 0.0,
            ResponseRow::Constraint(row) => self.terms.jacobian.row_times(row, of),
            ResponseRow::Direction(direction) => dot(direction, of),
        }
    }

    /// The velocity of a row, less what it was held with. Speeds can be the small rest of larger ones, which rounding
    /// has left them uncertain by.
    fn velocity(&self, row: Option<usize>, (speeds, delta): (&[f64], &[f64]), held: f64) -> Inexact {
        let Some(row) = row else { return Inexact::default() };
        let along = |of: &[f64]| self.terms.jacobian.row(row).map(|(j, g)| (g * of[j]).abs()).sum::<f64>();
        let value = self.rates[row];
        let rounded = ROUNDING * (along(speeds) + value.abs() + held.abs());
        Inexact { value: value - held, bound: rounded + along(delta) }
    }

    /// The acceleration of a row.
    fn acceleration(&self, row: Option<usize>, motion: &[f64]) -> Inexact {
        let Some(row) = row else { return Inexact::default() };
        let level = self.terms.level[row];
        let size: f64 = self.terms.jacobian.row(row).map(|(j, g)| (g * motion[j]).abs()).sum();
        let value = self.along(ResponseRow::Constraint(row), motion) - level;
        Inexact { value, bound: ROUNDING * (size + level.abs()) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Flow, Stabilisation};
    use super::*;
    use crate::equations::{Contact, Mechanism};

    /// A bob is pulled along its rod beside a wall: the pull and the force of the rod cancel.
    #[test]
    fn an_acceleration_that_cancels_is_as_uncertain_as_what_cancels() {
        let system = Mechanism::new(["x", "y"])
            .forces(|_, _, f| (f[0], f[1]) = (6.0, -8.0))
            .joints(["rod"], |_, q, g| g[0] = q[0] * q[0] + q[1] * q[1] - 1.0)
            .contact(Contact::new("wall", |_, q| q[0] - 0.6))
            .system();
        let (mode, y) = (Mode::start(&system, 0), &[0.6, -0.8, 0.0, 0.0][..]);
        let mut flow = Flow::stabilised(&system, mode.clone(), Stabilisation::Twice);
        let point = TouchPoint { t: 0.0, y, before: y, mode_before: &mode, delta: &[0.0; 4] };
        let touching = flow.contacts().touching(point, (&[0], &[Status::Open]), &[]).expect("it can move");
        let free = touching.relations.free[0];
        assert!(
            free.value.abs() < 1e-14 && free.bound > 8.0 * f64::EPSILON && free.bound < 1e-11,
            "{free:?}"
        );
    }
}
