//! Formulas on their way from a model into one arena: names become inputs, and what can switch is locked.

use super::lagrange::{of_motion, rows_of};
use super::locking::{LockName, Locker, Locks};
use super::tree::{hold_input, slack_input};
use crate::expr::{Arena, BinaryOp, ExprId, InputId, Interpret, Node, NodeId};
use crate::model::{Formula, Logic, Model, Quantity, Scope, Versions};

/// What names stand for.
pub(super) struct Names<'m> {
    scope: Scope<'m>,
    /// The first input of parameters and of switch signs; the time and the states come before.
    pub(super) first_parameter: usize,
    pub(super) first_switch: usize,
    /// Outputs as they are written, and with what can switch in them locked.
    outputs: Vec<ExprId>,
    locked_outputs: Vec<ExprId>,
    /// The places of the multipliers of all constraints among the inputs of the motion.
    multipliers: Vec<usize>,
    /// The place of the first reaction among them.
    first_reaction: usize,
    /// Switches, each as the sign that it is locked to, or softened.
    switches: Vec<ExprId>,
}

impl Names<'_> {
    /// The meaning of a name where nothing is locked.
    pub(super) fn plain(&self, arena: &mut Arena, name: &str) -> Option<ExprId> {
        self.meaning(arena, name, &self.outputs)
    }

    /// The logic of a guard; none if it is a number.
    pub(super) fn logic(&self, guard: &Formula) -> Option<Logic> {
        Logic::of(guard, &self.scope)
    }

    /// What an entry of `inertia` is about.
    pub(super) fn inertia_place(&self, name: &str) -> Option<(usize, usize)> {
        self.scope.inertia_place(name)
    }

    /// The outputs as they are written.
    pub(super) fn plain_outputs_mut(&mut self) -> &mut [ExprId] {
        &mut self.outputs
    }

    /// The place of a coordinate.
    pub(super) fn coordinate(&self, name: &str) -> Option<usize> {
        self.scope.coordinate(name)
    }

    /// The place of a mode.
    pub(super) fn mode(&self, name: &str) -> Option<usize> {
        self.scope.mode(name)
    }

    /// The multiplier of a constraint, by its place in the model.
    pub(super) fn multiplier(&self, arena: &mut Arena, constraint: usize) -> ExprId {
        of_motion(arena, self.multipliers[constraint])
    }

    /// What a name stands for.
    pub(super) fn target(&self, name: &str) -> Option<Quantity> {
        self.scope.meaning(name)
    }

    /// The meaning of a name where everything is locked.
    pub(super) fn locked(&self, arena: &mut Arena, name: &str) -> Option<ExprId> {
        self.meaning(arena, name, &self.locked_outputs)
    }

    fn meaning(&self, arena: &mut Arena, name: &str, outputs: &[ExprId]) -> Option<ExprId> {
        Some(match self.scope.meaning(name)? {
            Quantity::Time => input(arena, 0),
            Quantity::State(i) => input(arena, 1 + i),
            Quantity::Discrete(i) => arena.input(discrete_input(i)),
            Quantity::Parameter(i) => input(arena, self.first_parameter + i),
            Quantity::Switch(i) => self.switches[i],
            Quantity::Output(i) => outputs[i],
            Quantity::Multiplier(i) => of_motion(arena, self.multipliers[i]),
            Quantity::Acceleration(i) => of_motion(arena, i),
            Quantity::Reaction(i) => of_motion(arena, self.first_reaction + i),
            Quantity::Hold(k) => arena.input(hold_input(k)),
            Quantity::Slack(k) => arena.input(slack_input(k)),
        })
    }
}

/// Provisional inputs of discrete variables, until signs and counts are counted; above all but motion and
/// locks.
const FIRST_DISCRETE: u32 = 1 << 28;

/// The input that stands for the index of the mode, behind `discrete` discrete variables.
pub(super) fn place_input(discrete: usize) -> InputId {
    discrete_input(discrete)
}

/// The input that stands for a discrete variable.
pub(super) fn discrete_input(i: usize) -> InputId {
    InputId(FIRST_DISCRETE + u32::try_from(i).unwrap_or(FIRST_DISCRETE - 1))
}

/// Whether an input stands for a discrete variable.
pub(super) fn is_discrete(input: InputId) -> bool {
    (FIRST_DISCRETE..2 * FIRST_DISCRETE).contains(&input.0)
}

/// The input of an index as an expression.
pub(super) fn input(arena: &mut Arena, index: usize) -> ExprId {
    arena.input(InputId(u32::try_from(index).unwrap_or(u32::MAX)))
}

/// Reads formulas into one arena, where names and locks are known.
pub(super) struct Lowering<'m> {
    pub(super) arena: Arena,
    pub(super) names: Names<'m>,
    pub(super) locks: Locks,
}

impl<'m> Lowering<'m> {
    /// The outputs and switches of a model, which other formulas may use.
    pub(super) fn new(model: &'m Model) -> Self {
        let first_parameter = 1 + model.states.len();
        let scope = Scope::new(model);
        let (n, rows) = (model.mechanism.coordinates, rows_of(model, &scope));
        let constraints = rows.len();
        let multipliers = rows.into_iter().map(|row| n + row).collect();
        let names = Names {
            scope,
            multipliers,
            first_reaction: n + constraints,
            first_parameter,
            first_switch: first_parameter + model.parameters.len(),
            outputs: Vec::new(),
            locked_outputs: Vec::new(),
            switches: Vec::new(),
        };
        let locks = Locks::new(first_parameter, model.run.regularise);
        let mut lowering = Self { arena: Arena::new(), names, locks };
        lowering.lower_switches(model);
        lowering.lower_outputs(model);
        lowering
    }

    fn lower_switches(&mut self, model: &Model) {
        for (i, switch) in model.switches.iter().enumerate() {
            let surface = self.surface(&switch.formula, &format!("switches.{}", switch.name));
            let value = input(&mut self.arena, self.names.first_switch + i);
            let width = model.run.regularise.filter(|_| self.locks.varies(&self.arena, surface));
            let Some(width) = width else {
                self.locks.add_switch(&switch.name, surface, value);
                self.names.switches.push(value);
                continue;
            };
            self.locks.add_soft_switch(&switch.name, surface, value);
            let soft = self.soft_switch(&switch.name, surface, width);
            self.names.switches.push(soft.unwrap_or(value));
        }
    }

    /// The values of the named switches, as they are shown: signs, or straight lines if they are softened.
    pub(super) fn shown_switches(&mut self, model: &Model) -> Vec<ExprId> {
        let first = self.names.first_switch;
        let width = model.run.regularise.unwrap_or(0.0);
        let mut shown = Vec::new();
        // Softened switches have further locks between those of the named ones.
        let soft: Vec<bool> =
            self.locks.list.iter().filter(|lock| lock.named).map(|lock| lock.soft).collect();
        for (i, switch) in model.switches.iter().enumerate() {
            let value = input(&mut self.arena, first + i);
            shown.push(if soft[i] { self.plain_line(&switch.formula, width) } else { value });
        }
        shown
    }

    /// The straight line between -1 and 1 as it is written.
    fn plain_line(&mut self, formula: &Formula, width: f64) -> ExprId {
        let surface = match formula.syntax.comparison() {
            Some((_, left, right)) => {
                let [left, right] = [left, right].map(|node| self.plain_node(formula, node));
                self.arena.sub(left, right)
            }
            None => self.plain(formula),
        };
        let [width, most, least] = [width, 1.0, -1.0].map(|number| self.arena.constant(number));
        let line = self.arena.div(surface, width);
        let below = self.arena.binary(BinaryOp::Min, line, most);
        self.arena.binary(BinaryOp::Max, below, least)
    }

    fn soft_switch(&mut self, name: &str, surface: ExprId, width: f64) -> Option<ExprId> {
        let mut locker =
            Locker { names: &self.names, locks: &mut self.locks, name: LockName::In("switches") };
        locker.saturate(&mut self.arena, surface, width, name)
    }

    /// Outputs that nothing uses are only looked at: they need no locks of their own.
    fn lower_outputs(&mut self, model: &Model) {
        let (order, versions) = (model.outputs_in_order(), model.output_versions());
        let used = self.used_outputs(model, &order, &versions);
        let nothing = self.arena.constant(0.0);
        self.names.outputs = vec![nothing; model.outputs.len()];
        self.names.locked_outputs = vec![nothing; model.outputs.len()];
        for i in order {
            let (own, name) = (&versions[i], &model.outputs[i].name);
            self.names.outputs[i] = self.by_mode(model, own, |of, formula, _| of.plain(formula));
            self.names.locked_outputs[i] =
                if used[i] { self.locked_output(model, own, name) } else { nothing };
        }
    }

    fn locked_output(&mut self, model: &Model, versions: &Versions<'_>, name: &str) -> ExprId {
        self.by_mode(model, versions, |of, formula, mode| {
            of.locked(formula, &format!("{mode}outputs.{name}"))
        })
    }

    /// A formula that depends on the mode: its own, the common one, or zero. `lower` gets the prefix of its
    /// key.
    pub(super) fn by_mode(
        &mut self,
        model: &Model,
        versions: &Versions<'_>,
        mut lower: impl FnMut(&mut Self, &Formula, &str) -> ExprId,
    ) -> ExprId {
        let mut value = match versions.common {
            Some(common) => lower(self, common, ""),
            None => self.arena.constant(0.0),
        };
        for &(mode, formula) in versions.modes.iter().rev() {
            let own = lower(self, formula, &format!("modes.{}.", model.modes[mode].name));
            let holds = self.holds(model, mode);
            value = self.arena.select(holds, own, value);
        }
        value
    }

    /// Whether a mode holds.
    pub(super) fn holds(&mut self, model: &Model, mode: usize) -> ExprId {
        let (place, index) =
            (self.arena.input(place_input(model.discrete.len())), self.arena.constant(mode as f64));
        self.arena.binary(BinaryOp::Equal, place, index)
    }

    /// With the locks of the motion, the other outputs too show the branch that holds.
    pub(super) fn lock_outputs(&mut self, model: &Model) -> Vec<ExprId> {
        let versions = model.output_versions();
        for i in model.outputs_in_order() {
            self.names.locked_outputs[i] = self.locked_output(model, &versions[i], &model.outputs[i].name);
        }
        self.names.locked_outputs.clone()
    }

    /// Which outputs the motion depends on. `order` has each output after those that it uses.
    fn used_outputs(&self, model: &Model, order: &[usize], versions: &[Versions<'_>]) -> Vec<bool> {
        let mut used = vec![false; model.outputs.len()];
        for formula in model.moving_formulas().chain(model.tree_formulas()) {
            self.mark_outputs(formula, &mut used);
        }
        let places = model.tree().into_iter().flat_map(|tree| &tree.bodies).flat_map(|body| &body.place);
        for name in places.flat_map(|place| [place.clone(), format!("{place}'")]) {
            if let Some(Quantity::Output(i)) = self.names.scope.meaning(&name) {
                used[i] = true;
            }
        }
        for &i in order.iter().rev() {
            if used[i] {
                versions[i].formulas().for_each(|formula| self.mark_outputs(formula, &mut used));
            }
        }
        used
    }

    fn mark_outputs(&self, formula: &Formula, used: &mut [bool]) {
        for (name, _) in formula.syntax.names() {
            if let Some(Quantity::Output(i)) = self.names.scope.meaning(name) {
                used[i] = true;
            }
        }
    }

    /// A formula as it is written.
    pub(super) fn plain(&mut self, formula: &Formula) -> ExprId {
        self.plain_node(formula, formula.syntax.root())
    }

    fn plain_node(&mut self, formula: &Formula, node: NodeId) -> ExprId {
        let read = formula.syntax.interpret(node, &mut self.arena, &mut AsWritten(&self.names));
        read.unwrap_or_else(|_| self.unknown())
    }

    /// A formula with everything locked that can switch; `place` is its key in the model file.
    pub(super) fn locked(&mut self, formula: &Formula, place: &str) -> ExprId {
        self.locked_node(formula, formula.syntax.root(), place)
    }

    pub(super) fn locked_node(&mut self, formula: &Formula, node: NodeId, place: &str) -> ExprId {
        self.node_locked_as(formula, node, LockName::In(place))
    }

    /// A formula with everything locked that can switch, under a name.
    pub(super) fn locked_as(&mut self, formula: &Formula, name: LockName<'_>) -> ExprId {
        self.node_locked_as(formula, formula.syntax.root(), name)
    }

    fn node_locked_as(&mut self, formula: &Formula, node: NodeId, name: LockName<'_>) -> ExprId {
        let mut locker = Locker { names: &self.names, locks: &mut self.locks, name };
        let read = formula.syntax.interpret(node, &mut self.arena, &mut locker);
        read.unwrap_or_else(|_| self.unknown())
    }

    /// A checked model has no unknown names.
    pub(super) fn unknown(&mut self) -> ExprId {
        self.arena.constant(f64::NAN)
    }

    /// The surface of a guard: the formula itself, or left minus right of a comparison.
    pub(super) fn surface(&mut self, formula: &Formula, place: &str) -> ExprId {
        match formula.syntax.comparison() {
            Some((_, left, right)) => {
                let left = self.locked_node(formula, left, place);
                let right = self.locked_node(formula, right, place);
                self.arena.sub(left, right)
            }
            None => self.locked(formula, place),
        }
    }

    /// The outputs as they are written.
    pub(super) fn plain_outputs(&self) -> &[ExprId] {
        &self.names.outputs
    }
}

/// Reads a formula as it is written.
struct AsWritten<'a, 'm>(&'a Names<'m>);

impl Interpret for AsWritten<'_, '_> {
    fn name(&mut self, arena: &mut Arena, name: &str, _smooth: bool) -> Option<ExprId> {
        self.0.plain(arena, name)
    }

    fn operation(&mut self, arena: &mut Arena, node: Node, _text: &str) -> ExprId {
        arena.build(node)
    }
}
