//! The four problems of paper 002 (Calvo, Montijano, Rández: DISODE45), at the tolerances of its tables and
//! beside their numbers.
//!
//! - `disode45-1`: a Filippov system with one curved surface; with x = y1 and g the system is x' = g + 0.2,
//!   g' = -x - sign(g)/(1 + |g|^1.5). Each field is defined on its own side only, so that events are located
//!   one-sided. Truth: `reference/seed002_problem1.json`, Taylor series in 48 digits in the variable √|g|
//!   next to the surface, good to 1e-22.
//! - `disode45-2`: structural pounding, from rest at zero (the start is not printed). Beyond the wall there
//!   are the powers 3/2 and 1/4 of the depth d: the field is defined on its own side only. It matters which
//!   way the mass moves only while it touches, so that the surfaces belong to modes: free, driven in, driven
//!   out. That gives the twelve and six events that are printed; velocity zero in free flight is none. Truth:
//!   free flight is linear, with a closed form and roots in 40 digits. In contact Gragg's method,
//!   extrapolated to order 26 in 40 digits: next to the wall in the variable w = d^(1/4), in which
//!   dt/dw = 4w³/v and dv/dw are analytic, elsewhere in time. Another run with order 20 and steps half as
//!   long again agrees to 2e-21.
//! - `disode45-3`: a relay feedback system that slides 28 times, for as little as 2.2 ms. Truth:
//!   `reference/seed002_problem3.json`, closed form.
//! - `disode45-4`: two masses with dry friction, joined by a spring, until both stick, and on to 12. Truth:
//!   the pieces are linear with trigonometric closed forms; roots in 50 digits.

use super::truths::{FIRST, FIRST_END, FOURTH, FOURTH_END, SECOND, SECOND_END, THIRD, THIRD_END};
use super::{EventProblem, SlidingProblem, expected};
use crate::equations::{ClosureGuard, ClosureSystem};
use crate::model::Location;
use crate::problems::{Bounds, Measured};
use crate::step::Method;
use std::f64::consts::PI;

/// The tolerances of the tables, relative and absolute.
pub const TOLERANCES: [f64; 7] = [1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9];

/// Columns GE and Nfcn of tables 1 to 4, by tolerances.
const TABLES: [[(f64, u64); 7]; 4] = [
    [
        (7.4e-2, 940),
        (7.9e-4, 1010),
        (1.5e-4, 1218),
        (1.9e-5, 1410),
        (1.7e-6, 1660),
        (1.3e-7, 2220),
        (1.1e-8, 2980),
    ],
    [
        (3.0e-4, 1065),
        (1.8e-4, 1118),
        (2.7e-5, 1243),
        (1.0e-5, 1666),
        (1.1e-6, 2280),
        (6.6e-8, 3268),
        (8.6e-9, 4657),
    ],
    [
        (9.1e-3, 3826),
        (2.8e-3, 4420),
        (6.3e-4, 4964),
        (5.6e-5, 5075),
        (3.4e-6, 6694),
        (1.8e-7, 8798),
        (6.7e-9, 11092),
    ],
    [
        (3.5e-4, 824),
        (2.1e-4, 791),
        (5.4e-5, 874),
        (8.9e-6, 1190),
        (1.2e-6, 1577),
        (1.4e-7, 2098),
        (1.5e-8, 2729),
    ],
];

/// What the paper prints for a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paper {
    /// The error at the end, GE.
    pub error: f64,
    /// The number of right-hand sides, Nfcn.
    pub derivatives: u64,
}

impl Paper {
    /// What is larger than in the paper.
    pub fn misses(&self, measured: &Measured) -> Vec<&'static str> {
        let error = measured.end_error.is_none_or(|e| e.is_nan() || e > self.error);
        let work = measured.statistics.derivatives > self.derivatives;
        [("the error at the end", error), ("the number of right-hand sides", work)]
            .into_iter()
            .filter_map(|(what, larger)| larger.then_some(what))
            .collect()
    }

    /// The numbers of the paper and how the row compares.
    pub fn remark(&self, measured: &Measured) -> String {
        let misses = self.misses(measured);
        let verdict = if misses.is_empty() {
            "both no larger".to_owned()
        } else {
            format!("{} larger", misses.join(" and "))
        };
        format!("paper: GE {:e}, Nfcn {}; {verdict}", self.error, self.derivatives)
    }
}

/// Problem 1 to 4 of the paper at one of its [`TOLERANCES`].
///
/// # Panics
/// If there is no such problem or no such row.
pub fn disode45(number: usize, tolerance: f64) -> SlidingProblem {
    let mut problem = match number {
        1 => curved(),
        2 => pounding(),
        3 => feedback(),
        4 => masses(),
        _ => panic!("there are problems 1 to 4"),
    };
    let row = TOLERANCES.iter().position(|t| *t == tolerance).expect("a tolerance of the tables");
    let (error, derivatives) = TABLES[number - 1][row];
    problem.options = problem.options.tolerances(tolerance, tolerance);
    problem.options.method = Method::Tsitouras5;
    problem.tolerance = tolerance;
    SlidingProblem { problem, paper: Some(Paper { error, derivatives }) }
}

fn new(number: u8, system: ClosureSystem, start: impl Into<Vec<f64>>, until: f64) -> EventProblem {
    EventProblem::new(&format!("disode45-{number}"), "paper 002, section 5", system, start, until)
}

fn curved() -> EventProblem {
    let start = [-0.75, -1.0 - 1.5_f64.sin()];
    let mut problem = new(1, curved_system(curved_field), start, 30.0);
    problem.options.events.location = Some(Location::OneSided);
    problem.truth(expected(&FIRST), FIRST_END, Bounds::none())
}

fn curved_surface(y: &[f64]) -> f64 {
    y[1] - 0.2 - (2.0 * y[0]).sin()
}

fn curved_system(field: impl Fn(f64, &[f64], &[f64], &mut [f64]) + Send + Sync + 'static) -> ClosureSystem {
    ClosureSystem::switched(["y1", "y2"], field).switch("g", |_, y| curved_surface(y))
}

/// The power of a negative number is NaN.
fn curved_field(_: f64, y: &[f64], signs: &[f64], dy: &mut [f64]) {
    let relative = y[1] - (2.0 * y[0]).sin();
    let u = -signs[0] / (1.0 + (signs[0] * curved_surface(y)).powf(1.5));
    dy[0] = relative;
    dy[1] = 2.0 * (2.0 * y[0]).cos() * relative - y[0] + u;
}

/// The modes of the mass that pounds on a wall.
const FREE: usize = 0;
const DRIVEN_IN: usize = 1;
const DRIVEN_OUT: usize = 2;

const WALL: f64 = 0.005;

fn pounding() -> EventProblem {
    let mut problem = new(2, pounding_system(pounding_field), [0.0, 0.0], 3.0);
    problem.options.events.location = Some(Location::OneSided);
    problem.truth(expected(&SECOND), SECOND_END, Bounds::none())
}

fn pounding_system(field: impl Fn(usize, f64, &[f64], &mut [f64]) + Send + Sync + 'static) -> ClosureSystem {
    ClosureSystem::hybrid(["y", "v"], move |locked, t, y, dy| field(locked.mode, t, y, dy))
        .modes(["free", "driven in", "driven out"])
        .guard(ClosureGuard::rising("hits", |_, y| y[0] - WALL).in_mode(FREE).goto(DRIVEN_IN))
        .guard(ClosureGuard::falling("turns", |_, y| y[1]).in_mode(DRIVEN_IN).goto(DRIVEN_OUT))
        .guard(ClosureGuard::falling("parts", |_, y| y[0] - WALL).in_mode(DRIVEN_OUT).goto(FREE))
        .guard(ClosureGuard::rising("turns again", |_, y| y[1]).in_mode(DRIVEN_OUT).goto(DRIVEN_IN))
}

/// The power of a negative number is NaN.
fn pounding_field(mode: usize, t: f64, y: &[f64], dy: &mut [f64]) {
    const C: f64 = 2.47e6;
    let depth = y[0] - WALL;
    let push = match mode {
        DRIVEN_IN => C * depth.powf(1.5) + 1.98 * (2.0 * C * depth.sqrt()).sqrt() * y[1],
        DRIVEN_OUT => C * depth.powf(1.5),
        _ => 0.0,
    };
    dy[0] = y[1];
    dy[1] = (-4.1 * y[1] - 210.125 * y[0] - push - 2.0 * (14.0 * t).sin()) / 2.0;
}

fn feedback() -> EventProblem {
    const OMEGA: f64 = 25.0;
    const ZETA: f64 = 0.05;
    let system = ClosureSystem::switched(["y1", "y2", "y3"], |_, y, relay, dy| {
        dy[0] = -(2.0 * ZETA * OMEGA + 1.0) * y[0] + y[1] - relay[0];
        dy[1] = -(2.0 * ZETA * OMEGA + OMEGA * OMEGA) * y[0] + y[2] + 2.0 * relay[0];
        dy[2] = -OMEGA * OMEGA * y[0] - relay[0];
    })
    .switch("relay", |_, y| y[0]);
    new(3, system, [0.0, 0.2, 0.06], 4.0 * PI).truth(expected(&THIRD), THIRD_END, Bounds::none())
}

/// The ground changes under both masses where their places are zero.
fn masses() -> EventProblem {
    let system = ClosureSystem::switched(["y1", "y2", "v1", "v2"], |_, y, signs, dy| {
        let first = if signs[0] > 0.0 { 1.0 } else { 0.6 };
        let second = if signs[1] > 0.0 { 0.2 } else { 0.5 };
        dy[0] = y[2];
        dy[1] = y[3];
        dy[2] = y[1] - y[0] - first * signs[2];
        dy[3] = y[0] - y[1] - second * signs[3];
    })
    .switch("y1", |_, y| y[0])
    .switch("y2", |_, y| y[1])
    .switch("v1", |_, y| y[2])
    .switch("v2", |_, y| y[3]);
    new(4, system, [-2.0, 3.0, 0.0, 0.0], 12.0).truth(expected(&FOURTH), FOURTH_END, Bounds::none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::simulate;

    /// Runs a problem whose field has been given a check.
    fn run(mut problem: EventProblem, system: ClosureSystem) {
        problem.system = Box::new(system);
        for method in [Method::Tsitouras5, Method::DormandPrince5, Method::DormandPrince8] {
            for tolerance in TOLERANCES {
                let mut options = problem.options.clone().tolerances(tolerance, tolerance);
                options.method = method;
                simulate(problem.system.as_ref(), &problem.start, &options).unwrap();
            }
        }
    }

    #[test]
    fn the_field_of_problem_1_is_only_used_on_its_own_side() {
        let checked = |t: f64, y: &[f64], signs: &[f64], dy: &mut [f64]| {
            curved_field(t, y, signs, dy);
            assert!(dy[1].is_finite(), "g = {:e} with the sign {}", curved_surface(y), signs[0]);
        };
        run(curved(), curved_system(checked));
    }

    #[test]
    fn the_field_of_problem_2_is_only_used_on_its_own_side() {
        let checked = |mode: usize, t: f64, y: &[f64], dy: &mut [f64]| {
            pounding_field(mode, t, y, dy);
            assert!(dy[1].is_finite(), "{:e} into the wall in mode {mode}", y[0] - WALL);
        };
        run(pounding(), pounding_system(checked));
    }
}
