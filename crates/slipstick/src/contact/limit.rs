//! The end of hits that accumulate: the impulses that take off what is left of the velocities of gaps.
//!
//! Hits go on up to their limit, and the motion rests from the last one that was found. The hits that are
//! left out have an impulse that differs from that of the rest by `-U⁺ / W`. Friction goes with it, as with
//! each of them: so the slip is right after the limit.

use super::choices::{ContactChoice, forces};
use super::{ImpactResult, Relations, Status, Unsolved, Wish};

/// Impulses by rows after which contacts that rest, and those that are closed already, have no velocity of their gaps.
/// Normal impulses are of either sign. Their friction can end a slip, but not turn it round. What stands behind the contacts
/// has no part in it.
pub fn end_hits(relations: &Relations, wishes: &[Wish], rests: &[bool]) -> Result<ImpactResult, Unsolved> {
    let mut choices: Vec<ContactChoice> = (0..wishes.len())
        .map(|i| match (relations.laws[i].friction, wishes[i].direction) {
            _ if !relations.has_gap(i) => ContactChoice::Free,
            _ if !rests[i] && wishes[i].status == Status::Open => ContactChoice::Free,
            (None, _) => ContactChoice::Closed,
            (Some(_), 0.0) => ContactChoice::Sticks,
            (Some(_), direction) => ContactChoice::SlidesOn(direction),
        })
        .collect();
    choices.resize(relations.count(), ContactChoice::Free);
    loop {
        let impulses = forces(relations, &relations.velocity, &choices).ok_or(Unsolved::Impact)?;
        let mut result = ImpactResult::of_impulses(relations, impulses, 0);
        if stop_turned(&mut choices, relations, &result) {
            continue;
        }
        for (i, choice) in choices.iter().enumerate().filter(|(_, choice)| **choice != ContactChoice::Free) {
            result.velocity[2 * i].value = 0.0;
            if *choice == ContactChoice::Sticks {
                result.velocity[2 * i + 1].value = 0.0;
                result.slides[i] = Some(0.0);
            }
        }
        return Ok(result);
    }
}

/// Lets contacts stick whose slip impulses have turned round. Gives whether there are any.
fn stop_turned(choices: &mut [ContactChoice], relations: &Relations, result: &ImpactResult) -> bool {
    let mut any = false;
    for (i, choice) in choices.iter_mut().enumerate() {
        let ContactChoice::SlidesOn(direction) = *choice else { continue };
        let (before, after) = (relations.velocity[2 * i + 1], result.velocity[2 * i + 1]);
        if direction * before.value > 0.0 && direction * after.value < -after.bound {
            (*choice, any) = (ContactChoice::Sticks, true);
        }
    }
    any
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::LawNumbers;
    use crate::expr::Inexact;

    #[test]
    fn friction_goes_with_what_is_left() {
        let exact = |value| Inexact { value, bound: 0.0 };
        let law = LawNumbers { friction: Some((0.5, 0.5)), ..LawNumbers::default() };
        let disc = Relations {
            response: vec![1.0, 0.0, 0.0, 3.0],
            velocity: vec![exact(0.2), exact(4.0)],
            free: vec![exact(0.0); 2],
            laws: vec![law],
        };
        let wish = Wish {
            status: Status::Open,
            stays: true,
            hits: false,
            lifts: false,
            slips: false,
            sticks: false,
            direction: 1.0,
        };
        let end_hits_of =
            |of: &Relations, wish: Wish, rests| end_hits(of, &[wish], &[rests]).map(|result| result.impulses);
        let end_hits = |wish: Wish, rests| end_hits_of(&disc, wish, rests);
        assert_eq!(end_hits(wish, true), Ok(vec![-0.2, 0.1]));
        let slow = Relations { velocity: vec![exact(-0.2), exact(-0.1)], ..disc.clone() };
        let turned = end_hits_of(&slow, Wish { direction: -1.0, ..wish }, true);
        assert_eq!(turned, Ok(vec![0.2, 0.1 / 3.0]), "friction would turn the slip round");
        let sticks = Wish { direction: 0.0, ..wish };
        assert_eq!(end_hits(sticks, false), Ok(vec![0.0, 0.0]));
    }
}
