//! Expressions as a list of instructions over numbered registers.
//!
//! In: an arena and the expressions to compute. Out: a [`Tape`] that computes
//! them as often as wanted, without allocating, bit for bit as
//! [`Arena::evaluate`] does.
//!
//! Registers: first the inputs, then the constants, then values in the making.
//! The latter are used again as soon as nothing needs their value any more, so
//! that even a long tape works in little memory.

use crate::expr::arena::{Arena, ExprId, Node};
use crate::expr::memo::Memo;
use crate::expr::operation::{BinaryOp, Smoothness, UnaryOp};

/// Stands for "has no register yet" and "is never used".
const NONE: u32 = u32::MAX;

/// A compiled list of expressions.
#[derive(Clone, Debug)]
pub struct Tape {
    pub(super) steps: Vec<Instruction>,
    pub(super) outputs: Vec<u32>,
    pub(super) constants: Vec<f64>,
    pub(super) reads: Vec<u32>,
    pub(super) input_count: usize,
    pub(super) register_count: usize,
}

/// The working memory of one [`Tape`]: inputs to be set, constants, and values
/// in the making.
#[derive(Clone, Debug)]
pub struct Registers {
    values: Vec<f64>,
    input_count: usize,
    stamp: u64,
}

/// One instruction. The operations that formulas consist of mostly are spelt
/// out, so that a run decides once per instruction what to do.
#[derive(Clone, Copy, Debug)]
pub(super) enum Instruction {
    Add(u32, u32, u32),
    Subtract(u32, u32, u32),
    Multiply(u32, u32, u32),
    Divide(u32, u32, u32),
    Negate(u32, u32),
    Unary(UnaryOp, u32, u32),
    Binary(BinaryOp, u32, u32, u32),
    Select(u32, u32, u32, u32),
}

impl Registers {
    /// The values of the inputs.
    pub fn inputs(&self) -> &[f64] {
        &self.values[..self.input_count]
    }

    /// The values of the inputs, to be set before a run. A run keeps them.
    pub fn inputs_mut(&mut self) -> &mut [f64] {
        &mut self.values[..self.input_count]
    }

    /// Makes room for a tape of as many inputs, and writes its constants.
    fn serve(&mut self, tape: &Tape) {
        assert_eq!(self.input_count, tape.input_count, "registers of other inputs");
        if self.values.len() < tape.register_count {
            self.values.resize(tape.register_count, 0.0);
        }
        self.values[tape.input_count..][..tape.constants.len()].copy_from_slice(&tape.constants);
    }

    /// Whether some of the inputs still are those with this stamp; zero says nothing. From now on they are.
    #[inline]
    pub fn keeps(&mut self, stamp: u64) -> bool {
        let same = stamp != 0 && self.stamp == stamp;
        self.stamp = stamp;
        same
    }
}

impl Tape {
    /// Compiles `outputs` for `input_count` inputs (more if they use more).
    pub fn compile(arena: &Arena, input_count: usize, outputs: &[ExprId]) -> Self {
        RegisterAllocator::new(arena, input_count, arena.reachable(outputs), outputs).compile(outputs)
    }

    /// Compiles lists of expressions into tapes over the same registers: each
    /// goes on from where runs of those before it have ended, and does nothing
    /// again that they have done. All but the first can go on again and again.
    pub fn compile_continued<const N: usize>(
        arena: &Arena,
        input_count: usize,
        lists: [&[ExprId]; N],
    ) -> [Self; N] {
        let outputs = lists.concat();
        let mut known = vec![false; outputs.iter().map(|id| id.index() + 1).max().unwrap_or(0)];
        let mut order = Vec::new();
        let ends = lists.map(|list| {
            let is_new = |id: &ExprId| !std::mem::replace(&mut known[id.index()], true);
            order.extend(arena.reachable(list).into_iter().filter(is_new));
            order.len()
        });
        let mut compiler = RegisterAllocator::new(arena, input_count, order, &outputs);
        compiler.keep_for(ends.first().copied().unwrap_or(0));
        let order = std::mem::take(&mut compiler.order);
        let mut begun = 0;
        let mut steps =
            ends.map(|end| compiler.steps(&order, std::mem::replace(&mut begun, end)..end)).into_iter();
        lists.map(|list| compiler.tape(steps.next().unwrap_or_default(), list))
    }

    /// Working memory for this tape: the only allocation it needs. Inputs are 0.
    pub fn registers(&self) -> Registers {
        let mut values = vec![0.0; self.register_count];
        let first = self.input_count;
        values[first..first + self.constants.len()].copy_from_slice(&self.constants);
        Registers { values, input_count: self.input_count, stamp: 0 }
    }

    /// Computes all outputs for the inputs in `registers`, in order, into `out`.
    ///
    /// Both branches of a selection are computed and one is chosen; a NaN in
    /// the other does no harm. So the time of a run does not depend on values.
    ///
    /// # Panics
    /// If `registers` come from a tape of another size or `out` has not exactly
    /// one place per output.
    pub fn run(&self, registers: &mut Registers, out: &mut [f64]) {
        assert_eq!(registers.values.len(), self.register_count, "registers of another tape");
        assert_eq!(out.len(), self.outputs.len(), "one place per output");
        let values = registers.values.as_mut_slice();
        for &step in &self.steps {
            step.run(values);
        }
        for (place, &register) in out.iter_mut().zip(&self.outputs) {
            *place = values[register as usize];
        }
    }

    /// The same with working memory that serves many tapes of as many inputs: each brings its own constants.
    ///
    /// # Panics
    /// If the tapes have not the same number of inputs, or `out` has not exactly one place per output.
    pub fn run_in(&self, shared: &mut Registers, out: &mut [f64]) {
        shared.serve(self);
        assert_eq!(out.len(), self.outputs.len(), "one place per output");
        let values = shared.values.as_mut_slice();
        for &step in &self.steps {
            step.run(values);
        }
        for (place, &register) in out.iter_mut().zip(&self.outputs) {
            *place = values[register as usize];
        }
    }

    /// The inputs that the outputs depend on.
    pub fn reads(&self) -> impl Iterator<Item = usize> + '_ {
        self.reads.iter().map(|&input| input as usize)
    }

    /// The same, as they are kept.
    pub fn read_list(&self) -> &[u32] {
        &self.reads
    }

    /// How many inputs a run has.
    pub fn input_count(&self) -> usize {
        self.input_count
    }

    /// How many values a run gives.
    pub fn output_count(&self) -> usize {
        self.outputs.len()
    }

    /// How many instructions a run takes.
    pub fn operation_count(&self) -> usize {
        self.steps.len()
    }

    /// How many registers a run uses, inputs and constants included.
    pub fn register_count(&self) -> usize {
        self.register_count
    }
}

impl Instruction {
    /// The register of the result and those of the operands.
    pub(super) fn registers(self) -> (u32, [Option<u32>; 3]) {
        match self {
            Self::Add(to, a, b)
            | Self::Subtract(to, a, b)
            | Self::Multiply(to, a, b)
            | Self::Divide(to, a, b)
            | Self::Binary(_, to, a, b) => (to, [Some(a), Some(b), None]),
            Self::Negate(to, x) | Self::Unary(_, to, x) => (to, [Some(x), None, None]),
            Self::Select(to, c, a, b) => (to, [Some(c), Some(a), Some(b)]),
        }
    }

    /// Whether the operation has kinks or jumps.
    pub(super) fn smoothness(self) -> Smoothness {
        match self {
            Self::Unary(op, ..) => op.smoothness(),
            Self::Binary(op, ..) => op.smoothness(),
            Self::Select(..) => Smoothness::Jump,
            _ => Smoothness::Smooth,
        }
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "the body of the loop in `run`")]
    fn run(self, values: &mut [f64]) {
        let of = |register: u32| values[register as usize];
        let (to, value) = match self {
            Self::Add(to, a, b) => (to, of(a) + of(b)),
            Self::Subtract(to, a, b) => (to, of(a) - of(b)),
            Self::Multiply(to, a, b) => (to, of(a) * of(b)),
            Self::Divide(to, a, b) => (to, of(a) / of(b)),
            Self::Negate(to, x) => (to, -of(x)),
            Self::Unary(op, to, x) => (to, op.apply(of(x))),
            Self::Binary(op, to, a, b) => (to, op.apply(of(a), of(b))),
            Self::Select(to, c, a, b) => {
                let (yes, no) = (of(a), of(b));
                (to, if of(c) == 0.0 { no } else { yes })
            }
        };
        values[to as usize] = value;
    }
}

/// Gives every expression a register.
struct RegisterAllocator<'a> {
    arena: &'a Arena,
    order: Vec<ExprId>,
    /// The register of each expression, or `NONE`.
    register: Memo<u32>,
    /// The position in `order` of the last user of each expression.
    last_use: Memo<u32>,
    constants: Vec<f64>,
    reads: Vec<u32>,
    free: Vec<u32>,
    input_count: u32,
    register_count: u32,
}

impl<'a> RegisterAllocator<'a> {
    fn new(arena: &'a Arena, input_count: usize, order: Vec<ExprId>, outputs: &[ExprId]) -> Self {
        let used = order.iter().filter_map(|&id| match arena.node(id) {
            Node::Input(input) => Some(input.index() + 1),
            _ => None,
        });
        let input_count = used.max().unwrap_or(0).max(input_count);
        let mut compiler = Self {
            arena,
            register: Memo::new(&order, NONE),
            last_use: Memo::new(&order, 0),
            constants: Vec::new(),
            reads: Vec::new(),
            free: Vec::new(),
            input_count: register(input_count),
            register_count: 0,
            order,
        };
        compiler.find_last_uses(outputs);
        compiler.place_leaves();
        compiler
    }

    fn find_last_uses(&mut self, outputs: &[ExprId]) {
        for (position, &id) in (0..).zip(&self.order) {
            for operand in self.arena.node(id).operands() {
                self.last_use[operand.index()] = position;
            }
        }
        for id in outputs {
            self.last_use[id.index()] = NONE;
        }
    }

    /// What is made before a position and used from there on keeps its register.
    fn keep_for(&mut self, begun: usize) {
        for &id in &self.order[begun..] {
            for operand in self.arena.node(id).operands() {
                self.last_use[operand.index()] = NONE;
            }
        }
    }

    /// Inputs and constants keep their registers through all runs.
    fn place_leaves(&mut self) {
        for &id in &self.order {
            match self.arena.node(id) {
                Node::Input(input) => {
                    self.register[id.index()] = input.0;
                    self.reads.push(input.0);
                }
                Node::Constant(value) => {
                    let place = self.input_count + register(self.constants.len());
                    self.register[id.index()] = place;
                    self.constants.push(value);
                }
                _ => continue,
            }
            self.last_use[id.index()] = NONE;
        }
        self.register_count = self.input_count + register(self.constants.len());
    }

    fn compile(mut self, outputs: &[ExprId]) -> Tape {
        let order = std::mem::take(&mut self.order);
        let steps = self.steps(&order, 0..order.len());
        self.tape(steps, outputs)
    }

    fn steps(&mut self, order: &[ExprId], part: std::ops::Range<usize>) -> Vec<Instruction> {
        let positions = register(part.start)..;
        let step = |(position, &id): (u32, &ExprId)| self.step(id, position);
        positions.zip(&order[part]).filter_map(step).collect()
    }

    fn tape(&self, steps: Vec<Instruction>, outputs: &[ExprId]) -> Tape {
        Tape {
            steps,
            outputs: outputs.iter().map(|&id| self.register[id.index()]).collect(),
            constants: self.constants.clone(),
            reads: self.reads.clone(),
            input_count: self.input_count as usize,
            register_count: self.register_count as usize,
        }
    }

    fn step(&mut self, id: ExprId, position: u32) -> Option<Instruction> {
        Some(match self.arena.node(id) {
            Node::Constant(_) | Node::Input(_) => return None,
            Node::Unary(op, x) => {
                let from = self.register[x.index()];
                let to = self.target(id, position);
                match op {
                    UnaryOp::Negate => Instruction::Negate(to, from),
                    _ => Instruction::Unary(op, to, from),
                }
            }
            Node::Binary(op, a, b) => {
                let (a, b) = (self.register[a.index()], self.register[b.index()]);
                let to = self.target(id, position);
                match op {
                    BinaryOp::Add => Instruction::Add(to, a, b),
                    BinaryOp::Subtract => Instruction::Subtract(to, a, b),
                    BinaryOp::Multiply => Instruction::Multiply(to, a, b),
                    BinaryOp::Divide => Instruction::Divide(to, a, b),
                    _ => Instruction::Binary(op, to, a, b),
                }
            }
            Node::Select(c, a, b) => {
                let [c, a, b] = [c, a, b].map(|operand| self.register[operand.index()]);
                Instruction::Select(self.target(id, position), c, a, b)
            }
        })
    }

    /// A register for the result. Operands that end here give theirs up first:
    /// an instruction reads everything before it writes.
    fn target(&mut self, id: ExprId, position: u32) -> u32 {
        for operand in self.arena.node(id).operands() {
            if self.last_use[operand.index()] == position {
                // Once only, though an operand may occur twice (x * x).
                self.last_use[operand.index()] = NONE;
                self.free.push(self.register[operand.index()]);
            }
        }
        let to = self.free.pop().unwrap_or_else(|| {
            self.register_count += 1;
            self.register_count - 1
        });
        self.register[id.index()] = to;
        to
    }
}

/// Registers are as many as expressions at most, and those have 32-bit ids.
fn register(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(NONE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::arena::InputId;

    fn run(tape: &Tape, inputs: &[f64]) -> Vec<f64> {
        let mut registers = tape.registers();
        registers.inputs_mut().copy_from_slice(inputs);
        let mut out = vec![0.0; tape.output_count()];
        tape.run(&mut registers, &mut out);
        assert_eq!(registers.inputs(), inputs, "a run keeps the inputs");
        out
    }

    #[test]
    fn shared_work_is_done_once() {
        let mut arena = Arena::new();
        let [x, y] = [0, 1].map(|n| arena.input(InputId(n)));
        let sum = arena.add(x, y);
        let sine = arena.unary(UnaryOp::Sin, sum);
        let square = arena.mul(sine, sine);
        let tape = Tape::compile(&arena, 2, &[square, sum, sine]);
        assert_eq!(tape.operation_count(), 3);
        assert_eq!(tape.reads().collect::<Vec<_>>(), [0, 1]);
        let sine = 3.0_f64.sin();
        assert_eq!(run(&tape, &[1.0, 2.0]), [sine * sine, 3.0, sine]);
    }

    #[test]
    fn a_tape_goes_on_from_another() {
        let mut arena = Arena::new();
        let [x, y] = [0, 1].map(|n| arena.input(InputId(n)));
        let sine = arena.unary(UnaryOp::Sin, x);
        let early = arena.mul(sine, y);
        let cosine = arena.unary(UnaryOp::Cos, y);
        let square = arena.mul(sine, sine);
        let late = arena.mul(early, cosine);
        let further = arena.mul(square, cosine);
        let [first, second, third] =
            Tape::compile_continued(&arena, 2, [&[late], &[square, early, y], &[further]]);
        assert_eq!([&first, &second, &third].map(Tape::operation_count), [4, 1, 1]);
        let mut registers = first.registers();
        registers.inputs_mut().copy_from_slice(&[0.3, 0.7]);
        let (mut out, mut more, mut last) = ([0.0], [0.0; 3], [0.0]);
        first.run(&mut registers, &mut out);
        for _ in 0..2 {
            second.run(&mut registers, &mut more);
            assert_eq!(more[..], arena.evaluate(&[square, early, y], &[0.3, 0.7]));
            third.run(&mut registers, &mut last);
            assert_eq!(last[..], arena.evaluate(&[further], &[0.3, 0.7]));
        }
        assert_eq!(out[..], arena.evaluate(&[late], &[0.3, 0.7]));
    }

    #[test]
    fn registers_are_used_again() {
        let mut arena = Arena::new();
        let mut value = arena.input(InputId(0));
        for _ in 0..1000 {
            value = arena.unary(UnaryOp::Sin, value);
            value = arena.mul(value, value);
        }
        let tape = Tape::compile(&arena, 1, &[value]);
        assert_eq!(tape.operation_count(), 2000);
        assert_eq!(tape.register_count(), 2);
        let expected = arena.evaluate(&[value], &[0.3]);
        assert_eq!(run(&tape, &[0.3]), expected);
    }

    #[test]
    fn outputs_may_be_inputs_constants_or_repeated() {
        let mut arena = Arena::new();
        let [x, y] = [0, 1].map(|n| arena.input(InputId(n)));
        let two = arena.constant(2.0);
        let sum = arena.add(x, two);
        let tape = Tape::compile(&arena, 2, &[y, two, sum, sum, x]);
        assert_eq!(run(&tape, &[3.0, 4.0]), [4.0, 2.0, 5.0, 5.0, 3.0]);
    }

    #[test]
    fn an_empty_tape_runs() {
        let tape = Tape::compile(&Arena::new(), 3, &[]);
        assert_eq!(tape.input_count(), 3);
        assert_eq!(run(&tape, &[1.0, 2.0, 3.0]), []);
    }

    #[test]
    fn too_few_announced_inputs_are_corrected() {
        let mut arena = Arena::new();
        let x = arena.input(InputId(6));
        assert_eq!(Tape::compile(&arena, 2, &[x]).input_count(), 7);
    }

    #[test]
    fn nan_in_the_branch_not_taken_does_not_leak() {
        let mut arena = Arena::new();
        let x = arena.input(InputId(0));
        let zero = arena.constant(0.0);
        let root = arena.unary(UnaryOp::Sqrt, x);
        let positive = arena.binary(BinaryOp::Less, zero, x);
        let chosen = arena.select(positive, root, zero);
        let tape = Tape::compile(&arena, 1, &[chosen]);
        assert_eq!(run(&tape, &[-4.0]), [0.0]);
        assert_eq!(run(&tape, &[4.0]), [2.0]);
    }

    #[test]
    fn one_set_of_registers_serves_many_runs() {
        let mut arena = Arena::new();
        let x = arena.input(InputId(0));
        let square = arena.mul(x, x);
        let tape = Tape::compile(&arena, 1, &[square]);
        let mut registers = tape.registers();
        let mut out = [0.0];
        for value in [1.0, 2.0, 3.0] {
            registers.inputs_mut()[0] = value;
            tape.run(&mut registers, &mut out);
            assert_eq!(out, [value * value]);
        }
    }
}
