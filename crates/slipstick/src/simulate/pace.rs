//! How fast each state moves: it says how wide the rooms are in which guards sleep.
//!
//! States have units of their own, and a length of one is much for a position and little for an angular velocity. So a
//! room is as wide for each state as that goes in the same time, if it goes as fast as it has of late. Any width is
//! right: it only decides how long the sleep lasts.

use crate::step::Trial;

/// By how much a pace is larger than what has been seen.
const AHEAD: f64 = 4.0;
/// For how many steps a speed is remembered at least, and for twice as many at most.
const REVIEW: u32 = 64;

/// The pace of all states; that of time is one.
#[derive(Clone, Debug)]
pub(super) struct Pace {
    /// The largest speeds that were seen since the last review, and between that and the one before.
    seen: Vec<f64>,
    before: Vec<f64>,
    steps: u32,
    /// How far each state goes in the step at hand.
    reaches: Vec<f64>,
    /// How far beside its dense output each state may be in it.
    beside: Vec<f64>,
}

impl Pace {
    /// Nothing is known yet of this many states.
    pub(super) fn new(states: usize) -> Self {
        let nothing = || vec![0.0; states];
        Self { seen: nothing(), before: nothing(), steps: 0, reaches: nothing(), beside: nothing() }
    }

    /// Becomes as new.
    pub(super) fn renew(&mut self) {
        let Self { seen, before, steps, reaches, beside } = self;
        for list in [seen, before, reaches, beside] {
            list.fill(0.0);
        }
        *steps = 0;
    }

    /// The path of a step that has just been tried, whose points may be `beside` its dense output by some part of each
    /// state: how far time and states go in it.
    pub(super) fn path_of(&mut self, trial: &Trial, beside: Option<&dyn Fn(usize) -> f64>) -> f64 {
        if self.steps >= REVIEW {
            std::mem::swap(&mut self.seen, &mut self.before);
            self.seen.fill(0.0);
            self.steps = 0;
        }
        self.steps += 1;
        trial.dense.reaches(&mut self.reaches);
        match beside {
            Some(beside) => self.beside.iter_mut().enumerate().for_each(|(i, to)| *to = beside(i)),
            None => self.beside.fill(0.0),
        }
        let (by_time, mut path) = (1.0 / trial.h, trial.h);
        for (i, reach) in self.reaches.iter().enumerate() {
            self.seen[i] = larger(self.seen[i], reach * by_time);
            path = larger(path, reach + self.beside[i]);
        }
        path
    }

    /// How far a state can be from where the step starts.
    pub(super) fn reach(&self, state: usize) -> f64 {
        self.reaches[state] + self.beside[state]
    }

    /// How far a state goes in some time, if it goes as fast as ever of late; and what it may be beside its dense output.
    pub(super) fn radius(&self, state: usize, time: f64) -> f64 {
        let Some((seen, before)) = self.seen.get(state).zip(self.before.get(state)) else {
            return f64::INFINITY;
        };
        AHEAD * (larger(*seen, *before) * time + self.beside[state])
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
    fn each_state_has_a_pace_of_its_own() {
        let mut pace = Pace::new(2);
        assert_eq!(pace.path_of(&step(&[1e-6, 1e3], 0.1), None), 100.0);
        let [slow, fast] = [0, 1].map(|state| pace.radius(state, 2.0) / (2.0 * AHEAD));
        assert!((slow / 1e-6 - 1.0).abs() < 1e-12 && (fast / 1e3 - 1.0).abs() < 1e-12, "{slow} {fast}");
        assert!((pace.reach(0) / 1e-7 - 1.0).abs() < 1e-12);
    }

    #[test]
    fn what_has_got_much_slower_is_found_out_in_time() {
        let mut pace = Pace::new(1);
        pace.path_of(&step(&[1.0], 1.0), None);
        for _ in 0..REVIEW {
            pace.path_of(&step(&[1e-3], 1.0), None);
        }
        assert_eq!(pace.radius(0, 1.0), AHEAD, "not forgotten yet");
        for _ in 0..REVIEW {
            pace.path_of(&step(&[1e-3], 1.0), None);
        }
        assert_eq!(pace.radius(0, 1.0), AHEAD * 1e-3);
    }

    #[test]
    fn what_stands_still_goes_nowhere_but_beside_its_dense_output() {
        let mut pace = Pace::new(1);
        assert_eq!(pace.path_of(&step(&[0.0], 0.5), None), 0.5);
        assert_eq!(pace.radius(0, 1e9), 0.0);
        pace.path_of(&step(&[0.0], 0.5), Some(&|_| 1e-9));
        assert_eq!((pace.radius(0, 1e9), pace.reach(0)), (AHEAD * 1e-9, 1e-9));
    }
}
