//! The engine of all explicit Runge-Kutta methods: a method is a [`Tableau`], this file runs it.
//!
//! Letters: `c` nodes, `a` matrix, `b` weights, `e = b - b̂` error weights, `k_i` stage derivatives. Dense output is the cubic that meets
//! values and slopes at both ends plus higher coefficients (see [`Interpolant`](super::Interpolant) for the nested form), either from weights of
//! the tableau or by bootstrapping.

use super::bootstrap::Bootstrap;
use super::{Fault, Method, Step, Tolerances, Trial};
use crate::formulation::Field;

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
    /// The last stage is evaluated at the end of the step (first same as last): the last row of `a` is `b`.
    pub(super) last_is_first: bool,
    pub(super) dense: DenseRule,
    /// The degree of the finer dense output that [`Step::interpolate_finely`] makes.
    pub(super) fine_degree: usize,
    /// Where the stability region ends on the negative real axis, if the last stage but one stands at the end of the step and so allows to
    /// measure how stiff the problem is (Hairer, Wanner II, section IV.2).
    pub(super) stability_bound: Option<f64>,
}

impl Tableau {
    fn stages(&self) -> usize {
        self.nodes.len()
    }

    /// The index of the stage at the end of the step.
    fn end_stage(&self) -> usize {
        if self.last_is_first { self.stages() - 1 } else { self.stages() }
    }
}

/// The weights of a sum of stages that are not zero, each with the place where its stage begins.
type Terms = Vec<(usize, f64)>;

fn terms(weights: &[f64], dimension: usize) -> Terms {
    let all = weights.iter().enumerate().map(|(j, w)| (j * dimension, *w));
    all.filter(|(_, w)| *w != 0.0).collect()
}

/// An explicit Runge-Kutta method with its stage derivatives.
#[derive(Clone, Debug)]
pub struct ExplicitRungeKutta {
    method: Method,
    tableau: &'static Tableau,
    dimension: usize,
    rows: Vec<Terms>,
    weights: Terms,
    errors: [Terms; 2],
    extra_rows: Vec<Terms>,
    dense_rows: Vec<Terms>,
    bootstrap: Bootstrap,
    fine: Bootstrap,
    /// All stage derivatives, one after the other: those of the tableau, the one at the end, those for dense output.
    stages: Vec<f64>,
    point: Vec<f64>,
    error: [Vec<f64>; 2],
    first_is_known: bool,
    end_is_known: bool,
}

impl ExplicitRungeKutta {
    /// An explicit method; the others have no tableau and give Dormand and Prince's.
    pub(super) fn new(method: Method, dimension: usize) -> Self {
        let tableau = method.tableau().unwrap_or(&super::dopri5::TABLEAU);
        let zeros = || vec![0.0; dimension];
        let errors = match tableau.error {
            ErrorRule::None => [Vec::new(), Vec::new()],
            ErrorRule::Embedded(e) => [terms(e, dimension), Vec::new()],
            ErrorRule::Joined { fifth, third } => [terms(fifth, dimension), terms(third, dimension)],
        };
        let dense = &tableau.dense;
        let own_degree = 3 + dense.rows.len();
        let count = tableau.end_stage() + 1 + dense.nodes.len();
        Self {
            method,
            tableau,
            dimension,
            rows: tableau.matrix.iter().map(|row| terms(row, dimension)).collect(),
            weights: terms(tableau.weights, dimension),
            errors,
            extra_rows: dense.matrix.iter().map(|row| terms(row, dimension)).collect(),
            dense_rows: dense.rows.iter().map(|row| terms(row, dimension)).collect(),
            bootstrap: Bootstrap::new(own_degree, dense.bootstrap_to, dimension),
            fine: Bootstrap::new(own_degree.max(dense.bootstrap_to), tableau.fine_degree, dimension),
            stages: vec![0.0; count * dimension],
            point: zeros(),
            error: [zeros(), zeros()],
            first_is_known: false,
            end_is_known: false,
        }
    }

    fn stage_range(&self, i: usize) -> std::ops::Range<usize> {
        i * self.dimension..(i + 1) * self.dimension
    }

    /// Evaluates the stages from the first unknown one on; the end of the step goes to `trial.end`.
    fn fill_stages(&mut self, field: &mut dyn Field, trial: &mut Trial) {
        let (t, h, n) = (trial.t, trial.h, self.dimension);
        if !self.first_is_known {
            field.derivative(t, &trial.start, &mut self.stages[..n]);
            self.first_is_known = true;
        }
        // With first same as last, the last stage is left to be evaluated at the end of the step.
        let count = self.tableau.stages() - usize::from(self.tableau.last_is_first);
        for i in 1..count {
            add_stages(&self.stages, &self.rows[i], h, Some(&trial.start), &mut self.point);
            let range = self.stage_range(i);
            field.derivative(t + self.tableau.nodes[i] * h, &self.point, &mut self.stages[range]);
        }
        add_stages(&self.stages, &self.weights, h, Some(&trial.start), &mut trial.end);
        self.end_is_known = false;
        if self.tableau.last_is_first {
            self.evaluate_end(field, trial);
        }
    }

    /// The derivative at the end of the step, which may be the next first stage.
    fn evaluate_end(&mut self, field: &mut dyn Field, trial: &Trial) {
        if !self.end_is_known {
            let range = self.stage_range(self.tableau.end_stage());
            field.derivative(trial.t + trial.h, &trial.end, &mut self.stages[range]);
            self.end_is_known = true;
        }
    }

    /// A good step is taken only if the derivative at its end is finite: dense output needs it, and so does the next step.
    fn check_end(&mut self, field: &mut dyn Field, trial: &mut Trial) {
        self.evaluate_end(field, trial);
        let last = &self.stages[self.stage_range(self.tableau.end_stage())];
        if let Some(component) = last.iter().position(|k| !k.is_finite()) {
            let value = last[component];
            trial.fail(Fault::NotFinite { component, t: trial.t + trial.h, value });
        }
    }

    /// The first stage and component that is not finite.
    fn find_fault(&self, trial: &Trial) -> Option<Fault> {
        let known = self.tableau.stages() * self.dimension;
        let position = self.stages[..known].iter().position(|k| !k.is_finite())?;
        let (stage, component) = (position / self.dimension, position % self.dimension);
        let t = trial.t + self.tableau.nodes[stage] * trial.h;
        Some(Fault::NotFinite { component, t, value: self.stages[position] })
    }

    fn judge(&mut self, tolerances: &Tolerances, trial: &mut Trial) {
        for (terms, error) in self.errors.iter().zip(&mut self.error).filter(|(terms, _)| !terms.is_empty()) {
            add_stages(&self.stages, terms, trial.h, None, error);
        }
        match self.tableau.error {
            ErrorRule::None => trial.accept_unjudged(),
            ErrorRule::Embedded(_) => trial.judge(&self.error[0], tolerances),
            ErrorRule::Joined { .. } => trial.judge_joined(&self.error[0], &self.error[1], tolerances),
        }
    }

    /// The cubic through values and slopes at both ends: `c₀ … c₃`.
    fn fill_cubic(&self, trial: &mut Trial, degree: usize) {
        let (n, h) = (self.dimension, trial.h);
        let (first, last) = (&self.stages[..n], &self.stages[self.stage_range(self.tableau.end_stage())]);
        let c = trial.dense.coefficients_mut(degree);
        for i in 0..n {
            let rise = trial.end[i] - trial.start[i];
            let bend = h * first[i] - rise;
            c[i] = trial.start[i];
            c[n + i] = rise;
            c[2 * n + i] = bend;
            c[3 * n + i] = rise - h * last[i] - bend;
        }
    }

    /// The stages that only dense output needs.
    fn fill_extra_stages(&mut self, field: &mut dyn Field, trial: &Trial) {
        let first_extra = self.tableau.end_stage() + 1;
        for i in 0..self.extra_rows.len() {
            // The error has been judged; its scratch serves here, because stiffness is measured with the last point.
            add_stages(&self.stages, &self.extra_rows[i], trial.h, Some(&trial.start), &mut self.error[0]);
            let range = self.stage_range(first_extra + i);
            let t = trial.t + self.tableau.dense.nodes[i] * trial.h;
            field.derivative(t, &self.error[0], &mut self.stages[range]);
        }
    }
}

impl Step for ExplicitRungeKutta {
    fn attempt(&mut self, field: &mut dyn Field, tolerances: &Tolerances, trial: &mut Trial) {
        self.fill_stages(field, trial);
        self.judge(tolerances, trial);
        trial.fault = if trial.error.is_finite() { None } else { self.find_fault(trial) };
        if trial.is_good() {
            self.check_end(field, trial);
        }
    }

    fn interpolate(&mut self, field: &mut dyn Field, trial: &mut Trial) {
        self.evaluate_end(field, trial);
        self.fill_extra_stages(field, trial);
        let (n, own) = (self.dimension, 3 + self.dense_rows.len());
        self.fill_cubic(trial, own);
        let c = trial.dense.coefficients_mut(own);
        for (k, row) in self.dense_rows.iter().enumerate() {
            add_stages(&self.stages, row, trial.h, None, &mut c[(4 + k) * n..(5 + k) * n]);
        }
        self.bootstrap.raise(field, trial);
    }

    fn interpolate_finely(&mut self, field: &mut dyn Field, trial: &mut Trial) {
        self.interpolate(field, trial);
        self.fine.raise(field, trial);
    }

    fn advance(&mut self) {
        self.first_is_known = self.end_is_known;
        if self.end_is_known {
            let range = self.stage_range(self.tableau.end_stage());
            self.stages.copy_within(range, 0);
        }
    }

    fn restart(&mut self) {
        self.first_is_known = false;
    }

    fn method(&self) -> Method {
        self.method
    }

    /// Compares the derivative at the end with that of the last stage but one, which stands at the same time.
    fn stiffness(&self, trial: &Trial) -> Option<f64> {
        let bound = self.tableau.stability_bound?;
        let before = self.tableau.end_stage() - 1;
        if !self.end_is_known {
            return None;
        }
        let (a, b) = (&self.stages[self.stage_range(before)], &self.stages[self.stage_range(before + 1)]);
        let slope: f64 = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum();
        let distance: f64 = self.point.iter().zip(&trial.end).map(|(a, b)| (a - b).powi(2)).sum();
        (distance > 0.0).then(|| trial.h * (slope / distance).sqrt() / bound)
    }
}

/// `out = base + h Σ w_j k_j`, in blocks of components whose sums fit into registers.
fn add_stages(stages: &[f64], terms: &[(usize, f64)], h: f64, base: Option<&[f64]>, out: &mut [f64]) {
    let n = out.len();
    let mut at = 0;
    while at < n {
        at += match n - at {
            16.. => add_block::<16>(stages, terms, h, base, at, out),
            8.. => add_block::<8>(stages, terms, h, base, at, out),
            4.. => add_block::<4>(stages, terms, h, base, at, out),
            2.. => add_block::<2>(stages, terms, h, base, at, out),
            _ => add_block::<1>(stages, terms, h, base, at, out),
        };
    }
}

/// The `N` components from `at` on. Gives `N`.
fn add_block<const N: usize>(
    stages: &[f64],
    terms: &[(usize, f64)],
    h: f64,
    base: Option<&[f64]>,
    at: usize,
    out: &mut [f64],
) -> usize {
    let mut sums = [0.0; N];
    for &(first, w) in terms {
        let k = &stages[first + at..first + at + N];
        for (sum, k) in sums.iter_mut().zip(k) {
            *sum += w * k;
        }
    }
    let out = &mut out[at..at + N];
    match base {
        Some(base) => {
            out.iter_mut().zip(&base[at..at + N]).zip(sums).for_each(|((o, y), sum)| *o = y + h * sum);
        }
        None => out.iter_mut().zip(sums).for_each(|(o, sum)| *o = h * sum),
    }
    N
}
