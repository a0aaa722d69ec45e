//! PHEM56: Murua's partitioned half-explicit method of order 5, for mechanisms in their index-2 form.
//!
//! Murua, Computing 59 (1997); Arnold, Murua, Numer. Algorithms 19 (1998); paper 001, section 3.2. States of
//! stages follow from the explicit matrix of Dormand and Prince; each stage meets the constraints of speeds
//! at a point of its own, which has the rows of a second matrix. The sixth such point is the end of the step.
//! The seventh stage stands there: its accelerations, of order 4, are the first of the next step. Dense
//! output is the quartic through values and slopes at both ends and a value in between that the stages give.

use super::bootstrap::Bootstrap;
use super::dopri5;
use super::explicit::ErrorRule;
use super::half_explicit::{StageRow, Stages};
use super::stages::add_stages_later;
use super::{
    ConstraintPolicy, DenseDetail, Memory, Method, MethodDescriptor, Restart, Step, StepReport, Tolerances,
    Trial,
};
use crate::formulation::{Field, Flow};
use crate::math::Norm;

pub(super) const DESCRIPTOR: MethodDescriptor = MethodDescriptor {
    name: "phem56",
    about: "Murua, partitioned half-explicit, for mechanisms",
    order: 5,
    error_order: Some(4),
    dense_order: 4,
    constraints: ConstraintPolicy::ProjectsItself,
    ..MethodDescriptor::half_explicit(&NODES, |dimension| Box::new(Phem56::new(dimension)))
};

const STAGES: usize = 7;

/// `c` and `a` are those of Dormand and Prince.
pub(super) const NODES: [f64; STAGES] = [0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0];

/// `c̄`, where the constraints of speeds are met.
pub(super) const NODES_AHEAD: [f64; STAGES] = [0.0, 0.3, 0.375, 5.0 / 7.0, 1.0, 1.0, THETA];

/// The rows of `ā`, from that of the second stage on.
pub(super) const AHEAD: [&[f64]; STAGES - 1] = [
    &[3.0 / 40.0, 9.0 / 40.0],
    &[21.0 / 256.0, 45.0 / 256.0, 15.0 / 128.0],
    &[19_235.0 / 98_784.0, -225.0 / 392.0, 6_235.0 / 6_174.0, 2_755.0 / 32_928.0],
    &[-293.0 / 1_152.0, 85.0 / 48.0, -2_275.0 / 1_908.0, 35.0 / 32.0, -2_835.0 / 6_784.0],
    &[35.0 / 384.0, 0.0, 500.0 / 1_113.0, 125.0 / 192.0, -2_187.0 / 6_784.0, 11.0 / 84.0],
    &[
        10_752_038_939.0 / 66_307_507_200.0,
        -19_259.0 / 50_160.0,
        19_581_770_468.0 / 24_023_520_675.0,
        9_941_999.0 / 650_073_600.0,
        180_060_831.0 / 4_820_710_400.0,
        -11_331_659.0 / 439_538_400.0,
        1.0 / 76.0,
    ],
];

/// Where dense output has a value within the step, and its weights.
const THETA: f64 = 19.0 / 30.0;
pub(super) const WITHIN: [f64; STAGES] = [
    1_812_923.0 / 20_736_000.0,
    0.0,
    45_847.0 / 100_170.0,
    56_677.0 / 414_720.0,
    -289_161.0 / 13_568_000.0,
    -67_507.0 / 4_536_000.0,
    -3_971.0 / 324_000.0,
];

/// The error weights of Dormand and Prince.
pub(super) const ERROR: &[f64] = match dopri5::TABLEAU.error {
    ErrorRule::Embedded(weights) => weights,
    _ => &[],
};

/// The stage whose constraints are those of the end of the step, and the one that stands there.
const LAST: usize = 5;
const END: usize = 6;

/// The method with its stages.
#[derive(Clone, Debug)]
pub(super) struct Phem56 {
    stages: Stages,
    point: Vec<f64>,
    error: Vec<f64>,
    first_is_known: bool,
    fine: Bootstrap,
}

impl Phem56 {
    pub(super) fn new(n: usize) -> Self {
        let room = || vec![0.0; n];
        Self {
            stages: Stages::new(n, STAGES),
            point: room(),
            error: room(),
            first_is_known: false,
            fine: Bootstrap::new(4, 5),
        }
    }

    /// Makes all stages; the end goes to `trial.end`, with its constraints met before the last stage.
    fn fill_stages(&mut self, field: &mut Flow<'_>, trial: &mut Trial) {
        self.stages.is_closed = trial.closes_stages;
        if !self.first_is_known {
            field.derivative(trial.t, &trial.start, self.stages.of_mut(0));
            self.first_is_known = true;
        }
        for i in 1..STAGES {
            if i < END {
                let row = dopri5::TABLEAU.matrix[i];
                add_stages_later(row, &self.stages.rates, trial.h, Some(&trial.start), &mut self.point);
                self.stages.close(field, trial.t + NODES[i] * trial.h, &mut self.point);
            }
            let (node, node_ahead, weights) = (NODES[i], NODES_AHEAD[i], AHEAD[i - 1]);
            let row = StageRow { number: i, node, state: &self.point, node_ahead, weights };
            self.stages.make(field, trial, row);
            if i == LAST {
                trial.end.copy_from_slice(&self.stages.ahead);
                if trial.end.iter().all(|y| y.is_finite()) {
                    field.projection().project_half_explicit(trial.t + trial.h, &mut trial.end, false);
                }
                self.point.copy_from_slice(&trial.end);
            }
        }
    }

    /// The difference to the embedded solution of order 4 with projected speeds.
    fn estimate(&mut self, field: &mut Flow<'_>, trial: &Trial) {
        add_stages_later(ERROR, &self.stages.rates, trial.h, None, &mut self.error);
        if self.stages.is_half_explicit {
            for (i, embedded) in self.point.iter_mut().enumerate() {
                *embedded = trial.end[i] - self.error[i];
            }
            if self.stages.is_closed {
                field.projection().project_state(trial.t + trial.h, &mut self.point);
                for (i, embedded) in self.point.iter().enumerate() {
                    self.error[i] = trial.end[i] - embedded;
                }
                return;
            }
            field.half_explicit().add_distance_of_velocities(trial.t + trial.h, &self.point, &mut self.error);
        }
    }
}

impl Memory for Phem56 {
    fn advance(&mut self) {
        let n = self.point.len();
        self.stages.rates.copy_within(END * n..STAGES * n, 0);
        self.first_is_known = true;
    }

    fn restart(&mut self, _restart: Restart) {
        self.first_is_known = false;
    }

    fn renew(&mut self) -> bool {
        false
    }

    fn iterate_to_stall(&mut self) {}

    fn report(&self) -> StepReport<'_> {
        StepReport::plain(Method::PartitionedHalfExplicit5)
    }

    fn stiffness(&self, _trial: &Trial) -> Option<f64> {
        None
    }

    fn factorisations(&self) -> u64 {
        0
    }
}

impl Step for Phem56 {
    fn attempt(&mut self, field: &mut Flow<'_>, tolerances: &Tolerances, trial: &mut Trial) {
        trial.fault = None;
        self.fill_stages(field, trial);
        self.estimate(field, trial);
        trial.judge(&self.error, tolerances, Norm::Worst);
        if !trial.error.is_finite() {
            trial.fault = trial.find_fault(&self.stages.rates, &NODES);
        }
    }

    fn interpolate(&mut self, field: &mut Flow<'_>, trial: &mut Trial, detail: DenseDetail) {
        trial.fill_cubic(self.stages.of(0), self.stages.of(END), 3);
        trial.dense.evaluate(THETA, &mut self.error);
        add_stages_later(&WITHIN, &self.stages.rates, trial.h, Some(&trial.start), &mut self.point);
        let (n, bump) = (self.point.len(), (THETA * (1.0 - THETA)).powi(2));
        let c = trial.dense.coefficients_mut(4);
        for (i, c) in c[4 * n..].iter_mut().enumerate() {
            *c = (self.point[i] - self.error[i]) / bump;
        }
        if detail == DenseDetail::Finest {
            self.fine.raise(field, trial);
        }
    }

    fn smooth(&mut self, _positions: usize, _correction: &mut [f64]) -> bool {
        false
    }
}
