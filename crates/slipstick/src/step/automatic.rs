//! A method for those who do not want to choose one: an explicit method whose order follows from the tolerance, and Radau IIA where the
//! problem is stiff.
//!
//! The explicit method measures how near its steps are to the limit of stability (Hairer, Wanner II, section IV.2); if they stay there, stability
//! and not accuracy limits them, and the implicit method takes over. It goes back when the step times the norm of the Jacobian has stayed so
//! small that the explicit method could make the same steps.

use super::{Method, Step, Tolerances, Trial};
use crate::formulation::{Flow, MassKind};

/// So many steps at the limit of stability, with fewer than [`CALM`] others in between, and the problem is stiff.
pub(crate) const STRIKES: u32 = 15;
const CALM: u32 = 6;

/// The step size hovers about the limit, now below and now above it: this near to it counts.
const NEAR_THE_LIMIT: f64 = 0.8;

/// So many steps in a row that the explicit method could have made as well, and it takes over again.
const EASY_STEPS: u32 = 25;

/// Counts steps at the limit of stability.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StiffnessCount {
    strikes: u32,
    calm: u32,
}

/// While nothing points to a stiff problem, every so many steps are looked at.
const LOOK_EVERY: u64 = 16;

impl StiffnessCount {
    /// Whether a step, given by its number, is to be looked at.
    pub(crate) fn is_due(self, step: u64) -> bool {
        self.strikes > 0 || step.is_multiple_of(LOOK_EVERY)
    }

    /// Takes note of a step; true when the problem is found to be stiff.
    pub(crate) fn record(&mut self, stiffness: Option<f64>) -> bool {
        if stiffness.is_some_and(|s| s > NEAR_THE_LIMIT) {
            self.strikes += 1;
            self.calm = 0;
        } else if self.strikes > 0 {
            self.calm += 1;
            if self.calm >= CALM {
                *self = Self::default();
            }
        }
        self.strikes >= STRIKES
    }
}

/// The two methods and which of them is at work.
pub struct Automatic {
    explicit: Box<dyn Step>,
    stiff: Box<dyn Step>,
    explicit_method: Method,
    is_stiff: bool,
    /// Only an implicit method can solve for derivatives behind a mass matrix.
    must_be_stiff: bool,
    count: StiffnessCount,
    easy: u32,
}

impl Automatic {
    /// For states of the given length.
    pub fn new(dimension: usize, tolerances: &Tolerances, mass: MassKind) -> Self {
        let explicit_method = explicit_for(tolerances);
        let must_be_stiff = mass != MassKind::Identity;
        Self {
            explicit: explicit_method.build(dimension),
            stiff: Method::Radau5.build(dimension),
            explicit_method,
            is_stiff: must_be_stiff,
            must_be_stiff,
            count: StiffnessCount::default(),
            easy: 0,
        }
    }

    fn active(&mut self) -> &mut dyn Step {
        if self.is_stiff { self.stiff.as_mut() } else { self.explicit.as_mut() }
    }

    fn change_to(&mut self, is_stiff: bool) {
        self.is_stiff = is_stiff;
        (self.count, self.easy) = (StiffnessCount::default(), 0);
        self.active().restart();
    }
}

/// The explicit method that costs least at a tolerance: low order for rough work, high order for fine work.
fn explicit_for(tolerances: &Tolerances) -> Method {
    let finest = tolerances.relative.values().iter().copied().fold(f64::INFINITY, f64::min);
    if finest > 1e-3 {
        Method::BogackiShampine3
    } else if finest > 1e-7 {
        Method::Tsitouras5
    } else {
        Method::DormandPrince8
    }
}

impl Step for Automatic {
    fn attempt(&mut self, field: &mut Flow<'_>, tolerances: &Tolerances, trial: &mut Trial) {
        self.active().attempt(field, tolerances, trial);
    }

    fn interpolate(&mut self, field: &mut Flow<'_>, trial: &mut Trial) {
        self.active().interpolate(field, trial);
    }

    fn interpolate_finely(&mut self, field: &mut Flow<'_>, trial: &mut Trial) {
        self.active().interpolate_finely(field, trial);
    }

    fn advance(&mut self) {
        self.active().advance();
    }

    fn restart(&mut self) {
        self.active().restart();
    }

    fn knows_derivative_at_end(&self) -> bool {
        !self.is_stiff && self.explicit.knows_derivative_at_end()
    }

    fn stiffness(&self, trial: &Trial) -> Option<f64> {
        if self.is_stiff { self.stiff.stiffness(trial) } else { self.explicit.stiffness(trial) }
    }

    /// Decides which method makes the next step.
    fn reconsider(&mut self, trial: &Trial) {
        if self.must_be_stiff {
            return;
        }
        let stiffness = self.active().stiffness(trial);
        if !self.is_stiff {
            if self.count.record(stiffness) {
                self.change_to(true);
            }
            return;
        }
        self.easy = if stiffness.is_some_and(|s| s < 0.5) { self.easy + 1 } else { 0 };
        if self.easy >= EASY_STEPS {
            self.change_to(false);
        }
    }

    fn method(&self) -> Method {
        if self.is_stiff { Method::Radau5 } else { self.explicit_method }
    }

    fn factorisations(&self) -> u64 {
        self.stiff.factorisations()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_follows_the_tolerance() {
        let method = |rtol| explicit_for(&Tolerances::uniform(rtol, 1e-9)).name();
        assert_eq!([method(1e-2), method(1e-5), method(1e-10)], ["bs32", "tsit5", "dop853"]);
    }

    #[test]
    fn a_few_steps_at_the_limit_do_not_make_a_stiff_problem() {
        let mut count = StiffnessCount::default();
        for k in 0..1000 {
            // Ten steps at the limit, then calm.
            assert!(!count.record(Some(if k % 20 < 10 { 1.5 } else { 0.1 })));
        }
        assert!((0..20).any(|_| count.record(Some(1.5))));
    }
}
