//! Guards as Boolean formulas of sides of comparisons, modes and discrete values (Kleene logic).

/// When a guard holds. It fires when this goes from false to true.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum GuardCondition {
    /// The guard has one surface of its own, and fires where that crosses zero in the guard's direction.
    #[default]
    Crossing,
    /// A comparison, which is a guard of its own that does nothing by itself, is on one side.
    Sign {
        /// The index of its guard.
        comparison: usize,
        /// Whether that is the positive side.
        positive: bool,
    },
    /// The mode of this index holds.
    Mode(usize),
    /// A condition of what changes only at events holds: its index among those of
    /// [`GuardFunctions::conditions`](super::GuardFunctions::conditions).
    Discrete(usize),
    /// The condition does not hold.
    Not(Box<GuardCondition>),
    /// All of them hold.
    And(Vec<GuardCondition>),
    /// At least one of them holds.
    Or(Vec<GuardCondition>),
}

/// What decides about conditions.
#[derive(Clone, Copy)]
pub struct Facts<'a> {
    /// The index of the mode.
    pub mode: usize,
    /// The values of [`GuardFunctions::conditions`](super::GuardFunctions::conditions).
    pub discrete: &'a [f64],
    /// Whether a comparison is on its positive side; none while that is undecided.
    pub is_positive: &'a dyn Fn(usize) -> Option<bool>,
}

impl GuardCondition {
    /// Whether it holds; none while undecided, and always for a crossing, which its own guard decides.
    pub fn truth(&self, facts: Facts<'_>) -> Option<bool> {
        match self {
            Self::Crossing => None,
            Self::Sign { comparison, positive } => Some((facts.is_positive)(*comparison)? == *positive),
            Self::Mode(mode) => Some(*mode == facts.mode),
            Self::Discrete(index) => Some(facts.discrete.get(*index).is_some_and(|value| *value > 0.0)),
            Self::Not(inner) => Some(!inner.truth(facts)?),
            Self::And(all) => decide(all, facts, false),
            Self::Or(any) => decide(any, facts, true),
        }
    }

    /// The comparisons in it, from left to right; one may come several times.
    pub fn comparisons(&self) -> Vec<usize> {
        let mut list = Vec::new();
        self.visit(&mut |condition| {
            if let Self::Sign { comparison, .. } = condition {
                list.push(*comparison);
            }
        });
        list
    }

    /// Every condition in it, itself included.
    pub(super) fn visit(&self, each: &mut dyn FnMut(&Self)) {
        each(self);
        match self {
            Self::Not(inner) => inner.visit(each),
            Self::And(parts) | Self::Or(parts) => parts.iter().for_each(|part| part.visit(each)),
            Self::Crossing | Self::Sign { .. } | Self::Mode(_) | Self::Discrete(_) => {}
        }
    }

    /// The same with all comparisons `by` places further on in the list of guards.
    pub(super) fn shifted(self, by: usize) -> Self {
        let all = |parts: Vec<Self>| parts.into_iter().map(|part| part.shifted(by)).collect();
        match self {
            Self::Sign { comparison, positive } => Self::Sign { comparison: comparison + by, positive },
            Self::Not(inner) => Self::Not(Box::new(inner.shifted(by))),
            Self::And(parts) => Self::And(all(parts)),
            Self::Or(parts) => Self::Or(all(parts)),
            other => other,
        }
    }
}

/// One part with the value `by` decides all; otherwise one that is undecided leaves all undecided.
fn decide(parts: &[GuardCondition], facts: Facts<'_>, by: bool) -> Option<bool> {
    let mut decided = Some(!by);
    for part in parts {
        match part.truth(facts) {
            Some(value) if value == by => return Some(by),
            None => decided = None,
            Some(_) => {}
        }
    }
    decided
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sign(comparison: usize, positive: bool) -> GuardCondition {
        GuardCondition::Sign { comparison, positive }
    }

    /// The truth in mode 3, with comparison 0 on its positive side, 1 on its negative, 2 undecided.
    fn truth(condition: &GuardCondition) -> Option<bool> {
        let is_positive = |k: usize| [Some(true), Some(false), None][k];
        condition.truth(Facts { mode: 3, discrete: &[1.0, 0.0], is_positive: &is_positive })
    }

    #[test]
    fn leaves_are_true_false_or_undecided() {
        assert_eq!(
            [sign(0, true), sign(1, true), sign(2, true)].map(|c| truth(&c)),
            [Some(true), Some(false), None]
        );
        assert_eq!([sign(0, false), sign(1, false)].map(|c| truth(&c)), [Some(false), Some(true)]);
        assert_eq!(
            [GuardCondition::Mode(3), GuardCondition::Mode(0)].map(|c| truth(&c)),
            [Some(true), Some(false)]
        );
        let discrete = [0, 1, 2].map(|k| truth(&GuardCondition::Discrete(k)));
        assert_eq!(discrete, [Some(true), Some(false), Some(false)]);
        assert_eq!(truth(&GuardCondition::Crossing), None);
    }

    #[test]
    fn what_is_undecided_matters_only_where_it_would_decide() {
        let (yes, no, open) = (sign(0, true), sign(1, true), sign(2, true));
        let of = |parts: [&GuardCondition; 2]| parts.map(Clone::clone).to_vec();
        let and = [[&yes, &yes], [&yes, &no], [&yes, &open], [&no, &open]];
        assert_eq!(
            and.map(|p| truth(&GuardCondition::And(of(p)))),
            [Some(true), Some(false), None, Some(false)]
        );
        let or = [[&no, &no], [&yes, &no], [&yes, &open], [&no, &open]];
        assert_eq!(
            or.map(|p| truth(&GuardCondition::Or(of(p)))),
            [Some(false), Some(true), Some(true), None]
        );
        assert_eq!(truth(&GuardCondition::Not(Box::new(open))), None);
        assert_eq!(truth(&GuardCondition::Not(Box::new(no))), Some(true));
    }

    #[test]
    fn comparisons_are_listed_and_moved() {
        let both = GuardCondition::And(vec![
            GuardCondition::Not(Box::new(sign(2, true))),
            GuardCondition::Or(vec![sign(0, false)]),
        ]);
        assert_eq!(both.comparisons(), [2, 0]);
        assert_eq!(both.shifted(5).comparisons(), [7, 5]);
    }
}
