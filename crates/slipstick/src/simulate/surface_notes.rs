//! What is worth saying of how a motion goes on at switching surfaces.

use super::Error;
use super::surfaces::Surfaces;
use crate::formulation::{MOST_SURFACES, Sliding};
use crate::transition::{Classified, Way, fixed, spirals_out};

/// The most surfaces that a message names.
const MOST_NAMES: usize = 8;

impl Surfaces<'_, '_> {
    /// Says at which surfaces of `guards` the motion begins to slide, and where it could go on in another
    /// way. `before` are those that it slid on.
    pub(super) fn note_classified(
        &mut self,
        sliding: &mut Sliding,
        classified: &Classified,
        (guards, before): (&[usize], &[usize]),
    ) {
        let ways = &classified.ways;
        let leaders: Vec<usize> = sliding.set.surfaces().iter().map(|surface| surface.guard).collect();
        let along = leaders.iter().zip(ways).filter(|(_, way)| **way == Way::Along);
        let slid: Vec<usize> = along.map(|(guard, _)| *guard).collect();
        let begins: Vec<usize> = slid.iter().copied().filter(|g| !before.contains(g)).collect();
        let stays = slid.len() == 2 && ways.len() == 2 && spirals_out(&sliding.combination.rates);
        if !stays && !classified.in_corner {
            for &g in &begins {
                self.note_sliding(g);
            }
        } else if !begins.is_empty() {
            self.note_corner(&slid);
        }
        if !classified.unique || stays {
            self.note_choice(guards, stays);
        }
        if slid.len() > 1 && !begins.is_empty() && !sliding.has_only_combination(&fixed(ways)) {
            self.note_mixture(&slid);
        }
    }

    pub(super) fn note_sliding(&mut self, g: usize) {
        let name = &self.all()[g].name;
        self.recorder.note_once(self.integrator.trial.t, ("slides", name), || {
            format!("the motion is pushed onto the surface of `{name}` from both sides and slides along it")
        });
    }

    pub(super) fn note_corner(&mut self, guards: &[usize]) {
        let names = self.names_of(guards);
        self.recorder.note_once(self.integrator.trial.t, ("slides", &names), || {
            format!("the motion has come to where the surfaces of {names} meet and stays on them")
        });
    }

    fn note_choice(&mut self, guards: &[usize], stays: bool) {
        let names = self.names_of(guards);
        let choice =
            if stays { "it stays where they meet" } else { "it goes on to the side it was going to" };
        self.recorder.note_once(self.integrator.trial.t, ("not-unique", &names), || {
            format!("at the surface of {names} the motion can go on in more than one way; {choice}")
        });
    }

    fn note_mixture(&mut self, guards: &[usize]) {
        let taken = if guards.len() == 2 { "the bilinear one" } else { "the one of least norm" };
        let names = self.names_of(guards);
        self.recorder.note_once(self.integrator.trial.t, ("mixture-chosen", &names), || {
            format!("more than one mixture of the fields stays on the surfaces of {names}; {taken} is taken")
        });
    }

    pub(super) fn names_of(&self, guards: &[usize]) -> String {
        let names: Vec<String> = guards.iter().map(|&g| format!("`{}`", self.all()[g].name)).collect();
        names.join(" and ")
    }

    pub(super) fn too_many_surfaces(&self, guards: &[usize]) -> Error {
        let some = guards.iter().take(MOST_NAMES);
        let names: Vec<String> = some.map(|&g| format!("`{}`", self.all()[g].name)).collect();
        let more = if guards.len() > names.len() { ", …" } else { "" };
        Error::TooManySurfaces {
            t: self.integrator.trial.t,
            count: guards.len(),
            names: names.join(", ") + more,
            most: MOST_SURFACES,
        }
    }
}
