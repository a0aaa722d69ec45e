//! Contacts of a mechanism: two things that touch or not, and what happens when they do.
//!
//! A contact has a gap, which is never negative, and may have a slip velocity with friction. Each contact adds to
//! the model what the rest of the program knows already: discrete variables (its state, the direction in which it
//! slides, the impulses of its hits), a constraint for its normal and one for its slip, outputs, and events.

use super::compliant::{CompliantMaker, CompliantTable, check_compliant};
use super::names::{FormulaContext, check_formula, smooth_room};
use super::parts::{GapRule, RubbingRule};
use super::read::{Reader, Value};
use super::{
    Definition, Diagnostic, Direction, EventRule, Formula, Model, Quantity, RestRule, Scope, Side,
    SourceLocation, Trigger,
};
use crate::expr::Kind;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeString, DeTable};

const CONTACT_KEYS: &[&str] = &["gap", "slip", "restitution", "friction", "law", "stiffness", "damping"];
/// The keys of contacts between shapes that say which these are.
pub(super) const PARTIES: &[&str] = &["between", "among"];
const FRICTION_KEYS: &[&str] = &["static", "sliding"];
pub(super) const LAWS: &[(&str, ImpactLaw)] = &[
    ("moreau", ImpactLaw::Moreau),
    ("poisson", ImpactLaw::Poisson),
    ("sequential", ImpactLaw::Sequential),
    ("smith", ImpactLaw::Smith),
];

/// What decides about velocities after an impact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
pub enum ImpactLaw {
    /// Newton's restitution in all contacts at once, in passes while one of them approaches (Moreau).
    #[default]
    Moreau,
    /// Compression, then an impulse that gives back a part of that of the compression.
    Poisson,
    /// One contact after the other, the fastest approach first.
    Sequential,
    /// Newton's restitution with friction that never gains energy (Smith 1991).
    Smith,
}

impl ImpactLaw {
    /// Its word in model files and results.
    pub fn word(self) -> &'static str {
        LAWS.iter().find(|(_, law)| *law == self).map_or("", |(word, _)| word)
    }

    /// Whether it is defined with friction: Poisson's law and impacts one after the other are not here.
    pub(crate) fn takes_friction(self) -> bool {
        matches!(self, Self::Moreau | Self::Smith)
    }
}

/// Coefficients of Coulomb friction.
#[derive(Clone, Debug)]
pub struct FrictionRule {
    /// The largest ratio of the forces while the contact sticks.
    pub sticking: Formula,
    /// The ratio of the forces while it slides.
    pub sliding: Formula,
}

/// What presses the two sides of a contact together.
#[derive(Clone, Debug)]
pub enum PressRule {
    /// Whatever it takes to keep them apart.
    Gap {
        /// The distance; it is not negative.
        gap: Formula,
        /// Which part of the approach velocity is given back.
        restitution: Formula,
    },
    /// This force, as in a joint: they never part. Where it is negative they do not rub.
    Given(Formula),
    /// This part of the force in a joint, without its sign, by the name of the constraint that bears it.
    Joint {
        /// The part: one while the joint holds, and negative otherwise.
        part: Formula,
        /// The force: that part of the multiplier.
        force: Formula,
        /// The constraint.
        row: String,
    },
}

/// A contact as the user describes it.
#[derive(Clone, Debug)]
pub struct ContactRule {
    /// The name.
    pub name: String,
    /// Where the name stands.
    pub span: Range<usize>,
    /// What presses the two sides together.
    pub press: PressRule,
    /// The velocity of the two sides along each other, linear in the speeds.
    pub slip: Option<Formula>,
    /// Whether both are known to be continuous, whatever branches their formulas have: those of parts are.
    pub is_of_parts: bool,
    /// Friction, if there is any.
    pub friction: Option<FrictionRule>,
    /// The impact law.
    pub law: ImpactLaw,
    /// The first of its constraints among those of the model: that of its normal, if it has a gap, and behind it that
    /// of its slip.
    pub row: usize,
    /// Its state among the discrete variables; the direction in which it slides is behind it.
    pub state: usize,
}

/// What can happen to a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ContactChange {
    /// Its gap closes.
    Hit,
    /// Its normal force falls to zero.
    Lift,
    /// Its friction does not hold it any more.
    Slip,
    /// Its slip comes to an end.
    Stick,
    /// Its slip changes its direction.
    Reverse,
    /// Its hits accumulate.
    Rest,
}

impl ContactChange {
    /// What has an event, in the order of the events of a contact. That of its rest is made of its hits.
    const ALL: [Self; 5] = [Self::Hit, Self::Lift, Self::Slip, Self::Stick, Self::Reverse];

    /// What can happen to a contact and has an event, in this order.
    pub(crate) fn of_contact(has_gap: bool, has_friction: bool) -> impl Iterator<Item = Self> {
        let is_of = move |change: &Self| match change {
            Self::Hit | Self::Lift => has_gap,
            _ => has_friction,
        };
        Self::ALL.into_iter().filter(is_of)
    }

    /// Whether it has a surface: what has none follows from another change.
    pub fn has_surface(self) -> bool {
        !matches!(self, Self::Reverse | Self::Rest)
    }

    /// The side of its event on which the motion goes on: a gap stays above zero, and a force that is to end has come
    /// to its limit.
    pub(crate) fn side(self) -> Side {
        match self {
            Self::Lift | Self::Slip => Side::After,
            Self::Hit | Self::Stick | Self::Reverse | Self::Rest => Side::Before,
        }
    }

    /// Whether it happens where its event is true as it begins to be watched. Where a contact begins to slide, that
    /// has just been decided.
    pub(crate) fn fires_on_entry(self) -> bool {
        self != Self::Stick
    }

    /// Its word in the names of events.
    pub fn word(self) -> &'static str {
        match self {
            Self::Hit => "hit",
            Self::Lift => "lift",
            Self::Slip => "slip",
            Self::Stick => "stick",
            Self::Reverse => "reverse",
            Self::Rest => "rest",
        }
    }
}

impl EventRule {
    /// The names under which it is logged: its own, and that of its rest.
    pub fn names(&self, model: &Model) -> impl Iterator<Item = String> + use<> {
        let rest = self.at_rest.as_ref().map(|_| self.name_at_rest(model));
        std::iter::once(self.name.clone()).chain(rest)
    }

    /// The name of the event that its own come to an end because they accumulate.
    pub fn name_at_rest(&self, model: &Model) -> String {
        match self.trigger {
            Trigger::Contact { contact, .. } => {
                contact_name(&model.mechanism.contacts[contact].name, ContactChange::Rest.word())
            }
            _ => format!("{} at rest", self.name),
        }
    }
}

/// The name of something that belongs to a contact.
pub fn contact_name(contact: &str, property: &str) -> String {
    if contact.starts_with(STOP) || contact.starts_with(JOINT) {
        return format!("{contact}.{property}");
    }
    format!("contact.{contact}.{property}")
}

/// What the names of contacts that are stops of joints begin with.
const STOP: &str = "stop.";
/// What the names of those begin with that are the friction in joints.
const JOINT: &str = "joint.";
/// What the names of all other contacts begin with.
const CONTACT: &str = "contact.";

/// Whether an event is meant by a name: it has that name, or it is that of a member of a set of contacts with the name.
pub(crate) fn is_meant(event: &str, name: &str) -> bool {
    if event == name {
        return true;
    }
    let split = |text: &'_ str| -> Option<(usize, usize)> {
        let end = text.rfind('.')?;
        (text.starts_with(CONTACT) && end > CONTACT.len()).then_some((CONTACT.len(), end))
    };
    let (Some((start, end)), Some((_, end_of_event))) = (split(name), split(event)) else { return false };
    let rest = event[start..end_of_event].strip_prefix(&name[start..end]);
    event[end_of_event..] == name[end..] && rest.is_some_and(is_member)
}

/// Whether a name goes on from that of a set of contacts to one of its members: `[3]`, `[0,4].corner[1]`.
fn is_member(rest: &str) -> bool {
    let corner = rest.find(CORNER).unwrap_or(rest.len());
    let is_index = |text: &str| {
        let inside = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
        inside.is_some_and(|inside| inside.bytes().all(|byte| byte.is_ascii_digit() || byte == b','))
    };
    let (set, own) = (&rest[..corner], &rest[corner..]);
    let own = own.strip_prefix(CORNER).unwrap_or(own);
    !rest.is_empty() && [set, own].into_iter().all(|index| index.is_empty() || is_index(index))
}

/// What the names of several contacts of two shapes end with, before their index.
pub(super) const CORNER: &str = ".corner";

/// Reads contacts from their tables.
pub(super) struct ContactTables<'r, 't> {
    pub(super) reader: &'r mut Reader<'t>,
}

impl ContactTables<'_, '_> {
    /// Reads the contacts, and adds to the model what they are made of. Constraints only in modes are not among
    /// those of the mechanism yet.
    /// Those between shapes stand beside these, and have been read with the bodies.
    pub(super) fn read(&mut self, table: &DeTable<'_>, model: &mut Model) {
        let Some((key, value)) = table.get_key_value("contacts") else { return };
        let has_bodies = table.contains_key("bodies");
        if model.mechanism.is_empty() && !has_bodies {
            let message = "`contacts` needs `coordinates`".to_owned();
            self.reader.error("missing-key", key.span(), message, "add `coordinates = { y = 1 }`");
            return;
        }
        let Some(contacts) = self.reader.table(value, "contacts", "contacts.floor = { gap = \"y\" }") else {
            return;
        };
        let is_of_parts = |value: &Value<'_>| {
            value.get_ref().as_table().is_some_and(|table| PARTIES.iter().any(|key| table.contains_key(*key)))
        };
        for (key, value) in contacts.iter().filter(|(_, value)| !(has_bodies && is_of_parts(value))) {
            if let Some(contact) = self.contact(key, value, model) {
                add_contact(model, contact);
            }
        }
    }

    fn contact(
        &mut self,
        key: &Spanned<DeString<'_>>,
        value: &Value<'_>,
        model: &mut Model,
    ) -> Option<ContactRule> {
        let (name, span) = (key.get_ref().to_string(), key.span());
        let place = format!("contacts.{name}");
        let table = self.reader.table(value, &place, "contacts.floor = { gap = \"y\" }")?;
        self.reader.check_keys(table, CONTACT_KEYS, &format!("contact `{name}`"));
        let Some(gap) = table.get("gap") else {
            let message = format!("contact `{name}` has no gap");
            self.reader.error(
                "missing-key",
                span,
                message,
                "add `gap = \"y\"`: the distance, which is never negative",
            );
            return None;
        };
        let gap = self.reader.formula(gap, &format!("{place}.gap"), Kind::Number);
        if table.contains_key("stiffness") {
            CompliantTable { name: &name, span, place: value.span(), table }.read(self.reader, gap, model);
            return None;
        }
        if let Some(damping) = table.get("damping") {
            let message = format!("contact `{name}` has damping and no stiffness");
            let hint = "add `stiffness`, in N/m; a hard contact has `restitution` instead";
            self.reader.error("bad-contact", damping.span(), message, hint);
        }
        let slip = table.get("slip").map(|v| self.reader.formula(v, &format!("{place}.slip"), Kind::Number));
        let restitution = match table.get("restitution") {
            Some(value) => self.reader.formula(value, &format!("{place}.restitution"), Kind::Number),
            None => Reader::zero(SourceLocation::whole(span.clone())),
        };
        let friction = table.get("friction").and_then(|v| self.friction(v, &place));
        if let (Some(value), None) = (table.get("friction"), &slip) {
            let message = format!("contact `{name}` has friction and no slip");
            let hint = "add `slip = \"x'\"`: the velocity of the two sides along each other";
            self.reader.error("friction-without-slip", value.span(), message, hint);
        }
        let law = table.get("law").and_then(|v| self.reader.word(v, "law", LAWS)).unwrap_or_default();
        self.check_law(&name, law, friction.is_some(), table);
        let friction = friction.filter(|_| slip.is_some());
        let press = PressRule::Gap { gap, restitution };
        Some(ContactRule { name, span, press, slip, friction, law, ..ContactRule::placed(model) })
    }

    /// One number for both coefficients, or a table of two.
    fn friction(&mut self, value: &Value<'_>, place: &str) -> Option<FrictionRule> {
        let Some(table) = value.get_ref().as_table() else {
            let both = self.reader.formula(value, &format!("{place}.friction"), Kind::Number);
            return Some(FrictionRule { sticking: both.clone(), sliding: both });
        };
        self.reader.check_keys(table, FRICTION_KEYS, "`friction`");
        let mut get = |key: &str| {
            table.get(key).map(|v| self.reader.formula(v, &format!("{place}.friction.{key}"), Kind::Number))
        };
        let (sticking, sliding) = (get("static"), get("sliding"));
        let (Some(sticking), Some(sliding)) = (sticking, sliding) else {
            let message = "`friction` needs both `static` and `sliding`".to_owned();
            let hint = "for example `friction = { static = 0.6, sliding = 0.4 }`, or one number for both";
            self.reader.error("missing-key", value.span(), message, hint);
            return None;
        };
        Some(FrictionRule { sticking, sliding })
    }

    fn check_law(&mut self, name: &str, law: ImpactLaw, has_friction: bool, table: &DeTable<'_>) {
        if let Some(value) = table.get("law").filter(|_| has_friction && !law.takes_friction()) {
            let message = format!("contact `{name}` has friction, which its impact law does not take");
            let hint = "use `law = \"moreau\"` or `law = \"smith\"`, or remove `friction`";
            self.reader.error("bad-contact", value.span(), message, hint);
        }
    }
}

/// Adds a contact of parts to the model.
pub(super) fn add_gap(model: &mut Model, rule: GapRule) -> Result<(), Diagnostic> {
    let GapRule { name, span, gap, slip, restitution, friction, law, compliance } = rule;
    if let Some(compliance) = compliance {
        let maker = CompliantMaker { name: &name, span: span.clone(), place: span };
        return maker.make(gap, compliance, model);
    }
    let friction = friction.map(|[sticking, sliding]| FrictionRule { sticking, sliding });
    let placed = ContactRule { is_of_parts: true, ..ContactRule::placed(model) };
    let press = PressRule::Gap { gap, restitution };
    let contact = ContactRule { name, span, press, slip, friction, law, ..placed };
    add_contact(model, contact);
    Ok(())
}

/// Adds the friction in a joint to the model: a contact that a given force presses together.
pub(super) fn add_rubbing(model: &mut Model, rule: RubbingRule) {
    let RubbingRule { joint, span, press, slip, friction: [sticking, sliding] } = rule;
    let name = format!("{JOINT}{joint}");
    let friction = Some(FrictionRule { sticking, sliding });
    let placed = ContactRule { is_of_parts: true, ..ContactRule::placed(model) };
    add_contact(model, ContactRule { name, span, press, slip: Some(slip), friction, ..placed });
}

/// Adds what a contact is made of to the model.
fn add_contact(model: &mut Model, contact: ContactRule) {
    let ContactRule { name, span, slip, .. } = &contact;
    let own = |property: &str, formula: Formula| Definition {
        name: contact_name(name, property),
        span: span.clone(),
        formula,
    };
    let place = SourceLocation::whole(span.clone());
    let text =
        |text: &str| Formula { syntax: crate::expr::parse(text).unwrap_or_default(), place: place.clone() };
    let lambda = |property: &str| format!("lambda.{}", contact_name(name, property));
    let variables = contact.variables().iter();
    model.discrete.extend(variables.map(|property| own(property, Reader::zero(place.clone()))));
    if let Some(gap) = contact.gap() {
        model.mechanism.constraints.push(own("normal", gap.clone()));
        model.outputs.push(own("gap", gap.clone()));
        model.outputs.push(own("force.n", text(&format!("-{}", lambda("normal")))));
        model.outputs.extend(slip.iter().map(|slip| own("slip", slip.clone())));
    }
    if let (Some(slip), Some(friction)) = (slip, &contact.friction) {
        model.mechanism.constraints.push(own("tangent", slip.clone()));
        let (sticks, direction) = (lambda("tangent"), contact_name(name, "direction"));
        match &contact.press {
            PressRule::Gap { .. } => {
                model.outputs.push(own("friction", friction.sliding.clone()));
                let (ratio, normal) = (contact_name(name, "friction"), lambda("normal"));
                model
                    .outputs
                    .push(own("force.t", text(&format!("-{sticks} + {ratio}*{direction}*{normal}"))));
            }
            PressRule::Given(force) | PressRule::Joint { force, .. } => {
                let [ratio, force] = [&friction.sliding, force].map(|formula| formula.syntax.text());
                let sum = format!("-{sticks} - ({ratio})*({force})*{direction}");
                model.outputs.push(own("friction", text(&sum)));
            }
        }
    }
    let index = model.mechanism.contacts.len();
    let watched = contact.changes();
    model.events.extend(watched.map(|change| contact.event(index, change)));
    model.mechanism.contacts.push(contact);
}

/// The discrete variables of a contact: what it does, and the impulses of its last hit with the sums of all. Those
/// along the tangent are the last, as only contacts with friction have them.
const VARIABLES: [&str; 6] = ["state", "direction", "impulse.n", "total.n", "impulse.t", "total.t"];
const WITHOUT_FRICTION: usize = 4;
/// Of these, those that say what it does: friction of a given size has no impulses.
const OF_STATUS: usize = 2;

/// The discrete variables of a contact, of which `state` is the first.
pub(crate) fn contact_variables(has_friction: bool) -> &'static [&'static str] {
    if has_friction { &VARIABLES } else { &VARIABLES[..WITHOUT_FRICTION] }
}

impl ContactRule {
    /// What there is to know of one before it is read: its places behind all others of the model.
    fn placed(model: &Model) -> Self {
        Self {
            name: String::new(),
            span: 0..0,
            press: PressRule::Given(Formula::default()),
            slip: None,
            is_of_parts: false,
            friction: None,
            law: ImpactLaw::default(),
            row: model.mechanism.constraints.len(),
            state: model.discrete.len(),
        }
    }

    /// The constraint that holds its slip at zero, if there is friction.
    pub fn tangent(&self) -> Option<usize> {
        self.friction.is_some().then(|| self.row + usize::from(self.gap().is_some()))
    }

    /// The constraint that holds its gap at zero, if it has one.
    pub fn normal(&self) -> Option<usize> {
        self.gap().map(|_| self.row)
    }

    /// Its distance, if what presses it together is not given.
    pub fn gap(&self) -> Option<&Formula> {
        match &self.press {
            PressRule::Gap { gap, .. } => Some(gap),
            PressRule::Given(_) | PressRule::Joint { .. } => None,
        }
    }

    /// The force that presses, if it has no gap.
    pub(crate) fn pressing(&self) -> Option<&Formula> {
        match &self.press {
            PressRule::Gap { .. } => None,
            PressRule::Given(force) | PressRule::Joint { force, .. } => Some(force),
        }
    }

    /// The first number of its law: restitution, the force that is given, or the part of that in a joint.
    pub(crate) fn first_number(&self) -> &Formula {
        match &self.press {
            PressRule::Gap { restitution, .. } => restitution,
            PressRule::Given(force) => force,
            PressRule::Joint { part, .. } => part,
        }
    }

    /// What can happen to it and has an event, in this order.
    fn changes(&self) -> impl Iterator<Item = ContactChange> + use<> {
        ContactChange::of_contact(self.gap().is_some(), self.friction.is_some())
    }

    fn variables(&self) -> &'static [&'static str] {
        match self.press {
            PressRule::Gap { .. } => contact_variables(self.friction.is_some()),
            PressRule::Given(_) | PressRule::Joint { .. } => &VARIABLES[..OF_STATUS],
        }
    }

    /// The event that something happens to it.
    fn event(&self, contact: usize, change: ContactChange) -> EventRule {
        let rests = change == ContactChange::Hit;
        EventRule {
            name: contact_name(&self.name, change.word()),
            span: self.span.clone(),
            trigger: Trigger::Contact { contact, change },
            direction: Direction::Falling,
            side: change.side(),
            reset: Vec::new(),
            impulse: None,
            goto: None,
            stop_after: None,
            touches: false,
            at_rest: rests.then(|| RestRule { reset: Vec::new(), goto: None }),
            on_entry: change.fires_on_entry(),
            priority: 0,
            of_contact: None,
            joints: Vec::new(),
        }
    }

    /// Its formulas that the motion depends on.
    pub(super) fn formulas(&self) -> impl Iterator<Item = &Formula> {
        let friction = self.friction.iter().flat_map(|friction| [&friction.sticking, &friction.sliding]);
        self.gap().into_iter().chain(&self.slip).chain(friction)
    }
}

/// Names in the formulas of contacts, and what slips are made of. Gaps are checked as constraints.
pub(super) fn check_contacts(model: &Model, scope: &Scope<'_>, errors: &mut Vec<Diagnostic>) {
    check_compliant(model, scope, errors);
    for contact in &model.mechanism.contacts {
        check_formula(contact.first_number(), scope, FormulaContext::running("a restitution"), errors);
        if let Some(friction) = &contact.friction {
            check_formula(&friction.sticking, scope, FormulaContext::running("a friction"), errors);
        }
        if let (Some(slip), None) = (&contact.slip, &contact.friction) {
            check_formula(slip, scope, smooth_room("a slip"), errors);
        }
        if let Some(gap) = contact.gap().filter(|gap| model.is_of_speeds(gap, scope)) {
            let message = format!("the gap of contact `{}` uses speeds", contact.name);
            let hint = "a gap is a distance: a formula of coordinates and time";
            let span = gap.place.span.clone();
            errors.push(Diagnostic::new("bad-contact", span, message).hint(hint));
        }
        if let Some(slip) = contact.slip.as_ref().filter(|slip| !model.is_of_speeds(slip, scope)) {
            let message = format!("the slip of contact `{}` uses no speeds", contact.name);
            let hint = "a slip is a velocity, linear in the speeds: `slip = \"x' - v_belt\"`";
            errors.push(Diagnostic::new("slip-not-linear", slip.place.span.clone(), message).hint(hint));
        }
    }
    for (_, event) in model.all_events() {
        let rest = event.at_rest.iter().flat_map(|rest| &rest.reset);
        for reset in event.reset.iter().chain(rest).filter(|reset| is_of_contact(model, scope, &reset.name)) {
            let message = format!("`{}` belongs to a contact and cannot be reset", reset.name);
            let hint = "the motion decides about contacts; reset coordinates or speeds";
            errors.push(Diagnostic::new("bad-contact", reset.span.clone(), message).hint(hint));
        }
    }
}

/// Whether a name is a discrete variable of a contact.
fn is_of_contact(model: &Model, scope: &Scope<'_>, name: &str) -> bool {
    let Some(Quantity::Discrete(i)) = scope.meaning(name) else { return false };
    model
        .mechanism
        .contacts
        .iter()
        .any(|contact| (contact.state..contact.state + contact.variables().len()).contains(&i))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_sets_mean_their_members() {
        for event in ["contact.pawl.hit", "contact.pawl[3].hit", "contact.pawl[0,4].corner[1].hit"] {
            assert!(is_meant(event, "contact.pawl.hit"), "{event}");
        }
        assert!(is_meant("contact.pawl[3].corner[1].hit", "contact.pawl[3].hit"));
        assert!(is_meant("contact.pawl.corner[1].hit", "contact.pawl.hit") && is_meant("tick", "tick"));
        for event in [
            "contact.pawl[3].lift",
            "contact.pawl2.hit",
            "contact.pawl.upper.hit",
            "contact.pawl[a].hit",
            "stop.pawl[3].hit",
            "contact.hit",
        ] {
            assert!(!is_meant(event, "contact.pawl.hit"), "{event}");
        }
        assert!(!is_meant("contact.pawl[31].hit", "contact.pawl[3].hit"));
    }
}
