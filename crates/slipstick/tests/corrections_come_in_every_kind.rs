//! Corrections after steps: S-full, metrics, a drift tolerance, speeds alone, and the note about corrections that are too large.

mod common;

use common::{plan, run_model};
use slipstick::formulation::{Flow, Metric, Stabilisation, Upkeep};
use slipstick::mode::Mode;
use slipstick::simulate::{Options, simulate};
use slipstick::step::{Method, Tolerances};
use slipstick::trajectory::{Joints, Trajectory};

/// Two bobs on rods, one a hundred times as heavy as the other.
const BOBS: &str = r#"
parameters = { m = 100, g = 9.81 }
coordinates = { x1 = 1, y1 = 0, x2 = 2, y2 = 0 }
kinetic = "(x1'^2 + y1'^2 + m * (x2'^2 + y2'^2)) / 2"
potential = "g * (y1 + m * y2)"
constraints = { upper = "x1^2 + y1^2 - 1", lower = "(x2 - x1)^2 + (y2 - y1)^2 - 1" }
run = { until = 1.5, rtol = 1e-8 }
"#;

fn run_with(text: &str, change: impl Fn(&mut Options)) -> Trajectory {
    let mut plan = plan(text);
    change(&mut plan.options);
    simulate(&plan.system, &plan.start, &plan.options).unwrap_or_else(|failure| panic!("{failure}"))
}

/// The largest drift of positions and of rates.
fn drift(text: &str, run: &Trajectory) -> (f64, f64) {
    let plan = plan(text);
    let joints = Joints::of(&plan.system, &plan.options.upkeep(), run).expect("there are constraints");
    (joints.position.map_or(0.0, |opening| opening.value), joints.velocity.value)
}

fn with_steps(h: f64, stabilisation: Stabilisation, metric: Metric) -> (f64, f64) {
    let run = run_with(BOBS, |options| {
        (options.method, options.steps.fixed) = (Method::Heun2, Some(h));
        (options.constraints.stabilisation, options.constraints.metric) = (stabilisation, metric);
    });
    drift(BOBS, &run)
}

/// Theorem 3.5 and corollary 3.2 of paper 003 hold in both metrics: the drift is the error of a step of order 2, O(h³), squared.
#[test]
fn the_drift_is_the_error_of_a_step_squared_in_every_metric() {
    for metric in [Metric::Mass, Metric::Identity] {
        for stabilisation in [Stabilisation::Full, Stabilisation::Twice] {
            let [coarse, fine] = [4e-3, 2e-3].map(|h| with_steps(h, stabilisation, metric));
            let orders = ((coarse.0 / fine.0).log2(), (coarse.1 / fine.1).log2());
            let is_rounding = |drift: f64| drift < 2e-14;
            assert!(
                orders.0 > 5.0 || is_rounding(fine.0),
                "{stabilisation:?} {metric:?} {orders:?} {fine:?}"
            );
            assert!(
                orders.1 > 5.0 || is_rounding(fine.1),
                "{stabilisation:?} {metric:?} {orders:?} {fine:?}"
            );
        }
    }
}

/// The metric decides which bob is moved where the rod between them is too long: by masses the light one, by coordinates both.
#[test]
fn the_metric_decides_who_is_moved() {
    const ROD: &str = r#"
        coordinates = { light = 0, heavy = 1.25 }
        kinetic = "(light'^2 + 100 * heavy'^2) / 2"
        constraints.rod = "heavy - light - 1"
        run = { until = 1 }
    "#;
    let plan = plan(ROD);
    let landed = |metric| {
        let upkeep = Upkeep { metric, ..Stabilisation::Project.into() };
        let mut y = plan.start.y.clone();
        Flow::stabilised(&plan.system, Mode::new(0, 0, 0), upkeep).projection().project_end(0.0, &mut y);
        [y[0], y[1]]
    };
    let close = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).abs() + (a[1] - b[1]).abs() < 1e-15;
    assert!(close(landed(Metric::Mass), [25.0 / 101.0, 126.0 / 101.0]), "{:?}", landed(Metric::Mass));
    assert!(close(landed(Metric::Identity), [0.125, 1.125]), "{:?}", landed(Metric::Identity));
}

/// Table 4.2 of paper 003: with a drift tolerance only some steps are corrected, and the drift stays within it.
#[test]
fn a_drift_tolerance_saves_corrections() {
    let run = |tolerance| {
        run_with(BOBS, |options| {
            options.constraints.drift_tolerance = tolerance;
            options.tolerances = Tolerances::uniform(1e-5, 1e-6);
        })
    };
    let [every, some, few] = [0.0, 1e-8, 1e-5].map(run);
    let counts = [&every, &some, &few].map(|run| run.statistics.corrected);
    assert!(
        counts[0] >= every.statistics.accepted && counts[0] > counts[1] && counts[1] > counts[2],
        "{counts:?}"
    );
    let (position, velocity) = drift(BOBS, &some);
    assert!(position <= 1e-8 && velocity <= 1e-8 && position > 1e-12, "{position:e} {velocity:e}");
}

/// Remark 3.5 of paper 003: with speeds alone corrected, rates are met and positions drift.
#[test]
fn speeds_alone_let_positions_drift() {
    let run = run_with(BOBS, |options| {
        options.constraints.stabilisation = Stabilisation::Speeds;
        options.tolerances = Tolerances::uniform(1e-5, 1e-6);
    });
    let (position, velocity) = drift(BOBS, &run);
    assert!(velocity < 1e-11 && position > 1e-8, "{position:e} {velocity:e}");
}

/// Constraints of speeds need nothing else (paper 003, section 3.5): there, every kind of correction is the same one.
#[test]
fn for_constraints_of_speeds_corrections_of_speeds_are_all() {
    const SKATE: &str = r#"
        coordinates = { x = 0, y = 0, turn = 0 }
        speeds = { x = 0, y = 0, turn = 2 }
        kinetic = "(x'^2 + y'^2 + turn'^2) / 2"
        potential = "-9 * x"
        constraints.skate = "y' * cos(turn) - x' * sin(turn)"
        run = { until = 3, rtol = 1e-6 }
    "#;
    let [speeds, twice] = [Stabilisation::Speeds, Stabilisation::Twice]
        .map(|s| run_with(SKATE, |options| options.constraints.stabilisation = s));
    assert_eq!(speeds.end_state(), twice.end_state());
    assert!(drift(SKATE, &twice).1 < 1e-14);
}

/// Paper 000, section 3.4.1: with fixed steps a correction of more than `h^(p-1)` steers the motion; under error control, one of more than the tolerance.
#[test]
fn a_correction_that_is_too_large_is_noted() {
    let codes = |run: &Trajectory| run.notes.iter().map(|note| note.code).collect::<Vec<_>>();
    let fine = run_model(BOBS);
    assert!(codes(&fine).is_empty(), "{:?}", fine.notes);
    let adjustment = fine.adjustment.expect("something is always corrected");
    assert!(adjustment.size > 0.0 && adjustment.size < 1e-8 && adjustment.t <= 1.5, "{adjustment:?}");
    let coarse = run_with(BOBS, |options| {
        (options.method, options.steps.fixed, options.until) = (Method::DormandPrince5, Some(0.05), 0.6);
    });
    assert_eq!(codes(&coarse), ["large-adjustment"]);
    assert!(coarse.notes[0].text.contains("moved by"), "{}", coarse.notes[0].text);
}

/// Every method under every stabilisation comes to where the most accurate one does.
#[test]
fn every_method_runs_under_every_stabilisation() {
    let (rate, position) = (20.0, 100.0);
    let kinds = [
        Stabilisation::None,
        Stabilisation::Baumgarte { rate, position },
        Stabilisation::Normal { rate, position },
        Stabilisation::Gradient { rate, position },
        Stabilisation::Reduced { decay: 2.0, rate: 1.0 },
        Stabilisation::Once,
        Stabilisation::Twice,
        Stabilisation::Full,
        Stabilisation::Speeds,
        Stabilisation::Project,
        Stabilisation::SlidingMode,
    ];
    let truth = run_with(BOBS, |options| {
        (options.method, options.until) = (Method::DormandPrince8, 0.3);
        options.tolerances = Tolerances::uniform(1e-12, 1e-12);
    });
    for &method in Method::ALL {
        // Half-explicit methods and `alpha2` take corrections only; `alpha` and `alpha3` keep positions by themselves.
        let keeps = matches!(method, Method::GeneralizedAlpha | Method::GeneralizedAlpha3);
        let left_out = |s: &Stabilisation| matches!(s, Stabilisation::Twice | Stabilisation::None);
        let takes = |s: &Stabilisation| {
            (!method.facts().mechanisms_only || !s.changes_the_motion()) && (!keeps || left_out(s))
        };
        for stabilisation in kinds.into_iter().filter(takes) {
            let run = run_with(BOBS, |options| {
                (options.method, options.constraints.stabilisation, options.until) =
                    (method, stabilisation, 0.3);
                options.steps.fixed = method.facts().error_order.is_none().then_some(1e-3);
                options.tolerances = Tolerances::uniform(1e-6, 1e-7);
            });
            let error = |(a, b): (&f64, &f64)| (a - b).abs();
            let worst = run.end_state().iter().zip(truth.end_state()).map(error).fold(0.0, f64::max);
            assert!(worst < 1e-4, "{method:?} {stabilisation:?} {worst:e}");
        }
    }
}

#[test]
fn model_files_name_all_of_them() {
    let of = |value: &str| {
        let text =
            BOBS.replace("run = { until = 1.5, rtol = 1e-8 }", &format!("[run]\nuntil = 1\n{value}\n"));
        plan(&text).options.upkeep()
    };
    let words = [
        ("\"pstab\"", Stabilisation::Twice),
        ("\"s-both\"", Stabilisation::Once),
        ("\"s-full\"", Stabilisation::Full),
        ("\"s-speed\"", Stabilisation::Speeds),
        ("\"project\"", Stabilisation::Project),
        ("\"none\"", Stabilisation::None),
        ("{ rate = 12, position = 70 }", Stabilisation::Baumgarte { rate: 12.0, position: 70.0 }),
        ("{ along = \"normal\" }", Stabilisation::Normal { rate: 20.0, position: 100.0 }),
        ("{ rate = 2, along = \"gradient\" }", Stabilisation::Gradient { rate: 2.0, position: 100.0 }),
        ("{ decay = 5 }", Stabilisation::Reduced { decay: 5.0, rate: 1.0 }),
    ];
    for (text, stabilisation) in words {
        assert_eq!(of(&format!("stabilisation = {text}")), stabilisation.into());
    }
    let upkeep = of("metric = \"identity\"\ndatol = 1e-7");
    assert_eq!((upkeep.metric, upkeep.drift_tolerance), (Metric::Identity, 1e-7));
}
