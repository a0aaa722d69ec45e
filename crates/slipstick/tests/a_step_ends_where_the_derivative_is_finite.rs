//! A step whose end has no derivative is refused by every explicit method, also where the end is not among the stages: dense output and the
//! next step need it.

use slipstick::equations::ClosureSystem;
use slipstick::formulation::Flow;
use slipstick::mode::Mode;
use slipstick::step::{Fault, Method, Tolerances, Trial};

/// A step of y' = -y from 1, where the derivative is not a number at one state.
fn attempt(method: Method, hole: f64) -> Trial {
    let system =
        ClosureSystem::new(["y"], move |_, y, dy| dy[0] = if y[0] == hole { f64::NAN } else { -y[0] });
    let mut trial = Trial::new(0.0, &[1.0]);
    trial.h = 0.125;
    let mut flow = Flow::new(&system, Mode::new(0, 0, 0));
    method.build(1).attempt(&mut flow, &Tolerances::uniform(0.1, 0.1), &mut trial);
    trial
}

#[test]
fn a_derivative_that_is_not_finite_at_the_end_is_a_fault() {
    for &method in Method::ALL.iter().filter(|method| !method.facts().implicit) {
        let good = attempt(method, f64::INFINITY);
        assert!(good.is_good() && good.fault.is_none(), "{}", method.name());
        let bad = attempt(method, good.end[0]);
        assert!(!bad.error.is_finite(), "{}: {}", method.name(), bad.error);
        assert!(
            matches!(bad.fault, Some(Fault::NotFinite { component: 0, t: 0.125, .. })),
            "{}: {:?}",
            method.name(),
            bad.fault
        );
    }
}
