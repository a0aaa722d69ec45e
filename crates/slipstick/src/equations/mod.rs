//! Model → System: the equations, guards and resets that a run is made of, ready to be evaluated.
//!
//! A [`System`] does not change during a run and can be shared between threads; each run asks it for an
//! [`Evaluator`], which owns the scratch. Discrete quantities (mode, switch signs) come in as [`Locked`] values and stay
//! fixed while a step is made (discontinuity locking, paper 000 section 5.1.2).

mod active_rows;
mod activity;
mod closure;
mod closure_energy;
mod closure_guard;
mod closure_mechanism;
mod closure_sides;
mod condition;
mod conditions;
mod derivatives;
mod differences;
mod energy;
mod expand;
mod expand_formula;
mod fixed;
mod formula;
mod inputs;
mod lagrange;
mod locking;
mod lowering;
mod mass;
mod mechanism;
mod mechanism_series;
mod motion_series;
mod needs;
mod observer;
mod schedule;
mod selected;
mod setting;
mod settling;
mod softening;
mod surfaces;
mod system;
mod system_names;
mod tapes;

pub use crate::model::{Direction, Side};
pub use active_rows::ActiveRows;
pub use closure::ClosureSystem;
pub use closure_guard::{ClosureGuard, ClosureRest};
pub use closure_mechanism::Mechanism;
pub use condition::{Condition, Facts};
pub use differences::{difference_error, gradient_by_differences, rate_error};
pub use energy::{KINETIC, POTENTIAL, POWER};
pub use expand::{ExpandGuards, HIGHEST_ORDER, UncertainPoint, UncertainPolynomial};
pub use fixed::Fixed;
pub use formula::FormulaSystem;
pub use mechanism::{BadPlace, Constraint, Terms, WrongGradient};
pub use observer::Observer;
pub use setting::Setting;
pub use system::{
    Count, Evaluator, Guard, GuardKind, GuardRates, Layout, Locked, MassKind, OnEntry, PlainField, Point,
    Reset, ResetTargets, Response, System,
};
