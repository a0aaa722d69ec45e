//! Every adaptive method solves every smooth problem to within its promise, at every tolerance, and a tighter tolerance is more accurate.

use slipstick::math::distance;
use slipstick::problems::{Problem, smooth, tolerances_for};
use slipstick::simulate::{Error, Options, simulate};
use slipstick::step::Method;
use slipstick::trajectory::Trajectory;

fn run(problem: &Problem, method: Method, tolerance: f64) -> Trajectory {
    let options = Options { method, ..Options::until(problem.until).tolerances(tolerance, tolerance) };
    simulate(problem.system.as_ref(), &problem.start, &options).unwrap()
}

#[test]
fn error_at_the_end_is_within_the_promise_and_follows_the_tolerance() {
    for &method in Method::ALL.iter().filter(|m| !m.facts().mechanisms_only) {
        for problem in smooth() {
            let mut last = f64::INFINITY;
            for &tolerance in tolerances_for(method) {
                let error = distance(run(&problem, method, tolerance).end_state(), &problem.end);
                let what = format!("{} with {} at {tolerance:e}: {error:e}", problem.name, method.name());
                assert!(error <= problem.promised_error(method, tolerance), "{what}");
                assert!(error < last, "{what}, no better than {last:e}");
                last = error;
            }
        }
    }
}

#[test]
fn methods_without_an_error_estimate_refuse_to_choose_their_steps() {
    let fixed = Method::ALL.iter().filter(|method| method.facts().error_order.is_none());
    for (&method, problem) in fixed.zip(smooth()) {
        assert!(tolerances_for(method).is_empty());
        let options = Options { method, ..Options::until(problem.until) };
        let failure = simulate(problem.system.as_ref(), &problem.start, &options).unwrap_err();
        assert!(matches!(failure.error, Error::WrongMethod { .. }), "{}", method.name());
    }
}

/// What every attempt costs after its first stage, and what every step that is taken costs besides: dense output, and the derivative at
/// the end where that is not among the stages.
fn costs(method: Method) -> (u64, u64) {
    match method.name() {
        "dopri5" | "tsit5" => (6, 0),
        "dop853" => (11, 1 + 3),
        "bs32" => (3, 0),
        "heun2" => (1, 1),
        "rkf45" => (5, 1 + 1),
        "rkf78" => (12, 1 + 5),
        name => panic!("say here what a step of {name} costs"),
    }
}

#[test]
fn work_is_counted_in_full() {
    for &method in Method::ALL
        .iter()
        .filter(|m| m.facts().error_order.is_some() && !m.facts().implicit && !m.facts().mechanisms_only)
    {
        let (attempt, taken) = costs(method);
        for problem in smooth() {
            let s = run(&problem, method, 1e-6).statistics;
            // Two for the first step size; the first of them is the very first stage too.
            let expected = attempt * (s.accepted + s.rejected) + taken * s.accepted + 2;
            // Pairs without two stages at the end of a step look for stiffness next to it after every sixteenth.
            let looks_aside = matches!(method, Method::BogackiShampine3 | Method::Fehlberg45);
            let expected = expected + if looks_aside { s.accepted / 16 } else { 0 };
            assert_eq!(s.derivatives, expected, "{} with {}", problem.name, method.name());
        }
    }
}

/// The smoother rule reaches the same accuracy with about the same work.
#[test]
fn pid_control_keeps_the_promise_too() {
    use slipstick::step::Control;
    for problem in smooth() {
        for tolerance in [1e-5, 1e-8] {
            let standard = Options { method: Method::DormandPrince5, ..problem.options(tolerance) };
            let pid = standard.clone().control(Control::Pid);
            let [a, b] =
                [standard, pid].map(|o| simulate(problem.system.as_ref(), &problem.start, &o).unwrap());
            assert!(
                problem.error(b.end_state()) <= problem.promised_error(Method::DormandPrince5, tolerance)
            );
            let ratio = b.statistics.derivatives as f64 / a.statistics.derivatives as f64;
            assert!((0.6..1.4).contains(&ratio), "{} at {tolerance:e}: {ratio}", problem.name);
        }
    }
}

/// Shorter steps than errors ask for are rejected less often, and what is no part of a step is refused.
#[test]
fn a_smaller_safety_factor_rejects_fewer_steps() {
    let mut rejected = [0, 0];
    for problem in smooth() {
        for (safety, rejected) in [0.9, 0.7].into_iter().zip(&mut rejected) {
            let options = Options { method: Method::DormandPrince5, ..problem.options(1e-6) }.safety(safety);
            let run = simulate(problem.system.as_ref(), &problem.start, &options).unwrap();
            assert!(problem.error(run.end_state()) <= problem.promised_error(Method::DormandPrince5, 1e-6));
            *rejected += run.statistics.rejected;
        }
        for safety in [0.0, 1.0, -0.5, f64::NAN] {
            let options = problem.options(1e-6).safety(safety);
            let error = simulate(problem.system.as_ref(), &problem.start, &options).unwrap_err().error;
            assert_eq!(error.code(), "bad-safety");
        }
    }
    assert!(2 * rejected[1] < rejected[0], "{rejected:?}");
}
