//! Joints, one type for each kind, with the keys that it takes.

use super::handles::{JointHandle, PlaceHandle};
use super::value::{Amount, FileTable, FileValue, pair};

/// A joint, before a model has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint(pub(super) FileTable);

/// Joints between two places: the type, its word in a model file, and what it is.
macro_rules! joints_of_places {
    ($($kind:ident $word:literal $about:literal),+ $(,)?) => {$(
        #[doc = $about]
        #[derive(Clone, Debug, PartialEq)]
        pub struct $kind(FileTable);

        impl $kind {
            /// Between two places. Its coordinate is that of the second against the first.
            pub fn new(first: impl Into<PlaceHandle>, second: impl Into<PlaceHandle>) -> Self {
                let ends: Vec<FileValue> = vec![first.into().into(), second.into().into()];
                Self(FileTable::default().with($word, ends))
            }

            /// It is open at the start; an event shuts it.
            #[must_use]
            pub fn open(self) -> Self {
                self.say("open", true)
            }

            /// It holds while a condition is true.
            #[must_use]
            pub fn holds_while(self, condition: &str) -> Self {
                self.say("while", condition)
            }

            /// The force that breaks it.
            #[must_use]
            pub fn break_force(mut self, force: impl Into<Amount>) -> Self {
                self.0.set_in("break", "force", force.into());
                self
            }

            /// The moment that breaks it.
            #[must_use]
            pub fn break_moment(mut self, moment: impl Into<Amount>) -> Self {
                self.0.set_in("break", "moment", moment.into());
                self
            }

            /// Any other key of a joint in a model file.
            #[must_use]
            pub fn set(self, key: &str, amount: impl Into<Amount>) -> Self {
                self.say(key, amount.into())
            }

            fn say(mut self, key: &str, value: impl Into<FileValue>) -> Self {
                self.0.set(key, value);
                self
            }
        }

        impl From<$kind> for Joint {
            fn from(joint: $kind) -> Self {
                Self(joint.0)
            }
        }
    )+};
}

joints_of_places! {
    Revolute "revolute" "Two points are one; it leaves an angle free.",
    Prismatic "prismatic" "The second body slides along an axis of the first, and does not turn against it.",
    Slot "slot" "A point is on a line of the first body.",
    Fixed "fixed" "The second body stays where it is drawn on the first.",
    Distance "distance" "Two points stay as far apart as they are drawn, or by a length.",
    Angle "angle" "The second body does not turn against the first.",
}

/// What joints with a coordinate may have beside.
macro_rules! coordinates {
    ($($kind:ident $friction:literal),+ $(,)?) => {$(
        impl $kind {
            /// Dry friction of this size while it moves.
            #[must_use]
            pub fn friction(mut self, amount: impl Into<Amount>) -> Self {
                self.0.set_in("friction", $friction, amount.into());
                self
            }

            /// Stops at both ends of the range of its coordinate, and what an impact there gives back.
            #[must_use]
            pub fn stops<A: Into<Amount>>(mut self, [from, to]: [A; 2], restitution: impl Into<Amount>) -> Self {
                self.0.set_in("stops", "from", from.into());
                self.0.set_in("stops", "to", to.into());
                self.0.set_in("stops", "restitution", restitution.into());
                self
            }

            /// Where it is, in the axes of the drawing, if its ends are bodies.
            #[must_use]
            pub fn at<A: Into<Amount>>(self, at: [A; 2]) -> Self {
                self.say("at", pair(at))
            }
        }
    )+};
}

coordinates! { Revolute "torque", Prismatic "force", Slot "force" }

impl Prismatic {
    /// The direction in which it slides, in the first body.
    #[must_use]
    pub fn axis<A: Into<Amount>>(self, axis: [A; 2]) -> Self {
        self.say("axis", pair(axis))
    }
}

impl Slot {
    /// The direction of the line, in the first body.
    #[must_use]
    pub fn axis<A: Into<Amount>>(self, axis: [A; 2]) -> Self {
        self.say("axis", pair(axis))
    }
}

impl Distance {
    /// How far apart, if not as drawn.
    #[must_use]
    pub fn length(self, length: impl Into<Amount>) -> Self {
        self.set("length", length)
    }
}

impl Angle {
    /// At which angle, if not as drawn.
    #[must_use]
    pub fn at(self, angle: impl Into<Amount>) -> Self {
        self.set("at", angle)
    }
}

/// Joints between two joints: the type, its word in a model file, and what it is.
macro_rules! joints_of_joints {
    ($($kind:ident $word:literal $about:literal),+ $(,)?) => {$(
        #[doc = $about]
        #[derive(Clone, Debug, PartialEq)]
        pub struct $kind;

        impl $kind {
            fn between(first: &JointHandle, second: &JointHandle) -> FileTable {
                FileTable::default().with($word, vec![first.into(), second.into()])
            }
        }
    )+};
}

joints_of_joints! {
    Gear "gear" "The coordinate of the second joint is a ratio of that of the first.",
    Belt "belt" "The angles of two joints are as their radii say.",
    Rack "rack" "The position of the second joint is a radius times the angle of the first.",
}

impl Gear {
    /// With a ratio, which is negative for wheels that touch from outside.
    pub fn ratio(first: &JointHandle, second: &JointHandle, ratio: impl Into<Amount>) -> Joint {
        Joint(Self::between(first, second).with("ratio", ratio.into()))
    }
}

impl Belt {
    /// With both radii.
    pub fn radii<A: Into<Amount>>(first: &JointHandle, second: &JointHandle, radii: [A; 2]) -> Joint {
        Joint(Self::between(first, second).with("radii", pair(radii)))
    }

    /// The same, crossed: the wheels turn against each other.
    pub fn crossed<A: Into<Amount>>(first: &JointHandle, second: &JointHandle, radii: [A; 2]) -> Joint {
        Joint(Self::radii(first, second, radii).0.with("crossed", true))
    }
}

impl Rack {
    /// With the radius of the pinion.
    pub fn radius(first: &JointHandle, second: &JointHandle, radius: impl Into<Amount>) -> Joint {
        Joint(Self::between(first, second).with("radius", radius.into()))
    }
}
