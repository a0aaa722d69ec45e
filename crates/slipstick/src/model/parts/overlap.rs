//! Shapes that are in each other where they are drawn.

use super::lowered::{GapRule, LoweredParts};
use super::shapes::BodyShape;
use super::source::PartSource;
use crate::expr::{Arena, Syntax, parse};
use crate::model::{Definition, Diagnostic, dependency_order, speed_of};
use std::collections::BTreeMap;
use std::ops::Range;

/// How deep things may be in each other, as a part of what they are away from the origin and of their size: the start of a
/// run puts such a depth right.
const TOLERATED: f64 = 1e-6;

/// Pairs of shapes with their contacts.
#[derive(Default)]
pub(super) struct Overlaps {
    pairs: Vec<PairOfShapes>,
}

struct PairOfShapes {
    shapes: [String; 2],
    contacts: Vec<String>,
}

/// Values of names in the drawing.
pub(super) struct Drawing {
    values: BTreeMap<String, f64>,
}

impl Overlaps {
    pub(super) fn watch(&mut self, shapes: [&BodyShape; 2], contacts: impl Iterator<Item = String>) {
        let shapes = shapes.map(|shape| shape.name.clone());
        self.pairs.push(PairOfShapes { shapes, contacts: contacts.collect() });
    }

    /// Reports the pairs that overlap in the drawing, if it is one in which all joints hold: otherwise things
    /// move before a run begins, and the run says what overlaps then.
    pub(super) fn check(&self, source: &mut PartSource, lowered: &LoweredParts) {
        let drawing = Drawing::new(source, lowered);
        if !self.pairs.is_empty() && drawing.holds(lowered) {
            let gaps: BTreeMap<&str, &GapRule> =
                lowered.contacts.iter().map(|rule| (rule.name.as_str(), rule)).collect();
            for pair in &self.pairs {
                let depths = pair.contacts.iter().filter_map(|name| drawing.depth(gaps.get(name.as_str())?));
                let deepest = depths.max_by(|a, b| a.0.total_cmp(&b.0));
                source.errors.extend(deepest.map(|(depth, span)| overlap(&pair.shapes, depth, span)));
            }
        }
    }
}

fn overlap([first, second]: &[String; 2], depth: f64, span: Range<usize>) -> Diagnostic {
    let message = format!("`{first}` is {} inside `{second}` at the start", in_words(depth));
    let hint = "draw one of them elsewhere, or leave the pair out of the contact";
    Diagnostic::new("overlap", span, message).hint(hint)
}

/// A length in a unit that suits it.
fn in_words(length: f64) -> String {
    let (factor, unit) = match length {
        x if x < 1e-4 => (1e6, "um"),
        x if x < 1.0 => (1e3, "mm"),
        _ => (1.0, "m"),
    };
    let number = length * factor;
    let digits = if number < 10.0 { 2 } else { 0 };
    let text = format!("{number:.digits$}");
    let text = if digits > 0 { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text} {unit}")
}

impl Drawing {
    pub(super) fn new(source: &PartSource, lowered: &LoweredParts) -> Self {
        let mut drawing = Self { values: source.indices.values().clone() };
        // Time does not begin elsewhere without `from`, of which nothing is known here.
        drawing.values.insert("t".to_owned(), 0.0);
        drawing.add(&lowered.drawn);
        drawing.add(&lowered.coordinates);
        drawing.add(&lowered.places());
        drawing.add(&lowered.discrete);
        for coordinate in &lowered.coordinates {
            drawing.values.insert(speed_of(&coordinate.name), 0.0);
        }
        drawing
    }

    fn add(&mut self, definitions: &[Definition]) {
        let names: Vec<&str> = definitions.iter().map(|d| d.name.as_str()).collect();
        let uses = |i: usize| definitions[i].formula.syntax.names().map(|(name, _)| name).collect();
        for i in dependency_order(&names, uses).unwrap_or_default() {
            if let Some(value) = self.value(&definitions[i].formula.syntax) {
                self.values.insert(definitions[i].name.clone(), value);
            }
        }
    }

    /// The value of a formula, if all of its names have one.
    pub(super) fn value_of(&self, text: &str) -> Option<f64> {
        self.value(&parse(text).ok()?)
    }

    fn value(&self, syntax: &Syntax) -> Option<f64> {
        let mut arena = Arena::new();
        let mut known = BTreeMap::new();
        for (name, _) in syntax.names() {
            known.insert(name.to_owned(), arena.constant(*self.values.get(name)?));
        }
        let id = syntax.lower(&mut arena, &mut |name| known.get(name).copied()).ok()?;
        Some(arena.evaluate(&[id], &[])[0])
    }

    /// The size of the numbers in a formula.
    fn size(&self, syntax: &Syntax) -> f64 {
        let values = syntax.names().filter_map(|(name, _)| self.values.get(name));
        values.fold(0.0, |most: f64, value| most.max(value.abs()))
    }

    /// Whether everything holds that is kept.
    fn holds(&self, lowered: &LoweredParts) -> bool {
        lowered.constraints.iter().all(|constraint| {
            let syntax = &constraint.formula.syntax;
            self.value(syntax).is_none_or(|left| left.abs() <= TOLERATED * self.size(syntax))
        })
    }

    /// How deep two shapes are in each other, with where that stands.
    fn depth(&self, rule: &GapRule) -> Option<(f64, Range<usize>)> {
        let syntax = &rule.gap.syntax;
        let gap = self.value(syntax)?;
        (gap < -TOLERATED * self.size(syntax)).then(|| (-gap, rule.span.clone()))
    }
}
