//! Events at known times.
//!
//! - Doses: x' = -x from 1, and every quarter of a unit of time x grows by one. Between doses it falls by the
//!   factor e^(-1/4).

use super::{Bounds, EventProblem, Expected};
use crate::equations::{ClosureGuard, ClosureSystem};

/// Twenty doses, and half of the time to the next.
pub(super) fn doses() -> EventProblem {
    const EVERY: f64 = 0.25;
    let clock =
        ClosureGuard::every("dose", EVERY, EVERY).reset(|_, before, after| after[0] = before[0] + 1.0);
    let system = ClosureSystem::new(["x"], |_, y, dy| dy[0] = -y[0]).guard(clock);
    let (mut events, mut x) = (Vec::new(), 1.0);
    for dose in 1..=20 {
        x *= (-EVERY).exp();
        events.push(Expected::with_state(f64::from(dose) * EVERY, 0, [x]));
        x += 1.0;
    }
    let end = x * (-0.5 * EVERY).exp();
    let problem = EventProblem::new("doses", "closed form", system, [1.0], 20.5 * EVERY);
    problem.truth(events, [end], Bounds { time: 0.0, ..Bounds::all(1e-7) })
}
