//! The family of planar mechanisms that stands in for the first set of paper 001 (table 2): 1 to 19 degrees
//! of freedom, 2 to 38 joints, drawn from seeds.

use super::draw::Draw;
use super::linkage::Linkage;
use super::{MechanismProblem, Set, hanging, loops, machines};
use crate::equations::ClosureSystem;
use crate::simulate::Start;

/// Mechanisms of one kind.
pub(super) struct Family {
    pub(super) kind: &'static str,
    pub(super) count: usize,
    /// Makes the one with a number, from one on.
    pub(super) make: fn(&mut Draw, usize) -> Made,
}

/// A mechanism and its start.
pub(super) struct Made {
    pub(super) linkage: Linkage,
    pub(super) system: ClosureSystem,
    pub(super) start: Start,
}

impl Made {
    /// With a start in which the fastest body turns at the given rate.
    pub(super) fn turning(linkage: Linkage, draw: &mut Draw, rate: f64) -> Self {
        let (system, start) = linkage.turning(draw, rate);
        Self { linkage, system, start }
    }
}

/// All of them run for so long.
const UNTIL: f64 = 2.0;

pub(super) fn planar() -> Vec<MechanismProblem> {
    let families = loops::FAMILIES.iter().chain(&machines::FAMILIES).chain(&hanging::FAMILIES);
    families.flat_map(|family| (1..=family.count).map(|number| problem(family, number))).collect()
}

fn problem(family: &Family, number: usize) -> MechanismProblem {
    let made = (family.make)(&mut Draw::of(family.kind, number), number);
    let (name, counts) = (format!("{}-{number}", family.kind), made.linkage.counts());
    let mut problem =
        MechanismProblem::new(Set::Planar, name, Box::new(made.system), made.start, UNTIL).counted(counts);
    if counts.redundant > 0 {
        problem.relieved = Some(Box::new(made.linkage.relieved().system()));
    }
    problem
}
