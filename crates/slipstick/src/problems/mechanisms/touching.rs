//! What bodies in the plane can run into: stops of angles, strings, walls and floors.

use super::joint::Place;
use crate::equations::Contact;
use crate::math::Jet;

/// Two things that touch or not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Touch {
    pub(super) sides: Sides,
    /// Which part of the approach velocity is given back.
    pub(super) restitution: f64,
    /// Coulomb friction; none of strings and stops.
    pub(super) friction: f64,
}

/// What cannot go on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Sides {
    /// The angle of a body against another, or the ground, beyond a limit: it stays below for a sign of one, above
    /// for minus one.
    Stop { bodies: (usize, Option<usize>), limit: f64, sign: f64 },
    /// Two places further apart than a length: a rod that pulls and does not push.
    String { ends: (Place, Place), length: f64 },
    /// A place behind a line, whose normal points to where it may be, at an offset along that.
    Wall { place: Place, normal: [f64; 2], offset: f64 },
}

impl Touch {
    /// The contact, with a name.
    pub(super) fn contact(self, name: &str) -> Contact {
        let contact = Contact::new(name, move |_, q| self.sides.gap(q)).restitution(self.restitution);
        match self.sides {
            Sides::Wall { place, normal, .. } if self.friction > 0.0 => {
                let along = move |_: Jet, q: &[Jet], v: &[Jet]| slip(place, normal, q, v);
                contact.friction(along, self.friction, self.friction)
            }
            _ => contact,
        }
    }
}

impl Sides {
    fn gap(self, q: &[Jet]) -> Jet {
        match self {
            Self::Stop { bodies: (a, b), limit, sign } => {
                let turned = q[3 * a + 2] - b.map_or(Jet::constant(0.0), |b| q[3 * b + 2]);
                (Jet::constant(limit) - turned) * sign
            }
            Self::String { ends: (a, b), length } => {
                let ([ax, ay], [bx, by]) = (a.point(q), b.point(q));
                let (x, y) = (ax - bx, ay - by);
                Jet::constant(length) - (x * x + y * y).sqrt()
            }
            Self::Wall { place, normal: [nx, ny], offset } => {
                let [x, y] = place.point(q);
                x * nx + y * ny - offset
            }
        }
    }
}

/// The velocity of a place along a wall.
fn slip(place: Place, [nx, ny]: [f64; 2], q: &[Jet], v: &[Jet]) -> Jet {
    let Some(body) = place.body else { return Jet::constant(0.0) };
    let [x, y] = place.point(q);
    let (vx, vy) = (
        v[3 * body] - v[3 * body + 2] * (y - q[3 * body + 1]),
        v[3 * body + 1] + v[3 * body + 2] * (x - q[3 * body]),
    );
    vx * ny - vy * nx
}
