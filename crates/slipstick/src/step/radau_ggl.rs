//! Radau IIA on the stabilised index-2 form of a mechanism (paper 001, equation (23); Hairer, Wanner II,
//! section VII.4): constraints of positions and of speeds hold at the end of each step. What Newton's
//! iteration leaves of them, far below the tolerance, is taken off there.
//!
//! Multipliers are found with the state, and take no part in the error. While the motion slides on a surface,
//! or stays on one side of it, the index-1 form takes its place.
//!
//! Matrices of one point serve for all stages of a step only if what is left of each row of constraints
//! beside the others changes little within it. In a step across a singular position it changes its sign, and
//! shorter steps only come nearer. Where the iteration fails next to one, an explicit method makes the step,
//! whose stages are brought to the constraints one by one (`formulation/singular.rs`).

use super::implicit::AS_LONG_AS_IT_TAKES;
use super::radau_matrix::StabilisedForm;
use super::radau5::{Equations, Radau5};
use super::{
    Change, DenseDetail, Fault, Memory, Method, PerComponent, Restart, Step, StepReport, Tolerances, Trial,
};
use crate::equations::ActiveRows;
use crate::formulation::{Field, Flow};

/// A step may go across a singular position if less than this part of a row is left at its start.
const NEAR: f64 = 0.1;
/// Steps are so long that ten iterations are not enough at tight tolerances.
const PATIENCE: i32 = 2;
/// What multipliers are allowed to be wrong by: anything.
const ANYTHING: f64 = 1e300;

/// The method, with the trial of the whole state.
pub(super) struct RadauGgl {
    plain: Box<dyn Step>,
    through: Box<dyn Step>,
    way: ActiveForm,
    patience: i32,
    whole: Option<Box<Whole>>,
    /// Those with other constraints.
    factorisations: u64,
}

/// Who makes a step: this form, the index-1 form, or the explicit method for singular configurations.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ActiveForm {
    Stabilised,
    Plain,
    Through,
}

struct Whole {
    /// The constraints that it is for.
    rows: ActiveRows,
    radau: Radau5<StabilisedForm>,
    trial: Trial,
    given: Tolerances,
    tolerances: Tolerances,
    start_is_known: bool,
}

impl RadauGgl {
    pub(super) fn new(dimension: usize) -> Self {
        let (plain, through) = (Method::Radau5.build(dimension), Method::DormandPrince5.build(dimension));
        Self {
            plain,
            through,
            way: ActiveForm::Stabilised,
            patience: PATIENCE,
            whole: None,
            factorisations: 0,
        }
    }

    /// Tries a step through a singular position; if that is not good, the trial stays as it was.
    fn go_through(&mut self, field: &mut Flow<'_>, tolerances: &Tolerances, trial: &mut Trial, fault: Fault) {
        self.through.restart(Restart::Continuous);
        self.through.attempt(field, tolerances, trial);
        if trial.is_good() {
            field.projection().project_end(trial.t + trial.h, &mut trial.end);
            self.way = ActiveForm::Through;
        } else {
            trial.fail(fault);
        }
    }

    fn own(&mut self) -> &mut dyn Step {
        if self.way == ActiveForm::Through { &mut *self.through } else { &mut *self.plain }
    }

    /// The form, if it has made the step.
    fn form(&self) -> Option<&Whole> {
        self.whole.as_deref().filter(|_| self.way == ActiveForm::Stabilised)
    }
}

impl Whole {
    fn new(field: &Flow<'_>, rows: ActiveRows, tolerances: &Tolerances, patience: i32) -> Self {
        let (form, n) = (StabilisedForm::new(field, &rows), field.dimension());
        let all = form.dimension();
        let mut radau = Radau5::new(form);
        radau.allow(patience);
        Self {
            rows,
            radau,
            trial: Trial::new(0.0, &vec![0.0; all]),
            given: tolerances.clone(),
            tolerances: with_multipliers(tolerances, n, all),
            start_is_known: false,
        }
    }

    fn attempt(&mut self, field: &mut Flow<'_>, tolerances: &Tolerances, trial: &mut Trial) {
        let (n, all) = (trial.start.len(), self.trial.start.len());
        if self.given != *tolerances {
            self.given = tolerances.clone();
            self.tolerances = with_multipliers(tolerances, n, all);
        }
        (self.trial.t, self.trial.h) = (trial.t, trial.h);
        self.trial.start[..n].copy_from_slice(&trial.start);
        if !self.start_is_known {
            self.find_start(field, trial);
        }
        self.radau.attempt(field, &self.tolerances, &mut self.trial);
        let Radau5 { equations, scales, .. } = &mut self.radau;
        if self.trial.is_good()
            && let Err(fault) = equations.land(field, &self.tolerances, scales, &mut self.trial)
        {
            self.trial.fail(fault);
        }
        trial.end.copy_from_slice(&self.trial.end[..n]);
        trial.error = self.trial.error;
        trial.shares.copy_from_slice(&self.trial.shares[..n]);
        let last = n.saturating_sub(1);
        trial.fault = self.trial.fault.map(|fault| match fault {
            Fault::NotFinite { component, t, value } => {
                Fault::NotFinite { component: component.min(last), t, value }
            }
            Fault::SingularMatrix { component } => Fault::SingularMatrix { component: component.min(last) },
            other => other,
        });
    }

    /// The rates and multipliers of a start to which no step has led.
    fn find_start(&mut self, field: &mut Flow<'_>, trial: &Trial) {
        let (n, m) = (trial.start.len(), self.radau.equations.constraints());
        self.radau.restart(Restart::Continuous);
        field.derivative(trial.t, &trial.start, &mut self.radau.equations.rates);
        field.constraints().copy_multipliers(&mut self.trial.start[n..n + m]);
        self.trial.start[n + m..].fill(0.0);
        self.start_is_known = true;
    }

    fn advance(&mut self) {
        let mut rates = std::mem::take(&mut self.radau.equations.rates);
        self.radau.end_rates(&mut rates);
        self.radau.equations.rates = rates;
        self.radau.advance();
        std::mem::swap(&mut self.trial.start, &mut self.trial.end);
    }
}

/// The tolerances of the states, and none for multipliers.
fn with_multipliers(tolerances: &Tolerances, n: usize, all: usize) -> Tolerances {
    let extended = |of: &PerComponent, rest: f64| {
        PerComponent::Each((0..all).map(|i| if i < n { of.get(i) } else { rest }).collect())
    };
    Tolerances {
        relative: extended(&tolerances.relative, 0.0),
        absolute: extended(&tolerances.absolute, ANYTHING),
        norm: tolerances.norm,
    }
}

impl Memory for RadauGgl {
    fn advance(&mut self) {
        match (&mut self.whole, self.way) {
            (Some(whole), ActiveForm::Stabilised) => whole.advance(),
            (Some(whole), ActiveForm::Through) => whole.start_is_known = false,
            _ => self.plain.advance(),
        }
    }

    fn restart(&mut self, restart: Restart) {
        self.plain.restart(restart);
        if let Some(whole) = &mut self.whole {
            whole.start_is_known = false;
        }
    }

    fn renew(&mut self, _span: f64) -> bool {
        false
    }

    fn iterate_to_stall(&mut self) {
        self.plain.iterate_to_stall();
        self.patience = AS_LONG_AS_IT_TAKES;
    }

    fn report(&self) -> StepReport<'_> {
        let multipliers = self.form().map_or(&[][..], |whole| {
            let form = &whole.radau.equations;
            &whole.trial.end[form.rates.len()..][..form.constraints()]
        });
        let is_ggl = self.way != ActiveForm::Plain;
        StepReport { is_ggl, multipliers, ..StepReport::plain(Method::Radau5) }
    }

    fn stiffness(&self, _trial: &Trial) -> Option<f64> {
        None
    }

    fn reconsider(&mut self, _trial: &Trial, _is_taken: bool) -> Option<Change> {
        None
    }

    fn factorisations(&self) -> u64 {
        let own = self.whole.as_ref().map_or(0, |whole| whole.radau.factorisations());
        self.plain.factorisations() + self.factorisations + own
    }
}

impl Step for RadauGgl {
    fn attempt(&mut self, field: &mut Flow<'_>, tolerances: &Tolerances, trial: &mut Trial) {
        if !field.has_terms() {
            self.way = ActiveForm::Plain;
            return self.plain.attempt(field, tolerances, trial);
        }
        self.way = ActiveForm::Stabilised;
        let rows = field.constraints().active_rows(trial.t, &trial.start);
        if let Some(other) = self.whole.take_if(|whole| whole.rows != rows) {
            self.factorisations += other.radau.factorisations();
        }
        let new = || Box::new(Whole::new(field, rows, tolerances, self.patience));
        let whole = self.whole.get_or_insert_with(new);
        whole.attempt(field, tolerances, trial);
        if let Some(fault @ (Fault::NoConvergence | Fault::SingularMatrix { .. })) = trial.fault
            && field.singular().narrowest() < NEAR
        {
            self.go_through(field, tolerances, trial, fault);
        }
    }

    fn interpolate(&mut self, field: &mut Flow<'_>, trial: &mut Trial, _detail: DenseDetail) {
        let Some(whole) = self.whole.as_mut().filter(|_| self.way == ActiveForm::Stabilised) else {
            return self.own().interpolate(field, trial, DenseDetail::Usual);
        };
        whole.radau.interpolate(field, &mut whole.trial, DenseDetail::Usual);
        let (n, all) = (trial.start.len(), whole.trial.start.len());
        let from = whole.trial.dense.coefficients();
        let degree = (from.len() / all).saturating_sub(1);
        let to = trial.dense.coefficients_mut(degree);
        for (to, from) in to.chunks_exact_mut(n).zip(from.chunks_exact(all)) {
            to.copy_from_slice(&from[..n]);
        }
    }

    fn smooth(&mut self, positions: usize, correction: &mut [f64]) -> bool {
        self.way == ActiveForm::Plain && self.plain.smooth(positions, correction)
    }
}
