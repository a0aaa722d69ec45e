//! Constraints of a mechanism hold at its events, and what is wrong with them is said.

mod common;

use common::{has_note, pendulum, plan};
use slipstick::equations::{ActiveRows, System};
use slipstick::formulation::Stabilisation;
use slipstick::problems::{Set, mechanism_problems};
use slipstick::simulate::{Error, Failure, Options, simulate};
use slipstick::step::{Method, Tolerances};
use slipstick::trajectory::Trajectory;

fn try_with(text: &str, change: impl Fn(&mut Options)) -> Result<Trajectory, Box<Failure>> {
    let mut plan = plan(text);
    change(&mut plan.options);
    simulate(&plan.system, &plan.start, &plan.options)
}

fn run_with(text: &str, method: Method, rtol: f64) -> Trajectory {
    let run = try_with(text, |options| {
        options.method = method;
        options.tolerances = Tolerances::uniform(rtol, rtol / 100.0);
    });
    run.unwrap_or_else(|failure| panic!("{method:?} {rtol:e}: {failure}"))
}

/// How often each guard has fired, in their order.
fn counts(run: &Trajectory) -> Vec<usize> {
    let of = |g: usize| run.events.iter().filter(|event| event.guards.contains(&g)).count();
    (0..run.guard_names.len()).map(of).collect()
}

const ALL: [Method; 9] = [
    Method::GeneralizedAlpha,
    Method::GeneralizedAlpha2,
    Method::GeneralizedAlpha3,
    Method::HalfExplicit5,
    Method::PartitionedHalfExplicit5,
    Method::DormandPrince5,
    Method::DormandPrince8,
    Method::Radau5,
    Method::Automatic,
];

/// On the constraint both guards say the same: what they are apart by is the error of dense output.
#[test]
fn guards_that_coincide_where_joints_are_shut_fire_once_each() {
    let two = r#"
        events.top = { guard = "y'", direction = "rising" }
        events.bottom = { guard = "x < 0" }
    "#;
    for method in ALL {
        for rtol in [1e-3, 1e-4, 1e-5, 1e-6, 1e-8] {
            let run = run_with(&pendulum(&format!("{two}\nrun.until = 1")), method, rtol);
            assert_eq!(counts(&run), [1, 1], "{method:?} {rtol:e}: {:?}", run.events);
        }
        let third = r#"events.hit = { guard = "x < -0.5", reset = { "x'" = "-x'", "y'" = "-y'" } }"#;
        for rtol in [1e-4, 1e-6] {
            let run = run_with(&pendulum(&format!("{two}\n{third}\nrun.until = 1")), method, rtol);
            // Thrown back, it comes through the lowest point once more, from the other side.
            assert_eq!(counts(&run), [2, 1, 1], "{method:?} {rtol:e}: {:?}", run.events);
        }
    }
}

/// The largest rate of a constraint at the ends of steps and at events, beside its gradient and the speeds.
fn largest_rate(system: &dyn System, run: &Trajectory) -> f64 {
    let (constraints, layout) = (system.constraints(), system.layout());
    let holonomic = constraints.iter().filter(|c| c.holonomic).count();
    let (mut position, mut velocity) = (vec![0.0; holonomic], vec![0.0; constraints.len()]);
    let (mut evaluator, mut terms) =
        (system.evaluator(), system.room_for_terms(&ActiveRows::all(system.constraints())));
    let mut worst = 0.0_f64;
    for segment in &run.segments {
        let events = run.events.iter().filter(|event| event.t == segment.end_time);
        let events = events.map(|event| (event.t, event.before.clone()));
        let steps = segment.steps().iter().map(|step| (step.t, segment.state(step.t)));
        let ends = std::iter::once((segment.start_time, segment.state(segment.start_time)));
        for (t, y) in steps.chain(events).chain(ends) {
            evaluator.residuals(
                segment.mode.locked(system.parameters()),
                t,
                &y,
                &mut position,
                &mut velocity,
            );
            evaluator.terms(segment.mode.locked(system.parameters()), t, &y, &mut terms);
            let fast = y[layout.q..layout.q + layout.v].iter().fold(1.0, |most: f64, v| most.max(v.abs()));
            for (k, rate) in velocity.iter().enumerate() {
                let length = terms.jacobian.row(k).map(|(_, g)| g * g).sum::<f64>().sqrt();
                worst = worst.max(rate.abs() / (length.max(1.0) * fast));
            }
        }
    }
    worst
}

const KEEP_SPEEDS: [Method; 4] = [
    Method::GeneralizedAlpha,
    Method::GeneralizedAlpha2,
    Method::HalfExplicit5,
    Method::PartitionedHalfExplicit5,
];

#[test]
fn rates_of_constraints_are_rounding_at_guard_events() {
    let recorded = r#"events.a = { guard = "x < 0" }"#;
    let thrown = r#"events.hit = { guard = "x < -0.5", reset = { "x'" = "-x'", "y'" = "-y'" } }"#;
    for event in [recorded, thrown] {
        let text = pendulum(&format!("{event}\nrun.until = 2"));
        let plan = plan(&text);
        for method in KEEP_SPEEDS {
            for rtol in [1e-3, 1e-4, 1e-6] {
                let run = run_with(&text, method, rtol);
                let rate = largest_rate(&plan.system, &run);
                assert!(!run.events.is_empty() && rate <= 1e-13, "{method:?} {rtol:e}: {rate:e}");
                assert!(!has_note(&run, "reset-adjusted"), "{method:?} {rtol:e}: {:?}", run.notes);
            }
        }
    }
}

/// A tyre that leaves the road: the state is put beside the surface, which moves positions, and speeds go with them.
#[test]
fn rates_of_constraints_are_rounding_beside_a_surface() {
    let all = mechanism_problems();
    let problem = all.iter().find(|problem| problem.name == "suspension-bump").expect("a bump");
    for method in KEEP_SPEEDS {
        for rtol in [1e-2, 1e-3] {
            let options = problem.options.clone().with_method(method).tolerances(rtol, rtol / 10.0);
            let run = simulate(problem.system.as_ref(), &problem.start, &options).expect("a run");
            let rate = largest_rate(problem.system.as_ref(), &run);
            // At 1e-2 not every method sees that the tyre leaves.
            assert!(rtol > 1e-3 || !run.events.is_empty(), "{method:?}");
            assert!(rate <= 1e-13, "{method:?} {rtol:e}: {rate:e}");
        }
    }
}

/// Newton's iteration can come to stand before rounding; beside their gradients and the largest speed, rates are closed all the same.
#[test]
fn rates_of_constraints_are_rounding_where_newton_comes_to_stand() {
    let mut seen = 0;
    for problem in mechanism_problems() {
        let tolerances: &[f64] = if problem.name == "four-bars-2" { &[1e-3, 1e-5] } else { &[1e-3] };
        let is_large = problem.system.layout().v > 40;
        for &rtol in tolerances.iter().filter(|_| !is_large && problem.set != Set::Classic) {
            for method in [Method::GeneralizedAlpha, Method::GeneralizedAlpha2] {
                let options = Options { method, ..problem.options.clone().tolerances(rtol, rtol / 100.0) };
                let run = simulate(&*problem.system, &problem.start, &options)
                    .unwrap_or_else(|failure| panic!("{} {method:?} {rtol:e}: {failure}", problem.name));
                let rate = largest_rate(&*problem.system, &run);
                assert!(rate <= 1e-13, "{} {method:?} {rtol:e}: {rate:e}", problem.name);
                seen += 1;
            }
        }
    }
    assert!(seen > 120, "{seen}");
}

/// What the speeds of `alpha3` are off by is taken off before the event sets them.
#[test]
fn speeds_that_are_thrown_back_stay_consistent_with_every_method() {
    let text = pendulum(
        r#"
        events.hit = { guard = "x < -0.5", reset = { "x'" = "-x'", "y'" = "-y'" } }
        run.until = 3
        "#,
    );
    for method in ALL {
        for rtol in [1e-3, 1e-4, 1e-5, 1e-6] {
            let run = run_with(&text, method, rtol);
            assert_eq!(run.events.len(), 2, "{method:?} {rtol:e}");
            assert!(!has_note(&run, "reset-adjusted"), "{method:?} {rtol:e}: {:?}", run.notes);
        }
    }
}

/// What drifts because nothing corrects it is closed where an event sets speeds.
#[test]
fn speeds_that_are_thrown_back_stay_consistent_without_corrections() {
    let thrown = r#"reset = { "x'" = "-x'", "y'" = "-y'" }"#;
    for (event, count) in [("guard = \"x < -0.5\"", 2), ("at = 0.7", 1)] {
        let text = pendulum(&format!("events.hit = {{ {event}, {thrown} }}\nrun.until = 3"));
        let terms = Stabilisation::Baumgarte { rate: 20.0, position: 100.0 };
        for stabilisation in [Stabilisation::None, Stabilisation::Speeds, terms] {
            for method in [Method::DormandPrince5, Method::HalfExplicit5, Method::Radau5] {
                let is_known = stabilisation == terms && method == Method::HalfExplicit5;
                let run = try_with(&text, |options| {
                    (options.method, options.constraints.stabilisation) = (method, stabilisation);
                    options.tolerances = Tolerances::uniform(1e-4, 1e-6);
                });
                // Half-explicit methods take no terms.
                let Ok(run) = run.map_err(|failure| assert!(is_known, "{method:?}: {failure}")) else {
                    continue;
                };
                assert_eq!(run.events.len(), count, "{method:?} {stabilisation:?}");
                assert!(!has_note(&run, "reset-adjusted"), "{method:?} {stabilisation:?}: {:?}", run.notes);
            }
        }
    }
}

/// Only places that the motion has come to count, and not those that steps have tried.
#[test]
fn a_pendulum_is_never_next_to_a_singular_position() {
    let text = pendulum("run.until = 1");
    for method in ALL {
        let run = try_with(&text, |options| (options.method, options.steps.first) = (method, Some(1.0)));
        let run = run.unwrap_or_else(|failure| panic!("{method:?}: {failure}"));
        assert!(!has_note(&run, "singular-position"), "{method:?}: {:?}", run.notes);
    }
    let elastic = r#"
        coordinates = { x = 1, y = 0, r = 1 }
        kinetic = "(x'^2 + y'^2) / 2"
        inertia.r = 0.1
        potential = "9.81 * y + 1e12 * (r - 1)^2 / 2"
        constraints.rod = "x^2 + y^2 - r^2"
        run.until = 0.5
    "#;
    let run = run_with(elastic, Method::Automatic, 1e-5);
    assert!(!has_note(&run, "singular-position"), "{:?}", run.notes);
}

#[test]
fn a_fixed_step_behind_which_joints_stay_open_is_an_error() {
    let text = pendulum("run = { until = 2, fixed_step = 10 }");
    for method in [Method::HalfExplicit5, Method::PartitionedHalfExplicit5, Method::DormandPrince5] {
        let failure = try_with(&text, |options| options.method = method).expect_err("it leaves the circle");
        let Error::LeftOpen { h, constraint, left, .. } = &failure.error else {
            panic!("{method:?}: {}", failure.error)
        };
        assert!(*h == 2.0 && constraint == "rod" && left.abs() > 1.0, "{method:?}: {}", failure.error);
        assert!(failure.error.hint().contains("smaller `fixed_step`"));
    }
    // A step that is only rough is taken, and the last row is the end.
    let rough = pendulum("run = { until = 2, fixed_step = 0.1 }");
    for method in [Method::HalfExplicit5, Method::PartitionedHalfExplicit5, Method::DormandPrince5] {
        let run = try_with(&rough, |options| options.method = method).expect("it is rough");
        let last = run.of(&plan(&rough).system).state_after(2.0).expect("the end").y;
        for (a, b) in last.iter().zip(run.end_state()) {
            assert!((a - b).abs() < 1e-12, "{method:?}: {last:?} {:?}", run.end_state());
        }
    }
}

#[test]
fn no_convergence_with_a_fixed_step_asks_for_a_smaller_one() {
    let text = pendulum("run = { until = 3, fixed_step = 0.3 }");
    for method in [Method::GeneralizedAlpha, Method::GeneralizedAlpha2, Method::Radau5] {
        if let Err(failure) = try_with(&text, |options| options.method = method) {
            assert!(failure.error.hint().contains("smaller `fixed_step`"), "{method:?}: {}", failure.error);
        }
    }
    let failure =
        try_with(&text, |options| options.method = Method::GeneralizedAlpha).expect_err("it is long");
    assert!(matches!(failure.error, Error::NoConvergence { fixed: true, .. }), "{}", failure.error);
}

/// A second rod shuts beside the first, and says the same.
#[test]
fn a_joint_that_shuts_and_follows_from_others_is_noted() {
    let text = pendulum(
        r#"
        constraints.again = "if t > 0.5 then x^2 + y^2 - 1 else 0"
        run.until = 1
        "#,
    );
    let run = try_with(&text, |_| {}).unwrap_or_else(|failure| panic!("{failure}"));
    let notes: Vec<_> = run.notes.iter().filter(|note| note.code == "redundant-constraints").collect();
    assert!(notes.len() == 1 && notes[0].t == 0.5, "{:?}", run.notes);
}

#[test]
fn constraints_that_contradict_each_other_are_named_by_every_method() {
    let text = r#"
        coordinates.x = 0
        speeds.x = 1
        inertia.x = 1
        constraints = { a = "x' - 1", b = "x' - 1 - 0.1 * t" }
        run.until = 1
    "#;
    for method in ALL {
        let failure = try_with(text, |options| options.method = method).expect_err("it cannot be");
        let Error::NotConsistent { left, .. } = &failure.error else {
            panic!("{method:?}: {}", failure.error)
        };
        assert!(left.contains('`'), "{method:?}: {left}");
    }
}
