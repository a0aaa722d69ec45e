//! Motions that are pushed onto a surface from both sides.

use super::super::pen::Pen;
use super::super::sketch::{Sketch, SketchEvent};

/// A flat surface: a relay, or friction.
pub(super) fn flat(pen: &mut Pen) -> Sketch {
    let (w, t) = (pen.number(0.8, 2.0), pen.time());
    if pen.coin() {
        let (x, k, level) = (pen.length(-1.0, 1.0), pen.length(1.0, 1.5), pen.length(-0.2, 0.2));
        let f = pen.length(0.4, 2.2);
        return Sketch::until(5.0)
            .state("x", 1, &x, format!("-{k}*sign(x - {level}) + {f}*sin({w}*{t})"))
            .state("y", 1, &pen.derived(0.0, 1), "x");
    }
    let (x, v, k) = (pen.length(-0.5, 0.5), pen.length(-0.5, 0.5), pen.number(1.0, 3.0));
    let (rub, f) = (pen.length(0.4, 1.0), pen.length(0.8, 2.5));
    let switch = pen.coin();
    let side = if switch { "way".to_owned() } else { "sign(v)".to_owned() };
    let sketch = Sketch::until(5.0).state("x", 1, &x, "v").state(
        "v",
        1,
        &v,
        format!("-{k}*x - {rub}*{side} + {f}*cos({w}*{t})"),
    );
    if switch { sketch.formula("switches.way", "v").with_closures() } else { sketch }
}

/// A curved surface.
pub(super) fn curved(pen: &mut Pen) -> Sketch {
    let (x, y) = (pen.length(0.6, 1.2), pen.length(-0.4, 0.1));
    let (push, run, bend) = (pen.length(1.6, 2.4), pen.length(0.4, 0.8), pen.of(0.5, 1.0, -1));
    if pen.coin() {
        return Sketch::until(2.0).state("x", 1, &x, format!("-{push}*sign(x - {bend}*y^2)")).state(
            "y",
            1,
            &y,
            run.to_string(),
        );
    }
    let (r, turn) = (pen.length(0.8, 1.2), pen.number(0.5, 1.2));
    let inward = |name: &str| format!("-{push}*{name}/sqrt(x^2 + y^2)*sign(x^2 + y^2 - {r}^2)");
    let out = pen.number(0.1, 0.4);
    Sketch::until(3.0).state("x", 1, &x, format!("{} - {turn}*y + {out}*x", inward("x"))).state(
        "y",
        1,
        &y,
        format!("{} + {turn}*x + {out}*y", inward("y")),
    )
}

/// A surface that moves.
pub(super) fn moving(pen: &mut Pen) -> Sketch {
    let (y, gain, a) = (pen.length(-0.8, 0.8), pen.length(1.5, 3.0), pen.length(0.4, 1.4));
    let (w, k, t) = (pen.number(0.8, 1.6), pen.number(0.0, 0.5), pen.time());
    if pen.coin() {
        return Sketch::until(5.0)
            .state("y", 1, &y, format!("-{gain}*sign(y - {a}*sin({w}*{t})) - {k}*y"))
            .held("set", 1);
    }
    Sketch::until(5.0)
        .state("clock", 0, &pen.derived(0.0, 0), "1")
        .state("y", 1, &y, format!("-{gain}*sign(y - amp*sin({w}*clock)) - {k}*y"))
        .state("amp", 1, &a, "0")
}

/// Several surfaces at once.
pub(super) fn several(pen: &mut Pen) -> Sketch {
    let (x, y) = (pen.length(-0.9, 0.9), pen.length(-0.9, 0.9));
    let (a, b) = (pen.length(1.0, 1.6), pen.length(1.0, 1.6));
    let (f, g, w, t) = (pen.length(0.3, 1.8), pen.length(0.2, 0.7), pen.number(0.8, 1.6), pen.time());
    let sketch = Sketch::until(4.0);
    match pen.choice(3) {
        0 => sketch.state("x", 1, &x, format!("-{a}*sign(x) + {f}*sin({w}*{t})")).state(
            "y",
            1,
            &y,
            format!("-{b}*sign(y) + {g}*cos({w}*{t})"),
        ),
        1 => sketch.state("x", 1, &x, format!("-{a}*sign(x) + {g}*sign(y)")).state(
            "y",
            1,
            &y,
            format!("-{b}*sign(y) - {g}*sign(x) + {}*sin({w}*{t})", pen.length(0.1, 0.3)),
        ),
        _ => {
            let l = pen.length(0.8, 1.2);
            let (rise, grow) = (pen.length(0.4, 0.6), pen.length(0.1, 0.3));
            sketch.state("x", 1, &x, format!("{rise} - {a}*floor(x/{l})")).state(
                "y",
                1,
                &y,
                format!("{rise} + {grow}*{t} - {b}*floor(y/{l})"),
            )
        }
    }
}

/// Events that happen while the motion slides.
pub(super) fn with_events(pen: &mut Pen) -> Sketch {
    let (x, push, run) = (pen.length(0.8, 1.2), pen.length(1.6, 2.4), pen.length(0.5, 0.8));
    let (bend, level) = (pen.of(0.6, 1.2, -1), pen.length(0.2, 0.35));
    let count = [("n", "n + 1".to_owned())];
    let field = format!("-{push}*sign(x - {bend}*y^2)");
    let event = match pen.choice(3) {
        0 => SketchEvent::when("over", format!("x > {level}")).reset(&count),
        1 => {
            SketchEvent::when("far", format!("y > {}", pen.length(0.6, 0.9))).reset(&[("y", "0".to_owned())])
        }
        _ => SketchEvent::every("tick", &pen.number(0.2, 0.5)).reset(&count),
    };
    Sketch::until(1.6)
        .state("x", 1, &x, field)
        .state("y", 1, &pen.derived(0.0, 1), run.to_string())
        .held("n", 0)
        .event(event)
}
