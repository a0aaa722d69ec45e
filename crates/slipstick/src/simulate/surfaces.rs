//! Switching surfaces at one instant: which signs hold, and which surfaces the motion slides on (rules 10, 11, 19, 20).

use super::Error;
use super::integrator::Integrator;
use super::signals::{Along, has_surface};
use super::simulator::{Firing, Simulator, locks};
use crate::equations::{Guard, GuardKind};
use crate::formulation::{Flow, Sliding, Surface, is_jump};
use crate::math::Bracket;
use crate::step::Restart;
use crate::trajectory::{Event, EventKind};
use crate::transition::{Heading, Incoming, Motions, Way, classify};
use crate::watch::{Banded, MOST_ORDERS, Signals};

/// How often locks are looked at again because they depend on each other.
const MOST_PASSES: usize = 64;
/// How far the cosine between the gradients of one surface, written twice, may be from one.
const PARALLEL: f64 = 1e-12;

/// How soon it is looked whether rates of a surface come to depend on the side, in steps.
const SOON: f64 = 1e-3;
/// The part of a small motion that may lead across constraints by their curvature.
const ACROSS: f64 = 1e-3;

/// 2^53: beyond, the next whole number is not a double.
const LARGEST_COUNT: f64 = 9_007_199_254_740_992.0;

impl Simulator<'_> {
    /// Locks signs and counts that have no past by their values, in the order in which they depend on each other (rule 10). Those inside their bands
    /// are classified afterwards.
    pub(super) fn lock_by_value(&mut self) -> Result<(), Error> {
        let guards = self.system().guards();
        // The count of a clock begins with the strikes before the run.
        let counts = |guard: &Guard| locks(guard) || guard.response.count.is_some();
        if !guards.iter().any(counts) {
            return Ok(());
        }
        for _ in 0..MOST_PASSES {
            let mut changed = false;
            for g in (0..guards.len()).filter(|&g| counts(&guards[g])) {
                changed |= self.lock_one(g)?;
            }
            if !changed {
                break;
            }
            self.activate_guards();
        }
        Ok(())
    }

    /// Locks the signs of switches outside their bands by the state after an event, where other constraints may hold than before.
    pub(super) fn lock_switches_by_value(&mut self) {
        for (g, guard) in self.system().guards().iter().enumerate() {
            let Some(switch) = guard.response.switch.filter(|_| has_surface(guard.kind)) else {
                continue;
            };
            let slides = self.integrator.flow.mode.structure.sliding.contains(&g);
            if let Some(side) = self.value_of(g).sign().filter(|_| self.integrator.flow.watches(g) && !slides)
            {
                self.integrator.flow.mode.values.signs[switch] = side * self.comparisons.orientation(g);
            }
        }
    }

    /// Locks one sign or count. Gives whether that changed it.
    fn lock_one(&mut self, g: usize) -> Result<bool, Error> {
        let (guard, t) = (self.guard(g), self.integrator.trial.t);
        if !self.integrator.flow.watches(g) {
            return Ok(false);
        }
        if let GuardKind::Scheduled { rising } = guard.kind {
            return Ok(self.lock_scheduled(g, rising));
        }
        if !has_surface(guard.kind) || !self.watch.is_on(g) || self.watch.has_past(g) {
            return Ok(false);
        }
        let value = self.value_of(g);
        if !value.is_finite() {
            return Err(Error::GuardNotFinite { name: guard.name.clone(), value: value.value, t });
        }
        let Some(side) = value.sign() else { return Ok(false) };
        let surface = side * self.comparisons.orientation(g);
        let mode = &mut self.integrator.flow.mode;
        if let Some(switch) = guard.response.switch {
            let old = std::mem::replace(&mut mode.values.signs[switch], surface);
            self.watch.place(g, side > 0.0, false, 0.0);
            return Ok(old != surface);
        }
        let Some(count) = guard.response.count else { return Ok(false) };
        if side < 0.0 {
            return Ok(false);
        }
        let by = value.value.ceil();
        mode.values.counts[count.index] += if count.up { by } else { -by };
        let value = mode.values.counts[count.index];
        // Whole numbers are counted one by one: that needs doubles which can tell neighbours apart.
        if value.abs() > LARGEST_COUNT {
            return Err(Error::CountTooLarge { name: guard.name.clone(), value, t });
        }
        Ok(true)
    }

    /// What depends on time alone follows from the time.
    fn lock_scheduled(&mut self, g: usize, rising: bool) -> bool {
        let (t, guard) = (self.integrator.trial.t, self.guard(g));
        let ahead = self.calendar.time(g) > t;
        let flow = &mut self.integrator.flow;
        if let Some(switch) = guard.response.switch {
            let sign = if rising == ahead { -1.0 } else { 1.0 };
            return std::mem::replace(&mut flow.mode.values.signs[switch], sign) != sign;
        }
        let Some(count) = guard.response.count.filter(|_| !ahead) else { return false };
        let start = self.integrator.trial.start.clone();
        let by = flow.guard(g, t, &start).abs().ceil().max(1.0);
        flow.mode.values.counts[count.index] += if count.up { by } else { -by };
        true
    }

    /// The value of a comparison here.
    fn value_of(&mut self, comparison: usize) -> Banded {
        self.signal(comparison, 0.0)
    }

    /// The value of a comparison at an offset of the step just tried.
    pub(super) fn signal(&mut self, comparison: usize, s: f64) -> Banded {
        let mut value = [Banded::default()];
        self.along().1.values(&[comparison], s, &mut value);
        value[0]
    }

    /// Classifies all switches whose surfaces the motion stands on, jumps of whole numbers that it has just crossed, and surfaces that it slides on.
    pub(super) fn classify_switches(&mut self, firing: &Firing) -> Result<(), Error> {
        let guards = self.system().guards();
        let slides = !self.integrator.flow.mode.structure.sliding.is_empty();
        if !slides && !guards.iter().any(|guard| guard.response.switch.is_some() || is_jump(guard)) {
            return Ok(());
        }
        let mut met: Vec<Meeting> = self.surfaces_left(firing);
        let crosses = |(surface, side)| (surface, Incoming { side, leaves: false });
        met.extend(self.jumps_met(firing).into_iter().map(crosses));
        let mut changes = !firing.exits.is_empty() || (slides && !firing.guards.is_empty());
        for pass in 0..MOST_PASSES {
            let slid = self.surfaces_kept(pass == 0);
            changes |= slid.len() != self.integrator.flow.mode.structure.sliding.len();
            let left: Vec<usize> = met.iter().map(|(surface, _)| surface.guard).collect();
            met.extend(self.switches_met(&left).into_iter().map(crosses));
            if met.is_empty() && !changes {
                break;
            }
            met.extend(slid.iter().map(|&surface| (surface, Incoming::default())));
            met.sort_by_key(|(surface, _)| surface.guard);
            if !self.classify_once(&met)? {
                break;
            }
            (met, changes) = (Vec::new(), false);
        }
        Ok(())
    }

    /// The surfaces that the motion leaves because their exits have fired, with the sides that it goes to. Where surfaces depend on each other, an exit
    /// only says that not all of them can be kept.
    fn surfaces_left(&self, firing: &Firing) -> Vec<Meeting> {
        let sliding = self.integrator.flow.sliding().filter(|sliding| !sliding.is_dependent());
        let Some(sliding) = sliding else { return Vec::new() };
        let mut left = Vec::new();
        for &(i, side) in &firing.exits {
            left.push((sliding.surfaces()[i], Incoming { side, leaves: true }));
            let followers = sliding.followers().iter().filter(|follower| follower.leader == i);
            left.extend(followers.map(|follower| {
                (follower.surface, Incoming { side: follower.orientation * side, leaves: true })
            }));
        }
        left
    }

    /// Whole numbers at whose jumps a run begins are those that the motion goes to: that is no event.
    pub(super) fn classify_counts(&mut self) {
        let guards = self.system().guards();
        for g in (0..guards.len()).filter(|&g| is_jump(&guards[g])) {
            let Some(count) = guards[g].response.count.filter(|_| self.watch.is_on(g)) else { continue };
            if self.value_of(g).sign().is_some() {
                continue;
            }
            let (_, along) = self.along();
            let mut headings = Headings { along, out: Vec::new() };
            let passes = headings.heading(g) == if count.up { Heading::Up } else { Heading::Down };
            if passes {
                self.integrator.flow.mode.values.counts[count.index] += if count.up { 1.0 } else { -1.0 };
            }
            let at_zero = if passes { self.other_jump(g).unwrap_or(g) } else { g };
            self.watch.place(at_zero, false, false, 0.0);
        }
    }

    /// The surfaces slid on that the motion still stands on: a mode may have no use for them, and a transition that has just happened may have taken it
    /// away from them.
    fn surfaces_kept(&mut self, happened: bool) -> Vec<Surface> {
        let (guards, mode) = (self.system().guards(), self.integrator.flow.mode.clone());
        let mut slid = mode.structure.sliding.clone();
        slid.retain(|&g| self.integrator.flow.watches(g) && !(happened && self.is_moved_from(g)));
        slid.iter().filter_map(|&g| Surface::of(guards, &mode, g)).collect()
    }

    /// Whether a transition has taken the motion away from a surface. How far it was from there before is what rounding has left of being put onto it.
    fn is_moved_from(&mut self, guard: usize) -> bool {
        let (t, before) = (self.integrator.trial.t, self.before.clone());
        let left = self.integrator.flow.guard_along(guard, t, &before).abs();
        let now = self.value_of(guard);
        now.value.abs() > now.band.max(2.0 * left)
    }

    /// The switches inside their bands that are not slid on, with the side that they are locked to; others than those known.
    fn switches_met(&mut self, known: &[usize]) -> Vec<(Surface, f64)> {
        let (guards, mode) = (self.system().guards(), self.integrator.flow.mode.clone());
        let is_switch = |g: &usize| guards[*g].response.switch.is_some() && has_surface(guards[*g].kind);
        let free = |g: &usize| self.integrator.flow.watches(*g) && !mode.structure.sliding.contains(g);
        let candidates: Vec<usize> = (0..guards.len()).filter(is_switch).filter(free).collect();
        let new = candidates.into_iter().filter(|g| !known.contains(g));
        let inside = new.filter(|&g| {
            let value = self.value_of(g);
            self.watch.is_inside(g, value)
        });
        let surfaces: Vec<Surface> = inside.filter_map(|g| Surface::of(guards, &mode, g)).collect();
        surfaces.into_iter().map(|surface| (surface, surface.sign(&mode))).collect()
    }

    /// The jumps of whole numbers that have just been crossed, with the side that they were crossed to.
    fn jumps_met(&mut self, firing: &Firing) -> Vec<(Surface, f64)> {
        let guards = self.system().guards();
        let crossed = |g: &&usize| is_jump(&guards[**g]) && self.watch.side(**g).is_inside();
        let fired: Vec<usize> = firing.guards.iter().filter(crossed).copied().collect();
        let mut mode = self.integrator.flow.mode.clone();
        let mut met = Vec::new();
        for g in fired {
            let Some(count) = guards[g].response.count else { continue };
            let now = self.integrator.flow.mode.values.counts[count.index];
            mode.values.counts[count.index] = if count.up { now - 1.0 } else { now };
            let up = if count.up { Some(g) } else { self.other_jump(g) };
            let surface = up.and_then(|up| Surface::of(guards, &mode, up));
            met.extend(surface.map(|surface| (surface, if count.up { 1.0 } else { -1.0 })));
        }
        met
    }

    /// Whether the motion slides on the surface of a guard, or on the jump of a whole number that the guard would count the other way: there it is between
    /// two whole numbers and does not come to the next.
    pub(super) fn is_slid_on(&self, guard: usize) -> bool {
        let sliding = &self.integrator.flow.mode.structure.sliding;
        let is_one = |g: usize| sliding.contains(&g);
        !sliding.is_empty() && (is_one(guard) || self.other_jump(guard).is_some_and(is_one))
    }

    /// The guard at which the whole number of a guard goes the other way.
    fn other_jump(&self, guard: usize) -> Option<usize> {
        let guards = self.system().guards();
        let own = guards[guard].response.count?;
        let is_other = |count: crate::equations::Count| count.index == own.index && count.up != own.up;
        guards.iter().position(|guard| guard.response.count.is_some_and(is_other))
    }

    /// Classifies surfaces once. Gives whether anything has changed, so that other branches may be taken.
    fn classify_once(&mut self, all: &[Meeting]) -> Result<bool, Error> {
        let (t, y) = (self.integrator.trial.t, self.integrator.trial.start.clone());
        let old_mode = self.integrator.flow.mode.clone();
        let surfaces: Vec<Surface> = all.iter().map(|(surface, _)| *surface).collect();
        let flow = &mut self.integrator.flow;
        flow.slide_on(&[], t, &y);
        if surfaces.is_empty() {
            self.slide_on(&[], t, &mut y.clone());
            self.activate_guards();
            return Ok(old_mode != self.integrator.flow.mode);
        }
        for surface in &surfaces {
            surface.rest(&mut flow.mode);
        }
        let mut sliding = flow.meet(&surfaces, t, &y);
        flow.fields_at(&mut sliding, t, &y);
        let guards: Vec<usize> = surfaces.iter().map(|surface| surface.guard).collect();
        if !flow.fields_add_up(&mut sliding, t) {
            return Err(self.too_many_surfaces(&guards));
        }
        self.recorder.statistics().settling += sliding.sides() as u64 + u64::from(sliding.adds_up());
        let incoming: Vec<Incoming> =
            sliding.surfaces().iter().map(|surface| incoming_at(surface, all)).collect();
        let classified = {
            let (_, along) = self.along();
            classify(&mut Headings { along, out: Vec::new() }, &mut sliding, &incoming)
        };
        let Some(classified) = classified else {
            return Err(Error::NoConsistentSwitches { t, names: self.names_of(&guards) });
        };
        self.note_classified(&mut sliding, &classified, (&guards, &old_mode.structure.sliding));
        self.go_ways(&sliding, &classified.ways, &incoming);
        Ok(old_mode != self.integrator.flow.mode)
    }

    /// Locks the sides that the motion goes to, and lets it slide on the other surfaces.
    fn go_ways(&mut self, sliding: &Sliding, ways: &[Way], incoming: &[Incoming]) {
        let (t, mut y) = (self.integrator.trial.t, self.integrator.trial.start.clone());
        let leaders =
            sliding.surfaces().iter().enumerate().map(|(i, surface)| (*surface, ways[i], incoming[i].leaves));
        let followers = sliding.followers().iter().map(|follower| {
            let way = match ways[follower.leader] {
                Way::Side(side) => Way::Side(follower.orientation * side),
                Way::Along => Way::Along,
            };
            (follower.surface, way, incoming[follower.leader].leaves)
        });
        let (mut along, mut sides) = (Vec::new(), Vec::new());
        for (surface, way, leaves) in leaders.chain(followers) {
            match way {
                Way::Side(side) => {
                    surface.lock(&mut self.integrator.flow.mode, side);
                    sides.push((surface.guard, side, leaves));
                }
                Way::Along => {
                    surface.rest(&mut self.integrator.flow.mode);
                    along.push(surface);
                }
            }
        }
        along.sort_by_key(|surface| surface.guard);
        if sides.is_empty() {
            self.leave_exits();
            self.integrator.flow.slide_along(sliding.clone());
            self.land_on_surfaces(t, &mut y);
        } else {
            self.slide_on(&along, t, &mut y);
        }
        self.activate_guards();
        for (guard, side, leaves) in sides {
            self.place(guard, side, leaves);
        }
    }

    /// A surface inside its band belongs to the side of this sign. Above a jump of a whole number, the guard at which that goes down is at zero.
    fn place(&mut self, guard: usize, side: f64, leaves: bool) {
        let jump = is_jump(self.guard(guard));
        let at_zero = if jump && side > 0.0 { self.other_jump(guard).unwrap_or(guard) } else { guard };
        if self.watch.is_on(at_zero) {
            let plus = !jump && side * self.comparisons.orientation(at_zero) > 0.0;
            let slack = if leaves { self.slack_of_leaving(at_zero) } else { 0.0 };
            self.watch.place(at_zero, plus, leaves, slack);
        }
    }

    /// How far from a surface that is left counts as on it: what rounding has left of being put onto it, and how
    /// far the motion goes back in the time by which it may leave too early.
    fn slack_of_leaving(&mut self, guard: usize) -> f64 {
        let too_early = f64::EPSILON * self.integrator.trial.t.abs() + self.accumulating.location;
        let rate = self.along().1.rate(guard).value;
        self.value_of(guard).value.abs().max(rate.abs() * too_early)
    }

    /// Puts the motion onto surfaces that it comes to in the time `left`, and lets it slide on them and on those before. Gives whether it can stay there.
    pub(super) fn stay_on(&mut self, near: &[usize], left: f64) -> bool {
        let (t, y) = (self.integrator.trial.t, self.integrator.trial.start.clone());
        let guards = self.system().guards();
        let flow = &mut self.integrator.flow;
        let mut all: Vec<usize> = flow.mode.structure.sliding.iter().chain(near).copied().collect();
        all.sort_unstable();
        let mode = flow.mode.clone();
        let surfaces: Vec<Surface> = all.iter().filter_map(|&g| Surface::of(guards, &mode, g)).collect();
        let mut sliding = flow.meet(&surfaces, t, &y);
        flow.fields_at(&mut sliding, t, &y);
        if !sliding.can_stay_on_all() {
            return false;
        }
        self.let_time_pass(left);
        self.note_corner(near);
        let (t, mut y) = (self.integrator.trial.t, self.integrator.trial.start.clone());
        let (before, mode) = (y.clone(), self.integrator.flow.mode.values.place);
        self.slide_on(&surfaces, t, &mut y);
        self.activate_guards();
        let event = Event {
            t,
            bracket: Bracket { lo: t, hi: t },
            width: 0.0,
            guards: near.to_vec(),
            kinds: vec![EventKind::Slide],
            before,
            after: y,
            mode_before: mode,
            mode_after: mode,
        };
        let mode = self.integrator.flow.mode.clone();
        self.recorder.add_event(event, &mode);
        true
    }

    /// Takes a step to where events that are too many to be told come to their end, if nothing else happens before that.
    fn let_time_pass(&mut self, left: f64) {
        let t = self.integrator.trial.t;
        let end = t + left;
        if end <= t || end > self.integrator.options.until.min(self.calendar.next()) {
            return;
        }
        self.integrator.step.restart(Restart::Continuous);
        self.integrator.attempt(left);
        if self.integrator.is_acceptable() {
            self.integrator.interpolate();
            self.take_step(end, true);
        }
    }

    /// The motion slides on these surfaces from here on, or on none; the state is put onto them.
    pub(super) fn slide_on(&mut self, surfaces: &[Surface], t: f64, y: &mut [f64]) {
        self.leave_exits();
        let flow = &mut self.integrator.flow;
        flow.slide_on(surfaces, t, y);
        if surfaces.is_empty() {
            self.integrator.trial.restart(t, y);
            return;
        }
        // The fields have to be known for the jumps.
        flow.exit_weight(0, t, y);
        self.land_on_surfaces(t, y);
    }

    /// Puts the state onto the surfaces that the motion slides on from here on, whose fields are known, and watches their exits.
    fn land_on_surfaces(&mut self, t: f64, y: &mut [f64]) {
        let keeps_joints = self.integrator.keeps_joints();
        let flow = &mut self.integrator.flow;
        flow.move_along_jumps();
        flow.land_on_surfaces(t, y, keeps_joints);
        self.integrator.trial.restart(t, y);
        let count = self.integrator.flow.sliding().map_or(0, |sliding| sliding.surfaces().len());
        for i in 0..count {
            for side in [-1.0, 1.0] {
                self.watch.enter(self.comparisons.exit(i, side));
            }
        }
    }

    fn leave_exits(&mut self) {
        for exit in self.comparisons.guards()..self.watch.guards().len() {
            if self.watch.is_on(exit) {
                self.watch.leave(exit);
            }
        }
    }

    /// A cycle of two rounds between the two sides of one surface is sliding (rule 11). Gives whether it is.
    pub(super) fn slide_between(&mut self, rounds: usize) -> bool {
        let last = self.cascade.last(2);
        let [first, second] = last else { return false };
        let (&[first], &[second]) = (&first[..], &second[..]) else { return false };
        let guards = self.system().guards();
        if rounds != 2 || guards[first].response.reset || guards[second].response.reset {
            return false;
        }
        let Some(surface) = self.surface_of_modes(first, second) else { return false };
        let (t, mut y) = (self.integrator.trial.t, self.integrator.trial.start.clone());
        let mut surfaces = self.surfaces_kept(true);
        surface.rest(&mut self.integrator.flow.mode);
        surfaces.push(surface);
        surfaces.sort_by_key(|surface| surface.guard);
        self.note_sliding(surface.guard);
        self.slide_on(&surfaces, t, &mut y);
        self.activate_guards();
        self.recorder.add_kind(EventKind::Slide);
        true
    }

    /// The surface of two guards that lead from one mode to the other and back, if they have the same.
    fn surface_of_modes(&mut self, first: usize, second: usize) -> Option<Surface> {
        let guards = self.system().guards();
        let (a, b) = (&guards[first], &guards[second]);
        let there_and_back = a.mode.is_some() && a.mode == b.response.mode && b.mode == a.response.mode;
        let (home, other) = (a.mode.filter(|_| there_and_back)?, b.mode?);
        let (here, there) = (self.direction_in(first, home)?, self.direction_in(second, other)?);
        let cosine: f64 = here.iter().zip(&there).map(|(a, b)| a * b).sum();
        (cosine.abs() > 1.0 - PARALLEL)
            .then(|| Surface::of(guards, &self.integrator.flow.mode, first))
            .flatten()
    }

    /// The unit vector along which a guard of a mode grows, time included; none if it grows nowhere.
    fn direction_in(&mut self, guard: usize, mode: usize) -> Option<Vec<f64>> {
        let (t, mut y) = (self.integrator.trial.t, self.integrator.trial.start.clone());
        let mut gradient = vec![0.0; y.len()];
        let flow = &mut self.integrator.flow;
        let held = std::mem::replace(&mut flow.mode.values.place, mode);
        let rate = flow.gradient_at(guard, t, &mut y, &mut gradient);
        flow.mode.values.place = held;
        gradient.push(rate);
        let size = gradient.iter().map(|g| g * g).sum::<f64>().sqrt();
        for g in &mut gradient {
            *g /= size;
        }
        gradient.iter().all(|g| g.is_finite()).then_some(gradient)
    }
}

/// A surface, and how the motion comes to it.
type Meeting = (Surface, Incoming);

/// How the motion comes to a surface.
fn incoming_at(surface: &Surface, all: &[Meeting]) -> Incoming {
    all.iter().find(|(other, _)| other == surface).map_or_else(Incoming::default, |(_, incoming)| *incoming)
}

/// Headings of guards along the motion of a form.
struct Headings<'r, 'a> {
    along: Along<'r, 'a>,
    out: Vec<Banded>,
}

impl<'a> Motions<'a> for Headings<'_, 'a> {
    fn flow(&mut self) -> &mut Flow<'a> {
        &mut self.along.integrator.flow
    }

    fn heading(&mut self, guard: usize) -> Heading {
        let orientation = self.along.comparisons.orientation(guard);
        let decided = self.decided(guard);
        match decided.map(|(_, value)| value * orientation) {
            None => Heading::Stays,
            Some(value) if value > 0.0 => Heading::Up,
            Some(_) => Heading::Down,
        }
    }

    /// Where the rates of the surface depend on the side, here or soon, weights hold the motion there. Where they do not, as in `x'' = -sign(x)`, the mixture in
    /// equal parts may do so by itself.
    fn can_slide(&mut self, sliding: &Sliding) -> bool {
        let Integrator { flow, trial, .. } = &mut *self.along.integrator;
        if flow.depends_on_algebraic(sliding.surfaces()[0].guard, trial.t, &mut trial.start) {
            // What an algebraic state is there follows from the weights, and not the other way round.
            return false;
        }
        if !sliding.is_idle(0) {
            return true;
        }
        let (trial, h) = (&self.along.integrator.trial, SOON * self.along.h);
        let (t, mut y) = (trial.t + h, trial.start.clone());
        let mut soon = sliding.clone();
        soon.go_between(h, &mut y);
        self.along.integrator.flow.fields_next_to(&mut soon, t, &y);
        if !soon.is_idle(0) {
            return true;
        }
        let stays = (0..soon.sides()).all(|side| soon.rate(0, side).abs() <= soon.rounding(0));
        stays && self.keeps_constraints(sliding, h, &y)
    }
}

impl Headings<'_, '_> {
    /// Whether constraints do not take what a mixture of sides makes of speeds as motion across them, on either side.
    fn keeps_constraints(&mut self, sliding: &Sliding, h: f64, y: &[f64]) -> bool {
        let flow = &mut self.along.integrator.flow;
        let (t, count) = (self.along.integrator.trial.t + h, flow.system().constraints().len());
        let (mut position, mut velocity) = (vec![0.0; count], vec![0.0; count]);
        let start = &self.along.integrator.trial.start;
        let moved = start.iter().zip(y).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
        let held = flow.mode.clone();
        let kept = (0..sliding.sides()).all(|side| {
            sliding.set_side(side, &mut flow.mode);
            flow.residuals(t, y, &mut position, &mut velocity);
            velocity.iter().all(|rate| rate.abs() <= ACROSS * moved)
        });
        flow.mode = held;
        kept
    }

    /// The first coefficient above order zero that is known to differ from zero, with its order.
    fn decided(&mut self, guard: usize) -> Option<(usize, f64)> {
        self.out.clear();
        for order in 1..=MOST_ORDERS {
            if !self.along.series(guard, order, &mut self.out) {
                return self.decided_by_trials(guard);
            }
            if let Some(c) = self.out.get(order).filter(|c| c.sign().is_some()) {
                return Some((order, c.value));
            }
        }
        None
    }

    fn decided_by_trials(&mut self, guard: usize) -> Option<(usize, f64)> {
        for attempt in 0..MOST_ORDERS {
            if !self.along.trial_series(guard, attempt, &mut self.out) {
                return None;
            }
            let mut orders = self.out.iter().enumerate().skip(1);
            if let Some((order, c)) = orders.find(|(_, c)| c.sign().is_some()) {
                return Some((order, c.value));
            }
        }
        None
    }
}
