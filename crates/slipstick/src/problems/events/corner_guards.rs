//! Guards that are easily missed or found twice. Motion is a straight line or a parabola, so that every time
//! is known exactly.
//!
//! - three roots in one step: (x - 4.1)(x - 4.2)(x - 4.3) with x = t;
//! - two guards 1e-12 s apart: x - 1 and x - 1 - 1e-12 with x = t are two events;
//! - duplicated guards: x - 1 and x³ - 1 with x = t are one event;
//! - a guard that touches zero: y - 1 with y = 2 t - t² is an event at t = 1 if touches count, and none if
//!   they do not;
//! - guards that are zero at the start, and go to either side: those placed after their root have left it and
//!   fire at the next one; those placed before it fire at once if they are about to cross, and not if they
//!   move away.

use super::marked::Marked;
use super::{Bounds, EventProblem, Expected};
use crate::equations::{ClosureGuard, ClosureSystem};

const CLOSED: &str = "closed form";

/// All of them.
pub(super) fn corner_guards() -> Vec<EventProblem> {
    vec![
        three_roots_in_one_step(),
        guards_1e_12_apart(),
        duplicated_guards(),
        touch("touch-is-an-event", true),
        touch("touch-is-no-event", false),
        zero_at_the_start_after(),
        zero_at_the_start_before(),
    ]
}

/// x = t.
fn line() -> ClosureSystem {
    ClosureSystem::new(["x"], |_, _, dy| dy[0] = 1.0)
}

fn three_roots_in_one_step() -> EventProblem {
    let guard = ClosureGuard::both("cubic", |_, y| (y[0] - 4.1) * (y[0] - 4.2) * (y[0] - 4.3));
    let expected = [4.1, 4.2, 4.3].map(|t| Expected::with_state(t, 0, [t]));
    let problem = EventProblem::new("three-roots-in-a-step", CLOSED, line().guard(guard), [0.0], 10.0);
    problem.truth(expected.into(), [10.0], Bounds::all(1e-12))
}

fn guards_1e_12_apart() -> EventProblem {
    let late = 1.0 + 1e-12;
    let system = line()
        .guard(ClosureGuard::rising("late", move |_, y| y[0] - late))
        .guard(ClosureGuard::rising("early", |_, y| y[0] - 1.0));
    let expected = vec![Expected::with_state(1.0, 1, [1.0]), Expected::with_state(late, 0, [late])];
    // A tenth of the distance.
    EventProblem::new("guards-1e-12-apart", CLOSED, system, [0.0], 3.0).truth(
        expected,
        [3.0],
        Bounds::all(1e-13),
    )
}

fn duplicated_guards() -> EventProblem {
    let system = line()
        .guard(ClosureGuard::rising("one", |_, y| y[0] - 1.0))
        .guard(ClosureGuard::rising("same", |_, y| y[0] - 1.0))
        .guard(ClosureGuard::rising("cube", |_, y| y[0].powi(3) - 1.0));
    let expected = Expected { guards: vec![0, 1, 2], ..Expected::with_state(1.0, 0, [1.0]) };
    let problem = EventProblem::new("duplicated-guards", CLOSED, system, [0.0], 3.0);
    problem.truth(vec![expected], [3.0], Bounds::all(1e-12))
}

fn touch(name: &str, counts: bool) -> EventProblem {
    let system = ClosureSystem::new(["y", "v"], |_, y, dy| {
        dy[0] = y[1];
        dy[1] = -2.0;
    })
    .guard(ClosureGuard::both("ceiling", |_, y| y[0] - 1.0));
    let system = if counts { Marked::new(system).touches(0) } else { Marked::new(system) };
    let expected = if counts { vec![Expected::with_state(1.0, 0, [1.0, 0.0])] } else { Vec::new() };
    let problem = EventProblem::new(name, CLOSED, system, [0.0, 2.0], 3.0);
    // The touch is where the slope is zero, which differences tell to about 1e-10.
    let bounds = Bounds { time: 1e-9, state: 1e-8, ..Bounds::all(1e-12) };
    problem.truth(expected, [-3.0, -4.0], bounds)
}

/// Two balls thrown from zero, one up and one down, with gravity towards zero: 1 s later they are back.
fn zero_at_the_start_after() -> EventProblem {
    let system = ClosureSystem::new(["up", "down", "v_up", "v_down"], |_, y, dy| {
        dy[..2].copy_from_slice(&y[2..]);
        dy[2..].copy_from_slice(&[-2.0, 1.0]);
    })
    .guard(ClosureGuard::both("up", |_, y| y[0]))
    .guard(ClosureGuard::both("down", |_, y| y[1]));
    let expected = vec![
        Expected::with_state(1.0, 0, [0.0, -0.5, -1.0, 0.0]),
        Expected::with_state(2.0, 1, [-2.0, 0.0, -3.0, 1.0]),
    ];
    let problem = EventProblem::new("zero-at-start-after", CLOSED, system, [0.0, 0.0, 1.0, -1.0], 3.0);
    problem.truth(expected, [-6.0, 1.5, -5.0, 2.0], Bounds::all(1e-12))
}

/// Two balls on the floor at the start, e = 1, g = 2: one is thrown up, one into the floor.
fn zero_at_the_start_before() -> EventProblem {
    let system = ClosureSystem::new(["up", "down", "v_up", "v_down"], |_, y, dy| {
        dy[..2].copy_from_slice(&y[2..]);
        dy[2..].fill(-2.0);
    })
    .guard(ClosureGuard::falling("up", |_, y| y[0]).reset(|_, before, after| after[2] = -before[2]))
    .guard(ClosureGuard::falling("down", |_, y| y[1]).reset(|_, before, after| after[3] = -before[3]));
    let expected = vec![
        Expected::with_state(0.0, 1, [0.0, 0.0, 1.0, -1.5]),
        Expected::with_state(1.0, 0, [0.0, 0.5, -1.0, -0.5]),
        Expected::with_state(1.5, 1, [0.25, 0.0, 0.0, -1.5]),
    ];
    let problem = EventProblem::new("zero-at-start-before", CLOSED, system, [0.0, 0.0, 1.0, -1.5], 1.75);
    problem.truth(expected, [0.1875, 0.3125, -0.5, 1.0], Bounds::all(1e-12))
}
