//! Selections among methods of known efficiency.

use super::*;

/// An explicit method and two implicit ones, with the step and the work of each.
fn run(efficiencies: [(f64, f64); 3], stiffness: f64, steps: usize) -> (Contest, [usize; 3]) {
    let mut contest = Contest::new([(false, 1.0), (true, 1.0), (true, 1.0)].into_iter(), true);
    let mut made = [0; 3];
    for _ in 0..steps {
        let active = contest.active();
        made[active] += 1;
        contest.spend(efficiencies[active].1);
        contest.take(efficiencies[active].0, (active == 0).then_some(stiffness));
    }
    (contest, made)
}

#[test]
fn the_one_with_the_best_pace_goes_on() {
    let (contest, made) = run([(1e-3, 1.0), (1e-2, 20.0), (1.0, 30.0)], 1.0, 500);
    assert_eq!(contest.active(), 2);
    assert!(made[2] > 440, "{made:?}");
    let (contest, made) = run([(1e-3, 1.0), (1.0, 20.0), (1.0, 30.0)], 1.0, 500);
    assert_eq!(contest.active(), 1);
    assert!(made[1] > 380, "{made:?}");
}

#[test]
fn tries_that_do_not_pay_become_rare() {
    let (contest, made) = run([(1e-3, 1.0), (1e-3, 20.0), (1e-3, 30.0)], 1.0, 2000);
    assert_eq!(contest.active(), 0);
    assert!(made[1] + made[2] < 120, "{made:?}");
    let (_, made) = run([(1e-3, 1.0), (1e-3, 20.0), (1e-3, 30.0)], 0.1, 2000);
    assert_eq!(made, [2000, 0, 0]);
}

#[test]
fn one_that_only_fails_gives_way_and_not_for_ever() {
    let mut contest = Contest::new([(false, 1.0), (true, 1.0)].into_iter(), true);
    for _ in 0..20 {
        contest.spend(1.0);
        contest.take(1.0, Some(2.0));
    }
    assert_eq!(contest.active(), 1);
    let changes = (0..1000).filter_map(|_| contest.reject(1.0)).count();
    assert!((1..=2).contains(&changes), "{changes}");
}

/// An explicit method of which a step of 1e-3 is stable, and an implicit one that costs ten times as much.
fn stiff() -> Contest {
    let mut contest = Contest::new([(false, 1.0), (true, 1.0)].into_iter(), true);
    contest.expect([1.0, 10.0].into_iter());
    contest.foresee(1e-3, 100.0);
    contest
}

/// Steps of the implicit method, until another is at work or the longest step of it is asked for.
fn go_on(contest: &mut Contest, h: f64) -> usize {
    let goes_on = |contest: &mut Contest| {
        contest.spend(10.0);
        contest.take(h, None);
        contest.active() == 1 && !contest.asks()
    };
    (0..5000).take_while(|_| goes_on(contest)).count()
}

#[test]
fn the_explicit_method_is_tried_again_only_where_it_can_be_ahead() {
    let mut contest = stiff();
    assert!(go_on(&mut contest, 1.0) > 1000);
    contest.know(1e-3);
    assert!(go_on(&mut contest, 1.0) > 1000 && contest.asks() && contest.active() == 1);
    contest.know(0.5);
    contest.take(1.0, None);
    assert_eq!(contest.active(), 0);
}

/// What an event excites in a stiff spring dies out slowly with the implicit method, else never.
#[test]
fn one_that_was_far_ahead_has_time_to_be_so_again() {
    let mut contest = stiff();
    go_on(&mut contest, 1.0);
    assert_eq!((0..100).take_while(|_| contest.reject(1e-4).is_none()).count(), 23);
    assert_eq!(contest.active(), 0);
    let mut steps = [0, 0];
    for _ in 0..1000 {
        let active = contest.active();
        steps[active] += 1;
        contest.spend([1.0, 10.0][active]);
        contest.take(if active == 0 || steps[1] < 100 { 1e-3 } else { 1.0 }, (active == 0).then_some(1.0));
    }
    assert!(contest.active() == 1 && steps[0] < 100, "{steps:?}");
}

#[test]
fn it_is_looked_at_soon_where_the_equations_change() {
    let mut contest = stiff();
    go_on(&mut contest, 1.0);
    contest.know(1e-3);
    go_on(&mut contest, 1.0);
    contest.know(1e-3);
    contest.spend(10.0);
    contest.take(1.0, None);
    contest.expect_change();
    assert!((5..15).contains(&go_on(&mut contest, 1.0)));
}

#[test]
fn one_that_fails_with_long_steps_has_time_to_shorten_them() {
    let mut contest = stiff();
    go_on(&mut contest, 1.0);
    let mut h = 1.0;
    contest.know(1.0);
    let failures = (0..100).take_while(|_| {
        h /= 1.5;
        contest.reject(h).is_none()
    });
    // 1.5⁻¹⁴ is the first below four steps of the explicit method.
    assert_eq!(failures.count(), 13);
}

#[test]
fn a_period_knows_its_last_step_and_whether_steps_grow() {
    let mut period = ActivePeriod::default();
    assert!([1.0; 4].iter().all(|h| period.take(*h)), "there is nothing to compare with yet");
    assert!(!period.take(1.0));
    assert!(period.take(2.0));
    assert_eq!((period.last(), period.steps), (2.0, 6));
}

#[test]
fn easy_steps_count_only_in_a_row() {
    let mut period = ActivePeriod::default();
    assert!(!(1..EASY_STEPS).any(|_| period.is_easy(Some(0.1))));
    assert!(!period.is_easy(None));
    assert!(!(1..EASY_STEPS).any(|_| period.is_easy(Some(0.1))));
    assert!(period.is_easy(Some(0.1)));
}

#[test]
fn what_has_become_as_new_has_no_memory_but_its_criterion() {
    let candidates = || [(false, 1.0), (true, 0.8), (true, 1.0)].into_iter();
    for (tries, holds) in [(true, false), (false, false), (true, true)] {
        let new = || {
            let mut contest = Contest::new(candidates(), tries);
            if holds {
                contest.hold_steps();
            }
            contest
        };
        let mut contest = new();
        contest.expect([1.0, 3.0].into_iter());
        contest.know(0.01);
        for k in 0..100 {
            contest.spend(1.0);
            contest.take(0.1 + f64::from(k), Some(1.0));
            contest.reject(0.1);
        }
        assert_ne!(format!("{contest:?}"), format!("{:?}", new()));
        contest.renew();
        assert_eq!(format!("{contest:?}"), format!("{:?}", new()));
    }
}
