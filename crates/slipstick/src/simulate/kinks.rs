//! Guards with a kink at their own zero, such as `abs(x - 1)`: the switch of the kink changes with them,
//! and then they turn back.

use super::signals::has_surface;
use super::simulator::{Firing, Simulator};
use crate::watch::{Verdict, decide_by_motion};

impl Simulator<'_> {
    /// Takes back what crosses only because a switch in its own formula is locked: comparisons that change
    /// together change before guards are read (rule 1). It has touched zero, which is an event only if it
    /// says so.
    pub(super) fn take_back_kinks(&mut self, firing: &mut Firing) {
        let guards = self.system().guards();
        let mut flipped = self.integrator.flow.mode.clone();
        let mut any = false;
        for switch in firing.guards.iter().filter_map(|&g| guards[g].response.switch) {
            (flipped.values.signs[switch], any) = (-flipped.values.signs[switch], true);
        }
        if !any {
            return;
        }
        let may_turn = |g: &&usize| guards[**g].response.switch.is_none() && has_surface(guards[**g].kind);
        for g in firing.guards.iter().filter(may_turn).copied().collect::<Vec<usize>>() {
            let goes_on = self.heading_of(g);
            std::mem::swap(&mut self.integrator.flow.mode, &mut flipped);
            let turned = self.heading_of(g);
            std::mem::swap(&mut self.integrator.flow.mode, &mut flipped);
            if let (Some(on), Some(turned)) = (goes_on, turned)
                && on.plus != turned.plus
            {
                self.watch.place(g, turned.plus, false, 0.0);
                if !guards[g].touches {
                    firing.guards.retain(|&other| other != g);
                    self.note_touch(g, self.integrator.trial.t);
                }
            }
        }
    }

    /// Where the motion takes a comparison from here.
    fn heading_of(&mut self, g: usize) -> Option<Verdict> {
        let (_, mut along) = self.along();
        decide_by_motion(&mut along, g, &mut Vec::new())
    }
}
