//! Small numerics that no kept library has in the shape we need.
//!
//! In: plain slices and closures of numbers. Out: numbers. Nothing here knows of models, time or events.

mod bracket;
mod colouring;
mod component_count;
mod convex;
mod descriptor;
mod groups;
mod jet;
pub mod lcp;
mod lu;
mod matrix;
mod norm;
mod power;
mod running_sum;
mod saddle;
mod scalar;

pub use bracket::{Bracket, Probe, narrow};
pub use colouring::colours;
pub use component_count::{Any, ComponentCount, Fixed};
pub use convex::LeastNorm;
pub use descriptor::Descriptor;
pub use groups::Groups;
pub use jet::Jet;
pub use lu::{ComplexLu, RealLu};
pub use matrix::Matrix;
pub(crate) use norm::generic_entry;
pub use norm::{Norm, distance, dot, larger_or_nan, largest, rms, scaled_rms};
pub use power::{rough_exp2, rough_log2, rough_power};
pub use running_sum::RunningSum;
pub use saddle::{
    Feedback, Linearised, RowBasis, RowSpace, Saddle, SaddleFault, Sides, Stabilised, weights_by_masses,
};
pub use scalar::{Complex, Scalar};
