//! System + Mode → what is integrated.
//!
//! A formulation turns equations and a locked mode into a [`Field`] that a one-step method can integrate. An
//! ordinary differential equation is integrated as it stands ([`Flow`]); index-1, 2, 3, GGL and embedded forms of
//! constrained systems will stand beside it.

mod flow;

pub use flow::Flow;

/// A vector field on flat states: all that a one-step method for ordinary differential equations needs.
pub trait Field {
    /// The length of the state.
    fn dimension(&self) -> usize;
    /// `dy = f(t, y)`. Values that are not finite are allowed: the step is then rejected.
    fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]);
}
