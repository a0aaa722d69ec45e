//! Why the bodies of a model cannot be put together, in the words of the model and at a place of its file.

use super::{Error, Overrides, Plan, assemble};
use crate::model::{Diagnostic, Model};
use std::ops::Range;

/// What the names of the constraints of drives begin with, and end with.
const DRIVE: (&str, &str) = ("drive.", ".row");

/// What is wrong with the start of a model, with its place; none if that is not known of its parts.
pub fn explain_start(model: &Model, error: &Error, overrides: &Overrides) -> Option<Diagnostic> {
    let model = model.drawing.as_deref().unwrap_or(model);
    let Error::NotConsistent { what, left, about, .. } = error else { return None };
    if what != "the start" || model.mechanism.bodies.is_empty() {
        return None;
    }
    let fault = StartFault { model, about, overrides };
    let found = fault.branch(left).or_else(|| fault.drives()).or_else(|| fault.pins());
    found.or_else(|| fault.open_loop(left))
}

struct StartFault<'f> {
    model: &'f Model,
    about: &'f [String],
    overrides: &'f Overrides,
}

fn diagnostic(span: &Range<usize>, message: String, hint: &str) -> Diagnostic {
    Diagnostic::new("not-consistent", span.clone(), message).hint(hint)
}

impl StartFault<'_> {
    /// It closes in the other way.
    fn branch(&self, left: &str) -> Option<Diagnostic> {
        let branches = &self.model.mechanism.start.branches;
        let rule = branches.iter().find(|rule| self.about.contains(&rule.name))?;
        let message = format!("the loop closes only the other way: {left}");
        let hint = "draw its bodies nearer to where they should be, or ask for the other branch";
        Some(diagnostic(&rule.span, message, hint))
    }

    /// Whether it can be put together after something was taken from the model.
    fn closes_without(&self, change: impl FnOnce(&mut Model)) -> bool {
        let mut model = self.model.clone();
        change(&mut model);
        let plan = Plan::new(&model, self.overrides);
        plan.is_ok_and(|plan| assemble(&plan).is_ok_and(|assembly| assembly.is_some()))
    }

    /// Drives that move the same in two ways.
    fn drives(&self) -> Option<Diagnostic> {
        let constraints = &self.model.mechanism.constraints;
        let of_drive = |name: &str| Some(name.strip_prefix(DRIVE.0)?.strip_suffix(DRIVE.1)?.to_owned());
        let alone = |name: &str| {
            self.closes_without(|model| {
                model.mechanism.constraints.retain(|constraint| constraint.name != name);
                model.outputs.retain(|output| !output.formula.syntax.text().contains(name));
            })
        };
        let drives = constraints.iter().filter(|constraint| of_drive(&constraint.name).is_some());
        let guilty: Vec<_> = drives.filter(|constraint| alone(&constraint.name)).collect();
        let [first, _, ..] = &guilty[..] else { return None };
        let names: Vec<String> =
            guilty.iter().filter_map(|drive| of_drive(&drive.name)).map(|name| format!("`{name}`")).collect();
        let message = format!("drives {} move one degree of freedom, and not alike", names.join(", "));
        Some(diagnostic(&first.span, message, "keep one of them"))
    }

    /// What is pinned cannot stay.
    fn pins(&self) -> Option<Diagnostic> {
        let pins = &self.model.mechanism.start.pins;
        let first = pins.first()?;
        let is_pinned = |name: &String| pins.iter().any(|pin| pin.name == *name);
        if !self.closes_without(|model| model.mechanism.start.pinned.retain(|name| !is_pinned(name))) {
            return None;
        }
        let joints = self.joints().iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let joints = if joints.is_empty() { String::new() } else { format!(" joint {joints}") };
        let message = format!("`pinned` contradicts{joints}: `{}` cannot stay where it is drawn", first.name);
        Some(diagnostic(&first.span, message, "draw it elsewhere, or let it move"))
    }

    /// The joints that stay open, by name.
    fn joints(&self) -> Vec<&str> {
        let mut joints: Vec<&str> =
            self.about.iter().filter_map(|name| Some(self.model.joint_of(name)?.name.as_str())).collect();
        joints.dedup();
        joints
    }

    /// A loop that does not reach.
    fn open_loop(&self, left: &str) -> Option<Diagnostic> {
        let joint = self.about.iter().find_map(|name| self.model.joint_of(name))?;
        let Some(found) = self.model.loop_of(joint) else {
            let message = format!("joint `{}` stays open: {left}", joint.name);
            return Some(diagnostic(
                &joint.span,
                message,
                "draw its bodies nearer to each other, or check its points",
            ));
        };
        let names = found.joints.join(", ");
        let message = match found.short {
            Some((reach, needed)) => {
                let apart = 1e3 * (needed - reach);
                format!(
                    "loop {names} stays open by {apart:.3} mm: its links reach {reach:.4} m, needed {needed:.4} m"
                )
            }
            None => format!("loop {names} stays open: {left}"),
        };
        let hint = "check the lengths, or draw the bodies nearer to where the loop closes";
        Some(diagnostic(&joint.span, message, hint))
    }
}
