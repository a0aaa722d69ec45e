//! What hangs: trusses with members that follow from the others, plates on more parallel cranks than they
//! need, and pendulums of many links.
//!
//! A bay of a truss has four sides and both diagonals, one more than it needs, and so one row too many for
//! each bay. A truss swings as one body about its only pivot. Of m parallel cranks that carry a plate, m - 2
//! follow from the others.

use super::draw::Draw;
use super::linkage::{Linkage, Point};
use super::planar::{Family, Made};

pub(super) const FAMILIES: [Family; 2] =
    [Family { kind: "truss", count: 9, make: truss }, Family { kind: "pendulum", count: 8, make: pendulum }];

fn truss(draw: &mut Draw, number: usize) -> Made {
    let mut linkage = Linkage::new(9.81);
    match number {
        1..=4 => {
            let (bar, _) = hang_truss(draw, &mut linkage, number, None);
            linkage.torque(bar, 0.0, draw.between(2.0, 6.0), draw.between(2.0, 4.0));
        }
        5 | 6 => {
            let (_, foot) = hang_truss(draw, &mut linkage, number - 4, None);
            hang_truss(draw, &mut linkage, 1, Some(foot));
        }
        _ => parallel_cranks(draw, &mut linkage, number - 4),
    }
    let rate = draw.between(0.8, 1.5);
    Made::turning(linkage, draw, rate)
}

/// Bays below each other. They hang from the ground, or from a point of another truss, at the corner of the
/// first. Gives the first bar and the last corner.
pub(super) fn hang_truss(
    draw: &mut Draw,
    linkage: &mut Linkage,
    bays: usize,
    from: Option<Point>,
) -> (usize, Point) {
    let (width, height) = (draw.between(0.3, 0.5), draw.between(0.4, 0.6));
    let top = from.map_or([0.0, 0.0], |point| linkage.below(point).at);
    let lean = draw.within(0.3);
    let node = |row: usize, side: usize| {
        let (across, down) = (width * side as f64, -height * row as f64);
        let (sin, cos) = lean.sin_cos();
        [top[0] + across * cos - down * sin, top[1] + across * sin + down * cos]
    };
    let mut known: Vec<((usize, usize), Point)> = Vec::new();
    let mut bar = |linkage: &mut Linkage, ends: [(usize, usize); 2], is_spare: bool| {
        let body = linkage.link(&ends.map(|(row, side)| node(row, side)));
        for (place, end) in ends.into_iter().enumerate() {
            match known.iter().find(|(at, _)| *at == end) {
                Some((_, first)) if is_spare && place == 1 => linkage.pin_spare(*first, (body, 1)),
                Some((_, first)) => linkage.pin(*first, (body, place)),
                None => known.push((end, (body, place))),
            }
        }
        body
    };
    let first = bar(linkage, [(0, 0), (0, 1)], false);
    let mut last = (first, 1);
    for row in 0..bays {
        let below = row + 1;
        bar(linkage, [(row, 0), (below, 0)], false);
        bar(linkage, [(row, 1), (below, 1)], false);
        last = (bar(linkage, [(below, 0), (below, 1)], false), 1);
        bar(linkage, [(row, 0), (below, 1)], false);
        bar(linkage, [(row, 1), (below, 0)], true);
    }
    match from {
        None => linkage.pivot((first, 0)),
        Some(point) => linkage.pin(point, (first, 0)),
    }
    (first, last)
}

/// A plate under so many cranks. Two would do.
fn parallel_cranks(draw: &mut Draw, linkage: &mut Linkage, cranks: usize) {
    let (length, lean) = (draw.between(0.4, 0.7), draw.within(0.5));
    let arm = [length * lean.sin(), -length * lean.cos()];
    let pivots: Vec<[f64; 2]> = (0..cranks).map(|k| [0.4 * k as f64, draw.within(0.1)]).collect();
    let feet: Vec<[f64; 2]> = pivots.iter().map(|p| [p[0] + arm[0], p[1] + arm[1]]).collect();
    let plate = linkage.link(&feet);
    for (k, (top, foot)) in pivots.iter().zip(&feet).enumerate() {
        let crank = linkage.link(&[*top, *foot]);
        linkage.pivot((crank, 0));
        match k {
            0 | 1 => linkage.pin((plate, k), (crank, 1)),
            _ => linkage.pin_spare((plate, k), (crank, 1)),
        }
    }
    linkage.rub(draw.between(0.005, 0.02));
}

/// Chains of 2, 3, 5, 8, 12 and 19 links, a trolley with three links, and a tree of eleven.
fn pendulum(draw: &mut Draw, number: usize) -> Made {
    let mut linkage = Linkage::new(9.81);
    match number {
        1..=6 => hang_chain(draw, &mut linkage, [2, 3, 5, 8, 12, 19][number - 1], None),
        7 => {
            let trolley = linkage.block([0.0, 0.0], 2.0);
            linkage.guide(trolley, 0.0);
            let (place, wall) = (linkage.place((trolley, 0)), linkage.below((trolley, 0)));
            let spring = super::force::Force::Spring {
                ends: (place, wall),
                stiffness: 50.0,
                damping: 0.0,
                length: 0.0,
            };
            linkage.force(spring);
            hang_chain(draw, &mut linkage, 3, Some((trolley, 0)));
        }
        _ => hang_tree(draw, &mut linkage, 11),
    }
    linkage.rub(draw.between(0.01, 0.03));
    let rate = draw.between(0.5, 1.5);
    Made::turning(linkage, draw, rate)
}

pub(super) fn hang_chain(draw: &mut Draw, linkage: &mut Linkage, links: usize, from: Option<Point>) {
    let mut from = from;
    for _ in 0..links {
        from = Some((hang_link(draw, linkage, from), 1));
    }
}

fn hang_tree(draw: &mut Draw, linkage: &mut Linkage, links: usize) {
    for k in 0..links {
        let from = (k > 0).then(|| (draw.below(k), 1));
        hang_link(draw, linkage, from);
    }
}

/// A link, not far from upright below the point that it hangs from.
pub(super) fn hang_link(draw: &mut Draw, linkage: &mut Linkage, from: Option<Point>) -> usize {
    let top = from.map_or([0.0, 0.0], |point| linkage.below(point).at);
    let (length, lean) = (draw.between(0.3, 0.6), draw.within(0.5));
    let link = linkage.link(&[top, [top[0] + length * lean.sin(), top[1] - length * lean.cos()]]);
    match from {
        None => linkage.pivot((link, 0)),
        Some(point) => linkage.pin(point, (link, 0)),
    }
    link
}
