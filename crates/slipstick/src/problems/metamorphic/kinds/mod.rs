//! The kinds of models that are drawn. Each is small, of size one, not stiff, and mostly not chaotic.

mod automata;
mod contacts;
mod contacts_of_bodies;
mod fields;
mod impacts;
mod mechanisms;
mod sliding;
mod starts;

use super::pen::Pen;
use super::sketch::Sketch;

/// A kind of models.
pub(super) struct ModelKind {
    pub(super) name: &'static str,
    pub(super) draw: fn(&mut Pen) -> Sketch,
    /// Whether a guard may touch zero by accident, or the motion be chaotic, so that small changes make other
    /// events.
    pub(super) grazes: bool,
    /// Whether events accumulate and nothing says what then.
    pub(super) accumulates: bool,
}

const fn kind(name: &'static str, draw: fn(&mut Pen) -> Sketch) -> ModelKind {
    ModelKind { name, draw, grazes: true, accumulates: false }
}

impl ModelKind {
    /// Its events are the same whatever is changed a little.
    const fn firm(self) -> Self {
        Self { grazes: false, ..self }
    }
}

/// Every kind.
pub(super) const KINDS: &[ModelKind] = &[
    kind("smooth", fields::smooth),
    kind("switched", fields::switched),
    kind("branches", fields::branches),
    kind("resets", impacts::resets),
    ModelKind { accumulates: true, ..kind("zeno", impacts::zeno) }.firm(),
    kind("zeno-rest", impacts::zeno_rest).firm(),
    kind("modes", automata::modes),
    kind("one-threshold", automata::one_threshold).firm(),
    kind("timers", automata::timers).firm(),
    kind("counters", automata::counters).firm(),
    kind("cascades", automata::cascades).firm(),
    kind("gears", automata::gears).firm(),
    kind("sliding-flat", sliding::flat),
    kind("sliding-curved", sliding::curved),
    kind("sliding-moving", sliding::moving),
    kind("sliding-several", sliding::several),
    kind("sliding-events", sliding::with_events).firm(),
    kind("zero-at-start", starts::zero_at_start).firm(),
    kind("zero-at-entry", starts::zero_at_entry).firm(),
    kind("touching", starts::touching).firm(),
    kind("mechanism-free", mechanisms::free),
    kind("mechanism-joints", mechanisms::joints),
    kind("mechanism-shutting", mechanisms::shutting).firm(),
    kind("contact-ball", contacts::ball),
    kind("contact-wedge", contacts::wedge),
    kind("contact-belt", contacts::belt),
    kind("contact-stops", contacts::stops),
    kind("contact-joint", contacts::joint),
    kind("contact-spin", contacts_of_bodies::spin),
    kind("contact-box", contacts_of_bodies::tumbling_box),
    kind("contact-rod", contacts_of_bodies::rod),
    kind("contact-discs", contacts_of_bodies::discs),
    kind("contact-stack", contacts_of_bodies::stack),
    kind("contact-crank", contacts_of_bodies::crank),
];
