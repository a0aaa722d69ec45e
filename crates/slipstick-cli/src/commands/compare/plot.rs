//! Small plots with logarithmic axes, as SVG. Colours come from the style sheet of the page, so that they are
//! right by day and by night.

use std::fmt::Write;

const WIDTH: f64 = 400.0;
const HEIGHT: f64 = 260.0;
/// Left, right, top, bottom.
const MARGIN: [f64; 4] = [54.0, 18.0, 10.0, 36.0];

/// The class of the curve of a number: there are eight colours, the next eight curves are dashed.
pub(super) fn class(number: usize) -> String {
    let dashed = if number % 16 < 8 { "" } else { " dashed" };
    format!("c{}{dashed}", number % 8)
}

/// An axis from one number to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    pub(super) title: &'static str,
    low: f64,
    high: f64,
    logarithmic: bool,
}

impl Axis {
    /// From the least to the largest of the values, by logarithms, with whole powers of ten at both ends.
    pub(super) fn powers(title: &'static str, values: impl Iterator<Item = f64>) -> Self {
        let usable = values.filter(|x| *x > 0.0 && x.is_finite()).map(f64::log10);
        let (low, high) = usable.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
        let (low, high) = if low <= high { (low.floor(), high.ceil()) } else { (0.0, 1.0) };
        Self { title, low, high: high.max(low + 1.0), logarithmic: true }
    }

    /// By logarithms, from one on and a little further than the value.
    pub(super) fn from_one(title: &'static str, high: f64) -> Self {
        Self { title, low: 0.0, high: (1.1 * high.max(2.0)).log10(), logarithmic: true }
    }

    /// From zero to one.
    pub(super) fn share(title: &'static str) -> Self {
        Self { title, low: 0.0, high: 1.0, logarithmic: false }
    }

    /// Where a value is, as a part of the axis.
    fn part(self, value: f64) -> f64 {
        let x = if self.logarithmic { value.log10() } else { value };
        ((x - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    /// The values with a mark, and what they are called.
    fn marks(self) -> Vec<(f64, String)> {
        if !self.logarithmic {
            return [0.0, 0.25, 0.5, 0.75, 1.0].map(|x| (x, format!("{x}"))).into();
        }
        if self.high - self.low < 2.0 && self.low == 0.0 {
            let all: [f64; 9] = [1.0, 1.2, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0];
            return all.into_iter().filter(|x| x.log10() <= self.high).map(|x| (x, format!("{x}"))).collect();
        }
        let (low, count) = (self.low.ceil(), (self.high - self.low).floor());
        let stride = (count / 6.0).ceil().max(1.0);
        let marks = (0..=6).map(|k| low + stride * f64::from(k)).filter(|power| *power <= self.high);
        marks.map(|power| (10_f64.powf(power), format!("1e{power}"))).collect()
    }
}

/// A plot that is drawn curve by curve.
pub(super) struct Plot {
    x: Axis,
    y: Axis,
    drawn: String,
}

impl Plot {
    pub(super) fn new(x: Axis, y: Axis) -> Self {
        Self { x, y, drawn: String::new() }
    }

    fn at(&self, x: f64, y: f64) -> (f64, f64) {
        let [left, right, top, bottom] = MARGIN;
        let across = left + self.x.part(x) * (WIDTH - left - right);
        (across, HEIGHT - bottom - self.y.part(y) * (HEIGHT - top - bottom))
    }

    /// A line through points, with a dot at each if they are runs. Colours have numbers.
    pub(super) fn curve(&mut self, colour: usize, points: &[(f64, f64)], dots: bool) {
        let places: Vec<(f64, f64)> = points.iter().map(|(x, y)| self.at(*x, *y)).collect();
        let text: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let colour = class(colour);
        let _ = write!(self.drawn, "<polyline class=\"{colour}\" points=\"{}\"/>", text.join(" "));
        for (x, y) in places.iter().filter(|_| dots) {
            let _ = write!(self.drawn, "<circle class=\"{colour}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"/>");
        }
    }

    /// The whole picture; `label` is for those who cannot see it.
    pub(super) fn svg(&self, label: &str) -> String {
        let [left, right, top, bottom] = MARGIN;
        let mut grid = String::new();
        for (value, text) in self.x.marks() {
            let (x, _) = self.at(value, f64::NAN);
            let (low, under) = (HEIGHT - bottom, HEIGHT - bottom + 14.0);
            let _ = write!(
                grid,
                "<path d=\"M{x:.1} {top}V{low}\"/><text x=\"{x:.1}\" y=\"{under}\" text-anchor=\"middle\">{text}</text>"
            );
        }
        for (value, text) in self.y.marks() {
            let (_, y) = self.at(f64::NAN, value);
            let (end, beside) = (WIDTH - right, left - 5.0);
            let _ = write!(
                grid,
                "<path d=\"M{left} {y:.1}H{end}\"/><text x=\"{beside}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>",
                y + 3.5
            );
        }
        let (middle, foot) = (0.5 * (left + WIDTH - right), HEIGHT - 5.0);
        let height = 0.5 * (top + HEIGHT - bottom);
        format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{label}\"><g class=\"grid\">{grid}</g>\
             <text class=\"axis\" x=\"{middle}\" y=\"{foot}\" text-anchor=\"middle\">{}</text>\
             <text class=\"axis\" transform=\"translate(11 {height}) rotate(-90)\" text-anchor=\"middle\">{}</text>{}</svg>",
            self.x.title, self.y.title, self.drawn
        )
    }
}
