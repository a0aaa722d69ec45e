//! How fast an expression can change at most.
//!
//! For many guards (a coordinate less a limit, a distance, a sum of such) there is a number L so that the
//! value changes by at most `L d` when no varying input changes by more than `d`, wherever that is. Such a
//! guard need not be looked at while it is further from zero than that.

use crate::expr::arena::{Arena, ExprId, Node};

/// What is known of an input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum InputKind {
    /// It may change in any way.
    Unknown,
    /// It changes during a run.
    Varying,
    /// It has this value throughout.
    Fixed(f64),
    /// It does not change between events, and its size is at most this.
    Locked(f64),
}

/// How fast an expression can change, and how large it can be.
#[derive(Clone, Copy)]
pub(super) struct Growth {
    /// It changes by at most this when the varying inputs change by at most one.
    pub(super) change: f64,
    /// It is at most this large.
    pub(super) size: f64,
    /// It is at least this large.
    pub(super) least: f64,
}

const UNKNOWN: Growth = Growth { change: f64::INFINITY, size: f64::INFINITY, least: 0.0 };

/// For each of `ids`, by how much it can change at most when no varying input changes by more than one;
/// infinity if that is not known.
pub fn growth(arena: &Arena, ids: &[ExprId], kind: impl Fn(usize) -> InputKind) -> Vec<f64> {
    let Some(highest) = ids.iter().max() else { return Vec::new() };
    let mut bounds = vec![UNKNOWN; highest.index() + 1];
    for id in arena.reachable(ids) {
        let of = |operand: ExprId| bounds[operand.index()];
        let bound = match arena.node(id) {
            Node::Constant(value) => fixed(value),
            Node::Input(input) => match kind(input.index()) {
                InputKind::Varying => Growth { change: 1.0, ..UNKNOWN },
                InputKind::Fixed(value) => fixed(value),
                InputKind::Unknown => UNKNOWN,
                InputKind::Locked(size) => Growth { change: 0.0, size, least: 0.0 },
            },
            Node::Unary(op, x) => (op.row().growth)(of(x)),
            Node::Binary(op, a, b) => (op.row().growth)(of(a), of(b)),
            // A condition that can change makes it jump.
            Node::Select(c, a, b) if of(c).change == 0.0 => of(a).either(of(b)),
            Node::Select(..) => UNKNOWN,
        };
        bounds[id.index()] = bound;
    }
    ids.iter().map(|id| bounds[id.index()].change).collect()
}

fn fixed(value: f64) -> Growth {
    Growth { change: 0.0, size: value.abs(), least: value.abs() }
}

/// A product in which nothing times anything is nothing.
fn times(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}

impl Growth {
    /// As fast as before, and of this size.
    pub(super) fn within(self, size: f64) -> Self {
        Self { size, least: 0.0, ..self }
    }

    /// Nothing is known, but what does not change stays as it is, whatever is done to it.
    pub(super) fn unknown(self) -> Self {
        if self.change == 0.0 { Self { change: 0.0, ..UNKNOWN } } else { UNKNOWN }
    }

    pub(super) fn unknown_pair(self, other: Self) -> Self {
        Self { change: self.change + other.change, ..self }.unknown()
    }

    pub(super) fn either(self, other: Self) -> Self {
        Self {
            change: self.change.max(other.change),
            size: self.size.max(other.size),
            least: self.least.min(other.least),
        }
    }

    pub(super) fn sum(self, other: Self) -> Self {
        Self { change: self.change + other.change, size: self.size + other.size, least: 0.0 }
    }

    pub(super) fn product(self, other: Self) -> Self {
        Self {
            change: times(self.change, other.size) + times(self.size, other.change),
            size: times(self.size, other.size),
            least: times(self.least, other.least),
        }
    }

    /// The quotient; it is known if the divisor does not change and is not zero.
    pub(super) fn quotient(self, other: Self) -> Self {
        if other.change != 0.0 || other.least <= 0.0 {
            return self.unknown_pair(other);
        }
        Self { change: self.change / other.least, size: self.size / other.least, least: 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{InputId, parse};
    use proptest::prelude::*;

    /// The growth of a formula of the varying x and y, the parameter p = -2 and the sign s.
    fn growth(text: &str) -> f64 {
        let mut arena = Arena::new();
        let ids: Vec<ExprId> = (0..4).map(|k| arena.input(InputId(k))).collect();
        let mut resolve = |name: &str| "xyps".find(name).map(|k| ids[k]);
        let id = parse(text).unwrap().lower(&mut arena, &mut resolve).unwrap();
        let kinds = [InputKind::Varying, InputKind::Varying, InputKind::Fixed(-2.0), InputKind::Locked(1.0)];
        super::growth(&arena, &[id], |k| kinds[k])[0]
    }

    #[test]
    fn growth_of_common_guards_is_known() {
        assert_eq!(growth("x - 3"), 1.0);
        assert_eq!(growth("p * x - y / 4"), 2.25);
        assert_eq!(growth("hypot(x - 1, y) - p"), 2.0);
        assert_eq!(growth("s * (x + y)"), 2.0);
        assert_eq!(growth("sin(3 * x) * 5 + max(x, 2 * y)"), 17.0);
        assert_eq!(growth("p^3 + 1"), 0.0);
    }

    #[test]
    fn growth_without_a_bound_is_infinite() {
        for text in ["x * y", "x^2 - 1", "sqrt(x)", "1 / x", "exp(x)", "if(x > 1, 1, 0)", "floor(x)"] {
            assert_eq!(growth(text), f64::INFINITY, "{text}");
        }
    }

    proptest! {
        #[test]
        fn values_change_no_more_than_their_growth(
            x in -9.0..9.0, y in -9.0..9.0, dx in -1.0..1.0_f64, dy in -1.0..1.0_f64,
        ) {
            let g = |x: f64, y: f64| (2.0 * x - y).sin() * 3.0 + f64::hypot(x, y).atan() - x.abs().max(y / 7.0);
            let bound = growth("sin(2 * x - y) * 3 + atan(hypot(x, y)) - max(abs(x), y / 7)");
            let d = dx.abs().max(dy.abs());
            prop_assert!((g(x + dx, y + dy) - g(x, y)).abs() <= bound * d + 1e-12);
        }
    }
}
