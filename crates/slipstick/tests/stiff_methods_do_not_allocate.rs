//! After its first step a method allocates nothing, neither when it tries a step nor for its dense output, and a run that slides nothing from step to
//! step.

mod common;

use slipstick::equations::{self, ClosureSystem, Mechanism};
use slipstick::formulation::Flow;
use slipstick::math::Jet;
use slipstick::mode::Mode;
use slipstick::simulate::{Keep, Options, Start, simulate};
use slipstick::step::{DenseDetail, Method, Step, Tolerances, Trial};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, counting for each thread.
struct Counting;

// SAFETY: everything is passed on to the system's allocator; the counter is a plain cell that does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn count() -> u64 {
    COUNT.with(Cell::get)
}

#[test]
fn steps_after_the_first_allocate_nothing() {
    assert!(count() > 0, "the counter counts");
    let system = ClosureSystem::new(["x", "v"], |_, y, dy| {
        dy[0] = y[1];
        dy[1] = 100.0 * ((1.0 - y[0] * y[0]) * y[1] - y[0]);
    });
    for &method in Method::ALL {
        fifty_steps(&system, method, &[2.0, 0.0], 1e-3);
    }
}

#[test]
fn steps_behind_a_mass_matrix_that_varies_allocate_nothing() {
    let system = ClosureSystem::new(["x", "v", "w"], |_, y, dy| {
        dy.copy_from_slice(&[y[1] * (1.0 + y[2]), -y[0], y[2] - y[0]]);
    })
    .varying_mass(|t, y, m| {
        (m[0], m[1], m[4]) = (1.0 + y[2], 0.0, 2.0 + t.sin());
    });
    for &method in Method::ALL.iter().filter(|m| m.facts().implicit && !m.facts().mechanisms_only) {
        let end = fifty_steps(&system, method, &[1.0, 0.0, 1.0], 1e-3);
        assert!(end[1] < -1e-2 && (end[2] - end[0]).abs() < 1e-6, "{} moved to {end:?}", method.name());
    }
}

/// Makes fifty steps, of which none but the first may allocate; gives where they lead.
fn fifty_steps(system: &ClosureSystem, method: Method, start: &[f64], h: f64) -> Vec<f64> {
    fifty_steps_by(method.build(start.len()), system, start, h)
}

fn fifty_steps_by(
    mut step: Box<dyn Step>,
    system: &dyn equations::System,
    start: &[f64],
    h: f64,
) -> Vec<f64> {
    let tolerances = Tolerances::uniform(1e-6, 1e-6);
    let mut flow = Flow::new(system, Mode::new(0, 0, 0));
    let (method, mut trial) = (step.report().method, Trial::new(0.0, start));
    let mut before = 0;
    for k in 0..50 {
        trial.h = if k % 7 == 0 { 2.0 * h } else { h };
        step.attempt(&mut flow, &tolerances, &mut trial);
        step.interpolate(&mut flow, &mut trial, DenseDetail::Usual);
        step.advance();
        trial.advance(trial.t + trial.h);
        if k == 0 {
            before = count();
        }
    }
    assert_eq!(count() - before, 0, "{}", method.name());
    trial.start
}

#[test]
fn half_explicit_steps_after_the_first_allocate_nothing() {
    let system = Mechanism::new(["x", "y"])
        .forces(|_, _, f| f[1] = -9.81)
        .joints(["rod", "again"], |_, q, g| {
            g[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
            g[1] = g[0] * 2.0;
        })
        .system();
    for &method in Method::ALL.iter().filter(|method| method.facts().mechanisms_only) {
        let end = fifty_steps(&system, method, &[1.0, 0.0, 0.0, 0.0], 1e-2);
        assert!(end[1] < -0.5, "{} moved to {end:?}", method.name());
    }
    let stabilised = Method::Radau5.build_ggl(4).expect("takes that form");
    let end = fifty_steps_by(stabilised, &system, &[1.0, 0.0, 0.0, 0.0], 1e-2);
    assert!(end[1] < -0.5, "moved to {end:?}");
}

/// Friction in a joint, and a wheel that rolls beside it.
#[test]
fn steps_with_friction_and_rolling_allocate_nothing() {
    let system = common::system_of(
        r#"
        coordinates = { x = 0, y = 0, u = 0.6, w = -0.8, r = 0 }
        kinetic = "x'^2 + y'^2 + (u'^2 + w'^2 + r'^2)/2"
        potential = "9.81*(2*y + w)"
        forces.x = "0.3*lambda.floor"
        constraints.floor = "y"
        constraints.rod = "(u - x)^2 + (w - y)^2 - 1"
        constraints.roll = "r' - x'"
        run.until = 1
        "#,
    );
    let start = [0.0, 0.0, 0.6, -0.8, 0.0, 5.0, 0.0, 5.0, 0.0, 5.0];
    let own = Method::ALL.iter().filter(|method| method.facts().mechanisms_only).map(|m| m.build(10));
    for step in own.chain(Method::Radau5.build_ggl(10)) {
        let end = fifty_steps_by(step, &system, &start, 5e-3);
        assert!(end[0] > 0.5 && (end[4] - end[0]).abs() < 1e-6, "{end:?}");
    }
}

/// Forty links, one joint twice, take the sparse solver.
#[test]
fn steps_of_large_mechanisms_allocate_nothing_even_with_a_joint_twice() {
    let joint = |k: usize, q: &[Jet]| if k == 0 { q[0] - 1.0 } else { q[k] - q[k - 1] - 1.0 };
    let places: Vec<(usize, usize)> =
        (0..40).flat_map(|k: usize| [(k, k.saturating_sub(1)), (k, k)]).chain([(40, 0)]).collect();
    let system = Mechanism::new((0..80).map(|i| format!("x{i}")))
        .forces(|_, _, f| f.fill(1.0))
        .joints((0..41).map(|k| format!("joint{k}")), move |_, q, g| {
            for (k, g) in g.iter_mut().enumerate() {
                *g = joint(k % 40, q);
            }
        })
        .gradient(&places, |_, _, values| {
            values[0] = 1.0;
            values[79] = 1.0;
            for pair in values[1..79].chunks_exact_mut(2) {
                pair.copy_from_slice(&[-1.0, 1.0]);
            }
        })
        .system();
    let start: Vec<f64> = (0..160).map(|i| if i < 80 { f64::from(i + 1) } else { 0.0 }).collect();
    let stabilised = Method::Radau5.build_ggl(160).expect("takes that form");
    for step in [Method::DormandPrince5.build(160), stabilised] {
        let end = fifty_steps_by(step, &system, &start, 1e-2);
        assert!((end[0] - 1.0).abs() < 1e-14 && (end[39] - 40.0).abs() < 1e-12 && end[79] > 80.1, "{end:?}");
    }
}

/// What a run of some steps allocates while it slides on as many surfaces.
fn allocated(surfaces: usize, steps: f64) -> u64 {
    let names: Vec<String> = (0..=surfaces).map(|i| format!("x{i}")).collect();
    let mut system = ClosureSystem::switched(names, move |t, y, signs, dy| {
        for i in 0..surfaces {
            dy[i] = 0.3 * t.sin() - signs[i] + 0.1 * signs[0] * y[surfaces];
        }
        dy[surfaces] = signs.iter().sum::<f64>() - y[surfaces];
    });
    for i in 0..surfaces {
        system = system.switch(&format!("s{i}"), move |_, y| y[i]);
    }
    let mut options = Options::until(0.01 * steps);
    (options.method, options.steps.fixed, options.keep) = (Method::DormandPrince5, Some(0.01), Keep::Ends);
    let before = count();
    let run = simulate(&system, &Start::at(vec![0.0; surfaces + 1]), &options).unwrap();
    let after = count();
    assert_eq!(run.segments[0].mode.structure.sliding.len(), surfaces);
    assert!(
        run.events.is_empty() && run.statistics.sliding.accepted as f64 >= steps - 1.0,
        "{:?}",
        run.statistics
    );
    after - before
}

#[test]
fn steps_along_surfaces_allocate_nothing() {
    for surfaces in 1..=4 {
        assert_eq!(allocated(surfaces, 50.0), allocated(surfaces, 100.0), "{surfaces}");
    }
}
