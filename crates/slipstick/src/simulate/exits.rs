//! Exits from surfaces by what the stages of a step have seen of the weights.

use super::signals::Along;
use crate::watch::StepPolynomial;

/// How many times the misfit of a cubic through the weights at stages they could be off between these.
const SURE: f64 = 5.0;
/// The largest misfit with which such a cubic tells anything.
const LARGEST_MISFIT: f64 = 0.01;
/// The highest order of methods in whose steps a cubic says where the motion leaves: those of higher orders are
/// too long for it.
const HIGHEST_ORDER: u32 = 6;
/// Stages that tell of weights: how many there have to be, how many are looked at, how far from the start the
/// first may be, where the two in the middle are taken, and how near to each other two are one, all as parts
/// of a step.
const LEAST_STAGES: usize = 5;
const MOST_STAGES: usize = 16;
const FIRST_STAGE: f64 = 0.25;
const MIDDLE_STAGES: (f64, f64) = (0.35, 0.75);
const SAME_PLACE: f64 = 1e-9;

impl Along<'_, '_> {
    /// Where a cubic through the weights of a surface at four stages meets the others, and is well inside all the
    /// time, or well inside at the start and well outside at the end, it says whether the motion leaves within
    /// the step and about where: nothing has to be evaluated for that.
    pub(super) fn exit_from_stages(
        &mut self,
        (surface, side): (usize, f64),
        (from, to): (f64, f64),
        out: &mut StepPolynomial,
    ) -> bool {
        // Implicit methods evaluate fields where their iterations come, which need not be on the motion.
        let facts = self.integrator.selector.method().facts();
        if facts.implicit || from != 0.0 {
            return false;
        }
        let (t, h) = (self.integrator.trial.t, self.integrator.trial.h);
        let beyond = |w: f64| if side > 0.0 { w - 1.0 } else { -w };
        let stages =
            self.integrator.flow.visits.stages().iter().map(|(at, w)| ((at - t) / h, beyond(w[surface])));
        let Some((mut cubic, error)) = cubic_through(stages) else { return false };
        // What lies ahead of the step is looked at again in the next one.
        let (ratio, mut factor) = (to / h, 1.0);
        for c in &mut cubic {
            *c *= factor;
            factor *= ratio;
        }
        let remainder = SURE * error;
        *out = StepPolynomial { remainder, degree: 3, ..StepPolynomial::default() };
        out.coefficients[..4].copy_from_slice(&cubic);
        let (start, end) = (cubic[0], cubic.iter().sum::<f64>());
        let stays = bernstein_maximum(&cubic) + remainder < 0.0;
        let leaves = start + remainder < 0.0 && end - remainder > 0.0 && out.will_do();
        stays || (leaves && facts.order <= HIGHEST_ORDER)
    }
}

/// The cubic through four of some points from 0 to 1, as powers, and how far the others are from it. None if
/// there are too few of them, if they do not reach over the whole step, or if they do not follow a cubic.
fn cubic_through(points: impl Iterator<Item = (f64, f64)>) -> Option<([f64; 4], f64)> {
    let mut known = [(0.0, 0.0); MOST_STAGES];
    let mut count = 0;
    for (x, value) in points {
        let place = known[..count].partition_point(|(other, _)| *other < x - SAME_PLACE);
        if count == MOST_STAGES
            || known[..count].get(place).is_some_and(|(other, _)| *other <= x + SAME_PLACE)
        {
            continue;
        }
        known.copy_within(place..count, place + 1);
        (known[place], count) = ((x, value), count + 1);
    }
    let known = &known[..count];
    if count < LEAST_STAGES || known[0].0 > FIRST_STAGE || known[count - 1].0 < 1.0 - SAME_PLACE {
        return None;
    }
    let nearest = |part: f64| {
        let far = |k: &usize| (known[*k].0 - part).abs();
        (1..count - 1).min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(1)
    };
    let nodes = [0, nearest(MIDDLE_STAGES.0), nearest(MIDDLE_STAGES.1), count - 1].map(|k| known[k]);
    let cubic = interpolate(nodes);
    let miss =
        |(x, value): &(f64, f64)| (cubic[0] + x * (cubic[1] + x * (cubic[2] + x * cubic[3])) - value).abs();
    let error = known.iter().map(miss).fold(0.0, f64::max);
    (error <= LARGEST_MISFIT && cubic.iter().all(|c| c.is_finite())).then_some((cubic, error))
}

/// The cubic through four points, as powers.
fn interpolate(mut nodes: [(f64, f64); 4]) -> [f64; 4] {
    for order in 1..4 {
        for k in (order..4).rev() {
            nodes[k].1 = (nodes[k].1 - nodes[k - 1].1) / (nodes[k].0 - nodes[k - order].0);
        }
    }
    let mut powers = [0.0; 4];
    for k in (0..4).rev() {
        for j in (1..4).rev() {
            powers[j] = powers[j - 1] - nodes[k].0 * powers[j];
        }
        powers[0] = nodes[k].1 - nodes[k].0 * powers[0];
    }
    powers
}

/// A bound of a cubic from 0 to 1: the largest of its Bernstein coefficients.
fn bernstein_maximum(cubic: &[f64; 4]) -> f64 {
    let [a, b, c, d] = *cubic;
    let all = [a, a + b / 3.0, a + (2.0 * b + c) / 3.0, a + b + c + d];
    all.into_iter().fold(f64::NEG_INFINITY, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cubic_through_stages_is_only_trusted_where_it_meets_all_of_them() {
        let stages = [0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0];
        let cubic = |x: f64| -0.5 + x * (0.2 + x * (0.1 - 0.3 * x));
        let (found, error) = cubic_through(stages.into_iter().map(|x| (x, cubic(x)))).expect("a cubic");
        assert!(
            error < 1e-14 && found.iter().zip([-0.5, 0.2, 0.1, -0.3]).all(|(a, b)| (a - b).abs() < 1e-12)
        );
        assert!((bernstein_maximum(&found) + 0.4).abs() < 0.1);
        assert!(cubic_through(stages.into_iter().map(|x| (x, (30.0 * x).sin()))).is_none());
        assert!(cubic_through([0.5, 0.75, 1.0].into_iter().map(|x| (x, -0.5))).is_none(), "too few");
    }
}
