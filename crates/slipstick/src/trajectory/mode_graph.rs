//! The hybrid automaton that a run has built on its way: the modes that it reached, and the events between
//! them.
//!
//! A mode is named by the automaton's mode, by what each contact does, by the signs of switches, and by the
//! surfaces that the motion slides on. Switches that kept one sign for the whole run tell no modes apart and
//! are left out.

use super::Trajectory;
use crate::equations::{ContactShape, System};
use crate::mode::Mode;

/// The name of the mode of a run that has no more than one.
const ONLY_MODE: &str = "the only mode";

/// With more contacts than this, a mode is named by those that are closed.
const MOST_NAMED: usize = 4;

/// The modes that a run reached, and how it came from one to another.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModeGraph {
    /// The modes, in the order in which they were reached.
    pub modes: Vec<ReachedMode>,
    /// The ways between them, in the order in which they were taken first.
    pub edges: Vec<ModeEdge>,
}

/// A mode that a run was in.
#[derive(Clone, Debug, PartialEq)]
pub struct ReachedMode {
    /// What holds in it.
    pub name: String,
    /// How often it was entered from another mode, or at the start.
    pub entered: usize,
    /// The time that was spent in it.
    pub time: f64,
}

/// An event that led from one mode to another, or back to the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModeEdge {
    /// The mode before, by its place in the graph.
    pub from: usize,
    /// The mode after.
    pub to: usize,
    /// What fired: `a + b -> c` where `a` and `b` fired together and made `c` fire.
    pub event: String,
    /// How often.
    pub count: usize,
}

impl ModeGraph {
    /// The graph of a run of a system.
    pub fn of(system: &dyn System, trajectory: &Trajectory) -> Self {
        let names = ModeNames {
            system,
            changing: changing_switches(system, trajectory),
            guards: &trajectory.guard_names,
        };
        let mut graph = Self::default();
        let mut last = None;
        for (i, segment) in trajectory.segments.iter().enumerate() {
            let place = graph.place_of(names.name(&segment.mode));
            if last != Some(place) {
                graph.modes[place].entered += 1;
            }
            graph.modes[place].time += segment.end_time - segment.start_time;
            if let (Some(from), Some(event)) = (last, i.checked_sub(1).and_then(|i| trajectory.events.get(i)))
            {
                graph.count(from, place, trajectory.names_of(event));
            }
            last = Some(place);
        }
        graph
    }

    /// The place of a mode in the graph.
    fn place_of(&mut self, name: String) -> usize {
        if let Some(known) = self.modes.iter().position(|mode| mode.name == name) {
            return known;
        }
        self.modes.push(ReachedMode { name, entered: 0, time: 0.0 });
        self.modes.len() - 1
    }

    fn count(&mut self, from: usize, to: usize, event: String) {
        let is_same = |edge: &&mut ModeEdge| edge.from == from && edge.to == to && edge.event == event;
        match self.edges.iter_mut().find(is_same) {
            Some(edge) => edge.count += 1,
            None => self.edges.push(ModeEdge { from, to, event, count: 1 }),
        }
    }
}

/// Whether each switch had both signs in a run, or was slid on.
fn changing_switches(system: &dyn System, trajectory: &Trajectory) -> Vec<bool> {
    let Some(first) = trajectory.segments.first() else { return Vec::new() };
    let signs = &first.mode.values.signs;
    let changes = |i: usize, mode: &Mode| mode.values.signs[i] != signs[i] || is_slid_on(system, mode, i);
    let any = |i: usize| trajectory.segments.iter().any(|segment| changes(i, &segment.mode));
    (0..signs.len()).map(any).collect()
}

fn is_slid_on(system: &dyn System, mode: &Mode, switch: usize) -> bool {
    mode.structure.sliding.iter().any(|&g| system.guards()[g].response.switch == Some(switch))
}

/// What names of modes are made of.
struct ModeNames<'a> {
    system: &'a dyn System,
    changing: Vec<bool>,
    guards: &'a [String],
}

impl ModeNames<'_> {
    fn name(&self, mode: &Mode) -> String {
        let place = &self.system.mode_names()[mode.values.place];
        let mut parts: Vec<String> =
            Some(place.clone()).filter(|name| !name.is_empty()).into_iter().collect();
        parts.extend(self.contacts(mode));
        parts.extend((0..mode.values.signs.len()).filter_map(|switch| self.sign(mode, switch)));
        let sliding = mode.structure.sliding.iter();
        parts.extend(sliding.map(|&guard| format!("slides on {}", without_place(&self.guards[guard]))));
        let ahead = mode.structure.reaching.iter().filter(|side| **side != 0.0).count();
        if ahead > 0 {
            parts.push(format!("{ahead} constraints not met yet"));
        }
        if parts.is_empty() { ONLY_MODE.to_owned() } else { parts.join(", ") }
    }

    /// What contacts do. Of many, open ones are not named.
    fn contacts(&self, mode: &Mode) -> Vec<String> {
        let contacts = self.system.contacts();
        if mode.structure.captured {
            return vec!["contacts captured".to_owned()];
        }
        let is_named = |of: &&ContactShape| contacts.len() <= MOST_NAMED || mode.status(of).is_closed();
        let named = contacts.iter().filter(is_named);
        let mut parts: Vec<String> =
            named.map(|of| format!("{} {}", of.name, mode.status(of).word())).collect();
        match contacts.len() - parts.len() {
            0 => {}
            open if open == contacts.len() => parts.push("all contacts open".to_owned()),
            _ => parts.push("others open".to_owned()),
        }
        parts
    }

    /// The sign of a switch that is not slid on and changes in the run.
    fn sign(&self, mode: &Mode, switch: usize) -> Option<String> {
        let sign = if mode.values.signs[switch] < 0.0 { '-' } else { '+' };
        let name = without_place(&self.system.switch_names()[switch]);
        (self.changing[switch] && !is_slid_on(self.system, mode, switch)).then(|| format!("{name} {sign}"))
    }
}

/// A switch in a formula is named by its text and its place: the text is enough here.
fn without_place(name: &str) -> &str {
    name.split(" in ").next().unwrap_or(name)
}
