//! What pulls at bodies in the plane: weight, springs with dampers between places, springs with dampers
//! between angles, torques that change with time.

use super::joint::Place;

/// What pulls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Force {
    /// A spring with a damper between two places, along the line between them; one without a length of its
    /// own pulls in every direction alike.
    Spring { ends: (Place, Place), stiffness: f64, damping: f64, length: f64 },
    /// The same between two bodies, or a body and the ground, about their pin.
    Turn { bodies: (usize, Option<usize>), stiffness: f64, damping: f64, angle: f64 },
    /// `mean + swing sin(rate t)` about a body.
    Torque { body: usize, mean: f64, swing: f64, rate: f64 },
}

impl Force {
    /// Adds what it does at a time and a state to the forces on the bodies.
    pub(super) fn add(self, t: f64, q: &[f64], v: &[f64], forces: &mut [f64]) {
        match self {
            Self::Spring { ends: (a, b), stiffness, damping, length } => {
                let (apart, rate) = (between(a, b, q), between_rates(a, b, q, v));
                let pull = pull(apart, rate, (stiffness, damping, length));
                push(a, pull, q, forces);
                push(b, [-pull[0], -pull[1]], q, forces);
            }
            Self::Turn { bodies: (a, b), stiffness, damping, angle } => {
                let of = |list: &[f64]| list[3 * a + 2] - b.map_or(0.0, |b| list[3 * b + 2]);
                let torque = -stiffness * (of(q) - angle) - damping * of(v);
                forces[3 * a + 2] += torque;
                if let Some(b) = b {
                    forces[3 * b + 2] -= torque;
                }
            }
            Self::Torque { body, mean, swing, rate } => {
                forces[3 * body + 2] += mean + swing * (rate * t).sin();
            }
        }
    }
}

/// The force on the first end.
fn pull(apart: [f64; 2], rate: [f64; 2], (stiffness, damping, length): (f64, f64, f64)) -> [f64; 2] {
    if length == 0.0 {
        return [0, 1].map(|i| stiffness * apart[i] + damping * rate[i]);
    }
    let now = apart[0].hypot(apart[1]);
    let along = (apart[0] * rate[0] + apart[1] * rate[1]) / now;
    let tension = stiffness * (now - length) + damping * along;
    apart.map(|x| tension * x / now)
}

/// From the first place to the second.
fn between(a: Place, b: Place, q: &[f64]) -> [f64; 2] {
    let ((a, _), (b, _)) = (a.point_and_arm(q), b.point_and_arm(q));
    [b[0] - a[0], b[1] - a[1]]
}

fn between_rates(a: Place, b: Place, q: &[f64], v: &[f64]) -> [f64; 2] {
    let rate = |place: Place| {
        let Some(body) = place.body else { return [0.0; 2] };
        let (_, arm) = place.point_and_arm(q);
        let w = v[3 * body + 2];
        [v[3 * body] - w * arm[1], v[3 * body + 1] + w * arm[0]]
    };
    let (a, b) = (rate(a), rate(b));
    [b[0] - a[0], b[1] - a[1]]
}

fn push(place: Place, force: [f64; 2], q: &[f64], forces: &mut [f64]) {
    let Some(body) = place.body else { return };
    let (_, arm) = place.point_and_arm(q);
    forces[3 * body] += force[0];
    forces[3 * body + 1] += force[1];
    forces[3 * body + 2] += arm[0] * force[1] - arm[1] * force[0];
}
