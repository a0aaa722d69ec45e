//! Where a formula and its slope lie while its inputs move within bounds.
//!
//! In: a [`Tape`], and for each of its inputs an interval of values and one of slopes. Out: the same for its first output, by one run over
//! intervals; slopes by the chain rule, as exactly as the intervals allow. From these follows with certainty that a formula has no root, or
//! at most one.

use crate::expr::interval::Interval;
use crate::expr::operation::{BinaryOp, UnaryOp};
use crate::expr::tape::{Step, Tape};

const ZERO: Interval = Interval { lo: 0.0, hi: 0.0, nan: false };

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
}

impl Tape {
    /// The bounds of the first output, for the inputs in `boxes`.
    pub fn bounds(&self, boxes: &mut Boxes) -> Bounds {
        boxes.inputs_of(self);
        let registers = boxes.registers.as_mut_slice();
        for (register, &constant) in registers[self.input_count..].iter_mut().zip(&self.constants) {
            *register = Bounds::fixed(constant);
        }
        for step in &self.steps {
            step.bound(registers);
        }
        let first = self.outputs.first();
        first.map_or(Bounds::moving(Interval::WHOLE, Interval::WHOLE), |&output| registers[output as usize])
    }
}

impl Step {
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
fn times(a: Interval, b: Interval) -> Interval {
    if a == ZERO || b == ZERO { ZERO } else { a * b }
}

/// A quotient in which nothing by anything is nothing.
fn over(a: Interval, b: Interval) -> Interval {
    if a == ZERO { ZERO } else { a / b }
}

fn square(x: Bounds) -> Bounds {
    let slope = times(Interval::point(2.0), times(x.value, x.slope));
    Bounds { value: x.value.square(), slope, jumps: x.jumps }
}

fn unary(op: UnaryOp, x: Bounds) -> Bounds {
    let value = x.value.unary(op);
    let (v, d) = (x.value, x.slope);
    let one = Interval::point(1.0);
    let root = |under: Interval| over(d, under.unary(UnaryOp::Sqrt));
    let slope = match op {
        _ if d == ZERO => ZERO,
        UnaryOp::Negate => -d,
        UnaryOp::Sin => times(v.unary(UnaryOp::Cos), d),
        UnaryOp::Cos => -times(v.unary(UnaryOp::Sin), d),
        UnaryOp::Tan => times(one + value.square(), d),
        UnaryOp::Asin => root(one - v.square()),
        UnaryOp::Acos => -root(one - v.square()),
        UnaryOp::Atan => over(d, one + v.square()),
        UnaryOp::Sinh => times(v.unary(UnaryOp::Cosh), d),
        UnaryOp::Cosh => times(v.unary(UnaryOp::Sinh), d),
        UnaryOp::Tanh => over(d, v.unary(UnaryOp::Cosh).square()),
        UnaryOp::Asinh => root(one + v.square()),
        UnaryOp::Acosh => root(v.square() - one),
        UnaryOp::Atanh => over(d, one - v.square()),
        UnaryOp::Exp => times(value, d),
        UnaryOp::Ln => over(d, v),
        UnaryOp::Log10 => over(d, times(v, Interval::point(std::f64::consts::LN_10))),
        UnaryOp::Sqrt => over(d, times(Interval::point(2.0), value)),
        UnaryOp::Cbrt => over(d, times(Interval::point(3.0), value.square())),
        UnaryOp::Abs => times(v.unary(UnaryOp::Sign), d),
        UnaryOp::Not | UnaryOp::Sign | UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Round => ZERO,
    };
    let stepped =
        matches!(op, UnaryOp::Not | UnaryOp::Sign | UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Round);
    Bounds { value, slope, jumps: if stepped { value.is_open() } else { x.jumps } }
}

fn binary(op: BinaryOp, a: Bounds, b: Bounds) -> Bounds {
    let value = a.value.binary(op, b.value);
    let ((va, da), (vb, db)) = ((a.value, a.slope), (b.value, b.slope));
    let mut jumps = a.jumps || b.jumps;
    let slope = match op {
        BinaryOp::Add => da + db,
        BinaryOp::Subtract => da - db,
        BinaryOp::Multiply => times(da, vb) + times(va, db),
        _ if da == ZERO && db == ZERO && !is_stepped(op) => ZERO,
        BinaryOp::Divide => over(da - times(value, db), vb),
        BinaryOp::Power => power_slope(a, b, value),
        BinaryOp::Atan2 => {
            jumps |= vb.lo <= 0.0 && va.contains(0.0);
            over(times(vb, da) - times(va, db), va.square() + vb.square())
        }
        BinaryOp::Hypot => over(times(va, da) + times(vb, db), value),
        BinaryOp::Min => va.binary(BinaryOp::Less, vb).select(da, db),
        BinaryOp::Max => va.binary(BinaryOp::Less, vb).select(db, da),
        BinaryOp::Modulo => {
            let count = over(va, vb).unary(UnaryOp::Floor);
            jumps |= count.is_open();
            da - times(count, db)
        }
        _ => {
            jumps = value.is_open();
            ZERO
        }
    };
    Bounds { value, slope, jumps }
}

/// Whether an operation has the slope zero and may jump.
fn is_stepped(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Modulo
            | BinaryOp::Less
            | BinaryOp::LessEqual
            | BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::And
            | BinaryOp::Or
    )
}

/// `a^b (b' ln a + b a' / a)`, without the logarithm where the exponent does not move.
fn power_slope(a: Bounds, b: Bounds, value: Interval) -> Interval {
    if b.slope == ZERO {
        let exponent = b.value - Interval::point(1.0);
        // One less than a whole number is a whole number.
        let exponent = if b.value.is_open() { exponent } else { Interval::point(b.value.lo - 1.0) };
        let lower = a.value.binary(BinaryOp::Power, exponent);
        return times(times(b.value, lower), a.slope);
    }
    let growth = times(b.slope, a.value.unary(UnaryOp::Ln)) + over(times(b.value, a.slope), a.value);
    times(value, growth)
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
        tape.bounds(&mut boxes)
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
