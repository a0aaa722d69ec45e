//! How a run option is read from a model file and set.

use super::RUN_OPTIONS;
use crate::model::{Diagnostic, Model, Reference, Setting, unknown_key, unknown_name};
use crate::simulate::Options;
use crate::step::PerComponent;

/// What may stand in the file, and what it sets.
pub(super) enum OptionKind {
    /// It is read with the model, because the equations or the times depend on it.
    OfModel(&'static str),
    /// A time greater than zero, as a number or with its unit.
    Time(fn(&mut Options, f64)),
    /// A number, zero or greater.
    NotNegative(fn(&mut Options, f64)),
    /// A whole number, 1 or more.
    Count(fn(&mut Options, u64)),
    /// One of some words, each with what it sets.
    Word(&'static [Word]),
    /// The same, or a whole number, 1 or more.
    WordOrCount(&'static [Word], fn(&mut Options, u64)),
    /// A number greater than zero for all states, or some by state.
    PerState(PerState),
    /// Something of its own: what may stand there, and how it is read.
    Own(&'static str, fn(&mut Draft<'_>, &Setting) -> Result<(), Diagnostic>),
}

/// A word and what it sets.
pub(super) type Word = (&'static str, fn(&mut Options));

/// Numbers by state.
pub(super) struct PerState {
    /// For states that are not named; it may depend on options that come before in the table.
    pub(super) usual: fn(&Options) -> PerComponent,
    /// The smallest number that makes sense.
    pub(super) least: f64,
    pub(super) set: fn(&mut Options, PerComponent),
}

impl OptionKind {
    /// What may stand there, as the book says it.
    pub(super) fn in_words(&self) -> String {
        let quoted = |words: &[Word]| {
            let list: Vec<String> = words.iter().map(|(word, _)| format!("`\"{word}\"`")).collect();
            list.join(", ")
        };
        match self {
            Self::OfModel(shape) | Self::Own(shape, _) => (*shape).to_owned(),
            Self::Time(_) => "number greater than zero, or a quantity such as `\"1 ms\"`".to_owned(),
            Self::NotNegative(_) => "number, zero or greater".to_owned(),
            Self::Count(_) => "whole number, 1 or more".to_owned(),
            Self::Word(words) => quoted(words),
            Self::WordOrCount(words, _) => format!("{}, or a whole number, 1 or more", quoted(words)),
            Self::PerState(_) => "number greater than zero, or a table of them by state".to_owned(),
        }
    }

    /// Sets it as the file says.
    fn read(&self, draft: &mut Draft<'_>, setting: &Setting) -> Result<(), Diagnostic> {
        match self {
            Self::OfModel(_) => {}
            Self::Time(set) => set(draft.options, setting.time()?),
            Self::NotNegative(set) => set(draft.options, setting.not_negative()?),
            Self::Count(set) => set(draft.options, setting.count()?),
            Self::WordOrCount(_, set) if !setting.is_string() => set(draft.options, setting.count()?),
            Self::Word(words) | Self::WordOrCount(words, _) => setting.word(words)?(draft.options),
            Self::PerState(numbers) => {
                let value = numbers.read(draft, setting)?;
                (numbers.set)(draft.options, value);
            }
            Self::Own(_, read) => read(draft, setting)?,
        }
        Ok(())
    }
}

impl PerState {
    fn read(&self, draft: &mut Draft<'_>, setting: &Setting) -> Result<PerComponent, Diagnostic> {
        if setting.as_table().is_none() {
            return Ok(PerComponent::Same(self.number(setting)?));
        }
        let states: Vec<&str> = draft.model.states.iter().map(|state| state.name.as_str()).collect();
        let usual = (self.usual)(draft.options);
        let mut values: Vec<f64> = (0..states.len()).map(|i| usual.get(i)).collect();
        for (name, value) in setting.leaves() {
            let place = draft.place(&states, &name, "among the states");
            if let (Some(i), Some(number)) = (place, draft.keep(self.number(value))) {
                values[i] = number;
            }
        }
        Ok(PerComponent::Each(values))
    }

    fn number(&self, setting: &Setting) -> Result<f64, Diagnostic> {
        let number = setting.positive()?;
        if number >= self.least {
            return Ok(number);
        }
        let message =
            format!("`{}` is {number:e}, below what double precision can hold (2.2e-15)", setting.key);
        Err(setting.error("bad-tolerance", message).hint("tolerances between 1e-3 and 1e-12 are usual"))
    }
}

/// Options while they are read, and what is wrong with them.
pub(super) struct Draft<'a> {
    pub(super) model: &'a Model,
    /// The names of the constraints, in the order of the system.
    pub(super) constraints: &'a [&'a str],
    pub(super) options: &'a mut Options,
    pub(super) errors: Vec<Diagnostic>,
}

impl Draft<'_> {
    /// The place of a name in a list; one that is not there is reported.
    pub(super) fn place(&mut self, known: &[&str], name: &Reference, place: &str) -> Option<usize> {
        let found = known.iter().position(|known| *known == name.name);
        if found.is_none() {
            let error = unknown_name(&name.name, name.span.clone(), known.iter().copied(), place);
            self.errors.push(error);
        }
        found
    }

    /// What was read, or none and its error.
    pub(super) fn keep<T>(&mut self, result: Result<T, Diagnostic>) -> Option<T> {
        result.map_err(|error| self.errors.push(error)).ok()
    }
}

/// Sets what the section `run` of a model says, and reports all that is wrong there. The constraints are
/// those of the system, in its order.
pub(crate) fn apply(model: &Model, constraints: &[&str], options: &mut Options) -> Vec<Diagnostic> {
    let errors = unknown_keys(model);
    let mut draft = Draft { model, constraints, options, errors };
    for option in RUN_OPTIONS {
        if let OptionKind::PerState(PerState { usual, set, .. }) = option.kind {
            set(draft.options, usual(draft.options));
        }
        let read = |setting| option.kind.read(&mut draft, setting);
        if let Some(Err(error)) = model.run.setting(option.key).map(read) {
            draft.errors.push(error);
        }
    }
    draft.errors
}

fn unknown_keys(model: &Model) -> Vec<Diagnostic> {
    let known: Vec<&str> = RUN_OPTIONS.iter().map(|option| option.key).collect();
    let unknown = model.run.settings.iter().filter(|setting| !known.contains(&setting.key.as_str()));
    unknown.map(|setting| unknown_key(&setting.key, setting.key_span.clone(), &known, "`run`")).collect()
}
