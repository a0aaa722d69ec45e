//! Model → System: the equations, guards and resets that a run is made of, ready to be evaluated.
//!
//! A [`System`] does not change during a run and can be shared between threads; each run asks it for an
//! [`Evaluator`], which owns the scratch. Discrete quantities (mode, switch signs) come in as [`Locked`]
//! values and stay fixed while a step is made (discontinuity locking, paper 000 section 5.1.2).

mod active_rows;
mod activity;
mod binding;
mod closure;
mod closure_contact;
mod closure_energy;
mod closure_guard;
mod closure_jets;
mod closure_mechanism;
mod closure_sides;
mod closure_terms;
mod condition;
mod conditions;
mod constraint_tapes;
mod contact_shapes;
mod contacts;
mod derivatives;
mod differences;
mod drives;
mod energy;
mod evaluator;
mod expand;
mod expand_formula;
mod formula;
mod formula_mechanism;
mod impulses;
mod initial_values;
mod inputs;
mod lagrange;
mod laws;
mod locking;
mod lowering;
mod mass;
mod mechanism;
mod mechanism_series;
mod motion_series;
mod needs;
mod observer;
mod parameter_values;
mod parts;
mod picture_sizes;
mod resets;
mod schedule;
mod selected;
mod softening;
mod surfaces;
mod system;
mod tapes;
mod tree;

pub use crate::model::{Direction, Side};
pub use active_rows::ActiveRows;
pub use closure::ClosureSystem;
pub use closure_contact::{Coefficient, Contact};
pub use closure_guard::{ClosureGuard, ClosureRest};
pub use closure_mechanism::Mechanism;
pub use condition::{Facts, GuardCondition};
pub use contacts::{ContactGap, ContactGuard, ContactShape, LAW_NUMBERS};
pub use differences::{difference_error, gradient_by_differences, rate_error};
pub use energy::{KINETIC, POTENTIAL, POWER};
pub use evaluator::{
    At, Evaluator, FieldSlopes, GuardFunctions, LawsWanted, MechanismTerms, Reset, ResidualsWanted,
    SlopePlaces, TermsWanted,
};
pub use expand::{ExpandGuards, HIGHEST_ORDER, UncertainPoint, UncertainPolynomial};
pub use formula::FormulaSystem;
pub use impulses::{ImpulseShape, impulse_numbers};
pub use initial_values::InitialValues;
pub use mechanism::{BadContact, BadPlace, Constraint, Terms, WrongGradient};
pub use observer::Observer;
pub use parameter_values::ParameterValues;
pub use system::{
    Border, Count, EntryRule, Guard, GuardKind, Layout, Locked, MassKind, MechanismShape, MechanismStructure,
    PlainField, Point, ResetTargets, Response, Shape, StartBranch, StartPins, System,
};
