//! What happened to contacts: impacts for programs and for people.

use super::{RunResult, number};
use serde_json::{Value, json};
use slipstick::contact::{GivenImpulse, Hit, Impact};
use slipstick::equations::{ContactShape, System};
use slipstick::mode::Mode;
use slipstick::trajectory::{ContactEnergy, ContactResidual, Event, EventKind};

impl RunResult<'_> {
    /// The contacts of the model.
    pub(crate) fn contacts(&self) -> &[ContactShape] {
        &self.plan.system.shape().mechanism.contacts
    }

    /// The names of contacts that were open all the time and had no impulse.
    pub(crate) fn contacts_never_closed(&self) -> impl Iterator<Item = &str> {
        let segments = &self.trajectory.segments;
        let took_part = |contact: &ContactShape| {
            let closed = |mode: &Mode| mode.status(contact).is_closed() || mode.has_impulses(contact);
            segments.iter().any(|segment| closed(&segment.mode))
        };
        self.contacts().iter().filter(move |contact| !took_part(contact)).map(|contact| contact.name.as_str())
    }

    /// Whether there can be impacts, of contacts or by impulses that events give, or joints have shut.
    pub(crate) fn has_impacts(&self) -> bool {
        let had = |event: &Event| event.impacts().next().is_some();
        !self.contacts().is_empty()
            || !self.plan.system.shape().mechanism.impulses.is_empty()
            || self.trajectory.events.iter().any(had)
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
        let constraints = &self.plan.system.shape().mechanism.constraints;
        let given = |given: &GivenImpulse| {
            json!({
                "name": self.plan.system.shape().guards[given.guard].name,
                "velocity_before": given.velocity.0,
                "velocity_after": given.velocity.1,
                "impulse": given.impulse,
            })
        };
        let joint = |&(k, impulse): &(usize, f64)| json!({ "name": constraints[k].name, "impulse": impulse });
        json!({
            "law": impact.law.word(),
            "passes": impact.passes,
            "contacts": impact.hits.iter().map(hit).collect::<Vec<_>>(),
            "given": impact.given.iter().map(given).collect::<Vec<_>>(),
            "joints": impact.joints.iter().map(joint).collect::<Vec<_>>(),
            "energy_lost": 0.0 - impact.energy,
        })
    }

    /// How well contacts have kept their laws, in words.
    pub(crate) fn contacts_in_words(&self) -> Option<String> {
        let audit = self.contact_audit?;
        let worst = |of: ContactResidual| {
            let moment = format!(" (`{}`, t = {})", self.contacts()[of.contact].name, number(of.t));
            format!("{:.2e}{}", of.value, if of.value > 0.0 { &moment } else { "" })
        };
        let energy = audit.energy.map_or_else(String::new, |energy| {
            let losses = format!(
                "{} lost by friction, {} in impacts",
                digits(energy.friction),
                digits(energy.impacts)
            );
            let surfaces = format!(", {} put in by moving surfaces", digits(energy.surfaces));
            let surfaces = if energy.surfaces == 0.0 { "" } else { &surfaces };
            format!("; {losses}{surfaces}; off by {:.2e}", energy.error.abs())
        });
        Some(format!(
            "penetrate by {}, pull by {} at most{energy}",
            worst(audit.penetration),
            worst(audit.pull)
        ))
    }

    /// How well contacts have kept their laws, for programs; null where nothing is known.
    pub(crate) fn contacts_json(&self) -> Value {
        let worst = |of: ContactResidual| {
            let name = &self.contacts()[of.contact].name;
            json!({ "name": name, "value": of.value, "relative": of.relative(), "t": of.t })
        };
        let energy = |energy: ContactEnergy| {
            json!({
                "friction": energy.friction,
                "impacts": energy.impacts,
                "surfaces": energy.surfaces,
                "other": energy.other,
                "error": energy.error,
            })
        };
        json!(self.contact_audit.map(|audit| json!({
            "penetration": worst(audit.penetration),
            "pull": worst(audit.pull),
            "energy": audit.energy.map(energy),
        })))
    }

    /// What contacts do after an event that they did not before: `belt: sticks -> slides -`.
    pub(crate) fn status_changes(&self, number: usize) -> Vec<String> {
        let (before, after) = self.modes_at(number);
        let change = |contact: &ContactShape| {
            let words = [before, after].map(|mode| mode.status(contact).word());
            (words[0] != words[1]).then(|| format!("{}: {} -> {}", contact.name, words[0], words[1]))
        };
        self.contacts().iter().filter_map(change).chain(self.zone_changes(number)).collect()
    }

    /// The contacts that come to another zone of their friction.
    fn zone_changes(&self, number: usize) -> Vec<String> {
        let event = &self.trajectory.events[number];
        if !event.kinds.contains(&EventKind::Zone) {
            return Vec::new();
        }
        let guards = &self.plan.system.shape().guards;
        let mut zones: Vec<usize> = event
            .guards
            .iter()
            .filter_map(|&g| guards.get(g))
            .flat_map(|g| g.border.zones().to_vec())
            .collect();
        zones.sort_unstable();
        zones.dedup();
        zones.iter().map(|&k| format!("{}: another zone", self.contacts()[k].name)).collect()
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
        let given = |given: &GivenImpulse| {
            let name = &self.plan.system.shape().guards[given.guard].name;
            format!("impulse of `{name}` {}", digits(given.impulse))
        };
        let of_contacts = event.impacts().flat_map(Impact::pushes).map(hit);
        let of_events = event.impacts().flat_map(|impact| &impact.given).map(given);
        let mut words: Vec<String> = of_contacts.chain(of_events).collect();
        // Captured hits are summed up elsewhere; joints that shut have lost what no contact has.
        let is_captured = event.kinds.contains(&EventKind::Resume);
        if !words.is_empty() || event.energy_lost() > 0.0 && !is_captured {
            words.push(format!("energy lost {}", digits(event.energy_lost())));
        }
        words
    }
}

/// Seven digits, for people.
fn digits(x: f64) -> String {
    number(format!("{x:.6e}").parse().unwrap_or(x))
}
