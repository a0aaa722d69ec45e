//! What keeps the constraints of a mechanism met, from what a model says.

use super::Options;
use crate::equations::Constraint;
use crate::formulation::{Metric, PerConstraint, Stabilisation};
use crate::model::{Along, MetricRule, RunRule, StabilisationRule, ToleranceRule};

/// Takes over what a model says about the upkeep of its constraints.
pub(super) fn take_over(run: &RunRule, constraints: &[Constraint], options: &mut Options) {
    options.stabilisation = match run.stabilisation {
        StabilisationRule::None => Stabilisation::None,
        StabilisationRule::Once => Stabilisation::Once,
        StabilisationRule::Twice => Stabilisation::Twice,
        StabilisationRule::Full => Stabilisation::Full,
        StabilisationRule::Speeds => Stabilisation::Speeds,
        StabilisationRule::Project => Stabilisation::Project,
        StabilisationRule::Ggl => Stabilisation::Ggl,
        StabilisationRule::Terms { rate, position, along } => match along {
            Along::Forces => Stabilisation::Baumgarte { rate, position },
            Along::Normal => Stabilisation::Normal { rate, position },
            Along::Gradient => Stabilisation::Gradient { rate, position },
        },
        StabilisationRule::Reduced { decay, rate } => Stabilisation::Reduced { decay, rate },
        StabilisationRule::SlidingMode { .. } => Stabilisation::SlidingMode,
    };
    if let StabilisationRule::SlidingMode { reach, speed } = &run.stabilisation {
        options.reach = per_constraint(reach, constraints, &options.reach);
        options.speed = per_constraint(speed, constraints, &options.speed);
    }
    options.metric = match run.metric {
        MetricRule::Mass => Metric::Mass,
        MetricRule::Identity => Metric::Identity,
    };
    options.drift_tolerance = run.datol;
}

fn per_constraint(rule: &ToleranceRule, constraints: &[Constraint], usual: &PerConstraint) -> PerConstraint {
    match rule {
        ToleranceRule::Same(value) => PerConstraint::Same(*value),
        ToleranceRule::ByName(list) => {
            let given = |(k, c): (usize, &Constraint)| {
                let named = list.iter().find(|(reference, _)| reference.name == c.name);
                named.map_or(usual.get(k), |(_, value)| *value)
            };
            PerConstraint::Each(constraints.iter().enumerate().map(given).collect())
        }
    }
}
