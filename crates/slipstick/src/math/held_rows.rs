//! Rows of constraints that are known to follow from others, for solvers that take rows in an order that suits the entries and cannot choose among them.

/// Which rows are left out, as long as the others are independent.
#[derive(Clone, Debug, Default)]
pub(super) struct HeldRows {
    held: Vec<bool>,
}

impl HeldRows {
    /// None of so many rows.
    pub(super) fn none(rows: usize) -> Self {
        Self { held: vec![false; rows] }
    }

    /// From now on these, and no others.
    pub(super) fn hold(&mut self, redundant: &[usize]) {
        self.held.fill(false);
        for &row in redundant {
            self.held[row] = true;
        }
    }

    pub(super) fn contains(&self, row: usize) -> bool {
        self.held[row]
    }

    /// Whether another row has vanished beside those held: one of these may be needed in its place.
    pub(super) fn may_be_needed(&self, left_out: &[usize]) -> bool {
        let is_held = |row: &usize| self.held[*row];
        left_out.iter().any(is_held) && !left_out.iter().all(is_held)
    }
}
