//! What to do about errors, where it takes more than a few words; and the run options that they are about.

use super::Error;
use super::error::IN_MOTION;
use crate::contact::Unsolved;
use crate::equations::BadContact;

impl Error {
    /// The cure.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::TimeNotFinite { .. } => "choose a finite number",
            Self::EndBeforeStart { .. } => "choose `until` later than the start",
            Self::StateLength { .. } => "give one start value for each state",
            Self::ListLength { .. } => "give one value for each",
            Self::OtherParameters => "compile the model with these parameters",
            Self::NoSuchMode { .. } => "choose one of the modes of the system",
            Self::StartNotFinite { .. } => START_NOT_FINITE,
            Self::BadTolerance { .. } => "tolerances between 1e-3 and 1e-12 are usual",
            Self::ToleranceLength { .. } => "give one tolerance for all states, or one for each",
            Self::BadSafety { .. } => "0.9 is usual; with less, fewer steps are rejected, but more are made",
            Self::BesideFixedStep { .. } => "leave one of both out",
            Self::BadRho { .. } => "0.8 damps what is much faster than the steps, 1 damps nothing",
            Self::BadReach { .. } => "give one positive number for all constraints, or one for each",
            Self::BadTerm { .. } => "20 for `rate`, 100 for `position` and 10 for `decay` are usual",
            Self::BadPin { .. } => "pin coordinates of a mechanism by their place among them",
            Self::UnevenMass { .. } => "give both halves of the matrix, with equal entries",
            Self::BadPeriod { .. } => BAD_PERIOD,
            Self::BadStep { .. } => "give a positive number, or leave it out",
            Self::DerivativeNotFinite { .. } => DERIVATIVE_NOT_FINITE,
            Self::StateNotFinite { .. } => GROWS_WITHOUT_BOUND,
            Self::GuardNotFinite { .. } => GUARD_NOT_FINITE,
            Self::EventCycle { .. } => EVENT_CYCLE,
            Self::InvariantBroken { .. } => INVARIANT_BROKEN,
            Self::ConflictingResets { .. } => CONFLICTING_RESETS,
            Self::ConflictingModes { .. } => "say which of them holds with `priority`",
            Self::NoConsistentSwitches { .. } => NO_CONSISTENT_SWITCHES,
            Self::ResetNotFinite { .. } => "look for a division by zero in the reset",
            Self::NotConsistent { what, .. } if what == IN_MOTION => NOT_CONSISTENT_IN_MOTION,
            Self::NotConsistent { .. } => NOT_CONSISTENT,
            Self::JointApart { .. } => JOINT_APART,
            Self::MotionNotDetermined { .. } => MOTION_NOT_DETERMINED,
            Self::BadPlace { .. } => BAD_PLACE,
            Self::WrongGradient { .. } => WRONG_GRADIENT,
            Self::TooManySurfaces { .. } => TOO_MANY_SURFACES,
            Self::CountTooLarge { .. } => COUNT_TOO_LARGE,
            Self::LeftOpen { .. } | Self::NoConvergence { fixed: true, .. } => SMALLER_FIXED_STEP,
            Self::NoConvergence { mechanism: true, .. } => NO_CONVERGENCE_OF_MECHANISM,
            Self::NoConvergence { .. } => NO_CONVERGENCE,
            Self::SingularMatrix { .. } => SINGULAR_MATRIX,
            Self::WrongMethod { hint, .. } => hint,
            Self::StepTooSmall { .. } => STEP_TOO_SMALL,
            of_contacts => of_contacts.hint_of_contacts(),
        }
    }

    /// The code of an error of contacts.
    pub(super) fn code_of_contacts(&self) -> &'static str {
        match self {
            Self::ContactPenetrates { .. } => "contact-penetrates",
            Self::ContactsUnsolved {
                why: Unsolved::Forces | Unsolved::Backwards | Unsolved::Undetermined,
                ..
            } => "contact-unsolved",
            Self::ContactsUnsolved { .. } => "impact-unsolved",
            Self::Painleve { .. } | Self::PainleveMet { has_forces: false, .. } => "painleve",
            Self::PainleveMet { .. } => "painleve-not-unique",
            Self::ImpulseNotFinite { .. } => "impulse-not-finite",
            Self::RestitutionRange { .. } => "restitution-range",
            Self::FrictionRange { .. } => "friction-range",
            Self::NoLeader { .. } => "unknown-name",
            Self::BadContact { why: BadContact::Slip, .. } => "slip-not-linear",
            Self::BadContact { why: BadContact::Law, .. } => "bad-contact",
            Self::ResetWithImpulse { .. } => "conflicting-resets",
            _ => "",
        }
    }

    /// The cure of an error of contacts.
    pub(super) fn hint_of_contacts(&self) -> &'static str {
        match self {
            Self::ContactPenetrates { .. } => CONTACT_PENETRATES,
            Self::ContactsUnsolved { why, .. } => why.cure(),
            Self::Painleve { .. } => PAINLEVE,
            Self::PainleveMet { .. } => PAINLEVE_MET,
            Self::ImpulseNotFinite { .. } => "look for a division by zero in the `size` of the impulse",
            Self::ResetWithImpulse { .. } => "write the reset as an impulse, too: they are one impact then",
            Self::RestitutionRange { .. } => "choose a restitution between 0 and 1",
            Self::FrictionRange { .. } => FRICTION_RANGE,
            Self::NoLeader { .. } => {
                "name a guard that was added before, or `contact.floor.hit` and the like"
            }
            Self::BadContact { why: BadContact::Slip, .. } => SLIP_NOT_LINEAR,
            Self::BadContact { why: BadContact::Law, .. } => LAW_WITHOUT_FRICTION,
            _ => "",
        }
    }

    /// The word in the section `run` of a model file that it is about, if it is about one.
    pub fn about(&self) -> Option<&'static str> {
        match self {
            Self::WrongMethod { about, .. } => Some(about),
            Self::BadRho { .. } => Some("rho_infinity"),
            Self::BadSafety { .. } => Some("safety"),
            Self::BesideFixedStep { which } => Some(which),
            Self::BadReach { .. } | Self::BadTerm { .. } => Some("stabilisation"),
            Self::BadPin { .. } => Some("pinned"),
            _ => None,
        }
    }
}

pub(super) const START_NOT_FINITE: &str =
    "look for a division by zero or a root of a negative number in the start value";

pub(super) const BAD_PERIOD: &str =
    "the time between two events is greater than zero; for a single time there is `at`";

pub(super) const DERIVATIVE_NOT_FINITE: &str = "look for a division by zero, or a root or logarithm of a negative number, in that formula, or for \
    a solution that grows without bound; an event may have to act before this state is reached";

pub(super) const GUARD_NOT_FINITE: &str =
    "look for a division by zero, or a root or logarithm of a negative number, in that guard";

pub(super) const EVENT_CYCLE: &str = "let the resets leave the guards on sides from which nothing fires, or let one of the events go to \
    another mode";

pub(super) const CONFLICTING_RESETS: &str =
    "say which of them holds with `priority`, or let one event do what both together should";

pub(super) const NO_CONSISTENT_SWITCHES: &str = "check the signs in the equations next to these surfaces, or describe what happens there as a mode \
    of its own";

pub(super) const JOINT_APART: &str =
    "bring its parts together before it closes, or let it keep what it finds: `at = \"here\"`";
pub(super) const NOT_CONSISTENT_IN_MOTION: &str =
    "check the lengths in these constraints and what moves them in time, or let the run end before";

pub(super) const NOT_CONSISTENT: &str = "choose start values nearer to a closed mechanism, pin fewer coordinates, or check the lengths in \
    these constraints";

pub(super) const MOTION_NOT_DETERMINED: &str = "give each coordinate a mass in `kinetic` or `inertia`, or a constraint that holds it; or begin \
    where the constraints have a gradient";

pub(super) const BAD_PLACE: &str =
    "a row of the gradient is a joint, its columns and those of the mass matrix are speeds";

pub(super) const WRONG_GRADIENT: &str = "check that row of the gradient, and that its places are in order of rows and then columns; or \
    leave the gradient out";

pub(super) const TOO_MANY_SURFACES: &str = "write each sign in a term of its own, as in `-a * sign(u) - b * sign(v)`: then there may be any \
    number; or let them meet one after the other";

pub(super) const COUNT_TOO_LARGE: &str = "such a formula has no steps that a double can show: leave `floor`, `round` or `mod` out of it, or \
    count in larger units";

pub(super) const NO_CONVERGENCE_OF_MECHANISM: &str = "the mechanism may be next to a singular position here, where a constraint fixes nothing, or forces \
    may be very steep; try another method, such as `hem5`, or other tolerances";

pub(super) const NO_CONVERGENCE: &str = "the right-hand side may jump here: give the jump a guard or a switch; or it may be very steep: try \
    another method";

pub(super) const SINGULAR_MATRIX: &str = "check that every algebraic equation determines its state (index 1), and that the mass matrix has \
    the rows you mean";

pub(super) const STEP_TOO_SMALL: &str = "the solution may blow up here, or jump without an event: give the jump a guard or a switch, or \
    loosen the tolerances";

pub(super) const GROWS_WITHOUT_BOUND: &str =
    "the solution grows without bound: let an event act before, end the run earlier, or choose larger units";

pub(super) const SMALLER_FIXED_STEP: &str =
    "choose a smaller `fixed_step`, or leave it out: steps are then as short as the tolerances ask for";

pub(super) const INVARIANT_BROKEN: &str = "this is a defect of Slipstick and not of the model: report it with the model; \
    until then another `method` or a `longest_step` may avoid it";
pub(super) const SLIP_NOT_LINEAR: &str =
    "a slip is the velocity of the two sides along each other: `|_t, _q, v| v[0] - 0.3`";
pub(super) const LAW_WITHOUT_FRICTION: &str =
    "use `ImpactLaw::Moreau` or `ImpactLaw::Smith`, or leave the friction out";
pub(super) const CONTACT_PENETRATES: &str = "choose start values, values of resets, and conditions in the formula of the gap that leave it at zero or more; use a smaller `rtol` if the contact has just lifted";
pub(super) const PAINLEVE: &str =
    "lower `friction`, or make the contact compliant with a spring and a damper";
pub(super) const PAINLEVE_MET: &str =
    "lower `friction`, or go on with a warning: `painleve = \"continue\"` in `[run]`";
pub(super) const FRICTION_RANGE: &str =
    "choose numbers from 0 on, and `static` at least as large as `sliding`";
