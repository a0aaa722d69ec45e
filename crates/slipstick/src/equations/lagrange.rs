//! The equations of motion of a mechanism, derived symbolically: `M v' = f - Gᵀ λ` with `q' = v`.
//!
//! From energies by Lagrange: `p = ∂T/∂v`, `M = ∂p/∂v`, `f = Q + ∂T/∂q - ∂V/∂q - ∂p/∂q v - ∂p/∂t`.
//! Constraints `g(t, q) = 0` are differentiated twice along the motion with the branches in them locked,
//! `G v' = -γ` with `G = ∂g/∂q`; constraints on speeds `b(t, q, v) = 0` once, with `G = ∂b/∂v` (paper 003,
//! section 4.1).

use super::derivatives::Derivatives;
use super::energy::energies;
use super::laws::LawParts;
use super::lowering::{Lowering, input};
use super::tree::{BodyTree, slack_input};
use crate::expr::{Arena, ExprId, InputId, gradients};
use crate::model::{ContactRule, Model, Scope, Versions};
use std::collections::BTreeMap;

/// Inputs that stand for accelerations, and behind them multipliers and reactions, until the number of all
/// others is known: beyond them, and before those of locks.
const FIRST_OF_MOTION: u32 = 1 << 29;

/// An entry of a matrix.
#[derive(Clone, Copy, Debug)]
pub(super) struct FormulaEntry {
    pub(super) row: usize,
    pub(super) column: usize,
    pub(super) value: ExprId,
}

/// The formulas of a mechanism with `n` coordinates and `m` constraints, those of positions first.
#[derive(Clone, Debug, Default)]
pub(super) struct MechanismParts {
    pub(super) names: Vec<String>,
    /// How many of the constraints are of positions.
    pub(super) holonomic: usize,
    /// `M` by rows, `f`, `G` by rows, `-γ`; of matrices the entries that are not always zero.
    pub(super) mass: Vec<FormulaEntry>,
    pub(super) force: Vec<ExprId>,
    pub(super) jacobian: Vec<FormulaEntry>,
    pub(super) level: Vec<ExprId>,
    /// The constraints of positions, and the rates of all.
    pub(super) position: Vec<ExprId>,
    pub(super) velocity: Vec<ExprId>,
    /// What those of positions change by with time alone, and the constraints of speeds themselves.
    pub(super) offset: Vec<ExprId>,
    /// The derivatives of those rates by the coordinates, by rows.
    pub(super) slopes: Vec<FormulaEntry>,
    /// What each multiplier adds to the forces, by its constraint and the coordinate that it pushes.
    pub(super) feedback: Vec<FormulaEntry>,
    /// The applied force on each coordinate, and the entries of `inertia`.
    pub(super) applied: Vec<ExprId>,
    pub(super) entries: Vec<FormulaEntry>,
    /// The energies and powers: for each mode, or once if they are the same in all.
    pub(super) energies: Vec<Vec<ExprId>>,
    /// What joints that carry bodies hold them with, and the kinetic energy of those bodies.
    pub(super) holds: Vec<ExprId>,
    pub(super) kinetic_of_trees: Option<ExprId>,
    /// The numbers of laws.
    pub(super) laws: LawParts,
}

impl MechanismParts {
    /// Derives the equations of motion of the model's mechanism.
    pub(super) fn derive(lowering: &mut Lowering<'_>, model: &Model, derivatives: &Derivatives) -> Self {
        let n = model.mechanism.coordinates;
        if n == 0 {
            return Self::default();
        }
        let tree = BodyTree::read(lowering, model);
        let holds = model.tree().map_or(0, |tree| tree.holds.len());
        let mut lagrange = Lagrange { lowering, model, n, holds };
        let mut pushing = lagrange.forces(&tree);
        let mut parts = Self { applied: pushing[..n].to_vec(), ..Self::default() };
        lagrange.motion(&mut parts, &tree, &mut pushing);
        lagrange.constraints(&mut parts, &mut pushing[n..]);
        parts.holds = pushing.split_off(n);
        parts.energies = energies(lowering, model, &parts, derivatives);
        parts.laws = LawParts { contacts: lowering.contact_laws(model), impulses: lowering.impulses(model) };
        parts
    }

    /// How many inputs the motion has: accelerations, multipliers and reactions.
    pub(super) fn motion(&self) -> usize {
        2 * self.force.len() + self.names.len()
    }

    /// The constraints whose multipliers a formula reads; a reaction is made of all.
    pub(super) fn multipliers_in(&self, arena: &Arena, formula: ExprId) -> Vec<usize> {
        let (n, m) = (self.force.len(), self.names.len());
        let of_motion = arena.inputs_of(&[formula]).into_iter().filter_map(place_in_motion);
        let mut read: Vec<usize> = of_motion
            .flat_map(|place| match place.checked_sub(n) {
                Some(row) if row < m => row..row + 1,
                _ => 0..m,
            })
            .collect();
        read.sort_unstable();
        read.dedup();
        read
    }

    /// The coordinate whose force is not linear in multipliers, if there is one.
    pub(super) fn nonlinear_force(&self, arena: &Arena) -> Option<usize> {
        let is_nonlinear = |entry: &&FormulaEntry| !self.multipliers_in(arena, entry.value).is_empty();
        self.feedback.iter().find(is_nonlinear).map(|entry| entry.column)
    }

    /// The formula of a constraint: of positions, or of speeds.
    pub(super) fn constraint(&self, row: usize) -> ExprId {
        self.position.get(row).copied().unwrap_or(self.velocity[row])
    }

    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut ExprId> {
        let entries = self.mass.iter_mut().chain(&mut self.jacobian).chain(&mut self.slopes);
        let residuals = self.position.iter_mut().chain(&mut self.velocity).chain(&mut self.offset);
        let rows = self.force.iter_mut().chain(&mut self.level).chain(residuals);
        let entries = entries.chain(&mut self.feedback);
        let rows = rows.chain(self.laws.all_mut());
        entries.map(|entry| &mut entry.value).chain(rows).chain(self.energies.iter_mut().flatten())
    }
}

/// The input that stands for an acceleration, or behind those for a multiplier.
pub(super) fn of_motion(arena: &mut Arena, i: usize) -> ExprId {
    arena.input(motion_input(i))
}

pub(super) fn motion_input(i: usize) -> InputId {
    InputId(FIRST_OF_MOTION + u32::try_from(i).unwrap_or(0))
}

/// The place of an input among those of the motion, if it is one of them.
fn place_in_motion(input: InputId) -> Option<usize> {
    let place = input.index().checked_sub(FIRST_OF_MOTION as usize)?;
    (place < FIRST_OF_MOTION as usize).then_some(place)
}

/// Whether an input is an acceleration, a multiplier or a reaction.
pub(super) fn is_of_motion(input: InputId) -> bool {
    place_in_motion(input).is_some()
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

/// Derives the formulas of a mechanism from what the model says.
struct Lagrange<'l, 'm> {
    lowering: &'l mut Lowering<'m>,
    model: &'l Model,
    /// How many coordinates there are.
    n: usize,
    /// How much joints hold that carry bodies, whose forces are looked at: behind the coordinates.
    holds: usize,
}

/// Which inputs a gradient is by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Coordinates,
    Rates,
}

impl Lagrange<'_, '_> {
    /// The formula of a constraint: zero in modes in which it does not hold, and while its contact does not.
    fn constraint(&mut self, index: usize, name: &str, versions: &Versions<'_>) -> ExprId {
        let owns = |contact: &&ContactRule| [contact.normal(), contact.tangent()].contains(&Some(index));
        let owner = self.model.mechanism.contacts.iter().find(owns);
        let row = self.lowering.by_mode(self.model, versions, |of, formula, mode| match owner {
            Some(contact) => of.locked_row(contact, formula),
            None => of.locked(formula, &format!("{mode}constraints.{name}")),
        });
        self.lowering.while_contact(self.model, index, row)
    }

    /// The constraints: those of positions first.
    fn constraints(&mut self, parts: &mut MechanismParts, holds: &mut [ExprId]) {
        let n = self.n;
        let of_speeds = of_speeds(self.model, &Scope::new(self.model));
        let constraints = self.model.mechanism.constraints.iter().zip(self.model.constraint_versions());
        let rows: Vec<_> = constraints.zip(of_speeds).enumerate().collect();
        let mut lower = |wanted: bool| -> Vec<ExprId> {
            let rows = rows.iter().filter(|(_, (_, of_speeds))| *of_speeds == wanted);
            rows.map(|(index, ((constraint, versions), _))| {
                parts.names.push(constraint.name.clone());
                self.constraint(*index, &constraint.name, versions)
            })
            .collect()
        };
        let (positions, speeds) = (lower(false), lower(true));
        let one = self.lowering.arena.constant(1.0);
        parts.holonomic = positions.len();
        parts.offset = self.lowering.arena.derivative_along(&positions, &[(InputId(0), one)]);
        parts.offset.extend(&speeds);
        self.push_holds((&positions, &speeds), holds);
        let (of_coordinates, of_rates) = (1..1 + n, 1 + n..1 + 2 * n);
        let held = entries(
            gradients(&mut self.lowering.arena, &positions, |q| of_coordinates.contains(&q.index())),
            1,
        );
        let slowed =
            entries(gradients(&mut self.lowering.arena, &speeds, |v| of_rates.contains(&v.index())), 1 + n);
        let below =
            slowed.into_iter().map(|entry| FormulaEntry { row: entry.row + positions.len(), ..entry });
        parts.jacobian = held.into_iter().chain(below).collect();
        parts.velocity = self.along(&positions);
        parts.velocity.extend(&speeds);
        let slopes =
            gradients(&mut self.lowering.arena, &parts.velocity, |q| of_coordinates.contains(&q.index()));
        parts.slopes = entries(slopes, 1);
        let rates = self.along(&parts.velocity);
        parts.level = rates.into_iter().map(|rate| self.lowering.arena.neg(rate)).collect();
        parts.position = positions;
    }

    /// The mass matrix and the forces.
    fn motion(&mut self, parts: &mut MechanismParts, tree: &BodyTree, pushing: &mut Vec<ExprId>) {
        let mut mass: BTreeMap<(usize, usize), ExprId> = BTreeMap::new();
        let mut force = pushing.clone();
        if !tree.is_empty() {
            self.tree_terms(tree, &mut mass, &mut force);
            parts.kinetic_of_trees = Some(tree.kinetic(&mut self.lowering.arena));
        }
        if let Some(kinetic) = &self.model.mechanism.kinetic {
            let kinetic = self.lowering.locked(kinetic, "kinetic");
            self.kinetic_terms(kinetic, &mut mass, &mut force);
        }
        if let Some(potential) = &self.model.mechanism.potential {
            let potential = self.lowering.locked(potential, "potential");
            for (i, slope) in self.gradient(potential, By::Coordinates) {
                force[i] = self.lowering.arena.sub(force[i], slope);
            }
        }
        let zero = self.lowering.arena.constant(0.0);
        for entry in &self.model.mechanism.inertia {
            let Some((row, column)) = self.lowering.names.inertia_place(&entry.name) else { continue };
            let value = self.lowering.locked(&entry.formula, &format!("inertia.{}", entry.name));
            parts.entries.push(FormulaEntry { row, column, value });
            let halves = if row == column { vec![(row, column)] } else { vec![(row, column), (column, row)] };
            for place in halves {
                let known = mass.get(&place).copied().unwrap_or(zero);
                mass.insert(place, self.lowering.arena.add(known, value));
            }
        }
        parts.mass =
            mass.into_iter().map(|((row, column), value)| FormulaEntry { row, column, value }).collect();
        pushing.truncate(self.n);
        pushing.extend(force.drain(self.n..));
        self.split_forces(force, parts);
    }

    /// Forces that are linear in multipliers: what they are without them, and what each multiplier adds.
    fn split_forces(&mut self, force: Vec<ExprId>, parts: &mut MechanismParts) {
        let (n, m) = (self.n, self.model.mechanism.constraints.len());
        let arena = &mut self.lowering.arena;
        let is_multiplier = |input: InputId| place_in_motion(input).is_some_and(|k| (n..n + m).contains(&k));
        let pushes = entries(gradients(arena, &force, is_multiplier), motion_input(n).index()).into_iter();
        let turned = |entry: FormulaEntry| FormulaEntry { row: entry.column, column: entry.row, ..entry };
        parts.feedback = pushes.map(turned).collect();
        parts.feedback.sort_by_key(|entry| (entry.row, entry.column));
        let zero = arena.constant(0.0);
        let without: Vec<(InputId, ExprId)> = (n..n + m).map(|k| (motion_input(k), zero)).collect();
        parts.force = if parts.feedback.is_empty() { force } else { arena.substitute_all(&force, &without) };
    }

    /// What follows from the kinetic energy: the mass matrix, and forces that come with motion.
    fn kinetic_terms(
        &mut self,
        kinetic: ExprId,
        mass: &mut BTreeMap<(usize, usize), ExprId>,
        force: &mut [ExprId],
    ) {
        let n = self.n;
        for (i, pushed) in self.gradient(kinetic, By::Coordinates) {
            force[i] = self.lowering.arena.add(force[i], pushed);
        }
        let (held, moving): (Vec<_>, Vec<_>) =
            self.gradient(kinetic, By::Rates).into_iter().partition(|(i, _)| *i >= n);
        self.hold_momenta(&held, force);
        let (places, momenta): (Vec<usize>, Vec<ExprId>) = moving.into_iter().unzip();
        let rates = 1 + n..1 + 2 * n;
        let rows = gradients(&mut self.lowering.arena, &momenta, |input| rates.contains(&input.index()));
        for entry in entries(rows, 1 + n) {
            mass.insert((places[entry.row], entry.column), entry.value);
        }
        for (&i, drift) in places.iter().zip(self.along(&momenta)) {
            force[i] = self.lowering.arena.sub(force[i], drift);
        }
    }

    fn forces(&mut self, tree: &BodyTree) -> Vec<ExprId> {
        let mut forces = vec![self.lowering.arena.constant(0.0); self.n];
        for ((coordinate, versions), sum) in
            self.model.coordinates().iter().zip(self.model.force_versions()).zip(&mut forces)
        {
            *sum = self.force(&coordinate.name, versions);
        }
        forces = self.with_places(tree, forces);
        self.add_friction(&mut forces);
        self.add_compliance(&mut forces);
        forces
    }

    /// The force along a coordinate, or on where a body is.
    fn force(&mut self, name: &str, versions: Versions<'_>) -> ExprId {
        let key = format!("forces.{name}");
        let common = match versions.common {
            Some(common) => self.lowering.locked(common, &key),
            None => self.lowering.arena.constant(0.0),
        };
        // The force of the mode that holds is added.
        let own = Versions { common: None, modes: versions.modes };
        let own = self
            .lowering
            .by_mode(self.model, &own, |of, formula, mode| of.locked(formula, &format!("{mode}{key}")));
        self.lowering.arena.add(common, own)
    }

    /// Adds what forces on bodies of trees do along coordinates, and behind those along what joints hold.
    fn with_places(&mut self, tree: &BodyTree, mut forces: Vec<ExprId>) -> Vec<ExprId> {
        let (model, zero) = (self.model, self.lowering.arena.constant(0.0));
        forces.resize(self.n + self.holds, zero);
        let Some(rule) = model.tree() else { return forces };
        let mut wrenches = Vec::new();
        for (body, versions) in rule.bodies.iter().zip(model.place_force_versions()) {
            let mut wrench = [zero; 3];
            for ((sum, name), versions) in wrench.iter_mut().zip(&body.place).zip(versions) {
                *sum = self.force(name, versions);
            }
            wrenches.push(wrench);
        }
        let spread = tree.spread(&mut self.lowering.arena, wrenches);
        for (force, part) in forces.iter_mut().zip(spread) {
            *force = self.lowering.arena.add(*force, part);
        }
        forces
    }

    /// The masses of trees of bodies, and what these push with at constant rates; along what joints hold, with the
    /// accelerations of the motion.
    fn tree_terms(
        &mut self,
        tree: &BodyTree,
        mass: &mut BTreeMap<(usize, usize), ExprId>,
        force: &mut [ExprId],
    ) {
        let arena = &mut self.lowering.arena;
        tree.add_masses(arena, mass);
        let bias = tree.seeds(arena, None);
        let bias = tree.inertial(arena, &bias);
        let bias = tree.spread(arena, bias);
        for (force, part) in force[..self.n].iter_mut().zip(&bias) {
            *force = arena.add(*force, *part);
        }
        if self.holds > 0 {
            let moving = tree.seeds(arena, Some(of_motion));
            let moving = tree.inertial(arena, &moving);
            let moving = tree.spread(arena, moving);
            for (force, part) in force.iter_mut().zip(&moving).skip(self.n) {
                *force = arena.add(*force, *part);
            }
        }
    }

    /// What constraints add to what joints hold with: `-λ ∂g/∂δ` along each way that a joint does not give.
    fn push_holds(&mut self, (positions, speeds): (&[ExprId], &[ExprId]), holds: &mut [ExprId]) {
        if holds.is_empty() {
            return;
        }
        let n = self.n;
        let rows = positions.iter().map(|row| (*row, By::Coordinates));
        for (row, (formula, by)) in rows.chain(speeds.iter().map(|row| (*row, By::Rates))).enumerate() {
            for (i, slope) in self.gradient(formula, by).into_iter().filter(|(i, _)| *i >= n) {
                let arena = &mut self.lowering.arena;
                let multiplier = of_motion(arena, n + row);
                let push = arena.mul(multiplier, slope);
                holds[i - n] = arena.sub(holds[i - n], push);
            }
        }
    }

    /// What the momenta of a kinetic energy that is written add to what joints hold with.
    fn hold_momenta(&mut self, held: &[(usize, ExprId)], force: &mut [ExprId]) {
        if held.is_empty() {
            return;
        }
        let n = self.n;
        let arena = &mut self.lowering.arena;
        let mut seeds = vec![(InputId(0), arena.constant(1.0))];
        for i in 0..n {
            let place = |i: usize| InputId(u32::try_from(i).unwrap_or(u32::MAX));
            seeds.push((place(1 + i), input(arena, 1 + n + i)));
            seeds.push((place(1 + n + i), of_motion(arena, i)));
        }
        let momenta: Vec<ExprId> = held.iter().map(|(_, momentum)| *momentum).collect();
        for ((i, _), drift) in held.iter().zip(arena.derivative_along(&momenta, &seeds)) {
            force[*i] = arena.sub(force[*i], drift);
        }
    }

    /// Adds the friction of contacts that slide: `T ∂u/∂v` on each coordinate.
    fn add_friction(&mut self, forces: &mut [ExprId]) {
        for (force, slip) in self.lowering.sliding_frictions(self.model) {
            for (i, lever) in self.gradient(slip, By::Rates) {
                let push = self.lowering.arena.mul(force, lever);
                forces[i] = self.lowering.arena.add(forces[i], push);
            }
        }
    }

    /// Adds the forces of compliant contacts: `N ∂g/∂q` on each coordinate.
    fn add_compliance(&mut self, forces: &mut [ExprId]) {
        for contact in &self.model.mechanism.compliant {
            let key = format!("contacts.{}", contact.name);
            let force = self.lowering.locked(&contact.force, &key);
            let gap = self.lowering.locked(&contact.gap, &format!("{key}.gap"));
            for (i, lever) in self.gradient(gap, By::Coordinates) {
                let push = self.lowering.arena.mul(force, lever);
                forces[i] = self.lowering.arena.add(forces[i], push);
            }
        }
    }

    /// The derivatives by all coordinates or all rates that are not always zero, with their places among these; behind
    /// them those by what joints hold.
    fn gradient(&mut self, of: ExprId, by: By) -> Vec<(usize, ExprId)> {
        let (n, holds) = (self.n, self.holds);
        let (first, further) = if by == By::Coordinates { (1, 0) } else { (1 + n, 1) };
        let place = |input: InputId| {
            let own = input.index().checked_sub(first).filter(|i| *i < n);
            let slack = || input.index().checked_sub(slack_input(0).index()).filter(|k| *k < 2 * holds);
            own.or_else(|| slack().filter(|k| k % 2 == further).map(|k| n + k / 2))
        };
        let found = gradients(&mut self.lowering.arena, &[of], |input| place(input).is_some());
        found.into_iter().flatten().filter_map(|(input, slope)| Some((place(input)?, slope))).collect()
    }

    /// The rates of expressions along the motion while the speeds stay as they are.
    fn along(&mut self, of: &[ExprId]) -> Vec<ExprId> {
        let n = self.n;
        let mut seeds = vec![(InputId(0), self.lowering.arena.constant(1.0))];
        for i in 0..n {
            let speed = input(&mut self.lowering.arena, 1 + n + i);
            seeds.push((InputId(u32::try_from(1 + i).unwrap_or(u32::MAX)), speed));
        }
        self.lowering.arena.derivative_along(of, &seeds)
    }
}

/// Gradients as rows of a matrix whose first column belongs to the input `first`.
fn entries(gradients: Vec<Vec<(InputId, ExprId)>>, first: usize) -> Vec<FormulaEntry> {
    let row = |(row, gradient): (usize, Vec<(InputId, ExprId)>)| {
        gradient.into_iter().map(move |(input, value)| FormulaEntry {
            row,
            column: input.index() - first,
            value,
        })
    };
    gradients.into_iter().enumerate().flat_map(row).collect()
}
