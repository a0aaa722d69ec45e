//! Closed loops of links: chains of four to twelve bars, the ground being one of them, and the six-bar
//! linkages of Watt and Stephenson.
//!
//! A chain of n bars has n - 3 degrees of freedom. It hangs from two pivots, longer than they are apart, so
//! that it cannot be stretched out. Six bars with seven pins have one degree of freedom; links with three
//! points that share a pin make them Watt's, others Stephenson's.

use super::draw::Draw;
use super::linkage::Linkage;
use super::planar::{Family, Made};
use std::f64::consts::PI;

pub(super) const FAMILIES: [Family; 11] = [
    Family { kind: "four-bar", count: 5, make: |draw, _| bars(draw, 4) },
    Family { kind: "five-bar", count: 3, make: |draw, _| bars(draw, 5) },
    Family { kind: "six-bar", count: 3, make: |draw, _| bars(draw, 6) },
    Family { kind: "seven-bar", count: 3, make: |draw, _| bars(draw, 7) },
    Family { kind: "eight-bar", count: 3, make: |draw, _| bars(draw, 8) },
    Family { kind: "nine-bar", count: 3, make: |draw, _| bars(draw, 9) },
    Family { kind: "ten-bar", count: 3, make: |draw, _| bars(draw, 10) },
    Family { kind: "eleven-bar", count: 3, make: |draw, _| bars(draw, 11) },
    Family { kind: "twelve-bar", count: 3, make: |draw, _| bars(draw, 12) },
    Family { kind: "watt", count: 5, make: watt },
    Family { kind: "stephenson", count: 5, make: stephenson },
];

/// A chain on half an ellipse below its two pivots.
pub(super) fn bars(draw: &mut Draw, bars: usize) -> Made {
    let links = bars - 1;
    let (width, bulge) = (draw.between(0.6, 1.0), draw.between(0.0, 0.2));
    let depth = draw.between(0.25, 0.35) * links as f64;
    let points: Vec<[f64; 2]> = (0..=links)
        .map(|i| {
            let angle = PI * i as f64 / links as f64;
            let out = if i == 0 || i == links { 0.0 } else { 1.0 };
            let shape = [0.5 * width - (0.5 * width + out * bulge) * angle.cos(), -depth * angle.sin()];
            if out == 0.0 { shape } else { draw.near(shape, 0.05) }
        })
        .collect();
    let mut linkage = Linkage::new(9.81);
    let all: Vec<usize> = points.windows(2).map(|ends| linkage.link(ends)).collect();
    linkage.pivot((all[0], 0));
    all.windows(2).for_each(|pair| linkage.pin((pair[0], 1), (pair[1], 0)));
    linkage.pivot((all[links - 1], 1));
    finish(draw, linkage, all[0])
}

/// The points A and D of the ground, B and C of the coupler.
fn four_points(draw: &mut Draw) -> [[f64; 2]; 4] {
    [[0.0, 0.0], [0.05, 0.4], [0.9, 0.65], [1.0, 0.0]].map(|point| draw.near(point, 0.05))
}

/// Odd ones are Watt's first kind, on the coupler and the rocker; even ones the second, on the rocker and the
/// ground.
fn watt(draw: &mut Draw, number: usize) -> Made {
    let [a, b, c, d] = four_points(draw);
    let mut linkage = Linkage::new(9.81);
    let crank = linkage.link(&[a, b]);
    if number % 2 == 1 {
        let [e, f, g] = [[0.4, 1.0], [1.3, 0.95], [0.85, 1.4]].map(|point| draw.near(point, 0.05));
        let (coupler, rocker) = (linkage.link(&[b, c, e]), linkage.link(&[c, d, f]));
        loop_of(&mut linkage, [crank, coupler, rocker]);
        dyad(&mut linkage, ((coupler, 2), [e, g]), ((rocker, 2), [f, g]));
    } else {
        let [e, f, g] = [[1.25, 0.55], [1.95, 0.6], [2.1, 0.1]].map(|point| draw.near(point, 0.05));
        let (coupler, rocker) = (linkage.link(&[b, c]), linkage.link(&[c, d, e]));
        loop_of(&mut linkage, [crank, coupler, rocker]);
        let (rod, second) = (linkage.link(&[e, f]), linkage.link(&[f, g]));
        linkage.pin((rocker, 2), (rod, 0));
        linkage.pin((rod, 1), (second, 0));
        linkage.pivot((second, 1));
    }
    finish(draw, linkage, crank)
}

/// Odd ones are Stephenson's third kind, on the coupler and the ground; even ones the first, on the crank and
/// the rocker.
fn stephenson(draw: &mut Draw, number: usize) -> Made {
    let [a, b, c, d] = four_points(draw);
    let mut linkage = Linkage::new(9.81);
    if number % 2 == 1 {
        let [e, f, g] = [[0.45, 0.95], [1.2, 1.1], [1.5, 0.2]].map(|point| draw.near(point, 0.05));
        let (crank, coupler) = (linkage.link(&[a, b]), linkage.link(&[b, c, e]));
        let rocker = linkage.link(&[c, d]);
        loop_of(&mut linkage, [crank, coupler, rocker]);
        let (rod, second) = (linkage.link(&[e, f]), linkage.link(&[f, g]));
        linkage.pin((coupler, 2), (rod, 0));
        linkage.pin((rod, 1), (second, 0));
        linkage.pivot((second, 1));
    } else {
        let [e, f, h] = [[-0.25, 0.45], [1.3, 0.6], [0.5, 1.15]].map(|point| draw.near(point, 0.05));
        let (crank, coupler) = (linkage.link(&[a, b, e]), linkage.link(&[b, c]));
        let rocker = linkage.link(&[c, d, f]);
        loop_of(&mut linkage, [crank, coupler, rocker]);
        dyad(&mut linkage, ((crank, 2), [e, h]), ((rocker, 2), [f, h]));
    }
    finish(draw, linkage, 0)
}

/// Pivot, crank, coupler, rocker, pivot.
fn loop_of(linkage: &mut Linkage, [crank, coupler, rocker]: [usize; 3]) {
    linkage.pivot((crank, 0));
    linkage.pin((crank, 1), (coupler, 0));
    linkage.pin((coupler, 1), (rocker, 0));
    linkage.pivot((rocker, 1));
}

type Arm = ((usize, usize), [[f64; 2]; 2]);

/// Two rods that meet, each on a point of the linkage.
fn dyad(linkage: &mut Linkage, (first, ends): Arm, (second, other_ends): Arm) {
    let (rod, other) = (linkage.link(&ends), linkage.link(&other_ends));
    linkage.pin(first, (rod, 0));
    linkage.pin(second, (other, 0));
    linkage.pin((rod, 1), (other, 1));
}

/// Some friction, a torque that swings about the crank, and a start in motion.
fn finish(draw: &mut Draw, mut linkage: Linkage, crank: usize) -> Made {
    linkage.rub(draw.between(0.01, 0.04));
    linkage.torque(crank, 0.0, draw.between(0.5, 2.0), draw.between(2.0, 5.0));
    let rate = draw.between(1.0, 3.0);
    Made::turning(linkage, draw, rate)
}
