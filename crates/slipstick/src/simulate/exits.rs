//! Exits from surfaces by what a step has seen of the weights where it has evaluated the field along them.

use super::signals::{Along, Meaning};
use crate::formulation::ExitPoint;
use crate::watch::StepPolynomial;

/// How many times the misfit of a polynomial through some weights they could be off between these.
const SURE: f64 = 5.0;
/// The largest misfit with which a cubic through weights at stages tells anything.
const LARGEST_MISFIT: f64 = 0.01;
/// The highest order of methods in whose steps a cubic says where the motion leaves: those of higher orders
/// are too long for it.
const HIGHEST_ORDER: u32 = 6;
/// Stages that tell of weights: how many there have to be, how many are looked at, how far from the start the
/// first may be, where the two in the middle are taken, and how near to each other two are one, all as parts
/// of a step.
const LEAST_STAGES: usize = 5;
const MOST_STAGES: usize = 16;
const FIRST_STAGE: f64 = 0.25;
const MIDDLE_STAGES: (f64, f64) = (0.35, 0.75);
const SAME_PLACE: f64 = 1e-9;
/// Halvings until a root of a polynomial is known to a part of the step that does not matter.
const HALVINGS: u32 = 30;

/// A part of the step and a value there.
type Node = (f64, f64);

impl Along<'_, '_> {
    /// Where a cubic through the weights of a surface at four stages meets the others, and is well inside all
    /// the time, or well inside at the start and well outside at the end, it says whether the motion leaves
    /// within the step and about where: nothing has to be evaluated for that.
    ///
    /// Stages are next to the motion only. Where they are not near enough to say where it leaves, the cubic
    /// through those weights that are on the motion does, with two values more.
    pub(super) fn exit_from_stages(
        &mut self,
        comparison: usize,
        (from, to): (f64, f64),
        out: &mut StepPolynomial,
    ) -> bool {
        let Meaning::Exit(surface, side) = self.comparisons.meaning(comparison) else { return false };
        // Implicit methods evaluate fields where their iterations come, which need not be on the motion.
        let facts = self.integrator.selector.method().facts();
        if facts.implicit || from != 0.0 {
            return false;
        }
        let (t, h) = (self.integrator.trial.t, self.integrator.trial.h);
        let beyond = |w: f64| if side > 0.0 { w - 1.0 } else { -w };
        let node = |point: &ExitPoint| ((point.t - t) / h, beyond(point.weights[surface]));
        let stages = StepNodes::of(self.integrator.flow.visits.stages().iter().map(node));
        let Some((mut cubic, error)) = stages.cubic() else { return false };
        // What lies ahead of the step is looked at again in the next one.
        let (ratio, mut factor) = (to / h, 1.0);
        for c in &mut cubic {
            *c *= factor;
            factor *= ratio;
        }
        let remainder = SURE * error;
        *out = StepPolynomial { remainder, ..StepPolynomial::default() };
        out.set_powers(&cubic);
        let (start, end) = (cubic[0], cubic.iter().sum::<f64>());
        let stays = bernstein_maximum(&cubic) + remainder < 0.0;
        let leaves = start + remainder < 0.0 && end - remainder > 0.0 && out.will_do();
        if stays || leaves || to != h || facts.order > HIGHEST_ORDER {
            return stays || (leaves && facts.order <= HIGHEST_ORDER);
        }
        self.exit_on_motion(comparison, node, out)
    }

    /// The polynomial through weights on the motion: at both ends of the step, where its dense output has
    /// asked for the field, and twice where the one through what is known so far is zero. What the first of
    /// these adds to the cubic says how exact it is.
    fn exit_on_motion(
        &mut self,
        comparison: usize,
        node: impl Fn(&ExitPoint) -> Node,
        out: &mut StepPolynomial,
    ) -> bool {
        let (trial, visits) = (&self.integrator.trial, &self.integrator.flow.visits);
        let is_end = |point: &&ExitPoint| point.is_at(&trial.start) || point.is_at(&trial.end);
        let ends = visits.stages().iter().filter(is_end);
        let Some(known) = StepNodes::of(ends.chain(visits.after_stages()).map(node)).four() else {
            return false;
        };
        let ([a, b, c, d], h) = (known, trial.h);
        if !(a.1 < 0.0 && d.1 > 0.0) {
            return false;
        }
        let mut value_at_root = |polynomial: &[f64]| {
            let root = root_of(polynomial);
            self.go_to(root * h);
            (root, self.compare(comparison, root * h).value)
        };
        let first = value_at_root(&interpolate(known));
        let quartic = interpolate([a, b, c, d, first]);
        let second = value_at_root(&quartic);
        let across = |x: f64| known.iter().map(|(node, _)| x - node).product::<f64>().abs();
        let between = known.windows(2).map(|pair| across(0.5 * (pair[0].0 + pair[1].0)));
        out.remainder = SURE * quartic[4].abs() * between.fold(0.0, f64::max);
        if first.0 == second.0 {
            out.set_powers(&quartic);
        } else {
            out.set_powers(&interpolate([a, b, c, d, first, second]));
        }
        a.1 + out.remainder < 0.0 && d.1 - out.remainder > 0.0 && out.will_do()
    }
}

/// Values at parts of a step, in their order.
struct StepNodes {
    nodes: [Node; MOST_STAGES],
    count: usize,
}

impl StepNodes {
    /// The last value at a place counts: later stages are nearer to the motion.
    fn of(points: impl Iterator<Item = Node>) -> Self {
        let (mut nodes, mut count) = ([(0.0, 0.0); MOST_STAGES], 0);
        for (x, value) in points {
            let after = nodes[..count].iter().rev().take_while(|(other, _)| *other >= x - SAME_PLACE);
            let place = count - after.count();
            if let Some(known) = nodes[..count].get_mut(place).filter(|known| known.0 <= x + SAME_PLACE) {
                *known = (x, value);
            } else if count < MOST_STAGES {
                nodes.copy_within(place..count, place + 1);
                (nodes[place], count) = ((x, value), count + 1);
            }
        }
        Self { nodes, count }
    }

    /// Four of them from the start to the end of the step. None if they do not reach over all of it.
    fn four(&self) -> Option<[Node; 4]> {
        let known = &self.nodes[..self.count];
        if self.count < 4 || known[0].0 > FIRST_STAGE || known[self.count - 1].0 < 1.0 - SAME_PLACE {
            return None;
        }
        let nearest = |part: f64, from: usize, to: usize| {
            let far = |k: &usize| (known[*k].0 - part).abs();
            (from..to).min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(from)
        };
        let last = self.count - 1;
        let second = nearest(MIDDLE_STAGES.0, 1, last - 1);
        Some([0, second, nearest(MIDDLE_STAGES.1, second + 1, last), last].map(|k| known[k]))
    }

    /// The cubic through four of them, as powers, and how far the others are from it. None if there are too
    /// few, or if they do not follow a cubic.
    fn cubic(&self) -> Option<([f64; 4], f64)> {
        let cubic = interpolate(self.four().filter(|_| self.count >= LEAST_STAGES)?);
        let misses = self.nodes[..self.count].iter().map(|(x, value)| (value_of(&cubic, *x) - value).abs());
        let error = misses.fold(0.0, f64::max);
        (error <= LARGEST_MISFIT && cubic.iter().all(|c| c.is_finite())).then_some((cubic, error))
    }
}

/// The value of a polynomial that is given by its powers.
fn value_of(powers: &[f64], x: f64) -> f64 {
    powers.iter().rev().fold(0.0, |sum, power| sum * x + power)
}

/// Where a polynomial that is negative at 0 and positive at 1 is zero.
fn root_of(powers: &[f64]) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        *if value_of(powers, middle) > 0.0 { &mut high } else { &mut low } = middle;
    }
    0.5 * (low + high)
}

/// The polynomial through some points, as powers.
fn interpolate<const N: usize>(mut nodes: [Node; N]) -> [f64; N] {
    for order in 1..N {
        for k in (order..N).rev() {
            nodes[k].1 = (nodes[k].1 - nodes[k - 1].1) / (nodes[k].0 - nodes[k - order].0);
        }
    }
    let mut powers = [0.0; N];
    for k in (0..N).rev() {
        for j in (1..N).rev() {
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
        let through = |f: &dyn Fn(f64) -> f64| StepNodes::of(stages.into_iter().map(|x| (x, f(x)))).cubic();
        let (found, error) = through(&cubic).expect("a cubic");
        assert!(
            error < 1e-14 && found.iter().zip([-0.5, 0.2, 0.1, -0.3]).all(|(a, b)| (a - b).abs() < 1e-12)
        );
        assert!((bernstein_maximum(&found) + 0.4).abs() < 0.1);
        assert!(through(&|x| (30.0 * x).sin()).is_none());
        let few = StepNodes::of([0.5, 0.75, 1.0].into_iter().map(|x| (x, -0.5)));
        assert!(few.cubic().is_none() && few.four().is_none(), "too few");
    }

    #[test]
    fn of_two_values_at_a_place_the_last_one_counts() {
        let known = StepNodes::of([(1.0, 3.0), (0.0, 1.0), (0.4, 2.0), (1.0, 4.0), (0.7, 2.5)].into_iter());
        assert_eq!(known.four(), Some([(0.0, 1.0), (0.4, 2.0), (0.7, 2.5), (1.0, 4.0)]));
    }

    #[test]
    fn a_cubic_has_a_root_between_its_signs() {
        let cubic = [-0.3, 0.0, 1.0, 1.0];
        assert!(value_of(&cubic, root_of(&cubic)).abs() < 1e-8);
    }
}
