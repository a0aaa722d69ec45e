//! What must not matter does not: where steps end, the order of guards, units, how comparisons are given.

use crate::roots::{guard, jump};
use crate::signals::Polynomials;
use Condition::{And, Is, Not, Or};
use proptest::prelude::*;
use slipstick::watch::{Condition, Fires, Watch};

const COMPARISONS: usize = 3;

/// The events of a run as `(t, guards)`, when they change nothing. Steps end at multiples of a length and at
/// events.
fn run(guards: &[(Condition, Fires)], mut signals: Polynomials, step: f64) -> Vec<(f64, Vec<usize>)> {
    let specs = guards.iter().map(|(condition, fires)| guard(condition.clone(), *fires)).collect();
    let mut watch = Watch::new(COMPARISONS, 0, specs);
    (0..guards.len()).for_each(|guard| watch.enter(guard));
    jump(&mut watch, &mut signals);
    let mut events = Vec::new();
    while signals.t < 1.0 {
        let begun = watch.begin(&mut signals);
        if !begun.fired.is_empty() {
            events.push((signals.t, begun.fired.to_vec()));
            jump(&mut watch, &mut signals);
            continue;
        }
        let h = step.min(1.0 - signals.t);
        signals.at(signals.t, h);
        watch.due(&mut signals, h);
        let found = watch.scan(&mut signals, h, h).unwrap().cloned();
        let s = found.as_ref().map_or(h, |found| found.s);
        watch.accept(s);
        signals.t = if found.is_none() && h < step { 1.0 } else { signals.t + s };
        if let Some(found) = found {
            events.push((signals.t, found.fired));
            jump(&mut watch, &mut signals);
        }
        assert!(events.len() < 100, "{events:?}");
    }
    events
}

fn condition() -> impl Strategy<Value = Condition> {
    let leaf = (0..COMPARISONS).prop_map(Is);
    leaf.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|inner| Not(Box::new(inner))),
            prop::collection::vec(inner.clone(), 1..3).prop_map(And),
            prop::collection::vec(inner, 1..3).prop_map(Or),
        ]
    })
}

fn guards() -> impl Strategy<Value = Vec<(Condition, Fires)>> {
    let fires = prop_oneof![Just(Fires::WhenTrue), Just(Fires::Both)];
    prop::collection::vec((condition(), fires), 1..4)
}

fn functions() -> impl Strategy<Value = Vec<Vec<f64>>> {
    let function = prop::collection::vec(-1.0..1.0, 1..6);
    prop::collection::vec(function, COMPARISONS)
}

fn same(a: &[(f64, Vec<usize>)], b: &[(f64, Vec<usize>)]) -> bool {
    let close = |a: &(f64, Vec<usize>), b: &(f64, Vec<usize>)| (a.0 - b.0).abs() < 1e-9 && a.1 == b.1;
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| close(a, b))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn where_steps_end_does_not_matter(guards in guards(), c in functions(), step in 0.003..0.9) {
        let one = run(&guards, Polynomials::new(c.clone(), 1.0), 2.0);
        let many = run(&guards, Polynomials::new(c, 1.0), step);
        prop_assert!(same(&one, &many), "{one:?}\n{many:?}");
    }

    #[test]
    fn closures_and_formulas_agree(guards in guards(), c in functions(), step in 0.1..2.0) {
        let formulas = run(&guards, Polynomials::new(c.clone(), 1.0), step);
        let closures = run(&guards, Polynomials::new(c, 1.0).sampled(), step);
        prop_assert!(same(&formulas, &closures), "{formulas:?}\n{closures:?}");
    }

    #[test]
    fn sleep_does_not_matter(guards in guards(), c in functions(), step in 0.003..0.3) {
        let awake = run(&guards, Polynomials::new(c.clone(), 1.0), step);
        let mut sleepy = Polynomials::new(c, 1.0);
        sleepy.bounded = true;
        let sleepy = run(&guards, sleepy, step);
        prop_assert!(same(&awake, &sleepy), "{awake:?}\n{sleepy:?}");
    }

    #[test]
    fn the_order_of_guards_does_not_matter(guards in guards(), c in functions()) {
        let forward = run(&guards, Polynomials::new(c.clone(), 1.0), 0.4);
        let reversed: Vec<_> = guards.iter().rev().cloned().collect();
        let mut backward = run(&reversed, Polynomials::new(c, 1.0), 0.4);
        for (_, fired) in &mut backward {
            for guard in fired.iter_mut() {
                *guard = guards.len() - 1 - *guard;
            }
            fired.reverse();
        }
        prop_assert!(same(&forward, &backward), "{forward:?}\n{backward:?}");
    }

    #[test]
    fn units_do_not_matter(guards in guards(), c in functions(), scale in prop_oneof![Just(1e-9), Just(1e9)]) {
        let metres = run(&guards, Polynomials::new(c.clone(), 1.0), 0.4);
        let scaled = c.iter().map(|c| c.iter().map(|c| c * scale).collect()).collect();
        let others = run(&guards, Polynomials::new(scaled, 1.0), 0.4);
        prop_assert!(same(&metres, &others), "{metres:?}\n{others:?}");
    }

    /// The truth of conditions just before and after each event is what values say.
    #[test]
    fn events_are_where_conditions_change(guards in guards(), c in functions(), step in 0.05..2.0) {
        let events = run(&guards, Polynomials::new(c.clone(), 1.0), step);
        let signals = Polynomials::new(c, 1.0);
        let truth = |condition: &Condition, t: f64| {
            let is = |k: usize| signals.value(k, t).sign().map(|sign| sign > 0.0);
            condition.holds(&is, &[])
        };
        let nearest = events.windows(2).map(|pair| pair[1].0 - pair[0].0).fold(1.0, f64::min);
        prop_assume!(nearest > 1e-6);
        for (index, (condition, fires)) in guards.iter().enumerate() {
            // Truths between events of any guard.
            let mut times: Vec<f64> = events.iter().map(|event| event.0).collect();
            times.retain(|&t| t > 1e-9 && t < 1.0 - 1e-9);
            for t in times {
                let (Some(before), Some(after)) = (truth(condition, t - 1e-8), truth(condition, t + 1e-8)) else { continue };
                let due = before != after && (*fires == Fires::Both || after);
                let fired = events.iter().any(|event| (event.0 - t).abs() < 1e-9 && event.1.contains(&index));
                prop_assert_eq!(due, fired, "guard {} at {}: {:?}", index, t, events);
            }
        }
    }
}
