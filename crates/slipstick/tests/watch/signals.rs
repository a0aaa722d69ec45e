//! Signals for tests: polynomials of local time, given by coefficients or by any function.

use slipstick::watch::{Banded, Described, Extent, Signals, SpeedBound, StepPolynomial};

/// A comparison as a function of local time.
type Formula = Box<dyn Fn(f64) -> f64>;

/// Comparisons that are polynomials of the time since the start of the run.
pub(crate) struct Polynomials {
    /// Coefficients of powers of the time.
    pub(crate) coefficients: Vec<Vec<f64>>,
    /// The formulas that give values; without one, Horner's rule.
    formulas: Vec<Option<Formula>>,
    /// The time at which the powers are zero.
    pub(crate) origin: f64,
    /// Where the step starts, and how long it is.
    pub(crate) t: f64,
    pub(crate) h: f64,
    /// The band of each value, in units of the sum of absolute terms, plus an absolute one.
    pub(crate) relative_band: f64,
    band: f64,
    remainder: f64,
    /// Whether polynomials are given.
    sampled: bool,
    pub(crate) dense_error: f64,
    pub(crate) speed: Option<f64>,
    /// Whether speeds are bounded by the coefficients, up to the time 1.
    pub(crate) bounded: bool,
    /// What was asked for.
    pub(crate) asked: Asked,
}

/// How often something was asked for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Asked {
    pub(crate) values: usize,
    pub(crate) polynomials: usize,
    pub(crate) speeds: usize,
}

impl Polynomials {
    pub(crate) fn new(coefficients: Vec<Vec<f64>>, h: f64) -> Self {
        Self {
            formulas: coefficients.iter().map(|_| None).collect(),
            coefficients,
            origin: 0.0,
            t: 0.0,
            h,
            relative_band: 4.0 * f64::EPSILON,
            band: 0.0,
            remainder: 0.0,
            sampled: false,
            dense_error: 0.0,
            speed: None,
            bounded: false,
            asked: Asked::default(),
        }
    }

    /// Every value and every coefficient of a series has this band.
    pub(crate) fn with_band(mut self, band: f64) -> Self {
        (self.band, self.relative_band) = (band, 0.0);
        self
    }

    /// The polynomials are only known up to this.
    pub(crate) fn with_remainder(mut self, remainder: f64) -> Self {
        self.remainder = remainder;
        self
    }

    /// A comparison has this formula for its values, which is better than its coefficients.
    pub(crate) fn with_formula(mut self, comparison: usize, f: impl Fn(f64) -> f64 + 'static) -> Self {
        self.formulas[comparison] = Some(Box::new(f));
        self
    }

    /// Like closures: no polynomials.
    pub(crate) fn sampled(mut self) -> Self {
        self.sampled = true;
        self
    }

    /// The step starts here.
    pub(crate) fn at(&mut self, t: f64, h: f64) {
        (self.t, self.h) = (t, h);
    }

    /// The value at a time, with its band.
    pub(crate) fn value(&self, comparison: usize, t: f64) -> Banded {
        let c = &self.coefficients[comparison];
        let x = t - self.origin;
        let value = match &self.formulas[comparison] {
            Some(f) => f(t),
            None => c.iter().rev().fold(0.0, |sum, c| sum * x + c),
        };
        let size = match &self.formulas[comparison] {
            Some(_) => value.abs(),
            None => c.iter().rev().fold(0.0, |sum, c| sum * x.abs() + c.abs()),
        };
        Banded::new(value, self.band + self.relative_band * size)
    }

    /// Coefficients of powers of the local time.
    fn shifted(&self, comparison: usize, t: f64) -> Vec<f64> {
        let mut c = self.coefficients[comparison].clone();
        for k in 0..c.len() {
            for j in (k..c.len() - 1).rev() {
                c[j] += (t - self.origin) * c[j + 1];
            }
        }
        c
    }
}

impl Signals for Polynomials {
    fn values(&mut self, which: &[usize], s: f64, out: &mut [Banded]) {
        self.asked.values += which.len();
        for (&comparison, out) in which.iter().zip(out) {
            *out = self.value(comparison, self.t + s);
        }
    }

    fn series(&mut self, comparison: usize, order: usize, out: &mut Vec<Banded>) -> bool {
        let c = self.shifted(comparison, self.t).get(order).copied().unwrap_or(0.0);
        let size = self.coefficients[comparison].iter().fold(0.0, |size: f64, c| size + c.abs());
        out.push(Banded::new(c, self.band + self.relative_band * size));
        true
    }

    fn trial_series(&mut self, _comparison: usize, _attempt: usize, _out: &mut Vec<Banded>) -> bool {
        false
    }

    fn polynomial(
        &mut self,
        comparison: usize,
        (from, to): (f64, f64),
        out: &mut StepPolynomial,
    ) -> Described {
        if self.sampled {
            return Described::Never;
        }
        self.asked.polynomials += 1;
        let c = self.shifted(comparison, self.t + from);
        out.degree = c.len() - 1;
        let (mut power, mut size, length) = (1.0, 0.0, to - from);
        for (to, c) in out.coefficients.iter_mut().zip(&c) {
            *to = c * power;
            size += to.abs();
            power *= length;
        }
        // Products of roots are rounded when they are expanded.
        let terms: f64 = self.coefficients[comparison].iter().map(|c| c.abs()).sum();
        let inexact = if self.formulas[comparison].is_some() { 8.0 * f64::EPSILON * terms } else { 0.0 };
        out.remainder = self.remainder + inexact;
        out.band =
            self.band + self.relative_band * if self.formulas[comparison].is_some() { 0.0 } else { size };
        Described::Here
    }

    fn dense_error(&mut self, _comparison: usize, _s: f64) -> f64 {
        self.dense_error
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

    fn extents(&mut self, out: &mut Vec<Extent>) {
        out.clear();
    }

    fn reads(&self, _comparison: usize) -> Option<&[u32]> {
        None
    }

    fn radius(&self, _comparison: usize, _input: usize, length: f64) -> f64 {
        length
    }

    fn fastest(&mut self, comparison: usize, _length: f64) -> Option<SpeedBound> {
        self.asked.speeds += 1;
        let everywhere = |speed| SpeedBound { speed, length: f64::INFINITY };
        if self.bounded {
            let terms = self.coefficients[comparison].iter().enumerate().map(|(k, c)| k as f64 * c.abs());
            return Some(everywhere(terms.sum()));
        }
        self.speed.map(everywhere)
    }
}
