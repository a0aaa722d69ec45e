//! Small linear systems that may be singular: the solution of least norm, if there is one.
//!
//! Contacts that are redundant make the matrix singular. Unknowns are scaled by the diagonal, so that units
//! do not matter; elimination is by rows and columns (complete pivoting).

/// A pivot below this part of the largest entry of the scaled matrix is rounding.
const RANK: f64 = 1e-11;
/// A right-hand side that is left by more than this part of the largest is out of reach.
const CONSISTENT: f64 = 1e-9;
/// Rounding of what is left of sums of a few terms, in units of these.
const ROUNDING: f64 = 256.0 * f64::EPSILON;

/// The part of the largest weight that one counts at least: what a contact bears that nothing presses on is
/// rounding.
const LEAST_WEIGHT: f64 = f64::EPSILON;

/// Friction that moves as the given one does, with these weights as parts: how contacts share it. `products`
/// is the response of each to each.
pub fn share_friction(products: &[f64], friction: &[f64], weights: &[f64]) -> Vec<f64> {
    let right: Vec<f64> = products
        .chunks_exact(friction.len())
        .map(|row| row.iter().zip(friction).map(|(k, t)| k * t).sum())
        .collect();
    let least = LEAST_WEIGHT * weights.iter().copied().fold(0.0, f64::max);
    let weights: Vec<f64> = weights.iter().map(|w| w.max(least)).collect();
    let is_weighed = least > 0.0 && least.is_finite();
    let shared = if is_weighed { solve_weighted(products, &right, &weights) } else { None };
    shared.unwrap_or_else(|| friction.to_vec())
}

/// The same for rows in different units, as those of joints are: each bears the same part of its limit where they are as
/// many as move as one.
pub fn share_by_limits(products: &[f64], friction: &[f64], limits: &[f64]) -> Vec<f64> {
    let n = friction.len();
    let weights: Vec<f64> =
        limits.iter().enumerate().map(|(i, most)| most / size_of(products, n, i)).collect();
    share_friction(products, friction, &weights)
}

/// Where some rows hold: how each of the others responds to each, and for each of these what the held ones bear of it.
/// `products` is the response of each row to each, the held ones first; none if that contradicts itself.
pub fn respond_beside(products: &[f64], held: usize) -> Option<(Vec<f64>, Vec<Vec<f64>>)> {
    let all = products.len().isqrt();
    let entry = |row: usize, column: usize| products[row * all + column];
    let matrix: Vec<f64> =
        (0..held).flat_map(|a| (0..held).map(move |b| (a, b))).map(|(a, b)| entry(a, b)).collect();
    let borne = |column: usize| {
        let right: Vec<f64> = (0..held).map(|a| entry(a, column)).collect();
        if held == 0 { Some(Vec::new()) } else { solve_least(&matrix, &right) }
    };
    let borne: Vec<Vec<f64>> = (held..all).map(borne).collect::<Option<_>>()?;
    let left = |row: usize, column: usize| {
        let taken: f64 = borne[column - held].iter().enumerate().map(|(a, part)| entry(row, a) * part).sum();
        // What is left of rows that the held ones hold is rounding.
        let (own, rest) = (entry(row, column), entry(row, column) - taken);
        if rest.abs() <= ROUNDING * (own.abs() + taken.abs()) { 0.0 } else { rest }
    };
    let rows = (held..all).flat_map(|row| (held..all).map(move |column| (row, column)));
    Some((rows.map(|(row, column)| left(row, column)).collect(), borne))
}

/// Normal forces that move as the given ones do, and none of which pulls; the given ones if there are none such, or if
/// they are unique.
/// `products` is the response of each to each.
pub fn share_pushing(products: &[f64], normal: &[f64]) -> Vec<f64> {
    let n = normal.len();
    if rank(products, n) == n {
        return normal.to_vec();
    }
    let sum = |row: usize, force: &[f64]| -> f64 { (0..n).map(|j| products[row * n + j] * force[j]).sum() };
    let asked: Vec<f64> = (0..n).map(|row| sum(row, normal)).collect();
    let largest = asked.iter().fold(0.0_f64, |most, force| most.max(force.abs()));
    let mut part: Vec<usize> = (0..n).collect();
    loop {
        let matrix: Vec<f64> =
            part.iter().flat_map(|&i| part.iter().map(move |&j| products[i * n + j])).collect();
        let right: Vec<f64> = part.iter().map(|&i| asked[i]).collect();
        let Some(solved) = solve_least(&matrix, &right) else { return normal.to_vec() };
        let mut shared = vec![0.0; n];
        part.iter().zip(&solved).for_each(|(&i, force)| shared[i] = *force);
        let is_same = (0..n).all(|row| (sum(row, &shared) - asked[row]).abs() <= CONSISTENT * largest);
        if !is_same {
            return normal.to_vec();
        }
        let pulls = part.iter().copied().filter(|&i| shared[i] < 0.0);
        let Some(worst) = pulls.min_by(|&a, &b| shared[a].total_cmp(&shared[b])) else { return shared };
        part.retain(|&i| i != worst);
    }
}

/// The rank of a square matrix by rows, such as the response of rows to each other.
pub fn rank(matrix: &[f64], n: usize) -> usize {
    let scale: Vec<f64> = (0..n).map(|i| size_of(matrix, n, i)).collect();
    let entry = |i: usize, j: usize| matrix[i * n + j] / (scale[i] * scale[j]);
    let mut rows: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| entry(i, j)).chain([0.0]).collect()).collect();
    eliminate(&mut rows, n).map_or(0, |order| order.len())
}

/// A square matrix by rows and a right-hand side: the solution of least norm, or none.
pub(super) fn solve_least(matrix: &[f64], right: &[f64]) -> Option<Vec<f64>> {
    solve_weighted(matrix, right, &vec![1.0; right.len()])
}

/// The same, where the square of each unknown counts less the larger its weight is.
fn solve_weighted(matrix: &[f64], right: &[f64], weights: &[f64]) -> Option<Vec<f64>> {
    let n = right.len();
    let scale: Vec<f64> = (0..n).map(|i| size_of(matrix, n, i)).collect();
    let mut rows: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            let row = (0..n).map(|j| matrix[i * n + j] / (scale[i] * scale[j]));
            row.chain([right[i] / scale[i]]).collect()
        })
        .collect();
    let order = eliminate(&mut rows, n)?;
    // In the norm, scaled unknowns count by their own size.
    let norm: Vec<f64> =
        scale.iter().zip(weights).map(|(scale, weight)| 1.0 / (scale * scale * weight)).collect();
    let solution = least_norm(&rows, &order, &norm)?;
    Some(solution.iter().zip(&scale).map(|(x, scale)| x / scale).collect())
}

/// The root of the diagonal entry, or of the largest entry of the row.
fn size_of(matrix: &[f64], n: usize, i: usize) -> f64 {
    let row = &matrix[i * n..(i + 1) * n];
    let largest = row.iter().fold(row[i].abs(), |most, entry| most.max(entry.abs() * f64::EPSILON));
    if largest > 0.0 { largest.sqrt() } else { 1.0 }
}

/// Brings the rows to the form `[1 0 … | rest]`. Gives the column of each pivot; none if a row that has none
/// asks for something.
fn eliminate(rows: &mut [Vec<f64>], n: usize) -> Option<Vec<usize>> {
    let largest = rows.iter().flat_map(|row| &row[..n]).fold(0.0_f64, |most, entry| most.max(entry.abs()));
    let asked = rows.iter().fold(0.0_f64, |most, row| most.max(row[n].abs()));
    let mut order = Vec::new();
    for k in 0..n {
        let free = |column: &usize| !order.contains(column);
        let places = (k..n).flat_map(|i| (0..n).filter(free).map(move |j| (i, j)));
        let (i, j) = places.max_by(|&(a, b), &(c, d)| rows[a][b].abs().total_cmp(&rows[c][d].abs()))?;
        let pivot = rows[i][j];
        if !pivot.is_finite() {
            return None;
        }
        if pivot.abs() <= RANK * largest {
            let is_left = |row: &Vec<f64>| row[n].abs() > CONSISTENT * asked;
            return (!rows[k..].iter().any(is_left)).then_some(order);
        }
        rows.swap(k, i);
        rows[k].iter_mut().for_each(|entry| *entry /= pivot);
        let row = rows[k].clone();
        for (i, other) in rows.iter_mut().enumerate().filter(|(i, _)| *i != k) {
            debug_assert!(i != k);
            let factor = other[j];
            other.iter_mut().zip(&row).for_each(|(entry, known)| *entry -= factor * known);
        }
        order.push(j);
    }
    Some(order)
}

/// Of all solutions the one of least norm: unknowns without pivots are chosen so.
fn least_norm(rows: &[Vec<f64>], order: &[usize], norm: &[f64]) -> Option<Vec<f64>> {
    let n = norm.len();
    let mut x = vec![0.0; n];
    for (row, &j) in rows.iter().zip(order) {
        x[j] = row[n];
    }
    // Directions that change nothing, made orthogonal to each other.
    let mut directions: Vec<Vec<f64>> = Vec::new();
    for free in (0..n).filter(|j| !order.contains(j)) {
        let mut direction = vec![0.0; n];
        direction[free] = 1.0;
        rows.iter().zip(order).for_each(|(row, &j)| direction[j] = -row[free]);
        for known in &directions {
            take_off(&mut direction, known, norm);
        }
        directions.push(direction);
    }
    for direction in &directions {
        take_off(&mut x, direction, norm);
    }
    x.iter().all(|x| x.is_finite()).then_some(x)
}

/// Takes the part along a direction off a vector.
fn take_off(x: &mut [f64], direction: &[f64], norm: &[f64]) {
    let product =
        |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).zip(norm).map(|((a, b), w)| a * b * w).sum() };
    let part = product(x, direction) / product(direction, direction);
    x.iter_mut().zip(direction).for_each(|(x, d)| *x -= part * d);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_regular_system_has_its_solution() {
        let x = solve_least(&[2.0, 1.0, 1.0, 3.0], &[3.0, 5.0]).expect("regular");
        assert!((x[0] - 0.8).abs() < 1e-15 && (x[1] - 1.4).abs() < 1e-15);
    }

    #[test]
    fn two_equal_rows_share_what_is_asked_of_them() {
        let x = solve_least(&[1.0, 1.0, 1.0, 1.0], &[3.0, 3.0]).expect("consistent");
        assert!(x.iter().all(|x| (x - 1.5).abs() < 1e-14), "{x:?}");
        assert_eq!(solve_least(&[1.0, 1.0, 1.0, 1.0], &[3.0, 2.0]), None);
    }

    #[test]
    fn friction_is_shared_by_what_presses() {
        let shared = share_friction(&[2.0; 4], &[3.0, 3.0], &[1.0, 2.0]);
        assert!((shared[0] - 2.0).abs() < 1e-14 && (shared[1] - 4.0).abs() < 1e-14, "{shared:?}");
        assert_eq!(share_friction(&[2.0; 4], &[3.0, 3.0], &[0.0, 0.0]), [3.0, 3.0]);
    }

    /// A beam on four supports, loaded where least squares would let one of them pull.
    #[test]
    fn redundant_supports_push_only() {
        let at = [0.0, 1.0, 2.0, 3.0];
        let products: Vec<f64> = at.iter().flat_map(|a| at.iter().map(move |b| 1.0 + a * b)).collect();
        let moves =
            |force: &[f64]| [force.iter().sum::<f64>(), force.iter().zip(at).map(|(f, a)| f * a).sum()];
        let pulled = [1.0, 0.3, -0.1, 0.0];
        let shared = share_pushing(&products, &pulled);
        assert!(shared.iter().all(|force| *force >= 0.0), "{shared:?}");
        moves(&shared).iter().zip(moves(&pulled)).for_each(|(a, b)| assert!((a - b).abs() < 1e-12));
        // A beam that tips is held by no forces that push.
        let tips = [1.5, 0.0, 0.0, -0.5];
        assert_eq!(share_pushing(&products, &tips), tips);
    }

    #[test]
    fn units_do_not_matter() {
        let x = solve_least(&[2e18, 1.0, 1.0, 3e-18], &[3e9, 5e-9]).expect("regular");
        assert!((x[0] * 1e9 - 0.8).abs() < 1e-14 && (x[1] * 1e-9 - 1.4).abs() < 1e-14, "{x:?}");
    }
}
