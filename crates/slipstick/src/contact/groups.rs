//! Contacts that feel each other: those of bodies that nothing connects are problems of their own.

use super::Relations;
use super::relations::ROUNDING;

/// The contacts in groups: an impulse in one group moves no contact of another by more than rounding.
pub(super) fn groups(relations: &Relations) -> Vec<Vec<usize>> {
    let count = relations.count();
    let mut group: Vec<Option<usize>> = vec![None; count];
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for first in 0..count {
        if group[first].is_some() {
            continue;
        }
        let own = groups.len();
        group[first] = Some(own);
        let mut members = vec![first];
        let mut next = 0;
        while let Some(&i) = members.get(next) {
            for (j, other) in group.iter_mut().enumerate() {
                if other.is_none() && feels(relations, i, j) {
                    *other = Some(own);
                    members.push(j);
                }
            }
            next += 1;
        }
        members.sort_unstable();
        groups.push(members);
    }
    groups
}

/// Whether an impulse in one contact moves another.
fn feels(relations: &Relations, i: usize, j: usize) -> bool {
    let size = |row: usize| relations.w(row, row).max(0.0).sqrt();
    let rows = |i: usize| [2 * i, 2 * i + 1];
    rows(i)
        .into_iter()
        .any(|a| rows(j).into_iter().any(|b| relations.w(a, b).abs() > ROUNDING * size(a) * size(b)))
}

impl Relations {
    /// Some of the contacts.
    pub(super) fn only(&self, which: &[usize]) -> Self {
        let rows: Vec<usize> = which.iter().flat_map(|i| [2 * i, 2 * i + 1]).collect();
        let entries = rows.iter().flat_map(|&row| rows.iter().map(move |&column| (row, column)));
        Self {
            response: entries.map(|(row, column)| self.w(row, column)).collect(),
            velocity: rows.iter().map(|&row| self.velocity[row]).collect(),
            free: rows.iter().map(|&row| self.free[row]).collect(),
            laws: which.iter().map(|&i| self.laws[i]).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::LawNumbers;
    use crate::expr::Inexact;

    /// Contacts without friction whose normals respond like this.
    fn without_friction(w: &[&[f64]]) -> Relations {
        let count = w.len();
        let mut response = vec![0.0; 4 * count * count];
        for (i, row) in w.iter().enumerate() {
            for (j, entry) in row.iter().enumerate() {
                response[2 * i * 2 * count + 2 * j] = *entry;
            }
        }
        let rows = vec![Inexact::default(); 2 * count];
        Relations { response, velocity: rows.clone(), free: rows, laws: vec![LawNumbers::default(); count] }
    }

    #[test]
    fn contacts_that_feel_each_other_through_others_are_one_group() {
        let w: [&[f64]; 4] =
            [&[1.0, 0.0, -0.5, 0.0], &[0.0, 2.0, 0.0, 0.0], &[-0.5, 0.0, 1.0, 0.1], &[0.0, 0.0, 0.1, 1.0]];
        assert_eq!(groups(&without_friction(&w)), [vec![0, 2, 3], vec![1]]);
    }

    #[test]
    fn rounding_connects_nothing() {
        let w: [&[f64]; 2] = [&[1e-9, 1e-15], &[1e-15, 1e9]];
        assert_eq!(groups(&without_friction(&w)).len(), 2);
    }
}
