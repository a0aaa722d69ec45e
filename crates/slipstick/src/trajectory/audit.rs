//! Quantities that should stay constant: how far they drift between events, and how far they jump at events.

/// What became of a quantity that should stay constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// The value at the start of the run.
    pub start: f64,
    /// The largest change within a segment, from the segment's start: what the integration did wrong.
    pub drift: f64,
    /// The time of the largest change within a segment.
    pub drift_time: f64,
    /// The largest change at an event: what the model did.
    pub jump: f64,
    /// The time of the largest change at an event.
    pub jump_time: f64,
}

/// Audits sampled values: one list of `(time, value)` for each segment.
pub fn audit<'a>(segments: impl Iterator<Item = &'a [(f64, f64)]>) -> Option<Drift> {
    let mut result: Option<Drift> = None;
    let mut last: Option<f64> = None;
    for samples in segments {
        let Some(&(t0, start)) = samples.first() else { continue };
        let worst =
            result.get_or_insert(Drift { start, drift: 0.0, drift_time: t0, jump: 0.0, jump_time: t0 });
        if let Some(jump) = last.map(|last| (start - last).abs()).filter(|jump| is_worse(*jump, worst.jump)) {
            (worst.jump, worst.jump_time) = (jump, t0);
        }
        for &(t, value) in samples {
            let drift = (value - start).abs();
            if is_worse(drift, worst.drift) {
                (worst.drift, worst.drift_time) = (drift, t);
            }
        }
        last = samples.last().map(|s| s.1);
    }
    result
}

/// NaN is the worst there is.
fn is_worse(new: f64, old: f64) -> bool {
    new > old || (new.is_nan() && !old.is_nan())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drift_is_measured_within_segments_and_jumps_between_them() {
        let segments = [vec![(0.0, 1.0), (1.0, 1.25)], vec![(1.0, 0.5), (2.0, 0.375)]];
        let drift = audit(segments.iter().map(Vec::as_slice)).unwrap();
        assert_eq!((drift.start, drift.drift, drift.drift_time), (1.0, 0.25, 1.0));
        assert_eq!((drift.jump, drift.jump_time), (0.75, 1.0));
    }

    #[test]
    fn a_quantity_that_becomes_nan_does_not_pass() {
        let segments = [vec![(0.0, 1.0), (1.0, f64::NAN), (2.0, 1.0)]];
        assert!(audit(segments.iter().map(Vec::as_slice)).unwrap().drift.is_nan());
    }
}
