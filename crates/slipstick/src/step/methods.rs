//! The list of all methods. A new one is a file with a descriptor, its `mod` in `mod.rs`, and an entry here.

use super::Step;
use super::descriptor::{Build, ConstraintPolicy, MethodDescriptor};

/// From the list: the methods by name, each with its descriptor, in the order in which they are listed to
/// people.
macro_rules! methods {
    ($($(#[$about:meta])* $name:ident => $descriptor:path,)+) => {
        /// The methods that can be asked for by name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
        pub enum Method {
            $($(#[$about])* $name,)+
        }

        /// In the order of the methods.
        static DESCRIPTORS: &[MethodDescriptor] = &[$($descriptor,)+];

        const NAMED: &[Method] = &[$(Method::$name,)+];
    };
}

methods! {
    /// Chosen automatically: explicit, of an order that suits the tolerance, or Radau IIA where the problem
    /// is stiff.
    #[default]
    Automatic => AUTOMATIC,
    /// Dormand and Prince's explicit pair of order 5(4).
    DormandPrince5 => super::dopri5::DESCRIPTOR,
    /// Tsitouras' explicit pair of order 5(4).
    Tsitouras5 => super::tsitouras::DESCRIPTOR,
    /// Dormand and Prince's explicit method of order 8(5,3).
    DormandPrince8 => super::dop853::DESCRIPTOR,
    /// Bogacki and Shampine's explicit pair of order 3(2).
    BogackiShampine3 => super::bogacki_shampine::DESCRIPTOR,
    /// Heun's explicit method of order 2 with Euler's embedded.
    Heun2 => super::heun2::DESCRIPTOR,
    /// Fehlberg's explicit pair of order 4(5).
    Fehlberg45 => super::fehlberg45::DESCRIPTOR,
    /// Fehlberg's explicit pair of order 7(8).
    Fehlberg78 => super::fehlberg78::DESCRIPTOR,
    /// Kutta's explicit method of order 3, for fixed steps.
    Kutta3 => super::kutta3::DESCRIPTOR,
    /// The classical explicit method of order 4, for fixed steps.
    RungeKutta4 => super::rk4::DESCRIPTOR,
    /// Radau IIA of order 5, fully implicit: for stiff and differential-algebraic equations.
    Radau5 => super::radau5::DESCRIPTOR,
    /// A diagonally implicit method of order 4, for stiff equations at moderate accuracy.
    Sdirk4 => super::sdirk4::DESCRIPTOR,
    /// RODAS, a Rosenbrock method of order 4: stiff equations without an iteration.
    Rodas4 => super::rodas4::DESCRIPTOR,
    /// Brasey and Hairer's half-explicit method of order 5, for mechanisms.
    HalfExplicit5 => super::hem5::DESCRIPTOR,
    /// Murua's partitioned half-explicit method of order 5, for mechanisms.
    PartitionedHalfExplicit5 => super::phem56::DESCRIPTOR,
    /// The generalized-α method of order 2 that keeps constraints of positions and of velocities (index 2,
    /// stabilised), for stiff mechanisms.
    GeneralizedAlpha => super::alpha::DESCRIPTOR,
    /// The same with constraints of velocities alone (index 2).
    GeneralizedAlpha2 => super::alpha::DESCRIPTOR_2,
    /// The same with constraints of positions alone (index 3).
    GeneralizedAlpha3 => super::alpha::DESCRIPTOR_3,
}

/// What holds for the methods that `auto` is made of. Without tolerances to choose by, it is built as
/// `dopri5`.
const AUTOMATIC: MethodDescriptor = MethodDescriptor {
    name: "auto",
    about: "chosen automatically, also while the run goes on",
    dense_order: 3,
    implicit: true,
    ..super::dopri5::DESCRIPTOR
};

/// `ρ∞` of generalized-α methods where nothing else is asked for.
pub const USUAL_RHO: f64 = 0.8;

impl Method {
    /// Every single method, in the order in which they are listed to people.
    pub const ALL: &'static [Self] = NAMED.split_at(1).1;

    /// What there is to know about it; for the automatic choice what holds for the methods that it is made
    /// of.
    pub fn facts(self) -> &'static MethodDescriptor {
        &DESCRIPTORS[self as usize]
    }

    /// The times of its stages, as parts of the step; for the automatic choice those of the method that is
    /// always among them.
    pub fn nodes(self) -> &'static [f64] {
        self.facts().nodes
    }

    /// The name in model files, on the command line and in benchmark rows.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// Every method that can be asked for by name.
    pub fn named() -> impl Iterator<Item = Self> {
        NAMED.iter().copied()
    }

    /// The method of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::named().find(|method| method.name() == name)
    }

    /// Whether it can solve the stabilised index-2 form of a mechanism.
    pub fn takes_ggl(self) -> bool {
        self.facts().build_ggl.is_some()
    }

    /// Whether it is a generalized-α method, which has a spectral radius at infinity, `ρ∞`, to choose.
    pub fn has_rho(self) -> bool {
        matches!(self.facts().build, Build::WithRho { .. })
    }

    /// Whether its `ρ∞` may be one. If not, its multipliers would not be damped.
    pub fn allows_rho_of_one(self) -> bool {
        matches!(self.facts().build, Build::WithRho { allows_one: true, .. })
    }

    /// Whether it keeps the constraints of positions by itself, so that the ends of its steps are not
    /// corrected.
    pub fn keeps_positions(self) -> bool {
        self.facts().constraints == ConstraintPolicy::KeepsPositions
    }

    /// A single method with scratch for states of the given length. For the automatic choice there are no
    /// tolerances to choose by: it is one of the methods.
    pub fn build(self, dimension: usize) -> Box<dyn Step> {
        match self.facts().build {
            Build::Explicit { build, .. } | Build::Sized(build) => build(dimension),
            Build::WithRho { build, .. } => build(USUAL_RHO),
        }
    }

    /// The method on the stabilised index-2 form of a mechanism; none if it cannot take that.
    pub fn build_ggl(self, dimension: usize) -> Option<Box<dyn Step>> {
        self.facts().build_ggl.map(|build| build(dimension))
    }

    /// A generalized-α method with the given `ρ∞`; none if the method is no such one.
    pub fn build_alpha(self, rho: f64) -> Option<Box<dyn Step>> {
        if let Build::WithRho { build, .. } = self.facts().build { Some(build(rho)) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::equations::ClosureSystem;
    use crate::formulation::Flow;
    use crate::mode::Mode;
    use crate::step::{MechanismForm, Tolerances, Trial};

    #[test]
    fn every_descriptor_says_what_it_must() {
        for (i, method) in Method::named().enumerate() {
            let (facts, name) = (method.facts(), method.name());
            assert!(!name.is_empty() && !facts.about.is_empty() && !facts.nodes.is_empty(), "{method:?}");
            assert_eq!(Method::from_name(name), Some(method), "two methods have the name {name}");
            assert_eq!(Method::named().position(|other| other == method), Some(i));
            assert!(facts.order > 0 && facts.dense_order > 0, "{name}");
            assert!(facts.error_order.is_none_or(|order| (1..=facts.order).contains(&order)), "{name}");
            assert!(facts.implicit || !facts.keeps_factors, "{name}");
            assert_eq!(facts.mechanisms_only, facts.form != MechanismForm::Index1, "{name}");
        }
    }

    #[test]
    fn every_method_is_built_as_itself() {
        for &method in Method::ALL {
            assert_eq!(method.build(3).report().method, method, "{}", method.name());
            assert_eq!(method.build_alpha(0.5).is_some(), method.has_rho(), "{}", method.name());
            assert_eq!(method.build_ggl(3).is_some(), method.takes_ggl(), "{}", method.name());
        }
    }

    #[test]
    fn what_has_become_as_new_makes_the_steps_of_a_new_one() {
        let system = ClosureSystem::new(["x", "v"], |t, y, dy| (dy[0], dy[1]) = (y[1], -y[0] * y[0] + t));
        let steps = |step: &mut dyn Step| {
            let (mut flow, tolerances) = (Flow::new(&system, Mode::new(0, 0, 0)), Tolerances::default());
            let mut trial = Trial::new(0.0, &[1.0, 0.5]);
            for _ in 0..20 {
                trial.h = 0.01;
                step.attempt(&mut flow, &tolerances, &mut trial);
                step.advance();
                trial.advance(trial.t + trial.h);
            }
            (trial.start.iter().map(|y| y.to_bits()).collect::<Vec<u64>>(), flow.counts.derivatives)
        };
        let mut renewed = 0;
        for &method in Method::ALL.iter().filter(|method| !method.facts().mechanisms_only) {
            let mut step = method.build(2);
            let expected = steps(&mut *step);
            if step.renew() {
                assert_eq!(steps(&mut *step), expected, "{}", method.name());
                renewed += 1;
            }
        }
        assert!(renewed > 4, "{renewed}");
    }

    #[test]
    fn only_methods_for_mechanisms_have_another_policy_for_constraints() {
        for method in Method::named().filter(|method| !method.facts().mechanisms_only) {
            assert_eq!(method.facts().constraints, ConstraintPolicy::Projected, "{}", method.name());
        }
    }
}
