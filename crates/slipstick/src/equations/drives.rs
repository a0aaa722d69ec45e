//! Formulas of time alone in the forces and constraints of a mechanism: what drives it from outside.
//!
//! While nothing moves, steps grow. A pulse that is far shorter than a step then lies between all times that the step
//! looks at. Intervals enclose a formula over all times of a step, so that no pulse can hide.

use super::tapes::Compiler;
use crate::expr::{Arena, BinaryOp, Bounds, ExprId, InputId, Node, Tape, UnaryOp};

/// The time among the inputs of tapes.
const TIME: InputId = InputId(0);
/// The parts of an interval of time that are looked at.
const PARTS: usize = 8;
/// How far a formula may go beyond its samples, as a part of the range of these, and still count as seen.
const SEEN: f64 = 0.25;
/// A search has found a peak when no other can be this many times as high.
const NEARLY_HIGHEST: f64 = 2.0;
/// How many parts a search looks at before it takes the best that it has.
const MOST_PARTS: usize = 256;

/// The formulas of time in these formulas: as large as they come, but for sums, the terms of which are looked at one by
/// one. What grows evenly hides nothing. Fixed is an input that stays as it is while a step is made.
fn drives(arena: &mut Arena, formulas: &[ExprId], is_fixed: impl Fn(InputId) -> bool) -> Vec<ExprId> {
    let kinds = kinds(arena, is_fixed);
    let mut found = Vec::new();
    let mut add = |id: ExprId| {
        if kinds[id.index()] == Varies::Drive && !found.contains(&id) {
            found.push(id);
        }
    };
    formulas.iter().copied().for_each(&mut add);
    for id in arena.reachable(formulas) {
        if kinds[id.index()] == Varies::Moves {
            arena.node(id).operands().for_each(&mut add);
        }
    }
    let mut terms = Vec::new();
    while let Some(id) = found.pop() {
        match arena.node(id) {
            Node::Binary(BinaryOp::Add | BinaryOp::Subtract, a, b) => {
                found.extend([a, b].into_iter().filter(|id| kinds[id.index()] == Varies::Drive));
            }
            Node::Unary(UnaryOp::Negate, x) => found.push(x),
            _ if !terms.contains(&id) => terms.push(id),
            _ => {}
        }
    }
    terms.retain(|&term| {
        let slope = arena.derivative(term, TIME);
        arena.depends_on(slope, TIME)
    });
    terms
}

/// What an expression depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Varies {
    /// Nothing that changes within a step.
    Fixed,
    /// Time alone.
    Drive,
    /// The state.
    Moves,
}

fn kinds(arena: &Arena, is_fixed: impl Fn(InputId) -> bool) -> Vec<Varies> {
    let mut kinds: Vec<Varies> = Vec::with_capacity(arena.len());
    for id in arena.ids() {
        kinds.push(match arena.node(id) {
            Node::Input(TIME) => Varies::Drive,
            Node::Input(input) if is_fixed(input) => Varies::Fixed,
            Node::Input(_) => Varies::Moves,
            node => node.operands().map(|operand| kinds[operand.index()]).max().unwrap_or(Varies::Fixed),
        });
    }
    kinds
}

/// The drives of a mechanism, compiled.
pub(super) fn compile(compiler: &mut Compiler<'_>, states: usize) -> Vec<Tape> {
    let (parts, motion) = (&compiler.bound.parts.mechanism, compiler.bound.first_of_motion());
    let formulas: Vec<ExprId> = parts.force.iter().chain(&parts.level).copied().collect();
    let is_fixed = |input: InputId| (1 + states..motion).contains(&input.index());
    let drives = drives(compiler.arena, &formulas, is_fixed);
    drives.into_iter().map(|drive| compiler.compile(&[drive])).collect()
}

/// The highest peak of a formula of time in an interval, if it is not seen in samples. `enclose` gives bounds for all
/// times between two.
pub(super) fn hidden_peak(
    enclose: &mut dyn FnMut(f64, f64) -> Bounds,
    (from, to): (f64, f64),
) -> Option<f64> {
    let at = |k: usize| from + (to - from) * k as f64 / PARTS as f64;
    let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
    for k in 0..=PARTS {
        let value = enclose(at(k), at(k)).value;
        least = least.min(value.lo);
        most = most.max(value.hi);
    }
    if !(least.is_finite() && most.is_finite()) {
        return None;
    }
    let margin = SEEN * (most - least);
    let mut search = PeakSearch { enclose, least, most, open: Vec::new(), peak: None };
    for k in 0..PARTS {
        search.open_part(at(k), at(k + 1), margin);
    }
    search.run(margin)
}

/// A search for the time at which a formula is furthest from its samples.
struct PeakSearch<'e> {
    enclose: &'e mut dyn FnMut(f64, f64) -> Bounds,
    least: f64,
    most: f64,
    /// Parts in which it can be beyond what was found, with how far that can be.
    open: Vec<(f64, f64, f64)>,
    /// The best so far, with its height.
    peak: Option<(f64, f64)>,
}

impl PeakSearch<'_> {
    fn run(&mut self, margin: f64) -> Option<f64> {
        for _ in 0..MOST_PARTS {
            let highest = (0..self.open.len()).max_by(|&a, &b| self.open[a].2.total_cmp(&self.open[b].2));
            let Some(highest) = highest else { break };
            let (lo, hi, bound) = self.open.swap_remove(highest);
            let so_far = self.peak.map_or(margin, |(_, height)| NEARLY_HIGHEST * height);
            if bound <= so_far {
                break;
            }
            let middle = 0.5 * (lo + hi);
            if !(lo < middle && middle < hi) {
                break;
            }
            let value = (self.enclose)(middle, middle).value;
            let height = (value.lo - self.most).max(self.least - value.hi);
            if height > self.peak.map_or(margin, |(_, height)| height) {
                self.peak = Some((middle, height));
            }
            self.open_part(lo, middle, margin);
            self.open_part(middle, hi, margin);
        }
        self.peak.map(|(peak, _)| peak)
    }

    /// Keeps a part if the formula can go beyond the margin there. Where nothing is known, nothing is looked for.
    fn open_part(&mut self, lo: f64, hi: f64, margin: f64) {
        let Bounds { value, slope, jumps } = (self.enclose)(lo, hi);
        if value.nan || !value.is_bounded() {
            return;
        }
        let (mut least, mut most) = (value.lo, value.hi);
        if !jumps && slope.is_bounded() {
            let middle = (self.enclose)(0.5 * (lo + hi), 0.5 * (lo + hi)).value;
            let goes = 0.5 * (hi - lo) * slope.lo.abs().max(slope.hi.abs());
            (least, most) = (least.max(middle.lo - goes), most.min(middle.hi + goes));
        }
        let bound = (most - self.most).max(self.least - least);
        if bound > margin {
            self.open.push((lo, hi, bound));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Boxes, Interval, parse};

    /// The hidden peak of a formula of `t`.
    fn peak_of(text: &str, from: f64, to: f64) -> Option<f64> {
        let mut arena = Arena::new();
        let t = arena.input(TIME);
        let id = parse(text).unwrap().lower(&mut arena, &mut |_| Some(t)).unwrap();
        let tape = Tape::compile(&arena, 1, &[id]);
        let mut boxes = Boxes::default();
        let mut enclose = |lo: f64, hi: f64| {
            boxes.inputs_of(&tape)[0] = Bounds::moving(Interval::new(lo, hi), Interval::point(1.0));
            boxes.run(&tape)
        };
        hidden_peak(&mut enclose, (from, to))
    }

    #[test]
    fn a_pulse_is_found_however_short_it_is() {
        for width in [1e-1, 1e-3, 1e-6, 1e-9] {
            let text = format!("3 * exp(-((t - 3.217) / {width})^2)");
            let peak = peak_of(&text, 0.0, 100.0).expect("a pulse");
            assert!((peak - 3.217).abs() < width, "{width}: {peak}");
            assert_eq!(peak_of(&text, 4.0, 100.0), None);
        }
    }

    #[test]
    fn what_samples_show_is_not_hidden() {
        for text in ["sin(t)", "t^2", "exp(-t)", "sin(t) * t", "1 / (1 + t^2)"] {
            assert_eq!(peak_of(text, 0.0, 3.0), None, "{text}");
        }
        assert!(peak_of("sin(40 * t)", 0.0, 10.0).is_some());
    }

    #[test]
    fn where_nothing_is_known_nothing_is_looked_for() {
        assert_eq!(peak_of("1 / (t - 1.03)", 0.0, 2.0), None);
        assert_eq!(peak_of("ln(t - 5)", 0.0, 2.0), None);
    }

    #[test]
    fn terms_of_sums_are_looked_at_one_by_one() {
        let mut arena = Arena::new();
        let (t, x) = (arena.input(TIME), arena.input(InputId(1)));
        let text = "x * (10 * t + exp(-t^2)) - sin(2 * t) + 3 * t";
        let named = |name: &str| Some(if name == "t" { t } else { x });
        let id = parse(text).unwrap().lower(&mut arena, &mut |name| named(name)).unwrap();
        assert_eq!(drives(&mut arena, &[id], |_| false).len(), 2);
        let fixed = drives(&mut arena, &[id], |_| true);
        assert!(fixed.len() <= 2, "{}", fixed.len());
    }
}
