//! What cannot be run is refused with numbers and a cure; what fails on the way keeps what was computed.

use slipstick::equations::{ClosureGuard, ClosureSystem};
use slipstick::simulate::{Error, Failure, Options, Start, Stop, simulate, simulate_watched};
use slipstick::step::{PerComponent, Tolerances};

fn decay() -> ClosureSystem {
    ClosureSystem::new(["x"], |_, y, dy| dy[0] = -y[0])
}

fn refuse(start: &Start, options: &Options) -> Error {
    simulate(&decay(), start, options).unwrap_err().error
}

#[test]
fn a_derivative_that_is_not_finite_names_state_and_time() {
    let system = ClosureSystem::new(["height", "level"], |_, y, dy| {
        dy[0] = -y[0].sqrt() - 0.5;
        dy[1] = 1.0;
    });
    let failure: Failure = *simulate(&system, &Start::at([1.0, 0.0]), &Options::until(10.0)).unwrap_err();
    let Error::DerivativeNotFinite { name, value, t, .. } = &failure.error else {
        panic!("{:?}", failure.error)
    };
    assert_eq!(name, "height");
    assert!(value.is_nan());
    // x' = -sqrt(x) - 1/2 from 1 reaches zero at 2 - ln 3.
    let end = 2.0 - 3.0_f64.ln();
    assert!((t - end).abs() < 1e-3, "{t} against {end}");
    assert!(failure.trajectory.end_time() > 0.99 * end, "the trajectory up to there is kept");
    assert!(!failure.error.hint().is_empty());
}

#[test]
fn a_solution_that_blows_up_ends_near_the_pole() {
    let system = ClosureSystem::new(["x"], |_, y, dy| dy[0] = y[0] * y[0]);
    let failure = simulate(&system, &Start::at([1.0]), &Options::until(2.0)).unwrap_err();
    assert!((failure.trajectory.end_time() - 1.0).abs() < 1e-6, "{failure}");
}

#[test]
fn a_guard_or_reset_that_is_not_finite_is_named() {
    let guard = ClosureGuard::both("root", |_, y| (y[0] - 0.5).sqrt());
    let failure = simulate(&decay().guard(guard), &Start::at([1.0]), &Options::until(5.0)).unwrap_err();
    assert!(matches!(&failure.error, Error::GuardNotFinite { name, .. } if name == "root"), "{failure}");
    let guard = ClosureGuard::falling("hit", |_, y| y[0] - 0.5).reset(|_, _, after| after[0] = f64::INFINITY);
    let failure = simulate(&decay().guard(guard), &Start::at([1.0]), &Options::until(5.0)).unwrap_err();
    assert!(
        matches!(&failure.error, Error::ResetNotFinite { guard, name, .. } if guard == "hit" && name == "x")
    );
    assert!((failure.trajectory.end_time() - 2.0_f64.ln()).abs() < 1e-6);
}

#[test]
fn bad_input_is_refused_with_the_numbers() {
    let good = Options::until(1.0);
    let start = Start::at([1.0]);
    assert_eq!(refuse(&start, &Options::until(-1.0)), Error::EndBeforeStart { start: 0.0, until: -1.0 });
    assert_eq!(refuse(&Start::at([1.0, 2.0]), &good), Error::StateLength { expected: 1, got: 2 });
    assert!(matches!(refuse(&Start::at([f64::NAN]), &good), Error::StartNotFinite { .. }));
    assert!(matches!(
        refuse(&Start { mode: 3, ..start.clone() }, &good),
        Error::NoSuchMode { got: 3, count: 1 }
    ));
    for (relative, absolute) in [(-1.0, 1e-6), (1e-17, 1e-6), (f64::NAN, 1.0), (0.0, 0.0)] {
        let error = refuse(&start, &good.clone().tolerances(relative, absolute));
        assert!(matches!(error, Error::BadTolerance { .. }), "{error}");
    }
    let each = Tolerances {
        relative: PerComponent::Same(1e-6),
        absolute: PerComponent::Each(vec![1e-6; 3]),
        norm: None,
    };
    let error = refuse(&start, &Options { tolerances: each, ..good.clone() });
    assert_eq!(error, Error::ToleranceLength { which: "absolute", expected: 1, got: 3 });
    let error = refuse(&start, &good.longest_step(0.0));
    assert_eq!(error, Error::BadStep { which: "longest", value: 0.0 });
}

#[test]
fn a_monitor_can_stop_a_run_and_keep_it() {
    let mut stop_at_one = |p: &slipstick::simulate::Progress| {
        (p.t >= 1.0).then(|| Stop { code: "interrupted", reason: "enough".to_owned() })
    };
    let run =
        simulate_watched(&decay(), &Start::at([1.0]), &Options::until(100.0), &mut stop_at_one).unwrap();
    assert_eq!(run.outcome.code(), "interrupted");
    assert!((1.0..100.0).contains(&run.end_time()));
}

#[test]
fn longest_step_and_first_step_are_respected() {
    let options = Options::until(1.0).longest_step(0.01).first_step(1e-3);
    let run = simulate(&decay(), &Start::at([1.0]), &options).unwrap();
    let steps = run.segments[0].steps();
    assert_eq!(steps[0].h, 1e-3);
    assert!(steps.iter().all(|s| s.h <= 0.01 * 1.001));
}

#[test]
fn a_run_that_keeps_only_ends_knows_them_and_nothing_between() {
    use slipstick::simulate::Keep;
    let guard = || ClosureGuard::falling("half", |_, y| y[0] - 0.5);
    let dense = simulate(&decay().guard(guard()), &Start::at([1.0]), &Options::until(2.0)).unwrap();
    let options = Options { keep: Keep::Ends, ..Options::until(2.0) };
    let ends = simulate(&decay().guard(guard()), &Start::at([1.0]), &options).unwrap();
    assert_eq!(ends.end_state(), dense.end_state());
    assert_eq!(ends.events, dense.events);
    assert_eq!(ends.state_after(ends.events[0].t), dense.state_after(ends.events[0].t));
    assert!(ends.state_after(0.3).is_none() && dense.state_after(0.3).is_some());
}
