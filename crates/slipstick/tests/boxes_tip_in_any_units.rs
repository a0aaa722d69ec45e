//! A box on a table that is tilted until the box tips. Angles beside lengths of any size: its feet are not taken for one
//! and the same because the numbers of their lever arms are large or small.

mod common;

use slipstick::simulate::simulate;

/// A box on two feet, in units of so many metres, on a table that tilts at 0.3 rad/s.
fn tilted(unit: f64) -> String {
    let (b, h, g) = (0.05 * unit, 0.1 * unit, 9.81 * unit);
    let foot = |name: &str, side: f64| {
        format!(
            "contacts.{name} = {{ gap = \"y + {b}*{side}*sin(a) - {h}*cos(a)\", \
             slip = \"x' + ({h}*cos(a) - {b}*{side}*sin(a))*a'\", friction = 0.8 }}\n"
        )
    };
    format!(
        "coordinates = {{ x = 0, y = {h}, a = 0 }}\nkinetic = \"(x'^2 + y'^2)/2 + {}*a'^2\"\n\
         potential = \"{g}*(y*cos(0.3*t) - x*sin(0.3*t))\"\nrun = {{ until = 1.6, rtol = 1e-9 }}\n{}{}",
        0.01 * unit * unit,
        foot("left", -1.0),
        foot("right", 1.0)
    )
}

#[test]
fn the_rear_foot_lifts_where_the_weight_is_over_the_other() {
    let expected = 0.5_f64.atan() / 0.3;
    for power in [-6, -3, 0, 3, 6] {
        let plan = common::plan(&tilted(10_f64.powi(power)));
        let run = simulate(&plan.system, &plan.start, &plan.options).expect("it runs");
        let lifts: Vec<f64> = run.event_times("contact.left.lift").collect();
        assert_eq!((run.events.len(), lifts.len()), (1, 1), "lengths times 1e{power}: {lifts:?}");
        assert!((lifts[0] - expected).abs() < 1e-9, "lengths times 1e{power}: {}", lifts[0]);
    }
}

/// A box that is thrown on its four corners, in units of so many metres.
fn thrown(unit: f64) -> String {
    let (b, h) = (0.3 * unit, 0.2 * unit);
    let corner = |(name, b, h): (&str, f64, f64)| {
        format!(
            "contacts.{name} = {{ gap = \"y + {b}*sin(a) + {h}*cos(a)\", \
             slip = \"x' - ({b}*sin(a) + {h}*cos(a))*a'\", friction = 0.4 }}\n"
        )
    };
    let corners = [("c0", -b, -h), ("c1", b, -h), ("c2", b, h), ("c3", -b, h)].map(corner).concat();
    let [height, glide, fall, weight] = [0.8, 1.0, -0.5, 9.0].map(|length| length * unit);
    format!(
        "coordinates = {{ x = 0, y = {height}, a = 0.4 }}\nspeeds = {{ x = {glide}, y = {fall}, a = 2 }}\n\
         kinetic = \"(x'^2 + y'^2)/2 + {}*a'^2\"\npotential = \"{weight}*y\"\n\
         run = {{ until = 2, rtol = 1e-9 }}\n{corners}",
        (b * b + h * h) / 6.0
    )
}

/// It lands on one corner, slips, lands on the next, and stops. With lengths of 1e6 its gaps were met to 1e-6 only, as if
/// they were angles, and the slip was looked for among noise.
#[test]
fn a_box_that_tumbles_does_the_same() {
    let times = |power: i32| -> Vec<f64> {
        let plan = common::plan(&thrown(10_f64.powi(power)));
        let run = simulate(&plan.system, &plan.start, &plan.options).expect("it runs");
        assert!(run.statistics.guards < 5000, "lengths times 1e{power}");
        run.events.iter().map(|event| event.t).collect()
    };
    let expected = times(0);
    assert_eq!(expected.len(), 4);
    for power in [-6, -3, 3, 6] {
        let found = times(power);
        assert_eq!(found.len(), 4, "lengths times 1e{power}: {found:?}");
        for (a, b) in expected.iter().zip(&found) {
            assert!((a - b).abs() < 1e-9, "lengths times 1e{power}: {found:?} for {expected:?}");
        }
    }
}
