//! `run.json`, and events for programs.

use super::{AuditResult, RunResult};
use serde_json::{Value, json};
use slipstick::equations::System;
use slipstick::formulation::{Metric, PerConstraint, Stabilisation};
use slipstick::math::Norm;
use slipstick::model::{Detection, Location};
use slipstick::simulate::Options;
use slipstick::step::{Control, PerComponent, Share, USUAL_RHO};
use slipstick::trajectory::Severity;

/// Everything about a run but its trajectory.
pub(crate) fn run_json(result: &RunResult<'_>) -> Value {
    let (file, trajectory) = (result.file, &result.trajectory);
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "model": { "file": file.name, "title": file.title(), "sha256": file.hash },
        "options": options(result),
        "outcome": {
            "code": result.outcome_code(),
            "complete": result.is_complete(),
            "text": result.outcome_text(),
            "hint": result.outcome_hint(),
            "t": trajectory.end_time(),
            "estimated_t": trajectory.outcome.estimated_time(),
        },
        "statistics": statistics(result),
        "end": end_state(result),
        "joints": result.joints_json(),
        "energy": result.energy_json(),
        "audit": result.audit.iter().map(AuditResult::json).collect::<Vec<_>>(),
        "warnings": result.notes_json(Severity::Warning),
        "notes": result.notes_json(Severity::Note),
        "wall_s": result.wall_s,
    })
}

fn options(result: &RunResult<'_>) -> Value {
    let (plan, options) = (result.plan, &result.plan.options);
    let is_mechanism = plan.system.layout().v > 0;
    let corrects = is_mechanism && options.makes_corrections();
    let parameters = result.file.model.parameters.iter().zip(plan.system.parameters());
    let parameters: serde_json::Map<String, Value> =
        parameters.map(|(d, value)| (d.name.clone(), json!(value))).collect();
    json!({
        "from": plan.start.t,
        "until": options.until,
        "method": options.method.name(),
        "rho_infinity": options.method.has_rho().then(|| options.rho_infinity.unwrap_or(USUAL_RHO)),
        "control": if options.control == Control::Pid { "pid" } else { "standard" },
        "safety": options.safety,
        "rtol": per_component(&options.tolerances.relative),
        "atol": per_component(&options.tolerances.absolute),
        "norm": options.tolerances.norm.map(Norm::name),
        "output_step": plan.output_step,
        "first_step": options.first_step,
        "longest_step": options.longest_step,
        "fixed_step": options.fixed_step,
        "event_tolerance": options.event_tolerance,
        "concurrency": options.concurrency.map(|c| json!({ "time": c.time, "amplitude": c.amplitude })),
        "regularise": result.file.model.run.regularise,
        "stabilisation": is_mechanism.then(|| stabilisation(options)),
        "metric": corrects.then(|| metric(options)),
        "datol": corrects.then_some(options.drift_tolerance),
        "detection": detection(options.detection),
        "location": options.location.map(Location::name),
        "max_events": options.limits.events,
        "max_steps": options.limits.steps,
        "parameters": parameters,
    })
}

/// The word of the model file, or the numbers of terms in the equations.
fn stabilisation(options: &Options) -> Value {
    let per_constraint = |numbers: &PerConstraint| match numbers {
        PerConstraint::Same(value) => json!(value),
        PerConstraint::Each(values) => json!(values),
    };
    match options.stabilisation {
        Stabilisation::Baumgarte { rate, position } => {
            json!({ "rate": rate, "position": position, "along": "forces" })
        }
        Stabilisation::Normal { rate, position } => {
            json!({ "rate": rate, "position": position, "along": "normal" })
        }
        Stabilisation::Gradient { rate, position } => {
            json!({ "rate": rate, "position": position, "along": "gradient" })
        }
        Stabilisation::Reduced { decay, rate } => json!({ "decay": decay, "rate": rate }),
        Stabilisation::SlidingMode => {
            json!({ "reach": per_constraint(&options.reach), "speed": per_constraint(&options.speed) })
        }
        _ if options.method.keeps_positions() => json!("none"),
        word => json!(word.name()),
    }
}

fn metric(options: &Options) -> &'static str {
    match options.metric {
        Metric::Mass => "mass",
        Metric::Identity => "identity",
    }
}

fn detection(detection: Detection) -> Value {
    match detection {
        Detection::WholeStep => json!("whole-step"),
        Detection::Ends => json!("ends"),
        Detection::Stages => json!("stages"),
        Detection::Samples(count) => json!(count),
    }
}

fn per_component(value: &PerComponent) -> Value {
    match value {
        PerComponent::Same(value) => json!(value),
        PerComponent::Each(values) => json!(values),
    }
}

fn statistics(result: &RunResult<'_>) -> Value {
    let s = &result.trajectory.statistics;
    json!({
        "accepted": s.accepted,
        "rejected": s.rejected,
        "right_hand_sides": s.derivatives,
        "jacobians": s.jacobians,
        "factorisations": s.factorisations,
        "guard_evaluations": s.guards,
        "first_step_estimates": s.estimates,
        "reused_right_hand_sides": s.reused,
        "steps_made_again": s.relocations,
        "settling_right_hand_sides": s.settling,
        "locating_right_hand_sides": s.locating,
        "corrected_steps": s.corrected,
        "motion_factorisations": s.motion_factorisations,
        "went_back": s.went_back,
        "phantoms": s.phantoms,
        "sliding_steps": s.slid,
        "sliding_steps_rejected": s.slid_rejected,
        "events": s.events,
        "resets": s.resets,
        "mode_changes": s.mode_changes,
        "switchings": s.switchings,
        "records": s.records,
        "smallest_step": s.smallest_step.is_finite().then_some(s.smallest_step),
        "largest_step": s.largest_step,
        "methods": s.shares.iter().map(share).collect::<Vec<_>>(),
    })
}

/// What one method did; `auto` is made of several.
fn share(share: &Share) -> Value {
    json!({
        "method": share.method.name(),
        "form": share.is_ggl.then_some("ggl"),
        "accepted": share.accepted,
        "rejected": share.rejected,
        "right_hand_sides": share.counts.derivatives,
    })
}

fn end_state(result: &RunResult<'_>) -> Value {
    let pairs = result.trajectory.state_names.iter().zip(result.trajectory.end_state());
    Value::Object(pairs.map(|(name, value)| (name.clone(), json!(value))).collect())
}

/// One event.
pub(crate) fn event_json(result: &RunResult<'_>, index: usize) -> Value {
    let (trajectory, event) = (&result.trajectory, &result.trajectory.events[index]);
    let names: Vec<&str> = event.guards.iter().map(|&g| trajectory.guard_names[g].as_str()).collect();
    let kinds: Vec<&str> = event.kinds.iter().map(|k| k.name()).collect();
    let state = |values: &[f64]| -> Value {
        let pairs = trajectory.state_names.iter().zip(values);
        Value::Object(pairs.map(|(name, value)| (name.clone(), json!(value))).collect())
    };
    let mode = |index| result.has_modes().then(|| result.mode_name(index));
    json!({
        "number": index + 1,
        "t": event.t,
        "t_lo": event.bracket.lo,
        "t_hi": event.bracket.hi,
        "names": names,
        "kinds": kinds,
        "mode_before": mode(event.mode_before),
        "mode_after": mode(event.mode_after),
        "before": state(&event.before),
        "after": state(&event.after),
    })
}
