//! Impacts and forces of contacts against exact cases, and what holds for all impacts.

mod forces;
mod impacts;
mod random;

use super::{LawNumbers, Relations};
use crate::expr::Inexact;
use crate::model::ImpactLaw;

/// A number that is known up to rounding.
fn exact(value: f64) -> Inexact {
    Inexact { value, bound: 4.0 * f64::EPSILON * value.abs() }
}

/// Bodies with masses, and contacts as rows of their velocities: for each its normal and its tangent.
struct Bodies {
    masses: Vec<f64>,
    rows: Vec<[Vec<f64>; 2]>,
    laws: Vec<LawNumbers>,
}

impl Bodies {
    /// Balls in a line that touch their neighbours.
    fn in_line(masses: &[f64], restitution: &[f64], law: ImpactLaw) -> Self {
        let row = |i: usize| {
            let mut row = vec![0.0; masses.len()];
            (row[i], row[i + 1]) = (-1.0, 1.0);
            [row, vec![0.0; masses.len()]]
        };
        let law = |&restitution: &f64| LawNumbers { restitution, friction: None, law, given: None };
        Self {
            masses: masses.to_vec(),
            rows: (0..restitution.len()).map(row).collect(),
            laws: restitution.iter().map(law).collect(),
        }
    }

    fn all_rows(&self) -> impl Iterator<Item = &Vec<f64>> {
        self.rows.iter().flatten()
    }

    /// The contacts as numbers, for velocities and for forces on the bodies.
    fn relations(&self, velocities: &[f64], forces: &[f64]) -> Relations {
        let along = |row: &[f64], of: &[f64]| row.iter().zip(of).map(|(g, x)| g * x).sum::<f64>();
        let rounding = |row: &[f64], of: &[f64]| {
            let size: f64 = row.iter().zip(of).map(|(g, x)| (g * x).abs()).sum();
            Inexact { value: along(row, of), bound: 4.0 * f64::EPSILON * size }
        };
        let by_mass =
            |row: &[f64]| -> Vec<f64> { row.iter().zip(&self.masses).map(|(g, m)| g / m).collect() };
        let free: Vec<f64> = forces.iter().zip(&self.masses).map(|(f, m)| f / m).collect();
        Relations {
            response: self
                .all_rows()
                .flat_map(|row| self.all_rows().map(|other| along(row, &by_mass(other))))
                .collect(),
            velocity: self.all_rows().map(|row| rounding(row, velocities)).collect(),
            free: self.all_rows().map(|row| rounding(row, &free)).collect(),
            laws: self.laws.clone(),
        }
    }

    fn restitution(&self) -> Vec<f64> {
        self.laws.iter().map(|law| law.restitution).collect()
    }

    /// Velocities after impulses.
    fn after(&self, velocities: &[f64], impulses: &[f64]) -> Vec<f64> {
        let mut after = velocities.to_vec();
        for (row, p) in self.all_rows().zip(impulses) {
            after.iter_mut().zip(row).zip(&self.masses).for_each(|((v, g), m)| *v += g * p / m);
        }
        after
    }

    fn kinetic(&self, velocities: &[f64]) -> f64 {
        velocities.iter().zip(&self.masses).map(|(v, m)| 0.5 * m * v * v).sum()
    }
}

fn assert_near(found: &[f64], expected: &[f64], about: &str) {
    let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-13 * b.abs().max(1.0);
    assert!(
        found.len() == expected.len() && found.iter().zip(expected).all(near),
        "{about}: {found:?} instead of {expected:?}"
    );
}
