//! Semismooth Newton's method on `min(D z, w) = 0`: Cottle, Pang, Stone, chapter 5; Qi, Sun, Math. Prog. 58
//! (1993).
//!
//! Where `d z > w` the equation is `w = 0`, elsewhere `z = 0`: a step solves the equations of one set. Once the
//! right set is found, the step is exact.

use super::block::{BlockFit, fit};
use super::judge::{judge, outcome, polish};
use super::scaled::Scaled;
use super::{LcpOutcome, Problem, Solution};

/// Steps before it is given up; from a start near the solution there are few.
const MOST_STEPS: usize = 60;
/// A step is halved so often while the residual does not shrink; then the whole step is taken, which leaves
/// the place where no step helps.
const MOST_HALVINGS: usize = 8;
/// A step of length `t` has to shrink the square of the residual by this part of `t`.
const LEAST_GAIN: f64 = 0.1;

/// Solves a problem by Newton's method from a start.
pub fn newton(problem: &Problem, start: &[f64]) -> LcpOutcome {
    let Some(scaled) = Scaled::new(problem) else { return LcpOutcome::Limit };
    if start.len() != scaled.n || !start.iter().all(|z| z.is_finite()) {
        return LcpOutcome::Limit;
    }
    let start = scaled.scaled_z(start);
    outcome(from(&scaled, start))
}

/// The solution that is found from a start in scaled units.
pub(super) fn from(problem: &Scaled, mut z: Vec<f64>) -> Option<Solution> {
    let mut last = None;
    for _ in 0..MOST_STEPS {
        let basic = basis(problem, &z);
        if last.as_ref() == Some(&basic) {
            break;
        }
        let inside: Vec<usize> = (0..problem.n).filter(|i| basic[*i]).collect();
        let end = fit(problem, &BlockFit { rows: &inside, columns: &inside }, &z)?;
        if let Some(solution) = judge(problem, &end, &basic) {
            return Some(solution);
        }
        let (next, whole) = shorten(problem, &z, &end);
        z = next;
        // Only a whole step is where its set would lead to again.
        last = whole.then_some(basic);
    }
    polish(problem, &basis(problem, &z), &z)
}

/// Where `w` is to vanish.
fn basis(problem: &Scaled, z: &[f64]) -> Vec<bool> {
    (0..problem.n).map(|i| weight(problem, i) * z[i] > problem.residual(i, z)).collect()
}

/// The weight of `z` against `w`: the diagonal, or the size of scaled rows.
fn weight(problem: &Scaled, i: usize) -> f64 {
    let diagonal = problem.row(i)[i].abs();
    if diagonal > 0.0 { diagonal } else { 1.0 }
}

fn merit(problem: &Scaled, z: &[f64]) -> f64 {
    (0..problem.n).map(|i| (weight(problem, i) * z[i]).min(problem.residual(i, z)).powi(2)).sum()
}

/// The part of a step that shrinks the residual, and whether it is the whole step.
fn shorten(problem: &Scaled, z: &[f64], end: &[f64]) -> (Vec<f64>, bool) {
    let now = merit(problem, z);
    let mut t = 1.0;
    for _ in 0..MOST_HALVINGS {
        let next: Vec<f64> = z.iter().zip(end).map(|(z, end)| z + t * (end - z)).collect();
        if merit(problem, &next) <= (1.0 - LEAST_GAIN * t) * now {
            return (next, t == 1.0);
        }
        t *= 0.5;
    }
    (end.to_vec(), true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definite_problem_is_solved_from_anywhere() {
        let problem = Problem { matrix: &[2.0, 1.0, 1.0, 3.0], constant: &[-3.0, -4.0] };
        for start in [[0.0, 0.0], [100.0, 0.0], [-5.0, 1e9]] {
            let solution = newton(&problem, &start).solution().unwrap();
            assert_eq!((solution.z, solution.basic), (vec![1.0, 1.0], vec![true, true]));
        }
    }

    #[test]
    fn redundant_supports_share_near_the_start() {
        let problem = Problem { matrix: &[1.0; 9], constant: &[-3.0; 3] };
        let solution = newton(&problem, &[1.0, 1.0, 1.0]).solution().unwrap();
        assert!(solution.z.iter().all(|z| (z - 1.0).abs() < 1e-12), "{solution:?}");
    }

    #[test]
    fn what_has_no_solution_and_what_is_no_start_are_limits() {
        assert_eq!(newton(&Problem { matrix: &[-1.0], constant: &[-1.0] }, &[0.0]), LcpOutcome::Limit);
        assert_eq!(newton(&Problem { matrix: &[1.0], constant: &[-1.0] }, &[]), LcpOutcome::Limit);
        assert_eq!(newton(&Problem { matrix: &[1.0], constant: &[-1.0] }, &[f64::NAN]), LcpOutcome::Limit);
    }
}
