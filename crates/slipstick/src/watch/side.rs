//! Rule 5: the side that a comparison is on, and what each input makes of it.
//!
//! The table is symmetric in + and -. A comparison that flips goes to [`SideState::Fired`]; if its flip fires
//! no guard, the same input is given again, and it goes on to the new side. For a guard whose true side is +,
//! the two together are the table of rule 5: "fires at the root, to `f`" where the flip is upwards, and "`-`,
//! armed" where it is downwards.

/// The side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SideState {
    /// `+`: above its band.
    Plus,
    /// `-`: below its band.
    Minus,
    /// `u+`: inside its band, known to belong to the + side.
    NearPlus,
    /// `u-`: inside its band, known to belong to the - side.
    NearMinus,
    /// `u0`: inside its band, without a past.
    Unknown,
    /// `f`: inside its band, has fired in this transition.
    Fired,
}

/// What happens to a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// The motion enters the band.
    Enters,
    /// The motion leaves the band to +.
    LeavesToPlus,
    /// The motion leaves the band to -.
    LeavesToMinus,
    /// A transition puts the value above the band.
    PutPlus,
    /// A transition puts the value below the band.
    PutMinus,
    /// A transition puts the value into the band.
    PutInside,
    /// The motion decides for + (rule 6).
    DecidesPlus,
    /// The motion decides for -.
    DecidesMinus,
}

/// What an input does beside the new side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Nothing.
    None,
    /// The comparison becomes true: guards may fire.
    Rises,
    /// The comparison becomes false: guards of the true side are armed, others may fire.
    Falls,
    /// The motion has left the band on the side that it came from.
    Touches,
    /// It has a side for the first time (rule 9 says what that means).
    Appears,
}

impl SideState {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Plus, Self::Minus, Self::NearPlus, Self::NearMinus, Self::Unknown, Self::Fired];

    /// Whether the comparison holds, if that is known.
    pub fn truth(self) -> Option<bool> {
        match self {
            Self::Plus | Self::NearPlus => Some(true),
            Self::Minus | Self::NearMinus => Some(false),
            Self::Unknown | Self::Fired => None,
        }
    }

    /// Whether the value is inside its band.
    pub fn is_inside(self) -> bool {
        !matches!(self, Self::Plus | Self::Minus)
    }
}

/// The next side and what happens on the way. Inputs that cannot occur (a value outside its band does not
/// leave it) change nothing.
#[expect(clippy::match_same_arms, reason = "the rows of a table")]
pub fn turn(side: SideState, input: Input) -> (SideState, Effect) {
    use Effect::{Appears, Falls, None, Rises, Touches};
    use Input::{
        DecidesMinus, DecidesPlus, Enters, LeavesToMinus, LeavesToPlus, PutInside, PutMinus, PutPlus,
    };
    use SideState::{Fired, Minus, NearMinus, NearPlus, Plus, Unknown};
    match (side, input) {
        // Outside the band the motion can only enter it, and a transition put it anywhere.
        (Minus, Enters | PutInside) => (NearMinus, None),
        (Plus, Enters | PutInside) => (NearPlus, None),
        (Minus | NearMinus, PutPlus) => (Plus, Rises),
        (Plus | NearPlus, PutMinus) => (Minus, Falls),
        (Minus | Plus, _) => (side, None),
        // Inside the band, side known.
        (NearMinus, LeavesToPlus | DecidesPlus) => (Fired, Rises),
        (NearPlus, LeavesToMinus | DecidesMinus) => (Fired, Falls),
        (NearMinus, LeavesToMinus) => (Minus, Touches),
        (NearPlus, LeavesToPlus) => (Plus, Touches),
        (NearMinus, PutMinus) => (Minus, None),
        (NearPlus, PutPlus) => (Plus, None),
        // No past: a motion is a crossing, a value is what rule 9 makes of it.
        (Unknown, LeavesToPlus | DecidesPlus) => (Fired, Rises),
        (Unknown, LeavesToMinus | DecidesMinus) => (Fired, Falls),
        (Unknown, PutPlus) => (Plus, Appears),
        (Unknown, PutMinus) => (Minus, Appears),
        // Has fired: it takes a side without firing.
        (Fired, LeavesToPlus | PutPlus) => (Plus, None),
        (Fired, LeavesToMinus | PutMinus) => (Minus, None),
        (Fired, DecidesPlus) => (NearPlus, None),
        (Fired, DecidesMinus) => (NearMinus, None),
        (NearMinus | NearPlus | Unknown | Fired, _) => (side, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Effect::{Appears, Falls, None, Rises, Touches};
    use Input::{
        DecidesMinus, DecidesPlus, Enters, LeavesToMinus, LeavesToPlus, PutInside, PutMinus, PutPlus,
    };
    use SideState::{Fired, Minus, NearMinus, NearPlus, Plus, Unknown};

    const INPUTS: [Input; 8] =
        [Enters, LeavesToPlus, LeavesToMinus, PutPlus, PutMinus, PutInside, DecidesPlus, DecidesMinus];

    /// Every state and every input.
    #[test]
    fn the_table_is_as_written() {
        let no = |side| (side, None);
        let table = [
            (
                Minus,
                [
                    no(NearMinus),
                    no(Minus),
                    no(Minus),
                    (Plus, Rises),
                    no(Minus),
                    no(NearMinus),
                    no(Minus),
                    no(Minus),
                ],
            ),
            (
                NearMinus,
                [
                    no(NearMinus),
                    (Fired, Rises),
                    (Minus, Touches),
                    (Plus, Rises),
                    no(Minus),
                    no(NearMinus),
                    (Fired, Rises),
                    no(NearMinus),
                ],
            ),
            (
                Fired,
                [no(Fired), no(Plus), no(Minus), no(Plus), no(Minus), no(Fired), no(NearPlus), no(NearMinus)],
            ),
            (
                Plus,
                [
                    no(NearPlus),
                    no(Plus),
                    no(Plus),
                    no(Plus),
                    (Minus, Falls),
                    no(NearPlus),
                    no(Plus),
                    no(Plus),
                ],
            ),
            (
                NearPlus,
                [
                    no(NearPlus),
                    (Plus, Touches),
                    (Fired, Falls),
                    no(Plus),
                    (Minus, Falls),
                    no(NearPlus),
                    no(NearPlus),
                    (Fired, Falls),
                ],
            ),
            (
                Unknown,
                [
                    no(Unknown),
                    (Fired, Rises),
                    (Fired, Falls),
                    (Plus, Appears),
                    (Minus, Appears),
                    no(Unknown),
                    (Fired, Rises),
                    (Fired, Falls),
                ],
            ),
        ];
        assert_eq!(table.len(), SideState::ALL.len());
        for (side, row) in table {
            for (input, expected) in INPUTS.into_iter().zip(row) {
                assert_eq!(turn(side, input), expected, "{side:?} {input:?}");
            }
        }
    }

    /// The table of rule 5, for a guard whose true side is +: a flip that does not fire it goes on at once.
    #[test]
    fn for_the_true_side_it_is_the_table_of_rule_five() {
        let columns = [LeavesToPlus, LeavesToMinus, PutPlus, PutMinus, PutInside, DecidesPlus, DecidesMinus];
        let one_sided = |side, input| match turn(side, input) {
            (to, Falls) => (turn(to, input).0, "armed"),
            (to, Rises) => (to, "fires"),
            (to, Touches) => (to, "touch"),
            (to, Appears) => (to, "rule 9"),
            (to, None) => (to, ""),
        };
        let rules = [
            (Minus, ["", "", "fires", "", "", "", ""], [Minus, Minus, Plus, Minus, NearMinus, Minus, Minus]),
            (
                NearMinus,
                ["fires", "touch", "fires", "", "", "fires", ""],
                [Fired, Minus, Plus, Minus, NearMinus, Fired, NearMinus],
            ),
            (Fired, [""; 7], [Plus, Minus, Plus, Minus, Fired, NearPlus, NearMinus]),
            (Plus, ["", "", "", "armed", "", "", ""], [Plus, Plus, Plus, Minus, NearPlus, Plus, Plus]),
            (
                NearPlus,
                ["touch", "armed", "", "armed", "", "", "armed"],
                [Plus, Minus, Plus, Minus, NearPlus, NearPlus, NearMinus],
            ),
            (
                Unknown,
                ["fires", "armed", "rule 9", "rule 9", "", "fires", "armed"],
                [Fired, Minus, Plus, Minus, Unknown, Fired, NearMinus],
            ),
        ];
        for (side, effects, sides) in rules {
            for (k, input) in columns.into_iter().enumerate() {
                assert_eq!(one_sided(side, input), (sides[k], effects[k]), "{side:?} {input:?}");
            }
        }
    }

    #[test]
    fn the_table_is_symmetric() {
        let mirror = |side| match side {
            Plus => Minus,
            Minus => Plus,
            NearPlus => NearMinus,
            NearMinus => NearPlus,
            other => other,
        };
        let opposite = |input| match input {
            LeavesToPlus => LeavesToMinus,
            LeavesToMinus => LeavesToPlus,
            PutPlus => PutMinus,
            PutMinus => PutPlus,
            DecidesPlus => DecidesMinus,
            DecidesMinus => DecidesPlus,
            other => other,
        };
        let reverse = |effect| match effect {
            Rises => Falls,
            Falls => Rises,
            other => other,
        };
        for (side, input) in SideState::ALL.into_iter().flat_map(|side| INPUTS.map(|input| (side, input))) {
            let (to, effect) = turn(side, input);
            assert_eq!(turn(mirror(side), opposite(input)), (mirror(to), reverse(effect)));
        }
    }

    #[test]
    fn a_side_is_known_unless_it_has_none() {
        let truths = SideState::ALL.map(SideState::truth);
        assert_eq!(truths, [Some(true), Some(false), Some(true), Some(false), Option::None, Option::None]);
    }
}
