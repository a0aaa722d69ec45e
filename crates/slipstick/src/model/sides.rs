//! What is said of guards: which way they fire, where in a step they are looked at, on which side of its root
//! an event is placed, and how it is located.

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

/// On which side of the root the event is placed (consistent event location, paper 000 sections 5.1.4 and
/// 5.1.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Side {
    /// Just before: the guard never crosses zero (unilateral, CEL⁻).
    Before,
    /// Just after: the guard has crossed (bilateral, CEL⁺).
    #[default]
    After,
}

/// How the state at an event is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    /// On the dense output of the step that the event was found in.
    Dense,
    /// On a step that is made again to end right behind the event: as accurate as the method.
    Integrate,
    /// On a step that ends before the event, by looking ahead: the equations are not used behind it.
    OneSided,
}

impl Location {
    /// The word for it in model files.
    pub fn name(self) -> &'static str {
        ["dense", "integrate", "one-sided"][self as usize]
    }
}

/// Where in a step guards are looked at (`eventcontrol` of paper 002, section 3.1, and beyond).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Detection {
    /// Everywhere: between samples too, by bounds, so that nothing is missed.
    #[default]
    WholeStep,
    /// Only at both ends.
    Ends,
    /// Also at the times of the method's stages.
    Stages,
    /// At so many points, evenly spread.
    Samples(u32),
}
