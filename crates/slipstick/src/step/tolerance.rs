//! Tolerances: what error of a step is good enough.

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

    /// All numbers that are given.
    pub fn values(&self) -> &[f64] {
        match self {
            Self::Same(value) => std::slice::from_ref(value),
            Self::Each(values) => values,
        }
    }
}

/// A step is good when its error in component i is about `absolute_i + relative_i * |y_i|` or less.
#[derive(Clone, Debug, PartialEq)]
pub struct Tolerances {
    /// The part that grows with the state.
    pub relative: PerComponent,
    /// The part that does not.
    pub absolute: PerComponent,
}

impl Tolerances {
    /// The same pair for all components.
    pub fn uniform(relative: f64, absolute: f64) -> Self {
        Self { relative: PerComponent::Same(relative), absolute: PerComponent::Same(absolute) }
    }

    /// The error that is allowed in a component of the given magnitude.
    #[inline]
    pub fn scale(&self, component: usize, magnitude: f64) -> f64 {
        self.absolute.get(component) + self.relative.get(component) * magnitude
    }
}

impl Default for Tolerances {
    fn default() -> Self {
        Self::uniform(1e-8, 1e-10)
    }
}
