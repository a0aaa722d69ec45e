//! The end of a step of a generalized-α method, as equations (15) and (16) of paper 001 make it of the
//! unknowns.

use super::Trial;
use super::alpha::{Coefficients, Knot};
use crate::equations::Layout;

/// The end of a step in terms of its unknowns.
#[derive(Clone, Debug)]
pub(super) struct StepEnd {
    /// The shifted acceleration at the start, for this step, and what is added to the velocities there.
    pub(super) shifted: Vec<f64>,
    pub(super) push: Vec<f64>,
    /// The unknowns, with the rates that follow from them.
    pub(super) knot: Knot,
    pub(super) state: Vec<f64>,
    /// The way `r`, and what positions are moved by beside it.
    way: Vec<f64>,
    pub(super) moved: Vec<f64>,
    /// The largest part that the way is summed from.
    summed: f64,
}

impl StepEnd {
    pub(super) fn new(layout: Layout, constraints: usize) -> Self {
        let (n, size) = (layout.v, layout.v + layout.z);
        Self {
            shifted: vec![0.0; size],
            push: vec![0.0; size],
            knot: Knot::new(size, constraints),
            state: vec![0.0; layout.dimension()],
            way: vec![0.0; n],
            moved: vec![0.0; n],
            summed: 0.0,
        }
    }

    /// Rates and multipliers go on as they have gone. `before` is the last step's start, with the ratio of
    /// step sizes.
    pub(super) fn predict(&mut self, c: Coefficients, start: &Knot, before: Option<(&Knot, f64)>) {
        let go_on = |out: &mut [f64], here: &[f64], before: Option<(&[f64], f64)>| match before {
            None => out.copy_from_slice(here),
            Some((before, ratio)) => {
                for (i, out) in out.iter_mut().enumerate() {
                    *out = here[i] + ratio * (here[i] - before[i]);
                }
            }
        };
        go_on(&mut self.knot.rates, &start.rates, before.map(|(knot, ratio)| (&knot.rates[..], ratio)));
        let multipliers = before.map(|(knot, ratio)| (&knot.multipliers[..], ratio));
        go_on(&mut self.knot.multipliers, &start.multipliers, multipliers);
        for (i, a) in self.knot.shifted.iter_mut().enumerate() {
            let rates = (1.0 - c.alpha_f) * self.knot.rates[i] + c.alpha_f * start.rates[i];
            *a = (rates - c.alpha_m * self.shifted[i]) / (1.0 - c.alpha_m);
        }
        self.moved.fill(0.0);
    }

    /// Equations (15) and (16), all but the positions: velocities and further states, rates, and the way.
    pub(super) fn combine(&mut self, c: Coefficients, trial: &Trial, start: &Knot) {
        let (h, n, q) = (trial.h, self.way.len(), self.state.len() - self.shifted.len());
        self.summed = 0.0;
        for i in 0..self.shifted.len() {
            let (a0, a1) = (self.shifted[i], self.knot.shifted[i]);
            let rates = (1.0 - c.alpha_m) * a1 + c.alpha_m * a0 - c.alpha_f * start.rates[i];
            self.knot.rates[i] = rates / (1.0 - c.alpha_f);
            let u0 = trial.start[q + i] + self.push[i];
            self.state[q + i] = u0 + h * ((1.0 - c.gamma) * a0 + c.gamma * a1);
            if i < n {
                let parts = [h * u0, h * h * (0.5 - c.beta) * a0, h * h * c.beta * a1];
                self.way[i] = parts.iter().sum();
                self.summed = parts.iter().fold(self.summed, |most, part| most.max(part.abs()));
            }
        }
    }

    /// The way of a position, with what it is moved by.
    pub(super) fn whole_way(&self, i: usize) -> f64 {
        self.way[i] + self.moved[i]
    }

    /// The largest part that the way is summed from: its rounding is that of the way.
    pub(super) fn summed(&self) -> f64 {
        self.summed
    }
}

/// The largest sizes that steps have begun with. In a mechanism that is blocked, velocities are nothing but
/// the rounding of what they were.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct LargestStart {
    pub(super) position: f64,
    pub(super) velocity: f64,
}

impl LargestStart {
    /// A step begins with these.
    pub(super) fn record(&mut self, positions: &[f64], velocities: &[f64]) {
        self.position = self.position.max(largest(positions));
        self.velocity = self.velocity.max(largest(velocities));
    }
}

/// The largest size in a part of a vector.
pub(super) fn largest(part: &[f64]) -> f64 {
    part.iter().fold(0.0, |most: f64, x| most.max(x.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYOUT: Layout = Layout { q: 1, v: 1, z: 0 };

    /// A knot with an acceleration that has always been there.
    fn constant(acceleration: f64) -> Knot {
        let mut knot = Knot::new(1, 0);
        knot.rates[0] = acceleration;
        knot.shifted[0] = acceleration;
        knot
    }

    #[test]
    fn a_constant_acceleration_is_followed_exactly() {
        for rho in [0.0, 0.5, 0.8] {
            let (c, start) = (Coefficients::new(rho), constant(-2.0));
            let mut end = StepEnd::new(LAYOUT, 0);
            end.shifted[0] = -2.0;
            let mut trial = Trial::new(0.0, &[1.0, 3.0]);
            trial.h = 0.5;
            end.predict(c, &start, None);
            end.combine(c, &trial, &start);
            assert!((end.state[1] - 2.0).abs() < 1e-15, "{}", end.state[1]);
            assert!((end.whole_way(0) - 1.25).abs() < 1e-15 && end.summed() >= 1.25);
            assert!((end.knot.rates[0] + 2.0).abs() < 1e-15);
        }
    }

    #[test]
    fn rates_go_on_in_a_line() {
        let (c, mut end) = (Coefficients::new(0.8), StepEnd::new(LAYOUT, 0));
        end.predict(c, &constant(3.0), Some((&constant(1.0), 0.5)));
        assert_eq!(end.knot.rates, [4.0]);
    }

    #[test]
    fn the_largest_start_is_kept() {
        let mut sizes = LargestStart::default();
        sizes.record(&[-3.0, 1.0], &[0.5]);
        sizes.record(&[2.0], &[-4.0]);
        assert_eq!(sizes, LargestStart { position: 3.0, velocity: 4.0 });
    }
}
