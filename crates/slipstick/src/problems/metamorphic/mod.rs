//! What must not matter: drawn models and those of users, run in variants that must give the same events and
//! the same end.

mod account;
mod campaign;
mod cause;
mod closures;
mod contact_sketch;
mod difference;
mod formulas;
mod growth;
mod judge;
mod kinds;
mod pen;
mod sensitivity;
mod sketch;
mod subject;
mod variant;
mod verify;

pub use campaign::{DrawnModel, model_kinds};
pub use cause::Cause;
pub use difference::{Difference, DifferenceKind};
pub use growth::ErrorGrowth;
pub use judge::{Judgement, Tried};
pub use variant::Variant;
pub use verify::{FragileEvent, Trust, Verification};
