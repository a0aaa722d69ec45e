//! What the user wrote, checked, with its places in the file.
//!
//! In: the text of a model file ([`Model::from_toml`]), or a [`Model`] put together in Rust and checked with
//! [`Model::check`]. Out: a model in which every name means something, or all the [`Diagnostic`]s at once.
//! The reference page of the book lists every key.

mod check;
mod compliant;
mod contacts;
mod diagnostic;
mod dimensions;
mod events;
mod guard;
mod impulses;
mod included;
mod loops;
mod mechanism;
mod names;
mod order;
mod parts;
mod picture;
mod picture_table;
mod read;
mod sections;
mod setting;
mod sides;
mod tree;
mod versions;

pub use compliant::CompliantRule;
pub use contacts::{ContactChange, ContactRule, FrictionRule, ImpactLaw, PressRule, contact_name};
pub(crate) use contacts::{contact_variables, is_meant};
pub use diagnostic::Diagnostic;
pub use guard::{Logic, MODE};
pub use impulses::{ImpulseAmount, ImpulseRule};
pub use included::{FilePlace, Sources};
pub use loops::{JointLoop, JointRule};
pub use mechanism::{BodyRule, BranchRule, MechanismRule, StartRule, speed_of};
pub(crate) use names::unknown_name;
pub use names::{Quantity, Scope};
pub use order::dependency_order;
pub use picture::{DrawnBody, DrawnLine, DrawnNumber, DrawnPoint, DrawnShape, Outline, Picture, PictureRule};
pub use setting::{Setting, unknown_key};
pub use sides::{Detection, Direction, Location, Side};
pub use tree::{Along, TreeBody, TreeMotion, TreeRule};
pub use versions::Versions;

use crate::expr::{Dimension, ParseError, Relation, Syntax, parse};
use std::ops::Range;

/// A formula with its text and its place in the file.
#[derive(Clone, Debug, Default)]
pub struct Formula {
    /// The formula.
    pub syntax: Syntax,
    /// Where it stands.
    pub place: SourceLocation,
}

impl Formula {
    /// Parses a formula that stands in no file.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        Ok(Self { syntax: parse(text)?, place: SourceLocation::default() })
    }
}

/// A place in a model file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceLocation {
    /// The bytes of the whole value.
    pub span: Range<usize>,
    /// Where the text of the formula begins, if it stands in the file letter by letter.
    pub text_start: Option<usize>,
    /// Whether the formula is made from others, which are checked where they stand.
    pub is_made: bool,
}

impl SourceLocation {
    /// Of a formula whose letters stand nowhere in the file.
    pub fn whole(span: Range<usize>) -> Self {
        Self { span, text_start: None, is_made: false }
    }

    /// Of a formula that is made from others.
    pub(crate) fn made(span: Range<usize>) -> Self {
        Self { is_made: true, ..Self::whole(span) }
    }

    /// The bytes in the file of a part of the formula's text.
    pub fn part(&self, part: &Range<usize>) -> Range<usize> {
        self.text_start.map_or(self.span.clone(), |start| start + part.start..start + part.end)
    }
}

/// A formula of a part, from which those of the motion are put together.
#[derive(Clone, Debug)]
pub struct PartAmount {
    /// Its key.
    pub key: String,
    /// The formula.
    pub formula: Formula,
    /// Whether it may use what moves, and not only parameters.
    pub moves: bool,
    /// The dimension that its place needs.
    pub needed: Option<Dimension>,
}

/// A name and its formula.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The name.
    pub name: String,
    /// Where the name stands.
    pub span: Range<usize>,
    /// What it is.
    pub formula: Formula,
}

/// An event as the user describes it.
#[derive(Clone, Debug)]
pub struct EventRule {
    /// The name.
    pub name: String,
    /// Where the name stands.
    pub span: Range<usize>,
    /// When it happens.
    pub trigger: Trigger,
    /// Which crossings fire.
    pub direction: Direction,
    /// On which side of the root the event is placed.
    pub side: Side,
    /// New values of states and discrete variables, from the values before the event.
    pub reset: Vec<Definition>,
    /// The impulse that it gives to the mechanism.
    pub impulse: Option<ImpulseRule>,
    /// The mode to go to.
    pub goto: Option<Reference>,
    /// Stop when it has fired this often.
    pub stop_after: Option<u64>,
    /// Whether a touch of zero without a crossing is an event too.
    pub touches: bool,
    /// What happens in its place when it accumulates.
    pub at_rest: Option<RestRule>,
    /// Whether it happens where its guard is true as its mode is entered.
    pub on_entry: bool,
    /// Of events that happen together and contradict each other, the one with the highest number is obeyed.
    pub priority: i64,
    /// What has happened to a compliant contact then.
    pub of_contact: Option<ContactChange>,
    /// The joints that it opens and shuts.
    pub joints: Vec<SwitchRule>,
}

/// A joint that an event opens or shuts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitchRule {
    /// Which joint.
    pub joint: Reference,
    /// Whether it is shut.
    pub shuts: bool,
}

impl EventRule {
    /// Whether zero belongs to the side that the guard goes to: it is written with `>=` or `<=`.
    pub fn includes_zero(&self) -> bool {
        let Trigger::Guard(guard) = &self.trigger else { return false };
        let comparison = guard.syntax.comparison();
        matches!(comparison, Some((Relation::LessEqual | Relation::GreaterEqual, _, _)))
    }
}

/// When an event happens.
#[derive(Clone, Debug)]
pub enum Trigger {
    /// When a formula goes through zero, or a comparison becomes true.
    Guard(Formula),
    /// Once, at a time that is a formula of parameters.
    At(Formula),
    /// Again and again.
    Every {
        /// The time between two events, a formula of parameters.
        period: Formula,
        /// The first time; one period after the start of the run if not given.
        first: Option<Formula>,
    },
    /// After another event, at the same instant.
    On(Reference),
    /// When something happens to a contact.
    Contact {
        /// Which contact.
        contact: usize,
        /// What happens.
        change: ContactChange,
    },
}

/// What happens when an event would happen infinitely often in finite time: a bouncing thing lies still.
#[derive(Clone, Debug)]
pub struct RestRule {
    /// New values of states and discrete variables, from the values before the event.
    pub reset: Vec<Definition>,
    /// The mode to go to.
    pub goto: Option<Reference>,
}

/// A name that refers to something defined elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The name.
    pub name: String,
    /// Where it stands.
    pub span: Range<usize>,
}

/// A mode of a hybrid automaton.
#[derive(Clone, Debug)]
pub struct ModeRule {
    /// The name.
    pub name: String,
    /// Where the name stands.
    pub span: Range<usize>,
    /// Derivatives that hold in this mode instead of the common ones.
    pub derivatives: Vec<Definition>,
    /// Forces in this mode, which are added to the common ones.
    pub forces: Vec<Definition>,
    /// Constraints of this mode; they replace common ones of the same name.
    pub constraints: Vec<Definition>,
    /// Outputs in this mode, in the place of the common ones with the same names.
    pub outputs: Vec<Definition>,
    /// Events that are watched only in this mode.
    pub events: Vec<EventRule>,
}

/// A quantity that should stay constant.
#[derive(Clone, Debug)]
pub struct AuditRule {
    /// The quantity.
    pub definition: Definition,
    /// How far it may drift between events.
    pub tolerance: Option<f64>,
}

/// What is asked of a run.
#[derive(Clone, Debug, Default)]
pub struct RunRule {
    /// The start time; zero if not given.
    pub from: Option<Formula>,
    /// The end time.
    pub until: Option<Formula>,
    /// The interval of the rows in result files; every accepted step if not given.
    pub output_step: Option<Formula>,
    /// The mode to begin in; the first one if not given.
    pub mode: Option<Reference>,
    /// The width of the layer in which signs and comparisons are straight lines; none switches exactly.
    pub regularise: Option<f64>,
    /// Whether bodies have the coordinates of their joints, and not three each.
    pub joint_coordinates: bool,
    /// Everything that is said in the section, also what stands above. The table of run options of room
    /// `simulate` knows what it means.
    pub settings: Vec<Setting>,
}

impl RunRule {
    /// What is said of an option, if something is.
    pub fn setting(&self, key: &str) -> Option<&Setting> {
        self.settings.iter().find(|setting| setting.key == key)
    }

    /// Where something is said, if it is.
    pub fn place(&self, key: &str) -> Option<Range<usize>> {
        self.setting(key).map(|setting| setting.span.clone())
    }
}

/// What a person sees of a model.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// What it is called.
    pub title: Option<String>,
    /// What it is about.
    pub description: Option<String>,
    /// What it looks like.
    pub picture: PictureRule,
    /// What files of parts say that holds for whole models only, in words.
    pub left_out: Vec<String>,
}

/// A model: everything that does not change during a run.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// What it is called, what it is about, and what it looks like.
    pub about: About,
    /// Constants, which may be formulas of other parameters.
    pub parameters: Vec<Definition>,
    /// Start values, which may be formulas of parameters.
    pub states: Vec<Definition>,
    /// Start values of variables that only resets change.
    pub discrete: Vec<Definition>,
    /// Coordinates with their speeds, and what moves them. They are the first states.
    pub mechanism: MechanismRule,
    /// The derivative of each state.
    pub derivatives: Vec<Definition>,
    /// Entries of the mass matrix; rows that are not mentioned are those of the identity.
    pub mass: Vec<Definition>,
    /// Named formulas that are written out and usable in other formulas. Those only in modes come last.
    pub outputs: Vec<Definition>,
    /// How many of the outputs stand in modes only.
    pub outputs_of_modes: usize,
    /// Named surfaces whose locked sign (+1 or -1) is used in formulas.
    pub switches: Vec<Definition>,
    /// Events that are watched in every mode.
    pub events: Vec<EventRule>,
    /// The modes of a hybrid automaton.
    pub modes: Vec<ModeRule>,
    /// Quantities that should stay constant.
    pub audit: Vec<AuditRule>,
    /// The unit of a name.
    pub units: Vec<(Reference, String)>,
    /// What is asked of a run.
    pub run: RunRule,
    /// The same machine with three coordinates for each body, if this one has the coordinates of joints: its drawing
    /// is put together so.
    pub drawing: Option<Box<Model>>,
}

impl Model {
    /// Reads and checks a model file. All errors are reported at once, in the order of the file; those in the
    /// section `run` by `Plan::read_model` and `Plan::new` of room `simulate`, which know the options.
    pub fn from_toml(text: &str) -> Result<Self, Vec<Diagnostic>> {
        Self::from_sources(&Sources::of(text))
    }

    /// As [`from_toml`](Self::from_toml), of a model whose parts stand in files of their own. Places are those in
    /// [`Sources::text`].
    pub fn from_sources(sources: &Sources) -> Result<Self, Vec<Diagnostic>> {
        Self::from_sources_and(sources, |_| Vec::new())
    }

    /// The same, with further checks by a room that knows more. They see the model even if it has errors.
    pub fn from_sources_and(
        sources: &Sources,
        further: impl Fn(&Self) -> Vec<Diagnostic>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let (model, mut diagnostics) = read::read(sources);
        if let Some(model) = &model {
            let drawing = model.drawing.as_deref().unwrap_or(model);
            diagnostics.extend(check::check(drawing));
            diagnostics.extend(further(drawing));
            // What is wrong there is wrong here too, and is said once.
            if model.drawing.is_some() && diagnostics.is_empty() {
                diagnostics.extend(check::check(model));
                diagnostics.extend(further(model));
            }
        }
        diagnostics.sort_by_key(|d| d.span.as_ref().map_or(usize::MAX, |s| s.start));
        // A formula may stand in several places, as the gap of a contact does.
        diagnostics.dedup_by(|a, b| a.code == b.code && a.span == b.span && a.message == b.message);
        match model {
            Some(model) if diagnostics.is_empty() => Ok(model),
            _ => Err(diagnostics),
        }
    }

    /// Checks a model that was put together in Rust.
    pub fn check(&self) -> Result<(), Vec<Diagnostic>> {
        let diagnostics = check::check(self);
        if diagnostics.is_empty() { Ok(()) } else { Err(diagnostics) }
    }

    /// The unit of a name, if one is given.
    pub fn unit(&self, name: &str) -> Option<&str> {
        self.units.iter().find(|(n, _)| n.name == name).map(|(_, unit)| unit.as_str())
    }

    /// Every event with the index of the mode in which it is watched; `None` is every mode.
    pub fn all_events(&self) -> impl Iterator<Item = (Option<usize>, &EventRule)> {
        let common = self.events.iter().map(|event| (None, event));
        common.chain(
            self.modes
                .iter()
                .enumerate()
                .flat_map(|(i, mode)| mode.events.iter().map(move |event| (Some(i), event))),
        )
    }

    /// The index of the mode in which a run begins.
    pub fn start_mode(&self) -> usize {
        let named = self.run.mode.as_ref().and_then(|r| self.modes.iter().position(|m| m.name == r.name));
        named.unwrap_or(0)
    }
}
