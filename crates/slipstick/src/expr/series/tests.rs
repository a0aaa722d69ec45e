//! Recurrences against closed forms, bounds against truth.

use super::coefficient::TaylorCoefficient;
use super::*;
use crate::expr::arena::{Arena, InputId};
use crate::expr::double_double::DoubleDouble;
use crate::expr::operation::{BinaryOp, UnaryOp};
use crate::expr::parse::parse;
use crate::expr::properties::{inputs, lowered, smooth};
use proptest::prelude::*;
use proptest::strategy::ValueTree;

impl TaylorCoefficient for DoubleDouble {
    const ZERO: Self = Self(0.0, 0.0);
    const UNDEFINED: Self = Self(f64::NAN, f64::NAN);
    fn number(value: f64) -> Self {
        Self::from(value)
    }
    fn unary(op: UnaryOp, x: Self) -> Self {
        x.unary(op)
    }
    fn binary(op: BinaryOp, a: Self, b: Self) -> Self {
        a.binary(op, b)
    }
    fn square(x: Self) -> Self {
        x * x
    }
    fn dot(forward: &[Self], backward: &[Self]) -> Self {
        let products = forward.iter().zip(backward.iter().rev()).map(|(&a, &b)| a * b);
        products.fold(Self::ZERO, |sum, product| sum + product)
    }
    fn is_finite(&self) -> bool {
        self.0.is_finite()
    }
}

impl Branching for DoubleDouble {
    fn select(condition: Self, yes: Self, no: Self) -> Self {
        if condition.0 == 0.0 { no } else { yes }
    }
    fn branch(&self) -> Option<bool> {
        Some(self.0 != 0.0)
    }
    fn is_certain(&self) -> bool {
        true
    }
    fn settled(self) -> Self {
        self
    }
    fn touching(self) -> Self {
        self
    }
}

const ORDER: usize = 12;

fn tape_of(text: &str) -> Tape {
    let mut arena = Arena::new();
    let ids = [0, 1, 2].map(|n| arena.input(InputId(n)));
    let mut resolve = |name: &str| "xyp".find(name).map(|k| ids[k]);
    let id = parse(text).unwrap().lower(&mut arena, &mut resolve).unwrap();
    Tape::compile(&arena, 3, &[id])
}

/// The series of a formula of x = x0 + s, with y = 2 - s and the parameter p = 0.7.
fn series_of(text: &str, x0: f64) -> Vec<Option<Inexact>> {
    let mut series = Series::new(&tape_of(text), ORDER, &|input| input < 2);
    for (input, order, value) in [(0, 0, x0), (0, 1, 1.0), (1, 0, 2.0), (1, 1, -1.0), (2, 0, 0.7)] {
        series.set_input(input, order, Inexact::exact(value));
    }
    (0..=ORDER)
        .map(|k| {
            series.extend(k);
            series.output(0, k)
        })
        .collect()
}

fn factorial(k: usize) -> f64 {
    (1..=k).map(|j| j as f64).product()
}

fn value_at(series: &[Option<Inexact>], s: f64) -> f64 {
    series.iter().rev().fold(0.0, |sum, c| sum * s + c.unwrap().value)
}

#[test]
fn series_of_known_functions_have_their_coefficients() {
    type Closed = fn(usize) -> f64;
    let cases: [(&str, Closed); 9] = [
        ("exp(x)", |k| 1.0 / factorial(k)),
        ("sin(x)", |k| [0.0, 1.0, 0.0, -1.0][k % 4] / factorial(k)),
        ("cosh(x)", |k| [1.0, 0.0][k % 2] / factorial(k)),
        ("1 / (1 - x)", |_| 1.0),
        ("ln(1 + x)", |k| if k == 0 { 0.0 } else { [-1.0, 1.0][k % 2] / k as f64 }),
        ("atan(x)", |k| if k == 0 { 0.0 } else { [0.0, 1.0, 0.0, -1.0][k % 4] / k as f64 }),
        ("atanh(x)", |k| if k % 2 == 1 { 1.0 / k as f64 } else { 0.0 }),
        ("x^7", |k| f64::from(u8::from(k == 7))),
        ("(1 + x)^0.5", |k| (0..k).map(|j| (0.5 - j as f64) / (j + 1) as f64).product()),
    ];
    for (text, closed) in cases {
        for (k, c) in series_of(text, 0.0).into_iter().enumerate() {
            let (c, exact) = (c.unwrap(), closed(k));
            assert!((c.value - exact).abs() <= c.band(), "{text}: c_{k} = {c:?}, not {exact}");
            assert!(c.bound <= 2e-14, "{text}: c_{k} = {c:?}");
        }
    }
}

#[test]
fn every_function_has_its_series() {
    let texts = [
        "sin(x) + cos(3 * x)",
        "tan(x)",
        "asin(x) * acos(x)",
        "atan(2 * x)",
        "atan2(x, y)",
        "atan2(-x, x - y)",
        "sinh(x) - cosh(x)^2",
        "tanh(3 * x)",
        "asinh(x) / acosh(x + 2)",
        "atanh(x / 2)",
        "exp(-x^2) * ln(y)",
        "log10(x + y^2)",
        "sqrt(x) / cbrt(y)",
        "hypot(x, y)",
        "x^y",
        "y^x",
        "x^-3",
        "y^p",
        "p^x",
        "x^11",
        "abs(x - 1) * y",
        "min(x, y) + max(x, y)^2",
        "sign(x) * x + floor(x)",
        "mod(x + 7, y)",
        "if(x < y, x * y, x / y)",
        "if(p < 1, sin(x), x)",
        "clamp(x, 0.1, 0.9)",
        "x",
        "y - x",
        "2 + p",
    ];
    for text in texts {
        let (x0, step) = (0.3, 0.02);
        let series = series_of(text, x0);
        let tape = tape_of(text);
        let (mut registers, mut out) = (tape.registers(), [0.0]);
        for s in [step, -step, 0.5 * step] {
            registers.inputs_mut().copy_from_slice(&[x0 + s, 2.0 - s, 0.7]);
            tape.run(&mut registers, &mut out);
            let value = value_at(&series, s);
            // Order 13 of what converges up to a distance of 0.3 at least.
            assert!((value - out[0]).abs() < 1e-13 * (1.0 + out[0].abs()), "{text}: {value} and {out:?}");
        }
    }
}

#[test]
fn what_has_no_series_has_none() {
    for (text, x0) in [
        ("sqrt(x)", 0.0),
        ("1 / x", 0.0),
        ("ln(x)", 0.0),
        ("abs(x)", 0.0),
        ("x^1.5", 0.0),
        ("floor(x)", 1.0),
        ("if(x < y, 1, x)", 2.0),
        ("min(x, y)", 2.0),
        ("asin(x)", 1.0),
        ("hypot(x, y - 2)", 0.0),
    ] {
        let series = series_of(text, x0);
        assert!(series[2..].iter().any(Option::is_none), "{text}: {series:?}");
    }
    // A branch that is not taken does no harm.
    assert!(series_of("if(p > 0, x, ln(x))", 0.0).iter().all(Option::is_some));
    // Conditions of what does not move are as their values say.
    assert!(series_of("if(p == 0.7, x, 1)", 0.0).iter().all(Option::is_some));
}

#[test]
fn a_bounce_is_decided_by_its_first_coefficient_that_is_not_noise() {
    let series = series_of("(x - 0.1)^3 * y - (x - 0.1)^5", 0.1);
    let decided = series.iter().position(|c| c.unwrap().is_decided());
    assert_eq!(decided, Some(3));
}

/// Coefficients of all four inputs, and how far the truth is from them in units of 2⁻⁵³.
fn moving() -> impl Strategy<Value = ([f64; 4], [f64; 4], [f64; 4])> {
    (inputs(), inputs(), [-1.0..1.0_f64, -1.0..1.0, -1.0..1.0, -1.0..1.0])
}

/// The series of a formula, with bounds and as it truly is.
fn both_series(
    tape: &Tape,
    (at, rate, off): ([f64; 4], [f64; 4], [f64; 4]),
) -> (Series, Expansion<DoubleDouble>) {
    let mut banded = Series::new(tape, 5, &|_| true);
    let mut truth = Expansion::<DoubleDouble>::new(tape, 5, &|_| true);
    for input in 0..4 {
        banded.set_input(input, 0, Inexact::rounded(at[input]));
        banded.set_input(input, 1, Inexact::exact(rate[input]));
        let moved = crate::expr::band::UNIT_ROUNDOFF * at[input].abs() * off[input];
        truth.set_input(input, 0, DoubleDouble::from(at[input]) + DoubleDouble::from(moved));
        truth.set_input(input, 1, DoubleDouble::from(rate[input]));
    }
    for k in 0..=5 {
        banded.extend(k);
        truth.extend(k);
    }
    (banded, truth)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_true_coefficients_lie_in_their_bands(tree in smooth(), moving in moving()) {
        let mut arena = Arena::new();
        let id = lowered(&mut arena, &tree.text());
        let tape = Tape::compile(&arena, 4, &[id]);
        let (banded, truth) = both_series(&tape, moving);
        for k in 0..=5 {
            let (Some(c), Some(exact)) = (banded.output(0, k), truth.output(0, k)) else { break };
            let error = (exact - DoubleDouble::from(c.value)).0.abs();
            // The truth itself has 31 digits.
            let room = c.band() + 1e-28 * exact.0.abs();
            prop_assert!(error <= room, "{}: c_{k} = {c:?}, in truth {exact:?}", tree.text());
        }
    }
}

/// Formulas with powers of formulas are steep, and those with differences lose digits: so medians.
#[test]
fn bands_are_not_much_wider_than_errors() {
    let strategy = (smooth(), moving());
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut ratios = [const { Vec::new() }; 6];
    for _ in 0..4000 {
        let (tree, moving) = strategy.new_tree(&mut runner).unwrap().current();
        let mut arena = Arena::new();
        let id = lowered(&mut arena, &tree.text());
        let (banded, truth) = both_series(&Tape::compile(&arena, 4, &[id]), moving);
        for (k, ratios) in ratios.iter_mut().enumerate() {
            let (Some(c), Some(exact)) = (banded.output(0, k), truth.output(0, k)) else { break };
            let error = (exact - DoubleDouble::from(c.value)).0.abs();
            if error > 0.0 {
                ratios.push(c.band() / error);
            }
        }
    }
    for (k, ratios) in ratios.iter_mut().enumerate() {
        ratios.sort_by(f64::total_cmp);
        let median = ratios[ratios.len() / 2];
        assert!(ratios.len() > 500 && ratios[0] >= 1.0, "order {k}: {} {}", ratios.len(), ratios[0]);
        // A dozen terms instead of three.
        let most = if k <= 3 { 100.0 } else { 150.0 };
        assert!(median < most, "order {k}: {median}");
    }
}
