//! Radau IIA on the stabilised index-2 form of a mechanism (paper 001, equation (23); Hairer, Wanner II,
//! section VII.4): constraints of positions and of speeds hold at the end of each step. What Newton's
//! iteration leaves of them, far below the tolerance, is taken off there.
//!
//! Multipliers are found with the state, and take no part in the error.

use super::implicit::AS_LONG_AS_IT_TAKES;
use super::radau_matrix::StabilisedForm;
use super::radau5::{Equations, Radau5};
use super::{DenseDetail, Fault, Memory, Method, PerComponent, Restart, Step, StepReport, Tolerances, Trial};
use crate::equations::ActiveRows;
use crate::formulation::{Field, Flow};

/// Steps are so long that ten iterations are not enough at tight tolerances.
const PATIENCE: i32 = 2;
/// What multipliers are allowed to be wrong by: anything.
const ANYTHING: f64 = 1e300;

/// The method, with the trial of the whole state.
pub(super) struct RadauGgl {
    patience: i32,
    whole: Option<Box<Whole>>,
    /// Those with other constraints.
    factorisations: u64,
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
    pub(super) fn new() -> Self {
        Self { patience: PATIENCE, whole: None, factorisations: 0 }
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
        if let Some(whole) = &mut self.whole {
            whole.advance();
        }
    }

    fn restart(&mut self, _restart: Restart) {
        if let Some(whole) = &mut self.whole {
            whole.start_is_known = false;
        }
    }

    fn renew(&mut self) -> bool {
        false
    }

    fn iterate_to_stall(&mut self) {
        self.patience = AS_LONG_AS_IT_TAKES;
    }

    fn report(&self) -> StepReport<'_> {
        let multipliers = self.whole.as_ref().map_or(&[][..], |whole| {
            let form = &whole.radau.equations;
            &whole.trial.end[form.rates.len()..][..form.constraints()]
        });
        StepReport { multipliers, ..StepReport::plain(Method::Radau5) }
    }

    fn stiffness(&self, _trial: &Trial) -> Option<f64> {
        None
    }

    fn factorisations(&self) -> u64 {
        self.factorisations + self.whole.as_ref().map_or(0, |whole| whole.radau.factorisations())
    }
}

impl Step for RadauGgl {
    fn attempt(&mut self, field: &mut Flow<'_>, tolerances: &Tolerances, trial: &mut Trial) {
        let rows = field.constraints().active_rows(trial.t, &trial.start);
        if let Some(other) = self.whole.take_if(|whole| whole.rows != rows) {
            self.factorisations += other.radau.factorisations();
        }
        let new = || Box::new(Whole::new(field, rows, tolerances, self.patience));
        self.whole.get_or_insert_with(new).attempt(field, tolerances, trial);
    }

    fn interpolate(&mut self, field: &mut Flow<'_>, trial: &mut Trial, _detail: DenseDetail) {
        let Some(whole) = &mut self.whole else { return };
        whole.radau.interpolate(field, &mut whole.trial, DenseDetail::Usual);
        let (n, all) = (trial.start.len(), whole.trial.start.len());
        let from = whole.trial.dense.coefficients();
        let degree = (from.len() / all).saturating_sub(1);
        let to = trial.dense.coefficients_mut(degree);
        for (to, from) in to.chunks_exact_mut(n).zip(from.chunks_exact(all)) {
            to.copy_from_slice(&from[..n]);
        }
    }

    fn smooth(&mut self, _positions: usize, _correction: &mut [f64]) -> bool {
        false
    }
}
