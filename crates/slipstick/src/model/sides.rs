//! The two things that are said of a guard: which way it fires, and on which side of its root the event is placed.

/// Which way a guard must go through zero to fire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Direction {
    /// From negative to positive.
    Rising,
    /// From positive to negative.
    Falling,
    /// Either way.
    #[default]
    Both,
}

impl Direction {
    /// Whether a change away from `old_side` (+1 or -1) fires.
    pub fn admits(self, old_side: f64) -> bool {
        match self {
            Self::Rising => old_side < 0.0,
            Self::Falling => old_side > 0.0,
            Self::Both => true,
        }
    }
}

/// On which side of the root the event is placed (consistent event location, paper 000 sections 5.1.4 and 5.1.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Side {
    /// Just before: the guard never crosses zero (unilateral, CEL⁻).
    Before,
    /// Just after: the guard has crossed (bilateral, CEL⁺).
    #[default]
    After,
}
