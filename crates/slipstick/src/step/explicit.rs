//! The engine of all explicit Runge-Kutta methods: a method is a [`Tableau`], this file runs it.
//!
//! The engine is compiled for each tableau, and for small states for each dimension too (see [`ComponentCount`]):
//! for a few equations the sums of stages would otherwise cost several times as much as the equations.
//!
//! Letters: `c` nodes, `a` matrix, `b` weights, `e = b - b̂` error weights, `k_i` stage derivatives. Dense
//! output is the cubic that meets values and slopes at both ends plus higher coefficients (see
//! [`Interpolant`](super::Interpolant) for the nested form), either from weights of the tableau or by
//! bootstrapping.

use super::bootstrap::Bootstrap;
use super::implicit::measure;
use super::stages::{MOST_STAGES, add_stages, add_stages_later, unrolled};
use super::{DenseDetail, Fault, Memory, Method, PerComponent, Restart, Step, StepReport, Tolerances, Trial};
use crate::formulation::{Field, Flow};
use crate::math::{Any, ComponentCount, Fixed, Norm};
use std::marker::PhantomData;

/// How the error of a step is estimated.
#[derive(Clone, Copy, Debug)]
pub(super) enum ErrorRule {
    /// It is not: for fixed steps only.
    None,
    /// `h Σ e_i k_i`.
    Embedded(&'static [f64]),
    /// Two estimates joined as in DOP853 (Hairer, Nørsett, Wanner I, eq. II.10.17).
    Joined { fifth: &'static [f64], third: &'static [f64] },
}

/// Stages and weights for dense output beyond the cubic.
#[derive(Clone, Copy, Debug)]
pub(super) struct DenseRule {
    /// Nodes of further stages, evaluated only for dense output.
    pub(super) nodes: &'static [f64],
    /// Their rows, over all stages before them, the one at the end of the step included.
    pub(super) matrix: &'static [&'static [f64]],
    /// The weights of the coefficients `c₄, c₅, …` over all stages.
    pub(super) rows: &'static [&'static [f64]],
    /// The degree that bootstrapping raises the polynomial to; no more than `rows` give if it is not needed.
    pub(super) bootstrap_to: usize,
}

impl DenseRule {
    /// The cubic alone, raised to a degree by bootstrapping.
    pub(super) const fn bootstrapped(degree: usize) -> Self {
        Self { nodes: &[], matrix: &[], rows: &[], bootstrap_to: degree }
    }
}

/// The numbers that define an explicit Runge-Kutta method.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tableau {
    /// `c`.
    pub(super) nodes: &'static [f64],
    /// The rows of `a`; row i has i entries.
    pub(super) matrix: &'static [&'static [f64]],
    /// `b`.
    pub(super) weights: &'static [f64],
    pub(super) error: ErrorRule,
    /// The lower order p of a pair is carried on. Its error in a step of size h is `h^(p+1)`, so that it adds
    /// up to `tolerance^(p/(p+1))`: it is compared with `tolerance^((p+1)/p)`, and adds up to the tolerance.
    pub(super) carries_the_lower: bool,
    /// The last stage is evaluated at the end of the step (first same as last): the last row of `a` is `b`.
    pub(super) last_is_first: bool,
    pub(super) dense: DenseRule,
    /// The degree of the dense output of [`DenseDetail::Finest`].
    pub(super) fine_degree: usize,
    /// Where the stability region ends, about, to measure how stiff the problem is by (Hairer, Wanner II,
    /// section IV.2). If the last stage but one stands at the end of the step, it tells; else a point next to
    /// the end is looked at now and then.
    pub(super) stability_bound: f64,
}

impl Tableau {
    const fn stages(&self) -> usize {
        self.nodes.len()
    }

    /// The index of the stage at the end of the step.
    const fn end_stage(&self) -> usize {
        if self.last_is_first { self.stages() - 1 } else { self.stages() }
    }

    /// The row of a stage before the end of the step; empty beyond.
    const fn row(&self, stage: usize) -> &'static [f64] {
        if stage < self.end_stage() { self.matrix[stage] } else { &[] }
    }
}

/// A method as a type, so that the engine is compiled with its numbers.
pub(super) trait Numbers {
    const METHOD: Method;
    const TABLEAU: Tableau;
}

/// An explicit method, compiled for the dimension if that is small.
pub(super) fn build_explicit<M: Numbers + 'static>(dimension: usize) -> Box<dyn Step> {
    match dimension {
        1 => Box::new(ExplicitRungeKutta::<M, _>::new(Fixed::<1>)),
        2 => Box::new(ExplicitRungeKutta::<M, _>::new(Fixed::<2>)),
        3 => Box::new(ExplicitRungeKutta::<M, _>::new(Fixed::<3>)),
        4 => Box::new(ExplicitRungeKutta::<M, _>::new(Fixed::<4>)),
        5 => Box::new(ExplicitRungeKutta::<M, _>::new(Fixed::<5>)),
        6 => Box::new(ExplicitRungeKutta::<M, _>::new(Fixed::<6>)),
        n => Box::new(ExplicitRungeKutta::<M, _>::new(Any(n))),
    }
}

/// An explicit Runge-Kutta method with its stage derivatives.
#[derive(Clone, Debug)]
pub(super) struct ExplicitRungeKutta<M, D> {
    dimension: D,
    bootstrap: Bootstrap,
    fine: Bootstrap,
    /// All stage derivatives in a row: those of the tableau, the end, and dense output.
    stages: Vec<f64>,
    point: Vec<f64>,
    /// One estimate of the error after the other.
    error: Vec<f64>,
    first_is_known: bool,
    end_is_known: bool,
    aside: Aside,
    method: PhantomData<M>,
}

/// What was found next to the end of a step, off by its error: how fast the derivative changes there.
#[derive(Clone, Debug, Default)]
struct Aside {
    /// Good steps so far.
    steps: u32,
    /// Whether the last step looked there.
    looked: bool,
    derivative: Vec<f64>,
    steepness: Option<f64>,
}

/// This many good steps are made from one look aside to the next.
const LOOK_ASIDE_EVERY: u32 = 16;

impl<M: Numbers, D: ComponentCount> ExplicitRungeKutta<M, D> {
    /// The stage at the end of the step.
    const END: usize = M::TABLEAU.end_stage();
    /// No stage before the end stands there.
    const LOOKS_ASIDE: bool = M::TABLEAU.nodes[Self::END - 1] != 1.0;
    /// The lower of two joined estimates without the rise of the step, which is most of it.
    const BEYOND_THE_RISE: [f64; MOST_STAGES] = match M::TABLEAU.error {
        ErrorRule::Joined { third, .. } => difference(third, M::TABLEAU.weights),
        _ => [0.0; MOST_STAGES],
    };

    pub(super) fn new(dimension: D) -> Self {
        let (n, dense) = (dimension.get(), M::TABLEAU.dense);
        let own_degree = 3 + dense.rows.len();
        let estimates = if let ErrorRule::Joined { .. } = M::TABLEAU.error { 2 } else { 1 };
        Self {
            dimension,
            bootstrap: Bootstrap::new(own_degree, dense.bootstrap_to),
            fine: Bootstrap::new(own_degree.max(dense.bootstrap_to), M::TABLEAU.fine_degree),
            stages: vec![0.0; (Self::END + 1 + dense.nodes.len()) * n],
            point: vec![0.0; n],
            error: vec![0.0; estimates * n],
            first_is_known: false,
            end_is_known: false,
            aside: Aside { derivative: vec![0.0; if Self::LOOKS_ASIDE { n } else { 0 }], ..Aside::default() },
            method: PhantomData,
        }
    }

    fn stage(&self, i: usize) -> &[f64] {
        let n = self.dimension.get();
        &self.stages[i * n..(i + 1) * n]
    }

    /// Evaluates the stages from the first unknown one on; the end of the step goes to `trial.end`.
    #[inline(always)]
    fn fill_stages(&mut self, field: &mut Flow<'_>, trial: &mut Trial) {
        let n = self.dimension.get();
        let stages = &mut self.stages[..(Self::END + 1) * n];
        let (start, point, end) = (&trial.start[..n], &mut self.point[..n], &mut trial.end[..n]);
        let (t, h) = (trial.t, trial.h);
        if !self.first_is_known {
            field.first_derivative(t, start, &mut stages[..n]);
            self.first_is_known = true;
        }
        unrolled!(I => if (1..Self::END).contains(&I) {
            let (known, rest) = stages.split_at_mut(I * n);
            add_stages(self.dimension, const { M::TABLEAU.row(I) }, known, h, Some(start), point);
            field.derivative(t + M::TABLEAU.nodes[I] * h, point, &mut rest[..n]);
        });
        add_stages(self.dimension, const { M::TABLEAU.weights }, stages, h, Some(start), end);
        self.end_is_known = M::TABLEAU.last_is_first;
        if self.end_is_known {
            field.derivative(t + h, end, &mut stages[Self::END * n..]);
        }
    }

    /// The same with projected stages (`formulation/singular.rs`); the first is known.
    #[cold]
    fn fill_closed_stages(&mut self, field: &mut Flow<'_>, trial: &mut Trial) {
        let (n, t, h) = (self.dimension.get(), trial.t, trial.h);
        for i in 1..Self::END {
            let (known, rest) = self.stages.split_at_mut(i * n);
            add_stages_later(M::TABLEAU.row(i), known, h, Some(&trial.start), &mut self.point);
            let t = t + M::TABLEAU.nodes[i] * h;
            field.projection().project_state(t, &mut self.point);
            field.derivative(t, &self.point, &mut rest[..n]);
        }
        add_stages_later(M::TABLEAU.weights, &self.stages, h, Some(&trial.start), &mut trial.end);
        field.projection().project_state(t + h, &mut trial.end);
        if self.end_is_known {
            field.derivative(t + h, &trial.end, &mut self.stages[Self::END * n..][..n]);
        }
    }

    /// The derivative at the end of the step, which may be the next first stage.
    #[inline]
    fn evaluate_end(&mut self, field: &mut Flow<'_>, trial: &Trial) {
        if !self.end_is_known {
            let n = self.dimension.get();
            let last = &mut self.stages[Self::END * n..][..n];
            field.derivative(trial.t + trial.h, &trial.end[..n], last);
            self.end_is_known = true;
        }
    }

    /// A good step needs a finite derivative at its end, for dense output and the next step.
    #[inline]
    fn check_end(&mut self, field: &mut Flow<'_>, trial: &mut Trial) {
        self.evaluate_end(field, trial);
        let last = self.stage(Self::END);
        // Zero times a number that is not finite is NaN.
        if last.iter().map(|k| 0.0 * k).sum::<f64>() != 0.0 {
            let component = last.iter().position(|k| !k.is_finite()).unwrap_or(0);
            trial.fail(Fault::NotFinite { component, t: trial.t + trial.h, value: last[component] });
        }
    }

    /// The first stage and component that is not finite.
    #[cold]
    fn find_fault(&self, trial: &Trial) -> Option<Fault> {
        let known = M::TABLEAU.stages() * self.dimension.get();
        trial.find_fault(&self.stages[..known], M::TABLEAU.nodes)
    }

    #[inline(always)]
    fn judge(&mut self, tolerances: &Tolerances, trial: &mut Trial) {
        let n = self.dimension.get();
        let stages = &self.stages[..(Self::END + 1) * n];
        let (first, second) = self.error.split_at_mut(n);
        match const { M::TABLEAU.error } {
            ErrorRule::None => trial.accept_unjudged(),
            ErrorRule::Embedded(e) => {
                add_stages(self.dimension, e, stages, trial.h, None, first);
                if M::TABLEAU.carries_the_lower {
                    tighten(first, M::METHOD.facts().order, tolerances);
                }
                trial.judge(first, tolerances, Norm::Worst);
            }
            ErrorRule::Joined { fifth, .. } => {
                add_stages(self.dimension, fifth, stages, trial.h, None, first);
                add_stages(self.dimension, &Self::BEYOND_THE_RISE, stages, trial.h, None, &mut second[..n]);
                trial.judge_joined(first, &mut second[..n], tolerances);
            }
        }
    }

    /// Evaluates at the end without the estimated error, which consists of fast modes mostly.
    #[cold]
    fn look_aside(&mut self, field: &mut Flow<'_>, trial: &Trial) {
        self.evaluate_end(field, trial);
        let n = self.dimension.get();
        for (point, (end, error)) in self.point.iter_mut().zip(trial.end.iter().zip(&self.error)) {
            *point = end + error;
        }
        field.derivative(trial.t + trial.h, &self.point[..n], &mut self.aside.derivative);
        let square = |(a, b): (&f64, &f64)| (a - b).powi(2);
        let slope: f64 = self.stage(Self::END).iter().zip(&self.aside.derivative).map(square).sum();
        let distance: f64 = self.error[..n].iter().map(|e| e * e).sum();
        let steepness = (slope / distance).sqrt();
        (self.aside.looked, self.aside.steepness) = (true, Some(steepness).filter(|s| s.is_finite()));
    }

    /// The cubic through values and slopes at both ends: `c₀ … c₃`.
    fn fill_cubic(&self, trial: &mut Trial, degree: usize) {
        trial.fill_cubic(self.stage(0), self.stage(Self::END), degree);
    }

    /// The stages that only dense output needs.
    fn fill_extra_stages(&mut self, field: &mut Flow<'_>, trial: &Trial) {
        let (n, dense) = (self.dimension.get(), M::TABLEAU.dense);
        for (i, (row, node)) in dense.matrix.iter().zip(dense.nodes).enumerate() {
            let (known, rest) = self.stages.split_at_mut((Self::END + 1 + i) * n);
            // The error has been judged, so its scratch is free for the last point.
            add_stages_later(row, known, trial.h, Some(&trial.start), &mut self.error[..n]);
            field.derivative(trial.t + node * trial.h, &self.error[..n], &mut rest[..n]);
        }
    }
}

impl<M: Numbers, D: ComponentCount> Memory for ExplicitRungeKutta<M, D> {
    fn advance(&mut self) {
        self.first_is_known = self.end_is_known;
        if self.end_is_known {
            let n = self.dimension.get();
            self.stages[..(Self::END + 1) * n].copy_within(Self::END * n.., 0);
        }
    }

    fn restart(&mut self, _restart: Restart) {
        self.first_is_known = false;
    }

    fn renew(&mut self) -> bool {
        let Self { dimension: _, bootstrap: _, fine: _, stages, point, error, .. } = self;
        for list in [stages, point, error, &mut self.aside.derivative] {
            list.fill(0.0);
        }
        (self.first_is_known, self.end_is_known) = (false, false);
        (self.aside.steps, self.aside.looked, self.aside.steepness) = (0, false, None);
        true
    }

    fn iterate_to_stall(&mut self) {}

    fn report(&self) -> StepReport<'_> {
        let knows_end = self.end_is_known && !self.aside.looked;
        StepReport { knows_end, ..StepReport::plain(M::METHOD) }
    }

    /// Compares the derivative at the end with that of the last stage but one, which stands at the same time.
    fn stiffness(&self, trial: &Trial) -> Option<f64> {
        let bound = M::TABLEAU.stability_bound;
        if Self::LOOKS_ASIDE {
            return self.aside.steepness.map(|steepness| trial.h * steepness / bound);
        }
        if !self.end_is_known {
            return None;
        }
        let square = |(a, b): (&f64, &f64)| (a - b).powi(2);
        let slope: f64 = self.stage(Self::END - 1).iter().zip(self.stage(Self::END)).map(square).sum();
        let n = self.dimension.get();
        let distance: f64 = self.point[..n].iter().zip(&trial.end[..n]).map(square).sum();
        (distance > 0.0).then(|| trial.h * (slope / distance).sqrt() / bound)
    }

    fn factorisations(&self) -> u64 {
        0
    }
}

impl<M: Numbers, D: ComponentCount> Step for ExplicitRungeKutta<M, D> {
    fn attempt(&mut self, field: &mut Flow<'_>, tolerances: &Tolerances, trial: &mut Trial) {
        if trial.closes_stages {
            self.fill_closed_stages(field, trial);
        } else {
            self.fill_stages(field, trial);
        }
        self.judge(tolerances, trial);
        trial.fault = None;
        if !trial.error.is_finite() {
            trial.fault = self.find_fault(trial);
        } else if !M::TABLEAU.last_is_first && trial.is_good() {
            // Where the last stage is the next first, it is a part of the error, and that is finite.
            self.check_end(field, trial);
        }
        if Self::LOOKS_ASIDE {
            self.aside.looked = false;
            self.aside.steps += u32::from(trial.is_good());
            if trial.is_good() && self.aside.steps.is_multiple_of(LOOK_ASIDE_EVERY) {
                self.look_aside(field, trial);
            }
        }
    }

    fn interpolate(&mut self, field: &mut Flow<'_>, trial: &mut Trial, detail: DenseDetail) {
        self.evaluate_end(field, trial);
        self.fill_extra_stages(field, trial);
        let (n, rows) = (self.dimension.get(), M::TABLEAU.dense.rows);
        self.fill_cubic(trial, 3 + rows.len());
        let c = trial.dense.coefficients_mut(3 + rows.len());
        for (k, row) in rows.iter().enumerate() {
            add_stages_later(row, &self.stages, trial.h, None, &mut c[(4 + k) * n..(5 + k) * n]);
        }
        self.bootstrap.raise(field, trial);
        if detail == DenseDetail::Finest {
            self.fine.raise(field, trial);
        }
    }

    fn smooth(&mut self, _positions: usize, _correction: &mut [f64]) -> bool {
        false
    }
}

/// So that `tolerance^((order+1)/order)` is compared with the tolerance.
fn tighten(errors: &mut [f64], order: u32, tolerances: &Tolerances) {
    let factor = |i: usize| measure(i, tolerances).powf(-1.0 / f64::from(order));
    match (&tolerances.relative, &tolerances.absolute) {
        (PerComponent::Same(_), PerComponent::Same(_)) => {
            let factor = factor(0);
            for error in errors {
                *error *= factor;
            }
        }
        _ => errors.iter_mut().enumerate().for_each(|(i, error)| *error *= factor(i)),
    }
}

/// `a - b`, with zeros up to the most stages that there are.
const fn difference(a: &[f64], b: &[f64]) -> [f64; MOST_STAGES] {
    let mut out = [0.0; MOST_STAGES];
    let mut i = 0;
    while i < a.len() {
        out[i] = a[i] - b[i];
        i += 1;
    }
    out
}
