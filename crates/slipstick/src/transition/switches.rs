//! Switches, counts and surfaces slid on: what fires changes the signs and whole numbers that formulas are
//! locked to (rules 11 and 20).

use super::rule::{Impossible, Rule, Tools, Transition};
use crate::equations::{Guard, GuardKind};
use crate::formulation::{Sliding, Surface};
use crate::model::Direction;
use crate::watch::SideState;

/// Switches take the sign of the side that they go to, counts go up or down.
#[derive(Clone, Copy, Debug, Default)]
pub struct Switches;

/// The motion leaves surfaces to the sides that its exits tell; the others are slid on as before.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exits;

/// The sign of the surface of a guard on the side where its comparison is true.
pub fn orientation(guard: &Guard) -> f64 {
    if guard.direction == Direction::Falling { -1.0 } else { 1.0 }
}

/// Whether a guard has a surface that is to be watched.
pub fn is_searched(guard: &Guard) -> bool {
    guard.kind == GuardKind::Surface
}

impl Rule for Switches {
    fn apply(&mut self, tools: &mut Tools<'_, '_>, transition: &mut Transition) -> Result<(), Impossible> {
        let guards = tools.flow.system().guards();
        for &g in &transition.firing.guards {
            let guard = &guards[g];
            if let Some(switch) = guard.response.switch {
                let sign = &mut tools.flow.mode.values.signs[switch];
                *sign = sign_after(guard, tools.watch.side(g), *sign);
            }
            if let Some(count) = guard.response.count {
                // Where a transition has put it far beyond, it has passed several whole numbers.
                let crosses = !is_searched(guard) || tools.watch.side(g).is_inside();
                let by = if crosses {
                    1.0
                } else {
                    tools.flow.guards().value(g, transition.t, &transition.after).abs().ceil().max(1.0)
                };
                tools.flow.mode.values.counts[count.index] += if count.up { by } else { -by };
            }
        }
        Ok(())
    }
}

/// The sign of a switch whose guard has fired and is on this side now.
fn sign_after(guard: &Guard, side: SideState, sign: f64) -> f64 {
    match (guard.kind, side) {
        (GuardKind::Scheduled { rising: true }, _) => 1.0,
        (GuardKind::Scheduled { rising: false }, _) => -1.0,
        // Put outside its band by a transition, it is on the side that it was put to.
        (_, SideState::Plus) => orientation(guard),
        (_, SideState::Minus) => -orientation(guard),
        _ => -sign,
    }
}

impl Rule for Exits {
    fn apply(&mut self, tools: &mut Tools<'_, '_>, transition: &mut Transition) -> Result<(), Impossible> {
        if transition.firing.exits.is_empty() {
            return Ok(());
        }
        let flow = &mut *tools.flow;
        let Some(sliding) = flow.sliding() else { return Ok(()) };
        for (surface, side) in surfaces_left(sliding, &transition.firing.exits) {
            surface.lock(&mut flow.mode, side);
            flow.mode.structure.sliding.retain(|&g| g != surface.guard);
        }
        Ok(())
    }
}

/// The surfaces that exits lead away from, and those that are slid on with them, each with the sign of the
/// side that the motion goes to. Where surfaces depend on each other there are none: an exit only says that
/// not all of them can be kept.
pub fn surfaces_left(sliding: &Sliding, exits: &[(usize, f64)]) -> Vec<(Surface, f64)> {
    let mut left = Vec::new();
    for &(i, side) in exits.iter().filter(|_| !sliding.combination.is_dependent()) {
        left.push((sliding.set.surfaces()[i], side));
        let followers = sliding.set.followers().iter().filter(|follower| follower.leader == i);
        left.extend(followers.map(|follower| (follower.surface, follower.orientation * side)));
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_switch_goes_to_the_side_that_it_was_put_to_or_to_the_other() {
        let falls = Guard::new("falls", Direction::Falling);
        assert_eq!(sign_after(&falls, SideState::Fired, 1.0), -1.0);
        assert_eq!(sign_after(&falls, SideState::Plus, -1.0), -1.0, "true where it is negative");
        assert_eq!(sign_after(&falls, SideState::Minus, 1.0), 1.0);
        let kind = GuardKind::Scheduled { rising: true };
        let clock = Guard { kind, ..Guard::new("clock", Direction::Both) };
        assert_eq!(sign_after(&clock, SideState::Unknown, 1.0), 1.0);
    }
}
