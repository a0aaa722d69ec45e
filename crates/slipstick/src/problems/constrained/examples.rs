//! Examples 2.3 (index 2 and 3) and 3.1 of paper 003: small equations on which stabilisations differ.
//!
//! In example 2.3 the forces of the constraint point nearly along it, more so the larger `nu` is, and the
//! equations are stiff; truth: both unknowns are `exp(t)`. In example 3.1 the truth is `z = t³`: the drift of
//! Heun's method without stabilisation is `t h²/2`, and corrections leave none.

use super::{ConstrainedProblem, Promise};
use crate::formulation::{Metric, Stabilisation};
use crate::step::Method;
use std::f64::consts::E;

pub(super) fn examples() -> Vec<ConstrainedProblem> {
    let read = |name, text| ConstrainedProblem::read(name, text, &[]);
    let index_2 = read("example-2.3-index-2", include_str!("example-2.3-index-2.toml")).ending(2, &[E, E]);
    let index_3 = read("example-2.3-index-3", include_str!("example-2.3-index-3.toml")).ending(0, &[E; 4]);
    let mut all = Vec::new();
    for problem in [&index_2, &index_3] {
        all.extend(corrections(problem));
        all.extend(terms(problem));
    }
    all.extend(example_3_1());
    all
}

/// Corrections the shortest way; those along the forces, which are a thousand times as long, suit steps that
/// follow the fastest decay.
fn corrections(problem: &ConstrainedProblem) -> Vec<ConstrainedProblem> {
    let mut all = Vec::new();
    for tolerance in [1e-5, 1e-7] {
        let at = |method| problem.at(method, tolerance, tolerance / 10.0);
        let promise = Promise { end: 10.0 * tolerance, position: 1e-13, velocity: 1e-13, ..Promise::NONE };
        for method in [Method::Automatic, Method::DormandPrince5, Method::Radau5] {
            all.push(at(method).measured_by(Metric::Identity).promising(promise));
        }
        all.push(at(Method::DormandPrince5).promising(promise));
        let shut = Promise { position: 1e-13, velocity: 1e-13, ..Promise::NONE };
        all.push(at(Method::Radau5).promising(shut).saying("corrections along the forces steer the motion"));
    }
    all
}

/// Terms in the equations, critically damped with γ = 100.
fn terms(problem: &ConstrainedProblem) -> Vec<ConstrainedProblem> {
    let (rate, position) = (200.0, 1e4);
    let row = problem.at(Method::Radau5, 1e-7, 1e-8);
    let promise = Promise { end: 1e-6, position: 1e-6, ..Promise::NONE };
    let along = [
        Stabilisation::Normal { rate, position },
        Stabilisation::Gradient { rate, position },
        Stabilisation::Reduced { decay: 100.0, rate: 100.0 },
    ];
    let mut all: Vec<_> =
        along.map(|terms| row.clone().stabilised(terms).promising(promise).saying("γ = 100")).into();
    all.push(row.stabilised(Stabilisation::Baumgarte { rate, position }).saying("γ = 100"));
    all
}

fn example_3_1() -> Vec<ConstrainedProblem> {
    let problem = ConstrainedProblem::read("example-3.1", include_str!("example-3.1.toml"), &[]);
    let row = problem.ending(1, &[1000.0]).fixed(Method::Heun2, 0.01);
    let shut = Promise { end: 1e-13, velocity: 1e-11, ..Promise::NONE };
    // 10 h² / 2, and rounding.
    let open = Promise { velocity: 5.01e-4, ..Promise::NONE };
    let baumgarte = Stabilisation::Baumgarte { rate: 100.0, position: 0.0 };
    vec![
        row.clone().promising(shut),
        row.clone().stabilised(Stabilisation::Speeds).promising(shut),
        row.clone().stabilised(Stabilisation::None).promising(open).saying("drift t h²/2 in closed form"),
        row.stabilised(baumgarte).saying("γ = 1/h"),
    ]
}
