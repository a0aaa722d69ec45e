//! The loop: a run alternates between a form, which a method integrates, and a transition, which makes a new state and mode.
//!
//! ```text
//! make the start consistent; lock switches; what fires at the start is a transition
//! until the end, within the limits:
//!     integrate the form until a guard fires or the end is reached          (integrate.rs)
//!     transition: resets, switches, modes, sliding, consistency, again
//!     until nothing fires any more                                          (instant.rs)
//! ```

use super::accumulating::Accumulating;
use super::calendar::Calendar;
use super::integrator::Integrator;
use super::reaching::Approach;
use super::recorder::{Recorder, empty_trajectory};
use super::signals::{Along, Comparisons, Uncertainty, has_surface};
use super::{Error, Failure, Monitor, Options, Start, Unwatched, initialise};
use crate::equations::{Condition as Joined, Guard, GuardKind, OnEntry as EntryRule, System};
use crate::math::Bracket;
use crate::mode::Mode;
use crate::model::{Direction, Side};
use crate::step::StiffnessCount;
use crate::trajectory::{Outcome, Segment, Trajectory};
use crate::transition::{Cascade, Resets};
use crate::watch::{Condition, Fires, GuardSpec, OnEntry, Placement, Snapshot, Touches, Watch};

/// Everything that a run owns.
pub(super) struct Simulator<'a> {
    pub(super) integrator: Integrator<'a>,
    pub(super) watch: Watch,
    pub(super) comparisons: Comparisons,
    pub(super) uncertainty: Uncertainty,
    pub(super) calendar: Calendar,
    pub(super) recorder: Recorder,
    pub(super) cascade: Cascade<Snapshot>,
    pub(super) resets: Resets,
    pub(super) accumulating: Accumulating,
    pub(super) stiffness: StiffnessCount,
    /// The guard whose surface the last step would have gone beyond, and one that the motion has come to as near as can be told.
    pub(super) blocked_by: Option<usize>,
    pub(super) arrived: Option<usize>,
    /// How far sliding-mode control has come.
    pub(super) approach: Approach,
    /// The state before and after a transition.
    pub(super) before: Vec<f64>,
    pub(super) after: Vec<f64>,
}

/// What fires at one instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Firing {
    /// Guards of the system, in rising order.
    pub(super) guards: Vec<usize>,
    /// Surfaces that the motion leaves, by their place among those slid on, with the sign of the side that it goes to.
    pub(super) exits: Vec<(usize, f64)>,
    /// The window of the crossing, as offsets from the start of the step in which it was found.
    pub(super) window: Option<Bracket>,
}

impl Firing {
    pub(super) fn is_empty(&self) -> bool {
        self.guards.is_empty() && self.exits.is_empty()
    }
}

/// Runs a system from its start to the end time, or as far as it goes.
pub fn simulate(system: &dyn System, start: &Start, options: &Options) -> Result<Trajectory, Box<Failure>> {
    simulate_watched(system, start, options, &mut Unwatched)
}

/// As [`simulate`], asking a monitor before every step.
pub fn simulate_watched(
    system: &dyn System,
    start: &Start,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Result<Trajectory, Box<Failure>> {
    if let Err(error) = initialise::check(system, start, options) {
        return Err(Box::new(Failure { error, trajectory: empty_trajectory(system, options) }));
    }
    let mut simulator = Simulator::new(system, start, options);
    let result = simulator.go(monitor);
    simulator.finish(result)
}

impl<'a> Simulator<'a> {
    pub(super) fn new(system: &'a dyn System, start: &Start, options: &'a Options) -> Self {
        let mode = Mode::start(system, start.mode);
        let integrator = Integrator::new(system, mode.clone(), (start.t, &start.y), options);
        let guards = system.guards().len();
        let mut comparisons = Comparisons::new(system);
        comparisons.look_at(options.detection, integrator.step.method().nodes());
        Self {
            watch: new_watch(system, &comparisons),
            comparisons,
            uncertainty: Uncertainty::new(&start.y, guards),
            calendar: Calendar::new(&integrator.flow, options.until),
            recorder: Recorder::new(
                empty_trajectory(system, options),
                options.keep,
                Segment::new(mode, start.t, &start.y),
                integrator.step.method(),
            ),
            cascade: Cascade::default(),
            resets: Resets::default(),
            accumulating: Accumulating::new(guards),
            stiffness: StiffnessCount::default(),
            blocked_by: None,
            arrived: None,
            approach: Approach::default(),
            before: start.y.clone(),
            after: start.y.clone(),
            integrator,
        }
    }

    /// The loop; see the head of this file.
    fn go(&mut self, monitor: &mut dyn Monitor) -> Result<Outcome, Error> {
        if let Some(outcome) = self.start()? {
            return Ok(outcome);
        }
        loop {
            let firing = match self.integrate(monitor)? {
                Ok(firing) => firing,
                Err(outcome) => return Ok(outcome),
            };
            if let Some(outcome) = self.transition(firing)? {
                return Ok(outcome);
            }
        }
    }

    /// Comparisons along the step at hand, with the watch that asks for them.
    pub(super) fn along(&mut self) -> (&mut Watch, Along<'_, 'a>) {
        let along = Along {
            integrator: &mut self.integrator,
            comparisons: &self.comparisons,
            uncertainty: &mut self.uncertainty,
        };
        (&mut self.watch, along)
    }

    pub(super) fn system(&self) -> &'a dyn System {
        self.integrator.flow.system()
    }

    pub(super) fn guard(&self, guard: usize) -> &'a Guard {
        &self.system().guards()[guard]
    }

    /// Closes the record.
    fn finish(mut self, result: Result<Outcome, Error>) -> Result<Trajectory, Box<Failure>> {
        let integrator = &self.integrator;
        integrator.add_work(self.recorder.statistics());
        let (t, y) = (integrator.trial.t, &integrator.trial.start);
        let mut trajectory = self.recorder.finish(t, y, integrator.counts());
        match result {
            Ok(outcome) => {
                trajectory.outcome = outcome;
                Ok(trajectory)
            }
            Err(error) => Err(Box::new(Failure { error, trajectory })),
        }
    }
}

/// The guards of a system, and two exits for each surface that it may slide on.
fn new_watch(system: &dyn System, comparisons: &Comparisons) -> Watch {
    let guards = system.guards();
    let surfaces = guards.iter().filter(|guard| may_slide(guard)).count();
    let modes = system.mode_names().len();
    let specs = guards.iter().enumerate().map(|(g, guard)| specify(g, guard, modes));
    let exits = (0..2 * surfaces).map(|exit| GuardSpec {
        condition: Condition::Is(comparisons.guards() + exit),
        fires: Fires::WhenTrue,
        placement: Placement::After,
        on_entry: OnEntry::FiresByMotion,
        touches: Touches::Ignored,
        poles: true,
    });
    let fixed = modes + system.condition_number();
    Watch::new(comparisons.guards() + 2 * surfaces, fixed, specs.chain(exits).collect())
}

/// A guard of the system as the watch sees it. What changes in transitions only has a slot: modes first, then conditions of discrete variables.
fn specify(g: usize, guard: &Guard, modes: usize) -> GuardSpec {
    let joined = guard.kind == GuardKind::Compound;
    GuardSpec {
        condition: if joined { condition_of(&guard.condition, modes) } else { Condition::Is(g) },
        fires: if guard.direction == Direction::Both && !joined { Fires::Both } else { Fires::WhenTrue },
        placement: if guard.side == Side::Before { Placement::Before } else { Placement::After },
        on_entry: match guard.on_entry {
            EntryRule::Waits => OnEntry::Waits,
            EntryRule::Fires if guard.mode.is_some() && !locks(guard) => OnEntry::Fires,
            EntryRule::Fires => OnEntry::FiresByMotion,
        },
        touches: if guard.touches { Touches::Count } else { Touches::Told },
        poles: locks(guard),
    }
}

fn condition_of(condition: &Joined, modes: usize) -> Condition {
    let all = |parts: &[Joined]| parts.iter().map(|part| condition_of(part, modes)).collect();
    match condition {
        // Only a guard with a surface of its own is a crossing.
        Joined::Crossing => Condition::Or(Vec::new()),
        Joined::Sign { comparison, positive: true } => Condition::Is(*comparison),
        Joined::Sign { comparison, positive: false } => Condition::Not(Box::new(Condition::Is(*comparison))),
        Joined::Mode(mode) => Condition::Fixed(*mode),
        Joined::Discrete(index) => Condition::Fixed(modes + index),
        Joined::Not(inner) => Condition::Not(Box::new(condition_of(inner, modes))),
        Joined::And(parts) => Condition::And(all(parts)),
        Joined::Or(parts) => Condition::Or(all(parts)),
    }
}

/// Whether a motion may slide on the surface of a guard. Two modes may share one, too.
pub(super) fn may_slide(guard: &Guard) -> bool {
    has_surface(guard.kind) && (locks(guard) || guard.response.mode.is_some())
}

/// Whether a guard locks something in the equations. The count of a clock is not used there.
pub(super) fn locks(guard: &Guard) -> bool {
    guard.response.switch.is_some() || guard.response.count.is_some_and(|count| !count.clock)
}
