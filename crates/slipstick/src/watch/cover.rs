//! A comparison that is a formula over a step, as polynomials whose distance from it is proved.
//!
//! A part of the step on which the remainder is too large, or on which nothing is known (a kink, a jump, a
//! pole), is halved. So no root between two samples is missed, however steep a formula is. Parts that stay
//! unknown until they are as narrow as can be are looked at by values.

use super::bernstein::Bernstein;
use super::chebyshev;
use super::flip::value_at;
use super::search::StepPiece;
use super::signals::{Banded, Described, NotFinite, Signals, StepPolynomial};

/// Parts that are looked at before a formula is left to its samples.
const MOST_PARTS: u32 = 2000;
/// Parts that are narrower than this part of the step are not halved: next to a kink they would be for ever.
const NARROWEST: f64 = 1e-10;
/// What a polynomial through values costs, in units of one that a formula gives.
const SAMPLED: usize = 5;
/// A polynomial whose remainder is a larger part of what it moves by says too little.
const LARGEST_REMAINDER: f64 = 1e-3;

/// The work of covering a step.
pub(super) struct Cover<'a> {
    signals: &'a mut dyn Signals,
    comparison: usize,
    h: f64,
    pieces: &'a mut Vec<StepPiece>,
    parts: u32,
    /// What the pieces have cost, and the most that is paid.
    cost: usize,
    most: usize,
    /// Nothing is asked of what comes later.
    until: f64,
    /// Whether samples of all parts that they had to be taken of have told enough.
    sampled: bool,
    polynomial: StepPolynomial,
}

impl<'a> Cover<'a> {
    pub(super) fn new(
        signals: &'a mut dyn Signals,
        comparison: usize,
        h: f64,
        (pieces, most, until): (&'a mut Vec<StepPiece>, usize, f64),
    ) -> Self {
        Self {
            signals,
            comparison,
            h,
            pieces,
            parts: 0,
            cost: 0,
            most,
            until,
            sampled: true,
            polynomial: StepPolynomial::default(),
        }
    }

    /// Adds pieces for the whole step, of which this is known. Gives whether all of them could be proved, and whether they
    /// are all: otherwise they were too many.
    pub(super) fn whole(
        mut self,
        known: Described,
        polynomial: &StepPolynomial,
    ) -> Result<(bool, bool), NotFinite> {
        self.polynomial = *polynomial;
        self.take((0.0, self.h), known)?;
        Ok((self.parts <= MOST_PARTS && self.sampled, self.cost <= self.most))
    }

    /// Adds pieces for a part.
    fn part(&mut self, part: (f64, f64)) -> Result<(), NotFinite> {
        let known = self.signals.polynomial(self.comparison, part, &mut self.polynomial);
        self.take(part, known)
    }

    fn take(&mut self, (from, to): (f64, f64), known: Described) -> Result<(), NotFinite> {
        if self.cost > self.most || (from > 0.0 && from >= self.until) {
            return Ok(());
        }
        self.parts += 1;
        if known == Described::Here && self.polynomial.will_do() {
            self.pieces.push(self.polynomial.piece((from, to)));
            self.cost += 1;
            return Ok(());
        }
        let middle = 0.5 * (from + to);
        if known == Described::Never {
            self.sampled &= self.by_values((from, to))?;
            return Ok(());
        }
        if self.parts > MOST_PARTS || to - from <= NARROWEST * self.h {
            return self.by_values((from, to)).map(|_| ());
        }
        self.part((from, middle))?;
        self.part((middle, to))
    }

    /// A narrow part, or one that is too much work. Where its ends are on different sides, the line between
    /// them is as good as anything: values locate what is between them. False: samples do not tell enough.
    fn by_values(&mut self, (from, to): (f64, f64)) -> Result<bool, NotFinite> {
        let (signals, comparison) = (&mut *self.signals, self.comparison);
        let mut value = |s| value_at(signals, comparison, s);
        let ends = [value(from)?, value(to)?];
        if let [Some(a), Some(b)] = ends.map(|end| end.sign())
            && a != b
            && to - from <= NARROWEST * self.h
        {
            self.pieces.push(line((from, to), ends));
            return Ok(true);
        }
        let known = self.pieces.len();
        let told = chebyshev::sample(&mut value, from, to, self.pieces)?;
        self.cost += SAMPLED * (self.pieces.len() - known);
        Ok(told)
    }
}

/// The line between two values.
pub(super) fn line(part: (f64, f64), ends: [Banded; 2]) -> StepPiece {
    let shape = Bernstein::from_coefficients(&ends.map(|end| end.value));
    StepPiece::new(part, shape, 0.0, ends[0].band.max(ends[1].band))
}

impl StepPolynomial {
    /// Takes over the coefficients.
    pub(crate) fn set_powers(&mut self, powers: &[f64]) {
        self.degree = powers.len() - 1;
        self.coefficients[..powers.len()].copy_from_slice(powers);
    }

    /// Whether it says enough: it excludes a zero, or it is near to the formula.
    pub(crate) fn will_do(&self) -> bool {
        let moves: f64 = self.powers()[1..].iter().map(|c| c.abs()).sum();
        let away = self.coefficients[0].abs() - moves - self.band;
        let near = self.remainder <= LARGEST_REMAINDER * moves || self.remainder < away;
        near && self.band.is_finite() && moves.is_finite() && self.coefficients[0].is_finite()
    }

    fn piece(&self, part: (f64, f64)) -> StepPiece {
        StepPiece::new(part, Bernstein::from_powers(self.powers(), 0), self.remainder, self.band)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::SpeedBound;

    /// `|s - 0.3| - 0.1`, of which nothing is known next to its kink.
    struct Kink {
        asked: u32,
    }

    impl Signals for Kink {
        fn values(&mut self, _which: &[usize], s: f64, out: &mut [Banded]) {
            out[0] = Banded::new((s - 0.3).abs() - 0.1, 1e-16);
        }

        fn series(&mut self, _comparison: usize, _order: usize, _out: &mut Vec<Banded>) -> bool {
            false
        }

        fn trial_series(&mut self, _comparison: usize, _attempt: usize, _out: &mut Vec<Banded>) -> bool {
            false
        }

        fn polynomial(&mut self, _: usize, (from, to): (f64, f64), out: &mut StepPolynomial) -> Described {
            self.asked += 1;
            if from <= 0.3 && to >= 0.3 {
                return Described::Shorter;
            }
            let sign = if from > 0.3 { 1.0 } else { -1.0 };
            *out = StepPolynomial { degree: 1, ..StepPolynomial::default() };
            (out.coefficients[0], out.coefficients[1]) = (sign * (from - 0.3) - 0.1, sign * (to - from));
            Described::Here
        }

        fn points(&self) -> &[f64] {
            &[]
        }

        fn dense_error(&mut self, _comparison: usize, _s: f64) -> f64 {
            0.0
        }

        fn slope_error(&mut self, _comparison: usize) -> f64 {
            0.0
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

        fn fastest(&mut self, _comparison: usize, _length: f64) -> Option<SpeedBound> {
            None
        }

        fn radius(&self, _comparison: usize, _input: usize, length: f64) -> f64 {
            length
        }
    }

    #[test]
    fn parts_are_halved_around_what_is_not_known() {
        let (mut signals, mut pieces) = (Kink { asked: 0 }, Vec::new());
        let cover = Cover::new(&mut signals, 0, 1.0, (&mut pieces, usize::MAX, 1.0));
        assert_eq!(cover.whole(Described::Shorter, &StepPolynomial::default()), Ok((true, true)));
        assert!(signals.asked < 100, "{}", signals.asked);
        assert_eq!((pieces[0].from, pieces.last().map(|piece| piece.to)), (0.0, Some(1.0)));
        assert!(pieces.windows(2).all(|pair| pair[0].to == pair[1].from));
        for piece in &pieces {
            let middle = 0.5 * (piece.from + piece.to);
            assert!((piece.shape.at(0.5) - ((middle - 0.3).abs() - 0.1)).abs() < 1e-10, "{piece:?}");
        }
    }
}
