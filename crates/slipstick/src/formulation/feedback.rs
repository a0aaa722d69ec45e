//! Forces that are linear in multipliers, as friction in joints is: `M a + Gᵀ λ = f + Fᵀ λ`, `G a = γ`.
//!
//! With the factors of the system without them, each multiplier `k` that pushes back moves the solution by
//! `λ_k (a_k, Λ_k)`, where `(a_k, Λ_k)` answers the force `F_k` alone. So `λ = λ₀ + Σ Λ_k λ_k`: a small system for the
//! multipliers that push back. It has no solution where the force that a multiplier causes needs as large a
//! multiplier again (Painlevé's paradox).

use crate::math::{Matrix, RealLu, Saddle};

/// A pivot that is no more than this part of what it is the difference of is rounding: the answers come from
/// linear systems, which lose some digits more than a sum does.
const NOTHING_LEFT: f64 = 1024.0 * f64::EPSILON;

/// The scratch for multipliers that push back.
#[derive(Clone)]
pub(super) struct Feedback {
    /// The constraints whose multipliers push back.
    rows: Vec<usize>,
    /// The answers to the force of each: accelerations, and multipliers.
    motions: Vec<Vec<f64>>,
    multipliers: Vec<Vec<f64>>,
    lu: RealLu,
    right: Vec<f64>,
    /// The constraint whose multiplier takes back all that it pushes where it was last looked.
    powerless: Option<usize>,
}

impl Feedback {
    /// For terms with such a matrix; none if no multiplier pushes back.
    pub(super) fn new(feedback: &Matrix) -> Option<Self> {
        let (n, m) = (feedback.columns(), feedback.rows());
        let rows: Vec<usize> = (0..m).filter(|&row| !feedback.places_of(row).is_empty()).collect();
        let (motions, multipliers) = (vec![vec![0.0; n]; rows.len()], vec![vec![0.0; m]; rows.len()]);
        let (lu, right) = (RealLu::new(rows.len()), vec![0.0; rows.len()]);
        (!rows.is_empty()).then_some(Self { rows, motions, multipliers, lu, right, powerless: None })
    }

    /// Goes from the solution without what multipliers push to the one with it; not finite if there is none.
    pub(super) fn push_back(
        &mut self,
        feedback: &Matrix,
        saddle: &mut Saddle,
        motion: &mut [f64],
        multipliers: &mut [f64],
    ) {
        for ((&row, own), answer) in self.rows.iter().zip(&mut self.motions).zip(&mut self.multipliers) {
            own.fill(0.0);
            feedback.row(row).for_each(|(i, push)| own[i] = push);
            answer.fill(0.0);
            saddle.solve(own, answer);
        }
        let size = self.rows.len();
        for (i, &row) in self.rows.iter().enumerate() {
            self.right[i] = multipliers[row];
            for k in 0..size {
                let unit = if i == k { 1.0 } else { 0.0 };
                self.lu.entries_mut()[i * size + k] = unit - self.multipliers[k][row];
            }
        }
        self.powerless = self.factor().err().map(|k| self.rows[k]);
        if self.powerless.is_some() {
            motion.fill(f64::NAN);
            return multipliers.fill(f64::NAN);
        }
        self.lu.solve(&mut self.right);
        for ((force, own), answer) in self.right.iter().zip(&self.motions).zip(&self.multipliers) {
            motion.iter_mut().zip(own).for_each(|(a, own)| *a += force * own);
            multipliers.iter_mut().zip(answer).for_each(|(lambda, answer)| *lambda += force * answer);
        }
    }

    /// The row whose multiplier had no effect that is left where it was last looked.
    pub(super) fn powerless(&self) -> Option<usize> {
        self.powerless
    }

    /// Factors the small system; gives the column in which nothing but rounding is left.
    fn factor(&mut self) -> Result<(), usize> {
        let size = self.rows.len();
        self.lu.factor()?;
        let is_nothing = |k: &usize| {
            let answers = self.rows.iter().map(|&row| self.multipliers[*k][row].abs());
            let made_of = 1.0 + answers.fold(0.0, f64::max);
            self.lu.entries()[k * size + k].abs() <= NOTHING_LEFT * made_of
        };
        (0..size).find(is_nothing).map_or(Ok(()), Err)
    }
}
