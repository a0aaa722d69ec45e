//! Forces and sensors, with the keys of a model file.

use super::handles::{BodyHandle, JointHandle, PlaceHandle};
use super::value::{Amount, FileTable, FileValue, pair};

/// A named force, before a model has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Force(pub(super) FileTable);

/// A sensor: an output with a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensor(pub(super) FileTable);

fn places(first: impl Into<PlaceHandle>, second: impl Into<PlaceHandle>) -> Vec<FileValue> {
    vec![first.into().into(), second.into().into()]
}

impl Force {
    fn of(kind: &str, value: impl Into<FileValue>) -> Self {
        Self(FileTable::default().with(kind, value))
    }

    /// A spring between two points. It is relaxed as drawn if nothing else is said.
    pub fn spring(
        first: impl Into<PlaceHandle>,
        second: impl Into<PlaceHandle>,
        stiffness: impl Into<Amount>,
    ) -> Self {
        Self::of("spring", places(first, second)).set("stiffness", stiffness)
    }

    /// A spring along the coordinate of a joint.
    pub fn joint_spring(joint: &JointHandle, stiffness: impl Into<Amount>) -> Self {
        Self::of("spring", joint).set("stiffness", stiffness)
    }

    /// A damper between two points.
    pub fn damper(
        first: impl Into<PlaceHandle>,
        second: impl Into<PlaceHandle>,
        damping: impl Into<Amount>,
    ) -> Self {
        Self::of("damper", places(first, second)).damping(damping)
    }

    /// A damper along the coordinate of a joint.
    pub fn joint_damper(joint: &JointHandle, damping: impl Into<Amount>) -> Self {
        Self::of("damper", joint).damping(damping)
    }

    /// A bushing between two frames: stiffness along x and y, and against turning.
    pub fn bushing<A: Into<Amount>>(
        first: impl Into<PlaceHandle>,
        second: impl Into<PlaceHandle>,
        stiffness: [A; 3],
    ) -> Self {
        let stiffness: Vec<FileValue> = stiffness.into_iter().map(|part| part.into().into()).collect();
        Self(FileTable::default().with("bushing", places(first, second)).with("stiffness", stiffness))
    }

    /// A motor that turns a joint.
    pub fn motor_torque(joint: &JointHandle, torque: impl Into<Amount>) -> Self {
        Self::of("motor", joint).set("torque", torque)
    }

    /// A motor that pushes along a joint.
    pub fn motor_force(joint: &JointHandle, force: impl Into<Amount>) -> Self {
        Self::of("motor", joint).set("force", force)
    }

    /// A force at a point.
    pub fn point<A: Into<Amount>>(place: impl Into<PlaceHandle>, force: [A; 2]) -> Self {
        Self(FileTable::default().with("point", place.into()).with("force", pair(force)))
    }

    /// A torque on a body.
    pub fn couple(body: &BodyHandle, torque: impl Into<Amount>) -> Self {
        Self::of("couple", body.name()).set("torque", torque)
    }

    /// Drag at a point, with an `area`, a `coefficient` and a `density`.
    pub fn drag(place: impl Into<PlaceHandle>) -> Self {
        Self::of("drag", place.into())
    }

    /// The length or the coordinate at which a spring is relaxed.
    #[must_use]
    pub fn rest(self, rest: impl Into<Amount>) -> Self {
        self.set("rest", rest)
    }

    /// What a spring or a damper has against being moved.
    #[must_use]
    pub fn damping(self, damping: impl Into<Amount>) -> Self {
        self.set("damping", damping)
    }

    /// What a spring pulls with as drawn.
    #[must_use]
    pub fn preload(self, preload: impl Into<Amount>) -> Self {
        self.set("preload", preload)
    }

    /// Along the axes of a body.
    #[must_use]
    pub fn in_axes_of(mut self, body: &BodyHandle) -> Self {
        self.0.set("in", body.name());
        self
    }

    /// Any other key of a force in a model file.
    #[must_use]
    pub fn set(mut self, key: &str, amount: impl Into<Amount>) -> Self {
        self.0.set(key, amount.into());
        self
    }
}

impl Sensor {
    fn of(kind: &str, value: impl Into<FileValue>) -> Self {
        Self(FileTable::default().with(kind, value))
    }

    /// Where a place is.
    pub fn position(place: impl Into<PlaceHandle>) -> Self {
        Self::of("position", place.into())
    }

    /// How fast a place moves.
    pub fn velocity(place: impl Into<PlaceHandle>) -> Self {
        Self::of("velocity", place.into())
    }

    /// How far apart two places are.
    pub fn distance(first: impl Into<PlaceHandle>, second: impl Into<PlaceHandle>) -> Self {
        Self::of("distance", places(first, second))
    }

    /// What a joint does to its second body.
    pub fn force(joint: &JointHandle) -> Self {
        Self::of("force", joint)
    }

    /// An energy of the whole: `"total"`, `"kinetic"`, `"potential"`.
    pub fn energy(which: &str) -> Self {
        Self::of("energy", which)
    }

    /// As seen from a body.
    #[must_use]
    pub fn relative_to(self, body: &BodyHandle) -> Self {
        self.say("relative_to", body.name())
    }

    /// Along the axes of a body.
    #[must_use]
    pub fn in_axes_of(self, body: &BodyHandle) -> Self {
        self.say("in", body.name())
    }

    /// On which body of a joint.
    #[must_use]
    pub fn on(self, body: &BodyHandle) -> Self {
        self.say("on", body.name())
    }

    fn say(mut self, key: &str, value: impl Into<FileValue>) -> Self {
        self.0.set(key, value);
        self
    }
}
