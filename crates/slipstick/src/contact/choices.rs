//! All ways in which contacts can meet their laws at one level, velocities or accelerations, by trying each.
//!
//! Of each contact the choices are tried that are left to it: no force, a closed gap, or that with stick or
//! slip. A combination is a solution if the linear equations that it says have one, and all inequalities
//! hold.

use super::Relations;
use super::complementarity::{Attempted, one_solution};
use super::least::{share_by_limits, share_friction, solve_least};
use super::relations::ROUNDING;
use crate::expr::Inexact;

/// At most this many combinations are tried: four contacts with friction, eight without.
const MOST_COMBINATIONS: usize = 256;

/// At most this many where a complementarity problem has decided nothing.
const MOST_IF_UNDECIDED: usize = 1 << 14;

/// A row that is zero is left with at most this many bounds of its rounding, as the equations may be near to singular.
const VANISHES: f64 = 1e6;

/// What a contact can do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ContactChoice {
    /// It has no force, and its gap does not shrink.
    Free,
    /// Its gap stays, without friction.
    Closed,
    /// Its gap stays, and so does its slip.
    Sticks,
    /// Its gap stays, and it comes to slide in this direction.
    Slides(f64),
    /// Its gap stays, and it slides in this direction already, whether it speeds up or slows down.
    SlidesOn(f64),
}

/// A combination that meets all laws: forces or impulses by rows, and what the rows come to.
#[derive(Clone, Debug)]
pub(super) struct Combination {
    pub(super) choices: Vec<ContactChoice>,
    pub(super) p: Vec<f64>,
    pub(super) rows: Vec<Inexact>,
}

impl Combination {
    /// Whether two solutions are the same motion.
    pub(super) fn is_same_motion(&self, other: &Self) -> bool {
        self.rows.iter().zip(&other.rows).all(|(a, b)| (a.value - b.value).abs() <= 2.0 * (a.bound + b.bound))
    }
}

/// All solutions of `rows = free + W p`, in the order of the choices: the first choice of the first contact first. Of
/// many contacts it is one, if there are any. None if nothing could be decided.
pub(super) fn all_solutions(
    relations: &Relations,
    free: &[Inexact],
    choices: &[Vec<ContactChoice>],
) -> Option<Vec<Combination>> {
    let combinations = choices.iter().map(Vec::len).fold(1_usize, usize::saturating_mul);
    if combinations > MOST_COMBINATIONS {
        match one_solution(relations, free, choices) {
            Attempted::Solved(found) => return Some(vec![found]),
            Attempted::Impossible => return Some(Vec::new()),
            Attempted::Undecided if combinations > MOST_IF_UNDECIDED => return None,
            Attempted::Undecided => {}
        }
    }
    let one = |mut number: usize| {
        let mut combination = Vec::with_capacity(choices.len());
        for list in choices.iter().rev() {
            combination.push(list[number % list.len()]);
            number /= list.len();
        }
        combination.reverse();
        solution(relations, free, combination)
    };
    Some((0..combinations).filter_map(one).collect())
}

/// A solution, by the complementarity problem first: one is enough, and many contacts are usual.
pub(super) fn any_solution(
    relations: &Relations,
    free: &[Inexact],
    choices: &[Vec<ContactChoice>],
) -> Option<Combination> {
    match one_solution(relations, free, choices) {
        Attempted::Solved(found) => Some(found),
        Attempted::Impossible => None,
        Attempted::Undecided => all_solutions(relations, free, choices)?.into_iter().next(),
    }
}

/// The solution of one combination, if it meets all laws.
pub(super) fn solution(
    relations: &Relations,
    free: &[Inexact],
    choices: Vec<ContactChoice>,
) -> Option<Combination> {
    let p = pushing_forces(relations, free, &choices)?;
    let rows = relations.after(free, &p);
    let forces = force_bounds(relations, &rows, &p);
    let vanishes = |row: usize| rows[row].value.abs() <= VANISHES * rows[row].bound;
    let holds = |(i, choice): (usize, &ContactChoice)| {
        let (normal, tangent) = (2 * i, 2 * i + 1);
        let pushes = p[normal] >= -forces[normal] && vanishes(normal);
        match *choice {
            ContactChoice::Free => rows[normal].value >= -rows[normal].bound,
            ContactChoice::Closed | ContactChoice::SlidesOn(_) => pushes,
            ContactChoice::Sticks => {
                let most = relations.laws[i].friction.map_or(0.0, |(sticking, _)| sticking);
                let room = forces[tangent] + most * forces[normal];
                pushes && vanishes(tangent) && p[tangent].abs() <= most * p[normal] + room
            }
            ContactChoice::Slides(direction) => {
                pushes && direction * rows[tangent].value >= -rows[tangent].bound
            }
        }
    };
    choices.iter().enumerate().all(holds).then_some(Combination { choices, p, rows })
}

/// Forces or impulses that make the rows zero which a combination says are.
pub(super) fn forces(relations: &Relations, free: &[Inexact], choices: &[ContactChoice]) -> Option<Vec<f64>> {
    forces_of(relations, free, choices, &unknowns_of(relations, choices))
}

/// The same, where contacts push only: of redundant ones those that would pull take no part. Whether the others suffice
/// is seen from their rows.
fn pushing_forces(relations: &Relations, free: &[Inexact], choices: &[ContactChoice]) -> Option<Vec<f64>> {
    let mut unknowns = unknowns_of(relations, choices);
    loop {
        let p = forces_of(relations, free, choices, &unknowns)?;
        let scaled = |row: usize| p[row] * relations.w(row, row).max(0.0).sqrt();
        let largest = (0..p.len()).map(|row| scaled(row).abs()).fold(0.0, f64::max);
        let normals = unknowns.iter().copied().filter(|unknown| unknown % 2 == 0);
        let pulling = normals.filter(|&row| scaled(row) < -ROUNDING * largest);
        let Some(worst) = pulling.min_by(|&a, &b| scaled(a).total_cmp(&scaled(b))) else { return Some(p) };
        unknowns.retain(|unknown| unknown / 2 != worst / 2);
    }
}

/// The rows with a force that is not known.
fn unknowns_of(relations: &Relations, choices: &[ContactChoice]) -> Vec<usize> {
    let mut unknowns = Vec::new();
    for (i, choice) in choices.iter().enumerate() {
        match choice {
            ContactChoice::Free => {}
            ContactChoice::Sticks if !relations.has_gap(i) => unknowns.push(2 * i + 1),
            _ if !relations.has_gap(i) => {}
            ContactChoice::Closed | ContactChoice::Slides(_) | ContactChoice::SlidesOn(_) => {
                unknowns.push(2 * i);
            }
            ContactChoice::Sticks => unknowns.extend([2 * i, 2 * i + 1]),
        }
    }
    unknowns
}

fn forces_of(
    relations: &Relations,
    free: &[Inexact],
    choices: &[ContactChoice],
    unknowns: &[usize],
) -> Option<Vec<f64>> {
    // A contact that slides has its friction in the column of its normal.
    let along = |unknown: usize| sliding_friction(relations, unknown / 2, choices[unknown / 2]);
    let entry = |row: usize, unknown: usize| {
        let friction = along(unknown);
        let pushed = if friction == 0.0 { 0.0 } else { friction * relations.w(row, unknown + 1) };
        relations.w(row, unknown) + pushed
    };
    let matrix: Vec<f64> = unknowns
        .iter()
        .flat_map(|&row| unknowns.iter().map(move |&unknown| (row, unknown)))
        .map(|(r, u)| entry(r, u))
        .collect();
    let mut p = given_forces(relations, choices);
    let given: Vec<usize> = (0..p.len()).filter(|&row| row % 2 == 1 && p[row] != 0.0).collect();
    let moved = |row: usize| given.iter().map(|&by| relations.w(row, by) * p[by]).sum::<f64>();
    let right: Vec<f64> = unknowns.iter().map(|&row| -free[row].value - moved(row)).collect();
    let solved = solve_least(&matrix, &right)?;
    for (&unknown, value) in unknowns.iter().zip(solved) {
        p[unknown] = value;
        if along(unknown) != 0.0 {
            p[unknown + 1] = along(unknown) * value;
        }
    }
    share_sticking(relations, choices, &mut p);
    Some(p)
}

/// Forces by rows that are known before any others: those that press where they are given, with friction that slides.
pub(super) fn given_forces(relations: &Relations, choices: &[ContactChoice]) -> Vec<f64> {
    let mut p = vec![0.0; 2 * relations.count()];
    for (i, choice) in choices.iter().enumerate().filter(|(_, choice)| **choice != ContactChoice::Free) {
        if let Some(force) = relations.laws[i].given {
            p[2 * i] = force;
            p[2 * i + 1] = sliding_friction(relations, i, *choice) * force;
        }
    }
    p
}

/// Friction for a normal force of one, where a contact slides.
pub(super) fn sliding_friction(relations: &Relations, contact: usize, choice: ContactChoice) -> f64 {
    match choice {
        ContactChoice::Slides(direction) | ContactChoice::SlidesOn(direction) => {
            -direction * relations.laws[contact].friction.map_or(0.0, |(_, sliding)| sliding)
        }
        _ => 0.0,
    }
}

/// Contacts that stick share friction by what presses on them.
fn share_sticking(relations: &Relations, choices: &[ContactChoice], p: &mut [f64]) {
    let sticking: Vec<usize> = (0..choices.len()).filter(|&i| choices[i] == ContactChoice::Sticks).collect();
    if sticking.len() < 2 {
        return;
    }
    let tangents = || sticking.iter().map(|i| 2 * i + 1);
    let products: Vec<f64> =
        tangents().flat_map(|row| tangents().map(move |other| relations.w(row, other))).collect();
    let bears =
        |&i: &usize| relations.laws[i].friction.map_or(0.0, |(sticking, _)| sticking * p[2 * i].abs());
    let weights: Vec<f64> = sticking.iter().map(bears).collect();
    let friction: Vec<f64> = tangents().map(|row| p[row]).collect();
    let all_have_gaps = sticking.iter().all(|&i| relations.has_gap(i));
    let share = if all_have_gaps { share_friction } else { share_by_limits };
    let shared = share(&products, &friction, &weights);
    tangents().zip(shared).for_each(|(row, share)| p[row] = share);
}

/// How exactly forces are known: what their rows are uncertain by, and rounding of the largest.
pub(super) fn force_bounds(relations: &Relations, rows: &[Inexact], p: &[f64]) -> Vec<f64> {
    let own = |i: usize| relations.w(i, i);
    let largest = (0..p.len()).map(|i| p[i].abs() * own(i).max(0.0).sqrt()).fold(0.0, f64::max);
    let bound = |i: usize| match own(i) {
        w if w > 0.0 => rows[i].bound / w + ROUNDING * largest / w.sqrt(),
        _ => 0.0,
    };
    (0..p.len()).map(bound).collect()
}
