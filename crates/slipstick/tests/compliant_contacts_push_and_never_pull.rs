//! A contact with a stiffness pushes by how deep it overlaps: it closes and opens at located events, and never pulls.

mod common;

use common::{plan, run_model};
use slipstick::model::Model;
use slipstick::problems::contact_methods;
use slipstick::simulate::{Overrides, Plan, simulate};
use slipstick::trajectory::{EnergyBalance, EventKind, Trajectory};
use std::f64::consts::PI;

/// Γ(2/5) and Γ(9/10), of which the contact time of Hertz is made.
const GAMMA_2_5: f64 = 2.218_159_543_757_688;
const GAMMA_9_10: f64 = 1.068_628_702_119_319_3;

/// A mass of 2 that moves against a wall at 3 m/s from half a metre away.
fn against_wall(contact: &str) -> String {
    format!(
        r#"
        coordinates.x = 0.5
        speeds.x = -3
        kinetic = "x'^2"
        contacts.wall = {{ gap = "x", {contact} }}
        run = {{ until = 1, rtol = 1e-11, atol = 1e-13 }}"#
    )
}

/// The events of a contact by their words, with their times.
fn events(run: &Trajectory) -> Vec<(EventKind, f64)> {
    let of_contact = |kind: &&EventKind| matches!(kind, EventKind::Hit | EventKind::Lift);
    run.events.iter().filter_map(|e| Some((*e.kinds.iter().find(of_contact)?, e.t))).collect()
}

/// The time between hit and lift, and the speed after it, of a motion that has just these.
fn bounce(text: &str) -> (f64, f64) {
    let run = run_model(text);
    let events = events(&run);
    let [(EventKind::Hit, hit), (EventKind::Lift, lift)] = events[..] else { panic!("{events:?}") };
    assert!((hit - 0.5 / 3.0).abs() < 1e-12, "hit at {hit}");
    let is_of_method = |code: &str| code == "stiff";
    assert!(run.notes.iter().all(|note| is_of_method(note.code)), "{:?}", run.notes);
    (lift - hit, run.end_state()[1])
}

fn near(is: f64, truth: f64, tolerance: f64) {
    assert!((is - truth).abs() < tolerance * truth.abs(), "{is} and not {truth}");
}

#[test]
fn a_spring_makes_half_a_sine() {
    for stiffness in [1e3_f64, 1e6, 1e9] {
        let (time, speed) = bounce(&against_wall(&format!("stiffness = {stiffness}")));
        near(time, PI * (2.0 / stiffness).sqrt(), 1e-8);
        near(speed, 3.0, 1e-8);
    }
}

/// The force ends where the acceleration does: after `2 acos ζ / ω_d`, with a restitution of `exp(-2 ζ acos ζ / √(1-ζ²))`.
#[test]
fn a_damper_takes_away_what_the_closed_form_says() {
    for part in [0.1_f64, 0.3, 0.7] {
        let (m, k) = (2.0_f64, 1e5_f64);
        let damping = 2.0 * part * (m * k).sqrt();
        let (time, speed) = bounce(&against_wall(&format!("stiffness = {k}, damping = {damping}")));
        let rest = (1.0 - part * part).sqrt();
        near(time, 2.0 * part.acos() / (rest * (k / m).sqrt()), 1e-8);
        near(speed, 3.0 * (-2.0 * part * part.acos() / rest).exp(), 1e-8);
    }
}

/// The depth is at most `(5 m v² / 4 k)^(2/5)`, and the time 2.9432 times that depth by the speed.
#[test]
fn two_balls_touch_as_long_as_hertz_says() {
    for stiffness in [1e4_f64, 1e8] {
        let text = against_wall(&format!("stiffness = {stiffness}, law = \"hertz\""));
        let (time, speed) = bounce(&text);
        let depth = (5.0 * 2.0 * 9.0 / (4.0 * stiffness)).powf(0.4);
        near(time, 0.8 * PI.sqrt() * GAMMA_2_5 / GAMMA_9_10 * depth / 3.0, 1e-7);
        near(speed, 3.0, 1e-7);
    }
}

/// By `m v dv = -δ^(3/2) (k + c v) dδ`, the speeds before and after have `v₀ + v₁ = k/c ln((k + c v₀)/(k - c v₁))`.
#[test]
fn the_damping_of_hunt_and_crossley_has_its_restitution() {
    let (k, c) = (1e6, 5e4);
    let (_, speed) = bounce(&against_wall(&format!("stiffness = {k}, damping = {c}, law = \"hertz\"")));
    let truth = k / c * ((k + c * 3.0) / (k - c * speed)).ln();
    near(3.0 + speed, truth, 1e-8);
    assert!(speed > 2.0 && speed < 2.9, "{speed}");
}

#[test]
fn energy_adds_up_and_a_ball_comes_to_rest_where_its_weight_is_borne() {
    let text = r#"
        coordinates.y = 1
        kinetic = "y'^2"
        potential = "2*9.81*y"
        contacts.floor = { gap = "y", stiffness = 2e4, damping = 40 }
        run = { until = 10, rtol = 1e-9, atol = 1e-11 }"#;
    let plan = plan(text);
    let run = simulate(&plan.system, &plan.start, &plan.options).expect("a run");
    let balance = EnergyBalance::of(&plan.system, &run).expect("a mechanism");
    assert!(balance.error < 1e-6 * 19.62, "{balance:?}");
    let depth = -2.0 * 9.81 / 2e4;
    assert!((run.end_state()[0] - depth).abs() < 1e-7, "{:?}", run.end_state());
    let events = events(&run);
    assert!(events.len() > 5 && events[events.len() - 1].0 == EventKind::Hit, "{events:?}");
    assert!(events.chunks_exact(2).all(|pair| pair[0].0 == EventKind::Hit && pair[1].0 == EventKind::Lift));
}

#[test]
fn what_overlaps_at_the_start_is_pushed_from_there_on() {
    let text = against_wall("stiffness = 100").replace("x = 0.5", "x = -0.1").replace("x = -3", "x = 0");
    let run = run_model(&text);
    assert_eq!(events(&run).len(), 1);
    near(events(&run)[0].1, PI / 2.0 * (2.0_f64 / 100.0).sqrt(), 1e-9);
    near(run.end_state()[1], 0.1 * 50.0_f64.sqrt(), 1e-9);
}

#[test]
fn joints_and_hard_contacts_go_with_it() {
    let text = r#"
        coordinates = { x = 1, y = 0 }
        kinetic = "(x'^2 + y'^2)/2"
        potential = "9.81*y"
        constraints.rod = "x^2 + y^2 - 1"
        contacts.bumper = { gap = "hypot(x + 0.5, y + 1) - 0.3", stiffness = 5e3 }
        contacts.wall = { gap = "x + 0.9", restitution = 1 }
        events.count = { on = "contact.bumper.hit" }
        run = { until = 3, rtol = 1e-10 }"#;
    let plan = plan(text);
    let run = simulate(&plan.system, &plan.start, &plan.options).expect("a run");
    let hits = events(&run).iter().filter(|(kind, _)| *kind == EventKind::Hit).count();
    assert!(hits >= 2, "{:?}", events(&run));
    let [_, y, vx, vy] = run.end_state()[..] else { panic!("four states") };
    let balance = EnergyBalance::of(&plan.system, &run).expect("a mechanism");
    assert!(balance.error < 1e-7, "{balance:?}");
    assert!(run.event_times("count").count() >= 1);
    assert!(0.5 * (vx * vx + vy * vy) + 9.81 * y <= 1e-7, "the energy is not raised");
}

#[test]
fn every_method_finds_the_same_ends_of_a_force() {
    for (law, is_hertz) in [("stiffness = 1e4", false), ("stiffness = 1e4, law = \"hertz\"", true)] {
        let plan =
            plan(&against_wall(law).replace("rtol = 1e-11, atol = 1e-13", "rtol = 1e-8, atol = 1e-10"));
        let depth = (5.0 * 2.0 * 9.0 / 4e4_f64).powf(0.4);
        let hertz = 0.8 * PI.sqrt() * GAMMA_2_5 / GAMMA_9_10 * depth / 3.0;
        let time = if is_hertz { hertz } else { PI * 2e-4_f64.sqrt() };
        for method in contact_methods() {
            let mut options = plan.options.clone();
            options.method = method.method;
            if let Some(stabilisation) = &method.stabilisation {
                options.constraints.stabilisation = *stabilisation;
            }
            let run = simulate(&plan.system, &plan.start, &options);
            let run = run.unwrap_or_else(|failure| panic!("{} {law}: {failure}", method.name));
            let found = events(&run);
            let [(EventKind::Hit, hit), (EventKind::Lift, lift)] = found[..] else {
                panic!("{} {law}: {found:?}", method.name)
            };
            // That of order two has steps of its own.
            let tolerance = if method.name.starts_with("alpha") { 1e-5 } else { 1e-6 };
            assert!(((lift - hit) / time - 1.0).abs() < tolerance, "{}", method.name);
        }
    }
}

/// Friction is a force of the user's: it switches with the slip, and the motion slides on the surface where it sticks.
#[test]
fn friction_can_be_written_as_a_force_that_switches() {
    let run = run_model(
        r#"
        coordinates = { x = 0, y = "-2*9.81/1e4" }
        speeds.x = 3
        kinetic = "x'^2 + y'^2"
        potential = "2*9.81*y"
        contacts.floor = { gap = "y", stiffness = 1e4, damping = 10 }
        forces.x = "-0.5*contact.floor.force.n*sign(x') + (if t < 1 then 0 else 5)"
        run = { until = 2, rtol = 1e-10 }"#,
    );
    let stop = run.events.iter().find(|e| e.kinds.contains(&EventKind::Slide)).expect("it sticks");
    near(stop.t, 3.0 / (0.5 * 9.81), 1e-8);
    assert!(run.end_state()[2].abs() < 1e-14, "{:?}", run.end_state());
}

#[test]
fn what_a_compliant_contact_cannot_have_is_refused() {
    for (contact, code) in [
        ("stiffness = 1e3, friction = 0.2", "bad-contact"),
        ("stiffness = 1e3, slip = \"x'\"", "bad-contact"),
        ("stiffness = 1e3, restitution = 0.2", "bad-contact"),
        ("damping = 1", "bad-contact"),
        ("stiffness = 1, law = \"moreau\"", "wrong-type"),
        ("stiffness = \"z\"", "unknown-name"),
    ] {
        let errors = Model::from_toml(&against_wall(contact)).expect_err(contact);
        assert_eq!(errors[0].code, code, "{contact}");
    }
    for contact in ["stiffness = 0", "stiffness = \"1 - 2\"", "stiffness = 1, damping = -1"] {
        let model = Model::from_toml(&against_wall(contact)).expect("a model");
        let errors = Plan::new(&model, &Overrides::default()).map(|_| ()).expect_err(contact);
        assert_eq!(errors[0].code, "bad-contact", "{contact}");
    }
    let moves = against_wall("stiffness = 1").replace("gap = \"x\"", "gap = \"x + x'\"");
    assert_eq!(Model::from_toml(&moves).expect_err("a speed")[0].code, "bad-contact");
}
