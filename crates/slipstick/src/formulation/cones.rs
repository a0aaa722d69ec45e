//! How contacts that stick share friction: as they share what presses on them, times how rough they are.
//!
//! On a plane a body slides where the friction in all of its contacts together is too large. With equal parts of what
//! each can bear, all reach their limits at once, and none before.

use super::env::Env;
use crate::contact::{rank, respond_beside, share_by_limits, share_friction, share_pushing};
use crate::equations::{ActiveRows, LAW_NUMBERS, System, Terms};
use crate::math::{Matrix, weights_by_masses};

/// The contacts that stick.
pub(super) struct Cones {
    /// The rows of the normals of all that are closed.
    normals: Vec<usize>,
    /// For each that sticks the contact, and the rows of what presses it, if that is not given, and its tangent.
    sticking: Vec<(usize, Option<usize>, usize)>,
    /// All other rows, if a joint is among what sticks: joints pass its friction on to others.
    beside: Option<Vec<usize>>,
    laws: Vec<f64>,
}

impl Cones {
    pub(super) fn new(system: &dyn System, rows: &ActiveRows) -> Self {
        let contacts = system.contacts().iter().enumerate();
        let sticking: Vec<(usize, Option<usize>, usize)> = contacts
            .filter_map(|(k, contact)| {
                let presses = contact.normal().or(contact.pressed_by);
                Some((k, presses.and_then(|row| rows.row(row)), rows.row(contact.tangent?)?))
            })
            .collect();
        let normals = system.contacts().iter().filter_map(|contact| rows.row(contact.normal()?)).collect();
        let is_joint = |(k, ..): &(usize, Option<usize>, usize)| system.contacts()[*k].gap.is_none();
        let beside = sticking.iter().any(is_joint).then(|| {
            let sticks = |row: &usize| sticking.iter().any(|(_, _, tangent)| tangent == row);
            (0..rows.len()).filter(|row| !sticks(row)).collect()
        });
        Self { normals, sticking, beside, laws: vec![0.0; LAW_NUMBERS * system.contacts().len()] }
    }

    /// Whether joints are among what sticks.
    pub(super) fn has_joints(&self) -> bool {
        self.beside.is_some()
    }

    /// Shares normal forces so that none pulls, if they can be, and friction by them, without a change of what they move.
    pub(super) fn share(&mut self, env: &mut Env<'_>, y: &[f64], terms: &Terms, multipliers: &mut [f64]) {
        if self.normals.len() > 1 {
            self.share_normals(terms, multipliers);
        }
        self.share_friction(env, y, terms, multipliers);
    }

    fn share_normals(&self, terms: &Terms, multipliers: &mut [f64]) {
        // A normal force is a multiplier with the other sign.
        if self.normals.iter().all(|&row| multipliers[row] <= 0.0) {
            return;
        }
        let forces: Vec<f64> = self.normals.iter().map(|&row| -multipliers[row]).collect();
        let shared = share_pushing(&products_of(terms, &self.normals), &forces);
        self.normals.iter().zip(shared).for_each(|(&row, force)| multipliers[row] = -force);
    }

    fn share_friction(&mut self, env: &mut Env<'_>, y: &[f64], terms: &Terms, multipliers: &mut [f64]) {
        if self.sticking.len() < 2 {
            return;
        }
        env.laws(y, &mut self.laws);
        let bears = |&(contact, normal, _): &(usize, Option<usize>, usize)| {
            let law = &self.laws[LAW_NUMBERS * contact..];
            let gapless = normal.map_or(law[0], |normal| multipliers[normal]);
            (law[1] * gapless).abs()
        };
        let weights: Vec<f64> = self.sticking.iter().map(bears).collect();
        let tangents = || self.sticking.iter().map(|(_, _, tangent)| *tangent);
        let friction: Vec<f64> = tangents().map(|row| multipliers[row]).collect();
        let Some(others) = &self.beside else {
            let products = products_of(terms, &tangents().collect::<Vec<usize>>());
            let shared = share_friction(&products, &friction, &weights);
            tangents().zip(shared).for_each(|(row, share)| multipliers[row] = share);
            return;
        };
        let all: Vec<usize> = others.iter().copied().chain(tangents()).collect();
        let Terms { mass, jacobian, .. } = terms;
        let products = weighed_products(jacobian, &all, &weights_by_masses(mass, jacobian));
        let Some((left, borne)) = respond_beside(&products, others.len()) else { return };
        let shared = share_by_limits(&left, &friction, &weights);
        for ((row, share), borne) in tangents().zip(shared).zip(borne) {
            let more = share - multipliers[row];
            multipliers[row] = share;
            others.iter().zip(borne).for_each(|(&row, part)| multipliers[row] -= part * more);
        }
    }
}

/// The products of some rows with each other: in the measure in which more of them are independent. In the plain one a
/// radian counts like a metre, and by masses a part of next to no mass counts for more than all others.
fn products_of(Terms { mass, jacobian, .. }: &Terms, rows: &[usize]) -> Vec<f64> {
    let by_masses = weighed_products(jacobian, rows, &weights_by_masses(mass, jacobian));
    if rank(&by_masses, rows.len()) == rows.len() {
        return by_masses;
    }
    let plain = weighed_products(jacobian, rows, &vec![1.0; jacobian.columns()]);
    if rank(&plain, rows.len()) > rank(&by_masses, rows.len()) { plain } else { by_masses }
}

fn weighed_products(jacobian: &Matrix, rows: &[usize], weights: &[f64]) -> Vec<f64> {
    let mut other = vec![0.0; jacobian.columns()];
    let mut products = Vec::with_capacity(rows.len() * rows.len());
    for &row in rows {
        other.fill(0.0);
        jacobian.row(row).for_each(|(j, g)| other[j] = g * weights[j]);
        products.extend(rows.iter().map(|&row| jacobian.row_times(row, &other)));
    }
    products
}
