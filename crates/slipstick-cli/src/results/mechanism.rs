//! The audit of a mechanism: how far its joints were open, how far corrections moved it, and what became of
//! its energy.

use super::{RunResult, number};
use serde_json::{Value, json};
use slipstick::equations::System;
use slipstick::trajectory::{Adjustment, Energy, EnergyBalance, Opening};

impl RunResult<'_> {
    /// How far the joints were open at most, in words.
    pub(crate) fn joints_in_words(&self) -> Option<String> {
        let joints = self.joints?;
        let position = joints.position.map(|opening| format!("open by {} at most, ", self.opening(opening)));
        let adjusted = self.trajectory.adjustment.map_or_else(String::new, |adjustment| {
            let state = &self.trajectory.state_names[adjustment.state];
            let moment = number(adjustment.t);
            format!("; corrected by {:.2e} at most (`{state}`, t = {moment})", adjustment.size)
        });
        Some(format!(
            "{}their rates are {} and accelerations {} at most{adjusted}",
            position.unwrap_or_default(),
            self.opening(joints.velocity),
            self.opening(joints.acceleration)
        ))
    }

    fn opening(&self, opening: Opening) -> String {
        let name = &self.plan.system.shape().mechanism.constraints[opening.constraint].name;
        let moment = if opening.value > 0.0 {
            format!(" (`{name}`, t = {})", number(opening.t))
        } else {
            String::new()
        };
        format!("{:.2e}{moment}", opening.value)
    }

    /// What became of the energy, in words.
    pub(crate) fn energy_in_words(&self) -> Option<String> {
        let energy = self.energy?;
        let (kinetic, potential) = (number(energy.end.kinetic), number(energy.end.potential));
        let works = [
            (energy.work_in, "put in"),
            (energy.dissipated, "dissipated"),
            (
                energy.at_events.abs(),
                if energy.at_events < 0.0 { "lost at events" } else { "gained at events" },
            ),
        ];
        let done = works.into_iter().filter(|(work, _)| *work != 0.0);
        let done = done.map(|(work, what)| format!(", {work:.4} {what}")).collect::<Vec<_>>().concat();
        let moment =
            if energy.error > 0.0 { format!(" (t = {})", number(energy.error_time)) } else { String::new() };
        Some(format!(
            "kinetic {kinetic} and potential {potential} at the end{done}; the sum is off by {:.2e} at most{moment}",
            energy.error
        ))
    }

    /// The largest residuals of the constraints, and the largest correction; null without a mechanism.
    pub(crate) fn joints_json(&self) -> Value {
        let constraints = &self.plan.system.shape().mechanism.constraints;
        let one = |opening: Opening| json!({ "name": constraints[opening.constraint].name, "drift": opening.value, "t": opening.t });
        let adjustment = |adjustment: Adjustment| {
            let name = &self.trajectory.state_names[adjustment.state];
            json!({ "name": name, "size": adjustment.size, "t": adjustment.t })
        };
        json!(self.joints.map(|joints| json!({
            "position": joints.position.map(one),
            "velocity": one(joints.velocity),
            "acceleration": one(joints.acceleration),
            "adjustment": self.trajectory.adjustment.map(adjustment),
        })))
    }

    /// The balance of energy; null without a mechanism.
    pub(crate) fn energy_json(&self) -> Value {
        let pair = |energy: Energy| json!({ "kinetic": energy.kinetic, "potential": energy.potential });
        json!(self.energy.map(|energy: EnergyBalance| json!({
            "start": pair(energy.start),
            "end": pair(energy.end),
            "work_in": energy.work_in,
            "dissipated": energy.dissipated,
            "at_events": energy.at_events,
            "error": energy.error,
            "error_t": energy.error_time,
        })))
    }
}
