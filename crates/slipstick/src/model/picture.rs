//! What a model looks like: drawn bodies with their shapes, lines and springs, single points.
//!
//! A [`Picture`] has one number of some kind wherever a place or a size is asked for: a formula in a model,
//! the place of a value in a list while a trajectory is sampled, a number in one frame. [`Picture::map`] goes from
//! one to the other, always in the same order.

use super::{Formula, Reference};

/// What a model looks like, in formulas.
pub type PictureRule = Picture<Formula>;

/// Everything that is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture<V> {
    /// Bodies with shapes, which move as a whole.
    pub bodies: Vec<DrawnBody<V>>,
    /// What is drawn between places.
    pub lines: Vec<DrawnLine<V>>,
    /// Places with a mark of their own, as joints are.
    pub points: Vec<DrawnPoint<V>>,
}

/// A body with its shapes.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnBody<V> {
    /// The name.
    pub name: String,
    /// Where it is: x, y, and the angle that it is turned by; none if it does not move.
    pub pose: Option<[V; 3]>,
    /// What it looks like, in its own axes.
    pub shapes: Vec<DrawnShape<V>>,
    /// Its named places, in its own axes.
    pub points: Vec<DrawnPoint<V>>,
    /// The contacts and events that make it light up.
    pub lights: Vec<Reference>,
}

/// A shape in the axes of its body.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnShape<V> {
    /// What it is, with its sizes.
    pub outline: Outline<V>,
    /// Where its centre is.
    pub at: [V; 2],
    /// What it is turned by, about its centre.
    pub turn: V,
    /// How wide its line is, if that is a length of the model.
    pub width: Option<V>,
}

/// The outline of a shape.
#[derive(Clone, Debug, PartialEq)]
pub enum Outline<V> {
    /// A disc with its radius.
    Disc(V),
    /// A rectangle with its full sizes.
    Box([V; 2]),
    /// The length between the centres of both ends, and the radius.
    Capsule([V; 2]),
    /// An ellipse with its semi-axes.
    Ellipse([V; 2]),
    /// A line from one place to another, solid on its right.
    Segment([[V; 2]; 2]),
    /// Everything on one side of a line; the direction leads out of it.
    HalfPlane([V; 2]),
    /// A closed polygon with its corners.
    Polygon(Vec<[V; 2]>),
}

/// A line through places of the ground's axes.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnLine<V> {
    /// The name.
    pub name: String,
    /// Whether it is drawn as a coil.
    pub is_spring: bool,
    /// The places that it goes through.
    pub through: Vec<[V; 2]>,
    /// How wide it is, if that is a length of the model.
    pub width: Option<V>,
    /// The contacts and events that make it light up.
    pub lights: Vec<Reference>,
}

/// A named place.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnPoint<V> {
    /// The name.
    pub name: String,
    /// Where it is.
    pub at: [V; 2],
}

/// What a number of a picture is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawnNumber {
    /// Where something is, which may change during a run.
    Place,
    /// A size, or a place in a body: parameters say what it is.
    Size,
}

impl<V> Default for Picture<V> {
    fn default() -> Self {
        Self { bodies: Vec::new(), lines: Vec::new(), points: Vec::new() }
    }
}

impl<V> Picture<V> {
    /// Whether nothing is drawn.
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty() && self.lines.is_empty() && self.points.is_empty()
    }

    /// The same picture with other numbers.
    pub fn map<W>(&self, each: &mut dyn FnMut(DrawnNumber, &V) -> W) -> Picture<W> {
        Picture {
            bodies: self.bodies.iter().map(|body| body.map(each)).collect(),
            lines: self.lines.iter().map(|line| line.map(each)).collect(),
            points: self.points.iter().map(|point| point.map(DrawnNumber::Place, each)).collect(),
        }
    }

    /// Looks at every number, in the order of [`map`](Self::map).
    pub fn visit(&self, each: &mut dyn FnMut(DrawnNumber, &V)) {
        self.map(each);
    }

    /// The same picture with the place of each number in the list of all of them.
    pub fn numbered(&self) -> Picture<usize> {
        let mut next = 0..;
        self.map(&mut |_, _| next.next().unwrap_or_default())
    }
}

impl PictureRule {
    /// All formulas, in the order of [`map`](Picture::map).
    pub fn formulas(&self) -> Vec<Formula> {
        let mut list = Vec::new();
        self.visit(&mut |_, formula| list.push(formula.clone()));
        list
    }

    /// Everything that lights something up.
    pub fn lights(&self) -> impl Iterator<Item = &Reference> {
        self.bodies
            .iter()
            .flat_map(|body| &body.lights)
            .chain(self.lines.iter().flat_map(|line| &line.lights))
    }
}

impl<V> DrawnBody<V> {
    fn map<W>(&self, each: &mut dyn FnMut(DrawnNumber, &V) -> W) -> DrawnBody<W> {
        let pose = self.pose.as_ref().map(|pose| pose.each_ref().map(|v| each(DrawnNumber::Place, v)));
        DrawnBody {
            name: self.name.clone(),
            pose,
            shapes: self.shapes.iter().map(|shape| shape.map(&mut |v| each(DrawnNumber::Size, v))).collect(),
            points: self.points.iter().map(|point| point.map(DrawnNumber::Size, each)).collect(),
            lights: self.lights.clone(),
        }
    }
}

impl<V> DrawnShape<V> {
    fn map<W>(&self, each: &mut dyn FnMut(&V) -> W) -> DrawnShape<W> {
        let mut pair = |pair: &[V; 2]| pair.each_ref().map(&mut *each);
        let outline = match &self.outline {
            Outline::Disc(radius) => Outline::Disc(each(radius)),
            Outline::Box(sizes) => Outline::Box(pair(sizes)),
            Outline::Capsule(sizes) => Outline::Capsule(pair(sizes)),
            Outline::Ellipse(axes) => Outline::Ellipse(pair(axes)),
            Outline::Segment(ends) => Outline::Segment(ends.each_ref().map(pair)),
            Outline::HalfPlane(direction) => Outline::HalfPlane(pair(direction)),
            Outline::Polygon(corners) => Outline::Polygon(corners.iter().map(pair).collect()),
        };
        let at = self.at.each_ref().map(&mut *each);
        DrawnShape { outline, at, turn: each(&self.turn), width: self.width.as_ref().map(each) }
    }
}

impl<V> DrawnLine<V> {
    fn map<W>(&self, each: &mut dyn FnMut(DrawnNumber, &V) -> W) -> DrawnLine<W> {
        let through =
            self.through.iter().map(|at| at.each_ref().map(|v| each(DrawnNumber::Place, v))).collect();
        DrawnLine {
            name: self.name.clone(),
            is_spring: self.is_spring,
            through,
            width: self.width.as_ref().map(|width| each(DrawnNumber::Size, width)),
            lights: self.lights.clone(),
        }
    }
}

impl<V> DrawnPoint<V> {
    fn map<W>(&self, number: DrawnNumber, each: &mut dyn FnMut(DrawnNumber, &V) -> W) -> DrawnPoint<W> {
        DrawnPoint { name: self.name.clone(), at: self.at.each_ref().map(|v| each(number, v)) }
    }
}

impl DrawnShape<f64> {
    /// What is wrong with the sizes, if something is.
    pub fn fault(&self) -> Option<&'static str> {
        let is_size = |x: f64| x > 0.0 && x.is_finite();
        match &self.outline {
            Outline::Disc(radius) if !is_size(*radius) => Some("the radius of a disc is greater than zero"),
            Outline::Box(sizes) if !sizes.iter().all(|x| is_size(*x)) => {
                Some("both sizes of a box are greater than zero")
            }
            Outline::Ellipse(axes) if !axes.iter().all(|x| is_size(*x)) => {
                Some("both semi-axes of an ellipse are greater than zero")
            }
            Outline::Capsule([length, radius]) if *length < 0.0 || !is_size(*radius) => {
                Some("a capsule has a length of zero or more, and a radius greater than zero")
            }
            Outline::HalfPlane([x, y]) if *x == 0.0 && *y == 0.0 => {
                Some("the direction of a half-plane is not zero: it leads out of the solid side")
            }
            _ if self.width.is_some_and(|width| !is_size(width)) => Some("a width is greater than zero"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture() -> Picture<f64> {
        let shape = |outline| DrawnShape { outline, at: [0.0; 2], turn: 0.0, width: None };
        let body = |pose, outline| DrawnBody {
            name: "b".to_owned(),
            pose,
            shapes: vec![shape(outline)],
            points: vec![DrawnPoint { name: "p".to_owned(), at: [5.0, 6.0] }],
            lights: Vec::new(),
        };
        let line = DrawnLine {
            name: "l".to_owned(),
            is_spring: true,
            through: vec![[7.0, 8.0], [9.0, 10.0]],
            width: Some(0.5),
            lights: Vec::new(),
        };
        Picture {
            bodies: vec![
                body(Some([1.0, 2.0, 3.0]), Outline::Disc(4.0)),
                body(None, Outline::Box([1.0, 2.0])),
            ],
            lines: vec![line],
            points: vec![DrawnPoint { name: "o".to_owned(), at: [11.0, 12.0] }],
        }
    }

    #[test]
    fn numbers_keep_their_order_and_say_what_they_are() {
        let picture = picture();
        let (mut values, mut places) = (Vec::new(), Vec::new());
        picture.visit(&mut |number, value| {
            values.push(*value);
            if number == DrawnNumber::Place {
                places.push(*value);
            }
        });
        assert_eq!(places, [1.0, 2.0, 3.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0]);
        // Filled in again by their places, the numbers give the picture that they came from.
        assert_eq!(picture.numbered().map(&mut |_, place| values[*place]), picture);
    }

    #[test]
    fn sizes_that_cannot_be_drawn_are_named() {
        let fault = |outline| DrawnShape { outline, at: [0.0; 2], turn: 0.0, width: None }.fault();
        assert!(fault(Outline::Disc(-1.0)).is_some_and(|text| text.contains("radius")));
        assert!(fault(Outline::Capsule([0.0, 1.0])).is_none());
        assert!(fault(Outline::HalfPlane([0.0, 0.0])).is_some());
        assert!(fault(Outline::Box([1.0, f64::NAN])).is_some());
        let thin = DrawnShape { outline: Outline::Disc(1.0), at: [0.0; 2], turn: 0.0, width: Some(0.0) };
        assert!(thin.fault().is_some_and(|text| text.contains("width")));
    }
}
