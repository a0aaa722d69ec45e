//! Guards as conditions of comparisons, in the logic of Kleene: true, false, or not known (rule 1).

/// A condition of comparisons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// A comparison holds: it is on its + side.
    Is(usize),
    /// Something that only changes in transitions (a mode, a discrete variable): the slot that
    /// [`Watch::set_fixed`](super::Watch::set_fixed) fills.
    Fixed(usize),
    /// The opposite.
    Not(Box<Condition>),
    /// All of them.
    And(Vec<Condition>),
    /// At least one of them.
    Or(Vec<Condition>),
}

/// When a guard fires.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fires {
    /// When it goes from false to true.
    WhenTrue,
    /// When it goes from false to true or from true to false.
    Both,
}

/// Where the state is put when the guard fires: on the last float before the root, or on the first after it
/// (rule 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Placement {
    /// Before the root: the field may not be defined after it.
    Before,
    /// After the root.
    After,
}

/// What a guard without a past does when it is true (rule 9). A guard of direction `Both` only takes its
/// side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OnEntry {
    /// It fires, by value or by motion: the transitions of a mode.
    Fires,
    /// It fires if the motion decides; true by value, it has not happened: guards outside of modes, at the
    /// start of a run.
    FiresByMotion,
    /// It does not fire: `on_entry = false`.
    Waits,
}

/// What becomes of touches of the comparisons of a guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Touches {
    /// Nothing.
    Ignored,
    /// They are told, which costs a value each where a graze is near the band.
    Told,
    /// They count. Nothing is computed to be zero, so that a peak touches which the error of the dense
    /// output cannot tell from zero.
    Count,
}

/// A guard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuardSpec {
    /// The condition that it watches.
    pub condition: Condition,
    /// When it fires.
    pub fires: Fires,
    /// Where the state is put.
    pub placement: Placement,
    /// What it does without a past.
    pub on_entry: OnEntry,
    /// What becomes of touches of its comparisons.
    pub touches: Touches,
    /// Whether it fires where a comparison changes its sign through a pole. There is no root, but what
    /// stands for a branch of the equations changes.
    pub poles: bool,
}

impl Condition {
    /// Whether it holds, from whether comparisons and fixed parts do.
    pub fn holds(&self, is: &dyn Fn(usize) -> Option<bool>, fixed: &[bool]) -> Option<bool> {
        match self {
            Self::Is(comparison) => is(*comparison),
            Self::Fixed(slot) => fixed.get(*slot).copied(),
            Self::Not(inner) => inner.holds(is, fixed).map(|holds| !holds),
            Self::And(parts) => all(parts.iter().map(|part| part.holds(is, fixed))),
            Self::Or(parts) => {
                all(parts.iter().map(|part| part.holds(is, fixed).map(|holds| !holds))).map(|none| !none)
            }
        }
    }

    /// Calls `visit` with each comparison in it.
    pub fn comparisons(&self, visit: &mut dyn FnMut(usize)) {
        match self {
            Self::Is(comparison) => visit(*comparison),
            Self::Fixed(_) => {}
            Self::Not(inner) => inner.comparisons(visit),
            Self::And(parts) | Self::Or(parts) => parts.iter().for_each(|part| part.comparisons(visit)),
        }
    }
}

/// Kleene's `and`: false as soon as one part is false, whatever is not known.
fn all(parts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut known = Some(true);
    for part in parts {
        match part {
            Some(false) => return Some(false),
            Some(true) => {}
            None => known = None,
        }
    }
    known
}

#[cfg(test)]
mod tests {
    use super::Condition::{And, Fixed, Is, Not, Or};
    use super::*;

    const TRUTHS: [Option<bool>; 3] = [Some(true), Some(false), None];

    #[test]
    fn the_logic_is_that_of_kleene() {
        let of = |condition: &Condition, a, b| condition.holds(&|k| [a, b][k], &[]);
        let (and, or) = (And(vec![Is(0), Is(1)]), Or(vec![Is(0), Is(1)]));
        for (a, b) in TRUTHS.into_iter().flat_map(|a| TRUTHS.map(|b| (a, b))) {
            let both = match (a, b) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            };
            let not = |x: Option<bool>| x.map(|x| !x);
            assert_eq!(of(&and, a, b), both);
            assert_eq!(of(&Not(Box::new(and.clone())), a, b), not(both));
            // De Morgan.
            assert_eq!(of(&or, not(a), not(b)), not(both));
        }
    }

    #[test]
    fn empty_conditions_and_fixed_parts_have_their_usual_truth() {
        let none = |_: usize| None;
        assert_eq!(And(vec![]).holds(&none, &[]), Some(true));
        assert_eq!(Or(vec![]).holds(&none, &[]), Some(false));
        let guarded = And(vec![Fixed(1), Is(0)]);
        assert_eq!(guarded.holds(&none, &[true, false]), Some(false), "not in this mode");
        assert_eq!(guarded.holds(&|_| Some(true), &[false, true]), Some(true));
        assert_eq!(Fixed(5).holds(&none, &[]), None, "a slot that does not exist");
    }

    #[test]
    fn each_comparison_is_visited() {
        let mut seen = Vec::new();
        let condition = Or(vec![Not(Box::new(Is(4))), And(vec![Is(2), Fixed(9), Is(4)])]);
        condition.comparisons(&mut |k| seen.push(k));
        assert_eq!(seen, [4, 2, 4]);
    }
}
