//! Random problems of all the kinds that contacts make, against enumeration.

use super::super::super::dot;
use super::super::{LcpOutcome, Problem, Proof, Solution};
use super::super::{enumerate, gauss_seidel, lemke, newton, solve};

/// Numbers from a seed: the generator of Vigna, "splitmix64".
struct SeededNumbers(u64);

impl SeededNumbers {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    fn below(&mut self, end: u8) -> u8 {
        let [_, _, _, _, _, high, low, _] = self.bits().to_le_bytes();
        u8::try_from(u16::from_le_bytes([high, low]) % u16::from(end.max(1))).unwrap_or(0)
    }

    fn index_below(&mut self, end: usize) -> usize {
        usize::from(self.below(u8::try_from(end).unwrap_or(u8::MAX)))
    }

    /// Between -1 and 1.
    fn real(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// A small whole number, often zero: ties and zeros are exact.
    fn whole(&mut self) -> f64 {
        f64::from(self.below(7)) - 3.0
    }

    fn vector(&mut self, n: usize, exact: bool) -> Vec<f64> {
        (0..n).map(|_| if exact { self.whole() } else { self.real() }).collect()
    }
}

#[derive(Clone, Debug)]
struct Drawn {
    matrix: Vec<f64>,
    constant: Vec<f64>,
    /// Whether it must have a solution.
    solvable: bool,
}

impl Drawn {
    fn problem(&self) -> Problem<'_> {
        Problem { matrix: &self.matrix, constant: &self.constant }
    }

    /// The same problem in other units of rows and columns.
    fn in_units(&self, numbers: &mut SeededNumbers) -> Self {
        let n = self.constant.len();
        let mut units = || -> Vec<f64> {
            (0..n).map(|_| [1e-9, 1e-3, 1.0, 7.0, 1e3, 1e9][numbers.index_below(6)]).collect()
        };
        let (rows, columns) = (units(), units());
        let matrix = self.matrix.iter().enumerate().map(|(k, m)| m * rows[k / n] * columns[k % n]).collect();
        let constant = self.constant.iter().zip(&rows).map(|(q, r)| q * r).collect();
        Self { matrix, constant, ..self.clone() }
    }
}

/// `A Aᵀ` of a matrix with `n` rows.
fn gram(a: &[f64], n: usize) -> Vec<f64> {
    let rank = a.len() / n;
    let row = |i: usize| &a[i * rank..(i + 1) * rank];
    (0..n * n).map(|k| row(k / n).iter().zip(row(k % n)).map(|(x, y)| x * y).sum()).collect()
}

/// Positive definite, or semidefinite with a constant in the range of the matrix or anywhere.
fn semidefinite(numbers: &mut SeededNumbers, n: usize, exact: bool) -> Drawn {
    let rank = 1 + numbers.index_below(n + 1);
    let a = numbers.vector(n * rank, exact);
    let mut matrix = gram(&a, n);
    let in_range = numbers.below(2) == 0;
    let constant = if in_range {
        let v = numbers.vector(rank, exact);
        (0..n).map(|i| a[i * rank..(i + 1) * rank].iter().zip(&v).map(|(a, v)| a * v).sum()).collect()
    } else {
        numbers.vector(n, exact)
    };
    if numbers.below(3) == 0 {
        for i in 0..n {
            for j in 0..i {
                let skew = if exact { numbers.whole() } else { numbers.real() };
                matrix[i * n + j] += skew;
                matrix[j * n + i] -= skew;
            }
        }
        return Drawn { matrix, constant, solvable: false };
    }
    Drawn { matrix, constant, solvable: in_range }
}

/// A P-matrix: rows with a dominant positive diagonal, whatever the signs of the rest.
fn dominant(numbers: &mut SeededNumbers, n: usize, exact: bool) -> Drawn {
    let mut matrix = numbers.vector(n * n, exact);
    for i in 0..n {
        matrix[i * n + i] = 0.0;
        matrix[i * n + i] = 0.5 + matrix[i * n..(i + 1) * n].iter().map(|m| m.abs()).sum::<f64>();
    }
    Drawn { matrix, constant: numbers.vector(n, exact), solvable: true }
}

/// One contact, or one and a frictionless one, in the unknowns `(N, T⁺, T⁻, σ)`, with friction `μ`.
fn frictional(numbers: &mut SeededNumbers, exact: bool) -> Drawn {
    let others = numbers.index_below(3);
    let n = 4 + others;
    let rank = 2 + numbers.index_below(2);
    // Rows of the normal, of the tangent, and of normals of contacts without friction.
    let mut rows = numbers.vector((2 + others) * rank, exact);
    let negated: Vec<f64> = rows[rank..2 * rank].iter().map(|x| -x).collect();
    rows.splice(2 * rank..2 * rank, negated.iter().copied().chain(vec![0.0; rank]));
    let mut matrix = gram(&rows, n);
    let friction = if exact { f64::from(numbers.below(3)) * 0.5 } else { numbers.real().abs() };
    for (column, entry) in [friction, -1.0, -1.0].into_iter().enumerate() {
        matrix[3 * n + column] = entry;
    }
    (matrix[n + 3], matrix[2 * n + 3]) = (1.0, 1.0);
    let pull = numbers.vector(rank, exact);
    let constant = (0..n).map(|i| rows[i * rank..(i + 1) * rank].iter().zip(&pull).map(|(g, f)| g * f).sum());
    Drawn { constant: constant.collect(), matrix, solvable: true }
}

/// Anything, with many zeros.
fn general(numbers: &mut SeededNumbers, n: usize, exact: bool) -> Drawn {
    let mut matrix = numbers.vector(n * n, exact);
    let mut constant = numbers.vector(n, exact);
    let zeros = numbers.below(3);
    matrix.iter_mut().chain(&mut constant).for_each(|x| *x = if numbers.below(3) < zeros { 0.0 } else { *x });
    Drawn { matrix, constant, solvable: false }
}

const KINDS: usize = 4;

fn draw(numbers: &mut SeededNumbers, kind: usize) -> Drawn {
    let (n, exact) = (1 + numbers.index_below(6), numbers.below(2) == 0);
    match kind {
        0 => semidefinite(numbers, n, exact),
        1 => dominant(numbers, n, exact),
        2 => frictional(numbers, exact),
        _ => general(numbers, n, exact),
    }
}

const PROBLEMS: usize = 100_000;
/// So many random problems, nearly singular by chance, may be left undecided because of rounding.
const MOST_LEFT: usize = 5;

/// What a solution promises, from the numbers of the problem alone.
fn check(drawn: &Drawn, solution: &Solution) {
    let n = drawn.constant.len();
    let (z, w) = (&solution.z, &solution.w);
    for i in 0..n {
        let terms = drawn.matrix[i * n..(i + 1) * n].iter().zip(z).map(|(m, z)| m * z);
        let (sum, size) = terms.fold((0.0, 0.0), |(sum, size), x| (sum + x, size + x.abs()));
        let allowed = 12.0 * f64::EPSILON * (size + drawn.constant[i].abs());
        assert!((sum + drawn.constant[i] - w[i]).abs() <= allowed, "row {i} of {drawn:?}: {solution:?}");
        assert!(z[i] >= 0.0 && w[i] >= 0.0 && (z[i] == 0.0 || w[i] == 0.0), "{drawn:?}: {solution:?}");
        assert!(!solution.basic[i] || w[i] == 0.0, "{drawn:?}: {solution:?}");
    }
}

/// A certificate of infeasibility, from the numbers of the problem alone.
fn check_certificate(drawn: &Drawn, v: &[f64]) {
    let n = drawn.constant.len();
    assert!(v.iter().all(|v| *v >= 0.0) && dot(v, &drawn.constant) < 0.0);
    for j in 0..n {
        let terms = (0..n).map(|i| drawn.matrix[i * n + j] * v[i]);
        let (sum, size) = terms.fold((0.0, 0.0), |(sum, size), x| (sum + x, size + x.abs()));
        assert!(sum <= 1e-12 * size, "{drawn:?}: {v:?}");
    }
}

#[test]
fn every_answer_is_a_solution_or_rightly_called_unsolvable() {
    let mut numbers = SeededNumbers(1);
    let mut left = 0;
    for k in 0..PROBLEMS {
        let drawn = draw(&mut numbers, k % KINDS);
        let drawn = if numbers.below(3) == 0 { drawn.in_units(&mut numbers) } else { drawn };
        match solve(&drawn.problem()) {
            LcpOutcome::Solution(solution) => check(&drawn, &solution),
            LcpOutcome::Ray(ray) if ray.proof == Proof::Nothing => left += 1,
            LcpOutcome::Limit => left += 1,
            LcpOutcome::Ray(ray) => {
                assert!(!drawn.solvable, "{drawn:?}: {ray:?}");
                if ray.proof != Proof::Enumeration {
                    check_certificate(&drawn, &ray.certificate);
                }
                assert_eq!(enumerate(&drawn.problem()), Some(vec![]), "{drawn:?}: {ray:?}");
            }
        }
    }

    assert!(left <= MOST_LEFT, "{left}");
}

#[test]
fn lemke_decides_the_classes_that_it_must() {
    let mut numbers = SeededNumbers(2);
    let mut left = 0;
    for k in 0..PROBLEMS / 4 {
        let drawn = draw(&mut numbers, k % (KINDS - 1));
        match lemke(&drawn.problem()) {
            LcpOutcome::Solution(solution) => check(&drawn, &solution),
            LcpOutcome::Limit => left += 1,
            LcpOutcome::Ray(ray) => assert!(!drawn.solvable && ray.proof == Proof::Semidefinite, "{drawn:?}"),
        }
    }

    assert!(left <= MOST_LEFT, "{left}");
}

/// Solutions that are not unique may be others in other units, where rounding of the units has broken ties:
/// for one problem in so many at most.
const OTHER_SOLUTIONS: usize = 1000;

#[test]
fn units_do_not_change_the_basis() {
    let mut numbers = SeededNumbers(3);
    let (mut same, mut all) = (0, 0);
    for k in 0..PROBLEMS / 10 {
        let drawn = draw(&mut numbers, k % KINDS);
        let Some(solution) = lemke(&drawn.problem()).solution() else { continue };
        let times = |values: &[f64], factor: f64| values.iter().map(|x| x * factor).collect::<Vec<f64>>();
        let mut others = vec![drawn.in_units(&mut numbers)];
        for factor in [1e-9, 1e9] {
            others.push(Drawn { matrix: times(&drawn.matrix, factor), ..drawn.clone() });
            others.push(Drawn { constant: times(&drawn.constant, factor), ..drawn.clone() });
        }
        let basis = |drawn: &Drawn| lemke(&drawn.problem()).solution().map(|solution| solution.basic);
        all += others.len();
        same += others.iter().filter(|other| basis(other).as_ref() == Some(&solution.basic)).count();
    }

    assert!(all - same <= all / OTHER_SOLUTIONS, "{same} of {all}");
}

/// Many bodies on many supports: more contacts than ways to move, so that forces are not unique.
#[test]
fn large_redundant_problems_are_solved() {
    let mut numbers = SeededNumbers(4);
    for (n, rank) in [(40, 60), (60, 30), (100, 70), (100, 20)] {
        let a = numbers.vector(n * rank, false);
        let pull = numbers.vector(rank, false);
        let constant = a.chunks_exact(rank).map(|row| dot(row, &pull)).collect();
        let drawn = Drawn { matrix: gram(&a, n), constant, solvable: true };
        check(&drawn, &solve(&drawn.problem()).solution().unwrap());
        check(&drawn, &lemke(&drawn.problem()).solution().unwrap());
    }
}

#[test]
fn newton_and_sweeps_agree_with_enumeration_where_the_solution_is_unique() {
    let mut numbers = SeededNumbers(5);
    let mut left = 0;
    for _ in 0..PROBLEMS / 10 {
        let drawn = draw(&mut numbers, 1);
        let n = drawn.constant.len();
        let all = enumerate(&drawn.problem()).unwrap();
        assert_eq!(all.len(), 1, "{drawn:?}");
        let rows: Vec<_> = (0..n).map(|i| i..i + 1).collect();
        let outcomes = [newton(&drawn.problem(), &vec![0.0; n]), gauss_seidel(&drawn.problem(), &rows, 300)];
        for outcome in outcomes {
            let Some(solution) = outcome.solution() else {
                left += 1;
                continue;
            };
            check(&drawn, &solution);
            let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-12 * (1.0 + b.abs());
            assert!(solution.z.iter().zip(&all[0].z).all(close), "{drawn:?}");
        }
    }

    assert!(left <= MOST_LEFT, "{left}");
}

#[test]
fn what_is_not_a_problem_is_a_limit() {
    for (matrix, constant) in
        [(&[f64::NAN][..], &[1.0][..]), (&[1.0], &[f64::INFINITY]), (&[1.0], &[1.0, 2.0])]
    {
        let problem = Problem { matrix, constant };
        assert_eq!(
            (solve(&problem), lemke(&problem), enumerate(&problem)),
            (LcpOutcome::Limit, LcpOutcome::Limit, None)
        );
    }
    let nothing = solve(&Problem { matrix: &[], constant: &[] }).solution().unwrap();
    assert!(nothing.z.is_empty());
}
