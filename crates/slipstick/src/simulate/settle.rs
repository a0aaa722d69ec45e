//! What a run does where its motion meets switching surfaces.

use super::Error;
use super::run::Run;
use crate::equations::{GuardKind, GuardRates};
use crate::event::{Way, settle};
use crate::formulation::{Flow, MOST_SURFACES, Sliding, Surface};
use crate::trajectory::{EventKind, Note};

impl Run<'_> {
    /// Settles how the motion goes on at the start of a segment, at the surfaces that it meets or slides on.
    pub(super) fn settle_switches(&mut self) -> Result<(), Error> {
        if self.flow.system().switch_names().is_empty() || !self.flow.settles_switches() {
            return Ok(());
        }
        let (t, fired) = (self.trial.t, self.detector.fired_before());
        self.after.copy_from_slice(&self.trial.start);
        let was_sliding = self.flow.mode.sliding.clone();
        let mut stay = was_sliding.clone();
        if fired.iter().any(|g| was_sliding.contains(g)) {
            self.leave(t, &fired, &mut stay);
        }
        if !self.is_on_surfaces(t) {
            stay.clear();
        }
        let met = self.surfaces_met(&was_sliding);
        // Any other event can have changed the fields along the surfaces.
        let other = fired.iter().any(|g| !was_sliding.contains(g));
        if !met.is_empty() || (other && !stay.is_empty()) {
            self.meet(t, &stay, &met)?;
        } else if stay != was_sliding {
            self.slide_on(t, &stay);
        }
        let left = stay.iter().chain(&fired).filter(|g| was_sliding.contains(g));
        let on: Vec<usize> =
            left.chain(&met).copied().filter(|g| !self.flow.mode.sliding.contains(g)).collect();
        self.flow.stand_on(&on);
        for &g in &on {
            let slack = self.slack(g, t);
            self.detector.stands_at_zero(g, slack);
        }
        self.log_sliding(&was_sliding);
        self.trial.restart(t, &self.after);
        Ok(())
    }

    /// How wrong a guard can be right after a motion has left its surface. Dense output of explicit methods starts with the exact slope; that of
    /// implicit ones can be on the wrong side by the tolerance, where the motion leaves along the tangent.
    fn slack(&mut self, guard: usize, t: f64) -> f64 {
        if self.step.method().facts().implicit { self.tolerance_of(guard, t) } else { 0.0 }
    }

    /// How far a guard may be off by the tolerances of the states.
    fn tolerance_of(&mut self, guard: usize, t: f64) -> f64 {
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
        if let Some(surface) = Surface::of(self.flow.system().guards(), guard) {
            let ahead = -self.flow.mode.signs[surface.switch];
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
            let free = self.flow.watches(g) && !self.flow.mode.sliding.contains(&g);
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
    fn is_next_to(&mut self, guard: usize, t: f64) -> bool {
        let after = self.after.clone();
        let left = self.flow.guard(guard, t, &after).abs();
        left <= 1e-6 * self.tolerance_of(guard, t)
    }

    /// Adds to the last event that the motion slides from there on, or slides no more.
    fn log_sliding(&mut self, was_sliding: &[usize]) {
        let (now, Some(event)) = (&self.flow.mode.sliding, self.record.events.last_mut()) else { return };
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
        let sides: Vec<(Surface, f64)> = sliding
            .surfaces()
            .iter()
            .zip(sliding.weights())
            .filter(|(surface, _)| fired.contains(&surface.guard))
            .map(|(surface, weight)| (*surface, if *weight > 0.5 { 1.0 } else { -1.0 }))
            .collect();
        for (surface, side) in sides {
            self.flow.mode.signs[surface.switch] = side;
            self.flow.step_aside(surface, side, t, &mut self.after);
            stay.retain(|&g| g != surface.guard);
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

    fn slide_on(&mut self, t: f64, guards: &[usize]) {
        let all = self.flow.system().guards();
        let surfaces: Vec<Surface> = guards.iter().filter_map(|&g| Surface::of(all, g)).collect();
        self.flow.slide_on(surfaces);
        self.flow.project(t, &mut self.after);
    }

    /// Meets the surfaces of guards while sliding on others, or not.
    fn meet(&mut self, t: f64, stay: &[usize], met: &[usize]) -> Result<(), Error> {
        let all = self.flow.system().guards();
        let mut guards: Vec<usize> = stay.iter().chain(met).copied().collect();
        guards.sort_unstable();
        let surfaces: Vec<Surface> = guards.iter().filter_map(|&g| Surface::of(all, g)).collect();
        let signs: Vec<f64> = surfaces.iter().map(|s| self.flow.mode.signs[s.switch]).collect();
        let wanted: Vec<f64> = surfaces
            .iter()
            .zip(&signs)
            .map(|(s, sign)| if met.contains(&s.guard) { *sign } else { 0.0 })
            .collect();
        let mut sliding = Sliding::new(self.flow.system(), surfaces.clone());
        let after = self.after.clone();
        self.flow.fields_at(&mut sliding, t, &after);
        self.record.statistics.settling += sliding.sides() as u64;
        if !self.flow.fields_add_up(&mut sliding, t) {
            return Err(self.too_many_surfaces(t, &guards));
        }
        self.record.statistics.settling += u64::from(sliding.adds_up());
        let mut settlement = settle(&mut sliding, &wanted);
        if !settlement.found {
            self.settle_by_bend(t, &surfaces, &mut settlement.ways);
        }
        let mut along = Vec::new();
        for (surface, way) in surfaces.iter().zip(&settlement.ways) {
            match way {
                Way::Side(side) => {
                    self.flow.mode.signs[surface.switch] = *side;
                    if stay.contains(&surface.guard) || self.is_next_to(surface.guard, t) {
                        self.flow.step_aside(*surface, *side, t, &mut self.after);
                    }
                }
                Way::Along => along.push(surface.guard),
            }
        }
        for &g in met.iter().filter(|g| along.contains(g)) {
            self.note_sliding(t, g);
        }
        if !settlement.unique {
            self.note_choice(t, &guards);
        }
        self.slide_on(t, &along);
        Ok(())
    }

    fn too_many_surfaces(&self, t: f64, guards: &[usize]) -> Error {
        let all = self.flow.system().guards();
        let names: Vec<String> = guards.iter().take(8).map(|&g| format!("`{}`", all[g].name)).collect();
        let more = if guards.len() > names.len() { ", …" } else { "" };
        Error::TooManySurfaces { t, count: guards.len(), names: names.join(", ") + more, most: MOST_SURFACES }
    }

    /// Where the fields run along the surfaces, the way they bend decides: to a side that both bend to, along the surface if each bends towards it.
    fn settle_by_bend(&mut self, t: f64, surfaces: &[Surface], ways: &mut [Way]) {
        let (count, y) = (self.flow.system().guards().len(), self.after.clone());
        let bend = |flow: &mut Flow<'_>, surface: &Surface, sign: f64| {
            let (mut first, mut second) = (vec![0.0; count], vec![0.0; count]);
            flow.mode.signs[surface.switch] = sign;
            let rates = GuardRates { first: &mut first, second: &mut second };
            flow.guard_rates(t, &y, self.options.until - t, rates);
            second[surface.guard]
        };
        for (surface, way) in surfaces.iter().zip(ways) {
            let old = self.flow.mode.signs[surface.switch];
            let (below, above) = (bend(&mut self.flow, surface, -1.0), bend(&mut self.flow, surface, 1.0));
            self.flow.mode.signs[surface.switch] = old;
            *way = match (below, above) {
                (_, above) if above > 0.0 => Way::Side(1.0),
                (below, _) if below < 0.0 => Way::Side(-1.0),
                (below, above) if below > 0.0 && above < 0.0 => Way::Along,
                _ => *way,
            };
        }
    }

    fn note_sliding(&mut self, t: f64, g: usize) {
        if std::mem::replace(&mut self.noted_sliding[g], true) {
            return;
        }
        let name = &self.flow.system().guards()[g].name;
        let text =
            format!("the motion is pushed onto the surface of `{name}` from both sides and slides along it");
        self.record.notes.push(Note { t, code: "slides", text });
    }

    fn note_choice(&mut self, t: f64, guards: &[usize]) {
        let new = guards.iter().filter(|&&g| !std::mem::replace(&mut self.noted_choices[g], true)).count();
        if new == 0 {
            return;
        }
        let all = self.flow.system().guards();
        let names: Vec<String> = guards.iter().map(|&g| format!("`{}`", all[g].name)).collect();
        let text = format!(
            "at the surface of {} the motion can go on in more than one way; it goes on to the side it was going to",
            names.join(" and ")
        );
        self.record.notes.push(Note { t, code: "not-unique", text });
    }
}
