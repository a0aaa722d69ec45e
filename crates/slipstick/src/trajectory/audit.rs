//! Quantities that should stay constant: how far they drift, and how far they jump at events.

/// What became of a quantity that should stay constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// The value at the start of the run.
    pub start: f64,
    /// The largest distance from the start, jumps at events taken off: what the integration did wrong.
    pub drift: f64,
    /// The time of the largest distance.
    pub drift_time: f64,
    /// The largest change at an event: what the model did.
    pub jump: f64,
    /// The time of the largest change at an event.
    pub jump_time: f64,
}

/// Audits a quantity along a run: values come in one by one, segment by segment.
#[derive(Clone, Copy, Debug)]
pub struct Audit {
    result: Drift,
    /// The start plus all jumps so far: what the value should be.
    expected: f64,
    last: f64,
    begun: bool,
}

impl Default for Audit {
    fn default() -> Self {
        let result = Drift { start: f64::NAN, drift: 0.0, drift_time: 0.0, jump: 0.0, jump_time: 0.0 };
        Self { result, expected: f64::NAN, last: f64::NAN, begun: false }
    }
}

impl Audit {
    /// The first value of a segment. A difference to the last value of the segment before is a jump.
    pub fn begin_segment(&mut self, t: f64, value: f64) {
        if self.begun {
            let jump = value - self.last;
            self.expected += jump;
            if is_worse(jump.abs(), self.result.jump) {
                (self.result.jump, self.result.jump_time) = (jump.abs(), t);
            }
        } else {
            self.result = Drift { start: value, drift: 0.0, drift_time: t, jump: 0.0, jump_time: t };
            (self.expected, self.begun) = (value, true);
        }
        self.last = value;
    }

    /// A further value of the segment. Gives how far it has drifted.
    pub fn go_on(&mut self, t: f64, value: f64) -> f64 {
        let drift = value - self.expected;
        if is_worse(drift.abs(), self.result.drift) {
            (self.result.drift, self.result.drift_time) = (drift.abs(), t);
        }
        self.last = value;
        drift
    }

    /// What was found; `None` if there was no value.
    pub fn result(&self) -> Option<Drift> {
        self.begun.then_some(self.result)
    }
}

/// NaN is the worst there is.
fn is_worse(new: f64, old: f64) -> bool {
    new > old || (new.is_nan() && !old.is_nan())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn audit(segments: &[&[(f64, f64)]]) -> Drift {
        let mut audit = Audit::default();
        for segment in segments {
            audit.begin_segment(segment[0].0, segment[0].1);
            for (t, value) in *segment {
                audit.go_on(*t, *value);
            }
        }
        audit.result().unwrap()
    }

    #[test]
    fn jumps_are_taken_off_and_drift_adds_up_over_segments() {
        let drift = audit(&[&[(0.0, 1.0), (1.0, 1.25)], &[(1.0, 0.5), (2.0, 0.625)]]);
        assert_eq!((drift.start, drift.drift, drift.drift_time), (1.0, 0.375, 2.0));
        assert_eq!((drift.jump, drift.jump_time), (0.75, 1.0));
    }

    #[test]
    fn an_event_that_changes_nothing_does_not_hide_drift() {
        let one = audit(&[&[(0.0, 1.0), (1.0, 1.25), (2.0, 1.5)]]);
        let two = audit(&[&[(0.0, 1.0), (1.0, 1.25)], &[(1.0, 1.25), (2.0, 1.5)]]);
        assert_eq!(one.drift, two.drift);
    }

    #[test]
    fn a_quantity_that_becomes_nan_does_not_pass() {
        assert!(audit(&[&[(0.0, 1.0), (1.0, f64::NAN), (2.0, 1.0)]]).drift.is_nan());
    }
}
