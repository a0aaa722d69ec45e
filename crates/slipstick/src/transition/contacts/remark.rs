//! What is worth a word of what happens to contacts, in words.

use crate::contact::Jam;

/// What is worth a word.
#[derive(Clone, Debug, PartialEq)]
pub enum ContactRemark {
    /// The impact of these contacts has more than one solution.
    ImpactNotUnique(Vec<usize>),
    /// The impact of these contacts did not come to an end, and restitution was given up.
    GaveUpRestitution(Vec<usize>),
    /// The impact of these contacts has raised the energy.
    GainsEnergy(Vec<usize>, f64),
    /// The forces of these contacts can be shared in more than one way, which decides when they slide or lift.
    ForcesNotUnique(Vec<usize>),
    /// The motion of these contacts goes on in more than one way.
    MotionNotUnique(Vec<usize>),
    /// This contact slid with more friction than its motion can have, and its slip was stopped by an impulse.
    Painleve(usize, Jam),
    /// With its friction this contact may as well slide as lift.
    PainleveNotUnique(usize, Jam),
}

impl ContactRemark {
    /// The code of the note.
    pub fn code(&self) -> &'static str {
        match self {
            Self::ImpactNotUnique(_) => "impact-not-unique",
            Self::GaveUpRestitution(_) => "restitution-given-up",
            Self::GainsEnergy(..) => "impact-gains-energy",
            Self::ForcesNotUnique(_) => "forces-not-unique",
            Self::MotionNotUnique(_) => "contact-not-unique",
            Self::Painleve(..) => "painleve",
            Self::PainleveNotUnique(..) => "painleve-not-unique",
        }
    }

    /// Whether it is about an impact, in which events with impulses may have had a part.
    pub fn is_of_impact(&self) -> bool {
        matches!(self, Self::ImpactNotUnique(_) | Self::GaveUpRestitution(_) | Self::GainsEnergy(..))
    }

    /// The contacts that it is about.
    pub fn contacts(&self) -> &[usize] {
        match self {
            Self::ImpactNotUnique(which)
            | Self::GaveUpRestitution(which)
            | Self::GainsEnergy(which, _)
            | Self::ForcesNotUnique(which)
            | Self::MotionNotUnique(which) => which,
            Self::Painleve(contact, _) | Self::PainleveNotUnique(contact, _) => std::slice::from_ref(contact),
        }
    }

    /// What there is to say, with the names of the contacts.
    pub fn in_words(&self, names: &str) -> String {
        match self {
            Self::ImpactNotUnique(_) => {
                format!(
                    "the hit of {names} has more than one outcome: that in which most contacts stick is taken"
                )
            }
            Self::GaveUpRestitution(_) => {
                format!("with its restitution the hit of {names} has no outcome: it gives nothing back")
            }
            Self::GainsEnergy(_, energy) => format!(
                "the hit of {names} gains an energy of {energy:.3e}: Newton's restitution with friction can; \
                 use `law = \"smith\"`"
            ),
            Self::ForcesNotUnique(_) => format!(
                "the forces of {names} can be shared in more than one way, and with friction that decides when they slide or \
                 lift: least squares are taken"
            ),
            Self::MotionNotUnique(_) => format!(
                "the motion of {names} can go on in more than one way: that with the fewest changes is taken"
            ),
            Self::Painleve(_, Jam { friction, critical }) => format!(
                "{names} slides with a friction of {friction}, above the critical {critical:.6}: no forces are possible \
                 (Painlevé), and an impulse stops its slip"
            ),
            Self::PainleveNotUnique(_, Jam { friction, critical }) => format!(
                "{names} slides with a friction of {friction}, above the critical {critical:.6}: it may as well slide as \
                 lift (Painlevé), and goes on with what it did"
            ),
        }
    }
}
