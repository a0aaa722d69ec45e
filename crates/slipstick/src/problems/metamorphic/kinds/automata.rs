//! Modes, timers, counters, and events that cause each other.

use super::super::pen::Pen;
use super::super::sketch::{Sketch, SketchEvent};

/// Automata with two thresholds, or three modes.
pub(super) fn modes(pen: &mut Pen) -> Sketch {
    match pen.choice(3) {
        0 => thermostat(pen),
        1 => stick_slip(pen),
        _ => tanks(pen),
    }
}

fn thermostat(pen: &mut Pen) -> Sketch {
    let (start, hot, cold) = (pen.length(0.2, 0.8), pen.length(1.5, 2.5), pen.length(-1.0, 0.0));
    let (low, high) = (pen.length(0.85, 0.95), pen.length(1.05, 1.2));
    let rate = pen.number(1.0, 2.0);
    let off = SketchEvent::when("off", format!("x > {high}")).goto("cool");
    let on = SketchEvent::when("on", format!("x < {low}")).goto("heat");
    Sketch::until(4.0)
        .moded("x", 1, &start)
        .mode("heat", &[("x", format!("{rate}*({hot} - x)"))], vec![off])
        .mode("cool", &[("x", format!("{rate}*({cold} - x)"))], vec![on])
        .with_closures()
}

/// A block on a belt, with modes; it is caught at the speed of the belt.
fn stick_slip(pen: &mut Pen) -> Sketch {
    let (belt, strong, weak) = (pen.length(0.15, 0.4), pen.length(0.9, 1.2), pen.length(0.5, 0.7));
    let (start, k) = (pen.length(0.2, 0.7), pen.number(0.9, 1.2));
    let slip = SketchEvent::when("slip", format!("{k}*x > {strong}")).goto("slip");
    let stick =
        SketchEvent::when("stick", format!("v > {belt}")).reset(&[("v", belt.to_string())]).goto("stick");
    Sketch::until(12.0)
        .state("x", 1, &start, "v")
        .moded("v", 1, &belt)
        .mode("stick", &[("v", "0".to_owned())], vec![slip])
        .mode("slip", &[("v", format!("{weak} - {k}*x"))], vec![stick])
        .with_closures()
}

/// Two tanks that are filled in turn, and a pause.
fn tanks(pen: &mut Pen) -> Sketch {
    let (a, b) = (pen.length(0.6, 1.2), pen.length(0.6, 1.2));
    let (fill, leak, low) = (pen.length(1.0, 1.4), pen.length(0.3, 0.45), pen.length(0.2, 0.4));
    let enough = pen.length(1.4, 1.7);
    let empty_a = || SketchEvent::when("empty_a", format!("a < {low}")).goto("left");
    let empty_b = || SketchEvent::when("empty_b", format!("b < {low}")).goto("right");
    let (drain, gain) = (format!("-{leak}"), format!("{fill} - {leak}"));
    let full_a = SketchEvent::when("full_a", format!("a > {enough}")).goto("pause");
    let full_b = SketchEvent::when("full_b", format!("b > {enough}")).goto("pause");
    Sketch::until(6.0)
        .moded("a", 1, &a)
        .moded("b", 1, &b)
        .mode("pause", &[("a", drain.clone()), ("b", drain.clone())], vec![empty_a(), empty_b()])
        .mode("left", &[("a", gain.clone()), ("b", drain.clone())], vec![full_a])
        .mode("right", &[("a", drain), ("b", gain)], vec![full_b])
        .with_closures()
}

/// Two modes with one threshold: the fields push onto it, or both across it.
pub(super) fn one_threshold(pen: &mut Pen) -> Sketch {
    let (start, level) = (pen.length(-0.5, 0.5), pen.length(0.8, 1.2));
    let (up, down, k) = (pen.length(0.6, 1.5), pen.length(0.5, 1.5), pen.number(0.0, 0.4));
    let pushes_back = pen.choice(3) > 0;
    let sign = if pushes_back { "-" } else { "" };
    let off = SketchEvent::when("off", format!("x > {level}")).goto("above");
    let on = SketchEvent::when("on", format!("x < {level}")).goto("below");
    let sketch = Sketch::until(3.0)
        .moded("x", 1, &start)
        .state("y", 1, &pen.derived(0.0, 1), "x")
        .mode("below", &[("x", format!("{up} - {k}*x"))], vec![off])
        .mode("above", &[("x", format!("{sign}{down}"))], vec![on])
        .with_closures();
    // The slowest comes to the level in 1.7 / 0.12, within the run only if it is not that slow.
    let slowest = up.value - k.value * level.value;
    let is_reached = (level.value - start.value) / slowest < 2.5;
    if pushes_back && is_reached { sketch.ends(0, level.value) } else { sketch }
}

/// Times that are known, clocks that are states, and a pause of a least length.
pub(super) fn timers(pen: &mut Pen) -> Sketch {
    match pen.choice(3) {
        0 => kicked(pen),
        1 => least_pause(pen),
        _ => own_clock(pen),
    }
}

/// An oscillator that is kicked at known times.
fn kicked(pen: &mut Pen) -> Sketch {
    let (x, k, c) = (pen.length(0.4, 1.2), pen.number(2.0, 6.0), pen.number(0.1, 0.4));
    let (period, kick, once) = (pen.number(0.6, 1.4), pen.length(0.2, 0.6), pen.number(0.3, 2.0));
    Sketch::until(4.0)
        .state("x", 1, &x, "v")
        .state("v", 1, &pen.derived(0.0, 1), format!("-{k}*x - {c}*v"))
        .event(SketchEvent::every("kick", &period).reset(&[("v", format!("v + {kick}"))]))
        .event(SketchEvent::at("stop", &pen.moment(&once)).reset(&[("v", "0".to_owned())]))
        .event(SketchEvent::when("pass", "x").direction("both"))
        .with_closures()
}

/// A thermostat that stays off for a least time, after which it may be cold already.
fn least_pause(pen: &mut Pen) -> Sketch {
    let (start, rate, pause) = (pen.length(0.2, 0.7), pen.number(0.8, 1.5), pen.number(0.1, 0.6));
    let (hot, low, high) = (pen.length(1.8, 2.5), pen.length(0.8, 0.9), pen.length(1.0, 1.1));
    let (heat, cool) = (format!("{rate}*({hot} - x)"), format!("-{rate}*x"));
    let clock = [("clock", "0".to_owned())];
    let warm = SketchEvent::when("warm", format!("x > {high}")).reset(&clock).goto("off");
    let over = SketchEvent::when("over", format!("clock > {pause}")).goto("ready");
    let cold = SketchEvent::when("cold", format!("x < {low}")).goto("heat");
    Sketch::until(4.0)
        .moded("x", 1, &start)
        .state("clock", 0, &pen.derived(0.0, 0), "1")
        .mode("heat", &[("x", heat)], vec![warm])
        .mode("off", &[("x", cool.clone())], vec![over])
        .mode("ready", &[("x", cool)], vec![cold])
        .with_closures()
}

/// A clock that is a state and sets itself back.
fn own_clock(pen: &mut Pen) -> Sketch {
    let (period, gain, start) = (pen.number(0.4, 0.9), pen.number(1.1, 1.5), pen.length(0.5, 1.0));
    let tick = [("clock", "0".to_owned()), ("x", format!("{gain}*x"))];
    Sketch::until(4.0)
        .state("clock", 0, &pen.derived(0.0, 0), "1")
        .state("x", 1, &start, "-x")
        .event(SketchEvent::when("tick", format!("clock > {period}")).reset(&tick))
        .event(SketchEvent::when("low", format!("x < {}", pen.length(0.2, 0.4))))
        .with_closures()
}

/// Counts that are made by resets and fire events of their own.
pub(super) fn counters(pen: &mut Pen) -> Sketch {
    let (x, k, c) = (pen.length(0.6, 1.2), pen.number(4.0, 9.0), pen.number(0.02, 0.1));
    let count = [("n", "n + 1".to_owned())];
    let many = 2 + pen.choice(3);
    let sketch = Sketch::until(5.0)
        .state("x", 1, &x, "v")
        .state("v", 1, &pen.derived(0.0, 1), format!("-{k}*x - {c}*v"))
        .held("n", 0)
        .event(SketchEvent::when("pass", "x").direction("both").reset(&count));
    let enough = SketchEvent::when("enough", format!("n > {many}.5"));
    match pen.choice(3) {
        0 => sketch.event(enough.stop()),
        1 => sketch.event(enough.reset(&[("n", "0".to_owned()), ("v", "1.1*v".to_owned())])),
        _ => {
            let again = SketchEvent::when("again", "n >= 3").reset(&[("n", "0".to_owned())]);
            // Guards of closures do not include zero.
            return sketch.event(enough.reset(&[("v", "0.9*v".to_owned())])).event(again);
        }
    }
    .with_closures()
}

/// Events whose resets make others true.
pub(super) fn cascades(pen: &mut Pen) -> Sketch {
    let (a, low) = (pen.length(0.6, 1.4), pen.length(1.5, 2.5));
    let (back, high) = (pen.length(0.5, 0.9), pen.length(1.0, 1.3));
    let sketch = Sketch::until(5.0).state("x", 1, &pen.derived(0.0, 1), format!("-{a}"));
    let fall = SketchEvent::when("back", format!("x < -{low}")).reset(&[("x", format!("-{back}"))]);
    if pen.coin() {
        let times = (5.0 * a.value - low.value) / (low.value - back.value) + 1.0;
        let high = SketchEvent::when("high", format!("x > -{high}"));
        let sketch = sketch.event(fall).event(high).with_closures();
        // Not where the last of them is at the very end.
        let is_clear = (times - times.round()).abs() > 1e-3;
        let whole = (1..100).rev().find(|n| f64::from(*n) <= times).unwrap_or(0_u8);
        return if is_clear {
            sketch.happens("back", whole.into()).happens("high", whole.into())
        } else {
            sketch
        };
    }
    let set = |name: &'static str| [(name, "1".to_owned())];
    let clear = [("p", "0".to_owned()), ("q", "0".to_owned()), ("x", format!("-{back}"))];
    sketch
        .held("p", 0)
        .held("q", 0)
        .event(SketchEvent::when("first", format!("x < -{low}")).reset(&set("p")))
        .event(SketchEvent::when("second", "p > 0.5").reset(&set("q")))
        .event(SketchEvent::when("third", "q > 0.5").reset(&clear))
        .with_closures()
}

/// A whole number that formulas compare.
pub(super) fn gears(pen: &mut Pen) -> Sketch {
    let (shift, drag) = (pen.length(0.8, 1.2), pen.of(0.02, 0.05, -1));
    let (first, second, third) = (pen.length(2.0, 3.0), pen.length(1.4, 1.8), pen.length(0.8, 1.2));
    let up = [("gear", "gear + 1".to_owned())];
    let pull = format!("if(gear == 1, {first}, if(gear == 2, {second}, if(gear == 3, {third}, 0)))");
    let more = format!("if(v > {}*gear, {}, 0)", pen.length(0.5, 0.7), pen.length(0.05, 0.1));
    Sketch::until(3.0)
        .state("v", 1, &pen.derived(0.0, 1), format!("{pull} - {drag}*v^2 - {more}"))
        .held("gear", 1)
        .event(SketchEvent::when("up", format!("v > {shift}*gear")).reset(&up))
}
