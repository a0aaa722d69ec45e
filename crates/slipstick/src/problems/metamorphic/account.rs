//! What a run has done, in the units of the model as it was drawn: the events by name, the end, and whether
//! it contradicts itself.

use super::pen::Rendering;
use super::variant::{ADDED, COPY};
use crate::trajectory::{EventKind, Segment, Trajectory};

/// One guard at one event.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Firing {
    pub(super) t: f64,
    pub(super) name: String,
    /// The state before the event.
    pub(super) state: Vec<f64>,
}

/// What a run has done.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Account {
    pub(super) firings: Vec<Firing>,
    pub(super) from: f64,
    pub(super) end_time: f64,
    pub(super) end: Vec<f64>,
    /// The largest absolute value of each component at events, at the samples and at the end, but at least
    /// that below which the absolute tolerance counts.
    pub(super) sizes: Vec<f64>,
    /// The mode at the end.
    pub(super) mode: usize,
    /// A word for why it ended; a failure is one, too.
    pub(super) outcome: String,
    /// The time that the outcome is about, if it is an estimate.
    pub(super) estimate: Option<f64>,
    pub(super) is_complete: bool,
    /// What of it contradicts itself.
    pub(super) broken: Option<String>,
    /// States at equal times along the run.
    pub(super) samples: Vec<(f64, Vec<f64>)>,
    pub(super) guard_names: Vec<String>,
    pub(super) state_names: Vec<String>,
    /// The steps that were tried.
    pub(super) steps: u64,
    /// When contacts came to rest because their hits accumulated.
    pub(super) rests: Vec<f64>,
    /// When hits were first stepped over by time stepping, which is of first order.
    pub(super) captured: Option<f64>,
}

/// How a run is brought back to the units of the model as it was drawn.
#[derive(Clone, Debug, Default)]
pub(super) struct Units {
    pub(super) rendering: Rendering,
    pub(super) powers: Vec<i32>,
    pub(super) points: Vec<[usize; 2]>,
    /// The coordinates that turn their signs in a mirror.
    pub(super) handed: Vec<usize>,
    pub(super) coordinates: usize,
    /// By how much all is later, if not by the rendering.
    pub(super) shift: f64,
    /// The names of guards as they are in the model as it was drawn, if they are others here.
    pub(super) names: Option<Vec<String>>,
    /// The size of each component below which the absolute tolerance counts.
    pub(super) floors: Vec<f64>,
    /// The states whose derivative is zero: between events nothing changes them.
    pub(super) constants: Vec<usize>,
}

/// The end of the names of events that say that hits of a contact accumulate.
const RESTS: &str = ".rest";
/// At so many times states are kept.
const SAMPLES: u32 = 48;
/// A jump that no reset explains is larger than this part of the state's size; switches and rest move less.
const CONTINUOUS: f64 = 1e-6;

impl Account {
    /// Of a run that came to an end of some kind; a word for the outcome, and whether that is complete.
    pub(super) fn of(run: &Trajectory, units: &Units, outcome: &str, is_complete: bool) -> Self {
        let names = units.names.as_ref().filter(|names| names.len() == run.guard_names.len());
        let guard_names = names.map_or_else(|| run.guard_names.to_vec(), Vec::clone);
        let mut account = Self {
            firings: Vec::new(),
            from: units.time(run.start_time()),
            end_time: units.time(run.end_time()),
            end: units.state(run, run.end_state()),
            sizes: Vec::new(),
            mode: run.events.last().map_or(0, |event| event.mode_after),
            outcome: outcome.to_owned(),
            estimate: run.outcome.estimated_time().map(|t| units.time(t)),
            is_complete,
            broken: None,
            samples: samples(run, units),
            guard_names,
            state_names: run.state_names.iter().filter(|name| *name != ADDED).cloned().collect(),
            steps: run.statistics.accepted + run.statistics.rejected,
            rests: Vec::new(),
            captured: None,
        };
        // That sliding-mode control has done its work is a change of form, where the steps happen to end.
        for event in run.events.iter().filter(|event| event.kinds != [EventKind::Close]) {
            let names = event.guards.iter().filter_map(|&g| account.guard_names.get(g));
            // A contact that is written twice does all things twice, at the same time.
            let mut names: Vec<String> = names.map(|name| name.replace(COPY, "")).collect();
            let count = names.len();
            // When hits are too many to be told is a matter of resolution: they are judged themselves.
            names.retain(|name| !name.ends_with(RESTS));
            if names.len() < count {
                account.rests.push(units.time(event.t));
            }
            names.sort_unstable();
            names.dedup();
            let firing =
                |name| Firing { t: units.time(event.t), name, state: units.state(run, &event.before) };
            account.firings.extend(names.into_iter().filter(|name| name != ADDED).map(firing));
        }
        let captured = run.segments.iter().find(|segment| segment.is_captured());
        account.captured = captured.map(|segment| units.time(segment.start_time));
        account.sizes = account.measure(&units.floors);
        account.broken = contradiction(run, units);
        account
    }

    fn measure(&self, floors: &[f64]) -> Vec<f64> {
        let mut sizes = floors.to_vec();
        sizes.resize(self.end.len(), 0.0);
        let states = self.firings.iter().map(|firing| &firing.state);
        for state in states.chain(self.samples.iter().map(|(_, state)| state)).chain([&self.end]) {
            for (size, value) in sizes.iter_mut().zip(state) {
                *size = f64::max(*size, value.abs());
            }
        }
        sizes
    }

    /// How long it ran.
    pub(super) fn span(&self) -> f64 {
        self.end_time - self.from
    }

    /// The names of all that fired, each once.
    pub(super) fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.firings.iter().map(|firing| firing.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The times at which a guard fired.
    pub(super) fn times(&self, name: &str) -> Vec<f64> {
        self.firings.iter().filter(|firing| firing.name == name).map(|firing| firing.t).collect()
    }

    /// How many events there were before a time.
    pub(super) fn events_before(&self, t: f64) -> usize {
        self.firings.iter().filter(|firing| firing.t < t).count()
    }
}

impl Units {
    fn time(&self, t: f64) -> f64 {
        t - self.rendering.shift - self.shift
    }

    fn state(&self, run: &Trajectory, state: &[f64]) -> Vec<f64> {
        let mut state = state.to_vec();
        self.rendering.undo(&mut state, &self.powers, &self.points, self.coordinates);
        self.rendering.mirror(&mut state, &self.handed, self.coordinates);
        if let Some(added) =
            run.state_names.iter().position(|name| name == ADDED).filter(|i| *i < state.len())
        {
            state.remove(added);
        }
        state
    }
}

fn samples(run: &Trajectory, units: &Units) -> Vec<(f64, Vec<f64>)> {
    let (from, until) = (run.start_time(), run.end_time());
    let time = |k: u32| from + (until - from) * f64::from(k) / f64::from(SAMPLES);
    let sample = |t: f64| Some((units.time(t), units.state(run, &run.state_after(t)?.y)));
    (0..SAMPLES).map(time).filter_map(sample).collect()
}

/// What must hold of every run, whatever the model says.
fn contradiction(run: &Trajectory, units: &Units) -> Option<String> {
    let sizes = match sizes(run, units) {
        Ok(sizes) => sizes,
        Err(why) => return Some(why),
    };
    if let Some(w) = run.events.windows(2).find(|w| w[1].t < w[0].t) {
        return Some(format!("an event at t = {} comes after one at t = {}", w[1].t, w[0].t));
    }
    let moved = |(segment, i): (&Segment, &usize)| segment.start[*i].to_bits() != segment.end[*i].to_bits();
    let pairs = run.segments.iter().flat_map(|segment| units.constants.iter().map(move |i| (segment, i)));
    if let Some((segment, i)) = pairs.into_iter().find(|pair| moved(*pair)) {
        let name = &run.state_names[*i];
        return Some(format!("`{name}` changes before t = {}, and its derivative is zero", segment.end_time));
    }
    run.events.iter().zip(run.segments.windows(2)).find_map(|(event, sides)| {
        let jumps = event.kinds.iter().any(|kind| !SMOOTH_KINDS.contains(kind));
        let (before, after) = (&sides[0].end, &sides[1].start);
        for (i, name) in run.state_names.iter().enumerate() {
            let far = |a: f64, b: f64| (a - b).abs() > CONTINUOUS * sizes[i];
            if !jumps && far(after[i], before[i]) {
                return Some(format!("`{name}` jumps at t = {} at an event that resets nothing", event.t));
            }
            if far(event.before[i], before[i]) || far(event.after[i], after[i]) {
                return Some(format!("log and trajectory differ in `{name}` at t = {}", event.t));
            }
        }
        None
    })
}

/// The sizes of the states in a run, in its own units.
fn sizes(run: &Trajectory, units: &Units) -> Result<Vec<f64>, String> {
    let mut sizes = vec![0.0; run.state_names.len()];
    for (i, size) in sizes.iter_mut().enumerate() {
        let power = units.powers.get(i).map_or(0, |power| power * units.rendering.length);
        *size = units.floors.get(i).map_or(0.0, |floor| floor * 10_f64.powi(power));
    }
    for segment in &run.segments {
        for (t, state) in [(segment.start_time, &segment.start), (segment.end_time, &segment.end)] {
            for (size, value) in sizes.iter_mut().zip(state) {
                if !value.is_finite() {
                    return Err(format!("a state at t = {t} is not finite"));
                }
                *size = f64::max(*size, value.abs());
            }
        }
    }
    Ok(sizes)
}

/// What leaves the state as it is.
const SMOOTH_KINDS: &[EventKind] = &[
    EventKind::Record,
    EventKind::Switch,
    EventKind::Zone,
    EventKind::Corner,
    EventKind::Slide,
    EventKind::Leave,
];
