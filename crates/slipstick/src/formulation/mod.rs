//! System + Mode → what is integrated.
//!
//! A formulation turns equations and a locked mode into a [`Field`] that a one-step method can integrate. An
//! ordinary differential equation is integrated as it stands ([`Flow`]); index-1, 2, 3, GGL and embedded
//! forms of constrained systems will stand beside it.

mod algebraic;
mod algebraic_view;
mod allowed;
mod assemble;
mod balance;
mod behind_mass;
mod beside;
mod constrained;
mod engine;
mod env;
mod feedback;
mod field_env;
mod flow;
mod ggl;
mod ground;
mod guards_view;
mod half_explicit;
mod index1;
mod landing;
mod mixture;
mod multibody;
mod one_sided;
mod pstab;
mod pull;
mod rank;
mod scaling;
mod singular;
mod sliding;
mod stabilisation;
mod start_slope;
mod switching_view;
mod tangents;
mod work_counts;

pub use crate::equations::MassKind;
pub use algebraic_view::AlgebraicView;
pub use assemble::Refusal;
pub use balance::{Balance, Remainder};
pub use field_env::FieldEnv;
pub use flow::Flow;
pub use ggl::{GglRoom, Kinematics};
pub use ground::Ground;
pub use guards_view::GuardsView;
pub use half_explicit::Stage;
pub use index1::Index1;
pub use mixture::Mixture;
pub use multibody::Multibody;
pub use one_sided::OneSided;
pub use singular::Shrunk;
pub use sliding::{
    FilippovCombination, Follower, MOST_SURFACES, SideFields, SideLock, SideRates, SurfaceSides,
};
pub use sliding::{Sliding, Surface, SurfaceSet, Visits, is_jump};
pub use stabilisation::{Metric, PerConstraint, Stabilisation, Upkeep};
pub use switching_view::SwitchingView;
pub use tangents::Tangents;
pub use work_counts::WorkCounts;

/// A vector field on flat states: all that a one-step method for ordinary differential equations needs.
pub trait Field {
    /// The length of the state.
    fn dimension(&self) -> usize;
    /// `dy = f(t, y)`. Values that are not finite are allowed: the step is then rejected.
    fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]);
    /// `∂f/∂y` by rows; `f` is the derivative at the same point.
    fn jacobian(&mut self, t: f64, y: &[f64], f: &[f64], jacobian: &mut [f64]);
    /// `∂f/∂t`; `f` is the derivative at the same point.
    fn time_derivative(&mut self, t: f64, y: &[f64], f: &[f64], out: &mut [f64]);
    /// What stands before y': `M y' = f`.
    fn mass_kind(&self) -> MassKind;
    /// The mass matrix by rows. Only called if there is one.
    fn mass(&mut self, t: f64, y: &[f64], mass: &mut [f64]);
    /// How `M rate` changes: `∂(M rate)/∂y` by rows, and `∂(M rate)/∂t`. Only called if there is a mass
    /// matrix.
    fn mass_slopes(&mut self, t: f64, y: &[f64], rate: &[f64], slopes: (&mut [f64], &mut [f64]));
}
