//! Contacts written as Rust closures: a gap, a slip with friction, restitution and an impact law, as in model files.
//!
//! ```
//! use slipstick::equations::{Contact, Mechanism, System};
//! let block = Mechanism::new(["x", "y"])
//!     .forces(|_t, _y, f| f[1] = -9.81)
//!     .contact(
//!         Contact::new("belt", |_t, q| q[1]).restitution(0.5).friction(|_t, _q, v| v[0] - 0.3, 0.6, 0.4),
//!     )
//!     .system();
//! # assert_eq!(block.shape().mechanism.contacts.len(), 1);
//! ```

use super::closure_guard::{ClosureGuard, ClosureRest, ClosureSurface};
use super::closure_mechanism::{OfState, differ};
use super::{ContactGap, ContactGuard, ContactShape, Direction, EntryRule, Guard, GuardKind, Locked};
use crate::math::Jet;
use crate::model::{ContactChange, ImpactLaw, contact_name};

/// The distance of two sides.
type Gap = Box<dyn Fn(Jet, &[Jet]) -> Jet + Send + Sync>;
/// The velocity of two sides along each other.
type Slip = Box<dyn Fn(Jet, &[Jet], &[Jet]) -> Jet + Send + Sync>;
type Number = Box<dyn Fn(Locked<'_>, f64, &[f64]) -> f64 + Send + Sync>;

/// A number of a contact's law: a constant, or a function of all that is locked, time and state.
pub struct Coefficient(Value);

enum Value {
    Constant(f64),
    Function(Number),
}

impl From<f64> for Coefficient {
    fn from(value: f64) -> Self {
        Self(Value::Constant(value))
    }
}

impl Coefficient {
    /// A function `(locked, t, y)`. It is smooth while everything discrete stays as it is: where it jumps it looks
    /// at a mode, a discrete variable or the sign of a switch.
    pub fn of(function: impl Fn(Locked<'_>, f64, &[f64]) -> f64 + Send + Sync + 'static) -> Self {
        Self(Value::Function(Box::new(function)))
    }

    pub(super) fn at(&self, locked: Locked<'_>, t: f64, y: &[f64]) -> f64 {
        match &self.0 {
            Value::Constant(value) => *value,
            Value::Function(function) => function(locked, t, y),
        }
    }
}

/// A row of a gradient whose entries a closure fills in.
pub(super) struct GradientRow {
    pub(super) speeds: Vec<usize>,
    pub(super) fill: OfState,
}

impl GradientRow {
    fn new(speeds: &[usize], fill: impl Fn(f64, &[f64], &mut [f64]) + Send + Sync + 'static) -> Self {
        let mut speeds = speeds.to_vec();
        speeds.sort_unstable();
        speeds.dedup();
        Self { speeds, fill: Box::new(fill) }
    }
}

/// Friction, and the slip that it acts along.
pub(super) struct Friction {
    pub(super) slip: Slip,
    pub(super) row: Option<GradientRow>,
    pub(super) sticking: Coefficient,
    pub(super) sliding: Coefficient,
}

/// A contact given by closures: two things that touch or not, and what happens when they do.
pub struct Contact {
    pub(super) name: String,
    pub(super) gap: Gap,
    /// Whether the derivatives of the gap come from differences.
    pub(super) by_differences: bool,
    pub(super) row: Option<GradientRow>,
    pub(super) restitution: Coefficient,
    pub(super) friction: Option<Friction>,
    law: ImpactLaw,
    growth: f64,
    /// Its state among the discrete variables.
    pub(super) state: usize,
}

impl Contact {
    /// With a gap `g(t, q)`, the distance of the two sides, computed with jets. It gives nothing back and has no
    /// friction unless more is said.
    pub fn new(name: &str, gap: impl Fn(Jet, &[Jet]) -> Jet + Send + Sync + 'static) -> Self {
        Self {
            name: name.to_owned(),
            gap: Box::new(gap),
            by_differences: false,
            row: None,
            restitution: Coefficient::from(0.0),
            friction: None,
            law: ImpactLaw::default(),
            growth: f64::INFINITY,
            state: 0,
        }
    }

    /// With a gap that is not computed with jets: its rates come from differences, good to nine digits, its gradient
    /// to twelve.
    pub fn by_differences(name: &str, gap: impl Fn(f64, &[f64]) -> f64 + Send + Sync + 'static) -> Self {
        let field = move |t: f64, q: &[f64], out: &mut [f64]| out[0] = gap(t, q);
        let jets = move |t: Jet, q: &[Jet]| {
            let mut out = [Jet::default()];
            differ(&field, t, q, &mut out);
            out[0]
        };
        Self { by_differences: true, ..Self::new(name, jets) }
    }

    /// Which part of the approach velocity is given back, from 0 to 1.
    #[must_use]
    pub fn restitution(mut self, restitution: impl Into<Coefficient>) -> Self {
        self.restitution = restitution.into();
        self
    }

    /// Coulomb friction along a slip `u(t, q, v)`, the velocity of the two sides along each other: linear in the
    /// speeds, computed with jets. The coefficients are those while the contact sticks and while it slides.
    #[must_use]
    pub fn friction(
        mut self,
        slip: impl Fn(Jet, &[Jet], &[Jet]) -> Jet + Send + Sync + 'static,
        sticking: impl Into<Coefficient>,
        sliding: impl Into<Coefficient>,
    ) -> Self {
        let (sticking, sliding) = (sticking.into(), sliding.into());
        self.friction = Some(Friction { slip: Box::new(slip), row: None, sticking, sliding });
        self
    }

    /// The impact law.
    #[must_use]
    pub fn law(mut self, law: ImpactLaw) -> Self {
        self.law = law;
        self
    }

    /// The gradient of the gap by the speeds, `∂g/∂q T`: its entries are those of the given speeds, ascending, and
    /// the closure fills in their values: `(t, q, values)`. Large mechanisms need it.
    #[must_use]
    pub fn gradient(
        mut self,
        speeds: &[usize],
        gradient: impl Fn(f64, &[f64], &mut [f64]) + Send + Sync + 'static,
    ) -> Self {
        self.row = Some(GradientRow::new(speeds, gradient));
        self
    }

    /// The same of the slip, `∂u/∂v`. It is for a contact with friction.
    #[must_use]
    pub fn slip_gradient(
        mut self,
        speeds: &[usize],
        gradient: impl Fn(f64, &[f64], &mut [f64]) + Send + Sync + 'static,
    ) -> Self {
        if let Some(friction) = &mut self.friction {
            friction.row = Some(GradientRow::new(speeds, gradient));
        }
        self
    }

    /// Declares that the gap changes by at most `bound` when time and all states change by at most one, as
    /// [`ClosureGuard::growth`]: far from its other side the contact then costs next to nothing.
    #[must_use]
    pub fn growth(mut self, bound: f64) -> Self {
        // What is not a bound tells nothing.
        self.growth = if bound >= 0.0 { bound } else { f64::INFINITY };
        self
    }

    /// With its state at this place among the discrete variables.
    pub(super) fn with_state(self, state: usize) -> Self {
        Self { state, ..self }
    }

    /// What there is to know about it, with the constraints of its gap and of its slip.
    pub(super) fn shape(&self, normal: usize, tangent: Option<usize>, hit: usize) -> ContactShape {
        let gap = Some(ContactGap { normal, hit });
        ContactShape {
            name: self.name.clone(),
            gap,
            pressed_by: None,
            tangent,
            state: self.state,
            law: self.law,
        }
    }

    /// Whether its impact law is not defined with its friction.
    pub(super) fn has_wrong_law(&self) -> bool {
        self.friction.is_some() && !self.law.takes_friction()
    }

    /// The guard of what can happen to a contact; that of its hits comes to rest.
    pub(super) fn guard(&self, contact: usize, change: ContactChange, shape: &ContactShape) -> ClosureGuard {
        let multipliers = match change {
            ContactChange::Lift => shape.normal().into_iter().collect(),
            ContactChange::Slip => shape.tangent.into_iter().chain(shape.normal()).collect(),
            _ => Vec::new(),
        };
        let is_hit = change == ContactChange::Hit;
        let guard = Guard {
            side: change.side(),
            kind: if change.has_surface() { GuardKind::Surface } else { GuardKind::Follows },
            on_entry: if change.fires_on_entry() { EntryRule::Fires } else { EntryRule::Waits },
            multipliers,
            contact: Some(ContactGuard { contact, state: self.state, change }),
            ..Guard::new(contact_name(&self.name, change.word()), Direction::Falling)
        };
        ClosureGuard {
            guard,
            surface: ClosureSurface::OfContact(contact, change),
            growth: if is_hit { self.growth } else { f64::INFINITY },
            reset: None,
            rest: is_hit.then(|| ClosureRest::of_contact(&self.name)),
            leader: None,
        }
    }
}
