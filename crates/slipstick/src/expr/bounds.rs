//! Where a formula and its slope lie while its inputs move within bounds.
//!
//! In: a [`Tape`], and for each of its inputs an interval of values and one of slopes. Out: the same for its
//! first output, by one run over intervals; slopes by the chain rule, as exactly as the intervals allow. From
//! these follows with certainty that a formula has no root, or at most one.

use crate::expr::interval::Interval;
use crate::expr::operation::{BinaryOp, Smoothness, UnaryOp};
use crate::expr::tape::{Instruction, Tape};

const ZERO: Interval = Interval::ZERO;

/// What is known of a value that moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Where it lies.
    pub value: Interval,
    /// Where its slope lies, apart from jumps.
    pub slope: Interval,
    /// Whether it may jump.
    pub jumps: bool,
}

/// Working memory for runs over intervals, shared by any number of tapes.
#[derive(Clone, Debug, Default)]
pub struct Boxes {
    registers: Vec<Bounds>,
}

impl Bounds {
    const NOWHERE: Self = Self { value: ZERO, slope: ZERO, jumps: false };

    /// A value that does not move.
    pub fn fixed(value: f64) -> Self {
        Self { value: Interval::point(value), ..Self::NOWHERE }
    }

    /// A value that moves smoothly.
    pub fn moving(value: Interval, slope: Interval) -> Self {
        Self { value, slope, jumps: false }
    }

    /// The result of an operation on two that does not jump by itself.
    pub(super) fn smooth(a: Self, b: Self, value: Interval, slope: impl Fn() -> Interval) -> Self {
        let still = a.slope == ZERO && b.slope == ZERO;
        Self { value, slope: if still { ZERO } else { slope() }, jumps: a.jumps || b.jumps }
    }

    /// Whether it moves one way only: then it has one root at most, and its ends tell whether it has that.
    pub fn is_monotone(&self) -> bool {
        !self.jumps && self.value.is_bounded() && self.slope.is_bounded() && !self.slope.contains(0.0)
    }
}

impl Boxes {
    /// The inputs of a tape, to be set where the tape reads them.
    pub fn inputs_of(&mut self, tape: &Tape) -> &mut [Bounds] {
        if self.registers.len() < tape.register_count {
            self.registers.resize(tape.register_count, Bounds::NOWHERE);
        }
        &mut self.registers[..tape.input_count]
    }

    /// The bounds of the first output of a tape, for the inputs that were set.
    pub fn run(&mut self, tape: &Tape) -> Bounds {
        self.inputs_of(tape);
        let registers = self.registers.as_mut_slice();
        for (register, &constant) in registers[tape.input_count..].iter_mut().zip(&tape.constants) {
            *register = Bounds::fixed(constant);
        }
        for step in &tape.steps {
            step.bound(registers);
        }
        let first = tape.outputs.first();
        first.map_or(Bounds::moving(Interval::WHOLE, Interval::WHOLE), |&output| registers[output as usize])
    }
}

impl Instruction {
    fn bound(self, registers: &mut [Bounds]) {
        let of = |register: u32| registers[register as usize];
        let (to, bounds) = match self {
            Self::Add(to, a, b) => (to, binary(BinaryOp::Add, of(a), of(b))),
            Self::Subtract(to, a, b) => (to, binary(BinaryOp::Subtract, of(a), of(b))),
            Self::Multiply(to, a, b) if a == b => (to, square(of(a))),
            Self::Multiply(to, a, b) => (to, binary(BinaryOp::Multiply, of(a), of(b))),
            Self::Divide(to, a, b) => (to, binary(BinaryOp::Divide, of(a), of(b))),
            Self::Negate(to, x) => (to, unary(UnaryOp::Negate, of(x))),
            Self::Unary(op, to, x) => (to, unary(op, of(x))),
            Self::Binary(op, to, a, b) => (to, binary(op, of(a), of(b))),
            Self::Select(to, c, a, b) => (to, select(of(c), of(a), of(b))),
        };
        registers[to as usize] = bounds;
    }
}

/// A product in which nothing times anything is nothing.
pub(super) fn times(a: Interval, b: Interval) -> Interval {
    if a == ZERO || b == ZERO { ZERO } else { a * b }
}

/// A quotient in which nothing by anything is nothing.
pub(super) fn over(a: Interval, b: Interval) -> Interval {
    if a == ZERO { ZERO } else { a / b }
}

fn square(x: Bounds) -> Bounds {
    let slope = times(Interval::point(2.0), times(x.value, x.slope));
    Bounds { value: x.value.square(), slope, jumps: x.jumps }
}

fn unary(op: UnaryOp, x: Bounds) -> Bounds {
    let row = op.row();
    let value = (row.interval)(x.value);
    let slope = if x.slope == ZERO { ZERO } else { (row.slope)(x.value, x.slope, value) };
    let jumps = if row.smoothness == Smoothness::Jump { value.is_open() } else { x.jumps };
    Bounds { value, slope, jumps }
}

fn binary(op: BinaryOp, a: Bounds, b: Bounds) -> Bounds {
    let row = op.row();
    (row.bounds)(a, b, (row.interval)(a.value, b.value))
}

/// A condition that may change makes its value jump.
fn select(condition: Bounds, yes: Bounds, no: Bounds) -> Bounds {
    let (holds, fails) = condition.value.branches();
    Bounds {
        value: condition.value.select(yes.value, no.value),
        slope: condition.value.select(yes.slope, no.slope),
        jumps: (holds && (fails || yes.jumps)) || (fails && no.jumps),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Arena, InputId, parse};

    /// The bounds of a formula of x, which moves from `lo` to `hi` at the slope 1.
    fn bounds(text: &str, lo: f64, hi: f64) -> Bounds {
        let mut arena = Arena::new();
        let x = arena.input(InputId(0));
        let id = parse(text).unwrap().lower(&mut arena, &mut |_| Some(x)).unwrap();
        let tape = Tape::compile(&arena, 1, &[id]);
        let mut boxes = Boxes::default();
        boxes.inputs_of(&tape)[0] = Bounds::moving(Interval::new(lo, hi), Interval::point(1.0));
        boxes.run(&tape)
    }

    #[test]
    fn a_bell_is_excluded_far_away_and_monotone_beside_its_top() {
        let bell = "exp(-((x - 5) / 0.1)^2) - 0.5";
        assert!(bounds(bell, 0.0, 4.0).value.hi < -0.49);
        assert!(bounds(bell, 0.0, 10.0).value.contains(0.0));
        let left = bounds(bell, 4.85, 4.95);
        assert!(left.is_monotone() && left.slope.lo > 0.0, "{left:?}");
        assert!(!bounds(bell, 4.95, 5.05).is_monotone());
    }

    #[test]
    fn a_pole_is_not_monotone() {
        for text in ["tan(x)", "1 / (x - 1.5)", "atan(1 / (x - 1.5))", "atan2(x - 1.5, -1)"] {
            assert!(!bounds(text, 1.0, 2.0).is_monotone(), "{text}");
        }
        assert!(bounds("tan(x)", 0.0, 1.0).is_monotone());
    }

    #[test]
    fn a_jump_is_told() {
        assert!(bounds("x - 3 * floor(x / 2)", 1.0, 2.5).jumps);
        assert!(bounds("if(x > 1, x - 2, x)", 0.0, 2.0).jumps);
        assert!(bounds("x - 3 * floor(x / 2)", 2.1, 2.5).is_monotone());
        assert!(bounds("if(x > 1, x, x - floor(x))", 1.5, 3.0).is_monotone());
        assert!(bounds("mod(x, 2) + 1", 0.5, 1.5).is_monotone());
    }

    #[test]
    fn a_kink_is_no_jump() {
        let kink = bounds("abs(x) + max(x, 0)", -1.0, 1.0);
        assert!(!kink.jumps && kink.slope.lo >= -1.1 && kink.slope.hi <= 2.1, "{kink:?}");
    }
}
