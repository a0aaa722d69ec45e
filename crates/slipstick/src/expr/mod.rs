//! Formulas: from the text in a model file to exact derivatives and fast
//! evaluation.
//!
//! The way through this room:
//!
//! 1. [`parse()`] reads text into a [`Syntax`] or says what is wrong with it.
//! 2. [`Syntax::lower`] gives names a meaning and puts the formula into an
//!    [`Arena`], where equal expressions are one [`ExprId`]; with
//!    [`Syntax::interpret`], operations can get another meaning too.
//! 3. [`Arena::derivative`] and [`Arena::derivative_along`] differentiate
//!    exactly, into the same arena.
//! 4. [`Tape::compile`] turns expressions into a list of instructions that runs
//!    without allocation. `Boxes` runs it over whole ranges of the
//!    inputs at once, and tells where value and slope lie; [`Bands::run`] runs
//!    it with bounds of errors.
//! 5. [`Series`] develops a tape into a Taylor series, one order at a time, and
//!    [`Composition`] makes a polynomial of it where its inputs are polynomials.
//!
//! A number may have a unit, see `units`: it is converted to SI as it is read. [`Syntax::dimension`] finds
//! the [`Dimension`] of a formula by those of its names, and [`Syntax::check_dimension`] whether it fits its
//! place.
//!
//! All that is known of an operation stands in one row, see `rows`.
//!
//! [`display()`] goes back to text, [`nearest()`] finds what a misspelt word
//! may have meant, and [`Walker`] is the slow reference for tests and the
//! benchmark, for which [`sample_formulas`] is the material.

mod arena;
mod band;
mod banded;
mod bounds;
mod build;
mod complain;
mod cons;
mod derive;
mod dimension;
#[cfg(test)]
mod double_double;
mod error;
mod formula_dimension;
mod function;
mod gradient;
mod growth;
mod interval;
mod lex;
mod lower;
mod memo;
mod nearest;
mod operation;
mod parse;
mod print;
#[cfg(test)]
mod properties;
mod reach;
mod rows;
mod sample;
mod scale;
mod selection;
mod series;
mod simplify;
mod syntax;
mod tape;
mod units;
mod walk;

pub use arena::{Arena, ExprId, InputId, Node};
pub use band::{BAND_FACTOR, Inexact, UNIT_ROUNDOFF};
pub use banded::Bands;
pub use bounds::{Bounds, Boxes};
pub use dimension::Dimension;
pub use error::ParseError;
pub use formula_dimension::DimensionError;
pub use function::{Arity, FUNCTIONS, Function};
pub use gradient::gradients;
pub use growth::{InputKind, growth};
pub use interval::Interval;
pub use lower::Interpret;
pub use nearest::nearest;
pub use operation::{BinaryOp, Smoothness, UnaryOp};
pub use parse::{MAX_NESTING, MAX_TEXT, parse};
pub use print::{display, display_short};
pub use sample::{SAMPLE_INPUTS, SAMPLE_POINT, sample_formulas};
pub use selection::Dependencies;
pub use series::{Composition, Expansion, LARGEST_DEGREE, Series};
pub use syntax::{ArgumentList, Form, Kind, NodeId, Relation, Syntax, SyntaxNode, UnknownName};
pub use tape::{Registers, Tape};
pub use walk::{MAX_WALK_DEPTH, Walker};
