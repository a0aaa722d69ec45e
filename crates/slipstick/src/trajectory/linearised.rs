//! An event to first order: how the state after it depends on the state before it.
//!
//! Letters: `g` is the guard, `R` the reset, `f⁻` and `f⁺` are the fields before and after the event. A motion that is
//! off by `δ` before the event is off by `S δ` after it, with the saltation matrix
//! `S = R_y + (f⁺ - R_y f⁻ - R_t) g_y / (g_y f⁻ + g_t)` (Leine and Nijmeijer, Dynamics and Bifurcations of Non-Smooth
//! Mechanical Systems, 2004).

use super::{Event, Trajectory};
use crate::equations::{GuardKind, Reset, System, gradient_by_differences};
use crate::formulation::{Field, Flow, Surface};
use crate::mode::Mode;

/// What an event depends on, to first order. Matrices are stored by rows.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearisedEvent {
    /// The field before the event, `f⁻`.
    pub field_before: Vec<f64>,
    /// The field after the event, `f⁺`.
    pub field_after: Vec<f64>,
    /// The gradient of the guard that fired first, `g_y`; zero for a time that is known.
    pub gradient: Vec<f64>,
    /// The rate of that guard in time, `g_t`.
    pub rate: f64,
    /// The Jacobian of all resets of the event, `R_y`.
    pub reset: Vec<f64>,
    /// The rate of the resets in time, `R_t`.
    pub reset_rate: Vec<f64>,
}

impl LinearisedEvent {
    /// The saltation matrix, by rows. It is not finite where the motion grazes the guard.
    pub fn saltation(&self) -> Vec<f64> {
        let n = self.gradient.len();
        let speed = self.rate + dot(&self.gradient, &self.field_before);
        let mut saltation = self.reset.clone();
        for (i, row) in saltation.chunks_mut(n).enumerate() {
            let jump = self.field_after[i] - dot(row, &self.field_before) - self.reset_rate[i];
            row.iter_mut().zip(&self.gradient).for_each(|(entry, g)| *entry += jump * g / speed);
        }
        saltation
    }
}

impl Trajectory {
    /// Linearises the event of this index. None for events that no guard or time of the system began, for
    /// mechanisms with constraints, whose impulses are not part of it, for impulses that events give, and beyond the last event. The gradient and the
    /// resets are those of the formulas as they are locked: while the motion slides, equivalent values are not
    /// differentiated.
    pub fn linearise_event(&self, system: &dyn System, index: usize) -> Option<LinearisedEvent> {
        let (event, before) = (self.events.get(index)?, &self.segments[index].mode);
        let first = *event.rounds.first()?.guards.first()?;
        let kind = &system.guards().get(first)?.kind;
        if !system.constraints().is_empty() || event.impacts().next().is_some() {
            return None;
        }
        let mut flow = Flow::new(system, before.clone()).with_parameters(&self.parameters);
        let mut gradient = vec![0.0; event.before.len()];
        let rate = match kind {
            GuardKind::Scheduled { .. } => 1.0,
            _ => flow.guards().gradient(first, event.t, &mut event.before.clone(), &mut gradient),
        };
        let (reset, reset_rate) = resets(&mut flow, event);
        let after = event.rounds.last().map_or(before, |round| &round.mode);
        Some(LinearisedEvent {
            field_before: field(&mut flow, before, event.t, &event.before),
            field_after: field(&mut flow, after, event.t, &event.after),
            gradient,
            rate,
            reset,
            reset_rate,
        })
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The field in a mode, along the surfaces that the motion slides on.
fn field(flow: &mut Flow<'_>, mode: &Mode, t: f64, y: &[f64]) -> Vec<f64> {
    let guards = flow.system().guards();
    flow.mode.clone_from(mode);
    let surfaces: Vec<Surface> =
        mode.structure.sliding.iter().filter_map(|&g| Surface::of(guards, mode, g)).collect();
    flow.slide_on(&surfaces, t, y);
    let mut rates = vec![0.0; y.len()];
    flow.derivative(t, y, &mut rates);
    rates
}

/// The Jacobian of the resets of all rounds, one after the other, and their rate in time. The mode of the flow is that
/// of the last round but one.
fn resets(flow: &mut Flow<'_>, event: &Event) -> (Vec<f64>, Vec<f64>) {
    let (n, t) = (event.before.len(), event.t);
    let (mut jacobian, mut rate) = (vec![0.0; n * n], vec![0.0; n]);
    (0..n).for_each(|i| jacobian[i * n + i] = 1.0);
    let mut before = event.before.clone();
    for round in &event.rounds {
        let guards = flow.system().guards();
        let fired: Vec<usize> = round.guards.iter().copied().filter(|&g| guards[g].response.reset).collect();
        let (earlier, earlier_rate) = (jacobian.clone(), rate.clone());
        for i in (0..n).filter(|_| !fired.is_empty()) {
            let mut row = vec![0.0; n];
            let mut value = |t: f64, y: &[f64]| apply(flow, &fired, t, y)[i];
            let by_time = gradient_by_differences(&mut value, t, &mut before, &mut row);
            rate[i] = by_time + dot(&row, &earlier_rate);
            for j in 0..n {
                jacobian[i * n + j] = (0..n).map(|k| row[k] * earlier[k * n + j]).sum();
            }
        }
        before.copy_from_slice(&round.after);
        flow.mode.clone_from(&round.mode);
    }
    (jacobian, rate)
}

/// The state after the resets of some guards.
fn apply(flow: &mut Flow<'_>, fired: &[usize], t: f64, before: &[f64]) -> Vec<f64> {
    let (mut state, mut discrete) = (before.to_vec(), flow.mode.values.discrete.clone());
    for &guard in fired {
        flow.guards().reset(guard, t, before, Reset { state: &mut state, discrete: &mut discrete });
    }
    state
}
