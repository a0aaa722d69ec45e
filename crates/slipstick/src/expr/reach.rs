//! What expressions are made from.

use crate::expr::arena::{Arena, ExprId};
use std::collections::BTreeSet;

/// Expressions are few if they are less than one in this many: a set of bits would be larger than they are.
const MANY: usize = 64;

/// Everything that `ids` are made from, ascending, if that is little: then the size of the arena does not
/// matter.
pub(super) fn few_reachable(arena: &Arena, ids: &[ExprId]) -> Option<Vec<ExprId>> {
    let most = arena.len() / MANY;
    if ids.len() > most {
        return None;
    }
    let mut found: BTreeSet<ExprId> = ids.iter().copied().collect();
    let mut stack: Vec<ExprId> = found.iter().copied().collect();
    while let Some(id) = stack.pop() {
        stack.extend(arena.node(id).operands().filter(|operand| found.insert(*operand)));
        if found.len() > most {
            return None;
        }
    }
    Some(found.into_iter().collect())
}

/// The same, however much that is.
pub(super) fn many_reachable(arena: &Arena, ids: &[ExprId]) -> Vec<ExprId> {
    let mut found = Marks::new(arena.len());
    let mut stack = Vec::new();
    let mut count = 0;
    for &id in ids {
        if found.mark(id.0) {
            stack.push(id);
        }
    }
    while let Some(id) = stack.pop() {
        count += 1;
        for operand in arena.node(id).operands() {
            if found.mark(operand.0) {
                stack.push(operand);
            }
        }
    }
    found.ascending(count)
}

/// A set of ids as bits.
struct Marks {
    words: Vec<u64>,
}

impl Marks {
    fn new(len: usize) -> Self {
        Self { words: vec![0; len.div_ceil(64)] }
    }

    /// Adds an id; false if it was there before.
    fn mark(&mut self, id: u32) -> bool {
        let word = &mut self.words[id as usize / 64];
        let bit = 1 << (id % 64);
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    fn ascending(&self, count: usize) -> Vec<ExprId> {
        let mut ids = Vec::with_capacity(count);
        for (base, &word) in (0_u32..).step_by(64).zip(&self.words) {
            let mut rest = word;
            while rest != 0 {
                ids.push(ExprId(base + rest.trailing_zeros()));
                rest &= rest - 1;
            }
        }
        ids
    }
}
