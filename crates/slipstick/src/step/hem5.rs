//! HEM5: the half-explicit method of order 5 with 8 stages of Brasey and Hairer, for mechanisms in their
//! index-2 form.
//!
//! Brasey, Hairer, SIAM J. Numer. Anal. 30 (1993); paper 001, section 3.2: stages (31) and (32), error (33)
//! and (34). Each stage meets the constraints of speeds at the next one, the last at the end of the step.
//! Dense output of order 4 is bootstrapped from values and slopes at both ends: the slopes are those of the
//! index-1 form.

use super::bootstrap::Bootstrap;
use super::half_explicit::{StageRow, Stages};
use super::stages::add_stages_later;
use super::{
    ConstraintPolicy, DenseDetail, Fault, Memory, Method, MethodDescriptor, Restart, Step, StepReport,
    Tolerances, Trial,
};
use crate::formulation::{Field, Flow};
use crate::math::Norm;

pub(super) const DESCRIPTOR: MethodDescriptor = MethodDescriptor {
    name: "hem5",
    about: "Brasey-Hairer, half-explicit, for mechanisms",
    order: 5,
    error_order: Some(4),
    dense_order: 4,
    constraints: ConstraintPolicy::ProjectedByStages,
    ..MethodDescriptor::half_explicit(&NODES, |dimension| Box::new(Hem5::new(dimension)))
};

const STAGES: usize = 8;

/// `c`, with the end of the step behind it.
pub(super) const NODES: [f64; STAGES + 1] =
    [0.0, 0.1, 0.15, 0.361_478_734_657_363_5, 0.085_355_843_354_863_51, 0.5, 0.8, 1.0, 1.0];

/// The rows of `a` from the second on, and behind them the weights `b`.
pub(super) const MATRIX: [&[f64]; STAGES] = [
    &[0.1],
    &[0.037_499_999_999_999_99, 0.1125],
    &[0.322_216_923_621_603_8, -1.188_883_322_987_607, 1.228_145_134_023_366],
    &[-0.035_011_238_981_299_43, 0.372_542_060_108_616_3, -0.272_105_353_558_203_4, 0.019_930_375_785_750_77],
    &[
        -0.557_654_705_504_200_5,
        1.367_307_289_645_883,
        -1.732_236_360_460_725,
        0.458_777_200_746_754_8,
        0.963_806_575_572_288,
    ],
    &[
        0.086_545_171_935_661_55,
        -0.088_100_828_479_454_16,
        0.198_127_554_732_940_4,
        -0.464_542_267_933_108_3,
        0.161_517_009_110_948_8,
        0.906_453_360_633_011_9,
    ],
    &[
        0.0,
        0.0,
        0.0,
        3.624_477_248_753_816,
        -0.461_772_418_918_125_6,
        -3.198_024_628_164_272,
        1.035_319_798_328_74,
    ],
    &[
        0.0,
        0.0,
        0.0,
        0.246_776_066_763_679_1,
        0.210_659_408_748_972_8,
        0.176_921_814_912_502_1,
        0.306_444_644_414_792_2,
        0.059_198_065_160_053_73,
    ],
];

/// The weights of the lower estimate (33), by which the last two stages go to the end of the step.
pub(super) const LOWER: [f64; STAGES] = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.5, -1.5];

/// The method with its stages.
#[derive(Clone, Debug)]
pub(super) struct Hem5 {
    stages: Stages,
    /// The state of a stage.
    point: Vec<f64>,
    /// Both estimates of the error.
    errors: [Vec<f64>; 2],
    /// The slopes at both ends.
    slopes: [Vec<f64>; 2],
    first_is_known: bool,
    end_is_known: bool,
    dense: Bootstrap,
    fine: Bootstrap,
}

impl Hem5 {
    pub(super) fn new(n: usize) -> Self {
        let room = || vec![0.0; n];
        Self {
            stages: Stages::new(n, STAGES),
            point: room(),
            errors: [room(), room()],
            slopes: [room(), room()],
            first_is_known: false,
            end_is_known: false,
            dense: Bootstrap::new(3, 4),
            fine: Bootstrap::new(4, 5),
        }
    }

    /// Makes all stages; the end of the step goes to `trial.end`.
    fn fill_stages(&mut self, field: &mut Flow<'_>, trial: &mut Trial) {
        self.stages.is_closed = trial.closes_stages;
        self.point.copy_from_slice(&trial.start);
        for (i, weights) in MATRIX.iter().enumerate() {
            let (node, node_ahead) = (NODES[i], NODES[i + 1]);
            let row = StageRow { number: i, node, state: &self.point, node_ahead, weights };
            self.stages.make(field, trial, row);
            if i + 1 == STAGES {
                // The last point is the state of the eighth stage, which is a solution of lower order.
                trial.end.copy_from_slice(&self.stages.ahead);
            } else {
                std::mem::swap(&mut self.point, &mut self.stages.ahead);
            }
        }
    }

    /// Equations (33).
    fn estimate(&mut self, trial: &Trial) {
        let [first, second] = &mut self.errors;
        add_stages_later(&LOWER, &self.stages.rates, trial.h, Some(&trial.start), second);
        for (i, end) in trial.end.iter().enumerate() {
            first[i] = end - self.point[i];
            second[i] = end - second[i];
        }
    }

    fn evaluate_end(&mut self, field: &mut Flow<'_>, trial: &Trial) {
        if !self.end_is_known {
            field.derivative(trial.t + trial.h, &trial.end, &mut self.slopes[1]);
            self.end_is_known = true;
        }
    }

    /// A good step needs a finite slope at its end, for dense output and the next step.
    fn check_end(&mut self, field: &mut Flow<'_>, trial: &mut Trial) {
        self.evaluate_end(field, trial);
        let slope = &self.slopes[1];
        if let Some(component) = slope.iter().position(|k| !k.is_finite()) {
            trial.fail(Fault::NotFinite { component, t: trial.t + trial.h, value: slope[component] });
        }
    }
}

impl Memory for Hem5 {
    fn advance(&mut self) {
        self.slopes.swap(0, 1);
        self.first_is_known = self.end_is_known;
    }

    fn restart(&mut self, _restart: Restart) {
        self.first_is_known = false;
    }

    fn renew(&mut self) -> bool {
        false
    }

    fn iterate_to_stall(&mut self) {}

    fn report(&self) -> StepReport<'_> {
        // Corrections of the end use its factors.
        StepReport { knows_end: self.end_is_known, ..StepReport::plain(Method::HalfExplicit5) }
    }

    fn stiffness(&self, _trial: &Trial) -> Option<f64> {
        None
    }

    fn factorisations(&self) -> u64 {
        0
    }
}

impl Step for Hem5 {
    fn attempt(&mut self, field: &mut Flow<'_>, tolerances: &Tolerances, trial: &mut Trial) {
        trial.fault = None;
        self.end_is_known = false;
        self.fill_stages(field, trial);
        self.estimate(trial);
        let [first, second] = &self.errors;
        trial.judge_damped(first, second, tolerances, Norm::Worst);
        if !trial.error.is_finite() {
            trial.fault = trial.find_fault(&self.stages.rates, &NODES);
            return;
        }
        if trial.is_good() {
            self.check_end(field, trial);
        }
    }

    fn interpolate(&mut self, field: &mut Flow<'_>, trial: &mut Trial, detail: DenseDetail) {
        if !self.first_is_known {
            field.derivative(trial.t, &trial.start, &mut self.slopes[0]);
            self.first_is_known = true;
        }
        self.evaluate_end(field, trial);
        trial.fill_cubic(&self.slopes[0], &self.slopes[1], 3);
        self.dense.raise(field, trial);
        if detail == DenseDetail::Finest {
            self.fine.raise(field, trial);
        }
    }

    fn smooth(&mut self, _positions: usize, _correction: &mut [f64]) -> bool {
        false
    }
}
