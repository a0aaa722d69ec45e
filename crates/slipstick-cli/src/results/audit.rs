//! The audit of a run: how far each named quantity drifts between events.

use super::number;
use super::table::plot_density;
use serde_json::{Value, json};
use slipstick::formulation::Mixture;
use slipstick::model::{AuditRule, Model};
use slipstick::simulate::Plan;
use slipstick::trajectory::{Audit, Density, Drift, Trajectory, sample_times};

/// What became of one audited quantity.
#[derive(Clone, Debug)]
pub(crate) struct AuditResult {
    pub(crate) name: String,
    pub(crate) unit: Option<String>,
    pub(crate) drift: Drift,
    pub(crate) tolerance: Option<f64>,
    /// Whether the drift is within the tolerance, if there is one.
    pub(crate) ok: Option<bool>,
    /// The drift in each segment, at the times of a plot.
    pub(crate) drifts: Vec<Vec<f64>>,
}

impl AuditResult {
    fn new(model: &Model, rule: &AuditRule, drift: Drift, drifts: Vec<Vec<f64>>) -> Self {
        let (name, tolerance) = (rule.definition.name.clone(), rule.tolerance);
        let ok = tolerance.map(|tolerance| drift.drift <= tolerance);
        Self { unit: model.unit(&name).map(str::to_owned), name, drift, tolerance, ok, drifts }
    }

    /// For programs; the report adds to this.
    pub(crate) fn json(&self) -> Value {
        json!({
            "name": self.name,
            "start": self.drift.start,
            "drift": self.drift.drift,
            "drift_t": self.drift.drift_time,
            "jump": self.drift.jump,
            "jump_t": self.drift.jump_time,
            "tolerance": self.tolerance,
            "ok": self.ok,
        })
    }

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

/// Audits every quantity that the model names, at every accepted step and at the points of a plot.
pub(crate) fn audit(model: &Model, plan: &Plan, trajectory: &Trajectory) -> Vec<AuditResult> {
    let count = model.audit.len();
    let mut audits = vec![Audit::default(); count];
    let mut drifts: Vec<Vec<Vec<f64>>> = vec![Vec::new(); count];
    let (mut observer, mut row) = (Mixture::new(&plan.system, plan.system.audit()), vec![0.0; count]);
    let mut state = vec![0.0; trajectory.state_names.len()];
    let density = plot_density(trajectory);
    for segment in trajectory.segments.iter().filter(|_| count > 0) {
        let shown = sample_times(segment, trajectory.start_time(), None, density);
        let every = sample_times(segment, trajectory.start_time(), None, Density { stride: 1, ..density });
        let mut shown = shown.into_iter().peekable();
        for list in &mut drifts {
            list.push(Vec::new());
        }
        for t in every {
            segment.state_into(t, &mut state);
            observer.put_back(&segment.mode, t, &mut state);
            observer.observe(&segment.mode, t, &state, &mut row);
            let is_shown = shown.next_if(|s| *s <= t).is_some();
            for (k, value) in row.iter().enumerate() {
                if t == segment.start_time {
                    audits[k].begin_segment(t, *value);
                }
                let drift = audits[k].go_on(t, *value);
                if let (true, Some(list)) = (is_shown, drifts[k].last_mut()) {
                    list.push(drift);
                }
            }
        }
    }
    let results = model.audit.iter().zip(audits).zip(drifts);
    results
        .filter_map(|((rule, audit), drifts)| Some(AuditResult::new(model, rule, audit.result()?, drifts)))
        .collect()
}
