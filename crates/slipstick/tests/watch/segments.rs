//! What guards do over several steps, jumps and decisions.

use crate::roots::{guard, jump, product};
use crate::signals::Polynomials;
use Condition::{And, Fixed, Is, Not, Or};
use slipstick::watch::{
    Between, Condition, Fires, GuardSpec, OnEntry, Placement, SideState, Touches, Watch, ZenoRecord,
};

/// Guards over polynomials, all on, after the first values and decisions. What fires at the start is given
/// too.
pub(crate) fn started(
    conditions: &[Condition],
    fires: Fires,
    signals: &mut Polynomials,
) -> (Watch, Vec<usize>) {
    let specs = conditions.iter().map(|condition| guard(condition.clone(), fires)).collect();
    let mut watch = Watch::new(signals.coefficients.len(), 2, specs);
    (0..conditions.len()).for_each(|guard| watch.enter(guard));
    let mut fired = jump(&mut watch, signals);
    fired.extend(watch.begin(signals).fired);
    (watch, fired)
}

/// The events of a step, as `(s, guards)`, when they change nothing; the step is cut at each.
pub(crate) fn events(watch: &mut Watch, signals: &mut Polynomials, to: f64) -> Vec<(f64, Vec<usize>)> {
    let mut all = Vec::new();
    while signals.t < to {
        let h = to - signals.t;
        signals.at(signals.t, h);
        watch.due(signals, h);
        let Some(found) = watch.scan(signals, h, h).unwrap() else {
            watch.accept(h);
            signals.t = to;
            break;
        };
        let s = found.s;
        all.push((signals.t + s, found.fired.clone()));
        watch.accept(s);
        signals.t += s;
        jump(watch, signals);
        let begun = watch.begin(signals);
        if !begun.fired.is_empty() {
            all.push((signals.t, begun.fired.to_vec()));
            jump(watch, signals);
            watch.begin(signals);
        }
        assert!(all.len() < 50, "{all:?}");
    }
    all
}

pub(crate) fn line(root: f64, slope: f64) -> Vec<f64> {
    vec![-slope * root, slope]
}

#[test]
fn a_condition_fires_when_the_last_part_becomes_true() {
    let both = And(vec![Is(0), Is(1)]);
    let mut signals = Polynomials::new(vec![line(0.3, 1.0), line(0.6, 1.0)], 1.0);
    let (mut watch, _) = started(std::slice::from_ref(&both), Fires::WhenTrue, &mut signals);
    let found = events(&mut watch, &mut signals, 1.0);
    assert!(found.len() == 1 && (found[0].0 - 0.6).abs() < 1e-15, "{found:?}");

    let mut signals = Polynomials::new(vec![product(&[0.3, 0.5], -1.0), line(0.6, 1.0)], 1.0);
    let (mut watch, _) = started(std::slice::from_ref(&both), Fires::WhenTrue, &mut signals);
    assert_eq!(events(&mut watch, &mut signals, 1.0), [], "the first is over when the second comes");
    assert_eq!((watch.side(0), watch.side(1)), (SideState::Minus, SideState::Plus));

    let either = Or(vec![Is(0), Is(1)]);
    let mut signals = Polynomials::new(vec![line(0.3, 1.0), line(0.6, 1.0)], 1.0);
    let (mut watch, _) = started(&[either], Fires::WhenTrue, &mut signals);
    let found = events(&mut watch, &mut signals, 1.0);
    assert!(found.len() == 1 && (found[0].0 - 0.3).abs() < 1e-15, "{found:?}");
}

#[test]
fn a_comparison_and_its_opposite_never_overlap() {
    let conditions = [
        And(vec![Is(0), Not(Box::new(Is(0)))]),
        Or(vec![Is(0), Not(Box::new(Is(0)))]),
        Is(0),
        Not(Box::new(Is(0))),
    ];
    let mut signals = Polynomials::new(vec![product(&[0.3, 0.7], -1.0)], 1.0);
    let (mut watch, _) = started(&conditions, Fires::WhenTrue, &mut signals);
    let fired: Vec<_> = events(&mut watch, &mut signals, 1.0).into_iter().map(|event| event.1).collect();
    assert_eq!(fired, [[2], [3]]);
}

#[test]
fn two_comparisons_that_change_together_are_read_together() {
    // Equal functions: `a and not b` would be true for an instant if they changed one after the other.
    let glitch = And(vec![Is(0), Not(Box::new(Is(1)))]);
    let mut signals = Polynomials::new(vec![line(0.3, 1.0), line(0.3, 7.0)], 1.0);
    let (mut watch, _) = started(&[glitch], Fires::WhenTrue, &mut signals);
    assert_eq!(events(&mut watch, &mut signals, 1.0), []);
}

#[test]
fn fixed_parts_gate_a_guard() {
    let mut signals = Polynomials::new(vec![line(0.3, 1.0)], 1.0);
    let specs = vec![guard(And(vec![Fixed(1), Is(0)]), Fires::WhenTrue)];
    let mut watch = Watch::new(1, 2, specs);
    watch.enter(0);
    jump(&mut watch, &mut signals);
    assert_eq!(watch.holds(0), Some(false));
    assert_eq!(events(&mut watch, &mut signals, 0.5), []);
    watch.set_fixed(1, true);
    assert_eq!(jump(&mut watch, &mut signals), [0], "the comparison was true already");
}

#[test]
fn guards_fire_together_within_the_window_of_the_first() {
    let run = |second: Vec<f64>, band: f64| {
        let mut signals = Polynomials::new(vec![line(0.5, 1.0), second], 1.0).with_band(band);
        let (mut watch, _) = started(&[Is(0), Is(1)], Fires::WhenTrue, &mut signals);
        events(&mut watch, &mut signals, 1.0)
    };
    let fired = |found: &[(f64, Vec<usize>)]| found.iter().map(|event| event.1.clone()).collect::<Vec<_>>();
    assert_eq!(fired(&run(line(0.5 + 1e-10, 1.0), 1e-9)), [[0, 1]], "within the band of the first");
    assert_eq!(fired(&run(line(0.5 + 4e-9, 1.0), 1e-9)), [[0], [1]], "its window begins later");
    // Undecided for a hundred times longer: it is decided by motion after the first.
    let found = run(line(0.5, 0.01), 1e-9);
    assert_eq!(fired(&found), [[0], [1]]);
    assert!((found[1].0 - found[0].0).abs() < 1e-9, "{found:?}");
    // The other way round: the wide one comes first only if it is surely over first.
    assert_eq!(fired(&run(line(0.4, 0.01), 1e-9)), [[1], [0]]);
}

#[test]
fn the_state_is_put_on_the_side_that_is_asked_for() {
    for placement in [Placement::Before, Placement::After] {
        let mut spec = guard(Is(0), Fires::WhenTrue);
        spec.placement = placement;
        let mut watch = Watch::new(1, 0, vec![spec]);
        watch.enter(0);
        let mut signals = Polynomials::new(vec![product(&[1.0 / 3.0, 2.0], -1.0)], 1.0);
        jump(&mut watch, &mut signals);
        watch.due(&mut signals, 1.0);
        let found = watch.scan(&mut signals, 1.0, 1.0).unwrap().unwrap().clone();
        let value = signals.value(0, found.s);
        assert_eq!(value.value > 0.0, placement == Placement::After);
        assert!(value.sign().is_none() && found.hi - found.lo < 1e-14, "{found:?}");
    }
}

#[test]
fn one_that_wants_to_be_before_keeps_the_state_before_its_root() {
    let mut specs = vec![guard(Is(0), Fires::WhenTrue), guard(Is(1), Fires::WhenTrue)];
    specs[0].placement = Placement::Before;
    let mut watch = Watch::new(2, 0, specs);
    (0..2).for_each(|guard| watch.enter(guard));
    let mut signals = Polynomials::new(vec![line(0.5, 1.0), line(0.5 + 5e-10, 1.0)], 1.0).with_band(1e-9);
    jump(&mut watch, &mut signals);
    watch.due(&mut signals, 1.0);
    let found = watch.scan(&mut signals, 1.0, 1.0).unwrap().unwrap();
    assert!(found.s <= 0.5 && found.fired == [0, 1], "{found:?}");
}

#[test]
fn the_side_before_an_event_is_the_one_just_before_it() {
    // The second comparison falls at 0.4; the first guard fires at 0.6 and its reset puts the second up
    // again: it fires.
    let mut signals = Polynomials::new(vec![line(0.6, 1.0), line(0.4, -1.0)], 1.0);
    let (mut watch, _) = started(&[Is(0), Is(1)], Fires::WhenTrue, &mut signals);
    watch.due(&mut signals, 1.0);
    let s = watch.scan(&mut signals, 1.0, 1.0).unwrap().unwrap().s;
    assert!((s - 0.6).abs() < 1e-15);
    watch.accept(s);
    assert_eq!((watch.side(0), watch.side(1)), (SideState::Fired, SideState::Minus));
    signals.coefficients[1] = vec![1.0];
    signals.t += s;
    assert_eq!(jump(&mut watch, &mut signals), [1]);
    assert_eq!(watch.side(1), SideState::Plus);
}

#[test]
fn nothing_changes_before_a_step_is_accepted() {
    let mut signals = Polynomials::new(vec![line(0.6, 1.0), line(0.4, -1.0)], 1.0);
    let (mut watch, _) = started(&[Is(0), Is(1)], Fires::WhenTrue, &mut signals);
    let before = watch.snapshot().clone();
    watch.due(&mut signals, 1.0);
    let first = watch.scan(&mut signals, 1.0, 1.0).unwrap().unwrap().clone();
    assert_eq!(watch.snapshot(), &before);
    assert_eq!(watch.scan(&mut signals, 1.0, 1.0).unwrap().unwrap(), &first);
    assert_eq!(watch.scan(&mut signals, 1.0, 0.5).unwrap(), None, "the limit is before it");
    watch.accept(0.5);
    assert_eq!((watch.side(0), watch.side(1)), (SideState::Minus, SideState::Minus));
}

#[test]
fn what_a_longer_try_of_a_step_would_have_done_is_forgotten() {
    let mut signals = Polynomials::new(vec![line(0.6, 1.0)], 1.0);
    signals.speed = Some(1.0);
    let (mut watch, _) = started(&[Is(0)], Fires::WhenTrue, &mut signals);
    watch.due(&mut signals, 1.0);
    assert!(watch.scan(&mut signals, 1.0, 1.0).unwrap().is_some());
    // Another try is so short that there is nothing to look for.
    signals.at(0.0, 0.5);
    assert!(watch.due(&mut signals, 0.5).is_empty());
    watch.accept(0.5);
    assert_eq!(watch.side(0), SideState::Minus);
    signals.t = 0.5;
    let found = events(&mut watch, &mut signals, 1.0);
    assert!(found.len() == 1 && (found[0].0 - 0.6).abs() < 1e-15, "{found:?}");
}

#[test]
fn one_limit_after_the_other_finds_the_same() {
    for steps in [1, 2, 3, 7, 100] {
        let mut signals = Polynomials::new(vec![product(&[0.2, 0.45, 0.7], 1.0)], 1.0);
        let (mut watch, _) = started(&[Is(0)], Fires::Both, &mut signals);
        let ends = (1..=steps).map(|k| f64::from(k) / f64::from(steps));
        let found: Vec<_> = ends.flat_map(|end| events(&mut watch, &mut signals, end)).collect();
        let times: Vec<f64> = found.iter().map(|event| event.0).collect();
        assert_eq!(times.len(), 3, "{steps}: {times:?}");
        assert!(times.iter().zip([0.2, 0.45, 0.7]).all(|(a, b)| (a - b).abs() < 4e-15), "{times:?}");
    }
}

/// A ball on a floor, step by step as a run does it.
fn bounce(restitution: f64, height: f64, scale: f64) -> (Vec<f64>, usize, Watch, Polynomials) {
    let mut signals = Polynomials::new(vec![vec![-height * scale, 0.0, 0.5 * scale]], 1.0)
        .with_band(8.0 * f64::EPSILON * height * scale);
    let (mut watch, fired) = started(&[Is(0)], Fires::WhenTrue, &mut signals);
    assert!(fired.is_empty());
    let (mut speed, mut times, mut t) = (0.0, Vec::new(), 0.0);
    for _ in 0..20 {
        signals.at(0.0, 20.0);
        watch.due(&mut signals, 20.0);
        let s = watch.scan(&mut signals, 20.0, 20.0).unwrap().unwrap().s;
        let depth = signals.value(0, s).value;
        watch.accept(s);
        assert_eq!(watch.side(0), SideState::Fired);
        t += s;
        times.push(t);
        speed = restitution * (speed + s).abs();
        signals.coefficients[0] = vec![depth, -speed * scale, 0.5 * scale];
        speed = -speed;
        assert!(jump(&mut watch, &mut signals).is_empty());
        let begun = watch.begin(&mut signals);
        assert!(begun.fired.is_empty() && begun.decided.len() == 1 && !begun.decided[0].plus);
        assert_eq!(watch.side(0), SideState::NearMinus);
    }
    let values = signals.asked.values;
    (times, values, watch, signals)
}

#[test]
fn a_bouncing_ball_hits_once_per_bounce_and_costs_a_few_values() {
    for (height, scale) in [(1.0, 1.0), (1.0, 1e-9), (1.0, 1e9), (100.0, 1.0)] {
        let (times, values, ..) = bounce(0.5, height, scale);
        let first = (2.0_f64 * height).sqrt();
        let mut expected = first;
        let mut speed = first;
        for (k, t) in times.iter().enumerate() {
            // The band, divided by the speed.
            let exact = 8.0 * f64::EPSILON * height / speed;
            assert!((t - expected).abs() < exact, "{k}: {t} {expected}");
            speed *= 0.5;
            expected += 2.0 * speed;
        }
        // One value of each bounce is that of the jump.
        assert!(values <= 5 * times.len(), "{values} values for {} bounces", times.len());
    }
}

#[test]
fn a_decision_by_the_third_derivative_is_not_contradicted_by_the_dense_output() {
    // Lift-off: g = -s³ truly, but the dense output is off by 1e-6 (s/h)².
    let mut signals = Polynomials::new(vec![vec![0.0, 0.0, 0.0, -1.0]], 1e-3);
    let (mut watch, fired) = started(&[Is(0)], Fires::WhenTrue, &mut signals);
    assert!(fired.is_empty() && watch.side(0) == SideState::NearMinus);
    signals.coefficients[0] = vec![0.0, 0.0, 1e-4, -1.0];
    signals.dense_error = 1e-9;
    watch.due(&mut signals, 1e-3);
    assert_eq!(watch.scan(&mut signals, 1e-3, 1e-3).unwrap(), None);
    signals.dense_error = 1e-14;
    assert!(watch.scan(&mut signals, 1e-3, 1e-3).unwrap().is_some(), "it is needed");
}

#[test]
fn undecided_at_the_start_and_then_true_is_a_crossing_at_the_start() {
    // z' = v, v' = a, a' = 1 from zero.
    let mut signals = Polynomials::new(vec![vec![0.0, 0.0, 0.0, 1.0]], 1.0);
    let (mut watch, fired) = started(&[Is(0)], Fires::WhenTrue, &mut signals);
    assert_eq!(fired, [0]);
    assert_eq!(watch.side(0), SideState::Fired);
    assert!(jump(&mut watch, &mut signals).is_empty());
    let begun = watch.begin(&mut signals);
    let decided = begun.decided[0];
    assert!(
        begun.fired.is_empty() && decided.before == SideState::Fired && decided.plus && decided.order == 3
    );
    assert_eq!(events(&mut watch, &mut signals, 1.0), []);
    assert_eq!(watch.side(0), SideState::Plus);
}

#[test]
fn a_guard_that_is_true_at_entry_fires_as_it_is_told() {
    for (on_entry, value, motion) in
        [(OnEntry::Fires, true, true), (OnEntry::FiresByMotion, false, true), (OnEntry::Waits, false, false)]
    {
        let mut watch = Watch::new(1, 0, vec![GuardSpec { on_entry, ..guard(Is(0), Fires::WhenTrue) }]);
        watch.enter(0);
        let mut above = Polynomials::new(vec![vec![1.0]], 1.0);
        assert_eq!(!jump(&mut watch, &mut above).is_empty(), value, "{on_entry:?}");
        assert!(jump(&mut watch, &mut above).is_empty(), "once");
        watch.leave(0);
        assert!(watch.watched().is_empty());
        watch.enter(0);
        let mut rising = Polynomials::new(vec![vec![0.0, 1.0]], 1.0);
        assert!(jump(&mut watch, &mut rising).is_empty());
        assert_eq!(!watch.begin(&mut rising).fired.is_empty(), motion, "{on_entry:?}");
    }
}

#[test]
fn touching_bodies_stay_pinned_until_they_part() {
    // The gap is rounding for ten steps, and grows no faster than rounding adds up.
    let mut signals = Polynomials::new(vec![vec![0.0]], 1.0).with_band(1e-16);
    let (mut watch, fired) = started(&[Is(0)], Fires::WhenTrue, &mut signals);
    assert!(fired.is_empty());
    for k in 0..10 {
        signals.coefficients[0] = vec![1.2e-16 * f64::from(k), if k % 2 == 0 { 1e-16 } else { -1e-16 }];
        let begun = watch.begin(&mut signals);
        assert!(begun.fired.is_empty() && begun.pinned == [0], "{k}: {begun:?}");
        watch.due(&mut signals, 1.0);
        assert_eq!(watch.scan(&mut signals, 1.0, 1.0).unwrap(), None, "{k}");
        watch.accept(1.0);
        assert_eq!(watch.side(0), SideState::Unknown);
    }
    signals.coefficients[0] = vec![1e-15, -1.0];
    assert_eq!(watch.begin(&mut signals).decided[0].order, 1);
    assert_eq!(watch.side(0), SideState::NearMinus);
}

#[test]
fn a_graze_inside_the_band_is_a_touch_and_beyond_it_a_crossing() {
    let run = |height: f64| {
        let mut spec = guard(Is(0), Fires::WhenTrue);
        spec.touches = Touches::Told;
        let mut watch = Watch::new(1, 0, vec![spec]);
        watch.enter(0);
        let mut signals = Polynomials::new(vec![vec![height - 0.16, 0.8, -1.0]], 1.0).with_band(1e-12);
        jump(&mut watch, &mut signals);
        watch.due(&mut signals, 1.0);
        let found = watch.scan(&mut signals, 1.0, 1.0).unwrap().map(|found| found.s);
        (found, watch.touches().to_vec(), signals.asked.values)
    };
    let (found, touches, values) = run(0.0);
    assert!(found.is_none() && touches.len() == 1 && (touches[0].s - 0.4).abs() < 1e-6 && values < 5);
    let (found, touches, _) = run(-1e-11);
    assert!(found.is_none() && touches.is_empty());
    let (found, touches, _) = run(1e-11);
    assert!(found.is_some_and(|s| (s - 0.4).abs() < 1e-5) && touches.is_empty());
}

#[test]
fn a_touch_is_seen_wherever_steps_end() {
    for ends in [[0.4, 1.0], [0.4 - 1e-8, 1.0], [0.4 + 1e-8, 1.0], [0.3, 1.0]] {
        let mut spec = guard(Is(0), Fires::WhenTrue);
        spec.touches = Touches::Told;
        let mut watch = Watch::new(1, 0, vec![spec]);
        watch.enter(0);
        let mut signals = Polynomials::new(vec![vec![-0.16, 0.8, -1.0]], 1.0).with_band(1e-12);
        jump(&mut watch, &mut signals);
        let mut touches = Vec::new();
        for end in ends {
            let h = end - signals.t;
            signals.at(signals.t, h);
            watch.begin(&mut signals);
            watch.due(&mut signals, h);
            assert_eq!(watch.scan(&mut signals, h, h).unwrap(), None);
            touches.extend(watch.touches().iter().map(|touch| signals.t + touch.s));
            watch.accept(h);
            signals.t = end;
        }
        assert!(touches.len() == 1 && (touches[0] - 0.4).abs() < 1e-5, "{ends:?}: {touches:?}");
    }
}

#[test]
fn guards_that_cannot_fire_sleep() {
    let mut signals = Polynomials::new(vec![vec![-1000.0, 1.0]], 1.0);
    let (mut watch, _) = started(&[Is(0)], Fires::WhenTrue, &mut signals);
    signals.speed = Some(2.0);
    for _ in 0..499 {
        assert!(watch.due(&mut signals, 1.0).is_empty());
        assert_eq!(watch.scan(&mut signals, 1.0, 1.0).unwrap(), None);
        watch.accept(1.0);
        signals.t += 1.0;
    }
    assert_eq!((signals.asked.speeds, signals.asked.polynomials, signals.asked.values), (1, 0, 1));
    let found = events(&mut watch, &mut signals, 1001.0);
    assert!(found.len() == 1 && (found[0].0 - 1000.0).abs() < 1e-12, "{found:?}");
}

#[test]
fn a_value_that_is_not_finite_is_reported() {
    let signals = Polynomials::new(vec![vec![1.0]], 1.0).with_formula(0, |_| f64::NAN);
    let mut watch = Watch::new(1, 0, vec![guard(Is(0), Fires::WhenTrue)]);
    watch.enter(0);
    assert!(watch.jump(&[signals.value(0, 0.0)]).is_err());
    let mut signals = Polynomials::new(vec![vec![1.0]], 1.0)
        .with_formula(0, |t| if t > 0.5 { f64::NAN } else { 1.0 })
        .sampled();
    jump(&mut watch, &mut signals);
    watch.due(&mut signals, 1.0);
    let fault = watch.scan(&mut signals, 1.0, 1.0).unwrap_err();
    assert!(fault.comparison == 0 && fault.s > 0.5);
    let mut signals = Polynomials::new(vec![vec![1.0, f64::NAN]], 1.0);
    assert!(watch.scan(&mut signals, 1.0, 1.0).is_err());
}

#[test]
fn branches_that_are_not_taken_are_not_watched() {
    let mut signals = Polynomials::new(vec![line(0.3, 1.0), line(0.6, 1.0)], 1.0);
    let (mut watch, _) = started(&[Is(0), Is(1)], Fires::WhenTrue, &mut signals);
    watch.leave(0);
    assert_eq!(watch.watched(), [1]);
    let found = events(&mut watch, &mut signals, 0.9);
    assert!(found.len() == 1 && found[0].1 == [1], "{found:?}");
    watch.enter(0);
    assert_eq!(watch.side(0), SideState::Unknown);
    assert!(jump(&mut watch, &mut signals).is_empty(), "it was true already");
}

#[test]
fn snapshots_recognise_a_cycle() {
    let mut signals = Polynomials::new(vec![line(0.3, 1.0)], 1.0);
    let (mut watch, _) = started(&[Is(0)], Fires::Both, &mut signals);
    let first = watch.snapshot().clone();
    signals.t = 0.5;
    assert_eq!(jump(&mut watch, &mut signals), [0]);
    assert_ne!(watch.snapshot(), &first);
    signals.t = 0.0;
    assert_eq!(jump(&mut watch, &mut signals), [0]);
    assert_eq!(watch.snapshot(), &first);
}

#[test]
fn the_peak_between_two_events_is_that_of_the_motion() {
    let mut signals = Polynomials::new(vec![product(&[0.3, 0.5], 1.0)], 1.0);
    let (mut watch, _) = started(&[Is(0)], Fires::Both, &mut signals);
    watch.due(&mut signals, 1.0);
    let found = watch.scan(&mut signals, 1.0, 1.0).unwrap().unwrap().clone();
    watch.accept(found.s);
    signals.at(found.s, 1.0 - found.s);
    jump(&mut watch, &mut signals);
    watch.begin(&mut signals);
    watch.due(&mut signals, 1.0 - found.s);
    let found = watch.scan(&mut signals, 1.0 - found.s, 1.0 - found.s).unwrap().unwrap();
    let peak = found.peaks[0];
    assert!(peak.value >= 0.01 && peak.value < 0.03 && peak.band < 1e-14, "{peak:?}");
}

#[test]
fn a_reflecting_event_of_both_directions_fires_once() {
    let mut signals = Polynomials::new(vec![line(0.3, 1.0)], 1.0);
    let (mut watch, _) = started(&[Is(0)], Fires::Both, &mut signals);
    watch.due(&mut signals, 1.0);
    let s = watch.scan(&mut signals, 1.0, 1.0).unwrap().unwrap().s;
    watch.accept(s);
    // The motion is turned around.
    signals.coefficients[0] = line(0.3, -1.0);
    signals.at(s, 1.0 - s);
    assert!(jump(&mut watch, &mut signals).is_empty());
    assert!(watch.begin(&mut signals).fired.is_empty());
    assert_eq!(events(&mut watch, &mut signals, 1.0), []);
    assert_eq!(watch.side(0), SideState::Minus);
}

#[test]
fn modes_on_both_sides_of_one_threshold_push_back_at_once() {
    // Mode 0 rises and leaves when x > 0.3, mode 1 falls and leaves when x < 0.3: a cycle that the transition
    // has to end by sliding.
    let specs = [Is(0), Not(Box::new(Is(0)))]
        .map(|condition| GuardSpec { on_entry: OnEntry::Fires, ..guard(condition, Fires::WhenTrue) });
    let mut watch = Watch::new(1, 0, specs.to_vec());
    watch.enter(0);
    let mut signals = Polynomials::new(vec![line(0.3, 1.0)], 1.0);
    jump(&mut watch, &mut signals);
    watch.due(&mut signals, 1.0);
    let s = watch.scan(&mut signals, 1.0, 1.0).unwrap().unwrap().s;
    watch.accept(s);
    let mut seen = Vec::new();
    for mode in [1, 0, 1, 0] {
        watch.leave(1 - mode);
        watch.enter(mode);
        signals.coefficients[0] = line(0.3, if mode == 0 { 1.0 } else { -1.0 });
        signals.at(s, 1.0 - s);
        assert!(jump(&mut watch, &mut signals).is_empty());
        assert_eq!(watch.begin(&mut signals).fired, [mode]);
        seen.push(watch.snapshot().clone());
    }
    assert!(seen[0] == seen[2] && seen[1] == seen[3] && seen[0] != seen[1]);
}

#[test]
fn a_ball_comes_to_rest_at_its_limit() {
    let restitution = 0.8_f64;
    let mut signals = Polynomials::new(vec![vec![-1.0, 0.0, 0.5]], 20.0).with_band(8.0 * f64::EPSILON);
    let (mut watch, _) = started(&[Is(0)], Fires::WhenTrue, &mut signals);
    let (mut record, mut speed, mut t) = (ZenoRecord::new(), 0.0, 0.0);
    let limit = loop {
        watch.due(&mut signals, 20.0);
        let found = watch.scan(&mut signals, 20.0, 20.0).unwrap().unwrap().clone();
        let depth = signals.value(0, found.s).value;
        watch.accept(found.s);
        t += found.s;
        let location = 0.5 * (found.hi - found.lo);
        let between = Between {
            interval: found.s,
            peak: found.peaks[0].value,
            band: found.peaks[0].band,
            location,
            stops: false,
        };
        if let Some(limit) = record.record(between, t) {
            break limit;
        }
        speed = -restitution * (speed + found.s);
        signals.coefficients[0] = vec![depth, speed, 0.5];
        jump(&mut watch, &mut signals);
        assert!(watch.begin(&mut signals).fired.is_empty());
    };
    let expected = 2.0_f64.sqrt() * (1.0 + restitution) / (1.0 - restitution);
    let error = (t + limit.after - expected).abs();
    assert!(error <= limit.bound && limit.bound < 1e-8, "{error:e} {limit:?}");
}

#[test]
fn noise_without_a_band_ends() {
    let mut signals = Polynomials::new(vec![vec![0.0], line(0.9, 1.0)], 1.0)
        .with_formula(0, |t| ((t * 1e9).sin() * 1e5).fract())
        .with_band(0.0)
        .sampled();
    let (mut watch, _) = started(&[And(vec![Is(0), Is(1)])], Fires::WhenTrue, &mut signals);
    watch.due(&mut signals, 1.0);
    let found = watch.scan(&mut signals, 1.0, 0.8).unwrap();
    assert!(found.is_none());
    assert_eq!(watch.unproved(), [0]);
}

#[test]
fn a_guard_that_is_steeper_than_floats_of_time_fires_once() {
    // Between two floats of time the value goes from far below its band to far above it.
    for placement in [Placement::Before, Placement::After] {
        for turned in [false, true] {
            let mut spec = guard(Is(0), Fires::WhenTrue);
            spec.placement = placement;
            let mut watch = Watch::new(1, 0, vec![spec]);
            watch.enter(0);
            let mut signals = Polynomials::new(vec![line(1.0 / 3.0, 1e9)], 1.0).with_band(1e-12);
            jump(&mut watch, &mut signals);
            watch.due(&mut signals, 1.0);
            let s = watch.scan(&mut signals, 1.0, 1.0).unwrap().unwrap().s;
            watch.accept(s);
            if turned {
                let value = signals.value(0, s).value;
                signals.coefficients[0] = vec![value + 1e9 * s, -1e9];
            }
            signals.t = s;
            assert!(jump(&mut watch, &mut signals).is_empty());
            let decided = watch.begin(&mut signals).decided[0];
            assert_eq!((decided.plus, decided.order), (!turned, 1));
            assert_eq!(events(&mut watch, &mut signals, 1.0), [], "{placement:?} {turned}");
        }
    }
}
