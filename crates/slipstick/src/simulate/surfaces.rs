//! Switching surfaces at one instant: which signs hold, and which surfaces the motion slides on (rules 11,
//! 19, 20).

use super::Error;
use super::guards::{Guards, other_jump};
use super::headings::Headings;
use super::integrator::Integrator;
use super::recorder::Recorder;
use crate::equations::Guard;
use crate::formulation::{Sliding, Surface, is_jump};
use crate::mode::Mode;
use crate::trajectory::{Event, EventKind, Round};
use crate::transition::{Firing, Heading, Incoming, Motions, Way, classify, is_searched, surfaces_left};
use crate::watch::Banded;

/// How often surfaces are looked at again because they depend on each other.
const MOST_PASSES: usize = 64;
/// Surfaces that are no further away than this many tolerances meet where the events of their switches
/// accumulate.
const NEAR: f64 = 10.0;
/// So do surfaces that are no further away than the motion goes in this many times the time left: it turns
/// round within it.
const REACHED: f64 = 4.0;

/// Classifies the surfaces that a motion stands on: it goes to a side of each, or slides along it.
pub(super) struct Surfaces<'r, 'a> {
    pub(super) integrator: &'r mut Integrator<'a>,
    pub(super) guards: &'r mut Guards,
    pub(super) recorder: &'r mut Recorder,
    /// The state and the mode before the last round.
    pub(super) before: (&'r [f64], &'r Mode),
    /// How exactly the last event was located.
    pub(super) location: f64,
}

impl<'a> Surfaces<'_, 'a> {
    /// The value of a comparison here.
    fn value_of(&mut self, comparison: usize) -> Banded {
        self.guards.signal(self.integrator, comparison, 0.0)
    }

    /// The guards of the system.
    pub(super) fn all(&self) -> &'a [Guard] {
        self.integrator.flow.system().guards()
    }

    /// The time and the state where the motion stands.
    fn here(&self) -> (f64, Vec<f64>) {
        (self.integrator.trial.t, self.integrator.trial.start.clone())
    }

    /// Watches what holds in the mode that was locked.
    fn activate_guards(&mut self) {
        self.guards.activate(&mut self.integrator.flow, self.integrator.trial.t);
    }

    /// Classifies all switches whose surfaces the motion stands on, jumps of whole numbers that it has just
    /// crossed, and surfaces that it slides on.
    pub(super) fn classify(&mut self, firing: &Firing) -> Result<(), Error> {
        let guards = self.all();
        let slides = self.integrator.flow.sliding().is_some();
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

    /// The surfaces that the motion leaves because their exits have fired, with the sides that it goes to.
    fn surfaces_left(&self, firing: &Firing) -> Vec<Meeting> {
        let sliding = self.integrator.flow.sliding();
        let left = sliding.map_or_else(Vec::new, |sliding| surfaces_left(sliding, &firing.exits));
        left.into_iter().map(|(surface, side)| (surface, Incoming { side, leaves: true })).collect()
    }

    /// Whole numbers at whose jumps a run begins are those that the motion goes to: that is no event.
    pub(super) fn classify_counts(&mut self) {
        let guards = self.all();
        for g in (0..guards.len()).filter(|&g| is_jump(&guards[g])) {
            let Some(count) = guards[g].response.count.filter(|_| self.guards.watch.is_on(g)) else {
                continue;
            };
            if self.value_of(g).sign().is_some() {
                continue;
            }
            let (_, along) = self.guards.along(self.integrator);
            let passes =
                Headings::new(along).heading(g) == if count.up { Heading::Up } else { Heading::Down };
            if passes {
                self.integrator.flow.mode.values.counts[count.index] += if count.up { 1.0 } else { -1.0 };
            }
            let at_zero = if passes { other_jump(guards, g).unwrap_or(g) } else { g };
            self.guards.watch.place(at_zero, false, false, 0.0);
        }
    }

    /// The surfaces slid on that the motion still stands on: a mode may have no use for them, and a
    /// transition that has just happened may have taken it away from them.
    fn surfaces_kept(&mut self, happened: bool) -> Vec<Surface> {
        let guards = self.all();
        let slid = self.integrator.flow.mode.structure.sliding.clone();
        let (mut kept, mut left) = (Vec::new(), Vec::new());
        for g in slid {
            if self.integrator.flow.watches(g) && !(happened && self.is_moved_from(g)) {
                kept.extend(Surface::of(guards, &self.integrator.flow.mode, g));
            } else {
                left.push(g);
            }
        }
        for g in left {
            self.lock_where_moved(g);
        }
        kept
    }

    /// What tells the sides of a surface that the motion was taken away from is locked to the side where it stands.
    fn lock_where_moved(&mut self, g: usize) {
        if !self.integrator.flow.watches(g) {
            return;
        }
        let Some(surface) = Surface::of(self.all(), &self.integrator.flow.mode, g) else { return };
        let Some(side) = self.value_of(g).sign() else { return };
        surface.lock(&mut self.integrator.flow.mode, side * self.guards.comparisons.orientation(g));
        if surface.switch().is_some() {
            self.guards.watch.place(g, side > 0.0, false, 0.0);
        }
    }

    /// Whether a transition has taken the motion away from a surface. How far it was from there before is
    /// what rounding has left of being put onto it.
    fn is_moved_from(&mut self, guard: usize) -> bool {
        let ((y, mode), flow) = (self.before, &mut self.integrator.flow);
        let mode_after = std::mem::replace(&mut flow.mode, mode.clone());
        let left = flow.guards().along(guard, self.integrator.trial.t, y).abs();
        flow.mode = mode_after;
        let now = self.value_of(guard);
        now.value.abs() > now.band.max(2.0 * left)
    }

    /// The switches inside their bands that are not slid on, with the side that they are locked to; others
    /// than those known.
    fn switches_met(&mut self, known: &[usize]) -> Vec<(Surface, f64)> {
        let guards = self.all();
        let mut met = Vec::new();
        for g in (0..guards.len()).filter(|g| !known.contains(g)) {
            let flow = &self.integrator.flow;
            let is_switch = guards[g].response.switch.is_some() && is_searched(&guards[g]);
            if !is_switch || !flow.watches(g) || flow.mode.structure.sliding.contains(&g) {
                continue;
            }
            let value = self.value_of(g);
            let mode = &self.integrator.flow.mode;
            let inside = self.guards.watch.is_inside(g, value);
            met.extend(Surface::of(guards, mode, g).filter(|_| inside).map(|on| (on, on.sign(mode))));
        }
        met
    }

    /// The jumps of whole numbers that have just been crossed, with the side that they were crossed to.
    fn jumps_met(&mut self, firing: &Firing) -> Vec<(Surface, f64)> {
        let guards = self.all();
        let crossed = |g: &&usize| is_jump(&guards[**g]) && self.guards.watch.side(**g).is_inside();
        let fired: Vec<usize> = firing.guards.iter().filter(crossed).copied().collect();
        let mut met = Vec::new();
        if fired.is_empty() {
            return met;
        }
        let mut mode = self.integrator.flow.mode.clone();
        for g in fired {
            let Some(count) = guards[g].response.count else { continue };
            let now = self.integrator.flow.mode.values.counts[count.index];
            mode.values.counts[count.index] = if count.up { now - 1.0 } else { now };
            let up = if count.up { Some(g) } else { other_jump(guards, g) };
            let surface = up.and_then(|up| Surface::of(guards, &mode, up));
            met.extend(surface.map(|surface| (surface, if count.up { 1.0 } else { -1.0 })));
        }
        met
    }

    /// Classifies surfaces once. Gives whether anything has changed, so that other branches may be taken.
    fn classify_once(&mut self, all: &[Meeting]) -> Result<bool, Error> {
        let (t, y) = self.here();
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
        let mut sliding = flow.switching(t).meet(&surfaces, &y);
        flow.switching(t).evaluate_here(&mut sliding, &y);
        let guards: Vec<usize> = surfaces.iter().map(|surface| surface.guard).collect();
        if !flow.switching(t).fields_add_up(&sliding) {
            return Err(self.too_many_surfaces(&guards));
        }
        self.recorder.statistics().starts.settling +=
            sliding.set.sides().count() as u64 + u64::from(sliding.set.sides().add_up());
        let incoming: Vec<Incoming> =
            sliding.set.surfaces().iter().map(|surface| incoming_at(surface, all)).collect();
        let classified = {
            let (_, along) = self.guards.along(self.integrator);
            classify(&mut Headings::new(along), &mut sliding, &incoming)
        };
        let Some(classified) = classified else {
            return Err(Error::NoConsistentSwitches { t, names: self.names_of(&guards) });
        };
        self.note_classified(&mut sliding, &classified, (&guards, &old_mode.structure.sliding));
        self.go_ways(sliding, &classified.ways, &incoming);
        Ok(old_mode != self.integrator.flow.mode)
    }

    /// Locks the sides that the motion goes to, and lets it slide on the other surfaces.
    fn go_ways(&mut self, sliding: Sliding, ways: &[Way], incoming: &[Incoming]) {
        let (t, mut y) = self.here();
        let leaders = sliding
            .set
            .surfaces()
            .iter()
            .enumerate()
            .map(|(i, surface)| (*surface, ways[i], incoming[i].leaves));
        let followers = sliding.set.followers().iter().map(|follower| {
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
            self.integrator.flow.slide_along(sliding);
            self.land_on_surfaces(t, &mut y);
        } else {
            self.integrator.flow.switching(t).give_back(sliding);
            self.slide_on(&along, t, &mut y);
        }
        self.activate_guards();
        for (guard, side, leaves) in sides {
            self.place(guard, side, leaves);
        }
    }

    /// A surface inside its band belongs to the side of this sign. Above a jump of a whole number, the guard
    /// at which that goes down is at zero.
    fn place(&mut self, guard: usize, side: f64, leaves: bool) {
        let jump = is_jump(&self.all()[guard]);
        let other = || other_jump(self.all(), guard).unwrap_or(guard);
        let at_zero = if jump && side > 0.0 { other() } else { guard };
        if self.guards.watch.is_on(at_zero) {
            let plus = !jump && side * self.guards.comparisons.orientation(at_zero) > 0.0;
            let slack = if leaves { self.slack_of_leaving(at_zero) } else { 0.0 };
            self.guards.watch.place(at_zero, plus, leaves, slack);
        }
    }

    /// How far from a surface that is left counts as on it: what rounding has left of being put onto it, and how
    /// far the motion goes back in the time by which it may leave too early.
    fn slack_of_leaving(&mut self, guard: usize) -> f64 {
        let too_early = f64::EPSILON * self.integrator.trial.t.abs() + self.location;
        let rate = self.guards.along(self.integrator).1.rate(guard).value;
        self.value_of(guard).value.abs().max(rate.abs() * too_early)
    }

    /// The switches on whose surfaces the motion stands, or comes to in the time that is left.
    pub(super) fn switches_near(&mut self, left: f64) -> Vec<usize> {
        let (guards, (t, mut y)) = (self.all(), self.here());
        let widths = self.integrator.widths(&y);
        let flow = &mut self.integrator.flow;
        let mut rates = vec![0.0; y.len()];
        flow.first_derivative(t, &y, &mut rates);
        let mut near: Vec<usize> =
            (0..guards.len()).filter(|&g| guards[g].response.switch.is_some()).collect();
        near.retain(|&g| {
            let free = flow.watches(g) && !flow.mode.structure.sliding.contains(&g);
            let near = NEAR * flow.guards().spread(g, t, &mut y, &widths);
            let ahead = REACHED * left * flow.guards().spread(g, t, &mut y, &rates);
            free && flow.guards().value(g, t, &y).abs() <= near.max(ahead)
        });
        near
    }

    /// The surfaces of some guards with those slid on, if the motion can stay on all of them.
    pub(super) fn can_stay_on(&mut self, near: &[usize]) -> Option<Vec<Surface>> {
        let (guards, (t, y)) = (self.all(), self.here());
        let flow = &mut self.integrator.flow;
        let mut all: Vec<usize> = flow.mode.structure.sliding.iter().chain(near).copied().collect();
        all.sort_unstable();
        let mode = flow.mode.clone();
        let surfaces: Vec<Surface> = all.iter().filter_map(|&g| Surface::of(guards, &mode, g)).collect();
        let mut sliding = flow.switching(t).meet(&surfaces, &y);
        flow.switching(t).evaluate_here(&mut sliding, &y);
        let stays = sliding.combination.can_stay_on_all();
        flow.switching(t).give_back(sliding);
        stays.then_some(surfaces)
    }

    /// The motion stays on surfaces from here on, those of `near` among them: that is an event.
    pub(super) fn stay_on(&mut self, surfaces: &[Surface], near: &[usize]) {
        self.note_corner(near);
        let (t, mut y) = self.here();
        let (before, place) = (y.clone(), self.integrator.flow.mode.values.place);
        self.slide_on(surfaces, t, &mut y);
        self.activate_guards();
        let mode = self.integrator.flow.mode.clone();
        let round =
            Round { guards: near.to_vec(), kinds: vec![EventKind::Slide], after: y, mode, impact: None };
        self.recorder.add_round(round, || Event::new(t, None, &before, place));
    }

    /// The motion slides on these surfaces from here on, or on none; the state is put onto them.
    fn slide_on(&mut self, surfaces: &[Surface], t: f64, y: &mut [f64]) {
        let flow = &mut self.integrator.flow;
        flow.slide_on(surfaces, t, y);
        if surfaces.is_empty() {
            self.guards.watch_exits(0);
            self.integrator.trial.restart(t, y);
            return;
        }
        // The fields have to be known for the jumps.
        flow.switching(t).exit_weight(0, y);
        self.land_on_surfaces(t, y);
    }

    /// Puts the state onto the surfaces that the motion slides on from here on, whose fields are known, and
    /// watches their exits.
    fn land_on_surfaces(&mut self, t: f64, y: &mut [f64]) {
        let keeps_joints = self.integrator.keeps_joints();
        let flow = &mut self.integrator.flow;
        flow.move_along_jumps();
        flow.projection().project_onto_surfaces(t, y, keeps_joints);
        self.integrator.trial.restart(t, y);
        self.guards
            .watch_exits(self.integrator.flow.sliding().map_or(0, |sliding| sliding.set.surfaces().len()));
    }

    /// A cycle of two rounds between the two sides of one surface is sliding (rule 11): `rounds` is what
    /// fired in them. Gives whether it is.
    pub(super) fn slide_between(&mut self, rounds: &[Vec<usize>]) -> bool {
        let [first, second] = rounds else { return false };
        let (&[first], &[second]) = (&first[..], &second[..]) else { return false };
        let guards = self.all();
        if guards[first].response.sets_state() || guards[second].response.sets_state() {
            return false;
        }
        let Some(of_modes) = self.surfaces_of_modes(first, second) else { return false };
        let (t, mut y) = self.here();
        let mut surfaces = self.surfaces_kept(true);
        surfaces.extend(of_modes);
        surfaces.sort_by_key(|surface| surface.guard);
        for surface in &surfaces {
            surface.rest(&mut self.integrator.flow.mode);
        }
        self.note_sliding(first);
        self.slide_on(&surfaces, t, &mut y);
        self.activate_guards();
        self.recorder.amend_round(EventKind::Slide, &y, &self.integrator.flow.mode);
        true
    }

    /// The surfaces of two guards that lead from one mode to the other and back, if they are one surface on which the
    /// motion stands, with one mode on each side: the guards are true on opposite sides.
    fn surfaces_of_modes(&mut self, first: usize, second: usize) -> Option<[Surface; 2]> {
        let guards = self.all();
        let (a, b) = (&guards[first], &guards[second]);
        let there_and_back = a.mode.is_some() && a.mode == b.response.mode && b.mode == a.response.mode;
        let stands_on = |surfaces: &mut Self, guard: usize| {
            let value = surfaces.value_of(guard);
            surfaces.guards.watch.is_inside(guard, value)
        };
        if !there_and_back || !stands_on(self, first) || !stands_on(self, second) {
            return None;
        }
        let (t, y) = self.here();
        let mut mode = self.integrator.flow.mode.clone();
        let surfaces = [Surface::of(guards, &mode, first)?, Surface::of(guards, &mode, second)?];
        let met = self.integrator.flow.switching(t).meet(&surfaces, &y);
        let [follower] = met.set.followers() else { return None };
        let mut mode_beyond = |surface: &Surface, side: f64| {
            surface.lock(&mut mode, side);
            mode.values.place
        };
        let alike = mode_beyond(&surfaces[0], 1.0) == mode_beyond(&surfaces[1], follower.orientation);
        alike.then_some(surfaces)
    }
}

/// A surface, and how the motion comes to it.
type Meeting = (Surface, Incoming);

/// How the motion comes to a surface.
fn incoming_at(surface: &Surface, all: &[Meeting]) -> Incoming {
    all.iter().find(|(other, _)| other == surface).map_or_else(Incoming::default, |(_, incoming)| *incoming)
}

#[cfg(test)]
mod tests {
    use super::super::Plan;
    use super::super::recorder::empty_trajectory;
    use super::*;
    use crate::trajectory::Segment;

    /// How a motion that begins at 0 goes on where `x' = f(sign(x))`: the sign, and which surfaces are slid
    /// on.
    fn classified(f: &str) -> (f64, Vec<usize>) {
        let text = format!("states = {{ x = 0.0 }}\nderivatives = {{ x = \"{f}\" }}\nrun = {{ until = 3 }}");
        let plan = Plan::of(&text);
        let mut integrator = Integrator::of(&plan);
        let mut guards = Guards::new(&integrator);
        guards.activate(&mut integrator.flow, 0.0);
        let mode = integrator.flow.mode.clone();
        let segment = Segment::new(mode.clone(), 0.0, &plan.start.y);
        let (empty, method) = (empty_trajectory(&plan.system, &plan.options), integrator.selector.method());
        let mut recorder = Recorder::new(empty, plan.options.keep, segment, method);
        let mut surfaces = Surfaces {
            integrator: &mut integrator,
            guards: &mut guards,
            recorder: &mut recorder,
            before: (&[0.0], &mode),
            location: 0.0,
        };
        surfaces.classify(&Firing::default()).expect("a way to go on");
        assert_eq!(recorder.record.notes.is_empty(), guards.watch.watched() == [0], "sliding is noted");
        (integrator.flow.mode.values.signs[0], integrator.flow.mode.structure.sliding.clone())
    }

    #[test]
    fn a_motion_crosses_a_surface_or_slides_on_it() {
        assert_eq!(classified("2 + sign(x)"), (1.0, vec![]));
        assert_eq!(classified("sign(x) - 2"), (-1.0, vec![]));
        assert_eq!(classified("0.5 - sign(x)").1, [0]);
    }
}
