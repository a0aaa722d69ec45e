//! Compliant contacts: two things that push each other apart with a force of how deep they overlap.
//!
//! With the depth δ = -gap, the force is `N = k δ + c δ'` (linear), or `N = δ^(3/2) (k + c δ')` (Hertz, 1881, with the
//! damping of Hunt and Crossley, J. Appl. Mech. 42, 1975). It acts while δ > 0 and N > 0: it never pulls. Such a
//! contact adds outputs and events to the model; its force acts along the gradient of its gap.

use super::names::{check_formula, smooth_room};
use super::read::Reader;
use super::{
    ContactChange, Definition, Diagnostic, Direction, EventRule, Formula, Model, Quantity, Scope, Side,
    SourceLocation, Trigger, contact_name, speed_of,
};
use crate::expr::{Arena, ExprId, Form, InputId, Interpret, Kind, MAX_TEXT, Node, display, parse};
use std::ops::Range;
use toml::de::DeTable;

/// The words of the laws.
pub(super) const FORCE_LAWS: &[(&str, ForceLaw)] =
    &[("linear", ForceLaw::Linear), ("hertz", ForceLaw::Hertz)];
/// Keys of contacts that are hard.
const HARD_KEYS: &[&str] = &["slip", "friction", "restitution"];

/// How the force of a compliant contact follows from its depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) enum ForceLaw {
    #[default]
    Linear,
    Hertz,
}

impl ForceLaw {
    /// The powers of the depth that stand beside the stiffness and beside the damping.
    pub(super) fn powers_of_depth(self) -> [f64; 2] {
        match self {
            Self::Linear => [1.0, 0.0],
            Self::Hertz => [1.5, 1.5],
        }
    }
}

/// A compliant contact as the user describes it.
#[derive(Clone, Debug)]
pub struct CompliantRule {
    /// The name.
    pub name: String,
    /// Where the name stands.
    pub span: Range<usize>,
    /// The distance.
    pub gap: Formula,
    /// The force that pushes apart: the name of an output.
    pub force: Formula,
    /// How the force follows from the depth.
    pub(super) law: ForceLaw,
    /// Its stiffness, which is greater than zero, and its damping, which may be zero.
    pub numbers: Vec<(Formula, bool)>,
}

/// The table of a compliant contact.
pub(super) struct CompliantTable<'t, 'i> {
    pub(super) name: &'t str,
    pub(super) span: Range<usize>,
    /// Where all of it stands.
    pub(super) place: Range<usize>,
    pub(super) table: &'t DeTable<'i>,
}

/// What the force of a compliant contact follows from.
pub(super) struct Compliance {
    pub(super) law: ForceLaw,
    pub(super) stiffness: Formula,
    pub(super) damping: Option<Formula>,
}

/// Makes a compliant contact out of its gap.
pub(super) struct CompliantMaker<'t> {
    pub(super) name: &'t str,
    pub(super) span: Range<usize>,
    /// Where all of it stands.
    pub(super) place: Range<usize>,
}

/// What the formulas of a compliant contact are made of.
struct Words {
    law: ForceLaw,
    gap: String,
    /// The force where it overlaps, and what has its sign there.
    push: String,
    sign: String,
    /// Whether it may be negative there.
    may_pull: bool,
}

impl CompliantTable<'_, '_> {
    /// Reads it, and adds to the model what it is made of.
    pub(super) fn read(&self, reader: &mut Reader<'_>, gap: Formula, model: &mut Model) {
        for key in HARD_KEYS {
            if let Some(value) = self.table.get(*key) {
                let message = format!("contact `{}` is compliant and takes no `{key}`", self.name);
                let force = self.own("force.n");
                let hint = match *key {
                    "restitution" => {
                        "it gives back less with `damping`; `restitution` is for hard contacts".to_owned()
                    }
                    _ => format!(
                        "hard contacts have it; here write friction as a force, `forces.x = \"-0.2*{force}*sign(x')\"`"
                    ),
                };
                reader.error("bad-contact", value.span(), message, hint);
            }
        }
        let law = self.table.get("law").and_then(|v| reader.word(v, "law", FORCE_LAWS)).unwrap_or_default();
        let Some(stiffness) = self.number(reader, "stiffness") else { return };
        let damping = self.number(reader, "damping");
        let maker = CompliantMaker { name: self.name, span: self.span.clone(), place: self.place.clone() };
        let made = maker.make(gap, Compliance { law, stiffness, damping }, model);
        reader.errors.extend(made.err());
    }

    fn number(&self, reader: &mut Reader<'_>, key: &str) -> Option<Formula> {
        let value = self.table.get(key)?;
        Some(reader.formula(value, &format!("contacts.{}.{key}", self.name), Kind::Number))
    }

    fn own(&self, property: &str) -> String {
        contact_name(self.name, property)
    }
}

impl CompliantMaker<'_> {
    /// Adds to the model what the contact is made of.
    pub(super) fn make(
        &self,
        gap: Formula,
        compliance: Compliance,
        model: &mut Model,
    ) -> Result<(), Diagnostic> {
        let Some(velocity) = self.velocity(&gap, model) else {
            let message = format!("the gap of contact `{}` is too long for a compliant contact", self.name);
            let hint = "write the spring and the damper as `forces`, with switches of your own";
            return Err(Diagnostic::new("bad-contact", self.span.clone(), message).hint(hint));
        };
        let Compliance { law, stiffness, damping } = compliance;
        let words = self.words(law, &stiffness, damping.as_ref());
        self.add(model, [gap, velocity], &words);
        let numbers = std::iter::once((stiffness, true)).chain(damping.map(|damping| (damping, false)));
        if let Some(contact) = model.mechanism.compliant.last_mut() {
            contact.numbers = numbers.collect();
        }
        Ok(())
    }

    fn own(&self, property: &str) -> String {
        contact_name(self.name, property)
    }

    /// The velocity of the gap, as a formula; none if it is too long.
    fn velocity(&self, gap: &Formula, model: &Model) -> Option<Formula> {
        let mut names = NamedInputs::default();
        let mut arena = Arena::new();
        let value = gap.syntax.interpret(gap.syntax.root(), &mut arena, &mut names).ok()?;
        let one = arena.constant(1.0);
        let mut seeds = vec![(names.input("t"), one)];
        for coordinate in model.coordinates() {
            let speed = names.input(&speed_of(&coordinate.name));
            let speed = arena.input(speed);
            seeds.push((names.input(&coordinate.name), speed));
        }
        let rate = arena.derivative_along(&[value], &seeds);
        let name = |input: InputId| names.list.get(input.index()).cloned().unwrap_or_default();
        let text = display(&arena, *rate.first()?, &name);
        (text.len() < MAX_TEXT).then(|| self.formula(&text))
    }

    fn words(&self, law: ForceLaw, stiffness: &Formula, damping: Option<&Formula>) -> Words {
        let (gap, velocity) = (self.own("gap"), self.own("velocity"));
        let is_number = matches!(
            stiffness.syntax.node(stiffness.syntax.root()).form,
            Form::Quantity(..) | Form::Number(_)
        );
        let (stiffness, damping) = (stiffness.syntax.text(), damping.map(|c| c.syntax.text()));
        let damper = |of: &str| damping.map_or(String::new(), |c| format!(" - ({c})*{velocity}{of}"));
        let (push, sign) = match law {
            ForceLaw::Linear => {
                let push = format!("-({stiffness})*{gap}{}", damper(""));
                (push.clone(), push)
            }
            // The root of a square has a value on both sides of zero: steps look beyond it.
            ForceLaw::Hertz => {
                let sign = format!("{stiffness}{}", damper(""));
                (format!("-{gap}*({gap}^2)^0.25*({sign})"), sign)
            }
        };
        Words { law, gap, push, sign, may_pull: damping.is_some() || !is_number }
    }

    fn formula(&self, text: &str) -> Formula {
        let place = SourceLocation::whole(self.place.clone());
        Formula { syntax: parse(text).unwrap_or_default(), place }
    }

    /// Adds the outputs and events that it is made of.
    fn add(&self, model: &mut Model, [gap, velocity]: [Formula; 2], words: &Words) {
        let Words { law, gap: depth, push, sign, may_pull } = words;
        let output = |property: &str, formula: Formula| Definition {
            name: self.own(property),
            span: self.span.clone(),
            formula,
        };
        let (force, hit, lift) = if *may_pull {
            (
                format!("if {depth} < 0 then (if {sign} > 0 then {push} else 0) else 0"),
                format!("{depth} < 0 and {sign} > 0"),
                format!("{depth} > 0 or {sign} < 0"),
            )
        } else {
            (format!("if {depth} < 0 then {push} else 0"), format!("{depth} < 0"), format!("{depth} > 0"))
        };
        model.outputs.push(output("gap", gap.clone()));
        model.outputs.push(output("velocity", velocity));
        model.outputs.push(output("force.n", self.formula(&force)));
        for (change, guard) in [(ContactChange::Hit, hit), (ContactChange::Lift, lift)] {
            model.events.push(self.event(change, &guard, *may_pull));
        }
        let force = self.formula(&words.force_name());
        let rule = CompliantRule {
            name: self.name.to_owned(),
            span: self.span.clone(),
            gap,
            force,
            law: *law,
            numbers: Vec::new(),
        };
        model.mechanism.compliant.push(rule);
    }

    /// The event that it closes, or that its force ends. It is only recorded: the force switches by itself.
    fn event(&self, change: ContactChange, guard: &str, is_condition: bool) -> EventRule {
        let direction = match change {
            ContactChange::Hit if !is_condition => Direction::Falling,
            _ => Direction::Rising,
        };
        EventRule {
            name: self.own(change.word()),
            span: self.span.clone(),
            trigger: Trigger::Guard(self.formula(guard)),
            direction,
            side: Side::After,
            reset: Vec::new(),
            impulse: None,
            goto: None,
            stop_after: None,
            touches: false,
            at_rest: None,
            on_entry: true,
            priority: 0,
            of_contact: Some(change),
            joints: Vec::new(),
        }
    }
}

impl Words {
    fn force_name(&self) -> String {
        format!("{}force.n", self.gap.trim_end_matches("gap"))
    }
}

/// Every name is an input, in the order in which they come.
#[derive(Default)]
struct NamedInputs {
    list: Vec<String>,
}

impl NamedInputs {
    fn input(&mut self, name: &str) -> InputId {
        let place = self.list.iter().position(|known| known == name).unwrap_or_else(|| {
            self.list.push(name.to_owned());
            self.list.len() - 1
        });
        InputId(u32::try_from(place).unwrap_or(u32::MAX))
    }
}

impl Interpret for NamedInputs {
    fn name(&mut self, arena: &mut Arena, name: &str, _smooth: bool) -> Option<ExprId> {
        let input = self.input(name);
        Some(arena.input(input))
    }

    fn operation(&mut self, arena: &mut Arena, node: Node, _text: &str) -> ExprId {
        arena.build(node)
    }
}

/// Gaps of compliant contacts: distances, of which the velocity is known.
pub(super) fn check_compliant(model: &Model, scope: &Scope<'_>, errors: &mut Vec<Diagnostic>) {
    let n = model.mechanism.coordinates;
    for contact in &model.mechanism.compliant {
        check_formula(&contact.gap, scope, smooth_room("a gap"), errors);
        let is_other = |name: &str| matches!(scope.meaning(name), Some(Quantity::State(i)) if i >= n);
        if contact.gap.syntax.names_of_values().any(|(name, _)| is_other(name)) {
            let message = format!("the gap of contact `{}` uses more than coordinates", contact.name);
            let hint = "a gap is a distance: a formula of coordinates and time";
            let span = contact.gap.place.span.clone();
            errors.push(Diagnostic::new("bad-contact", span, message).hint(hint));
        }
    }
}
