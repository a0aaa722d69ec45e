//! `method = "auto"`: an explicit method where that is enough, an implicit one where the problem is stiff, and back.

use slipstick::equations::ClosureSystem;
use slipstick::problems::smooth;
use slipstick::simulate::{Options, Start, simulate};
use slipstick::step::Method;

fn van_der_pol(mu: f64) -> ClosureSystem {
    ClosureSystem::new(["x", "v"], move |_, y, dy| {
        dy[0] = y[1];
        dy[1] = mu * mu * ((1.0 - y[0] * y[0]) * y[1] - y[0]);
    })
}

#[test]
fn auto_is_the_default() {
    assert_eq!(Options::until(1.0).method, Method::Automatic);
}

#[test]
fn smooth_problems_stay_explicit_and_keep_their_promise() {
    for problem in smooth() {
        for tolerance in [2e-3, 1e-5, 1e-9] {
            let options = Options::until(problem.until).tolerances(tolerance, tolerance);
            let run = simulate(problem.system.as_ref(), &problem.start, &options).unwrap();
            assert_eq!(run.statistics.jacobians, 0, "{} at {tolerance:e}", problem.name);
            assert!(run.notes.is_empty(), "{:?}", run.notes);
        }
    }
}

/// mu = 1000 in the time scale of the slow motion: y(2) is known to 16 digits (mu² = 1e6, Hairer and Wanner II).
#[test]
fn a_stiff_problem_is_handed_to_radau_with_one_note() {
    let start = Start::at([2.0, 0.0]);
    let options = Options::until(2.0).tolerances(1e-7, 1e-7);
    let run = simulate(&van_der_pol(1e3), &start, &options).unwrap();
    let error = (run.end_state()[0] - 1.706167732170483).abs();
    assert!(error < 1e-5, "{error:e}");
    assert!(run.statistics.jacobians > 10 && run.statistics.accepted < 2000, "{:?}", run.statistics);
    assert_eq!(run.notes.iter().filter(|n| n.code == "stiff").count(), 1, "{:?}", run.notes);
    let explicit = Options { method: Method::DormandPrince5, ..options };
    let noted = simulate(&van_der_pol(30.0), &start, &explicit).unwrap();
    assert!(noted.notes.iter().any(|n| n.code == "stiff" && n.text.contains("radau5")), "{:?}", noted.notes);
}

/// Stiff at first, then free: after the fast part is switched off the explicit method takes over again.
#[test]
fn it_goes_back_when_the_stiffness_ends() {
    let system = ClosureSystem::new(["x", "v"], |t, y, dy| {
        let stiffness = if t < 10.0 { 1e5 } else { 0.0 };
        dy[0] = y[1] - stiffness * (y[0] - t.cos());
        dy[1] = -y[0];
    });
    let run = |until| {
        simulate(&system, &Start::at([1.0, 0.0]), &Options::until(until).tolerances(1e-6, 1e-6)).unwrap()
    };
    let (half, full) = (run(10.0), run(200.0));
    assert!(half.statistics.jacobians > 0 && half.statistics.accepted < 1000, "{:?}", half.statistics);
    // Where nothing is stiff, an implicit step would cost several right-hand sides for each of its three stages.
    let more = (full.statistics.derivatives - half.statistics.derivatives)
        / (full.statistics.accepted - half.statistics.accepted);
    assert!(more <= 7, "{more} right-hand sides a step: {:?}", full.statistics);
}

#[test]
fn stiffness_is_seen_at_loose_tolerances_and_by_every_explicit_method() {
    let start = Start::at([2.0, 0.0]);
    for tolerance in [3e-2, 1e-2, 2e-3] {
        let options = Options::until(2.0).tolerances(tolerance, tolerance);
        let run = simulate(&van_der_pol(1e3), &start, &options).unwrap();
        assert!(
            run.statistics.jacobians > 1 && run.statistics.accepted < 500,
            "{tolerance:e} {:?}",
            run.statistics
        );
    }
    let adaptive =
        |m: &&Method| m.facts().error_order.is_some() && !m.facts().implicit && !m.facts().mechanisms_only;
    for &method in Method::ALL.iter().filter(adaptive) {
        let options = Options { method, ..Options::until(1.0).tolerances(1e-4, 1e-4) };
        let run = simulate(&van_der_pol(50.0), &start, &options).unwrap();
        assert!(run.notes.iter().any(|note| note.code == "stiff"), "{method:?} {:?}", run.statistics);
    }
}
