//! A formula of polynomials as a polynomial.
//!
//! In: the inputs of a formula as polynomials of θ from 0 to 1, such as the dense output of a step. Out:
//! coefficients `c_k` with error bounds, and a remainder R so that the formula is within `Σ band(c_k) θ^k + R
//! θ^n` of `Σ c_k θ^k`, where n is their number. A formula that is a polynomial itself has no remainder, as
//! its series ends. For others the remainder is the coefficient of order n, somewhere in the step: ranges of
//! all coefficients, over all θ at once, tell where it lies.

use super::coefficient::Ball;
use super::{Expansion, Series};
use crate::expr::band::Inexact;
use crate::expr::tape::Tape;

/// The largest degree of a polynomial that is composed exactly.
pub const LARGEST_DEGREE: usize = 16;

/// Where a formula is no polynomial, its series is taken up to the order before this one at most.
const LAST_REMAINDER: usize = 13;

/// Remainders that have not become smaller for this many orders do not become useful.
const PATIENCE: usize = 4;

/// Binomial coefficients `BINOMIAL[n][k]` up to the largest degree.
const BINOMIAL: [[f64; LARGEST_DEGREE + 1]; LARGEST_DEGREE + 1] = binomials();

/// The series of a formula along polynomials: program and working memory for one tape.
#[derive(Clone, Debug)]
pub struct Composition {
    /// At the start of the step.
    series: Series,
    /// Anywhere in the step; made when it is first needed.
    anywhere: Option<Expansion<Ball>>,
    /// The polynomial of each input that the formula depends on, and how many coefficients it has.
    inputs: Vec<([f64; LARGEST_DEGREE + 1], usize)>,
    /// How uncertain each of them is.
    bounds: Vec<f64>,
}

impl Composition {
    /// Prepares a tape. `moves` tells which inputs are polynomials; the others are numbers.
    pub fn new(tape: &Tape, moves: &dyn Fn(usize) -> bool) -> Self {
        let series = Series::new(tape, LARGEST_DEGREE, moves);
        let inputs = vec![([0.0; LARGEST_DEGREE + 1], 1); series.inputs().len()];
        let bounds = vec![0.0; inputs.len()];
        Self { series, anywhere: None, inputs, bounds }
    }

    /// The total degree of the formula in its moving inputs; none if it is no polynomial.
    pub fn degree(&self) -> Option<usize> {
        self.series.degree()
    }

    /// The inputs that the formula depends on, ascending.
    pub fn inputs(&self) -> &[usize] {
        self.series.inputs()
    }

    /// Sets the polynomial of an input, by its place among [`inputs`](Self::inputs), coefficients of low
    /// orders first, and how uncertain it is. An input that does not move has one coefficient; more than for
    /// the largest degree are refused: false.
    pub fn set_used(&mut self, place: usize, coefficients: &[f64], bound: f64) -> bool {
        let length = coefficients.len();
        let (polynomial, its_length) = &mut self.inputs[place];
        if length > polynomial.len() {
            return false;
        }
        polynomial[..length].copy_from_slice(coefficients);
        if length == 0 {
            polynomial[0] = 0.0;
        }
        *its_length = length.max(1);
        self.bounds[place] = bound;
        true
    }

    /// Writes the coefficients of the first output and gives the remainder. A formula that is no polynomial
    /// is developed until the remainder is below `wanted`, or it is certain that there is no zero within the
    /// step, or as far as that helps. None if nothing is known: a coefficient has no value, or the formula
    /// may have none within the step.
    pub fn compose(&mut self, wanted: f64, out: &mut Vec<Inexact>) -> Option<f64> {
        out.clear();
        let longest = self.inputs.iter().map(|(_, length)| length - 1).max().unwrap_or(0);
        let exact = self.degree().map(|degree| degree * longest).filter(|&order| order <= LARGEST_DEGREE);
        let Some(order) = exact else { return self.develop(wanted, out) };
        for (place, (coefficients, length)) in self.inputs.iter().enumerate() {
            let exact = coefficients[1..*length].iter().map(|&value| Inexact { value, bound: 0.0 });
            let first = Inexact { value: coefficients[0], bound: self.bounds[place] };
            self.series.set_row(place, order, std::iter::once(first).chain(exact));
        }
        self.series.extend_up_to(order);
        out.extend_from_slice(self.series.first_output(order));
        if !out.iter().all(Inexact::is_finite) {
            return None;
        }
        while out.len() > 1 && out.last() == Some(&Inexact::ZERO) {
            out.pop();
        }
        Some(0.0)
    }

    /// The coefficient of the next order at the start of the step.
    fn coefficient(&mut self, k: usize) -> Option<Inexact> {
        for (place, (coefficients, length)) in self.inputs.iter().enumerate() {
            let bound = if k == 0 { self.bounds[place] } else { 0.0 };
            let value = if k < *length { coefficients[k] } else { 0.0 };
            self.series.set_used(place, k, Inexact { value, bound });
        }
        self.series.extend(k);
        self.series.output(0, k)
    }

    /// How large the coefficient of the next order can be within the step.
    fn size(&mut self, k: usize) -> Option<f64> {
        let program = &self.series.program;
        let anywhere = self.anywhere.get_or_insert_with(|| Expansion::of(program.clone(), LAST_REMAINDER));
        for (place, (coefficients, length)) in self.inputs.iter().enumerate() {
            anywhere.set_used(place, k, range_of_order(&coefficients[..*length], k));
        }
        anywhere.extend(k);
        Some(anywhere.output(0, k)?.size())
    }

    fn develop(&mut self, wanted: f64, out: &mut Vec<Inexact>) -> Option<f64> {
        let mut best = (0, self.size(0)?);
        // How far from zero the start is, less all that is known to bring it nearer.
        let mut left = 0.0;
        for k in 1..=LAST_REMAINDER {
            let c = self.coefficient(k - 1)?;
            out.push(c);
            left = if k == 1 { c.value.abs() - c.band() } else { left - c.value.abs() - c.band() };
            let size = self.size(k)?;
            if size < best.1 || best.0 == 0 {
                best = (k, size);
            }
            if size <= wanted || size < left || k >= best.0 + PATIENCE {
                break;
            }
        }
        out.truncate(best.0);
        Some(best.1)
    }
}

/// Where the Taylor coefficient of an order lies, at any place between 0 and 1:
/// `Σ_m binomial(m, k) c_m θ^(m - k)`.
fn range_of_order(coefficients: &[f64], k: usize) -> Ball {
    if k >= coefficients.len() {
        return Ball(Inexact::ZERO);
    }
    let mut derived = [0.0; LARGEST_DEGREE + 1];
    for (m, c) in coefficients.iter().enumerate().skip(k) {
        derived[m - k] = BINOMIAL[m][k] * c;
    }
    range(&derived[..coefficients.len() - k])
}

/// Where a polynomial lies between 0 and 1: within its Bernstein coefficients.
fn range(coefficients: &[f64]) -> Ball {
    let degree = coefficients.len() - 1;
    if degree == 0 {
        return Ball(Inexact::exact(coefficients[0]));
    }
    let size: f64 = coefficients.iter().map(|c| c.abs()).sum();
    // Each coefficient and each sum is rounded, and so are the quotients of binomials.
    let room = (coefficients.len() + 4) as f64 * f64::EPSILON * size;
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for (j, binomials) in BINOMIAL[..=degree].iter().enumerate() {
        let part = |i: usize| binomials[i] / BINOMIAL[degree][i] * coefficients[i];
        let value: f64 = (0..=j).map(part).sum();
        (low, high) = (low.min(value), high.max(value));
    }
    Ball(Inexact { value: 0.5 * (low + high), bound: 0.5 * (high - low) + room })
}

const fn binomials() -> [[f64; LARGEST_DEGREE + 1]; LARGEST_DEGREE + 1] {
    let mut table = [[0.0; LARGEST_DEGREE + 1]; LARGEST_DEGREE + 1];
    let mut n = 0;
    while n <= LARGEST_DEGREE {
        table[n][0] = 1.0;
        let mut k = 1;
        while k <= n {
            table[n][k] = table[n - 1][k - 1] + table[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::arena::{Arena, InputId};
    use crate::expr::double_double::DoubleDouble;
    use crate::expr::parse::parse;
    use crate::expr::properties::{inputs, lowered, smooth};
    use proptest::prelude::*;

    /// Composes a formula of x and y, which move, and the parameter p = 0.3.
    fn composed(text: &str, x: &[f64], y: &[f64], wanted: f64) -> Option<(Vec<Inexact>, f64)> {
        let mut arena = Arena::new();
        let ids = [0, 1, 2].map(|n| arena.input(InputId(n)));
        let mut resolve = |name: &str| "xyp".find(name).map(|k| ids[k]);
        let id = parse(text).unwrap().lower(&mut arena, &mut resolve).unwrap();
        let mut composition = Composition::new(&Tape::compile(&arena, 3, &[id]), &|input| input < 2);
        let used = composition.inputs().to_vec();
        for (place, input) in used.into_iter().enumerate() {
            assert!(composition.set_used(place, [x, y, &[0.3]][input], 0.0));
        }
        let mut out = Vec::new();
        let remainder = composition.compose(wanted, &mut out)?;
        Some((out, remainder))
    }

    fn degree(text: &str) -> Option<usize> {
        let mut arena = Arena::new();
        let ids = [0, 1, 2].map(|n| arena.input(InputId(n)));
        let mut resolve = |name: &str| "xyp".find(name).map(|k| ids[k]);
        let id = parse(text).unwrap().lower(&mut arena, &mut resolve).unwrap();
        Composition::new(&Tape::compile(&arena, 3, &[id]), &|input| input < 2).degree()
    }

    #[test]
    fn polynomials_are_known_with_their_degree() {
        let known = [
            ("x - p", 1),
            ("x * y + x / p", 2),
            ("(x - 1)^5 * y", 6),
            ("sin(p)", 0),
            ("if(p > 0, x^2, y)", 2),
            ("-x * x * x * x", 4),
            ("3", 0),
            ("p^p * x", 1),
            ("max(p, 1) * x", 1),
        ];
        for (text, expected) in known {
            assert_eq!(degree(text), Some(expected), "{text}");
        }
        for text in
            ["sin(x)", "1 / x", "abs(x)", "x^p", "if(x > 0, x, y)", "sqrt(x) * y", "x^-2", "min(x, y)"]
        {
            assert_eq!(degree(text), None, "{text}");
        }
    }

    #[test]
    fn a_polynomial_of_polynomials_is_exact() {
        let (out, remainder) = composed("x^2 - y", &[1.0, 2.0, 0.0, -1.0], &[1.0, 4.0], 0.0).unwrap();
        let values: Vec<f64> = out.iter().map(|c| c.value).collect();
        assert_eq!((values, remainder), (vec![0.0, 0.0, 4.0, -2.0, -4.0, 0.0, 1.0], 0.0));
        // The first two are zeros that were computed; they are within their bands and can be divided out.
        assert!(!out[0].is_decided() && !out[1].is_decided() && out[2].is_decided());
        let (out, remainder) = composed("x - 1", &[3.0, 5.0], &[0.0], 0.0).unwrap();
        assert_eq!((out.len(), out[1].value, out[1].bound, remainder), (2, 5.0, 0.0, 0.0));
    }

    #[test]
    fn a_remainder_gets_as_small_as_wanted() {
        for wanted in [1e-2, 1e-6, 1e-10] {
            let (out, remainder) =
                composed("sin(x) - p * y", &[0.3, 0.4, 0.02], &[1.0, -0.1], wanted).unwrap();
            assert!(remainder <= wanted, "{remainder} with {} coefficients", out.len());
        }
        let few = composed("sin(x)", &[0.0, 0.4], &[0.0], 1e-3).unwrap().0.len();
        assert_eq!(few, 4);
        let far = composed("sin(x)", &[0.5, 0.4], &[0.0], 1e-9).unwrap();
        assert!(far.0.len() == 1 && far.1 <= 0.4, "one slope excludes zero: {far:?}");
    }

    #[test]
    fn what_may_have_no_value_within_the_step_has_no_polynomial() {
        for text in ["1 / (x - 0.5)", "sqrt(x - 0.5)", "tan(x * 2)", "abs(x - 0.5)", "ln(x)"] {
            assert!(composed(text, &[0.0, 1.0], &[0.0], 1e-6).is_none(), "{text}");
        }
        let long = [0.1; LARGEST_DEGREE + 2];
        let mut arena = Arena::new();
        let x = arena.input(InputId(0));
        assert!(!Composition::new(&Tape::compile(&arena, 1, &[x]), &|_| true).set_used(0, &long, 0.0));
    }

    fn polynomial(scale: f64) -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec(-1.0..1.0_f64, 1..6).prop_map(move |mut c| {
            let mut power = 1.0;
            for c in &mut c {
                *c *= power;
                power *= scale;
            }
            c
        })
    }

    fn value(coefficients: &[f64], theta: f64) -> DoubleDouble {
        let theta = DoubleDouble::from(theta);
        let zero = DoubleDouble::from(0.0);
        coefficients.iter().rev().fold(zero, |sum, &c| sum * theta + DoubleDouble::from(c))
    }

    /// The true value of the first output of a tape: order zero of its series.
    fn truth(tape: &Tape, inputs: &[DoubleDouble]) -> Option<DoubleDouble> {
        let mut series = Expansion::<DoubleDouble>::new(tape, 0, &|_| true);
        for (input, &value) in inputs.iter().enumerate() {
            series.set_input(input, 0, value);
        }
        series.extend(0);
        series.output(0, 0)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn formulas_stay_within_their_remainders(
            tree in smooth(), from_zero in any::<bool>(), at in inputs(), width in -3.0..0.0_f64,
            more in [polynomial(0.5), polynomial(0.5), polynomial(0.5), polynomial(0.5)], theta in 0.0..=1.0_f64,
        ) {
            let mut arena = Arena::new();
            let mut id = lowered(&mut arena, &tree.text());
            if from_zero {
                // Without a value at the start, it takes more than a slope to exclude a zero.
                let value = arena.evaluate(&[id], &at)[0];
                let value = arena.constant(value);
                id = arena.sub(id, value);
            }
            let tape = Tape::compile(&arena, 4, &[id]);
            let mut composition = Composition::new(&tape, &|_| true);
            let mut polynomials = more;
            for (input, polynomial) in polynomials.iter_mut().enumerate() {
                for c in polynomial.iter_mut() {
                    *c *= 10f64.powf(width);
                }
                polynomial[0] = at[input];
            }
            let used = composition.inputs().to_vec();
            for (place, input) in used.into_iter().enumerate() {
                composition.set_used(place, &polynomials[input], 0.0);
            }
            let mut out = Vec::new();
            let Some(remainder) = composition.compose(1e-9, &mut out) else { return Ok(()) };
            let inputs = [0, 1, 2, 3].map(|k| value(&polynomials[k], theta));
            let Some(truth) = truth(&tape, &inputs) else { return Ok(()) };
            let values: Vec<f64> = out.iter().map(|c| c.value).collect();
            let bands: Vec<f64> = out.iter().map(Inexact::band).collect();
            let last = theta.powf(out.len() as f64) * remainder * (1.0 + 1e-12);
            let error = (truth - value(&values, theta)).0.abs();
            let room = value(&bands, theta).0 + last + 1e-26 * truth.0.abs();
            prop_assert!(error <= room, "{}: {error} at {theta}, {out:?}, {remainder}", tree.text());
        }
    }
}
