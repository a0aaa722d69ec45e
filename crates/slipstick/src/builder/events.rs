//! Contacts between shapes, and events, with the keys of a model file.

use super::handles::{Happening, JointHandle, ShapeHandle};
use super::value::{Amount, FileTable, FileValue};

/// A contact between shapes, before a model has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Contact(pub(super) FileTable);

/// An event, before a model has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Event(pub(super) FileTable);

fn names<'s>(shapes: impl IntoIterator<Item = &'s ShapeHandle>) -> FileValue {
    let list: Vec<FileValue> = shapes.into_iter().map(FileValue::from).collect();
    FileValue::List(list)
}

impl Contact {
    /// Between two shapes.
    pub fn between(first: &ShapeHandle, second: &ShapeHandle) -> Self {
        Self(FileTable::default().with("between", names([first, second])))
    }

    /// Between each of some shapes and each of others.
    pub fn between_all<'s>(
        first: impl IntoIterator<Item = &'s ShapeHandle>,
        second: impl IntoIterator<Item = &'s ShapeHandle>,
    ) -> Self {
        Self(FileTable::default().with("between", vec![names(first), names(second)]))
    }

    /// Between all of some shapes. Those on bodies that share a joint do not touch.
    pub fn among<'s>(shapes: impl IntoIterator<Item = &'s ShapeHandle>) -> Self {
        Self(FileTable::default().with("among", names(shapes)))
    }

    /// What an impact gives back.
    #[must_use]
    pub fn restitution(self, restitution: impl Into<Amount>) -> Self {
        self.say("restitution", restitution.into())
    }

    /// Dry friction.
    #[must_use]
    pub fn friction(self, coefficient: impl Into<Amount>) -> Self {
        self.say("friction", coefficient.into())
    }

    /// Dry friction that is larger while it sticks.
    #[must_use]
    pub fn static_and_sliding(mut self, sticking: impl Into<Amount>, sliding: impl Into<Amount>) -> Self {
        self.0.set_in("friction", "static", sticking.into());
        self.0.set_in("friction", "sliding", sliding.into());
        self
    }

    /// The law of impacts.
    #[must_use]
    pub fn law(self, law: &str) -> Self {
        self.say("law", law)
    }

    /// It yields: a spring and a damper in the place of impacts.
    #[must_use]
    pub fn compliant(mut self, stiffness: impl Into<Amount>, damping: impl Into<Amount>) -> Self {
        self.0.set_in("compliant", "stiffness", stiffness.into());
        self.0.set_in("compliant", "damping", damping.into());
        self
    }

    fn say(mut self, key: &str, value: impl Into<FileValue>) -> Self {
        self.0.set(key, value);
        self
    }
}

impl Event {
    fn of(kind: &str, value: impl Into<FileValue>) -> Self {
        Self(FileTable::default().with(kind, value))
    }

    /// Where a formula goes through zero, or a comparison becomes true.
    pub fn when(guard: &str) -> Self {
        Self::of("guard", guard)
    }

    /// Once, at a time.
    pub fn at(time: impl Into<Amount>) -> Self {
        Self::of("at", time.into())
    }

    /// Again and again.
    pub fn every(period: impl Into<Amount>) -> Self {
        Self::of("every", period.into())
    }

    /// After something else, at the same instant.
    pub fn on(happening: Happening) -> Self {
        Self::of("on", happening)
    }

    /// It opens a joint.
    #[must_use]
    pub fn opens(self, joint: &JointHandle) -> Self {
        self.say("open", joint)
    }

    /// It shuts a joint.
    #[must_use]
    pub fn closes(self, joint: &JointHandle) -> Self {
        self.say("close", joint)
    }

    /// It sets a state or a discrete variable, which is named.
    #[must_use]
    pub fn reset(mut self, name: impl Into<Amount>, value: impl Into<Amount>) -> Self {
        self.0.set_in("reset", &name.into().to_string(), value.into());
        self
    }

    /// It ends the run.
    #[must_use]
    pub fn stop(self) -> Self {
        self.say("stop", true)
    }

    /// It ends the run when it has fired this often.
    #[must_use]
    pub fn stop_after(self, count: u64) -> Self {
        self.say("stop_after", FileValue::Whole(count))
    }

    /// Which crossings fire: `"rising"`, `"falling"`, `"both"`.
    #[must_use]
    pub fn direction(self, word: &str) -> Self {
        self.say("direction", word)
    }

    fn say(mut self, key: &str, value: impl Into<FileValue>) -> Self {
        self.0.set(key, value);
        self
    }
}
