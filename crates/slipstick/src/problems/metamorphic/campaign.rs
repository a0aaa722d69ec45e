//! Models drawn from seeds, each in variants that must not matter.

use super::account::{Account, Units};
use super::closures::closures;
use super::judge::{Judgement, judge};
use super::kinds::{KINDS, ModelKind};
use super::pen::{Pen, Rendering};
use super::sketch::Sketch;
use super::subject::{Setup, Subject};
use super::variant::{FIRST, LATER, LATER_WITH_CONTACTS, LONGEST, Variant};
use crate::model::{Diagnostic, Location, Model};
use crate::simulate::{Overrides, Plan};
use crate::step::Method;

/// The relative tolerance of drawn models.
const RTOL: f64 = 1e-7;
/// A drawn model is over long before it needs so many steps or events.
const STEPS: u64 = 20_000;
const EVENTS: u64 = 2_000;
/// What is known of an end is met to this part of the state's size.
const TRUTH: f64 = 1e-4;
/// Constraints are multiplied by this.
const FACTOR: f64 = 7.3;
/// Its estimate of the error is zero where a field depends on time alone.
const BLIND: Method = Method::Fehlberg78;
/// So many of the methods are tried on each model.
const METHODS: usize = 3;

/// A model that is drawn from a seed.
#[derive(Clone, Copy)]
pub struct DrawnModel {
    kind: &'static ModelKind,
    /// The seed.
    pub seed: u64,
}

/// The names of the kinds of models that are drawn.
pub fn model_kinds() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|kind| kind.name)
}

impl DrawnModel {
    /// The model of a kind and a seed; none if there is no such kind.
    pub fn of(kind: &str, seed: u64) -> Option<Self> {
        KINDS.iter().find(|own| own.name == kind).map(|kind| Self { kind, seed })
    }

    /// The model of a seed: kinds take turns.
    pub fn of_seed(seed: u64) -> Self {
        let kind = usize::try_from(seed % KINDS.len() as u64).unwrap_or_default();
        Self { kind: &KINDS[kind], seed }
    }

    /// The name of its kind.
    pub fn kind(&self) -> &'static str {
        self.kind.name
    }

    /// The model file.
    pub fn text(&self) -> String {
        self.text_of(Rendering::default())
    }

    /// The model file for a variant, which may be written in other units.
    pub fn text_for(&self, variant: Variant) -> String {
        self.text_of(variant.rendering())
    }

    /// Runs the model in all variants that it has.
    pub fn judge(&self) -> Judgement {
        judge(self, &self.variants(), RTOL)
    }

    fn sketch(&self, rendering: Rendering) -> (Sketch, Pen) {
        let mut pen = Pen::new(self.kind.name, self.seed, rendering);
        ((self.kind.draw)(&mut pen), pen)
    }

    fn text_of(&self, rendering: Rendering) -> String {
        let (sketch, pen) = self.sketch(rendering);
        sketch.text(&pen, RTOL)
    }

    /// Everything that must not matter to it; of the methods some.
    fn variants(&self) -> Vec<Variant> {
        let (sketch, _) = self.sketch(Rendering::default());
        let mut variants = self.methods(sketch.coordinate_count() > 0);
        variants.extend(LONGEST.map(Variant::LongestStep));
        variants.extend([Location::Dense, Location::Integrate, Location::OneSided].map(Variant::Located));
        variants.extend([Variant::Clock, Variant::Order, Variant::Still]);
        variants.extend(later(&sketch).map(Variant::Later));
        // Corrections of mechanisms know one size of all coordinates: angles have to be of that of lengths.
        if !sketch.has_angles() {
            variants.extend([-6, 6].map(Variant::Lengths));
        }
        if sketch.has_closures {
            variants.push(Variant::Closures);
        }
        if !sketch.points.is_empty() {
            variants.extend([Variant::Moved, Variant::Multiplied(FACTOR)]);
        }
        variants.extend(of_contacts(&sketch));
        variants
    }

    /// Some methods, others for each seed.
    fn methods(&self, is_mechanism: bool) -> Vec<Variant> {
        let suits = |method: &Method| {
            let facts = method.facts();
            let is_fine = facts.error_order.is_some_and(|order| order > 1) && !method.has_rho();
            is_fine && (is_mechanism || !facts.mechanisms_only) && *method != BLIND
        };
        let all: Vec<Method> = Method::ALL.iter().copied().filter(suits).collect();
        let mut pen = Pen::new("methods", self.seed, Rendering::default());
        let first = pen.choice(all.len());
        let stride = 1 + pen.choice(all.len() / METHODS);
        (0..METHODS).map(|k| Variant::Method(all[(first + k * stride) % all.len()])).collect()
    }

    fn setup(&self, variant: Option<Variant>, rendering: Rendering) -> Result<Setup, String> {
        let (sketch, pen) = self.sketch(rendering);
        let in_words = |errors: Vec<Diagnostic>| {
            errors.first().map_or(String::new(), |error| format!("{}: {}", error.code, error.message))
        };
        let mut model = Model::from_toml(&sketch.text(&pen, RTOL)).map_err(in_words)?;
        let span = sketch.span();
        if let Some(variant) = variant {
            variant.change_model(&mut model, span);
        }
        let mut plan = Plan::new(&model, &Overrides::default()).map_err(in_words)?;
        plan.options.limits.steps = STEPS;
        plan.options.limits.events = EVENTS;
        let from = plan.start.t;
        let units = Units {
            rendering,
            powers: sketch.powers(),
            points: sketch.points.clone(),
            handed: sketch.handed.clone(),
            coordinates: sketch.coordinate_count(),
            ..Units::default()
        };
        if let Some(variant) = variant.filter(|variant| !matches!(variant, Variant::Later(_))) {
            variant.change_options(&mut plan.options, from);
        }
        let mut setup = Setup::of(&model, plan, units);
        if variant == Some(Variant::Closures) {
            setup.system = Box::new(closures(&model, from).ok_or("no closures")?);
        }
        Ok(setup)
    }
}

/// By how much times are later, if that does not matter. What moves at a known time is only known to the spacing of
/// doubles there, which hits that accumulate would feel, and what sticks to it does.
fn later(sketch: &Sketch) -> Option<f64> {
    match sketch.contacts() {
        [] => Some(LATER),
        _ if sketch.sticks_to_time => None,
        _ => Some(LATER_WITH_CONTACTS),
    }
}

/// What must not matter to contacts.
fn of_contacts(sketch: &Sketch) -> Vec<Variant> {
    let contacts = sketch.contacts();
    if contacts.is_empty() {
        return Vec::new();
    }
    let mut variants = vec![Variant::Mirrored, Variant::FirstStep(FIRST[0]), Variant::FirstStep(FIRST[1])];
    if sketch.points.is_empty() {
        variants.push(Variant::Multiplied(FACTOR));
    }
    if contacts.len() > 1 {
        variants.push(Variant::ContactOrder);
    }
    if contacts.iter().any(|contact| !contact.has_friction()) {
        variants.extend([Variant::Doubled, Variant::Rewritten]);
    }
    variants
}

impl Subject for DrawnModel {
    fn base(&self) -> Result<Setup, String> {
        self.setup(None, Rendering::default())
    }

    fn variant(&self, variant: Variant, names: &[String]) -> Option<Result<Setup, String>> {
        let rendering = variant.rendering();
        let setup = self.setup(Some(variant), rendering);
        Some(setup.map(|setup| if rendering.renames() { setup.named(names) } else { setup }))
    }

    fn may_be_sensitive(&self) -> bool {
        self.kind.grazes
    }

    fn gives_up(&self) -> bool {
        false
    }

    fn may_accumulate(&self) -> bool {
        self.kind.accumulates
    }

    fn changed(&self, part: f64, sequence: usize, names: &[String]) -> Option<Setup> {
        let rendering = Rendering { jitter: part, sequence, ..Rendering::default() };
        self.setup(None, rendering).ok().map(|setup| setup.named(names))
    }

    fn tighter(&self, _variant: Variant) -> Option<Setup> {
        None
    }

    fn untruth(&self, account: &Account) -> Option<String> {
        let (sketch, _) = self.sketch(Rendering::default());
        let count = |(name, truth): &(&str, usize)| {
            let count = account.times(name).len();
            (count != *truth).then(|| format!("{count} events of `{name}`, and there are {truth}"))
        };
        let end = |(place, truth): &(usize, f64)| {
            let value = account.end[*place];
            let is_near = (value - truth).abs() <= TRUTH * account.sizes[*place];
            let name = &account.state_names[*place];
            (!is_near).then(|| format!("`{name}` ends at {value}, and the truth is {truth}"))
        };
        let counts = sketch.known_counts.iter().find_map(count);
        counts.or_else(|| sketch.known_ends.iter().find_map(end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every drawn model is a model, in every variant.
    #[test]
    fn drawn_models_can_be_read_in_every_variant() {
        for seed in 0..12 {
            for kind in KINDS {
                let model = DrawnModel { kind, seed };
                for variant in model.variants() {
                    let text = || model.text_for(variant);
                    let setup = model.setup(Some(variant), variant.rendering());
                    assert!(setup.is_ok(), "{} {seed}, {variant}: {:?}\n{}", kind.name, setup.err(), text());
                }
            }
        }
    }

    #[test]
    fn a_seed_always_draws_the_same_model() {
        let model = DrawnModel::of("resets", 7).unwrap();
        assert_eq!(model.text(), model.text());
        assert_ne!(model.text(), DrawnModel::of("resets", 8).unwrap().text());
        assert_eq!(model.text().matches("e-6").count(), 0);
        assert!(model.text_for(Variant::Lengths(-6)).contains("e-6"));
    }
}
