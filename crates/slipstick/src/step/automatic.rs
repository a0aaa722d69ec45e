//! A method for those who do not want to choose one: an explicit method whose order follows from the tolerance, and implicit ones where the problem is stiff.
//!
//! Which of them is at work is decided by what each gets done for its work (`choice.rs`), with the work counted as in comparisons (`work.rs`). Implicit ones are Radau IIA, and for mechanisms
//! at tolerances that its order suits a generalized-α method, which takes them sparse and with exact matrices.

use super::choice::Choice;
use super::{Change, Counts, Method, Step, Tolerances, Trial, Work};
use crate::formulation::{Flow, MassKind};

/// A method of order 2 is worth it only if it is ahead by more than this: it is less accurate at the same tolerance.
const WORTH_OF_ALPHA: f64 = 0.8;
/// Below this tolerance a method of order 2 takes far too many steps, and down to this it is tried before Radau IIA.
const FINEST_ALPHA: f64 = 3e-7;
const ALPHA_FIRST: f64 = 3e-5;
/// A method is not tried if one step of it costs so many of the method before it.
const TOO_DEAR: f64 = 100.0;

/// The methods to choose among; the first begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partners {
    methods: Vec<Method>,
}

impl Partners {
    /// For equations with a kind of mass matrix. Only an implicit method can solve for derivatives behind one.
    pub fn for_equations(tolerances: &Tolerances, mass: MassKind) -> Self {
        let explicit = match finest(tolerances) {
            tolerance if tolerance > 1e-3 => Method::BogackiShampine3,
            tolerance if tolerance > 1e-7 => Method::Tsitouras5,
            _ => Method::DormandPrince8,
        };
        let stiff = Method::Radau5;
        Self { methods: if mass == MassKind::Identity { vec![explicit, stiff] } else { vec![stiff] } }
    }

    /// For a mechanism, whose right-hand sides are dear: low order never pays. Not every stabilisation suits generalized-α methods.
    pub fn for_mechanism(tolerances: &Tolerances, with_alpha: bool) -> Self {
        let (finest, stiff, alpha) = (finest(tolerances), Method::Radau5, Method::GeneralizedAlpha2);
        let explicit = if finest > 2e-6 { Method::Tsitouras5 } else { Method::DormandPrince8 };
        let methods = match finest {
            tolerance if !with_alpha || tolerance < FINEST_ALPHA => vec![explicit, stiff],
            tolerance if tolerance >= ALPHA_FIRST => vec![explicit, alpha, stiff],
            _ => vec![explicit, stiff, alpha],
        };
        Self { methods }
    }
}

fn finest(tolerances: &Tolerances) -> f64 {
    tolerances.relative.values().iter().copied().fold(f64::INFINITY, f64::min)
}

/// One of the methods, which is built when it is first needed.
struct Partner {
    method: Method,
    step: Option<Box<dyn Step>>,
}

/// The methods and which of them is at work.
pub struct Automatic {
    dimension: usize,
    partners: Vec<Partner>,
    choice: Choice,
    /// What things cost, once there was a step.
    work: Option<Work>,
    /// What was counted before the attempt just made, and after it.
    counts: Counts,
}

impl Automatic {
    /// For states of the given length.
    pub fn new(dimension: usize, partners: Partners) -> Self {
        let worth = |method: &Method| if method.has_rho() { WORTH_OF_ALPHA } else { 1.0 };
        let runners = partners.methods.iter().map(|method| (method.facts().implicit, worth(method)));
        Self {
            dimension,
            choice: Choice::new(runners),
            partners: partners.methods.iter().map(|&method| Partner { method, step: None }).collect(),
            work: None,
            counts: Counts::default(),
        }
    }

    fn active(&mut self) -> &mut dyn Step {
        let (dimension, partner) = (self.dimension, &mut self.partners[self.choice.active()]);
        let method = partner.method;
        partner.step.get_or_insert_with(|| method.build(dimension)).as_mut()
    }

    fn known(&self) -> Option<&dyn Step> {
        self.partners[self.choice.active()].step.as_deref()
    }

    /// Takes note of what the attempt just made has cost.
    fn count_work(&mut self, field: &Flow<'_>) {
        let counts = Counts::of(field, self.factorisations());
        let (method, is_ggl) = (self.method(), self.is_ggl());
        let work = self.work.get_or_insert_with(|| Work::on(field.system()));
        self.choice.spend(work.of(method, is_ggl, &counts.since(&self.counts)));
        self.counts = counts;
    }

    /// A method whose first step alone would cost more than a long try of the one at work is not tried.
    fn leave_out_what_is_too_dear(&mut self) {
        while let (Some(next), Some(work)) = (self.choice.next_waiting(), &self.work) {
            let expected = work.of_newton_step(self.partners[next].method);
            if expected <= TOO_DEAR * self.choice.work_of_step() {
                return;
            }
            self.choice.leave_out_next();
        }
    }
}

impl Step for Automatic {
    fn attempt(&mut self, field: &mut Flow<'_>, tolerances: &Tolerances, trial: &mut Trial) {
        self.active().attempt(field, tolerances, trial);
        self.count_work(field);
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
        self.known().is_some_and(Step::knows_derivative_at_end)
    }

    fn stiffness(&self, trial: &Trial) -> Option<f64> {
        self.known().and_then(|step| step.stiffness(trial))
    }

    /// Decides which method makes the next step.
    fn reconsider(&mut self, trial: &Trial, is_taken: bool) -> Option<Change> {
        let (before, stiffness) = (self.choice.active(), self.stiffness(trial));
        self.leave_out_what_is_too_dear();
        let decision = if is_taken { self.choice.take(trial.h, stiffness) } else { self.choice.reject() }?;
        if decision.runner == before {
            return Some(Change { h: None, is_settled: decision.is_settled });
        }
        self.active().restart();
        Some(Change { h: Some(decision.h.unwrap_or(trial.h)), is_settled: decision.is_settled })
    }

    fn method(&self) -> Method {
        self.partners[self.choice.active()].method
    }

    fn is_ggl(&self) -> bool {
        self.known().is_some_and(Step::is_ggl)
    }

    fn multipliers(&self) -> &[f64] {
        self.known().map_or(&[], Step::multipliers)
    }

    fn factorisations(&self) -> u64 {
        self.partners
            .iter()
            .filter_map(|partner| partner.step.as_ref())
            .map(|step| step.factorisations())
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_follows_the_tolerance() {
        let names =
            |partners: Partners| partners.methods.iter().map(|m| m.name()).collect::<Vec<_>>().join(" ");
        let tolerances = |rtol: &f64| Tolerances::uniform(*rtol, 1e-9);
        let equations = |rtol: &f64| names(Partners::for_equations(&tolerances(rtol), MassKind::Identity));
        let [a, b, c] = [1e-2, 1e-5, 1e-10].each_ref().map(equations);
        assert_eq!([&*a, &*b, &*c], ["bs32 radau5", "tsit5 radau5", "dop853 radau5"]);
        let mechanism = |rtol: &f64| names(Partners::for_mechanism(&tolerances(rtol), true));
        let [a, b, c] = [1e-3, 1e-6, 1e-10].each_ref().map(mechanism);
        assert_eq!([&*a, &*b, &*c], ["tsit5 alpha2 radau5", "dop853 radau5 alpha2", "dop853 radau5"]);
    }
}
