//! Changes of modes (rule 13): the run goes on in the mode that a guard names; two different ones are a
//! conflict.

use super::rule::{Impossible, Rule, Tools, Transition};
use crate::equations::Guard;

/// The guard of the highest priority names the mode.
#[derive(Clone, Copy, Debug, Default)]
pub struct ModeChanges;

impl Rule for ModeChanges {
    fn apply(&mut self, tools: &mut Tools<'_, '_>, transition: &mut Transition) -> Result<(), Impossible> {
        if let Some(mode) = target(tools.flow.system().guards(), &transition.firing.guards)? {
            tools.flow.mode.values.place = mode;
        }
        Ok(())
    }
}

/// The mode that guards which fire together lead to, if they lead to one.
fn target(guards: &[Guard], fired: &[usize]) -> Result<Option<usize>, Impossible> {
    let all = fired.iter().filter_map(|&g| Some((g, guards[g].response.mode?)));
    let highest = all.clone().map(|(g, _)| guards[g].priority).max();
    let mut targets = all.filter(|(g, _)| Some(guards[*g].priority) == highest);
    let Some((first, mode)) = targets.next() else { return Ok(None) };
    match targets.find(|&(_, other)| other != mode) {
        Some((second, other)) => Err(Impossible::Modes { guards: (first, second), modes: (mode, other) }),
        None => Ok(Some(mode)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::equations::Response;
    use crate::model::Direction;

    fn leads_to(mode: usize, priority: i64) -> Guard {
        let response = Response { mode: Some(mode), ..Response::default() };
        Guard { response, priority, ..Guard::new("g", Direction::Both) }
    }

    #[test]
    fn the_highest_priority_names_the_mode() {
        let guards = [leads_to(1, 0), leads_to(2, 5), leads_to(2, 5), leads_to(3, 5)];
        assert_eq!(target(&guards, &[]), Ok(None));
        assert_eq!(target(&guards, &[0, 1, 2]), Ok(Some(2)));
        let conflict = Impossible::Modes { guards: (1, 3), modes: (2, 3) };
        assert_eq!(target(&guards, &[0, 1, 3]), Err(conflict));
    }
}
