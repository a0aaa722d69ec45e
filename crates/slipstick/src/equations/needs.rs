//! When a lock is needed: a branch that is not taken needs none.
//!
//! In `if c then abs(x) else 0` the sign of x does not matter while c does not hold. What decides between
//! branches is locked itself or does not change during a run; so it can be said with a formula of parameters,
//! signs and counts whether the motion depends on a lock. Such conditions go down from the formulas of the
//! motion to the locks in them, and from each lock that is needed to those in its surface.

use super::GuardCondition;
use super::locking::{Discontinuity, Lock, Locks};
use super::lowering::{Lowering, is_discrete};
use super::parts::{EventSurface, Parts};
use crate::expr::{Arena, BinaryOp, ExprId, Node, UnaryOp};
use crate::model::Model;
use std::collections::BTreeMap;

/// When locks are needed: formulas that are not zero where they are.
#[derive(Clone, Debug, Default)]
pub(super) struct Needs {
    /// Those that every mode needs, whatever its own formulas are.
    common: BTreeMap<usize, ExprId>,
    /// For each mode those that it needs beyond that.
    own: Vec<BTreeMap<usize, ExprId>>,
}

impl Needs {
    /// Finds them for all modes.
    pub(super) fn find(lowering: &mut Lowering<'_>, model: &Model, parts: &Parts) -> Self {
        let (moves, locked) = (moving(lowering), locked(&lowering.arena));
        let one = lowering.arena.constant(1.0);
        let list = &lowering.locks.list;
        let surface = |lock: &Lock| expression(lock.rule).filter(|_| !lock.soft);
        let surfaces: Vec<Option<ExprId>> = list.iter().map(surface).collect();
        let named = list.iter().enumerate().filter(|(_, lock)| lock.named).map(|(k, _)| (k, one));
        let mut common: BTreeMap<usize, ExprId> = named.collect();
        let nothing = BTreeMap::new();
        let mut descent = Descent { arena: &mut lowering.arena, moves: &moves, one, common: &nothing };
        let (differ, mut roots) = (parts.derivatives.differ(), common_roots(parts));
        let same = parts.derivatives.common().iter().zip(&differ).filter(|(_, differs)| !**differs);
        roots.extend(same.map(|(derivative, _)| derivative));
        let mut own_roots = own_roots(parts, &differ, &locked);
        for ((mode, _), surface) in model.all_events().zip(&parts.events) {
            mode.map_or(&mut roots, |mode| &mut own_roots[mode]).extend(roots_of(surface, parts));
        }
        descent.go(&roots, one, &mut common);
        descent.follow(&surfaces, &mut common);
        let mut descent = Descent { common: &common, ..descent };
        let own = own_roots.iter().map(|roots| {
            let mut own = BTreeMap::new();
            descent.go(roots, one, &mut own);
            descent.follow(&surfaces, &mut own);
            own
        });
        Self { own: own.collect(), common }
    }

    /// When a mode needs a lock; none if it never does.
    pub(super) fn of(&self, mode: usize, lock: usize) -> Option<ExprId> {
        self.own[mode].get(&lock).or_else(|| self.common.get(&lock)).copied()
    }

    /// Every lock that is needed, with a mode that needs it; no mode is every mode.
    pub(super) fn all(&self) -> impl Iterator<Item = (usize, Option<usize>)> + '_ {
        let own = self.own.iter().enumerate();
        let own = own.flat_map(|(mode, needs)| needs.keys().map(move |lock| (*lock, Some(mode))));
        self.common.keys().map(|lock| (*lock, None)).chain(own)
    }

    /// For each of `locks` locks, whether every mode always needs it.
    pub(super) fn always(&self, arena: &Arena, locks: usize) -> Vec<bool> {
        let always = |need: &ExprId| arena.is_constant(*need).is_some_and(|need| need != 0.0);
        let mut modes = vec![0; locks];
        for needs in &self.own {
            needs.iter().filter(|(_, need)| always(need)).for_each(|(lock, _)| modes[*lock] += 1);
        }
        let common = |lock: usize| self.common.get(&lock).is_some_and(always);
        (0..locks).map(|lock| common(lock) || modes[lock] == self.own.len()).collect()
    }

    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut ExprId> {
        self.common.values_mut().chain(self.own.iter_mut().flat_map(BTreeMap::values_mut))
    }
}

/// The expression that a lock depends on.
pub(super) fn expression(rule: Discontinuity) -> Option<ExprId> {
    match rule {
        Discontinuity::Sign(id) | Discontinuity::Floor(id) | Discontinuity::Round(id) => Some(id),
        Discontinuity::Clock(_) => None,
    }
}

/// The formulas of the motion that all modes share.
fn common_roots(parts: &Parts) -> Vec<ExprId> {
    let mechanism = &parts.mechanism;
    let entries = mechanism.mass.iter().chain(&mechanism.jacobian).chain(&mechanism.feedback);
    let entries = entries.map(|entry| entry.value);
    let rows = mechanism.force.iter().chain(&mechanism.level).chain(&mechanism.velocity);
    entries.chain(parts.mass.iter().chain(rows).chain(&mechanism.position).copied()).collect()
}

/// For each mode its own formulas of the motion: derivatives of its own, and of those that other modes have
/// the common ones, if something is `locked` in them.
fn own_roots(parts: &Parts, differ: &[bool], locked: &[bool]) -> Vec<Vec<ExprId>> {
    let derivatives = &parts.derivatives;
    let common = derivatives.common().iter().enumerate();
    let common: Vec<(usize, ExprId)> =
        common.filter(|(i, id)| differ[*i] && locked[id.index()]).map(|(i, id)| (i, *id)).collect();
    let in_mode = |mode: usize| {
        let own = derivatives.own(mode);
        let is_common = |(i, _): &&(usize, ExprId)| own.binary_search_by_key(i, |(state, _)| *state).is_err();
        own.iter().chain(common.iter().filter(is_common)).map(|(_, id)| *id).collect()
    };
    (0..derivatives.modes()).map(in_mode).collect()
}

/// The formulas that an event depends on.
fn roots_of(surface: &EventSurface, parts: &Parts) -> Vec<ExprId> {
    let mut roots = vec![surface.value];
    surface.condition.visit(&mut |condition| match condition {
        GuardCondition::Sign { comparison, .. } => {
            roots.push(parts.conditions.comparisons[*comparison].surface);
        }
        GuardCondition::Discrete(index) => roots.push(parts.conditions.discrete[*index]),
        _ => {}
    });
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

/// For each expression, whether there is a lock in it.
fn locked(arena: &Arena) -> Vec<bool> {
    let mut locked: Vec<bool> = Vec::with_capacity(arena.len());
    for id in arena.ids() {
        locked.push(match arena.node(id) {
            Node::Input(input) => Locks::index(input).is_some(),
            node => node.operands().any(|operand| locked[operand.index()]),
        });
    }
    locked
}

/// Carries a condition down from formulas to the locks in them.
struct Descent<'a> {
    arena: &'a mut Arena,
    moves: &'a [bool],
    one: ExprId,
    /// What is needed anyway.
    common: &'a BTreeMap<usize, ExprId>,
}

impl Descent<'_> {
    /// Adds the locks in surfaces of needed locks. A surface depends only on locks before its own.
    fn follow(&mut self, surfaces: &[Option<ExprId>], needs: &mut BTreeMap<usize, ExprId>) {
        let mut end = surfaces.len();
        while let Some((&k, &need)) = needs.range(..end).next_back() {
            end = k;
            if let Some(surface) = surfaces[k] {
                self.go(&[surface], need, needs);
            }
        }
    }

    fn need(&mut self, lock: usize, condition: ExprId, needs: &mut BTreeMap<usize, ExprId>) {
        let common = self.common.get(&lock).copied();
        let known = needs.get(&lock).copied().or(common);
        let need = known.map_or(condition, |known| self.either(known, condition));
        if Some(need) != common && self.arena.is_constant(need) != Some(0.0) {
            needs.insert(lock, need);
        }
    }

    fn go(&mut self, roots: &[ExprId], condition: ExprId, needs: &mut BTreeMap<usize, ExprId>) {
        let mut conditions: BTreeMap<ExprId, ExprId> = roots.iter().map(|&id| (id, condition)).collect();
        for id in self.arena.reachable(roots).into_iter().rev() {
            let Some(&condition) = conditions.get(&id) else { continue };
            match self.arena.node(id) {
                Node::Input(input) => {
                    if let Some(k) = Locks::index(input) {
                        self.need(k, condition, needs);
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
