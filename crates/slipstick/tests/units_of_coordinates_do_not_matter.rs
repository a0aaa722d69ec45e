//! A mechanism in millimetres is the one in metres: positions in which nothing is singular are not taken for such, whatever the units of lengths beside angles are, and methods take the steps that they take in others.

mod common;

use common::plan;
use slipstick::simulate::simulate;
use slipstick::trajectory::Trajectory;

/// A pendulum of one metre with its angle, of which it may have an inertia, in a unit that there are so many of in a metre. Beside it may be a stiff spring.
fn pendulum(unit: f64, inertia: f64, is_stiff: bool, run: &str) -> Trajectory {
    let (spring, mass) = if is_stiff { (1e9, ", z = 0.01") } else { (0.0, "") };
    let z = if is_stiff { ", z = 0" } else { "" };
    let stiff = if is_stiff { format!(" + {spring} / 2 * (z - 0.1 * y)^2") } else { String::new() };
    let text = format!(
        r#"
        parameters.L = {unit}
        coordinates = {{ x = "L", y = 0, a = 0{z} }}
        inertia = {{ x = 1, y = 1, a = "{inertia} * L^2"{mass} }}
        potential = "9.81 * L * y{stiff}"
        constraints = {{ p = "x - L * cos(a)", q = "y - L * sin(a)" }}
        run = {{ until = 2, max_steps = 3000, {run} }}
        "#
    );
    let plan = plan(&text);
    simulate(&plan.system, &plan.start, &plan.options).unwrap_or_else(|failure| panic!("{run}: {failure}"))
}

fn has_note(run: &Trajectory) -> bool {
    run.notes.iter().any(|note| note.code == "singular-position")
}

#[test]
fn nothing_is_singular_in_millimetres() {
    let angle = pendulum(1.0, 0.1, false, "rtol = 1e-9, method = \"dop853\"").end_state()[2];
    let held = pendulum(1.0, 0.0, false, "rtol = 1e-9, method = \"dop853\"").end_state()[2];
    for method in ["hem5", "phem56", "dopri5", "dop853", "radau5", "auto"] {
        for (inertia, truth) in [(0.1, angle), (0.0, held)] {
            for unit in [1.0, 30.0, 1000.0, 1e-3] {
                let run = pendulum(unit, inertia, false, &format!("rtol = 1e-6, method = \"{method}\""));
                assert!(!has_note(&run), "{method} {inertia} {unit}: {:?}", run.notes);
                assert!((run.end_state()[2] - truth).abs() < 1e-4, "{method} {inertia} {unit}");
            }
        }
    }
}

/// `radau5` left the mechanism to an explicit method as long as it seemed to be next to a singular position: more than 100000 steps.
#[test]
fn stiff_mechanisms_take_the_same_steps() {
    for stabilisation in ["pstab", "ggl"] {
        let steps = |unit: f64| {
            let options = format!("rtol = 1e-6, atol = {:e}, method = \"radau5\"", 1e-8 * unit);
            let run = pendulum(unit, 0.1, true, &format!("{options}, stabilisation = \"{stabilisation}\""));
            assert!(!has_note(&run) && run.outcome.is_complete(), "{unit}: {:?}", run.outcome);
            run.statistics.accepted as f64
        };
        let metres = steps(1.0);
        for unit in [30.0, 1000.0] {
            let others = steps(unit);
            assert!((others / metres - 1.0).abs() < 0.1, "{stabilisation} {unit}: {others}, not {metres}");
        }
    }
}

/// Two masses on rods, of which the second hits the floor, in a unit that there are so many of in a metre.
fn rods_over_a_floor(unit: f64) -> Trajectory {
    let text = format!(
        r#"
        parameters  = {{ L = {unit}, g = "6.1624*L" }}
        coordinates = {{ x = "1.0469851435177104*L", y = "-0.2637692158937424*L", u = "1.284092245891863*L", w = "-1.1630357069873076*L" }}
        kinetic     = "(x'^2 + y'^2 + u'^2 + w'^2)/2"
        potential   = "g*(y + w)"
        constraints = {{ rod = "x^2 + y^2 - (1.0797*L)^2", link = "(u - x)^2 + (w - y)^2 - (0.93*L)^2" }}
        contacts.floor = {{ gap = "w + 1.5863678534936538*L", slip = "u'", restitution = 0.3714, friction = 0.5023 }}
        run = {{ until = 3, rtol = 1e-7, atol = {} }}
        "#,
        1e-9 * unit
    );
    let plan = plan(&text);
    simulate(&plan.system, &plan.start, &plan.options).unwrap_or_else(|failure| panic!("{unit}: {failure}"))
}

#[test]
fn what_is_consistent_does_not_depend_on_units() {
    let metres = rods_over_a_floor(1.0);
    for unit in [1e-6, 1e6, 1e9] {
        let other = rods_over_a_floor(unit);
        let ends = metres.end_state().iter().zip(other.end_state());
        assert!(ends.into_iter().all(|(a, b)| (a - b / unit).abs() < 1e-5), "{unit}");
    }
}
