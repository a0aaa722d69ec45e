//! A map from expressions to values: an array where ids are dense, a sorted list otherwise.
//!
//! So work on a small formula costs what the formula costs, however many others there are in the arena.

use crate::expr::arena::ExprId;
use std::ops::{Index, IndexMut};

/// An array may have this many places for each expression.
const SPREAD: usize = 8;

/// Values for the expressions of a list, indexed by [`ExprId::index`].
#[derive(Clone, Debug)]
pub(crate) struct Memo<T> {
    /// The ids, ascending, if they are far apart.
    ids: Option<Vec<u32>>,
    first: usize,
    values: Vec<T>,
}

impl<T: Clone> Memo<T> {
    /// The same value for every expression of a list.
    pub(crate) fn new(list: &[ExprId], value: T) -> Self {
        let (first, last) = list.iter().fold((u32::MAX, 0), |(a, b), id| (a.min(id.0), b.max(id.0)));
        let range = (last as usize + 1).saturating_sub(first as usize);
        if range <= SPREAD * list.len() {
            return Self { ids: None, first: first as usize, values: vec![value; range] };
        }
        let mut ids: Vec<u32> = list.iter().map(|id| id.0).collect();
        ids.sort_unstable();
        ids.dedup();
        let values = vec![value; ids.len()];
        Self { ids: Some(ids), first: 0, values }
    }
}

impl<T> Memo<T> {
    /// The place of an expression; beyond all others if it is not in the list.
    fn place(&self, id: usize) -> usize {
        let Some(ids) = &self.ids else { return id.wrapping_sub(self.first) };
        let id = u32::try_from(id).unwrap_or(u32::MAX);
        ids.binary_search(&id).unwrap_or(usize::MAX)
    }
}

impl<T> Index<usize> for Memo<T> {
    type Output = T;

    fn index(&self, id: usize) -> &T {
        &self.values[self.place(id)]
    }
}

impl<T> IndexMut<usize> for Memo<T> {
    fn index_mut(&mut self, id: usize) -> &mut T {
        let place = self.place(id);
        &mut self.values[place]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_whether_they_lie_close_or_far_apart() {
        for ids in [vec![5, 6, 7, 9], vec![3, 1_000_000, 70, 4_000_000_000]] {
            let list: Vec<ExprId> = ids.iter().map(|&id| ExprId(id)).collect();
            let mut memo = Memo::new(&list, 0);
            for (k, id) in list.iter().enumerate() {
                memo[id.index()] = k;
            }
            assert!(memo.values.len() <= SPREAD * list.len());
            assert!(list.iter().enumerate().all(|(k, id)| memo[id.index()] == k));
        }
        assert!(Memo::new(&[], 0).values.is_empty());
    }
}
