//! Guards that are zero where a run, or a mode, begins.

use super::super::pen::Pen;
use super::super::sketch::{Sketch, SketchEvent};

/// A guard that is zero at the start, with one to three rates that are zero too, going either way.
pub(super) fn zero_at_start(pen: &mut Pen) -> Sketch {
    let (x, push) = (pen.length(-0.8, 0.8), pen.length(0.6, 1.4));
    let (rises, fires_up) = (pen.coin(), pen.coin());
    let (sign, relation) = (if rises { "" } else { "-" }, if fires_up { ">" } else { "<" });
    let guard = SketchEvent::when("cross", format!("x {relation} {x}"));
    let kind = pen.choice(3);
    let event = match kind {
        0 => guard,
        1 => guard.reset(&[("n", "n + 1".to_owned())]),
        _ => SketchEvent::when("cross", format!("x - {x}")).direction("both"),
    };
    let (still, pull) = (pen.derived(0.0, 1), pen.number(0.5, 1.5));
    let fall = format!("{sign}{push} - {pull}*(x - {x})");
    let sketch = Sketch::until(3.0).state("x", 1, &x, ["v", "v", "v", &fall][pen.choice(4)]);
    let sketch = match pen.choice(2) {
        0 => sketch.state("v", 1, &still, fall),
        _ => sketch.state("v", 1, &still, "a").state("a", 1, &still, format!("{sign}{push} - {pull}*v")),
    };
    // Either way a guard without a past takes its side without firing.
    let times = usize::from(kind < 2 && rises == fires_up);
    sketch.held("n", 0).event(event).happens("cross", times).with_closures()
}

/// Something lifts off, slips or is let go where a guard of the next mode is zero.
pub(super) fn zero_at_entry(pen: &mut Pen) -> Sketch {
    let t = pen.time();
    let still = pen.derived(0.0, 1);
    if pen.coin() {
        let (f, g, w) = (pen.length(2.0, 3.0), pen.length(0.8, 1.4), pen.number(0.9, 1.3));
        let lift = SketchEvent::when("lift", format!("{f}*sin({w}*{t}) > {g}")).goto("flight");
        let hit = SketchEvent::when("hit", "y < 0").reset(&[("v", "0".to_owned())]).goto("contact");
        let rest = [("y", "0".to_owned()), ("v", "0".to_owned())];
        return Sketch::until(2.0)
            .moded("y", 1, &still)
            .moded("v", 1, &still)
            .mode("contact", &rest, vec![lift])
            .mode("flight", &[("y", "v".to_owned()), ("v", format!("{f}*sin({w}*{t}) - {g}"))], vec![hit])
            .with_closures();
    }
    let (belt, level) = (pen.length(0.15, 0.3), pen.length(0.9, 1.1));
    let start = pen.derived(level.value - 0.2, 1);
    let slip = SketchEvent::when("slip", format!("x > {level}")).goto("slip");
    let stick = SketchEvent::when("stick", format!("v > {belt}")).goto("stick");
    Sketch::until(4.0)
        .state("x", 1, &start, "v")
        .moded("v", 1, &belt)
        .mode("stick", &[("v", "0".to_owned())], vec![slip])
        .mode("slip", &[("v", format!("{level} - x"))], vec![stick])
        .with_closures()
        .happens("slip", 1)
        .happens("stick", 0)
        .ends(0, level.value + belt.value * (4.0 - 0.2 / belt.value).sin())
}

/// Two things that fall together and touch; what the floor throws back meets the other at once.
pub(super) fn touching(pen: &mut Pen) -> Sketch {
    let (q, d, g) = (pen.length(0.5, 1.0), pen.length(0.05, 0.2), pen.length(6.0, 10.0));
    let still = pen.derived(0.0, 1);
    let swap = [("v", "w".to_owned()), ("w", "v".to_owned())];
    let fall = (2.0 * q.value / g.value).sqrt();
    Sketch::until(1.5 * fall)
        .state("p", 1, &q, "v")
        .state("v", 1, &still, format!("-{g}"))
        .state("q", 1, &pen.derived(q.value + d.value, 1), "w")
        .state("w", 1, &still, format!("-{g}"))
        .event(SketchEvent::when("floor", "p < 0").reset(&[("v", "-v".to_owned())]))
        .event(SketchEvent::when("pair", format!("q - p < {d}")).reset(&swap))
        .with_closures()
        .ends(0, 0.75 * q.value)
        .ends(2, 0.75 * q.value + d.value)
}
