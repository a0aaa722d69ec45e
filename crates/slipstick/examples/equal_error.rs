//! Runs `hem5` and `mdop5` on the mechanism of Andrews to 0.03 at several tolerances, each run in a function
//! that callgrind can tell from the rest: `.ci/instructions` compares with it what both cost at an equal
//! error. Prints one line for each run: the method and its error at the end.

use slipstick::problems::{Case, Entrant, mechanism_problems};
use slipstick::simulate::{Failure, Keep, Options, simulate};
use slipstick::trajectory::Trajectory;

/// One run, counted.
#[inline(never)]
fn counted_run(case: &Case<'_>, options: &Options) -> Result<Trajectory, Box<Failure>> {
    std::hint::black_box(simulate(case.system, case.start, options))
}

fn main() {
    let problems = mechanism_problems();
    let Some(andrews) = problems.iter().find(|problem| problem.name == "andrews-0.03") else { return };
    let case = andrews.case();
    for (name, tolerances) in [
        ("hem5", [1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6]),
        ("mdop5", [1e-5, 3e-6, 1e-6, 3e-7, 1e-7, 3e-8, 1e-8, 3e-9, 1e-9]),
    ] {
        let Ok(entrant) = Entrant::parse(name) else { continue };
        for tolerance in tolerances {
            let options = Options { keep: Keep::Ends, ..case.options_for(&entrant, tolerance) };
            let entry = case.measure(&options, counted_run(&case, &options));
            println!(
                "{name} {}",
                entry.error.map_or_else(|| "failed".to_owned(), |error| format!("{error:e}"))
            );
        }
    }
}
