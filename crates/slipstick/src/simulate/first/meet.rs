//! How a run goes on where surfaces meet: it asks `event/settle.rs`, looks at second derivatives where first ones do not tell, and says what it found.

use super::Error;
use super::run::Run;
use crate::event::{Settlement, Way, settle, spirals_out};
use crate::formulation::{Flow, MassKind, Sliding, Surface};
use crate::trajectory::Note;

/// How far it is looked ahead where a field runs along a surface, as a part of the run.
const A_MOMENT: f64 = 1e-8;

impl Run<'_> {
    /// Meets the surfaces of guards while sliding on others, or not.
    pub(super) fn meet(&mut self, t: f64, stay: &[usize], met: &[usize]) -> Result<(), Error> {
        let all = self.flow.system().guards();
        let mut guards: Vec<usize> = stay.iter().chain(met).copied().collect();
        guards.sort_unstable();
        let surfaces: Vec<Surface> =
            guards.iter().filter_map(|&g| Surface::of(all, &self.flow.mode, g)).collect();
        let after = self.after.clone();
        let mut sliding = self.flow.meet(&surfaces, t, &after);
        let wanted = self.wanted(&sliding, met);
        self.flow.fields_at(&mut sliding, t, &after);
        self.record.statistics.settling += sliding.sides() as u64;
        if !self.flow.fields_add_up(&mut sliding, t) {
            return Err(self.too_many_surfaces(t, &guards));
        }
        self.record.statistics.settling += u64::from(sliding.adds_up());
        let settlement = self.settle_all(t, &mut sliding, &wanted);
        let along = self.go_ways(t, stay, &sliding, &settlement);
        self.note_settlement(t, &mut sliding, &settlement, (&guards, &along, met));
        self.slide_on(t, &along);
        if along.is_empty() {
            self.flow.keep_side(&sliding, t);
        }
        Ok(())
    }

    /// The side that the motion is going to at each surface that it meets; 0 at those that it slides on.
    fn wanted(&self, sliding: &Sliding, met: &[usize]) -> Vec<f64> {
        let mode = &self.flow.mode;
        let fired = |surface: &Surface| self.detector.has_just_fired(surface.guard);
        let of_leader = |(i, leader): (usize, &Surface)| {
            if !met.contains(&leader.guard) {
                return 0.0;
            }
            let tells =
                sliding.followers().iter().find(|f| f.leader == i && fired(&f.surface) && !fired(leader));
            tells.map_or(leader.sign(mode), |f| f.orientation * f.surface.sign(mode))
        };
        sliding.surfaces().iter().enumerate().map(of_leader).collect()
    }

    /// How the motion goes on. Where first derivatives do not tell, second ones do.
    fn settle_all(&mut self, t: f64, sliding: &mut Sliding, wanted: &[f64]) -> Settlement {
        let mut settlement = settle(sliding, wanted);
        if settlement.found && sliding.is_tangent(&settlement.fixed()) {
            let ran_along = runs_along(sliding, wanted);
            settlement = self.settle_ahead(t, sliding, wanted).unwrap_or(settlement);
            if ran_along && runs_along(sliding, wanted) {
                settlement.ways = vec![Way::Side(wanted[0])];
            }
        }
        if !settlement.found {
            let surfaces = sliding.surfaces().to_vec();
            self.settle_by_bend(t, &surfaces, &mut settlement.ways);
            if self.stays_in_corner(t, sliding, &settlement.ways) {
                settlement.ways.fill(Way::Along);
            }
        }
        settlement
    }

    /// Where a field runs along a surface, rounding decides between crossing and sliding, and what begins can end at once. What holds a moment later
    /// decides instead.
    fn settle_ahead(&mut self, t: f64, sliding: &mut Sliding, wanted: &[f64]) -> Option<Settlement> {
        let dt = A_MOMENT * (self.options.until - self.record_start());
        let mut ahead = self.after.clone();
        if self.flow.system().mass_kind() != MassKind::Identity || t + dt == t {
            return None;
        }
        sliding.add_mixture(dt, &mut ahead);
        self.flow.fields_at(sliding, t + dt, &ahead);
        self.record.statistics.settling += sliding.sides() as u64;
        Some(settle(sliding, wanted)).filter(|settlement| settlement.found)
    }

    /// Whether a motion stays where surfaces meet although the rate of one of them does not depend on the side, as that of a position: it stands still
    /// there, bends back to it on both sides, and a mixture keeps it on all others.
    fn stays_in_corner(&mut self, t: f64, sliding: &mut Sliding, ways: &[Way]) -> bool {
        let idle: Vec<usize> = (0..ways.len()).filter(|&i| sliding.is_idle(i)).collect();
        if ways.len() < 2 || idle.is_empty() || idle.iter().any(|&i| ways[i] != Way::Along) {
            return false;
        }
        let time = self.options.until - t;
        let stands = |run: &mut Self, i: usize| {
            let tolerance = run.tolerance_of(sliding.surfaces()[i].guard, t);
            sliding.weighted_rate(i).abs() * time <= tolerance
        };
        idle.iter().all(|&i| stands(self, i)) && sliding.can_stay_on_all()
    }

    /// Locks the sides that the motion goes to. Gives the guards of the surfaces that it goes along, ascending.
    fn go_ways(&mut self, t: f64, stay: &[usize], sliding: &Sliding, settlement: &Settlement) -> Vec<usize> {
        let leaders = sliding.surfaces().iter().copied().zip(settlement.ways.iter().copied());
        let followers = sliding.followers().iter().map(|follower| {
            let way = match settlement.ways[follower.leader] {
                Way::Side(side) => Way::Side(follower.orientation * side),
                Way::Along => Way::Along,
            };
            (follower.surface, way)
        });
        let mut along = Vec::new();
        for (surface, way) in leaders.chain(followers) {
            match way {
                Way::Side(side) => {
                    surface.lock(&mut self.flow.mode, side);
                    if stay.contains(&surface.guard) || self.is_next_to(surface.guard, t) {
                        self.step_aside(surface, side, t);
                    }
                }
                Way::Along => {
                    surface.rest(&mut self.flow.mode);
                    along.push(surface.guard);
                }
            }
        }
        along.sort_unstable();
        along
    }

    /// Where the fields run along the surfaces, the way they bend decides: to a side that both bend to, along the surface if each bends towards it.
    fn settle_by_bend(&mut self, t: f64, surfaces: &[Surface], ways: &mut [Way]) {
        let (count, y) = (self.flow.system().guards().len(), self.after.clone());
        let bend = |flow: &mut Flow<'_>, surface: &Surface, sign: f64| {
            let (mut first, mut second) = (vec![0.0; count], vec![0.0; count]);
            surface.lock(&mut flow.mode, sign);
            let rates = (&mut first[..], &mut second[..]);
            flow.guard_rates(t, &y, self.options.until - t, rates);
            second[surface.guard]
        };
        for (surface, way) in surfaces.iter().zip(ways) {
            let old = surface.sign(&self.flow.mode);
            let (below, above) = (bend(&mut self.flow, surface, -1.0), bend(&mut self.flow, surface, 1.0));
            surface.lock(&mut self.flow.mode, old);
            *way = match (below, above) {
                (_, above) if above > 0.0 => Way::Side(1.0),
                (below, _) if below < 0.0 => Way::Side(-1.0),
                (below, above) if below > 0.0 && above < 0.0 => Way::Along,
                _ => *way,
            };
        }
    }

    /// Says what is worth knowing of how the motion goes on: at which surfaces of all it goes along which, and which of them are new to it.
    fn note_settlement(
        &mut self,
        t: f64,
        sliding: &mut Sliding,
        settlement: &Settlement,
        (guards, along, met): (&[usize], &[usize], &[usize]),
    ) {
        let leads = |g: &usize| sliding.surfaces().iter().any(|surface| surface.guard == *g);
        let begins: Vec<usize> =
            met.iter().copied().filter(|g| along.contains(g)).filter(|g| leads(g)).collect();
        let slid: Vec<usize> = along.iter().copied().filter(leads).collect();
        let stays = slid.len() == 2 && slid.len() == settlement.ways.len() && spirals_out(sliding);
        if slid.len() < 2 || (settlement.found && !stays) {
            for &g in &begins {
                self.note_sliding(t, g);
            }
        } else if !begins.is_empty() {
            self.note_corner(t, &slid);
        }
        if !settlement.unique || stays {
            self.note_choice(t, guards, stays);
        }
        if slid.len() > 1 && !begins.is_empty() && !sliding.has_only_mixture(&settlement.fixed()) {
            self.note_mixture(t, &slid);
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

    fn note_corner(&mut self, t: f64, guards: &[usize]) {
        let new = guards.iter().filter(|&&g| !std::mem::replace(&mut self.noted_sliding[g], true)).count();
        if new > 0 {
            let names = self.names_of(guards);
            let text = format!("the motion has come to where the surfaces of {names} meet and stays on them");
            self.record.notes.push(Note { t, code: "slides", text });
        }
    }

    fn note_choice(&mut self, t: f64, guards: &[usize], stays: bool) {
        let new = guards.iter().filter(|&&g| !std::mem::replace(&mut self.noted_choices[g], true)).count();
        if new == 0 {
            return;
        }
        let choice =
            if stays { "it stays where they meet" } else { "it goes on to the side it was going to" };
        let names = self.names_of(guards);
        let text = format!("at the surface of {names} the motion can go on in more than one way; {choice}");
        self.record.notes.push(Note { t, code: "not-unique", text });
    }

    fn note_mixture(&mut self, t: f64, guards: &[usize]) {
        let taken = if guards.len() == 2 { "the bilinear one" } else { "the one of least norm" };
        let names = self.names_of(guards);
        let text =
            format!("more than one mixture of the fields stays on the surfaces of {names}; {taken} is taken");
        let known = |note: &Note| note.code == "mixture-chosen" && note.text == text;
        if !self.record.notes.iter().any(known) {
            self.record.notes.push(Note { t, code: "mixture-chosen", text });
        }
    }

    fn names_of(&self, guards: &[usize]) -> String {
        let all = self.flow.system().guards();
        let names: Vec<String> = guards.iter().map(|&g| format!("`{}`", all[g].name)).collect();
        names.join(" and ")
    }
}

/// Whether the field of the side that the motion is going to has no part across its only surface, not even by rounding. The motion is free to go over and does not leave
/// again; sliding would be the same motion, until rounding ends it.
fn runs_along(sliding: &Sliding, wanted: &[f64]) -> bool {
    wanted.len() == 1 && wanted[0] != 0.0 && sliding.rate(0, usize::from(wanted[0] > 0.0)) == 0.0
}
