//! Models of linkages, gears and drives that come with the program do what closed forms and references say.

mod gallery;

use gallery::{Gallery, assert_near, assert_times};
use std::f64::consts::PI;

const G: f64 = 9.81;

/// The torque that keeps a slider-crank at constant speed, by the power of everything that it moves.
#[test]
fn the_engine_needs_the_torque_of_inverse_dynamics() {
    let engine = Gallery::of(include_str!("../../../models/engine.toml"));
    let (r, l, w) = (0.05, 0.15, 40.0 * PI);
    let (of_crank, of_rod, of_piston) = (0.8, 0.5, 7800.0 * 0.06 * 0.04 * 0.04);
    let torque = |t: f64| {
        let (sin, cos) = (PI / 6.0 + w * t).sin_cos();
        let (s, c) = (r * sin, r * cos);
        let root = (l * l - s * s).sqrt();
        // Slopes by the angle of the crank, and slopes of those: of the piston, of the rod, of the middle of the rod.
        let curve = (c * c - s * s) / root + s * s * c * c / root.powi(3);
        let piston = [-s - s * c / root, -c - curve];
        let angle = [-c / root, s / root - s * c * c / root.powi(3)];
        let middle = [[-s - s * c / (2.0 * root), -c - curve / 2.0], [c / 2.0, -s / 2.0]];
        let growth = |[first, second]: [f64; 2]| first * second;
        let kinetic = of_piston * growth(piston)
            + of_rod * (growth(middle[0]) + growth(middle[1]) + l * l / 12.0 * growth(angle));
        let gas = if piston[0] > 0.0 { -2000.0 } else { 0.0 };
        w * w * kinetic + G * (of_crank + of_rod) * c / 2.0 - gas * piston[0]
    };
    for (t, at) in engine.steps() {
        assert_near("torque", at["torque"], torque(t), 1e-9);
    }
}

/// Where a point of the coupler of a four-bar is, by the angle of the crank.
fn coupler_point(crank: f64) -> [f64; 2] {
    let ([ax, ay], d) = ([0.1 * crank.cos(), 0.1 * crank.sin()], 0.4);
    let (bx, by) = (d - ax, -ay);
    let span = bx.hypot(by);
    // The corner of a triangle with sides 0.35 and 0.25 over that from the crank to the second pivot.
    let corner = ((0.35_f64.powi(2) + span * span - 0.25_f64.powi(2)) / (2.0 * 0.35 * span)).acos();
    let (sin, cos) = (by.atan2(bx) + corner).sin_cos();
    [ax + 0.2 * cos - 0.1 * sin, ay + 0.2 * sin + 0.1 * cos]
}

#[test]
fn the_four_bar_draws_its_coupler_curve_and_keeps_its_energy() {
    let machine = Gallery::of(include_str!("../../../models/four-bar.toml"));
    let energy = |at: &std::collections::BTreeMap<&str, f64>| -> f64 {
        let lengths = [("crank", 0.1), ("coupler", 0.35), ("rocker", 0.25)];
        let of = |(body, length): (&str, f64)| {
            let value = |what: &str| at[format!("{body}.{what}").as_str()];
            let mass = 7850.0 * 0.01 * 0.02 * length;
            let squared = value("com.x'").powi(2) + value("com.y'").powi(2);
            mass * (squared / 2.0 + length * length / 24.0 * value("angle'").powi(2) + G * value("com.y"))
        };
        lengths.into_iter().map(of).sum()
    };
    let first = energy(&machine.at(0.0));
    let mut fastest = 0.0_f64;
    for (_, at) in machine.steps() {
        let [x, y] = coupler_point(at["crank.angle"]);
        assert_near("path.x", at["path.x"], x, 1e-10);
        assert_near("path.y", at["path.y"], y, 1e-10);
        // The default tolerance of a step is 1e-8, and there are some hundred of them.
        assert_near("energy", energy(&at), first, 1e-6);
        fastest = fastest.max(at["crank.angle'"].abs());
    }
    assert!(fastest > 1.0, "it moves");
}

/// Reference of the benchmark A02 of `IFToMM`, which is that of a single pendulum.
#[test]
fn two_four_bars_pass_the_flat_position() {
    let machine = Gallery::of(include_str!("../../../models/n-four-bar.toml"));
    for (t, x, y) in [
        (0.5, 0.6952866331644212, 0.7187325634357217),
        (1.0, -0.19502030194951908, -0.9807992056621572),
        (2.0, 0.05781579576791293, 0.9983272678634612),
        (5.0, -0.8113104610029067, -0.5846155453520296),
        (10.0, 0.3284581115358561, 0.9445185381803256),
    ] {
        let at = machine.at(t);
        assert_near("tip.x", at["tip.x"], x, 1e-6);
        assert_near("tip.y", at["tip.y"], y, 1e-6);
    }
}

/// The force of the cylinder against that of the spring, with what the inertia of the links adds.
#[test]
fn the_toggle_press_multiplies_its_force() {
    let press = Gallery::of(include_str!("../../../models/toggle-press.toml"));
    let (l, start, of_link, of_ram, speed) = (0.2_f64, 0.08_f64, 0.02, 0.05, 0.16);
    for (t, at) in press.steps() {
        let u = speed * t - start;
        let h = (l * l - u * u).sqrt();
        let spring = 500e3 * 2.0 * (h - (l * l - start * start).sqrt());
        assert_near("press", at["press"], spring, 1e-9);
        // Slopes of the height of the knee and of the angle of a link by the way of the knee.
        let height = -u / h * (-l * l / h.powi(3));
        let angle = 1.0 / h * (u / h.powi(3));
        let inertia =
            speed * speed * ((of_link * 2.5 + 4.0 * of_ram) * height + 2.0 * of_link * l * l / 12.0 * angle);
        // As in a book: the press is 1 / (2 tan a) times the input, as long as nothing is fast.
        let tangent = -u / h;
        assert_near("input", at["input"], 2.0 * tangent * spring + inertia, 1e-9);
        assert_near("lean", at["lean"], -tangent.atan(), 1e-12);
    }
    assert_times("straight", &press.times("straight"), &[0.5], 1e-12);
}

#[test]
fn the_pantograph_draws_three_times_as_large() {
    let machine = Gallery::of(include_str!("../../../models/pantograph.toml"));
    let (first, second) = (100.0_f64.to_radians(), 10.0_f64.to_radians());
    let start = [0.1 * first.cos() + 0.12 * second.cos(), 0.1 * first.sin() + 0.12 * second.sin()];
    for (t, at) in machine.steps() {
        let stylus = [start[0] + 0.03 * (PI * t / 2.0).sin(), start[1] + 0.015 * (PI * t).sin()];
        assert_near("pen.x", at["pen.x"], 3.0 * stylus[0], 1e-9);
        assert_near("pen.y", at["pen.y"], 3.0 * stylus[1], 1e-9);
        assert!(at["miss"] < 1e-9);
    }
    let notes: Vec<&str> = machine.run.notes.iter().map(|note| note.code).collect();
    assert!(notes.contains(&"redundant-constraints"), "{notes:?}");
}

/// Willis' equation, before and after the brake opens, and the speeds that follow from the torques.
#[test]
fn the_planetary_gear_obeys_willis() {
    let gear = Gallery::of(include_str!("../../../models/planetary-gear.toml"));
    for (_, at) in gear.steps() {
        assert!(at["willis"].abs() < 1e-9, "{}", at["willis"]);
    }
    let (sun, planet, carrier, ring) =
        (8e-5, 0.1 * 0.015 * 0.015 / 2.0, 2e-4 + 3.0 * 0.1 * 0.035 * 0.035, 1.8e-3);
    // With the ring at rest, all turn with the carrier: the sun at 3.5, a planet at -7/3 of its speed.
    let whole: f64 = carrier + 12.25 * sun + 3.0 * 49.0 / 9.0 * planet;
    let braked = (0.05 * 3.5 - 0.1) / whole;
    let at = gear.at(0.5);
    assert_near("carrier", at["carrier.angle'"], 0.5 * braked, 1e-9);
    // Then sun and carrier turn as they like: planet = c (1 + 4/3) - 4/3 s, ring = 1.4 c - 0.4 s.
    let entry = |[a, b]: [[f64; 2]; 2]| 3.0 * planet * a[0] * b[0] + ring * a[1] * b[1];
    let (of_sun, of_carrier) = ([-4.0 / 3.0, -0.4], [7.0 / 3.0, 1.4]);
    let [a, b, d] =
        [sun + entry([of_sun, of_sun]), entry([of_sun, of_carrier]), carrier + entry([of_carrier; 2])];
    let [of_motor, of_load] = [0.05, -0.1];
    let determinant = a * d - b * b;
    let [faster, slower] =
        [(d * of_motor - b * of_load) / determinant, (a * of_load - b * of_motor) / determinant];
    let end = gear.end();
    assert_near("sun", end["sun.angle'"], 3.5 * braked + faster, 1e-9);
    assert_near("carrier", end["carrier.angle'"], braked + slower, 1e-9);
}

#[test]
fn the_scotch_yoke_moves_as_a_cosine() {
    let yoke = Gallery::of(include_str!("../../../models/scotch-yoke.toml"));
    let (r, w, mass, first) = (0.04, 20.0 * PI, 0.8, 20.0_f64.to_radians());
    for (t, at) in yoke.steps() {
        let (sin, cos) = (first + w * t).sin_cos();
        assert_near("yoke.x", at["yoke.x"], r * cos, 1e-10);
        assert_near("torque", at["torque"], mass * r * r * w * w * sin * cos, 1e-9);
        assert_near("side", at["side"], mass * r * w * w * cos, 1e-9);
    }
    let turns: Vec<f64> = (1..=6).map(|k| (f64::from(k) * PI - first) / w).collect();
    assert_times("turn", &yoke.times("turn"), &turns, 1e-12);
}

/// A slot keeps an offset that is drawn, and none of a body that is drawn nowhere.
#[test]
fn a_body_that_is_drawn_nowhere_is_put_in_its_slot() {
    let text = include_str!("../../../models/scotch-yoke.toml");
    let offset = |text: &str| {
        let yoke = Gallery::of(text);
        let at = yoke.end();
        at["yoke.x"] - 2.0 * at["crank.com.x"]
    };
    assert_near("nowhere", offset(text), 0.0, 1e-12);
    let drawn = text.replace("mass = \"0.8 kg\"", "mass = \"0.8 kg\", x = \"r * cos(20 deg) + 3 mm\"");
    assert!(drawn != text);
    assert_near("drawn", offset(&drawn), 0.003, 1e-12);
}

#[test]
fn peaucelliers_linkage_draws_a_straight_line() {
    let linkage = Gallery::of(include_str!("../../../models/straight-line.toml"));
    for (t, at) in linkage.steps() {
        assert!(at["off"].abs() < 1e-11, "{}", at["off"]);
        // The pen is on the line from the pivot through the tip of the crank, at half of its angle.
        let angle: f64 = PI / 6.0 * (PI * t).sin();
        assert_near("pen.y", at["pen.y"], 0.25 * (angle / 2.0).tan(), 1e-10);
    }
}

/// The ram turns back where the crank is at right angles to the lever.
#[test]
fn the_quick_return_is_quick_in_one_direction() {
    let machine = Gallery::of(include_str!("../../../models/quick-return.toml"));
    let lean = 0.4_f64.asin();
    let cycles = [0.0, 1.0, 2.0];
    let back: Vec<f64> = cycles.iter().map(|k| k + 0.5 + lean / (2.0 * PI)).collect();
    let out: Vec<f64> = cycles.iter().map(|k| k + 1.0 - lean / (2.0 * PI)).collect();
    assert_times("back", &machine.times("back"), &back, 1e-9);
    assert_times("out", &machine.times("out"), &out, 1e-9);
    for (t, at) in machine.steps() {
        let (sin, cos) = (2.0 * PI * t).sin_cos();
        assert_near("ram.x", at["ram.x"], 0.3 * 0.06 * cos / (0.15 + 0.06 * sin), 1e-9);
    }
}

/// Equations in place of parts: what moves and what the spring holds is constant.
#[test]
fn the_slider_crank_of_equations_keeps_its_energy() {
    let crank = Gallery::of(include_str!("../../../models/slider-crank.toml"));
    let (r, l) = (0.05, 0.14);
    let energy = |at: &std::collections::BTreeMap<&str, f64>| {
        let [a, b, x] = ["a", "b", "x"].map(|name| at[name]);
        let [da, db, dx] = ["a'", "b'", "x'"].map(|name| at[name]);
        assert_near("it is closed", x, r * a.cos() + (l * l - (r * a.sin()).powi(2)).sqrt(), 1e-11);
        let (u, v) = (r * a.sin() * da + l / 2.0 * b.sin() * db, r * a.cos() * da - l / 2.0 * b.cos() * db);
        let kinetic = 4e-4 * da * da + 0.2 * (u * u + v * v) + 0.2 * l * l / 12.0 * db * db + 0.3 * dx * dx;
        kinetic / 2.0 + 40.0 * (0.26 - x).powi(2)
    };
    let first = energy(&crank.at(0.0));
    for (_, at) in crank.steps() {
        assert_near("energy", energy(&at), first, 1e-7);
    }
}
