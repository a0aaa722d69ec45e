//! What happened to contacts: impacts for programs and for people.

use super::{RunResult, number};
use serde_json::{Value, json};
use slipstick::contact::{Hit, Impact};
use slipstick::equations::{ContactShape, System};
use slipstick::trajectory::Event;

impl RunResult<'_> {
    /// The contacts of the model.
    pub(crate) fn contacts(&self) -> &[ContactShape] {
        &self.plan.system.shape().contacts
    }

    /// The impacts of an event: velocities of gaps and impulses by contact, and what the joints had to bear.
    pub(crate) fn impacts_json(&self, event: &Event) -> Vec<Value> {
        event.impacts().map(|impact| self.impact_json(impact)).collect()
    }

    fn impact_json(&self, impact: &Impact) -> Value {
        let hit = |hit: &Hit| {
            let contact = &self.contacts()[hit.contact];
            let has_friction = contact.tangent.is_some();
            json!({
                "name": contact.name,
                "gap_velocity_before": hit.gap.0,
                "gap_velocity_after": hit.gap.1,
                "slip_before": has_friction.then_some(hit.slip.0),
                "slip_after": has_friction.then_some(hit.slip.1),
                "impulse_n": hit.impulse.0,
                "impulse_t": has_friction.then_some(hit.impulse.1),
            })
        };
        let constraints = &self.plan.system.shape().constraints;
        let joint = |&(k, impulse): &(usize, f64)| json!({ "name": constraints[k].name, "impulse": impulse });
        json!({
            "law": impact.law.word(),
            "passes": impact.passes,
            "contacts": impact.hits.iter().map(hit).collect::<Vec<_>>(),
            "joints": impact.joints.iter().map(joint).collect::<Vec<_>>(),
            "energy_lost": 0.0 - impact.energy,
        })
    }

    /// What contacts do after an event that they did not before: `belt: sticks -> slides -`.
    pub(crate) fn status_changes(&self, number: usize) -> Vec<String> {
        let (before, after) = self.modes_at(number);
        let change = |contact: &ContactShape| {
            let words = [before, after].map(|mode| mode.status(contact).word());
            (words[0] != words[1]).then(|| format!("{}: {} -> {}", contact.name, words[0], words[1]))
        };
        self.contacts().iter().filter_map(change).collect()
    }

    /// The impacts of an event: "impulse of `floor` 7.97", "energy lost 3.53".
    pub(crate) fn impacts_in_words(&self, event: &Event) -> Vec<String> {
        let hit = |hit: &Hit| {
            let contact = &self.contacts()[hit.contact];
            let along = if contact.tangent.is_some() {
                format!(" and {} along", digits(hit.impulse.1))
            } else {
                String::new()
            };
            format!("impulse of `{}` {}{along}", contact.name, digits(hit.impulse.0))
        };
        let mut words: Vec<String> = event.impacts().flat_map(|impact| &impact.hits).map(hit).collect();
        if !words.is_empty() {
            words.push(format!("energy lost {}", digits(event.energy_lost())));
        }
        words
    }
}

/// Seven digits, for people.
fn digits(x: f64) -> String {
    number(format!("{x:.6e}").parse().unwrap_or(x))
}
