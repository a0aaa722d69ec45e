//! Contacts as numbers: how their velocities and accelerations depend on their impulses and forces.
//!
//! Each contact has two rows, its normal at `2 i` and its tangent at `2 i + 1`; the latter is zero without
//! friction. `W = G P Gᵀ` with `P` the response of the mechanism through its joints.

use crate::expr::Inexact;
use crate::model::ImpactLaw;

/// Rounding of a sum of a few terms, in units of the largest of them.
pub(super) const ROUNDING: f64 = 256.0 * f64::EPSILON;

/// The numbers of a contact's law.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct LawNumbers {
    /// Which part of the approach velocity is given back.
    pub restitution: f64,
    /// Friction while it sticks and while it slides; none without friction.
    pub friction: Option<(f64, f64)>,
    /// The impact law.
    pub law: ImpactLaw,
    /// The force that presses the two sides together, where it is given; negative where nothing does. They have no gap then, and their friction no
    /// impulse: in no time a force comes to nothing.
    pub given: Option<f64>,
}

impl LawNumbers {
    /// Whether friction is not negative, finite, and no smaller while it sticks than while it slides.
    pub fn has_friction_in_range(&self) -> bool {
        let (sticking, sliding) = self.friction.unwrap_or_default();
        sliding >= 0.0 && sticking >= sliding && sticking.is_finite()
    }
}

/// There is no solution, or it was not found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsolved {
    /// No impulses meet the laws of all contacts.
    Impact,
    /// Contacts that hit together have different impact laws.
    DifferentLaws,
    /// Several contacts with this law hit together, for which it is not defined.
    SeveralAtOnce,
    /// No forces meet the laws of all contacts.
    Forces,
    /// A contact slides against the direction that its friction has.
    Backwards,
    /// Contacts slide on each other's normal with different friction: how they share it decides the motion.
    Undetermined,
}

impl Unsolved {
    /// What is wrong.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Impact => "no impulses meet the laws of all that hit",
            Self::DifferentLaws => "they hit together and have different impact laws",
            Self::SeveralAtOnce => "they hit together, and the impact law `smith` is for one contact",
            Self::Forces => "no forces meet the laws of all that touch",
            Self::Backwards => "it slides against the direction that its friction was taken to have",
            Self::Undetermined => {
                "they slide with different friction, and how they share what presses on them decides the motion"
            }
        }
    }

    /// The cure.
    pub fn cure(self) -> &'static str {
        match self {
            Self::Impact => "look for surfaces that close in on a body from two sides",
            Self::DifferentLaws => "give them the same `law`",
            Self::SeveralAtOnce => "use `law = \"moreau\"` for contacts that can hit together",
            Self::Backwards | Self::Undetermined => {
                "forces of redundant contacts are not unique: leave out those that are not needed"
            }
            Self::Forces => {
                "with much friction a contact can jam: lower `friction`, or make the contact compliant"
            }
        }
    }
}

/// The contacts that are closed or about to be.
#[derive(Clone, Debug, Default)]
pub struct Relations {
    /// `W` by rows.
    pub response: Vec<f64>,
    /// Velocities of gaps and slips.
    pub velocity: Vec<Inexact>,
    /// Accelerations of gaps and slips without forces in contacts.
    pub free: Vec<Inexact>,
    /// The laws.
    pub laws: Vec<LawNumbers>,
}

impl Relations {
    /// How many contacts there are.
    pub fn count(&self) -> usize {
        self.laws.len()
    }

    /// Whether a contact has a gap, and impulses.
    pub fn has_gap(&self, contact: usize) -> bool {
        self.laws[contact].given.is_none()
    }

    /// An entry of `W`.
    pub fn w(&self, row: usize, column: usize) -> f64 {
        self.response[row * 2 * self.count() + column]
    }

    /// `start + W p`, with the rounding of its terms.
    pub fn after(&self, start: &[Inexact], p: &[f64]) -> Vec<Inexact> {
        let row = |(i, start): (usize, &Inexact)| {
            let terms = p.iter().enumerate().map(|(j, p)| self.w(i, j) * p);
            let (mut value, mut size) = (start.value, start.value.abs());
            for term in terms {
                value += term;
                size += term.abs();
            }
            Inexact { value, bound: start.bound + ROUNDING * size }
        };
        start.iter().enumerate().map(row).collect()
    }

    /// Whether the gap of a contact shrinks.
    pub fn approaches(&self, contact: usize) -> bool {
        let velocity = self.velocity[2 * contact];
        velocity.value < -velocity.bound
    }

    /// Whether the gap of a contact grows.
    pub fn separates(&self, contact: usize) -> bool {
        let velocity = self.velocity[2 * contact];
        velocity.value > velocity.bound
    }
}
