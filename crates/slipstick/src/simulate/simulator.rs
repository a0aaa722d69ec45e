//! A simulator: made once for a system and options, it runs from many starts with many parameters.

use super::assembly::PutTogether;
use super::recorder::empty_trajectory;
use super::run_loop::{Origin, RunLoop};
use super::{Error, Failure, Monitor, Options, Start, Unwatched, validate};
use crate::equations::System;
use crate::mode::Mode;
use crate::trajectory::Trajectory;

/// Runs a system with some options again and again, in the same memory.
///
/// A run does not depend on those before it: it has the bits of a run by a new simulator, also after one that
/// has failed.
pub struct Simulator<'a> {
    system: &'a dyn System,
    options: &'a Options,
    /// Made by the first run.
    run: Option<Box<RunLoop<'a>>>,
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
    Simulator::new(system, options).run_watched(system.parameters(), start, monitor)
}

impl<'a> Simulator<'a> {
    /// For a system and what is asked of its runs. Nothing is computed yet.
    pub fn new(system: &'a dyn System, options: &'a Options) -> Self {
        Self { system, options, run: None }
    }

    /// Runs with these values of the parameters, in the order of [`Shape::parameters`], from a start to the
    /// end time, or as far as it goes. [`FormulaSystem::prepare`] finds both for a model.
    ///
    /// [`Shape::parameters`]: crate::equations::Shape::parameters
    /// [`FormulaSystem::prepare`]: crate::equations::FormulaSystem::prepare
    pub fn run(&mut self, parameters: &[f64], start: &Start) -> Result<Trajectory, Box<Failure>> {
        self.run_watched(parameters, start, &mut Unwatched)
    }

    /// As [`run`](Self::run), asking a monitor before every step.
    pub fn run_watched(
        &mut self,
        parameters: &[f64],
        start: &Start,
        monitor: &mut dyn Monitor,
    ) -> Result<Trajectory, Box<Failure>> {
        let (system, options) = (self.system, self.options);
        if let Err(error) = self.check(parameters, start) {
            let trajectory =
                Trajectory { parameters: parameters.to_vec(), ..empty_trajectory(system, options) };
            return Err(Box::new(Failure { error, trajectory }));
        }
        let run = self.begin(parameters, start);
        let result = run.go(monitor);
        run.finish(result)
    }

    /// Puts the mechanism together as a run would, and goes no further.
    pub(super) fn assemble(&mut self, start: &Start) -> Result<PutTogether, Error> {
        let parameters = self.system.parameters();
        self.check(parameters, start)?;
        let run = self.begin(parameters, start);
        run.start_mechanism()?;
        let flow = &mut run.integrator.flow;
        let (t, state) = (run.integrator.trial.t, run.integrator.trial.start.clone());
        let rank = flow.constraints().active_rows(t, &state).len();
        let (redundant, _) = flow.constraints().redundant();
        Ok(PutTogether { state, rank, redundant })
    }

    /// Refuses what cannot be run. What is the same in all runs is checked before the first.
    fn check(&self, parameters: &[f64], start: &Start) -> Result<(), Error> {
        validate::check_beginning(self.system, parameters, start, self.options)?;
        if self.run.is_none() {
            validate::check_system(self.system, self.options)?;
        }
        validate::check_mechanism_at(self.system, start)
    }

    /// The loop of a run, before its start.
    fn begin(&mut self, parameters: &[f64], start: &Start) -> &mut RunLoop<'a> {
        let mut mode = Mode::start(self.system, start.mode);
        if let Some(discrete) = &start.discrete {
            mode.values.discrete.clone_from(discrete);
        }
        let origin = Origin { parameters, mode: &mode, t: start.t, y: &start.y };
        if let Some(run) = &mut self.run {
            run.renew(origin);
        }
        let (system, options) = (self.system, self.options);
        self.run.get_or_insert_with(|| Box::new(RunLoop::new(system, origin, options)))
    }
}
