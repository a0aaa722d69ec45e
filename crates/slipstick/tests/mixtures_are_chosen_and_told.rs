//! Which mixture of the fields is taken where several surfaces are slid on at once, and that it is said where there are others.
//!
//! With `x_i' = c_i - s_i` the mean of each sign is `c_i`. The mean of a product `s_1 s_2` is not fixed by that: the bilinear mixture of two
//! surfaces has `c_1 c_2`; the one of least norm of three has none as long as the shares `(1 + Σ c_i s_i) / 8` are positive, and
//! `(Σ c_i - 1) / 4` once the smallest is zero.

mod common;

use common::run_model;
use slipstick::equations::ClosureSystem;
use slipstick::simulate::{Options, Start, simulate};
use slipstick::step::Method;
use slipstick::trajectory::{EventKind, Trajectory};

fn codes(run: &Trajectory) -> Vec<&'static str> {
    run.notes.iter().map(|note| note.code).collect()
}

/// Relays with loads, and what a product of their signs adds up to.
fn relays(loads: &[&str], product: &str, until: f64) -> Trajectory {
    let states: Vec<String> = (1..=loads.len()).map(|i| format!("x{i} = 0")).collect();
    let rates = loads.iter().enumerate().map(|(i, c)| format!("x{0} = \"{c} - sign(x{0})\"", i + 1));
    let rates: Vec<String> = rates.collect();
    let (states, rates) = (states.join(", "), rates.join(", "));
    run_model(&format!(
        "states = {{ {states}, z = 0 }}\nderivatives = {{ {rates}, z = \"{product}\" }}\nrun.until = {until}"
    ))
}

#[test]
fn on_two_surfaces_it_is_the_bilinear_one() {
    let run = relays(&["0.5", "0.4"], "sign(x1) * sign(x2)", 1.0);
    assert!((run.end_state()[2] - 0.2).abs() < 1e-12, "{:?}", run.end_state());
    assert_eq!(codes(&run), ["slides", "slides", "mixture-chosen"]);
    assert!(run.notes[2].text.contains("the bilinear one is taken"), "{}", run.notes[2].text);
}

#[test]
fn on_three_it_is_the_convex_one_of_least_norm() {
    let product = "sign(x1) * sign(x2) + 10 * sign(x3)";
    for (loads, truth) in [(["0.3", "0.2", "0.1"], 0.0), (["0.5", "0.4", "0.3"], 0.05)] {
        let run = relays(&loads, product, 1.0);
        let sum = run.end_state()[3] - 10.0 * loads[2].parse::<f64>().unwrap();
        assert!((sum - truth).abs() < 1e-7, "{loads:?}: {sum}");
        assert_eq!(codes(&run).last(), Some(&"mixture-chosen"));
        assert!(run.notes.last().unwrap().text.contains("least norm"));
    }
}

#[test]
fn where_each_sign_has_its_own_term_there_is_one_and_no_note() {
    for loads in [&["0.5", "0.4"][..], &["0.5", "0.4", "-0.9"], &["0.5", "0.4", "0.7", "-0.8", "0.1"]] {
        let run = relays(loads, "sign(x1) + 3 * sign(x2)", 1.0);
        assert!((run.end_state()[loads.len()] - 1.7).abs() < 1e-12, "{:?}", run.end_state());
        assert!(!codes(&run).contains(&"mixture-chosen"), "{:?}", run.notes);
    }
}

/// The load of the first surface grows to 1: it is left there, and the two others go on with their bilinear mixture. At that point both mixtures agree.
#[test]
fn three_surfaces_are_left_one_after_the_other() {
    let run = relays(&["0.5 + 0.5 * t", "0.4", "0.2 * t"], "sign(x1) * sign(x2)", 6.0);
    let leaves: Vec<f64> =
        run.events.iter().filter(|event| event.kinds == [EventKind::Leave]).map(|event| event.t).collect();
    assert_eq!(leaves.len(), 2, "{:?}", run.events);
    assert!((leaves[0] - 1.0).abs() < 1e-8 && (leaves[1] - 5.0).abs() < 1e-8, "{leaves:?}");
    let end = run.end_state();
    assert!((end[0] - 0.25 * 25.0).abs() < 1e-6 && end[1] == 0.0, "{end:?}");
    assert!(run.outcome.is_complete(), "{}", run.outcome);
}

/// Rates in which signs are multiplied with each other.
fn tangled(method: Method) -> (ClosureSystem, Options) {
    let system = ClosureSystem::switched(["x", "y", "w", "z"], |t, y, s, dy| {
        dy[0] = 0.3 * t.sin() - s[0] + 0.2 * s[1] * s[2];
        dy[1] = 0.2 * y[3] - s[1] + 0.1 * s[0] * s[2];
        dy[2] = 0.1 - s[2] + 0.2 * s[0] * s[1] * s[2] - 0.2 * y[3];
        dy[3] = t.cos() + s[0] * s[1] - y[3] * s[2];
    });
    let system = system.switch("x", |_, y| y[0]).switch("y", |_, y| y[1]).switch("w", |_, y| y[2]);
    let mut options = Options::until(1.0);
    options.method = method;
    (system, options)
}

#[test]
fn the_surfaces_are_kept_and_so_is_the_order() {
    let (system, mut options) = tangled(Method::DormandPrince5);
    options.tolerances = Options::until(1.0).tolerances(1e-13, 1e-13).tolerances;
    let start = Start::at([0.0, 0.0, 0.0, 0.3]);
    let truth = simulate(&system, &start, &options).unwrap().end_state().to_vec();
    let error = |h: f64| {
        let mut options = options.clone();
        options.steps.fixed = Some(h);
        let run = simulate(&system, &start, &options).unwrap();
        assert_eq!(run.segments[0].mode.structure.sliding.len(), 3);
        for segment in &run.segments {
            assert!(segment.end[..3].iter().all(|x| x.abs() < 1e-13), "{:?}", segment.end);
        }
        (run.end_state()[3] - truth[3]).abs()
    };
    let (coarse, fine) = (error(0.5), error(0.25));
    let order = (coarse / fine).log2();
    assert!(order > 4.5, "order {order}: {coarse:e} {fine:e}");
}

/// A number between -1 and 1 that is the same in every run.
fn shaken(seed: u64, index: usize) -> f64 {
    let mut x = (seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ ((index as u64 + 1) << 20);
    for _ in 0..4 {
        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        x ^= x >> 29;
    }
    2.0 * ((x >> 11) as f64 / (1_u64 << 53) as f64) - 1.0
}

/// Relays whose loads swing so far that they stick and let go all the time, with pairs of signs in the rates.
fn shaken_relays(k: usize, tangle: f64, seed: u64) -> ClosureSystem {
    let names: Vec<String> = (0..=k).map(|i| format!("x{i}")).collect();
    let mut system = ClosureSystem::switched(names, move |t, y, s, dy| {
        for i in 0..k {
            let pairs = (0..k).flat_map(|j| (0..j).map(move |m| (j, m)));
            let tangled: f64 = pairs.map(|(j, m)| shaken(seed, (i * k + j) * k + m) * s[j] * s[m]).sum();
            let swing = 0.7 * ((1.5 + shaken(seed, 1000 + i)) * t + 3.0 * shaken(seed, 2000 + i)).sin();
            dy[i] = 0.8 * shaken(seed, 3000 + i) + swing - s[i] + 0.1 * y[k] + tangle * tangled;
        }
        dy[k] = s[0] * s[1] - y[k];
    });
    for i in 0..k {
        system = system.switch(&format!("s{i}"), move |_, y| y[i]);
    }
    system
}

/// The mixture on three surfaces is of another kind than that on two. A surface is left where the motion does not come back, so that it does not
/// go to and fro between the two.
#[test]
fn relays_in_a_tangle_do_not_chatter() {
    for (k, tangle) in [(3, 0.0), (3, 0.1), (3, 0.3), (4, 0.1), (4, 0.2), (5, 0.1)] {
        for seed in 0..5 {
            let (system, options) =
                (shaken_relays(k, tangle, seed), Options::until(6.0).tolerances(1e-6, 1e-8));
            let start: Vec<f64> = (0..=k).map(|i| 0.2 * shaken(seed, 4000 + i)).collect();
            let run = simulate(&system, &Start::at(start), &options).unwrap();
            let case = format!("{k} relays, {tangle}, seed {seed}");
            assert!(run.outcome.is_complete() && run.events.len() < 100, "{case}: {}", run.outcome);
            for segment in &run.segments {
                assert!(
                    segment.mode.structure.sliding.iter().all(|&g| segment.end[g].abs() < 1e-13),
                    "{case}"
                );
            }
        }
    }
}

#[test]
fn a_corner_that_throws_off_is_stayed_on_with_a_note() {
    let corner = |out: f64| {
        run_model(&format!(
            "states = {{ x = 0, y = 0 }}\nrun.until = 1\n\
             derivatives = {{ x = \"-2 * sign(y) + {out} * sign(x)\", y = \"2 * sign(x) + {out} * sign(y)\" }}"
        ))
    };
    let (out, inward) = (corner(0.5), corner(-0.5));
    assert_eq!(codes(&out), ["slides", "not-unique"], "{:?}", out.notes);
    assert!(out.notes[1].text.contains("it stays where they meet"), "{}", out.notes[1].text);
    assert_eq!(codes(&inward), ["slides", "slides"], "{:?}", inward.notes);
    assert_eq!(out.end_state(), [0.0, 0.0]);
}
