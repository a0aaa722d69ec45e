//! What a rule of a transition could not do, as an error with names.

use super::Error;
use crate::equations::System;
use crate::formulation::Amount;
use crate::transition::{Conflict, Impossible, ImpossibleContact, Target};

impl Error {
    /// A rule of transitions that cannot be applied at a time, by the names of a system.
    pub(super) fn of_rule(impossible: Impossible, t: f64, system: &dyn System) -> Self {
        let guard = |g: usize| system.guards()[g].name.clone();
        let mode = |k: usize| system.mode_names()[k].clone();
        match impossible {
            Impossible::Conflict(Conflict { target, guards, values }) => Self::ConflictingResets {
                guards: (guard(guards.0), guard(guards.1)),
                target: match target {
                    Target::State(i) => system.state_names()[i].clone(),
                    Target::Discrete(i) => system.discrete_names()[i].clone(),
                },
                values,
                t,
            },
            Impossible::NotFinite { guard: g, state, value } => Self::ResetNotFinite {
                guard: g.map_or_else(String::new, guard),
                name: system.state_names()[state].clone(),
                value,
                t,
            },
            Impossible::Modes { guards, modes } => Self::ConflictingModes {
                guards: (guard(guards.0), guard(guards.1)),
                modes: (mode(modes.0), mode(modes.1)),
                t,
            },
            Impossible::OfContacts(impossible) => Self::of_contacts(impossible, t, system),
        }
    }

    /// What contacts and impulses cannot do.
    fn of_contacts(impossible: ImpossibleContact, t: f64, system: &dyn System) -> Self {
        let guard = |g: usize| system.guards()[g].name.clone();
        let contact = |k: usize| system.contacts()[k].name.clone();
        match impossible {
            ImpossibleContact::Contacts { which, events, why } => {
                let names = which.into_iter().map(contact).chain(events.into_iter().map(guard));
                let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
                Self::ContactsUnsolved { contacts: names.join(", "), why, t }
            }
            ImpossibleContact::Penetrates { contact: k, gap, allowed } => {
                Self::ContactPenetrates { contact: contact(k), gap, allowed, t }
            }
            ImpossibleContact::Restitution { contact: k, value } => {
                Self::RestitutionRange { owner: format!("contact `{}`", contact(k)), value, t }
            }
            ImpossibleContact::Impulse { guard: g, amount: Amount::Restitution(value) } => {
                Self::RestitutionRange { owner: format!("event `{}`", guard(g)), value, t }
            }
            ImpossibleContact::Impulse { guard: g, amount: Amount::Size(value) } => {
                Self::ImpulseNotFinite { event: guard(g), value, t }
            }
            ImpossibleContact::ResetWithImpulse { guards: (reset, impulse), state } => {
                Self::ResetWithImpulse {
                    guards: (guard(reset), guard(impulse)),
                    target: system.state_names()[state].clone(),
                    t,
                }
            }
            ImpossibleContact::Painleve { contact: k, jam, has_forces } => {
                Self::PainleveMet { contact: contact(k), jam, has_forces, t }
            }
            ImpossibleContact::Friction { contact: k, values } => {
                Self::FrictionRange { contact: contact(k), values, t }
            }
        }
    }
}
