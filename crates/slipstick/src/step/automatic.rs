//! A method for those who do not want to choose one: an explicit method whose order follows from the
//! tolerance, and implicit ones where the problem is stiff.
//!
//! In equations stiffness decides which of them is at work. In mechanisms it is what each gets done for its
//! work (`method_selector.rs`), with the work counted as in comparisons (`work.rs`): there the implicit one
//! is Radau IIA on the stabilised index-2 form, whose matrices are exact and sparse. Where a correction of
//! steps is asked for, it is Radau IIA on the index-1 form, whose matrices are full, beside a generalized-α
//! method at tolerances that its order suits. All others that were compared are never ahead by much
//! (`book/src/comparing.md`).

use super::method_selector::MethodSelector;
use super::spectral::Spectral;
use super::{
    Change, Counts, DenseDetail, Memory, Method, MethodDescriptor, Restart, Step, StepReport, Tolerances,
    Trial, Work, dopri5,
};
use crate::formulation::{Flow, MassKind};

/// The finest relative tolerance down to which an explicit method of order 3 and one of order 5 take the
/// least work; that of mechanisms, whose right-hand sides are expensive.
const FINEST_ORDER_3: f64 = 1e-3;
const FINEST_ORDER_5: f64 = 1e-7;
const FINEST_ORDER_5_OF_MECHANISMS: f64 = 1e-5;

/// What holds for the methods that it is made of. Without tolerances to choose by, it is built as `dopri5`.
pub(super) const DESCRIPTOR: MethodDescriptor = MethodDescriptor {
    name: "auto",
    about: "chosen automatically, also while the run goes on",
    dense_order: 3,
    implicit: true,
    ..dopri5::DESCRIPTOR
};

/// A method of order 2 must be ahead by more than this: it is less accurate at the same tolerance.
const WEIGHT_OF_ALPHA: f64 = 0.8;
/// Below this tolerance order 2 takes far too many steps; above, it is tried before Radau IIA.
const FINEST_ALPHA: f64 = 3e-7;
const ALPHA_FIRST: f64 = 3e-5;

/// The longest stable step of an explicit method times the rate of the fastest motion, about.
const STABLE: f64 = 3.3;

/// What keeps the constraints of a mechanism met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeps {
    /// Whatever is best.
    Freely,
    /// Corrections of the ends of steps, or nothing.
    ByCorrections,
    /// Terms in the equations, which only the index-1 form takes.
    OnIndex1,
}

/// The methods to choose among; the first begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Partners {
    /// Each with whether it solves the stabilised form of a mechanism.
    methods: Vec<(Method, bool)>,
    /// The time to go, if it is worth while to look ahead.
    span: Option<f64>,
}

impl Partners {
    /// For equations with a kind of mass matrix; only an implicit method can solve for derivatives then.
    pub fn for_equations(tolerances: &Tolerances, mass: MassKind) -> Self {
        let explicit = match finest(tolerances) {
            tolerance if tolerance > FINEST_ORDER_3 => Method::BogackiShampine3,
            tolerance if tolerance > FINEST_ORDER_5 => Method::Tsitouras5,
            _ => Method::DormandPrince8,
        };
        let both = [explicit, Method::Radau5].map(|method| (method, false));
        let methods = if mass == MassKind::Identity { both.to_vec() } else { both[1..].to_vec() };
        Self { methods, span: None }
    }

    /// For a mechanism. Its right-hand sides are expensive: low order never pays, looking ahead does.
    pub fn for_mechanism(tolerances: &Tolerances, span: f64, keeps: Keeps) -> Self {
        let finest = finest(tolerances);
        let explicit =
            if finest > FINEST_ORDER_5_OF_MECHANISMS { Method::Tsitouras5 } else { Method::DormandPrince8 };
        let (radau, alpha) = ((Method::Radau5, keeps == Keeps::Freely), (Method::GeneralizedAlpha2, false));
        let stiff = match finest {
            tolerance if keeps != Keeps::ByCorrections || tolerance < FINEST_ALPHA => vec![radau],
            tolerance if tolerance >= ALPHA_FIRST => vec![alpha, radau],
            _ => vec![radau, alpha],
        };
        let methods = std::iter::once((explicit, false)).chain(stiff).collect();
        Self { methods, span: Some(span) }
    }
}

fn finest(tolerances: &Tolerances) -> f64 {
    tolerances.relative.values().iter().copied().fold(f64::INFINITY, f64::min)
}

/// One of the methods, which is built when it is first needed.
struct Partner {
    method: Method,
    is_ggl: bool,
    step: Option<Box<dyn Step>>,
}

/// The methods and which of them is at work.
pub struct Automatic {
    dimension: usize,
    /// The time to go from the start, if stiffness is to be foreseen.
    span: Option<f64>,
    partners: Vec<Partner>,
    selector: MethodSelector,
    /// Whether all steps have the same size.
    holds_steps: bool,
    /// What things cost, once there was a step.
    work: Option<Work>,
    spectral: Spectral,
    /// What was counted before the attempt just made, and after it.
    counts: Counts,
}

impl Automatic {
    /// For states of the given length.
    pub fn new(dimension: usize, partners: &Partners) -> Self {
        let weight = |method: &Method| if method.has_rho() { WEIGHT_OF_ALPHA } else { 1.0 };
        let candidates = partners.methods.iter().map(|(method, _)| (method.facts().implicit, weight(method)));
        let partner = |&(method, is_ggl): &(Method, bool)| Partner { method, is_ggl, step: None };
        Self {
            dimension,
            span: partners.span,
            selector: MethodSelector::new(candidates, partners.span.is_some()),
            partners: partners.methods.iter().map(partner).collect(),
            holds_steps: false,
            work: None,
            spectral: Spectral::new(dimension),
            counts: Counts::default(),
        }
    }

    fn active(&mut self) -> &mut dyn Step {
        let (dimension, partner) = (self.dimension, &mut self.partners[self.selector.active()]);
        let Partner { method, is_ggl, step } = partner;
        let build =
            || method.build_ggl(dimension).filter(|_| *is_ggl).unwrap_or_else(|| method.build(dimension));
        let holds_steps = self.holds_steps;
        let step = step.get_or_insert_with(|| {
            let mut step = build();
            if holds_steps {
                step.iterate_to_stall();
            }
            step
        });
        step.as_mut()
    }

    fn known(&self) -> Option<&dyn Step> {
        self.partners[self.selector.active()].step.as_deref()
    }

    /// Takes note of what the attempt just made has cost.
    fn count_work(&mut self, field: &Flow<'_>) {
        let counts = Counts::of(field, self.factorisations());
        let StepReport { method, is_ggl, .. } = self.report();
        if let Some(work) = &self.work {
            self.selector.spend(work.of(method, is_ggl, &counts.since(&self.counts)));
        }
        self.counts = counts;
    }

    /// Before the first step: what things cost, and in a mechanism how fast its fastest motion is.
    fn look_ahead(&mut self, field: &mut Flow<'_>, trial: &Trial) {
        let rows = field.constraints().active_rows(trial.t, &trial.start);
        let work = Work::on(field.system(), &rows);
        for (i, partner) in self.partners.iter().enumerate() {
            self.selector.expect(i, work.of_step(partner.method, partner.is_ggl));
        }
        self.work = Some(work);
        let explicit = self.report().method.facts();
        if self.span.is_some()
            && !explicit.implicit
            && let (Some(rate), Some(span)) = (self.spectral.radius(field, trial), self.span)
        {
            self.selector.foresee(STABLE / rate, span);
        }
        self.counts = Counts::of(field, 0);
    }
}

impl Step for Automatic {
    fn attempt(&mut self, field: &mut Flow<'_>, tolerances: &Tolerances, trial: &mut Trial) {
        if self.work.is_none() {
            self.look_ahead(field, trial);
        }
        if self.selector.asks() {
            let rate = self.spectral.radius(field, trial);
            self.selector.know(rate.map_or(f64::INFINITY, |rate| STABLE / rate));
            if self.holds_steps {
                self.selector.begin_fixed_step(trial.h);
            }
        }
        self.active().attempt(field, tolerances, trial);
        self.count_work(field);
    }

    fn interpolate(&mut self, field: &mut Flow<'_>, trial: &mut Trial, detail: DenseDetail) {
        self.active().interpolate(field, trial, detail);
    }

    fn smooth(&mut self, positions: usize, correction: &mut [f64]) -> bool {
        self.active().smooth(positions, correction)
    }
}

impl Memory for Automatic {
    fn advance(&mut self) {
        self.active().advance();
    }

    fn restart(&mut self, restart: Restart) {
        self.active().restart(restart);
        if restart != Restart::Continuous {
            self.selector.expect_change();
        }
    }

    fn renew(&mut self, span: f64) -> bool {
        let Self { dimension: _, holds_steps: _, spectral: _, partners, selector, .. } = self;
        for partner in partners {
            partner.step.take_if(|step| !step.renew(span));
        }
        selector.renew();
        (self.span, self.work, self.counts) = (self.span.map(|_| span), None, Counts::default());
        true
    }

    fn iterate_to_stall(&mut self) {
        self.holds_steps = true;
        self.span = None;
        self.selector.hold_steps();
    }

    fn report(&self) -> StepReport<'_> {
        let method = self.partners[self.selector.active()].method;
        let report = self.known().map_or(StepReport::plain(method), Memory::report);
        // Steps here follow from errors: what a method proposes beyond that is not asked for.
        StepReport { method, proposed_step: None, ..report }
    }

    fn stiffness(&self, trial: &Trial) -> Option<f64> {
        self.known().and_then(|step| step.stiffness(trial))
    }

    /// Decides which method makes the next step.
    fn reconsider(&mut self, trial: &Trial, is_taken: bool) -> Option<Change> {
        let (before, stiffness) = (self.selector.active(), self.stiffness(trial));
        let decision =
            if is_taken { self.selector.take(trial.h, stiffness) } else { self.selector.reject(trial.h) }?;
        if decision.candidate == before {
            return Some(Change { h: None, is_settled: decision.is_final });
        }
        self.active().restart(Restart::Continuous);
        Some(Change { h: Some(decision.h.unwrap_or(trial.h)), is_settled: decision.is_final })
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
        let name = |(method, is_ggl): &(Method, bool)| {
            format!("{}{}", method.name(), if *is_ggl { "+ggl" } else { "" })
        };
        let names = |partners: Partners| partners.methods.iter().map(name).collect::<Vec<_>>().join(" ");
        let tolerances = |rtol: f64| Tolerances::uniform(rtol, 1e-9);
        let equations = |rtol| names(Partners::for_equations(&tolerances(rtol), MassKind::Identity));
        assert_eq!([1e-2, 1e-5, 1e-10].map(equations), ["bs32 radau5", "tsit5 radau5", "dop853 radau5"]);
        let mechanism = |rtol, keeps| names(Partners::for_mechanism(&tolerances(rtol), 1.0, keeps));
        let free = |rtol| mechanism(rtol, Keeps::Freely);
        assert_eq!([1e-3, 1e-6].map(free), ["tsit5 radau5+ggl", "dop853 radau5+ggl"]);
        let corrected = |rtol| mechanism(rtol, Keeps::ByCorrections);
        let expected = ["tsit5 alpha2 radau5", "dop853 radau5 alpha2", "dop853 radau5"];
        assert_eq!([1e-3, 1e-6, 1e-10].map(corrected), expected);
        assert_eq!(mechanism(1e-3, Keeps::OnIndex1), "tsit5 radau5");
    }
}
