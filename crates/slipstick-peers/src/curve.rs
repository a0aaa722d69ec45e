//! Cost against achieved error: measuring a curve, and reading it between its points. A cost is CPU time or a
//! number of instructions.

use crate::solvers::{Solve, Solver};
use cpu_time::ThreadTime;
use slipstick::problems::Problem;
use std::time::Duration;

/// A run at one tolerance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub(crate) tolerance: f64,
    pub(crate) error: f64,
    pub(crate) cost: f64,
}

/// From 1e-3 to 1e-12, five in each decade: enough for lucky and unlucky ones to even out.
pub(crate) fn tolerances() -> impl Iterator<Item = f64> {
    (15..=60).map(|k| 10_f64.powf(-0.2 * f64::from(k)))
}

/// The points of all solvers of a problem. Solvers take turns at each tolerance, so that a change of the
/// machine's speed meets all alike.
pub(crate) fn measure(problem: &Problem, solvers: &[Solver]) -> Vec<Vec<Point>> {
    let mut curves = vec![Vec::new(); solvers.len()];
    walk(problem, solvers, Duration::from_millis(200), |place, tolerance, error, solve| {
        curves[place].push(Point { tolerance, error, cost: median_time(solve) });
    });
    curves
}

/// Solves with each solver at each tolerance; gives the solver's place, the tolerance, the error and the
/// solver to `visit`. A solver that took longer than `patience` is left out at tighter tolerances: no one
/// chooses such a method there.
pub(crate) fn walk(
    problem: &Problem,
    solvers: &[Solver],
    patience: Duration,
    mut visit: impl FnMut(usize, f64, f64, &mut Solve),
) {
    let mut is_slow = vec![false; solvers.len()];
    for tolerance in tolerances() {
        for (place, solver) in solvers.iter().enumerate() {
            if is_slow[place] {
                continue;
            }
            let mut solve = (solver.prepare)(tolerance);
            let start = ThreadTime::now();
            let end = within_reason(&mut solve);
            is_slow[place] = start.elapsed() > patience;
            let error = end.map_or(f64::NAN, |end| problem.error(&end));
            if error.is_finite() {
                visit(place, tolerance, error, &mut solve);
            }
        }
    }
}

/// A first solve; a solver that panics has not solved the problem.
fn within_reason(solve: &mut Solve) -> Option<Vec<f64>> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(solve)).ok().flatten()
}

/// One solve, as a function that callgrind can tell from the rest.
#[inline(never)]
pub(crate) fn counted_solve(solve: &mut Solve) {
    std::hint::black_box(solve());
}

/// The median over many samples, each of so many solves that the clock can tell.
fn median_time(solve: &mut Solve) -> f64 {
    let time = |n: u32, solve: &mut Solve| {
        let start = ThreadTime::now();
        for _ in 0..n {
            std::hint::black_box(solve());
        }
        start.elapsed() / n
    };
    let once = time(1, solve).max(Duration::from_nanos(100));
    let per_sample =
        u32::try_from(Duration::from_micros(500).as_nanos() / once.as_nanos()).unwrap_or(0).max(1);
    let budget = Duration::from_millis(60).as_nanos() / (once * per_sample).as_nanos();
    let mut samples: Vec<Duration> = (0..budget.clamp(5, 41)).map(|_| time(per_sample, solve)).collect();
    samples.sort();
    samples[samples.len() / 2].as_secs_f64()
}

/// The cost that is to be expected for an error: the error at the end goes up and down with the tolerance by
/// chance, so that no single run tells. A line in logarithms is laid through all runs whose error is within a
/// decade of it, by least squares, and read there. `None` if there are too few of them, or none on one side.
pub(crate) fn cost_at(curve: &[Point], error: f64) -> Option<f64> {
    let place = |point: &Point| ((point.error / error).log10(), point.cost.ln());
    let near: Vec<(f64, f64)> = curve.iter().map(place).filter(|(x, _)| x.abs() <= 1.0).collect();
    let sides = [near.iter().any(|(x, _)| *x > 0.0), near.iter().any(|(x, _)| *x < 0.0)];
    if near.len() < FEWEST || sides.contains(&false) {
        return None;
    }
    let mean = |value: &dyn Fn(&(f64, f64)) -> f64| near.iter().map(value).sum::<f64>() / near.len() as f64;
    let (x, y) = (mean(&|p| p.0), mean(&|p| p.1));
    let slope = mean(&|p| (p.0 - x) * (p.1 - y)) / mean(&|p| (p.0 - x).powi(2));
    Some((y - slope * x).exp())
}

/// Fewer runs than this near an error do not make a line.
const FEWEST: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    fn point(error: f64, cost: f64) -> Point {
        Point { tolerance: error, error, cost }
    }

    /// Errors of 1e-2, 1e-2.2 … 1e-8 at the cost 1 / √error, but for a factor of luck.
    fn curve(luck: impl Fn(i32) -> f64) -> Vec<Point> {
        (10..=40)
            .map(|k| (10_f64.powf(-0.2 * f64::from(k)), luck(k)))
            .map(|(e, l)| point(e * l, e.powf(-0.5)))
            .collect()
    }

    #[test]
    fn between_points_cost_follows_a_power_of_the_error() {
        assert!((cost_at(&curve(|_| 1.0), 3e-5).unwrap() * 3e-5_f64.sqrt() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn one_lucky_run_hardly_counts() {
        let lucky = curve(|k| if k == 20 { 0.2 } else { 1.0 });
        let ratio = cost_at(&lucky, 1e-4).unwrap() / cost_at(&curve(|_| 1.0), 1e-4).unwrap();
        assert!((0.9..1.0).contains(&ratio), "{ratio}");
    }

    #[test]
    fn errors_beyond_the_curve_have_no_cost() {
        let curve = curve(|_| 1.0);
        assert!(cost_at(&curve, 2e-2).is_none() && cost_at(&curve, 1e-9).is_none());
    }
}
