//! Contacts that slide with more friction than their motion can have (Painlevé).
//!
//! A contact that slides in direction s has `a_N = b + p N` with `p = W_nn - μ s W_nt`. Where `p ≤ 0`, its own force pulls
//! its gap shut: for `b < 0` there are no forces, for `b > 0` it may as well slide as lift. Without forces the slip is
//! stopped by an impulse, an impact without collision: its direction is that of the critical friction
//! `μ_c = W_nn / (s W_nt)`, which is inside the cone. (Génot and Brogliato, *New results on Painlevé paradoxes*, 1999.)

use super::choices::{ContactChoice, force_bounds, forces};
use super::{ImpactResult, Relations, Wish};

/// The response of a gap to its own force, as a part of that without friction, below which a force is next to its pole.
const NEAR: f64 = 1e-3;

/// A contact that slides with more friction than its motion can have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jam {
    /// Friction while it slides.
    pub friction: f64,
    /// The friction from which on its forces pull its gap shut.
    pub critical: f64,
}

/// The contacts that slide with `p ≤ 0`, by their places.
pub fn jams(relations: &Relations, wishes: &[Wish]) -> Vec<(usize, Jam)> {
    let jam = |(i, wish): (usize, &Wish)| {
        let (_, friction) = relations.laws[i].friction?;
        let (nn, nt) = (relations.w(2 * i, 2 * i), wish.direction * relations.w(2 * i, 2 * i + 1));
        let is_jammed = wish.stays && nt > 0.0 && friction * nt >= nn;
        is_jammed.then_some((i, Jam { friction, critical: nn / nt }))
    };
    wishes.iter().enumerate().filter_map(jam).collect()
}

/// The friction of a contact alone that slides next to its critical friction, where its force has no bound.
pub fn near_jam(relations: &Relations, direction: f64) -> Option<f64> {
    let (_, friction) = relations.laws[0].friction?;
    let (nn, nt) = (relations.w(0, 0), direction * relations.w(0, 1));
    ((nn - friction * nt).abs() <= NEAR * nn).then_some(friction)
}

/// The impulses that stop the slip of jammed contacts and open none that stay; none if friction does not suffice.
pub fn stop_slip(relations: &Relations, wishes: &[Wish], jams: &[(usize, Jam)]) -> Option<ImpactResult> {
    if jams.is_empty() {
        return None;
    }
    let choices: Vec<ContactChoice> = wishes
        .iter()
        .enumerate()
        .map(|(i, wish)| match (relations.laws[i].friction, wish.direction) {
            _ if !wish.stays || !relations.has_gap(i) => ContactChoice::Free,
            (None, _) => ContactChoice::Closed,
            (Some(_), direction) if direction == 0.0 || jams.iter().any(|(jammed, _)| *jammed == i) => {
                ContactChoice::Sticks
            }
            (Some(_), direction) => ContactChoice::SlidesOn(direction),
        })
        .collect();
    let mut velocity = relations.velocity.clone();
    // Gaps that stay have no velocity.
    (0..relations.count()).filter(|&i| wishes[i].stays).for_each(|i| velocity[2 * i].value = 0.0);
    let impulses = forces(relations, &velocity, &choices)?;
    let bounds = force_bounds(relations, &relations.after(&velocity, &impulses), &impulses);
    let is_possible = |i: usize| {
        let most = relations.laws[i].friction.map_or(0.0, |(sticking, _)| sticking);
        let (n, t) = (impulses[2 * i], impulses[2 * i + 1]);
        let room = bounds[2 * i + 1] + most * bounds[2 * i];
        n >= -bounds[2 * i] && (choices[i] != ContactChoice::Sticks || t.abs() <= most * n + room)
    };
    (0..relations.count()).all(is_possible).then(|| ImpactResult::of_impulses(relations, impulses, 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{LawNumbers, Status};
    use crate::expr::Inexact;

    /// A uniform rod of mass 1 and half length 1 at an angle of 1.1, whose lower tip slides to the left.
    fn rod(friction: f64, slip: f64) -> (Relations, Wish) {
        let (s, c) = 1.1_f64.sin_cos();
        let exact = |value| Inexact { value, bound: 0.0 };
        let relations = Relations {
            response: vec![1.0 + 3.0 * c * c, -3.0 * s * c, -3.0 * s * c, 1.0 + 3.0 * s * s],
            velocity: vec![exact(0.0), exact(slip)],
            free: vec![exact(-9.81), exact(0.0)],
            laws: vec![LawNumbers { friction: Some((friction, friction)), ..LawNumbers::default() }],
        };
        let direction = slip.signum();
        let wish = Wish {
            status: Status::Slides(direction),
            stays: true,
            hits: false,
            lifts: false,
            slips: false,
            sticks: false,
            direction,
        };
        (relations, wish)
    }

    #[test]
    fn a_jammed_rod_is_stopped_by_an_impulse_inside_its_cone() {
        let (relations, wish) = rod(1.4, -2.0);
        let jammed = jams(&relations, &[wish]);
        let (s, c) = 1.1_f64.sin_cos();
        assert!((jammed[0].1.critical - (1.0 + 3.0 * c * c) / (3.0 * s * c)).abs() < 1e-14);
        let result = stop_slip(&relations, &[wish], &jammed).expect("it can be stopped");
        assert!((result.impulses[0] - 0.6063723).abs() < 1e-7, "{result:?}");
        assert!((result.impulses[1] - 0.8086242).abs() < 1e-7, "{result:?}");
        assert!(result.velocity.iter().all(|u| u.value.abs() < 1e-15));
    }

    #[test]
    fn a_rod_with_little_friction_or_the_other_slip_is_not_jammed() {
        for (friction, slip) in [(1.3, -2.0), (1.4, 2.0)] {
            let (relations, wish) = rod(friction, slip);
            assert_eq!(jams(&relations, &[wish]), []);
            assert_eq!(stop_slip(&relations, &[wish], &[]), None);
        }
    }
}
