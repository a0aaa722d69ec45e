//! Smooth curves: `curve = { x = "0.2*cos(s)", y = "0.1*sin(s)", s = [0, "2*pi"], closed = true }`.
//!
//! A curve is never a polygon: its tangent and its curvature are those of its formulas.

use super::bodies::check_keys;
use super::source::PartSource;
use super::term::{Pair, Term};
use crate::expr::{Arena, Dimension, ExprId, InputId, display, parse};
use crate::model::{Formula, PartAmount, Setting, SourceLocation};
use std::collections::BTreeMap;
use std::f64::consts::TAU;

const CURVE_KEYS: &[&str] = &["x", "y", "s", "closed", "mirror"];
/// The name of the parameter along a curve.
const PARAMETER: &str = "s";
/// At how many places a curve is looked at before the run.
pub(super) const SAMPLES: usize = 256;
/// Parts of the size of a curve below which two places, or two directions, are the same.
const SAME: f64 = 1e-6;

/// A curve in the axes of its shape.
#[derive(Clone, Debug)]
pub(super) struct SmoothCurve {
    /// Both coordinates, with their first and second derivatives by `s`, as formulas of it.
    orders: [[String; 2]; 3],
    pub(super) ends: [Term; 2],
    pub(super) is_closed: bool,
    /// Whether what is on its left is outside.
    pub(super) is_clockwise: bool,
    /// Whether it has ends, and is seen in a mirror.
    pub(super) is_turned_over: bool,
}

/// Of the length that a ball may be away from a hollow: it is found from samples.
const SURE: f64 = 0.98;

/// Values along a curve.
struct CurveSamples {
    places: Vec<f64>,
    /// x, y, and both of their derivatives.
    values: Vec<[f64; 6]>,
}

impl SmoothCurve {
    /// Reads the curve of a shape.
    pub(super) fn read(source: &mut PartSource, name: &str, value: &Setting) -> Option<Self> {
        let example = "curve = { x = \"0.2*cos(s)\", y = \"0.1*sin(s)\", s = [0, \"2*pi\"], closed = true }";
        source.keep(value.table(example))?;
        check_keys(source, value, CURVE_KEYS, &format!("the curve `{name}`"));
        let range = value.get("s").and_then(|range| source.pair_as(range, None));
        let (Some(x), Some(y), Some(ends)) = (value.get("x"), value.get("y"), range) else {
            let message = format!("the curve `{name}` needs `x`, `y` and `s`");
            source.error("missing-key", value.span.clone(), message, format!("for example `{example}`"));
            return None;
        };
        let is_closed = value.get("closed").and_then(|value| source.keep(value.boolean())) == Some(true);
        let [x, y] = [x, y].map(|value| coordinate(source, value, &ends[0]));
        let [x, y] = [x?, y?];
        let orders = [0, 1, 2].map(|order| [x[order].clone(), y[order].clone()]);
        let is_mirrored = value.get("mirror").and_then(|value| value.boolean().ok()) == Some(true);
        let is_turned_over = is_mirrored && !is_closed;
        let mut curve = Self { orders, ends, is_closed, is_clockwise: !is_closed, is_turned_over };
        if let Some(samples) = curve.samples(source.indices.values()) {
            if let Some((message, hint)) = curve.fault(&samples, source.indices.values()) {
                source.error("bad-shape", value.span.clone(), format!("curve `{name}` {message}"), hint);
                return None;
            }
            curve.is_clockwise = !is_closed || samples.area() < 0.0;
        }
        Some(curve)
    }

    /// An ellipse with these semi-axes, counter-clockwise.
    pub(super) fn ellipse(axes: &Pair) -> Self {
        let [a, b] = axes.each_ref().map(Term::text);
        let orders = [["", "cos", "sin"], ["-", "sin", "cos"], ["-", "cos", "sin"]];
        let mut orders =
            orders.map(|[sign, x, y]| [format!("{sign}({a})*{x}(s)"), format!("{sign}({b})*{y}(s)")]);
        orders[1][1] = format!("({b})*cos(s)");
        let ends = [Term::zero(), Term::number(TAU)];
        Self { orders, ends, is_closed: true, is_clockwise: false, is_turned_over: false }
    }

    /// A place on the curve, or a derivative of it by `s`.
    pub(super) fn at(&self, order: usize, s: &Term) -> Pair {
        [0, 1].map(|axis| Term::formula(&with(&self.orders[order][axis], s.text())))
    }

    /// The place that is this part of the whole from its first end.
    pub(super) fn part(&self, part: f64) -> Pair {
        let [from, to] = &self.ends;
        self.at(0, &(from + &(&(to - from) * &Term::number(part))))
    }

    /// The curve where its formulas have values.
    fn samples(&self, known: &BTreeMap<String, f64>) -> Option<CurveSamples> {
        let [from, to] = [&self.ends[0], &self.ends[1]].map(|end| value(end.text(), known));
        let (from, to) = (from?, to?);
        let place = |i: usize| from + (to - from) * i as f64 / SAMPLES as f64;
        let places: Vec<f64> = (0..=SAMPLES).map(place).collect();
        let values = self.values(&places, known)?;
        Some(CurveSamples { places, values })
    }

    fn values(&self, places: &[f64], known: &BTreeMap<String, f64>) -> Option<Vec<[f64; 6]>> {
        let mut arena = Arena::new();
        let mut ids = Vec::new();
        for text in self.orders.iter().flatten() {
            ids.push(lowered(text, &mut arena, known)?);
        }
        let one = |s: &f64| {
            let values = arena.evaluate(&ids, &[*s]);
            [0, 1, 2, 3, 4, 5].map(|i| values[i])
        };
        Some(places.iter().map(one).collect())
    }

    /// How near to the curve every place on one side has a single foot, seen from right (+1) or left: the least of
    /// `|q - p|² / (2 (q - p)·n)` over all pairs of places. Infinite where nothing is hollow; none where it is not known.
    pub(super) fn reach(&self, side: f64, known: &BTreeMap<String, f64>) -> Option<f64> {
        let samples = self.samples(known)?;
        let mut reach = f64::INFINITY;
        for &[px, py, dx, dy, ddx, ddy] in &samples.values {
            let speed = dx.hypot(dy);
            let [nx, ny] = [side * dy / speed, -side * dx / speed];
            let into = ddx * nx + ddy * ny;
            if into > SAME * speed * speed / samples.size() {
                reach = reach.min(speed * speed / into);
            }
            for &[qx, qy, ..] in &samples.values {
                let (x, y) = (qx - px, qy - py);
                let into = x * nx + y * ny;
                if into > SAME * x.hypot(y) {
                    reach = reach.min((x * x + y * y) / (2.0 * into));
                }
            }
        }
        Some(SURE * reach)
    }

    /// The place that is nearest to a point: the nearest of many, and from there to where the curve goes neither nearer
    /// nor farther.
    pub(super) fn nearest(&self, [x, y]: [f64; 2], known: &BTreeMap<String, f64>) -> Option<f64> {
        let samples = self.samples(known)?;
        let away = |value: &[f64; 6]| (value[0] - x).hypot(value[1] - y);
        let nearest = |a: &(usize, f64), b: &(usize, f64)| a.1.total_cmp(&b.1);
        let (best, _) = samples.values.iter().map(away).enumerate().min_by(nearest)?;
        let (s, step) = (samples.places[best], samples.places[1] - samples.places[0]);
        let slope = |s: f64| {
            let values = self.values(&[s], known).and_then(|values| values.first().copied());
            values.map_or(f64::NAN, |[cx, cy, dx, dy, ..]| (x - cx) * dx + (y - cy) * dy)
        };
        Some(falling_zero(slope, [s - step, s + step]).unwrap_or(s))
    }

    /// What is wrong with a curve, and the cure.
    fn fault(&self, samples: &CurveSamples, known: &BTreeMap<String, f64>) -> Option<(String, &'static str)> {
        let (first, last) = (samples.places[0], samples.places[SAMPLES]);
        let is_finite = samples.values.iter().flatten().all(|value| value.is_finite());
        if first.is_nan() || last.is_nan() || first >= last || !is_finite {
            let hint = "`s` goes from a smaller to a larger number, and `x` and `y` are finite there";
            return Some((format!("is not known from s = {first} to {last}"), hint));
        }
        let speeds = samples.values.iter().map(|value| value[2].hypot(value[3]));
        let (slowest, fastest) = speeds.fold((f64::INFINITY, 0.0_f64), |(a, b), v| (a.min(v), b.max(v)));
        if slowest <= SAME * fastest {
            let hint = "a smooth curve goes on everywhere as `s` grows; give a corner to two shapes";
            return Some(("stands still somewhere along `s`".to_owned(), hint));
        }
        if !self.is_closed {
            return None;
        }
        let size = samples.size();
        let gap = samples.distance(0, SAMPLES);
        if gap > SAME * size {
            let hint = "let `s` go once round, or leave out `closed`";
            return Some((format!("is not closed: its ends are {gap:.3e} m apart"), hint));
        }
        let beyond = [0.01, 0.21, 0.62].map(|part| part * (last - first));
        let [here, there] = [first, last].map(|end| self.values(&beyond.map(|more| end + more), known));
        let is_apart = |(a, b): (&[f64; 6], &[f64; 6])| (a[0] - b[0]).hypot(a[1] - b[1]) > SAME * size;
        if here?.iter().zip(&there?).any(is_apart) {
            let hint = "beyond its range a closed curve goes on from the beginning, as `cos(s)` does";
            return Some(("does not repeat itself beyond its range".to_owned(), hint));
        }
        None
    }

    /// Whether a disc that rolls on one side of it, or along it, finds a place everywhere; none where that is not known.
    pub(super) fn has_room(&self, (radius, side): (f64, f64), known: &BTreeMap<String, f64>) -> Option<bool> {
        let samples = self.samples(known)?;
        let room = |&[_, _, dx, dy, ddx, ddy]: &[f64; 6]| {
            let squared = dx * dx + dy * dy;
            squared.sqrt() + side * radius * (dx * ddy - dy * ddx) / squared
        };
        Some(samples.values.iter().all(|value| room(value) > 0.0))
    }
}

impl CurveSamples {
    /// What it goes around; negative if it goes clockwise.
    fn area(&self) -> f64 {
        let step = |pair: &[[f64; 6]]| pair[0][0] * pair[1][1] - pair[1][0] * pair[0][1];
        self.values.windows(2).map(step).sum()
    }

    fn distance(&self, a: usize, b: usize) -> f64 {
        let [a, b] = [&self.values[a], &self.values[b]];
        (a[0] - b[0]).hypot(a[1] - b[1])
    }

    fn size(&self) -> f64 {
        (0..SAMPLES).map(|i| self.distance(0, i)).fold(0.0, f64::max)
    }
}

/// Where a function falls through zero, by halving as often as doubles allow.
pub(super) fn falling_zero(function: impl Fn(f64) -> f64, [mut low, mut high]: [f64; 2]) -> Option<f64> {
    if !(function(low) > 0.0 && function(high) < 0.0) {
        return None;
    }
    for _ in 0..f64::MANTISSA_DIGITS {
        let middle = 0.5 * (low + high);
        if function(middle) > 0.0 { low = middle } else { high = middle }
    }
    Some(0.5 * (low + high))
}

/// A coordinate of a curve and its first two derivatives.
fn coordinate(source: &mut PartSource, value: &Setting, from: &Term) -> Option<[String; 3]> {
    let written = source.keep(value.formula_text())?;
    let (text, span) = (source.expand(&written, &value.span), &value.span);
    let syntax = match parse(&text) {
        Ok(syntax) => syntax,
        Err(error) => {
            let text_start = value.text_start().filter(|_| text == written);
            let place = SourceLocation { text_start, ..SourceLocation::whole(span.clone()) };
            let hint = error.hint.unwrap_or_else(|| "write a formula of `s`".to_owned());
            source.error("formula-syntax", place.part(&error.span), error.message, hint);
            return None;
        }
    };
    // All other names are checked with those of other formulas.
    let checked = parse(&with(&text, from.text())).ok()?;
    let formula = Formula { syntax: checked, place: SourceLocation::whole(span.clone()) };
    let needed = Some(Dimension::LENGTH);
    source.amounts.push(PartAmount { key: value.last_key().to_owned(), formula, moves: false, needed });
    let mut names = vec![PARAMETER.to_owned()];
    names.extend(syntax.names().map(|(name, _)| name.to_owned()).filter(|name| name != PARAMETER));
    let mut arena = Arena::new();
    let inputs: Vec<ExprId> = (0..names.len()).map(|i| arena.input(input(i))).collect();
    let place = |name: &str| names.iter().position(|known| known == name).map(|i| inputs[i]);
    let id = syntax.lower(&mut arena, &mut |name| place(name)).ok()?;
    if !arena.jumps_and_kinks(&[id]).is_empty() {
        let message = format!("`{written}` is not smooth");
        let hint = "a curve has no corners: use smooth functions, or shapes side by side";
        source.error("bad-shape", span.clone(), message, hint);
        return None;
    }
    let first = arena.derivative(id, input(0));
    let second = arena.derivative(first, input(0));
    let print = |id| display(&arena, id, &|input| names.get(input.index()).cloned().unwrap_or_default());
    Some([text, print(first), print(second)])
}

fn input(i: usize) -> InputId {
    InputId(u32::try_from(i).unwrap_or(u32::MAX))
}

/// A formula of `s` and of known names in an arena, in which `s` is the first input.
fn lowered(text: &str, arena: &mut Arena, known: &BTreeMap<String, f64>) -> Option<ExprId> {
    let syntax = parse(text).ok()?;
    let mut ids = BTreeMap::from([(PARAMETER.to_owned(), arena.input(input(0)))]);
    for (name, _) in syntax.names().filter(|(name, _)| *name != PARAMETER) {
        ids.insert(name.to_owned(), arena.constant(*known.get(name)?));
    }
    syntax.lower(arena, &mut |name| ids.get(name).copied()).ok()
}

fn value(text: &str, known: &BTreeMap<String, f64>) -> Option<f64> {
    let mut arena = Arena::new();
    let id = lowered(text, &mut arena, known)?;
    Some(arena.evaluate(&[id], &[f64::NAN])[0])
}

/// A formula with something else in the place of `s`.
pub(super) fn with(text: &str, other: &str) -> String {
    let Ok(syntax) = parse(text) else { return text.to_owned() };
    let (mut result, mut done) = (String::new(), 0);
    let mut places: Vec<_> = syntax.names().filter(|(name, _)| *name == PARAMETER).collect();
    places.sort_by_key(|(_, span)| span.start);
    for (_, span) in places {
        result = result + &text[done..span.start] + other;
        done = span.end;
    }
    result + &text[done..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_parameter_is_replaced() {
        assert_eq!(with("s * sin(s) + 3 s + ss", "(a + b)"), "(a + b) * sin((a + b)) + 3 s + ss");
    }
}
