//! Runs of a tape with error bounds: the value of a formula and how far it can be from the true one.
//!
//! In: a [`Tape`] and its inputs with their bounds. Out: its outputs with theirs. This is order zero of
//! [`series`](super::series), as a lean run of its own.

use crate::expr::band::Inexact;
use crate::expr::operation::{BinaryOp, Smoothness};
use crate::expr::tape::{Instruction, Tape};

/// Working memory for runs of tapes with error bounds.
#[derive(Clone, Debug, Default)]
pub struct Bands {
    registers: Vec<Inexact>,
}

impl Bands {
    /// The inputs of a tape, to be set where the tape reads them.
    pub fn inputs_of(&mut self, tape: &Tape) -> &mut [Inexact] {
        if self.registers.len() < tape.register_count {
            self.registers.resize(tape.register_count, Inexact::ZERO);
        }
        &mut self.registers[..tape.input_count]
    }

    /// The first output of a tape with its bound, for the inputs that were set; undefined if there is none.
    pub fn run(&mut self, tape: &Tape) -> Inexact {
        self.run_steps(tape);
        tape.outputs.first().map_or(Inexact::UNDEFINED, |&output| self.registers[output as usize])
    }

    /// All outputs of a tape with their bounds, in order, into `out`.
    pub fn run_all(&mut self, tape: &Tape, out: &mut [Inexact]) {
        self.run_steps(tape);
        for (place, &register) in out.iter_mut().zip(&tape.outputs) {
            *place = self.registers[register as usize];
        }
    }

    fn run_steps(&mut self, tape: &Tape) {
        self.inputs_of(tape);
        let registers = self.registers.as_mut_slice();
        for (register, &constant) in registers[tape.input_count..].iter_mut().zip(&tape.constants) {
            *register = Inexact::number(constant);
        }
        for step in &tape.steps {
            let (to, result) = step.banded(registers);
            registers[to] = result;
        }
    }
}

impl Instruction {
    #[inline(always)]
    fn banded(self, registers: &[Inexact]) -> (usize, Inexact) {
        let of = |register: u32| registers[register as usize];
        let (to, result) = match self {
            Self::Add(to, a, b) => (to, of(a) + of(b)),
            Self::Subtract(to, a, b) => (to, of(a) - of(b)),
            Self::Multiply(to, a, b) => (to, of(a) * of(b)),
            Self::Divide(to, a, b) => (to, of(a) / of(b)),
            Self::Negate(to, x) => (to, -of(x)),
            Self::Binary(BinaryOp::Modulo, to, a, b) => {
                let count = Inexact::number((of(a).value / of(b).value).floor());
                (to, of(a) - of(b) * count)
            }
            Self::Unary(op, to, x) => (to, decided(of(x).unary(op), self)),
            Self::Binary(op, to, a, b) => (to, decided(of(a).binary(op, of(b)), self)),
            Self::Select(to, c, a, b) => (to, of(c).select(of(a), of(b))),
        };
        (to as usize, result)
    }
}

/// The value decides its side of a jump: there the sign of a guard changes, between two floats. As an
/// uncertainty a jump would hide every root around it.
#[inline(always)]
fn decided(result: Inexact, step: Instruction) -> Inexact {
    if step.smoothness() == Smoothness::Jump { Inexact::number(result.value) } else { result }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::arena::{Arena, InputId};
    use crate::expr::double_double::DoubleDouble;
    use crate::expr::operation::UnaryOp;
    use crate::expr::parse::parse;
    use crate::expr::properties::{inputs, lowered, smooth};
    use crate::expr::series::Series;
    use proptest::prelude::*;

    /// The band of a formula of x, which moves, and the parameter p.
    fn banded(text: &str, x: Inexact, p: f64) -> Inexact {
        let mut arena = Arena::new();
        let ids = [0, 1].map(|n| arena.input(InputId(n)));
        let mut resolve = |name: &str| "xp".find(name).map(|k| ids[k]);
        let id = parse(text).unwrap().lower(&mut arena, &mut resolve).unwrap();
        let tape = Tape::compile(&arena, 2, &[id]);
        let mut bands = Bands::default();
        bands.inputs_of(&tape).copy_from_slice(&[x, Inexact::number(p)]);
        bands.run(&tape)
    }

    #[test]
    fn cancellation_is_seen() {
        let x = Inexact::rounded(1e8);
        let lost = banded("(x + 1) - x", x, 0.0);
        assert!(lost.value == 1.0 && lost.bound > 2e-8 && lost.bound < 5e-8, "{lost:?}");
        assert_eq!(banded("x - 3", Inexact::exact(3.0), 0.0), Inexact::ZERO);
    }

    #[test]
    fn whole_numbers_stay_exact() {
        assert_eq!(banded("2 * (x + 1) - 7", Inexact::exact(3.0), 0.0), Inexact::exact(1.0));
        let sum = banded("x + p", Inexact::exact(0.1), 0.25);
        assert!(sum.bound > 0.0 && sum.bound <= 0.5 * f64::EPSILON, "{sum:?}");
    }

    #[test]
    fn a_value_that_has_underflowed_says_nothing_of_its_surroundings() {
        let wide = banded("exp(x)", Inexact { value: -1e6, bound: 1e6 }, 0.0);
        assert!(wide.value == 0.0 && wide.bound >= 1.0 && wide.bound < 1.1, "{wide:?}");
    }

    #[test]
    fn a_scale_changes_nothing() {
        for scale in [1e-30, 1.0, 1e30] {
            let g = banded("x - p", Inexact::rounded(0.3 * scale), 0.1 * scale);
            assert!((g.bound / (0.6 * scale * 2.0_f64.powi(-53)) - 1.0).abs() < 1e-9, "{g:?}");
        }
    }

    #[test]
    fn jumps_are_decided_by_values() {
        let x = Inexact { value: 1.0, bound: 1e-9 };
        assert_eq!(banded("if(p == 0.1, x, x + 5)", x, 0.1), x);
        assert_eq!(banded("if(x < 2, x, x + 5)", x, 0.1), x);
        assert!(banded("if(x < 1, x, x + 5)", x, 0.1).bound < 2e-9);
        assert_eq!(banded("floor(x) + sign(x - 1)", x, 0.1).bound, 0.0);
        let left = banded("mod(x, 0.25)", x, 0.1);
        assert!(left.value == 0.0 && left.bound >= 1e-9 && left.bound < 2e-9, "{left:?}");
    }

    #[test]
    fn where_there_may_be_no_value_there_is_no_bound() {
        let x = Inexact { value: 1e-9, bound: 1e-9 };
        for text in ["1 / x", "ln(x)", "x^-0.5", "log10(x)", "atanh(1 - x)"] {
            assert!(!banded(text, x, 0.0).is_finite(), "{text}");
        }
        for (text, most) in [("sqrt(x)", 4e-5), ("x^0.5", 4e-5), ("cbrt(x)", 2e-3), ("acos(1 - x)", 2e-4)] {
            let root = banded(text, x, 0.0);
            assert!(root.bound < most, "{text}: {root:?}");
        }
    }

    /// A value, a bound of any size, and a true value within it.
    fn uncertain() -> impl Strategy<Value = (Inexact, DoubleDouble)> {
        let value = prop_oneof![
            3 => -3.0..3.0_f64,
            1 => prop::sample::select(vec![0.0, 1.0, -1.0, 2.0, 0.5, 1.5, -2.0]),
            1 => (-12.0..-1.0_f64).prop_map(|exponent| 1.0 - 10f64.powf(exponent)),
            1 => (-12.0..2.0_f64).prop_map(|exponent| 10f64.powf(exponent)),
        ];
        (value, -20.0..-0.5_f64, -1.0..=1.0_f64).prop_map(|(value, exponent, part)| {
            let bound = 10f64.powf(exponent);
            (Inexact { value, bound }, DoubleDouble::from(value) + DoubleDouble::from(part * bound))
        })
    }

    /// Whether a true result is within the band of a computed one. What has no value in truth has no band
    /// either.
    fn holds(computed: Inexact, truth: DoubleDouble) -> bool {
        let error = (truth - DoubleDouble::from(computed.value)).0.abs();
        !truth.0.is_finite() || !computed.value.is_finite() || error <= computed.band() * (1.0 + 1e-9)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_band_holds_what_an_operation_truly_gives((x, truth) in uncertain()) {
            for &op in UnaryOp::ALL {
                let (computed, exact) = (x.unary(op), truth.unary(op));
                prop_assert!(holds(computed, exact), "{op:?} of {x:?}: {computed:?}, in truth {exact:?}");
            }
        }

        #[test]
        fn a_band_holds_what_an_operation_on_two_truly_gives((a, left) in uncertain(), (b, right) in uncertain()) {
            for &op in BinaryOp::ALL {
                let (computed, exact) = (a.binary(op, b), left.binary(op, right));
                prop_assert!(holds(computed, exact), "{op:?} of {a:?}, {b:?}: {computed:?}, in truth {exact:?}");
            }
        }

        #[test]
        fn a_lean_run_gives_order_zero_of_the_series(tree in smooth(), point in inputs()) {
            let mut arena = Arena::new();
            let id = lowered(&mut arena, &tree.text());
            let tape = Tape::compile(&arena, 4, &[id]);
            let (mut bands, mut series) = (Bands::default(), Series::new(&tape, 1, &|_| true));
            for (input, &value) in point.iter().enumerate() {
                bands.inputs_of(&tape)[input] = Inexact::rounded(value);
                series.set_input(input, 0, Inexact::rounded(value));
            }
            series.extend(0);
            let lean = bands.run(&tape);
            let first = series.output(0, 0);
            prop_assert_eq!(first.is_some(), lean.is_finite());
            // Operands may be in another order, so that the last digit of the bound differs.
            prop_assert!(first.is_none_or(|c| c.value == lean.value && (c.bound - lean.bound).abs() <= 1e-12 * lean.bound));
        }
    }
}
