//! Rows of N four-bars lie flat twice in 2 s, and N rows of constraints follow from the others there. Generalized-α methods stopped before that position at tight tolerances, or went on along another
//! branch: the nearer one of their many short steps ended, the more rounding of positions was divided by what is left of the rows.

use slipstick::equations::{ActiveRows, System};
use slipstick::problems::{Entrant, MechanismProblem, mechanism_problems};
use slipstick::simulate::{Options, simulate};
use slipstick::trajectory::Trajectory;

fn run(problem: &MechanismProblem, name: &str, tolerance: f64) -> Trajectory {
    let method = Entrant::parse(name).expect("a method").method;
    let options = Options { method, ..problem.options.clone().tolerances(tolerance, tolerance / 10.0) };
    simulate(&*problem.system, &problem.start, &options)
        .unwrap_or_else(|failure| panic!("{} {name} {tolerance:e}: {failure}", problem.name))
}

/// The largest rate of a constraint at the ends of steps, beside its gradient and the largest speed.
fn largest_rate(system: &dyn System, run: &Trajectory) -> f64 {
    let (layout, m) = (system.layout(), system.constraints().len());
    let (mut position, mut velocity) = (vec![0.0; m], vec![0.0; m]);
    let (mut evaluator, mut terms, mut worst) =
        (system.evaluator(), system.room_for_terms(&ActiveRows::all(system.constraints())), 0.0_f64);
    for segment in &run.segments {
        for step in segment.steps() {
            let y = segment.state(step.t);
            evaluator.residuals(
                segment.mode.locked(system.parameters()),
                step.t,
                &y,
                &mut position,
                &mut velocity,
            );
            evaluator.terms(segment.mode.locked(system.parameters()), step.t, &y, &mut terms);
            let fast = y[layout.q..].iter().fold(1.0, |most: f64, v| most.max(v.abs()));
            for (k, rate) in velocity.iter().enumerate() {
                let length = terms.jacobian.row(k).map(|(_, g)| g * g).sum::<f64>().sqrt();
                worst = worst.max(rate.abs() / (length * fast));
            }
        }
    }
    worst
}

fn passes(row: &str, tolerances: &[f64]) {
    let problem = mechanism_problems().into_iter().find(|problem| problem.name == row).expect("a row");
    for name in ["alpha", "alpha2", "alpha3"] {
        for &tolerance in tolerances {
            let run = run(&problem, name, tolerance);
            let (error, statistics) = (problem.error(run.end_state()), &run.statistics);
            assert!(error < 12.0 * tolerance.powf(2.0 / 3.0), "{row} {name} {tolerance:e}: {error:e}");
            let few = statistics.rejected <= 4 + statistics.accepted / 20;
            assert!(few, "{row} {name} {tolerance:e}: {} not taken", statistics.rejected);
            let rate = largest_rate(&*problem.system, &run);
            assert!(name == "alpha3" || rate <= 1e-13, "{row} {name} {tolerance:e}: {rate:e}");
        }
    }
}

#[test]
fn two_four_bars_go_on() {
    // Where steps end next to the position hangs on the tolerance.
    passes("four-bars-2", &[1e-4, 1e-6, 1e-7, 1.1e-8, 1e-8]);
}

#[test]
fn ten_four_bars_go_on() {
    passes("four-bars-10", &[1e-8]);
}

#[test]
fn a_hundred_four_bars_go_on() {
    passes("four-bars-100", &[1e-4]);
}
