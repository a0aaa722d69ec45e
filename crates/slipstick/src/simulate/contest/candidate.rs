//! A method that `auto` may choose, and how efficient it has been.

use super::AGAIN;

/// What is left of earlier steps in the efficiency, for each step since.
pub(super) const MEMORY: f64 = 0.8;

/// Time gone for work spent, in the last steps.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Efficiency {
    pub(super) gone: f64,
    pub(super) spent: f64,
    /// Since the last step that was taken.
    pub(super) spending: f64,
}

impl Efficiency {
    pub(super) fn go(&mut self, h: f64) {
        self.gone = MEMORY * self.gone + h;
        self.spent = MEMORY * self.spent + std::mem::take(&mut self.spending);
    }

    pub(super) fn value(&self) -> f64 {
        let spent = self.spent + self.spending;
        if spent > 0.0 { self.gone / spent } else { 0.0 }
    }
}

/// One of the methods.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) is_stiff: bool,
    /// The weight of its efficiency: a step of low order is less accurate than its tolerance says.
    pub(super) weight: f64,
    /// When it was last at work: its efficiency, and its last step.
    pub(super) efficiency: Option<f64>,
    pub(super) h: Option<f64>,
    /// The best efficiency that it has had, or could have; it fades.
    pub(super) best: f64,
    /// What one of its steps is expected to cost.
    pub(super) cost: f64,
    /// How many times it was behind the best when it was last tried, and how many steps were taken since.
    pub(super) behind: f64,
    pub(super) since: f64,
}

impl Candidate {
    /// One of which nothing is known yet.
    pub(super) fn new(is_stiff: bool, weight: f64) -> Self {
        let (efficiency, h) = (None, None);
        Self { is_stiff, weight, efficiency, h, best: 0.0, cost: 0.0, behind: 1.0, since: 0.0 }
    }

    pub(super) fn value(&self) -> f64 {
        self.efficiency.map_or(0.0, |efficiency| efficiency * self.weight)
    }

    pub(super) fn is_due(&self) -> bool {
        self.since >= AGAIN * self.behind
    }
}
