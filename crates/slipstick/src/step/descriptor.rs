//! What there is to know about a method before it is used. Each method's file has its descriptor;
//! `methods.rs` lists them all.

use super::Step;
use super::explicit::{Numbers, Tableau, build_explicit};

/// The form of a mechanism that a method solves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MechanismForm {
    /// Accelerations from the constraints differentiated twice: an ordinary differential equation.
    Index1,
    /// Constraints of velocities.
    Index2,
    /// Constraints of positions and of velocities (index 2, stabilised).
    Ggl,
    /// Constraints of positions.
    Index3,
}

/// What keeps the ends of a method's steps on the constraints of a mechanism.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstraintPolicy {
    /// They are projected after the step, as the stabilisation says.
    Projected,
    /// The same, with the factors of the method's last stage, which has met the constraints of velocities.
    ProjectedByStages,
    /// The method projects them within the step, as the stabilisation says.
    ProjectsItself,
    /// The method solves for positions on the constraints; there is nothing to project.
    KeepsPositions,
}

/// How a method is made.
#[derive(Clone, Copy, Debug)]
pub(super) enum Build {
    /// From its tableau, for states of a length.
    Explicit {
        #[cfg_attr(not(test), expect(dead_code, reason = "its order conditions are tested"))]
        tableau: &'static Tableau,
        build: fn(usize) -> Box<dyn Step>,
    },
    /// For states of a length.
    Sized(fn(usize) -> Box<dyn Step>),
    /// From `ρ∞`, which is less than one unless one is allowed.
    WithRho { build: fn(f64) -> Box<dyn Step>, allows_one: bool },
}

/// What there is to know about a method before it is used.
#[derive(Clone, Copy, Debug)]
pub struct MethodDescriptor {
    /// The name in model files, on the command line and in benchmark rows.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// The order of the solution that is carried on.
    pub order: u32,
    /// The order of the error estimate, which the step size goes by; `None` if there is none and only fixed
    /// steps can be made.
    pub error_order: Option<u32>,
    /// The order of the dense output: its error within a step of size h is O(h^(order+1)).
    pub dense_order: u32,
    /// Whether stiff problems need no small steps.
    pub implicit: bool,
    /// Whether a step of the same size as the one before can save a matrix factorisation.
    pub keeps_factors: bool,
    /// Whether it works on the constraints of a mechanism and so only runs one.
    pub mechanisms_only: bool,
    /// The times of its stages, as parts of the step.
    pub nodes: &'static [f64],
    /// The form of a mechanism that it solves.
    pub form: MechanismForm,
    /// What keeps the ends of its steps on the constraints of a mechanism.
    pub constraints: ConstraintPolicy,
    /// What an implicit method factors and solves, by the cost of one real linear system of the size of the
    /// state: at a factorisation, and for each right-hand side.
    pub(super) linear_cost: (f64, f64),
    /// How it is made.
    pub(super) build: Build,
    /// How it is made for the stabilised index-2 form of a mechanism; none if it cannot take that.
    pub(super) build_ggl: Option<fn(usize) -> Box<dyn Step>>,
}

/// What is shared by methods of a kind; a descriptor says the rest: name, orders and what is different.
impl MethodDescriptor {
    pub(super) const UNNAMED: Self = Self {
        name: "",
        about: "",
        order: 0,
        error_order: None,
        dense_order: 0,
        implicit: false,
        keeps_factors: false,
        mechanisms_only: false,
        nodes: &[],
        form: MechanismForm::Index1,
        constraints: ConstraintPolicy::Projected,
        linear_cost: (1.0, 1.0),
        build: Build::Sized(build_nothing),
        build_ggl: None,
    };

    /// An explicit Runge-Kutta method.
    pub(super) const fn explicit<M: Numbers + 'static>(tableau: &'static Tableau) -> Self {
        let build = Build::Explicit { tableau, build: build_explicit::<M> };
        Self { nodes: tableau.nodes, build, ..Self::UNNAMED }
    }

    /// An implicit method for stiff equations.
    pub(super) const fn implicit(nodes: &'static [f64], build: fn(usize) -> Box<dyn Step>) -> Self {
        Self { implicit: true, nodes, build: Build::Sized(build), ..Self::UNNAMED }
    }

    /// A half-explicit method for mechanisms.
    pub(super) const fn half_explicit(nodes: &'static [f64], build: fn(usize) -> Box<dyn Step>) -> Self {
        let form = MechanismForm::Index2;
        Self { mechanisms_only: true, nodes, form, build: Build::Sized(build), ..Self::UNNAMED }
    }

    /// The numbers of an explicit Runge-Kutta method.
    #[cfg(test)]
    pub(super) const fn tableau(&self) -> Option<&'static Tableau> {
        if let Build::Explicit { tableau, .. } = self.build { Some(tableau) } else { None }
    }
}

/// What is not said how to make. No method has it, which a test sees to.
fn build_nothing(_: usize) -> Box<dyn Step> {
    unreachable!("a method says how it is made")
}
