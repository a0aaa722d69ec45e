//! What the things of a model are called.

use crate::model::{Definition, Model};

/// What things are called.
#[derive(Clone, Debug)]
pub(super) struct SystemNames {
    pub(super) states: Vec<String>,
    pub(super) modes: Vec<String>,
    /// Those that have a name of their own come first; the others are made by formulas that switch.
    pub(super) switches: Vec<String>,
    pub(super) named_switches: usize,
    pub(super) discrete: Vec<String>,
}

impl SystemNames {
    pub(super) fn new(model: &Model, switches: Vec<String>) -> Self {
        let names = |list: &[Definition]| list.iter().map(|d| d.name.clone()).collect::<Vec<_>>();
        let modes = model.modes.iter().map(|m| m.name.clone());
        Self {
            states: names(&model.states),
            modes: if model.modes.is_empty() { vec![String::new()] } else { modes.collect() },
            switches,
            named_switches: model.switches.len(),
            discrete: names(&model.discrete),
        }
    }
}
