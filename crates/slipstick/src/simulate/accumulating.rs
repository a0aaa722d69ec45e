//! Events that accumulate (rule 18): each guard is judged by its own intervals. They end in rest, on the surfaces where they meet, or the run.

use super::Error;
use super::simulator::{Firing, Simulator};
use crate::math::RunningSum;
use crate::trajectory::Outcome;
use crate::watch::{Banded, Between, Found, ZenoLimit, ZenoRecord};

/// Surfaces that are no further away than this many tolerances meet where the events of their switches accumulate.
const NEAR: f64 = 10.0;
/// So do surfaces that are no further away than the motion goes in this many times the time left: it turns round within it.
const REACHED: f64 = 4.0;

/// How often a motion may come back to a guard in less time than can be told, before its events have accumulated.
const MOST_AT_ONCE: u32 = 6;
/// The limit of events that follow each other without any time between.
const NOW: ZenoLimit = ZenoLimit { after: 0.0, bound: 0.0, ratio: 0.0, period: 1 };

/// What is known of the last event of a guard.
#[derive(Clone, Debug)]
struct History {
    record: ZenoRecord,
    /// When it was.
    last: Option<RunningSum>,
    /// How often the motion has come back to it in no time at all.
    at_once: u32,
}

/// What is known of the intervals between the events of each guard.
pub(super) struct Accumulating {
    /// The time since the start of the run.
    pub(super) elapsed: RunningSum,
    histories: Vec<History>,
    /// For each guard, the largest value in the last step before it fired, with its band, and how exactly the event was located.
    pub(super) peaks: Vec<(usize, Banded)>,
    pub(super) location: f64,
    /// Guards whose events have brought their motion to a halt at their own zero, from where it goes on to the true side.
    pub(super) halted: Vec<usize>,
}

impl Accumulating {
    pub(super) fn new(guards: usize) -> Self {
        Self {
            elapsed: RunningSum::default(),
            histories: vec![History { record: ZenoRecord::new(), last: None, at_once: 0 }; guards],
            peaks: Vec::new(),
            location: 0.0,
            halted: Vec::new(),
        }
    }

    /// Whether the events of a guard shrink towards a limit, too, and the last of them lies within the last interval of another's.
    fn goes_with(&self, guard: usize, since: Option<RunningSum>) -> bool {
        let History { record, last, .. } = &self.histories[guard];
        let (Some(last), Some(since)) = (*last, since) else { return false };
        record.shrinks() && last.since(since) >= 0.0
    }

    /// Takes note of an event of a guard, and whether the motion has crossed it; gives the limit of its events if they accumulate.
    fn record(&mut self, guard: usize, crosses: bool) -> Option<ZenoLimit> {
        let history = &mut self.histories[guard];
        let before = history.last.replace(self.elapsed);
        let then = before?;
        history.at_once = if crosses && then == self.elapsed { history.at_once + 1 } else { 0 };
        if history.at_once >= MOST_AT_ONCE {
            return Some(NOW);
        }
        let far = Banded::new(f64::INFINITY, 0.0);
        let peak = self.peaks.iter().find(|(g, _)| *g == guard).map_or(far, |(_, peak)| *peak);
        let between = Between {
            interval: self.elapsed.since(then),
            peak: peak.value.abs(),
            band: peak.band,
            location: self.location,
        };
        history.record.record(between, self.elapsed.since(RunningSum::default()))
    }
}

impl Simulator<'_> {
    /// Keeps how far the comparisons that fire have moved since they last did.
    pub(super) fn keep_peaks(&mut self, found: &Found) {
        self.accumulating.peaks.clear();
        self.accumulating.peaks.extend(found.changed.iter().copied().zip(found.peaks.iter().copied()));
    }

    /// Whether the events of a guard that fired accumulate: then it comes to rest as the model says, or the run ends.
    pub(super) fn look_for_accumulation(&mut self, firing: &Firing) -> Result<Option<Outcome>, Error> {
        let mut found = None;
        for &g in &firing.guards {
            let since = self.accumulating.histories[g].last;
            let limit = self.accumulating.record(g, firing.window.is_some());
            let rests = self.guard(g).response.at_rest.is_some();
            // What says how it rests comes before what accumulates with it: a switch that changes where it fires, or the tops of a ball that bounces.
            let ends = rests || (firing.guards.len() == 1 && !self.rests_with_another(since));
            found = limit.filter(|_| ends).map(|limit| (g, limit)).or(found);
        }
        let Some((g, limit)) = found else { return Ok(None) };
        self.end_accumulation(g, limit)
    }

    /// Whether a guard that says how it rests fires in turn with one that last fired before this time, and its events accumulate, too: then it comes to rest.
    fn rests_with_another(&self, since: Option<RunningSum>) -> bool {
        let mut guards = self.system().guards().iter().enumerate();
        guards.any(|(g, guard)| guard.response.at_rest.is_some() && self.accumulating.goes_with(g, since))
    }

    /// Whether guards have brought their own motion to a halt, as a plastic impact does: their events would follow each other without any time between.
    pub(super) fn look_for_halt(&mut self) -> Result<Option<Outcome>, Error> {
        for g in std::mem::take(&mut self.accumulating.halted) {
            let outcome = self.end_accumulation(g, NOW)?;
            if outcome.is_some() {
                return Ok(outcome);
            }
        }
        Ok(None)
    }

    fn end_accumulation(&mut self, g: usize, limit: ZenoLimit) -> Result<Option<Outcome>, Error> {
        let (guard, t) = (self.guard(g), self.integrator.trial.t);
        let at = t + limit.after;
        if guard.response.switch.is_some() && self.stand_in_corner(limit.after) {
            return Ok(None);
        }
        let Some(rest) = guard.response.at_rest else {
            let switch = guard.response.switch.is_some();
            return Ok(Some(Outcome::Accumulation { guard: guard.name.clone(), switch, t: at }));
        };
        let rests = self.round(&Firing { guards: vec![rest], ..Firing::default() })?;
        if !rests {
            // It is at rest already, and nothing holds it there.
            return Ok(Some(Outcome::Accumulation { guard: guard.name.clone(), switch: false, t: at }));
        }
        let text = format!("the events of `{}` accumulate at t = {at}: it comes to rest", guard.name);
        self.recorder.note(t, "came-to-rest", text);
        Ok(None)
    }

    /// Where the events of switches accumulate, the motion stands where their surfaces meet, or comes there in the time that is left. Gives whether it can
    /// stay there.
    fn stand_in_corner(&mut self, left: f64) -> bool {
        let guards = self.system().guards();
        let tolerances = &self.integrator.options.tolerances;
        let (t, mut y) = (self.integrator.trial.t, self.integrator.trial.start.clone());
        let widths: Vec<f64> = y.iter().enumerate().map(|(i, y)| tolerances.scale(i, y.abs())).collect();
        let flow = &mut self.integrator.flow;
        let mut rates = vec![0.0; y.len()];
        flow.first_derivative(t, &y, &mut rates);
        let mut near: Vec<usize> =
            (0..guards.len()).filter(|&g| guards[g].response.switch.is_some()).collect();
        near.retain(|&g| {
            let free = flow.watches(g) && !flow.mode.structure.sliding.contains(&g);
            let near = NEAR * flow.spread_of(g, t, &mut y, &widths);
            let ahead = REACHED * left * flow.spread_of(g, t, &mut y, &rates);
            free && flow.guard(g, t, &y).abs() <= near.max(ahead)
        });
        near.len() > 1 && self.stay_on(&near, left)
    }
}
