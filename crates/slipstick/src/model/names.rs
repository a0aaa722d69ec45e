//! What a name means, and what may be used where.

use super::tree::SLACK;
use super::{Definition, Diagnostic, Formula, MODE, Model};
use crate::expr::{FUNCTIONS, nearest, parse};
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Range;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quantity {
    /// The time, `t`.
    Time,
    /// A parameter, by index.
    Parameter(usize),
    /// A state, by index.
    State(usize),
    /// A discrete variable, by index.
    Discrete(usize),
    /// An output, by index.
    Output(usize),
    /// The locked sign of a switch, by index.
    Switch(usize),
    /// The multiplier of a constraint, by index in the order of the model.
    Multiplier(usize),
    /// What the constraints push a coordinate with, by its index.
    Reaction(usize),
    /// The acceleration of a coordinate, by its index.
    Acceleration(usize),
    /// What a joint that carries a body holds it with, by its place in the tree.
    Hold(usize),
    /// How far a body of a tree is from where its joint holds it, which is nowhere; the rate of that stands behind it.
    Slack(usize),
}

impl Quantity {
    /// Whether it follows from the motion: it can be looked at, but not be a cause of it.
    pub(super) fn follows_from_motion(self) -> bool {
        matches!(
            self,
            Self::Multiplier(_) | Self::Reaction(_) | Self::Acceleration(_) | Self::Hold(_) | Self::Slack(_)
        )
    }

    /// Whether it changes between events; an output does if it uses what does.
    pub(super) fn moves(self) -> bool {
        matches!(self, Self::Time | Self::State(_)) || self.follows_from_motion()
    }
}

/// Which outputs use something, directly or through other outputs.
pub(super) fn outputs_that_use(model: &Model, scope: &Scope<'_>, what: fn(Quantity) -> bool) -> Vec<bool> {
    let (mut known, versions) = (vec![false; model.outputs.len()], model.output_versions());
    for i in model.outputs_in_order() {
        known[i] = versions[i].names().filter_map(|name| scope.meaning(name)).any(|meaning| match meaning {
            Quantity::Output(k) => known[k],
            other => what(other),
        });
    }
    known
}

impl Quantity {
    /// The kind of thing, with its article.
    fn kind(self) -> &'static str {
        match self {
            Self::Time => "the time",
            Self::Parameter(_) => "a parameter",
            Self::State(_) => "a state",
            Self::Discrete(_) => "a discrete variable",
            Self::Output(_) => "an output",
            Self::Switch(_) => "a switch",
            Self::Multiplier(_) | Self::Hold(_) | Self::Slack(_) => "a multiplier",
            Self::Reaction(_) => "a reaction",
            Self::Acceleration(_) => "an acceleration",
        }
    }
}

/// Words that mean something already and cannot be given to anything else.
const RESERVED: &[&str] =
    &["t", "pi", "if", "then", "else", "and", "or", "not", "nan", "inf", "infinity", "true", "false"];

/// What stands before the name of a constraint in the name of its multiplier.
const MULTIPLIER: &str = "lambda.";
/// What stands before the name of a coordinate in the name of what the constraints push it with.
const REACTION: &str = "reaction.";
/// What stands behind the name of a coordinate in the name of its acceleration.
const ACCELERATION: &str = "''";

/// The most comparisons with misspelt names: a file full of errors is read in linear time.
const MOST_COMPARISONS: usize = 1_000_000;
/// How many names a hint lists.
const LISTED: usize = 8;

/// The places of things by their names.
pub(super) type Places<'a> = BTreeMap<&'a str, usize>;

/// All names of a model and what they stand for.
#[derive(Clone, Debug)]
pub struct Scope<'a> {
    meanings: BTreeMap<&'a str, Quantity>,
    model: &'a Model,
    states: Places<'a>,
    discrete: Places<'a>,
    constraints: Places<'a>,
    /// What joints that carry bodies hold.
    holds: Places<'a>,
    modes: Places<'a>,
    /// How many more names may be compared with misspelt ones.
    comparisons_left: Cell<usize>,
}

/// The places of definitions by their names; a name that is defined twice has its first place.
pub(super) fn places<'a>(names: impl Iterator<Item = &'a String>) -> Places<'a> {
    let mut places = Places::new();
    for (i, name) in names.enumerate() {
        places.entry(name).or_insert(i);
    }
    places
}

impl<'a> Scope<'a> {
    /// The names of a model; a name that is defined twice keeps its first meaning.
    pub fn new(model: &'a Model) -> Self {
        let mut meanings = BTreeMap::from([("t", Quantity::Time)]);
        for (definition, meaning) in defined(model) {
            meanings.entry(definition.name.as_str()).or_insert(meaning);
        }
        let of = |list: &'a [Definition]| places(list.iter().map(|d| &d.name));
        Self {
            meanings,
            model,
            states: of(&model.states),
            discrete: of(&model.discrete),
            constraints: of(&model.mechanism.constraints),
            holds: places(model.tree().into_iter().flat_map(|tree| &tree.holds)),
            modes: places(model.modes.iter().map(|mode| &mode.name)),
            comparisons_left: Cell::new(MOST_COMPARISONS),
        }
    }

    /// What a name stands for.
    pub fn meaning(&self, name: &str) -> Option<Quantity> {
        let of_constraint =
            || self.constraints.get(name.strip_prefix(MULTIPLIER)?).copied().map(Quantity::Multiplier);
        let of_coordinate = || self.coordinate(name.strip_prefix(REACTION)?).map(Quantity::Reaction);
        let of_second_rate = || self.coordinate(name.strip_suffix(ACCELERATION)?).map(Quantity::Acceleration);
        let own = self.meanings.get(name).copied();
        let found = own.or_else(of_constraint).or_else(of_coordinate).or_else(of_second_rate);
        found.or_else(|| self.of_tree(name))
    }

    /// What a name stands for that only trees of bodies have.
    fn of_tree(&self, name: &str) -> Option<Quantity> {
        if let Some(hold) = name.strip_prefix(MULTIPLIER) {
            return self.holds.get(hold).copied().map(Quantity::Hold);
        }
        let way = name.strip_prefix(SLACK)?;
        let path = way.trim_end_matches('\'');
        self.holds.get(path).map(|k| Quantity::Slack(2 * k + (way.len() - path.len()).min(1)))
    }

    /// The model whose names they are.
    pub(super) fn model(&self) -> &'a Model {
        self.model
    }

    /// The place of a state.
    pub fn state(&self, name: &str) -> Option<usize> {
        self.states.get(name).copied()
    }

    /// The place of a discrete variable.
    pub fn discrete(&self, name: &str) -> Option<usize> {
        self.discrete.get(name).copied()
    }

    /// The place of a coordinate.
    pub fn coordinate(&self, name: &str) -> Option<usize> {
        self.state(name).filter(|&i| i < self.model.mechanism.coordinates)
    }

    /// The place of a mode.
    pub fn mode(&self, name: &str) -> Option<usize> {
        self.modes.get(name).copied()
    }

    /// What an entry of a matrix is about, row and column: `v` is the diagonal entry of `v`, `x.v` the entry
    /// of row `x` and column `v`.
    fn entry(name: &str, place: impl Fn(&str) -> Option<usize>) -> Option<(usize, usize)> {
        let diagonal = place(name).map(|i| (i, i));
        let split = |(at, _): (usize, &str)| Some((place(&name[..at])?, place(&name[at + 1..])?));
        diagonal.or_else(|| name.match_indices('.').find_map(split))
    }

    /// What an entry of `mass` is about: rows and columns of states.
    pub fn mass_place(&self, name: &str) -> Option<(usize, usize)> {
        Self::entry(name, |name| self.state(name))
    }

    /// What an entry of `inertia` is about: `x.y` is the entry of row `x` and column `y`, and of row `y` and
    /// column `x`.
    pub fn inertia_place(&self, name: &str) -> Option<(usize, usize)> {
        Self::entry(name, |name| self.coordinate(name))
    }

    /// The names that stand for something that is allowed.
    pub(super) fn names(&self, allowed: impl Fn(Quantity) -> bool) -> impl Iterator<Item = Cow<'a, str>> {
        let defined = self.meanings.keys().map(|name| Cow::Borrowed(*name));
        let constraints = self.model.mechanism.constraints.iter();
        let multipliers = constraints.map(|c| Cow::Owned(format!("{MULTIPLIER}{}", c.name)));
        let coordinates = self.model.coordinates().iter();
        let reactions = coordinates.map(|c| Cow::Owned(format!("{REACTION}{}", c.name)));
        let all = defined.chain(multipliers).chain(reactions);
        all.filter(move |name| self.meaning(name).is_some_and(&allowed))
    }

    /// An error for a name that means nothing, with the nearest one that does.
    pub(super) fn unknown<'n, N: Into<Cow<'n, str>>>(
        &self,
        name: &str,
        span: Range<usize>,
        known: impl Iterator<Item = N>,
        place: &str,
    ) -> Diagnostic {
        let left = self.comparisons_left.get();
        let known: Vec<Cow<'n, str>> = known.take(left.max(LISTED + 1)).map(Into::into).collect();
        self.comparisons_left.set(left.saturating_sub(known.len()));
        let near = if left == 0 { None } else { nearest(name, known.iter().map(Cow::as_ref)) };
        let hint = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None if known.is_empty() => "nothing is defined that could stand here".to_owned(),
            None => format!("known here: {}", list(&known)),
        };
        Diagnostic::new("unknown-name", span, format!("unknown name `{name}` {place}")).hint(hint)
    }
}

/// Every definition that gives a meaning to a name.
fn defined(model: &Model) -> impl Iterator<Item = (&Definition, Quantity)> {
    let parameters = model.parameters.iter().enumerate().map(|(i, d)| (d, Quantity::Parameter(i)));
    let states = model.states.iter().enumerate().map(|(i, d)| (d, Quantity::State(i)));
    let outputs = model.outputs.iter().enumerate().map(|(i, d)| (d, Quantity::Output(i)));
    let switches = model.switches.iter().enumerate().map(|(i, d)| (d, Quantity::Switch(i)));
    let discrete = model.discrete.iter().enumerate().map(|(i, d)| (d, Quantity::Discrete(i)));
    parameters.chain(states).chain(discrete).chain(outputs).chain(switches)
}

/// Names that are reserved, and names that are given twice.
pub(super) fn check_names(model: &Model, scope: &Scope<'_>, errors: &mut Vec<Diagnostic>) {
    for (definition, meaning) in defined(model) {
        let name = definition.name.as_str();
        let error = |code, message: String| Diagnostic::new(code, definition.span.clone(), message);
        if RESERVED.contains(&name) || FUNCTIONS.iter().any(|f| f.name() == name) {
            let message = format!("`{name}` has a meaning of its own and cannot be {}", meaning.kind());
            errors.push(
                error("reserved-name", message).hint(format!("choose another name, for example `{name}_0`")),
            );
        } else if !can_be_written(name) {
            let message = format!("`{name}` cannot be written in a formula and cannot be {}", meaning.kind());
            errors.push(
                error("reserved-name", message)
                    .hint("use letters, digits and `_`, beginning with a letter; dots may join such words"),
            );
        } else if scope.meaning(name) != Some(meaning) {
            let other = scope.meaning(name).map_or("something", Quantity::kind);
            let message = format!("`{name}` is {other} already and cannot be {} too", meaning.kind());
            errors.push(error("duplicate-name", message).hint("give one of them another name"));
        }
    }
}

/// Whether a formula that consists of these letters is just this name.
fn can_be_written(name: &str) -> bool {
    parse(name).is_ok_and(|syntax| syntax.names().any(|(n, span)| n == name && span == (0..name.len())))
}

/// Where a formula stands, and what may be used there.
#[derive(Clone, Copy)]
pub(super) struct FormulaContext {
    /// The place, in words.
    pub(super) place: &'static str,
    /// What may be used there, in words: the hint says that it can be used here.
    pub(super) usable: &'static str,
    pub(super) allows: fn(Quantity) -> bool,
    /// Whether where bodies of trees are may be used, as coordinates may.
    takes_places: bool,
}

impl FormulaContext {
    /// A place with what may be used there.
    pub(super) fn of(place: &'static str, usable: &'static str, allows: fn(Quantity) -> bool) -> Self {
        Self { place, usable, allows, takes_places: false }
    }

    /// A formula that the motion depends on: everything may be used but what follows from the motion.
    pub(super) fn running(place: &'static str) -> Self {
        let allows = |meaning: Quantity| !meaning.follows_from_motion();
        let usable = "everything but multipliers, reactions and accelerations";
        Self { place, usable, allows, takes_places: false }
    }

    /// A force: it may depend on multipliers, as friction does, and on everything but what these are put
    /// together to.
    pub(super) fn pushing() -> Self {
        let allows =
            |quantity: Quantity| !matches!(quantity, Quantity::Reaction(_) | Quantity::Acceleration(_));
        let usable = "everything but reactions and accelerations";
        Self { place: "a force", usable, allows, takes_places: false }
    }

    /// A formula that is only looked at: everything may be used.
    pub(super) fn observing(place: &'static str) -> Self {
        Self { place, usable: "everything", allows: |_| true, takes_places: false }
    }

    /// A formula that is computed once, before the run.
    pub(super) fn fixed(place: &'static str) -> Self {
        let allows = |m: Quantity| matches!(m, Quantity::Parameter(_));
        Self { place, usable: "only parameters", allows, takes_places: false }
    }
}

/// A formula that is differentiated twice along the motion, with switches as they are locked.
pub(super) fn smooth_room(place: &'static str) -> FormulaContext {
    let allows = |m: Quantity| !matches!(m, Quantity::Output(_)) && !m.follows_from_motion();
    let usable = "only `t`, coordinates, speeds, states, discrete variables, switches and parameters";
    FormulaContext { place, usable, allows, takes_places: true }
}

/// Reports every name of a formula that means nothing, or that is not allowed where it stands.
pub(super) fn check_formula(
    formula: &Formula,
    scope: &Scope<'_>,
    room: FormulaContext,
    errors: &mut Vec<Diagnostic>,
) {
    if formula.place.is_made {
        return;
    }
    for (name, span) in formula.syntax.names() {
        check_name((name, formula.place.part(&span)), scope, room, errors);
    }
}

/// Whether a name is where a body of a tree is, or how fast that changes.
fn is_place(scope: &Scope<'_>, name: &str) -> bool {
    scope.model().is_place(name.trim_end_matches('\''))
}

/// Reports a name that means nothing, or that is not allowed where it stands.
pub(super) fn check_name(
    (name, span): (&str, Range<usize>),
    scope: &Scope<'_>,
    room: FormulaContext,
    errors: &mut Vec<Diagnostic>,
) {
    match scope.meaning(name) {
        Some(meaning) if (room.allows)(meaning) => {}
        Some(Quantity::Output(_)) if room.takes_places && is_place(scope, name) => {}
        Some(meaning) => {
            let message = format!("`{name}` is {} and cannot be used in {}", meaning.kind(), room.place);
            let hint = format!("{} can be used here", room.usable);
            errors.push(Diagnostic::new("unknown-name", span, message).hint(hint));
        }
        None => {
            let error = scope.unknown(name, span, scope.names(room.allows), "in a formula");
            let mode = "guards ask for the mode with `mode == NAME` or `mode != NAME`";
            errors.push(if name == MODE { error.hint(mode) } else { error });
        }
    }
}

/// An error for a name that means nothing, with the nearest one that does.
pub(crate) fn unknown_name<'a>(
    name: &str,
    span: Range<usize>,
    known: impl Iterator<Item = &'a str>,
    place: &str,
) -> Diagnostic {
    let known: Vec<Cow<'a, str>> = known.map(Cow::from).collect();
    let hint = match nearest(name, known.iter().map(Cow::as_ref)) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "nothing is defined that could stand here".to_owned(),
        None => format!("known here: {}", list(&known)),
    };
    Diagnostic::new("unknown-name", span, format!("unknown name `{name}` {place}")).hint(hint)
}

/// The first few names of a list, in words.
fn list(names: &[Cow<'_, str>]) -> String {
    let shown: Vec<String> = names.iter().take(LISTED).map(|n| format!("`{n}`")).collect();
    let more = if names.len() > shown.len() { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}
