//! The family of planar mechanisms with contacts that stands in for the second set of paper 001 (table 2): stops,
//! strings, floors and walls, with restitution from 0 to 0.9 and some friction, drawn from seeds.
//!
//! How long each runs is chosen so that its end is known: hits magnify what is small.

use super::draw::Draw;
use super::hanging::{hang_chain, hang_link, hang_truss};
use super::linkage::{Linkage, Point};
use super::machines::press;
use super::planar::{Family, Made};
use super::{MechanismProblem, Set, loops};

const FAMILIES: [(Family, f64); 8] = [
    (Family { kind: "stopped-chain", count: 5, make: stopped_chain }, 1.0),
    (Family { kind: "stopped-bars", count: 6, make: stopped_bars }, 1.5),
    (Family { kind: "hammer", count: 4, make: hammer }, 1.0),
    (Family { kind: "chain-over-floor", count: 4, make: chain_over_floor }, 1.5),
    (Family { kind: "strings", count: 4, make: strings }, 1.2),
    (Family { kind: "thrown-rod", count: 2, make: thrown_rod }, 1.2),
    (Family { kind: "bumpers", count: 3, make: bumpers }, 1.5),
    (Family { kind: "stopped-truss", count: 2, make: stopped_truss }, 1.0),
];

pub(super) fn unilateral() -> Vec<MechanismProblem> {
    let all =
        FAMILIES.iter().flat_map(|(family, until)| (1..=family.count).map(move |n| (family, n, *until)));
    all.map(|(family, number, until)| problem(family, number, until)).collect()
}

fn problem(family: &Family, number: usize, until: f64) -> MechanismProblem {
    let made = (family.make)(&mut Draw::of(family.kind, number), number);
    let (name, counts) = (format!("{}-{number}", family.kind), made.linkage.counts());
    MechanismProblem::new(Set::Unilateral, name, Box::new(made.system), made.start, until).counted(counts)
}

/// Restitution: nothing is given back in one of four.
fn restitution(draw: &mut Draw) -> f64 {
    let given = draw.between(0.3, 0.9);
    if draw.below(4) == 0 { 0.0 } else { given }
}

/// Chains of 1, 2, 3, 4 and 6 links, each joint of which has two stops.
fn stopped_chain(draw: &mut Draw, number: usize) -> Made {
    let (mut linkage, links) = (Linkage::new(9.81), [1, 2, 3, 4, 6][number - 1]);
    hang_chain(draw, &mut linkage, links, None);
    for link in 0..links {
        let (room, given) = (draw.between(0.1, 0.25), restitution(draw));
        linkage.stop(link, link.checked_sub(1), room, given);
    }
    linkage.rub(draw.between(0.01, 0.03));
    let rate = draw.between(1.0, 3.0);
    Made::turning(linkage, draw, rate)
}

/// Closed chains of four, five and six bars, whose first bar swings between stops, driven by a torque.
fn stopped_bars(draw: &mut Draw, number: usize) -> Made {
    let Made { mut linkage, .. } = loops::bars(draw, [4, 4, 4, 5, 5, 6][number - 1]);
    let (room, given) = (draw.between(0.04, 0.12), restitution(draw));
    linkage.stop(0, None, room, given);
    let rate = draw.between(1.0, 3.0);
    Made::turning(linkage, draw, rate)
}

/// A press whose ram strikes an anvil.
fn hammer(draw: &mut Draw, number: usize) -> Made {
    let Made { mut linkage, .. } = press(draw, number);
    let (ram, room, given) = (linkage.bodies() - 1, draw.between(0.01, 0.04), restitution(draw));
    linkage.wall((ram, 0), [0.0, 1.0], room, (given, 0.0));
    let rate = draw.between(4.0, 8.0);
    Made::turning(linkage, draw, rate)
}

/// Chains of two to four links, whose end drags over a floor.
fn chain_over_floor(draw: &mut Draw, number: usize) -> Made {
    let (mut linkage, links) = (Linkage::new(9.81), [2, 2, 3, 4][number - 1]);
    hang_chain(draw, &mut linkage, links, None);
    let (room, given) = (draw.between(0.005, 0.02), restitution(draw));
    let friction = draw.between(0.1, 0.4);
    linkage.wall((links - 1, 1), [0.0, 1.0], room, (given, friction));
    linkage.rub(draw.between(0.01, 0.03));
    let rate = draw.between(1.0, 3.0);
    Made::turning(linkage, draw, rate)
}

/// A block on a string, two in a row, a bar on two strings, a block hung up by a corner.
fn strings(draw: &mut Draw, number: usize) -> Made {
    let mut linkage = Linkage::new(9.81);
    match number {
        1 => tie(draw, &mut linkage, 1),
        2 => tie(draw, &mut linkage, 2),
        3 => {
            let bar = linkage.link(&[[0.0, -0.6], [0.8, draw.between(-0.7, -0.5)]]);
            for point in 0..2 {
                let (room, given) = (draw.between(0.02, 0.1), restitution(draw));
                linkage.string((bar, point), None, (0.5, room), given);
            }
        }
        _ => {
            let block = linkage.block([0.1, -0.5], 1.0);
            let corner = linkage.add_point(block, [0.1, 0.1]);
            let (room, given) = (draw.between(0.02, 0.1), restitution(draw));
            linkage.string(corner, None, (0.4, room), given);
        }
    }
    let rate = draw.between(0.5, 1.5);
    Made::turning(linkage, draw, rate)
}

/// Blocks in a row, each on a string below the one before.
fn tie(draw: &mut Draw, linkage: &mut Linkage, blocks: usize) {
    let mut above: Option<Point> = None;
    for k in 0..blocks {
        let block = linkage.block([draw.within(0.2), -0.5 * (k + 1) as f64], draw.between(0.5, 2.0));
        let (room, given) = (draw.between(0.02, 0.1), restitution(draw));
        linkage.string((block, 0), above, (0.5, room), given);
        above = Some((block, 0));
    }
}

/// A rod that is thrown onto a rough floor.
fn thrown_rod(draw: &mut Draw, _: usize) -> Made {
    let (mut linkage, tilt) = (Linkage::new(9.81), draw.between(0.3, 0.8));
    let rod = linkage.link(&[[0.0, 0.2], [0.6 * tilt.cos(), 0.2 + 0.6 * tilt.sin()]]);
    let (given, friction) = (draw.between(0.3, 0.7), draw.between(0.0, 0.3));
    for end in 0..2 {
        let height = linkage.below((rod, end)).at[1];
        linkage.wall((rod, end), [0.0, 1.0], height, (given, friction));
    }
    let rate = draw.between(1.0, 3.0);
    Made::turning(linkage, draw, rate)
}

/// A trolley between two walls, with one, two or three links below it.
fn bumpers(draw: &mut Draw, number: usize) -> Made {
    let mut linkage = Linkage::new(9.81);
    let trolley = linkage.block([0.0, 0.0], 2.0);
    linkage.guide(trolley, 0.0);
    let mut from = (trolley, 0);
    for _ in 0..number {
        from = (hang_link(draw, &mut linkage, Some(from)), 1);
    }
    for side in [-1.0, 1.0] {
        let (room, given) = (draw.between(0.02, 0.06), restitution(draw));
        linkage.wall((trolley, 0), [side, 0.0], room, (given, 0.0));
    }
    let rate = draw.between(2.0, 4.0);
    Made::turning(linkage, draw, rate)
}

/// A truss of one or two bays that swings between two stops, with a link below it that has stops of its own.
fn stopped_truss(draw: &mut Draw, number: usize) -> Made {
    let mut linkage = Linkage::new(9.81);
    let (bar, foot) = hang_truss(draw, &mut linkage, number, None);
    let link = hang_link(draw, &mut linkage, Some(foot));
    let (room, given) = (draw.between(0.1, 0.3), restitution(draw));
    linkage.stop(bar, None, room, given);
    linkage.stop(link, None, draw.between(0.2, 0.5), restitution(draw));
    linkage.torque(bar, 0.0, draw.between(2.0, 6.0), draw.between(2.0, 4.0));
    let rate = draw.between(0.8, 1.5);
    Made::turning(linkage, draw, rate)
}
