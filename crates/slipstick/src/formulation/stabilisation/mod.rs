//! The list of all stabilisations: what keeps the constraints of a mechanism met, with equations in papers
//! 003 and 000. A new one is a file with a descriptor, its `mod`, and an entry of the list.
//!
//! Here `g` are the constraints of positions, `ġ` the velocity residuals of all constraints, `a₀` the
//! accelerations without any stabilisation. Constraints of velocities have their residual in the place of `ġ`
//! and no `g`.
//!
//! A stabilisation has terms in the equations ([`DriftTerms`]), or a projection of the ends of steps
//! ([`EndProjection`]), or both.

mod baumgarte;
mod descriptor;
mod gradient;
mod normal;
mod once;
mod project;
mod pstab;
mod reduced;
mod s_full;
mod s_speed;
mod sliding_mode;

use super::linear_system::LinearSystem;
use descriptor::EndProjection;
pub(super) use descriptor::{DriftTerms, End, EndRule};
use descriptor::{StabilisationDescriptor, weigh};

/// From the list: the stabilisations by name, each with its numbers and its descriptor.
macro_rules! stabilisations {
    ($(
        $(#[$about:meta])*
        $name:ident $({ $($(#[$meaning:meta])* $number:ident,)+ })? => $descriptor:path,
    )+) => {
        /// What keeps constraints met.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum Stabilisation {
            $($(#[$about])* $name $({ $($(#[$meaning])* $number: f64,)+ })?,)+
        }

        impl Stabilisation {
            fn descriptor(self) -> &'static StabilisationDescriptor {
                match self {
                    $(Self::$name { .. } => &$descriptor,)+
                }
            }

            /// Its numbers by name, in the order of the list.
            pub fn numbers(self) -> Vec<(&'static str, f64)> {
                match self {
                    $(Self::$name $({ $($number,)+ })? => vec![$($((stringify!($number), $number),)+)?],)+
                }
            }

            /// Those that a model file asks for by their name alone, in the order of the list.
            pub fn words() -> impl Iterator<Item = (&'static str, Self)> {
                let all = [$((&$descriptor, stabilisations!(@word $name $({ $($number)+ })?)),)+];
                let is_word = |known: &(&StabilisationDescriptor, Option<Self>)| known.0.is_word;
                all.into_iter().filter(is_word).filter_map(|(known, word)| Some((known.name, word?)))
            }
        }
    };
    (@word $name:ident) => { Some(Self::$name) };
    (@word $name:ident { $($number:ident)+ }) => { None };
}

stabilisations! {
    /// Two corrections after each step with the same matrices (`PStab` of paper 003, equation (3.68)): the
    /// drift is that of the error of a step, squared.
    Twice => pstab::DESCRIPTOR,
    /// One correction of positions, then of velocities, after each step (S-both of paper 003, equation
    /// (3.66)).
    Once => once::DESCRIPTOR,
    /// One correction of positions and velocities together after each step, by the gradients of `g` and `ġ`
    /// (S-full of paper 003, equation (3.65)).
    Full => s_full::DESCRIPTOR,
    /// Corrections of velocities alone after each step, two of them (paper 003, equation (3.75)): all that
    /// constraints of velocities need. Positions drift.
    Speeds => s_speed::DESCRIPTOR,
    /// Corrections until the constraints are met to rounding (coordinate projection, paper 003, equation
    /// (3.79)).
    Project => project::DESCRIPTOR,
    /// The stabilised index-2 form in the place of the index-1 form, for `radau5` alone: both levels of the
    /// constraints are solved for with the state (Gear, Gupta and Leimkuhler; paper 001, equation (23)).
    /// While the motion slides on a switching surface, as [`Twice`](Self::Twice).
    Ggl => descriptor::GGL,
    /// Nothing: they drift.
    None => descriptor::NONE,
    /// Baumgarte's terms in the equations, `G a = -γ - rate ġ - position g`: they pull along the forces of
    /// the constraints, `M⁻¹ Gᵀ` (paper 003, equations (2.42), and (2.46) with `D = B`).
    Baumgarte {
        /// Of the velocity residual.
        rate,
        /// Of the position residual.
        position,
    } => baumgarte::DESCRIPTOR,
    /// Terms that pull the shortest way, `a = a₀ - Gᵀ (G Gᵀ)⁻¹ (rate ġ + position g)` (paper 003, equation
    /// (2.45), and for positions (2.58) with `P₁ = P₂ = G Gᵀ`, which is (2.60)).
    Normal {
        /// Of the velocity residual.
        rate,
        /// Of the position residual.
        position,
    } => normal::DESCRIPTOR,
    /// Terms along the gradients, without an inverse: `a = a₀ - Gᵀ (rate ġ + position G Gᵀ g)` (paper 003,
    /// equation (2.50), and for positions (2.58) with `P₁ = 1`, `P₂⁻¹ = G Gᵀ`, which is (2.61)).
    Gradient {
        /// Of the velocity residual.
        rate,
        /// Of the position residual.
        position,
    } => gradient::DESCRIPTOR,
    /// The constraints are reduced to `k = ġ + decay g = 0` first, and `rate` pulls positions and velocities
    /// along the gradients of `k` (paper 003, equations (2.63) and (2.64)).
    Reduced {
        /// How fast positions close once `k` is zero.
        decay,
        /// How strongly `k` is pulled to zero.
        rate,
    } => reduced::DESCRIPTOR,
    /// Sliding-mode control until every surface is met, then as [`Twice`](Self::Twice) (paper 000, sections
    /// 3.2 to 3.4). The start need not meet the constraints. How fast surfaces are approached and positions
    /// close says [`Upkeep`].
    SlidingMode => sliding_mode::DESCRIPTOR,
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
    /// That of the mass matrix: `F = M⁻¹ Gᵀ (G M⁻¹ Gᵀ)⁻¹` (paper 003, equation (3.66)). It is what impulses
    /// in the joints would do.
    #[default]
    Mass,
    /// That of the coordinates: `F = Gᵀ (G Gᵀ)⁻¹` (paper 003, equation (3.69)), better conditioned where
    /// masses are very different.
    Identity,
}

/// How the constraints of a mechanism are kept met.
#[derive(Clone, Debug, PartialEq)]
pub struct Upkeep {
    /// By what.
    pub stabilisation: Stabilisation,
    /// The metric of corrections.
    pub metric: Metric,
    /// Steps that end with no residual of a constraint above this are not projected (DATOL of paper 003);
    /// zero projects every step.
    pub drift_tolerance: f64,
    /// `η` of sliding-mode control: how fast each surface `s = ġ + speed g` is approached (paper 000,
    /// equation (3.19)).
    pub reach: PerConstraint,
    /// `σ` of sliding-mode control: how fast positions close once their surface is met (paper 000, equation
    /// (3.22)).
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
        self.descriptor().name
    }

    /// Whether it has terms in the equations, or forces of its own, and not only a projection of the ends of
    /// steps.
    pub fn changes_the_motion(self) -> bool {
        self.descriptor().terms.is_some()
    }
}

impl Upkeep {
    /// The terms in the equations of a mechanism, if there are such.
    pub(super) fn drift_terms(&self, linear: &LinearSystem) -> Option<Box<dyn DriftTerms>> {
        let numbers: Vec<f64> = self.stabilisation.numbers().into_iter().map(|(_, number)| number).collect();
        self.stabilisation.descriptor().terms.map(|make| make(&numbers, self, linear))
    }

    /// The projection of the ends of steps, if there is one.
    pub(super) fn end_projection(&self, linear: &LinearSystem) -> Option<EndRule> {
        self.stabilisation.descriptor().projection.map(|make| make(self, linear))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_numbers_come_from_the_list() {
        let words: Vec<&str> = Stabilisation::words().map(|(word, _)| word).collect();
        assert!(words.contains(&"pstab") && words.contains(&"none") && !words.contains(&"baumgarte"));
        assert!(Stabilisation::words().all(|(word, named)| named.name() == word));
        let reduced = Stabilisation::Reduced { decay: 2.0, rate: 3.0 };
        assert_eq!(reduced.numbers(), [("decay", 2.0), ("rate", 3.0)]);
        assert!(reduced.changes_the_motion() && Stabilisation::SlidingMode.changes_the_motion());
        assert!(!Stabilisation::Twice.changes_the_motion() && !Stabilisation::None.changes_the_motion());
    }
}
