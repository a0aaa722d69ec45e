//! System + Mode → what is integrated.
//!
//! A [`Flow`] is a system in a mode, as a [`Field`] that a one-step method can integrate. It owns the layers of
//! a form: the evaluator, for a mechanism with the index-1 form around it, the surfaces that the motion slides
//! on, and the side that it has to stay on. Methods and the loop see a mechanism through small views
//! (`views.rs`), each with one purpose.
//!
//! The form of a mechanism has one piece per responsibility, each of which is lent an `Env` and can be tested
//! alone: the linear system (`linear_system.rs`), accelerations (`index1.rs`), the projection
//! (`projection/`), stages of half-explicit methods (`half_explicit.rs`). What keeps constraints met is a list
//! (`stabilisation/mod.rs`).

mod algebraic;
mod algebraic_view;
mod allowed;
mod behind_mass;
mod cones;
mod consistent;
mod constrained_form;
mod constraints;
mod contacts;
mod drives;
mod engine;
mod entered_branches;
mod env;
mod field_env;
mod flow;
mod ggl;
mod ground;
mod guards_view;
mod half_explicit;
mod held_factors;
mod impulses;
mod index1;
mod known_motions;
mod linear_system;
mod mixture;
mod multibody;
mod one_sided;
mod projection;
mod rank;
mod reaching;
mod residuals;
mod scaling;
mod second_order;
mod singular;
mod sliding;
mod stabilisation;
mod start_slope;
mod switching_view;
mod tangent_differences;
mod tangents;
mod views;
mod work_counts;

pub use crate::equations::MassKind;
pub use algebraic_view::AlgebraicView;
pub use consistent::Refusal;
pub use constraints::ConstraintsView;
pub use contacts::{ContactsView, JointResponses, TouchPoint, Touching};
pub use env::MotionCounts;
pub use field_env::FieldEnv;
pub use flow::Flow;
pub use ggl::{GglRoom, Kinematics, StabilisedIndex2View};
pub use ground::Ground;
pub use guards_view::GuardsView;
pub use half_explicit::{HalfExplicitView, Stage};
pub use impulses::{Amount, GivenRow};
pub use mixture::Mixture;
pub use multibody::Multibody;
pub use one_sided::OneSided;
pub use projection::{ProjectedView, ProjectionView};
pub use second_order::{MotionPoint, MotionResidual, SecondOrderView};
pub use singular::{Shrunk, SingularView};
pub use sliding::{ExitPoint, Sliding, SlidingMotions, Surface, SurfaceSet, Visits, is_jump};
pub use sliding::{
    FilippovCombination, Follower, MOST_SURFACES, SideFields, SideLock, SideRates, SurfaceSides,
};
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

/// A mechanism for the tests of pieces.
#[cfg(test)]
mod testing {
    use super::env::{Env, MotionCounts};
    use super::linear_system::LinearSystem;
    use crate::equations::{
        ActiveRows, ClosureSystem, FormulaSystem, Locked, Mechanism, ParameterValues, System,
    };
    use crate::math::Jet;
    use crate::mode::Mode;
    use crate::model::Model;

    /// A bob of mass two on a rod of length one.
    pub(super) fn pendulum() -> ClosureSystem {
        Mechanism::new(["x", "y"])
            .masses(|_, _, m| m.fill(2.0))
            .forces(|_, _, f| (f[0], f[1]) = (0.0, -20.0))
            .joints(["rod"], |_, q: &[Jet], g: &mut [Jet]| g[0] = q[0] * q[0] + q[1] * q[1] - 1.0)
            .system()
    }

    /// A block on a bent rail that brakes it by a part of its force, which varies.
    pub(super) fn braked_block() -> FormulaSystem {
        let text = r#"
            coordinates = { x = 0.5, y = 0.1 }
            kinetic = "x'^2 + y'^2"
            potential = "20*y"
            constraints.rail = "y - 0.4*x^2"
            forces = { x = "(0.2 + 0.3*x)*lambda.rail", y = "0.16*x*lambda.rail" }
            run.until = 1
        "#;
        let model = Model::from_toml(text).unwrap();
        FormulaSystem::compile(&model, ParameterValues::evaluate(&model, &[]).unwrap()).unwrap()
    }

    /// Lends a mechanism to a piece, with all constraints, at time zero.
    pub(super) fn lend<R>(system: &dyn System, act: impl FnOnce(LinearSystem, &mut Env<'_>) -> R) -> R {
        let rows = ActiveRows::of(system.constraints(), |_| true);
        let (mode, mut counts) = (Mode::new(0, 0, 0), MotionCounts::default());
        let locked = Locked { rows: Some(&rows), ..mode.locked(system.parameters()) };
        let mut eval = system.evaluator();
        let mut env = Env { eval: &mut *eval, locked, t: 0.0, counts: &mut counts };
        act(LinearSystem::new(system, &rows), &mut env)
    }
}
