//! Guards as conditions of comparisons, in the logic of Kleene: true, false, or not known (rule 1).

/// A condition of comparisons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// A comparison holds: it is on its + side.
    Is(usize),
    /// Something that only changes in transitions (a mode, a discrete variable): the slot that [`Watch::set_fixed`](super::Watch::set_fixed)
    /// fills.
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

/// Where the state is put when the guard fires: on the last float before the root, or on the first after it (rule 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Placement {
    /// Before the root: the field may not be defined after it.
    Before,
    /// After the root.
    After,
}

/// What a guard without a past does when it is true (rule 9). A guard of direction `Both` only takes its side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OnEntry {
    /// It fires, by value or by motion: the transitions of a mode.
    Fires,
    /// It fires if the motion decides; true by value, it has not happened: guards outside of modes, at the start of a run.
    FiresByMotion,
    /// It does not fire: `on_entry = false`.
    Waits,
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
    /// Whether touches of its comparisons are reported (they cost a guard value each where a graze is near the band).
    pub touches: bool,
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
