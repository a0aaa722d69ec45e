//! A method for those who do not want to choose one: an explicit method whose order follows from the
//! tolerance, and implicit ones where the problem is stiff.
//!
//! In equations stiffness decides which of them is at work. In mechanisms it is what each gets done for its
//! work (`contest.rs`), with the work counted as in comparisons (`step/work.rs`): there the implicit one
//! is Radau IIA on the stabilised index-2 form, whose matrices are exact and sparse. Where a correction of
//! steps is asked for, it is Radau IIA on the index-1 form, whose matrices are full, beside a generalized-α
//! method at tolerances that its order suits. All others that were compared are never ahead by much
//! (`book/src/comparing.md`).

use super::contest::Contest;
use super::spectral::Spectral;
use crate::equations::MassKind;
use crate::formulation::Flow;
use crate::step::{Counts, Method, Tolerances, Trial, Work};

/// The finest relative tolerance down to which an explicit method of order 3 and one of order 5 take the
/// least work; that of mechanisms, whose right-hand sides are expensive.
const FINEST_ORDER_3: f64 = 1e-3;
const FINEST_ORDER_5: f64 = 1e-7;
const FINEST_ORDER_5_OF_MECHANISMS: f64 = 1e-5;

/// A method of order 2 must be ahead by more than this: it is less accurate at the same tolerance.
const WEIGHT_OF_ALPHA: f64 = 0.8;
/// Below this tolerance order 2 takes far too many steps; above, it is tried before Radau IIA.
const FINEST_ALPHA: f64 = 3e-7;
const ALPHA_FIRST: f64 = 3e-5;

/// The longest stable step of an explicit method times the rate of the fastest motion, about.
const STABLE: f64 = 3.3;

/// What keeps the constraints of a mechanism met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keeps {
    /// Whatever is best.
    Freely,
    /// Corrections of the ends of steps, or nothing.
    ByCorrections,
    /// Terms in the equations, which only the index-1 form takes.
    OnIndex1,
}

/// The methods to choose among; the first begins.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Partners {
    /// Each with whether it solves the stabilised form of a mechanism.
    pub(super) methods: Vec<(Method, bool)>,
    /// The time to go, if it is worth while to look ahead.
    span: Option<f64>,
}

impl Partners {
    /// A single method, on the stabilised form or not.
    pub(super) fn one(method: Method, is_ggl: bool) -> Self {
        Self { methods: vec![(method, is_ggl)], span: None }
    }

    /// For equations with a kind of mass matrix; only an implicit method can solve for derivatives then.
    pub(super) fn for_equations(tolerances: &Tolerances, mass: MassKind) -> Self {
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
    pub(super) fn for_mechanism(tolerances: &Tolerances, span: f64, keeps: Keeps) -> Self {
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

/// Another method goes on, or the one at work is found to be the best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Change {
    /// The step to begin with, where another one goes on.
    pub(super) h: Option<f64>,
    /// Whether it is more than a try.
    pub(super) is_settled: bool,
}

/// What chooses among several methods.
pub(super) struct Automatic {
    contest: Contest,
    /// The time to go from the start, if stiffness is to be foreseen.
    span: Option<f64>,
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
    pub(super) fn new(dimension: usize, partners: &Partners, holds_steps: bool) -> Self {
        let weight = |method: &Method| if method.has_rho() { WEIGHT_OF_ALPHA } else { 1.0 };
        let candidates = partners.methods.iter().map(|(method, _)| (method.facts().implicit, weight(method)));
        let mut contest = Contest::new(candidates, partners.span.is_some());
        if holds_steps {
            contest.hold_steps();
        }
        Self {
            contest,
            span: partners.span.filter(|_| !holds_steps),
            holds_steps,
            work: None,
            spectral: Spectral::new(dimension),
            counts: Counts::default(),
        }
    }

    /// Becomes as new, for another run that takes this much time.
    pub(super) fn renew(&mut self, span: f64) {
        self.contest.renew();
        (self.span, self.work, self.counts) = (self.span.map(|_| span), None, Counts::default());
    }

    /// Chooses among methods, each with whether it solves the stabilised form, before a step.
    pub(super) fn choose(
        &mut self,
        flow: &mut Flow<'_>,
        trial: &Trial,
        methods: impl Iterator<Item = (Method, bool)>,
    ) -> usize {
        if self.work.is_none() {
            self.look_ahead(flow, trial, methods);
        }
        if self.contest.asks() {
            let rate = self.spectral.radius(flow, trial);
            self.contest.know(rate.map_or(f64::INFINITY, |rate| STABLE / rate));
            if self.holds_steps {
                self.contest.begin_fixed_step(trial.h);
            }
        }
        self.contest.active()
    }

    /// Before the first step: what things cost, and in a mechanism how fast its fastest motion is.
    fn look_ahead(
        &mut self,
        flow: &mut Flow<'_>,
        trial: &Trial,
        methods: impl Iterator<Item = (Method, bool)>,
    ) {
        let rows = flow.constraints().active_rows(trial.t, &trial.start);
        let work = Work::on(flow.system(), &rows);
        self.contest.expect(methods.map(|(method, is_ggl)| work.of_step(method, is_ggl)));
        self.work = Some(work);
        if let Some(span) = self.span
            && let Some(rate) = self.spectral.radius(flow, trial)
        {
            self.contest.foresee(STABLE / rate, span);
        }
        self.counts = Counts::of(flow, 0);
    }

    /// Takes note of what the step just tried has cost a method, on the stabilised form or not.
    pub(super) fn count_work(
        &mut self,
        flow: &Flow<'_>,
        (method, is_ggl): (Method, bool),
        factorisations: u64,
    ) {
        let counts = Counts::of(flow, factorisations);
        if let Some(work) = &self.work {
            self.contest.spend(work.of(method, is_ggl, &counts.since(&self.counts)));
        }
        self.counts = counts;
    }

    /// Other equations hold from here on.
    pub(super) fn expect_change(&mut self) {
        self.contest.expect_change();
    }

    /// Judges the step just tried, which was this stiff. Gives the method that makes the next one, if there
    /// is something to say.
    pub(super) fn reconsider(
        &mut self,
        trial: &Trial,
        stiffness: Option<f64>,
        is_taken: bool,
    ) -> Option<(usize, Change)> {
        let before = self.contest.active();
        let decision =
            if is_taken { self.contest.take(trial.h, stiffness) } else { self.contest.reject(trial.h) }?;
        let h = (decision.candidate != before).then(|| decision.h.unwrap_or(trial.h));
        Some((decision.candidate, Change { h, is_settled: decision.is_final }))
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
