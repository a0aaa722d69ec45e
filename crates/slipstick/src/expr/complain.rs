//! The words of the parser's errors.
//!
//! In: what the parser found. Out: a [`ParseError`] with a message in the
//! user's words and, where possible, a cure. Kept apart from the parser so that
//! either can be read without the other.

use crate::expr::build::Operand;
use crate::expr::error::{ParseError, quoted};
use crate::expr::function::{FUNCTIONS, Function};
use crate::expr::lex::{Lexer, Symbol, Token};
use crate::expr::nearest::nearest;
use crate::expr::parse::{MAX_NESTING, MAX_TEXT};
use crate::expr::syntax::Kind;
use crate::expr::units::without_blank;
use std::ops::Range;

/// A cure longer than this helps nobody.
const LONGEST_CURE: usize = 80;

/// Words that are no units although they may stand after a number and a blank.
pub(crate) const JOINING_WORDS: [&str; 7] = ["and", "or", "not", "if", "then", "else", "pi"];

/// Functions of other languages that no spelling distance would find.
const ALIASES: [(&str, &str); 18] = [
    ("log", "`ln` is the natural, `log10` the decimal logarithm"),
    ("log2", "write `ln(x) / ln(2)`"),
    ("pow", "write `a ^ b`"),
    ("sqr", "write `x^2`"),
    ("sgn", "did you mean `sign`?"),
    ("signum", "did you mean `sign`?"),
    ("fabs", "did you mean `abs`?"),
    ("fmod", "did you mean `mod`?"),
    ("arcsin", "did you mean `asin`?"),
    ("arccos", "did you mean `acos`?"),
    ("arctan", "did you mean `atan`?"),
    ("arctan2", "did you mean `atan2`?"),
    ("arsinh", "did you mean `asinh`?"),
    ("arcosh", "did you mean `acosh`?"),
    ("artanh", "did you mean `atanh`?"),
    ("ceiling", "did you mean `ceil`?"),
    ("trunc", "write `sign(x) * floor(abs(x))`"),
    ("der", "the model names derivatives, a formula does not"),
];

pub(crate) fn too_long(length: usize) -> ParseError {
    let message = format!("the formula is {length} bytes long, the limit is {MAX_TEXT}");
    ParseError::new(0..length, message).hint("split it into named parts")
}

pub(crate) fn too_deep(span: Range<usize>) -> ParseError {
    let message = format!("nested deeper than {MAX_NESTING} levels");
    ParseError::new(span, message).hint("split the formula into named parts")
}

/// A number beyond the range of doubles.
pub(crate) fn too_large(written: &str, span: Range<usize>) -> ParseError {
    ParseError::new(span, format!("{} is too large", quoted(written)))
        .hint("the largest number is about 1.8e308")
}

/// A number that would be rounded to zero.
pub(crate) fn too_small(written: &str, span: Range<usize>) -> ParseError {
    ParseError::new(span, format!("{} is too small", quoted(written))).hint("write 0 if that is meant")
}

pub(crate) fn empty() -> ParseError {
    ParseError::new(0..0, "the formula is empty").hint("write a number, a name or a formula")
}

pub(crate) fn no_left_condition(word: &str, span: Range<usize>) -> ParseError {
    ParseError::new(span, format!("`{word}` needs a condition on its left"))
}

pub(crate) fn function_without_parentheses(word: &str, span: Range<usize>) -> ParseError {
    ParseError::new(span, format!("function `{word}` needs parentheses")).hint(format!("write `{word}(…)`"))
}

/// An `if` in words without its `then` or `else`.
pub(crate) fn if_without(missing: &str, span: Range<usize>) -> ParseError {
    ParseError::new(span, format!("`if` without `{missing}`")).hint("write `if condition then a else b`")
}

/// A `then` or `else` that belongs to no `if`.
pub(crate) fn out_of_place(word: &str, span: Range<usize>) -> ParseError {
    ParseError::new(span, format!("`{word}` does not belong to any `if`"))
        .hint("write `if condition then a else b`")
}

/// Words that other programs print for values no model may contain.
pub(crate) fn not_a_number(word: &str, span: &Range<usize>) -> Option<ParseError> {
    let refused = ["nan", "inf", "infinity"];
    if !refused.iter().any(|name| word.eq_ignore_ascii_case(name)) {
        return None;
    }
    let message = format!("`{word}` is not a number a model can use");
    Some(ParseError::new(span.clone(), message).hint("write a finite number"))
}

pub(crate) fn unknown_function(word: &str, span: Range<usize>) -> ParseError {
    let error = ParseError::new(span, format!("unknown function {}", quoted(word)));
    if let Some((_, cure)) = ALIASES.iter().find(|(alias, _)| *alias == word) {
        return error.hint(*cure);
    }
    let names = FUNCTIONS.iter().map(Function::name).chain(["if"]);
    match nearest(word, names) {
        Some(name) => error.hint(format!("did you mean `{name}`?")),
        None => error.hint(format!("if {} is a quantity, write `*` before the parenthesis", quoted(word))),
    }
}

pub(crate) fn arity(function: &Function, got: usize, span: Range<usize>) -> ParseError {
    let (name, arity) = (function.name(), function.arity());
    let error = ParseError::new(span, format!("`{name}` takes {arity}, got {got}"));
    match name {
        "clamp" => error.hint("write `clamp(x, lowest, highest)`"),
        "atan2" => error.hint("write `atan2(y, x)`"),
        "mod" | "hypot" => error.hint(format!("write `{name}(a, b)`")),
        "min" | "max" => error.hint(format!("write `{name}(a, b, …)`")),
        "atan" if got == 2 => error.hint("did you mean `atan2(y, x)`?"),
        _ => error.hint(format!("write `{name}(x)`")),
    }
}

pub(crate) fn if_arity(got: usize, span: Range<usize>) -> ParseError {
    ParseError::new(span, format!("`if` takes 3 arguments, got {got}")).hint("write `if(condition, a, b)`")
}

pub(crate) fn stray_comma(span: Range<usize>) -> ParseError {
    ParseError::new(span, "`,` outside the arguments of a function")
        .hint("the decimal separator is a point, as in `1.5`")
}

pub(crate) fn unopened(span: Range<usize>) -> ParseError {
    ParseError::new(span, "`)` closes nothing").hint("delete it or add the missing `(`")
}

pub(crate) fn unclosed(span: Range<usize>) -> ParseError {
    ParseError::new(span, "`(` is never closed").hint("add the missing `)`")
}

pub(crate) fn missing_operand(
    before: &str,
    found: Option<&str>,
    previous: &Range<usize>,
    span: &Range<usize>,
) -> ParseError {
    match (before, found) {
        ("(", Some(")")) => ParseError::new(previous.start..span.end, "nothing between `(` and `)`")
            .hint("write a number, a name or a formula"),
        ("", Some(token)) => {
            ParseError::new(span.clone(), format!("{} needs something before it", quoted(token)))
        }
        ("", None) => empty(),
        (_, None) => ParseError::new(previous.clone(), format!("nothing after {}", quoted(before)))
            .hint("the formula ends too early"),
        (_, Some(token)) => {
            let message = format!("nothing between {} and {}", quoted(before), quoted(token));
            ParseError::new(previous.start..span.end, message)
        }
    }
}

pub(crate) fn missing_operator(before: &str, after: &str, span: Range<usize>) -> ParseError {
    let (left, right) = (quoted(before), quoted(after));
    let is_close = span.len() == before.len() + after.len();
    let error = ParseError::new(span, format!("missing operator between {left} and {right}"));
    if after == "not" {
        return error.hint("join conditions with `and` or `or`");
    }
    if let Some(cure) = without_blank(before, after).filter(|_| is_close) {
        return error.hint(cure);
    }
    let cure = format!("{before} * {after}");
    if cure.len() > LONGEST_CURE {
        return error.hint("write `*` to multiply");
    }
    error.hint(format!("to multiply, write `{cure}`"))
}

pub(crate) fn chained(span: Range<usize>, cure: Option<String>) -> ParseError {
    let error = ParseError::new(span, "comparisons cannot be chained");
    match cure.filter(|cure| cure.len() <= LONGEST_CURE) {
        Some(cure) => error.hint(format!("write `{cure}`")),
        None => error.hint("join two comparisons with `and`"),
    }
}

/// The text from `start` to where an operand of a comparison ends, if it is
/// well-formed and short.
pub(crate) fn rest_of_side(text: &str, start: usize) -> Option<&str> {
    let rest = &text[start..];
    let mut lexer = Lexer::new(rest);
    let mut open = 0_usize;
    let mut end = 0;
    loop {
        let (token, span) = lexer.next().ok()?;
        let word = &rest[span.clone()];
        match token {
            Token::End => break,
            Token::Symbol(Symbol::Open) => open += 1,
            Token::Symbol(Symbol::Close) if open > 0 => open -= 1,
            _ if open == 0 && ends_side(token, word) => break,
            _ => {}
        }
        end = span.end;
        if end > LONGEST_CURE {
            return None;
        }
    }
    let side = rest[..end].trim();
    (!side.is_empty() && open == 0).then_some(side)
}

fn ends_side(token: Token, word: &str) -> bool {
    match token {
        Token::Word => matches!(word, "and" | "or" | "not"),
        Token::Symbol(symbol) => {
            !matches!(symbol, Symbol::Plus | Symbol::Minus | Symbol::Star | Symbol::Slash | Symbol::Caret)
        }
        _ => false,
    }
}

/// Refuses an operand of the wrong kind beside an operator.
pub(crate) fn check_side(
    symbol: &str,
    side: &str,
    wanted: Kind,
    operand: &Operand,
) -> Result<(), ParseError> {
    if operand.kind == wanted {
        return Ok(());
    }
    let message = format!("`{symbol}` needs {wanted} on its {side}, got {}", operand.kind);
    Err(kind_error(message, wanted, operand))
}

/// Refuses an operand of the wrong kind after a sign or `not`.
pub(crate) fn check_prefix(symbol: &str, wanted: Kind, operand: &Operand) -> Result<(), ParseError> {
    if operand.kind == wanted {
        return Ok(());
    }
    let message = format!("`{symbol}` needs {wanted}, got {}", operand.kind);
    Err(kind_error(message, wanted, operand))
}

/// Refuses an argument of the wrong kind.
pub(crate) fn check_argument(
    name: &str,
    position: usize,
    wanted: Kind,
    operand: &Operand,
) -> Result<(), ParseError> {
    if operand.kind == wanted {
        return Ok(());
    }
    let message = format!("argument {position} of `{name}` must be {wanted}, got {}", operand.kind);
    Err(kind_error(message, wanted, operand))
}

fn kind_error(message: String, wanted: Kind, operand: &Operand) -> ParseError {
    ParseError::new(operand.span.clone(), message).hint(match wanted {
        Kind::Number => "to turn a condition into a number, write `if(condition, 1, 0)`",
        Kind::Condition => "compare it with something, as in `x > 0`",
    })
}

#[cfg(test)]
mod tests {
    use crate::expr::parse::parse;

    /// Each text must give this error, underlining this part of the text.
    fn check(cases: &[(&str, &str, &str)]) {
        for (text, underlined, wanted) in cases {
            let error = parse(text).expect_err(text);
            assert_eq!(error.to_string(), *wanted, "{text}");
            assert_eq!(&text[error.span.clone()], *underlined, "{text}");
        }
    }

    #[test]
    fn wrong_numbers_of_arguments_are_counted() {
        check(&[
            ("sin(1, 2)", "sin(1, 2)", "`sin` takes 1 argument, got 2 (write `sin(x)`)"),
            ("1 + sin()", "sin()", "`sin` takes 1 argument, got 0 (write `sin(x)`)"),
            ("min(x)", "min(x)", "`min` takes at least 2 arguments, got 1 (write `min(a, b, …)`)"),
            ("mod(x)", "mod(x)", "`mod` takes 2 arguments, got 1 (write `mod(a, b)`)"),
            ("atan(y, x)", "atan(y, x)", "`atan` takes 1 argument, got 2 (did you mean `atan2(y, x)`?)"),
            ("atan2(y)", "atan2(y)", "`atan2` takes 2 arguments, got 1 (write `atan2(y, x)`)"),
            (
                "clamp(x, 1)",
                "clamp(x, 1)",
                "`clamp` takes 3 arguments, got 2 (write `clamp(x, lowest, highest)`)",
            ),
            ("if(x > 0, 1)", "if(x > 0, 1)", "`if` takes 3 arguments, got 2 (write `if(condition, a, b)`)"),
        ]);
    }

    #[test]
    fn unknown_functions_get_a_suggestion() {
        check(&[
            ("sine(x)", "sine", "unknown function `sine` (did you mean `sin`?)"),
            ("Sin(x)", "Sin", "unknown function `Sin` (did you mean `sin`?)"),
            ("tahn(x)", "tahn", "unknown function `tahn` (did you mean `tanh`?)"),
            ("log(x)", "log", "unknown function `log` (`ln` is the natural, `log10` the decimal logarithm)"),
            ("pow(x, 2)", "pow", "unknown function `pow` (write `a ^ b`)"),
            ("arctan(x)", "arctan", "unknown function `arctan` (did you mean `atan`?)"),
            (
                "mass(x + 1)",
                "mass",
                "unknown function `mass` (if `mass` is a quantity, write `*` before the parenthesis)",
            ),
        ]);
    }

    #[test]
    fn words_in_the_wrong_place_are_explained() {
        check(&[
            ("sin x", "sin", "function `sin` needs parentheses (write `sin(…)`)"),
            ("2 * max", "max", "function `max` needs parentheses (write `max(…)`)"),
            ("if x > 0", "if", "`if` without `then` (write `if condition then a else b`)"),
            ("2 * (if x > 0 then 1)", "if", "`if` without `else` (write `if condition then a else b`)"),
            ("x then 1", "then", "`then` does not belong to any `if` (write `if condition then a else b`)"),
            ("1 + else", "else", "`else` does not belong to any `if` (write `if condition then a else b`)"),
            ("and x > 0", "and", "`and` needs a condition on its left"),
            ("nan", "nan", "`nan` is not a number a model can use (write a finite number)"),
            ("1 + INF", "INF", "`INF` is not a number a model can use (write a finite number)"),
            ("-Infinity", "Infinity", "`Infinity` is not a number a model can use (write a finite number)"),
        ]);
    }

    #[test]
    fn missing_operators_are_named_with_their_neighbours() {
        check(&[
            ("2 x", "2 x", "missing operator between `2` and `x` (to multiply, write `2 * x`)"),
            ("2x + 1", "2x", "missing operator between `2` and `x` (to multiply, write `2 * x`)"),
            ("(a)(b)", ")(", "missing operator between `)` and `(` (to multiply, write `) * (`)"),
            ("x 2", "x 2", "missing operator between `x` and `2` (to multiply, write `x * 2`)"),
            (
                "a > 0 not b > 0",
                "0 not",
                "missing operator between `0` and `not` (join conditions with `and` or `or`)",
            ),
        ]);
    }

    #[test]
    fn missing_operands_are_named_with_their_neighbours() {
        check(&[
            ("", "", "the formula is empty (write a number, a name or a formula)"),
            (" \t\n", "", "the formula is empty (write a number, a name or a formula)"),
            ("1 +", "+", "nothing after `+` (the formula ends too early)"),
            ("* 2", "*", "`*` needs something before it"),
            ("1 + * 2", "+ *", "nothing between `+` and `*`"),
            ("min(1, )", ", )", "nothing between `,` and `)`"),
            ("min(, 1)", "(,", "nothing between `(` and `,`"),
            ("1 + ()", "()", "nothing between `(` and `)` (write a number, a name or a formula)"),
            ("x and", "and", "nothing after `and` (the formula ends too early)"),
        ]);
    }

    #[test]
    fn unbalanced_parentheses_are_pointed_at() {
        check(&[
            ("(1 + (2)", "(", "`(` is never closed (add the missing `)`)"),
            ("sin(1", "(", "`(` is never closed (add the missing `)`)"),
            ("1 + 2)", ")", "`)` closes nothing (delete it or add the missing `(`)"),
            (
                "1,5",
                ",",
                "`,` outside the arguments of a function (the decimal separator is a point, as in `1.5`)",
            ),
        ]);
    }

    #[test]
    fn chained_comparisons_are_written_out() {
        check(&[
            ("0 < x < 1", "<", "comparisons cannot be chained (write `0 < x and x < 1`)"),
            (
                "a <= b+c < sin(d) and e > 1",
                "<",
                "comparisons cannot be chained (write `a <= b+c and b+c < sin(d)`)",
            ),
            ("(0 < x < y)", "<", "comparisons cannot be chained (write `0 < x and x < y`)"),
            ("1 < 2 < $", "<", "comparisons cannot be chained (join two comparisons with `and`)"),
        ]);
    }

    #[test]
    fn numbers_and_conditions_do_not_mix() {
        const TO_NUMBER: &str = "to turn a condition into a number, write `if(condition, 1, 0)`";
        const TO_CONDITION: &str = "compare it with something, as in `x > 0`";
        let cases = [
            ("x and y > 0", "x", "`and` needs a condition on its left, got a number", TO_CONDITION),
            ("y > 0 or (x)", "(x)", "`or` needs a condition on its right, got a number", TO_CONDITION),
            ("not x", "x", "`not` needs a condition, got a number", TO_CONDITION),
            ("1 + (x > 0)", "(x > 0)", "`+` needs a number on its right, got a condition", TO_NUMBER),
            ("-(x > 0)", "(x > 0)", "`-` needs a number, got a condition", TO_NUMBER),
            ("+(x > 0)", "(x > 0)", "`+` needs a number, got a condition", TO_NUMBER),
            ("sin(x > 0)", "x > 0", "argument 1 of `sin` must be a number, got a condition", TO_NUMBER),
            ("if(x, 1, 2)", "x", "argument 1 of `if` must be a condition, got a number", TO_CONDITION),
            (
                "if(x > 0, 1, y > 0)",
                "y > 0",
                "argument 3 of `if` must be a number, got a condition",
                TO_NUMBER,
            ),
            ("(x > 0) == (y > 0)", "(x > 0)", "`==` needs a number on its left, got a condition", TO_NUMBER),
        ];
        for (text, underlined, message, hint) in cases {
            check(&[(text, underlined, &format!("{message} ({hint})"))]);
        }
    }
}
