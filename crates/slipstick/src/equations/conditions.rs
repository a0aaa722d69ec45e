//! Guards that join conditions: comparisons of what moves become surfaces, discrete ones formulas.

use super::GuardCondition;
use super::locking::{name_of, opposite};
use super::lowering::{Lowering, is_discrete};
use crate::expr::{ExprId, Node, NodeId, Relation};
use crate::model::{Formula, Logic, Model};
use std::collections::BTreeMap;

/// A comparison in guards.
#[derive(Clone, Debug)]
pub(super) struct Compared {
    /// Its text and where it stands first.
    pub(super) name: String,
    /// Left minus right.
    pub(super) surface: ExprId,
    /// Whether zero belongs to the positive side.
    pub(super) closed: bool,
    /// The mode of the guards that use it; none is every mode.
    pub(super) mode: Option<usize>,
}

/// What guards that join conditions are made of.
#[derive(Clone, Debug, Default)]
pub(super) struct Conditions {
    pub(super) comparisons: Vec<Compared>,
    found: BTreeMap<(ExprId, bool), usize>,
    /// Conditions of what changes only at events: not zero where they hold.
    pub(super) discrete: Vec<ExprId>,
}

/// A guard on its way.
pub(super) struct GuardPlace<'a> {
    pub(super) guard: &'a Formula,
    /// Its key in the model file.
    pub(super) key: &'a str,
    pub(super) mode: Option<usize>,
}

impl Conditions {
    /// The condition of a guard; none if it is one surface that crosses zero.
    pub(super) fn read(
        &mut self,
        lowering: &mut Lowering<'_>,
        model: &Model,
        place: &GuardPlace<'_>,
    ) -> Option<GuardCondition> {
        let logic = lowering.names.logic(place.guard)?;
        if let Logic::Comparison { relation, left, right, .. } = logic
            && !matches!(relation, Relation::Equal | Relation::NotEqual)
        {
            let sides = sides(lowering, place, left, right);
            let surface = lowering.arena.sub(sides.0, sides.1);
            let only_discrete = !lowering.locks.varies(&lowering.arena, surface)
                && lowering.arena.inputs_of(&[surface]).into_iter().any(is_discrete);
            return only_discrete.then(|| self.discrete(lowering, relation, sides));
        }
        Some(self.logic(lowering, model, place, &logic))
    }

    /// The parser limits how deep conditions nest, and so how deep this goes.
    fn logic(
        &mut self,
        lowering: &mut Lowering<'_>,
        model: &Model,
        place: &GuardPlace<'_>,
        logic: &Logic,
    ) -> GuardCondition {
        match logic {
            Logic::Comparison { relation, left, right, node } => {
                let sides = sides(lowering, place, *left, *right);
                let surface = lowering.arena.sub(sides.0, sides.1);
                if lowering.locks.varies(&lowering.arena, surface) {
                    self.comparison(lowering, place, (*relation, surface, *node))
                } else {
                    self.discrete(lowering, *relation, sides)
                }
            }
            // A checked model has the mode.
            Logic::Mode { name, .. } => GuardCondition::Mode(
                model.modes.iter().position(|m| m.name == name.name).unwrap_or(usize::MAX),
            ),
            Logic::Not(inner) => GuardCondition::Not(Box::new(self.logic(lowering, model, place, inner))),
            Logic::And(parts) => GuardCondition::And(self.all(lowering, model, place, parts)),
            Logic::Or(parts) => GuardCondition::Or(self.all(lowering, model, place, parts)),
        }
    }

    fn all(
        &mut self,
        lowering: &mut Lowering<'_>,
        model: &Model,
        place: &GuardPlace<'_>,
        parts: &[Logic],
    ) -> Vec<GuardCondition> {
        parts.iter().map(|part| self.logic(lowering, model, place, part)).collect()
    }

    fn discrete(
        &mut self,
        lowering: &mut Lowering<'_>,
        relation: Relation,
        (left, right): (ExprId, ExprId),
    ) -> GuardCondition {
        let (op, swapped) = relation.operation();
        let (left, right) = if swapped { (right, left) } else { (left, right) };
        let holds = lowering.arena.build(Node::Binary(op, left, right));
        self.discrete.push(holds);
        GuardCondition::Discrete(self.discrete.len() - 1)
    }

    /// The comparison of a surface with zero. One that is written twice, or the other way round, is one.
    fn comparison(
        &mut self,
        lowering: &mut Lowering<'_>,
        place: &GuardPlace<'_>,
        (relation, surface, node): (Relation, ExprId, NodeId),
    ) -> GuardCondition {
        let positive = matches!(relation, Relation::Greater | Relation::GreaterEqual);
        let closed = matches!(relation, Relation::GreaterEqual | Relation::Less);
        let opposite = opposite(&mut lowering.arena, surface);
        let (index, turned) = match (self.found.get(&(surface, closed)), self.found.get(&(opposite, !closed)))
        {
            (Some(&index), _) => (index, false),
            (None, Some(&index)) => (index, true),
            (None, None) => {
                let text = &place.guard.syntax.text()[place.guard.syntax.node(node).span.clone()];
                let name = name_of(text, place.key);
                self.comparisons.push(Compared { name, surface, closed, mode: place.mode });
                self.found.insert((surface, closed), self.comparisons.len() - 1);
                (self.comparisons.len() - 1, false)
            }
        };
        let compared = &mut self.comparisons[index];
        if compared.mode != place.mode {
            compared.mode = None;
        }
        GuardCondition::Sign { comparison: index, positive: positive != turned }
    }
}

/// Both sides of a comparison.
fn sides(
    lowering: &mut Lowering<'_>,
    place: &GuardPlace<'_>,
    left: NodeId,
    right: NodeId,
) -> (ExprId, ExprId) {
    let left = lowering.locked_node(place.guard, left, place.key);
    (left, lowering.locked_node(place.guard, right, place.key))
}
