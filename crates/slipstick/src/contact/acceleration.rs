//! Which contacts hold from an instant on: forces and accelerations that meet all laws.

use super::choices::{Combination, ContactChoice, all_solutions, sliding_friction};
use super::groups::groups;
use super::least::{rank, solve_least};
use super::relations::ROUNDING;
use super::{LawNumbers, Relations, Status, Unsolved};

/// What was found out about a contact before.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "one for each event that can have happened to it")]
pub struct Wish {
    /// What it did so far.
    pub status: Status,
    /// Whether its gap has no velocity, so that it can stay closed.
    pub stays: bool,
    /// Whether its gap has just closed.
    pub hits: bool,
    /// Whether its normal force has just fallen to zero.
    pub lifts: bool,
    /// Whether its friction has just reached its limit.
    pub slips: bool,
    /// Whether its slip has just come to an end.
    pub sticks: bool,
    /// The direction in which it slides, zero if it does not.
    pub direction: f64,
}

/// What contacts do from here on.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// For each contact.
    pub statuses: Vec<Status>,
    /// The accelerations of the gaps.
    pub accelerations: Vec<f64>,
    /// The forces, by rows.
    pub forces: Vec<f64>,
    /// Whether there are several motions that meet all laws.
    pub is_ambiguous: bool,
    /// Contacts with friction whose forces can be shared in ways that decide when one of them slides or lifts.
    pub shared: Vec<usize>,
}

/// What contacts do; those whose gaps do not stay closed have no forces. Where several motions are possible, that
/// with the fewest changes is taken, and of these the one in which most contacts hold.
///
/// A contact that does not slide yet begins to only where friction while it sticks is not enough; from then
/// on it has that of sliding, and all is looked at again. Where others come to stick by that, it may have
/// been one too many: then any contacts may slide that can.
pub fn resolve_accelerations(relations: &Relations, wishes: &[Wish]) -> Result<Resolved, Unsolved> {
    let count = wishes.len();
    let mut all = Resolved {
        statuses: vec![Status::Open; count],
        accelerations: vec![0.0; count],
        forces: vec![0.0; 2 * count],
        is_ambiguous: false,
        shared: Vec::new(),
    };
    for group in groups(relations) {
        let own: Vec<Wish> = group.iter().map(|&i| wishes[i]).collect();
        let resolved = resolve_group(&relations.only(&group), &own)?;
        for (k, &i) in group.iter().enumerate() {
            all.statuses[i] = resolved.statuses[k];
            all.accelerations[i] = resolved.accelerations[k];
            all.forces[2 * i..2 * i + 2].copy_from_slice(&resolved.forces[2 * k..2 * k + 2]);
        }
        all.is_ambiguous |= resolved.is_ambiguous;
        all.shared.extend(resolved.shared.iter().map(|&k| group[k]));
    }
    Ok(all)
}

/// The same for contacts that feel each other.
fn resolve_group(relations: &Relations, wishes: &[Wish]) -> Result<Resolved, Unsolved> {
    let Ok(found) = find_sliding(relations, wishes, &[]) else {
        let resolved = resolve_once(relations, wishes, &vec![false; wishes.len()])?;
        return Ok(Resolved { is_ambiguous: false, ..resolved });
    };
    Ok(let_stick_what_can(found, relations, wishes))
}

/// What contacts do, and which of them have begun to slide.
struct Sliding {
    begins: Vec<bool>,
    resolved: Resolved,
}

/// Which contacts begin to slide. Those that are held do not begin to.
fn find_sliding(relations: &Relations, wishes: &[Wish], held: &[usize]) -> Result<Sliding, Unsolved> {
    let (mut now, mut known) = (relations.clone(), wishes.to_vec());
    for (law, _) in now.laws.iter_mut().zip(wishes).filter(|(_, wish)| wish.direction == 0.0) {
        law.friction = law.friction.map(|(sticking, _)| (sticking, sticking));
    }
    let mut begins = vec![false; wishes.len()];
    loop {
        let resolved = resolve_once(&now, &known, &begins)?;
        let mut is_done = true;
        for (i, status) in resolved.statuses.iter().enumerate().filter(|(i, _)| !held.contains(i)) {
            let Status::Slides(direction) = *status else { continue };
            if now.laws[i].friction != relations.laws[i].friction {
                (known[i].direction, begins[i], is_done) = (direction, true, false);
                now.laws[i].friction = relations.laws[i].friction;
            }
        }
        if is_done {
            return Ok(Sliding { begins, resolved });
        }
    }
}

/// Where several contacts begin to slide at once, one of them may do so only because of the friction that another had
/// while it was at rest: a block on one that turns round. It sticks where it can, with the others sliding.
fn let_stick_what_can(found: Sliding, relations: &Relations, wishes: &[Wish]) -> Resolved {
    let begun: Vec<usize> = (0..wishes.len()).filter(|&i| found.begins[i]).collect();
    if begun.len() < 2 {
        return found.resolved;
    }
    let holding = |held: &[usize]| {
        let other = find_sliding(relations, wishes, held).ok()?.resolved;
        held.iter().all(|&i| other.statuses[i] == Status::Sticks).then_some(other)
    };
    let can_stick: Vec<usize> = begun.into_iter().filter(|&i| holding(&[i]).is_some()).collect();
    let Some(&first) = can_stick.first() else { return found.resolved };
    holding(&can_stick).or_else(|| holding(&[first])).unwrap_or(found.resolved)
}

/// The same, with the friction that is given.
fn resolve_once(relations: &Relations, wishes: &[Wish], begins: &[bool]) -> Result<Resolved, Unsolved> {
    let choices: Vec<Vec<ContactChoice>> =
        (0..wishes.len()).map(|i| choices_of(&relations.laws[i], &wishes[i], begins[i])).collect();
    let mut free = relations.free.clone();
    for (i, _) in wishes.iter().enumerate().filter(|(_, wish)| !wish.stays) {
        free[2 * i].bound = f64::INFINITY;
    }
    let mut found = all_solutions(relations, &free, &choices).ok_or(Unsolved::Forces)?;
    // What others hold does not slide: feet of one body do so together.
    if found.iter().any(|found| !is_held(relations, found)) {
        found.retain(|found| !is_held(relations, found));
    }
    // A gap that is closed needs no help of a joint that sticks: forces that both bear would not be unique.
    if found.iter().any(|found| !exchanges(relations, found)) {
        found.retain(|found| !exchanges(relations, found));
    }
    // What an event has decided is decided: at its boundary, both sides are solutions as far as can be told.
    if found.iter().any(|found| obeys(found, wishes)) {
        found.retain(|found| obeys(found, wishes));
    }
    let best = found.iter().min_by_key(|found| changes(relations, found, wishes)).ok_or(Unsolved::Forces)?;
    let is_ambiguous = found.iter().any(|other| !other.is_same_motion(best));
    let statuses = best.choices.iter().map(|choice| status_of(*choice)).collect();
    let accelerations = best.rows.iter().step_by(2).map(|row| row.value).collect();
    if forces_decide_motion(relations, best) {
        return Err(Unsolved::Undetermined);
    }
    let shared = shared_forces(relations, best);
    let forces = best.p.clone();
    Ok(Resolved { statuses, accelerations, forces, is_ambiguous, shared })
}

/// Whether closed gaps and joints that stick bear the same.
fn exchanges(relations: &Relations, found: &Combination) -> bool {
    let choices = || found.choices.iter().enumerate().filter(|(_, choice)| **choice != ContactChoice::Free);
    let gaps = choices().filter(|(i, _)| relations.has_gap(*i)).map(|(i, _)| 2 * i);
    let sticks = choices().filter(|(i, of)| !relations.has_gap(*i) && **of == ContactChoice::Sticks);
    let (gaps, sticks): (Vec<usize>, Vec<usize>) = (gaps.collect(), sticks.map(|(i, _)| 2 * i + 1).collect());
    if gaps.is_empty() || sticks.is_empty() {
        return false;
    }
    let both: Vec<usize> = gaps.iter().chain(&sticks).copied().collect();
    rank_of(relations, &both) < rank_of(relations, &gaps) + rank_of(relations, &sticks)
}

/// Whether a contact is to begin to slide that others which stick or stay closed hold where it is.
fn is_held(relations: &Relations, found: &Combination) -> bool {
    let choices = found.choices.iter().enumerate();
    let begins = choices.clone().filter(|(_, choice)| matches!(choice, ContactChoice::Slides(_)));
    if begins.clone().next().is_none() || !found.choices.contains(&ContactChoice::Sticks) {
        return false;
    }
    let closed = choices.clone().filter(|(_, choice)| **choice != ContactChoice::Free);
    let normals = closed.map(|(i, _)| 2 * i).filter(|normal| relations.has_gap(normal / 2));
    let sticks = choices.filter(|(_, choice)| **choice == ContactChoice::Sticks).map(|(i, _)| 2 * i + 1);
    let held: Vec<usize> = normals.chain(sticks).collect();
    let rank_of_held = rank_of(relations, &held);
    begins.map(|(i, _)| 2 * i + 1).any(|slip| {
        let with_slip: Vec<usize> = held.iter().copied().chain([slip]).collect();
        rank_of(relations, &with_slip) == rank_of_held
    })
}

/// How many of some rows are independent.
fn rank_of(relations: &Relations, rows: &[usize]) -> usize {
    let entries = rows.iter().flat_map(|&a| rows.iter().map(move |&b| (a, b)));
    rank(&entries.map(|(a, b)| relations.w(a, b)).collect::<Vec<f64>>(), rows.len())
}

/// Whether normal forces can be shared in ways that move the mechanism differently, because contacts slide with different
/// friction. Forces that cancel along all normals then do not cancel along the slips: those that do both are fewer. What a
/// contact that sticks takes up makes no difference.
fn forces_decide_motion(relations: &Relations, found: &Combination) -> bool {
    let all = || (0..found.choices.len()).filter(|&i| found.choices[i] != ContactChoice::Free);
    let closed: Vec<usize> = all().filter(|&i| relations.has_gap(i)).collect();
    let friction = |i: usize| sliding_friction(relations, i, found.choices[i]);
    let slides = closed.iter().filter(|&&i| friction(i) != 0.0).count();
    if slides < 2 {
        return false;
    }
    let pairs = || closed.iter().flat_map(|&i| closed.iter().map(move |&j| (i, j)));
    let normals: Vec<f64> = pairs().map(|(i, j)| relations.w(2 * i, 2 * j)).collect();
    let rank_of_normals = rank(&normals, closed.len());
    if rank_of_normals == closed.len() {
        return false;
    }
    let sticks = |i: &usize| found.choices[*i] == ContactChoice::Sticks;
    let held: Vec<usize> = all().filter(sticks).map(|i| 2 * i + 1).collect();
    let Some(left) = response_beside(relations, &closed, &held) else { return false };
    let place = |i: usize| closed.iter().position(|&k| k == i).unwrap_or_default();
    let along = |(i, j): (usize, usize)| friction(i) * friction(j) * left[place(i) * closed.len() + place(j)];
    let with_friction: Vec<f64> = normals.iter().zip(pairs()).map(|(w, pair)| w + along(pair)).collect();
    rank(&with_friction, closed.len()) > rank_of_normals
}

/// How the slips of some contacts respond to each other where some rows are held; none if these contradict each other.
fn response_beside(relations: &Relations, contacts: &[usize], held: &[usize]) -> Option<Vec<f64>> {
    let matrix: Vec<f64> = held.iter().flat_map(|&a| held.iter().map(move |&b| relations.w(a, b))).collect();
    let mut left = vec![0.0; contacts.len() * contacts.len()];
    for (column, &j) in contacts.iter().enumerate() {
        let right: Vec<f64> = held.iter().map(|&a| relations.w(a, 2 * j + 1)).collect();
        let taken = if held.is_empty() { Vec::new() } else { solve_least(&matrix, &right)? };
        for (row, &i) in contacts.iter().enumerate() {
            let own = relations.w(2 * i + 1, 2 * j + 1);
            let taken: f64 = held.iter().zip(&taken).map(|(&a, part)| relations.w(2 * i + 1, a) * part).sum();
            // What is left of equal slips is rounding.
            let rest = own - taken;
            left[row * contacts.len() + column] = if rest.abs() <= ROUNDING * own.abs() { 0.0 } else { rest };
        }
    }
    Some(left)
}

/// The contacts with friction whose forces are not unique, but for friction that is shared along one plane: normal forces
/// that can be shared, or exchanged with friction.
fn shared_forces(relations: &Relations, found: &Combination) -> Vec<usize> {
    let has_friction = |i: usize| relations.laws[i].friction.is_some_and(|(sticking, _)| sticking > 0.0);
    // Friction of a given size is known where it slides.
    let is_known = |i: usize| !relations.has_gap(i) && found.choices[i] != ContactChoice::Sticks;
    let rubs = |&i: &usize| found.choices[i] != ContactChoice::Free && has_friction(i) && !is_known(i);
    let closed: Vec<usize> = (0..found.choices.len()).filter(rubs).collect();
    if closed.len() < 2 {
        return Vec::new();
    }
    let normals: Vec<usize> = closed.iter().map(|i| 2 * i).filter(|n| relations.has_gap(n / 2)).collect();
    let tangents: Vec<usize> = closed.iter().map(|i| 2 * i + 1).collect();
    let of_normals = rank_of(relations, &normals);
    let all: Vec<usize> = normals.iter().chain(&tangents).copied().collect();
    let is_unique =
        of_normals == normals.len() && rank_of(relations, &all) == of_normals + rank_of(relations, &tangents);
    if is_unique { Vec::new() } else { closed }
}

/// What a contact can do. One that a given force presses together never parts, unless nothing does.
fn choices_of(law: &LawNumbers, wish: &Wish, begins: bool) -> Vec<ContactChoice> {
    let Some(force) = law.given else { return choices_with_gap(law.friction, wish, begins) };
    match wish.direction {
        _ if force < 0.0 => vec![ContactChoice::Free],
        0.0 => vec![ContactChoice::Sticks, ContactChoice::Slides(1.0), ContactChoice::Slides(-1.0)],
        direction if begins => vec![ContactChoice::Slides(direction)],
        direction => vec![ContactChoice::SlidesOn(direction)],
    }
}

fn choices_with_gap(friction: Option<(f64, f64)>, wish: &Wish, begins: bool) -> Vec<ContactChoice> {
    match (friction, wish.direction) {
        _ if !wish.stays => vec![ContactChoice::Free],
        (None, _) => vec![ContactChoice::Closed, ContactChoice::Free],
        (Some(_), 0.0) => vec![
            ContactChoice::Sticks,
            ContactChoice::Slides(1.0),
            ContactChoice::Slides(-1.0),
            ContactChoice::Free,
        ],
        (Some(_), direction) if begins => vec![ContactChoice::Slides(direction), ContactChoice::Free],
        (Some(_), direction) => vec![ContactChoice::SlidesOn(direction), ContactChoice::Free],
    }
}

/// Whether contacts do what events have said.
fn obeys(found: &Combination, wishes: &[Wish]) -> bool {
    let obeys = |(choice, wish): (&ContactChoice, &Wish)| match choice {
        ContactChoice::Free => true,
        ContactChoice::Sticks => !wish.lifts && !wish.slips,
        _ => !wish.lifts && !wish.sticks,
    };
    found.choices.iter().zip(wishes).all(obeys)
}

fn status_of(choice: ContactChoice) -> Status {
    match choice {
        ContactChoice::Free => Status::Open,
        ContactChoice::Closed => Status::Frictionless,
        ContactChoice::Sticks => Status::Sticks,
        ContactChoice::Slides(direction) | ContactChoice::SlidesOn(direction) => Status::Slides(direction),
    }
}

/// How many joints begin to slide, how many contacts do something else than before, and how many of them are open or slide. One that slid and has no
/// slip any more does not go on by sliding, unless a given force presses it: others may hold it where it is.
fn changes(relations: &Relations, found: &Combination, wishes: &[Wish]) -> (usize, usize, usize) {
    let begins = |(i, choice): &(usize, &ContactChoice)| {
        matches!(choice, ContactChoice::Slides(_))
            && !relations.has_gap(*i)
            && wishes[*i].status != status_of(**choice)
    };
    let begun = found.choices.iter().enumerate().filter(begins).count();
    let differs = |i: usize| match (wishes[i].status, status_of(found.choices[i])) {
        (before, now) if !before.is_closed() => now.is_closed() && !wishes[i].hits,
        (Status::Slides(_), now) if wishes[i].direction == 0.0 && relations.has_gap(i) => {
            now != Status::Sticks
        }
        (before, now) => now != before,
    };
    let differ = (0..wishes.len()).filter(|&i| differs(i)).count();
    let loose = found
        .choices
        .iter()
        .filter(|choice| !matches!(choice, ContactChoice::Sticks | ContactChoice::Closed));
    (begun, differ, loose.count())
}
