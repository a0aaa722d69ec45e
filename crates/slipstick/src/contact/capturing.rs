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
use super::{ImpactResult, LawNumbers, Relations, Unsolved, resolve_impact};
use crate::expr::Inexact;
use crate::model::ImpactLaw;

/// Work of impulses that is positive by less than this part of its terms is rounding.
const ROUNDED_GAIN: f64 = 1e-9;

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
pub fn time_step(relations: &Relations, h: f64) -> Result<TimeStep, Unsolved> {
    let count = relations.count();
    let mut all = TimeStep {
        impulses: vec![0.0; 2 * count],
        impacts: vec![0.0; 2 * count],
        stays: vec![false; count],
        ..TimeStep::default()
    };
    for group in groups(relations) {
        let step = StepOfGroup::new(relations.only(&group), h).solve()?;
        for (k, &i) in group.iter().enumerate() {
            all.impulses[2 * i..2 * i + 2].copy_from_slice(&step.impulses[2 * k..2 * k + 2]);
            all.impacts[2 * i..2 * i + 2].copy_from_slice(&step.impacts[2 * k..2 * k + 2]);
            all.stays[i] = step.stays[k];
        }
        all.energy += step.energy;
        all.gain += step.gain;
        all.hits += step.hits;
    }
    Ok(all)
}

/// The impulses, in metres times mass, that bring gaps below zero back to it and let none of the others
/// become less: `0 ≤ g + W p ⟂ p ≥ 0`. The gaps stand in the place of velocities.
pub fn separate(gaps: &Relations) -> Result<Vec<f64>, Unsolved> {
    let mut impulses = vec![0.0; 2 * gaps.count()];
    for group in groups(gaps) {
        let own = gaps.only(&group);
        let choices = vec![vec![ContactChoice::Closed, ContactChoice::Free]; group.len()];
        let found = any_solution(&own, &own.velocity, &choices).ok_or(Unsolved::Impact)?;
        for (k, &i) in group.iter().enumerate() {
            impulses[2 * i] = found.p[2 * k];
        }
    }
    Ok(impulses)
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

    fn solve(self) -> Result<TimeStep, Unsolved> {
        let count = self.relations.count();
        let none = vec![0.0; count];
        let restitution = self.restitution(&self.relations.velocity);
        let first = self.first_pass(&restitution).or_else(|_| self.first_pass(&none))?;
        let stays = first.choices.iter().map(|choice| *choice != ContactChoice::Free).collect();
        let hits = (0..count).filter(|&i| self.is_hit(&self.relations.velocity, i)).count();
        let (energy, gain) = self.work(&first);
        let impacts = vec![0.0; 2 * count];
        let mut step = TimeStep { impulses: first.p, impacts, energy, gain, stays, hits };
        let moved = Relations { velocity: first.rows, ..self.relations.clone() };
        if (0..count).any(|i| moved.approaches(i)) {
            let impact = resolve_impact(&moved, &self.restitution(&moved.velocity));
            step.add(impact.or_else(|_| resolve_impact(&moved, &none))?, &self.drift);
        }
        Ok(step)
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
    fn first_pass(&self, restitution: &[f64]) -> Result<Combination, Unsolved> {
        let (relations, count) = (&self.relations, self.relations.count());
        let given: Vec<f64> =
            (0..count).map(|i| (-restitution[i] * relations.velocity[2 * i].value).max(0.0)).collect();
        let drift = |(velocity, free): (&Inexact, &Inexact)| Inexact {
            value: velocity.value + self.h * free.value,
            bound: velocity.bound + self.h * free.bound,
        };
        let moved: Vec<Inexact> = relations.velocity.iter().zip(&relations.free).map(drift).collect();
        let mut wanted = moved.clone();
        for (i, given) in given.iter().enumerate() {
            wanted[2 * i].value -= given;
            if !self.takes_part(i) {
                wanted[2 * i].bound = f64::INFINITY;
            }
        }
        let choices: Vec<Vec<ContactChoice>> = (0..count).map(|i| self.choices(i)).collect();
        let mut found = any_solution(relations, &wanted, &choices).ok_or(Unsolved::Impact)?;
        found.rows = exact_rows(relations, &moved, &found, &given);
        Ok(found)
    }
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
            laws: vec![LawNumbers { restitution: 0.5, friction, law: ImpactLaw::Moreau }],
        }
    }

    #[test]
    fn a_mass_that_rests_is_held_and_one_that_falls_gives_back_its_part() {
        let h = 1e-3;
        let rest = time_step(&mass([0.0, 0.0], None), h).expect("a step");
        assert!((rest.impulses[0] - 0.5 * G * h).abs() < 1e-15 && rest.stays[0] && rest.hits == 0);
        assert_eq!(rest.gain, 0.0);
        let hit = time_step(&mass([-2.0, 0.0], None), h).expect("a step");
        // From -2 and what the weight adds to it to +1.
        assert!((2.0 * hit.impulses[0] - (3.0 + G * h)).abs() < 1e-12 && hit.hits == 1);
        assert!((hit.energy - 0.5 * hit.impulses[0] * (1.0 - 2.0)).abs() < 1e-12);
    }

    #[test]
    fn a_mass_that_rises_has_no_impulse_unless_its_weight_brings_it_back() {
        let h = 1e-3;
        assert_eq!(time_step(&mass([1.0, 0.0], None), h).expect("a step").impulses[0], 0.0);
        let back = time_step(&mass([0.5 * G * h, 0.0], None), h).expect("a step");
        assert!((2.0 * back.impulses[0] - 0.5 * G * h).abs() < 1e-12, "what falls back is held");
        assert!(back.gain == 0.0 && back.stays[0]);
    }

    #[test]
    fn friction_holds_or_slides_within_the_same_problem() {
        let h = 1e-3;
        let slides = time_step(&mass([0.0, 1.0], Some((0.4, 0.3))), h).expect("a step");
        assert!((slides.impulses[1] + 0.3 * slides.impulses[0]).abs() < 1e-15 && slides.energy < 0.0);
        let sticks = time_step(&mass([0.0, 1e-3 * h], Some((0.4, 0.3))), h).expect("a step");
        assert!((2.0 * sticks.impulses[1] + 1e-3 * h).abs() < 1e-15);
    }

    #[test]
    fn gaps_below_zero_are_brought_back_and_others_stay() {
        let mut gaps = mass([-1e-3, 0.0], None);
        assert!((separate(&gaps).expect("positions")[0] - 0.5e-3).abs() < 1e-16);
        gaps.velocity[0].value = 1e-3;
        assert_eq!(separate(&gaps).expect("positions"), [0.0, 0.0]);
    }
}
