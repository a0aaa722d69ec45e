//! Times at which to look at a trajectory: a grid for files, a fine one for plots.

use super::Segment;

/// How many points of the accepted steps to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Density {
    /// How many points of a step.
    pub per_step: u32,
    /// Only every so many steps; 1 is every step.
    pub stride: usize,
}

impl Density {
    /// One point of every step.
    pub const STEPS: Self = Self { per_step: 1, stride: 1 };

    /// About `points` in a run of so many steps: several of each step, or one of every few.
    pub fn about(points: usize, steps: usize) -> Self {
        let per_step = u32::try_from((points / steps.max(1)).clamp(1, 120)).unwrap_or(1);
        Self { per_step, stride: (steps / points.max(1)).max(1) }
    }
}

/// The times at which a segment is written down: its two ends, and between them either the multiples of
/// `interval` (counted from `origin`) or, without one, points of the accepted steps.
pub fn sample_times(segment: &Segment, origin: f64, interval: Option<f64>, density: Density) -> Vec<f64> {
    let (start, end) = (segment.start_time, segment.end_time);
    let mut times = vec![start];
    if let Some(interval) = interval {
        let mut k = ((start - origin) / interval).floor().max(0.0);
        while origin + k * interval < end {
            times.push(origin + k * interval);
            k += 1.0;
        }
    } else {
        let parts = density.per_step;
        for step in segment.steps().iter().step_by(density.stride) {
            let parts = (0..parts).map(|k| step.t + step.h * f64::from(k) / f64::from(parts));
            times.extend(parts.take_while(|t| *t < end));
        }
    }
    times.push(end);
    times.retain(|t| (start..=end).contains(t));
    times.dedup();
    times
}
