//! The audit of contacts: how far they went into each other, how far they pulled, and what became of the
//! energy.
//!
//! Gaps are looked at at the ends of steps, those of open contacts within steps too, because a contact that
//! was missed shows there. `start + surfaces + other = end + friction + impacts`: friction takes `-T u`, and
//! surfaces that move put in what the forces do along the motion that a contact has while all speeds are
//! zero.

use super::energy::GAUSS;
use super::{EnergyBalance, Event, EventKind, Segment, Trajectory};
use crate::contact::{Hit, Status};
use crate::equations::{
    ContactGap, ContactShape, Evaluator, LAW_NUMBERS, LawsWanted, Observer, System, UncertainPoint,
};
use crate::formulation::Mixture;
use crate::mode::Mode;

/// The worst of a contact: what should not be negative, or should be zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactResidual {
    /// Which contact.
    pub contact: usize,
    /// By how much it was wrong.
    pub value: f64,
    /// The largest size of the same quantity, or of its terms, in that contact during the run.
    pub size: f64,
    /// When it was worst.
    pub t: f64,
}

impl ContactResidual {
    /// By how much it was wrong, as a part of its size.
    pub fn relative(&self) -> f64 {
        if self.value == 0.0 { 0.0 } else { self.value / self.size }
    }
}

/// What contacts have done to the energy.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactEnergy {
    /// The work that friction took while contacts slid.
    pub friction: f64,
    /// The energy lost in impacts.
    pub impacts: f64,
    /// The work of surfaces that move.
    pub surfaces: f64,
    /// The work of all else: applied forces, moving constraints, resets.
    pub other: f64,
    /// How far the energy at the end is from what these say.
    pub error: f64,
}

/// How well contacts have kept their laws.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactAudit {
    /// The largest penetration, relative to the terms of its gap: how far the gap of an open contact was
    /// below zero, or that of a closed one from it.
    pub penetration: ContactResidual,
    /// The largest pull of a closed contact, relative to its normal forces: these should not be negative.
    pub pull: ContactResidual,
    /// What became of the energy; none where the steps were not kept.
    pub energy: Option<ContactEnergy>,
}

impl ContactAudit {
    /// Looks along a run; none if the system has no contacts. `energy` is the balance of the same run.
    pub fn of(system: &dyn System, trajectory: &Trajectory, energy: Option<&EnergyBalance>) -> Option<Self> {
        let first =
            trajectory.segments.first().filter(|_| system.contacts().iter().any(|of| of.gap.is_some()))?;
        let mut look = ContactLook::new(system, trajectory, first);
        trajectory.segments.iter().for_each(|segment| look.along(segment));
        let modes = trajectory.segments.iter().map(|segment| &segment.mode);
        for (event, mode) in trajectory.events.iter().zip(modes) {
            look.at_event(event, mode);
        }
        let energy = energy.map(|balance| look.energy(balance, trajectory));
        let ContactLook { gaps, forces, .. } = look;
        Some(Self { penetration: worst(&gaps)?, pull: worst(&forces)?, energy })
    }
}

/// That of the contact in which it is largest for its size.
fn worst(of: &[ContactResidual]) -> Option<ContactResidual> {
    of.iter().copied().reduce(|a, b| if b.relative() > a.relative() { b } else { a })
}

/// The scratch to look at contacts with, and what was found so far.
struct ContactLook<'a> {
    system: &'a dyn System,
    evaluator: Box<dyn Evaluator + 'a>,
    multipliers: Mixture<'a>,
    parameters: &'a [f64],
    /// The mode with all contacts sticking: then each of their rows says something.
    sticking: Mode,
    scratch: Scratch,
    gaps: Vec<ContactResidual>,
    forces: Vec<ContactResidual>,
    sums: ContactEnergy,
    /// The work of surfaces in impacts.
    in_impacts: f64,
}

/// Values by constraint, state or law.
#[derive(Default)]
struct Scratch {
    state: Vec<f64>,
    sizes: Vec<f64>,
    multipliers: Vec<f64>,
    laws: Vec<f64>,
    position: Vec<f64>,
    /// Velocities of gaps and slips, and what they are while all speeds are zero.
    velocity: [Vec<f64>; 2],
}

impl<'a> ContactLook<'a> {
    fn new(system: &'a dyn System, trajectory: &'a Trajectory, first: &Segment) -> Self {
        let (layout, constraints) = (system.layout(), system.constraints());
        let none = |contact| ContactResidual { contact, value: 0.0, size: 0.0, t: first.start_time };
        let residuals: Vec<ContactResidual> = (0..system.contacts().len()).map(none).collect();
        let scratch = Scratch {
            state: vec![0.0; layout.dimension()],
            sizes: vec![0.0; layout.dimension()],
            multipliers: vec![0.0; constraints.len() + layout.v],
            laws: vec![0.0; LAW_NUMBERS * system.contacts().len()],
            position: vec![0.0; constraints.iter().filter(|c| c.holonomic).count()],
            velocity: [(); 2].map(|()| vec![0.0; constraints.len()]),
        };
        let multipliers = Mixture::new(system, Observer::of_forces(layout.v));
        Self {
            system,
            evaluator: system.evaluator(),
            multipliers: multipliers.with_parameters(&trajectory.parameters),
            parameters: &trajectory.parameters,
            sticking: first.mode.clone(),
            scratch,
            gaps: residuals.clone(),
            forces: residuals,
            sums: ContactEnergy::default(),
            in_impacts: 0.0,
        }
    }

    fn along(&mut self, segment: &Segment) {
        self.multipliers.enter_form(&segment.mode, segment.start_time, &segment.start);
        self.look(&segment.mode, segment.start_time, &segment.start, true);
        let mut state = std::mem::take(&mut self.scratch.state);
        for (i, step) in segment.steps().iter().enumerate() {
            let until = segment.steps().get(i + 1).map_or(segment.end_time, |next| next.t);
            for (node, weight) in GAUSS {
                let t = step.t + node * (until - step.t);
                segment.state_into(t, &mut state);
                self.look(&segment.mode, t, &state, false);
                self.add_power(&segment.mode, t, &state, weight * (until - step.t));
            }
            segment.state_into(until, &mut state);
            self.look(&segment.mode, until, &state, true);
        }
        self.scratch.state = state;
        self.look(&segment.mode, segment.end_time, &segment.end, true);
    }

    /// Gaps and normal forces at a point; between the ends of steps, gaps of closed contacts are not looked
    /// at.
    fn look(&mut self, mode: &Mode, t: f64, y: &[f64], is_end: bool) {
        let Scratch { sizes, multipliers, .. } = &mut self.scratch;
        sizes.iter_mut().zip(y).for_each(|(size, y)| *size = f64::EPSILON * y.abs());
        self.multipliers.observe(mode, t, y, multipliers);
        for (k, contact) in self.system.contacts().iter().enumerate() {
            let Some(ContactGap { normal, hit }) = contact.gap else { continue };
            let is_closed = mode.status(contact).is_closed();
            // Rounding of all its terms shows how large they are.
            let point = UncertainPoint { t, y, delta: sizes };
            let gap = self.evaluator.guard_banded(mode.locked(self.parameters), hit, point);
            if is_end || !is_closed {
                let depth = if is_closed { gap.value.abs() } else { 0.0 - gap.value };
                raise(&mut self.gaps[k], (depth, gap.bound / f64::EPSILON), t);
            }
            if is_closed {
                let pull = multipliers[normal];
                raise(&mut self.forces[k], (pull, pull.abs()), t);
            }
        }
    }

    /// The work of closed contacts at a point, for a width of time.
    fn add_power(&mut self, mode: &Mode, t: f64, y: &[f64], width: f64) {
        self.velocities(mode, t, y);
        if let Some(mechanism) = self.evaluator.mechanism() {
            let at = (mode.locked(self.parameters), t, y);
            mechanism.laws(at, LawsWanted::Contacts, &mut self.scratch.laws);
        }
        for (k, contact) in self.system.contacts().iter().enumerate() {
            let Scratch { multipliers, laws, velocity, .. } = &self.scratch;
            let status = mode.status(contact);
            if !status.is_closed() {
                continue;
            }
            let normal = contact.pressing(laws[LAW_NUMBERS * k], multipliers);
            let tangent = match (status, contact.tangent) {
                (Status::Slides(direction), _) => -laws[LAW_NUMBERS * k + 2] * direction * normal,
                (Status::Sticks, Some(tangent)) => -multipliers[tangent],
                _ => 0.0,
            };
            if let (Status::Slides(_), Some(slip)) = (status, contact.tangent) {
                self.sums.friction -= tangent * velocity[0][slip] * width;
            }
            self.sums.surfaces += self.surface_work(contact, (normal, tangent)) * width;
        }
    }

    /// What forces or impulses of a contact do along the motion of its surface.
    fn surface_work(&self, contact: &ContactShape, (normal, tangent): (f64, f64)) -> f64 {
        let still = &self.scratch.velocity[1];
        let of_gap = contact.normal().map_or(0.0, |row| normal * still[row]);
        0.0 - of_gap - tangent * contact.tangent.map_or(0.0, |slip| still[slip])
    }

    /// Velocities of gaps and slips, as they are and with all speeds zero.
    fn velocities(&mut self, mode: &Mode, t: f64, y: &[f64]) {
        self.sticking.clone_from(mode);
        for contact in self.system.contacts() {
            self.sticking.set_status(contact, Status::Sticks);
        }
        let layout = self.system.layout();
        let Scratch { sizes: still, position, velocity: [moving, resting], .. } = &mut self.scratch;
        still.copy_from_slice(y);
        still[layout.q..layout.q + layout.v].fill(0.0);
        let locked = self.sticking.locked(self.parameters);
        self.evaluator.residuals(locked, t, y, position, moving);
        self.evaluator.residuals(locked, t, still, position, resting);
    }

    /// What impacts have lost, and what moving surfaces have put in.
    fn at_event(&mut self, event: &Event, mode: &Mode) {
        let hits: Vec<Hit> = event.impacts().flat_map(|impact| impact.hits.iter().copied()).collect();
        // Captured hits are not logged one by one, but what they have lost is.
        self.sums.impacts += event.energy_lost();
        if hits.is_empty() {
            return;
        }
        self.velocities(mode, event.t, &event.before);
        for hit in hits {
            self.in_impacts += self.surface_work(&self.system.contacts()[hit.contact], hit.impulse);
        }
    }

    /// The balance: what contacts have not done is the work of others, as is what resets have changed.
    fn energy(&self, balance: &EnergyBalance, trajectory: &Trajectory) -> ContactEnergy {
        let ContactEnergy { friction, impacts, surfaces, .. } = self.sums;
        let resets =
            |event: &Event| event.kinds.iter().any(|k| matches!(k, EventKind::Reset | EventKind::Mode));
        let by_resets = if trajectory.events.iter().any(resets) {
            balance.at_events + impacts - self.in_impacts
        } else {
            0.0
        };
        let other = balance.work_in - balance.dissipated + friction - surfaces + by_resets;
        let surfaces = surfaces + self.in_impacts;
        let expected = balance.start.total() + surfaces + other - friction - impacts;
        ContactEnergy { friction, impacts, surfaces, other, error: balance.end.total() - expected }
    }
}

/// Keeps the worst. What is not a number is the worst of all.
fn raise(worst: &mut ContactResidual, (value, size): (f64, f64), t: f64) {
    worst.size = worst.size.max(size);
    if value > worst.value || value.is_nan() && !worst.value.is_nan() {
        (worst.value, worst.t) = (value, t);
    }
}
