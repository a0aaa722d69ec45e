//! Sides, locks and schedules at the start of a segment.
//!
//! A guard that is zero (at the start of a run, or because it has just fired) is on the side that its first non-zero derivative along the
//! flow points to: nothing is nudged (paper 000, sections 5.1.4 and 5.1.5). A guard that an event has carried to its other
//! side fires at the same instant; so events can cause events until nothing fires any more.

use super::Detector;
use super::detect::{BadGuard, Gone, check_finite, sign};
use crate::equations::{Guard, GuardKind, Side};
use crate::formulation::Flow;

/// How often locks are looked at again because they depend on each other.
const MOST_PASSES: usize = 64;

/// A first rate that would carry a guard this many times its rounding away, while its second rate carries it past that, is no rounding.
const TANGENT: f64 = 1e6;

impl Detector {
    /// Evaluates the guards at the start of a segment and locks signs and counts, as far as the values tell.
    pub fn lock(&mut self, flow: &mut Flow<'_>, t: f64, y: &[f64]) -> Result<(), BadGuard> {
        for g in 0..self.just_fired.len() {
            self.fired_last[g] = self.fired.contains(&g);
            self.just_fired[g] = self.fired_last[g] || (self.just_fired[g] && self.gone < Gone::Step);
        }
        let gone = std::mem::replace(&mut self.gone, Gone::Nowhere);
        self.fired.clear();
        if self.sides.is_empty() {
            return Ok(());
        }
        self.find_surfaces(flow);
        self.find_rounding(flow, t, y);
        if gone == Gone::Part {
            self.forget_those_away(flow, t, y);
        }
        self.lock_those(flow, t, y, |_| true)
    }

    /// Locks signs as a state tells them that an event has set: other constraints may hold there than before. Guards that fire have been resolved.
    pub fn lock_behind_event(&mut self, flow: &mut Flow<'_>, t: f64, y: &[f64]) -> Result<(), BadGuard> {
        let (guards, fired) = (flow.system().guards(), self.fired.clone());
        self.lock_those(flow, t, y, |g| guards[g].response.switch.is_some() && !fired.contains(&g))
    }

    fn lock_those(
        &mut self,
        flow: &mut Flow<'_>,
        t: f64,
        y: &[f64],
        wanted: impl Fn(usize) -> bool,
    ) -> Result<(), BadGuard> {
        for _ in 0..MOST_PASSES {
            self.find_surfaces(flow);
            self.evaluate(flow, t, y)?;
            // Locks of branches that are not taken too: an event may take them.
            let mut changed = false;
            for g in (0..self.sides.len()).filter(|&g| wanted(g)) {
                changed |= flow.has(g) && self.lock_guard(flow, g, t);
            }
            if !changed {
                break;
            }
        }
        Ok(())
    }

    /// Lists the guards that have to be looked at in every step.
    fn find_surfaces(&mut self, flow: &mut Flow<'_>) {
        flow.find_needed();
        let guards = flow.system().guards();
        let is_surface = |g: usize| flow.watches(g) && guards[g].kind == GuardKind::Surface;
        self.scheduled.clear();
        self.scheduled.extend((0..guards.len()).filter(|&g| is_scheduled(flow, g)));
        self.surfaces.clear();
        self.surfaces.extend(
            (0..guards.len()).filter(|&g| is_surface(g) && !flow.mode.structure.sliding.contains(&g)),
        );
    }

    fn evaluate(&mut self, flow: &mut Flow<'_>, t: f64, y: &[f64]) -> Result<(), BadGuard> {
        flow.guards(t, y, &mut self.last.values);
        check_finite(&self.surfaces, &self.last.values, t)?;
        self.read_schedule(flow, t);
        Ok(())
    }

    /// Locks the sign or count that a guard stands for. Tells whether that changed anything.
    fn lock_guard(&mut self, flow: &mut Flow<'_>, g: usize, t: f64) -> bool {
        let guard = &flow.system().guards()[g];
        if let Some(k) = guard.response.switch {
            // At zero it has been settled.
            let side = match guard.kind {
                GuardKind::Scheduled { rising } => scheduled_side(rising, self.schedule[g], t),
                _ if self.is_zero(flow, g) || flow.mode.structure.sliding.contains(&g) => 0.0,
                _ => sign(self.last.values[g]),
            };
            let old = flow.mode.values.signs[k];
            flow.mode.values.signs[k] = if side == 0.0 { old } else { side };
            return flow.mode.values.signs[k] != old;
        }
        let Some(count) = guard.response.count else { return false };
        let value = self.last.values[g];
        let passed = match guard.kind {
            GuardKind::Scheduled { .. } if self.schedule[g] <= t => value.abs().ceil().max(1.0),
            _ if flow.mode.structure.sliding.contains(&g) && value.abs() < 1e-6 => 0.0,
            GuardKind::Surface if !self.is_zero(flow, g) && count.up && value > 0.0 => value.ceil(),
            GuardKind::Surface if !self.is_zero(flow, g) && !count.up && value < 0.0 => -value.floor(),
            _ => 0.0,
        };
        flow.mode.values.counts[count.index] += if count.up { passed } else { -passed };
        passed != 0.0
    }

    /// Whether the value of a guard counts as zero: exactly, or because it has just fired and this is what is left of it.
    pub fn is_zero(&self, flow: &Flow<'_>, g: usize) -> bool {
        let value = self.last.values[g].abs();
        let left = (4.0 * self.resolution[g]).min(1e-6 * self.size[g]);
        let left = if left > 0.0 { left.max(self.rounding[g]) } else { left };
        let rests = !self.just_fired[g] || self.held[g] > 0.0;
        value <= if rests { self.plateaus[g] } else { left }
            || (value < 1e-9 && self.has_just_counted(flow, g))
    }

    /// Whether the count that a guard stands for has just been changed by a guard that fired: then whole numbers are only met to rounding.
    fn has_just_counted(&self, flow: &Flow<'_>, g: usize) -> bool {
        let guards = flow.system().guards();
        let Some(count) = guards[g].response.count else { return false };
        let same = |other: &Guard| other.response.count.is_some_and(|c| c.index == count.index);
        guards.iter().zip(&self.just_fired).any(|(other, &fired)| fired && same(other))
    }

    /// Decides the side of every guard at the start of a segment; [`lock`](Self::lock) comes before. `reach` is about the
    /// step size. If the event before has changed nothing, those that fired have passed zero and go on.
    ///
    /// `fired` then lists the guards that fire at once: those that the event before has carried across zero, and the unilateral ones that
    /// stand at zero and are about to cross it. Guards that have just fired and still go the way they went are passing through
    /// and do not fire again.
    pub fn begin(
        &mut self,
        flow: &mut Flow<'_>,
        t: f64,
        y: &[f64],
        reach: f64,
        unchanged: bool,
    ) -> Result<(), BadGuard> {
        if self.sides.is_empty() {
            return Ok(());
        }
        self.unchanged = unchanged;
        let kicked = self.is_kicked(flow);
        self.old_sides.copy_from_slice(&self.sides);
        for _ in 0..MOST_PASSES {
            self.find_surfaces(flow);
            self.evaluate(flow, t, y)?;
            if self.surfaces.iter().any(|&g| self.is_zero(flow, g)) {
                let rates = (&mut self.first_rates[..], &mut self.second_rates[..]);
                flow.guard_rates(t, y, reach, rates);
            }
            self.fired.clear();
            let recounted = (0..self.sides.len()).filter(|&g| self.begin_guard(flow, g, kicked)).count();
            if recounted == 0 {
                break;
            }
        }
        self.slopes_known = false;
        self.fresh.fill(true);
        self.sleep.wake();
        Ok(())
    }

    /// Whether the event before may have changed state or mode, and not only a lock.
    fn is_kicked(&self, flow: &Flow<'_>) -> bool {
        let responses = flow.system().guards().iter().map(|guard| &guard.response).zip(&self.fired_last);
        responses.into_iter().any(|(response, &fired)| fired && (response.reset || response.mode.is_some()))
    }

    /// Finds out how large guards that have just fired are by rounding alone.
    fn find_rounding(&mut self, flow: &mut Flow<'_>, t: f64, y: &[f64]) {
        for i in 0..self.surfaces.len() {
            let g = self.surfaces[i];
            if self.just_fired[g] {
                self.state.copy_from_slice(y);
                self.rounding[g] = flow.noise_of(g, t, &mut self.state);
            }
        }
    }

    /// Of guards that fired before the last event, those that no step has led away from zero are still there if they are as small as rounding makes them.
    fn forget_those_away(&mut self, flow: &mut Flow<'_>, t: f64, y: &[f64]) {
        for g in 0..self.just_fired.len() {
            if self.just_fired[g] && !self.fired_last[g] {
                let near = self.surfaces.contains(&g) && flow.guard(g, t, y).abs() <= self.rounding[g];
                self.just_fired[g] = near;
            }
        }
    }

    /// Decides one guard; `kicked` tells whether the event before may have changed state or mode. Tells whether that changed a count, on which
    /// other guards may depend.
    fn begin_guard(&mut self, flow: &mut Flow<'_>, g: usize, kicked: bool) -> bool {
        let (guard, watched, old) = (&flow.system().guards()[g], flow.watches(g), self.old_sides[g]);
        self.residues[g] = 0.0;
        let zero = self.is_zero(flow, g);
        self.set_noise(g, zero, kicked);
        self.new[g] = watched && old == 0.0;
        self.sides[g] = match guard.kind {
            _ if !watched => 0.0,
            _ if self.held[g] > 0.0 => held_side(self.just_fired[g], old),
            // The other two are refused before a run.
            GuardKind::Rest | GuardKind::Compound | GuardKind::Comparison { .. } => 0.0,
            GuardKind::Surface if flow.mode.structure.sliding.contains(&g) => 1.0,
            GuardKind::Scheduled { rising } => side_in_time(rising, self.last.values[g]),
            GuardKind::Surface if zero => self.side_from_zero(flow, g),
            GuardKind::Surface => sign(self.last.values[g]),
        };
        self.set_slack(g, zero);
        let slides = flow.mode.structure.sliding.contains(&g);
        // A count that is set to its limit and stays there has reached it.
        let reached = guard.closed && zero && self.sides[g] == old && guard.kind == GuardKind::Surface;
        let carried = watched
            && !slides
            && !self.fired_last[g]
            && !self.fired.contains(&g)
            && (old * self.sides[g] < 0.0 || (reached && old != 0.0))
            && guard.direction.admits(old);
        if let (Some(k), true, false) = (guard.response.switch, self.sides[g] != 0.0, slides) {
            flow.mode.values.signs[k] = self.sides[g];
        }
        if let (Some(count), false) = (guard.response.count, slides) {
            let past = zero && guard.kind == GuardKind::Surface && passes(count.up, self.sides[g]);
            flow.mode.values.counts[count.index] += if !past {
                0.0
            } else if count.up {
                1.0
            } else {
                -1.0
            };
            return past;
        }
        if carried {
            self.sides[g] = old;
            self.resolution[g] = 0.0;
            self.fired.push(g);
        }
        false
    }

    /// The side of a guard that is zero; see [`begin`](Self::begin).
    fn side_from_zero(&mut self, flow: &Flow<'_>, g: usize) -> f64 {
        let (guard, just_fired, old) = (&flow.system().guards()[g], self.just_fired[g], self.old_sides[g]);
        if let Some(k) = guard.response.switch
            && (just_fired || flow.settles_switches())
        {
            // Where it goes has been settled. What is left of it on the other side is rounding.
            let side = flow.mode.values.signs[k];
            if self.last.values[g] * side < 0.0 {
                self.take_off_residue(g);
            }
            return side;
        }
        // One that has crossed and was only recorded goes on; a touch has no resolution.
        let recorded = self.unchanged && self.fired_last[g] && self.resolution[g] > 0.0;
        let heading = self.heading_of(g);
        let heading = if recorded { -old } else { heading };
        if let Some(count) = guard.response.count {
            // A motion that leaves a jump goes to the side that it is counted on.
            let leaves = self.resolution[g].is_infinite();
            return if !leaves {
                heading
            } else if count.up {
                -1.0
            } else {
                1.0
            };
        }
        self.take_off_residue(g);
        // One that goes on the way it went, or was on that side already, does not cross again.
        let goes_on = sign(self.first_rates[g]) == -old || (heading == -old && !self.can_be_turned(flow, g));
        // Where touches count both ways, one that begins at zero leaves a touch.
        let leaves = guard.touches && old == 0.0 && guard.direction.admits(heading);
        let passing = (just_fired && goes_on) || old == heading || recorded || leaves;
        if guard.side == Side::Before && heading != 0.0 && guard.direction.admits(-heading) && !passing {
            (self.resolution[g], self.size[g]) = (self.residues[g].abs(), f64::INFINITY);
            self.fired.push(g);
            return -heading;
        }
        match heading {
            // It stays at zero, which is the old side, unless it belongs to the other one and has fired there.
            0.0 if guard.closed && self.fired_last[g] => -old,
            0.0 if just_fired => 0.0,
            0.0 if old != 0.0 => old,
            0.0 if guard.side == Side::After => side_of_zero(guard),
            heading => heading,
        }
    }

    /// Whether the event before was one that can change where a guard goes. If not, a guard that fires from rest would do so again and again;
    /// if so, it stands at what holds it: a ball on the floor.
    fn can_be_turned(&self, flow: &Flow<'_>, g: usize) -> bool {
        let (system, mode) = (flow.system(), flow.mode.values.place);
        let fired = (0..self.fired_last.len()).filter(|&f| self.fired_last[f]);
        fired.into_iter().any(|f| {
            let response = &system.guards()[f].response;
            response.mode.is_some() || (response.reset && system.reset_can_turn(mode, f, g))
        })
    }

    /// A guard that has just fired, or that constraints do not hold at zero any more, means nothing by its sign until it has moved away, unless it comes back before that: then every bit counts.
    fn set_noise(&mut self, g: usize, zero: bool, kicked: bool) {
        let (first, second) = self.rates_of(g);
        let let_go = zero && !self.just_fired[g] && self.plateaus[g] > 0.0;
        let rounding = if let_go { self.plateaus[g] } else { self.rounding[g] };
        let window = time_to_leave(rounding, first, second);
        let back = if first * second < 0.0 { -2.0 * first / second } else { f64::INFINITY };
        let at_zero = self.just_fired[g] && zero;
        // A motion that leaves a surface along its tangent has no first rate to speak of.
        let leaves = self.resolution[g].is_infinite();
        let returns = at_zero && !leaves && back.is_finite();
        self.apexes[g] = match self.apexes[g] {
            _ if returns => 0.25 * back * first.abs(),
            // On its way nothing but a lock has changed.
            apex if !at_zero && !kicked => apex.max(self.last.values[g].abs()),
            _ => f64::INFINITY,
        };
        let tangent = time_to_leave(self.rounding[g], 0.0, second);
        let along = leaves && first.abs() * tangent <= TANGENT * self.rounding[g];
        let window = if along { tangent } else { window };
        if self.held[g] > 0.0 {
            (self.noise[g], self.noise_ends[g]) = (self.held[g], f64::INFINITY);
            return;
        }
        let is_short = window <= 0.05 * back;
        let applies = at_zero && (leaves || is_short) || let_go && is_short && window.is_finite();
        (self.noise[g], self.noise_ends[g]) = if applies { (rounding, window) } else { (0.0, 0.0) };
    }

    /// Dense output can be on the wrong side of a surface that the motion leaves, by the slack of the guard. Where the motion itself goes to the other side, it crosses.
    fn set_slack(&mut self, g: usize, zero: bool) {
        if !(zero && self.just_fired[g] && self.resolution[g].is_infinite()) {
            return;
        }
        let (first, second) = (self.first_rates[g], self.second_rates[g]);
        let longer = time_to_leave(self.slack[g], first, second);
        let goes_over = (first + 0.5 * second * longer) * self.sides[g] < 0.0;
        if longer.is_finite() && longer > self.noise_ends[g] && !goes_over {
            (self.noise[g], self.noise_ends[g]) = (self.slack[g], longer);
        }
    }

    fn take_off_residue(&mut self, g: usize) {
        self.residues[g] = self.last.values[g];
        self.residue_ends[g] = time_to_leave(self.residues[g], self.first_rates[g], self.second_rates[g]);
        self.last.values[g] = 0.0;
    }

    /// A guard stands at zero, whatever is left of it: a motion is on its surface, or leaves it. Right after that the dense output can be on
    /// the wrong side of the surface by as much as `slack`.
    pub fn stands_at_zero(&mut self, guard: usize, slack: f64) {
        self.slack[guard] = slack;
        (self.resolution[guard], self.size[guard]) = (f64::INFINITY, f64::INFINITY);
        self.just_fired[guard] = true;
    }

    /// As [`stands_at_zero`](Self::stands_at_zero), and what is left of the guard by rounding alone: while the motion slid it was of no interest.
    pub fn leaves(&mut self, guard: usize, slack: f64, rounding: f64) {
        self.stands_at_zero(guard, slack);
        self.rounding[guard] = rounding;
    }

    /// The time at which a scheduled guard fires next.
    pub fn scheduled(&self, guard: usize) -> f64 {
        self.schedule[guard]
    }

    /// Has a guard fire where the motion stands: it has come to its surface as near as can be told.
    pub fn fire_now(&mut self, guard: usize) {
        self.fired.clear();
        self.fired.push(guard);
        self.stands_at_zero(guard, 0.0);
    }

    /// The motion stands at the zeros of several guards: it has come to where their surfaces meet.
    pub fn stand_in_corner(&mut self, guards: &[usize]) {
        for &guard in guards {
            self.stands_at_zero(guard, 0.0);
        }
        self.gone = Gone::Nowhere;
    }

    /// The next time after `t` at which a scheduled guard fires; infinity if there is none.
    pub fn next_scheduled(&self, t: f64) -> f64 {
        let times = self.scheduled.iter().map(|&g| self.schedule[g]).filter(|&time| time > t);
        times.fold(f64::INFINITY, f64::min)
    }

    /// Adds the guards that are scheduled for this time to those that fire.
    pub fn fire_scheduled(&mut self, flow: &Flow<'_>, t: f64) {
        for &g in &self.scheduled {
            if self.schedule[g] == t && self.is_before_its_time(flow, g) && !self.fired.contains(&g) {
                self.fired.push(g);
            }
        }
        self.fired.sort_unstable();
    }

    /// Whether a scheduled guard has not fired yet at its time.
    fn is_before_its_time(&self, flow: &Flow<'_>, g: usize) -> bool {
        match flow.system().guards()[g].kind {
            GuardKind::Scheduled { rising } => self.sides[g] == if rising { -1.0 } else { 1.0 },
            _ => false,
        }
    }

    /// Brings the sides of the scheduled guards up to date before an event: those that cross the way that does not fire are not watched.
    pub fn look_at_clock(&mut self, flow: &mut Flow<'_>, t: f64, y: &[f64]) {
        let guards = flow.system().guards();
        if self.scheduled.is_empty() {
            return;
        }
        flow.guards(t, y, &mut self.next.values);
        for (g, guard) in
            guards.iter().enumerate().filter(|(g, _)| flow.watches(*g) && !self.fired.contains(g))
        {
            if let GuardKind::Scheduled { rising } = guard.kind {
                self.sides[g] = side_in_time(rising, self.next.values[g]);
            }
        }
    }

    /// Forgets what the last scan has found: the step that it looked at is not taken. Guards that have fired without a step would fire at its start.
    pub fn forget_crossing(&mut self) {
        self.fired.clear();
    }

    /// Has a guard without a surface fire: its events accumulate.
    pub fn fire_rest(&mut self, guard: usize) {
        self.fired.clear();
        self.fired.push(guard);
    }
}

fn is_scheduled(flow: &Flow<'_>, g: usize) -> bool {
    matches!(flow.system().guards()[g].kind, GuardKind::Scheduled { .. }) && flow.watches(g)
}

/// The side of a guard that begins at zero and stays there: the one that it fires from, unless zero belongs to the other. None if it fires both ways.
fn side_of_zero(guard: &Guard) -> f64 {
    let from = f64::from(guard.direction.admits(1.0)) - f64::from(guard.direction.admits(-1.0));
    if guard.closed { -from } else { from }
}

/// The side of a guard that constraints hold at zero: none once it has fired, else zero is the old one.
fn held_side(just_fired: bool, old: f64) -> f64 {
    if just_fired { 0.0 } else { old }
}

/// Before its time a guard that rises is negative; at its time it has fired.
fn scheduled_side(rising: bool, time: f64, t: f64) -> f64 {
    if rising == (time > t) { -1.0 } else { 1.0 }
}

/// The side of a guard that is a line in time; at its zero it has passed.
fn side_in_time(rising: bool, value: f64) -> f64 {
    let slope = if rising { 1.0 } else { -1.0 };
    if value == 0.0 { slope } else { sign(value) }
}

/// Whether a count guard that stands at zero has passed it. A whole number that does not move belongs to the count below it.
fn passes(up: bool, side: f64) -> bool {
    if up { side >= 0.0 } else { side < 0.0 }
}

/// About how long a guard takes to change by a multiple of what is left of it.
fn time_to_leave(residue: f64, first: f64, second: f64) -> f64 {
    let far = 8.0 * residue.abs();
    let time = (far / first.abs()).min((2.0 * far / second.abs()).sqrt());
    if time.is_nan() { 0.0 } else { time }
}

/// The sign of the first of two numbers that is not zero.
pub(super) fn first_sign(first: f64, second: f64) -> f64 {
    if first == 0.0 { sign(second) } else { sign(first) }
}
