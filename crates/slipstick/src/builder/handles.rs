//! Handles: what a model gives back for each part, so that others can name it. A misspelt handle does not compile.

use super::drive::Drive;
use super::value::{Amount, FileValue};

/// What does not move. It takes points, frames and shapes.
pub const GROUND: GroundHandle = GroundHandle;

/// What does not move: [`GROUND`].
#[derive(Clone, Copy, Debug)]
pub struct GroundHandle;

/// A body of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyHandle {
    name: String,
}

/// A place on a body or on the ground: a point, a frame, or the body itself.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaceHandle {
    name: String,
}

/// A joint of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct JointHandle {
    name: String,
}

/// A drive of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct DriveHandle {
    name: String,
}

/// A shape of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeHandle {
    name: String,
}

/// A contact of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactHandle {
    name: String,
}

/// Something that happens, which an event can follow.
#[derive(Clone, Debug, PartialEq)]
pub struct Happening {
    name: String,
}

impl GroundHandle {
    /// A point that the ground was given.
    pub fn point(self, name: &str) -> PlaceHandle {
        PlaceHandle::on("ground", name)
    }

    /// The origin of the drawing.
    pub fn origin(self) -> PlaceHandle {
        self.point("origin")
    }
}

impl PlaceHandle {
    fn on(body: &str, point: &str) -> Self {
        Self { name: format!("{body}.{point}") }
    }

    /// Where it is, along `x` and `y`, for formulas.
    pub fn position(&self) -> [Amount; 2] {
        ["x", "y"].map(|axis| Amount::formula(format!("{}.{axis}", self.name)))
    }

    /// How fast it moves, along `x` and `y`, for formulas.
    pub fn velocity(&self) -> [Amount; 2] {
        ["x'", "y'"].map(|axis| Amount::formula(format!("{}.{axis}", self.name)))
    }
}

impl BodyHandle {
    pub(super) fn new(name: &str) -> Self {
        Self { name: name.to_owned() }
    }

    /// A point or a frame of the body. That there is one of this name, the check of the model says.
    pub fn point(&self, name: &str) -> PlaceHandle {
        PlaceHandle::on(&self.name, name)
    }

    /// The origin of its drawn frame.
    pub fn origin(&self) -> PlaceHandle {
        self.point("origin")
    }

    /// Its centre of mass.
    pub fn com(&self) -> PlaceHandle {
        self.point("com")
    }

    /// The centre of its own shape.
    pub fn centre(&self) -> PlaceHandle {
        self.point("centre")
    }

    /// The shape that it was made with.
    pub fn own_shape(&self) -> ShapeHandle {
        ShapeHandle::new(&self.name)
    }

    /// Its angle, for formulas.
    pub fn angle(&self) -> Amount {
        Amount::formula(format!("{}.angle", self.name))
    }

    /// How fast it turns, for formulas.
    pub fn angular_velocity(&self) -> Amount {
        Amount::formula(format!("{}.angle'", self.name))
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }
}

impl JointHandle {
    pub(super) fn new(name: &str) -> Self {
        Self { name: name.to_owned() }
    }

    /// A drive that prescribes its coordinate, a function of `t`.
    pub fn position(&self, position: impl Into<Amount>) -> Drive {
        Drive::new(&self.name, "position", position.into())
    }

    /// A drive that prescribes how fast its coordinate changes.
    pub fn velocity(&self, velocity: impl Into<Amount>) -> Drive {
        Drive::new(&self.name, "velocity", velocity.into())
    }

    /// Its coordinate, for formulas: `"angle"` or `"position"`; with a prime, how fast it changes.
    pub fn coordinate(&self, word: &str) -> Amount {
        self.property(word)
    }

    /// The force on its second body, in ground axes, for formulas.
    pub fn force(&self) -> [Amount; 2] {
        ["force.x", "force.y"].map(|part| self.property(part))
    }

    /// The moment on its second body, for formulas.
    pub fn moment(&self) -> Amount {
        self.property("moment")
    }

    /// That it breaks.
    pub fn breaks(&self) -> Happening {
        Happening { name: format!("joint.{}.break", self.name) }
    }

    /// That its coordinate hits the lower stop.
    pub fn hits_from(&self) -> Happening {
        Happening { name: format!("stop.{}.from.hit", self.name) }
    }

    /// That its coordinate hits the upper stop.
    pub fn hits_to(&self) -> Happening {
        Happening { name: format!("stop.{}.to.hit", self.name) }
    }

    fn property(&self, what: &str) -> Amount {
        Amount::formula(format!("joint.{}.{what}", self.name))
    }
}

impl DriveHandle {
    pub(super) fn new(name: &str) -> Self {
        Self { name: name.to_owned() }
    }

    /// The torque that the drive of an angle needs, for formulas.
    pub fn torque(&self) -> Amount {
        Amount::formula(format!("drive.{}.torque", self.name))
    }

    /// The force that the drive of a position needs, for formulas.
    pub fn force(&self) -> Amount {
        Amount::formula(format!("drive.{}.force", self.name))
    }
}

impl ShapeHandle {
    pub(super) fn new(name: &str) -> Self {
        Self { name: name.to_owned() }
    }
}

impl ContactHandle {
    pub(super) fn new(name: &str) -> Self {
        Self { name: name.to_owned() }
    }

    /// That it is hit.
    pub fn hit(&self) -> Happening {
        self.happens("hit")
    }

    /// That it opens.
    pub fn lift(&self) -> Happening {
        self.happens("lift")
    }

    /// That it begins to slip.
    pub fn slip(&self) -> Happening {
        self.happens("slip")
    }

    /// That it begins to stick.
    pub fn stick(&self) -> Happening {
        self.happens("stick")
    }

    /// A value of it for formulas: `"gap"`, `"force.n"`, `"force.t"`, `"slip"`, `"impulse.n"`.
    pub fn value(&self, what: &str) -> Amount {
        Amount::formula(format!("contact.{}.{what}", self.name))
    }

    fn happens(&self, what: &str) -> Happening {
        Happening { name: format!("contact.{}.{what}", self.name) }
    }
}

impl Happening {
    pub(super) fn event(name: &str) -> Self {
        Self { name: name.to_owned() }
    }
}

impl From<GroundHandle> for PlaceHandle {
    fn from(_: GroundHandle) -> Self {
        Self { name: "ground".to_owned() }
    }
}

impl From<&BodyHandle> for PlaceHandle {
    fn from(body: &BodyHandle) -> Self {
        Self { name: body.name.clone() }
    }
}

impl From<&PlaceHandle> for PlaceHandle {
    fn from(place: &PlaceHandle) -> Self {
        place.clone()
    }
}

impl From<PlaceHandle> for FileValue {
    fn from(place: PlaceHandle) -> Self {
        Self::Text(place.name)
    }
}

impl From<&JointHandle> for FileValue {
    fn from(joint: &JointHandle) -> Self {
        Self::Text(joint.name.clone())
    }
}

impl From<&ShapeHandle> for FileValue {
    fn from(shape: &ShapeHandle) -> Self {
        Self::Text(shape.name.clone())
    }
}

impl From<Happening> for FileValue {
    fn from(happening: Happening) -> Self {
        Self::Text(happening.name)
    }
}
