//! A contact of a drawn model, before it is written.

use super::pen::{Pen, Quantity};
use super::variant::COPY;
use std::fmt::Write;

/// A contact: its name, its gap as a formula, its laws.
#[derive(Clone, Debug)]
pub(super) struct SketchContact {
    name: String,
    gap: String,
    restitution: String,
    friction: Option<SketchFriction>,
}

/// The slip and the coefficients while it sticks and while it slides.
#[derive(Clone, Debug)]
struct SketchFriction {
    slip: String,
    coefficients: [f64; 2],
}

impl SketchContact {
    /// A contact without friction.
    pub(super) fn new(name: &str, gap: impl Into<String>, restitution: &Quantity) -> Self {
        Self { name: name.to_owned(), gap: gap.into(), restitution: restitution.to_string(), friction: None }
    }

    /// With friction while it sticks and while it slides; none if both are zero.
    pub(super) fn friction(mut self, slip: impl Into<String>, coefficients: [&Quantity; 2]) -> Self {
        let coefficients = coefficients.map(|quantity| quantity.value);
        let slip = slip.into();
        self.friction = (coefficients[0] > 0.0).then_some(SketchFriction { slip, coefficients });
        self
    }

    pub(super) fn has_friction(&self) -> bool {
        self.friction.is_some()
    }

    /// The same under another name.
    pub(super) fn copy(&self) -> Self {
        Self { name: format!("{}{COPY}", self.name), ..self.clone() }
    }

    /// The same under another name, with another formula that is zero where the gap is.
    pub(super) fn rewritten(&self) -> Self {
        let gap = &self.gap;
        Self { gap: format!("({gap})*(2 + ({gap})^2)"), ..self.copy() }
    }

    /// Its line in the model file. A gap that is multiplied by a number has a normal force that is divided by it. In a
    /// mirror the slip counts the other way.
    pub(super) fn text(&self, pen: &Pen) -> String {
        let gap = pen.constraint(&self.gap);
        let mut text = format!("contacts.{} = {{ gap = \"{gap}\"", self.name);
        let _ = write!(text, ", restitution = {}", self.restitution);
        if let Some(SketchFriction { slip, coefficients }) = &self.friction {
            let slip = if pen.rendering.mirrored { format!("-({slip})") } else { slip.clone() };
            let [sticking, sliding] = coefficients.map(|value| value * pen.rendering.factor);
            let _ = write!(
                text,
                ", slip = \"{slip}\", friction = {{ static = {sticking}, sliding = {sliding} }}"
            );
        }
        text + " }\n"
    }
}
