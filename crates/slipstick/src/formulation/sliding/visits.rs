//! Where the field along surfaces was evaluated in a step, and how far the motion was from leaving them
//! there.

/// The most points that are remembered. A search that looks at more forgets the oldest.
const MOST_POINTS: usize = 64;

/// How far the motion is from leaving each surface at a point, with how uncertain that is by rounding.
#[derive(Clone, Debug, Default)]
struct ExitPoint {
    t: f64,
    y: Vec<f64>,
    weights: Vec<f64>,
    bands: Vec<f64>,
}

/// Where one step has evaluated the field along surfaces.
#[derive(Clone, Debug, Default)]
pub struct Visits {
    /// Stages: the time, and the weight of the positive side of each surface.
    stages: Vec<(f64, Vec<f64>)>,
    stage_count: usize,
    /// Points of the dense output. All exits are known where one was asked for.
    points: Vec<ExitPoint>,
    point_count: usize,
}

impl Visits {
    /// Forgets all: another step is tried.
    pub(crate) fn forget(&mut self) {
        (self.stage_count, self.point_count) = (0, 0);
    }

    /// The times of the stages so far, with the weight of the positive side of each surface.
    pub fn stages(&self) -> &[(f64, Vec<f64>)] {
        &self.stages[..self.stage_count]
    }

    /// A stage was evaluated.
    pub(in crate::formulation) fn add_stage(&mut self, t: f64, weights: &[f64]) {
        if self.stages.len() == self.stage_count {
            self.stages.push((t, Vec::new()));
        }
        let stage = &mut self.stages[self.stage_count];
        stage.0 = t;
        stage.1.clear();
        stage.1.extend_from_slice(weights);
        self.stage_count += 1;
    }

    /// The weight of a surface at a point, with its band, if it is known there.
    pub(in crate::formulation) fn exit(&self, surface: usize, t: f64, y: &[f64]) -> Option<(f64, f64)> {
        let known = &self.points[..self.point_count.min(MOST_POINTS)];
        let point = known.iter().find(|point| point.t == t && point.y == y)?;
        Some((point.weights[surface], point.bands[surface]))
    }

    /// The weights of all surfaces at a point, with their bands.
    pub(in crate::formulation) fn add_exits(
        &mut self,
        (t, y): (f64, &[f64]),
        weights: &[f64],
        bands: impl Iterator<Item = f64>,
    ) {
        let place = self.point_count % MOST_POINTS;
        if self.points.len() == place {
            self.points.push(ExitPoint::default());
        }
        let point = &mut self.points[place];
        point.t = t;
        for (kept, new) in [(&mut point.y, y), (&mut point.weights, weights)] {
            kept.clear();
            kept.extend_from_slice(new);
        }
        point.bands.clear();
        point.bands.extend(bands);
        self.point_count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exits_are_known_where_they_were_evaluated_in_this_step() {
        let mut visits = Visits::default();
        for k in 0..100 {
            visits.add_exits((f64::from(k), &[1.0]), &[0.1, 0.2], [1e-15, 2e-15].into_iter());
        }
        assert_eq!(visits.exit(1, 99.0, &[1.0]), Some((0.2, 2e-15)));
        assert_eq!(visits.exit(1, 99.0, &[2.0]), None);
        assert_eq!(visits.exit(0, 10.0, &[1.0]), None, "too long ago");
        visits.forget();
        assert_eq!(visits.exit(1, 99.0, &[1.0]), None);
    }
}
