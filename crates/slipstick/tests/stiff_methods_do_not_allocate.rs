//! After its first step a method allocates nothing, neither when it tries a step nor for its dense output.

use slipstick::equations::ClosureSystem;
use slipstick::formulation::Flow;
use slipstick::mode::Mode;
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
