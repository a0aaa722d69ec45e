//! The audit of a run: how far each named quantity drifts between events.

use super::number;
use super::table::plot_density;
use slipstick::model::Model;
use slipstick::simulate::Plan;
use slipstick::trajectory::{Drift, Trajectory, audit as measure, sample_times};

/// What became of one audited quantity.
#[derive(Clone, Debug)]
pub(crate) struct AuditResult {
    pub(crate) name: String,
    pub(crate) unit: Option<String>,
    pub(crate) drift: Drift,
    pub(crate) tolerance: Option<f64>,
    /// Whether the drift is within the tolerance, if there is one.
    pub(crate) ok: Option<bool>,
    /// The values in each segment, at the times of a plot.
    pub(crate) values: Vec<Vec<f64>>,
}

impl AuditResult {
    /// `drift 1.2e-15 (worst at t = 0.3), jump at events 1.9, within 1e-9`
    pub(crate) fn in_words(&self) -> String {
        let drift = &self.drift;
        let moment =
            if drift.drift > 0.0 { format!(" (t = {})", number(drift.drift_time)) } else { String::new() };
        let jump = if drift.jump > 0.0 {
            format!(", jumps by up to {:.4} at events", drift.jump)
        } else {
            String::new()
        };
        let verdict = match (self.ok, self.tolerance) {
            (Some(true), Some(tolerance)) => format!("; allowed {tolerance:.1e}: ok"),
            (Some(false), Some(tolerance)) => format!("; allowed {tolerance:.1e}: FAILED"),
            _ => String::new(),
        };
        format!("drifts by {:.2e} at most{moment}{jump}{verdict}", drift.drift)
    }
}

/// Audits every quantity that the model names.
pub(crate) fn audit(model: &Model, plan: &Plan, trajectory: &Trajectory) -> Vec<AuditResult> {
    if model.audit.is_empty() {
        return Vec::new();
    }
    let samples = observe(model.audit.len(), plan, trajectory);
    let results = model.audit.iter().enumerate().filter_map(|(k, rule)| {
        let pairs: Vec<Vec<(f64, f64)>> =
            samples.iter().map(|piece| piece.iter().map(|(t, row)| (*t, row[k])).collect()).collect();
        let drift = measure(pairs.iter().map(Vec::as_slice))?;
        let values = pairs.iter().map(|piece| piece.iter().map(|(_, value)| *value).collect()).collect();
        let name = rule.definition.name.clone();
        Some(AuditResult {
            unit: model.unit(&name).map(str::to_owned),
            name,
            drift,
            tolerance: rule.tolerance,
            ok: rule.tolerance.map(|tolerance| drift.drift <= tolerance),
            values,
        })
    });
    results.collect()
}

/// The values of all audited quantities, segment by segment.
fn observe(count: usize, plan: &Plan, trajectory: &Trajectory) -> Vec<Vec<(f64, Vec<f64>)>> {
    let mut observer = plan.system.audit();
    let density = plot_density(trajectory);
    let mut state = vec![0.0; trajectory.state_names.len()];
    let segments = trajectory.segments.iter().map(|segment| {
        let times = sample_times(segment, trajectory.start_time(), None, density);
        let rows = times.into_iter().map(|t| {
            segment.state_into(t, &mut state);
            let mut row = vec![0.0; count];
            observer.observe(segment.mode.locked(), t, &state, &mut row);
            (t, row)
        });
        rows.collect()
    });
    segments.collect()
}
