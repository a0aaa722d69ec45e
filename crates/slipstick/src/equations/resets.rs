//! Resets of events: what they set, and to what.

use super::lowering::Lowering;
use crate::expr::ExprId;
use crate::model::{Definition, Model, Quantity};

/// New values: of which states, of which discrete variables, and what, in this order.
#[derive(Clone, Debug)]
pub(super) struct ResetParts {
    pub(super) states: Vec<usize>,
    pub(super) discrete: Vec<usize>,
    pub(super) values: Vec<ExprId>,
}

impl ResetParts {
    /// The resets of events, and behind them of what happens at rest.
    pub(super) fn read_all(lowering: &mut Lowering<'_>, model: &Model) -> Vec<Option<Self>> {
        let events = model.all_events().map(|(_, event)| &event.reset);
        let rest = model.all_events().filter_map(|(_, event)| Some(&event.at_rest.as_ref()?.reset));
        events.chain(rest).map(|reset| Self::read(lowering, reset)).collect()
    }

    /// The new values, read as written; none if there are none.
    fn read(lowering: &mut Lowering<'_>, reset: &[Definition]) -> Option<Self> {
        let (mut states, mut discrete) = (Vec::new(), Vec::new());
        for definition in reset {
            match lowering.names.target(&definition.name) {
                Some(Quantity::State(i)) => states.push((i, lowering.plain(&definition.formula))),
                Some(Quantity::Discrete(i)) => discrete.push((i, lowering.plain(&definition.formula))),
                _ => {}
            }
        }
        let values: Vec<ExprId> = states.iter().chain(&discrete).map(|(_, value)| *value).collect();
        let places = |list: &[(usize, ExprId)]| list.iter().map(|(i, _)| *i).collect();
        let (states, discrete) = (places(&states), places(&discrete));
        (!values.is_empty()).then_some(Self { states, discrete, values })
    }
}
