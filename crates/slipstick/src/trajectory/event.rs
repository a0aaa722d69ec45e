//! An entry of the event log.

use crate::contact::Impact;
use crate::math::Bracket;
use crate::mode::Mode;

/// What an event does; one event can do several of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventKind {
    /// It is only recorded.
    Record,
    /// It changes the state.
    Reset,
    /// It gives the mechanism an impulse.
    Impulse,
    /// It changes the sign of a switch.
    Switch,
    /// A contact comes to another zone of its friction.
    Zone,
    /// A closed contact of two shapes comes to another part of an outline.
    Corner,
    /// From here on the motion slides along a switching surface.
    Slide,
    /// The motion leaves a switching surface that it slid along.
    Leave,
    /// It changes the mode.
    Mode,
    /// Events of a guard accumulate, and something comes to rest.
    Rest,
    /// A contact closes, or is hit.
    Hit,
    /// A contact opens.
    Lift,
    /// A contact that stuck begins to slide.
    Slip,
    /// A contact that slid begins to stick.
    Stick,
    /// A contact that slid begins to slide in the other direction.
    Reverse,
    /// The slip of a contact is stopped by an impulse, because no forces are possible with it (Painlevé).
    ImpactWithoutCollision,
    /// The surface of a constraint is met that sliding-mode control has approached.
    Reach,
    /// From here on all constraints are met that were not at the start.
    Close,
    /// From here on contacts are captured by time stepping.
    Capture,
    /// Time stepping ends, and events are located again.
    Resume,
    /// It ends the run.
    Stop,
}

impl EventKind {
    /// The word for it in logs and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Record => "record",
            Self::Reset => "reset",
            Self::Impulse => "impulse",
            Self::Switch => "switch",
            Self::Zone => "zone",
            Self::Corner => "corner",
            Self::Slide => "slide",
            Self::Leave => "leave",
            Self::Mode => "mode",
            Self::Rest => "rest",
            Self::Hit => "hit",
            Self::Lift => "lift",
            Self::Slip => "slip",
            Self::Stick => "stick",
            Self::Reverse => "reverse",
            Self::ImpactWithoutCollision => "impact-without-collision",
            Self::Reach => "reach",
            Self::Close => "close",
            Self::Capture => "capture",
            Self::Resume => "resume",
            Self::Stop => "stop",
        }
    }
}

/// One transition: all that happened at one instant.
///
/// What fires can make other guards fire at the same instant. That is a cascade of rounds; the event is all of
/// it, and [`rounds`](Self::rounds) are the details.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The time at which the event is placed: an end of the bracket.
    pub t: f64,
    /// The window `[lo, hi]` that holds the root, in time from the start of the run's clock; it can be
    /// narrower than the spacing of doubles near `t`, then both ends are equal.
    pub bracket: Bracket,
    /// The width of the window.
    pub width: f64,
    /// The guards that fired, round by round, and within a round in the order in which they are declared. One
    /// that fired in several rounds stands here as often.
    pub guards: Vec<usize>,
    /// What the event did, each kind once.
    pub kinds: Vec<EventKind>,
    /// The state before the first round.
    pub before: Vec<f64>,
    /// The state after the last round.
    pub after: Vec<f64>,
    /// The index of the mode before.
    pub mode_before: usize,
    /// The index of the mode after.
    pub mode_after: usize,
    /// What happened in it, in order. Most events have one round.
    pub rounds: Vec<Round>,
}

/// What fired together in an event, and what it made.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// The guards that fired, in the order in which they are declared.
    pub guards: Vec<usize>,
    /// What the round did.
    pub kinds: Vec<EventKind>,
    /// The state after it. The state before it is that after the round before, or before the event.
    pub after: Vec<f64>,
    /// The discrete state after it.
    pub mode: Mode,
    /// The impact, if contacts were hit in it.
    pub impact: Option<Impact>,
}

impl Event {
    /// An event in which nothing has happened yet, at a state in a mode. Without a window it happens exactly
    /// at its time.
    pub fn new(t: f64, window: Option<Bracket>, before: &[f64], mode: usize) -> Self {
        let bracket = window.unwrap_or(Bracket { lo: t, hi: t });
        Self {
            t,
            bracket,
            width: bracket.width(),
            guards: Vec::new(),
            kinds: Vec::new(),
            before: before.to_vec(),
            after: before.to_vec(),
            mode_before: mode,
            mode_after: mode,
            rounds: Vec::new(),
        }
    }

    /// Whether nothing has happened but that a contact goes round a corner: listings leave that out.
    pub fn is_hidden(&self) -> bool {
        self.kinds == [EventKind::Corner]
    }

    /// The impacts, in order. Most events that have one have no other.
    pub fn impacts(&self) -> impl Iterator<Item = &Impact> {
        self.rounds.iter().filter_map(|round| round.impact.as_ref())
    }

    /// The energy that was lost in impacts, where surfaces do not move.
    pub fn energy_lost(&self) -> f64 {
        0.0 - self.impacts().map(|impact| impact.energy).sum::<f64>()
    }

    /// A round follows those before it.
    pub fn add(&mut self, round: Round) {
        self.guards.extend_from_slice(&round.guards);
        self.rounds.push(round);
        self.sum_up();
    }

    /// More has come of the last round: it ends in this state and mode, and was of this kind as well. A switch
    /// that has come to that is no switch.
    pub fn amend(&mut self, kind: EventKind, after: &[f64], mode: &Mode) {
        let Some(last) = self.rounds.last_mut() else { return };
        let is_switch =
            |known: EventKind| matches!(known, EventKind::Switch | EventKind::Zone | EventKind::Corner);
        last.kinds.retain(|known| !is_switch(*known) && *known != kind);
        last.kinds.push(kind);
        last.after.copy_from_slice(after);
        last.mode.clone_from(mode);
        self.sum_up();
    }

    /// The state after the last round, or before the first, was only nearly this one.
    pub fn correct_end(&mut self, after: &[f64]) {
        self.after.copy_from_slice(after);
        match self.rounds.last_mut() {
            Some(last) => last.after.copy_from_slice(after),
            None => self.before.copy_from_slice(after),
        }
    }

    /// The whole follows from the rounds. An event is only recorded if no round does more.
    fn sum_up(&mut self) {
        let Some(last) = self.rounds.last() else { return };
        self.after.copy_from_slice(&last.after);
        self.mode_after = last.mode.values.place;
        self.kinds.clear();
        for kind in self.rounds.iter().flat_map(|round| &round.kinds) {
            if !self.kinds.contains(kind) {
                self.kinds.push(*kind);
            }
        }
        if self.kinds.len() > 1 {
            self.kinds.retain(|kind| *kind != EventKind::Record);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(guards: &[usize], kinds: &[EventKind], after: f64) -> Round {
        Round {
            guards: guards.to_vec(),
            kinds: kinds.to_vec(),
            after: vec![after],
            mode: Mode::new(0, 0, 0),
            impact: None,
        }
    }

    #[test]
    fn an_event_is_the_sum_of_its_rounds() {
        let mut event = Event::new(1.0, None, &[0.0], 0);
        event.add(round(&[2], &[EventKind::Record], 0.0));
        assert_eq!(event.kinds, [EventKind::Record]);
        event.add(round(&[0, 1], &[EventKind::Reset], 5.0));
        event.add(round(&[0], &[EventKind::Reset, EventKind::Mode], 6.0));
        assert_eq!(event.guards, [2, 0, 1, 0], "names in order, as often as they fired");
        assert_eq!(event.kinds, [EventKind::Reset, EventKind::Mode]);
        assert_eq!((&event.before[..], &event.after[..], event.rounds.len()), (&[0.0][..], &[6.0][..], 3));
        assert_eq!((event.bracket, event.width), (Bracket { lo: 1.0, hi: 1.0 }, 0.0));
    }

    #[test]
    fn an_event_has_the_impacts_of_its_rounds_and_what_they_lost() {
        let mut event = Event::new(1.0, None, &[0.0], 0);
        event.add(round(&[0], &[EventKind::Record], 0.0));
        assert_eq!((event.impacts().count(), event.energy_lost().to_bits()), (0, 0.0_f64.to_bits()));
        for energy in [-2.0, 0.5] {
            let impact = Some(Impact { passes: 1, energy, ..Impact::default() });
            event.add(Round { impact, ..round(&[1], &[EventKind::Hit], 0.0) });
        }
        assert_eq!((event.impacts().count(), event.energy_lost()), (2, 1.5));
    }

    #[test]
    fn what_comes_of_the_last_round_is_part_of_it() {
        let mut event = Event::new(1.0, Some(Bracket { lo: 0.5, hi: 1.0 }), &[0.0], 0);
        event.add(round(&[0], &[EventKind::Switch], 0.0));
        let mut mode = Mode::new(0, 0, 0);
        mode.values.place = 3;
        event.amend(EventKind::Slide, &[0.25], &mode);
        assert_eq!((&event.kinds[..], event.mode_after), (&[EventKind::Slide][..], 3));
        assert_eq!((event.after[0], event.rounds[0].after[0]), (0.25, 0.25));
        event.correct_end(&[0.5]);
        assert_eq!((event.before[0], event.after[0], event.rounds[0].after[0]), (0.0, 0.5, 0.5));
    }
}
