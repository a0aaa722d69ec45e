//! A chain of links in the plane, hung up at one end, in the coordinates of the single links: three for each,
//! and two joints between neighbours.
//!
//! Links are rods of length and mass 1. The chain begins stretched out, at 30° from the vertical. Its
//! matrices have few entries, so that a step costs in proportion to the number of links.

use super::MeasuredMechanism;
use crate::equations::{ClosureSystem, Mechanism};
use crate::math::Jet;
use crate::simulate::{Keep, Options, Start, simulate};
use crate::step::Method;
use crate::trajectory::Joints;

const G: f64 = 9.81;
const HALF: f64 = 0.5;
const INERTIA: f64 = 1.0 / 12.0;

/// A chain with so many links, and its start.
pub fn chain(links: usize) -> (ClosureSystem, Start) {
    let coordinates = (0..links).flat_map(|i| ["x", "y", "angle"].map(|name| format!("{name}{i}")));
    let joints = (0..links).flat_map(|i| ["x", "y"].map(|name| format!("joint{i}.{name}")));
    let system = Mechanism::new(coordinates)
        .masses(|_, _, m| m.chunks_exact_mut(3).for_each(|link| link.copy_from_slice(&[1.0, 1.0, INERTIA])))
        .forces(|_, _, f| f.chunks_exact_mut(3).for_each(|link| link[1] = -G))
        .joints(joints, close)
        .gradient(&places(links), fill_gradient)
        .system();
    (system, Start::at(hung_up(links)))
}

/// Ten steps of a tenth of a millisecond of a chain: what it costs, and whether its joints stay shut.
pub fn measure_chain(links: usize) -> MeasuredMechanism {
    let (system, start) = chain(links);
    let steps = Options { method: Method::DormandPrince5, ..Options::until(1e-3) }.fixed_step(1e-4);
    let options = Options { keep: Keep::Ends, ..steps };
    let mut complaints = Vec::new();
    let run = simulate(&system, &start, &options).unwrap_or_else(|failure| {
        complaints.push(failure.error.to_string());
        failure.trajectory
    });
    let joints = Joints::of(&system, &options.upkeep(), &run);
    let position = joints.and_then(|joints| joints.position).map(|opening| opening.value);
    let velocity = joints.map(|joints| joints.velocity.value);
    // The last place is as large as the chain is long.
    let rounding = 1e-14 * links as f64;
    if ![position, velocity].into_iter().flatten().all(|drift| drift <= rounding) {
        complaints.push(format!("the drift is over {rounding:e}"));
    }
    let energy = Some((chain_energy(run.end_state()) - chain_energy(&start.y)).abs());
    let statistics = run.statistics;
    MeasuredMechanism {
        end_error: None,
        position,
        velocity,
        energy,
        statistics,
        complaints,
        remarks: Vec::new(),
    }
}

/// The energy of a chain.
pub fn chain_energy(y: &[f64]) -> f64 {
    let (q, v) = y.split_at(y.len() / 2);
    let heights: f64 = q.chunks_exact(3).map(|link| G * link[1]).sum();
    let motion = |v: &[f64]| 0.5 * (v[0] * v[0] + v[1] * v[1] + INERTIA * v[2] * v[2]);
    heights + v.chunks_exact(3).map(motion).sum::<f64>()
}

/// The near end of each link is where the far end of the one before is.
fn close(_t: Jet, q: &[Jet], g: &mut [Jet]) {
    let mut far = [Jet::constant(0.0); 2];
    for (link, g) in q.chunks_exact(3).zip(g.chunks_exact_mut(2)) {
        let (along, across) = (HALF * link[2].cos(), HALF * link[2].sin());
        g[0] = link[0] - along - far[0];
        g[1] = link[1] - across - far[1];
        far = [link[0] + along, link[1] + across];
    }
}

/// A joint pulls at the places of its link and of the one before.
fn places(links: usize) -> Vec<(usize, usize)> {
    let of_joint = |k: usize| {
        let (link, axis) = (k / 2, k % 2);
        let before = link.checked_sub(1).into_iter().flat_map(move |b| [3 * b + axis, 3 * b + 2]);
        before.chain([3 * link + axis, 3 * link + 2]).map(move |column| (k, column))
    };
    (0..2 * links).flat_map(of_joint).collect()
}

fn fill_gradient(_t: f64, q: &[f64], values: &mut [f64]) {
    let mut values = values.iter_mut();
    let mut put = |value: f64| {
        if let Some(place) = values.next() {
            *place = value;
        }
    };
    for (i, link) in q.chunks_exact(3).enumerate() {
        let turn = |angle: f64| [-HALF * angle.sin(), HALF * angle.cos()];
        for axis in 0..2 {
            if i > 0 {
                put(-1.0);
                put(-turn(q[3 * i - 1])[axis]);
            }
            put(1.0);
            put(-turn(link[2])[axis]);
        }
    }
}

fn hung_up(links: usize) -> Vec<f64> {
    let angle = -std::f64::consts::FRAC_PI_3;
    let link = |i: usize| {
        let far = i as f64 + HALF;
        [far * angle.cos(), far * angle.sin(), angle]
    };
    (0..links).flat_map(link).chain(std::iter::repeat_n(0.0, 3 * links)).collect()
}
