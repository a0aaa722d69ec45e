//! Reads the text of a formula.
//!
//! In: text from a model file, possibly hostile. Out: a checked [`Syntax`], or
//! a [`ParseError`] that says where, what and how to cure it.
//!
//! The parser keeps its own stack of what is open or waiting for a right
//! operand, so no text can overflow the call stack, and it looks at every
//! token once, so time is linear. `build.rs` makes and checks the nodes,
//! `complain.rs` words the errors.

use crate::expr::build::{Builder, Infix};
use crate::expr::complain;
use crate::expr::error::ParseError;
use crate::expr::function::Function;
use crate::expr::lex::{Lexer, Symbol, Token};
use crate::expr::operation::{BinaryOp, UnaryOp};
use crate::expr::print::Precedence;
use crate::expr::syntax::{Form, Relation, Syntax};
use crate::expr::units::{power_of_quantity, read_quantity};
use std::ops::Range;

/// The longest text of a formula, in bytes.
pub const MAX_TEXT: usize = 1 << 20;

/// The deepest nesting of parentheses, calls, signs and powers.
pub const MAX_NESTING: usize = 200;

/// Reads a formula.
///
/// From loosest to tightest: `or`, `and`, `not`, comparisons (not chained),
/// `+ -`, `* /`, signs, `^` (from the right). Names stay free: the caller gives
/// them a meaning with [`Syntax::lower`].
pub fn parse(text: &str) -> Result<Syntax, ParseError> {
    if text.len() > MAX_TEXT {
        return Err(complain::too_long(text.len()));
    }
    let mut parser = Parser::new(text)?;
    loop {
        parser.operand()?;
        if parser.operator()? == Next::Finished {
            return parser.finish();
        }
    }
}

/// What has to follow an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Operand,
    Finished,
}

/// What waits for operands that have not been read yet.
#[derive(Clone, Debug)]
enum Pending {
    Infix(Infix, Range<usize>),
    Prefix(UnaryOp, Range<usize>),
    /// The sign in `+x`, which leaves no node but still needs a number.
    Plus(Range<usize>),
    Group(Range<usize>),
    /// `callee(`; its arguments are the finished parts from `base` on.
    Call {
        callee: Callee,
        word: Range<usize>,
        open: Range<usize>,
        base: usize,
    },
    /// `if` in words; its parts are the finished ones from `base` on.
    Choice {
        word: Range<usize>,
        base: usize,
        part: Clause,
    },
}

/// The part of `if … then … else …` that is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Clause {
    Condition,
    Then,
    Else,
}

#[derive(Clone, Copy, Debug)]
enum Callee {
    If,
    Function(&'static Function),
}

struct Parser<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    token: Token,
    span: Range<usize>,
    /// The bytes of the token before, for "missing operator between … and …".
    previous: Range<usize>,
    pending: Vec<Pending>,
    nesting: usize,
    built: Builder,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Result<Self, ParseError> {
        let mut lexer = Lexer::new(text);
        let (token, span) = lexer.next()?;
        if token == Token::End {
            return Err(complain::empty());
        }
        Ok(Self {
            text,
            lexer,
            token,
            previous: 0..0,
            span,
            pending: Vec::new(),
            nesting: 0,
            built: Builder::default(),
        })
    }

    fn advance(&mut self) -> Result<Range<usize>, ParseError> {
        let (token, span) = self.lexer.next()?;
        self.token = token;
        self.previous = std::mem::replace(&mut self.span, span);
        Ok(self.previous.clone())
    }

    fn slice(&self, span: &Range<usize>) -> &'a str {
        &self.text[span.clone()]
    }

    /// Reads signs, `not`, `(` and `name(` until one operand is complete.
    fn operand(&mut self) -> Result<(), ParseError> {
        loop {
            match self.token {
                Token::Number(value) => {
                    return self.number(value);
                }
                Token::Word => {
                    if self.word()? {
                        return Ok(());
                    }
                }
                Token::Symbol(Symbol::Minus) => {
                    let span = self.advance()?;
                    self.nest(Pending::Prefix(UnaryOp::Negate, span))?;
                }
                Token::Symbol(Symbol::Plus) => {
                    let span = self.advance()?;
                    self.nest(Pending::Plus(span))?;
                }
                Token::Symbol(Symbol::Open) => {
                    let span = self.advance()?;
                    self.nest(Pending::Group(span))?;
                }
                Token::Symbol(Symbol::Close) if self.closes_empty_call() => return self.close(),
                _ => return Err(self.missing_operand()),
            }
        }
    }

    /// Reads a number, and the unit after it if there is one.
    fn number(&mut self, value: f64) -> Result<(), ParseError> {
        let number = self.advance()?;
        let start = self.span.start;
        let unit_may_follow = self.token == Token::Word
            && start > number.end
            && !complain::JOINING_WORDS.contains(&self.slice(&self.span));
        let quantity = if unit_may_follow { read_quantity(self.text, &number, start)? } else { None };
        let Some((value, dimension, end)) = quantity else {
            self.built.node(Form::Number(value), number);
            return Ok(());
        };
        self.span = number.start..end;
        self.lexer.go_on_at(end);
        let span = self.advance()?;
        if self.token == Token::Symbol(Symbol::Caret) {
            return Err(power_of_quantity(self.slice(&span), span.start..self.span.end));
        }
        self.built.node(Form::Quantity(value, dimension), span);
        Ok(())
    }

    /// Reads a word; true if it completes an operand.
    fn word(&mut self) -> Result<bool, ParseError> {
        let span = self.advance()?;
        let word = self.slice(&span);
        if word == "not" {
            self.nest(Pending::Prefix(UnaryOp::Not, span))?;
            return Ok(false);
        }
        if word == "and" || word == "or" {
            return Err(complain::no_left_condition(word, span));
        }
        if word == "then" || word == "else" {
            return Err(complain::out_of_place(word, span));
        }
        if self.token == Token::Symbol(Symbol::Open) {
            self.call(word, span)?;
            return Ok(false);
        }
        if word == "if" {
            let base = self.built.operand_count();
            self.nest(Pending::Choice { word: span, base, part: Clause::Condition })?;
            return Ok(false);
        }
        if Function::named(word).is_some() {
            return Err(complain::function_without_parentheses(word, span));
        }
        if let Some(error) = complain::not_a_number(word, &span) {
            return Err(error);
        }
        let form = if word == "pi" { Form::Pi } else { Form::Name };
        self.built.node(form, span);
        Ok(true)
    }

    fn call(&mut self, word: &str, span: Range<usize>) -> Result<(), ParseError> {
        let callee = match Function::named(word) {
            _ if word == "if" => Callee::If,
            Some(function) => Callee::Function(function),
            None => return Err(complain::unknown_function(word, span)),
        };
        let open = self.advance()?;
        self.nest(Pending::Call { callee, word: span, open, base: self.built.operand_count() })
    }

    /// Reads `)` as often as it comes, then one operator, `,` or the end.
    fn operator(&mut self) -> Result<Next, ParseError> {
        loop {
            match self.token {
                Token::Symbol(Symbol::Close) => self.close()?,
                Token::Symbol(Symbol::Comma) => {
                    self.comma()?;
                    return Ok(Next::Operand);
                }
                Token::End => {
                    self.complete()?;
                    return Ok(Next::Finished);
                }
                Token::Word if matches!(self.slice(&self.span), "then" | "else") => {
                    self.next_part()?;
                    return Ok(Next::Operand);
                }
                _ => {
                    let Some(infix) = Infix::of(self.token, self.slice(&self.span)) else {
                        return Err(self.missing_operator());
                    };
                    self.push_infix(infix)?;
                    return Ok(Next::Operand);
                }
            }
        }
    }

    fn push_infix(&mut self, infix: Infix) -> Result<(), ParseError> {
        match infix {
            // From the right: an earlier `^` waits for this one.
            Infix::Operation(BinaryOp::Power, _) => {
                let span = self.advance()?;
                self.nest(Pending::Infix(infix, span))
            }
            Infix::Operation(_, level) => {
                self.reduce(level)?;
                let span = self.advance()?;
                self.pending.push(Pending::Infix(infix, span));
                Ok(())
            }
            Infix::Compare(_) => {
                self.reduce(Precedence::Sum)?;
                if let Some(Pending::Infix(Infix::Compare(first), _)) = self.pending.last() {
                    return Err(self.chained(*first));
                }
                let span = self.advance()?;
                self.pending.push(Pending::Infix(infix, span));
                Ok(())
            }
        }
    }

    /// Completes every waiting operator that binds at least as tightly.
    fn reduce(&mut self, loosest: Precedence) -> Result<(), ParseError> {
        while let Some(top) = self.pending.last() {
            let level = match top {
                Pending::Infix(infix, _) => infix.level(),
                Pending::Prefix(UnaryOp::Not, _) => Precedence::Not,
                Pending::Prefix(..) | Pending::Plus(_) => Precedence::Negate,
                Pending::Group(_) | Pending::Call { .. } | Pending::Choice { .. } => return Ok(()),
            };
            if level < loosest {
                return Ok(());
            }
            self.reduce_top()?;
        }
        Ok(())
    }

    fn reduce_top(&mut self) -> Result<(), ParseError> {
        match self.pop_pending() {
            Some(Pending::Infix(infix, span)) => self.built.infix(infix, self.slice(&span)),
            Some(Pending::Prefix(op, span)) => self.built.prefix(op, span.start),
            Some(Pending::Plus(span)) => self.built.plus(span.start),
            _ => Ok(()),
        }
    }

    fn nest(&mut self, pending: Pending) -> Result<(), ParseError> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err(complain::too_deep(self.previous.clone()));
        }
        self.pending.push(pending);
        Ok(())
    }

    fn pop_pending(&mut self) -> Option<Pending> {
        let top = self.pending.pop()?;
        let left_to_right = matches!(&top, Pending::Infix(infix, _)
            if !matches!(infix, Infix::Operation(BinaryOp::Power, _)));
        if !left_to_right {
            self.nesting = self.nesting.saturating_sub(1);
        }
        Some(top)
    }

    /// Completes all that waits up to the innermost open parenthesis; every `if` must have its `else`.
    fn complete(&mut self) -> Result<(), ParseError> {
        loop {
            self.reduce(Precedence::Or)?;
            match self.pending.last() {
                Some(Pending::Choice { part: Clause::Else, .. }) => self.choose()?,
                Some(Pending::Choice { word, part, .. }) => {
                    let missing = if *part == Clause::Condition { "then" } else { "else" };
                    return Err(complain::if_without(missing, word.clone()));
                }
                _ => return Ok(()),
            }
        }
    }

    /// Makes the choice of an `if` in words that has all its parts.
    fn choose(&mut self) -> Result<(), ParseError> {
        let Some(Pending::Choice { word, base, .. }) = self.pop_pending() else { return Ok(()) };
        self.built.choice(base, word.start..self.previous.end)
    }

    /// Reads `then` or `else` of an `if` in words. An `else` belongs to the innermost `if` that has none.
    fn next_part(&mut self) -> Result<(), ParseError> {
        let (waiting, next) = match self.slice(&self.span) {
            "then" => (Clause::Condition, Clause::Then),
            _ => (Clause::Then, Clause::Else),
        };
        loop {
            self.reduce(Precedence::Or)?;
            match self.pending.last_mut() {
                Some(Pending::Choice { part, .. }) if *part == waiting => {
                    *part = next;
                    return self.advance().map(|_| ());
                }
                Some(Pending::Choice { part: Clause::Else, .. }) => self.choose()?,
                _ => return Err(complain::out_of_place(self.slice(&self.span), self.span.clone())),
            }
        }
    }

    fn comma(&mut self) -> Result<(), ParseError> {
        self.complete()?;
        match self.pending.last() {
            Some(Pending::Call { .. }) => {
                self.advance()?;
                Ok(())
            }
            _ => Err(complain::stray_comma(self.span.clone())),
        }
    }

    fn close(&mut self) -> Result<(), ParseError> {
        self.complete()?;
        match self.pop_pending() {
            Some(Pending::Group(open)) => {
                let close = self.advance()?;
                self.built.group(open.start..close.end);
                Ok(())
            }
            // `if (x > 0) then …`: these were parentheses, and no call.
            Some(Pending::Call { callee: Callee::If, word, open, base })
                if self.built.operand_count() == base + 1 && self.goes_on_in_words() =>
            {
                let close = self.advance()?;
                self.built.group(open.start..close.end);
                self.nest(Pending::Choice { word, base, part: Clause::Condition })
            }
            Some(Pending::Call { callee, word, base, .. }) => {
                let close = self.advance()?;
                let span = word.start..close.end;
                match callee {
                    Callee::If => self.built.choice(base, span),
                    Callee::Function(function) => self.built.call(function, base, span),
                }
            }
            _ => Err(complain::unopened(self.span.clone())),
        }
    }

    /// Whether what follows the `)` at which the reader is goes on with the condition of an `if` in words.
    fn goes_on_in_words(&self) -> bool {
        let rest = self.text[self.span.end..].trim_start();
        !rest.is_empty() && !rest.starts_with([',', ')'])
    }

    fn finish(mut self) -> Result<Syntax, ParseError> {
        match self.pop_pending() {
            Some(Pending::Group(open) | Pending::Call { open, .. }) => Err(complain::unclosed(open)),
            _ => Ok(self.built.finish(self.text)),
        }
    }

    /// `sin()` should hear about its arity, not about a missing operand.
    fn closes_empty_call(&self) -> bool {
        matches!(self.pending.last(), Some(Pending::Call { base, .. })
            if self.built.operand_count() == *base)
    }

    fn missing_operand(&self) -> ParseError {
        let before = match self.pending.last() {
            None => "",
            Some(_) => self.slice(&self.previous),
        };
        let found = match self.token {
            Token::End => None,
            _ => Some(self.slice(&self.span)),
        };
        complain::missing_operand(before, found, &self.previous, &self.span)
    }

    fn missing_operator(&self) -> ParseError {
        let (before, after) = (self.slice(&self.previous), self.slice(&self.span));
        complain::missing_operator(before, after, self.previous.start..self.span.end)
    }

    /// `0 < x < 1`: both sides of the second comparison are known from the text.
    fn chained(&self, first: Relation) -> ParseError {
        let span = self.span.clone();
        let third = complain::rest_of_side(self.text, span.end);
        let cure = self.built.last_two().zip(third).map(|(sides, third)| {
            let (left, middle) = (self.slice(&sides.0), self.slice(&sides.1));
            let (one, two) = (first.symbol(), self.slice(&span));
            format!("{left} {one} {middle} and {middle} {two} {third}")
        });
        complain::chained(span, cure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::walk::Walker;
    use std::time::{Duration, Instant};

    /// The value at x = 3, y = 5.
    fn value(text: &str) -> f64 {
        let syntax = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let slot = |name: &str| ["x", "y"].iter().position(|known| *known == name);
        Walker::new(&syntax, slot).unwrap().evaluate(&[3.0, 5.0])
    }

    #[test]
    fn power_binds_tighter_than_minus() {
        assert_eq!(value("-x^2"), -9.0);
        assert_eq!(value("(-x)^2"), 9.0);
        assert_eq!(value("2^-1"), 0.5);
        assert_eq!(value("2^-x^2"), 2.0_f64.powi(-9));
        assert_eq!(value("2^-1 * 4"), 2.0);
    }

    #[test]
    fn power_goes_from_the_right_and_the_rest_from_the_left() {
        assert_eq!(value("2^3^2"), 512.0);
        assert_eq!(value("10 - 4 - 3"), 3.0);
        assert_eq!(value("12 / 2 / 3"), 2.0);
        assert_eq!(value("12 / 2 * 3"), 18.0);
        assert_eq!(value("2 * x^2 / 3"), 6.0);
    }

    #[test]
    fn products_bind_tighter_than_sums_and_sums_than_comparisons() {
        assert_eq!(value("1 + 2 * 3 - 4 / 2"), 5.0);
        assert_eq!(value("x + 1 < y - 0.5"), 1.0);
        assert_eq!(value("-x * -y + +1"), 16.0);
        assert_eq!(value("1 - -1"), 2.0);
        assert_eq!(value("--x"), 3.0);
    }

    #[test]
    fn not_binds_tighter_than_and_and_and_than_or() {
        assert_eq!(value("1 < 2 or 1 < 2 and 2 < 1"), 1.0);
        assert_eq!(value("not 1 < 2 or 1 < 2"), 1.0);
        assert_eq!(value("not (1 < 2 or 1 < 2)"), 0.0);
        assert_eq!(value("not 2 < 1 and not not 1 < 2"), 1.0);
    }

    #[test]
    fn calls_and_choices_take_whole_formulas() {
        assert_eq!(value("if(x > 1 and y > 1, x + 1, y + 1)"), 4.0);
        assert_eq!(value("max(1 + 1, x * y, -7) ^ 2"), 225.0);
        assert_eq!(value("clamp (x, 0, 2)"), 2.0);
        assert_eq!(value("sin(pi / 2)"), 1.0);
    }

    #[test]
    fn choices_can_be_written_in_words() {
        assert_eq!(value("if x > 1 and y > 1 then x + 1 else y + 1"), 4.0);
        assert_eq!(value("1 + if x > 4 then 1 else 2 + 3"), 6.0);
        assert_eq!(value("(if x > 4 then 1 else 2) * 3"), 6.0);
        assert_eq!(value("max(if x > 4 then 1 else 2, 0.5)"), 2.0);
        assert_eq!(value("if (x > 1) then 1 else 2"), 1.0);
        assert_eq!(value("if (x) * 2 > 7 then 1 else 2"), 2.0);
        assert_eq!(value("if x > 4 then 1 else if x > 2 then 2 else 3"), 2.0);
        assert_eq!(value("if x > 2 then if y > 9 then 1 else 2 else 3"), 2.0);
        assert_eq!(value("if not x > 4 then 1 else 0"), 1.0);
    }

    #[test]
    fn relations_mean_what_they_say() {
        for (text, holds) in [("x < 3", 0.0), ("x <= 3", 1.0), ("x > 2", 1.0)] {
            assert_eq!(value(text), holds);
        }
        for (text, holds) in [("x >= 4", 0.0), ("x == 3", 1.0), ("x != 3", 0.0)] {
            assert_eq!(value(text), holds);
        }
    }

    #[test]
    fn spans_include_the_operands_but_not_outer_parentheses() {
        let syntax = parse(" ( (x) + 2*y ) ").unwrap();
        assert_eq!(syntax.node(syntax.root()).span, 3..12);
        let names: Vec<_> = syntax.names().collect();
        assert_eq!(names, [("x", 4..5), ("y", 11..12)]);
    }

    #[test]
    fn nesting_is_limited_and_the_limit_itself_is_allowed() {
        let nested = |depth: usize| format!("{}1{}", "(".repeat(depth), ")".repeat(depth));
        assert!(parse(&nested(MAX_NESTING)).is_ok());
        let error = parse(&nested(MAX_NESTING + 1)).unwrap_err();
        assert_eq!(error.message, "nested deeper than 200 levels");
        assert_eq!(error.span, 200..201);
        for deep in ["(", "-", "sin(", "2^", "not ", "if(1<", "min(1,(", "+", "if ", "if 1<2 then "] {
            assert!(parse(&deep.repeat(100_000)).is_err());
        }
        assert!(parse(&format!("1{}", "+(1)".repeat(10_000))).is_ok());
        assert!(parse(&format!("1{}", "*-2^2".repeat(10_000))).is_ok());
    }

    #[test]
    fn a_megabyte_of_anything_is_read_or_refused_quickly() {
        let fill = |piece: &str| piece.repeat(MAX_TEXT / piece.len() - 1);
        let start = Instant::now();
        let sum = format!("1{}", fill("+1"));
        let syntax = parse(&sum).unwrap();
        assert_eq!(syntax.to_string().len(), 2 * sum.len() - 1);
        drop(syntax);
        assert!(parse(&format!("min(1{})", fill(",1"))).is_err(), "too long by a little");
        let pieces = ["(", ")", "a", "a.", "1", ".", "1e", "é", "\u{1f600}", "and ", "0<", "x=", "$"];
        for piece in pieces {
            let text = fill(piece);
            match parse(&text) {
                Ok(syntax) => assert!(matches!(piece, "a" | "é"), "{piece} {}", syntax.nodes().len()),
                Err(error) => {
                    assert!(error.to_string().len() < 300, "{piece}");
                    assert!(text.get(error.span).is_some(), "{piece}");
                }
            }
        }
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    }

    #[test]
    fn text_over_the_limit_is_refused_unread() {
        let error = parse(&"1".repeat(MAX_TEXT + 1)).unwrap_err();
        assert_eq!(error.message, "the formula is 1048577 bytes long, the limit is 1048576");
    }
}
