//! Which constraints of a mechanism hold: only these have rows in its linear systems.
//!
//! A joint that is open, or a contact, costs its guard and nothing else. What has rows (terms, residuals,
//! factors, multipliers) is made for one set and numbers its rows from zero; a constraint is named by its
//! place among all constraints of the system.

use super::Constraint;
use std::sync::Arc;

/// The constraints that hold, ascending; those of positions come first. Two sets that are made apart are
/// equal if the same constraints hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ActiveRows {
    constraints: Arc<[usize]>,
    /// How many of them are of positions, and how many constraints there are in all.
    holonomic: usize,
    of: usize,
}

impl ActiveRows {
    /// All constraints.
    pub fn all(constraints: &[Constraint]) -> Self {
        Self::of(constraints, |_| true)
    }

    /// The constraints that hold, by their places.
    pub fn of(constraints: &[Constraint], holds: impl Fn(usize) -> bool) -> Self {
        let active: Arc<[usize]> = (0..constraints.len()).filter(|&k| holds(k)).collect();
        let holonomic = active.iter().filter(|&&k| constraints[k].holonomic).count();
        Self { constraints: active, holonomic, of: constraints.len() }
    }

    /// The same without some rows.
    #[must_use]
    pub fn without(&self, rows: &[usize]) -> Self {
        let kept = (0..self.len()).filter(|row| !rows.contains(row));
        let holonomic = kept.clone().filter(|&row| row < self.holonomic).count();
        Self { constraints: kept.map(|row| self.constraints[row]).collect(), holonomic, of: self.of }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.constraints.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.constraints.is_empty()
    }

    /// Whether all constraints hold.
    pub fn is_all(&self) -> bool {
        self.constraints.len() == self.of
    }

    /// How many constraints there are, whether they hold or not.
    pub fn of_all(&self) -> usize {
        self.of
    }

    /// How many rows are of constraints of positions: the first ones.
    pub fn holonomic(&self) -> usize {
        self.holonomic
    }

    /// The constraint of each row.
    pub fn constraints(&self) -> &[usize] {
        &self.constraints
    }

    /// The constraint of a row.
    pub fn constraint(&self, row: usize) -> usize {
        self.constraints[row]
    }

    /// The row of a constraint, if it holds.
    pub fn row(&self, constraint: usize) -> Option<usize> {
        self.constraints.binary_search(&constraint).ok()
    }

    /// Writes what is known by rows to a list by constraints; zero for those that do not hold.
    #[inline]
    pub fn scatter(&self, by_rows: &[f64], by_constraints: &mut [f64]) {
        if self.is_all() {
            return by_constraints.copy_from_slice(by_rows);
        }
        by_constraints.fill(0.0);
        for (&constraint, value) in self.constraints.iter().zip(by_rows) {
            by_constraints[constraint] = *value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_constraints_name_each_other() {
        let constraint = |k: usize| Constraint { name: k.to_string(), holonomic: k < 3, switches: true };
        let constraints: Vec<Constraint> = (0..5).map(constraint).collect();
        let rows = ActiveRows::of(&constraints, |k| k % 2 == 0);
        assert_eq!((rows.constraints(), rows.holonomic(), rows.len()), (&[0, 2, 4][..], 2, 3));
        assert_eq!((rows.row(2), rows.row(3), rows.constraint(2)), (Some(1), None, 4));
        assert!(!rows.is_all() && ActiveRows::all(&constraints).is_all());
        let mut by_constraints = [9.0; 5];
        rows.scatter(&[1.0, 2.0, 3.0], &mut by_constraints);
        assert_eq!(by_constraints, [1.0, 0.0, 2.0, 0.0, 3.0]);
        let fewer = rows.without(&[1]);
        assert_eq!((fewer.constraints(), fewer.holonomic()), (&[0, 4][..], 1));
        assert_eq!(rows, ActiveRows::of(&constraints, |k| [0, 2, 4].contains(&k)));
    }
}
