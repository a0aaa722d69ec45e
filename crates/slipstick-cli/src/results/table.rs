//! A trajectory as columns: states, discrete variables, outputs and switch signs at chosen times, both sides
//! of every event.

use super::RunResult;
use slipstick::equations::{Observer, System};
use slipstick::formulation::Mixture;
use slipstick::mode::Mode;
use slipstick::model::contact_name;
use slipstick::trajectory::{Density, Trajectory, sample_times};
use std::collections::HashMap;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnKind {
    State,
    Discrete,
    Output,
    Switch,
}

/// A named column.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) unit: Option<String>,
    pub(crate) kind: ColumnKind,
}

impl Column {
    /// `y [m]`, or `y`.
    pub(crate) fn header(&self) -> String {
        header(&self.name, self.unit.as_deref())
    }
}

fn header(name: &str, unit: Option<&str>) -> String {
    unit.map_or_else(|| name.to_owned(), |unit| format!("{name} [{unit}]"))
}

/// The values in one segment.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    /// The mode's index.
    pub(crate) mode: usize,
    pub(crate) t: Vec<f64>,
    /// One list of values for each column.
    pub(crate) values: Vec<Vec<f64>>,
}

/// A trajectory as columns.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) time_header: String,
    pub(crate) columns: Vec<Column>,
    pub(crate) pieces: Vec<Piece>,
    /// The names of the modes; empty if the model has none.
    pub(crate) modes: Vec<String>,
}

/// About as many points as a plot needs, and as many values as a report should hold.
const PLOT_POINTS: usize = 8000;
const PLOT_VALUES: usize = 2_000_000;

impl Table {
    /// The rows of the result files: at the output step, or at every accepted step.
    pub(crate) fn rows(result: &RunResult<'_>) -> Self {
        Self::build(result, result.plan.output_step, Density::STEPS)
    }

    /// Points for plots: every step, finely where there are few. What belongs to contacts that never closed is
    /// left out.
    pub(crate) fn plot(result: &RunResult<'_>) -> Self {
        let mut table = Self::build(result, None, plot_density(&result.trajectory));
        let shown = shown_columns(result);
        keep_shown(&mut table.columns, &shown);
        table.pieces.iter_mut().for_each(|piece| keep_shown(&mut piece.values, &shown));
        table
    }

    fn build(result: &RunResult<'_>, interval: Option<f64>, density: Density) -> Self {
        let model = &result.file.model;
        let modes = model.modes.iter().map(|m| m.name.clone()).collect();
        let columns = columns(result);
        let mut sampler = Sampler::new(result);
        let origin = result.trajectory.start_time();
        let segments = &result.trajectory.segments;
        let pieces = segments.iter().map(|segment| {
            let t = sample_times(segment, origin, interval, density);
            let mut values = vec![Vec::with_capacity(t.len()); columns.len()];
            for &time in &t {
                for (list, value) in values.iter_mut().zip(sampler.at(segment, time)) {
                    list.push(*value);
                }
            }
            Piece { mode: segment.mode.values.place, t, values }
        });
        let pieces = pieces.collect();
        Self { time_header: header("t", model.unit("t")), columns, pieces, modes }
    }
}

/// How densely a plot shows a trajectory.
pub(crate) fn plot_density(trajectory: &Trajectory) -> Density {
    let steps = trajectory.segments.iter().map(|s| s.steps().len()).sum();
    let points = PLOT_POINTS.min(PLOT_VALUES / trajectory.state_names.len().max(1));
    Density::about(points, steps)
}

/// Which columns a page shows: in a crowd, most pairs never touch.
pub(crate) fn shown_columns(result: &RunResult<'_>) -> Vec<bool> {
    let never: Vec<String> = result.contacts_never_closed().map(|name| contact_name(name, "")).collect();
    let is_shown = |column: &Column| !never.iter().any(|prefix| column.name.starts_with(prefix));
    columns(result).iter().map(is_shown).collect()
}

/// Keeps what belongs to columns that are shown.
pub(crate) fn keep_shown<T>(list: &mut Vec<T>, shown: &[bool]) {
    let mut shown = shown.iter();
    list.retain(|_| shown.next().is_none_or(|shown| *shown));
}

fn columns(result: &RunResult<'_>) -> Vec<Column> {
    let model = &result.file.model;
    let units: HashMap<&str, &String> =
        model.units.iter().map(|(of, unit)| (of.name.as_str(), unit)).collect();
    let column = |name: &str, kind| Column {
        name: name.to_owned(),
        unit: units.get(name).map(|unit| (*unit).clone()),
        kind,
    };
    let states = model.states.iter().map(|d| column(&d.name, ColumnKind::State));
    let discrete = model.discrete.iter().map(|d| column(&d.name, ColumnKind::Discrete));
    let outputs = model.outputs.iter().map(|d| column(&d.name, ColumnKind::Output));
    let switches = model.switches.iter().map(|d| column(&d.name, ColumnKind::Switch));
    states.chain(discrete).chain(outputs).chain(switches).collect()
}

/// Evaluates all columns at a time of a segment.
pub(crate) struct Sampler<'a> {
    outputs: Mixture<'a>,
    /// What shows the switches where they are softened.
    soft_switches: Option<Observer<'a>>,
    parameters: &'a [f64],
    row: Vec<f64>,
    states: usize,
    switches: usize,
}

impl<'a> Sampler<'a> {
    pub(crate) fn new(result: &'a RunResult<'_>) -> Self {
        let model = &result.file.model;
        let (states, switches) = (model.states.len(), result.plan.system.named_switches());
        let row = vec![0.0; states + model.discrete.len() + model.outputs.len() + switches];
        let system = &result.plan.system;
        let soft_switches = model.run.regularise.map(|_| system.switches());
        let (outputs, parameters) = (Mixture::new(system, system.outputs()), &system.shape().parameters);
        Self { outputs, soft_switches, parameters, row, states, switches }
    }

    /// The columns at a time of a segment.
    pub(crate) fn at(&mut self, segment: &slipstick::trajectory::Segment, t: f64) -> &[f64] {
        segment.state_into(t, &mut self.row[..self.states]);
        self.outputs.put_back(&segment.mode, t, &mut self.row[..self.states]);
        self.observe(&segment.mode, t)
    }

    /// The columns at a given state.
    pub(crate) fn of(&mut self, mode: &Mode, t: f64, state: &[f64]) -> &[f64] {
        self.row[..self.states].copy_from_slice(state);
        self.observe(mode, t)
    }

    fn observe(&mut self, mode: &Mode, t: f64) -> &[f64] {
        let (state, rest) = self.row.split_at_mut(self.states);
        let (discrete, rest) = rest.split_at_mut(mode.values.discrete.len());
        discrete.copy_from_slice(&mode.values.discrete);
        let (outputs, signs) = rest.split_at_mut(rest.len() - self.switches);
        self.outputs.observe(mode, t, state, outputs);
        match &mut self.soft_switches {
            Some(soft) => soft.observe(mode.locked(self.parameters), t, state, signs),
            None => signs.copy_from_slice(&self.outputs.signs()[..self.switches]),
        }
        &self.row
    }
}
