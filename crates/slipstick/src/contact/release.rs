//! What closed gaps were held with is taken off before one of them opens.

use super::least::solve_least;
use super::{Relations, Status};

/// The impulses, by rows, that take the velocities off which closed gaps were held with, and leave contacts that stick
/// where they are. One contact after the other would push at those that it shares a body with.
pub fn release(relations: &Relations, statuses: &[Status], held: &[f64]) -> Vec<f64> {
    let closed = || statuses.iter().enumerate().filter(|(_, status)| status.is_closed());
    let gaps = closed().filter(|(i, _)| relations.has_gap(*i));
    let normals = gaps.map(|(i, _)| (2 * i, -held[i]));
    let sticks = closed().filter(|(_, status)| **status == Status::Sticks).map(|(i, _)| (2 * i + 1, 0.0));
    let rows: Vec<(usize, f64)> = normals.chain(sticks).collect();
    let right: Vec<f64> = rows.iter().map(|(_, change)| *change).collect();
    let pairs = rows.iter().flat_map(|&(a, _)| rows.iter().map(move |&(b, _)| (a, b)));
    let matrix: Vec<f64> = pairs.map(|(a, b)| relations.w(a, b)).collect();
    let together = if right.iter().all(|held| *held == 0.0) { None } else { solve_least(&matrix, &right) };
    // What redundant gaps are held with contradicts itself.
    let alone = |&(row, change): &(usize, f64)| {
        let own = relations.w(row, row);
        if own > 0.0 { change / own } else { 0.0 }
    };
    let impulses = together.unwrap_or_else(|| rows.iter().map(alone).collect());
    let mut all = vec![0.0; 2 * statuses.len()];
    rows.iter().zip(impulses).for_each(|((row, _), impulse)| all[*row] = impulse);
    all
}

#[cfg(test)]
mod tests {
    use super::super::LawNumbers;
    use super::*;
    use crate::expr::Inexact;

    /// A disc in a corner, and one that leans on it.
    fn corner() -> Relations {
        let w = [[1.0, 0.0, -0.8], [0.0, 1.0, -0.6], [-0.8, -0.6, 2.0]];
        let entry = |row: usize, column: usize| {
            if row % 2 + column % 2 == 0 { w[row / 2][column / 2] } else { 0.0 }
        };
        let rows = vec![Inexact::default(); 6];
        Relations {
            response: (0..6).flat_map(|row| (0..6).map(move |column| entry(row, column))).collect(),
            velocity: rows.clone(),
            free: rows,
            laws: vec![LawNumbers::default(); 3],
        }
    }

    #[test]
    fn a_contact_that_opens_does_not_push_at_others() {
        let (relations, held) = (corner(), [0.0, 0.0, 1e-16]);
        let impulses = release(&relations, &[Status::Frictionless; 3], &held);
        let change =
            |row: usize| (0..6).map(|column| relations.w(row, column) * impulses[column]).sum::<f64>();
        assert!(change(0).abs() < 1e-30 && change(2).abs() < 1e-30 && (change(4) + 1e-16).abs() < 1e-30);
        assert_eq!(release(&relations, &[Status::Frictionless; 3], &[0.0; 3]), [0.0; 6]);
    }

    #[test]
    fn open_contacts_take_no_part() {
        let statuses = [Status::Open, Status::Open, Status::Frictionless];
        assert_eq!(release(&corner(), &statuses, &[0.0, 0.0, 1e-16]), [0.0, 0.0, 0.0, 0.0, -0.5e-16, 0.0]);
    }
}
