//! What parts add to a model: coordinates, masses, forces, constraints, discrete variables, outputs and events.

use super::term::{Pair, Term};
use crate::expr::parse;
use crate::model::compliant::Compliance;
use crate::model::{
    BodyRule, Definition, Diagnostic, Direction, EventRule, Formula, ImpactLaw, Model, PressRule, Side,
    SourceLocation, Trigger, speed_of,
};
use std::collections::BTreeMap;
use std::ops::Range;

/// What parts add to a model.
#[derive(Default)]
pub(in crate::model) struct LoweredParts {
    /// Parameters that are not the user's: where bodies are drawn, and what joints keep.
    pub(in crate::model) drawn: Vec<Definition>,
    pub(in crate::model) coordinates: Vec<Definition>,
    pub(in crate::model) speeds: Vec<Definition>,
    /// The bodies whose coordinates these are, three each.
    pub(in crate::model) bodies: Vec<String>,
    pub(in crate::model) inertia: Vec<Definition>,
    pub(in crate::model) kinetic: Vec<Term>,
    pub(in crate::model) potential: Vec<Term>,
    pub(in crate::model) constraints: Vec<Definition>,
    pub(in crate::model) discrete: Vec<Definition>,
    pub(in crate::model) outputs: Vec<Definition>,
    pub(in crate::model) events: Vec<EventRule>,
    pub(in crate::model) contacts: Vec<GapRule>,
    /// Joints with friction.
    pub(in crate::model) rubbing: Vec<RubbingRule>,
    /// Constraints, each with the discrete variable that keeps its impulse in the last hit.
    pub(in crate::model) kept_impulses: Vec<[String; 2]>,
    pub(in crate::model) errors: Vec<Diagnostic>,
    /// Names of what bodies have that become outputs, whether a formula uses them or not.
    pub(in crate::model) columns: Vec<String>,
    /// Springs between two points, to be drawn.
    pub(in crate::model) springs: Vec<(String, [Pair; 2])>,
    /// Coordinates of joints, which have no mass; with their speeds.
    further: Vec<[Definition; 2]>,
    forces: BTreeMap<String, (Term, Range<usize>)>,
}

/// A contact with its formulas.
pub(in crate::model) struct GapRule {
    /// The name: `floor`, `pawl[3]`, `stop.hinge.to`.
    pub(in crate::model) name: String,
    pub(in crate::model) span: Range<usize>,
    pub(in crate::model) gap: Formula,
    pub(in crate::model) slip: Option<Formula>,
    pub(in crate::model) restitution: Formula,
    /// Static and sliding.
    pub(in crate::model) friction: Option<[Formula; 2]>,
    pub(in crate::model) law: ImpactLaw,
    /// What its force follows from, if it gives way.
    pub(in crate::model) compliance: Option<Compliance>,
}

/// All that touches.
pub(in crate::model) struct TouchingRules {
    pub(in crate::model) gaps: Vec<GapRule>,
    pub(in crate::model) rubbing: Vec<RubbingRule>,
}

/// Friction in a joint, with its formulas.
pub(in crate::model) struct RubbingRule {
    /// The joint.
    pub(in crate::model) joint: String,
    pub(in crate::model) span: Range<usize>,
    /// What presses: one while the joint holds if its friction is given, and otherwise its own force.
    pub(in crate::model) press: PressRule,
    /// How fast its coordinate changes.
    pub(in crate::model) slip: Formula,
    /// Static and sliding, for a pressing force of one.
    pub(in crate::model) friction: [Formula; 2],
}

impl LoweredParts {
    /// A formula that stands where a part is written.
    pub(super) fn formula(&mut self, term: &Term, span: &Range<usize>) -> Formula {
        let place = SourceLocation::made(span.clone());
        match parse(term.text()) {
            Ok(syntax) => Formula { syntax, place },
            Err(error) => {
                let error = Diagnostic::new("formula-syntax", span.clone(), error.message);
                self.errors.push(error.hint("write the formulas of this part more simply"));
                Formula { syntax: crate::expr::Syntax::default(), place }
            }
        }
    }

    pub(super) fn definition(&mut self, name: &str, term: &Term, span: &Range<usize>) -> Definition {
        Definition { name: name.to_owned(), span: span.clone(), formula: self.formula(term, span) }
    }

    /// A parameter that stands for a formula of parameters; short ones stand for themselves.
    pub(super) fn fixed(&mut self, name: &str, term: Term, span: &Range<usize>) -> Term {
        if !term.text().contains([' ', '(']) {
            return term;
        }
        let definition = self.definition(name, &term, span);
        self.drawn.push(definition);
        Term::whole(name)
    }

    pub(super) fn constraint(&mut self, name: &str, term: &Term, span: &Range<usize>) {
        let definition = self.definition(name, term, span);
        self.constraints.push(definition);
    }

    pub(super) fn output(&mut self, name: &str, term: &Term, span: &Range<usize>) {
        let definition = self.definition(name, term, span);
        self.outputs.push(definition);
    }

    pub(super) fn discrete(&mut self, name: &str, start: &Term, span: &Range<usize>) {
        let definition = self.definition(name, start, span);
        self.discrete.push(definition);
    }

    /// A coordinate without a mass, with its start and its velocity.
    pub(super) fn coordinate(&mut self, name: &str, [start, velocity]: [&Term; 2], span: &Range<usize>) {
        let both = [start, velocity].map(|term| self.definition(name, term, span));
        let massless = self.definition(name, &Term::zero(), span);
        self.further.push(both);
        self.inertia.push(massless);
    }

    /// A coordinate that moves a body, with its start and its velocity.
    pub(super) fn moving_coordinate(&mut self, name: &str, start: [&Term; 2], span: &Range<usize>) {
        let both = start.map(|term| self.definition(name, term, span));
        self.further.push(both);
    }

    /// The coordinates without a mass.
    pub(super) fn places(&self) -> Vec<Definition> {
        self.further.iter().map(|[place, _]| place.clone()).collect()
    }

    /// Adds to the forces on coordinates.
    pub(super) fn push(&mut self, forces: impl IntoIterator<Item = (String, Term)>, span: &Range<usize>) {
        for (coordinate, force) in forces.into_iter().filter(|(_, force)| !force.is_zero()) {
            let entry = self.forces.entry(coordinate).or_insert_with(|| (Term::zero(), span.clone()));
            entry.0 = &entry.0 + &force;
        }
    }

    /// Puts everything into the model; coordinates stand behind those that it has, and before other states.
    pub(super) fn merge_into(&mut self, model: &mut Model) {
        let n = model.mechanism.coordinates;
        for [coordinate, speed] in std::mem::take(&mut self.further) {
            self.coordinates.push(coordinate);
            self.speeds.push(speed);
        }
        let speeds = std::mem::take(&mut self.speeds).into_iter();
        let speeds = speeds.map(|speed| Definition { name: speed_of(&speed.name), ..speed });
        let added = self.coordinates.len();
        let bodies = std::mem::take(&mut self.bodies).into_iter().enumerate();
        let of =
            |(i, name): (usize, String)| BodyRule { name, coordinates: [0, 1, 2].map(|k| n + 3 * i + k) };
        model.mechanism.bodies.extend(bodies.map(of));
        model.states.splice(2 * n..2 * n, speeds);
        model.states.splice(n..n, std::mem::take(&mut self.coordinates));
        model.mechanism.coordinates = n + added;
        model.parameters.append(&mut self.drawn);
        let rule = &mut model.mechanism;
        rule.inertia.append(&mut self.inertia);
        rule.constraints.append(&mut self.constraints);
        rule.kept_impulses.append(&mut self.kept_impulses);
        for force in self.forces() {
            match rule.forces.iter_mut().find(|known| known.name == force.name) {
                Some(known) => {
                    let [given, own] = [&*known, &force].map(|d| Term::formula(d.formula.syntax.text()));
                    known.formula = self.formula(&(&given + &own), &known.span.clone());
                }
                None => rule.forces.push(force),
            }
        }
        if let Some(own) = self.potential() {
            let sum = match &rule.potential {
                None => own,
                Some(given) => {
                    let [given, own] = [given, &own].map(|f| Term::formula(f.syntax.text()));
                    self.formula(&(&given + &own), &(0..0))
                }
            };
            rule.potential = Some(sum);
        }
        model.discrete.append(&mut self.discrete);
        model.outputs.append(&mut self.outputs);
        model.events.append(&mut self.events);
    }

    /// The forces on coordinates.
    fn forces(&mut self) -> Vec<Definition> {
        let forces = std::mem::take(&mut self.forces);
        forces.into_iter().map(|(name, (term, span))| self.definition(&name, &term, &span)).collect()
    }

    /// The sum of all potential energies.
    fn potential(&mut self) -> Option<Formula> {
        let terms = std::mem::take(&mut self.potential);
        // Sums of pairs: a formula may not nest too deeply, and a long sum does.
        let texts: Vec<&str> = terms.iter().map(Term::text).collect();
        let sum = Term::formula(&texts.join(" + "));
        (!terms.is_empty()).then(|| self.formula(&sum, &(0..0)))
    }

    /// An event with a guard.
    pub(super) fn event(&mut self, name: &str, guard: &Term, reset: Vec<Definition>, span: &Range<usize>) {
        let guard = self.formula(guard, span);
        self.events.push(EventRule {
            name: name.to_owned(),
            span: span.clone(),
            trigger: Trigger::Guard(guard),
            direction: Direction::Rising,
            side: Side::After,
            reset,
            impulse: None,
            goto: None,
            stop_after: None,
            touches: false,
            at_rest: None,
            on_entry: true,
            priority: 0,
            of_contact: None,
            joints: Vec::new(),
        });
    }
}
