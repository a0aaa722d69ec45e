//! When a lock is needed: a branch that is not taken needs none.
//!
//! In `if c then abs(x) else 0` the sign of x does not matter while c does not hold. What decides between branches is locked itself or does not
//! change during a run; so it can be said with a formula of parameters, signs and counts whether the motion depends on a lock. Such
//! conditions go down from the formulas of the motion to the locks in them, and from each lock that is needed to those in its surface.

use super::Condition;
use super::locking::{Locks, Rule};
use super::lowering::{Lowering, Parts, is_discrete};
use crate::expr::{Arena, BinaryOp, ExprId, Node, UnaryOp};
use crate::model::Model;
use std::collections::BTreeMap;

/// For each lock, a formula that is not zero where a mode needs it.
pub(super) fn needs(lowering: &mut Lowering<'_>, model: &Model, parts: &Parts, mode: usize) -> Vec<ExprId> {
    let moves = moving(lowering);
    let (one, zero) = (lowering.arena.constant(1.0), lowering.arena.constant(0.0));
    let list = &lowering.locks.list;
    let surfaces: Vec<Option<ExprId>> =
        list.iter().map(|lock| expression(lock.rule).filter(|_| !lock.soft)).collect();
    let mut needs: Vec<ExprId> = list.iter().map(|lock| if lock.named { one } else { zero }).collect();
    let mut descent = Descent { arena: &mut lowering.arena, moves: &moves, one };
    descent.go(&roots(model, parts, mode), one, &mut needs);
    // A surface depends only on locks before its own.
    for k in (0..surfaces.len()).rev() {
        if let Some(surface) = surfaces[k].filter(|_| needs[k] != zero) {
            descent.go(&[surface], needs[k], &mut needs);
        }
    }
    needs
}

/// The expression that a lock depends on.
pub(super) fn expression(rule: Rule) -> Option<ExprId> {
    match rule {
        Rule::Sign(id) | Rule::Floor(id) | Rule::Round(id) => Some(id),
        Rule::Clock(_) => None,
    }
}

/// The formulas of the motion in a mode.
fn roots(model: &Model, parts: &Parts, mode: usize) -> Vec<ExprId> {
    let mechanism = &parts.mechanism;
    let joints = mechanism.jacobian.iter().chain(&mechanism.level).chain(&mechanism.velocity);
    let moving = parts.mass.iter().chain(&mechanism.force).chain(&mechanism.mass);
    let moving = moving.chain(joints).chain(&mechanism.position);
    let mut roots: Vec<ExprId> = parts.derivatives[mode].iter().chain(moving).copied().collect();
    let events = model.all_events().zip(&parts.events);
    let here = events.filter(|((own, _), _)| own.is_none_or(|own| own == mode));
    for (_, surface) in here {
        roots.push(surface.value);
        surface.condition.visit(&mut |condition| match condition {
            Condition::Sign { comparison, .. } => {
                roots.push(parts.conditions.comparisons[*comparison].surface);
            }
            Condition::Discrete(index) => roots.push(parts.conditions.discrete[*index]),
            _ => {}
        });
    }
    roots
}

/// For each expression, whether it can change while all locks stay as they are.
fn moving(lowering: &Lowering<'_>) -> Vec<bool> {
    let (arena, first) = (&lowering.arena, lowering.names.first_parameter);
    let fixed = first..lowering.names.first_switch + lowering.locks.list.len();
    let mut moves: Vec<bool> = Vec::with_capacity(arena.len());
    for id in arena.ids() {
        moves.push(match arena.node(id) {
            Node::Input(input) => {
                Locks::index(input).is_none() && !is_discrete(input) && !fixed.contains(&input.index())
            }
            node => node.operands().any(|operand| moves[operand.index()]),
        });
    }
    moves
}

/// Carries a condition down from formulas to the locks in them.
struct Descent<'a> {
    arena: &'a mut Arena,
    moves: &'a [bool],
    one: ExprId,
}

impl Descent<'_> {
    fn go(&mut self, roots: &[ExprId], condition: ExprId, needs: &mut [ExprId]) {
        let mut conditions: BTreeMap<ExprId, ExprId> = roots.iter().map(|&id| (id, condition)).collect();
        for id in self.arena.reachable(roots).into_iter().rev() {
            let Some(&condition) = conditions.get(&id) else { continue };
            match self.arena.node(id) {
                Node::Input(input) => {
                    if let Some(k) = Locks::index(input) {
                        needs[k] = self.either(needs[k], condition);
                    }
                }
                Node::Select(choice, yes, no) if !self.moves[choice.index()] => {
                    let not = self.arena.unary(UnaryOp::Not, choice);
                    self.add(&mut conditions, choice, condition);
                    let (taken, left) = (self.both(condition, choice), self.both(condition, not));
                    self.add(&mut conditions, yes, taken);
                    self.add(&mut conditions, no, left);
                }
                node => node.operands().for_each(|operand| self.add(&mut conditions, operand, condition)),
            }
        }
    }

    fn add(&mut self, conditions: &mut BTreeMap<ExprId, ExprId>, id: ExprId, condition: ExprId) {
        let known = conditions.get(&id).copied();
        conditions.insert(id, known.map_or(condition, |known| self.either(known, condition)));
    }

    fn either(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match (self.arena.is_constant(a), self.arena.is_constant(b)) {
            (Some(0.0), _) => b,
            (_, Some(0.0)) => a,
            (Some(_), _) | (_, Some(_)) => self.one,
            _ if a == b => a,
            _ => self.arena.binary(BinaryOp::Or, a, b),
        }
    }

    fn both(&mut self, a: ExprId, b: ExprId) -> ExprId {
        if a == self.one { b } else { self.arena.binary(BinaryOp::And, a, b) }
    }
}
