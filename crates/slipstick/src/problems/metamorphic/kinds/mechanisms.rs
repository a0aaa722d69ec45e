//! Mechanisms: free, with joints, and with joints that shut and open.

use super::super::pen::Pen;
use super::super::sketch::{Sketch, SketchEvent};

/// Masses and springs without joints.
pub(super) fn free(pen: &mut Pen) -> Sketch {
    let (m, k, e) = (pen.number(0.5, 2.0), pen.number(2.0, 6.0), pen.number(0.8, 0.95));
    if pen.coin() {
        let (g, place) = (pen.length(4.0, 9.0), [pen.length(-0.5, 0.5).value, pen.length(0.5, 1.2).value]);
        let speed = [pen.length(-1.0, 1.0).value, 0.0];
        let ([x, y], [_, vy]) = (pen.place_of("x", "y"), pen.direction_of("x'", "y'"));
        return Sketch::until(2.0)
            .point(pen, ["x", "y"], place, speed)
            .formula("kinetic", format!("{m}*(x'^2 + y'^2)/2"))
            .formula("potential", format!("{m}*{g}*{y} + {k}*{x}^2/2"))
            .event(SketchEvent::when("floor", format!("{y} < 0")).reset(&mirrored(
                pen,
                &e.to_string(),
                &vy,
            )));
    }
    let (a, b) = (pen.length(0.2, 0.6), pen.length(1.2, 1.6));
    let (gap, rate) = (pen.length(0.2, 0.4), pen.number(0.05, 0.2));
    let still = pen.derived(0.0, 1);
    let pair = [("a'", "b'".to_owned()), ("b'", "a'".to_owned())];
    Sketch::until(3.0)
        .coordinate("a", &a, &pen.length(0.5, 1.0))
        .coordinate("b", &b, &still)
        .formula("kinetic", "(a'^2 + b'^2)/2")
        .formula("potential", format!("{k}*(a^2 + (b - {b})^2)/2"))
        .formula("forces.a", format!("-{rate}*a'"))
        .event(SketchEvent::when("meet", format!("b - a < {gap}")).reset(&pair))
}

/// The reset of both speeds of a point `x, y` at a floor: what goes down comes up with a part of it.
fn mirrored(pen: &Pen, part: &str, down: &str) -> [(&'static str, String); 2] {
    let [nx, ny] = pen.turned([0.0, 1.0]).map(|n| n.value);
    let speed = |name: &str, n: f64| format!("{name} - (1 + {part})*({n})*{down}");
    [("x'", speed("x'", nx)), ("y'", speed("y'", ny))]
}

/// Joints that stay shut, with events that record or throw back.
pub(super) fn joints(pen: &mut Pen) -> Sketch {
    let (l, g, m) = (pen.length(0.8, 1.2), pen.length(4.0, 9.0), pen.number(0.5, 2.0));
    let angle = pen.number(0.4, 1.4).value;
    let place = [l.value * angle.sin(), -l.value * angle.cos()];
    let [x, y] = pen.place_of("x", "y");
    let kind = pen.choice(4);
    let rod = if kind == 0 {
        let (a, w) = (pen.length(0.05, 0.2), pen.number(1.0, 2.0));
        format!("({x} - {a}*sin({w}*{}))^2 + {y}^2 - {l}^2", pen.time())
    } else {
        format!("{x}^2 + {y}^2 - {l}^2")
    };
    let sketch = Sketch::until(3.0)
        .point(pen, ["x", "y"], place, [0.0; 2])
        .formula("constraints.rod", pen.constraint(&rod));
    if kind == 3 {
        return second_link(pen, sketch, place);
    }
    let sketch = sketch
        .formula("kinetic", format!("{m}*(x'^2 + y'^2)/2"))
        .formula("potential", format!("{m}*{g}*{y}"));
    let level = pen.length(0.05, 0.25);
    if kind == 1 {
        return sketch.event(against_a_wall(pen, &x, &level.to_string()));
    }
    sketch.event(SketchEvent::when("low", format!("{x} < {level}")))
}

/// A wall beside a pendulum: the speed is turned round as a whole, which stays on the rod.
fn against_a_wall(pen: &mut Pen, x: &str, level: &str) -> SketchEvent {
    let e = pen.number(0.6, 0.95);
    let back = [("x'", format!("-{e}*x'")), ("y'", format!("-{e}*y'"))];
    SketchEvent::when("wall", format!("{x} < -{level}")).reset(&back)
}

fn second_link(pen: &mut Pen, sketch: Sketch, place: [f64; 2]) -> Sketch {
    let (l, g, angle) = (pen.length(0.6, 1.0), pen.length(3.0, 6.0), pen.number(-0.3, 0.5).value);
    let end = [place[0] + l.value * angle.sin(), place[1] - l.value * angle.cos()];
    let ([_, y], [u, w]) = (pen.place_of("x", "y"), pen.place_of("u", "w"));
    let link = pen.constraint(&format!("(u - x)^2 + (w - y)^2 - {l}^2"));
    sketch
        .point(pen, ["u", "w"], end, [0.0; 2])
        .formula("constraints.link", link)
        .formula("kinetic", "(x'^2 + y'^2 + u'^2 + w'^2)/2")
        .formula("potential", format!("{g}*({y} + {w})"))
        .event(SketchEvent::when("low", format!("{u} < 0")))
}

/// A joint that shuts at an event, and may open at another.
pub(super) fn shutting(pen: &mut Pen) -> Sketch {
    let (g, height, glide) = (pen.length(4.0, 9.0), pen.length(0.4, 1.0).value, pen.length(0.3, 1.0).value);
    let (slope, off) = (pen.number(-0.4, 0.4), pen.number(1.0, 1.6));
    let [x, y] = pen.place_of("x", "y");
    let floor = if pen.coin() { format!("{y} - {slope}*{x}") } else { y.clone() };
    let start = [0.0, height];
    let shut = SketchEvent::when("land", format!("{floor} < 0")).reset(&[("held", "1".to_owned())]);
    let sketch = Sketch::until(2.0)
        .point(pen, ["x", "y"], start, [glide, 0.0])
        .held("held", 0)
        .formula("kinetic", "(x'^2 + y'^2)/2")
        .formula("potential", format!("{g}*{y}"))
        .formula("constraints.floor", pen.constraint(&format!("if held > 0.5 then {floor} else 0")))
        .event(shut);
    if pen.coin() {
        let up = pen.length(1.0, 2.0).value;
        let [px, py] = pen.turned([0.0, up]);
        let free = [("held", "0".to_owned()), ("x'", format!("x' + {px}")), ("y'", format!("y' + {py}"))];
        return sketch.event(SketchEvent::at("throw", &pen.moment(&off)).reset(&free));
    }
    sketch
}
