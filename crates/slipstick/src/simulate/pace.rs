//! How fast each state moves: the units in which the horizon of guards measures the path of a motion.
//!
//! States have units of their own, and a length of one is much for a position and little for an angular velocity. So
//! the path of a step is how many units of its own pace the fastest state moves, and in a box of a given path every
//! state is free to go as far as it usually does. Any pace is right; where paces are changed, paths that are known to be
//! safe are as much shorter as the state did that is changed most.

use crate::step::Trial;

/// By how much a pace is larger than what has been seen, so that it need not be changed soon.
const AHEAD: f64 = 4.0;
/// A pace is changed where a state moves this many times as fast; and where it has been this many times too large.
const TOO_FAST: f64 = 1.0;
const TOO_SLOW: f64 = 32.0;
/// The most steps that a pace stays after it was changed; at first they are fewer. And after how many steps it is asked
/// whether one is too large.
const PATIENCE: u32 = 16;
const REVIEW: u32 = 128;

/// The pace of all states; that of time is one.
#[derive(Clone, Debug)]
pub(super) struct Pace {
    /// What each state moves by in a unit of time, and one over it.
    rates: Vec<f64>,
    inverses: Vec<f64>,
    /// The largest that was seen since the last review, and the steps since then.
    seen: Vec<f64>,
    steps: u32,
    /// The steps between two changes.
    patience: u32,
    /// How far each state goes in the step at hand.
    reaches: Vec<f64>,
}

impl Pace {
    /// Nothing is known yet of this many states.
    pub(super) fn new(states: usize) -> Self {
        let nothing = vec![0.0; states];
        Self {
            rates: nothing.clone(),
            inverses: vec![f64::INFINITY; states],
            seen: nothing.clone(),
            steps: 0,
            patience: 0,
            reaches: nothing,
        }
    }

    /// Becomes as new.
    pub(super) fn renew(&mut self) {
        self.rates.fill(0.0);
        self.inverses.fill(f64::INFINITY);
        self.seen.fill(0.0);
        (self.steps, self.patience) = (0, 0);
    }

    /// The path of a step that has just been tried, whose points may be `beside` its dense output by some part of each
    /// state; and what a path of one has become at least, if the paces have been changed for it.
    pub(super) fn path_of(
        &mut self,
        trial: &Trial,
        beside: Option<&dyn Fn(usize) -> f64>,
    ) -> (f64, Option<f64>) {
        trial.dense.reaches(&mut self.reaches);
        if let Some(beside) = beside {
            self.reaches.iter_mut().enumerate().for_each(|(i, reach)| *reach += beside(i));
        }
        let (h, by_time) = (trial.h, 1.0 / trial.h);
        for (seen, reach) in self.seen.iter_mut().zip(&self.reaches) {
            *seen = larger(*seen, reach * by_time);
        }
        self.steps += 1;
        let path = self.path(h);
        let is_fast = path > TOO_FAST * h && self.steps > self.patience;
        let is_slow = || self.rates.iter().zip(&self.seen).any(|(rate, seen)| *rate > TOO_SLOW * seen);
        let changes = is_fast || self.steps > REVIEW && is_slow();
        let rescaled = changes.then(|| self.follow());
        if changes || self.steps > REVIEW {
            self.seen.fill(0.0);
            (self.steps, self.patience) = (0, if changes { PATIENCE.min(2 * self.patience + 1) } else { 0 });
        }
        (if changes { self.path(h) } else { path }, rescaled)
    }

    /// Takes over what has been seen. Gives what a path of one is at least: the pace of time is what it was.
    fn follow(&mut self) -> f64 {
        let mut least = 1.0_f64;
        for ((rate, inverse), seen) in self.rates.iter_mut().zip(&mut self.inverses).zip(&self.seen) {
            let new = AHEAD * seen;
            if new > *rate {
                least = least.min(*rate / new);
            }
            (*rate, *inverse) = (new, 1.0 / new);
        }
        least
    }

    /// How far a state goes at most in a path.
    pub(super) fn rate(&self, state: usize) -> f64 {
        self.rates.get(state).copied().unwrap_or(f64::INFINITY)
    }

    /// The largest of all paces, that of time among them.
    pub(super) fn largest(&self) -> f64 {
        self.rates.iter().fold(1.0, |largest, rate| largest.max(*rate))
    }

    fn path(&self, h: f64) -> f64 {
        // A state that does not move takes no part: what it is a part of is not a number.
        let parts = self.reaches.iter().zip(&self.inverses);
        parts.fold(h, |path, (reach, inverse)| larger(path, reach * inverse))
    }
}

/// The larger of two numbers, the first if the second is none.
fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A step of a straight motion with this speed.
    fn step(speeds: &[f64], h: f64) -> Trial {
        let mut trial = Trial::new(0.0, &vec![0.0; speeds.len()]);
        trial.h = h;
        trial.end = speeds.iter().map(|speed| h * speed).collect();
        trial.fill_line();
        trial
    }

    #[test]
    fn a_path_counts_each_state_by_its_own_pace() {
        let mut pace = Pace::new(2);
        let (path, changes) = pace.path_of(&step(&[1e-6, 1e6], 0.1), None);
        assert!(changes == Some(0.0) && path == 0.1, "{path}");
        assert_eq!((pace.rate(0), pace.rate(1)), (AHEAD * 1e-6, AHEAD * 1e6));
        // A little faster is a little further.
        let (path, changes) = pace.path_of(&step(&[6e-6, 1e6], 0.1), None);
        assert!(changes.is_none() && (path - 0.15).abs() < 1e-12, "{path}");
    }

    #[test]
    fn what_gets_faster_again_and_again_has_another_pace_less_and_less_often() {
        let mut pace = Pace::new(1);
        let mut speed = 1.0;
        let mut changes = Vec::new();
        for k in 0..40 {
            if pace.path_of(&step(&[speed], 1.0), None).1.is_some() {
                changes.push(k);
            }
            speed *= 8.0;
        }
        assert_eq!(changes, [0, 2, 6, 14, 30]);
    }

    #[test]
    fn what_has_got_much_slower_is_found_out_in_time() {
        let mut pace = Pace::new(1);
        pace.path_of(&step(&[1.0], 1.0), None);
        let changes: Vec<f64> =
            (0..3 * REVIEW).filter_map(|_| pace.path_of(&step(&[1e-3], 1.0), None).1).collect();
        assert_eq!((changes, pace.rate(0)), (vec![1.0], AHEAD * 1e-3));
    }

    #[test]
    fn what_stands_still_goes_nowhere() {
        let mut pace = Pace::new(1);
        assert_eq!(pace.path_of(&step(&[0.0], 0.5), None).0, 0.5);
        assert_eq!(pace.rate(0), 0.0);
    }
}
