//! Many contacts at once as a linear complementarity problem: there are too many combinations to try them all.
//!
//! For each contact the force `N` with `0 ≤ a_N ⟂ N ≥ 0`; where it may begin to stick or to slide also `T⁺`, `T⁻` and
//! the size `σ` of the slip that begins, with `0 ≤ a_T + σ ⟂ T⁺`, `0 ≤ -a_T + σ ⟂ T⁻`, `0 ≤ μ N - T⁺ - T⁻ ⟂ σ`.

use super::Relations;
use super::choices::{Combination, ContactChoice, given_forces, sliding_friction, solution};
use crate::expr::Inexact;
use crate::math::lcp::{LcpOutcome, Problem, Solution, solve};

/// What one unknown of the problem is, by its contact.
#[derive(Clone, Copy)]
enum Unknown {
    /// A normal force, with the friction that goes with it per unit.
    Normal(usize, f64),
    /// Friction in the positive or negative direction.
    Friction(usize, f64),
    /// The size of the slip that begins.
    Slip(usize),
}

/// What came of the problem.
pub(super) enum Attempted {
    Solved(Combination),
    /// It is proved that there is no solution.
    Impossible,
    Undecided,
}

/// A solution, if there is one.
pub(super) fn one_solution(
    relations: &Relations,
    free: &[Inexact],
    choices: &[Vec<ContactChoice>],
) -> Attempted {
    let firsts: Vec<ContactChoice> =
        choices.iter().map(|of| of.first().copied().unwrap_or(ContactChoice::Free)).collect();
    let given = given_forces(relations, &firsts);
    let pushed = relations.after(free, &given);
    let unknowns: Vec<Unknown> =
        choices.iter().enumerate().flat_map(|(i, of)| unknowns(relations, i, of)).collect();
    let rows: Vec<UnknownRow> =
        unknowns.iter().map(|&unknown| UnknownRow::of(unknown, &unknowns, relations)).collect();
    let matrix: Vec<f64> = rows
        .iter()
        .flat_map(|row| {
            unknowns.iter().enumerate().map(move |(column, &of)| row.entry(relations, column, of))
        })
        .collect();
    let constant: Vec<f64> = rows.iter().map(|row| row.constant(&pushed)).collect();
    match solve(&Problem { matrix: &matrix, constant: &constant }) {
        LcpOutcome::Solution(solved) => {
            let problem = ContactLcp { relations, free, choices, unknowns: &unknowns };
            Attempted::Solved(problem.read(given, &solved))
        }
        outcome if outcome.proves_no_solution() => Attempted::Impossible,
        _ => Attempted::Undecided,
    }
}

/// The unknowns of a contact; none if it can have no force.
fn unknowns(relations: &Relations, i: usize, choices: &[ContactChoice]) -> Vec<Unknown> {
    match choices.first() {
        None | Some(ContactChoice::Free) => Vec::new(),
        Some(ContactChoice::Sticks) if !relations.has_gap(i) => {
            vec![Unknown::Friction(i, 1.0), Unknown::Friction(i, -1.0), Unknown::Slip(i)]
        }
        _ if !relations.has_gap(i) => Vec::new(),
        Some(ContactChoice::Closed) => vec![Unknown::Normal(i, 0.0)],
        Some(choice @ (ContactChoice::Slides(_) | ContactChoice::SlidesOn(_))) if choices.len() == 2 => {
            vec![Unknown::Normal(i, sliding_friction(relations, i, *choice))]
        }
        Some(_) => vec![
            Unknown::Normal(i, 0.0),
            Unknown::Friction(i, 1.0),
            Unknown::Friction(i, -1.0),
            Unknown::Slip(i),
        ],
    }
}

/// One row: a part of a row of the relations, and of the other unknowns of the contact.
struct UnknownRow {
    /// The row of the relations, with its sign; none for the cone.
    relation: Option<(usize, f64)>,
    /// What a cone has that is pressed by a given force.
    most: f64,
    /// Coefficients of other unknowns, by their columns.
    own: Vec<(usize, f64)>,
}

impl UnknownRow {
    fn of(unknown: Unknown, unknowns: &[Unknown], relations: &Relations) -> Self {
        let place = |wanted: fn(&Unknown, usize) -> bool, i: usize| {
            unknowns.iter().position(|unknown| wanted(unknown, i)).into_iter()
        };
        let slip = |i: usize| place(|u, i| matches!(u, Unknown::Slip(k) if *k == i), i);
        match unknown {
            Unknown::Normal(i, _) => Self { relation: Some((2 * i, 1.0)), most: 0.0, own: Vec::new() },
            Unknown::Friction(i, sign) => {
                let own = slip(i).map(|k| (k, 1.0)).collect();
                Self { relation: Some((2 * i + 1, sign)), most: 0.0, own }
            }
            Unknown::Slip(i) => {
                let most = relations.laws[i].friction.map_or(0.0, |(sticking, _)| sticking);
                let normal =
                    place(|u, i| matches!(u, Unknown::Normal(k, _) if *k == i), i).map(|k| (k, most));
                let plus = place(|u, i| matches!(u, Unknown::Friction(k, s) if *k == i && *s > 0.0), i);
                let minus = place(|u, i| matches!(u, Unknown::Friction(k, s) if *k == i && *s < 0.0), i);
                let given = most * relations.laws[i].given.unwrap_or(0.0);
                Self {
                    relation: None,
                    most: given,
                    own: normal.chain(plus.chain(minus).map(|k| (k, -1.0))).collect(),
                }
            }
        }
    }

    fn entry(&self, relations: &Relations, column: usize, of: Unknown) -> f64 {
        let own: f64 = self.own.iter().filter(|(k, _)| *k == column).map(|(_, value)| value).sum();
        let Some((row, sign)) = self.relation else { return own };
        let moved = match of {
            Unknown::Normal(i, 0.0) => relations.w(row, 2 * i),
            Unknown::Normal(i, friction) => relations.w(row, 2 * i) + friction * relations.w(row, 2 * i + 1),
            Unknown::Friction(i, direction) => direction * relations.w(row, 2 * i + 1),
            Unknown::Slip(_) => 0.0,
        };
        own + sign * moved
    }

    fn constant(&self, free: &[Inexact]) -> f64 {
        self.relation.map_or(self.most, |(row, sign)| sign * free[row].value)
    }
}

/// The problem of some contacts.
struct ContactLcp<'p> {
    relations: &'p Relations,
    free: &'p [Inexact],
    choices: &'p [Vec<ContactChoice>],
    unknowns: &'p [Unknown],
}

impl ContactLcp<'_> {
    /// What each contact does, and with which forces beside those that are given. The basis decides; its equations are solved
    /// again for exact forces.
    fn read(&self, mut p: Vec<f64>, solved: &Solution) -> Combination {
        let first =
            |i: usize| if self.relations.has_gap(i) { ContactChoice::Free } else { self.choices[i][0] };
        let mut chosen: Vec<ContactChoice> = (0..self.choices.len()).map(first).collect();
        for (k, unknown) in self.unknowns.iter().enumerate() {
            match *unknown {
                Unknown::Normal(i, friction) => {
                    p[2 * i] = solved.z[k];
                    p[2 * i + 1] += friction * solved.z[k];
                    if solved.basic[k] {
                        chosen[i] = self.choices[i][0];
                    }
                }
                Unknown::Friction(i, sign) => p[2 * i + 1] += sign * solved.z[k],
                Unknown::Slip(_) => {}
            }
        }
        let rows = self.relations.after(self.free, &p);
        for (k, unknown) in self.unknowns.iter().enumerate() {
            if let Unknown::Slip(i) = *unknown
                && chosen[i] != ContactChoice::Free
                && solved.basic[k]
            {
                chosen[i] = ContactChoice::Slides(if rows[2 * i + 1].value < 0.0 { -1.0 } else { 1.0 });
            }
        }
        solution(self.relations, self.free, chosen.clone()).unwrap_or(Combination {
            choices: chosen,
            p,
            rows,
        })
    }
}
