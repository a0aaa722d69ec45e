//! Dense linear complementarity problems: `w = M z + q`, `w ≥ 0`, `z ≥ 0`, `w·z = 0`.
//!
//! In: a square matrix, by rows, and a vector. Out: an [`LcpOutcome`] that says what it proves. Letters and theory
//! are those of Cottle, Pang, Stone, *The Linear Complementarity Problem*, 1992.
//!
//! Every solver works on the problem with its rows and columns brought to size one, and hands what it has
//! found to the same judge: a solution is returned only if it is exact for a constant `q` that is changed by
//! rounding (ten units in the last place of the terms of each row). So units do not matter, and nothing that
//! is returned as a solution has to be checked again. What a solver cannot finish is a [`LcpOutcome::Limit`].

mod block;
mod enumerate;
mod gauss_seidel;
mod judge;
mod lemke;
mod newton;
mod ray;
mod scaled;
#[cfg(test)]
mod tests;

pub use enumerate::{LARGEST_ENUMERATED, enumerate};
pub use gauss_seidel::gauss_seidel;
pub use lemke::lemke;
pub use newton::newton;
use scaled::Scaled;

/// A problem. Its matrix need not be symmetric.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// `M`, by rows.
    pub matrix: &'a [f64],
    /// `q`.
    pub constant: &'a [f64],
}

/// A solution: exact for a constant that is changed by no more than rounding.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// `z`, nowhere negative.
    pub z: Vec<f64>,
    /// `w`, nowhere negative; what is zero by rounding is zero.
    pub w: Vec<f64>,
    /// Where `z` is a basic variable; there `w` is zero by the basis. In a degenerate solution `z` may be zero
    /// too.
    pub basic: Vec<bool>,
}

/// How an attempt at a problem ended.
#[derive(Clone, Debug, PartialEq)]
pub enum LcpOutcome {
    /// A solution.
    Solution(Solution),
    /// No solution was found where the method ends; the ray says whether there is none.
    Ray(Ray),
    /// The method did not get to an end, or what it found is not a solution to rounding, or the problem has
    /// numbers that are not finite or a matrix that is not square.
    Limit,
}

impl LcpOutcome {
    /// The solution, if there is one.
    pub fn solution(self) -> Option<Solution> {
        match self {
            Self::Solution(solution) => Some(solution),
            Self::Ray(_) | Self::Limit => None,
        }
    }

    /// Whether it is proved, to rounding, that the problem has no solution.
    pub fn proves_no_solution(&self) -> bool {
        matches!(self, Self::Ray(ray) if ray.proof != Proof::Nothing)
    }
}

/// Where Lemke's method left on a ray that never meets another constraint.
#[derive(Clone, Debug, PartialEq)]
pub struct Ray {
    /// What the ray proves.
    pub proof: Proof,
    /// If the ray proves infeasibility: `v ≥ 0` with `Mᵀv ≤ 0` and `q·v < 0`, to rounding. So no `z ≥ 0` has
    /// `M z + q ≥ 0`, since `v·(M z + q)` is negative. Empty otherwise.
    pub certificate: Vec<f64>,
}

/// Why there is no solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The certificate proves infeasibility, and the symmetric part of the matrix is semidefinite: no other
    /// method can find more. (Semidefinite matrices are copositive-plus: Lemke's method always decides them.)
    Semidefinite,
    /// The certificate proves infeasibility, whatever the matrix.
    Infeasible,
    /// Every basis was tried.
    Enumeration,
    /// The problem may have solutions.
    Nothing,
}

/// From this dimension on sweeps are tried first: Lemke's method factors a basis for each pivot.
const LARGE: usize = 31;
/// So many sweeps cost as much as a few factorisations of a large problem: little against all pivots.
const SWEEPS: usize = 200;

/// Solves a problem: by Lemke's method; if that decides nothing, by Newton's, and if the problem is small, by
/// all bases. Large problems are tried by Gauss-Seidel sweeps and Newton's method first.
pub fn solve(problem: &Problem) -> LcpOutcome {
    let Some(scaled) = Scaled::new(problem) else { return LcpOutcome::Limit };
    let n = scaled.n;
    if n >= LARGE
        && let Some(solution) = sweep_then_newton(&scaled)
    {
        return LcpOutcome::Solution(solution);
    }
    let outcome = lemke(problem);
    if matches!(outcome, LcpOutcome::Solution(_)) || outcome.proves_no_solution() {
        return outcome;
    }
    match newton::from(&scaled, vec![0.0; n]) {
        Some(solution) => LcpOutcome::Solution(solution),
        None => try_all(problem, outcome),
    }
}

fn sweep_then_newton(problem: &Scaled) -> Option<Solution> {
    let rows: Vec<_> = (0..problem.n).map(|i| i..i + 1).collect();
    let (solution, z) = gauss_seidel::sweep(problem, &rows, SWEEPS);
    solution.or_else(|| z.iter().all(|z| z.is_finite()).then(|| newton::from(problem, z))?)
}

/// What enumeration adds to an outcome that decides nothing. After a limit no solution found is no proof:
/// rounding that has stopped one method can hide solutions from another.
fn try_all(problem: &Problem, outcome: LcpOutcome) -> LcpOutcome {
    let Some(all) = enumerate(problem) else { return outcome };
    match (all.into_iter().next(), outcome) {
        (Some(solution), _) => LcpOutcome::Solution(solution),
        (None, LcpOutcome::Ray(ray)) => LcpOutcome::Ray(Ray { proof: Proof::Enumeration, ..ray }),
        (None, outcome) => outcome,
    }
}
