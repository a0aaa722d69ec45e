//! Step-size control: the proportional-integral rule of Gustafsson as in Hairer, Wanner II, section IV.2.

/// Chooses the next step size from the error of the last one and of the one before.
#[derive(Clone, Debug)]
pub struct Controller {
    exponent: f64,
    memory: f64,
    last_error: f64,
    rejected: bool,
}

const SAFETY: f64 = 0.9;
const SHRINK_LIMIT: f64 = 0.2;
const GROWTH_LIMIT: f64 = 10.0;
const MEMORY: f64 = 0.04;

impl Controller {
    /// For a method whose error estimate has the given order.
    pub fn new(error_order: u32) -> Self {
        let exponent = 1.0 / f64::from(error_order + 1) - 0.75 * MEMORY;
        Self { exponent, memory: MEMORY, last_error: 1e-4, rejected: false }
    }

    /// The factor for the next step after an accepted one. No growth right after a rejection.
    pub fn accept(&mut self, error: f64) -> f64 {
        let factor = self.last_error.powf(self.memory) / error.max(1e-16).powf(self.exponent) * SAFETY;
        let most = if self.rejected { 1.0 } else { GROWTH_LIMIT };
        self.last_error = error.max(1e-4);
        self.rejected = false;
        factor.clamp(SHRINK_LIMIT, most)
    }

    /// The factor to try again with. An error that is not finite shrinks the step by a fixed amount.
    pub fn reject(&mut self, error: f64) -> f64 {
        self.rejected = true;
        if error.is_finite() { (SAFETY / error.powf(self.exponent)).clamp(SHRINK_LIMIT, 1.0) } else { 0.25 }
    }

    /// Forgets the error history at a discontinuity.
    pub fn restart(&mut self) {
        self.last_error = 1e-4;
        self.rejected = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tiny_error_grows_the_step_and_a_large_one_shrinks_it() {
        let mut control = Controller::new(4);
        assert_eq!(control.accept(0.0), GROWTH_LIMIT);
        assert_eq!(control.reject(1e9), SHRINK_LIMIT);
        assert!(control.accept(1e-12) <= 1.0, "no growth right after a rejection");
        assert_eq!(control.reject(f64::NAN), 0.25);
    }
}
