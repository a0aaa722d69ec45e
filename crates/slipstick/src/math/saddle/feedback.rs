//! Forces that are linear in multipliers, as friction is: `A a + (B - F)ᵀ λ = f`, `C a = c`, on the factors of
//! the system without `F`.
//!
//! Each multiplier `k` that pushes back moves the solution by `λ_k` times the answer to the force `F_k` alone,
//! of which `Λ_k` are the multipliers. So `λ = λ₀ + Σ Λ_k λ_k`: a small system for the multipliers that push
//! back. It has no solution where the force that a multiplier causes needs as large a multiplier again
//! (Painlevé's paradox). The factors without `F` are those of projections, in which friction has no part.

use crate::math::{Complex, ComplexLu, Matrix, RealLu};

/// A pivot that is no more than this part of what it is the difference of is rounding: the answers come from
/// linear systems, which lose some digits more than a sum does.
const NOTHING_LEFT: f64 = 1024.0 * f64::EPSILON;

/// The vectors of a system, one part after the other: how long they are, and where forces and multipliers are.
#[derive(Clone, Copy, Debug)]
pub struct FeedbackSides {
    /// The length of all parts together.
    pub dimension: usize,
    /// Where forces begin.
    pub forces: usize,
    /// Where multipliers begin.
    pub multipliers: usize,
}

impl FeedbackSides {
    /// Of a system with `n` forces and `m` multipliers after them.
    pub fn of_saddle(n: usize, m: usize) -> Self {
        Self { dimension: n + m, forces: 0, multipliers: n }
    }

    /// The force of a multiplier alone.
    fn fill(&self, feedback: &Matrix, row: usize, right: &mut [f64]) {
        right.fill(0.0);
        feedback.row(row).for_each(|(i, push)| right[self.forces + i] = push);
    }
}

/// The constraints whose multipliers push back.
fn rows_of(feedback: &Matrix) -> Vec<usize> {
    (0..feedback.rows()).filter(|&row| !feedback.places_of(row).is_empty()).collect()
}

/// Multipliers that push back in a real system.
#[derive(Clone, Debug)]
pub struct Feedback {
    sides: FeedbackSides,
    rows: Vec<usize>,
    /// The answers to the force of each.
    answers: Vec<Vec<f64>>,
    lu: RealLu,
    pushes: Vec<f64>,
}

impl Feedback {
    /// For such a matrix; none if no multiplier pushes back.
    pub fn new(feedback: &Matrix, sides: FeedbackSides) -> Option<Self> {
        let rows = rows_of(feedback);
        let answers = vec![vec![0.0; sides.dimension]; rows.len()];
        let (lu, pushes) = (RealLu::new(rows.len()), vec![0.0; rows.len()]);
        (!rows.is_empty()).then_some(Self { sides, rows, answers, lu, pushes })
    }

    /// Factors the small system with what solves the one without feedback. An error is the constraint whose
    /// multiplier takes back all that it pushes.
    pub fn factor(&mut self, feedback: &Matrix, mut solve: impl FnMut(&mut [f64])) -> Result<(), usize> {
        for (&row, answer) in self.rows.iter().zip(&mut self.answers) {
            self.sides.fill(feedback, row, answer);
            solve(answer);
        }
        let size = self.rows.len();
        for (i, &row) in self.rows.iter().enumerate() {
            for k in 0..size {
                let unit = if i == k { 1.0 } else { 0.0 };
                self.lu.entries_mut()[i * size + k] = unit - self.answers[k][self.sides.multipliers + row];
            }
        }
        self.eliminate().map_err(|k| self.rows[k])
    }

    /// Gives the column in which nothing but rounding is left.
    fn eliminate(&mut self) -> Result<(), usize> {
        let size = self.rows.len();
        self.lu.factor()?;
        let is_nothing = |k: &usize| {
            let answers = self.rows.iter().map(|&row| self.answers[*k][self.sides.multipliers + row].abs());
            let made_of = 1.0 + answers.fold(0.0, f64::max);
            self.lu.entries()[k * size + k].abs() <= NOTHING_LEFT * made_of
        };
        (0..size).find(is_nothing).map_or(Ok(()), Err)
    }

    /// Goes from the solution without what multipliers push, in parts of which one is the multipliers, to the
    /// one with it.
    pub fn push_back<const P: usize>(&mut self, mut parts: [&mut [f64]; P], multipliers: usize) {
        for (push, &row) in self.pushes.iter_mut().zip(&self.rows) {
            *push = parts[multipliers][row];
        }
        self.lu.solve(&mut self.pushes);
        for (push, answer) in self.pushes.iter().zip(&self.answers) {
            let mut rest = &answer[..];
            for part in &mut parts {
                let (own, others) = rest.split_at(part.len());
                part.iter_mut().zip(own).for_each(|(x, own)| *x += push * own);
                rest = others;
            }
        }
    }
}

/// Multipliers that push back in a complex system.
#[derive(Clone, Debug)]
pub(super) struct ComplexFeedback {
    sides: FeedbackSides,
    rows: Vec<usize>,
    /// The answers to the force of each, in parts.
    answers: Vec<[Vec<f64>; 2]>,
    lu: ComplexLu,
    pushes: [Vec<f64>; 2],
}

impl ComplexFeedback {
    /// For such a matrix; none if no multiplier pushes back.
    pub(super) fn new(feedback: &Matrix, sides: FeedbackSides) -> Option<Self> {
        let rows = rows_of(feedback);
        let room = |length: usize| [vec![0.0; length], vec![0.0; length]];
        let answers = rows.iter().map(|_| room(sides.dimension)).collect();
        let (lu, pushes) = (ComplexLu::new(rows.len()), room(rows.len()));
        (!rows.is_empty()).then_some(Self { sides, rows, answers, lu, pushes })
    }

    /// Factors the small system with what solves the one without feedback; false if it is singular.
    pub(super) fn factor(
        &mut self,
        feedback: &Matrix,
        mut solve: impl FnMut(&mut [f64], &mut [f64]),
    ) -> bool {
        for (&row, [re, im]) in self.rows.iter().zip(&mut self.answers) {
            self.sides.fill(feedback, row, re);
            im.fill(0.0);
            solve(re, im);
        }
        let (size, (real, imaginary)) = (self.rows.len(), self.lu.entries_mut());
        for (i, row) in self.rows.iter().map(|row| self.sides.multipliers + row).enumerate() {
            for (k, [re, im]) in self.answers.iter().enumerate() {
                let unit = if i == k { 1.0 } else { 0.0 };
                (real[i * size + k], imaginary[i * size + k]) = (unit - re[row], -im[row]);
            }
        }
        self.lu.factor().is_ok()
    }

    /// Goes from the solution without what multipliers push to the one with it.
    pub(super) fn push_back<const P: usize>(
        &mut self,
        mut parts: [(&mut [f64], &mut [f64]); P],
        multipliers: usize,
    ) {
        let [real, imaginary] = &mut self.pushes;
        for (k, &row) in self.rows.iter().enumerate() {
            (real[k], imaginary[k]) = (parts[multipliers].0[row], parts[multipliers].1[row]);
        }
        self.lu.solve(real, imaginary);
        for ((&re, &im), [of_re, of_im]) in real.iter().zip(&*imaginary).zip(&self.answers) {
            let mut from = 0;
            for (own_re, own_im) in &mut parts {
                for (i, (x, y)) in own_re.iter_mut().zip(own_im.iter_mut()).enumerate() {
                    let moved = Complex { re, im } * Complex { re: of_re[from + i], im: of_im[from + i] };
                    (*x, *y) = (*x + moved.re, *y + moved.im);
                }
                from += own_re.len();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Saddle;

    /// A block of mass two on the ground: `y` is held, and friction pushes `x` by a part of what holds it.
    fn block(friction: f64) -> (Matrix, Matrix, Matrix) {
        let (mut mass, mut rows) = (Matrix::identity(2), Matrix::with_places(1, 2, &[(0, 1)]));
        mass.values.fill(2.0);
        rows.values[0] = 1.0;
        let mut feedback = Matrix::with_places(1, 2, &[(0, 0)]);
        feedback.values[0] = friction;
        (mass, rows, feedback)
    }

    fn factored(saddle: &mut Saddle, feedback: &Matrix) -> (Option<Feedback>, Result<(), usize>) {
        let mut own = Feedback::new(feedback, FeedbackSides::of_saddle(2, 1));
        let factored = own.as_mut().map_or(Ok(()), |own| {
            own.factor(feedback, |all| {
                let (force, level) = all.split_at_mut(2);
                saddle.solve(force, level);
            })
        });
        (own, factored)
    }

    #[test]
    fn a_block_is_braked_by_a_part_of_its_weight() {
        let (mass, rows, feedback) = block(0.3);
        let mut saddle = Saddle::new(&mass, &rows);
        saddle.factor(&mass, &rows).unwrap();
        let (own, factored) = factored(&mut saddle, &feedback);
        assert_eq!(factored, Ok(()));
        let (mut motion, mut multipliers) = ([5.0, -20.0], [0.0]);
        saddle.solve(&mut motion, &mut multipliers);
        own.unwrap().push_back([&mut motion, &mut multipliers], 1);
        // 2 x'' = 5 + 0.3 λ with λ = -20.
        assert!((motion[0] + 0.5).abs() < 1e-15 && motion[1].abs() < 1e-15, "{motion:?}");
        assert!((multipliers[0] + 20.0).abs() < 1e-14);
    }

    #[test]
    fn a_multiplier_that_takes_back_all_it_pushes_is_named() {
        let (mass, mut rows, feedback) = block(1.0);
        // Held along x, and pushed along x by as much.
        rows = Matrix::with_places(1, 2, &rows.places().map(|_| (0, 0)).collect::<Vec<_>>());
        rows.values[0] = 1.0;
        let mut saddle = Saddle::new(&mass, &rows);
        saddle.factor(&mass, &rows).unwrap();
        assert_eq!(factored(&mut saddle, &feedback).1, Err(0));
    }

    #[test]
    fn without_feedback_there_is_nothing_to_do() {
        assert!(Feedback::new(&Matrix::with_places(3, 2, &[]), FeedbackSides::of_saddle(2, 3)).is_none());
    }
}
