//! Runs a mechanism and compares it with its truth and its promises.

use super::ConstrainedProblem;
use crate::equations::{Evaluator, FormulaSystem, Observer, System};
use crate::mode::Mode;
use crate::simulate::simulate;
use crate::trajectory::{Statistics, Trajectory};

/// What came of a run, beside the truth.
#[derive(Clone, Debug)]
pub struct MeasuredMechanism {
    /// The largest error of a known state at the end, divided by its size.
    pub end_error: Option<f64>,
    /// The largest violation of a constraint of positions at the end of a step; none if there are no such
    /// constraints.
    pub position: Option<f64>,
    /// The largest rate of a constraint, or violation of one of speeds, at the end of a step.
    pub velocity: Option<f64>,
    /// The largest less the smallest energy at the ends of steps.
    pub energy: Option<f64>,
    /// The work.
    pub statistics: Statistics,
    /// The promises that do not hold; none if the row is ok.
    pub complaints: Vec<String>,
    /// What the source prints, and how the row compares.
    pub remarks: Vec<String>,
}

impl MeasuredMechanism {
    /// Whether every promise holds.
    pub fn is_ok(&self) -> bool {
        self.complaints.is_empty()
    }
}

impl ConstrainedProblem {
    /// Runs the problem.
    pub fn measure(&self) -> MeasuredMechanism {
        let mut complaints = Vec::new();
        let run =
            simulate(&self.plan.system, &self.plan.start, &self.plan.options).unwrap_or_else(|failure| {
                complaints.push(failure.error.to_string());
                failure.trajectory
            });
        if complaints.is_empty() && !run.outcome.is_complete() {
            complaints.push(format!("{} at {}", run.outcome, run.end_time()));
        }
        let drift = Watch::new(&self.plan.system, self.audited).look_along(&run);
        let mut measured = MeasuredMechanism {
            end_error: self.end_error(run.end_state()),
            position: drift.position,
            velocity: drift.velocity,
            energy: drift.energy.map(|(low, high)| high - low),
            statistics: run.statistics.clone(),
            complaints,
            remarks: self.remarks(run.statistics.derivatives as f64),
        };
        self.check_promise(&mut measured);
        measured
    }

    fn remarks(&self, derivatives: f64) -> Vec<String> {
        let mut remarks = Vec::from_iter(Some(self.remark.clone()).filter(|remark| !remark.is_empty()));
        if let Some(printed) = self.printed {
            let over = 100.0 * (derivatives / printed - 1.0);
            let verdict =
                if over > 0.0 { format!("{over:.0} % over it, not promised") } else { "met".to_owned() };
            remarks.push(format!("NFCN {printed} in another measure of errors: {verdict}"));
        }
        remarks
    }

    fn end_error(&self, y: &[f64]) -> Option<f64> {
        let error = |known: &super::Known| (y[known.place] - known.value).abs() / known.size;
        self.end.iter().map(error).fold(None, raised)
    }

    fn check_promise(&self, measured: &mut MeasuredMechanism) {
        let promise = &self.promise;
        let rhs = measured.statistics.derivatives as f64;
        let pairs = [
            ("the error at the end", measured.end_error, promise.end),
            ("the drift of positions", measured.position, promise.position),
            ("the drift of speeds", measured.velocity, promise.velocity),
            ("the change of energy", measured.energy, promise.energy),
            ("the number of right-hand sides", Some(rhs), promise.derivatives),
        ];
        for (what, value, bound) in pairs {
            // A comparison with NaN is not a promise that holds.
            if value.is_some_and(|value| value.is_nan() || value > bound) {
                measured.complaints.push(format!("{what} is over {bound:e}"));
            }
        }
    }
}

/// Looks at constraints and energy along a run.
struct Watch<'a> {
    evaluator: Box<dyn Evaluator + 'a>,
    parameters: &'a [f64],
    audit: Observer<'a>,
    audited: Vec<f64>,
    residuals: (Vec<f64>, Vec<f64>),
    seen: Seen,
}

#[derive(Clone, Copy, Default)]
struct Seen {
    position: Option<f64>,
    velocity: Option<f64>,
    energy: Option<(f64, f64)>,
}

impl<'a> Watch<'a> {
    fn new(system: &'a FormulaSystem, audited: usize) -> Self {
        let constraints = &system.shape().mechanism.constraints;
        let of_positions = constraints.iter().filter(|c| c.holonomic).count();
        Self {
            evaluator: system.evaluator(),
            parameters: &system.shape().parameters,
            audit: system.audit(),
            audited: vec![0.0; audited],
            residuals: (vec![0.0; of_positions], vec![0.0; constraints.len()]),
            seen: Seen::default(),
        }
    }

    fn look_along(mut self, run: &Trajectory) -> Seen {
        for segment in &run.segments {
            for step in segment.steps() {
                self.look(&segment.mode, step.t, &segment.state(step.t));
            }
            self.look(&segment.mode, segment.end_time, &segment.end);
        }
        self.seen
    }

    fn look(&mut self, mode: &Mode, t: f64, y: &[f64]) {
        let (position, velocity) = &mut self.residuals;
        if !velocity.is_empty() {
            self.evaluator.residuals(mode.locked(self.parameters), t, y, position, velocity);
        }
        let largest = |worst, of: &[f64]| of.iter().fold(worst, |worst, x| raised(worst, x.abs()));
        self.seen.position = largest(self.seen.position, position);
        self.seen.velocity = largest(self.seen.velocity, velocity);
        if !self.audited.is_empty() {
            self.audit.observe(mode.locked(self.parameters), t, y, &mut self.audited);
            let (energy, (low, high)) = (self.audited[0], self.seen.energy.unwrap_or((f64::MAX, f64::MIN)));
            self.seen.energy = Some((low.min(energy), high.max(energy)));
        }
    }
}

/// The larger of two; NaN is the worst there is.
fn raised(so_far: Option<f64>, new: f64) -> Option<f64> {
    if so_far.is_none_or(|old| new.is_nan() || new > old) { Some(new) } else { so_far }
}
