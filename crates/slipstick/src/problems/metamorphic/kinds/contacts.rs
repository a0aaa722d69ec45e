//! Contacts of points: with floors that tilt or move, belts, stops, and beside joints.

use super::super::contact_sketch::SketchContact;
use super::super::pen::{Pen, Quantity};
use super::super::sketch::Sketch;

/// Coefficients of friction while it sticks and while it slides: often none, or one.
pub(super) fn friction(pen: &mut Pen) -> [Quantity; 2] {
    let (sliding, more) = (pen.number(0.05, 0.6), pen.number(0.0, 0.2));
    match pen.choice(4) {
        0 => [pen.derived(0.0, 0), pen.derived(0.0, 0)],
        1 => [pen.derived(sliding.value + more.value, 0), sliding],
        _ => [sliding.clone(), sliding],
    }
}

/// None, some, or all of it.
pub(super) fn restitution(pen: &mut Pen, all: bool) -> Quantity {
    let some = pen.number(0.2, 0.7);
    match pen.choice(4) {
        0 => pen.derived(0.0, 0),
        1 if all => pen.derived(1.0, 0),
        _ => some,
    }
}

/// A ball on a floor that tilts, moves to and fro, or bends.
pub(super) fn ball(pen: &mut Pen) -> Sketch {
    let (g, height, glide) = (pen.length(5.0, 9.0), pen.length(0.2, 0.8).value, pen.length(-1.0, 1.0).value);
    let (slope, reach, rate) = (pen.number(-0.4, 0.4), pen.length(0.02, 0.08), pen.number(4.0, 9.0));
    let (e, [sticking, sliding], bend) = (restitution(pen, true), friction(pen), pen.of(0.1, 0.3, -1));
    let ([x, y], [vx, vy]) = (pen.place_of("x", "y"), pen.direction_of("x'", "y'"));
    let (gap, slip) = match pen.choice(3) {
        0 => (format!("{y} - {slope}*{x}"), format!("{vx} + {slope}*{vy}")),
        1 => (format!("{y} - {reach}*sin({rate}*{})", pen.time()), vx),
        _ => (format!("{y} - {bend}*{x}^2"), format!("{vx} + 2*{bend}*{x}*{vy}")),
    };
    let floor = SketchContact::new("floor", gap, &e).friction(slip, [&sticking, &sliding]);
    Sketch::until(3.0)
        .point(pen, ["x", "y"], [0.0, height], [glide, 0.0])
        .formula("kinetic", "(x'^2 + y'^2)/2")
        .formula("potential", format!("{g}*{y}"))
        .contact(floor)
}

/// A ball between two walls: it may hit both at once, and comes to rest in the corner, or in a ramp that moves.
pub(super) fn wedge(pen: &mut Pen) -> Sketch {
    let (g, height) = (pen.length(5.0, 9.0), pen.length(0.3, 0.8).value);
    let (left, right, off) = (pen.number(0.3, 1.2), pen.number(0.3, 1.2), pen.length(-0.1, 0.1).value);
    let (is_even, moves) = (pen.coin(), pen.choice(3) == 0);
    let (e, reach, rate) = (restitution(pen, false), pen.length(0.02, 0.05), pen.number(2.0, 5.0));
    let ([x, y], t) = (pen.place_of("x", "y"), pen.time());
    let lift = if moves { format!(" - {reach}*sin({rate}*{t})") } else { String::new() };
    let right = if is_even { left.clone() } else { right };
    Sketch::until(3.0)
        .point(pen, ["x", "y"], [if is_even { 0.0 } else { off }, height], [0.0; 2])
        .formula("kinetic", "(x'^2 + y'^2)/2")
        .formula("potential", format!("{g}*{y}"))
        .contact(SketchContact::new("left", format!("{y} + {left}*{x}{lift}"), &e))
        .contact(SketchContact::new("right", format!("{y} - {right}*{x}{lift}"), &e))
}

/// A block on a belt, held by a spring that may be inclined.
pub(super) fn belt(pen: &mut Pen) -> Sketch {
    let (g, k, above) = (pen.length(6.0, 10.0), pen.number(20.0, 60.0), pen.length(0.4, 0.6));
    let (speed, glide) = (pen.length(0.1, 0.8), pen.length(-0.3, 0.5).value);
    let (start, sliding, more) = (pen.length(-0.2, 0.2).value, pen.number(0.2, 0.5), pen.number(0.0, 0.2));
    let sticking = pen.derived(sliding.value + more.value, 0);
    let ([x, y], [vx, _]) = (pen.place_of("x", "y"), pen.direction_of("x'", "y'"));
    let natural = pen.derived(0.9 * above.value, 1);
    let spring = match pen.choice(2) {
        0 => format!("{k}/2*{x}^2"),
        _ => format!("{k}/2*(hypot({x}, {y} - {above}) - {natural})^2"),
    };
    let still = pen.derived(0.0, 0);
    let belt = SketchContact::new("belt", y.clone(), &still)
        .friction(format!("{vx} - {speed}"), [&sticking, &sliding]);
    Sketch::until(3.0)
        .point(pen, ["x", "y"], [start, 0.0], [glide, 0.0])
        .formula("kinetic", "(x'^2 + y'^2)/2")
        .formula("potential", format!("{g}*{y} + {spring}"))
        .contact(belt)
}

/// A pendulum, or one that hangs from another, between stops.
pub(super) fn stops(pen: &mut Pen) -> Sketch {
    let (g, l, start) = (pen.length(5.0, 9.0), pen.length(0.8, 1.2), pen.number(0.3, 1.0).value);
    let (right, left, e) = (pen.number(0.2, 1.2), pen.number(0.2, 0.6), restitution(pen, true));
    let drag = pen.number(0.05, 0.2);
    if pen.coin() {
        let a = pen.handed("a");
        // Without drag it would come back to where it started, or to a stop that has stopped it, and just touch.
        let start = start.min(0.9 * right.value);
        return Sketch::until(3.0)
            .angle(pen, "a", start, 0.0)
            .formula("kinetic", format!("{l}^2*a'^2/2"))
            .formula("potential", format!("-{g}*{l}*cos(a)"))
            .formula("forces.a", format!("-{drag}*{l}^2*a'"))
            .contact(SketchContact::new("right", format!("{right} - {a}"), &e))
            .contact(SketchContact::new("left", format!("{left} + {a}"), &e));
    }
    let between = if pen.rendering.mirrored { "(a - b)" } else { "(b - a)" };
    Sketch::until(2.0)
        .angle(pen, "a", start, 0.0)
        .angle(pen, "b", start, 0.0)
        .formula("kinetic", format!("{l}^2*(a'^2 + b'^2/2 + cos(a - b)*a'*b')"))
        .formula("potential", format!("-{g}*{l}*(2*cos(a) + cos(b))"))
        .contact(SketchContact::new("over", format!("{right} - {between}"), &e))
        .contact(SketchContact::new("under", format!("{left} + {between}"), &e))
}

/// A point on a rod, or two of them, with a wall or a floor.
pub(super) fn joint(pen: &mut Pen) -> Sketch {
    let (l, g, angle) = (pen.length(0.8, 1.2), pen.length(4.0, 9.0), pen.number(0.5, 1.4).value);
    let (e, [sticking, sliding], level) = (restitution(pen, true), friction(pen), pen.length(0.05, 0.25));
    let (place, drag) = ([l.value * angle.sin(), -l.value * angle.cos()], pen.number(0.05, 0.2));
    let ([x, y], [_, vy]) = (pen.place_of("x", "y"), pen.direction_of("x'", "y'"));
    let sketch = Sketch::until(3.0)
        .point(pen, ["x", "y"], place, [0.0; 2])
        .formula("constraints.rod", pen.constraint(&format!("{x}^2 + {y}^2 - {l}^2")));
    if pen.coin() {
        let wall =
            SketchContact::new("wall", format!("{x} + {level}"), &e).friction(vy, [&sticking, &sliding]);
        return sketch
            .formula("kinetic", "(x'^2 + y'^2)/2")
            .formula("potential", format!("{g}*{y}"))
            .formula("forces.x", format!("-{drag}*x'"))
            .formula("forces.y", format!("-{drag}*y'"))
            .contact(wall);
    }
    let (under, bent) = (pen.length(0.6, 1.0), pen.number(-0.3, 0.5).value);
    let end = [place[0] + under.value * bent.sin(), place[1] - under.value * bent.cos()];
    let ([u, w], [vu, _]) = (pen.place_of("u", "w"), pen.direction_of("u'", "w'"));
    let floor = pen.derived(0.5 * (l.value + under.value - end[1]), 1);
    let floor = SketchContact::new("floor", format!("{w} + {floor}"), &e).friction(vu, [&sticking, &sliding]);
    sketch
        .point(pen, ["u", "w"], end, [0.0; 2])
        .formula("constraints.link", pen.constraint(&format!("({u} - {x})^2 + ({w} - {y})^2 - {under}^2")))
        .formula("kinetic", "(x'^2 + y'^2 + u'^2 + w'^2)/2")
        .formula("potential", format!("{g}*({y} + {w})"))
        .contact(floor)
}
