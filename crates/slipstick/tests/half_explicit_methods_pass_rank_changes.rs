//! Half-explicit methods run through gradients of constraints whose rank is not full (paper 001, section 4.5): rows that follow from others, where stages are off the constraints and something is
//! left of such rows; and singular positions, next to which a row fixes next to nothing. The motion is that with the redundancy removed by hand.

use slipstick::equations::{Mechanism, System};
use slipstick::mode::Mode;
use slipstick::problems::{MechanismProblem, mechanism_problems};
use slipstick::simulate::{Options, Start, simulate};
use slipstick::step::Method;
use slipstick::trajectory::Trajectory;

const METHODS: [Method; 2] = [Method::HalfExplicit5, Method::PartitionedHalfExplicit5];

fn run(system: &dyn System, start: &Start, options: &Options, method: Method, tolerance: f64) -> Trajectory {
    let options = Options { method, ..options.clone() }.tolerances(tolerance, tolerance / 10.0);
    simulate(system, start, &options).unwrap_or_else(|failure| panic!("{method:?} {tolerance:e}: {failure}"))
}

/// The largest rate of a constraint at the ends of steps, beside the largest speed.
fn rates(system: &dyn System, run: &Trajectory) -> f64 {
    let (holonomic, q) = (system.constraints().iter().filter(|c| c.holonomic).count(), system.layout().q);
    let (mut position, mut velocity) = (vec![0.0; holonomic], vec![0.0; system.constraints().len()]);
    let (mut evaluator, mode) = (system.evaluator(), Mode::new(0, 0, 0));
    let largest = |values: &[f64]| values.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let (mut worst, mut speed) = (0.0_f64, 1.0_f64);
    for segment in &run.segments {
        for step in segment.steps() {
            let y = segment.state(step.t);
            evaluator.residuals(mode.locked(system.parameters()), step.t, &y, &mut position, &mut velocity);
            (worst, speed) = (worst.max(largest(&velocity)), speed.max(largest(&y[q..])));
        }
    }
    worst / speed
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs() / b.abs().max(1.0)))
}

/// Points with rods between them, which hang from the first.
fn frame(rods: &'static [(usize, usize, f64)], names: &[&'static str]) -> impl System + use<> {
    Mechanism::new(["x0", "y0", "x1", "y1", "x2", "y2", "x3", "y3"])
        .forces(|_, _, f| f.iter_mut().skip(1).step_by(2).for_each(|f| *f = -9.81))
        .joints(names.iter().copied(), move |_, q, g| {
            (g[0], g[1]) = (q[0], q[1]);
            for (g, &(a, b, square)) in g[2..].iter_mut().zip(rods) {
                let (x, y) = (q[2 * a] - q[2 * b], q[2 * a + 1] - q[2 * b + 1]);
                *g = x * x + y * y - square;
            }
        })
        .system()
}

const NAMES: [&str; 9] = ["x", "y", "top", "right", "low", "left", "down", "across", "again"];
/// A rectangle with one diagonal; with both; and with the first again.
const NEEDED: [(usize, usize, f64); 5] = [(0, 1, 4.0), (1, 2, 1.0), (2, 3, 4.0), (3, 0, 1.0), (0, 2, 5.0)];
const BRACED: [(usize, usize, f64); 6] =
    [(0, 1, 4.0), (1, 2, 1.0), (2, 3, 4.0), (3, 0, 1.0), (0, 2, 5.0), (1, 3, 5.0)];
const DOUBLED: [(usize, usize, f64); 7] =
    [(0, 1, 4.0), (1, 2, 1.0), (2, 3, 4.0), (3, 0, 1.0), (0, 2, 5.0), (1, 3, 5.0), (2, 0, 5.0)];

#[test]
fn a_braced_frame_moves_as_one_with_the_rods_it_needs() {
    let start =
        Start::at([0.0, 0.0, 2.0, 0.0, 2.0, -1.0, 0.0, -1.0].into_iter().chain([0.0; 8]).collect::<Vec<_>>());
    let needed = frame(&NEEDED, &NAMES[..7]);
    for tolerance in [1e-4, 1e-7, 1e-10] {
        for method in METHODS {
            let options = Options::until(3.0);
            let truth = run(&needed, &start, &options, method, tolerance);
            for system in [&frame(&BRACED, &NAMES[..8]) as &dyn System, &frame(&DOUBLED, &NAMES)] {
                let run = run(system, &start, &options, method, tolerance);
                let far = apart(run.end_state(), truth.end_state());
                assert!(far < 100.0 * tolerance, "{method:?} {tolerance:e}: {far:e}");
                let rates = rates(system, &run);
                assert!(rates <= 1e-13, "{method:?} {tolerance:e}: rates {rates:e}");
            }
        }
    }
}

fn problems(kind: &str) -> impl Iterator<Item = MechanismProblem> {
    let kind = kind.to_owned();
    mechanism_problems().into_iter().filter(move |problem| problem.name.starts_with(&kind))
}

/// Bars with pins: which rows are needed changes as the truss turns.
#[test]
fn trusses_with_members_too_many_move_as_without_them() {
    for problem in problems("truss-").filter(|problem| ["truss-2", "truss-5"].contains(&&*problem.name)) {
        let relieved = problem.relieved.as_ref().expect("has members too many");
        for (method, tolerance) in METHODS.into_iter().flat_map(|method| [(method, 1e-4), (method, 1e-12)]) {
            let both = [&problem.system, relieved]
                .map(|system| run(system.as_ref(), &problem.start, &problem.options, method, tolerance));
            let far = apart(both[0].end_state(), both[1].end_state());
            assert!(far < 100.0 * tolerance, "{} {method:?} {tolerance:e}: {far:e}", problem.name);
            let rates = rates(problem.system.as_ref(), &both[0]);
            assert!(rates <= 1e-13, "{} {method:?} {tolerance:e}: rates {rates:e}", problem.name);
        }
    }
}

#[test]
fn rows_of_four_bars_pass_the_position_in_which_they_are_flat() {
    for problem in problems("four-bars-").filter(|problem| problem.name != "four-bars-100") {
        for method in METHODS {
            for tolerance in [1e-4, 1e-5, 1e-6, 1e-7, 1e-8] {
                let run = run(problem.system.as_ref(), &problem.start, &problem.options, method, tolerance);
                let error = problem.error(run.end_state());
                assert!(error < 30.0 * tolerance, "{} {method:?} {tolerance:e}: {error:e}", problem.name);
                let rates = rates(problem.system.as_ref(), &run);
                assert!(rates <= 1e-13, "{} {method:?} {tolerance:e}: rates {rates:e}", problem.name);
            }
        }
    }
}

/// Where stages come to stand beside that position is another matter with every tolerance.
#[test]
fn wherever_stages_come_to_stand() {
    for problem in problems("four-bars-2") {
        for (method, k) in METHODS.into_iter().flat_map(|method| (0..=50).map(move |k| (method, k))) {
            let tolerance = 10_f64.powf(-4.0 - 0.1 * f64::from(k));
            let run = run(problem.system.as_ref(), &problem.start, &problem.options, method, tolerance);
            let error = problem.error(run.end_state());
            assert!(error < 30.0 * tolerance, "{method:?} {tolerance:e}: {error:e}");
            let is_noted = run.notes.iter().any(|note| note.code == "singular-position");
            assert!(is_noted, "{method:?} {tolerance:e}: {:?}", run.notes);
        }
    }
}

/// A double pendulum whose upper rod is there again, times something that varies: off the constraints its row is not a multiple of the first one, and both together would hold the rod where it is.
#[test]
fn a_rod_that_is_there_again_in_another_form_does_not_lock_the_motion() {
    let pendulum = |again: bool| {
        let names: &[&str] = if again { &["upper", "lower", "again"] } else { &["upper", "lower"] };
        Mechanism::new(["x1", "y1", "x2", "y2"])
            .forces(|_, _, f| (f[1], f[3]) = (-9.81, -9.81))
            .joints(names.iter().copied(), move |_, q, g| {
                g[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
                g[1] = (q[2] - q[0]) * (q[2] - q[0]) + (q[3] - q[1]) * (q[3] - q[1]) - 1.0;
                if again {
                    g[2] = g[0] * (q[0] * 0.5 + q[3] + 4.0);
                }
            })
            .system()
    };
    let start = Start::at([1.0, 0.0, 1.0, -1.0, 0.0, 0.0, 0.0, 0.0]);
    for (method, tolerance) in METHODS.into_iter().flat_map(|method| [1e-4, 1e-7, 1e-10].map(|x| (method, x)))
    {
        let options = Options::until(2.0);
        let systems = [pendulum(true), pendulum(false)];
        let both = systems.each_ref().map(|system| run(system, &start, &options, method, tolerance));
        let far = apart(both[0].end_state(), both[1].end_state());
        assert!(far < 1000.0 * tolerance, "{method:?} {tolerance:e}: {far:e}");
        let rates = rates(&systems[0], &both[0]);
        assert!(rates <= 1e-13, "{method:?} {tolerance:e}: rates {rates:e}");
    }
}
