//! Pushes that are linear in the solution of a linear system, on the factors of the system without them: as
//! friction is in multipliers, `A a + (B - F)ᵀ λ = f`, `C a = c`.
//!
//! Each push moves the solution by its size times the answer to the push alone, and its size is what it
//! measures of the solution. So the sizes are those without pushes, and what the pushes add to them: a small
//! system. It has no solution where the force that a multiplier causes needs as large a multiplier again
//! (Painlevé's paradox). The factors without pushes are those of projections, in which friction has no part.

use crate::math::{Complex, ComplexLu, Matrix, RealLu};

/// A pivot that is no more than this part of what it is the difference of is rounding: the answers come from
/// linear systems, which lose some digits more than a sum does.
const NOTHING_LEFT: f64 = 1024.0 * f64::EPSILON;

/// Pushes in a real system.
#[derive(Clone, Debug)]
pub struct Feedback {
    /// What each push of size one is on the right-hand sides, and what its size is made of in the solution;
    /// both by rows, over all parts of the vectors of the system.
    pub(super) pushes: Matrix,
    pub(super) measures: Matrix,
    /// The answers to each push.
    answers: Vec<Vec<f64>>,
    lu: RealLu,
    sizes: Vec<f64>,
}

impl Feedback {
    /// For the places of pushes and measures; none if there are none.
    pub(super) fn new(pushes: Matrix, measures: Matrix) -> Option<Self> {
        let count = pushes.rows();
        let answers = vec![vec![0.0; pushes.columns()]; count];
        let (lu, sizes) = (RealLu::new(count), vec![0.0; count]);
        (count > 0).then_some(Self { pushes, measures, answers, lu, sizes })
    }

    /// For what each multiplier adds to the forces of a system whose vectors are forces and multipliers; none
    /// if no multiplier pushes back.
    pub fn of_multipliers(feedback: &Matrix) -> Option<Self> {
        let (n, dimension) = (feedback.columns(), feedback.columns() + feedback.rows());
        let (pushes, measures) = multipliers_that_push(feedback, (0, n), dimension);
        Self::new(pushes, measures)
    }

    /// Takes what each multiplier adds to the forces, and factors the small system with what solves the one
    /// without that. An error is the constraint whose multiplier takes back all that it pushes.
    pub fn factor(&mut self, feedback: &Matrix, solve: impl FnMut(&mut [f64])) -> Result<(), usize> {
        self.pushes.values.copy_from_slice(&feedback.values);
        let first = feedback.columns();
        self.factor_pushes(solve).map_err(|k| self.measures.places_of(k)[0] - first)
    }

    /// Factors the small system; an error is the push of which nothing is left.
    pub(super) fn factor_pushes(&mut self, mut solve: impl FnMut(&mut [f64])) -> Result<(), usize> {
        for (k, answer) in self.answers.iter_mut().enumerate() {
            answer.fill(0.0);
            self.pushes.row(k).for_each(|(i, push)| answer[i] = push);
            solve(answer);
        }
        let size = self.answers.len();
        for i in 0..size {
            for (k, answer) in self.answers.iter().enumerate() {
                let unit = if i == k { 1.0 } else { 0.0 };
                self.lu.entries_mut()[i * size + k] = unit - self.measures.row_times(i, answer);
            }
        }
        self.lu.factor()?;
        let is_nothing = |k: &usize| {
            let measured = (0..size).map(|i| self.measures.row_times(i, &self.answers[*k]).abs());
            let made_of = 1.0 + measured.fold(0.0, f64::max);
            self.lu.entries()[k * size + k].abs() <= NOTHING_LEFT * made_of
        };
        (0..size).find(is_nothing).map_or(Ok(()), Err)
    }

    /// Goes from the solution without pushes, in its parts, to the one with them.
    pub fn push_back<const P: usize>(&mut self, mut parts: [&mut [f64]; P]) {
        for (k, size) in self.sizes.iter_mut().enumerate() {
            let terms = self.measures.row(k);
            *size = terms.map(|(i, measure)| measure * entry(parts.iter().map(|part| &**part), i)).sum();
        }
        self.lu.solve(&mut self.sizes);
        for (size, answer) in self.sizes.iter().zip(&self.answers) {
            let mut rest = &answer[..];
            for part in &mut parts {
                let (own, others) = rest.split_at(part.len());
                part.iter_mut().zip(own).for_each(|(x, own)| *x += size * own);
                rest = others;
            }
        }
    }
}

/// The same in a complex system.
#[derive(Clone, Debug)]
pub(super) struct ComplexFeedback {
    /// The answers to each push, in parts.
    answers: Vec<[Vec<f64>; 2]>,
    lu: ComplexLu,
    sizes: [Vec<f64>; 2],
}

impl ComplexFeedback {
    /// For as many pushes as another has.
    pub(super) fn of(real: &Feedback) -> Self {
        let room = |length: usize| [vec![0.0; length], vec![0.0; length]];
        let (count, dimension) = (real.pushes.rows(), real.pushes.columns());
        let answers = (0..count).map(|_| room(dimension)).collect();
        Self { answers, lu: ComplexLu::new(count), sizes: room(count) }
    }

    /// Factors the small system with the pushes of the real one; false if it is singular.
    pub(super) fn factor(&mut self, real: &Feedback, mut solve: impl FnMut(&mut [f64], &mut [f64])) -> bool {
        for (k, [re, im]) in self.answers.iter_mut().enumerate() {
            re.fill(0.0);
            im.fill(0.0);
            real.pushes.row(k).for_each(|(i, push)| re[i] = push);
            solve(re, im);
        }
        let (size, (to_re, to_im)) = (self.answers.len(), self.lu.entries_mut());
        for i in 0..size {
            for (k, [re, im]) in self.answers.iter().enumerate() {
                let unit = if i == k { 1.0 } else { 0.0 };
                to_re[i * size + k] = unit - real.measures.row_times(i, re);
                to_im[i * size + k] = -real.measures.row_times(i, im);
            }
        }
        self.lu.factor().is_ok()
    }

    /// Goes from the solution without pushes, in its parts, to the one with them.
    pub(super) fn push_back<const P: usize>(
        &mut self,
        real: &Feedback,
        mut parts: [(&mut [f64], &mut [f64]); P],
    ) {
        let [sizes_re, sizes_im] = &mut self.sizes;
        for k in 0..sizes_re.len() {
            (sizes_re[k], sizes_im[k]) = (0.0, 0.0);
            for (i, measure) in real.measures.row(k) {
                sizes_re[k] += measure * entry(parts.iter().map(|(re, _)| &**re), i);
                sizes_im[k] += measure * entry(parts.iter().map(|(_, im)| &**im), i);
            }
        }
        self.lu.solve(sizes_re, sizes_im);
        for ((&re, &im), [of_re, of_im]) in sizes_re.iter().zip(&*sizes_im).zip(&self.answers) {
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

/// The pushes of multipliers on forces: those from a place on in vectors of a dimension, with multipliers
/// from another on.
pub(super) fn multipliers_that_push(
    feedback: &Matrix,
    (forces, multipliers): (usize, usize),
    dimension: usize,
) -> (Matrix, Matrix) {
    let rows: Vec<usize> = (0..feedback.rows()).filter(|&row| !feedback.places_of(row).is_empty()).collect();
    let of_row = |(k, &row): (usize, &usize)| {
        feedback.places_of(row).iter().map(move |column| (k, forces + column)).collect::<Vec<_>>()
    };
    let pushes: Vec<(usize, usize)> = rows.iter().enumerate().flat_map(of_row).collect();
    let picks: Vec<(usize, usize)> = rows.iter().enumerate().map(|(k, row)| (k, multipliers + row)).collect();
    let mut measures = Matrix::with_places(rows.len(), dimension, &picks);
    measures.values.fill(1.0);
    (Matrix::with_places(rows.len(), dimension, &pushes), measures)
}

/// An entry of a vector that is given in parts.
fn entry<'x>(parts: impl Iterator<Item = &'x [f64]>, mut i: usize) -> f64 {
    for part in parts {
        match part.get(i) {
            Some(x) => return *x,
            None => i -= part.len(),
        }
    }
    0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Saddle;

    /// A block of mass two that a row holds along one axis, and that a part of what holds it pushes along
    /// `x`.
    fn block(axis: usize, friction: f64) -> (Saddle, Matrix) {
        let (mut mass, mut rows) = (Matrix::identity(2), Matrix::with_places(1, 2, &[(0, axis)]));
        mass.values.fill(2.0);
        rows.values[0] = 1.0;
        let mut feedback = Matrix::with_places(1, 2, &[(0, 0)]);
        feedback.values[0] = friction;
        let mut saddle = Saddle::new(&mass, &rows);
        saddle.factor(&mass, &rows).unwrap();
        (saddle, feedback)
    }

    fn factored(saddle: &mut Saddle, feedback: &Matrix) -> (Feedback, Result<(), usize>) {
        let mut own = Feedback::of_multipliers(feedback).unwrap();
        let factored = own.factor(feedback, |all| {
            let (force, level) = all.split_at_mut(2);
            saddle.solve(force, level);
        });
        (own, factored)
    }

    #[test]
    fn a_block_is_braked_by_a_part_of_its_weight() {
        let (mut saddle, feedback) = block(1, 0.3);
        let (mut own, factored) = factored(&mut saddle, &feedback);
        assert_eq!(factored, Ok(()));
        let (mut motion, mut multipliers) = ([5.0, -20.0], [0.0]);
        saddle.solve(&mut motion, &mut multipliers);
        own.push_back([&mut motion, &mut multipliers]);
        // 2 x'' = 5 + 0.3 λ with λ = -20.
        assert!((motion[0] + 0.5).abs() < 1e-15 && motion[1].abs() < 1e-15, "{motion:?}");
        assert!((multipliers[0] + 20.0).abs() < 1e-14);
    }

    #[test]
    fn a_multiplier_that_takes_back_all_it_pushes_is_named() {
        let (mut saddle, feedback) = block(0, 1.0);
        assert_eq!(factored(&mut saddle, &feedback).1, Err(0));
    }

    #[test]
    fn without_feedback_there_is_nothing_to_do() {
        assert!(Feedback::of_multipliers(&Matrix::with_places(3, 2, &[])).is_none());
    }
}
