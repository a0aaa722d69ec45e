//! The balance of energy of a mechanism along a run: what there was, what came in, what was dissipated, and
//! how far the sum is from constant.
//!
//! Powers are integrated over each step with Gauss' formula of order 8 on its dense output, in pieces between
//! the times at which one of them changes its sign: what is put in and what is dissipated have kinks there.
//! For a mechanism that nothing drives or damps they are zero, and the error is that of the energy itself.

use super::{Segment, Trajectory};
use crate::equations::{KINETIC, POTENTIAL, POWER, System};
use crate::formulation::Mixture;
use crate::math::{Probe, narrow};

/// How exactly the time of a change of sign is found, as a part of where it was looked for.
const TURN: f64 = 1e-12;

/// Nodes and weights of Gauss' formula on [0, 1].
pub(super) const GAUSS: [(f64, f64); 4] = [
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
    /// The sum of all changes at events, and by impulses while contacts were captured.
    pub at_events: f64,
    /// How far the energy was at most from what these say.
    pub error: f64,
    /// When that was.
    pub error_time: f64,
}

impl EnergyBalance {
    /// Looks along a run; none if the system is no mechanism, or the steps were not kept.
    pub fn of(system: &dyn System, trajectory: &Trajectory) -> Option<Self> {
        let mut books = Books::new(system, &trajectory.parameters)?;
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
            books.begin(segment);
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
            if segment.is_captured() {
                // Which part of it the impulses of a step took is not known apart from its error.
                self.at_events += self.end.total() - expected;
                continue;
            }
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
    /// The powers where a piece of a step begins and ends, and the times at which one changes its sign.
    powers: [Vec<f64>; 2],
    turns: Vec<f64>,
    net: f64,
}

impl<'a> Books<'a> {
    fn new(system: &'a dyn System, parameters: &[f64]) -> Option<Self> {
        let count = system.mode_names().len();
        let mixture = |observer| Mixture::new(system, observer).with_parameters(parameters);
        let mode = |mode| Some(mixture(system.mechanism()?.energies(mode)?));
        let modes = (0..count).map(mode).collect::<Option<Vec<_>>>()?;
        let layout = system.layout();
        let (values, state) = (vec![0.0; POWER + 1 + layout.v], vec![0.0; layout.dimension()]);
        let (powers, turns) = ([(); 2].map(|()| vec![0.0; layout.v + 1]), Vec::new());
        (layout.v > 0).then_some(Self { modes, values, state, powers, turns, net: 0.0 })
    }

    /// Dense output is not quite on the constraints: rows that follow from others only there are not to have
    /// multipliers of their own.
    fn begin(&mut self, segment: &Segment) {
        let place = segment.mode.values.place;
        self.modes[place].enter_form(&segment.mode, segment.start_time, &segment.start);
    }

    fn look(&mut self, segment: &Segment, t: f64, y: &[f64]) -> Energy {
        self.modes[segment.mode.values.place].observe(&segment.mode, t, y, &mut self.values);
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
        self.find_turns(segment, from, until);
        let mut turns = std::mem::take(&mut self.turns);
        turns.push(until);
        let mut start = from;
        for &end in &turns {
            self.add_smooth_work(balance, segment, start, end);
            start = end;
        }
        self.turns = turns;
    }

    /// The same where no power changes its sign.
    fn add_smooth_work(&mut self, balance: &mut EnergyBalance, segment: &Segment, from: f64, until: f64) {
        for (node, weight) in GAUSS {
            let energy = self.look_at(segment, from + node * (until - from));
            let width = weight * (until - from);
            let noise = ROUNDING * (energy.kinetic.abs() + energy.potential.abs());
            for k in 0..self.powers[0].len() {
                let work = self.power(k) * width;
                if work.abs() > noise {
                    balance.work_in += work.max(0.0);
                    balance.dissipated += (-work).max(0.0);
                }
            }
            self.net += self.values[POWER] * width;
        }
    }

    /// The power of each applied force where it was looked last, and behind these that of all else.
    fn power(&self, k: usize) -> f64 {
        let applied = &self.values[POWER + 1..];
        applied.get(k).copied().unwrap_or_else(|| self.values[POWER] - applied.iter().sum::<f64>())
    }

    /// The powers at a time, and what of them is rounding over the given width.
    fn look_at_powers(&mut self, segment: &Segment, t: f64, width: f64, end: usize) -> f64 {
        let energy = self.look_at(segment, t);
        for k in 0..self.powers[end].len() {
            self.powers[end][k] = self.power(k);
        }
        ROUNDING * (energy.kinetic.abs() + energy.potential.abs()) / width
    }

    /// The times within a step at which a power changes its sign, ascending.
    fn find_turns(&mut self, segment: &Segment, from: f64, until: f64) {
        self.turns.clear();
        let width = until - from;
        self.look_at_powers(segment, from, width, 0);
        let mut start = from;
        for end in GAUSS.map(|(node, _)| from + node * width).into_iter().chain([until]) {
            let noise = self.look_at_powers(segment, end, width, 1);
            let first = self.turns.len();
            for k in 0..self.powers[0].len() {
                let (before, after) = (self.powers[0][k], self.powers[1][k]);
                if before * after < 0.0 && (after - before).abs() > noise {
                    let turn = self.turn_of(segment, k, [(start, before), (end, after)]);
                    self.turns.push(turn);
                }
            }
            self.turns[first..].sort_unstable_by(f64::total_cmp);
            self.powers.swap(0, 1);
            start = end;
        }
    }

    /// The time between two others at which a power changes its sign.
    fn turn_of(&mut self, segment: &Segment, k: usize, ends: [(f64, f64); 2]) -> f64 {
        let [lo, hi] = ends.map(|(x, value)| Probe { x, value });
        let bracket = narrow(lo, hi, lo.value.signum(), TURN * (hi.x - lo.x), |t| {
            self.look_at(segment, t);
            self.power(k)
        });
        bracket.hi
    }
}
