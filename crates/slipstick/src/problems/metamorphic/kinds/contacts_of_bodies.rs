//! Contacts of bodies: discs that spin, boxes and rods by their corners, discs against each other, stacks, and a
//! crank with clearance.

use super::super::contact_sketch::SketchContact;
use super::super::pen::{Pen, Quantity};
use super::super::sketch::Sketch;
use super::contacts::{friction, restitution};
use std::fmt::Write;

/// A disc that is thrown with spin.
pub(super) fn spin(pen: &mut Pen) -> Sketch {
    let (g, r, height) = (pen.length(6.0, 10.0), pen.length(0.1, 0.3), pen.length(0.0, 0.5).value);
    let (glide, turn, slope) =
        (pen.length(-2.0, 2.0).value, pen.number(-15.0, 15.0).value, pen.number(-0.3, 0.3));
    let (e, [sticking, sliding], lies) = (restitution(pen, false), friction(pen), pen.coin());
    let slope = if lies { pen.derived(0.0, 0) } else { slope };
    let ([x, y], [vx, vy], va) = (pen.place_of("x", "y"), pen.direction_of("x'", "y'"), pen.handed("a'"));
    let secant = (1.0 + slope.value * slope.value).sqrt();
    let start = [0.0, r.value * secant + if lies { 0.0 } else { height }];
    let radius = pen.derived(r.value * secant, 1);
    let floor = SketchContact::new("floor", format!("{y} - {slope}*{x} - {radius}"), &e)
        .friction(format!("{vx} + {slope}*{vy} + {radius}*{va}"), [&sticking, &sliding]);
    Sketch::until(2.0)
        .point(pen, ["x", "y"], start, [glide, 0.0])
        .angle(pen, "a", 0.0, turn)
        .formula("kinetic", format!("(x'^2 + y'^2)/2 + {r}^2/4*a'^2"))
        .formula("potential", format!("{g}*{y}"))
        .contact(floor)
}

/// A corner of a body at `(x, y, a)`, over a level floor.
fn corner(pen: &Pen, name: &str, [b, h]: [&Quantity; 2], e: &Quantity) -> (SketchContact, String) {
    let ([_, y], [vx, _]) = (pen.place_of("x", "y"), pen.direction_of("x'", "y'"));
    let (a, va) = (pen.handed("a"), pen.handed("a'"));
    let gap = format!("{y} + {b}*sin({a}) + {h}*cos({a})");
    (SketchContact::new(name, gap, e), format!("{vx} - ({b}*sin({a}) + {h}*cos({a}))*{va}"))
}

/// A body with these corners that is thrown on a floor.
fn thrown(pen: &mut Pen, corners: &[[f64; 2]], inertia: f64) -> Sketch {
    let g = pen.length(6.0, 10.0);
    let (height, speed) =
        (pen.length(0.7, 1.2).value, [pen.length(-2.0, 2.0).value, pen.length(-2.0, 1.0).value]);
    let (angle, turn) = (pen.number(-2.0, 2.0).value, pen.number(-4.0, 4.0).value);
    let (e, [sticking, sliding]) = (restitution(pen, false), friction(pen));
    let [_, y] = pen.place_of("x", "y");
    let inertia = pen.derived(inertia, 2);
    let mut sketch = Sketch::until(2.0)
        .point(pen, ["x", "y"], [0.0, height], speed)
        .angle(pen, "a", angle, turn)
        .formula("kinetic", format!("(x'^2 + y'^2)/2 + {inertia}/2*a'^2"))
        .formula("potential", format!("{g}*{y}"));
    for (name, place) in ["c0", "c1", "c2", "c3"].iter().zip(corners) {
        let [b, h] = place.map(|value| pen.derived(value, 1));
        let (contact, slip) = corner(pen, name, [&b, &h], &e);
        sketch = sketch.contact(contact.friction(slip, [&sticking, &sliding]));
    }
    sketch
}

/// A box that tumbles on its four corners.
pub(super) fn tumbling_box(pen: &mut Pen) -> Sketch {
    let (b, h) = (pen.length(0.1, 0.5).value, pen.length(0.1, 0.5).value);
    thrown(pen, &[[-b, -h], [b, -h], [b, h], [-b, h]], (b * b + h * h) / 3.0)
}

/// A rod that falls on its ends.
pub(super) fn rod(pen: &mut Pen) -> Sketch {
    let half = pen.length(0.2, 0.6).value;
    thrown(pen, &[[-half, 0.0], [half, 0.0]], half * half / 3.0)
}

const NAMES: [[&str; 2]; 3] = [["x0", "y0"], ["x1", "y1"], ["x2", "y2"]];

/// Two or three discs without friction between two walls that lean outwards and a floor. Along a wall that is upright a
/// disc falls without a force, and whether it touches is a matter of rounding.
pub(super) fn discs(pen: &mut Pen) -> Sketch {
    let (count, g, e) = (2 + pen.choice(2), pen.length(4.0, 9.0), restitution(pen, true));
    let (wide, lean) = (pen.derived(2.0, 1), pen.number(0.02, 0.2));
    let mut sketch = Sketch::until(1.0);
    let (mut kinetic, mut potential, mut radii) = (String::from("0"), String::from("0"), Vec::new());
    for (i, [nx, ny]) in NAMES.into_iter().take(count).enumerate() {
        let (r, m) = (pen.length(0.1, 0.25), pen.number(0.5, 2.0));
        let start = [pen.length(0.3, 1.7).value, [0.3, 0.9, 1.5][i]];
        let speed = [pen.length(-2.0, 2.0).value, pen.length(-2.0, 2.0).value];
        let [x, y] = pen.place_of(nx, ny);
        let _ = write!(kinetic, " + {m}*({nx}'^2 + {ny}'^2)/2");
        let _ = write!(potential, " + {m}*{g}*{y}");
        sketch = sketch
            .point(pen, [nx, ny], start, speed)
            .contact(SketchContact::new(&format!("f{i}"), format!("{y} - {r}"), &e))
            .contact(SketchContact::new(&format!("l{i}"), format!("{x} + {lean}*{y} - {r}"), &e))
            .contact(SketchContact::new(&format!("r{i}"), format!("{wide} + {lean}*{y} - {r} - {x}"), &e));
        radii.push(r);
        for (j, other) in radii[..i].iter().enumerate() {
            let [ox, oy] = NAMES[j];
            let gap = format!("hypot({nx} - {ox}, {ny} - {oy}) - {other} - {}", radii[i]);
            sketch = sketch.contact(SketchContact::new(&format!("d{i}{j}"), gap, &e));
        }
    }
    sketch.formula("kinetic", kinetic).formula("potential", potential)
}

/// Blocks on each other and on a table that moves to and fro.
pub(super) fn stack(pen: &mut Pen) -> Sketch {
    let (count, g, spring) = (2 + pen.choice(2), pen.length(6.0, 10.0), pen.number(0.0, 20.0));
    let (reach, rate, t) = (pen.length(0.0, 2.0), pen.number(1.0, 6.0), pen.time());
    let still = pen.derived(0.0, 0);
    let mut sketch = Sketch::until(2.0).sticking_to_time();
    let (mut kinetic, mut potential) = (String::from("0"), String::from("0"));
    for (i, [nx, ny]) in NAMES.into_iter().take(count).enumerate() {
        let (m, start, speed) =
            (pen.number(0.5, 2.0), pen.length(-0.1, 0.1).value, pen.length(-1.0, 1.0).value);
        let [sticking, sliding] = friction(pen);
        let ([x, y], [vx, _]) =
            (pen.place_of(nx, ny), pen.direction_of(&format!("{nx}'"), &format!("{ny}'")));
        let _ = write!(kinetic, " + {m}*({nx}'^2 + {ny}'^2)/2");
        let _ = write!(potential, " + {m}*{g}*{y} + {spring}*{x}^2/2");
        let (gap, slip) = if i == 0 {
            (y, format!("{vx} - {reach}*cos({rate}*{t})"))
        } else {
            let [px, py] = NAMES[i - 1];
            let ([_, under], [along, _]) =
                (pen.place_of(px, py), pen.direction_of(&format!("{px}'"), &format!("{py}'")));
            (format!("{y} - {under}"), format!("{vx} - {along}"))
        };
        let contact = SketchContact::new(&format!("c{i}"), gap, &still).friction(slip, [&sticking, &sliding]);
        sketch = sketch.point(pen, [nx, ny], [start, 0.0], [speed, 0.0]).contact(contact);
    }
    sketch.formula("kinetic", kinetic).formula("potential", potential)
}

/// A crank with a rod whose block has clearance in its guide, so that two corners can hit at once.
pub(super) fn crank(pen: &mut Pen) -> Sketch {
    let (r, l, turn) = (pen.length(0.1, 0.2), pen.length(0.4, 0.6), pen.number(3.0, 8.0).value);
    let (w, h, room) = (pen.length(0.04, 0.08), pen.length(0.02, 0.04), pen.length(0.0005, 0.002));
    let (e, [sticking, sliding], g) = (restitution(pen, false), friction(pen), pen.length(2.0, 9.0));
    let half = pen.derived(h.value + room.value, 1);
    let start = [r.value + l.value, 0.0];
    let ([x, y], [vx, _]) = (pen.place_of("x", "y"), pen.direction_of("x'", "y'"));
    let (q, c, vc) = (pen.handed("q"), pen.handed("c"), pen.handed("c'"));
    // In a mirror the crank is to the left of the block.
    let pin = format!("{x} - {r}*cos({q})");
    let mut sketch = Sketch::until(1.0)
        .angle(pen, "q", 0.0, turn)
        .point(pen, ["x", "y"], start, [0.0; 2])
        .angle(pen, "c", 0.0, 0.0)
        .formula("kinetic", format!("0.05*{r}^2*q'^2 + (x'^2 + y'^2)/2 + {w}^2*c'^2/6"))
        .formula("potential", format!("{g}*{y}"))
        .formula("constraints.rod", pen.constraint(&format!("hypot({pin}, {y} - {r}*sin({q})) - {l}")));
    for (name, side, end) in [("ur", "-", "-"), ("ul", "-", "+"), ("lr", "+", "+"), ("ll", "+", "-")] {
        let gap = format!("{half} {side} {y} {end} {w}*sin({c}) - {h}*cos({c})");
        // Along the guide a corner moves faster or slower than the block by how high it is.
        let ahead = if end == "-" { "+" } else { "-" };
        let slip = format!("{vx} {side} ({h}*cos({c}) {ahead} {w}*sin({c}))*{vc}");
        sketch = sketch.contact(SketchContact::new(name, gap, &e).friction(slip, [&sticking, &sliding]));
    }
    sketch
}
