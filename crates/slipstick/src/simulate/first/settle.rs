//! What a run does where its motion meets switching surfaces.

use super::Error;
use super::run::Run;
use crate::equations::{Guard, GuardKind};
use crate::formulation::{MOST_SURFACES, Sliding, Surface, is_jump};
use crate::trajectory::EventKind;

/// A guard that constraints hold is at zero if it is no more than so many times its rounding away.
const AT_ZERO: f64 = 8.0;
/// A guard that is further from zero than this, beside the largest state, is not held there.
const NEAR: f64 = 1e-3;

impl Run<'_> {
    /// Settles how the motion goes on at the start of a segment, at the surfaces that it meets or slides on.
    pub(super) fn settle_switches(&mut self) -> Result<(), Error> {
        let guards = self.flow.system().guards();
        let may_switch = |guard: &Guard| guard.response.switch.is_some() || is_jump(guard);
        if !guards.iter().any(may_switch) || !self.flow.settles_switches() {
            return Ok(());
        }
        let (t, fired) = (self.trial.t, self.detector.fired_before());
        self.after.copy_from_slice(&self.trial.start);
        let was_sliding = self.flow.mode.structure.sliding.clone();
        let mut stay = was_sliding.clone();
        // A new mode may have no use for a surface; then there is nothing to slide on.
        stay.retain(|&g| self.flow.watches(g));
        if stay != was_sliding {
            self.keep_to(t, &stay);
        }
        let leaves = fired.iter().any(|g| was_sliding.contains(g));
        // Of surfaces that depend on each other none is left alone.
        let together = leaves && self.flow.sliding().is_some_and(Sliding::is_dependent);
        if leaves && !together {
            self.leave(t, &fired, &mut stay);
        }
        if !self.is_on_surfaces(t) {
            stay.clear();
        }
        let mut met = self.surfaces_met(&was_sliding);
        self.add_twins(t, &mut met);
        self.add_jumps(t, &fired, &mut met);
        met.retain(|&g| !self.flow.depends_on_algebraic(g, t, &mut self.after));
        // Any other event can have changed the fields along the surfaces.
        let other = fired.iter().any(|g| !was_sliding.contains(g));
        if !met.is_empty() || ((other || together) && !stay.is_empty()) {
            self.meet(t, &stay, &met)?;
        } else if stay != self.flow.mode.structure.sliding {
            self.slide_on(t, &stay);
        }
        let left = stay.iter().chain(&fired).filter(|g| was_sliding.contains(g));
        let on: Vec<usize> =
            left.chain(&met).copied().filter(|g| !self.flow.mode.structure.sliding.contains(g)).collect();
        let on: Vec<usize> = on.into_iter().map(|g| self.guard_at_zero(g, t)).collect();
        self.flow.stand_on(&on);
        for &g in &on {
            let (slack, rounding) = (self.slack(g, t), self.flow.noise_of(g, t, &mut self.after));
            self.detector.leaves(g, slack, rounding);
        }
        self.log_sliding(&was_sliding);
        if !met.is_empty() || stay != was_sliding {
            self.solve_algebraic(t);
        }
        self.trial.restart(t, &self.after);
        Ok(())
    }

    /// Where signs or other states have changed, algebraic states jump.
    fn solve_algebraic(&mut self, t: f64) {
        if self.flow.solve_algebraic(t, &mut self.after)
            && let Some(event) = self.record.events.last_mut().filter(|event| event.t == t)
        {
            event.after.copy_from_slice(&self.after);
        }
    }

    /// After an event that has changed something, the algebraic states follow from the others. Where sliding begins or ends that has been done.
    pub(super) fn make_consistent(&mut self) {
        if self.flow.is_mechanism() || self.flow.sliding().is_some() {
            return;
        }
        self.after.copy_from_slice(&self.trial.start);
        self.solve_algebraic(self.trial.t);
        self.trial.restart(self.trial.t, &self.after);
    }

    /// How wrong a guard can be right after a motion has left its surface. Dense output of explicit methods starts with the exact slope; that of
    /// implicit ones can be on the wrong side by the tolerance, where the motion leaves along the tangent, and so can that of any method off the constraints of a
    /// mechanism.
    fn slack(&mut self, guard: usize, t: f64) -> f64 {
        let exact = !self.step.method().facts().implicit && !self.flow.is_mechanism();
        if exact { 0.0 } else { self.tolerance_of(guard, t) }
    }

    /// Finds the guards that stand at zero because the constraints of a mechanism hold them there: a latch that has caught what it waits for.
    pub(super) fn hold_guards(&mut self) {
        self.detector.hold_none();
        if !self.flow.is_mechanism() || self.flow.is_reaching() {
            return;
        }
        let guards = self.flow.system().guards();
        let waits = |g: &usize| {
            let response = &guards[*g].response;
            guards[*g].kind == GuardKind::Surface && response.switch.is_none() && response.count.is_none()
        };
        let size = self.trial.start.iter().fold(1.0_f64, |most, y| most.max(y.abs()));
        for g in (0..guards.len()).filter(waits) {
            // Joints that have just shut move states by less than that.
            let is_near = self.detector.value(g).abs() <= NEAR * size;
            if is_near && let Some((rounding, band)) = self.held_at_zero(g) {
                self.detector.hold(g, rounding, band);
            }
        }
    }

    /// How large a guard is by rounding, and how large it can seem within a step, if constraints hold it at zero.
    fn held_at_zero(&mut self, guard: usize) -> Option<(f64, f64)> {
        let (t, mut y) = (self.trial.t, self.trial.start.clone());
        if !self.flow.watches(guard) {
            return None;
        }
        let mut gradient = vec![0.0; y.len()];
        self.flow.gradient_of(guard, t, &mut y, &mut gradient);
        // Constraints are met to the rounding of states beside one, also where states are much smaller.
        let least = |(i, slope): (usize, &f64)| slope.abs() * f64::EPSILON * (1.0 + y[i].abs());
        let least: f64 = gradient.iter().enumerate().map(least).sum();
        let rounding = AT_ZERO * self.flow.noise_of(guard, t, &mut y.clone()).max(least);
        if self.flow.guard(guard, t, &y).abs() > rounding {
            return None;
        }
        let off = |(i, slope): (usize, &f64)| slope.abs() * self.uncertainty_of(i, y[i]);
        let band: f64 = gradient.iter().enumerate().map(off).sum();
        let time = self.options.until - t;
        self.flow.holds(guard, t, &y, &gradient, (time, band)).then_some((rounding, band))
    }

    /// How far a guard may be off by the tolerances of the states.
    pub(super) fn tolerance_of(&mut self, guard: usize, t: f64) -> f64 {
        let tolerances = &self.options.tolerances;
        let widths: Vec<f64> =
            (0..self.after.len()).map(|i| tolerances.scale(i, self.after[i].abs())).collect();
        self.flow.spread_of(guard, t, &mut self.after, &widths)
    }

    /// Where a motion dies out on a surface, no step can reach it without looking behind it. When steps cannot shrink any more and it is as near as can be
    /// told, it is put onto the surface and the guard fires. Tells whether that is so.
    pub(super) fn arrives(&mut self) -> bool {
        let Some(guard) = self.blocked_by.take() else { return false };
        let (t, mut y) = (self.trial.t, self.trial.start.clone());
        self.after.copy_from_slice(&y);
        if self.flow.guard(guard, t, &y).abs() > self.tolerance_of(guard, t) {
            return false;
        }
        if let Some(surface) = Surface::of(self.flow.system().guards(), &self.flow.mode, guard) {
            let ahead = -surface.sign(&self.flow.mode);
            self.flow.step_aside(surface, ahead, t, &mut y);
            self.trial.restart(t, &y);
        }
        self.detector.fire_now(guard);
        true
    }

    /// Switching surfaces that the motion has come to all at once, where it goes round and round between them: it stands where they meet.
    pub(super) fn stand_in_corner(&mut self) -> bool {
        let (t, start) = (self.trial.t, self.trial.start.clone());
        self.after.copy_from_slice(&start);
        let guards = self.flow.system().guards();
        let is_switch =
            |g: &usize| guards[*g].response.switch.is_some() && guards[*g].kind == GuardKind::Surface;
        let mut near: Vec<usize> = (0..guards.len()).filter(is_switch).collect();
        near.retain(|&g| {
            let free = self.flow.watches(g) && !self.flow.mode.structure.sliding.contains(&g);
            free && self.flow.guard(g, t, &start).abs() <= 10.0 * self.tolerance_of(g, t)
        });
        let several = near.len() > 1 && self.flow.settles_switches();
        if several {
            self.detector.stand_in_corner(&near);
        }
        several
    }

    /// Whether what is left of a guard that has crossed is nothing to the tolerances. It is taken off: a motion that dies out on the surface would
    /// otherwise be carried back and forth across it by less than any error.
    pub(super) fn is_next_to(&mut self, guard: usize, t: f64) -> bool {
        let after = self.after.clone();
        let left = self.flow.guard(guard, t, &after).abs();
        left <= 1e-6 * self.tolerance_of(guard, t)
    }

    /// Adds to the last event that the motion slides from there on, or slides no more.
    fn log_sliding(&mut self, was_sliding: &[usize]) {
        let (now, Some(event)) = (&self.flow.mode.structure.sliding, self.record.events.last_mut()) else {
            return;
        };
        let begins = now.iter().any(|g| !was_sliding.contains(g));
        let ends = was_sliding.iter().any(|g| !now.contains(g));
        for (kind, holds) in [(EventKind::Slide, begins), (EventKind::Leave, ends)] {
            if holds {
                event.kinds.retain(|k| *k != EventKind::Switch);
                event.kinds.push(kind);
            }
        }
    }

    /// Leaves the surfaces of guards that fired while the motion slid on them, to the side whose field has all the weight.
    fn leave(&mut self, t: f64, fired: &[usize], stay: &mut Vec<usize>) {
        let before = self.before.clone();
        for &g in fired.iter().filter(|g| stay.contains(g)) {
            // The weights are those of the last evaluation.
            let _ = self.flow.guard(g, t, &before);
        }
        let Some(sliding) = self.flow.sliding() else { return };
        let side_of = |i: usize| if sliding.exits()[i] > 0.5 { 1.0 } else { -1.0 };
        let leaves = |i: usize| fired.contains(&sliding.surfaces()[i].guard);
        let leaders = sliding.surfaces().iter().enumerate().map(|(i, surface)| (i, *surface, 1.0));
        let followers = sliding.followers().iter().map(|f| (f.leader, f.surface, f.orientation));
        let sides: Vec<(Surface, f64)> = leaders
            .chain(followers)
            .filter(|(i, _, _)| leaves(*i))
            .map(|(i, surface, orientation)| (surface, orientation * side_of(i)))
            .collect();
        for (surface, side) in sides {
            surface.lock(&mut self.flow.mode, side);
            self.step_aside(surface, side, t);
            stay.retain(|&g| g != surface.guard);
        }
    }

    /// Moves the state after an event to the given side of a surface. With positions the rates of constraints change, so speeds are brought back to theirs.
    pub(super) fn step_aside(&mut self, surface: Surface, side: f64, t: f64) {
        self.flow.step_aside(surface, side, t, &mut self.after);
        if self.keeps_joints() {
            self.flow.close_speeds(t, &mut self.after);
        }
    }

    /// Whether the state after an event is still on the surfaces that it slid on: a reset can have taken it away.
    fn is_on_surfaces(&mut self, t: f64) -> bool {
        let mut projected = self.after.clone();
        self.flow.project(t, &mut projected);
        let size = self.after.iter().chain(&self.before).fold(1e-9_f64, |a, b| a.max(b.abs()));
        projected.iter().zip(&self.after).all(|(a, b)| (a - b).abs() <= 1e-9 * size)
    }

    /// The switches on whose surfaces the motion stands, apart from those that it slid on.
    fn surfaces_met(&self, was_sliding: &[usize]) -> Vec<usize> {
        let guards = self.flow.system().guards();
        let is_met = |g: usize| {
            guards[g].response.switch.is_some()
                && guards[g].kind == GuardKind::Surface
                && self.flow.watches(g)
                && !was_sliding.contains(&g)
                && self.detector.is_zero(&self.flow, g)
        };
        (0..guards.len()).filter(|&g| is_met(g)).collect()
    }

    /// Adds the switches whose surfaces are the same as those met: rounding can have kept their guards from being zero too.
    fn add_twins(&mut self, t: f64, met: &mut Vec<usize>) {
        let (guards, after) = (self.flow.system().guards(), self.after.clone());
        let size = after.iter().fold(1e-9_f64, |a, b| a.max(b.abs()));
        for g in (0..guards.len()).filter(|&g| guards[g].response.switch.is_some()) {
            let value = self.detector.value(g).abs();
            let other = guards[g].kind == GuardKind::Surface && self.flow.watches(g) && !met.contains(&g);
            if met.is_empty()
                || !other
                || self.flow.mode.structure.sliding.contains(&g)
                || value > 1e-6 * size
            {
                continue;
            }
            if value <= 1e3 * self.flow.noise_of(g, t, &mut self.after)
                && met.iter().any(|&m| self.flow.are_twins(m, g, t, &after))
            {
                met.push(g);
            }
        }
    }

    /// Adds the jumps of whole numbers that have just been crossed and push the motion back from both sides. All others are crossed as they are
    /// counted.
    fn add_jumps(&mut self, t: f64, fired: &[usize], met: &mut Vec<usize>) {
        let guards = self.flow.system().guards();
        for &g in fired.iter().filter(|&&g| is_jump(&guards[g])) {
            let count = guards[g].response.count.filter(|_| !self.flow.mode.structure.sliding.contains(&g));
            let Some(count) = count else { continue };
            let (now, Some(up)) = (self.flow.mode.values.counts[count.index], self.jump_of(g, true)) else {
                continue;
            };
            self.flow.mode.values.counts[count.index] = now - if count.up { 1.0 } else { 0.0 };
            let (after, surface) = (self.after.clone(), Surface::of(guards, &self.flow.mode, up));
            let mut sliding = self.flow.meet(surface.as_slice(), t, &after);
            self.flow.fields_at(&mut sliding, t, &after);
            self.record.statistics.settling += 2;
            if sliding.rate(0, 0) > 0.0 && sliding.rate(0, 1) < 0.0 {
                met.push(up);
            } else {
                self.flow.mode.values.counts[count.index] = now;
            }
        }
    }

    /// The guard at which the whole number of a guard goes up, or down.
    fn jump_of(&self, guard: usize, up: bool) -> Option<usize> {
        let guards = self.flow.system().guards();
        let index = guards[guard].response.count?.index;
        let is_wanted = |g: &Guard| g.response.count.is_some_and(|c| c.index == index && c.up == up);
        guards.iter().position(is_wanted)
    }

    /// The guard that is zero where a surface has been left: above a jump of a whole number that is the one at which it goes down.
    fn guard_at_zero(&mut self, guard: usize, t: f64) -> usize {
        let jump = is_jump(&self.flow.system().guards()[guard]);
        let after = self.after.clone();
        // Measured in counts, the next jump upwards is one away.
        let is_above = jump && self.flow.guard(guard, t, &after) < -0.5;
        if is_above { self.jump_of(guard, false).unwrap_or(guard) } else { guard }
    }

    pub(super) fn slide_on(&mut self, t: f64, guards: &[usize]) {
        self.keep_to(t, guards);
        let keeps_joints = self.keeps_joints();
        self.flow.land_on_surfaces(t, &mut self.after, keeps_joints);
    }

    /// From here on only these surfaces are slid on; the state stays where it is.
    fn keep_to(&mut self, t: f64, guards: &[usize]) {
        let all = self.flow.system().guards();
        let surfaces: Vec<Surface> =
            guards.iter().filter_map(|&g| Surface::of(all, &self.flow.mode, g)).collect();
        self.flow.slide_on(&surfaces, t, &self.after);
    }

    pub(super) fn too_many_surfaces(&self, t: f64, guards: &[usize]) -> Error {
        let all = self.flow.system().guards();
        let names: Vec<String> = guards.iter().take(8).map(|&g| format!("`{}`", all[g].name)).collect();
        let more = if guards.len() > names.len() { ", …" } else { "" };
        Error::TooManySurfaces { t, count: guards.len(), names: names.join(", ") + more, most: MOST_SURFACES }
    }
}
