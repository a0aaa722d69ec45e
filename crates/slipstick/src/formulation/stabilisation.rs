//! What keeps the constraints of a mechanism met: the choices, with their equations in papers 003 and 000.
//!
//! Here `g` are the constraints of positions, `ġ` the rates of all constraints, `a₀` the accelerations without any stabilisation. Where there are
//! constraints of speeds, their residual stands in the place of `ġ` and there is no `g` for them.

/// What keeps constraints met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stabilisation {
    /// Nothing: they drift.
    None,
    /// Baumgarte's terms in the equations, `G a = -γ - rate ġ - position g`: they pull along the forces of the constraints, `M⁻¹ Gᵀ` (paper 003,
    /// equations (2.42), and (2.46) with `D = B`).
    Baumgarte {
        /// Of the rate.
        rate: f64,
        /// Of the position.
        position: f64,
    },
    /// Terms that pull the shortest way, `a = a₀ - Gᵀ (G Gᵀ)⁻¹ (rate ġ + position g)` (paper 003, equation (2.45), and for positions (2.58) with
    /// `P₁ = P₂ = G Gᵀ`, which is (2.60)).
    Normal {
        /// Of the rate.
        rate: f64,
        /// Of the position.
        position: f64,
    },
    /// Terms along the gradients, without an inverse: `a = a₀ - Gᵀ (rate ġ + position G Gᵀ g)` (paper 003, equation (2.50), and for positions (2.58)
    /// with `P₁ = 1`, `P₂⁻¹ = G Gᵀ`, which is (2.61)).
    Gradient {
        /// Of the rate.
        rate: f64,
        /// Of the position.
        position: f64,
    },
    /// The constraints are reduced to `k = ġ + decay g = 0` first, and `rate` pulls positions and speeds along the gradients of `k` (paper 003,
    /// equations (2.63) and (2.64)).
    Reduced {
        /// How fast positions close once `k` is zero.
        decay: f64,
        /// How strongly `k` is pulled to zero.
        rate: f64,
    },
    /// One correction of positions, then of speeds, after each step (S-both of paper 003, equation (3.66)).
    Once,
    /// Two corrections after each step with the same matrices (`PStab` of paper 003, equation (3.68)): the drift is that of the error of a step,
    /// squared.
    Twice,
    /// One correction of positions and speeds together after each step, by the gradients of `g` and `ġ` (S-full of paper 003, equation (3.65)).
    Full,
    /// Corrections of speeds alone after each step, two of them (paper 003, equation (3.75)): all that constraints of speeds need. Positions drift.
    Speeds,
    /// Corrections until the constraints are met to rounding (coordinate projection, paper 003, equation (3.79)).
    Project,
    /// The stabilised index-2 form in the place of the index-1 form, for `radau5` alone: both levels of the constraints are solved for with the state (Gear, Gupta and Leimkuhler;
    /// paper 001, equation (23)). While the motion slides on a switching surface, as [`Twice`](Self::Twice).
    Ggl,
    /// Sliding-mode control until every surface is met, then as [`Twice`](Self::Twice) (paper 000, sections 3.2 to 3.4). The start need not meet
    /// the constraints. How fast surfaces are approached and positions close says [`Upkeep`].
    SlidingMode,
}

/// A number for each constraint.
#[derive(Clone, Debug, PartialEq)]
pub enum PerConstraint {
    /// The same for all.
    Same(f64),
    /// One for each, in the order of the system's constraints.
    Each(Vec<f64>),
}

impl PerConstraint {
    /// That of a constraint.
    pub fn get(&self, constraint: usize) -> f64 {
        match self {
            Self::Same(value) => *value,
            Self::Each(values) => values.get(constraint).copied().unwrap_or(f64::NAN),
        }
    }
}

/// The metric in which a correction is the least change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Metric {
    /// That of the mass matrix: `F = M⁻¹ Gᵀ (G M⁻¹ Gᵀ)⁻¹` (paper 003, equation (3.66)). It is what impulses in the joints would do.
    #[default]
    Mass,
    /// That of the coordinates: `F = Gᵀ (G Gᵀ)⁻¹` (paper 003, equation (3.69)), better conditioned where masses are very different.
    Identity,
}

/// How the constraints of a mechanism are kept met.
#[derive(Clone, Debug, PartialEq)]
pub struct Upkeep {
    /// By what.
    pub stabilisation: Stabilisation,
    /// The metric of corrections.
    pub metric: Metric,
    /// Steps that end with no residual of a constraint above this are not corrected (DATOL of paper 003); zero corrects every step.
    pub drift_tolerance: f64,
    /// `η` of sliding-mode control: how fast each surface `s = ġ + speed g` is approached (paper 000, equation (3.19)).
    pub reach: PerConstraint,
    /// `σ` of sliding-mode control: how fast positions close once their surface is met (paper 000, equation (3.22)).
    pub speed: PerConstraint,
}

impl From<Stabilisation> for Upkeep {
    fn from(stabilisation: Stabilisation) -> Self {
        let (reach, speed) = (PerConstraint::Same(1.0), PerConstraint::Same(10.0));
        Self { stabilisation, metric: Metric::Mass, drift_tolerance: 0.0, reach, speed }
    }
}

impl Stabilisation {
    /// The word for it in benchmark rows and results.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Baumgarte { .. } => "baumgarte",
            Self::Normal { .. } => "normal",
            Self::Gradient { .. } => "gradient",
            Self::Reduced { .. } => "reduced",
            Self::Once => S_BOTH,
            Self::Twice => "pstab",
            Self::Full => S_FULL,
            Self::Speeds => S_SPEED,
            Self::Project => "project",
            Self::Ggl => "ggl",
            Self::SlidingMode => SLIDING_MODE,
        }
    }

    /// Whether it has terms in the equations, or forces of its own, and not only corrections of the ends of steps.
    pub fn changes_the_motion(self) -> bool {
        self.rounds() == 0 && self != Self::None || self == Self::SlidingMode
    }

    /// How many rounds of corrections there are after a step, at most.
    pub(super) fn rounds(self) -> usize {
        match self {
            Self::None
            | Self::Baumgarte { .. }
            | Self::Normal { .. }
            | Self::Gradient { .. }
            | Self::Reduced { .. } => 0,
            Self::Once | Self::Full => 1,
            Self::Twice | Self::Speeds | Self::Ggl | Self::SlidingMode => 2,
            Self::Project => super::pstab::MOST_ROUNDS,
        }
    }
}

/// Words of two parts for stabilisations.
const S_BOTH: &str = "s-both";
const S_FULL: &str = "s-full";
const S_SPEED: &str = "s-speed";
const SLIDING_MODE: &str = "sliding-mode";
