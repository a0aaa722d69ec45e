//! The table of named functions that formulas may call.
//!
//! In: a word from the text. Out: the function's name, arity, smoothness and
//! meaning. The rows of operations say which of them are called by name.

use crate::expr::operation::{BinaryOp, Smoothness, UnaryOp};
use crate::expr::rows::Written;
use std::fmt;

/// A function that formulas may call by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    name: &'static str,
    meaning: Builtin,
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
pub(crate) enum Builtin {
    Unary(UnaryOp),
    Binary(BinaryOp),
    /// Two or more arguments, combined from the left.
    Fold(BinaryOp),
    /// `clamp(x, lo, hi) = max(lo, min(x, hi))`
    Clamp,
    /// The argument as it stands: nothing in it becomes a guard.
    Smooth,
}

/// Every function: operations that are called, and two that are made of others.
pub static FUNCTIONS: [Function; FUNCTION_COUNT] = functions();

const FUNCTION_COUNT: usize = called_count() + 2;

/// How many operations are called.
const fn called_count() -> usize {
    let (mut count, mut k) = (0, 0);
    while k < UnaryOp::ALL.len() {
        count += matches!(UnaryOp::ALL[k].row().written, Written::Call) as usize;
        k += 1;
    }
    k = 0;
    while k < BinaryOp::ALL.len() {
        count += !matches!(BinaryOp::ALL[k].row().written, Written::Symbol) as usize;
        k += 1;
    }
    count
}

const fn functions() -> [Function; FUNCTION_COUNT] {
    let mut functions = [Function { name: "smooth", meaning: Builtin::Smooth }; FUNCTION_COUNT];
    let (mut place, mut k) = (0, 0);
    while k < UnaryOp::ALL.len() {
        let (op, row) = (UnaryOp::ALL[k], UnaryOp::ALL[k].row());
        if matches!(row.written, Written::Call) {
            functions[place] = Function { name: row.name, meaning: Builtin::Unary(op) };
            place += 1;
        }
        k += 1;
    }
    k = 0;
    while k < BinaryOp::ALL.len() {
        let (op, row) = (BinaryOp::ALL[k], BinaryOp::ALL[k].row());
        let meaning = match row.written {
            Written::Symbol => None,
            Written::Call => Some(Builtin::Binary(op)),
            Written::Fold => Some(Builtin::Fold(op)),
        };
        if let Some(meaning) = meaning {
            functions[place] = Function { name: row.name, meaning };
            place += 1;
        }
        k += 1;
    }
    functions[place] = Function { name: "clamp", meaning: Builtin::Clamp };
    functions
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
            Builtin::Unary(_) | Builtin::Smooth => Arity::Exactly(1),
            Builtin::Binary(_) => Arity::Exactly(2),
            Builtin::Fold(_) => Arity::AtLeast(2),
            Builtin::Clamp => Arity::Exactly(3),
        }
    }

    /// Whether it has kinks or jumps.
    pub fn smoothness(&self) -> Smoothness {
        match self.meaning {
            Builtin::Unary(op) => op.smoothness(),
            Builtin::Binary(op) | Builtin::Fold(op) => op.smoothness(),
            Builtin::Clamp => Smoothness::Kink,
            Builtin::Smooth => Smoothness::Smooth,
        }
    }

    pub(crate) fn meaning(&self) -> Builtin {
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
    fn symbols_are_no_functions() {
        for word in ["-", "not", "^", "<", "and", "+"] {
            assert_eq!(Function::named(word), None);
        }
        assert!(
            ["atan2", "hypot", "min", "mod", "clamp", "smooth"]
                .map(Function::named)
                .iter()
                .all(Option::is_some)
        );
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
