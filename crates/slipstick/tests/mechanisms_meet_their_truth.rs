//! The suite `mechanisms`: what the family is made of, that it is the same every time, and that its truths are met by a second method.

use slipstick::formulation::{Flow, Stabilisation};
use slipstick::mode::Mode;
use slipstick::problems::{
    Entrant, MechanismProblem, Set, mechanism_problems, planar_mechanisms, stiff_mechanisms,
};
use slipstick::simulate::{Keep, Options, simulate};
use slipstick::step::Method;
use slipstick::trajectory::Trajectory;

/// Runs a mechanism, without the rows that follow from others if that is asked for.
fn run(problem: &MechanismProblem, relieved: bool, method: Method, tolerance: f64) -> Trajectory {
    let system = problem.relieved.as_ref().filter(|_| relieved).unwrap_or(&problem.system);
    let options = Options { method, keep: Keep::Ends, ..problem.options.clone() };
    let options = options.tolerances(tolerance, tolerance / 10.0);
    simulate(system.as_ref(), &problem.start, &options)
        .unwrap_or_else(|failure| panic!("{} with {}: {}", problem.name, method.name(), failure.error))
}

fn family() -> Vec<MechanismProblem> {
    planar_mechanisms().into_iter().chain(stiff_mechanisms()).collect()
}

fn named(name: &str) -> MechanismProblem {
    family().into_iter().find(|problem| problem.name == name).expect("it is in the family")
}

/// The lines of `truths.txt` are what this prints.
#[test]
#[ignore = "makes the truths again, which takes minutes"]
fn truths() {
    for problem in family() {
        let (methods, second) = match problem.set {
            Set::Stiff => ([Method::Radau5, Method::DormandPrince8], 1e-10),
            _ => ([Method::DormandPrince8, Method::HalfExplicit5], 1e-12),
        };
        let runs = [run(&problem, true, methods[0], 1e-12), run(&problem, true, methods[1], second)];
        assert!(runs.iter().all(|run| run.outcome.is_complete()), "{}", problem.name);
        let n = problem.start.y.len() / 2;
        let [x, y] = [&runs[0].end_state()[..n], &runs[1].end_state()[..n]];
        let apart =
            x.iter().zip(y).fold(0.0_f64, |worst, (x, y)| worst.max((x - y).abs() / x.abs().max(1.0)));
        let words: Vec<String> = x.iter().map(|x| format!("{x:.13e}")).collect();
        println!("{} {:.1e} {}", problem.name, apart.max(1e-13), words.join(" "));
    }
}

#[test]
fn the_family_has_every_kind_and_size() {
    let planar = planar_mechanisms();
    let names: Vec<&str> = planar.iter().map(|problem| problem.name.as_str()).collect();
    assert!(names.len() >= 60, "{}", names.len());
    let mut unique = names.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), names.len());
    let kinds = [
        "four-bar",
        "five-bar",
        "six-bar",
        "seven-bar",
        "eight-bar",
        "nine-bar",
        "ten-bar",
        "eleven-bar",
        "twelve-bar",
        "watt",
        "stephenson",
        "press",
        "pantograph",
        "truss",
        "pendulum",
    ];
    for kind in kinds {
        assert!(names.contains(&format!("{kind}-1").as_str()), "{kind}");
    }
    let counts: Vec<_> = planar.iter().map(|problem| problem.counts.expect("counted")).collect();
    let range = |values: Vec<usize>| (*values.iter().min().unwrap(), *values.iter().max().unwrap());
    assert_eq!(range(counts.iter().map(|c| c.freedoms).collect()), (1, 19));
    assert_eq!(range(counts.iter().map(|c| c.joints).collect()), (2, 38));
    assert!(counts.iter().filter(|c| c.redundant > 0).count() >= 5);
}

#[test]
fn counts_are_those_of_the_matrices_and_starts_are_consistent() {
    for problem in family() {
        let system = problem.system.as_ref();
        let counts = problem.counts.expect("counted");
        let mut flow = Flow::stabilised(system, Mode::new(0, 0, 0), Stabilisation::Twice);
        flow.constraints().enter(0.0, &problem.start.y);
        let redundant = flow.constraints().redundant().0.len();
        let rows = system.constraints().len();
        assert_eq!(redundant, counts.redundant, "{}", problem.name);
        assert_eq!(system.layout().v + redundant - rows, counts.freedoms, "{}", problem.name);
        let (mut position, mut velocity) = (vec![0.0; rows], vec![0.0; rows]);
        let mode = Mode::new(0, 0, 0);
        let mut evaluator = system.evaluator();
        evaluator.residuals(
            mode.locked(system.parameters()),
            0.0,
            &problem.start.y,
            &mut position,
            &mut velocity,
        );
        let open = position.iter().chain(&velocity).fold(0.0_f64, |worst, x| worst.max(x.abs()));
        assert!(open < 1e-13, "{}: {open}", problem.name);
        assert_eq!(
            system.mechanism().unwrap().wrong_gradient(0.0, &problem.start.y),
            None,
            "{}",
            problem.name
        );
    }
}

#[test]
fn the_family_is_the_same_every_time() {
    let starts = || family().into_iter().map(|problem| (problem.name, problem.start.y)).collect::<Vec<_>>();
    assert_eq!(starts(), starts());
}

#[test]
fn every_problem_has_its_truth() {
    for problem in mechanism_problems() {
        assert!(!problem.end.is_empty(), "{}", problem.name);
        assert!(problem.uncertainty < 1e-10, "{}: {}", problem.name, problem.uncertainty);
        assert!(problem.end.iter().all(|known| known.value.is_finite()), "{}", problem.name);
    }
}

/// The truths were made with `dop853` and `hem5`; these are others.
#[test]
fn truths_are_met_by_another_method() {
    for name in ["four-bar-1", "seven-bar-2", "watt-2", "press-1", "pantograph-2", "pendulum-2", "rotor-1e3"]
    {
        let problem = named(name);
        let error = problem.error(run(&problem, false, Method::Fehlberg78, 1e-11).end_state());
        assert!(error < 1e-8, "{name}: {error:e}");
    }
    for name in ["five-bar-1", "spring-chain-2", "rotor-1e5"] {
        let problem = named(name);
        let error = problem.error(run(&problem, false, Method::Radau5, 1e-9).end_state());
        assert!(error < 1e-7, "{name}: {error:e}");
    }
}

#[test]
fn members_too_many_do_not_change_the_motion() {
    for problem in planar_mechanisms().iter().filter(|problem| problem.relieved.is_some()) {
        for method in [Method::DormandPrince5, Method::HalfExplicit5, Method::PartitionedHalfExplicit5] {
            let error = problem.error(run(problem, false, method, 1e-6).end_state());
            assert!(error < 1e-4, "{} with {}: {error:e}", problem.name, method.name());
        }
    }
}

#[test]
fn entrants_are_methods_with_what_keeps_joints_shut() {
    let parse = |text: &str| Entrant::parse(text);
    let mdop5 = parse("mdop5").unwrap();
    assert_eq!((mdop5.method, mdop5.stabilisation), (Method::DormandPrince5, Some(Stabilisation::Project)));
    assert_eq!(parse("hem5").unwrap().stabilisation, None);
    assert_eq!(parse("hem5+none").unwrap().stabilisation, Some(Stabilisation::None));
    assert_eq!(parse("mdop5+pstab"), Err("mdop5".to_owned()), "its name says what keeps joints shut");
    assert_eq!(parse("hem6"), Err("hem6".to_owned()));
    assert_eq!(parse("hem5+glue"), Err("glue".to_owned()));
    assert!(Entrant::names().all(|name| parse(name).is_ok()));
}
