//! The equations of the stabilised index-2 form of a mechanism (paper 001, equation (23)), linearised for
//! Radau IIA.
//!
//! Multiplied by the masses, the matrices of Newton's iteration consist of `K_t`, `C_t`, `M`, the gradients
//! and their slopes alone (`formulation/tangents.rs`): exactly for formulas, and with few entries in large
//! mechanisms. The terms with `μ` in them are left out, which is next to zero. How systems with them are
//! solved is in `math/stabilised.rs`.

use super::implicit::check_finite;
use super::matrix_age::{FactoredStep, MatrixAge};
use super::projected_end::{FOLLOWED_ROUNDS, Followed, ProjectedEnd};
use super::radau5::{ALPHA, BETA, Equations, GAMMA, NewtonMatrix};
use super::{Fault, Tolerances, Trial};
use crate::equations::ActiveRows;
use crate::formulation::{Flow, GglRoom, Kinematics, MotionPoint, Tangents};
use crate::math::{Complex, Linearised, Matrix, Sides, Stabilised};
use std::ops::Range;

/// Where less than this part of a row is left, the ends of steps are only moved by less than the tolerance.
const NOTHING: f64 = 1e-6;
/// The equations with their matrices and factors.
#[derive(Clone, Debug)]
pub(super) struct StabilisedForm {
    room: GglRoom,
    tangents: Tangents,
    /// What is known of the places of the tangents.
    grown: usize,
    kinematics: Option<Kinematics>,
    matrix: Stabilised,
    /// `f` at the start or at the end, with the masses there, and the rates of the states at the start.
    slope: Vec<f64>,
    mass: Matrix,
    pub(super) rates: Vec<f64>,
    projected: ProjectedEnd,
    zeros: Vec<f64>,
    /// Changes of positions of the speeds' kind.
    changes: [Vec<f64>; 2],
    positions: usize,
    slope_at: KnownAt,
    age: MatrixAge,
    factored: FactoredStep,
}

/// Where `f` is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KnownAt {
    Nowhere,
    Start,
    End,
}

/// What the system is made of.
fn linearised<'a>(
    tangents: &'a Tangents,
    kinematics: Option<&'a Kinematics>,
    room: &GglRoom,
) -> Linearised<'a> {
    Linearised {
        mass: &tangents.mass,
        forces: &tangents.forces,
        gradients: &tangents.gradients,
        slopes: &tangents.slopes,
        feedback: &tangents.feedback,
        kinematics: kinematics.map_or(&[], |kinematics| &kinematics.slopes),
        holonomic: room.left.position.len(),
    }
}

impl StabilisedForm {
    /// For the mechanism of a flow, which must be one.
    pub(super) fn new(field: &Flow<'_>, rows: &ActiveRows) -> Self {
        let (room, tangents) = (GglRoom::new(field, rows), Tangents::with_slopes(field.system(), rows));
        let kinematics = Kinematics::new(field);
        let (layout, all) = (field.system().layout(), room.dimension());
        Self {
            matrix: Stabilised::new(&linearised(&tangents, kinematics.as_ref(), &room)),
            slope: vec![0.0; all],
            mass: tangents.mass.clone(),
            rates: vec![0.0; layout.dimension()],
            projected: ProjectedEnd::new(layout.q, layout.dimension(), all),
            zeros: vec![0.0; all],
            changes: [vec![0.0; layout.v], vec![0.0; layout.v]],
            positions: layout.q,
            grown: tangents.grown,
            slope_at: KnownAt::Nowhere,
            age: MatrixAge::default(),
            factored: FactoredStep::default(),
            room,
            tangents,
            kinematics,
        }
    }

    /// How many constraints there are.
    pub(super) fn constraints(&self) -> usize {
        self.room.constraints()
    }

    /// Linearises the equations at the start.
    fn linearise(&mut self, field: &mut Flow<'_>, (t, y): (f64, &[f64])) -> Result<(), Fault> {
        let (states, rest) = y.split_at(self.rates.len());
        let multipliers = &rest[..self.constraints()];
        let at = MotionPoint { t, y: states, rates: &self.rates[self.positions..], multipliers };
        field.second_order().tangents(at, &mut self.room.left, &mut self.tangents);
        let Tangents { forces, mass, gradients, slopes, .. } = &self.tangents;
        for matrix in [forces, mass, gradients, slopes] {
            check_finite(&matrix.values, usize::MAX, t).map_err(|fault| self.as_speed(fault))?;
        }
        if let Some(kinematics) = &mut self.kinematics
            && !field.stabilised_index2().linearise_kinematics(t, states, kinematics)
        {
            return Err(Fault::SingularMatrix { component: 0 });
        }
        self.take_matrices();
        self.age.linearised();
        self.factored.forget();
        Ok(())
    }

    fn take_matrices(&mut self) {
        let of = linearised(&self.tangents, self.kinematics.as_ref(), &self.room);
        if self.tangents.grown != self.grown {
            self.grown = self.tangents.grown;
            self.matrix = Stabilised::new(&of);
        }
        self.matrix.linearise(&of);
    }

    /// Moves the end of a good step to where the constraints are met to rounding, as far as Newton's
    /// iteration has left them open. The equations are evaluated there as they will be at the start of the
    /// next step, which takes that over.
    pub(super) fn land(
        &mut self,
        field: &mut Flow<'_>,
        tolerances: &Tolerances,
        scales: &[f64],
        trial: &mut Trial,
    ) -> Result<(), Fault> {
        let (t, states) = (trial.t + trial.h, self.rates.len());
        self.slope_at = KnownAt::Nowhere;
        self.slope(field, (t, &trial.end))?;
        self.slope_at = KnownAt::End;
        self.projected.state.copy_from_slice(&trial.end[..states]);
        field.projection().project_evaluated(t, &mut self.projected.state);
        self.land_calmly(field, t, scales, &trial.end);
        // Next to a singular position, rounding would be divided by next to nothing.
        let fits = |i: usize| {
            let (landed, end) = (self.projected.state[i], trial.end[i]);
            (landed - end).abs() <= tolerances.scale(i, end.abs())
        };
        if field.singular().narrowest() > NOTHING || (0..states).all(fits) {
            trial.end[..states].copy_from_slice(&self.projected.state);
            // What was open would be taken for an error of the next step, however short.
            let (rates, levels) = self.slope[states..].split_at_mut(self.room.constraints());
            field.constraints().active_residuals(t, &self.projected.state, levels, rates);
        }
        Ok(())
    }

    /// Makes the projection one that the next step does not take for an error.
    fn land_calmly(&mut self, field: &mut Flow<'_>, t: f64, scales: &[f64], end: &[f64]) {
        let (states, m, h) = (self.rates.len(), self.constraints(), self.factored.h());
        self.projected.begin(end, &self.slope[states + m..]);
        for _ in 0..FOLLOWED_ROUNDS {
            if self.projected.moves_little(scales, h) {
                return;
            }
            let mut x = self.projected.right_hand_side(m, h);
            self.solve_real(&mut x);
            if self.projected.judge(x, scales) != Followed::Again {
                return;
            }
            let (open, rates, levels) = self.projected.residuals(m);
            field.constraints().active_residuals(t, open, levels, rates);
            field.projection().project_end(t, &mut self.projected.state);
        }
    }

    /// A fault of a speed or of a constraint, in terms of states.
    fn as_speed(&self, fault: Fault) -> Fault {
        match fault {
            Fault::NotFinite { t, value, .. } => Fault::NotFinite { component: self.positions, t, value },
            other => other,
        }
    }

    /// The right-hand sides from residuals; those of constraints change sign.
    fn turn<'a>(&self, x: &'a mut [f64]) -> (&'a mut [f64], &'a mut [f64], &'a mut [f64], &'a mut [f64]) {
        let (of_states, of_constraints) = x.split_at_mut(self.rates.len());
        let (positions, motion) = of_states.split_at_mut(self.positions);
        let (rates, levels) = of_constraints.split_at_mut(self.constraints());
        rates.iter_mut().chain(&mut *levels).for_each(|x| *x = -*x);
        (positions, motion, rates, levels)
    }
}

impl Equations for StabilisedForm {
    fn dimension(&self) -> usize {
        self.slope.len()
    }

    fn slope(&mut self, field: &mut Flow<'_>, (t, y): (f64, &[f64])) -> Result<&[f64], Fault> {
        // What was found at the end of a step that was not taken says nothing about this one.
        if self.slope_at != KnownAt::Start {
            self.slope_at = KnownAt::Nowhere;
            field.stabilised_index2().residual(&mut self.room, (t, y), &self.zeros, &mut self.slope);
            check_finite(&self.slope, 1, t)?;
            field.stabilised_index2().copy_masses(&mut self.mass);
            self.slope_at = KnownAt::Start;
        }
        Ok(&self.slope)
    }

    fn residual(
        &mut self,
        field: &mut Flow<'_>,
        (t, y): (f64, &[f64]),
        rates: &[f64],
        out: &mut [f64],
    ) -> Result<(), Fault> {
        field.stabilised_index2().residual(&mut self.room, (t, y), rates, out);
        check_finite(out, 1, t)
    }

    fn derivative(&mut self, field: &mut Flow<'_>, t: f64, y: &[f64], out: &mut [f64]) {
        field.stabilised_index2().residual(&mut self.room, (t, y), &self.zeros, out);
    }

    fn subtract_mass_times(&mut self, _: &mut Flow<'_>, _: (f64, &[f64]), x: &[f64], out: &mut [f64]) {
        let (states, q) = (self.rates.len(), self.positions);
        out[..q].iter_mut().zip(x).for_each(|(out, x)| *out -= x);
        for (row, out) in out[q..states].iter_mut().enumerate() {
            *out -= self.mass.row_times(row, &x[q..states]);
        }
    }

    fn hidden(&self) -> &[usize] {
        &[]
    }

    fn kinds(&self) -> [Range<usize>; 2] {
        let speeds = self.tangents.forces.columns() - self.tangents.forces.rows();
        [0..self.positions, self.positions..self.positions + speeds]
    }

    fn advance(&mut self, keep_jacobian: bool) {
        self.slope_at = if self.slope_at == KnownAt::End { KnownAt::Start } else { KnownAt::Nowhere };
        self.age.advance(keep_jacobian);
    }

    fn restart(&mut self) {
        self.advance(false);
        self.slope_at = KnownAt::Nowhere;
        self.factored.forget();
    }
}

impl NewtonMatrix for StabilisedForm {
    fn factor(&mut self, field: &mut Flow<'_>, at: (f64, &[f64]), h: f64) -> Result<(), Fault> {
        if !self.age.is_known() {
            self.linearise(field, at)?;
        }
        if self.factored.holds_for(h) {
            return Ok(());
        }
        self.factored.begin();
        let of = linearised(&self.tangents, self.kinematics.as_ref(), &self.room);
        if !self.matrix.factor(&of, GAMMA / h, Complex { re: ALPHA / h, im: BETA / h }) {
            return Err(Fault::SingularMatrix { component: self.positions });
        }
        self.factored.succeed(h);
        Ok(())
    }

    fn solve_real(&mut self, x: &mut [f64]) {
        let (positions, motion, rates, levels) = self.turn(x);
        let of = linearised(&self.tangents, self.kinematics.as_ref(), &self.room);
        let Some(kinematics) = &self.kinematics else {
            return self.matrix.solve_real(&of, Sides { positions, motion, rates, levels });
        };
        let [change, _] = &mut self.changes;
        kinematics.split(positions, change);
        self.matrix.solve_real(&of, Sides { positions: change, motion, rates, levels });
        for x in positions.iter_mut() {
            *x *= self.factored.h() / GAMMA;
        }
        kinematics.join(change, positions);
    }

    fn solve_complex(&mut self, re: &mut [f64], im: &mut [f64]) {
        let (re, im) = (self.turn(re), self.turn(im));
        let of = linearised(&self.tangents, self.kinematics.as_ref(), &self.room);
        let side = |positions, motion, rates, levels| Sides { positions, motion, rates, levels };
        let Some(kinematics) = &self.kinematics else {
            let (re, im) = (side(re.0, re.1, re.2, re.3), side(im.0, im.1, im.2, im.3));
            return self.matrix.solve_complex(&of, re, im);
        };
        let [change_re, change_im] = &mut self.changes;
        kinematics.split(re.0, change_re);
        kinematics.split(im.0, change_im);
        let sides = (side(change_re, re.1, re.2, re.3), side(change_im, im.1, im.2, im.3));
        self.matrix.solve_complex(&of, sides.0, sides.1);
        let s = Complex { re: ALPHA / self.factored.h(), im: BETA / self.factored.h() };
        for (x, y) in re.0.iter_mut().zip(im.0.iter_mut()) {
            let rest = Complex { re: *x, im: *y } / s;
            (*x, *y) = (rest.re, rest.im);
        }
        kinematics.join(change_re, re.0);
        kinematics.join(change_im, im.0);
    }

    fn is_fresh(&self) -> bool {
        self.age.is_fresh()
    }

    fn renew(&mut self) -> bool {
        self.age.renew()
    }

    fn jacobian_norm(&self) -> Option<f64> {
        None
    }

    fn factorisations(&self) -> u64 {
        self.factored.count()
    }
}
