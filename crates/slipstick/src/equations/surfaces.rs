//! The surfaces at which locked branches end.

use super::Direction;
use super::locking::{Discontinuity, Lock, Locks};
use crate::expr::{Arena, BinaryOp, ExprId, Node, UnaryOp};

/// Where surfaces are made.
pub(super) struct Making<'a> {
    pub(super) arena: &'a mut Arena,
    pub(super) locks: &'a mut Locks,
}

/// The surfaces of a lock's own guards, with the direction in which each fires.
///
/// A count has two, in counts: it goes up where the first rises, and down where the second falls.
pub(super) fn surfaces(making: &mut Making<'_>, lock: &Lock) -> Vec<(ExprId, Direction)> {
    let arena = &mut *making.arena;
    match lock.rule {
        Discontinuity::Clock(_) => Vec::new(),
        // What the user has written as a switch is taken at its word.
        Discontinuity::Sign(surface) if lock.named => vec![(surface, Direction::Both)],
        Discontinuity::Sign(surface) => vec![(defined(making, surface, lock.value), Direction::Both)],
        Discontinuity::Floor(of) => {
            let (up, down) = (ahead(arena, of, lock.value, 1.0), ahead(arena, of, lock.value, 0.0));
            count_surfaces(making, up, down)
        }
        Discontinuity::Round(of) => {
            let (up, down) = (ahead(arena, of, lock.value, 0.5), ahead(arena, of, lock.value, -0.5));
            // Time does not stay at a half.
            if !making.locks.depends_on_states(arena, of) {
                return count_surfaces(making, up, down);
            }
            let (up, down) = (away_from_zero(arena, up, of), away_from_zero(arena, down, of));
            count_surfaces(making, up, down)
        }
    }
}

/// `of - (count + distance)`
fn ahead(arena: &mut Arena, of: ExprId, count: ExprId, distance: f64) -> ExprId {
    let distance = arena.constant(distance);
    let edge = arena.add(count, distance);
    arena.sub(of, edge)
}

fn count_surfaces(making: &mut Making<'_>, up: ExprId, down: ExprId) -> Vec<(ExprId, Direction)> {
    let (below, above) = (making.arena.constant(-0.5), making.arena.constant(0.5));
    let (up, down) = (defined(making, up, below), defined(making, down, above));
    vec![(up, Direction::Rising), (down, Direction::Falling)]
}

/// Halves are rounded away from zero: below zero, a half belongs to the lower number.
fn away_from_zero(arena: &mut Arena, surface: ExprId, of: ExprId) -> ExprId {
    let (zero, hair) = (arena.constant(0.0), arena.constant(f64::EPSILON));
    let (size, least) = (arena.unary(UnaryOp::Abs, surface), arena.constant(f64::MIN_POSITIVE));
    let scaled = arena.mul(hair, size);
    let shift = arena.add(scaled, least);
    let lower = arena.sub(surface, shift);
    let negative = arena.binary(BinaryOp::Less, of, zero);
    arena.select(negative, lower, surface)
}

/// The surface where it is a finite number, elsewhere a value from which it does not cross. A formula may be
/// undefined in the branch that is not taken, and that is no event and no error.
fn defined(making: &mut Making<'_>, surface: ExprId, else_value: ExprId) -> ExprId {
    if !making.locks.may_be_undefined(making.arena, surface) {
        return surface;
    }
    let arena = &mut *making.arena;
    let size = arena.unary(UnaryOp::Abs, surface);
    let largest = arena.constant(f64::MAX);
    let finite = arena.binary(BinaryOp::LessEqual, size, largest);
    arena.select(finite, surface, else_value)
}

/// The operand on which it depends whether a node is a finite number, if there is one.
pub(super) fn risk(id: ExprId, node: Node) -> Option<ExprId> {
    match node {
        Node::Unary(op, x) if is_partial(op) => Some(x),
        Node::Binary(BinaryOp::Divide, _, divisor) => Some(divisor),
        Node::Binary(BinaryOp::Power | BinaryOp::Modulo, ..) => Some(id),
        _ => None,
    }
}

/// Whether an operation is not a finite number for some operands, or only for those that are not too large.
fn is_partial(op: UnaryOp) -> bool {
    matches!(
        op,
        UnaryOp::Tan
            | UnaryOp::Asin
            | UnaryOp::Acos
            | UnaryOp::Sinh
            | UnaryOp::Cosh
            | UnaryOp::Acosh
            | UnaryOp::Atanh
            | UnaryOp::Exp
            | UnaryOp::Ln
            | UnaryOp::Log10
            | UnaryOp::Sqrt
    )
}
