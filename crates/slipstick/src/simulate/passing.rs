//! Rule 16: a guard has fired, its reset has changed its own motion, and yet the motion goes on to the true side.

use super::signals::Meaning;
use super::simulator::Simulator;
use crate::formulation::Field;
use crate::model::Direction;

impl Simulator<'_> {
    /// Looks at a guard that has fired and that motion of this order takes on to its true side. Where its reset
    /// has brought it to a halt, its events accumulate at once; where it still moves, it passes through.
    pub(super) fn look_at_passing(&mut self, comparison: usize, order: usize) {
        let Meaning::Guard(g) = self.comparisons.meaning(comparison) else { return };
        let guard = self.guard(g);
        let one_sided = guard.direction != Direction::Both && guard.response.mode.is_none();
        if !one_sided || !guard.response.reset || !self.reset_turns(g) {
            return;
        }
        if order > 1 {
            self.accumulating.halted.push(g);
            return;
        }
        self.recorder.note_once(self.integrator.trial.t, ("passes-through", &guard.name), || {
            format!(
                "the event `{}` changes the motion of its own guard, and still the guard goes on to its true side: \
                 what should be held passes through; does the reset turn the motion round?",
                guard.name
            )
        });
    }

    /// Whether the reset of a guard has changed something that the guard or its rate depends on.
    fn reset_turns(&mut self, g: usize) -> bool {
        let place = self.integrator.flow.mode.values.place;
        let both = self.before.iter().zip(&self.after);
        let changed: Vec<usize> =
            both.enumerate().filter(|(_, (a, b))| a.to_bits() != b.to_bits()).map(|(i, _)| i).collect();
        if changed.is_empty() || !self.system().reset_can_turn(place, g, g) {
            return false;
        }
        self.system().has_formulas() || self.rate_depends_on(g, &changed)
    }

    /// Whether a guard or its rate depends on one of these states, for closures, which do not say so: the same
    /// numbers to the last bit come from what is not looked at.
    fn rate_depends_on(&mut self, g: usize, states: &[usize]) -> bool {
        let (t, here) = (self.integrator.trial.t, self.integrator.trial.start.clone());
        let tolerances = &self.integrator.options.tolerances;
        let moved = |states: &[usize]| {
            let mut there = here.clone();
            for &i in states {
                there[i] += tolerances.scale(i, here[i].abs());
            }
            there
        };
        let beside = moved(states);
        let flow = &mut self.integrator.flow;
        let (mut rates, mut others) = (vec![0.0_f64; here.len()], vec![0.0_f64; here.len()]);
        flow.derivative(t, &here, &mut rates);
        flow.derivative(t, &beside, &mut others);
        let differ = |i: &usize| rates[*i].to_bits() != others[*i].to_bits();
        let further = moved(&(0..here.len()).filter(differ).collect::<Vec<_>>());
        let [value, direct, by_rate] = [&here, &beside, &further].map(|y| flow.guard_along(g, t, y));
        value.to_bits() != direct.to_bits() || value.to_bits() != by_rate.to_bits()
    }
}
