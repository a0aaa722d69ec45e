//! A uniform rod on a pivot, in its angle and as a free body with two constraints (paper 000, section 3.5).
//!
//! Truth: closed form in elliptic functions, good to 1e-22 (`reference/seed000_pendulum.json`). Tables 3.1
//! and 3.2 state the largest less the smallest energy with methods of order 3, 5 and 8 and fixed steps. What
//! is printed has two digits, and is compared as such; what rounding makes is [`ROUNDING`]. The interval is
//! not printed; until 5 s Kutta's method of order 3 gives what table 3.1 has.

use super::{ConstrainedProblem, Promise};
use crate::formulation::Stabilisation;
use crate::step::Method;

pub(super) const STEPS: [f64; 4] = [0.05, 0.01, 0.005, 0.001];
pub(super) const ORDERS: [Method; 3] = [Method::Kutta3, Method::DormandPrince5, Method::DormandPrince8];

/// Tables 3.1 and 3.2, by steps and orders.
const ODE: [[f64; 3]; 4] = [
    [1.8e-1, 1.4e-4, 5.3e-11],
    [1.4e-3, 4.5e-8, 5.7e-14],
    [1.8e-4, 1.4e-9, 5.7e-14],
    [1.4e-6, 5.1e-13, 1.4e-13],
];
const DAE: [[f64; 3]; 4] = [
    [2.0e-1, 2.8e-4, 4.4e-8],
    [1.8e-3, 8.9e-8, 1.7e-13],
    [2.3e-4, 2.8e-9, 8.5e-14],
    [1.8e-6, 9.7e-13, 1.4e-13],
];

/// What rounding makes of an energy of 160 J.
const ROUNDING: f64 = 1e-12;

/// Angle and rate after 5 s.
const END: [f64; 2] = [0.373_894_218_666_271_9, 0.861_155_269_495_715_6];

pub(super) fn pendulum() -> Vec<ConstrainedProblem> {
    let ode =
        ConstrainedProblem::read("pendulum-ode", include_str!("pendulum-ode.toml"), &[]).ending(0, &END);
    let dae = ConstrainedProblem::read("pendulum-dae", include_str!("pendulum-dae.toml"), &[])
        .ending(2, &END[..1])
        .ending(5, &END[1..]);
    let mut all = Vec::new();
    for problem in [&ode, &dae] {
        for tolerance in [1e-6, 1e-8, 1e-10] {
            let promise =
                Promise { end: 10.0 * tolerance, position: 1e-12, velocity: 1e-12, ..Promise::NONE };
            all.push(problem.at(Method::Automatic, tolerance, tolerance).promising(promise));
        }
    }
    for method in [Method::HalfExplicit5, Method::PartitionedHalfExplicit5, Method::DormandPrince5] {
        for tolerance in [1e-6, 1e-8, 1e-10] {
            let promise =
                Promise { end: 10.0 * tolerance, position: 1e-12, velocity: 1e-12, ..Promise::NONE };
            all.push(dae.at(method, tolerance, tolerance).promising(promise));
        }
    }
    all.extend(table(&ode, "table 3.1", &ODE, ROUNDING));
    all.extend(table(&dae, "table 3.2", &DAE, ROUNDING));
    // As in the paper, with σ = 10.
    let sliding = table(&dae, "table 3.2", &DAE, ROUNDING).into_iter();
    all.extend(sliding.map(|row| row.stabilised(Stabilisation::SlidingMode)));
    all
}

/// Rows with fixed steps beside a table of changes of energy.
pub(super) fn table(
    problem: &ConstrainedProblem,
    name: &str,
    printed: &[[f64; 3]; 4],
    rounding: f64,
) -> Vec<ConstrainedProblem> {
    let mut all = Vec::new();
    for (h, row) in STEPS.into_iter().zip(printed) {
        for (method, &energy) in ORDERS.into_iter().zip(row) {
            let promise = Promise { energy: as_printed(energy).max(rounding), ..Promise::NONE };
            let remark = format!("h = {h}; {name}: energy {energy:e}");
            all.push(problem.fixed(method, h).promising(promise).saying(remark));
        }
    }
    all
}

/// The largest number that is printed in two digits as this one.
fn as_printed(printed: f64) -> f64 {
    printed + 0.05 * 10_f64.powf(printed.log10().floor())
}
