//! What guards do after a watch is reset, and where a state is moved between two steps.

use crate::roots::jump;
use crate::segments::{events, line, started};
use crate::signals::Polynomials;
use slipstick::watch::Condition::Is;
use slipstick::watch::{Fires, SideState};

#[test]
fn a_watch_that_is_reset_is_as_new() {
    let mut signals = Polynomials::new(vec![line(0.3, 1.0), line(0.6, 1.0)], 1.0);
    let (mut watch, _) = started(&[Is(0), Is(1)], Fires::WhenTrue, &mut signals);
    let first = events(&mut watch, &mut signals, 1.0);
    watch.reset();
    assert!(watch.watched().is_empty() && watch.side(0) == SideState::Unknown && !watch.is_on(0));
    (0..2).for_each(|guard| watch.enter(guard));
    signals.at(0.0, 1.0);
    jump(&mut watch, &mut signals);
    assert_eq!(events(&mut watch, &mut signals, 1.0), first);
}

#[test]
fn what_is_moved_across_between_two_steps_fires_at_the_start() {
    // A projection after the step moves the state: the next step starts on the other side, and goes on or
    // comes back.
    for (after, slope) in [(1e-6, 1.0), (1e-6, -1.0), (1e-6, 0.0), (1.0, 0.0)] {
        for sampled in [false, true] {
            let mut signals = Polynomials::new(vec![vec![-1.0, 0.999]], 1.0);
            if sampled {
                signals = signals.sampled();
            }
            let (mut watch, _) = started(&[Is(0)], Fires::WhenTrue, &mut signals);
            watch.due(&mut signals, 1.0);
            assert_eq!(watch.scan(&mut signals, 1.0, 1.0).unwrap(), None);
            watch.accept(1.0);
            assert_eq!(watch.side(0), SideState::Minus);
            signals.coefficients[0] = vec![after, slope];
            watch.begin(&mut signals);
            watch.due(&mut signals, 1.0);
            let found = watch.scan(&mut signals, 1.0, 1.0).unwrap().expect("an event");
            assert_eq!((found.s, found.fired.as_slice()), (0.0, [0].as_slice()), "{after} {slope}");
            watch.accept(0.0);
            assert!(jump(&mut watch, &mut signals).is_empty());
            watch.begin(&mut signals);
            assert_eq!(events(&mut watch, &mut signals, 1.0), []);
        }
    }
}
