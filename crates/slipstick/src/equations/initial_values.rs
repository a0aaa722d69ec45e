//! What a run of a compiled system begins with: the values of parameters, and the start values that follow
//! from them. One tape gives them all, so that a run with other parameters is prepared without the model.

use super::parameter_values::ParameterValues;
use crate::expr::{Arena, ExprId, InputId, Tape};
use crate::model::{Definition, Diagnostic, Formula, Model, Quantity, Trigger};

/// The values that a run begins with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InitialValues {
    /// Those of the parameters, in the order of the model.
    pub parameters: Vec<f64>,
    /// Those of the states.
    pub state: Vec<f64>,
    /// Those of the discrete variables.
    pub discrete: Vec<f64>,
}

/// The start values of states and discrete variables.
pub(super) fn start_values(
    model: &Model,
    fixed: &ParameterValues<'_>,
) -> Result<(Vec<f64>, Vec<f64>), Vec<Diagnostic>> {
    let start = |list: &[Definition]| fixed.values(list, "start value of");
    Ok((start(&model.states)?, start(&model.discrete)?))
}

/// Finds the values from the parameters that are given other values.
///
/// There are two inputs for each parameter: whether it is given, and its value.
#[derive(Clone, Debug)]
pub(super) struct InitialTape {
    /// Parameters, states, discrete variables; behind them the times of events that must be finite, and last
    /// the periods, which must be positive.
    tape: Tape,
    parameters: usize,
    states: usize,
    discrete: usize,
    periods: usize,
}

impl InitialTape {
    pub(super) fn new(model: &Model, fixed: &ParameterValues<'_>) -> Self {
        let mut lowered = Lowered::new(model, fixed);
        let starts = model.states.iter().chain(&model.discrete).map(|d| &d.formula);
        let (times, periods) = times_and_periods(model);
        let outputs: Vec<&Formula> = starts.chain(times).chain(periods.iter().copied()).collect();
        let values: Vec<ExprId> = outputs.into_iter().map(|formula| lowered.formula(formula)).collect();
        let outputs: Vec<ExprId> = lowered.parameters.iter().copied().chain(values).collect();
        Self {
            tape: Tape::compile(&lowered.arena, 2 * model.parameters.len(), &outputs),
            parameters: model.parameters.len(),
            states: model.states.len(),
            discrete: model.discrete.len(),
            periods: periods.len(),
        }
    }

    /// The values with these parameters, by index; none if one is not finite or a period not positive.
    pub(super) fn values(&self, given: &[(usize, f64)]) -> Option<InitialValues> {
        let mut rest = self.outputs(given.iter().copied())?;
        if !rest.iter().all(|value| value.is_finite()) || !self.has_good_periods(&rest) {
            return None;
        }
        let mut discrete = rest.split_off(self.parameters + self.states);
        discrete.truncate(self.discrete);
        let state = rest.split_off(self.parameters);
        Some(InitialValues { parameters: rest, state, discrete })
    }

    /// Whether the times of events are finite and periods positive with these parameters.
    pub(super) fn admits(&self, parameters: &[f64]) -> bool {
        let values = self.parameters + self.states + self.discrete;
        if self.tape.output_count() == values {
            return true;
        }
        let out = self.outputs(parameters.iter().copied().enumerate());
        out.is_some_and(|out| {
            out[values..].iter().all(|time| time.is_finite()) && self.has_good_periods(&out)
        })
    }

    /// All that the tape finds; none if there is no such parameter.
    fn outputs(&self, given: impl Iterator<Item = (usize, f64)>) -> Option<Vec<f64>> {
        let (mut registers, mut out) = (self.tape.registers(), vec![0.0; self.tape.output_count()]);
        for (parameter, value) in given {
            registers.inputs_mut().get_mut(2 * parameter..2 * parameter + 2)?.copy_from_slice(&[1.0, value]);
        }
        self.tape.run(&mut registers, &mut out);
        Some(out)
    }

    fn has_good_periods(&self, out: &[f64]) -> bool {
        out[out.len() - self.periods..].iter().all(|period| *period > 0.0)
    }
}

/// Formulas of parameters on their way to a tape.
struct Lowered<'a> {
    arena: Arena,
    fixed: &'a ParameterValues<'a>,
    parameters: Vec<ExprId>,
}

impl<'a> Lowered<'a> {
    /// Each parameter: what is given, or its own formula.
    fn new(model: &Model, fixed: &'a ParameterValues<'a>) -> Self {
        let mut arena = Arena::new();
        let unknown = arena.constant(f64::NAN);
        let mut lowered = Self { arena, fixed, parameters: vec![unknown; model.parameters.len()] };
        for &i in &fixed.order {
            let own = lowered.formula(&model.parameters[i].formula);
            let [given, value] = [2 * i, 2 * i + 1].map(|k| lowered.input(k));
            lowered.parameters[i] = lowered.arena.select(given, value, own);
        }
        lowered
    }

    fn input(&mut self, index: usize) -> ExprId {
        self.arena.input(InputId(u32::try_from(index).unwrap_or(u32::MAX)))
    }

    fn formula(&mut self, formula: &Formula) -> ExprId {
        let (scope, parameters) = (&self.fixed.scope, &self.parameters);
        let mut resolve = |name: &str| match scope.meaning(name) {
            Some(Quantity::Parameter(i)) => Some(parameters[i]),
            _ => None,
        };
        let lowered = formula.syntax.lower(&mut self.arena, &mut resolve);
        lowered.unwrap_or_else(|_| self.arena.constant(f64::NAN))
    }
}

/// The formulas of times at which events happen, and of the time between two.
fn times_and_periods(model: &Model) -> (Vec<&Formula>, Vec<&Formula>) {
    let (mut times, mut periods) = (Vec::new(), Vec::new());
    for (_, event) in model.all_events() {
        match &event.trigger {
            Trigger::Guard(_) | Trigger::On(_) | Trigger::Contact { .. } => {}
            Trigger::At(at) => times.push(at),
            Trigger::Every { period, first } => {
                times.extend(first);
                periods.push(period);
            }
        }
    }
    (times, periods)
}
