//! The energy of a mechanism in closures and what changes it: the numbers that `energy.rs` has as formulas.
//!
//! The kinetic energy is `vᵀ M v / 2`. With `T' = vᵀ M a + vᵀ Ṁ v / 2` and the rate of the potential along
//! the motion, the power from outside is `T' + V' + λᵀ ġ`, as there. `Ṁ` comes from differences of fourth
//! order along the motion. Where masses change, or speeds are not the rates of coordinates, the forces of
//! that (Coriolis, gyroscopic) are among the applied ones, and only all together, with `vᵀ Ṁ v / 2`, tell
//! what is put in; elsewhere each speed has its own power.

use super::closure_jets::MechanismJets;
use super::closure_mechanism::Mechanism;
use super::{ActiveRows, Locked, POWER, Terms};

/// The distance of differences, as a part of the largest coordinate.
const DISTANCE: f64 = 1e-3;

/// The scratch to look at the energy of a mechanism with.
pub(super) struct ClosureEnergy<'a> {
    mechanism: &'a Mechanism,
    jets: MechanismJets<'a>,
    terms: Terms,
    /// The rate of the mass matrix, entry by entry, and room for its values beside the motion.
    change: Vec<f64>,
    beside: Vec<f64>,
    rates: Vec<f64>,
    place: Vec<f64>,
    applied: Vec<f64>,
    position: Vec<f64>,
    velocity: Vec<f64>,
}

impl<'a> ClosureEnergy<'a> {
    pub(super) fn new(mechanism: &'a Mechanism) -> Self {
        let (terms, layout) = (mechanism.terms_with(&ActiveRows::default()), mechanism.layout());
        let (m, holonomic) = (mechanism.constraint_count(), mechanism.holonomic_count());
        let entries = terms.mass.values.len();
        Self {
            mechanism,
            jets: MechanismJets::new(mechanism),
            terms,
            change: vec![0.0; entries],
            beside: vec![0.0; entries],
            rates: vec![0.0; layout.q],
            place: vec![0.0; layout.q],
            applied: vec![0.0; layout.v],
            position: vec![0.0; holonomic],
            velocity: vec![0.0; m],
        }
    }

    /// Kinetic and potential energy, power from outside and of applied forces; `motion` has accelerations,
    /// multipliers and reactions.
    pub(super) fn observe(
        &mut self,
        locked: Locked<'_>,
        (t, y): (f64, &[f64]),
        motion: &[f64],
        out: &mut [f64],
    ) {
        let layout = self.mechanism.layout();
        let (q, v) = (&y[..layout.q], &y[layout.q..layout.q + layout.v]);
        self.mechanism.fill_masses(t, q, &mut self.terms.mass.values);
        self.mechanism.fill_forces(locked, t, y, &mut self.applied);
        self.jets.all_residuals(
            (Locked { rows: None, ..locked }, t, y),
            &mut self.position,
            &mut self.velocity,
        );
        let (potential, potential_rate) = self.jets.potential(t, y);
        self.differ_masses(t, y);
        let (accelerations, rest) = motion.split_at(layout.v.min(motion.len()));
        let driven: f64 = rest.iter().zip(&self.velocity).map(|(lambda, rate)| lambda * rate).sum();
        let (kinetic, swelling) = (0.5 * self.form(v, v), 0.5 * self.changing_form(v));
        let power = self.form(v, accelerations) + swelling + potential_rate + driven;
        out[..=POWER].copy_from_slice(&[kinetic, potential, power]);
        self.share_power(v, swelling, &mut out[POWER + 1..]);
    }

    /// The power of each applied force, or of all of them in the first place.
    fn share_power(&self, v: &[f64], swelling: f64, out: &mut [f64]) {
        let powers = self.applied.iter().zip(v).map(|(force, speed)| force * speed);
        if !self.mechanism.has_kinematics() && self.change.iter().all(|change| *change == 0.0) {
            return out.iter_mut().zip(powers).for_each(|(out, power)| *out = power);
        }
        let all = powers.sum::<f64>() + swelling;
        out.fill(0.0);
        out.iter_mut().take(1).for_each(|out| *out = all);
    }

    /// `aᵀ M b`.
    fn form(&self, a: &[f64], b: &[f64]) -> f64 {
        a.iter().enumerate().map(|(i, a)| a * self.terms.mass.row_times(i, b)).sum()
    }

    /// `vᵀ Ṁ v`.
    fn changing_form(&mut self, v: &[f64]) -> f64 {
        std::mem::swap(&mut self.terms.mass.values, &mut self.change);
        let form = self.form(v, v);
        std::mem::swap(&mut self.terms.mass.values, &mut self.change);
        form
    }

    /// The rate of the mass matrix along the motion.
    fn differ_masses(&mut self, t: f64, y: &[f64]) {
        self.jets.rates_of_positions(t, y, &mut self.rates);
        let q = &y[..self.rates.len()];
        let largest = q.iter().fold(1.0_f64, |largest, q| largest.max(q.abs()));
        let fastest = self.rates.iter().fold(1.0_f64, |fastest, rate| fastest.max(rate.abs()));
        let s = DISTANCE * largest / fastest;
        self.change.fill(0.0);
        for (k, weight) in [(-2.0, 1.0), (-1.0, -8.0), (1.0, 8.0), (2.0, -1.0)] {
            for ((place, q), rate) in self.place.iter_mut().zip(q).zip(&self.rates) {
                *place = q + k * s * rate;
            }
            // Constant masses must come out unchanged to the last bit: only differences from here count.
            self.mechanism.fill_masses(t + k * s, &self.place, &mut self.beside);
            for ((change, beside), here) in
                self.change.iter_mut().zip(&self.beside).zip(&self.terms.mass.values)
            {
                *change += weight * (beside - here) / (12.0 * s);
            }
        }
    }
}
