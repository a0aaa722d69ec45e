//! One-step methods, one file each with the same parts: descriptor, tableau, scratch, step, interpolant.
//!
//! In: a [`Field`](crate::formulation::Field), a point and a step size. Out: a [`Trial`] with the end state,
//! a scaled error and dense output. A method knows nothing of events; event code knows nothing of tableaus;
//! they meet in a `Trial`.

mod alpha;
mod alpha_end;
mod alpha_matrix;
mod alpha_newton;
mod bogacki_shampine;
mod bootstrap;
mod control;
mod descriptor;
mod dop853;
mod dopri5;
mod explicit;
mod fehlberg45;
mod fehlberg78;
mod first_step;
mod half_explicit;
mod hem5;
mod heun2;
mod implicit;
mod interpolant;
mod kutta3;
mod matrix_age;
mod method;
mod methods;
#[cfg(test)]
mod order_conditions;
mod phem56;
mod projected_end;
mod radau5;
mod radau_dense;
mod radau_ggl;
mod radau_matrix;
mod rates;
mod rk4;
mod rodas4;
mod sdirk4;
mod stages;
mod start_rates;
mod stiff_dense;
mod tolerance;
mod trial;
mod tsitouras;
mod work;

pub use control::{Control, Controller, SAFETY};
pub use descriptor::{ConstraintPolicy, MechanismForm, MethodDescriptor};
pub use first_step::first_step;
pub(crate) use implicit::smallest_relative;
pub use interpolant::{DENSE_DEGREE, Interpolant, interpolate_at};
pub use method::{DenseDetail, Memory, Restart, Step, StepReport};
pub use methods::{Method, USUAL_RHO};
pub use rodas4::Rodas4;
pub use sdirk4::Sdirk4;
pub use tolerance::{PerComponent, Tolerances};
pub use trial::{Fault, Trial};
pub use work::{Counts, Share, Work};
