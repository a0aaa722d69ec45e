//! Bodies and shapes, with the keys of a model file.

use super::value::{Amount, FileTable, FileValue, pair};

/// A body, before a model has it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body(pub(super) FileTable);

/// A shape of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape(pub(super) FileTable);

impl Body {
    /// A body with a mass and a moment of inertia about its centre of mass.
    pub fn rigid(mass: impl Into<Amount>, inertia: impl Into<Amount>) -> Self {
        Self::default().mass(mass).inertia(inertia)
    }

    /// A thin rod through its points, from the first to the last.
    pub fn link<N: Into<String>, A: Into<Amount>>(points: impl IntoIterator<Item = (N, [A; 2])>) -> Self {
        let mut table = FileTable::default();
        for (name, at) in points {
            table.set(&name.into(), pair(at));
        }
        Self(FileTable::default().with("link", table))
    }

    /// A body with a shape of its own.
    pub fn shape(shape: Shape) -> Self {
        Self(FileTable::default().with("shape", shape.0))
    }

    /// Its mass.
    #[must_use]
    pub fn mass(self, mass: impl Into<Amount>) -> Self {
        self.set("mass", mass)
    }

    /// Its moment of inertia about its centre of mass.
    #[must_use]
    pub fn inertia(self, inertia: impl Into<Amount>) -> Self {
        self.set("inertia", inertia)
    }

    /// Its centre of mass in its frame.
    #[must_use]
    pub fn com<A: Into<Amount>>(self, com: [A; 2]) -> Self {
        self.say("com", pair(com))
    }

    /// What a volume of it weighs, for its mass by its shape.
    #[must_use]
    pub fn density(self, density: impl Into<Amount>) -> Self {
        self.set("density", density)
    }

    /// How thick it is across the plane.
    #[must_use]
    pub fn depth(self, depth: impl Into<Amount>) -> Self {
        self.set("depth", depth)
    }

    /// How wide a link is.
    #[must_use]
    pub fn width(self, width: impl Into<Amount>) -> Self {
        self.set("width", width)
    }

    /// Where the origin of its frame is drawn.
    #[must_use]
    pub fn at<A: Into<Amount>>(self, [x, y]: [A; 2]) -> Self {
        self.set("x", x).set("y", y)
    }

    /// How it is turned in the drawing.
    #[must_use]
    pub fn angle(self, angle: impl Into<Amount>) -> Self {
        self.set("angle", angle)
    }

    /// How fast its frame moves at the start.
    #[must_use]
    pub fn velocity<A: Into<Amount>>(self, velocity: [A; 2]) -> Self {
        self.say("velocity", pair(velocity))
    }

    /// How fast it turns at the start.
    #[must_use]
    pub fn angular_velocity(self, velocity: impl Into<Amount>) -> Self {
        self.set("angular_velocity", velocity)
    }

    /// A further point.
    #[must_use]
    pub fn point<A: Into<Amount>>(mut self, name: &str, at: [A; 2]) -> Self {
        self.0.set_in("points", name, pair(at));
        self
    }

    /// A further frame: a point with an angle.
    #[must_use]
    pub fn frame<A: Into<Amount>>(mut self, name: &str, at: [A; 2], angle: impl Into<Amount>) -> Self {
        let frame = FileTable::default().with("at", pair(at)).with("angle", angle.into());
        self.0.set_in("frames", name, frame);
        self
    }

    /// What it is made of.
    #[must_use]
    pub fn material(self, name: &str) -> Self {
        self.say("material", name)
    }

    /// Any other key of a body in a model file.
    #[must_use]
    pub fn set(self, key: &str, amount: impl Into<Amount>) -> Self {
        self.say(key, amount.into())
    }

    fn say(mut self, key: &str, value: impl Into<FileValue>) -> Self {
        self.0.set(key, value);
        self
    }
}

impl Shape {
    fn of(kind: &str, value: impl Into<FileValue>) -> Self {
        Self(FileTable::default().with(kind, value))
    }

    /// A disc with a radius.
    pub fn disc(radius: impl Into<Amount>) -> Self {
        Self::of("disc", radius.into())
    }

    /// A box with its full sizes. In a model file it is a `box`.
    pub fn rect(width: impl Into<Amount>, height: impl Into<Amount>) -> Self {
        Self::of("box", pair([width.into(), height.into()]))
    }

    /// A capsule along its x axis: the length between its centres, and its radius.
    pub fn capsule(length: impl Into<Amount>, radius: impl Into<Amount>) -> Self {
        Self::of("capsule", pair([length.into(), radius.into()]))
    }

    /// A line from one point to another, solid on its right.
    pub fn segment<A: Into<Amount>>(points: [[A; 2]; 2]) -> Self {
        Self::of("segment", points.map(pair).to_vec())
    }

    /// Half of the plane, with the direction that points out of it.
    pub fn half_plane<A: Into<Amount>>(normal: [A; 2]) -> Self {
        Self::of("half_plane", pair(normal))
    }

    /// A convex polygon.
    pub fn polygon<A: Into<Amount>>(corners: impl IntoIterator<Item = [A; 2]>) -> Self {
        Self::of("polygon", corners.into_iter().map(pair).collect::<Vec<_>>())
    }

    /// An ellipse with its semi-axes.
    pub fn ellipse(a: impl Into<Amount>, b: impl Into<Amount>) -> Self {
        Self::of("ellipse", pair([a.into(), b.into()]))
    }

    /// Where it is on its body.
    #[must_use]
    pub fn at<A: Into<Amount>>(self, at: [A; 2]) -> Self {
        self.say("at", pair(at))
    }

    /// How it is turned about the origin of its place.
    #[must_use]
    pub fn turn(self, angle: impl Into<Amount>) -> Self {
        self.say("turn", angle.into())
    }

    /// What it is made of.
    #[must_use]
    pub fn material(self, name: &str) -> Self {
        self.say("material", name)
    }

    /// It is solid outside: other things are in it.
    #[must_use]
    pub fn solid_outside(self) -> Self {
        self.say("solid", "outside")
    }

    /// Any other key of a shape in a model file.
    #[must_use]
    pub fn set(self, key: &str, amount: impl Into<Amount>) -> Self {
        self.say(key, amount.into())
    }

    pub(super) fn say(mut self, key: &str, value: impl Into<FileValue>) -> Self {
        self.0.set(key, value);
        self
    }
}
