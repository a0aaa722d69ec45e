//! Every sign change of polynomials with known roots is found once, in order.

use crate::signals::Polynomials;
use proptest::prelude::*;
use slipstick::watch::{Banded, Condition, Fires, GuardSpec, OnEntry, Placement, Signals, Touches, Watch};

pub(crate) fn guard(condition: Condition, fires: Fires) -> GuardSpec {
    let placement = Placement::After;
    GuardSpec {
        condition,
        fires,
        placement,
        on_entry: OnEntry::FiresByMotion,
        touches: Touches::Ignored,
        poles: false,
    }
}

/// Gives the values at the start of the step to the guards.
pub(crate) fn jump(watch: &mut Watch, signals: &mut dyn Signals) -> Vec<usize> {
    let watched = watch.watched().to_vec();
    let mut values = vec![Banded::default(); watched.len()];
    signals.values(&watched, 0.0, &mut values);
    watch.jump(&values).unwrap().to_vec()
}

/// Coefficients of a product of `(t - root)`.
pub(crate) fn product(roots: &[f64], scale: f64) -> Vec<f64> {
    let mut c = vec![scale];
    for root in roots {
        c.push(0.0);
        for k in (0..c.len()).rev() {
            let lower = if k > 0 { c[k - 1] } else { 0.0 };
            c[k] = lower - root * c[k];
        }
    }
    c
}

/// All changes of the first comparison between two times, as a run finds them when events change nothing.
fn changes(signals: &mut Polynomials, from: f64, to: f64) -> Vec<f64> {
    let mut watch = Watch::new(1, 0, vec![guard(Condition::Is(0), Fires::Both)]);
    watch.enter(0);
    let (mut t, mut found) = (from, Vec::new());
    loop {
        signals.at(t, to - t);
        jump(&mut watch, signals);
        assert!(watch.begin(signals).fired.is_empty(), "at {t}");
        watch.due(signals, to - t);
        let Some(event) = watch.scan(signals, to - t, to - t).unwrap() else { return found };
        assert!(event.s >= 0.0 && event.lo <= event.s && event.s <= event.hi, "{event:?}");
        let s = event.s;
        found.push(t + s);
        watch.accept(s);
        t += s;
        assert!(found.len() < 30, "{:?}", &found[..8]);
    }
}

/// Roots of odd multiplicity strictly between two times.
fn sign_changes(roots: &[f64], from: f64, to: f64) -> Vec<f64> {
    let mut roots: Vec<f64> = roots.iter().copied().filter(|r| from < *r && *r < to).collect();
    roots.sort_by(f64::total_cmp);
    let odd = |root: &f64| roots.iter().filter(|r| *r == root).count() % 2 == 1;
    let mut odd: Vec<f64> = roots.iter().copied().filter(odd).collect();
    odd.dedup();
    odd
}

/// A polynomial whose values are computed from its roots, so that each has a known sign.
fn exact(roots: &[f64], scale: f64) -> Polynomials {
    let own = roots.to_vec();
    Polynomials::new(vec![product(roots, scale)], 1.0)
        .with_formula(0, move |t| own.iter().fold(scale, |product, root| product * (t - root)))
}

fn check(mut signals: Polynomials, roots: &[f64], from: f64, to: f64) -> Result<(), TestCaseError> {
    let expected = sign_changes(roots, from, to);
    let found = changes(&mut signals, from, to);
    prop_assert_eq!(found.len(), expected.len(), "found {:?}, expected {:?}", found, expected);
    for (found, expected) in found.iter().zip(&expected) {
        let error = (found - expected).abs();
        prop_assert!(error <= 4.0 * f64::EPSILON * (to.abs() + from.abs()), "{found} {expected} {error:e}");
    }
    Ok(())
}

fn scale() -> impl Strategy<Value = f64> {
    prop_oneof![Just(1.0), Just(-1.0), Just(1e-9), Just(-1e9), 0.1..10.0]
}

/// Roots of which some coincide, double and triple ones; the others are so far apart that coefficients tell.
fn clustered() -> impl Strategy<Value = Vec<f64>> {
    let apart = |roots: &Vec<f64>| {
        let mut sorted = roots.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.windows(2).all(|pair| pair[1] - pair[0] > 0.02)
    };
    let distinct = prop::collection::vec(-0.5..1.5, 1..5).prop_filter("far apart", apart);
    (distinct, prop::collection::vec(0..4_usize, 0..3)).prop_map(|(mut roots, copies)| {
        let count = roots.len();
        for k in copies {
            roots.push(roots[k % count]);
        }
        roots
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn simple_roots_are_found_once_and_in_order(
        roots in prop::collection::vec(-0.5..1.5, 0..8), scale in scale(),
    ) {
        check(exact(&roots, scale), &roots, 0.0, 1.0)?;
    }

    #[test]
    fn double_roots_are_none_and_triple_roots_are_one(roots in clustered(), scale in scale()) {
        check(exact(&roots, scale), &roots, 0.0, 1.0)?;
    }

    #[test]
    fn roots_that_are_close_together_are_told_apart(
        root in 0.1..0.9, gap in prop_oneof![Just(1e-12), Just(1e-10), Just(1e-7)], other in 1.1..2.0, scale in scale(),
    ) {
        let roots = [root, root + gap, other];
        check(exact(&roots, scale), &roots, 0.0, 1.0)?;
    }

    #[test]
    fn roots_at_both_ends_are_not_lost(middle in 0.1..0.9, scale in scale()) {
        // What starts at zero takes its side from its motion.
        let roots = [0.0, middle, 1.0];
        check(exact(&roots, scale), &roots, 0.0, 1.0)?;
        check(exact(&[0.0, 0.0, middle, 1.0], scale), &[0.0, 0.0, middle, 1.0], 0.0, 1.0)?;
        check(exact(&roots, scale), &roots, 0.0, 1.0 + 1e-15)?;
        check(exact(&roots, scale), &roots, 0.0, 1.5)?;
    }

    #[test]
    fn a_shift_of_time_changes_nothing(
        roots in prop::collection::vec(0.0..1.0, 1..5), scale in scale(), shift in -100.0..100.0,
    ) {
        let shifted: Vec<f64> = roots.iter().map(|root| root + shift).collect();
        let near: Vec<f64> = shifted.iter().map(|root| root - shift).collect();
        let mut signals = exact(&shifted, scale);
        (signals.coefficients[0], signals.origin) = (product(&near, scale), shift);
        check(signals, &shifted, shift, shift + 1.0)?;
    }

    #[test]
    fn closures_find_the_same(roots in prop::collection::vec(-0.5..1.5, 0..8), scale in scale()) {
        let close = |a: &f64| roots.iter().filter(|b| (*b - a).abs() < 1e-3).count() > 1;
        prop_assume!(!roots.iter().any(close));
        check(exact(&roots, scale).sampled(), &roots, 0.0, 1.0)?;
    }

    /// With the bands that rounding of coefficients has, what is found is what a fine sampling sees, and
    /// perhaps more.
    #[test]
    fn nothing_that_a_sampling_sees_is_missed(
        c in prop::collection::vec(-1.0..1.0, 1..10), flat in 0..3_usize, sampled in any::<bool>(),
    ) {
        // Higher orders at the start: the first coefficients vanish.
        let c: Vec<f64> = c.iter().enumerate().map(|(k, c)| if k < flat { 0.0 } else { *c }).collect();
        let mut signals = Polynomials::new(vec![c], 1.0);
        if sampled {
            signals = signals.sampled();
        }
        let points = 2000;
        let signs = (0..=points).filter_map(|k| signals.value(0, f64::from(k) / f64::from(points)).sign());
        let signs: Vec<f64> = signs.collect();
        let seen = signs.windows(2).filter(|pair| pair[0] != pair[1]).count();
        let found = changes(&mut signals, 0.0, 1.0);
        prop_assert!(found.len() >= seen && (flat > 0 || (found.len() - seen).is_multiple_of(2)), "{found:?}, seen {seen}");
        for pair in found.windows(2) {
            prop_assert!(pair[0] < pair[1]);
        }
    }

    #[test]
    fn a_remainder_only_costs_values(roots in prop::collection::vec(0.0..1.0, 1..4), remainder in 1e-12..1e-3) {
        let apart = |a: &f64| roots.iter().filter(|b| (*b - a).abs() < 0.05).count() == 1;
        prop_assume!(roots.iter().all(apart));
        check(exact(&roots, 1.0).with_remainder(remainder), &roots, 0.0, 1.0)?;
    }
}

#[test]
fn a_double_zero_at_the_start_costs_no_values() {
    // As after an impact or at the start of a slip: g = -s² + ..., on its side by the second derivative.
    let mut signals = Polynomials::new(vec![vec![0.0, 0.0, -1.0, 0.4, 0.3, -0.1]], 1.0);
    assert_eq!(changes(&mut signals, 0.0, 1.0), []);
    // One value is that of the jump.
    assert!(signals.asked.values <= 2, "{}", signals.asked.values);
    // With a crossing after it.
    let mut signals = exact(&[0.0, 0.0, 0.6], 1.0);
    assert_eq!(changes(&mut signals, 0.0, 1.0).len(), 1);
    assert!(signals.asked.values < 10, "{}", signals.asked.values);
}

#[test]
fn an_event_costs_a_few_values() {
    let mut most = 0;
    for k in 1..100 {
        let root = f64::from(k) / 100.0;
        let mut signals = Polynomials::new(vec![product(&[root, 3.0, -2.0, -7.0, 4.0], 1.0)], 1.0);
        assert_eq!(changes(&mut signals, 0.0, 1.0).len(), 1);
        most = most.max(signals.asked.values - 2);
    }
    assert!(most <= 5, "{most}");
}

#[test]
fn a_root_just_before_the_end_of_a_step_is_found() {
    for (middle, scale) in [(0.8950733390036781, 0.1), (0.8930976582840259, 1e-9)] {
        for roots in [vec![0.0, middle, 1.0], vec![0.0, 0.0, middle, 1.0]] {
            for to in [1.0 + 1e-15, 1.5] {
                check(exact(&roots, scale), &roots, 0.0, to).unwrap_or_else(|wrong| panic!("{to}: {wrong}"));
            }
        }
    }
}
