//! The suite `metamorphic`: models drawn from seeds, run in variants that must not matter.

use crate::arguments::BenchArguments;
use crate::commands::Finish;
use crate::model_file::suggestion;
use crate::talk::{Trouble, data};
use serde::Serialize;
use slipstick::problems::{DrawnModel, Judgement, Tried, model_kinds};
use std::collections::BTreeMap;
use std::time::Instant;

pub(super) const SUITE: (&str, &str) = (
    "metamorphic",
    "models drawn from seeds, in variants that must not matter: methods, step sizes, units, order of events",
);

/// What came of a model. The names of the fields are stable.
#[derive(Debug, Serialize)]
struct Line {
    suite: &'static str,
    seed: u64,
    kind: &'static str,
    /// `same`, `sensitive`, `differs` or `fails`.
    verdict: &'static str,
    events: usize,
    /// The variants that were run.
    variants: Vec<String>,
    /// Where they differ from the model as it is, and small changes of the model do not.
    differences: Vec<Apart>,
    /// Where they differ as small changes of the model do.
    explained: Vec<Apart>,
    /// Why the model as it is has no run to compare with.
    failure: Option<String>,
    wall_s: f64,
    /// The model file, unless all variants are the same.
    model: Option<String>,
}

/// How a variant differs first.
#[derive(Debug, Serialize)]
struct Apart {
    variant: String,
    what: &'static str,
    t: f64,
    name: String,
    text: String,
    /// None where something is missing.
    size: Option<f64>,
}

/// Draws models and judges them, each when it is asked for.
pub(super) fn campaign(arguments: &BenchArguments, json: bool) -> Result<Finish, Trouble> {
    let kind = arguments.kind.as_deref();
    if let Some(kind) = kind.filter(|kind| !model_kinds().any(|own| own == *kind)) {
        let hint = suggestion(kind, model_kinds());
        return Err(Trouble::new("unknown-name", format!("there is no kind of models `{kind}`"), hint));
    }
    let mut counts: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    for seed in (arguments.seed..).take(usize::try_from(arguments.count).unwrap_or(usize::MAX)) {
        let model =
            kind.and_then(|kind| DrawnModel::of(kind, seed)).unwrap_or_else(|| DrawnModel::of_seed(seed));
        let line = line(&model);
        let verdict = VERDICTS.iter().position(|verdict| *verdict == line.verdict).unwrap_or_default();
        counts.entry(line.kind).or_default()[verdict] += 1;
        if json {
            data(serde_json::to_string(&line).unwrap_or_default());
        } else {
            tell(&line);
        }
    }
    if !json {
        summary(&counts);
    }
    Ok(Finish::done_if(counts.values().all(|counts| counts[2..] == [0, 0])))
}

const VERDICTS: [&str; 4] = ["same", "sensitive", "differs", "fails"];

fn line(model: &DrawnModel) -> Line {
    let begin = Instant::now();
    let judgement = model.judge();
    let verdict = judgement.verdict();
    Line {
        suite: SUITE.0,
        seed: model.seed,
        kind: model.kind(),
        verdict,
        events: judgement.events,
        variants: judgement.tried.iter().map(|tried| tried.variant.to_string()).collect(),
        differences: apart(&judgement, false),
        explained: apart(&judgement, true),
        wall_s: begin.elapsed().as_secs_f64(),
        model: (verdict != VERDICTS[0]).then(|| model.text()),
        failure: judgement.failure,
    }
}

fn apart(judgement: &Judgement, is_explained: bool) -> Vec<Apart> {
    let of = |tried: &Tried| {
        let difference = tried.difference.as_ref().filter(|_| tried.is_explained == is_explained)?;
        Some(Apart {
            variant: tried.variant.to_string(),
            what: difference.what.name(),
            t: difference.t,
            name: difference.name.clone(),
            text: difference.text.clone(),
            size: Some(difference.size).filter(|size| size.is_finite()),
        })
    };
    judgement.tried.iter().filter_map(of).collect()
}

/// A model that differs, so that it can be saved, with what differs as comments.
fn tell(line: &Line) {
    let reasons = line.differences.iter().map(|apart| format!("# {}: {}", apart.variant, apart.text));
    let reasons: Vec<String> = line.failure.iter().map(|why| format!("# {why}")).chain(reasons).collect();
    if !reasons.is_empty() {
        let model = line.model.as_deref().unwrap_or_default();
        data(format!("# {} {}: {}\n{}\n{model}", line.kind, line.seed, line.verdict, reasons.join("\n")));
    }
}

fn summary(counts: &BTreeMap<&str, [usize; 4]>) {
    data(format!(
        "{:<20} {:>7} {:>9} {:>7} {:>7}",
        "kind", VERDICTS[0], VERDICTS[1], VERDICTS[2], VERDICTS[3]
    ));
    for (kind, [same, sensitive, differs, fails]) in counts {
        data(format!("{kind:<20} {same:>7} {sensitive:>9} {differs:>7} {fails:>7}"));
    }
}
