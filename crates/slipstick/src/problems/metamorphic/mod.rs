//! What must not matter: drawn models and those of users, run in variants that must give the same events and the same end.

mod account;
mod campaign;
mod closures;
mod difference;
mod judge;
mod kinds;
mod pen;
mod sensitivity;
mod sketch;
mod subject;
mod variant;

pub use campaign::{DrawnModel, model_kinds};
pub use difference::{Difference, DifferenceKind};
pub use judge::{Judgement, Tried};
pub use variant::Variant;
