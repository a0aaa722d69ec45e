//! The interface of all one-step methods, and the list of those there are.

use super::alpha::{GeneralizedAlpha, Level};
use super::crossing::Crossing;
use super::explicit::{ExplicitRungeKutta, Numbers};
use super::hem5::Hem5;
use super::passing::Passing;
use super::phem56::Phem56;
use super::radau_dense::Dense;
use super::radau_ggl::RadauGgl;
use super::radau5::Radau5;
use super::{Rodas4, Sdirk4, Tolerances, Trial};
use super::{
    bogacki_shampine, dop853, dopri5, fehlberg45, fehlberg78, hem5, heun2, kutta3, phem56, radau5, rk4,
    rodas4, sdirk4, tsitouras,
};
use crate::formulation::Flow;
use crate::math::{Any, Fixed};

/// A one-step method with its scratch. After the first step nothing here allocates.
pub trait Step {
    /// Tries the step that `trial` describes (its `t`, `h` and `start` are set) and fills in `end`, `error` and `fault`.
    fn attempt(&mut self, field: &mut Flow<'_>, tolerances: &Tolerances, trial: &mut Trial);

    /// Fills in the dense output of the trial just made. May evaluate the field.
    fn interpolate(&mut self, field: &mut Flow<'_>, trial: &mut Trial);

    /// As [`interpolate`](Self::interpolate), with the most accurate dense output there is, at the price of further evaluations. It can be
    /// trusted up to 1.3 steps.
    fn interpolate_finely(&mut self, field: &mut Flow<'_>, trial: &mut Trial) {
        self.interpolate(field, trial);
    }

    /// The trial just made is taken as a whole: its end is the next start, so what is known there is kept.
    fn advance(&mut self);

    /// Whatever was known at the start is no longer true (an event, a projection): forget it.
    fn restart(&mut self);

    /// Said once: where a step fails, no shorter one is tried. So an iteration goes on for as long as it converges.
    fn be_patient(&mut self) {}

    /// Other equations hold from here on.
    fn expect_change(&mut self) {}

    /// Whether the derivative at the end is the last that the trial just made has evaluated.
    fn knows_derivative_at_end(&self) -> bool {
        false
    }

    /// How near the trial just made is to the limit of stability: above 1, stability and not accuracy limits the step. `None` if the
    /// method cannot tell.
    fn stiffness(&self, _trial: &Trial) -> Option<f64> {
        None
    }

    /// Looks at the trial just made, behind [`advance`](Self::advance) if it was taken: a method that is made of several decides which goes on. Tells if that is
    /// another one, or has been settled.
    fn reconsider(&mut self, _trial: &Trial, _is_taken: bool) -> Option<Change> {
        None
    }

    /// The method that makes the next step.
    fn method(&self) -> Method;

    /// Takes off a correction of the end of the trial just made what would excite stiff parts, which the method would not follow. The correction of so many positions comes first. False if nothing in it matters.
    fn calm(&mut self, _positions: usize, _correction: &mut [f64]) -> bool {
        false
    }

    /// Whether it solves the stabilised index-2 form of a mechanism, and so needs no corrections.
    fn is_ggl(&self) -> bool {
        false
    }

    /// The multipliers of a mechanism's constraints that the trial just made has found for its end; none if the method does not solve for them there.
    fn multipliers(&self) -> &[f64] {
        &[]
    }

    /// How long the step behind the trial just made should be, if the method knows that better than the error tells.
    fn wanted_step(&self) -> Option<f64> {
        None
    }

    /// Matrix factorisations so far.
    fn factorisations(&self) -> u64 {
        0
    }
}

/// Another method goes on, or the one at work is found to be the best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// The step to begin with, where another one goes on.
    pub h: Option<f64>,
    /// Whether it is more than a try.
    pub is_settled: bool,
}

/// The methods that can be asked for by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Method {
    /// Chosen automatically: explicit, of an order that suits the tolerance, or Radau IIA where the problem is stiff.
    #[default]
    Automatic,
    /// Dormand and Prince's explicit pair of order 5(4).
    DormandPrince5,
    /// Tsitouras' explicit pair of order 5(4).
    Tsitouras5,
    /// Dormand and Prince's explicit method of order 8(5,3).
    DormandPrince8,
    /// Bogacki and Shampine's explicit pair of order 3(2).
    BogackiShampine3,
    /// Heun's explicit method of order 2 with Euler's embedded.
    Heun2,
    /// Fehlberg's explicit pair of order 4(5).
    Fehlberg45,
    /// Fehlberg's explicit pair of order 7(8).
    Fehlberg78,
    /// Kutta's explicit method of order 3, for fixed steps.
    Kutta3,
    /// The classical explicit method of order 4, for fixed steps.
    RungeKutta4,
    /// Radau IIA of order 5, fully implicit: for stiff and differential-algebraic equations.
    Radau5,
    /// A diagonally implicit method of order 4, for stiff equations at moderate accuracy.
    Sdirk4,
    /// RODAS, a Rosenbrock method of order 4: stiff equations without an iteration.
    Rodas4,
    /// Brasey and Hairer's half-explicit method of order 5, for mechanisms.
    HalfExplicit5,
    /// Murua's partitioned half-explicit method of order 5, for mechanisms.
    PartitionedHalfExplicit5,
    /// The generalized-α method of order 2 that keeps constraints of positions and of speeds (index 2, stabilised), for stiff mechanisms.
    GeneralizedAlpha,
    /// The same with constraints of speeds alone (index 2).
    GeneralizedAlpha2,
    /// The same with constraints of positions alone (index 3).
    GeneralizedAlpha3,
}

/// `ρ∞` of generalized-α methods where nothing else is asked for.
pub const USUAL_RHO: f64 = 0.8;

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
    /// Whether it works on the constraints of a mechanism and so only runs one.
    pub mechanisms_only: bool,
}

impl Method {
    /// Every single method, in the order in which they are listed to people.
    pub const ALL: &'static [Self] = &[
        Self::DormandPrince5,
        Self::Tsitouras5,
        Self::DormandPrince8,
        Self::BogackiShampine3,
        Self::Heun2,
        Self::Fehlberg45,
        Self::Fehlberg78,
        Self::Kutta3,
        Self::RungeKutta4,
        Self::Radau5,
        Self::Sdirk4,
        Self::Rodas4,
        Self::HalfExplicit5,
        Self::PartitionedHalfExplicit5,
        Self::GeneralizedAlpha,
        Self::GeneralizedAlpha2,
        Self::GeneralizedAlpha3,
    ];

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
            mechanisms_only: false,
        };
        let implicit = |name, about, order, dense_order, keeps_factors| Facts {
            name,
            about,
            order,
            error_order: Some(3),
            dense_order,
            implicit: true,
            keeps_factors,
            mechanisms_only: false,
        };
        let half_explicit =
            |name, about| Facts { mechanisms_only: true, ..explicit(name, about, 5, Some(4), 4) };
        let alpha = |name, about| Facts {
            error_order: Some(2),
            mechanisms_only: true,
            ..implicit(name, about, 2, 2, true)
        };
        match self {
            // What holds for the methods that it is made of; it is built by `Automatic::new`.
            Self::Automatic => Facts {
                implicit: true,
                ..explicit("auto", "chosen automatically, also while the run goes on", 5, Some(4), 3)
            },
            Self::DormandPrince5 => explicit("dopri5", "Dormand-Prince, explicit", 5, Some(4), 4),
            Self::Tsitouras5 => explicit("tsit5", "Tsitouras, explicit", 5, Some(4), 4),
            Self::DormandPrince8 => {
                explicit("dop853", "Dormand-Prince of high order, explicit", 8, Some(7), 7)
            }
            Self::BogackiShampine3 => explicit("bs32", "Bogacki-Shampine, explicit", 3, Some(2), 3),
            Self::Heun2 => explicit("heun2", "Heun with Euler embedded, explicit", 2, Some(1), 2),
            Self::Fehlberg45 => explicit("rkf45", "Fehlberg, explicit", 4, Some(4), 4),
            Self::Fehlberg78 => explicit("rkf78", "Fehlberg of high order, explicit", 7, Some(7), 7),
            Self::Kutta3 => explicit("kutta3", "Kutta, explicit, fixed steps only", 3, None, 3),
            Self::RungeKutta4 => {
                explicit("rk4", "classical Runge-Kutta, explicit, fixed steps only", 4, None, 3)
            }
            Self::Radau5 => {
                implicit("radau5", "Radau IIA, implicit, for stiff and algebraic equations", 5, 3, true)
            }
            Self::Sdirk4 => implicit("sdirk4", "diagonally implicit, for stiff equations", 4, 3, true),
            Self::Rodas4 => implicit("rodas4", "Rosenbrock, for stiff equations, no iteration", 4, 3, false),
            Self::HalfExplicit5 => half_explicit("hem5", "Brasey-Hairer, half-explicit, for mechanisms"),
            Self::PartitionedHalfExplicit5 => {
                half_explicit("phem56", "Murua, partitioned half-explicit, for mechanisms")
            }
            Self::GeneralizedAlpha => {
                alpha("alpha", "generalized-α, implicit, positions and speeds on their constraints")
            }
            Self::GeneralizedAlpha2 => {
                alpha("alpha2", "generalized-α, implicit, speeds on their constraints")
            }
            Self::GeneralizedAlpha3 => {
                alpha("alpha3", "generalized-α, implicit, positions on their constraints")
            }
        }
    }

    /// The times of its stages, as parts of the step; for the automatic choice those of the method that is always among them.
    pub fn nodes(self) -> &'static [f64] {
        match self {
            Self::Automatic | Self::DormandPrince5 => dopri5::TABLEAU.nodes,
            Self::Tsitouras5 => tsitouras::TABLEAU.nodes,
            Self::DormandPrince8 => dop853::TABLEAU.nodes,
            Self::BogackiShampine3 => bogacki_shampine::TABLEAU.nodes,
            Self::Heun2 => heun2::TABLEAU.nodes,
            Self::Fehlberg45 => fehlberg45::TABLEAU.nodes,
            Self::Fehlberg78 => fehlberg78::TABLEAU.nodes,
            Self::Kutta3 => kutta3::TABLEAU.nodes,
            Self::RungeKutta4 => rk4::TABLEAU.nodes,
            Self::Radau5 => &radau5::C,
            Self::Sdirk4 => &sdirk4::C,
            Self::Rodas4 => &rodas4::NODES,
            Self::HalfExplicit5 => &hem5::NODES,
            Self::PartitionedHalfExplicit5 => &phem56::NODES,
            Self::GeneralizedAlpha | Self::GeneralizedAlpha2 | Self::GeneralizedAlpha3 => &[0.0, 1.0],
        }
    }

    /// The name in model files, on the command line and in benchmark rows.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// Every method that can be asked for by name.
    pub fn named() -> impl Iterator<Item = Self> {
        std::iter::once(Self::Automatic).chain(Self::ALL.iter().copied())
    }

    /// The method of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::named().find(|method| method.name() == name)
    }

    /// The method on the stabilised index-2 form of a mechanism; none if it cannot take that.
    pub fn build_ggl(self, dimension: usize) -> Option<Box<dyn Step>> {
        (self == Self::Radau5).then(|| Box::new(RadauGgl::new(dimension)) as Box<dyn Step>)
    }

    /// Whether it is a generalized-α method, which has a spectral radius at infinity, `ρ∞`, to choose.
    pub fn has_rho(self) -> bool {
        self.alpha_level().is_some()
    }

    /// Whether it makes corrections of the ends of its steps by itself, or none.
    pub fn lands_by_itself(self) -> bool {
        self.facts().mechanisms_only && self != Self::HalfExplicit5
    }

    /// Whether it keeps the constraints of positions by itself, so that the ends of its steps are not corrected.
    pub fn keeps_positions(self) -> bool {
        matches!(self, Self::GeneralizedAlpha | Self::GeneralizedAlpha3)
    }

    /// A generalized-α method with the given `ρ∞`; none if the method is no such one.
    pub fn build_alpha(self, rho: f64) -> Option<Box<dyn Step>> {
        self.alpha_level().map(|level| alpha(level, rho))
    }

    fn alpha_level(self) -> Option<Level> {
        match self {
            Self::GeneralizedAlpha => Some(Level::Both),
            Self::GeneralizedAlpha2 => Some(Level::Speeds),
            Self::GeneralizedAlpha3 => Some(Level::Positions),
            _ => None,
        }
    }

    /// A single method with scratch for states of the given length.
    pub fn build(self, dimension: usize) -> Box<dyn Step> {
        match self {
            Self::Radau5 => radau5(dimension),
            Self::Sdirk4 => Box::new(Crossing::with(Sdirk4::new(dimension))),
            Self::Rodas4 => Box::new(Crossing::with(Rodas4::new(dimension))),
            Self::HalfExplicit5 => Box::new(Hem5::new(dimension)),
            Self::PartitionedHalfExplicit5 => Box::new(Phem56::new(dimension)),
            Self::DormandPrince5 => explicit::<dopri5::DormandPrince5>(dimension),
            Self::Tsitouras5 => explicit::<tsitouras::Tsitouras5>(dimension),
            Self::DormandPrince8 => explicit::<dop853::DormandPrince8>(dimension),
            Self::BogackiShampine3 => explicit::<bogacki_shampine::BogackiShampine3>(dimension),
            Self::Heun2 => explicit::<heun2::Heun2>(dimension),
            Self::Fehlberg45 => explicit::<fehlberg45::Fehlberg45>(dimension),
            Self::Fehlberg78 => explicit::<fehlberg78::Fehlberg78>(dimension),
            Self::Kutta3 => explicit::<kutta3::Kutta3>(dimension),
            Self::RungeKutta4 => explicit::<rk4::RungeKutta4>(dimension),
            Self::GeneralizedAlpha => alpha(Level::Both, USUAL_RHO),
            Self::GeneralizedAlpha2 => alpha(Level::Speeds, USUAL_RHO),
            Self::GeneralizedAlpha3 => alpha(Level::Positions, USUAL_RHO),
            // There are no tolerances to choose by.
            Self::Automatic => Self::DormandPrince5.build(dimension),
        }
    }
}

fn alpha(level: Level, rho: f64) -> Box<dyn Step> {
    Box::new(Passing::with(GeneralizedAlpha::new(level, rho)))
}

/// Radau IIA, compiled for the dimension if that is small.
fn radau5(dimension: usize) -> Box<dyn Step> {
    match dimension {
        1 => Box::new(Crossing::with(Radau5::new(Dense::new(Fixed::<1>)))),
        2 => Box::new(Crossing::with(Radau5::new(Dense::new(Fixed::<2>)))),
        3 => Box::new(Crossing::with(Radau5::new(Dense::new(Fixed::<3>)))),
        4 => Box::new(Crossing::with(Radau5::new(Dense::new(Fixed::<4>)))),
        n => Box::new(Crossing::with(Radau5::new(Dense::new(Any(n))))),
    }
}

/// An explicit method, compiled for the dimension if that is small.
fn explicit<M: Numbers + 'static>(dimension: usize) -> Box<dyn Step> {
    match dimension {
        1 => Box::new(ExplicitRungeKutta::<M, _>::new(Fixed::<1>)),
        2 => Box::new(ExplicitRungeKutta::<M, _>::new(Fixed::<2>)),
        3 => Box::new(ExplicitRungeKutta::<M, _>::new(Fixed::<3>)),
        4 => Box::new(ExplicitRungeKutta::<M, _>::new(Fixed::<4>)),
        5 => Box::new(ExplicitRungeKutta::<M, _>::new(Fixed::<5>)),
        6 => Box::new(ExplicitRungeKutta::<M, _>::new(Fixed::<6>)),
        n => Box::new(ExplicitRungeKutta::<M, _>::new(Any(n))),
    }
}
