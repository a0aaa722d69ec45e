//! The literature's test problems, each once, with its truth and its source.
//!
//! Tests, benchmarks and `slipstick bench` all take them from here. A truth is a closed form or the digits of
//! an oracle: extrapolation in 50 digits with two different orders and tolerances, started from the very
//! doubles that the problem is stated with.

mod candidates;
mod comparison;
mod constrained;
mod contact;
mod draw;
mod events;
mod fingerprint;
mod mass;
mod mechanisms;
mod metamorphic;
mod profile;
mod reference;
mod sliding;
mod smooth;
mod stiff;

pub use crate::step::Work;
pub use candidates::{Candidate, Setting, WorkAndError, contact_candidates, profile_at_error};
pub use comparison::{Case, Entrant, Entry};
pub use constrained::{
    ConstrainedProblem, Known, MeasuredMechanism, Promise, chain, chain_energy, constrained, formulation,
    measure_chain, mechanisms, quick_constrained,
};
pub use contact::{
    ContactMethod, ContactProblem, Happens, KnownQuantity, MeasuredContact, Place, contact_methods,
    contact_problems, dense_contact_problems, discs_in_a_box, more_contact_problems,
};
pub use events::{
    Against, Bounds, EventProblem, Events, Expected, Invariant, MarbleJar, Measured, Solver, events,
    hundred_balls, marble_jar, quick_events,
};
pub use fingerprint::{FingerprintRun, Fingerprinted, fingerprinted};
pub use mass::behind_mass_matrices;
pub use mechanisms::{
    Counts, MechanismProblem, Set, contact_mechanisms, mechanism_problems, planar_mechanisms,
    stiff_mechanisms,
};
pub use metamorphic::{
    Cause, Difference, DifferenceKind, DrawnModel, ErrorGrowth, FragileEvent, Judgement, Tried, Trust,
    Variant, Verification, model_kinds,
};
pub use profile::{Profile, work_for};
pub use reference::{End, NoReference, Reference};
pub use sliding::{MOST_MISSES, Paper, SlidingProblem, TOLERANCES, disode45, more_sliding, sliding};
pub use smooth::smooth;
pub use stiff::stiff;

use crate::equations::System;
use crate::math::distance;
use crate::simulate::{Options, Start};
use crate::step::Method;

/// A test problem with its truth.
pub struct Problem {
    /// The name in benchmark rows.
    pub name: &'static str,
    /// Where it comes from, and where its truth does.
    pub source: &'static str,
    /// The equations.
    pub system: Box<dyn System>,
    /// Where it begins.
    pub start: Start,
    /// When it ends.
    pub until: f64,
    /// The true state at the end.
    pub end: Vec<f64>,
    /// The sizes by which the components of the error at the end are divided; none if the components are of
    /// one size. Without it, a component of size 1e-13 could be all wrong beside one of size 1 and nobody
    /// would see it.
    pub scale: Option<Vec<f64>>,
    /// The absolute tolerance for a relative tolerance of one: small for problems in which small components
    /// matter.
    pub absolute: f64,
    /// How many times the tolerance the error at the end may be; see
    /// [`promised_error`](Self::promised_error). It is large for problems that magnify small errors.
    pub promise: f64,
    /// A quantity that stays constant, if there is one.
    pub invariant: Option<fn(&[f64]) -> f64>,
}

impl Problem {
    /// The error at the end that an adaptive method may have at a tolerance.
    pub fn promised_error(&self, method: Method, tolerance: f64) -> f64 {
        self.promise * allowance(method, tolerance) * tolerance
    }

    /// The distance of a state from the true end: the Euclidean norm, of each component divided by its
    /// [`scale`](Self::scale).
    pub fn error(&self, state: &[f64]) -> f64 {
        let Some(scale) = &self.scale else { return distance(state, &self.end) };
        let scaled = |y: &[f64]| y.iter().zip(scale).map(|(y, s)| y / s).collect::<Vec<_>>();
        distance(&scaled(state), &scaled(&self.end))
    }

    /// The options for a run of the whole problem at a tolerance.
    pub fn options(&self, tolerance: f64) -> Options {
        Options::until(self.until).tolerances(tolerance, self.absolute * tolerance)
    }
}

/// How many times larger than that of most methods the error of one may be.
///
/// The generalized-α methods, whose estimate is of the order p of the solution, make an error of `tolerance`
/// in a step of size tolerance^(1/(p+1)), so that per unit of time it is larger by the inverse of that;
/// Fehlberg's pairs make up for it by shorter steps. For Bogacki and Shampine's pair the multiple is larger
/// than for others: on y' = iy its error is h⁴/24 per step and its estimate h³/48.
pub fn allowance(method: Method, tolerance: f64) -> f64 {
    let facts = method.facts();
    if facts.mechanisms_only && facts.error_order == Some(facts.order) {
        tolerance.powf(-1.0 / f64::from(facts.order + 1))
    } else if method == Method::BogackiShampine3 {
        2.0
    } else {
        1.0
    }
}

/// The tolerances that an adaptive method is tried at: none for a method without an error estimate, no tight
/// ones for a method of order 2, which would need millions of steps.
pub fn tolerances_for(method: Method) -> &'static [f64] {
    const ALL: &[f64] = &[1e-4, 1e-6, 1e-8, 1e-10];
    match (method.facts().error_order, method.facts().order) {
        (None, _) => &[],
        (_, ..=2) => &ALL[..2],
        // An implicit method of order 4 would need more steps on the ring modulator than a run may have.
        (_, 4) if method.facts().implicit => &ALL[..2],
        _ => ALL,
    }
}

/// The name of the suite of problems with events, and what it is about; [`events`] gives its problems.
pub const EVENTS: (&str, &str) = (
    "events",
    "problems with events: balls, corner cases of guards, friction, circuits, an escapement, marbles",
);

/// The name of the suite of problems that slide, and what it is about; [`sliding()`] gives its problems.
pub const SLIDING: (&str, &str) = (
    "sliding",
    "motions along switching surfaces: the four problems of DISODE45 beside its tables, relays, stick and slip",
);

/// The name of the suite of mechanisms with constraints, and what it is about; [`constrained()`] gives its
/// problems.
pub const CONSTRAINED: (&str, &str) = (
    "constrained",
    "mechanisms whose joints stay shut: Andrews, a manipulator, pendulums, slider-cranks, rolling, car axis",
);

/// The name of the suite of mechanisms with contacts, and what it is about; [`contact_problems`] gives its
/// problems.
pub const CONTACT: (&str, &str) = (
    "contact",
    "what hits, rests, sticks, slips and lifts: balls, discs, blocks, rods, boxes, pendulums, a latch",
);

/// The name of the suite of mechanisms that integrators are compared on, and what it is about;
/// [`mechanism_problems`] gives its problems.
pub const MECHANISMS: (&str, &str) = (
    "mechanisms",
    "what integrators of mechanisms are compared on: linkages, presses, pantographs, trusses, pendulums, rotors",
);

/// The name of the suite of mechanisms with contacts that methods are compared on, and what it is about;
/// [`contact_mechanisms`] gives its problems.
pub const UNILATERAL: (&str, &str) = (
    "unilateral",
    "what methods are compared on with contacts: linkages and chains with stops, strings, floors and walls",
);

/// The name of the fingerprint, and what it is about; [`fingerprinted()`] gives its runs.
pub const FINGERPRINT: (&str, &str) = (
    "fingerprint",
    "results and work of all problems with all methods, to compare with what was recorded before a change",
);

/// The names of the suites that hold smooth problems.
pub const SUITES: &[(&str, &str)] = &[
    ("smooth", "smooth problems without events: harmonic oscillator, Arenstorf orbit, Pleiades, van der Pol"),
    ("stiff", "stiff problems for implicit methods: van der Pol, Robertson, ring modulator, pollution"),
];

/// The problems of a suite.
pub fn suite(name: &str) -> Option<Vec<Problem>> {
    match name {
        "smooth" => Some(smooth()),
        "stiff" => Some(stiff()),
        _ => None,
    }
}
