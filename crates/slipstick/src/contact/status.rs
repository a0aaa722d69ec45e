//! What a contact does, as a value of the mode: it changes in transitions only.

/// What a contact does.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Status {
    /// It does not touch.
    #[default]
    Open,
    /// It slides with friction in this direction, the sign of its slip velocity.
    Slides(f64),
    /// It sticks.
    Sticks,
    /// It is closed and has no friction.
    Frictionless,
}

impl Status {
    /// The status that two discrete variables stand for: the state, and the direction in which it slides.
    pub fn of(state: f64, direction: f64) -> Self {
        match state {
            1.0 => Self::Slides(direction),
            2.0 => Self::Sticks,
            3.0 => Self::Frictionless,
            _ => Self::Open,
        }
    }

    /// The two discrete variables.
    pub fn values(self) -> [f64; 2] {
        match self {
            Self::Open => [0.0, 0.0],
            Self::Slides(direction) => [1.0, direction],
            Self::Sticks => [2.0, 0.0],
            Self::Frictionless => [3.0, 0.0],
        }
    }

    /// What it does, in a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Slides(direction) if direction < 0.0 => "slides -",
            Self::Slides(_) => "slides +",
            Self::Sticks => "sticks",
            Self::Frictionless => "closed",
        }
    }

    /// Whether it touches.
    pub fn is_closed(self) -> bool {
        self != Self::Open
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_two_discrete_variables_and_back() {
        for status in
            [Status::Open, Status::Slides(-1.0), Status::Slides(1.0), Status::Sticks, Status::Frictionless]
        {
            let [state, direction] = status.values();
            assert_eq!(Status::of(state, direction), status);
            assert_eq!(status.is_closed(), state > 0.5);
        }
    }
}
