//! The text of a formula that is put together from pieces: zeros and ones vanish, and parentheses stand only where they
//! are needed.

use std::ops::{Add, Mul, Neg, Sub};

/// A formula in the making.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Term {
    text: String,
    binding: Binding,
}

/// How tightly the outermost operation of a text binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Sum,
    Product,
    Whole,
}

impl Term {
    /// A name, a number that is not negative, or a call of a function.
    pub(super) fn whole(text: impl Into<String>) -> Self {
        Self { text: text.into(), binding: Binding::Whole }
    }

    /// Any formula of the user.
    pub(super) fn formula(text: &str) -> Self {
        let text = text.trim();
        let is_word =
            |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '\'' | '[' | ']');
        if text.chars().all(is_word) { Self::whole(text) } else { Self::whole(format!("({text})")) }
    }

    pub(super) fn number(value: f64) -> Self {
        if value < 0.0 { -&Self::number(-value) } else { Self::whole(format!("{value:?}")) }
    }

    pub(super) fn zero() -> Self {
        Self::whole("0")
    }

    pub(super) fn one() -> Self {
        Self::whole("1")
    }

    pub(super) fn is_zero(&self) -> bool {
        self.is(0.0)
    }

    fn is(&self, number: f64) -> bool {
        self.text.parse() == Ok(number)
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// A function of one or more terms.
    pub(super) fn call(function: &str, arguments: &[&Self]) -> Self {
        let list: Vec<&str> = arguments.iter().map(|term| term.text.as_str()).collect();
        Self::whole(format!("{function}({})", list.join(", ")))
    }

    pub(super) fn sin(&self) -> Self {
        if self.is_zero() { Self::zero() } else { Self::call("sin", &[self]) }
    }

    pub(super) fn cos(&self) -> Self {
        if self.is_zero() { Self::one() } else { Self::call("cos", &[self]) }
    }

    pub(super) fn sqrt(&self) -> Self {
        if self.is_zero() { Self::zero() } else { Self::call("sqrt", &[self]) }
    }

    pub(super) fn squared(&self) -> Self {
        if self.is_zero() { Self::zero() } else { Self::whole(format!("{}^2", self.within(Binding::Whole))) }
    }

    pub(super) fn over(&self, other: &Self) -> Self {
        if self.is_zero() || other.is(1.0) {
            return self.clone();
        }
        let text = format!("{} / {}", self.within(Binding::Product), other.within(Binding::Whole));
        Self { text, binding: Binding::Product }
    }

    /// This where a condition holds, and another term elsewhere.
    pub(super) fn when(&self, condition: &str, otherwise: &Self) -> Self {
        Self::whole(format!("if({condition}, {}, {})", self.text, otherwise.text))
    }

    fn within(&self, binding: Binding) -> String {
        if self.binding >= binding { self.text.clone() } else { format!("({})", self.text) }
    }
}

impl Add for &Term {
    type Output = Term;
    fn add(self, other: Self) -> Term {
        match (self.is_zero(), other.is_zero()) {
            (true, _) => other.clone(),
            (_, true) => self.clone(),
            _ => {
                let joined = match other.text.strip_prefix('-').filter(|_| other.binding == Binding::Product)
                {
                    Some(rest) => format!("{} - {rest}", self.text),
                    None => format!("{} + {}", self.text, other.text),
                };
                Term { text: joined, binding: Binding::Sum }
            }
        }
    }
}

impl Sub for &Term {
    type Output = Term;
    fn sub(self, other: Self) -> Term {
        self + &-other
    }
}

impl Mul for &Term {
    type Output = Term;
    fn mul(self, other: Self) -> Term {
        match () {
            () if self.is_zero() || other.is_zero() => Term::zero(),
            () if self.is(1.0) => other.clone(),
            () if other.is(1.0) => self.clone(),
            () => {
                let [a, b] = [self, other].map(|term| term.within(Binding::Product));
                let b = if b.starts_with('-') { format!("({b})") } else { b };
                Term { text: format!("{a} * {b}"), binding: Binding::Product }
            }
        }
    }
}

impl Neg for &Term {
    type Output = Term;
    fn neg(self) -> Term {
        match self.text.strip_prefix('-').filter(|_| self.binding == Binding::Product) {
            Some(rest) => Term { text: rest.to_owned(), binding: Binding::Product },
            None if self.is_zero() => Term::zero(),
            None => Term { text: format!("-{}", self.within(Binding::Product)), binding: Binding::Product },
        }
    }
}

/// A vector in the plane.
pub(super) type Pair = [Term; 2];

pub(super) fn plus([ax, ay]: &Pair, [bx, by]: &Pair) -> Pair {
    [ax + bx, ay + by]
}

pub(super) fn minus([ax, ay]: &Pair, [bx, by]: &Pair) -> Pair {
    [ax - bx, ay - by]
}

pub(super) fn scaled([x, y]: &Pair, by: &Term) -> Pair {
    [x * by, y * by]
}

pub(super) fn dot([ax, ay]: &Pair, [bx, by]: &Pair) -> Term {
    &(ax * bx) + &(ay * by)
}

/// The part of `a × b` across the plane.
pub(super) fn cross([ax, ay]: &Pair, [bx, by]: &Pair) -> Term {
    &(ax * by) - &(ay * bx)
}

pub(super) fn length(pair: &Pair) -> Term {
    let [x, y] = pair;
    (&x.squared() + &y.squared()).sqrt()
}

/// Turned to the left by a right angle.
pub(super) fn left_of([x, y]: &Pair) -> Pair {
    [-y, x.clone()]
}

/// Turned by an angle.
pub(super) fn turned([x, y]: &Pair, angle: &Term) -> Pair {
    let (sin, cos) = (angle.sin(), angle.cos());
    [&(x * &cos) - &(y * &sin), &(x * &sin) + &(y * &cos)]
}

pub(super) fn origin() -> Pair {
    [Term::zero(), Term::zero()]
}

/// A direction of length one.
pub(super) fn unit(axis: Pair) -> Pair {
    let is_one = |term: &Term| matches!(term.text(), "1" | "1.0");
    match &axis {
        [x, y] if is_one(x) && y.is_zero() => [Term::one(), Term::zero()],
        [x, y] if x.is_zero() && is_one(y) => [Term::zero(), Term::one()],
        _ => {
            let length = length(&axis);
            if length.is_zero() { origin() } else { axis.map(|part| part.over(&length)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Arena, parse};

    fn value(term: &Term) -> f64 {
        let (mut arena, syntax) = (Arena::new(), parse(term.text()).expect("a formula"));
        let named = [("a", 3.0), ("b", 5.0)];
        let ids = named.map(|(_, value)| arena.constant(value));
        let id = syntax.lower(&mut arena, &mut |name| {
            named.iter().position(|(known, _)| *known == name).map(|i| ids[i])
        });
        arena.evaluate(&[id.expect("known names")], &[])[0]
    }

    #[test]
    fn operations_keep_their_meaning() {
        let (a, b, user) = (Term::whole("a"), Term::whole("b"), Term::formula("a + b"));
        for (term, expected) in [
            (&a - &(&a - &b), 5.0),
            (&user * &user, 64.0),
            (&a * &-&b, -15.0),
            (&a - &-&(&a * &b), 18.0),
            (&a + &-&b, -2.0),
            (-&-&a, 3.0),
            (-&(&a + &b), -8.0),
            ((&a - &b).squared(), 4.0),
            ((-&a).squared(), 9.0),
            (a.over(&(&a * &b)), 0.2),
            ((&a + &b).over(&b), 1.6),
            (&b * &a.over(&b), 3.0),
            (Term::number(-2.0).squared(), 4.0),
            (&a - &Term::number(-2.0), 5.0),
        ] {
            assert!((value(&term) - expected).abs() < 1e-15, "{} is not {expected}", term.text());
        }
    }

    #[test]
    fn zeros_and_ones_vanish() {
        let (a, zero, one) = (Term::whole("a"), Term::zero(), Term::one());
        assert_eq!((&a + &zero).text(), "a");
        assert_eq!((&a * &one).text(), "a");
        assert!((&a * &zero).is_zero() && (-&zero).is_zero());
        assert_eq!(turned(&[a.clone(), zero.clone()], &zero), [a, zero]);
    }
}
