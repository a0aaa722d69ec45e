//! Discs that are poured into a box: hits so dense that they cannot all be located.

use super::ContactProblem;
use std::fmt::Write;

/// The radius and mass of a disc, and the width of the box, in metres and kilograms.
const RADIUS: f64 = 0.1;
const MASS: f64 = 1.0;
const WIDTH: f64 = 1.0;
/// Discs in a row at the start, and how far apart they and the rows are.
const IN_A_ROW: u32 = 4;
const APART: (f64, f64) = (0.24, 0.23);
/// What is given back by every contact.
const RESTITUTION: f64 = 0.3;

/// Discs that fall into a box, with friction or without, for this long.
pub fn discs_in_a_box(count: u32, friction: Option<f64>, until: f64) -> ContactProblem {
    let name = if friction.is_some() { "rough-discs-in-a-box" } else { "discs-in-a-box" };
    ContactProblem::read(name, &model(count, friction, until), &[])
}

/// The model: a floor and two walls for each disc, and a gap for each pair.
fn model(count: u32, friction: Option<f64>, until: f64) -> String {
    let (mut kinetic, mut potential) = (Vec::new(), Vec::new());
    // Writing to a string does not fail.
    let mut text = String::new();
    for i in 0..count {
        let (x, y) = start(i);
        let _ = writeln!(text, "coordinates.x{i} = {x:.4}\ncoordinates.y{i} = {y:.4}");
        kinetic.push(format!("{MASS:.1}*(x{i}'^2 + y{i}'^2)/2"));
        potential.push(format!("{MASS:.1}*9.81*y{i}"));
        if friction.is_some() {
            let _ = writeln!(text, "coordinates.a{i} = 0");
            kinetic.push(format!("{:.6}*a{i}'^2", MASS * RADIUS * RADIUS / 4.0));
        }
    }
    let _ = writeln!(text, "kinetic = \"{}\"", kinetic.join(" + "));
    let _ = writeln!(text, "potential = \"{}\"", potential.join(" + "));
    for i in 0..count {
        let walls = [
            (format!("floor{i}"), format!("y{i} - {RADIUS}"), format!("x{i}' + {RADIUS}*a{i}'")),
            (format!("left{i}"), format!("x{i} - {RADIUS}"), format!("y{i}' - {RADIUS}*a{i}'")),
            (format!("right{i}"), format!("{} - x{i}", WIDTH - RADIUS), format!("y{i}' + {RADIUS}*a{i}'")),
        ];
        for contact in walls.into_iter().chain((0..i).map(|j| pair(i, j))) {
            write_contact(&mut text, &contact, friction);
        }
    }
    text + &format!("run.until = {until}\n")
}

/// Where a disc starts: in rows, each a little aside of the one below, and no two alike.
fn start(i: u32) -> (f64, f64) {
    let (row, place) = (i / IN_A_ROW, f64::from(i % IN_A_ROW));
    let aside = 0.03 * f64::from(row % 2) + 0.004 * (f64::from(7 * i % 5) - 2.0);
    (0.14 + APART.0 * place + aside, 0.15 + APART.1 * f64::from(row) + 0.003 * f64::from(3 * i % 4))
}

/// Name, gap and slip of two discs.
fn pair(i: u32, j: u32) -> (String, String, String) {
    let distance = format!("hypot(x{i} - x{j}, y{i} - y{j})");
    let slip = format!(
        "((x{j} - x{i})*(y{i}' - y{j}') + (y{i} - y{j})*(x{i}' - x{j}'))/{distance} + {RADIUS}*(a{i}' + a{j}')"
    );
    (format!("discs{i}_{j}"), format!("{distance} - {}", 2.0 * RADIUS), slip)
}

fn write_contact(text: &mut String, (name, gap, slip): &(String, String, String), friction: Option<f64>) {
    let rough = friction.map(|friction| format!(", slip = \"{slip}\", friction = {friction}"));
    let rough = rough.unwrap_or_default();
    let _ = writeln!(text, "contacts.{name} = {{ gap = \"{gap}\", restitution = {RESTITUTION}{rough} }}");
}
