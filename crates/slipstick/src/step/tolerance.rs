//! Tolerances: what error of a step is good enough.

use crate::math::Norm;

/// The tolerances if none are asked for: relative, and absolute in the unit of each state.
const USUAL_RELATIVE: f64 = 1e-8;
const USUAL_ABSOLUTE: f64 = 1e-10;

/// A positive number for all components, or one for each.
#[derive(Clone, Debug, PartialEq)]
pub enum PerComponent {
    /// The same for all.
    Same(f64),
    /// One for each component.
    Each(Vec<f64>),
}

impl PerComponent {
    /// The number for one component.
    #[inline]
    pub fn get(&self, component: usize) -> f64 {
        match self {
            Self::Same(value) => *value,
            Self::Each(values) => values[component],
        }
    }

    /// All of them times a factor.
    #[must_use]
    pub fn times(&self, factor: f64) -> Self {
        match self {
            Self::Same(value) => Self::Same(factor * value),
            Self::Each(values) => Self::Each(values.iter().map(|value| factor * value).collect()),
        }
    }

    /// All numbers that are given.
    pub fn values(&self) -> &[f64] {
        match self {
            Self::Same(value) => std::slice::from_ref(value),
            Self::Each(values) => values,
        }
    }
}

/// What error of a step is allowed.
///
/// In the norm [`Norm::Worst`] the error in component i may be up to the larger of `absolute_i` and
/// `relative_i * |y_i|`; in [`Norm::Mean`] the errors over `absolute_i + relative_i * |y_i|` may be up to 1
/// in the root mean square.
#[derive(Clone, Debug, PartialEq)]
pub struct Tolerances {
    /// The part that grows with the state.
    pub relative: PerComponent,
    /// The part that does not.
    pub absolute: PerComponent,
    /// How the errors of all components are judged together. If not given, explicit methods use the worst,
    /// implicit ones the mean: what they damp in one fast component must not decide the step.
    pub norm: Option<Norm>,
}

impl Tolerances {
    /// The same pair for all components.
    pub fn uniform(relative: f64, absolute: f64) -> Self {
        Self { relative: PerComponent::Same(relative), absolute: PerComponent::Same(absolute), norm: None }
    }

    /// All of them times a factor.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        Self { relative: self.relative.times(factor), absolute: self.absolute.times(factor), norm: self.norm }
    }

    /// All of them scaled so that the least relative one is this.
    #[must_use]
    pub fn at(&self, relative: f64) -> Self {
        let least = self.relative.values().iter().copied().fold(f64::INFINITY, f64::min);
        self.scaled(relative / least)
    }

    /// The larger of both parts, for a component of the given magnitude: the bound of the worst error.
    #[inline]
    pub fn bound(&self, component: usize, magnitude: f64) -> f64 {
        larger(self.relative.get(component) * magnitude, self.absolute.get(component))
    }

    /// Both parts together, for a component of the given magnitude: the scale of the mean error.
    #[inline]
    pub fn scale(&self, component: usize, magnitude: f64) -> f64 {
        self.absolute.get(component) + self.relative.get(component) * magnitude
    }
}

/// The larger of two numbers, the second if the first is NaN.
#[inline(always)]
pub(super) fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

impl Default for Tolerances {
    fn default() -> Self {
        Self::uniform(USUAL_RELATIVE, USUAL_ABSOLUTE)
    }
}
