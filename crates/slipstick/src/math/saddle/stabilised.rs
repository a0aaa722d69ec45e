//! The linear systems of implicit Runge-Kutta methods on the stabilised index-2 form of a mechanism (paper
//! 001, equation (23)), for a real or a complex number `s`:
//!
//! `s x - D x - v + Ĝᵀ μ = a`, `K x + (s M + C) u + (G - F)ᵀ λ = b`, `L x + G v = c`, `G x = d` with
//! `u = (v, z)`; in the last `G` has the rows of constraints of positions only, and in the first these less
//! what they have along the rows of speeds alone.
//!
//! `x` is a change of positions of the speeds' kind, `D` how their rates change with it where they are more
//! than the speeds, `F` what multipliers add to the forces. Both `Ĝ` and `F` are pushes on the system without
//! them (`stabilised_feedback.rs`). Small systems are solved by the null spaces of `G`
//! (`dense_stabilised.rs`), large ones with few entries as they stand (`sparse_stabilised.rs`), whichever
//! takes less work.

use super::dense_stabilised::DenseStabilised;
use super::sparse_stabilised::SparseStabilised;
use super::stabilised_feedback::StabilisedFeedback;
use super::{SPARSE_COST, WORTH_COUNTING};
use crate::math::{Complex, Matrix};

/// How much a factorisation for Radau IIA costs, in real ones: one real and one complex system, which costs
/// four times as much. Dense solutions of both count as three real ones, by instructions.
const SYSTEMS_TO_FACTOR: f64 = 5.0;
const SYSTEMS_TO_SOLVE: f64 = 3.0;

/// The matrices.
#[derive(Clone, Copy, Debug)]
pub struct Linearised<'a> {
    /// `M`, by speeds and further states.
    pub mass: &'a Matrix,
    /// `K`, and behind it `C`.
    pub forces: &'a Matrix,
    /// `G`, by speeds and further states; the constraints of positions come first.
    pub gradients: &'a Matrix,
    /// `F`, by rows of constraints.
    pub feedback: &'a Matrix,
    /// `L`.
    pub slopes: &'a Matrix,
    /// `D` by rows; empty where it is zero.
    pub kinematics: &'a [f64],
    /// How many constraints are constraints of positions.
    pub holonomic: usize,
}

impl Linearised<'_> {
    /// How many speeds there are, and how many further states.
    pub(super) fn size(&self) -> (usize, usize) {
        let (size, columns) = (self.forces.rows(), self.forces.columns());
        (columns - size, 2 * size - columns)
    }
}

/// The right-hand sides of one part, real or imaginary, which become the solution.
#[derive(Debug)]
pub struct Sides<'a> {
    /// `a`, then `x`.
    pub positions: &'a mut [f64],
    /// `b`, then `u`.
    pub motion: &'a mut [f64],
    /// `c`, then `λ`.
    pub rates: &'a mut [f64],
    /// `d`, then `μ`.
    pub levels: &'a mut [f64],
}

impl<'a> Sides<'a> {
    /// The parts of a vector of the system.
    fn of(all: &'a mut [f64], of: &Linearised<'_>) -> Self {
        let ((n, further), m) = (of.size(), of.gradients.rows());
        let (positions, rest) = all.split_at_mut(n);
        let (motion, rest) = rest.split_at_mut(n + further);
        let (rates, levels) = rest.split_at_mut(m);
        Self { positions, motion, rates, levels }
    }

    fn parts(&mut self) -> [&mut [f64]; 4] {
        [self.positions, self.motion, self.rates, self.levels]
    }
}

/// A system with its factors for one real and one complex number.
#[derive(Clone, Debug)]
pub struct Stabilised {
    kind: StabilisedSolver,
    work: [f64; 3],
    feedback: Option<Box<StabilisedFeedback>>,
}

#[derive(Clone, Debug)]
enum StabilisedSolver {
    Dense(Box<DenseStabilised>),
    Sparse(Box<SparseStabilised>),
}

impl Stabilised {
    /// Room for matrices with these places.
    pub fn new(of: &Linearised<'_>) -> Self {
        let (n, _) = of.size();
        let [linearising, factoring, _] = DenseStabilised::work(of);
        let full = linearising + SYSTEMS_TO_FACTOR * factoring;
        if n + of.gradients.rows() >= WORTH_COUNTING && of.kinematics.is_empty() {
            let sparse = SparseStabilised::new(of);
            // By instructions: there are so many operations to each place here that looking places up does
            // not count.
            let work = SYSTEMS_TO_FACTOR * sparse.work();
            if work < full {
                let work = [0.0, work, SYSTEMS_TO_FACTOR * SPARSE_COST * sparse.entries()];
                return Self::of(StabilisedSolver::Sparse(Box::new(sparse)), work, of);
            }
        }
        Self::dense(of)
    }

    fn dense(of: &Linearised<'_>) -> Self {
        let [linearising, factoring, solving] = DenseStabilised::work(of);
        let dense = Box::new(DenseStabilised::new(of));
        let work = [linearising, SYSTEMS_TO_FACTOR * factoring, SYSTEMS_TO_SOLVE * solving];
        Self::of(StabilisedSolver::Dense(dense), work, of)
    }

    fn of(kind: StabilisedSolver, work: [f64; 3], of: &Linearised<'_>) -> Self {
        Self { kind, work, feedback: StabilisedFeedback::new(of).map(Box::new) }
    }

    /// Whether the matrices are taken to have few entries.
    pub fn is_sparse(&self) -> bool {
        matches!(self.kind, StabilisedSolver::Sparse(_))
    }

    /// About how long it takes to linearise, to factor for a real and a complex number, and to solve for
    /// both, in multiplications in a full matrix.
    pub fn work(&self) -> [f64; 3] {
        self.work
    }

    /// Takes the matrices.
    pub fn linearise(&mut self, of: &Linearised<'_>) {
        match &mut self.kind {
            StabilisedSolver::Dense(dense) => dense.linearise(of),
            StabilisedSolver::Sparse(_) => {}
        }
        self.feedback.iter_mut().for_each(|feedback| feedback.linearise(of));
    }

    /// Factors for one real and one complex number; false if one of them cannot be. The matrices are those
    /// that were taken.
    pub fn factor(&mut self, of: &Linearised<'_>, real: f64, complex: Complex) -> bool {
        if let StabilisedSolver::Sparse(sparse) = &mut self.kind {
            if sparse.factor(of, real, complex) {
                return self.factor_feedback(of);
            }
            // Where coordinates without mass leave no pivot, exchanges are needed.
            *self = Self::dense(of);
            self.linearise(of);
        }
        let is_factored = match &mut self.kind {
            StabilisedSolver::Dense(dense) => dense.factor(real, complex),
            StabilisedSolver::Sparse(_) => false,
        };
        is_factored && self.factor_feedback(of)
    }

    /// False if a multiplier takes back all that it pushes.
    fn factor_feedback(&mut self, of: &Linearised<'_>) -> bool {
        let Self { kind, feedback: Some(feedback), .. } = self else { return true };
        let StabilisedFeedback { real, complex, .. } = &mut **feedback;
        let factored = real.factor_pushes(|all| kind.solve_real(of, &mut Sides::of(all, of)));
        let solve = |re: &mut [f64], im: &mut [f64]| {
            kind.solve_complex(of, [&mut Sides::of(re, of), &mut Sides::of(im, of)]);
        };
        complex.factor(real, solve) && factored.is_ok()
    }

    /// Solves with the real factors.
    pub fn solve_real(&mut self, of: &Linearised<'_>, mut sides: Sides<'_>) {
        self.kind.solve_real(of, &mut sides);
        if let Some(feedback) = &mut self.feedback {
            feedback.real.push_back(sides.parts());
        }
    }

    /// Solves with the complex factors.
    pub fn solve_complex(&mut self, of: &Linearised<'_>, re: Sides<'_>, im: Sides<'_>) {
        let [re, im] = &mut [re, im];
        self.kind.solve_complex(of, [re, im]);
        if let Some(feedback) = &mut self.feedback {
            let StabilisedFeedback { real, complex, .. } = &mut **feedback;
            let ([a, b, c, d], [e, f, g, h]) = (re.parts(), im.parts());
            complex.push_back(real, [(a, e), (b, f), (c, g), (d, h)]);
        }
    }
}

/// Without pushes.
impl StabilisedSolver {
    fn solve_real(&mut self, of: &Linearised<'_>, sides: &mut Sides<'_>) {
        match self {
            Self::Dense(dense) => dense.solve_real(of, sides),
            Self::Sparse(sparse) => sparse.solve_real(sides),
        }
    }

    fn solve_complex(&mut self, of: &Linearised<'_>, sides: [&mut Sides<'_>; 2]) {
        match self {
            Self::Dense(dense) => dense.solve_complex(of, sides),
            Self::Sparse(sparse) => sparse.solve_complex(sides),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::RowBasis;

    /// A chain of links in the plane with numbers that mean nothing: three coordinates and two constraints
    /// each, the last of which are of speeds alone, and some further states.
    struct Chain {
        mass: Matrix,
        forces: Matrix,
        gradients: Matrix,
        slopes: Matrix,
        feedback: Matrix,
        kinematics: Vec<f64>,
        holonomic: usize,
    }

    impl Chain {
        fn new(links: usize, rolling: usize, further: usize) -> Self {
            let (n, m) = (3 * links, 2 * links);
            let size = n + further;
            let near = |i: usize| (i.saturating_sub(3)..(i + 4).min(n)).map(move |j| (i, j));
            let by_positions: Vec<(usize, usize)> = (0..n).flat_map(near).collect();
            let masses = (0..n).map(|i| (i, i)).chain((n..size).map(|i| (i, i)));
            // Further states act on one link each, and are driven by it.
            let of_states = (0..further).flat_map(|k| [(n + k, k), (n + k, n + k), (k, n + n + k)]);
            let joints: Vec<(usize, usize)> = (0..m)
                .flat_map(|k| (0..6).map(move |c| (k, 3 * (k / 2) + c)))
                .filter(|(_, c)| *c < n)
                .collect();
            let by_speeds = by_positions.iter().map(|(i, j)| (*i, n + j));
            let forces: Vec<(usize, usize)> =
                by_positions.iter().copied().chain(by_speeds).chain(of_states).collect();
            Self {
                mass: filled(Matrix::with_places(size, size, &masses.collect::<Vec<_>>()), 3.0, 0.5),
                forces: filled(Matrix::with_places(size, n + size, &forces), 0.0, 2.0),
                gradients: filled(Matrix::with_places(m, size, &joints), 0.0, 1.0),
                slopes: filled(Matrix::with_places(m, size, &joints), 0.1, 0.6),
                feedback: Matrix::with_places(m, size, &[]),
                kinematics: Vec::new(),
                holonomic: m - rolling,
            }
        }

        fn parts(&self) -> Linearised<'_> {
            Linearised {
                mass: &self.mass,
                forces: &self.forces,
                gradients: &self.gradients,
                slopes: &self.slopes,
                feedback: &self.feedback,
                kinematics: &self.kinematics,
                holonomic: self.holonomic,
            }
        }

        /// Each constraint twice, with another factor: the copies stand behind.
        fn doubled(&self) -> Self {
            let twice = |of: &Matrix| {
                let (m, copies) = (of.rows(), of.places().map(|(k, j)| (of.rows() + k, j)));
                let places: Vec<(usize, usize)> = of.places().chain(copies).collect();
                let mut twice = Matrix::with_places(2 * m, of.columns(), &places);
                let copies = of.values.iter().map(|x| 2.0 * x);
                twice.values = of.values.iter().copied().chain(copies).collect();
                twice
            };
            Self {
                gradients: twice(&self.gradients),
                slopes: twice(&self.slopes),
                mass: self.mass.clone(),
                forces: self.forces.clone(),
                feedback: Matrix::with_places(2 * self.gradients.rows(), self.mass.rows(), &[]),
                kinematics: self.kinematics.clone(),
                holonomic: 2 * self.gradients.rows(),
            }
        }
    }

    fn number(k: usize) -> f64 {
        ((k * k + 3 * k) as f64 * 0.37).sin()
    }

    fn filled(mut matrix: Matrix, about: f64, spread: f64) -> Matrix {
        let (rows, columns) = (matrix.rows(), matrix.columns());
        for (k, x) in matrix.values.iter_mut().enumerate() {
            *x = about + spread * number(k + 7 * rows + columns);
        }
        matrix
    }

    const REAL: f64 = 3.6;
    const PAIR: Complex = Complex { re: 2.7, im: 3.1 };

    /// One part of the right-hand sides, or of a solution.
    #[derive(Clone, Debug)]
    struct Vectors([Vec<f64>; 4]);

    impl Vectors {
        fn new(of: &Linearised<'_>, from: usize) -> Self {
            let (n, further) = of.size();
            let numbers = |length: usize, from: usize| (0..length).map(|i| number(i + from)).collect();
            let m = of.gradients.rows();
            Self([
                numbers(n, from),
                numbers(n + further, from + 50),
                numbers(m, from + 100),
                numbers(of.holonomic, from + 150),
            ])
        }

        fn sides(&mut self) -> Sides<'_> {
            let [positions, motion, rates, levels] = &mut self.0;
            Sides { positions, motion, rates, levels }
        }
    }

    /// The largest of what the equations leave of the right-hand sides at a solution, for a number with the
    /// given parts.
    fn left(of: &Linearised<'_>, s: (f64, f64), right: &[Vectors; 2], found: &[Vectors; 2]) -> f64 {
        let (n, _) = of.size();
        let mut worst = 0.0_f64;
        for p in 0..2 {
            let [x, u, lambda, mu] = &found[p].0;
            let [other_x, other_u, ..] = &found[1 - p].0;
            let turn = |own: f64, other: f64| s.0 * own + if p == 0 { -s.1 * other } else { s.1 * other };
            let both: Vec<f64> = x.iter().chain(u).copied().collect();
            let fast: Vec<f64> = u.iter().zip(other_u).map(|(u, other)| turn(*u, *other)).collect();
            let (mut push, mut force) = (vec![0.0; u.len()], vec![0.0; u.len()]);
            of.gradients.add_transposed(1.0, mu, &mut push);
            let mut basis = RowBasis::new(n, of.gradients.rows() - of.holonomic);
            basis.fill(of.gradients, of.holonomic..of.gradients.rows());
            basis.take_off(&mut push[..n]);
            of.gradients.add_transposed(1.0, lambda, &mut force);
            of.feedback.add_transposed(-1.0, lambda, &mut force);
            for i in 0..n {
                let row = of.kinematics.get(i * n..(i + 1) * n).unwrap_or(&[]);
                let own: f64 = row.iter().zip(x).map(|(d, x)| d * x).sum();
                worst = worst.max((turn(x[i], other_x[i]) - own - u[i] + push[i] - right[p].0[0][i]).abs());
            }
            for (i, force) in force.iter().enumerate() {
                let sum = of.forces.row_times(i, &both) + of.mass.row_times(i, &fast) + force;
                worst = worst.max((sum - right[p].0[1][i]).abs());
            }
            for k in 0..lambda.len() {
                let sum = of.slopes.row_times(k, x) + of.gradients.row_times(k, u);
                worst = worst.max((sum - right[p].0[2][k]).abs());
            }
            for k in 0..mu.len() {
                worst = worst.max((of.gradients.row_times(k, x) - right[p].0[3][k]).abs());
            }
        }
        worst
    }

    fn solved(matrix: &mut Stabilised, of: &Linearised<'_>, right: &[Vectors; 2]) -> [[Vectors; 2]; 2] {
        matrix.linearise(of);
        assert!(matrix.factor(of, REAL, PAIR));
        let (mut real, mut complex) = (right.clone(), right.clone());
        for part in &mut real {
            matrix.solve_real(of, part.sides());
        }
        let [re, im] = &mut complex;
        matrix.solve_complex(of, re.sides(), im.sides());
        [real, complex]
    }

    fn check(mut matrix: Stabilised, of: &Linearised<'_>, bound: f64) {
        let right = [Vectors::new(of, 3), Vectors::new(of, 400)];
        // Twice, so that nothing is left of the first time.
        for _ in 0..2 {
            let [real, complex] = solved(&mut matrix, of, &right);
            let off = [left(of, (REAL, 0.0), &right, &real), left(of, (PAIR.re, PAIR.im), &right, &complex)];
            assert!(off[0] < bound && off[1] < bound, "{off:?}");
        }
    }

    #[test]
    fn a_small_system_is_solved_by_null_spaces() {
        for (rolling, further) in [(0, 0), (0, 2), (2, 0), (3, 1), (8, 0)] {
            let chain = Chain::new(4, rolling, further);
            let matrix = Stabilised::new(&chain.parts());
            assert!(!matrix.is_sparse());
            check(matrix, &chain.parts(), 1e-11);
        }
    }

    #[test]
    fn rates_of_positions_may_change_with_positions() {
        for rolling in [0, 3] {
            let mut chain = Chain::new(4, rolling, 1);
            chain.kinematics = (0..144).map(|k| 0.3 * number(k + 11)).collect();
            check(Stabilised::new(&chain.parts()), &chain.parts(), 1e-11);
        }
    }

    #[test]
    fn a_large_system_with_few_entries_is_solved_by_them() {
        for (rolling, further) in [(0, 0), (5, 3)] {
            let chain = Chain::new(40, rolling, further);
            let matrix = Stabilised::new(&chain.parts());
            assert!(matrix.is_sparse());
            check(matrix, &chain.parts(), 1e-7);
        }
    }

    #[test]
    fn multipliers_push_back_in_small_and_large_systems() {
        for (links, rolling, further) in [(4, 0, 0), (4, 3, 1), (40, 5, 3)] {
            let mut chain = Chain::new(links, rolling, further);
            // Two constraints of positions and one of speeds push links that they do not hold.
            let places = [(0, 7), (0, 9), (2, 1), (2 * links - 1, 0)];
            let room = Matrix::with_places(2 * links, 3 * links + further, &places);
            chain.feedback = filled(room, 0.1, 0.3);
            check(Stabilised::new(&chain.parts()), &chain.parts(), 1e-7);
        }
    }

    /// As at a singular configuration.
    #[test]
    fn rows_that_follow_from_others_change_nothing() {
        let single = Chain::new(4, 0, 1);
        let double = single.doubled();
        let (one, two) = (single.parts(), double.parts());
        let right = [Vectors::new(&one, 3), Vectors::new(&one, 400)];
        let twice = right.clone().map(|Vectors([a, b, c, d])| {
            let copy = |x: Vec<f64>| {
                x.iter().chain(&x.iter().map(|x| 2.0 * x).collect::<Vec<_>>()).copied().collect()
            };
            Vectors([a, b, copy(c), copy(d)])
        });
        let alone = solved(&mut Stabilised::new(&one), &one, &right);
        let among = solved(&mut Stabilised::new(&two), &two, &twice);
        for (a, b) in alone.iter().flatten().zip(among.iter().flatten()) {
            let size = a.0[1].iter().fold(1.0_f64, |size, x| size.max(x.abs()));
            for i in [0, 1] {
                let pairs = a.0[i].iter().zip(&b.0[i]);
                let apart = pairs.fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
                assert!(apart < 1e-7 * size, "{apart:e} of {size:e}");
            }
        }
    }

    #[test]
    fn coordinates_without_mass_that_are_held_do_no_harm() {
        for links in [4, 40] {
            let mut chain = Chain::new(links, 0, 0);
            // Two constraints hold two coordinates of each link, so one of three may have neither mass nor
            // forces.
            let free: Vec<bool> = chain.forces.places().map(|(i, j)| i % 3 == 0 || j % 3 == 0).collect();
            chain.forces.values.iter_mut().zip(free).filter(|(_, free)| *free).for_each(|(x, _)| *x = 0.0);
            chain.mass.values.iter_mut().step_by(3).for_each(|mass| *mass = 0.0);
            check(Stabilised::new(&chain.parts()), &chain.parts(), 1e-7);
        }
    }

    #[test]
    fn the_work_grows_with_the_number_of_links() {
        let work = |links: usize| {
            let chain = Chain::new(links, 0, 0);
            Stabilised::new(&chain.parts()).work()[1]
        };
        let slope = (work(2000) / work(40)).ln() / 50.0_f64.ln();
        assert!((slope - 1.0).abs() < 0.05, "{slope}");
    }
}
