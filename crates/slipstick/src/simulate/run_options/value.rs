//! The value of a run option, for result files and reports.

use crate::formulation::PerConstraint;
use crate::step::PerComponent;

/// The value of a run option.
#[derive(Clone, Debug, PartialEq)]
pub enum OptionValue {
    /// It is not set, or does not apply to the method or the model.
    Nothing,
    /// A number.
    Number(f64),
    /// A whole number.
    Count(u64),
    /// A word.
    Word(String),
    /// Several values, one for each state or constraint, or names.
    List(Vec<Self>),
    /// Values with their keys.
    Table(Vec<(&'static str, Self)>),
}

impl From<f64> for OptionValue {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<u64> for OptionValue {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

impl From<&str> for OptionValue {
    fn from(word: &str) -> Self {
        Self::Word(word.to_owned())
    }
}

impl<T: Into<Self>> From<Option<T>> for OptionValue {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Nothing, Into::into)
    }
}

impl From<&PerComponent> for OptionValue {
    fn from(value: &PerComponent) -> Self {
        match value {
            PerComponent::Same(number) => Self::Number(*number),
            PerComponent::Each(numbers) => Self::List(numbers.iter().copied().map(Self::Number).collect()),
        }
    }
}

impl From<&PerConstraint> for OptionValue {
    fn from(value: &PerConstraint) -> Self {
        match value {
            PerConstraint::Same(number) => Self::Number(*number),
            PerConstraint::Each(numbers) => Self::List(numbers.iter().copied().map(Self::Number).collect()),
        }
    }
}
