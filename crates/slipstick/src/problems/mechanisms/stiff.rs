//! The stiff family, in place of the third set of paper 001: chains of links that hang together by stiff
//! springs, and the rotor of section 4.4 in the plane.
//!
//! In the chains every second joint is a spring instead of a pin, with some damping. The rotor has an
//! unbalanced disc on a soft shaft, whose end is carried by a bearing so stiff that it would swing at up to
//! 1e5 Hz; a torque takes it up through its critical speed.

use super::draw::Draw;
use super::force::Force;
use super::linkage::Linkage;
use super::{MechanismProblem, Set};
use std::f64::consts::PI;

pub(super) fn stiff() -> Vec<MechanismProblem> {
    let chains = [(2, 1e4), (4, 1e6), (6, 1e6), (4, 1e8), (8, 1e8), (4, 1e9)];
    let chains = chains.into_iter().enumerate().map(|(k, (links, stiffness))| chain(k + 1, links, stiffness));
    chains.chain([1e3, 1e4, 1e5].map(rotor)).collect()
}

fn problem(name: String, linkage: &Linkage, until: f64) -> MechanismProblem {
    let (system, start) = linkage.at_rest();
    MechanismProblem::new(Set::Stiff, name, Box::new(system), start, until).counted(linkage.counts())
}

/// Springs have a damping ratio of about this.
const RATIO: f64 = 0.1;

/// So many links; pins and springs in turn.
fn chain(number: usize, links: usize, stiffness: f64) -> MechanismProblem {
    let mut draw = Draw::of("spring-chain", number);
    let mut linkage = Linkage::new(9.81);
    let mut top = [0.0, 0.0];
    for k in 0..links {
        let (length, lean) = (draw.between(0.3, 0.5), draw.within(0.6));
        let foot = [top[0] + length * lean.sin(), top[1] - length * lean.cos()];
        let link = linkage.link(&[top, foot]);
        match k {
            0 => linkage.pivot((link, 0)),
            _ if k % 2 == 1 => {
                let ends = (linkage.place((k - 1, 1)), linkage.place((link, 0)));
                // The mass of a link is about 0.8, and half of it swings against the other's.
                let damping = 2.0 * RATIO * (0.2 * stiffness).sqrt();
                linkage.force(Force::Spring { ends, stiffness, damping, length: 0.0 });
            }
            _ => linkage.pin((k - 1, 1), (link, 0)),
        }
        top = foot;
    }
    linkage.rub(0.02);
    problem(format!("spring-chain-{number}"), &linkage, 1.0)
}

/// A rotor on a bearing of a frequency in hertz.
fn rotor(frequency: f64) -> MechanismProblem {
    const DISC: f64 = 2.0;
    const BEARING: f64 = 0.1;
    let mut linkage = Linkage::new(0.0);
    let disc = linkage.body([1e-3, 0.0, 0.0], DISC, 0.01);
    // The shaft goes through the disc beside its centre of mass.
    let hole = linkage.add_point(disc, [-1e-3, 0.0]);
    let shaft = linkage.block([0.0, 0.0], 0.2);
    let bearing = linkage.block([0.0, 0.0], BEARING);
    linkage.pin(hole, (shaft, 0));
    linkage.upright(shaft);
    linkage.upright(bearing);
    let held = |linkage: &mut Linkage, ends, mass: f64, frequency: f64, ratio: f64| {
        let rate = 2.0 * PI * frequency;
        let (stiffness, damping) = (mass * rate * rate, 2.0 * ratio * mass * rate);
        linkage.force(Force::Spring { ends, stiffness, damping, length: 0.0 });
    };
    let (on_shaft, on_bearing) = (linkage.place((shaft, 0)), linkage.place((bearing, 0)));
    held(&mut linkage, (on_shaft, on_bearing), DISC, 20.0, 0.05);
    let ground = linkage.below((bearing, 0));
    held(&mut linkage, (on_bearing, ground), BEARING, frequency, 0.01);
    linkage.torque(disc, 4.0, 0.0, 0.0);
    problem(format!("rotor-{frequency:e}"), &linkage, 0.5)
}
