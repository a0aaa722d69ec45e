//! One round of refinement of a saddle-point system `[S Hᵀ; G 0] [a; λ] = [f; c]` that is solved with few digits, and multipliers that are as small as they can be.

use super::{Matrix, dot};

/// A system that can be solved roughly.
pub(super) trait Rough {
    /// `S`, `G` and `H`.
    fn matrices(&self) -> [&Matrix; 3];

    /// For each redundant row a combination of rows of `H` that is zero, of length one, across the others.
    fn idle(&self) -> &[Vec<f64>];

    /// Room for what is left of both right-hand sides.
    fn room(&mut self) -> &mut [Vec<f64>; 2];

    /// Replaces the right-hand sides by a solution with few digits.
    fn solve_roughly(&mut self, force: &mut [f64], level: &mut [f64]);
}

/// Replaces the right-hand sides by the solution: `force` by `a`, `level` by `λ`.
pub(super) fn solve_refined(system: &mut impl Rough, force: &mut [f64], level: &mut [f64]) {
    let [mut residual, mut off] = std::mem::take(system.room());
    residual.copy_from_slice(force);
    off.copy_from_slice(level);
    system.solve_roughly(force, level);
    let [matrix, ahead, here] = system.matrices();
    for (i, residual) in residual.iter_mut().enumerate() {
        *residual -= matrix.row_times(i, force);
    }
    here.add_transposed(-1.0, level, &mut residual);
    for (k, off) in off.iter_mut().enumerate() {
        *off -= ahead.row_times(k, force);
    }
    system.solve_roughly(&mut residual, &mut off);
    add(force, &residual);
    add(level, &off);
    for idle in system.idle() {
        take_along(level, idle);
    }
    *system.room() = [residual, off];
}

pub(super) fn add(x: &mut [f64], more: &[f64]) {
    for (x, more) in x.iter_mut().zip(more) {
        *x += more;
    }
}

/// Brings `x` to length one, across vectors of length one.
pub(super) fn make_unit(x: &mut [f64], across: &[Vec<f64>]) {
    for unit in across {
        take_along(x, unit);
    }
    let length = dot(x, x).sqrt();
    for x in x {
        *x /= length;
    }
}

/// Takes off what `x` has along a vector of length one.
fn take_along(x: &mut [f64], unit: &[f64]) {
    let along = dot(x, unit);
    for (x, u) in x.iter_mut().zip(unit) {
        *x -= along * u;
    }
}
