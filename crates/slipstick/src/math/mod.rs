//! Small numerics that no kept library has in the shape we need.
//!
//! In: plain slices and closures of numbers. Out: numbers. Nothing here knows of models, time or events.

mod bracket;
mod convex;
mod dimension;
mod hermite;
mod kkt;
mod lu;
mod norm;
mod power;

pub use bracket::{Bracket, Probe, narrow};
pub use convex::LeastNorm;
pub use dimension::{Any, Dimension, Fixed};
pub use hermite::Cubic;
pub use kkt::{Kkt, KktFault};
pub use lu::{ComplexLu, RealLu};
pub use norm::{distance, larger_or_nan, scaled_max, scaled_rms};
pub use power::{rough_exp2, rough_log2, rough_power};
