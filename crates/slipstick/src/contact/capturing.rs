//! Contacts over a step of time stepping (Moreau 1988, Jean 1999): impulses take the place of forces and
//! impacts alike.
//!
//! `v⁺ = v + P (h f + Gᵀ p)`. An active contact takes part while its gap does not grow by more than forces
//! can take back within the step: `0 ≤ U⁺ + e U ⟂ p ≥ 0`, with friction in the same problem, and `e = 0` where
//! it is not hit. The others stay out. So the impulses do the work `½ Σ p (U⁺ + U)`, which is not positive for
//! contacts that are hit. What still approaches after that is an impact at the end of the step.

use super::choices::{Combination, ContactChoice, any_solution};
use super::groups::groups;
use super::impact::{choices_if_closed, exact_rows};
use super::{ImpactResult, LawNumbers, Relations, resolve_impact};
use crate::expr::Inexact;
use crate::model::ImpactLaw;

/// Work of impulses that is positive by less than this part of its terms is rounding.
const ROUNDED_GAIN: f64 = 1e-9;
/// Sweeps over contacts whose problem has no exact solution: what is left is small beside the error of a step
/// long before.
const SWEEPS: usize = 200;

/// What a step comes to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimeStep {
    /// Impulses over the step, by rows.
    pub impulses: Vec<f64>,
    /// Those of impacts at its end.
    pub impacts: Vec<f64>,
    /// The work of these, where surfaces do not move: that of friction and impacts.
    pub energy: f64,
    /// That work, if it is positive by more than rounding.
    pub gain: f64,
    /// The contacts whose gap stays.
    pub stays: Vec<bool>,
    /// How many contacts were hit: they approached faster than forces make them within a step.
    pub hits: usize,
}

/// Impulses of active contacts over a step of this length.
pub fn time_step(relations: &Relations, h: f64) -> TimeStep {
    let count = relations.count();
    let mut all = TimeStep {
        impulses: vec![0.0; 2 * count],
        impacts: vec![0.0; 2 * count],
        stays: vec![false; count],
        ..TimeStep::default()
    };
    for group in groups(relations) {
        let step = StepOfGroup::new(relations.only(&group), h).solve();
        for (k, &i) in group.iter().enumerate() {
            all.impulses[2 * i..2 * i + 2].copy_from_slice(&step.impulses[2 * k..2 * k + 2]);
            all.impacts[2 * i..2 * i + 2].copy_from_slice(&step.impacts[2 * k..2 * k + 2]);
            all.stays[i] = step.stays[k];
        }
        all.energy += step.energy;
        all.gain += step.gain;
        all.hits += step.hits;
    }
    all
}

/// The impulses, in metres times mass, that bring gaps below zero back to it and let none of the others
/// become less: `0 ≤ g + W p ⟂ p ≥ 0`. The gaps stand in the place of velocities.
pub fn separate(gaps: &Relations) -> Vec<f64> {
    let mut impulses = vec![0.0; 2 * gaps.count()];
    for group in groups(gaps) {
        let own = gaps.only(&group);
        let choices = vec![vec![ContactChoice::Closed, ContactChoice::Free]; group.len()];
        let found = any_solution(&own, &own.velocity, &choices);
        let found = found.unwrap_or_else(|| relaxed(&own, &own.velocity, &choices));
        for (k, &i) in group.iter().enumerate() {
            impulses[2 * i] = found.p[2 * k];
        }
    }
    impulses
}

/// Impulses that nearly meet the laws, where no exact ones were found: restitution of redundant contacts can
/// contradict itself, and next to redundancy rounding does. By sweeps of Gauss and Seidel.
fn relaxed(relations: &Relations, wanted: &[Inexact], choices: &[Vec<ContactChoice>]) -> Combination {
    let mut p = vec![0.0; wanted.len()];
    let left = |p: &[f64], row: usize| {
        wanted[row].value + p.iter().enumerate().map(|(j, p)| relations.w(row, j) * p).sum::<f64>()
    };
    let closed: Vec<usize> =
        (0..relations.count()).filter(|&i| choices[i] != [ContactChoice::Free]).collect();
    for _ in 0..SWEEPS {
        for &i in &closed {
            let (n, t) = (2 * i, 2 * i + 1);
            p[n] = stepped(p[n], left(&p, n), relations.w(n, n)).max(0.0);
            if let Some((sticking, sliding)) = relations.laws[i].friction {
                let holds = stepped(p[t], left(&p, t), relations.w(t, t));
                let slides = holds.abs() > sticking * p[n];
                p[t] = if slides { (sliding * p[n]).copysign(holds) } else { holds };
            }
        }
    }
    let chosen = |i: usize| if p[2 * i] > 0.0 { ContactChoice::Closed } else { ContactChoice::Free };
    let choices = (0..relations.count()).map(chosen).collect();
    Combination { choices, rows: relations.after(wanted, &p), p }
}

/// An impulse that takes a velocity off.
fn stepped(p: f64, left: f64, own: f64) -> f64 {
    if own > 0.0 { p - left / own } else { p }
}

/// Contacts that feel each other, over a step.
struct StepOfGroup {
    /// With an impact law that is defined for any number of them.
    relations: Relations,
    h: f64,
    /// For each row, the velocity that forces can give within the step: the largest of all, by energy. A gap
    /// that approaches by less is not hit, as its bounce would be shorter than the step.
    drift: Vec<f64>,
}

impl StepOfGroup {
    fn new(mut relations: Relations, h: f64) -> Self {
        let own: Vec<f64> =
            (0..relations.free.len()).map(|row| relations.w(row, row).max(0.0).sqrt()).collect();
        let sizes = own.iter().zip(&relations.free).filter(|(own, _)| **own > 0.0);
        let largest = sizes.map(|(own, free)| free.value.abs() / own).fold(0.0, f64::max);
        let drift: Vec<f64> = own.iter().map(|own| h * largest * own).collect();
        if relations.count() > 1 {
            relations.laws.iter_mut().for_each(|law| law.law = ImpactLaw::Moreau);
        }
        Self { relations, h, drift }
    }

    /// What each contact gives back of its velocity: nothing where it is not hit.
    fn restitution(&self, velocity: &[Inexact]) -> Vec<f64> {
        let given = |(i, law): (usize, &LawNumbers)| {
            if self.is_hit(velocity, i) { law.restitution } else { 0.0 }
        };
        self.relations.laws.iter().enumerate().map(given).collect()
    }

    fn is_hit(&self, velocity: &[Inexact], i: usize) -> bool {
        velocity[2 * i].value < -self.drift[2 * i].max(velocity[2 * i].bound)
    }

    /// Whether forces can take back within the step by what the gap grows.
    fn takes_part(&self, i: usize) -> bool {
        let velocity = self.relations.velocity[2 * i];
        velocity.value <= self.drift[2 * i].max(velocity.bound)
    }

    /// What a contact can do: stick if it can, otherwise slide on or back.
    fn choices(&self, i: usize) -> Vec<ContactChoice> {
        if self.takes_part(i) { choices_if_closed(&self.relations, i) } else { vec![ContactChoice::Free] }
    }

    fn solve(self) -> TimeStep {
        let count = self.relations.count();
        let restitution = self.restitution(&self.relations.velocity);
        let first = self.first_pass(&restitution).unwrap_or_else(|| self.pass_without_restitution());
        let stays = first.choices.iter().map(|choice| *choice != ContactChoice::Free).collect();
        let hits = (0..count).filter(|&i| self.is_hit(&self.relations.velocity, i)).count();
        let (energy, gain) = self.work(&first);
        let impacts = vec![0.0; 2 * count];
        let mut step = TimeStep { impulses: first.p, impacts, energy, gain, stays, hits };
        let moved = Relations { velocity: first.rows, ..self.relations.clone() };
        if (0..count).any(|i| moved.approaches(i)) {
            let impact = resolve_impact(&moved, &self.restitution(&moved.velocity))
                .or_else(|_| resolve_impact(&moved, &vec![0.0; count]));
            let impact = impact.unwrap_or_else(|_| relaxed_impact(&moved));
            step.add(impact, &self.drift);
        }
        step
    }

    /// The work of impulses, and what of it is gained by more than rounding.
    fn work(&self, found: &Combination) -> (f64, f64) {
        // What is at rest may still have as much of a velocity as forces take back.
        let (mut energy, mut size, mut rests) = (0.0, 0.0, 0.0);
        for (row, p) in found.p.iter().enumerate() {
            let sum = self.relations.velocity[row].value + found.rows[row].value;
            energy += 0.5 * p * sum;
            size += (p * sum).abs();
            rests += 0.5 * p.abs() * self.drift[row];
        }
        (energy, if energy > ROUNDED_GAIN * size + rests { energy } else { 0.0 })
    }

    /// The impulses of the contacts whose gaps do not grow, and what velocities come to.
    fn first_pass(&self, restitution: &[f64]) -> Option<Combination> {
        let (relations, count) = (&self.relations, self.relations.count());
        let given: Vec<f64> =
            (0..count).map(|i| (-restitution[i] * relations.velocity[2 * i].value).max(0.0)).collect();
        let (moved, mut wanted, choices) = self.problem();
        given.iter().enumerate().for_each(|(i, given)| wanted[2 * i].value -= given);
        let mut found = any_solution(relations, &wanted, &choices)?;
        found.rows = exact_rows(relations, &moved, &found, &given);
        Some(found)
    }

    /// The same where nothing is given back, nearly if not exactly.
    fn pass_without_restitution(&self) -> Combination {
        self.first_pass(&vec![0.0; self.relations.count()]).unwrap_or_else(|| {
            let (moved, wanted, choices) = self.problem();
            let found = relaxed(&self.relations, &wanted, &choices);
            Combination { rows: self.relations.after(&moved, &found.p), ..found }
        })
    }

    /// What velocities come to without impulses, the same where contacts that are left out may be anything,
    /// and what each contact can do.
    fn problem(&self) -> (Vec<Inexact>, Vec<Inexact>, Vec<Vec<ContactChoice>>) {
        let relations = &self.relations;
        let drift = |(velocity, free): (&Inexact, &Inexact)| Inexact {
            value: velocity.value + self.h * free.value,
            bound: velocity.bound + self.h * free.bound,
        };
        let moved: Vec<Inexact> = relations.velocity.iter().zip(&relations.free).map(drift).collect();
        let mut wanted = moved.clone();
        for i in (0..relations.count()).filter(|&i| !self.takes_part(i)) {
            wanted[2 * i].bound = f64::INFINITY;
        }
        (moved, wanted, (0..relations.count()).map(|i| self.choices(i)).collect())
    }
}

/// An impact without restitution that nearly stops all that approaches.
fn relaxed_impact(moved: &Relations) -> ImpactResult {
    let choices: Vec<Vec<ContactChoice>> = (0..moved.count()).map(|i| choices_if_closed(moved, i)).collect();
    ImpactResult::of_impulses(moved, relaxed(moved, &moved.velocity, &choices).p, 1)
}

impl TimeStep {
    /// Impacts follow: contacts that were left out, or that impulses have brought to approach.
    fn add(&mut self, impact: ImpactResult, drift: &[f64]) {
        self.energy += impact.energy;
        let pairs = impact.impulses.iter().zip(&impact.velocity);
        let size: f64 =
            pairs.map(|(p, velocity)| (p * velocity.value).abs() + p.abs() * velocity.bound).sum();
        self.gain += if impact.energy > ROUNDED_GAIN * size { impact.energy } else { 0.0 };
        for (i, slides) in impact.slides.iter().enumerate() {
            let velocity = impact.velocity[2 * i];
            let is_closed = velocity.value.abs() <= drift[2 * i].max(velocity.bound);
            self.stays[i] = is_closed && (self.stays[i] || slides.is_some());
        }
        self.impacts = impact.impulses;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const G: f64 = 9.81;

    /// A point mass over a floor, with friction along it.
    fn mass(velocity: [f64; 2], friction: Option<(f64, f64)>) -> Relations {
        let exact = |value: f64| Inexact { value, bound: 1e-16 * value.abs() };
        Relations {
            response: vec![2.0, 0.0, 0.0, if friction.is_some() { 2.0 } else { 0.0 }],
            velocity: velocity.map(exact).to_vec(),
            free: vec![exact(-G), exact(0.0)],
            laws: vec![LawNumbers { restitution: 0.5, friction, law: ImpactLaw::Moreau, given: None }],
        }
    }

    #[test]
    fn a_mass_that_rests_is_held_and_one_that_falls_gives_back_its_part() {
        let h = 1e-3;
        let rest = time_step(&mass([0.0, 0.0], None), h);
        assert!((rest.impulses[0] - 0.5 * G * h).abs() < 1e-15 && rest.stays[0] && rest.hits == 0);
        assert_eq!(rest.gain, 0.0);
        let hit = time_step(&mass([-2.0, 0.0], None), h);
        // From -2 and what the weight adds to it to +1.
        assert!((2.0 * hit.impulses[0] - (3.0 + G * h)).abs() < 1e-12 && hit.hits == 1);
        assert!((hit.energy - 0.5 * hit.impulses[0] * (1.0 - 2.0)).abs() < 1e-12);
    }

    #[test]
    fn a_mass_that_rises_has_no_impulse_unless_its_weight_brings_it_back() {
        let h = 1e-3;
        assert_eq!(time_step(&mass([1.0, 0.0], None), h).impulses[0], 0.0);
        let back = time_step(&mass([0.5 * G * h, 0.0], None), h);
        assert!((2.0 * back.impulses[0] - 0.5 * G * h).abs() < 1e-12, "what falls back is held");
        assert!(back.gain == 0.0 && back.stays[0]);
    }

    #[test]
    fn friction_holds_or_slides_within_the_same_problem() {
        let h = 1e-3;
        let slides = time_step(&mass([0.0, 1.0], Some((0.4, 0.3))), h);
        assert!((slides.impulses[1] + 0.3 * slides.impulses[0]).abs() < 1e-15 && slides.energy < 0.0);
        let sticks = time_step(&mass([0.0, 1e-3 * h], Some((0.4, 0.3))), h);
        assert!((2.0 * sticks.impulses[1] + 1e-3 * h).abs() < 1e-15);
    }

    #[test]
    fn gaps_below_zero_are_brought_back_and_others_stay() {
        let mut gaps = mass([-1e-3, 0.0], None);
        assert!((separate(&gaps)[0] - 0.5e-3).abs() < 1e-16);
        gaps.velocity[0].value = 1e-3;
        assert_eq!(separate(&gaps), [0.0, 0.0]);
    }
}
