//! Impacts: velocities after contacts have closed while their gaps shrank.
//!
//! All contacts of one instant are one problem. Newton's restitution in passes (Moreau): contacts that
//! separate stay out of a pass, and passes are repeated while a contact approaches. So no pass gains energy
//! without friction: with `0 ≤ U⁺ + e U⁻ ⟂ p ≥ 0`, the energy changes by `½ Σ p (1 - e) U⁻ ≤ 0`.

use super::choices::{Combination, ContactChoice, all_solutions};
use super::groups::groups;
use super::smith::smith;
use super::{Relations, Unsolved};
use crate::expr::Inexact;
use crate::model::ImpactLaw;

/// After this many passes restitution is given up.
const MOST_PASSES: usize = 50;
/// The same of impacts one after the other, which are shorter.
const MOST_IN_SEQUENCE: usize = 1000;

/// What an impact comes to.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ImpactResult {
    /// The sum of impulses, by rows.
    pub impulses: Vec<f64>,
    /// Velocities of gaps and slips after it.
    pub velocity: Vec<Inexact>,
    /// How many passes it took.
    pub passes: usize,
    /// What the energy has changed by, for surfaces that do not move.
    pub energy: f64,
    /// The direction in which each contact slides after it, zero if it does not; none for contacts without
    /// impulse.
    pub slides: Vec<Option<f64>>,
    /// What is worth a word.
    pub remarks: Vec<ImpactRemark>,
}

/// What is worth a word about an impact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImpactRemark {
    /// Contacts went on to approach each other, and restitution was given up.
    GaveUpRestitution,
    /// Impulses are not unique, and neither are velocities.
    NotUnique,
}

/// Velocities after contacts have approached. `restitution` takes the place of those of the laws.
pub fn resolve_impact(relations: &Relations, restitution: &[f64]) -> Result<ImpactResult, Unsolved> {
    let count = relations.count();
    let mut all = ImpactResult {
        impulses: vec![0.0; 2 * count],
        velocity: relations.velocity.clone(),
        slides: vec![None; count],
        ..ImpactResult::default()
    };
    let hits: Vec<usize> = (0..count).filter(|&i| relations.has_gap(i)).collect();
    for group in groups(&relations.only(&hits)) {
        let group: Vec<usize> = group.into_iter().map(|k| hits[k]).collect();
        let own: Vec<f64> = group.iter().map(|&i| restitution[i]).collect();
        all.add(&group, resolve_group(&relations.only(&group), &own)?);
    }
    if hits.len() < count {
        // What has no impulses moves with the rest.
        let moved = relations.after(&relations.velocity, &all.impulses);
        let rows = (0..count).filter(|i| !relations.has_gap(*i)).map(|i| 2 * i + 1);
        rows.for_each(|row| all.velocity[row] = moved[row]);
    }
    Ok(all)
}

impl ImpactResult {
    /// What impulses that are known come to.
    pub fn of_impulses(relations: &Relations, impulses: Vec<f64>, passes: usize) -> Self {
        let velocity = relations.after(&relations.velocity, &impulses);
        let sums = relations.velocity.iter().zip(&velocity).map(|(before, after)| before.value + after.value);
        let energy = impulses.iter().zip(sums).map(|(p, sum)| 0.5 * p * sum).sum();
        let slides = vec![None; relations.count()];
        Self { impulses, velocity, passes, energy, slides, remarks: Vec::new() }
    }

    /// Adds what a group of contacts comes to.
    fn add(&mut self, group: &[usize], other: Self) {
        for (k, &i) in group.iter().enumerate() {
            self.impulses[2 * i..2 * i + 2].copy_from_slice(&other.impulses[2 * k..2 * k + 2]);
            self.velocity[2 * i..2 * i + 2].copy_from_slice(&other.velocity[2 * k..2 * k + 2]);
            self.slides[i] = other.slides[k];
        }
        self.passes = self.passes.max(other.passes);
        self.energy += other.energy;
        self.remarks.extend(other.remarks);
    }
}

/// The same for contacts that feel each other.
fn resolve_group(relations: &Relations, restitution: &[f64]) -> Result<ImpactResult, Unsolved> {
    let count = relations.count();
    let mut state = relations.clone();
    let mut result =
        ImpactResult { impulses: vec![0.0; 2 * count], slides: vec![None; count], ..ImpactResult::default() };
    while (0..count).any(|i| state.approaches(i)) {
        let law = law_of(&state)?;
        let most = if law == ImpactLaw::Sequential { MOST_IN_SEQUENCE } else { MOST_PASSES };
        let found = if result.passes < most {
            pass(&state, law, restitution, &mut result)
        } else {
            Err(Unsolved::Impact)
        };
        let found = match found {
            // With friction there may be no impulses that give anything back; those that end the hit there are.
            Err(Unsolved::Impact) => {
                let found = moreau(&state, &vec![0.0; count], &mut result)?;
                result.remarks.push(ImpactRemark::GaveUpRestitution);
                found
            }
            found => found?,
        };
        take(&mut state, &mut result, &found);
        if result.passes > 2 * most {
            return Err(Unsolved::Impact);
        }
    }
    result.velocity = state.velocity;
    Ok(result)
}

/// One pass of a law.
fn pass(
    state: &Relations,
    law: ImpactLaw,
    restitution: &[f64],
    result: &mut ImpactResult,
) -> Result<Combination, Unsolved> {
    match law {
        ImpactLaw::Moreau => moreau(state, restitution, result),
        ImpactLaw::Poisson => poisson(state, restitution),
        ImpactLaw::Sequential => Ok(fastest(state, restitution)),
        ImpactLaw::Smith => smith(state, restitution),
    }
}

/// The law of the contacts that take part.
fn law_of(state: &Relations) -> Result<ImpactLaw, Unsolved> {
    let mut laws = (0..state.count()).filter(|&i| !state.separates(i)).map(|i| state.laws[i].law);
    let first = laws.next().unwrap_or_default();
    if laws.any(|law| law != first) { Err(Unsolved::DifferentLaws) } else { Ok(first) }
}

/// Adds the impulses of a pass.
fn take(state: &mut Relations, result: &mut ImpactResult, found: &Combination) {
    let before = state.velocity.clone();
    state.velocity.clone_from(&found.rows);
    for (i, p) in found.p.iter().enumerate() {
        result.impulses[i] += p;
        result.energy += 0.5 * p * (before[i].value + found.rows[i].value);
    }
    for (slides, choice) in result.slides.iter_mut().zip(&found.choices) {
        match choice {
            ContactChoice::Free => {}
            ContactChoice::Closed | ContactChoice::Sticks => *slides = Some(0.0),
            ContactChoice::Slides(direction) | ContactChoice::SlidesOn(direction) => {
                *slides = Some(*direction);
            }
        }
    }
    result.passes += 1;
}

/// What a contact that takes part can do: stick if it can, otherwise slide on or back.
fn choices_of(state: &Relations, contact: usize) -> Vec<ContactChoice> {
    if state.separates(contact) { vec![ContactChoice::Free] } else { choices_if_closed(state, contact) }
}

/// The same if its gap does not grow.
pub(super) fn choices_if_closed(state: &Relations, contact: usize) -> Vec<ContactChoice> {
    let slip = state.velocity[2 * contact + 1];
    let along = if slip.value < 0.0 { -1.0 } else { 1.0 };
    match state.laws[contact].friction {
        Some(_) => vec![
            ContactChoice::Sticks,
            ContactChoice::Slides(along),
            ContactChoice::Slides(-along),
            ContactChoice::Free,
        ],
        None => vec![ContactChoice::Closed, ContactChoice::Free],
    }
}

/// One pass of Newton's restitution.
fn moreau(
    state: &Relations,
    restitution: &[f64],
    result: &mut ImpactResult,
) -> Result<Combination, Unsolved> {
    let mut free = state.velocity.clone();
    let given: Vec<f64> = (0..state.count()).map(|i| given_back(state, restitution, i)).collect();
    given.iter().enumerate().for_each(|(i, given)| free[2 * i].value -= given);
    // A contact that separates takes no part, and may come to approach.
    for i in (0..state.count()).filter(|&i| state.separates(i)) {
        free[2 * i].bound = f64::INFINITY;
    }
    let mut found = first_solution(state, &free, result)?;
    found.rows = exact_rows(state, &state.velocity, &found, &given);
    Ok(found)
}

/// The velocity that a contact gives back.
fn given_back(state: &Relations, restitution: &[f64], contact: usize) -> f64 {
    if state.approaches(contact) { -restitution[contact] * state.velocity[2 * contact].value } else { 0.0 }
}

/// Velocities after a pass: where a gap is closed, what it gives back is exact.
pub(super) fn exact_rows(
    state: &Relations,
    before: &[Inexact],
    found: &Combination,
    given: &[f64],
) -> Vec<Inexact> {
    let mut rows = state.after(before, &found.p);
    for (i, choice) in found.choices.iter().enumerate() {
        if *choice != ContactChoice::Free {
            rows[2 * i].value = given[i];
        }
        if *choice == ContactChoice::Sticks {
            rows[2 * i + 1].value = 0.0;
        }
    }
    rows
}

/// The solution in which most contacts do what comes first among their choices: stick before slip on before slip back.
/// In which order contacts are written decides only between solutions of which that cannot be said.
fn first_solution(
    state: &Relations,
    free: &[Inexact],
    result: &mut ImpactResult,
) -> Result<Combination, Unsolved> {
    let choices: Vec<Vec<ContactChoice>> = (0..state.count()).map(|i| choices_of(state, i)).collect();
    let found = all_solutions(state, free, &choices).ok_or(Unsolved::Impact)?;
    let places = |found: &Combination| {
        let place = |(list, choice): (&Vec<_>, &_)| list.iter().position(|other| other == choice);
        let places = choices.iter().zip(&found.choices).map(move |pair| place(pair).unwrap_or(pair.0.len()));
        places.fold((0, 0), |(later, sum), place| (later + usize::from(place > 0), sum + place))
    };
    let first = found.iter().min_by_key(|found| places(found)).ok_or(Unsolved::Impact)?;
    if found.iter().any(|other| !other.is_same_motion(first)) {
        result.remarks.push(ImpactRemark::NotUnique);
    }
    Ok(first.clone())
}

/// Compression to rest, then restitution of impulses; what would still approach is held. Contacts that
/// separate take part, too: compression can bring them to approach.
fn poisson(state: &Relations, restitution: &[f64]) -> Result<Combination, Unsolved> {
    let compressed = held(state)?;
    let mut p: Vec<f64> = compressed.p;
    (0..state.count()).for_each(|i| p[2 * i] *= 1.0 + restitution[i]);
    let expanded = Relations { velocity: state.after(&state.velocity, &p), ..state.clone() };
    let mut held = held(&expanded)?;
    held.rows = exact_rows(&expanded, &expanded.velocity, &held, &vec![0.0; state.count()]);
    held.p.iter_mut().zip(&p).for_each(|(held, p)| *held += p);
    held.choices = compressed.choices;
    Ok(held)
}

/// The impulses after which no contact approaches, without restitution.
fn held(state: &Relations) -> Result<Combination, Unsolved> {
    let choices = vec![vec![ContactChoice::Closed, ContactChoice::Free]; state.count()];
    let held = all_solutions(state, &state.velocity, &choices).ok_or(Unsolved::Impact)?;
    held.into_iter().next().ok_or(Unsolved::Impact)
}

/// The impact of the contact that approaches fastest, as if it were alone.
fn fastest(state: &Relations, restitution: &[f64]) -> Combination {
    let count = state.count();
    let speed = |i: usize| state.velocity[2 * i].value;
    let slowest = |a: usize, b: usize| if speed(b) < speed(a) { b } else { a };
    let i = (0..count).filter(|&i| state.approaches(i)).reduce(slowest).unwrap_or(0);
    let mut p = vec![0.0; 2 * count];
    p[2 * i] = -(1.0 + restitution[i]) * speed(i) / state.w(2 * i, 2 * i);
    let mut choices = vec![ContactChoice::Free; count];
    choices[i] = ContactChoice::Closed;
    let mut found = Combination { choices, p, rows: Vec::new() };
    let mut given = vec![0.0; count];
    given[i] = given_back(state, restitution, i);
    found.rows = exact_rows(state, &state.velocity, &found, &given);
    found
}
