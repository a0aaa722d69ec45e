//! Switching surfaces at one instant: which signs hold, and which surfaces the motion slides on (rules 10, 11, 19, 20).

use super::Error;
use super::signals::{Along, has_surface};
use super::simulator::{Firing, Simulator, locks};
use crate::equations::GuardKind;
use crate::event::Way;
use crate::formulation::{Flow, Sliding, Surface, is_jump};
use crate::trajectory::EventKind;
use crate::transition::{Heading, Motions, classify};
use crate::watch::{Banded, MOST_ORDERS, Signals};

/// How often locks are looked at again because they depend on each other.
const MOST_PASSES: usize = 64;
/// How far the cosine between the gradients of one surface, written twice, may be from one.
const PARALLEL: f64 = 1e-12;

impl Simulator<'_> {
    /// Locks signs and counts that have no past by their values, in the order in which they depend on each other (rule 10). Those inside their bands
    /// are classified afterwards.
    pub(super) fn lock_by_value(&mut self) -> Result<(), Error> {
        let guards = self.system().guards();
        if !guards.iter().any(locks) {
            return Ok(());
        }
        for _ in 0..MOST_PASSES {
            let mut changed = false;
            for g in (0..guards.len()).filter(|&g| locks(&guards[g])) {
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
    pub(super) fn lock_switches_by_value(&mut self) -> Result<(), Error> {
        let guards = self.system().guards();
        for g in 0..guards.len() {
            let Some(switch) = guards[g].response.switch.filter(|_| has_surface(guards[g].kind)) else { continue };
            let slides = self.integrator.flow.mode.structure.sliding.contains(&g);
            if let Some(side) = self.value_of(g).sign().filter(|_| self.integrator.flow.watches(g) && !slides) {
                self.integrator.flow.mode.values.signs[switch] = side * self.comparisons.orientation(g);
            }
        }
        Ok(())
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
            self.watch.place(g, side > 0.0);
            return Ok(old != surface);
        }
        let Some(count) = guard.response.count else { return Ok(false) };
        if side < 0.0 {
            return Ok(false);
        }
        let by = value.value.ceil();
        mode.values.counts[count.index] += if count.up { by } else { -by };
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

    /// Classifies all switches whose surfaces the motion stands on, and those that it slides on.
    pub(super) fn classify_switches(&mut self, firing: &Firing) -> Result<(), Error> {
        let flow = &mut self.integrator.flow;
        let guards = flow.system().guards();
        if !guards.iter().any(|guard| guard.response.switch.is_some() || is_jump(guard)) && flow.mode.structure.sliding.is_empty() {
            return Ok(());
        }
        for _ in 0..MOST_PASSES {
            let slid = self.surfaces_kept();
            let met = self.surfaces_met();
            if met.is_empty() && slid == self.integrator.flow.mode.structure.sliding && firing.exits.is_empty() && !self.fields_may_differ(firing) {
                return Ok(());
            }
            if !self.classify_once(&slid, &met)? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Whether something other than the surfaces slid on has changed the fields along them.
    fn fields_may_differ(&self, firing: &Firing) -> bool {
        !self.integrator.flow.mode.structure.sliding.is_empty() && !firing.guards.is_empty()
    }

    /// The surfaces slid on that the motion still stands on: a reset may have taken it away, a mode may have no use for them.
    fn surfaces_kept(&mut self) -> Vec<usize> {
        let mut slid = self.integrator.flow.mode.structure.sliding.clone();
        slid.retain(|&g| self.integrator.flow.watches(g));
        slid.retain(|&g| self.is_inside(g));
        slid
    }

    fn is_inside(&mut self, g: usize) -> bool {
        let value = self.value_of(g);
        value.sign().is_none()
    }

    /// The switches inside their bands that are not slid on.
    fn surfaces_met(&mut self) -> Vec<usize> {
        let guards = self.system().guards();
        let is_switch = |g: &usize| guards[*g].response.switch.is_some() && has_surface(guards[*g].kind);
        let free = |g: &usize| self.integrator.flow.watches(*g) && !self.integrator.flow.mode.structure.sliding.contains(g);
        let candidates: Vec<usize> = (0..guards.len()).filter(is_switch).filter(free).collect();
        candidates.into_iter().filter(|&g| self.is_inside(g)).collect()
    }

    /// Classifies surfaces once. Gives whether signs have changed, so that other branches may be taken.
    fn classify_once(&mut self, slid: &[usize], met: &[usize]) -> Result<bool, Error> {
        let (t, y) = (self.integrator.trial.t, self.integrator.trial.start.clone());
        let old_mode = self.integrator.flow.mode.clone();
        let mut all: Vec<usize> = slid.iter().chain(met).copied().collect();
        all.sort_unstable();
        let guards = self.system().guards();
        let flow = &mut self.integrator.flow;
        let surfaces: Vec<Surface> = all.iter().filter_map(|&g| Surface::of(guards, &old_mode, g)).collect();
        flow.slide_on(&[], t, &y);
        if surfaces.is_empty() {
            self.activate_guards();
            return Ok(old_mode != self.integrator.flow.mode);
        }
        let mut sliding = flow.meet(&surfaces, t, &y);
        let wanted: Vec<f64> = sliding
            .surfaces()
            .iter()
            .map(|surface| if slid.contains(&surface.guard) { 0.0 } else { surface.sign(&old_mode) })
            .collect();
        flow.fields_at(&mut sliding, t, &y);
        self.recorder.statistics().settling += sliding.sides() as u64;
        let classified = {
            let (_, along) = self.along();
            classify(&mut Headings { along, out: Vec::new() }, &mut sliding, &wanted)
        };
        let Some(classified) = classified else {
            let names = self.names_of(&all);
            return Err(Error::NoConsistentSwitches { t, names });
        };
        if !classified.unique {
            self.note_choice(&all);
        }
        self.go_ways(&sliding, &classified.ways, &old_mode.structure.sliding)?;
        Ok(old_mode != self.integrator.flow.mode)
    }

    /// Locks the sides that the motion goes to, and lets it slide on the other surfaces.
    fn go_ways(&mut self, sliding: &Sliding, ways: &[Way], slid_before: &[usize]) -> Result<(), Error> {
        let (t, mut y) = (self.integrator.trial.t, self.integrator.trial.start.clone());
        let leaders = sliding.surfaces().iter().copied().zip(ways.iter().copied());
        let followers = sliding.followers().iter().map(|follower| {
            let way = match ways[follower.leader] {
                Way::Side(side) => Way::Side(follower.orientation * side),
                Way::Along => Way::Along,
            };
            (follower.surface, way)
        });
        let (mut along, mut sides) = (Vec::new(), Vec::new());
        for (surface, way) in leaders.chain(followers) {
            match way {
                Way::Side(side) => {
                    surface.lock(&mut self.integrator.flow.mode, side);
                    sides.push((surface.guard, side));
                }
                Way::Along => {
                    surface.rest(&mut self.integrator.flow.mode);
                    along.push(surface);
                }
            }
        }
        along.sort_by_key(|surface| surface.guard);
        for surface in &along {
            if !slid_before.contains(&surface.guard) {
                self.note_sliding(surface.guard);
            }
        }
        self.slide_on(&along, t, &mut y);
        self.activate_guards();
        for (guard, side) in sides {
            if self.watch.is_on(guard) {
                self.watch.place(guard, side * self.comparisons.orientation(guard) > 0.0);
            }
        }
        Ok(())
    }

    /// Puts the motion onto surfaces that it is next to, and lets it slide on them and on those before. Gives whether it can stay there.
    pub(super) fn stay_on(&mut self, near: &[usize]) -> Result<bool, Error> {
        let (t, mut y) = (self.integrator.trial.t, self.integrator.trial.start.clone());
        let guards = self.system().guards();
        let flow = &mut self.integrator.flow;
        let held = flow.mode.structure.sliding.clone();
        let mut all: Vec<usize> = held.iter().chain(near).copied().collect();
        all.sort_unstable();
        let mode = flow.mode.clone();
        let surfaces: Vec<Surface> = all.iter().filter_map(|&g| Surface::of(guards, &mode, g)).collect();
        let mut sliding = flow.meet(&surfaces, t, &y);
        flow.fields_at(&mut sliding, t, &y);
        let stays = sliding.can_stay_on_all();
        if stays {
            for &g in near {
                self.note_sliding(g);
            }
            self.slide_on(&surfaces, t, &mut y);
            self.activate_guards();
            self.recorder.add_kind(EventKind::Slide);
        }
        Ok(stays)
    }

    /// The motion slides on these surfaces from here on, or on none; the state is put onto them.
    pub(super) fn slide_on(&mut self, surfaces: &[Surface], t: f64, y: &mut [f64]) {
        self.leave_exits();
        let flow = &mut self.integrator.flow;
        flow.slide_on(surfaces, t, y);
        flow.land_on_surfaces(t, y, false);
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
        let surface = if is_jump(&guards[first]) {
            self.count_surface(first, second)
        } else {
            self.surface_of_modes(first, second)
        };
        let Some(surface) = surface else { return false };
        let (t, mut y) = (self.integrator.trial.t, self.integrator.trial.start.clone());
        surface.rest(&mut self.integrator.flow.mode);
        self.note_sliding(surface.guard);
        self.slide_on(&[surface], t, &mut y);
        self.activate_guards();
        self.recorder.add_kind(EventKind::Slide);
        true
    }

    /// The surface of a whole number that goes up and down again.
    fn count_surface(&self, first: usize, second: usize) -> Option<Surface> {
        let guards = self.system().guards();
        let (a, b) = (guards[first].response.count?, guards[second].response.count?);
        let up = if a.up { first } else { second };
        let mut mode = self.integrator.flow.mode.clone();
        // The last round has counted: up from the lower number, or down to it.
        mode.values.counts[a.index] -= f64::from(u8::from(b.up));
        (a.index == b.index && a.up != b.up).then(|| Surface::of(guards, &mode, up)).flatten()
    }

    /// The surface of two guards that lead from one mode to the other and back, if they have the same.
    fn surface_of_modes(&mut self, first: usize, second: usize) -> Option<Surface> {
        let guards = self.system().guards();
        let (a, b) = (&guards[first], &guards[second]);
        let there_and_back = a.mode.is_some() && a.mode == b.response.mode && b.mode == a.response.mode;
        let (home, other) = (a.mode.filter(|_| there_and_back)?, b.mode?);
        let (here, there) = (self.direction_in(first, home)?, self.direction_in(second, other)?);
        let cosine: f64 = here.iter().zip(&there).map(|(a, b)| a * b).sum();
        (cosine.abs() > 1.0 - PARALLEL).then(|| Surface::of(guards, &self.integrator.flow.mode, first)).flatten()
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
        gradient.iter_mut().for_each(|g| *g /= size);
        gradient.iter().all(|g| g.is_finite()).then_some(gradient)
    }

    fn names_of(&self, guards: &[usize]) -> String {
        let names: Vec<String> = guards.iter().map(|&g| format!("`{}`", self.guard(g).name)).collect();
        names.join(" and ")
    }

    fn note_sliding(&mut self, g: usize) {
        let name = &self.guard(g).name;
        self.recorder.note_once(self.integrator.trial.t, ("slides", name), || {
            format!("the motion is pushed onto the surface of `{name}` from both sides and slides along it")
        });
    }

    fn note_choice(&mut self, guards: &[usize]) {
        let names = self.names_of(guards);
        self.recorder.note_once(self.integrator.trial.t, ("not-unique", &names), || {
            format!(
                "at the surface of {names} the motion can go on in more than one way; it goes on to the side it was going to"
            )
        });
    }
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
        match decided.map(|value| value * orientation) {
            None => Heading::Stays,
            Some(value) if value > 0.0 => Heading::Up,
            Some(_) => Heading::Down,
        }
    }
}

impl Headings<'_, '_> {
    /// The first coefficient above order zero that is known to differ from zero.
    fn decided(&mut self, guard: usize) -> Option<f64> {
        self.out.clear();
        for order in 1..=MOST_ORDERS {
            if !self.along.series(guard, order, &mut self.out) {
                return self.decided_by_trials(guard);
            }
            if let Some(c) = self.out.get(order).filter(|c| c.sign().is_some()) {
                return Some(c.value);
            }
        }
        None
    }

    fn decided_by_trials(&mut self, guard: usize) -> Option<f64> {
        for attempt in 0..MOST_ORDERS {
            if !self.along.trial_series(guard, attempt, &mut self.out) {
                return None;
            }
            if let Some(c) = self.out.iter().skip(1).find(|c| c.sign().is_some()) {
                return Some(c.value);
            }
        }
        None
    }
}
