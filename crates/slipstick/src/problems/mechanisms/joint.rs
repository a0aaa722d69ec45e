//! Joints of bodies in the plane, each body with the coordinates `x`, `y` of its centre of mass and its
//! angle.
//!
//! Rows of a joint are computed with jets; their gradients are written out. `u(α)` is the unit vector in
//! direction `α`, `n(α)` the one at its left.

use crate::math::Jet;

/// A point that is fixed to a body, in the body's frame, or to the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    pub(super) body: Option<usize>,
    pub(super) at: [f64; 2],
}

/// What two places have to do with each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Joint {
    /// They are one point: a revolute joint, two rows.
    Pin(Place, Place),
    /// The first is on a line through the second, in a direction of the second's body: one row.
    Slot(Place, Place, f64),
    /// As the slot, and the first body does not turn against the second but stays at an angle: a prismatic
    /// joint, two rows.
    Slider(Place, Place, f64, f64),
    /// The first body stays at an angle to the second: one row.
    Angle(Option<usize>, Option<usize>, f64),
}

/// An entry of a gradient: its row among those of the joint, its column, its value.
pub(super) type Entry = (usize, usize, f64);

impl Joint {
    /// How many rows it has.
    pub(super) fn rows(self) -> usize {
        match self {
            Self::Pin(..) | Self::Slider(..) => 2,
            Self::Slot(..) | Self::Angle(..) => 1,
        }
    }

    /// The rows: zero where the joint is shut.
    pub(super) fn evaluate(self, q: &[Jet], g: &mut [Jet]) {
        match self {
            Self::Pin(a, b) => {
                let ([ax, ay], [bx, by]) = (a.point(q), b.point(q));
                (g[0], g[1]) = (ax - bx, ay - by);
            }
            Self::Slot(pin, line, direction) => g[0] = beside(q, pin, line, direction),
            Self::Slider(pin, line, direction, angle) => {
                g[0] = beside(q, pin, line, direction);
                g[1] = turned(q, pin.body) - turned(q, line.body) - angle;
            }
            Self::Angle(a, b, angle) => g[0] = turned(q, a) - turned(q, b) - angle,
        }
    }

    /// The entries of the gradients of the rows, always in the same order.
    pub(super) fn gradient(self, q: &[f64], mut put: impl FnMut(Entry)) {
        match self {
            Self::Pin(a, b) => {
                for (place, sign) in [(a, 1.0), (b, -1.0)] {
                    let Some(body) = place.body else { continue };
                    let [rx, ry] = turn(place.at, q[3 * body + 2]);
                    put((0, 3 * body, sign));
                    put((0, 3 * body + 2, -sign * ry));
                    put((1, 3 * body + 1, sign));
                    put((1, 3 * body + 2, sign * rx));
                }
            }
            Self::Slot(pin, line, direction) => slot_gradient(q, pin, line, direction, &mut put),
            Self::Slider(pin, line, direction, _) => {
                slot_gradient(q, pin, line, direction, &mut put);
                angle_gradient(1, pin.body, line.body, &mut put);
            }
            Self::Angle(a, b, _) => angle_gradient(0, a, b, &mut put),
        }
    }
}

impl Place {
    /// Where it is.
    pub(super) fn point(self, q: &[Jet]) -> [Jet; 2] {
        let Some(body) = self.body else { return self.at.map(Jet::constant) };
        let (sin, cos) = (q[3 * body + 2].sin(), q[3 * body + 2].cos());
        let [x, y] = self.at;
        [q[3 * body] + x * cos - y * sin, q[3 * body + 1] + x * sin + y * cos]
    }

    /// Where it is, and from the centre of its body.
    pub(super) fn point_and_arm(self, q: &[f64]) -> ([f64; 2], [f64; 2]) {
        let Some(body) = self.body else { return (self.at, [0.0; 2]) };
        let [rx, ry] = turn(self.at, q[3 * body + 2]);
        ([q[3 * body] + rx, q[3 * body + 1] + ry], [rx, ry])
    }
}

/// A vector of a body, in the plane.
pub(super) fn turn([x, y]: [f64; 2], angle: f64) -> [f64; 2] {
    let (sin, cos) = angle.sin_cos();
    [x * cos - y * sin, x * sin + y * cos]
}

fn turned(q: &[Jet], body: Option<usize>) -> Jet {
    body.map_or(Jet::constant(0.0), |body| q[3 * body + 2])
}

/// How far the pin is to the left of the line.
fn beside(q: &[Jet], pin: Place, line: Place, direction: f64) -> Jet {
    let ([px, py], [lx, ly]) = (pin.point(q), line.point(q));
    let angle = turned(q, line.body) + direction;
    (py - ly) * angle.cos() - (px - lx) * angle.sin()
}

fn slot_gradient(q: &[f64], pin: Place, line: Place, direction: f64, put: &mut impl FnMut(Entry)) {
    let ((p, arm_p), (l, arm_l)) = (pin.point_and_arm(q), line.point_and_arm(q));
    let angle = line.body.map_or(0.0, |body| q[3 * body + 2]) + direction;
    let (u, n) = ([angle.cos(), angle.sin()], [-angle.sin(), angle.cos()]);
    if let Some(body) = pin.body {
        put((0, 3 * body, n[0]));
        put((0, 3 * body + 1, n[1]));
        put((0, 3 * body + 2, n[1] * arm_p[0] - n[0] * arm_p[1]));
    }
    if let Some(body) = line.body {
        let along = u[0] * (p[0] - l[0]) + u[1] * (p[1] - l[1]);
        put((0, 3 * body, -n[0]));
        put((0, 3 * body + 1, -n[1]));
        put((0, 3 * body + 2, n[0] * arm_l[1] - n[1] * arm_l[0] - along));
    }
}

fn angle_gradient(row: usize, a: Option<usize>, b: Option<usize>, put: &mut impl FnMut(Entry)) {
    for (body, sign) in [(a, 1.0), (b, -1.0)] {
        if let Some(body) = body {
            put((row, 3 * body + 2, sign));
        }
    }
}
