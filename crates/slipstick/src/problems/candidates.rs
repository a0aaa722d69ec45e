//! Who takes part in the comparison on mechanisms with contacts: functions of a problem and a setting.
//!
//! What finds events is set by a tolerance, what steps over them by its step. At an equal error they can be compared:
//! work is counted in multiplications for all of them ([`Entry::work`]).

use super::{Entrant, Entry, MechanismProblem, Profile, work_for};
use crate::simulate::simulate;

/// What chooses how exact a run is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Setting {
    /// The relative tolerance.
    Tolerance(f64),
    /// The step of what steps over events.
    Step(f64),
}

type Run = Box<dyn Fn(&MechanismProblem, Setting) -> Entry + Send + Sync>;

/// A way to run mechanisms with contacts.
pub struct Candidate {
    /// What it is called.
    pub name: &'static str,
    /// The settings that it is run at.
    pub settings: Vec<Setting>,
    run: Run,
}

/// The tolerances of those who find events.
const TOLERANCES: [f64; 4] = [1e-2, 1e-4, 1e-6, 1e-8];

/// The steps of time stepping.
const STEPS: [f64; 4] = [1e-2, 1e-3, 1e-4, 1e-5];

/// Those who find events, as in `slipstick compare`.
const EVENT_DRIVEN: [&str; 8] =
    ["auto", "dopri5", "tsit5", "dop853", "hem5", "phem56", "alpha", "radau5+ggl"];

impl Candidate {
    /// With what it comes to on a problem at a setting.
    pub fn new(
        name: &'static str,
        settings: Vec<Setting>,
        run: impl Fn(&MechanismProblem, Setting) -> Entry + Send + Sync + 'static,
    ) -> Self {
        Self { name, settings, run: Box::new(run) }
    }

    /// A method that finds every event.
    fn event_driven(name: &'static str) -> Option<Self> {
        let entrant = Entrant::parse(name).ok()?;
        let run = move |problem: &MechanismProblem, setting: Setting| {
            let (Setting::Tolerance(size) | Setting::Step(size)) = setting;
            let case = problem.case();
            let options = case.options_for(&entrant, size);
            case.measure(&options, simulate(case.system, case.start, &options))
        };
        Some(Self::new(name, TOLERANCES.map(Setting::Tolerance).to_vec(), run))
    }

    /// Time stepping of Moreau and Jean from the start to the end, which finds no events.
    fn moreau_jean() -> Option<Self> {
        let entrant = Entrant::parse("dopri5").ok()?;
        let run = move |problem: &MechanismProblem, setting: Setting| {
            let (Setting::Tolerance(size) | Setting::Step(size)) = setting;
            let case = problem.case();
            let options = case.options_for(&entrant, TOLERANCES[2]).time_stepping(size);
            case.measure(&options, simulate(case.system, case.start, &options))
        };
        Some(Self::new("moreau-jean", STEPS.map(Setting::Step).to_vec(), run))
    }

    /// Runs a problem.
    pub fn run(&self, problem: &MechanismProblem, setting: Setting) -> Entry {
        (self.run)(problem, setting)
    }
}

/// All of them.
pub fn contact_candidates() -> Vec<Candidate> {
    EVENT_DRIVEN.into_iter().filter_map(Candidate::event_driven).chain(Candidate::moreau_jean()).collect()
}

/// What came of the runs of one candidate on one problem: work and error of each that came to its end.
pub type WorkAndError = Vec<(f64, f64)>;

/// Which share of the problems each candidate solves to an error within a multiple of the least work; a row for each
/// problem, with a place for each candidate.
pub fn profile_at_error(error: f64, candidates: usize, runs: &[Vec<WorkAndError>]) -> Profile {
    let needed = |row: &Vec<WorkAndError>| row.iter().map(|runs| work_for(error, runs)).collect();
    Profile::of(candidates, &runs.iter().map(needed).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::super::contact_mechanisms;
    use super::*;

    #[test]
    fn a_candidate_is_a_function_of_problem_and_setting() {
        let slow = Candidate::new("slow", vec![Setting::Step(0.5), Setting::Step(0.25)], |_, setting| {
            let Setting::Step(h) = setting else { return Entry::not_run("it takes steps") };
            Entry { error: Some(h), work: 8.0 / h, failure: None, ..Entry::not_run("") }
        });
        let fast = Candidate::event_driven("dopri5").expect("it is known");
        let problem = &contact_mechanisms()[0];
        let runs = |candidate: &Candidate| -> WorkAndError {
            let runs = candidate.settings.iter().map(|setting| candidate.run(problem, *setting));
            runs.filter_map(|entry| Some((entry.work, entry.error?))).collect()
        };
        let rows = [vec![runs(&slow), runs(&fast)]];
        assert_eq!((rows[0][0].as_slice(), rows[0][1].len()), (&[(16.0, 0.5), (32.0, 0.25)][..], 4));
        assert_eq!(profile_at_error(0.3, 2, &rows).solved(0), 1.0);
        assert_eq!(profile_at_error(1e-7, 2, &rows).solved(0), 0.0);
        assert_eq!(profile_at_error(1e-7, 2, &rows).share(1, 1.0), 1.0);
    }
}
