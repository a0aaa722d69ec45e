//! The interface of all one-step methods, and the list of those there are.

use super::explicit::{ExplicitRungeKutta, Tableau};
use super::{Radau5, Rodas4, Sdirk4, Tolerances, Trial, dopri5};
use crate::formulation::Field;

/// A one-step method with its scratch. After the first step nothing here allocates.
pub trait Step {
    /// Tries the step that `trial` describes (its `t`, `h` and `start` are set) and fills in `end`, `error` and `fault`.
    fn attempt(&mut self, field: &mut dyn Field, tolerances: &Tolerances, trial: &mut Trial);

    /// Fills in the dense output of the trial just made. May evaluate the field.
    fn interpolate(&mut self, field: &mut dyn Field, trial: &mut Trial);

    /// As [`interpolate`](Self::interpolate), with the most accurate dense output there is, at the price of further evaluations. It can be
    /// trusted up to 1.3 steps.
    fn interpolate_finely(&mut self, field: &mut dyn Field, trial: &mut Trial) {
        self.interpolate(field, trial);
    }

    /// The trial just made is taken as a whole: its end is the next start, so what is known there is kept.
    fn advance(&mut self);

    /// Whatever was known at the start is no longer true (an event, a projection): forget it.
    fn restart(&mut self);

    /// How near the trial just made is to the limit of stability: above 1, stability and not accuracy limits the step. `None` if the
    /// method cannot tell.
    fn stiffness(&self, _trial: &Trial) -> Option<f64> {
        None
    }

    /// Matrix factorisations so far.
    fn factorisations(&self) -> u64 {
        0
    }
}

/// The methods that can be asked for by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Method {
    /// Dormand and Prince's explicit pair of order 5(4).
    #[default]
    DormandPrince5,
    /// Radau IIA of order 5, fully implicit: for stiff and differential-algebraic equations.
    Radau5,
    /// A diagonally implicit method of order 4, for stiff equations at moderate accuracy.
    Sdirk4,
    /// RODAS, a Rosenbrock method of order 4: stiff equations without an iteration.
    Rodas4,
}

/// What there is to know about a method before it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The name in model files, on the command line and in benchmark rows.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// The order of the solution that is carried on.
    pub order: u32,
    /// The order of the error estimate, which the step size goes by; `None` if there is none and only fixed steps can be made.
    pub error_order: Option<u32>,
    /// The order of the dense output: its error within a step of size h is O(h^(order+1)).
    pub dense_order: u32,
    /// Whether stiff problems need no small steps.
    pub implicit: bool,
    /// Whether a step of the same size as the one before can save a matrix factorisation.
    pub keeps_factors: bool,
}

impl Method {
    /// Every method, in the order in which they are listed to people.
    pub const ALL: &'static [Self] = &[Self::DormandPrince5, Self::Radau5, Self::Sdirk4, Self::Rodas4];

    /// What there is to know about it.
    pub fn facts(self) -> Facts {
        let explicit = |name, about, order, error_order, dense_order| Facts {
            name,
            about,
            order,
            error_order,
            dense_order,
            implicit: false,
            keeps_factors: false,
        };
        let implicit = |name, about, order, dense_order, keeps_factors| Facts {
            name,
            about,
            order,
            error_order: Some(3),
            dense_order,
            implicit: true,
            keeps_factors,
        };
        match self {
            Self::DormandPrince5 => explicit("dopri5", "Dormand-Prince, explicit", 5, Some(4), 4),
            Self::Radau5 => {
                implicit("radau5", "Radau IIA, implicit, for stiff and algebraic equations", 5, 3, true)
            }
            Self::Sdirk4 => implicit("sdirk4", "diagonally implicit, for stiff equations", 4, 3, true),
            Self::Rodas4 => implicit("rodas4", "Rosenbrock, for stiff equations, no iteration", 4, 3, false),
        }
    }

    /// The name in model files, on the command line and in benchmark rows.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// The method of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|method| method.name() == name)
    }

    /// The method with scratch for states of the given length.
    pub fn build(self, dimension: usize) -> Box<dyn Step> {
        let explicit = |tableau: &'static Tableau| Box::new(ExplicitRungeKutta::new(tableau, dimension));
        match self {
            Self::DormandPrince5 => explicit(&dopri5::TABLEAU),
            Self::Radau5 => Box::new(Radau5::new(dimension)),
            Self::Sdirk4 => Box::new(Sdirk4::new(dimension)),
            Self::Rodas4 => Box::new(Rodas4::new(dimension)),
        }
    }
}
