//! Performance profiles of Dolan and Moré (paper 001, equations (37) to (39)): which share of the problems a
//! solver solves within a multiple of the best.
//!
//! In: for each problem what each solver needed, or nothing if it did not solve it. Out: for each solver its
//! curve. Nothing here knows what a problem is.

/// The curves of several solvers on the same problems.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    problems: usize,
    /// For each solver, how many times more than the best it needed, ascending, for the problems that it
    /// solved.
    ratios: Vec<Vec<f64>>,
}

impl Profile {
    /// From a row for each problem with a place for each solver. What is not a number above zero, or none at
    /// all, is not solved.
    pub fn of(solvers: usize, needed: &[Vec<Option<f64>>]) -> Self {
        let mut ratios = vec![Vec::new(); solvers];
        for row in needed {
            let solved = |x: &Option<f64>| x.filter(|x| *x > 0.0 && x.is_finite());
            let best = row.iter().filter_map(solved).fold(f64::INFINITY, f64::min);
            for (list, needed) in ratios.iter_mut().zip(row) {
                list.extend(solved(needed).map(|x| x / best));
            }
        }
        for list in &mut ratios {
            list.sort_by(f64::total_cmp);
        }
        Self { problems: needed.len(), ratios }
    }

    /// `ρ(τ)`: the share of all problems that a solver solves with at most `tau` times what the best needs.
    pub fn share(&self, solver: usize, tau: f64) -> f64 {
        let within = self.ratios[solver].partition_point(|ratio| *ratio <= tau);
        within as f64 / self.problems.max(1) as f64
    }

    /// The share of all problems that a solver solves at all: `ρ` at infinity.
    pub fn solved(&self, solver: usize) -> f64 {
        self.share(solver, f64::INFINITY)
    }

    /// Where the curve of a solver rises, and to what.
    pub fn rises(&self, solver: usize) -> Vec<(f64, f64)> {
        let all = &self.ratios[solver];
        let is_last = |k: usize| all.get(k + 1).is_none_or(|next| *next > all[k]);
        let rise = |k: usize| (all[k], (k + 1) as f64 / self.problems as f64);
        (0..all.len()).filter(|k| is_last(*k)).map(rise).collect()
    }

    /// The largest ratio of any solver: beyond it the curves are flat.
    pub fn widest(&self) -> f64 {
        self.ratios.iter().filter_map(|list| list.last()).fold(1.0, |a, b| a.max(*b))
    }
}

/// What a solver needs for an error, from runs at several tolerances: (work, error). Between the runs next to
/// it the logarithms are taken to lie on a line; a run with a smaller error than asked for counts as it is if
/// there is none with a larger one. Nothing if no run has an error that small.
pub fn work_for(error: f64, runs: &[(f64, f64)]) -> Option<f64> {
    let usable = |(work, e): &&(f64, f64)| *work > 0.0 && work.is_finite() && e.is_finite();
    let enough = runs.iter().filter(usable).filter(|(_, e)| *e <= error);
    let cheapest = enough.min_by(|a, b| a.0.total_cmp(&b.0))?;
    // Of the runs that are not good enough and cheaper, the nearest.
    let worse = runs.iter().filter(usable).filter(|(work, e)| *e > error && *work < cheapest.0);
    let Some(worse) = worse.max_by(|a, b| a.0.total_cmp(&b.0)) else { return Some(cheapest.0) };
    // An error of zero has no logarithm; none is smaller than rounding.
    let log = |x: f64| x.max(f64::EPSILON / 16.0).ln();
    let part = (log(worse.1) - log(error)) / (log(worse.1) - log(cheapest.1));
    Some((worse.0.ln() + part * (cheapest.0 / worse.0).ln()).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_small_table_gives_the_curves_that_follow_from_it_by_hand() {
        // Ratios: problem 1: 1, 2; problem 2: 3, 1; problem 3: 1, failed; problem 4: nobody; problem 5: 1, 1.
        let needed = [
            vec![Some(10.0), Some(20.0)],
            vec![Some(6.0), Some(2.0)],
            vec![Some(5.0), None],
            vec![None, Some(f64::NAN)],
            vec![Some(7.0), Some(7.0)],
        ];
        let profile = Profile::of(2, &needed);
        assert_eq!([1.0, 2.0, 3.0].map(|tau| profile.share(0, tau)), [0.6, 0.6, 0.8]);
        assert_eq!([0.9, 1.0, 1.9, 2.0].map(|tau| profile.share(1, tau)), [0.0, 0.4, 0.4, 0.6]);
        assert_eq!((profile.solved(0), profile.solved(1), profile.widest()), (0.8, 0.6, 3.0));
        assert_eq!(profile.rises(0), [(1.0, 0.6), (3.0, 0.8)]);
        assert_eq!(profile.rises(1), [(1.0, 0.4), (2.0, 0.6)]);
    }

    #[test]
    fn nothing_gives_flat_curves() {
        let profile = Profile::of(1, &[]);
        assert_eq!((profile.share(0, 1.0), profile.widest(), profile.rises(0)), (0.0, 1.0, Vec::new()));
    }

    #[test]
    fn work_for_an_error_lies_between_the_runs_around_it() {
        let runs = [(100.0, 1e-4), (1000.0, 1e-6)];
        let middle = work_for(1e-5, &runs).unwrap();
        assert!((middle - 100.0 * 10_f64.sqrt()).abs() < 1e-9, "{middle}");
        assert_eq!(work_for(1e-3, &runs), Some(100.0));
        assert_eq!(work_for(1e-6, &runs).map(f64::round), Some(1000.0));
        assert_eq!(work_for(1e-7, &runs), None);
        assert_eq!(work_for(1e-5, &[(f64::NAN, 0.0), (3.0, f64::NAN)]), None);
    }

    proptest! {
        #[test]
        fn curves_rise_and_end_at_what_is_solved(
            table in prop::collection::vec(prop::collection::vec(prop::option::of(0.1..100.0_f64), 3), 1..12)
        ) {
            let profile = Profile::of(3, &table);
            for solver in 0..3 {
                let solved = table.iter().filter(|row| row[solver].is_some()).count() as f64 / table.len() as f64;
                prop_assert_eq!(profile.solved(solver), solved);
                prop_assert_eq!(profile.share(solver, profile.widest()), solved);
                let rises = profile.rises(solver);
                prop_assert!(rises.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 < w[1].1));
                prop_assert!(rises.iter().all(|(tau, share)| profile.share(solver, *tau) == *share));
                prop_assert_eq!(rises.last().map_or(0.0, |r| r.1), solved);
            }
            let someone = table.iter().any(|row| row.iter().any(Option::is_some));
            let best: f64 = (0..3).map(|s| profile.share(s, 1.0)).sum();
            prop_assert!(!someone || best > 0.0);
        }
    }
}
