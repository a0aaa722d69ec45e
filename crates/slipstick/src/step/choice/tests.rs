//! Choices among methods of known pace.

use super::*;

/// An explicit method and two implicit ones, with the step and the work of each.
fn run(paces: [(f64, f64); 3], stiffness: f64, steps: usize) -> (Choice, [usize; 3]) {
    let mut choice = Choice::new([(false, 1.0), (true, 1.0), (true, 1.0)].into_iter(), true);
    let mut made = [0; 3];
    for _ in 0..steps {
        let active = choice.active();
        made[active] += 1;
        choice.spend(paces[active].1);
        choice.take(paces[active].0, (active == 0).then_some(stiffness));
    }
    (choice, made)
}

#[test]
fn the_one_with_the_best_pace_goes_on() {
    let (choice, made) = run([(1e-3, 1.0), (1e-2, 20.0), (1.0, 30.0)], 1.0, 500);
    assert_eq!(choice.active(), 2);
    assert!(made[2] > 440, "{made:?}");
    let (choice, made) = run([(1e-3, 1.0), (1.0, 20.0), (1.0, 30.0)], 1.0, 500);
    assert_eq!(choice.active(), 1);
    assert!(made[1] > 380, "{made:?}");
}

#[test]
fn tries_that_do_not_pay_become_rare() {
    let (choice, made) = run([(1e-3, 1.0), (1e-3, 20.0), (1e-3, 30.0)], 1.0, 2000);
    assert_eq!(choice.active(), 0);
    assert!(made[1] + made[2] < 120, "{made:?}");
    let (_, made) = run([(1e-3, 1.0), (1e-3, 20.0), (1e-3, 30.0)], 0.1, 2000);
    assert_eq!(made, [2000, 0, 0]);
}

#[test]
fn one_that_only_fails_gives_way_and_not_for_ever() {
    let mut choice = Choice::new([(false, 1.0), (true, 1.0)].into_iter(), true);
    for _ in 0..20 {
        choice.spend(1.0);
        choice.take(1.0, Some(2.0));
    }
    assert_eq!(choice.active(), 1);
    let changes = (0..1000).filter_map(|_| choice.reject(1.0)).count();
    assert!((1..=2).contains(&changes), "{changes}");
}

/// An explicit method of which a step of 1e-3 is stable, and an implicit one ten times as dear.
fn stiff() -> Choice {
    let mut choice = Choice::new([(false, 1.0), (true, 1.0)].into_iter(), true);
    choice.expect(0, 1.0);
    choice.expect(1, 10.0);
    choice.foresee(1e-3, 100.0);
    choice
}

/// Steps of the implicit method, until another is at work or the longest step of it is asked for.
fn go_on(choice: &mut Choice, h: f64) -> usize {
    let goes_on = |choice: &mut Choice| {
        choice.spend(10.0);
        choice.take(h, None);
        choice.active() == 1 && !choice.asks()
    };
    (0..5000).take_while(|_| goes_on(choice)).count()
}

#[test]
fn the_explicit_method_is_tried_again_only_where_it_can_be_ahead() {
    let mut choice = stiff();
    assert!(go_on(&mut choice, 1.0) > 1000);
    choice.know(1e-3);
    assert!(go_on(&mut choice, 1.0) > 1000 && choice.asks() && choice.active() == 1);
    choice.know(0.5);
    choice.take(1.0, None);
    assert_eq!(choice.active(), 0);
}

/// What an event excites in a stiff spring dies out slowly with the implicit method, else never.
#[test]
fn one_that_was_far_ahead_has_time_to_be_so_again() {
    let mut choice = stiff();
    go_on(&mut choice, 1.0);
    assert_eq!((0..100).take_while(|_| choice.reject(1e-4).is_none()).count(), 23);
    assert_eq!(choice.active(), 0);
    let mut steps = [0, 0];
    for _ in 0..1000 {
        let active = choice.active();
        steps[active] += 1;
        choice.spend([1.0, 10.0][active]);
        choice.take(if active == 0 || steps[1] < 100 { 1e-3 } else { 1.0 }, (active == 0).then_some(1.0));
    }
    assert!(choice.active() == 1 && steps[0] < 100, "{steps:?}");
}

#[test]
fn it_is_looked_at_soon_where_the_equations_change() {
    let mut choice = stiff();
    go_on(&mut choice, 1.0);
    choice.know(1e-3);
    go_on(&mut choice, 1.0);
    choice.know(1e-3);
    choice.spend(10.0);
    choice.take(1.0, None);
    choice.expect_change();
    assert!((5..15).contains(&go_on(&mut choice, 1.0)));
}

#[test]
fn one_that_fails_with_long_steps_has_time_to_shorten_them() {
    let mut choice = stiff();
    go_on(&mut choice, 1.0);
    let mut h = 1.0;
    choice.know(1.0);
    let failures = (0..100).take_while(|_| {
        h /= 1.5;
        choice.reject(h).is_none()
    });
    // 1.5⁻¹⁴ is the first below four steps of the explicit method.
    assert_eq!(failures.count(), 13);
}
