//! One round of a transition: what fired makes a new state and mode, rule by rule.

use super::contacts::ContactRecord;
use super::resets::Conflict;
use crate::contact::{Jam, Unsolved};
use crate::equations::{ContactGuard, Guard};
use crate::formulation::{Amount, Flow};
use crate::math::Bracket;
use crate::mode::Mode;
use crate::model::ContactChange;
use crate::watch::Watch;

/// What fires at one instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Firing {
    /// Guards of the system, in rising order.
    pub guards: Vec<usize>,
    /// Surfaces that the motion leaves, by their place among those slid on, with the sign of the side that it
    /// goes to.
    pub exits: Vec<(usize, f64)>,
    /// The window of the crossing, as times.
    pub window: Option<Bracket>,
    /// Whether the motion has decided so, in a step or where it stands: it can be sure of less than values can.
    pub by_motion: bool,
}

impl Firing {
    /// One guard fires, and not because the motion has crossed it.
    pub fn one(guard: usize) -> Self {
        Self { guards: vec![guard], ..Self::default() }
    }

    /// Whether nothing fires.
    pub fn is_empty(&self) -> bool {
        self.guards.is_empty() && self.exits.is_empty()
    }
}

/// One round: what fired, and the states before and after it. The mode after it is that of the form.
#[derive(Clone, Debug)]
pub struct Transition {
    /// When it happens.
    pub t: f64,
    /// What fired.
    pub firing: Firing,
    /// The state before.
    pub before: Vec<f64>,
    /// The state after, as far as rules have made it.
    pub after: Vec<f64>,
    /// The mode before.
    pub mode_before: Mode,
    /// What happened to contacts.
    pub contacts: ContactRecord,
    /// The guards that follow what has happened, and have not fired yet.
    pub followers: Vec<usize>,
}

impl Transition {
    /// Nothing has happened yet.
    pub fn new(t: f64, y: &[f64], mode: &Mode) -> Self {
        let firing = Firing::default();
        let (before, after, contacts) = (y.to_vec(), y.to_vec(), ContactRecord::default());
        Self { t, firing, before, after, mode_before: mode.clone(), contacts, followers: Vec::new() }
    }

    /// A round begins with what fired at this state.
    pub fn begin(&mut self, firing: &Firing, t: f64, y: &[f64], mode: &Mode) {
        self.t = t;
        self.firing.guards.clone_from(&firing.guards);
        self.firing.exits.clone_from(&firing.exits);
        self.firing.window = firing.window;
        self.firing.by_motion = firing.by_motion;
        self.before.copy_from_slice(y);
        self.after.copy_from_slice(y);
        self.mode_before.clone_from(mode);
        self.contacts = ContactRecord::default();
    }

    /// The guards of what has happened in this round. What contacts come to is decided by the transition: the guard that
    /// asked for it counts only if that has happened, or nothing has.
    pub fn happened(&self, guards: &[Guard]) -> Vec<usize> {
        let contacts = &self.contacts.happened;
        let has_happened =
            |g: &usize| guards[*g].contact.is_none() || contacts.is_empty() || contacts.contains(g);
        let mut all: Vec<usize> = self.firing.guards.iter().copied().filter(has_happened).collect();
        all.extend(contacts);
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Whether only guards of contacts have asked, and contacts do what they did.
    pub fn comes_to_nothing(&self, guards: &[Guard]) -> bool {
        let of_contacts = self.firing.guards.iter().all(|&g| guards[g].contact.is_some());
        of_contacts && self.firing.exits.is_empty() && self.contacts.happened.is_empty()
    }

    /// Takes note of the guards that follow what has happened in this round.
    pub fn note_followers(&mut self, guards: &[Guard]) {
        let is_followed = |g: &usize| !guards[*g].response.followers.is_empty();
        if !self.firing.guards.iter().chain(&self.contacts.happened).any(is_followed) {
            return;
        }
        let happened = self.happened(guards);
        self.followers.extend(happened.iter().flat_map(|&g| &guards[g].response.followers));
    }

    /// The states that differ after it, to the bit.
    pub fn moved(&self) -> impl Iterator<Item = usize> + '_ {
        let both = self.before.iter().zip(&self.after).enumerate();
        both.filter(|(_, (a, b))| a.to_bits() != b.to_bits()).map(|(i, _)| i)
    }

    /// What fired, with the contacts that were open and hit without their guards: hits of bystanders accumulate,
    /// too.
    pub fn with_bystanders(&self, guards: &[Guard]) -> Firing {
        let mut firing = self.firing.clone();
        let was_open = |of: ContactGuard| self.mode_before.values.discrete[of.state] == 0.0;
        let is_hit = |of: ContactGuard| of.change == ContactChange::Hit && was_open(of);
        let hits = self.contacts.happened.iter().filter(|&&g| guards[g].contact.is_some_and(is_hit));
        firing.guards.extend(hits);
        firing.guards.sort_unstable();
        firing.guards.dedup();
        firing
    }

    /// Whether it has changed anything, if it has come to this mode.
    pub fn changes(&self, mode: &Mode) -> bool {
        self.moved().next().is_some() || !self.firing.exits.is_empty() || self.mode_before != *mode
    }
}

/// What rules work with.
pub struct Tools<'r, 'a> {
    /// The form, with the mode that rules change.
    pub flow: &'r mut Flow<'a>,
    /// The sides of guards.
    pub watch: &'r Watch,
}

/// A rule of transitions: it makes one part of the state or the mode after what fired.
pub trait Rule {
    /// Applies the rule to a round in which all rules before it were applied.
    fn apply(&mut self, tools: &mut Tools<'_, '_>, transition: &mut Transition) -> Result<(), Impossible>;
}

/// Why a rule cannot be applied, by indices of guards, states and modes.
#[derive(Clone, Debug, PartialEq)]
pub enum Impossible {
    /// Two guards set one target to different values.
    Conflict(Conflict),
    /// A reset, of this guard if there is one, has set a state to what is no finite number.
    NotFinite {
        /// The guard.
        guard: Option<usize>,
        /// The state.
        state: usize,
        /// NaN or an infinity.
        value: f64,
    },
    /// Two guards lead to different modes.
    Modes {
        /// The guards.
        guards: (usize, usize),
        /// The modes.
        modes: (usize, usize),
    },
    /// Contacts, or impulses of events, cannot do what they are to.
    OfContacts(ImpossibleContact),
}

impl From<ImpossibleContact> for Impossible {
    fn from(impossible: ImpossibleContact) -> Self {
        Self::OfContacts(impossible)
    }
}

/// What contacts and impulses of events cannot do, by indices.
#[derive(Clone, Debug, PartialEq)]
pub enum ImpossibleContact {
    /// Contacts cannot meet their laws.
    Contacts {
        /// Which.
        which: Vec<usize>,
        /// The guards of events that give impulses at the same instant.
        events: Vec<usize>,
        /// Why not.
        why: Unsolved,
    },
    /// The gap of an open contact has been put below zero.
    Penetrates {
        /// The contact.
        contact: usize,
        /// Its gap.
        gap: f64,
        /// How far below zero it may be.
        allowed: f64,
    },
    /// The restitution of a contact is not between zero and one.
    Restitution {
        /// The contact.
        contact: usize,
        /// The restitution.
        value: f64,
    },
    /// The impulse of an event has a restitution that is not between zero and one, or a size that is not finite.
    Impulse {
        /// The guard of the event.
        guard: usize,
        /// The number.
        amount: Amount,
    },
    /// One event resets a speed, and another gives an impulse.
    ResetWithImpulse {
        /// Their guards.
        guards: (usize, usize),
        /// The speed, among the states.
        state: usize,
    },
    /// A contact slides with more friction than its motion can have, and that is to end the run.
    Painleve {
        /// The contact.
        contact: usize,
        /// Its friction.
        jam: Jam,
        /// Whether there are forces with which it slides, as well as lifts.
        has_forces: bool,
    },
    /// The friction of a contact is negative, not finite, or smaller while it sticks than while it slides.
    Friction {
        /// The contact.
        contact: usize,
        /// The coefficients while it sticks and while it slides.
        values: (f64, f64),
    },
}

#[cfg(test)]
mod tests {
    use super::super::{Exits, ModeChanges, Resets, Switches};
    use super::*;
    use crate::equations::{FormulaSystem, ParameterValues, System};
    use crate::model::Model;

    const HYBRID: &str = r#"
        discrete = { bounces = 0 }
        states = { y = 0.0, v = -2.0 }
        modes.up.derivatives = { y = "v", v = "-sign(v)" }
        modes.up.events.floor = { guard = "y < 0", reset = { v = "-v / 2", bounces = "bounces + 1" }, goto = "down" }
        modes.up.events.wall = { guard = "y < 0", reset = { v = "1" } }
        modes.down.derivatives = { y = "v", v = "0" }
        run = { until = 3 }"#;

    fn system() -> FormulaSystem {
        let model = Model::from_toml(HYBRID).expect("a model");
        FormulaSystem::compile(&model, ParameterValues::evaluate(&model, &[]).expect("numbers"))
            .expect("a system")
    }

    fn named(system: &FormulaSystem, name: &str) -> usize {
        system.shape().guards.iter().position(|guard| guard.name.contains(name)).expect("a guard")
    }

    /// What the rules make of what fires.
    fn apply(system: &FormulaSystem, fired: &[usize]) -> Result<(Transition, Mode), Impossible> {
        let mut flow = Flow::new(system, Mode::start(system, 0));
        let watch = Watch::new(system.shape().guards.len(), 0, Vec::new());
        let mut transition = Transition::new(0.0, &[0.0, -2.0], &flow.mode);
        let firing = Firing { guards: fired.to_vec(), ..Firing::default() };
        transition.begin(&firing, 1.0, &[0.0, -2.0], &flow.mode);
        let rules: [&mut dyn Rule; 4] = [&mut Resets::default(), &mut Switches, &mut Exits, &mut ModeChanges];
        for rule in rules {
            rule.apply(&mut Tools { flow: &mut flow, watch: &watch }, &mut transition)?;
        }
        Ok((transition, flow.mode))
    }

    #[test]
    fn rules_make_a_new_state_and_mode_without_a_run() {
        let system = system();
        let (transition, mode) = apply(&system, &[named(&system, "floor")]).expect("no conflict");
        assert_eq!((&transition.before[..], &transition.after[..]), (&[0.0, -2.0][..], &[0.0, 1.0][..]));
        assert_eq!((mode.values.place, &mode.values.discrete[..]), (1, &[1.0][..]));
        assert!(transition.changes(&mode) && transition.moved().eq([1]));
        let (nothing, mode) = apply(&system, &[]).expect("no conflict");
        assert!(!nothing.changes(&mode));
    }

    #[test]
    fn a_switch_takes_the_other_sign() {
        let system = system();
        let switch = system.shape().guards.iter().position(|guard| guard.response.switch.is_some());
        let (_, mode) = apply(&system, &[switch.expect("a switch")]).expect("no conflict");
        assert_eq!(mode.values.signs, [-1.0]);
    }

    #[test]
    fn equal_values_are_no_conflict() {
        let system = system();
        let both = [named(&system, "floor"), named(&system, "wall")];
        assert_eq!(apply(&system, &both).map(|(transition, _)| transition.after), Ok(vec![0.0, 1.0]));
    }
}
