//! Resets of where bodies are, and of how fast they move, as resets of the coordinates of the joints that carry them.
//!
//! With three coordinates for each body, what an event sets is set, and bodies that are joined to it follow with the least
//! change in the metric of the masses. With those of joints that would be another change, so an event has to set as much as is
//! free among bodies that are joined.

use super::Carried;
use crate::model::parts::bodies::{BodyList, BodyPlace, Pose};
use crate::model::parts::lowered::LoweredParts;
use crate::model::parts::source::PartSource;
use crate::model::parts::term::Term;
use crate::model::{Definition, Model};
use std::collections::BTreeMap;
use std::ops::Range;

/// Puts coordinates of joints in the place of what resets say of bodies that joints carry.
pub(in crate::model::parts) struct CarriedResets<'r> {
    pub(in crate::model::parts) bodies: &'r BodyList,
    pub(in crate::model::parts) carried: &'r [Option<Carried<'r>>],
    pub(in crate::model::parts) order: &'r [usize],
    /// The bodies that each joint or drive joins, with how many constraints it is.
    pub(in crate::model::parts) links: &'r [(Vec<usize>, usize)],
    pub(in crate::model::parts) source: &'r mut PartSource,
    pub(in crate::model::parts) lowered: &'r mut LoweredParts,
}

/// What joints hold together: what is set of one body moves the others.
struct Linked {
    /// The number of the group of each body.
    group: Vec<usize>,
    /// How many coordinates of each group no constraint of a joint or drive takes away.
    free: Vec<usize>,
}

impl CarriedResets<'_> {
    pub(in crate::model::parts) fn translate(&mut self, model: &mut Model) {
        let linked = self.linked();
        let modes = model.modes.iter_mut().flat_map(|mode| &mut mode.events);
        for event in model.events.iter_mut().chain(modes) {
            let rest = event.at_rest.iter_mut().map(|rest| &mut rest.reset);
            for reset in std::iter::once(&mut event.reset).chain(rest) {
                *reset = self.reset(&event.name, std::mem::take(reset), &linked);
            }
        }
    }

    /// Which bodies joints hold together.
    fn linked(&self) -> Linked {
        let mut group: Vec<usize> = (0..self.bodies.list.len()).collect();
        let mut join = |a: usize, b: usize| {
            let (from, to) = (group[a].max(group[b]), group[a].min(group[b]));
            group.iter_mut().filter(|group| **group == from).for_each(|group| *group = to);
        };
        for (bodies, _) in self.links {
            bodies.windows(2).for_each(|pair| join(pair[0], pair[1]));
        }
        let mut free = vec![0_usize; group.len()];
        for (i, carried) in self.carried.iter().enumerate() {
            let own = carried.as_ref().map_or(3, |carried| usize::from(carried.held.coordinate().is_some()));
            free[group[i]] += own;
        }
        for (bodies, rows) in self.links {
            if let Some(&i) = bodies.first() {
                free[group[i]] = free[group[i]].saturating_sub(*rows);
            }
        }
        Linked { group, free }
    }

    /// The same reset in coordinates.
    fn reset(&mut self, event: &str, given: Vec<Definition>, linked: &Linked) -> Vec<Definition> {
        let mut all = Vec::new();
        for rate in ["", "'"] {
            all.extend(self.of_rate((event, rate), &given, linked));
        }
        let is_carried = |name: &str| {
            let name = name.trim_end_matches('\'');
            self.carried.iter().flatten().any(|carried| carried.names().iter().any(|own| own == name))
        };
        all.extend(given.into_iter().filter(|reset| !is_carried(&reset.name)));
        all
    }

    /// The resets of positions, or of rates.
    fn of_rate(
        &mut self,
        (event, rate): (&str, &str),
        given: &[Definition],
        linked: &Linked,
    ) -> Vec<Definition> {
        let of_rate = |reset: &'_ Definition| {
            let name = reset.name.strip_suffix(rate).filter(|name| !name.ends_with('\''))?;
            Some((name.to_owned(), (Term::formula(reset.formula.syntax.text()), reset.span.clone())))
        };
        let set: BTreeMap<String, (Term, Range<usize>)> = given.iter().filter_map(of_rate).collect();
        let (mut turned, mut found) = (BTreeMap::new(), Vec::new());
        let mut said = vec![(0, None); linked.free.len()];
        for &i in self.order {
            let names = self.bodies.list[i].coordinates();
            let values = names.each_ref().map(|name| set.get(name).map(|(value, _)| value.clone()));
            let Some(span) = names.iter().find_map(|name| Some(set.get(name)?.1.clone())) else { continue };
            let said = &mut said[linked.group[i]];
            *said = (said.0 + 1, Some((i, span.clone())));
            let own = values[2].clone();
            if let Some(carried) = &self.carried[i] {
                let Some((name, value)) = carried.set(rate, values, &turned) else {
                    self.refuse(event, i, span);
                    continue;
                };
                found.push(self.lowered.definition(&name, &value, &span));
            } else {
                said.0 += values.iter().flatten().count() - 1;
            }
            turned.extend(own.map(|angle| (i, angle)));
        }
        for (group, (count, first)) in said.into_iter().enumerate() {
            if let Some((i, span)) = first.filter(|_| count < linked.free[group]) {
                self.refuse(event, i, span);
            }
        }
        found
    }

    fn refuse(&mut self, event: &str, body: usize, span: Range<usize>) {
        let name = &self.bodies.list[body].name;
        let message = format!(
            "event `{event}` sets where body `{name}` is or how it moves, and the coordinates of joints do not follow from that"
        );
        let hint = "set the angles of all bodies between it and the ground, and of those that hang on it, or `x` or `y` of one that slides; give an `impulse`; or leave out `coordinates = \"joint\"`";
        self.source.error("joint-coordinates", span, message, hint);
    }
}

impl Carried<'_> {
    fn parent(&self) -> Option<usize> {
        self.other().body
    }

    /// Whether it turns against the body that carries it.
    fn turns(&self) -> bool {
        self.held.coordinate().is_some_and(|coordinate| coordinate.word == "angle")
    }

    /// The coordinate of the joint, or its rate, where this is set of the body: x, y, angle.
    fn set(
        &self,
        rate: &str,
        [x, y, angle]: [Option<Term>; 3],
        turned: &BTreeMap<usize, Term>,
    ) -> Option<(String, Term)> {
        let moved = [x, y].into_iter().zip(self.names());
        let moved: Vec<Option<Term>> =
            moved.map(|(set, name)| Some(&set? - &Term::whole(format!("{name}{rate}")))).collect();
        match (angle, &moved[..]) {
            (Some(angle), [None, None]) => self.swung(rate, &angle, turned),
            (None, [x, y]) => self.slid(rate, [x.clone(), y.clone()]),
            _ => None,
        }
    }

    /// The coordinate of a joint that turns, where the angle of its body is set, or the rate of that.
    fn swung(&self, rate: &str, own: &Term, turned: &BTreeMap<usize, Term>) -> Option<(String, Term)> {
        let coordinate = self.held.coordinate().filter(|_| self.turns())?;
        let fixed =
            |place: &BodyPlace, set: &Term| if rate.is_empty() { set + &place.angle } else { set.clone() };
        let other = match self.parent() {
            // The ground does not turn, and what is not set has nowhere to stay.
            None => fixed(self.other(), &Term::zero()),
            Some(parent) => fixed(self.other(), turned.get(&parent)?),
        };
        let turn = &fixed(self.own(), own) - &other;
        let turn = if (self.end == 1) == self.held.ends.is_mirrored { -&turn } else { turn };
        Some((format!("{}{rate}", self.held.own(coordinate.word)), turn))
    }

    /// The coordinate of a joint that slides, where its body is moved by so much along x or y, or how fast it slides.
    fn slid(&self, rate: &str, moved: [Option<Term>; 2]) -> Option<(String, Term)> {
        // On a body that moves it would be moved with that.
        let coordinate = self.held.coordinate().filter(|_| !self.turns() && self.parent().is_none())?;
        let [along, _] = self.held.ends.axes(Pose::Moving);
        let way = match moved {
            [Some(x), Some(y)] => &(&along[0] * &x) + &(&along[1] * &y),
            [Some(x), None] if !along[0].is_zero() => x.over(&along[0]),
            [None, Some(y)] if !along[1].is_zero() => y.over(&along[1]),
            _ => return None,
        };
        let name = format!("{}{rate}", self.held.own(coordinate.word));
        Some((name.clone(), &Term::whole(name) + &self.signed(&way)))
    }
}
