//! The equations of motion of a mechanism, derived symbolically: `M v' = f - Gᵀ λ` with `q' = v`.
//!
//! From energies by Lagrange: `p = ∂T/∂v`, `M = ∂p/∂v`, `f = Q + ∂T/∂q - ∂V/∂q - ∂p/∂q v - ∂p/∂t`. Constraints `g(t, q) = 0` are differentiated twice along
//! the motion with the branches in them locked, `G v' = -γ` with `G = ∂g/∂q`; constraints on speeds `b(t, q, v) = 0` once, with `G = ∂b/∂v` (paper 003, section 4.1).

use super::lowering::{Lowering, input};
use crate::expr::{Arena, ExprId, InputId};
use crate::model::{Model, Scope, Versions};

/// Inputs that stand for accelerations, and behind them multipliers and reactions, until the number of all others is known: beyond them, and before those of locks.
const FIRST_OF_MOTION: u32 = 1 << 29;

/// The formulas of a mechanism with `n` coordinates and `m` constraints, those of positions first.
#[derive(Clone, Debug, Default)]
pub(super) struct MechanismParts {
    pub(super) names: Vec<String>,
    /// How many of the constraints are of positions.
    pub(super) holonomic: usize,
    /// `M` by rows, `f`, `G` by rows, `-γ`.
    pub(super) mass: Vec<ExprId>,
    pub(super) force: Vec<ExprId>,
    pub(super) jacobian: Vec<ExprId>,
    pub(super) level: Vec<ExprId>,
    /// The constraints of positions, and the rates of all.
    pub(super) position: Vec<ExprId>,
    pub(super) velocity: Vec<ExprId>,
    /// What those of positions change by with time alone, and the constraints of speeds themselves.
    pub(super) offset: Vec<ExprId>,
    /// The derivatives of those rates by the coordinates, by rows.
    pub(super) slopes: Vec<ExprId>,
    /// The applied force on each coordinate, and the entries of `inertia` with their places.
    pub(super) applied: Vec<ExprId>,
    pub(super) entries: Vec<(usize, usize, ExprId)>,
    /// For each mode, the energies and powers.
    pub(super) energies: Vec<Vec<ExprId>>,
}

impl MechanismParts {
    /// How many inputs the motion has: accelerations, multipliers and reactions.
    pub(super) fn motion(&self) -> usize {
        2 * self.force.len() + self.names.len()
    }

    /// The formula of a constraint: of positions, or of speeds.
    pub(super) fn constraint(&self, row: usize) -> ExprId {
        self.position.get(row).copied().unwrap_or(self.velocity[row])
    }

    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut ExprId> {
        let terms = self.mass.iter_mut().chain(&mut self.force).chain(&mut self.jacobian);
        let residuals = self.position.iter_mut().chain(&mut self.velocity).chain(&mut self.offset);
        let residuals = residuals.chain(&mut self.slopes);
        terms.chain(&mut self.level).chain(residuals).chain(self.energies.iter_mut().flatten())
    }
}

/// The input that stands for an acceleration, or behind those for a multiplier.
pub(super) fn of_motion(arena: &mut Arena, i: usize) -> ExprId {
    arena.input(motion_input(i))
}

pub(super) fn motion_input(i: usize) -> InputId {
    InputId(FIRST_OF_MOTION + u32::try_from(i).unwrap_or(0))
}

/// Which constraints of the model are of speeds.
fn of_speeds(model: &Model, scope: &Scope<'_>) -> Vec<bool> {
    let of_speeds = |versions: &Versions<'_>| versions.formulas().any(|c| model.is_of_speeds(c, scope));
    model.constraint_versions().iter().map(of_speeds).collect()
}

/// The place of each constraint of the model among the rows: those of positions come first.
pub(super) fn rows_of(model: &Model, scope: &Scope<'_>) -> Vec<usize> {
    let of_speeds = of_speeds(model, scope);
    let mut next = [0, of_speeds.iter().filter(|of_speeds| !**of_speeds).count()];
    let row = |of_speeds: bool| {
        next[usize::from(of_speeds)] += 1;
        next[usize::from(of_speeds)] - 1
    };
    of_speeds.into_iter().map(row).collect()
}

impl Lowering<'_> {
    /// The equations of motion of the model's mechanism.
    pub(super) fn mechanism(&mut self, model: &Model, derivatives: &[Vec<ExprId>]) -> MechanismParts {
        let n = model.mechanism.coordinates;
        if n == 0 {
            return MechanismParts::default();
        }
        let mut parts = MechanismParts { applied: self.forces(model, n), ..MechanismParts::default() };
        self.motion(model, &mut parts);
        let of_speeds = of_speeds(model, &Scope::new(model));
        parts.holonomic = of_speeds.iter().filter(|of_speeds| !**of_speeds).count();
        let constraints = model.mechanism.constraints.iter().zip(model.constraint_versions());
        let rows: Vec<_> = constraints.zip(of_speeds).collect();
        for ((constraint, versions), _) in rows.iter().filter(|(_, of_speeds)| !of_speeds) {
            let position = self.constraint(model, &constraint.name, versions);
            let velocity = self.along(position, n);
            parts.position.push(position);
            parts.offset.push(self.partial(position, 0));
            self.constrain(&mut parts, &constraint.name, position, 1, velocity, n);
        }
        for ((constraint, versions), _) in rows.iter().filter(|(_, of_speeds)| *of_speeds) {
            let velocity = self.constraint(model, &constraint.name, versions);
            parts.offset.push(velocity);
            self.constrain(&mut parts, &constraint.name, velocity, 1 + n, velocity, n);
        }
        parts.energies = self.energies(model, &parts, derivatives);
        parts
    }

    /// The formula of a constraint: zero in modes in which it does not hold.
    fn constraint(&mut self, model: &Model, name: &str, versions: &Versions<'_>) -> ExprId {
        self.by_mode(model, versions, |of, formula, mode| {
            of.locked(formula, &format!("{mode}constraints.{name}"))
        })
    }

    /// Adds a row: `G` has the derivatives of `surface` by the inputs from `first` on.
    fn constrain(
        &mut self,
        parts: &mut MechanismParts,
        name: &str,
        surface: ExprId,
        first: usize,
        velocity: ExprId,
        n: usize,
    ) {
        parts.names.push(name.to_owned());
        let entries = self.gradient(surface, first..first + n);
        parts.jacobian.extend(entries);
        let slopes = self.gradient(velocity, 1..1 + n);
        parts.slopes.extend(slopes);
        let rate = self.along(velocity, n);
        parts.velocity.push(velocity);
        parts.level.push(self.arena.neg(rate));
    }

    /// The mass matrix and the forces.
    fn motion(&mut self, model: &Model, parts: &mut MechanismParts) {
        let (n, zero) = (parts.applied.len(), self.arena.constant(0.0));
        let (mut mass, mut force) = (vec![zero; n * n], parts.applied.clone());
        if let Some(kinetic) = &model.mechanism.kinetic {
            let kinetic = self.locked(kinetic, "kinetic");
            for i in 0..n {
                let momentum = self.partial(kinetic, 1 + n + i);
                for j in 0..n {
                    mass[i * n + j] = self.partial(momentum, 1 + n + j);
                }
                let (pushed, drift) = (self.partial(kinetic, 1 + i), self.along(momentum, n));
                force[i] = self.arena.add(force[i], pushed);
                force[i] = self.arena.sub(force[i], drift);
            }
        }
        if let Some(potential) = &model.mechanism.potential {
            let potential = self.locked(potential, "potential");
            for (i, force) in force.iter_mut().enumerate() {
                let slope = self.partial(potential, 1 + i);
                *force = self.arena.sub(*force, slope);
            }
        }
        for entry in &model.mechanism.inertia {
            let Some((i, j)) = self.names.inertia_place(&entry.name) else { continue };
            let value = self.locked(&entry.formula, &format!("inertia.{}", entry.name));
            parts.entries.push((i, j, value));
            mass[i * n + j] = self.arena.add(mass[i * n + j], value);
            if i != j {
                mass[j * n + i] = self.arena.add(mass[j * n + i], value);
            }
        }
        (parts.mass, parts.force) = (mass, force);
    }

    fn forces(&mut self, model: &Model, n: usize) -> Vec<ExprId> {
        let mut forces = vec![self.arena.constant(0.0); n];
        for ((coordinate, versions), sum) in
            model.coordinates().iter().zip(model.force_versions()).zip(&mut forces)
        {
            let key = format!("forces.{}", coordinate.name);
            if let Some(common) = versions.common {
                *sum = self.locked(common, &key);
            }
            // The force of the mode that holds is added.
            let own = Versions { common: None, modes: versions.modes };
            let own =
                self.by_mode(model, &own, |of, formula, mode| of.locked(formula, &format!("{mode}{key}")));
            *sum = self.arena.add(*sum, own);
        }
        forces
    }

    /// The derivatives by some inputs. A formula has few of all that there are.
    fn gradient(&mut self, of: ExprId, by: std::ops::Range<usize>) -> Vec<ExprId> {
        let mut gradient = vec![self.arena.constant(0.0); by.len()];
        for input in self.arena.inputs_of(&[of]).into_iter().map(InputId::index) {
            if by.contains(&input) {
                gradient[input - by.start] = self.partial(of, input);
            }
        }
        gradient
    }

    fn partial(&mut self, of: ExprId, by: usize) -> ExprId {
        let seed = (InputId(u32::try_from(by).unwrap_or(u32::MAX)), self.arena.constant(1.0));
        self.arena.derivative_along(&[of], &[seed])[0]
    }

    /// The rate of an expression along the motion while the speeds stay as they are.
    fn along(&mut self, of: ExprId, n: usize) -> ExprId {
        let mut seeds = vec![(InputId(0), self.arena.constant(1.0))];
        for i in 0..n {
            let speed = input(&mut self.arena, 1 + n + i);
            seeds.push((InputId(u32::try_from(1 + i).unwrap_or(u32::MAX)), speed));
        }
        self.arena.derivative_along(&[of], &seeds)[0]
    }
}
