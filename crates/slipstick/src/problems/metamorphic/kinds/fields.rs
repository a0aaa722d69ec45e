//! Smooth fields, fields that switch, and switches within branches of others.

use super::super::pen::{Pen, Quantity};
use super::super::sketch::{Sketch, SketchEvent};

/// A smooth field with events that only record.
pub(super) fn smooth(pen: &mut Pen) -> Sketch {
    match pen.choice(3) {
        0 => driven(pen),
        1 => swing(pen),
        _ => hunt(pen),
    }
}

/// A damped and driven oscillator.
fn driven(pen: &mut Pen) -> Sketch {
    let (x, v) = (pen.length(0.4, 1.2), pen.length(-0.8, 0.8));
    let (k, c) = (pen.number(2.0, 9.0), pen.number(0.05, 0.4));
    let (f, w) = (pen.length(0.3, 1.5), pen.number(0.7, 1.6));
    let level = pen.length(0.05, 0.3);
    let t = pen.time();
    Sketch::until(5.0)
        .state("x", 1, &x, "v")
        .state("v", 1, &v, format!("-{k}*x - {c}*v + {f}*sin({w}*{t})"))
        .event(SketchEvent::when("up", format!("x > {level}")))
        .event(SketchEvent::when("turn", "v").direction(["rising", "falling", "both"][pen.choice(3)]))
        .with_closures()
}

/// A pendulum in its angle times its length.
fn swing(pen: &mut Pen) -> Sketch {
    let (x, l, k) = (pen.length(0.6, 2.0), pen.length(0.8, 1.2), pen.number(3.0, 8.0));
    let level = pen.length(-0.4, 0.4);
    Sketch::until(5.0)
        .state("x", 1, &x, "v")
        .state("v", 1, &pen.derived(0.0, 1), format!("-{k}*{l}*sin(x/{l})"))
        .event(SketchEvent::when("low", format!("x < {level}")))
        .event(SketchEvent::when("slow", "v").direction("both"))
        .with_closures()
}

/// Two quantities that feed on each other.
fn hunt(pen: &mut Pen) -> Sketch {
    let (a, b) = (pen.length(0.8, 1.6), pen.length(0.4, 1.0));
    let (r, s, eaten) = (pen.number(0.8, 1.6), pen.number(0.8, 1.6), pen.of(0.8, 1.6, -1));
    let level = pen.length(0.7, 1.1);
    Sketch::until(6.0)
        .state("a", 1, &a, format!("a*({r} - {eaten}*b)"))
        .state("b", 1, &b, format!("b*({eaten}*a - {s})"))
        .event(SketchEvent::when("many", format!("a > {level}")))
        .event(SketchEvent::when("even", "a - b").direction("both"))
        .with_closures()
}

/// A field that switches where it crosses.
pub(super) fn switched(pen: &mut Pen) -> Sketch {
    let (x, v, k) = (pen.length(0.6, 1.4), pen.length(-0.5, 0.5), pen.number(1.0, 6.0));
    let (edge, f, c) = (pen.length(-0.2, 0.2), pen.length(0.3, 1.2), pen.number(0.02, 0.2));
    let stiffer = pen.number(3.0, 9.0);
    let sketch = Sketch::until(4.0).state("x", 1, &x, "v");
    let force = match pen.choice(5) {
        0 => format!("-{k}*x - {c}*v - if(x > {edge}, {f}, 0)"),
        1 => format!("-{k}*x - {c}*v - {stiffer}*max(x - {edge}, 0)"),
        2 => format!("-{k}*x - {c}*v - {f}*abs(x - {edge})/{}", pen.length(0.5, 1.5)),
        3 => format!("-{k}*min(x, {}) - {c}*v", pen.length(0.3, 0.6)),
        _ => return named_switch(pen, sketch, &v, &edge),
    };
    sketch.state("v", 1, &v, force)
}

/// The same by a switch with a name, which closures know too.
fn named_switch(pen: &mut Pen, sketch: Sketch, v: &Quantity, edge: &Quantity) -> Sketch {
    let (k, f) = (pen.number(1.0, 6.0), pen.length(0.2, 0.8));
    sketch
        .state("v", 1, v, format!("-{k}*x - {f}*side"))
        .formula("switches.side", format!("x - {edge}"))
        .event(SketchEvent::when("turn", "v").direction("both"))
        .with_closures()
}

/// A switch within a branch of another, and powers that are only defined in the branch.
pub(super) fn branches(pen: &mut Pen) -> Sketch {
    let (x, v) = (pen.length(-0.9, -0.3), pen.length(0.6, 1.6));
    let (k, edge, l) = (pen.number(1.0, 4.0), pen.length(-0.1, 0.3), pen.length(0.5, 1.5));
    let (a, b) = (pen.length(0.3, 1.5), pen.number(1.2, 2.5));
    let depth = format!("((x - {edge})/{l})");
    let inner = match pen.choice(4) {
        0 => format!("{a}*sqrt({depth})*if(v > 0, {b}, 1)"),
        1 => format!("{a}*{depth}^1.5*if(v > 0, {b}, 1)"),
        2 => format!("{a}*sqrt({depth}) + if(v > 0, {a}, 0)"),
        _ => format!("{a}*{depth}*if(x > {}, {b}, 1)", pen.derived(edge.value + 0.1, 1)),
    };
    Sketch::until(4.0).state("x", 1, &x, "v").state(
        "v",
        1,
        &v,
        format!("-{k}*x - if(x > {edge}, {inner}, 0)"),
    )
}
