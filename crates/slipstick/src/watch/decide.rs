//! Rules 6 and 8: a comparison inside its band is decided by the first derivative that is known to differ
//! from zero.

use super::signals::{Banded, MOST_ORDERS, Signals};

/// How often trial steps are made shorter for comparisons without a series (rule 6).
const MOST_ATTEMPTS: usize = 12;

/// Which way the motion goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether to +.
    pub plus: bool,
    /// The first derivative that is known to differ from zero.
    pub order: usize,
}

/// The band of a comparison that stays undecided grows with the steps (rule 8).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Pinned {
    /// B₀ and B₁, which are added to b₀ and b₁.
    pub(super) constant: f64,
    pub(super) linear: f64,
    /// b₀ and b₁ of the present step.
    pub(super) latest: [f64; 2],
    /// How exactly the method holds it there in a step, and the rate that this lets appear.
    pub(super) held: f64,
    pub(super) rate: f64,
    /// Steps that it has stayed undecided.
    pub(super) steps: u32,
}

impl Pinned {
    /// Not pinned.
    pub(super) const NONE: Self =
        Self { constant: 0.0, linear: 0.0, latest: [0.0; 2], held: 0.0, rate: 0.0, steps: 0 };

    /// A step has been taken without a decision.
    pub(super) fn grow(&mut self, h: f64) {
        self.linear = self.linear.hypot(self.latest[1]);
        self.constant = self.constant.hypot(self.latest[0] + self.held) + h * self.linear;
        self.rate = self.held / h.max(f64::MIN_POSITIVE);
        self.steps += 1;
    }

    /// How many trial steps may be tried: what rests for many steps is not worth twelve in each.
    fn attempts(&self) -> usize {
        if self.steps == 0 { MOST_ATTEMPTS } else { 1 }
    }

    /// What is added to the band of a coefficient.
    fn added(&self, order: usize) -> f64 {
        match order {
            0 => self.constant,
            1 => self.linear + self.rate,
            _ => 0.0,
        }
    }
}

/// Decides a comparison by its motion at the start of the step (rule 6). `series` is room for the
/// coefficients.
pub fn decide_by_motion(
    signals: &mut dyn Signals,
    comparison: usize,
    series: &mut Vec<Banded>,
) -> Option<Verdict> {
    decide(signals, comparison, &Pinned::default(), series)
}

/// As [`decide_by_motion`], with the band of a comparison that is pinned.
pub(super) fn decide(
    signals: &mut dyn Signals,
    comparison: usize,
    pinned: &Pinned,
    series: &mut Vec<Banded>,
) -> Option<Verdict> {
    series.clear();
    for order in 0..=MOST_ORDERS {
        if series.len() <= order && !signals.series(comparison, order, series) {
            return decide_by_trials(signals, comparison, pinned, series);
        }
        let c = series.get(order).copied().filter(Banded::is_finite)?;
        if c.value.abs() > c.band + pinned.added(order) {
            return Some(Verdict { plus: c.value > 0.0, order });
        }
    }
    None
}

/// Trial steps are made shorter until one of them decides.
fn decide_by_trials(
    signals: &mut dyn Signals,
    comparison: usize,
    pinned: &Pinned,
    series: &mut Vec<Banded>,
) -> Option<Verdict> {
    for attempt in 0..pinned.attempts() {
        series.clear();
        if !signals.trial_series(comparison, attempt, series) {
            return None;
        }
        let finite = series.iter().take(MOST_ORDERS + 1).take_while(|c| c.is_finite());
        let first = finite.enumerate().find(|(k, c)| c.value.abs() > c.band + pinned.added(*k));
        if let Some((order, c)) = first {
            return Some(Verdict { plus: c.value > 0.0, order });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::{Described, StepPolynomial};

    /// One comparison with known coefficients.
    struct Coefficients {
        c: Vec<f64>,
        band: f64,
        /// Without a series, this many attempts by trial steps do not decide.
        undecided: Option<usize>,
        highest_order: usize,
        attempts: usize,
    }

    impl Signals for Coefficients {
        fn values(&mut self, _which: &[usize], _s: f64, _out: &mut [Banded]) {}

        fn series(&mut self, _comparison: usize, order: usize, out: &mut Vec<Banded>) -> bool {
            assert_eq!(out.len(), order);
            self.highest_order = order;
            out.push(Banded::new(self.c.get(order).copied().unwrap_or(0.0), self.band));
            self.undecided.is_none()
        }

        fn trial_series(&mut self, _comparison: usize, attempt: usize, out: &mut Vec<Banded>) -> bool {
            self.attempts = attempt + 1;
            let band = if Some(attempt) < self.undecided { f64::MAX } else { self.band };
            out.extend(self.c.iter().map(|c| Banded::new(*c, band)));
            true
        }

        fn polynomial(&mut self, _: usize, _: (f64, f64), _: &mut StepPolynomial) -> Described {
            Described::Never
        }

        fn dense_error(&mut self, _comparison: usize, _s: f64) -> f64 {
            0.0
        }

        fn slope_error(&mut self, _comparison: usize) -> f64 {
            0.0
        }

        fn points(&self) -> &[f64] {
            &[]
        }

        fn travels(&mut self, _which: &[usize], out: &mut [f64]) {
            out.fill(f64::INFINITY);
        }

        fn extents(&mut self, out: &mut Vec<crate::watch::Extent>) {
            out.clear();
        }

        fn reads(&self, _comparison: usize) -> Option<&[u32]> {
            None
        }

        fn fastest(&mut self, _comparison: usize, _length: f64) -> Option<crate::watch::SpeedBound> {
            None
        }

        fn radius(&self, _comparison: usize, _input: usize, length: f64) -> f64 {
            length
        }
    }

    fn signals(c: &[f64], band: f64) -> Coefficients {
        Coefficients { c: c.to_vec(), band, undecided: None, highest_order: 0, attempts: 0 }
    }

    fn verdict(c: &[f64], band: f64) -> Option<(bool, usize)> {
        decide_by_motion(&mut signals(c, band), 0, &mut Vec::new()).map(|v| (v.plus, v.order))
    }

    #[test]
    fn the_first_coefficient_beyond_its_band_decides() {
        assert_eq!(verdict(&[1e-16, -2.0], 1e-15), Some((false, 1)));
        assert_eq!(verdict(&[-1e-16, 1e-16, 3.0], 1e-15), Some((true, 2)));
        assert_eq!(verdict(&[0.0, 0.0, 0.0, -1.0, 5.0], 1e-15), Some((false, 3)));
        assert_eq!(verdict(&[2e-15, -1.0], 1e-15), Some((true, 0)));
        let mut twelfth = vec![0.0; 14];
        (twelfth[12], twelfth[13]) = (1.0, -1.0);
        assert_eq!(verdict(&twelfth, 1e-15), Some((true, 12)));
        twelfth[12] = 0.0;
        assert_eq!(verdict(&twelfth, 1e-15), None, "order 13 is not tried");
    }

    #[test]
    fn a_coefficient_that_is_not_finite_ends_the_series() {
        assert_eq!(verdict(&[0.0, f64::NAN, 1.0], 1e-15), None);
        assert_eq!(verdict(&[0.0, 0.0, f64::INFINITY, 1.0], 1e-15), None);
    }

    #[test]
    fn orders_are_asked_for_one_at_a_time() {
        let mut signals = signals(&[0.0, 0.0, 1.0, 1.0], 1e-15);
        decide_by_motion(&mut signals, 0, &mut Vec::new());
        assert_eq!(signals.highest_order, 2);
    }

    #[test]
    fn without_a_series_trial_steps_decide() {
        let mut signals = Coefficients { undecided: Some(5), ..signals(&[0.0, 0.0, -1.0], 1e-15) };
        let verdict = decide_by_motion(&mut signals, 0, &mut Vec::new());
        assert_eq!(verdict, Some(Verdict { plus: false, order: 2 }));
        assert_eq!(signals.attempts, 6, "the first five were too long");
        signals.undecided = Some(50);
        assert_eq!(decide_by_motion(&mut signals, 0, &mut Vec::new()), None);
        assert_eq!(signals.attempts, MOST_ATTEMPTS);
        let pinned = Pinned { steps: 1, ..Pinned::default() };
        decide(&mut signals, 0, &pinned, &mut Vec::new());
        assert_eq!(signals.attempts, 1, "in later steps");
    }

    #[test]
    fn the_band_of_a_pinned_comparison_grows_as_a_random_walk() {
        let mut pinned = Pinned { latest: [3e-16, 4e-16], ..Pinned::default() };
        pinned.grow(0.5);
        assert_eq!((pinned.constant, pinned.linear), (3e-16 + 0.5 * 4e-16, 4e-16));
        pinned.latest = [0.0, 3e-16];
        pinned.grow(1.0);
        assert!((pinned.linear - 5e-16).abs() < 1e-30 && (pinned.constant - 1e-15).abs() < 1e-30);
        let mut signals = signals(&[0.0, 4e-16, -1.0], 1e-16);
        let decided = decide(&mut signals, 0, &pinned, &mut Vec::new());
        assert_eq!(decided, Some(Verdict { plus: false, order: 2 }), "4e-16 is within B₁");
    }
}
