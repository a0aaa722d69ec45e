//! Comparisons without a series are described by trial steps (rule 6).

use super::signals::Along;
use super::uncertainty::ROUNDING;
use crate::equations::MassKind;
use crate::step::Restart;
use crate::watch::Banded;

/// The size of the second trial step beside the first.
const SECOND_TRIAL: f64 = 0.3;
/// The part of a coefficient of a trial that those of lower order may add up to, each, so that it decides.
const HARDLY: f64 = 0.1;
/// How much shorter each attempt at trial steps is than the last.
const SHORTER: f64 = 0.1;
/// How often trial steps are made shorter.
const MOST_ATTEMPTS: usize = 12;
/// The degree of the polynomial that is fitted to a trial step.
const TRIAL_DEGREE: usize = 6;

impl Along<'_, '_> {
    /// Coefficients from trial steps; see [`Signals::trial_series`].
    pub(super) fn estimate_series(
        &mut self,
        comparison: usize,
        attempt: usize,
        out: &mut Vec<Banded>,
    ) -> bool {
        if attempt >= MOST_ATTEMPTS {
            return false;
        }
        out.clear();
        self.go_to(0.0);
        out.push(self.compare(comparison, 0.0));
        // Behind a mass matrix the right-hand side is not the rate of the states.
        let plain = self.integrator.flow.system().mass_kind() == MassKind::Identity;
        if let Some(guard) = self.comparisons.meaning(comparison).guard().filter(|_| plain) {
            let rate = self.rate(guard);
            out.push(rate);
            // If that does not decide, more is asked for.
            if attempt == 0 && rate.sign().is_some() {
                return true;
            }
        }
        let h = self.integrator.sizes.h * SHORTER.powi(i32::try_from(attempt).unwrap_or(i32::MAX));
        let Some((far, coarse)) = self.fit(comparison, h) else { return true };
        if far.iter().skip(1).all(|c| *c == 0.0) {
            // It does not move: shorter trials say no more.
            return false;
        }
        let Some((near, fine)) = self.fit(comparison, SECOND_TRIAL * h) else { return true };
        let rounding = ROUNDING * far.iter().fold(0.0_f64, |most, c| most.max(c.abs()));
        compare_trials((&far, &near), h, coarse.max(fine).max(rounding), out);
        true
    }

    /// The coefficients of a comparison over a trial step, as powers of the part of the step, and the largest
    /// band of the values; none if the step is not finite.
    fn fit(&mut self, comparison: usize, h: f64) -> Option<([f64; TRIAL_DEGREE + 1], f64)> {
        // What the method remembers is of the mode and the state before the transition.
        self.integrator.selector.restart(Restart::Continuous);
        self.integrator.attempt(h);
        if !self.integrator.is_acceptable() {
            return None;
        }
        self.integrator.interpolate();
        let (mut values, mut widest) = ([0.0; TRIAL_DEGREE + 1], 0.0_f64);
        for (k, value) in values.iter_mut().enumerate() {
            let s = h * k as f64 / TRIAL_DEGREE as f64;
            self.go_to(s);
            let there = self.compare(comparison, s);
            (*value, widest) = (there.value, widest.max(there.band));
        }
        values.iter().all(|value| value.is_finite()).then(|| (powers(values), widest))
    }
}

/// Adds what two trials, one of length `h` and one shorter, say of the coefficients that are not in `out`
/// yet, up to the first that is known to differ from zero. `noise` is the error of their values.
fn compare_trials(
    (far, near): (&[f64; TRIAL_DEGREE + 1], &[f64; TRIAL_DEGREE + 1]),
    h: f64,
    noise: f64,
    out: &mut Vec<Banded>,
) {
    let (known, amplified, shorter) = (out.len(), amplification(), SECOND_TRIAL * h);
    let power = |x: f64, k: usize| x.powi(i32::try_from(k).unwrap_or(i32::MAX));
    for k in known..=TRIAL_DEGREE {
        let (value, other) = (far[k] / power(h, k), near[k] / power(shorter, k));
        let band = amplified[k] * noise / power(shorter, k) + 2.0 * (value - other).abs();
        let coefficient = Banded::new(other, band);
        if coefficient.sign().is_none() {
            out.push(coefficient);
            continue;
        }
        // Those before it need not be zero: in a shorter trial they may be told, and decide.
        let least = HARDLY * other.abs() * power(shorter, k);
        let mut before = out.iter().enumerate().skip(known);
        if before.all(|(k, c)| (c.value.abs() + c.band) * power(shorter, k) <= least) {
            out.push(coefficient);
        }
        return;
    }
}

/// The coefficients of the polynomial through values at evenly spread points from 0 to 1, by Newton's
/// divided differences.
fn powers(mut values: [f64; TRIAL_DEGREE + 1]) -> [f64; TRIAL_DEGREE + 1] {
    let n = TRIAL_DEGREE;
    for order in 1..=n {
        for k in (order..=n).rev() {
            values[k] = (values[k] - values[k - 1]) * n as f64 / order as f64;
        }
    }
    let mut powers = [0.0; TRIAL_DEGREE + 1];
    for k in (0..=n).rev() {
        let node = k as f64 / n as f64;
        for j in (1..=n).rev() {
            powers[j] = powers[j - 1] - node * powers[j];
        }
        powers[0] = values[k] - node * powers[0];
    }
    powers
}

/// By how much each coefficient of that polynomial can differ if every value differs by one.
fn amplification() -> [f64; TRIAL_DEGREE + 1] {
    let mut sums = [0.0; TRIAL_DEGREE + 1];
    for node in 0..=TRIAL_DEGREE {
        let mut values = [0.0; TRIAL_DEGREE + 1];
        values[node] = 1.0;
        sums.iter_mut().zip(powers(values)).for_each(|(sum, power)| *sum += power.abs());
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fit_is_the_polynomial_through_the_values() {
        let polynomial = |x: f64| 1.0 + x * (2.0 + x * (-3.0 + x * (0.5 + x * x)));
        let mut values = [0.0; TRIAL_DEGREE + 1];
        for (k, value) in values.iter_mut().enumerate() {
            *value = polynomial(k as f64 / TRIAL_DEGREE as f64);
        }
        let powers = powers(values);
        let expected = [1.0, 2.0, -3.0, 0.5, 0.0, 1.0, 0.0];
        assert!(powers.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-11), "{powers:?}");
    }

    #[test]
    fn rounding_of_values_is_amplified_in_the_coefficients() {
        let amplified = amplification();
        assert!((amplified[0] - 1.0).abs() < 1e-9 && (amplified[6] - 4147.2).abs() < 1e-6, "{amplified:?}");
    }
}
