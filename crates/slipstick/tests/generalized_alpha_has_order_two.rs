//! Generalized-α methods (paper 001, section 3.1) are of order 2 with steps of one size and of many, in positions, speeds, further states and multipliers, between the ends of steps and
//! across events; and leave the part `ρ∞` of what is infinitely fast.

mod common;

use common::{MOVING, WALL, plan};
use slipstick::equations::{ClosureSystem, Mechanism, System};
use slipstick::formulation::{Field, Flow, Stabilisation};
use slipstick::math::Jet;
use slipstick::mode::Mode;
use slipstick::model::Location;
use slipstick::simulate::{Options, Plan, Start, simulate};
use slipstick::step::{Method, Tolerances, Trial};
use slipstick::trajectory::Trajectory;

const METHODS: [Method; 3] = [Method::GeneralizedAlpha, Method::GeneralizedAlpha2, Method::GeneralizedAlpha3];
const PENDULUM: &str = include_str!("../src/problems/constrained/point-pendulum.toml");
const ANDREWS: &str = include_str!("../src/problems/constrained/andrews.toml");

/// The order between the first and the last of three numbers of steps that double.
fn order(errors: [f64; 3]) -> f64 {
    (errors[0] / errors[2]).log2() / 2.0
}

fn farthest(a: &[f64], b: &[f64]) -> f64 {
    let size = b.iter().fold(1.0_f64, |size, b| size.max(b.abs()));
    a.iter().zip(b).map(|(a, b)| (a - b).abs() / size).fold(0.0, f64::max)
}

/// A mechanism, with when it ends and where it is until then.
struct Case {
    plan: Plan,
    until: f64,
    truth: Trajectory,
}

impl Case {
    fn new(text: &str, until: f64) -> Self {
        let mut plan = plan(text);
        plan.options.until = until;
        let mut exact = plan.options.clone().tolerances(1e-13, 1e-14);
        exact.method = Method::DormandPrince8;
        let truth = simulate(&plan.system, &plan.start, &exact).unwrap_or_else(|failure| panic!("{failure}"));
        Self { plan, until, truth }
    }

    /// Steps by hand, of given sizes relative to each other. Gives the largest errors of positions, of speeds and further states, and of the method's own multipliers, at the ends of
    /// steps, as parts of their size.
    fn errors(&self, method: Method, rho: f64, sizes: &[f64]) -> [f64; 3] {
        let (system, n, q) = (&self.plan.system, self.plan.start.y.len(), self.plan.system.shape().layout.q);
        let still = || Flow::stabilised(system, Mode::new(0, 0, 0), Stabilisation::None);
        let (mut flow, mut exact) = (still(), still());
        let mut step = method.build_alpha(rho).expect("a generalized-α method");
        let mut start = self.plan.start.y.clone();
        flow.constraints().make_consistent(0.0, &mut start, &[]).expect("a consistent start");
        let mut trial = Trial::new(0.0, &start);
        let (mut worst, mut dy, total) = ([0.0_f64; 3], vec![0.0; n], sizes.iter().sum::<f64>());
        for size in sizes {
            trial.h = size * self.until / total;
            step.attempt(&mut flow, &Tolerances::uniform(1e-12, 1e-12), &mut trial);
            assert!(trial.fault.is_none(), "{} at {}: {:?}", method.name(), trial.t, trial.fault);
            let t = (trial.t + trial.h).min(self.until);
            let truth = self.truth.state_before(t).expect("within the run").y;
            exact.derivative(t, &truth, &mut dy);
            worst[0] = worst[0].max(farthest(&trial.end[..q], &truth[..q]));
            worst[1] = worst[1].max(farthest(&trial.end[q..], &truth[q..]));
            worst[2] = worst[2].max(farthest(step.report().multipliers, exact.constraints().multipliers()));
            step.advance();
            trial.advance(t);
        }
        worst
    }

    /// The orders of positions, speeds and multipliers are at least these.
    fn check(&self, rhos: &[f64], sizes: impl Fn(u32) -> Vec<f64>, least: impl Fn(Method) -> [f64; 3]) {
        for method in METHODS {
            for &rho in rhos {
                let errors = [1, 2, 4].map(|finer| self.errors(method, rho, &sizes(finer)));
                for what in 0..3 {
                    let of = errors.map(|errors| errors[what]);
                    let (found, least) = (order(of), least(method)[what]);
                    assert!(found > least, "{} {rho} {what}: {found:.2} from {of:?}", method.name());
                }
            }
        }
    }
}

fn of_one_size(steps: u32) -> impl Fn(u32) -> Vec<f64> {
    move |finer| vec![1.0; (steps * finer) as usize]
}

#[test]
fn steps_of_one_size() {
    for (text, until, steps) in [(PENDULUM, 1.0, 100), (MOVING, 1.0, 100), (ANDREWS, 0.01, 400)] {
        Case::new(text, until).check(&[0.0, 0.5, 0.8], of_one_size(steps), |_| [1.85; 3]);
    }
    Case::new(PENDULUM, 1.0).check(&[1.0], of_one_size(100), |_| [1.9; 3]);
}

/// A pattern of sizes that jump up to fivefold, again and again.
#[test]
fn steps_whose_size_jumps() {
    let pattern = [1.0, 1.5, 0.7, 1.2, 2.1, 0.4];
    let jumping = |finer: u32| pattern.repeat(20 * finer as usize);
    for text in [PENDULUM, MOVING] {
        Case::new(text, 1.0).check(&[0.0, 0.5, 0.8], jumping, |method| {
            [1.85, 1.85, if method == Method::GeneralizedAlpha3 { 1.5 } else { 1.65 }]
        });
    }
}

/// Sizes from 0.4 to 1.6 that come and go as they do under error control.
#[test]
fn steps_whose_size_changes_slowly() {
    let smooth = |finer: u32| {
        let steps = 120 * finer;
        let size = |k: u32| 1.0 + 0.6 * (6.0 * f64::from(k) / f64::from(steps)).sin();
        (0..steps).map(size).collect()
    };
    Case::new(MOVING, 1.0).check(&[0.0, 0.5, 0.8], smooth, |_| [1.85, 1.85, 1.75]);
}

/// Between the ends of steps, by dense output.
#[test]
fn dense_output_is_of_order_two() {
    let case = Case::new(MOVING, 1.0);
    for method in METHODS {
        let errors = [50, 100, 200].map(|steps| {
            let fixed_step = Some(1.0 / f64::from(steps));
            let options = Options { method, ..case.plan.options.clone() }.fixed_step(fixed_step);
            let run = simulate(&case.plan.system, &case.plan.start, &options).unwrap();
            let y = |run: &Trajectory, t: f64| run.state_before(t).expect("within the run").y;
            let error = |k: u32| {
                let t = f64::from(k) / 997.0;
                farthest(&y(&run, t), &y(&case.truth, t))
            };
            (0..997).map(error).fold(0.0, f64::max)
        });
        assert!(order(errors) > 1.85, "{}: {errors:?}", method.name());
    }
}

/// Times of impacts, located on dense output or by steps that end there, and what comes after them.
#[test]
fn impacts_on_a_wall_keep_the_order() {
    let case = Case::new(WALL, 4.0);
    assert!(case.truth.events.len() >= 3, "{}", case.truth.events.len());
    for method in METHODS {
        for location in [None, Some(Location::Dense), Some(Location::Integrate)] {
            let errors = [800, 1600, 3200].map(|steps| {
                // Where in a step an impact falls is a matter of luck, so the errors of some steps are taken together.
                let of_step = |k: u32| {
                    let fixed_step = Some(4.0 / f64::from(steps) * (1.0 + 0.013 * f64::from(k)));
                    let options = Options { method, ..case.plan.options.clone() }
                        .location(location)
                        .fixed_step(fixed_step);
                    let run = simulate(&case.plan.system, &case.plan.start, &options).unwrap();
                    assert_eq!(run.events.len(), case.truth.events.len());
                    let times = run.events.iter().zip(&case.truth.events).map(|(a, b)| (a.t - b.t).abs());
                    times.fold(farthest(run.end_state(), case.truth.end_state()), f64::max)
                };
                (0..8).map(of_step).fold(0.0, f64::max)
            });
            assert!(order(errors) > 1.8, "{} {location:?}: {errors:?}", method.name());
        }
    }
}

/// A body that turns freely, with Euler parameters.
fn turning_body() -> ClosureSystem {
    let rates = |_: Jet, p: &[Jet], w: &[Jet], dp: &mut [Jet]| {
        let half = Jet::constant(0.5);
        dp[0] = half * (Jet::constant(0.0) - p[1] * w[0] - p[2] * w[1] - p[3] * w[2]);
        dp[1] = half * (p[0] * w[0] + p[2] * w[2] - p[3] * w[1]);
        dp[2] = half * (p[0] * w[1] + p[3] * w[0] - p[1] * w[2]);
        dp[3] = half * (p[0] * w[2] + p[1] * w[1] - p[2] * w[0]);
    };
    Mechanism::new(["p0", "p1", "p2", "p3"])
        .kinematics(["w1", "w2", "w3"], rates)
        .normalise(|p| {
            let length = p.iter().map(|p| p * p).sum::<f64>().sqrt();
            for p in p.iter_mut() {
                *p /= length;
            }
        })
        .masses(|_, _, m| m.copy_from_slice(&[1.0, 2.0, 3.0]))
        .forces(|_, y, f| {
            let w = &y[4..7];
            (f[0], f[1], f[2]) = (-w[1] * w[2], 2.0 * w[2] * w[0], -w[0] * w[1]);
        })
        .system()
}

/// Euler parameters stay of length one, and are of order 2, as the speeds.
#[test]
fn rotations_are_of_order_two_on_their_group() {
    let system = turning_body();
    let start = Start::at([1.0, 0.0, 0.0, 0.0, 0.9, 2.0, 0.3]);
    let run = |method, fixed_step| {
        let options =
            Options { method, ..Options::until(2.0).tolerances(1e-12, 1e-12) }.fixed_step(fixed_step);
        simulate(&system, &start, &options).unwrap_or_else(|failure| panic!("{failure}"))
    };
    let truth = run(Method::DormandPrince8, None);
    for method in METHODS {
        let errors = [100, 200, 400].map(|steps| {
            let end = run(method, Some(2.0 / f64::from(steps)));
            let length = end.end_state()[..4].iter().map(|p| p * p).sum::<f64>();
            assert!((length - 1.0).abs() < 1e-15, "{length:e}");
            farthest(end.end_state(), truth.end_state())
        });
        assert!(order(errors) > 1.9, "{}: {errors:?}", method.name());
    }
}

/// On `x'' = -ω² x` with `h ω = 10³`, all three roots of the method are `-ρ∞`: `x` meets the recursion that has `(root + ρ∞)³` as its polynomial.
#[test]
fn what_is_infinitely_fast_is_damped_by_rho() {
    let system =
        plan("coordinates.x = 1\nspeeds.x = 0.5\nkinetic = \"x'^2 / 2\"\npotential = \"0.5e6 * x^2\"\nrun.until = 1")
            .system;
    for method in METHODS {
        for rho in [0.0, 0.3, 0.8, 1.0] {
            let mut flow = Flow::new(&system, Mode::new(0, 0, 0));
            let mut step = method.build_alpha(rho).unwrap();
            let (mut trial, mut x) = (Trial::new(0.0, &[1.0, 0.5]), Vec::new());
            for k in 1..=12 {
                trial.h = 1.0;
                step.attempt(&mut flow, &Tolerances::uniform(1e-12, 1e-13), &mut trial);
                assert!(trial.fault.is_none(), "{} {rho} {k}: {:?}", method.name(), trial.fault);
                x.push(trial.end[0]);
                step.advance();
                trial.advance(f64::from(k));
            }
            for x in x.windows(4) {
                let terms = [x[3], 3.0 * rho * x[2], 3.0 * rho * rho * x[1], rho.powi(3) * x[0]];
                let size = x.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
                let sum: f64 = terms.iter().sum();
                assert!(sum.abs() <= 1e-4 * size, "{} {rho}: {sum:e} of {x:?}", method.name());
            }
        }
    }
}

/// The error that the steps are chosen by is that of a step: at a tenth of the tolerance the error of the run is about 10^(2/3) = 4.6 times smaller.
#[test]
fn errors_follow_the_tolerance() {
    let case = Case::new(MOVING, 1.0);
    for method in METHODS {
        let errors = [1e-4, 1e-6, 1e-8].map(|tolerance| {
            let options = Options { method, ..case.plan.options.clone().tolerances(tolerance, tolerance) };
            let run = simulate(&case.plan.system, &case.plan.start, &options).unwrap();
            (farthest(run.end_state(), case.truth.end_state()), run.statistics.accepted)
        });
        for (i, (error, steps)) in errors.into_iter().enumerate() {
            let tolerance = 1e-4 * 1e-2_f64.powi(i32::try_from(i).unwrap());
            // An error of a tolerance in each step of size tolerance^(1/3).
            let promised = 10.0 * tolerance.powf(2.0 / 3.0);
            assert!(error < promised, "{} at {tolerance:e}: {error:e} in {steps} steps", method.name());
        }
        let growth = errors[2].1 as f64 / errors[0].1 as f64;
        assert!((10.0..40.0).contains(&growth), "{}: {errors:?}", method.name());
    }
}
