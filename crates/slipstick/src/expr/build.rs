//! Makes the nodes of a syntax tree while the parser reads.
//!
//! In: from the parser, in the order in which parts are complete: leaves,
//! operators, calls. Out: nodes, children before parents, or an error if a
//! part has the wrong kind or a call the wrong number of arguments.

use crate::expr::complain;
use crate::expr::error::ParseError;
use crate::expr::function::Function;
use crate::expr::lex::{Symbol, Token};
use crate::expr::operation::{BinaryOp, UnaryOp};
use crate::expr::print::Precedence;
use crate::expr::syntax::{ArgumentList, Form, Kind, NodeId, Relation, Syntax, SyntaxNode};
use std::ops::Range;

/// A finished part, with the parentheses around it.
#[derive(Clone, Debug)]
pub(crate) struct Operand {
    pub(crate) node: NodeId,
    pub(crate) kind: Kind,
    pub(crate) span: Range<usize>,
}

/// An operator between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Infix {
    Operation(BinaryOp, Precedence),
    Compare(Relation),
}

impl Infix {
    /// The operator that a token stands for, if it is one; `word` is its text.
    pub(crate) fn of(token: Token, word: &str) -> Option<Self> {
        let operation = |op, level| Some(Self::Operation(op, level));
        match token {
            Token::Symbol(Symbol::Plus) => operation(BinaryOp::Add, Precedence::Sum),
            Token::Symbol(Symbol::Minus) => operation(BinaryOp::Subtract, Precedence::Sum),
            Token::Symbol(Symbol::Star) => operation(BinaryOp::Multiply, Precedence::Product),
            Token::Symbol(Symbol::Slash) => operation(BinaryOp::Divide, Precedence::Product),
            Token::Symbol(Symbol::Caret) => operation(BinaryOp::Power, Precedence::Power),
            Token::Symbol(Symbol::Less) => Some(Self::Compare(Relation::Less)),
            Token::Symbol(Symbol::LessEqual) => Some(Self::Compare(Relation::LessEqual)),
            Token::Symbol(Symbol::Greater) => Some(Self::Compare(Relation::Greater)),
            Token::Symbol(Symbol::GreaterEqual) => Some(Self::Compare(Relation::GreaterEqual)),
            Token::Symbol(Symbol::Equal) => Some(Self::Compare(Relation::Equal)),
            Token::Symbol(Symbol::NotEqual) => Some(Self::Compare(Relation::NotEqual)),
            Token::Word => match word {
                "and" => operation(BinaryOp::And, Precedence::And),
                "or" => operation(BinaryOp::Or, Precedence::Or),
                _ => None,
            },
            _ => None,
        }
    }

    pub(crate) fn level(self) -> Precedence {
        match self {
            Self::Operation(_, level) => level,
            Self::Compare(_) => Precedence::Compare,
        }
    }
}

/// Nodes made so far, and the finished parts that have no parent yet.
#[derive(Default)]
pub(crate) struct Builder {
    operands: Vec<Operand>,
    nodes: Vec<SyntaxNode>,
    arguments: Vec<NodeId>,
}

impl Builder {
    /// Adds a node whose children, if any, have been added before.
    pub(crate) fn node(&mut self, form: Form, span: Range<usize>) {
        let node = NodeId(short(self.nodes.len()));
        let kind = form.kind();
        self.nodes.push(SyntaxNode { form, span: span.clone() });
        self.operands.push(Operand { node, kind, span });
    }

    /// Joins the last two parts.
    pub(crate) fn infix(&mut self, infix: Infix, symbol: &str) -> Result<(), ParseError> {
        let (Some(right), Some(left)) = (self.operands.pop(), self.operands.pop()) else {
            // The parser reads an operand on either side before it joins them.
            return Err(complain::empty());
        };
        let wanted = match infix {
            Infix::Operation(BinaryOp::And | BinaryOp::Or, _) => Kind::Condition,
            _ => Kind::Number,
        };
        complain::check_side(symbol, "left", wanted, &left)?;
        complain::check_side(symbol, "right", wanted, &right)?;
        let form = match infix {
            Infix::Operation(op, _) => Form::Binary(op, left.node, right.node),
            Infix::Compare(relation) => Form::Compare(relation, left.node, right.node),
        };
        self.node(form, left.span.start..right.span.end);
        Ok(())
    }

    /// Puts a minus or `not` before the last part.
    pub(crate) fn prefix(&mut self, op: UnaryOp, start: usize) -> Result<(), ParseError> {
        let Some(operand) = self.operands.pop() else {
            return Err(complain::empty());
        };
        let wanted = match op {
            UnaryOp::Not => Kind::Condition,
            _ => Kind::Number,
        };
        complain::check_prefix(op.name(), wanted, &operand)?;
        self.node(Form::Unary(op, operand.node), start..operand.span.end);
        Ok(())
    }

    /// Puts a plus before the last part: it needs a number but leaves no node.
    pub(crate) fn plus(&mut self, start: usize) -> Result<(), ParseError> {
        if let Some(operand) = self.operands.last_mut() {
            complain::check_prefix("+", Kind::Number, operand)?;
            operand.span.start = start;
        }
        Ok(())
    }

    /// Puts parentheses around the last part.
    pub(crate) fn group(&mut self, span: Range<usize>) {
        if let Some(operand) = self.operands.last_mut() {
            operand.span = span;
        }
    }

    /// Makes `if(…)` of all parts from `base` on.
    pub(crate) fn choice(&mut self, base: usize, span: Range<usize>) -> Result<(), ParseError> {
        let parts = self.operands.split_off(base);
        let [condition, yes, no] = parts.as_slice() else {
            return Err(complain::if_arity(parts.len(), span));
        };
        complain::check_argument("if", 1, Kind::Condition, condition)?;
        complain::check_argument("if", 2, Kind::Number, yes)?;
        complain::check_argument("if", 3, Kind::Number, no)?;
        self.node(Form::If(condition.node, yes.node, no.node), span);
        Ok(())
    }

    /// Makes a call of all parts from `base` on.
    pub(crate) fn call(
        &mut self,
        function: &'static Function,
        base: usize,
        span: Range<usize>,
    ) -> Result<(), ParseError> {
        let count = self.operands.len() - base;
        if !function.arity().accepts(count) {
            return Err(complain::arity(function, count, span));
        }
        let first = self.arguments.len();
        for (position, argument) in self.operands.drain(base..).enumerate() {
            complain::check_argument(function.name(), position + 1, Kind::Number, &argument)?;
            self.arguments.push(argument.node);
        }
        let listed = ArgumentList { first: short(first), count: short(count) };
        self.node(Form::Call(function, listed), span);
        Ok(())
    }

    /// How many finished parts have no parent yet.
    pub(crate) fn operand_count(&self) -> usize {
        self.operands.len()
    }

    /// The bytes of the last two parts.
    pub(crate) fn last_two(&self) -> Option<(Range<usize>, Range<usize>)> {
        let [.., left, right] = self.operands.as_slice() else {
            return None;
        };
        Some((left.span.clone(), right.span.clone()))
    }

    pub(crate) fn finish(self, text: &str) -> Syntax {
        Syntax::new(text, self.nodes, self.arguments)
    }
}

/// A node takes at least a byte of a text that is far shorter than 2^32.
fn short(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
