//! Where the field along surfaces was evaluated in a step, and how far the motion was from leaving them
//! there.

/// The most points of dense output that are remembered. A search that looks at more forgets the oldest.
const MOST_POINTS: usize = 64;

/// How far the motion is from leaving each surface at a point, with how uncertain that is by rounding.
#[derive(Clone, Debug, Default)]
pub struct ExitPoint {
    /// When.
    pub t: f64,
    /// The weight of the positive side of each surface.
    pub weights: Vec<f64>,
    y: Vec<f64>,
    bands: Vec<f64>,
}

impl ExitPoint {
    /// Whether it is this state.
    pub fn is_at(&self, y: &[f64]) -> bool {
        self.y == y
    }

    fn set(&mut self, (t, y): (f64, &[f64]), weights: &[f64], bands: impl Iterator<Item = f64>) {
        self.t = t;
        for (kept, new) in [(&mut self.y, y), (&mut self.weights, weights)] {
            kept.clear();
            kept.extend_from_slice(new);
        }
        self.bands.clear();
        self.bands.extend(bands);
    }
}

/// Where one step has evaluated the field along surfaces.
#[derive(Clone, Debug, Default)]
pub struct Visits {
    /// Right-hand sides of the step: its stages, and those that its dense output has asked for.
    stages: Vec<ExitPoint>,
    stage_count: usize,
    /// How many of them are stages.
    attempted: usize,
    /// Points of the dense output. All exits are known where one was asked for.
    points: Vec<ExitPoint>,
    point_count: usize,
}

impl Visits {
    /// Forgets all.
    pub(crate) fn forget(&mut self) {
        (self.stage_count, self.attempted, self.point_count) = (0, 0, 0);
    }

    /// A step is tried from a state: of the last one its end may be that state.
    pub(crate) fn begin_step(&mut self, t: f64, y: &[f64]) {
        let start = self.stages().iter().rposition(|stage| stage.t == t && stage.is_at(y));
        self.forget();
        if let Some(start) = start {
            self.stages.swap(0, start);
            self.stage_count = 1;
        }
    }

    /// The step was tried: what is evaluated from now on is on its dense output.
    pub(crate) fn end_attempt(&mut self) {
        self.attempted = self.stage_count;
    }

    /// The right-hand sides so far, stages first.
    pub fn stages(&self) -> &[ExitPoint] {
        &self.stages[..self.stage_count]
    }

    /// Those that the dense output has asked for.
    pub fn after_stages(&self) -> &[ExitPoint] {
        &self.stages[self.attempted..self.stage_count]
    }

    /// A right-hand side was evaluated.
    pub(in crate::formulation) fn add_stage(
        &mut self,
        at: (f64, &[f64]),
        weights: &[f64],
        bands: impl Iterator<Item = f64>,
    ) {
        if self.stages.len() == self.stage_count {
            self.stages.push(ExitPoint::default());
        }
        self.stages[self.stage_count].set(at, weights, bands);
        self.stage_count += 1;
    }

    /// The weight of a surface at a point, with its band, if it is known there.
    pub(in crate::formulation) fn exit(&self, surface: usize, t: f64, y: &[f64]) -> Option<(f64, f64)> {
        let known = &self.points[..self.point_count.min(MOST_POINTS)];
        let mut all = known.iter().chain(self.stages());
        let point = all.find(|point| point.t == t && point.is_at(y))?;
        Some((point.weights[surface], point.bands[surface]))
    }

    /// The weights of all surfaces at a point of the dense output, with their bands.
    pub(in crate::formulation) fn add_exits(
        &mut self,
        at: (f64, &[f64]),
        weights: &[f64],
        bands: impl Iterator<Item = f64>,
    ) {
        let place = self.point_count % MOST_POINTS;
        if self.points.len() == place {
            self.points.push(ExitPoint::default());
        }
        self.points[place].set(at, weights, bands);
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

    #[test]
    fn the_end_of_a_step_is_the_start_of_the_next() {
        let mut visits = Visits::default();
        for (t, y) in [(0.0, 1.0), (0.5, 2.0), (1.0, 2.5), (1.0, 3.0)] {
            visits.add_stage((t, &[y]), &[0.1 * y], [0.0].into_iter());
        }
        visits.end_attempt();
        assert!(visits.after_stages().is_empty());
        visits.begin_step(1.0, &[3.0]);
        assert_eq!(visits.stages().len(), 1);
        assert!(visits.stages()[0].is_at(&[3.0]) && visits.exit(0, 1.0, &[3.0]).is_some());
        visits.begin_step(1.0, &[4.0]);
        assert!(visits.stages().is_empty(), "a transition has moved the state");
    }
}
