//! Things that are thrown back, also infinitely often.

use super::super::pen::Pen;
use super::super::sketch::{Sketch, SketchEvent};

/// Resets that happen a few times.
pub(super) fn resets(pen: &mut Pen) -> Sketch {
    match pen.choice(4) {
        0 => ball(pen),
        1 => between_walls(pen),
        2 => swing_against_a_wall(pen),
        _ => plastic(pen),
    }
}

/// A ball with drag on a floor.
fn ball(pen: &mut Pen) -> Sketch {
    let (y, v) = (pen.length(0.5, 1.5), pen.length(-1.0, 1.0));
    let (g, drag, e) = (pen.length(6.0, 10.0), pen.number(0.0, 0.3), pen.number(0.75, 0.95));
    Sketch::until(2.0)
        .state("y", 1, &y, "v")
        .state("v", 1, &v, format!("-{g} - {drag}*v"))
        .event(SketchEvent::when("floor", "y < 0").reset(&[("v", format!("-{e}*v"))]))
        .event(SketchEvent::when("top", "v < 0"))
        .with_closures()
}

/// Between two walls that take some speed.
fn between_walls(pen: &mut Pen) -> Sketch {
    let (x, v, k) = (pen.length(-0.5, 0.5), pen.length(1.5, 3.0), pen.number(0.0, 2.0));
    let (a, b, e) = (pen.length(0.6, 1.0), pen.length(0.6, 1.0), pen.number(0.8, 1.0));
    Sketch::until(3.0)
        .state("x", 1, &x, "v")
        .state("v", 1, &v, format!("-{k}*x"))
        .event(SketchEvent::when("left", format!("x < -{a}")).reset(&[("v", format!("-{e}*v"))]))
        .event(SketchEvent::when("right", format!("x > {b}")).reset(&[("v", format!("-{e}*v"))]))
        .with_closures()
}

/// A driven oscillator against a wall.
fn swing_against_a_wall(pen: &mut Pen) -> Sketch {
    let (x, k, f) = (pen.length(0.8, 1.2), pen.number(4.0, 9.0), pen.length(1.0, 3.0));
    let (w, wall, e) = (pen.number(0.8, 1.5), pen.length(0.2, 0.5), pen.number(0.5, 0.9));
    let t = pen.time();
    Sketch::until(4.0)
        .state("x", 1, &x, "v")
        .state("v", 1, &pen.derived(0.0, 1), format!("-{k}*x + {f}*sin({w}*{t})"))
        .event(SketchEvent::when("wall", format!("x < -{wall}")).reset(&[("v", format!("-{e}*v"))]))
        .with_closures()
}

/// A wall that takes all speed, and a swing that grows and comes back.
fn plastic(pen: &mut Pen) -> Sketch {
    let (x, k, grow) = (pen.length(2.2, 3.0), pen.number(2.0, 5.0), pen.number(0.2, 0.5));
    let middle = pen.length(0.8, 1.0);
    Sketch::until(6.0)
        .state("x", 1, &x, "v")
        .state("v", 1, &pen.derived(0.0, 1), format!("{k}*({middle} - x) + {grow}*v"))
        .event(SketchEvent::when("hit", "x < 0").reset(&[("v", "0".to_owned())]))
        .with_closures()
}

/// Impacts that accumulate, with nothing said about rest.
pub(super) fn zeno(pen: &mut Pen) -> Sketch {
    let (y, v, g) = (pen.length(0.4, 1.2), pen.length(-0.5, 0.5), pen.length(8.0, 12.0));
    let (drag, e) = (pen.number(0.0, 0.4), pen.number(0.3, 0.7));
    Sketch::until(8.0)
        .state("y", 1, &y, "v")
        .state("v", 1, &v, format!("-{g} - {drag}*v"))
        .event(SketchEvent::when("floor", "y < 0").reset(&[("v", format!("-{e}*v"))]))
        .with_closures()
}

/// Impacts that accumulate and end in rest, from which a push may take the ball.
pub(super) fn zeno_rest(pen: &mut Pen) -> Sketch {
    let (y, v, g) = (pen.length(0.4, 1.2), pen.length(-0.5, 0.5), pen.length(8.0, 12.0));
    let (e, x, glide) = (pen.number(0.3, 0.7), pen.length(0.0, 1.0), pen.length(-2.0, 2.0));
    let (kick, push) = (pen.number(4.5, 5.5), pen.length(1.0, 2.0));
    let still: [(&'static str, String); 2] = [("y", "0".to_owned()), ("v", "0".to_owned())];
    let floor =
        SketchEvent::when("floor", "y < 0").reset(&[("v", format!("-{e}*v"))]).at_rest(Some("rest"), &still);
    let push = SketchEvent::at("push", &pen.moment(&kick)).reset(&[("v", push.to_string())]).goto("flight");
    let flight = [("y", "v".to_owned()), ("v", format!("-{g}"))];
    let sketch = Sketch::until(9.0).moded("y", 1, &y).moded("v", 1, &v).state("x", 1, &x, glide.to_string());
    let events = if pen.coin() { vec![push] } else { Vec::new() };
    sketch.mode("flight", &flight, vec![floor]).mode("rest", &still, events).with_closures()
}
