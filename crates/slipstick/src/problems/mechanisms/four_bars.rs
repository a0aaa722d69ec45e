//! Rows of N four-bars (`IFToMM` A02): N + 1 cranks and N couplers of length and mass one, singular whenever
//! the cranks are horizontal.
//!
//! Every body has its own three coordinates, so that large rows have matrices with few entries. Truth: all
//! cranks turn alike, `θ'' = K sin θ` from the vertical, with `K = g ((N + 1)/2 + N)/((N + 1)/3 + N)`, at
//! 1e-13; for N = 2 it is that of `reference/iftomm_a02_nfourbar_N2.json`.

use super::linkage::Linkage;
use super::{MechanismProblem, Set};
use crate::equations::ClosureSystem;
use crate::problems::constrained::Known;
use crate::simulate::{Options, Start, simulate};
use crate::step::Method;

const G: f64 = 9.81;
/// One turn, and through the singular position twice.
const UNTIL: f64 = 2.0;

pub(super) fn four_bars() -> Vec<MechanismProblem> {
    [2, 10, 40, 100].map(row_of).into()
}

fn row_of(count: usize) -> MechanismProblem {
    let mut linkage = Linkage::new(G);
    let crank = |i: usize| [[i as f64, 0.0], [i as f64, 1.0]];
    let mut last = linkage.link(&crank(0));
    linkage.pivot((last, 0));
    for i in 1..=count {
        let coupler = linkage.link(&[[i as f64 - 1.0, 1.0], [i as f64, 1.0]]);
        linkage.pin((last, 1), (coupler, 0));
        last = linkage.link(&crank(i));
        linkage.pin((coupler, 1), (last, 1));
        linkage.pivot((last, 0));
    }
    let (system, mut start) = linkage.at_rest();
    start.y = states(count, 0.0, 1.0);
    let name = format!("four-bars-{count}");
    let problem = MechanismProblem::new(Set::FourBars, name, Box::new(system), start, UNTIL);
    let [angle, rate] = swung(count);
    let known = |(place, value): (usize, f64)| Known { place, value, size: value.abs().max(1.0) };
    let end = states(count, angle, rate).into_iter().enumerate().map(known).collect();
    MechanismProblem { end, uncertainty: 1e-11, ..problem }.counted(linkage.counts())
}

/// The angle of the cranks from the vertical, and its rate, at the end.
fn swung(count: usize) -> [f64; 2] {
    let n = count as f64;
    let factor = G * (0.5 * (n + 1.0) + n) / ((n + 1.0) / 3.0 + n);
    let system =
        ClosureSystem::new(["angle", "rate"], move |_, y, dy| (dy[0], dy[1]) = (y[1], factor * y[0].sin()));
    let options =
        Options { method: Method::DormandPrince8, ..Options::until(UNTIL).tolerances(1e-13, 1e-13) };
    match simulate(&system, &Start::at([0.0, 1.0]), &options) {
        Ok(run) => [run.end_state()[0], run.end_state()[1]],
        Err(_) => [f64::NAN; 2],
    }
}

/// All coordinates and their rates: crank, coupler, crank, …
fn states(count: usize, angle: f64, rate: f64) -> Vec<f64> {
    let (sin, cos) = angle.sin_cos();
    let (mut q, mut v) = (Vec::new(), Vec::new());
    for i in 0..=count {
        let x = i as f64;
        if i > 0 {
            q.extend([x - 0.5 + sin, cos, 0.0]);
            v.extend([cos * rate, -sin * rate, 0.0]);
        }
        q.extend([x + 0.5 * sin, 0.5 * cos, std::f64::consts::FRAC_PI_2 - angle]);
        v.extend([0.5 * cos * rate, -0.5 * sin * rate, -rate]);
    }
    [q, v].concat()
}
