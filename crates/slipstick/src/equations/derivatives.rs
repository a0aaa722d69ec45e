//! The derivatives of the states: common ones, kept once, and those of modes.

use super::lagrange::of_motion;
use super::lowering::{Lowering, Names, input};
use crate::expr::ExprId;
use crate::model::{Definition, ModeRule, Model, Quantity};
use std::collections::BTreeMap;

/// The derivatives of all states in all modes.
#[derive(Clone, Debug)]
pub(super) struct Derivatives {
    /// For each state that of the modes that have none of their own.
    common: Vec<ExprId>,
    /// For each mode the states that have one of its own, ascending, with it. There is at least one mode.
    own: Vec<Vec<(usize, ExprId)>>,
}

impl Derivatives {
    /// Reads the derivatives; a common one only if some mode uses it.
    pub(super) fn read(lowering: &mut Lowering<'_>, model: &Model) -> Self {
        let n = model.mechanism.coordinates;
        let mut common: Vec<ExprId> = (0..n).map(|i| input(&mut lowering.arena, 1 + n + i)).collect();
        common.extend((0..n).map(|i| of_motion(&mut lowering.arena, i)));
        // A checked model lacks none.
        common.resize(model.states.len(), lowering.unknown());
        let mut unread = by_state(&lowering.names, &model.derivatives);
        let mut own = Vec::new();
        for mode in &model.modes {
            own.push(derivatives_in(lowering, mode, &mut common, &mut unread));
        }
        if model.modes.is_empty() {
            for (state, definition) in unread {
                common[state] = common_derivative(lowering, definition);
            }
            own.push(Vec::new());
        }
        Self { common, own }
    }

    /// How many modes there are.
    pub(super) fn modes(&self) -> usize {
        self.own.len()
    }

    /// For each state, that of the modes that have none of their own.
    pub(super) fn common(&self) -> &[ExprId] {
        &self.common
    }

    /// The states that have a derivative of a mode's own, ascending, with it.
    pub(super) fn own(&self, mode: usize) -> &[(usize, ExprId)] {
        &self.own[mode]
    }

    /// For each state, whether some mode has one of its own.
    pub(super) fn differ(&self) -> Vec<bool> {
        let mut differ = vec![false; self.common.len()];
        self.own.iter().flatten().for_each(|(state, _)| differ[*state] = true);
        differ
    }

    /// All derivatives in a mode.
    pub(super) fn in_mode(&self, mode: usize) -> Vec<ExprId> {
        let mut all = self.common.clone();
        self.own[mode].iter().for_each(|(state, derivative)| all[*state] = *derivative);
        all
    }

    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut ExprId> {
        self.common.iter_mut().chain(self.own.iter_mut().flatten().map(|(_, derivative)| derivative))
    }
}

/// Definitions by the states that they are of.
type ByState<'m> = BTreeMap<usize, &'m Definition>;

/// Those of a mode's own, and the common ones that are met first in it.
fn derivatives_in(
    lowering: &mut Lowering<'_>,
    mode: &ModeRule,
    common: &mut [ExprId],
    unread: &mut ByState<'_>,
) -> Vec<(usize, ExprId)> {
    let own = by_state(&lowering.names, &mode.derivatives);
    let met: Vec<usize> = unread.keys().filter(|state| !own.contains_key(state)).copied().collect();
    let mut found = Vec::with_capacity(own.len());
    let mut met = met.into_iter().peekable();
    for (state, definition) in own {
        while let Some(first) = met.next_if(|met| *met < state) {
            read_common(lowering, first, common, unread);
        }
        let place = format!("modes.{}.derivatives.{}", mode.name, definition.name);
        found.push((state, lowering.locked(&definition.formula, &place)));
    }
    met.for_each(|state| read_common(lowering, state, common, unread));
    found
}

fn read_common(lowering: &mut Lowering<'_>, state: usize, common: &mut [ExprId], unread: &mut ByState<'_>) {
    if let Some(definition) = unread.remove(&state) {
        common[state] = common_derivative(lowering, definition);
    }
}

fn common_derivative(lowering: &mut Lowering<'_>, definition: &Definition) -> ExprId {
    lowering.locked(&definition.formula, &format!("derivatives.{}", definition.name))
}

fn by_state<'d>(names: &Names<'_>, list: &'d [Definition]) -> ByState<'d> {
    let state = |definition: &'d Definition| match names.target(&definition.name)? {
        Quantity::State(state) => Some((state, definition)),
        _ => None,
    };
    list.iter().filter_map(state).collect()
}
