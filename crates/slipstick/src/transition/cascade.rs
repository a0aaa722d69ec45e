//! Rounds of one instant, and whether they go in circles (rule 11).

use crate::mode::Mode;

/// The most rounds of one instant. A cascade that makes progress so long is not meant.
pub const MOST_ROUNDS: usize = 1000;

/// Everything that decides what happens next: equal ones are followed by the same.
#[derive(Debug, PartialEq)]
struct Situation<S> {
    y: Vec<u64>,
    mode: Mode,
    sides: S,
}

/// The rounds of one instant. Room for them is kept for the next.
#[derive(Debug)]
pub struct Cascade<S> {
    t: f64,
    count: usize,
    idle: usize,
    situations: Vec<Situation<S>>,
    fired: Vec<Vec<usize>>,
}

/// How a round fits to those before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repeat {
    /// It came to something new.
    New,
    /// It came back to where it was this many rounds ago.
    Cycle(usize),
    /// There were too many.
    TooLong,
}

impl<S> Default for Cascade<S> {
    fn default() -> Self {
        Self { t: f64::NEG_INFINITY, count: 0, idle: 0, situations: Vec::new(), fired: Vec::new() }
    }
}

impl<S: PartialEq + Clone> Cascade<S> {
    /// Takes note of a round that has changed the state or the mode: what fired, and what it came to. With
    /// time between them, rounds belong to different instants.
    pub fn record(&mut self, fired: &[usize], t: f64, y: &[f64], mode: &Mode, sides: &S) -> Repeat {
        if t > self.t {
            self.renew();
            self.t = t;
        }
        self.take_down(y, mode, sides);
        if self.fired.len() == self.count {
            self.fired.push(Vec::new());
        }
        self.fired[self.count].clear();
        self.fired[self.count].extend_from_slice(fired);
        let (earlier, now) = self.situations.split_at(self.count);
        let before = earlier.iter().rev().position(|known| *known == now[0]);
        self.count += 1;
        match before {
            Some(rounds) => Repeat::Cycle(rounds + 1),
            None if self.count > MOST_ROUNDS => Repeat::TooLong,
            None => Repeat::New,
        }
    }

    /// Takes down the situation that a round has come to.
    fn take_down(&mut self, y: &[f64], mode: &Mode, sides: &S) {
        let bits = y.iter().map(|y| y.to_bits());
        match self.situations.get_mut(self.count) {
            Some(now) => {
                now.y.clear();
                now.y.extend(bits);
                now.mode.clone_from(mode);
                now.sides.clone_from(sides);
            }
            None => self.situations.push(Situation {
                y: bits.collect(),
                mode: mode.clone(),
                sides: sides.clone(),
            }),
        }
    }

    /// Takes note of a round that has changed nothing: what fired asked for nothing that it has not already. Gives
    /// how many there were at this instant.
    pub fn record_idle(&mut self, t: f64) -> usize {
        if t > self.t {
            self.renew();
            self.t = t;
        }
        self.idle += 1;
        self.idle
    }

    /// Becomes as new: nothing has happened yet.
    pub fn renew(&mut self) {
        (self.t, self.count, self.idle) = (f64::NEG_INFINITY, 0, 0);
    }

    /// What fired in the last rounds, oldest first.
    pub fn last(&self, rounds: usize) -> &[Vec<usize>] {
        &self.fired[self.count.saturating_sub(rounds)..self.count]
    }

    /// The guard that fired alone in each of the last rounds, if it is the same in all.
    pub fn lone_guard(&self, rounds: usize) -> Option<usize> {
        let all = self.last(rounds);
        let &[guard] = all.first()?.as_slice() else { return None };
        all.iter().all(|fired| fired.as_slice() == [guard]).then_some(guard)
    }

    /// How many rounds there were.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether nothing has happened at this instant.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_makes_progress_and_a_toggle_does_not() {
        let mode = Mode::new(0, 0, 0);
        let mut counter = Cascade::default();
        assert!((0..50).all(|k| counter.record(&[0], 1.0, &[f64::from(k)], &mode, &()) == Repeat::New));
        let mut toggle = Cascade::default();
        let seen: Vec<Repeat> =
            (0..3).map(|k| toggle.record(&[k % 2], 1.0, &[(k % 2) as f64], &mode, &())).collect();
        assert_eq!(seen, [Repeat::New, Repeat::New, Repeat::Cycle(2)]);
        assert_eq!(toggle.last(2), [vec![1], vec![0]]);
        assert_eq!((toggle.lone_guard(1), toggle.lone_guard(2)), (Some(0), None));
        assert_eq!(toggle.record(&[1], 2.0, &[1.0], &mode, &()), Repeat::New, "another instant");
    }

    #[test]
    fn a_cascade_that_never_repeats_is_cut_off() {
        let mode = Mode::new(0, 0, 0);
        let mut cascade = Cascade::default();
        let rounds =
            (0..2000).position(|k| cascade.record(&[0], 1.0, &[f64::from(k)], &mode, &()) == Repeat::TooLong);
        assert_eq!(rounds, Some(MOST_ROUNDS));
    }

    #[test]
    fn rounds_that_change_nothing_are_counted_for_each_instant() {
        let mut cascade = Cascade::<()>::default();
        assert_eq!([1.0, 1.0, 1.0, 2.0].map(|t| cascade.record_idle(t)), [1, 2, 3, 1]);
    }
}
