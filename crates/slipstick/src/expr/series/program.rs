//! From a tape to recurrences.
//!
//! In: a tape, and which of its inputs depend on the variable of the series. Out: a list of rules, each for
//! one row of coefficients: how to compute order zero, and how to compute an order from those below.
//!
//! The tape is read back into an arena, where equal expressions are one and derivatives are known. An
//! operation without a recurrence of its own is replaced by its rate; the expressions that stand in the rate
//! get rows too, until nothing is missing.

use super::degree::degree;
use crate::expr::arena::{Arena, ExprId, InputId, Node};
use crate::expr::operation::{BinaryOp, Smoothness, UnaryOp};
use crate::expr::rows::PairRates;
use crate::expr::tape::{Instruction, Tape};

/// The first input that stands for the rate of an expression: beyond all others.
const FIRST_RATE: u32 = 1 << 31;

/// The rules for all rows.
#[derive(Clone, Debug)]
pub(super) struct Program {
    /// In an order in which each finds what it needs.
    pub(super) rules: Vec<Recurrence>,
    /// The inputs that are used, ascending.
    pub(super) inputs: Vec<usize>,
    /// Their rows.
    pub(super) input_rows: Vec<u32>,
    pub(super) outputs: Vec<u32>,
    pub(super) row_count: usize,
    /// The total degree of the outputs in the inputs that move, if they are polynomials.
    pub(super) degree: Option<u32>,
    /// Whether each row needs no more than rows before it: then all orders of a row can be computed at once.
    pub(super) by_rows: bool,
}

/// How one row is computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recurrence {
    pub(super) to: u32,
    pub(super) zeroth: Zeroth,
    pub(super) further: Further,
}

/// Order zero: the value. Numbers are rows.
#[derive(Clone, Copy, Debug)]
pub(super) enum Zeroth {
    Number(f64),
    /// A rate begins with order one.
    Nothing,
    Unary(UnaryOp, u32, Jumps),
    Binary(BinaryOp, (u32, u32), Jumps),
    Square(u32),
    Select(u32, u32, u32),
}

/// How sure a value is that may jump.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Jumps {
    /// As sure as its operands are; it need not jump at all.
    AsOperands,
    /// Its operands do not move: it is as its value says.
    Never,
    /// Its operands move: where it jumps, it is not known.
    WhereItTouches,
}

/// The orders from one on. Numbers are rows; the first of a quotient is the row itself.
#[derive(Clone, Copy, Debug)]
pub(super) enum Further {
    /// It does not move.
    Nothing,
    /// It does not move until it jumps.
    Stepped(u32),
    Same(u32),
    Negation(u32),
    Sum(u32, u32),
    Difference(u32, u32),
    /// By a factor that does not move.
    Scaled(u32, u32),
    /// By a divisor that does not move.
    Divided(u32, u32),
    Product(u32, u32),
    Quotient(u32, u32, u32),
    Choice(u32, u32, u32),
    /// θ of a row.
    Theta(u32),
    /// What has this row as θ.
    Integral(u32),
    /// A rate times a value.
    RateProduct(u32, u32),
    /// A rate by a value.
    RateQuotient(u32, u32, u32),
}

impl Program {
    pub(super) fn new(tape: &Tape, moves: &dyn Fn(usize) -> bool) -> Self {
        let mut builder = ProgramBuilder::default();
        let outputs = builder.read(tape);
        let degree = degree(&builder.arena, &outputs, moves);
        builder.add_all(&outputs, moves);
        while !builder.wanted.is_empty() {
            let wanted = std::mem::take(&mut builder.wanted);
            builder.add_all(&wanted, moves);
        }
        let outputs = outputs.iter().map(|&id| builder.row(id)).collect();
        builder.inputs.sort_unstable();
        let row_count = builder.row_count as usize;
        let (inputs, input_rows) = builder.inputs.into_iter().unzip();
        let by_rows = !builder.known.iter().any(|known| known.is_rate);
        Self { rules: builder.rules, inputs, input_rows, outputs, row_count, degree, by_rows }
    }
}

/// What is known of an expression of the arena.
#[derive(Clone, Copy, Default)]
struct Known {
    row: Option<u32>,
    /// Whether it has a rule, or is an input.
    done: bool,
    moves: bool,
    is_rate: bool,
}

#[derive(Default)]
struct ProgramBuilder {
    arena: Arena,
    /// By expressions.
    known: Vec<Known>,
    rules: Vec<Recurrence>,
    inputs: Vec<(usize, u32)>,
    /// Expressions that rates need.
    wanted: Vec<ExprId>,
    row_count: u32,
}

impl ProgramBuilder {
    /// The outputs of a tape as expressions.
    fn read(&mut self, tape: &Tape) -> Vec<ExprId> {
        let arena = &mut self.arena;
        let nothing = arena.constant(f64::NAN);
        let mut registers = vec![nothing; tape.register_count];
        for input in tape.reads() {
            registers[input] = arena.input(InputId(u32::try_from(input).unwrap_or(u32::MAX)));
        }
        for (register, &value) in registers[tape.input_count..].iter_mut().zip(&tape.constants) {
            *register = arena.constant(value);
        }
        for &step in &tape.steps {
            let of = |register: u32| registers[register as usize];
            let (to, node) = match step {
                // The whole number in it has to be seen where it jumps, also where nothing moves with it.
                Instruction::Binary(BinaryOp::Modulo, to, a, b) => {
                    let count = arena.build(Node::Binary(BinaryOp::Divide, of(a), of(b)));
                    let count = arena.build(Node::Unary(UnaryOp::Floor, count));
                    let whole = arena.build(Node::Binary(BinaryOp::Multiply, of(b), count));
                    (to, Node::Binary(BinaryOp::Subtract, of(a), whole))
                }
                Instruction::Add(to, a, b) => (to, Node::Binary(BinaryOp::Add, of(a), of(b))),
                Instruction::Subtract(to, a, b) => (to, Node::Binary(BinaryOp::Subtract, of(a), of(b))),
                Instruction::Multiply(to, a, b) => (to, Node::Binary(BinaryOp::Multiply, of(a), of(b))),
                Instruction::Divide(to, a, b) => (to, Node::Binary(BinaryOp::Divide, of(a), of(b))),
                Instruction::Negate(to, x) => (to, Node::Unary(UnaryOp::Negate, of(x))),
                Instruction::Unary(op, to, x) => (to, Node::Unary(op, of(x))),
                Instruction::Binary(op, to, a, b) => (to, Node::Binary(op, of(a), of(b))),
                Instruction::Select(to, c, a, b) => (to, Node::Select(of(c), of(a), of(b))),
            };
            registers[to as usize] = arena.build(node);
        }
        tape.outputs.iter().map(|&output| registers[output as usize]).collect()
    }

    fn known(&mut self, id: ExprId) -> &mut Known {
        if self.known.len() <= id.index() {
            self.known.resize(self.arena.len(), Known::default());
        }
        &mut self.known[id.index()]
    }

    fn row(&mut self, id: ExprId) -> u32 {
        let next = self.row_count;
        let row = *self.known(id).row.get_or_insert(next);
        self.row_count += u32::from(row == next);
        row
    }

    /// Adds rules for expressions and for everything they are made from, operands first.
    fn add_all(&mut self, ids: &[ExprId], moves: &dyn Fn(usize) -> bool) {
        for id in self.arena.reachable(ids) {
            if self.known(id).done {
                continue;
            }
            self.known(id).done = true;
            let node = self.arena.node(id);
            self.known(id).moves = match node {
                Node::Input(input) => moves(input.index()),
                node => node.operands().any(|operand| self.known(operand).moves),
            };
            self.add(id, node);
        }
    }

    fn add(&mut self, id: ExprId, node: Node) {
        let to = self.row(id);
        if let Node::Input(input) = node {
            self.inputs.push((input.index(), to));
            return;
        }
        let moves = self.known(id).moves;
        let jumps = Self::jumps(node, moves);
        let zeroth = match node {
            Node::Constant(value) => Zeroth::Number(value),
            Node::Unary(op, x) => Zeroth::Unary(op, self.row(x), jumps),
            Node::Binary(BinaryOp::Multiply, a, b) if a == b => Zeroth::Square(self.row(a)),
            Node::Binary(op, a, b) => Zeroth::Binary(op, (self.row(a), self.row(b)), jumps),
            Node::Select(c, a, b) => Zeroth::Select(self.row(c), self.row(a), self.row(b)),
            Node::Input(_) => Zeroth::Nothing,
        };
        let further = if moves { self.further(id, node) } else { Further::Nothing };
        self.rules.push(Recurrence { to, zeroth, further });
    }

    fn jumps(node: Node, moves: bool) -> Jumps {
        let of_conditions =
            matches!(node, Node::Unary(UnaryOp::Not, _) | Node::Binary(BinaryOp::And | BinaryOp::Or, ..));
        match node.smoothness() {
            Smoothness::Jump if !moves => Jumps::Never,
            Smoothness::Jump if !of_conditions => Jumps::WhereItTouches,
            _ => Jumps::AsOperands,
        }
    }

    /// The rule of an expression that moves.
    fn further(&mut self, id: ExprId, node: Node) -> Further {
        let to = self.row(id);
        match node {
            Node::Unary(UnaryOp::Negate, x) => Further::Negation(self.row(x)),
            Node::Binary(op, a, b) => {
                let (moves, rows) = ([a, b].map(|x| self.known(x).moves), [a, b].map(|x| self.row(x)));
                match (op, moves, rows) {
                    (BinaryOp::Add | BinaryOp::Subtract, [true, false], [a, _]) => Further::Same(a),
                    (BinaryOp::Add, [false, _], [_, b]) => Further::Same(b),
                    (BinaryOp::Subtract, [false, _], [_, b]) => Further::Negation(b),
                    (BinaryOp::Add, _, [a, b]) => Further::Sum(a, b),
                    (BinaryOp::Subtract, _, [a, b]) => Further::Difference(a, b),
                    (BinaryOp::Multiply, [false, _], [a, b]) => Further::Scaled(a, b),
                    (BinaryOp::Multiply, [_, false], [a, b]) => Further::Scaled(b, a),
                    (BinaryOp::Multiply, _, [a, b]) => Further::Product(a, b),
                    (BinaryOp::Divide, [_, false], [a, b]) => Further::Divided(a, b),
                    (BinaryOp::Divide, _, [a, b]) => Further::Quotient(to, a, b),
                    _ => self.integral(id, node),
                }
            }
            Node::Select(c, a, b) => Further::Choice(self.row(c), self.row(a), self.row(b)),
            _ => self.integral(id, node),
        }
    }

    /// An operation by its rate.
    fn integral(&mut self, id: ExprId, node: Node) -> Further {
        let zero = self.arena.constant(0.0);
        let rate = match node {
            Node::Unary(op, x) => {
                let dx = self.rate_of(x, zero);
                (op.row().rate)(&mut self.arena, id, x, dx)
            }
            Node::Binary(op, a, b) => {
                let (da, db) = (self.rate_of(a, zero), self.rate_of(b, zero));
                (op.row().recurrence)(&mut self.arena, PairRates { s: id, a, b, da, db, zero })
            }
            _ => zero,
        };
        if rate == zero { Further::Stepped(self.row(id)) } else { Further::Integral(self.rate_row(rate)) }
    }

    /// The input that stands for the rate of an expression.
    fn rate_of(&mut self, id: ExprId, zero: ExprId) -> ExprId {
        if self.known(id).moves { self.arena.input(InputId(FIRST_RATE + id.0)) } else { zero }
    }

    /// The row of a rate, with rows for all rates that it is made from.
    fn rate_row(&mut self, rate: ExprId) -> u32 {
        for id in self.arena.reachable(&[rate]) {
            let node = self.arena.node(id);
            let own = matches!(node, Node::Input(input) if input.0 >= FIRST_RATE);
            let is_rate = own || node.operands().any(|operand| self.known(operand).is_rate);
            if is_rate && !self.known(id).is_rate {
                self.known(id).is_rate = true;
                self.add_rate(id, node);
            }
        }
        self.row(rate)
    }

    fn add_rate(&mut self, id: ExprId, node: Node) {
        let to = self.row(id);
        let [a, b] = match node {
            Node::Binary(_, a, b) | Node::Select(_, a, b) => [a, b].map(|x| self.part(x)),
            Node::Unary(_, x) => [self.part(x); 2],
            _ => [to; 2],
        };
        let further = match node {
            Node::Input(input) => Further::Theta(self.row(ExprId(input.0 - FIRST_RATE))),
            Node::Unary(..) => Further::Negation(a),
            Node::Binary(BinaryOp::Add, ..) => Further::Sum(a, b),
            Node::Binary(BinaryOp::Subtract, ..) => Further::Difference(a, b),
            Node::Binary(BinaryOp::Divide, _, below) if self.is_fixed(below) => Further::Divided(a, b),
            Node::Binary(BinaryOp::Divide, ..) => Further::RateQuotient(to, a, b),
            Node::Binary(_, x, y) if self.known(x).is_rate => self.rate_product([a, b], y),
            Node::Binary(_, x, _) => self.rate_product([b, a], x),
            Node::Select(c, ..) => Further::Choice(self.part(c), a, b),
            Node::Constant(_) => Further::Nothing,
        };
        self.rules.push(Recurrence { to, zeroth: Zeroth::Nothing, further });
    }

    /// The product of a rate and a value, which is `factor`.
    fn rate_product(&mut self, [rate, value]: [u32; 2], factor: ExprId) -> Further {
        if self.is_fixed(factor) { Further::Scaled(value, rate) } else { Further::RateProduct(rate, value) }
    }

    /// Whether an expression is known not to move.
    fn is_fixed(&mut self, id: ExprId) -> bool {
        let known = *self.known(id);
        self.arena.is_constant(id).is_some() || (known.done && !known.moves)
    }

    /// The row of a part of a rate: a rate has one already, an expression gets one.
    fn part(&mut self, id: ExprId) -> u32 {
        let known = *self.known(id);
        if !known.is_rate && !known.done {
            self.wanted.push(id);
        }
        self.row(id)
    }
}
