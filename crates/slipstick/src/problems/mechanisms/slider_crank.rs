//! The slider-crank of paper 001, section 3.4, with the constraint `l1 sin α1 + l2 sin α2 = 0`.
//!
//! The paper prints no data. Ours are those of Flores, Leine and Glocker (2010), without clearance. Truth:
//! the same motion in the angle of the crank alone, `½ I(α) α'² + U(α)` constant, so
//! `α'' = -(I' α'²/2 + U')/I`, with the derivatives of `I` and `U` from jets, at 1e-13.

use super::{Counts, MechanismProblem, Set};
use crate::equations::ClosureSystem;
use crate::math::Jet;
use crate::problems::constrained::{ConstrainedProblem, Known};
use crate::simulate::{Options, Start, simulate};
use crate::step::Method;

const L1: f64 = 0.153;
const L2: f64 = 0.306;
const M1: f64 = 0.038;
const M2: f64 = 0.038;
const M3: f64 = 0.076;
const J1: f64 = 7.4e-5;
const J2: f64 = 5.9e-4;
const G: f64 = 9.81;

pub(super) fn slider_crank() -> MechanismProblem {
    let read = ConstrainedProblem::read("paper-slider-crank", include_str!("slider-crank.toml"), &[]);
    let end = end(read.plan.options.until).into_iter().enumerate();
    let known = |(place, value): (usize, f64)| Known { place, value, size: value.abs().max(1.0) };
    let counts = Counts { freedoms: 1, joints: 1, redundant: 0 };
    MechanismProblem {
        set: Set::Classic,
        end: end.map(known).collect(),
        uncertainty: 1e-11,
        ..super::classic(read).counted(counts)
    }
}

/// Both angles and their rates at a time.
fn end(until: f64) -> [f64; 4] {
    let crank = ClosureSystem::new(["angle", "rate"], |_, y, dy| {
        let (inertia, potential, _) = reduced(y[0]);
        dy[0] = y[1];
        dy[1] = -(0.5 * inertia.first * y[1] * y[1] + potential.first) / inertia.value;
    });
    let options =
        Options { method: Method::DormandPrince8, ..Options::until(until).tolerances(1e-13, 1e-13) };
    let end = match simulate(&crank, &Start::at([0.0, 150.0]), &options) {
        Ok(run) => [run.end_state()[0], run.end_state()[1]],
        Err(_) => [f64::NAN; 2],
    };
    let (.., rod) = reduced(end[0]);
    [end[0], rod.value, end[1], rod.first * end[1]]
}

/// Inertia and potential as functions of the angle of the crank, and the angle of the rod, with derivatives
/// by it.
fn reduced(angle: f64) -> (Jet, Jet, Jet) {
    let crank = Jet { value: angle, first: 1.0, second: 0.0 };
    let sin = -(L1 / L2) * crank.sin();
    let cos = (1.0 - sin * sin).sqrt();
    // The angle of the rod, whose rate by that of the crank is its own derivative.
    let rate = -(L1 / L2) * crank.cos() / cos;
    let rod = Jet { value: sin.value.asin(), first: rate.value, second: rate.first };
    let across = L1 * crank.sin() + L2 * sin * rate;
    let inertia = J1
        + M1 * L1 * L1 / 4.0
        + M2 * (L1 * L1 + L1 * L2 * (crank - rod).cos() * rate + L2 * L2 / 4.0 * rate * rate)
        + J2 * rate * rate
        + M3 * across * across;
    let potential = G * (M1 * L1 / 2.0 * crank.sin() + M2 * (L1 * crank.sin() + L2 / 2.0 * sin));
    (inertia, potential, rod)
}
