//! Regularised switching, for comparison with the exact one: a sign becomes a straight line within `width` of
//! its surface.
//!
//! `sign(x)` becomes `clamp(x / width, -1, 1)`, and a comparison in an `if` the share `(1 + sign) / 2` with
//! which both branches are mixed. Nothing jumps any more, so nothing slides; where the motion would slide, it
//! follows a stiff layer instead. The ends of the line are locked kinks.

use super::locking::Locker;
use crate::expr::{Arena, BinaryOp, ExprId, Interpret, Node, UnaryOp};

impl Locker<'_, '_> {
    /// The softened meaning of an operation that would jump; none if it does not.
    pub(super) fn soften(
        &mut self,
        arena: &mut Arena,
        node: &Node,
        width: f64,
        text: &str,
    ) -> Option<ExprId> {
        match *node {
            Node::Unary(UnaryOp::Sign, x) => self.saturate(arena, x, width, text),
            Node::Binary(BinaryOp::Less | BinaryOp::LessEqual, a, b) => {
                let surface = arena.sub(b, a);
                let sign = self.saturate(arena, surface, width, text)?;
                let (one, half) = (arena.constant(1.0), arena.constant(0.5));
                let twice = arena.add(one, sign);
                Some(arena.mul(half, twice))
            }
            Node::Unary(UnaryOp::Not, a) => {
                let one = arena.constant(1.0);
                Some(arena.sub(one, a))
            }
            Node::Binary(BinaryOp::And, a, b) => Some(arena.mul(a, b)),
            Node::Binary(BinaryOp::Or, a, b) => {
                let (sum, both) = (arena.add(a, b), arena.mul(a, b));
                Some(arena.sub(sum, both))
            }
            Node::Select(share, a, b) if self.locks.varies(arena, share) => {
                let rise = arena.sub(a, b);
                let rise = arena.mul(share, rise);
                Some(arena.add(b, rise))
            }
            _ => None,
        }
    }

    /// The straight line between -1 and 1; none if the surface does not change.
    pub(super) fn saturate(
        &mut self,
        arena: &mut Arena,
        surface: ExprId,
        width: f64,
        text: &str,
    ) -> Option<ExprId> {
        if !self.locks.varies(arena, surface) {
            return None;
        }
        let (width, most, least) = (arena.constant(width), arena.constant(1.0), arena.constant(-1.0));
        let line = arena.div(surface, width);
        let below = self.operation(arena, Node::Binary(BinaryOp::Min, line, most), &format!("{text} = 1"));
        Some(self.operation(arena, Node::Binary(BinaryOp::Max, below, least), &format!("{text} = -1")))
    }
}
