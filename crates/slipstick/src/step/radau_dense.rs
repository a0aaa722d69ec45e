//! The equations `M y' = f` of RADAU5 with full matrices: `radau5.rs` on any system of ordinary differential
//! equations, or of algebraic ones of index 1 and 2.

use super::implicit::{Linearisation, check_finite};
use super::matrix_age::FactoredStep;
use super::radau5::{ALPHA, BETA, Equations, GAMMA, NewtonMatrix, Radau5};
use super::{Fault, Step};
use crate::formulation::{Field, Flow};
use crate::math::{Any, ComplexLu, ComponentCount, Fixed, RealLu};
use std::ops::Range;

/// Radau IIA with full matrices, compiled for the dimension if that is small.
pub(super) fn build_dense(dimension: usize) -> Box<dyn Step> {
    match dimension {
        1 => Box::new(Radau5::new(Dense::new(Fixed::<1>))),
        2 => Box::new(Radau5::new(Dense::new(Fixed::<2>))),
        3 => Box::new(Radau5::new(Dense::new(Fixed::<3>))),
        4 => Box::new(Radau5::new(Dense::new(Fixed::<4>))),
        n => Box::new(Radau5::new(Dense::new(Any(n)))),
    }
}

/// Jacobian and mass matrix with their factors.
#[derive(Clone, Debug)]
pub(super) struct Dense<D> {
    dimension: D,
    linear: Linearisation,
    real: RealLu<D>,
    complex: ComplexLu<D>,
    factored: FactoredStep,
}

impl<D: ComponentCount> Dense<D> {
    pub(super) fn new(dimension: D) -> Self {
        Self {
            dimension,
            linear: Linearisation::new(dimension.get()),
            real: RealLu::sized(dimension),
            complex: ComplexLu::sized(dimension),
            factored: FactoredStep::default(),
        }
    }
}

impl<D: ComponentCount> Equations for Dense<D> {
    #[inline(always)]
    fn dimension(&self) -> usize {
        self.dimension.get()
    }

    #[inline]
    fn slope(&mut self, field: &mut Flow<'_>, (t, y): (f64, &[f64])) -> Result<&[f64], Fault> {
        self.linear.find_slope(field, t, y)?;
        Ok(&self.linear.slope)
    }

    #[inline(always)]
    fn residual(
        &mut self,
        field: &mut Flow<'_>,
        (t, y): (f64, &[f64]),
        rates: &[f64],
        out: &mut [f64],
    ) -> Result<(), Fault> {
        field.derivative(t, y, out);
        check_finite(out, 1, t)?;
        self.linear.subtract_mass_times(field, (t, y), rates, out);
        check_finite(out, 1, t)
    }

    #[inline]
    fn derivative(&mut self, field: &mut Flow<'_>, t: f64, y: &[f64], out: &mut [f64]) {
        field.derivative(t, y, out);
    }

    #[inline]
    fn subtract_mass_times(
        &mut self,
        field: &mut Flow<'_>,
        start: (f64, &[f64]),
        x: &[f64],
        out: &mut [f64],
    ) {
        self.linear.subtract_mass_times(field, start, x, out);
    }

    #[inline]
    fn hidden(&self) -> &[usize] {
        self.linear.hidden()
    }

    #[inline(always)]
    fn kinds(&self) -> [Range<usize>; 2] {
        [0..0, 0..0]
    }

    fn advance(&mut self, keep_jacobian: bool) {
        self.linear.advance(keep_jacobian);
    }

    fn restart(&mut self) {
        self.factored.forget();
        self.linear.restart();
    }
}

impl<D: ComponentCount> NewtonMatrix for Dense<D> {
    fn factor(&mut self, field: &mut Flow<'_>, (t, y): (f64, &[f64]), h: f64) -> Result<(), Fault> {
        let is_new = self.linear.find_matrices(field, t, y)?;
        if !is_new && self.factored.holds_for(h) {
            return Ok(());
        }
        self.factored.begin();
        self.linear.fill_real(GAMMA / h, &mut self.real);
        self.linear.fill_complex(ALPHA / h, BETA / h, &mut self.complex);
        let singular = |component| Fault::SingularMatrix { component };
        self.real.factor().map_err(singular)?;
        self.complex.factor().map_err(singular)?;
        self.factored.succeed(h);
        Ok(())
    }

    #[inline]
    fn solve_real(&mut self, x: &mut [f64]) {
        self.real.solve(x);
    }

    #[inline]
    fn solve_complex(&mut self, re: &mut [f64], im: &mut [f64]) {
        self.complex.solve(re, im);
    }

    fn is_fresh(&self) -> bool {
        self.linear.is_fresh()
    }

    fn renew(&mut self) -> bool {
        self.linear.renew()
    }

    fn jacobian_norm(&self) -> Option<f64> {
        Some(self.linear.jacobian_norm())
    }

    fn factorisations(&self) -> u64 {
        self.factored.count()
    }
}
