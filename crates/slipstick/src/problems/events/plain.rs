//! What event handling is compared with: the Dormand-Prince pair of paper 000 with its own step control and
//! no event handling at all.
//!
//! The step after one of size h with the error δ = ‖x₅ - x₄‖∞ is 0.8 h (τ/δ)^(1/6), but at most 0.1 s, with
//! τ = eps max(‖x‖∞, 1): equations (5.7) and (5.8). It meets a kink of the right-hand side by trying,
//! rejecting and trying again ("hunting"). The method `dopri5` of this library has the same pair but better
//! step control, and hunts less; where rows compare with it too, they say so.

use crate::equations::{Evaluator, System};
use crate::mode::Mode;
use crate::simulate::{Options, Start};
use crate::trajectory::{Notes, Outcome, Segment, Statistics, Trajectory};

const STAGES: [&[f64]; 6] = [
    &[1.0 / 5.0],
    &[3.0 / 40.0, 9.0 / 40.0],
    &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
    &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
    &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
    &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];
const NODES: [f64; 6] = [1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0];
const ERROR: [f64; 7] =
    [71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0];

/// Runs a system without looking at its guards. `watch` sees the state after every step; of the trajectory
/// only both ends are kept.
pub(super) fn run_plainly(
    system: &dyn System,
    start: &Start,
    options: &Options,
    watch: &mut dyn FnMut(&[f64]),
) -> Trajectory {
    let mode = Mode::new(start.mode, system.switch_names().len(), system.shape().count_number);
    let mut record = Trajectory {
        state_names: system.state_names().into(),
        guard_names: [].into(),
        parameters: system.parameters().to_vec(),
        segments: vec![Segment::new(mode.clone(), start.t, &start.y)],
        events: Vec::new(),
        notes: Notes::default(),
        adjustment: None,
        statistics: Statistics::default(),
        outcome: Outcome::ReachedEnd,
    };
    let evaluator = system.evaluator();
    let mut plain = Plain::new(evaluator, mode, start, options);
    while plain.t < options.until {
        let attempts = plain.counts.accepted + plain.counts.rejected;
        if attempts >= options.limits.steps {
            record.outcome = Outcome::StepLimit { limit: options.limits.steps };
            break;
        }
        if plain.attempt(options) {
            watch(&plain.y);
        }
    }
    record.segments[0].extend(plain.t, &plain.y);
    record.statistics = plain.counts;
    record
}

struct Plain<'a> {
    evaluator: Box<dyn Evaluator + 'a>,
    mode: Mode,
    t: f64,
    h: f64,
    y: Vec<f64>,
    ahead: Vec<f64>,
    slopes: [Vec<f64>; 7],
    counts: Statistics,
}

impl<'a> Plain<'a> {
    fn new(evaluator: Box<dyn Evaluator + 'a>, mode: Mode, start: &Start, options: &Options) -> Self {
        let (y, t) = (start.y.clone(), start.t);
        let slopes = std::array::from_fn(|_| vec![0.0; y.len()]);
        let h = 1e-5 * (options.until - t);
        let mut plain =
            Self { evaluator, mode, t, h, ahead: y.clone(), y, slopes, counts: Statistics::default() };
        plain.evaluator.derivative(plain.mode.locked(&[]), t, &plain.y, &mut plain.slopes[0]);
        plain.counts.derivatives = 1;
        plain
    }

    /// Tries a step and takes it if its error is small enough; tells whether it was.
    fn attempt(&mut self, options: &Options) -> bool {
        let left = options.until - self.t;
        let h = self.h.min(left);
        self.compute_stages(h);
        let (error, size) = self.error_and_size(h);
        let allowed = options.tolerances.relative.get(0) * size;
        let good = error <= allowed;
        self.h = h * 0.8 * (allowed / error.max(f64::MIN_POSITIVE)).powf(1.0 / 6.0);
        self.h = self.h.min(options.steps.longest.unwrap_or(left));
        if good {
            self.t = if h == left { options.until } else { self.t + h };
            self.y.copy_from_slice(&self.ahead);
            self.slopes.swap(0, 6);
            self.counts.count_step(h, h == left);
        } else {
            self.counts.rejected += 1;
        }
        good
    }

    /// The slopes of all stages; the last of them is at the end of the step, which is left in `ahead`.
    fn compute_stages(&mut self, h: f64) {
        for (stage, weights) in STAGES.iter().enumerate() {
            for (i, ahead) in self.ahead.iter_mut().enumerate() {
                let sum: f64 =
                    weights.iter().zip(&self.slopes).map(|(weight, slope)| weight * slope[i]).sum();
                *ahead = self.y[i] + h * sum;
            }
            let t = self.t + NODES[stage] * h;
            self.evaluator.derivative(self.mode.locked(&[]), t, &self.ahead, &mut self.slopes[stage + 1]);
            self.counts.derivatives += 1;
        }
    }

    /// δ and max(‖x‖∞, 1) of equation (5.8).
    fn error_and_size(&self, h: f64) -> (f64, f64) {
        let error_of =
            |i: usize| -> f64 { ERROR.iter().zip(&self.slopes).map(|(e, slope)| e * slope[i]).sum() };
        let error = (0..self.y.len()).map(|i| (h * error_of(i)).abs()).fold(0.0, f64::max);
        (error, self.y.iter().map(|y| y.abs()).fold(1.0, f64::max))
    }
}
