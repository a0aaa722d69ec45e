//! After its first step a method allocates nothing, neither when it tries a step nor for its dense output, and a run that slides nothing from step to
//! step.

use slipstick::equations::{ClosureSystem, Mechanism};
use slipstick::formulation::Flow;
use slipstick::mode::Mode;
use slipstick::simulate::{Keep, Options, Start, simulate};
use slipstick::step::{Method, Tolerances, Trial};
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
    let tolerances = Tolerances::uniform(1e-6, 1e-6);
    for &method in Method::ALL {
        let mut flow = Flow::new(&system, Mode::new(0, 0, 0));
        let mut step = method.build(2);
        let mut trial = Trial::new(0.0, &[2.0, 0.0]);
        let mut before = 0;
        for k in 0..50 {
            trial.h = if k % 7 == 0 { 2e-3 } else { 1e-3 };
            step.attempt(&mut flow, &tolerances, &mut trial);
            step.interpolate(&mut flow, &mut trial);
            step.advance();
            trial.advance(trial.t + trial.h);
            if k == 0 {
                before = count();
            }
        }
        assert_eq!(count() - before, 0, "{}", method.name());
    }
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
    let tolerances = Tolerances::uniform(1e-6, 1e-6);
    for &method in Method::ALL.iter().filter(|method| method.facts().half_explicit) {
        let mut flow = Flow::new(&system, Mode::new(0, 0, 0));
        let mut step = method.build(4);
        let mut trial = Trial::new(0.0, &[1.0, 0.0, 0.0, 0.0]);
        let mut before = 0;
        for k in 0..50 {
            trial.h = if k % 7 == 0 { 2e-2 } else { 1e-2 };
            step.attempt(&mut flow, &tolerances, &mut trial);
            step.interpolate(&mut flow, &mut trial);
            step.advance();
            trial.advance(trial.t + trial.h);
            if k == 0 {
                before = count();
            }
        }
        assert_eq!(count() - before, 0, "{}", method.name());
        assert!(trial.start[1] < -0.5, "{} moved to {:?}", method.name(), trial.start);
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
    (options.method, options.fixed_step, options.keep) = (Method::DormandPrince5, Some(0.01), Keep::Ends);
    let before = count();
    let run = simulate(&system, &Start::at(vec![0.0; surfaces + 1]), &options).unwrap();
    let after = count();
    assert_eq!(run.segments[0].mode.sliding.len(), surfaces);
    assert!(run.events.is_empty() && run.statistics.slid as f64 >= steps - 1.0, "{:?}", run.statistics);
    after - before
}

#[test]
fn steps_along_surfaces_allocate_nothing() {
    for surfaces in 1..=4 {
        assert_eq!(allocated(surfaces, 50.0), allocated(surfaces, 100.0), "{surfaces}");
    }
}
