//! Forces are as exact as their own terms, not as the accelerations beside them: a bar of a milligram slips when one of a
//! tonne does. It used to slip later the lighter it was, without a warning.

use slipstick::model::Model;
use slipstick::simulate::{Overrides, Plan, simulate};

/// When a bar that turns over its corner slips there: masses and lengths in these units, with another clock or not.
fn slips(mass: f64, length: f64, method: &str) -> Vec<f64> {
    let text = format!(
        "parameters = {{ w = {}, h = {}, m = {mass}, g = {} }}\n\
         coordinates = {{ x = 0, y = \"h*cos(1.4) + w*sin(1.4)\", a = -1.4 }}\n\
         speeds = {{ a = 2.71, x = \"-(h*cos(1.4) + w*sin(1.4))*2.71\", y = \"(h*sin(1.4) - w*cos(1.4))*2.71\" }}\n\
         kinetic = \"m*((x'^2 + y'^2)/2 + (w^2 + h^2)/6*a'^2)\"\npotential = \"m*g*y\"\n\
         contacts.p = {{ gap = \"y + w*sin(a) - h*cos(a)\", slip = \"x' + (h*cos(a) - w*sin(a))*a'\", friction = 0.4 }}\n\
         run = {{ until = 0.5, rtol = 1e-9, atol = {:e}, method = \"{method}\" }}",
        0.5 * length,
        0.3 * length,
        9.81 * length,
        1e-11 * length.min(1.0),
    );
    let model = Model::from_toml(&text).expect("a model");
    let plan = Plan::new(&model, &Overrides::default()).expect("a plan");
    let run = simulate(&plan.system, &plan.start, &plan.options).expect("a run");
    assert!(
        run.notes.iter().all(|note| note.code != "singular-position"),
        "{mass} {length}: {:?}",
        run.notes
    );
    run.event_times("contact.p.slip").collect()
}

#[test]
fn a_bar_slips_at_the_same_time_whatever_its_mass_and_size() {
    const EXACT: f64 = 0.4048491721355;
    for method in ["dopri5", "hem5", "radau5", "auto"] {
        for mass in [1e-9, 1e-6, 1.0, 1e9] {
            for length in [1e-6, 1e-3, 1.0, 1e3] {
                let times = slips(mass, length, method);
                assert_eq!(times.len(), 1, "{method} {mass} {length}: {times:?}");
                assert!((times[0] - EXACT).abs() < 1e-8, "{method} {mass} {length}: {times:?}");
            }
        }
    }
}
