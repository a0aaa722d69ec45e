//! Where many formulas lie while their inputs move within intervals: as [`bounds`](super::bounds) without slopes, for all outputs of a tape at
//! once. What the formulas share is computed once.

use crate::expr::interval::Interval;
use crate::expr::operation::{BinaryOp, UnaryOp};
use crate::expr::tape::{Step, Tape};

/// Working memory for such runs.
#[derive(Clone, Debug, Default)]
pub struct Ranges {
    registers: Vec<Interval>,
}

impl Ranges {
    /// The inputs of a tape, to be set where the tape reads them.
    pub fn inputs_of(&mut self, tape: &Tape) -> &mut [Interval] {
        if self.registers.len() < tape.register_count {
            self.registers.resize(tape.register_count, Interval::WHOLE);
        }
        &mut self.registers[..tape.input_count]
    }
}

impl Tape {
    /// Where each output lies, for the inputs in `ranges`.
    pub fn ranges<'a>(&'a self, ranges: &'a mut Ranges) -> impl Iterator<Item = Interval> + 'a {
        ranges.inputs_of(self);
        let registers = ranges.registers.as_mut_slice();
        for (register, &constant) in registers[self.input_count..].iter_mut().zip(&self.constants) {
            *register = Interval::point(constant);
        }
        for step in &self.steps {
            step.range(registers);
        }
        self.outputs.iter().map(|&output| registers[output as usize])
    }
}

impl Step {
    fn range(self, registers: &mut [Interval]) {
        let of = |register: u32| registers[register as usize];
        let (to, range) = match self {
            Self::Add(to, a, b) => (to, of(a).binary(BinaryOp::Add, of(b))),
            Self::Subtract(to, a, b) => (to, of(a).binary(BinaryOp::Subtract, of(b))),
            Self::Multiply(to, a, b) if a == b => (to, of(a).square()),
            Self::Multiply(to, a, b) => (to, of(a).binary(BinaryOp::Multiply, of(b))),
            Self::Divide(to, a, b) => (to, of(a).binary(BinaryOp::Divide, of(b))),
            Self::Negate(to, x) => (to, of(x).unary(UnaryOp::Negate)),
            Self::Unary(op, to, x) => (to, of(x).unary(op)),
            Self::Binary(op, to, a, b) => (to, of(a).binary(op, of(b))),
            Self::Select(to, c, a, b) => (to, of(c).select(of(a), of(b))),
        };
        registers[to as usize] = range;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Arena, Bounds, Boxes, InputId, parse};

    #[test]
    fn ranges_are_the_values_of_bounds() {
        let mut arena = Arena::new();
        let x = arena.input(InputId(0));
        let texts =
            ["x*x - 4", "sqrt(x + 1) / (2 - x)", "if(x > 0, sin(x), -x^3)", "max(x, 0.1) + mod(x, 2)"];
        let mut lower = |text: &str| parse(text).unwrap().lower(&mut arena, &mut |_| Some(x)).unwrap();
        let ids = texts.map(&mut lower);
        let (all, piece) = (Tape::compile(&arena, 1, &ids), Interval::new(-0.5, 0.75));
        let (mut ranges, mut boxes) = (Ranges::default(), Boxes::default());
        ranges.inputs_of(&all)[0] = piece;
        for (range, id) in all.ranges(&mut ranges).zip(ids) {
            let tape = Tape::compile(&arena, 1, &[id]);
            boxes.inputs_of(&tape)[0] = Bounds::moving(piece, Interval::point(1.0));
            assert_eq!(range, tape.bounds(&mut boxes).value);
        }
    }
}
