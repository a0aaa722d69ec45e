//! Small numerics that no kept library has in the shape we need.
//!
//! In: plain slices and closures of numbers. Out: numbers. Nothing here knows of models, time or events.

mod bracket;
mod hermite;
mod lu;
mod norm;

pub use bracket::{Bracket, Probe, narrow};
pub use hermite::Cubic;
pub use lu::{ComplexLu, RealLu};
pub use norm::{distance, scaled_rms};
