//! Rule 16: a guard has fired, its reset has changed its own motion, and yet the motion goes on to the true
//! side.

use super::guards::Guards;
use super::integrator::Integrator;
use crate::formulation::Field;
use crate::math::dot;
use crate::model::{ContactChange, Direction};
use crate::transition::Transition;
use crate::watch::SideState;

/// How a guard that has fired goes on to its true side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Onward {
    /// As it does without its reset.
    Freely,
    /// Its reset has brought it to a halt: its events accumulate at once.
    Halts,
    /// Its reset has changed its motion, and it still moves.
    Through,
    /// It is the gap of an open contact, which must not go on: it is hit again.
    Hits,
}

impl Onward {
    /// Looks at a guard that has fired in a transition and that motion of this order takes on to its true
    /// side.
    pub(super) fn of(g: usize, order: usize, integrator: &mut Integrator<'_>, last: &Transition) -> Self {
        let guard = &integrator.flow.system().guards()[g];
        if guard.contact.is_some_and(|of| of.change == ContactChange::Hit) {
            return Self::Hits;
        }
        let one_sided = guard.direction != Direction::Both && guard.response.mode.is_none();
        if !one_sided || !guard.response.sets_state() || !reset_turns(integrator, g, last) {
            return Self::Freely;
        }
        if order > 1 { Self::Halts } else { Self::Through }
    }
}

impl Guards {
    /// Whether a guard that has fired in a transition is beyond its band, so that no motion decides it, and
    /// its reset has turned its motion further that way.
    pub(super) fn sinks(&mut self, g: usize, integrator: &mut Integrator<'_>, last: &Transition) -> bool {
        if self.watch.side(g) != SideState::Plus || Onward::of(g, 1, integrator, last) != Onward::Through {
            return false;
        }
        let rate = self.along(integrator).1.rate(g);
        let before = self.comparisons.orientation(g) * rate_at(integrator, g, &last.before);
        rate.value > rate.band && (rate.value - before).abs() > rate.band
    }
}

/// The rate of a guard along the motion that begins at a state.
fn rate_at(integrator: &mut Integrator<'_>, g: usize, y: &[f64]) -> f64 {
    let (t, mut y, mut gradient, mut rates) =
        (integrator.trial.t, y.to_vec(), vec![0.0; y.len()], vec![0.0; y.len()]);
    integrator.flow.derivative(t, &y, &mut rates);
    let by_time = integrator.flow.guards().gradient(g, t, &mut y, &mut gradient);
    by_time + dot(&gradient, &rates)
}

/// Whether the reset of a guard has changed something that the guard or its rate depends on.
fn reset_turns(integrator: &mut Integrator<'_>, g: usize, last: &Transition) -> bool {
    let (system, place) = (integrator.flow.system(), integrator.flow.mode.values.place);
    let changed: Vec<usize> = last.moved().collect();
    if changed.is_empty() || !system.reset_can_turn(place, g, g) {
        return false;
    }
    system.has_formulas() || rate_depends_on(integrator, g, &changed)
}

/// Whether a guard or its rate depends on one of these states, for closures, which do not say so: the same
/// numbers to the last bit come from what is not looked at.
fn rate_depends_on(integrator: &mut Integrator<'_>, g: usize, states: &[usize]) -> bool {
    let (t, here) = (integrator.trial.t, integrator.trial.start.clone());
    let tolerances = &integrator.options.tolerances;
    let moved = |states: &[usize]| {
        let mut there = here.clone();
        for &i in states {
            there[i] += tolerances.scale(i, here[i].abs());
        }
        there
    };
    let beside = moved(states);
    let flow = &mut integrator.flow;
    let (mut rates, mut others) = (vec![0.0_f64; here.len()], vec![0.0_f64; here.len()]);
    flow.derivative(t, &here, &mut rates);
    flow.derivative(t, &beside, &mut others);
    let differ = |i: &usize| rates[*i].to_bits() != others[*i].to_bits();
    let further = moved(&(0..here.len()).filter(differ).collect::<Vec<_>>());
    let [value, direct, by_rate] = [&here, &beside, &further].map(|y| flow.guards().along(g, t, y));
    value.to_bits() != direct.to_bits() || value.to_bits() != by_rate.to_bits()
}

#[cfg(test)]
mod tests {
    use super::super::Plan;
    use super::*;
    use crate::transition::Firing;

    /// How a ball goes on at the floor that this reset has put to a speed.
    fn onward(speed: f64, order: usize) -> Onward {
        let plan = Plan::of(
            r#"
            states = { y = 0.0, v = -1.0 }
            derivatives = { y = "v", v = "-9.81" }
            events.floor = { guard = "y < 0", reset = { v = "0.5 * v" } }
            run = { until = 3 }"#,
        );
        let mut integrator = Integrator::of(&plan);
        let mut last = Transition::new(0.0, &[0.0, -1.0], &integrator.flow.mode);
        last.begin(&Firing::one(0), 0.0, &[0.0, -1.0], &integrator.flow.mode);
        last.after[1] = speed;
        Onward::of(0, order, &mut integrator, &last)
    }

    #[test]
    fn a_reset_that_does_not_turn_its_motion_halts_it_or_lets_it_through() {
        assert_eq!(onward(-0.5, 1), Onward::Through);
        assert_eq!(onward(0.0, 2), Onward::Halts);
        assert_eq!(onward(-1.0, 1), Onward::Freely, "nothing was set");
    }
}
