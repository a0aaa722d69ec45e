//! Equations behind a mass matrix, `M y' = f`, with closed forms.
//!
//! - The circle, x' = y and y' = -x from (1, 0), behind the matrix (2 1; 1 3), and behind one that depends on
//!   time and state.
//! - An algebraic state, of index 1: x' = -z with 0 = z - x³ from (1, 1), so that x = 1 / √(1 + 2t). Behind a
//!   constant matrix, and with a matrix that varies, of which both rows have a rate in them.

use super::Problem;
use crate::equations::ClosureSystem;
use crate::simulate::Start;

/// A constant matrix, one that varies, and a singular one of each kind.
pub fn behind_mass_matrices() -> Vec<Problem> {
    vec![constant(), varying(), singular(), varying_singular()]
}

fn problem(name: &'static str, system: ClosureSystem, start: [f64; 2], until: f64, end: [f64; 2]) -> Problem {
    Problem {
        name,
        source: "closed form",
        system: Box::new(system),
        start: Start::at(start),
        until,
        end: end.to_vec(),
        scale: None,
        absolute: 1.0,
        promise: 100.0,
        invariant: None,
    }
}

const CIRCLE_UNTIL: f64 = 5.0;

fn circle(name: &'static str, system: ClosureSystem) -> Problem {
    problem(name, system, [1.0, 0.0], CIRCLE_UNTIL, [CIRCLE_UNTIL.cos(), -CIRCLE_UNTIL.sin()])
}

fn constant() -> Problem {
    let system = ClosureSystem::new(["x", "y"], |_, y, dy| {
        dy[0] = 2.0 * y[1] - y[0];
        dy[1] = y[1] - 3.0 * y[0];
    });
    circle("constant-mass", system.constant_mass(vec![2.0, 1.0, 1.0, 3.0]))
}

fn varying() -> Problem {
    let matrix = |t: f64, y: &[f64]| [2.0 + t.sin(), y[0], 0.5, 1.0 + y[1] * y[1]];
    let system = ClosureSystem::new(["x", "y"], move |t, y, dy| {
        let [a, b, c, d] = matrix(t, y);
        dy[0] = a * y[1] - b * y[0];
        dy[1] = c * y[1] - d * y[0];
    });
    circle("varying-mass", system.varying_mass(move |t, y, m| m.copy_from_slice(&matrix(t, y))))
}

fn singular() -> Problem {
    let system = ClosureSystem::new(["x", "z"], |_, y, dy| {
        dy[0] = -y[1];
        dy[1] = y[1] - y[0].powi(3);
    });
    decay("singular-mass", system.constant_mass(vec![1.0, 0.0, 0.0, 0.0]))
}

fn varying_singular() -> Problem {
    let column = |y: &[f64]| [1.0 + y[1] * y[1], y[0] + y[1]];
    let system = ClosureSystem::new(["x", "z"], move |_, y, dy| {
        let [a, b] = column(y);
        dy[0] = -a * y[1];
        dy[1] = -b * y[1] + y[1] - y[0].powi(3);
    });
    let mass = move |_: f64, y: &[f64], m: &mut [f64]| [m[0], m[2]] = column(y);
    decay("varying-singular-mass", system.varying_mass(mass))
}

fn decay(name: &'static str, system: ClosureSystem) -> Problem {
    let (until, x) = (4.0, 1.0 / 3.0_f64);
    problem(name, system, [1.0, 1.0], until, [x, x.powi(3)])
}
