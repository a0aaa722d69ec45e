//! Feet on curves: the coordinates along them, what holds them, and where they are no longer known.

use super::gaps::CurveFoot;
use super::lowered::LoweredParts;
use super::overlap::Drawing;
use super::source::PartSource;
use super::term::Term;
use std::ops::Range;

/// Adds feet to a model.
pub(super) struct CurveFeet<'f> {
    pub(super) source: &'f mut PartSource,
    pub(super) lowered: &'f mut LoweredParts,
    pub(super) span: &'f Range<usize>,
}

impl CurveFeet<'_> {
    /// Adds the foot of a contact with this name; none, and an error, if it is not known where it is.
    pub(super) fn add(&mut self, contact: &str, foot: &CurveFoot) -> Option<()> {
        let drawing = Drawing::new(self.source, self.lowered);
        let known = self.source.indices.values();
        let curve = &foot.border.curve;
        let [x, y] = foot.at.each_ref().map(|term| drawing.value_of(term.text()));
        // Names that are not known are told elsewhere.
        let nearest = x.zip(y).and_then(|(x, y)| curve.nearest([x, y], known));
        let start = nearest.map_or_else(|| curve.ends[0].clone(), Term::number);
        let reach = curve.reach(foot.border.side, known).unwrap_or(f64::INFINITY);
        self.lowered.coordinate(&foot.name, [&start, &Term::zero()], self.span);
        self.lowered.constraint(&format!("contact.{contact}.foot"), &foot.row, self.span);
        let drawing = Drawing::new(self.source, self.lowered);
        let away = drawing.value_of(foot.distance.text()).unwrap_or(0.0);
        if away > reach {
            let message = format!(
                "the disc of contact `{contact}` is {away:.3e} m away from its curve, and farther than {reach:.3e} m it may be next to more places than one"
            );
            let hint = "begin nearer to the hollow of the curve, or cut the curve into pieces that are touched one by one";
            self.source.error("bad-contact", self.span.clone(), message, hint);
            return None;
        }
        self.watch(contact, foot, reach);
        Some(())
    }

    /// The run ends where the foot is no longer known: what touches there would be missed.
    fn watch(&mut self, contact: &str, foot: &CurveFoot, reach: f64) {
        let curve = &foot.border.curve;
        let mut ends = Vec::new();
        if reach.is_finite() {
            ends.push(format!("{} > {}", foot.distance.text(), Term::number(reach).text()));
        }
        if !curve.is_closed {
            let [from, to] = curve.ends.each_ref().map(Term::text);
            ends.push(format!("{} < {from}", foot.name));
            ends.push(format!("{} > {to}", foot.name));
        }
        if ends.is_empty() {
            return;
        }
        let guard = Term::formula(&ends.join(" or "));
        self.lowered.event(&format!("contact.{contact}.lost"), &guard, Vec::new(), self.span);
        if let Some(event) = self.lowered.events.last_mut() {
            event.stop_after = Some(1);
        }
    }
}
