//! Times at which to look at a trajectory: a grid for files, a fine one for plots.

use super::Segment;

/// The times at which a segment is written down: its two ends, and between them either the multiples of `interval` (counted
/// from `origin`) or, without one, `per_step` points of every step.
pub fn sample_times(segment: &Segment, origin: f64, interval: Option<f64>, per_step: u32) -> Vec<f64> {
    let (start, end) = (segment.start_time, segment.end_time);
    let mut times = vec![start];
    match interval {
        Some(interval) => {
            let mut k = ((start - origin) / interval).floor().max(0.0);
            while origin + k * interval < end {
                times.push(origin + k * interval);
                k += 1.0;
            }
        }
        None => {
            for step in segment.steps() {
                let parts = (0..per_step).map(|k| step.t + step.h * f64::from(k) / f64::from(per_step));
                times.extend(parts.take_while(|t| *t < end));
            }
        }
    }
    times.push(end);
    times.retain(|t| (start..=end).contains(t));
    times.dedup();
    times
}
