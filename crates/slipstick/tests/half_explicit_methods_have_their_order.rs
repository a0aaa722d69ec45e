//! Half-explicit methods (paper 001, section 3.2) with steps of one size: order 5 of positions and speeds, also between the ends of steps and across events, and accelerations
//! and multipliers at theirs. On a pendulum and on Andrews' mechanism, against an explicit method of order 8.

mod common;

use common::{MOVING, WALL, plan};
use slipstick::formulation::{Field, Flow, Stabilisation};
use slipstick::mode::Mode;
use slipstick::model::Location;
use slipstick::simulate::{Plan, simulate};
use slipstick::step::{DenseDetail, Method, Tolerances, Trial};
use slipstick::trajectory::Trajectory;

const METHODS: [Method; 2] = [Method::HalfExplicit5, Method::PartitionedHalfExplicit5];
const PENDULUM: &str = include_str!("../src/problems/constrained/point-pendulum.toml");
const ANDREWS: &str = include_str!("../src/problems/constrained/andrews.toml");

/// A mechanism, with when it ends and where it is then.
struct Case {
    plan: Plan,
    until: f64,
    truth: Trajectory,
    /// The sizes of positions and of speeds, and how many there are.
    sizes: [f64; 2],
}

impl Case {
    fn new(text: &str, until: f64, sizes: [f64; 2]) -> Self {
        let mut plan = plan(text);
        plan.options.until = until;
        let mut exact = plan.options.clone().tolerances(1e-13, 1e-14);
        exact.method = Method::DormandPrince8;
        let truth = simulate(&plan.system, &plan.start, &exact).unwrap_or_else(|failure| panic!("{failure}"));
        Self { plan, until, truth, sizes }
    }

    fn run(&self, method: Method, stabilisation: Stabilisation, steps: u32) -> Trajectory {
        let mut options = self.plan.options.clone();
        options.steps.fixed = Some(self.until / f64::from(steps));
        (options.method, options.constraints.stabilisation) = (method, stabilisation);
        simulate(&self.plan.system, &self.plan.start, &options).unwrap_or_else(|failure| panic!("{failure}"))
    }

    /// The largest errors of positions and of speeds, as parts of their sizes.
    fn errors(&self, y: &[f64], truth: &[f64]) -> [f64; 2] {
        let half = y.len() / 2;
        let worst =
            |range: std::ops::Range<usize>| range.map(|i| (y[i] - truth[i]).abs()).fold(0.0, f64::max);
        [worst(0..half) / self.sizes[0], worst(half..2 * half) / self.sizes[1]]
    }
}

/// The order between the first and the last of three numbers of steps that double.
fn order(errors: [f64; 3]) -> f64 {
    (errors[0] / errors[2]).log2() / 2.0
}

fn check_ends(case: &Case, steps: [u32; 3]) {
    for method in METHODS {
        for stabilisation in [Stabilisation::None, Stabilisation::Twice, Stabilisation::Project] {
            let errors = steps.map(|steps| {
                case.errors(case.run(method, stabilisation, steps).end_state(), case.truth.end_state())
            });
            for half in 0..2 {
                let of_half = errors.map(|errors| errors[half]);
                let found = order(of_half);
                assert!(found > 4.75, "{} {stabilisation:?}: {found:.2} from {of_half:?}", method.name());
            }
        }
    }
}

#[test]
fn a_pendulum_is_followed_at_order_five() {
    check_ends(&Case::new(PENDULUM, 1.0, [1.0, 1.0]), [40, 80, 160]);
}

#[test]
fn a_pendulum_with_a_moving_pivot_and_further_states_is_followed_at_order_five() {
    let case = Case::new(MOVING, 1.0, [1.0, 1.0]);
    check_ends(&case, [40, 80, 160]);
    for method in METHODS {
        let wheel = |y: &[f64]| y[4];
        let truth = wheel(case.truth.end_state());
        let errors = [40, 80, 160]
            .map(|steps| (wheel(case.run(method, Stabilisation::Twice, steps).end_state()) - truth).abs());
        assert!(order(errors) > 4.75, "{}: {errors:?}", method.name());
    }
}

#[test]
fn andrews_mechanism_is_followed_at_order_five() {
    check_ends(&Case::new(ANDREWS, 0.01, [1.0, 1e3]), [80, 160, 320]);
}

/// Between the ends of steps, by dense output.
#[test]
fn dense_output_has_order_four_or_more() {
    let case = Case::new(PENDULUM, 1.0, [1.0, 1.0]);
    for method in METHODS {
        let errors = [20, 40, 80].map(|steps| {
            let run = case.run(method, Stabilisation::Twice, steps);
            let times = (0..997).map(|k| f64::from(k) / 997.0);
            let error = |t: f64| {
                let y = |run: &Trajectory| run.state_before(t).expect("within the run").y;
                let [q, v] = case.errors(&y(&run), &y(&case.truth));
                q.max(v)
            };
            times.map(error).fold(0.0, f64::max)
        });
        assert!(order(errors) > 4.5, "{}: {errors:?}", method.name());
    }
}

/// Times of impacts, located on dense output or by steps that end there, and what comes after them.
#[test]
fn impacts_on_a_wall_keep_the_order() {
    let case = Case::new(WALL, 4.0, [1.0, 1.0]);
    assert!(case.truth.events.len() >= 3, "{}", case.truth.events.len());
    for method in METHODS {
        for location in [None, Some(Location::Dense), Some(Location::Integrate)] {
            let errors = [160, 320, 640].map(|steps| {
                let mut options = case.plan.options.clone();
                (options.method, options.events.location) = (method, location);
                // Where in a step an impact falls is a matter of luck, so the errors of some steps are taken together.
                let of_step = |k: u32| {
                    options.steps.fixed = Some(4.0 / f64::from(steps) * (1.0 + 0.013 * f64::from(k)));
                    let run = simulate(&case.plan.system, &case.plan.start, &options).unwrap();
                    assert_eq!(run.events.len(), case.truth.events.len());
                    let times = run.events.iter().zip(&case.truth.events).map(|(a, b)| (a.t - b.t).abs());
                    let [q, v] = case.errors(run.end_state(), case.truth.end_state());
                    times.fold(q.max(v), f64::max)
                };
                (0..8).map(of_step).fold(0.0, f64::max)
            });
            assert!(order(errors) > 4.4, "{} {location:?}: {errors:?}", method.name());
        }
    }
}

/// The multiplier of the rod, `λ = (v² - g y) / (2 (x² + y²))`, follows from positions and speeds as they do.
#[test]
fn the_multiplier_of_an_output_has_order_five() {
    let case = Case::new(PENDULUM, 1.0, [1.0, 1.0]);
    let of = |y: &[f64]| (y[2] * y[2] + y[3] * y[3] - 9.81 * y[1]) / (2.0 * (y[0] * y[0] + y[1] * y[1]));
    for method in METHODS {
        let errors = [40, 80, 160].map(|steps| {
            let run = case.run(method, Stabilisation::None, steps);
            // The error has zeros on the way; the times are ends of steps of all runs.
            let at = |run: &Trajectory, k: u32| of(&run.state_before(f64::from(k) / 40.0).expect("within").y);
            (1..=40).map(|k| (at(&run, k) - at(&case.truth, k)).abs()).fold(0.0, f64::max)
        });
        assert!(order(errors) > 4.75, "{}: {errors:?}", method.name());
    }
}

/// The accelerations that `phem56` carries on from step to step are of its last stage, of order 4.
#[test]
fn accelerations_of_the_last_stage_have_order_four() {
    for (text, until, steps) in [(PENDULUM, 1.0, [40, 80, 160]), (ANDREWS, 0.01, [80, 160, 320])] {
        let case = Case::new(text, until, [1.0, 1.0]);
        let errors = steps.map(|steps| last_slope_error(&case, until / f64::from(steps), steps));
        assert!(order(errors) > 3.7, "{errors:?}");
    }
}

/// How far the slope of the dense output at the end is from that of the true motion.
fn last_slope_error(case: &Case, h: f64, steps: u32) -> f64 {
    let (n, system) = (case.plan.start.y.len(), &case.plan.system);
    let mut flow = Flow::stabilised(system, Mode::new(0, 0, 0), Stabilisation::None);
    let mut step = Method::PartitionedHalfExplicit5.build(n);
    let mut start = case.plan.start.y.clone();
    flow.constraints().make_consistent(0.0, &mut start, &[]).expect("a consistent start");
    let mut trial = Trial::new(0.0, &start);
    let [mut y, mut slope, mut true_slope] = [(); 3].map(|()| vec![0.0; n]);
    for k in 0..steps {
        trial.h = h;
        step.attempt(&mut flow, &Tolerances::uniform(1.0, 1.0), &mut trial);
        step.interpolate(&mut flow, &mut trial, DenseDetail::Usual);
        trial.rate_at(h, &mut y, &mut slope);
        step.advance();
        trial.advance(f64::from(k + 1) * h);
    }
    flow.derivative(case.until, case.truth.end_state(), &mut true_slope);
    (n / 2..n).map(|i| (slope[i] - true_slope[i]).abs()).fold(0.0, f64::max)
}
