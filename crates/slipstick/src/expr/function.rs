//! The table of named functions that formulas may call.
//!
//! In: a word from the text. Out: the function's name, arity, smoothness and
//! meaning. A new function is one row here plus, if it is elementary, one
//! operation in `operation.rs` and its derivative in `derive.rs`.

use crate::expr::operation::{BinaryOp, Smoothness, UnaryOp};
use std::fmt;

/// A function that formulas may call by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    name: &'static str,
    meaning: Meaning,
}

/// How many arguments a function takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    /// Exactly this many.
    Exactly(usize),
    /// This many or more.
    AtLeast(usize),
}

/// What a call computes, in elementary operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    Unary(UnaryOp),
    Binary(BinaryOp),
    /// Two or more arguments, combined from the left.
    Fold(BinaryOp),
    /// `clamp(x, lo, hi) = max(lo, min(x, hi))`
    Clamp,
    /// The argument as it stands: nothing in it becomes a guard.
    Smooth,
}

/// Every function, in the order of the documentation.
pub static FUNCTIONS: [Function; 29] = [
    unary("sin", UnaryOp::Sin),
    unary("cos", UnaryOp::Cos),
    unary("tan", UnaryOp::Tan),
    unary("asin", UnaryOp::Asin),
    unary("acos", UnaryOp::Acos),
    unary("atan", UnaryOp::Atan),
    binary("atan2", BinaryOp::Atan2),
    unary("sinh", UnaryOp::Sinh),
    unary("cosh", UnaryOp::Cosh),
    unary("tanh", UnaryOp::Tanh),
    unary("asinh", UnaryOp::Asinh),
    unary("acosh", UnaryOp::Acosh),
    unary("atanh", UnaryOp::Atanh),
    unary("exp", UnaryOp::Exp),
    unary("ln", UnaryOp::Ln),
    unary("log10", UnaryOp::Log10),
    unary("sqrt", UnaryOp::Sqrt),
    unary("cbrt", UnaryOp::Cbrt),
    unary("abs", UnaryOp::Abs),
    fold("min", BinaryOp::Min),
    fold("max", BinaryOp::Max),
    binary("hypot", BinaryOp::Hypot),
    unary("sign", UnaryOp::Sign),
    unary("floor", UnaryOp::Floor),
    unary("ceil", UnaryOp::Ceil),
    unary("round", UnaryOp::Round),
    binary("mod", BinaryOp::Modulo),
    Function { name: "clamp", meaning: Meaning::Clamp },
    Function { name: "smooth", meaning: Meaning::Smooth },
];

const fn unary(name: &'static str, op: UnaryOp) -> Function {
    Function { name, meaning: Meaning::Unary(op) }
}

const fn binary(name: &'static str, op: BinaryOp) -> Function {
    Function { name, meaning: Meaning::Binary(op) }
}

const fn fold(name: &'static str, op: BinaryOp) -> Function {
    Function { name, meaning: Meaning::Fold(op) }
}

impl Function {
    /// The function called `word`, if there is one.
    pub fn named(word: &str) -> Option<&'static Function> {
        FUNCTIONS.iter().find(|function| function.name == word)
    }

    /// How the function is written.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// How many arguments it takes.
    pub fn arity(&self) -> Arity {
        match self.meaning {
            Meaning::Unary(_) | Meaning::Smooth => Arity::Exactly(1),
            Meaning::Binary(_) => Arity::Exactly(2),
            Meaning::Fold(_) => Arity::AtLeast(2),
            Meaning::Clamp => Arity::Exactly(3),
        }
    }

    /// Whether it has kinks or jumps.
    pub fn smoothness(&self) -> Smoothness {
        match self.meaning {
            Meaning::Unary(op) => op.smoothness(),
            Meaning::Binary(op) | Meaning::Fold(op) => op.smoothness(),
            Meaning::Clamp => Smoothness::Kink,
            Meaning::Smooth => Smoothness::Smooth,
        }
    }

    pub(crate) fn meaning(&self) -> Meaning {
        self.meaning
    }
}

impl Arity {
    /// Whether `count` arguments are right.
    pub fn accepts(self, count: usize) -> bool {
        match self {
            Self::Exactly(wanted) => count == wanted,
            Self::AtLeast(wanted) => count >= wanted,
        }
    }
}

impl fmt::Display for Arity {
    /// In words: `1 argument`, `at least 2 arguments`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exactly(1) => out.write_str("1 argument"),
            Self::Exactly(count) => write!(out, "{count} arguments"),
            Self::AtLeast(count) => write!(out, "at least {count} arguments"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_is_found_by_its_own_name() {
        for function in &FUNCTIONS {
            assert_eq!(Function::named(function.name()), Some(function));
        }
        assert_eq!(Function::named("sine"), None);
    }

    #[test]
    fn table_names_agree_with_operation_names() {
        for function in &FUNCTIONS {
            match function.meaning() {
                Meaning::Unary(op) => assert_eq!(op.name(), function.name()),
                Meaning::Binary(op) | Meaning::Fold(op) => assert_eq!(op.name(), function.name()),
                Meaning::Clamp => assert_eq!(function.name(), "clamp"),
                Meaning::Smooth => assert_eq!(function.name(), "smooth"),
            }
        }
    }

    #[test]
    fn kinks_and_jumps_are_exactly_the_documented_ones() {
        let with = |wanted: Smoothness| -> Vec<&str> {
            let rows = FUNCTIONS.iter().filter(|f| f.smoothness() == wanted);
            rows.map(Function::name).collect()
        };
        assert_eq!(with(Smoothness::Kink), ["abs", "min", "max", "clamp"]);
        assert_eq!(with(Smoothness::Jump), ["sign", "floor", "ceil", "round", "mod"]);
    }

    #[test]
    fn arity_reads_as_words() {
        assert_eq!(Arity::Exactly(1).to_string(), "1 argument");
        assert_eq!(Arity::Exactly(3).to_string(), "3 arguments");
        assert_eq!(Arity::AtLeast(2).to_string(), "at least 2 arguments");
    }
}
