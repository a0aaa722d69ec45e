//! Small numerics that no kept library has in the shape we need.
//!
//! In: plain slices and closures of numbers. Out: numbers. Nothing here knows of models, time or events.

mod bracket;
mod colouring;
mod convex;
mod dense_kkt;
mod dense_pair;
mod dense_stabilised;
mod descriptor;
mod dimension;
mod elimination;
mod full_inverse;
mod held_rows;
mod hermite;
mod jet;
mod kkt;
mod lu;
mod matrix;
mod norm;
mod pair;
mod power;
mod refine;
mod scalar;
mod sparse_cholesky;
mod sparse_kkt;
mod sparse_lu;
mod sparse_pair;
mod sparse_stabilised;
mod stabilised;
#[cfg(test)]
mod test_chain;
mod weighing;

pub use bracket::{Bracket, Probe, narrow};
pub use colouring::colours;
pub use convex::LeastNorm;
pub use dense_kkt::KktFault;
pub use dense_pair::DensePair;
pub use descriptor::Descriptor;
pub use dimension::{Any, Dimension, Fixed};
pub use full_inverse::FullInverse;
pub use hermite::Cubic;
pub use jet::Jet;
pub use kkt::Kkt;
pub use lu::{ComplexLu, RealLu};
pub use matrix::Matrix;
pub use norm::{Norm, distance, dot, larger_or_nan, largest, rms, scaled_rms};
pub use pair::Pair;
pub use power::{rough_exp2, rough_log2, rough_power};
pub use scalar::{Complex, Scalar};
pub use stabilised::{Linearised, Sides, Stabilised};
