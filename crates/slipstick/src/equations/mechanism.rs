//! What a formulation asks of a mechanism: `q' = v`, `M v' = f - Gᵀ λ`, constraints on positions and on speeds.

use super::Locked;
use super::formula::load;
use super::lagrange::MechanismParts;
use super::tapes::Compiler;
use crate::expr::{ExprId, Registers, Tape};

/// A constraint of a mechanism.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// The name in the user's words.
    pub name: String,
    /// Whether it is one of positions, `g(t, q) = 0`, or of speeds, `b(t, q, v) = 0`. Those of positions come first.
    pub holonomic: bool,
}

/// The terms of the equations of motion at one point, for `n` speeds and `m` constraints.
#[derive(Clone, Debug, PartialEq)]
pub struct Terms {
    /// `M` by rows.
    pub mass: Vec<f64>,
    /// `f`.
    pub force: Vec<f64>,
    /// `G` by rows.
    pub jacobian: Vec<f64>,
    /// `G v'` as the constraints want it: minus what they change by at constant speeds.
    pub level: Vec<f64>,
}

impl Terms {
    /// Room for a mechanism.
    pub fn new(n: usize, m: usize) -> Self {
        Self { mass: vec![0.0; n * n], force: vec![0.0; n], jacobian: vec![0.0; m * n], level: vec![0.0; m] }
    }
}

/// The formulas of a mechanism, compiled.
#[derive(Clone, Debug)]
pub(super) struct MechanismTapes {
    pub(super) constraints: Vec<Constraint>,
    pub(super) coordinates: usize,
    /// The terms that are not identically zero, with their places: in `M`, `f`, `G` and the level, one after the other.
    places: Vec<usize>,
    terms: Tape,
    residuals: Tape,
    /// The derivatives of the rates of constraints by coordinates, by rows.
    slopes: Tape,
}

/// The scratch to evaluate a mechanism with, and the motion that was last found.
pub(super) struct MechanismScratch {
    terms: Registers,
    residuals: Registers,
    slopes: Registers,
    out: Vec<f64>,
    /// Accelerations, and behind them multipliers.
    pub(super) motion: Vec<f64>,
}

impl Compiler<'_> {
    pub(super) fn mechanism(&self, parts: &MechanismParts) -> Option<MechanismTapes> {
        let coordinates = parts.force.len();
        let all = parts.mass.iter().chain(&parts.force).chain(&parts.jacobian).chain(&parts.level);
        let known = all.copied().enumerate().filter(|(_, id)| self.arena.is_constant(*id) != Some(0.0));
        let (places, terms): (Vec<usize>, Vec<ExprId>) = known.unzip();
        let residuals: Vec<ExprId> = parts.position.iter().chain(&parts.velocity).copied().collect();
        let names = parts.names.iter().enumerate();
        let constraint =
            |(i, name): (usize, &String)| Constraint { name: name.clone(), holonomic: i < parts.holonomic };
        (coordinates > 0).then(|| MechanismTapes {
            constraints: names.map(constraint).collect(),
            coordinates,
            places,
            terms: self.compile(&terms),
            residuals: self.compile(&residuals),
            slopes: self.compile(&parts.slopes),
        })
    }
}

impl MechanismTapes {
    pub(super) fn scratch(&self) -> MechanismScratch {
        let longest = self.places.len().max(2 * self.constraints.len());
        MechanismScratch {
            terms: self.terms.registers(),
            residuals: self.residuals.registers(),
            slopes: self.slopes.registers(),
            out: vec![0.0; longest],
            motion: vec![0.0; self.coordinates + self.constraints.len()],
        }
    }

    pub(super) fn terms(
        &self,
        scratch: &mut MechanismScratch,
        (locked, t, y, parameters): (Locked<'_>, f64, &[f64], &[f64]),
        terms: &mut Terms,
    ) {
        load(&mut scratch.terms, t, y, parameters, locked);
        let out = &mut scratch.out[..self.places.len()];
        self.terms.run(&mut scratch.terms, out);
        let mut parts = [&mut terms.mass, &mut terms.force, &mut terms.jacobian, &mut terms.level];
        for part in &mut parts {
            part.fill(0.0);
        }
        let (mut part, mut first) = (0, 0);
        for (&place, value) in self.places.iter().zip(out) {
            while place - first >= parts[part].len() {
                first += parts[part].len();
                part += 1;
            }
            parts[part][place - first] = *value;
        }
    }

    pub(super) fn residuals(
        &self,
        scratch: &mut MechanismScratch,
        (locked, t, y, parameters): (Locked<'_>, f64, &[f64], &[f64]),
        position: &mut [f64],
        velocity: &mut [f64],
    ) {
        load(&mut scratch.residuals, t, y, parameters, locked);
        let out = &mut scratch.out[..position.len() + velocity.len()];
        self.residuals.run(&mut scratch.residuals, out);
        position.copy_from_slice(&out[..position.len()]);
        velocity.copy_from_slice(&out[position.len()..]);
    }
    pub(super) fn slopes(
        &self,
        scratch: &mut MechanismScratch,
        (locked, t, y, parameters): (Locked<'_>, f64, &[f64], &[f64]),
        slopes: &mut [f64],
    ) {
        load(&mut scratch.slopes, t, y, parameters, locked);
        self.slopes.run(&mut scratch.slopes, slopes);
    }
}
