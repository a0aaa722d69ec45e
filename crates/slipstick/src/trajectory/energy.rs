//! The balance of energy of a mechanism along a run: what there was, what came in, what was dissipated, and how far the sum is from constant.
//!
//! Powers are integrated over each step with Gauss' formula of order 8 on its dense output. For a mechanism that nothing drives or damps they are zero, and
//! the error is that of the energy itself.

use super::{Segment, Trajectory};
use crate::equations::{KINETIC, POTENTIAL, POWER, System};
use crate::formulation::Mixture;

/// Nodes and weights of Gauss' formula on [0, 1].
const GAUSS: [(f64, f64); 4] = [
    (0.069_431_844_202_973_71, 0.173_927_422_568_726_93),
    (0.330_009_478_207_571_9, 0.326_072_577_431_273_07),
    (0.669_990_521_792_428_1, 0.326_072_577_431_273_07),
    (0.930_568_155_797_026_3, 0.173_927_422_568_726_93),
];

/// Work below this part of the energy, in one step, is rounding.
const ROUNDING: f64 = 1e-12;

/// Kinetic and potential energy.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// The kinetic energy.
    pub kinetic: f64,
    /// The potential energy.
    pub potential: f64,
}

impl Energy {
    /// Both together.
    pub fn total(self) -> f64 {
        self.kinetic + self.potential
    }
}

/// What became of the energy of a mechanism.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnergyBalance {
    /// At the start of the run.
    pub start: Energy,
    /// At its end.
    pub end: Energy,
    /// The work done by applied forces where they drive, and by what moves constraints or energies in time.
    pub work_in: f64,
    /// The work that applied forces took where they brake, and that was given to what moves constraints.
    pub dissipated: f64,
    /// The sum of all changes at events.
    pub at_events: f64,
    /// How far the energy was at most from what these say.
    pub error: f64,
    /// When that was.
    pub error_time: f64,
}

impl EnergyBalance {
    /// Looks along a run; none if the system is no mechanism, or the steps were not kept.
    pub fn of(system: &dyn System, trajectory: &Trajectory) -> Option<Self> {
        let mut books = Books::new(system)?;
        let is_kept = |s: &Segment| !s.steps().is_empty() || s.end_time == s.start_time;
        if !trajectory.segments.iter().all(is_kept) {
            return None;
        }
        let first = trajectory.segments.first()?;
        let start = books.look(first, first.start_time, &first.start);
        let mut balance = Self {
            start,
            end: start,
            work_in: 0.0,
            dissipated: 0.0,
            at_events: 0.0,
            error: 0.0,
            error_time: first.start_time,
        };
        for segment in &trajectory.segments {
            let begin = books.look(segment, segment.start_time, &segment.start);
            balance.at_events += begin.total() - balance.end.total();
            balance.end = begin;
            balance.follow(&mut books, segment);
        }
        Some(balance)
    }

    fn follow(&mut self, books: &mut Books<'_>, segment: &Segment) {
        for (i, step) in segment.steps().iter().enumerate() {
            let until = segment.steps().get(i + 1).map_or(segment.end_time, |next| next.t);
            books.add_work(self, segment, step.t, until);
            self.end = books.look_at(segment, until);
            let expected = self.start.total() + self.at_events + books.net;
            let error = (self.end.total() - expected).abs();
            // What is not a number is the worst of all.
            if error > self.error || error.is_nan() && !self.error.is_nan() {
                (self.error, self.error_time) = (error, until);
            }
        }
    }
}

/// What evaluates energies, and the net work so far.
struct Books<'a> {
    modes: Vec<Mixture<'a>>,
    values: Vec<f64>,
    state: Vec<f64>,
    net: f64,
}

impl<'a> Books<'a> {
    fn new(system: &'a dyn System) -> Option<Self> {
        let count = system.mode_names().len();
        let mode = |mode| Some(Mixture::new(system, system.energies(mode)?));
        let modes = (0..count).map(mode).collect::<Option<Vec<_>>>()?;
        let layout = system.layout();
        let (values, state) = (vec![0.0; POWER + 1 + layout.v], vec![0.0; layout.dimension()]);
        (layout.v > 0).then_some(Self { modes, values, state, net: 0.0 })
    }

    fn look(&mut self, segment: &Segment, t: f64, y: &[f64]) -> Energy {
        self.modes[segment.mode.index].observe(&segment.mode, t, y, &mut self.values);
        Energy { kinetic: self.values[KINETIC], potential: self.values[POTENTIAL] }
    }

    fn look_at(&mut self, segment: &Segment, t: f64) -> Energy {
        let mut state = std::mem::take(&mut self.state);
        segment.state_into(t, &mut state);
        let energy = self.look(segment, t, &state);
        self.state = state;
        energy
    }

    /// The work from one time to another in a step.
    fn add_work(&mut self, balance: &mut EnergyBalance, segment: &Segment, from: f64, until: f64) {
        for (node, weight) in GAUSS {
            let energy = self.look_at(segment, from + node * (until - from));
            let width = weight * (until - from);
            let applied = &self.values[POWER + 1..];
            let rest = self.values[POWER] - applied.iter().sum::<f64>();
            let noise = ROUNDING * (energy.kinetic.abs() + energy.potential.abs());
            for work in applied.iter().chain([&rest]).map(|power| power * width).filter(|w| w.abs() > noise) {
                balance.work_in += work.max(0.0);
                balance.dissipated += (-work).max(0.0);
            }
            self.net += self.values[POWER] * width;
        }
    }
}
