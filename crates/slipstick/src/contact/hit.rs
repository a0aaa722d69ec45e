//! What the log keeps of an impact.

use crate::model::ImpactLaw;

/// All that hit at one instant: the contacts with an impulse were one problem.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Impact {
    /// The law that the velocities follow from.
    pub law: ImpactLaw,
    /// How many passes it took; zero where it is no hit, but takes off what is left of hits that accumulate.
    pub passes: usize,
    /// The contacts with an impulse, in the order in which they are declared.
    pub hits: Vec<Hit>,
    /// The impulses that events have given, in the order of these.
    pub given: Vec<GivenImpulse>,
    /// The impulses of the joints that held, by constraint, with the sign of their multipliers.
    pub joints: Vec<(usize, f64)>,
    /// By how much the energy has grown, where surfaces do not move: `½ Σ p (U⁻ + U⁺)`.
    pub energy: f64,
}

impl Impact {
    /// Adds what follows at the same instant.
    pub fn append(&mut self, other: Self) {
        self.passes += other.passes;
        self.hits.extend(other.hits);
        self.given.extend(other.given);
        self.energy += other.energy;
        for (joint, impulse) in other.joints {
            match self.joints.iter_mut().find(|(own, _)| *own == joint) {
                Some((_, own)) => *own += impulse,
                None => self.joints.push((joint, impulse)),
            }
        }
    }

    /// The contacts that were hit: what takes off the rest of hits that accumulate may pull.
    pub fn pushes(&self) -> impl Iterator<Item = &Hit> {
        self.hits.iter().filter(|hit| self.is_hit() && hit.impulse.0 > 0.0)
    }

    /// Whether there are impulses, in contacts or by events.
    pub fn has_impulses(&self) -> bool {
        !(self.hits.is_empty() && self.given.is_empty())
    }

    /// Whether contacts were hit, and did not only come to rest.
    pub fn is_hit(&self) -> bool {
        self.passes > 0
    }
}

/// An impulse that an event has given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GivenImpulse {
    /// The guard of the event.
    pub guard: usize,
    /// The velocity that it acts along, before and after.
    pub velocity: (f64, f64),
    /// The impulse.
    pub impulse: f64,
}

/// An impulse in a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Which contact.
    pub contact: usize,
    /// The velocities of its gap before and after.
    pub gap: (f64, f64),
    /// Its slip velocities before and after; zero without friction.
    pub slip: (f64, f64),
    /// The impulses along its normal and its tangent.
    pub impulse: (f64, f64),
}
