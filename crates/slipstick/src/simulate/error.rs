//! Why a run could not be made, with the numbers and the cure.

use crate::contact::{Jam, Unsolved};
use crate::equations::BadContact;
use thiserror::Error;

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Error {
    /// A time is not finite.
    #[error("the {which} time is {value}, not a finite number")]
    TimeNotFinite {
        /// Which time.
        which: &'static str,
        /// NaN or an infinity.
        value: f64,
    },
    /// The end is not after the start.
    #[error("the end time {until} is not after the start time {start}")]
    EndBeforeStart {
        /// The start time.
        start: f64,
        /// The end time.
        until: f64,
    },
    /// The start state has the wrong length.
    #[error("the start has {got} values, the system has {expected} states")]
    StateLength {
        /// How many states there are.
        expected: usize,
        /// How many values were given.
        got: usize,
    },
    /// A list of values has the wrong length.
    #[error("the run was given {got} {what}, the system has {expected}")]
    ListLength {
        /// What the values are of.
        what: &'static str,
        /// How many there are.
        expected: usize,
        /// How many values were given.
        got: usize,
    },
    /// The system holds for other parameters.
    #[error(
        "the system was compiled for other parameters: with these, the times of its events are not as it expects"
    )]
    OtherParameters,
    /// There is no mode of that index.
    #[error("the start mode has index {got}, the system has {count} modes")]
    NoSuchMode {
        /// The index that was asked for.
        got: usize,
        /// How many modes there are.
        count: usize,
    },
    /// A start value is not finite.
    #[error("the start value of `{name}` is {value}")]
    StartNotFinite {
        /// The state.
        name: String,
        /// NaN or an infinity.
        value: f64,
    },
    /// A tolerance cannot be met by any step.
    #[error("the {which} tolerance is {value:e}: {reason}")]
    BadTolerance {
        /// Which tolerance.
        which: &'static str,
        /// Its value.
        value: f64,
        /// Why it is refused.
        reason: &'static str,
    },
    /// There are not as many tolerances as states.
    #[error("there are {got} {which} tolerances for {expected} states")]
    ToleranceLength {
        /// Which tolerance.
        which: &'static str,
        /// How many states there are.
        expected: usize,
        /// How many tolerances were given.
        got: usize,
    },
    /// A number of sliding-mode control is not positive, or missing.
    #[error(
        "`{which}` of sliding-mode control is {value} for the constraint `{constraint}`: it must be a positive number"
    )]
    BadReach {
        /// Which number.
        which: &'static str,
        /// The constraint.
        constraint: String,
        /// Its value; NaN if there is none.
        value: f64,
    },
    /// A number of the terms that pull back to the constraints would not do so.
    #[error("`{which}` of the stabilisation is {value}: it must be zero or a positive number")]
    BadTerm {
        /// Which number.
        which: &'static str,
        /// Its value.
        value: f64,
    },
    /// What is pinned is no coordinate.
    #[error("coordinate {got} is pinned, and there are {count}, counted from zero")]
    BadPin {
        /// Its index.
        got: usize,
        /// How many there are.
        count: usize,
    },
    /// The two halves of a mass matrix differ.
    #[error("the mass matrix is not symmetric: {} in row `{row}` and column `{column}`, and {} in row `{column}` and column `{row}` (t = {t})", .given.0, .given.1)]
    UnevenMass {
        /// The speed of the row.
        row: String,
        /// The speed of the column.
        column: String,
        /// The entry, and that of the other half.
        given: (f64, f64),
        /// The time.
        t: f64,
    },
    /// The spectral radius of a generalized-α method is no part of one.
    #[error("`rho_infinity` is {value}: it must be a number from 0 to 1")]
    BadRho {
        /// Its value.
        value: f64,
    },
    /// The safety factor of the step size is no part of one.
    #[error("`safety` is {value}: it must be a number between 0 and 1")]
    BadSafety {
        /// Its value.
        value: f64,
    },
    /// An option about how steps are chosen, where all have the same size.
    #[error("`{which}` means nothing beside `fixed_step`: every step has that size, and none is rejected")]
    BesideFixedStep {
        /// The option.
        which: &'static str,
    },
    /// A clock would never strike, strike without end, or at times that doubles cannot tell apart.
    #[error("the period of `{name}` is {value:?}: {reason}")]
    BadPeriod {
        /// The guard.
        name: String,
        /// The period.
        value: f64,
        /// Why it is refused.
        reason: &'static str,
    },
    /// A step size is not a positive number.
    #[error("the {which} step is {value}, not a positive number")]
    BadStep {
        /// Which step size.
        which: &'static str,
        /// Its value.
        value: f64,
    },
    /// A derivative is not finite, however small the step.
    #[error("the derivative of `{name}` is {value} at t = {t} ({state})")]
    DerivativeNotFinite {
        /// The state whose derivative it is.
        name: String,
        /// NaN or an infinity.
        value: f64,
        /// The time.
        t: f64,
        /// The last good state, in words.
        state: String,
    },
    /// A state is not finite, however small the step.
    #[error("`{name}` grows to {value} at t = {t} ({state})")]
    StateNotFinite {
        /// The state.
        name: String,
        /// NaN or an infinity.
        value: f64,
        /// The time.
        t: f64,
        /// The last good state, in words.
        state: String,
    },
    /// A guard is not finite.
    #[error("the guard of `{name}` is {value} at t = {t}")]
    GuardNotFinite {
        /// The guard.
        name: String,
        /// NaN or an infinity.
        value: f64,
        /// The time.
        t: f64,
    },
    /// Events cause each other for ever.
    #[error("{count} events at t = {t} without a step between them, each caused by the one before: {cycle}")]
    EventCycle {
        /// The time.
        t: f64,
        /// How many there were.
        count: usize,
        /// The last of them, in order.
        cycle: String,
    },
    /// What holds of every run does not hold: the solver is wrong.
    #[error("an invariant of every run does not hold at t = {t}: {what}")]
    InvariantBroken {
        /// The time.
        t: f64,
        /// Which one, with names and numbers.
        what: String,
    },
    /// Two events set one thing to different values at one instant.
    #[error("events `{}` and `{}` happen together at t = {t} and set `{target}` to {} and {}", .guards.0, .guards.1, .values.0, .values.1)]
    ConflictingResets {
        /// The events.
        guards: (String, String),
        /// The state or discrete variable.
        target: String,
        /// What each sets it to.
        values: (f64, f64),
        /// The time.
        t: f64,
    },
    /// Two events go to different modes at one instant.
    #[error("events `{}` and `{}` happen together at t = {t} and go to the modes `{}` and `{}`", .guards.0, .guards.1, .modes.0, .modes.1)]
    ConflictingModes {
        /// The events.
        guards: (String, String),
        /// The modes.
        modes: (String, String),
        /// The time.
        t: f64,
    },
    /// No choice of sides of switching surfaces is kept by the motion that it makes.
    #[error(
        "at t = {t} the motion is at the switching surface of {names}, and no choice of sides is consistent"
    )]
    NoConsistentSwitches {
        /// The time.
        t: f64,
        /// The switches.
        names: String,
    },
    /// A reset gives a value that is not finite.
    #[error("event `{guard}` resets `{name}` to {value} at t = {t}")]
    ResetNotFinite {
        /// The guard that fired.
        guard: String,
        /// The state.
        name: String,
        /// NaN or an infinity.
        value: f64,
        /// The time.
        t: f64,
    },
    /// A contact overlaps at the start, or after a reset.
    #[error(
        "contact `{contact}` overlaps at t = {t}: its gap is {gap:.3e}, and at most -{allowed:.1e} can be closed"
    )]
    ContactPenetrates {
        /// The contact.
        contact: String,
        /// Its gap.
        gap: f64,
        /// How far below zero it may be.
        allowed: f64,
        /// The time.
        t: f64,
    },
    /// Contacts that touch at one instant cannot meet their laws.
    #[error("contact{} {contacts} at t = {t}: {}", if .contacts.contains(',') { "s" } else { "" }, .why.in_words())]
    ContactsUnsolved {
        /// The contacts.
        contacts: String,
        /// Why not.
        why: Unsolved,
        /// The time.
        t: f64,
    },
    /// The force in a contact that slides grows without bound.
    #[error(
        "contact `{contact}` slides with a friction of {friction}, which comes to its critical value at t = {t}: its force grows without bound (Painlevé)"
    )]
    Painleve {
        /// The contact.
        contact: String,
        /// Its friction while it slides.
        friction: f64,
        /// The time.
        t: f64,
    },
    /// A contact slides with more friction than its motion can have, and the run was asked to end there.
    #[error("contact `{contact}` slides at t = {t} with a friction of {}, above the critical {:.6}: {} (Painlevé)", .jam.friction, .jam.critical, if *.has_forces { "it may as well slide as lift" } else { "no forces are possible" })]
    PainleveMet {
        /// The contact.
        contact: String,
        /// Its friction, and the critical one.
        jam: Jam,
        /// Whether there are forces with which it slides.
        has_forces: bool,
        /// The time.
        t: f64,
    },
    /// An event gives an impulse that is not finite.
    #[error("event `{event}` gives an impulse of {value} at t = {t}")]
    ImpulseNotFinite {
        /// The event.
        event: String,
        /// NaN or an infinity.
        value: f64,
        /// The time.
        t: f64,
    },
    /// At one instant one event resets a speed and another gives an impulse.
    #[error("events `{}` and `{}` happen together at t = {t}: one resets `{target}`, and the other gives an impulse, which changes all speeds", .guards.0, .guards.1)]
    ResetWithImpulse {
        /// The event with the reset, and that with the impulse.
        guards: (String, String),
        /// The speed that is reset.
        target: String,
        /// The time.
        t: f64,
    },
    /// The restitution of a contact or of an event is out of its range.
    #[error("the restitution of {owner} is {value} at t = {t}")]
    RestitutionRange {
        /// Whose it is: a contact or an event, with its name.
        owner: String,
        /// The restitution.
        value: f64,
        /// The time.
        t: f64,
    },
    /// The friction of a contact is out of its range.
    #[error("contact `{contact}` has friction {} while it sticks and {} while it slides at t = {t}", .values.0, .values.1)]
    FrictionRange {
        /// The contact.
        contact: String,
        /// Friction while it sticks and while it slides.
        values: (f64, f64),
        /// The time.
        t: f64,
    },
    /// The constraints of a mechanism cannot be met.
    #[error("the constraints cannot be met together in {what} (t = {t}): {left}")]
    NotConsistent {
        /// Which state, in words.
        what: String,
        /// The time.
        t: f64,
        /// What is left of the constraints, in words.
        left: String,
        /// The constraints and the coordinates that it is about, by name.
        about: Vec<String>,
    },
    /// A joint is to close where its parts are not together.
    #[error("joint `{joint}` closes {apart:.3e} apart in {what} (t = {t})")]
    JointApart {
        /// The joint.
        joint: String,
        /// How far its parts are apart.
        apart: f64,
        /// What has closed it, in words.
        what: String,
        /// The time.
        t: f64,
    },
    /// Masses and constraints of a mechanism leave open how it moves.
    #[error("the masses do not determine the motion in {what} (t = {t}): {why}")]
    MotionNotDetermined {
        /// Which state, in words.
        what: String,
        /// The time.
        t: f64,
        /// What is wrong with them, in words.
        why: String,
    },
    /// An entry of a matrix of a mechanism is outside of it.
    #[error("the {matrix} has no entry {place:?}: it has {} rows and {} columns, counted from zero", .size.0, .size.1)]
    BadPlace {
        /// Which matrix.
        matrix: &'static str,
        /// Row and column.
        place: (usize, usize),
        /// How many rows and columns there are.
        size: (usize, usize),
    },
    /// The gradient of a joint, as it was given, is not that of the joint.
    #[error(
        "the gradient of the joint `{constraint}` is wrong: in some direction of the speeds it says {given:.6e}, the joint itself {found:.6e} (t = {t})"
    )]
    WrongGradient {
        /// The joint.
        constraint: String,
        /// What the gradient says.
        given: f64,
        /// What the joint says.
        found: f64,
        /// The time.
        t: f64,
    },
    /// A guard in closures fires after one that there is not.
    #[error("the event `{guard}` is to fire after an event that there is not")]
    NoLeader {
        /// The guard.
        guard: String,
    },
    /// A contact in closures cannot be what it says.
    #[error("{}", match .why {
        BadContact::Slip => format!("the slip of contact `{contact}` is not linear in the speeds"),
        BadContact::Law => format!("contact `{contact}` has friction, which its impact law does not take"),
    })]
    BadContact {
        /// The contact.
        contact: String,
        /// Why not.
        why: BadContact,
    },
    /// More switching surfaces meet than can be told apart.
    #[error(
        "{count} switching surfaces meet at t = {t} and depend on each other ({names}); what happens at more than {most} is not known"
    )]
    TooManySurfaces {
        /// The time.
        t: f64,
        /// How many meet.
        count: usize,
        /// Their names.
        names: String,
        /// How many may.
        most: usize,
    },
    /// A whole number is so large that the next one is not a double.
    #[error(
        "`{name}` has come to {value:e} at t = {t}, beyond 2^53 = 9.007e15, where not every whole number is a double"
    )]
    CountTooLarge {
        /// The formula that counts.
        name: String,
        /// Its whole number.
        value: f64,
        /// The time.
        t: f64,
    },
    /// Newton's iteration does not converge, however small the step, or with the step that was asked for.
    #[error("Newton's iteration does not converge at t = {t}{} a step of {h:.3e}", if *.fixed { " with" } else { ", even with" })]
    NoConvergence {
        /// The time.
        t: f64,
        /// The step size.
        h: f64,
        /// Whether steps are of one size.
        fixed: bool,
        /// Whether it is a mechanism with constraints.
        mechanism: bool,
    },
    /// A step of fixed size is so long that corrections cannot close the mechanism behind it.
    #[error(
        "the step of {h} from t = {t} leaves the constraint `{constraint}` off by {left:.3e}, and corrections do not bring it nearer"
    )]
    LeftOpen {
        /// The time at which the step begins.
        t: f64,
        /// The step size.
        h: f64,
        /// The constraint.
        constraint: String,
        /// What is left of it.
        left: f64,
    },
    /// The matrix of Newton's iteration is singular, however small the step.
    #[error(
        "the iteration matrix is singular at t = {t} with a step of {h:.3e}: nothing determines `{name}`"
    )]
    SingularMatrix {
        /// The state in whose column no pivot was found.
        name: String,
        /// The time.
        t: f64,
        /// The step size.
        h: f64,
    },
    /// The method cannot do what is asked of it.
    #[error("method `{method}` {reason}")]
    WrongMethod {
        /// The method.
        method: &'static str,
        /// The word in the section `run` of a model file that it is about.
        about: &'static str,
        /// What it cannot do.
        reason: &'static str,
        /// The cure.
        hint: &'static str,
    },
    /// The step had to become too small.
    #[error(
        "the step had to shrink to {h:.3e} at t = {t} and the error of `{name}` was still {error:.3} times what is allowed"
    )]
    StepTooSmall {
        /// The state with the largest error.
        name: String,
        /// The time.
        t: f64,
        /// The step size.
        h: f64,
        /// The scaled error.
        error: f64,
    },
}

/// What cannot be consistent if it is no single state.
pub(super) const IN_MOTION: &str = "the motion";

impl Error {
    /// A stable word that `slipstick explain` knows.
    pub fn code(&self) -> &'static str {
        match self {
            Self::TimeNotFinite { .. } => "bad-time",
            Self::EndBeforeStart { .. } => "end-before-start",
            Self::StateLength { .. } | Self::ListLength { .. } | Self::NoSuchMode { .. } => "bad-start",
            Self::OtherParameters => "other-parameters",
            Self::StartNotFinite { .. } => "start-not-finite",
            Self::BadTolerance { .. } | Self::ToleranceLength { .. } => "bad-tolerance",
            Self::BadReach { .. } => "bad-reach",
            Self::BadTerm { .. } => "bad-term",
            Self::BadPin { .. } => "bad-pin",
            Self::UnevenMass { .. } => "uneven-mass",
            Self::BadRho { .. } => "bad-rho",
            Self::BadSafety { .. } => "bad-safety",
            Self::BesideFixedStep { .. } => "beside-fixed-step",
            Self::BadPeriod { .. } => "bad-period",
            Self::BadStep { .. } => "bad-step",
            Self::DerivativeNotFinite { .. } => "derivative-not-finite",
            Self::StateNotFinite { .. } => "state-not-finite",
            Self::GuardNotFinite { .. } => "guard-not-finite",
            Self::EventCycle { .. } => "event-cycle",
            Self::InvariantBroken { .. } => "invariant-broken",
            Self::ConflictingResets { .. } => "conflicting-resets",
            Self::ConflictingModes { .. } => "conflicting-modes",
            Self::NoConsistentSwitches { .. } => "no-consistent-switches",
            Self::ResetNotFinite { .. } => "reset-not-finite",
            Self::NotConsistent { .. } | Self::JointApart { .. } => "not-consistent",
            Self::MotionNotDetermined { .. } => "motion-not-determined",
            Self::BadPlace { .. } => "bad-place",
            Self::WrongGradient { .. } => "wrong-gradient",
            Self::TooManySurfaces { .. } => "too-many-surfaces",
            Self::CountTooLarge { .. } => "count-too-large",
            Self::NoConvergence { .. } => "no-convergence",
            Self::LeftOpen { .. } => "left-open",
            Self::SingularMatrix { .. } => "singular-matrix",
            Self::WrongMethod { .. } => "wrong-method",
            Self::StepTooSmall { .. } => "step-too-small",
            Self::ContactPenetrates { .. }
            | Self::ContactsUnsolved { .. }
            | Self::Painleve { .. }
            | Self::PainleveMet { .. }
            | Self::ImpulseNotFinite { .. }
            | Self::ResetWithImpulse { .. }
            | Self::RestitutionRange { .. }
            | Self::FrictionRange { .. }
            | Self::NoLeader { .. }
            | Self::BadContact { .. } => self.code_of_contacts(),
        }
    }
}
