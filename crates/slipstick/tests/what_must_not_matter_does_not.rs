//! Models drawn from seeds give the same events and the same end in variants that must not matter: another
//! method, longest step or location, an extra clock or state, events in another order, other units of length,
//! a later time, closures for formulas, a mechanism moved and turned, constraints multiplied by a number. With contacts
//! also in a mirror, contacts in another order or written twice, and another first step.
//!
//! `MODELS=2000 cargo test --test what_must_not_matter_does_not` judges so many of both kinds.

use slipstick::problems::{DrawnModel, Judgement, model_kinds};
use std::fmt::Write;

/// So many models are judged, kinds in turn, unless `MODELS` says how many; fewer with contacts.
const MODELS: u64 = 500;
const WITH_CONTACTS: u64 = 140;

fn models(usual: u64) -> u64 {
    std::env::var("MODELS").ok().and_then(|count| count.parse().ok()).unwrap_or(usual)
}

fn has_contacts(kind: &&str) -> bool {
    kind.starts_with("contact-")
}

/// What differs, and the model.
fn in_words(model: &DrawnModel, judgement: &Judgement) -> String {
    let mut text = format!("# {} {}: {}\n", model.kind(), model.seed, judgement.verdict());
    let _ = writeln!(text, "# {:?}", judgement.failure);
    for tried in &judgement.tried {
        if let Some(difference) = &tried.difference {
            let _ = writeln!(text, "# {}: {}", tried.variant, difference.text);
        }
    }
    text + &model.text()
}

fn assert_same(kinds: &[&str], count: u64) {
    let mut differing = Vec::new();
    for (seed, kind) in (1..=count).zip(kinds.iter().cycle()) {
        let model = DrawnModel::of(kind, seed).expect("a kind");
        let judgement = model.judge();
        if !matches!(judgement.verdict(), "same" | "sensitive") {
            differing.push(in_words(&model, &judgement));
        }
    }
    assert!(differing.is_empty(), "{} models differ:\n{}", differing.len(), differing.join("\n"));
}

#[test]
fn drawn_models_are_the_same_in_every_variant() {
    let kinds: Vec<&str> = model_kinds().filter(|kind| !has_contacts(kind)).collect();
    assert_same(&kinds, models(MODELS));
}

#[test]
fn drawn_models_with_contacts_are_the_same_in_every_variant() {
    let kinds: Vec<&str> = model_kinds().filter(has_contacts).collect();
    assert_same(&kinds, models(WITH_CONTACTS));
}

/// Few models are on the edge: the judge does not excuse what it should find.
#[test]
fn differences_are_seldom_explained_by_small_changes() {
    let kinds: Vec<&str> = model_kinds().filter(|kind| !has_contacts(kind)).collect();
    let sensitive = (1001..=1100_u64).zip(kinds.iter().cycle()).filter(|(seed, kind)| {
        DrawnModel::of(kind, *seed).is_some_and(|model| model.judge().verdict() == "sensitive")
    });
    assert!(sensitive.count() <= 2);
}
