//! Names of what parts have: `crank.tip.x`, `joint.main.angle`, `joint.guide.force.y`. What is used of them becomes an
//! output.

use super::bodies::{BodyList, BodyPlace, Pose};
use super::contacts::ContactSets;
use super::holding::Held;
use super::term::{Term, origin, turned};
use super::tree::Carried;
use crate::expr::parse;
use crate::model::{Definition, Formula, Model, SourceLocation};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// How often what constraints use is written out again: outputs may use outputs.
const MOST_NESTED: usize = 16;

/// What names of parts are looked up in.
pub(super) struct PartNames<'a> {
    pub(super) bodies: &'a BodyList,
    pub(super) held: &'a BTreeMap<&'a str, Held<'a>>,
    pub(super) contacts: &'a ContactSets,
    pub(super) carried: &'a [Option<Carried<'a>>],
}

impl PartNames<'_> {
    /// The formula that a name of a part stands for, if it is one.
    pub(super) fn meaning(&self, name: &str) -> Option<Term> {
        if let Some(place) = name.strip_suffix("''").and_then(|name| self.of_carried(name)) {
            return Some(place);
        }
        for (word, is_mirrored) in [(".sees.", false), (".mirrors.", true)] {
            if let Some((frame, seen)) = name.split_once(word) {
                return self.seen_from(&self.place(frame)?, is_mirrored, seen);
            }
        }
        match name.strip_prefix("joint.") {
            Some(of_joint) => self.of_joint(of_joint),
            None => self.contacts.meaning(name).or_else(|| self.of_body(name)),
        }
    }

    /// How fast the rate of where a body is changes that a joint carries.
    fn of_carried(&self, name: &str) -> Option<Term> {
        let ends = [".com.x", ".com.y", ".x", ".y", ".angle"];
        let body = ends.iter().find_map(|end| self.bodies.index(name.strip_suffix(end)?))?;
        let carried = self.carried.get(body)?.as_ref()?;
        let place = carried.names().iter().position(|own| own == name)?;
        Some(carried.acceleration()[place].clone())
    }

    /// `crank.x`, `crank.angle'`, `crank.tip.y`, `crank.F.angle`, `crank.com.x'`.
    fn of_body(&self, name: &str) -> Option<Term> {
        let (path, order) = rate(name);
        let (owner, what) = path.rsplit_once('.')?;
        let place = self.place(owner)?;
        let along = |[x, y]: [Term; 2]| match what {
            "x" => Some(x),
            "y" => Some(y),
            _ => None,
        };
        match (what, order) {
            ("angle", 0) => Some(self.bodies.angle(&place, Pose::Moving)),
            ("angle", 1) => Some(self.bodies.turning(&place)),
            ("angle", _) => Some(self.bodies.spin_up(&place)),
            (_, 0) => along(self.bodies.position(&place, Pose::Moving)),
            (_, 1) => along(self.bodies.velocity(&place)),
            _ => along(self.bodies.acceleration(&place)),
        }
    }

    /// What a place sees, in its own axes: `ground.left.sees.left.crank.x'`. In a mirror x and all turning change their
    /// signs.
    fn seen_from(&self, frame: &BodyPlace, is_mirrored: bool, name: &str) -> Option<Term> {
        let back = -&self.bodies.angle(frame, Pose::Moving);
        let (path, order) = rate(name);
        let (owner, what) = path.rsplit_once('.')?;
        let [x, y, angle] = match name.strip_prefix("joint.") {
            Some(_) => {
                let joint = owner.strip_suffix(".force").unwrap_or(owner).strip_prefix("joint.")?;
                let (force, moment) = self.held.get(joint).filter(|_| order == 0)?.reaction();
                let [x, y] = turned(&force, &back);
                [x, y, moment]
            }
            None => self.bodies.seen(frame, &self.place(owner)?, order),
        };
        match what {
            "x" => Some(if is_mirrored { -&x } else { x }),
            "y" => Some(y),
            "angle" | "moment" => Some(if is_mirrored { -&angle } else { angle }),
            _ => None,
        }
    }

    /// A body, or a place on it.
    fn place(&self, name: &str) -> Option<BodyPlace> {
        let whole = |name: &str| {
            let body = self.bodies.index(name).map(Some);
            body.or_else(|| (name == super::bodies::GROUND).then_some(None))
        };
        if let Some(body) = whole(name) {
            return Some(BodyPlace { body, at: origin(), angle: Term::zero() });
        }
        let (owner, point) = name.rsplit_once('.')?;
        let body = whole(owner)?;
        let (at, angle) = self.bodies.of(body).place(point)?;
        Some(BodyPlace { body, at, angle })
    }

    /// `joint.main.angle`, `joint.main.angle'`, `joint.main.force.x`, `joint.main.moment`.
    fn of_joint(&self, path: &str) -> Option<Term> {
        let (joint, held) = self.longest(path)?;
        let (what, order) = rate(path.get(joint.len() + 1..)?);
        let coordinate = held.coordinate().filter(|coordinate| coordinate.word == what);
        if let Some(coordinate) = coordinate {
            return match order {
                0 => Some(held.value(coordinate, Pose::Moving)),
                1 => Some(held.velocity(coordinate)),
                _ => held.acceleration(coordinate),
            };
        }
        let ([x, y], moment) = held.reaction();
        match what {
            "force.x" if order == 0 => Some(x),
            "force.y" if order == 0 => Some(y),
            "moment" if order == 0 => Some(moment),
            _ => None,
        }
    }

    /// The joint whose name a path begins with.
    fn longest(&self, path: &str) -> Option<(&str, &Held<'_>)> {
        let ends = path.match_indices('.').map(|(at, _)| at);
        let found = ends.rev().find_map(|end| self.held.get_key_value(&path[..end]));
        found.map(|(name, held)| (*name, held))
    }
}

/// A name without the primes of a rate, and how many it has; more than two mean nothing.
fn rate(name: &str) -> (&str, usize) {
    let path = name.trim_end_matches('\'');
    let order = name.len() - path.len();
    if order > 2 { (name, 0) } else { (path, order) }
}

impl PartNames<'_> {
    /// What formulas of the model use of parts becomes outputs; and in constraints, which use no outputs, the formulas
    /// themselves.
    pub(super) fn define(&self, model: &mut Model, columns: Vec<String>) {
        let mut known: BTreeSet<String> = names_of(model).map(str::to_owned).collect();
        let mut open: Vec<String> = columns;
        open.extend(
            model
                .observing_formulas()
                .flat_map(|formula| formula.syntax.names().map(|(name, _)| name.to_owned())),
        );
        while let Some(name) = open.pop() {
            if known.contains(&name) {
                continue;
            }
            let of_coordinate = name.strip_suffix("''");
            if of_coordinate.is_some_and(|name| model.coordinates().iter().any(|own| own.name == name)) {
                continue;
            }
            let Some(term) = self.meaning(&name) else { continue };
            let Ok(syntax) = parse(term.text()) else { continue };
            let formula = Formula { syntax, place: SourceLocation::made(0..0) };
            open.extend(formula.syntax.names().map(|(name, _)| name.to_owned()));
            model.outputs.push(Definition { name: name.clone(), span: 0..0, formula });
            known.insert(name);
        }
        Self::write_out_in_constraints(model);
    }

    fn write_out_in_constraints(model: &mut Model) {
        let mut constraints = std::mem::take(&mut model.mechanism.constraints);
        for constraint in &mut constraints {
            for _ in 0..MOST_NESTED {
                let Some(text) = Self::written_out(&constraint.formula, model) else { break };
                let Ok(syntax) = parse(&text) else { break };
                let place = SourceLocation { text_start: None, ..constraint.formula.place.clone() };
                constraint.formula = Formula { syntax, place };
            }
        }
        model.mechanism.constraints = constraints;
    }

    /// The text of a formula with outputs in it written out; none if it uses none.
    fn written_out(formula: &Formula, model: &Model) -> Option<String> {
        let text = formula.syntax.text();
        let meaning = |name: &str| {
            // Where bodies are has a name in trees: text for text a chain would grow with the square of its links.
            if model.is_place(name.trim_end_matches('\'')) {
                return None;
            }
            let output = model.outputs.iter().find(|output| output.name == name)?;
            Some(output.formula.syntax.text())
        };
        let mut found: Vec<(Range<usize>, &str)> =
            formula.syntax.names().filter_map(|(name, span)| Some((span, meaning(name)?))).collect();
        found.sort_by_key(|(span, _)| span.start);
        let (mut result, mut done) = (String::new(), 0);
        for (span, meaning) in &found {
            result = result + &text[done..span.start] + "(" + meaning + ")";
            done = span.end;
        }
        (!found.is_empty()).then(|| result + &text[done..])
    }
}

/// The names that mean something in a model already.
fn names_of(model: &Model) -> impl Iterator<Item = &str> {
    let lists = [&model.parameters, &model.states, &model.discrete, &model.outputs, &model.switches];
    lists.into_iter().flatten().map(|definition| definition.name.as_str())
}
