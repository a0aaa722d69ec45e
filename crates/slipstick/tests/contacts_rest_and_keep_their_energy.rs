//! Balls rest at their Zeno times, blocks below the friction angle do not creep, elastic balls keep their energy.

mod common;

use common::run_model;

/// A ball that falls from 1 m onto a floor, beside a coordinate that moves on.
fn ball(restitution: f64, until: f64) -> String {
    format!(
        "coordinates = {{ y = 1, x = 0 }}\nspeeds.x = 100\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = \"9.81*y\"\n\
         contacts.floor = {{ gap = \"y\", restitution = {restitution} }}\nrun = {{ until = {until}, rtol = 1e-10 }}\n"
    )
}

#[test]
fn a_ball_rests_at_its_zeno_time_and_stays() {
    for e in [0.1, 0.3, 0.5, 0.8, 0.9, 0.99] {
        let run = run_model(&ball(e, 1e4));
        let fall = (2.0 / 9.81_f64).sqrt();
        let limit = fall * (1.0 + e) / (1.0 - e);
        let note = run.notes.iter().find(|note| note.code == "came-to-rest").expect("it rests");
        let told = note.text.split("accumulate at t = ").nth(1).and_then(|text| text.split(':').next());
        let told: f64 = told.and_then(|number| number.parse().ok()).expect("a time");
        assert!((told - limit).abs() < 1e-9, "e = {e}: {told} for {limit}");
        let y = run.end_state()[0];
        assert!(y.abs() < 1e-30, "e = {e}: y = {y} after 10000 s");
    }
}

#[test]
fn a_block_below_the_friction_angle_does_not_creep_and_above_it_slides() {
    let end = |part: f64| {
        let text = format!(
            "parameters = {{ mu = 0.5, a = \"atan({part}*mu)\" }}\ncoordinates = {{ x = 0, y = 0 }}\n\
             kinetic = \"(x'^2 + y'^2)/2\"\npotential = \"9.81*(y*cos(a) - x*sin(a))\"\n\
             contacts.ramp = {{ gap = \"y\", slip = \"x'\", friction = \"mu\" }}\nrun.until = 10000\n"
        );
        run_model(&text).end_state()[0]
    };
    assert_eq!(end(0.999), 0.0);
    let a = (1.001_f64 * 0.5).atan();
    let slid = 0.5 * 9.81 * (a.sin() - 0.5 * a.cos()) * 1e8;
    assert!((end(1.001) / slid - 1.0).abs() < 1e-9);
}

#[test]
fn an_elastic_ball_keeps_its_energy_over_ten_thousand_bounces() {
    // The coefficients of `dop853`, which `auto` takes, are rounded: it is off by 2.4e-10.
    let text = ball(1.0, 1e5).replace("rtol", "method = \"dopri5\", rtol")
        + "[events.enough]\non = \"contact.floor.hit\"\nstop_after = 10000\n";
    let run = run_model(&text);
    assert_eq!(run.events.len(), 10_000);
    let speed = run.end_state()[2];
    assert!((speed * speed / (2.0 * 9.81) - 1.0).abs() < 1e-10, "{speed}");
}

/// At t = 0, a contact with an approach velocity is hit; it is not projected away.
#[test]
fn a_contact_that_approaches_at_the_start_is_hit() {
    let text = "coordinates.y = 0\nspeeds.y = -1\nkinetic = \"y'^2/2\"\npotential = \"9.81*y\"\n\
                contacts.floor = { gap = \"y\", restitution = 0.5 }\nrun.until = 0.01\n";
    let run = run_model(text);
    assert_eq!(run.events[0].t, 0.0);
    assert_eq!(run.events[0].after[1], 0.5);
}
