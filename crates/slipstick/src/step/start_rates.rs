//! The rates at a point behind a mass matrix that varies, and how `M(t, y) z` changes with time and state at
//! those rates.
//!
//! Where `M(t, y) y' = f(t, y)` is linearised, the mass changes with the state too: the Jacobian is
//! `∂f/∂y - ∂(M z)/∂y` with `z = y'`.

use crate::formulation::Field;
use crate::math::Descriptor;

/// The most rounds for the rates, which solve a quadratic equation where both kernels of the mass vary.
const MOST_ROUNDS: usize = 10;
/// Rates that change by less than this part are found.
const FOUND: f64 = 1e-12;

/// The rates with the slopes of the mass along them, and the scratch to find them.
#[derive(Clone, Debug)]
pub(super) struct StartRates {
    /// `z`.
    pub(super) rates: Vec<f64>,
    /// `∂(M z)/∂y` by rows.
    pub(super) by_state: Vec<f64>,
    /// `∂(M z)/∂t`.
    pub(super) by_time: Vec<f64>,
    /// `∂f/∂t`.
    drift: Vec<f64>,
    descriptor: Descriptor,
    found: Vec<f64>,
}

/// A field at one point.
pub(super) struct FieldHere<'a> {
    /// Its derivative `f`.
    pub(super) slope: &'a [f64],
    /// `∂f/∂y`.
    pub(super) jacobian: &'a [f64],
    pub(super) mass: &'a [f64],
}

impl StartRates {
    pub(super) fn new(n: usize) -> Self {
        let zeros = |count: usize| vec![0.0; count];
        Self {
            rates: zeros(n),
            by_state: zeros(n * n),
            by_time: zeros(n),
            drift: zeros(n),
            descriptor: Descriptor::new(n),
            found: zeros(n),
        }
    }

    /// Finds them at a point where the field is this.
    pub(super) fn find(&mut self, field: &mut impl Field, (t, y): (f64, &[f64]), here: &FieldHere<'_>) {
        field.time_derivative(t, y, here.slope, &mut self.drift);
        self.rates.fill(0.0);
        for _ in 0..MOST_ROUNDS {
            self.find_slopes(field, t, y);
            self.describe(here);
            let rank = self.descriptor.solve(&mut self.found);
            let settled = rank == y.len() || self.has_settled();
            std::mem::swap(&mut self.rates, &mut self.found);
            if settled {
                break;
            }
        }
        if self.rates.iter().any(|z| !z.is_finite()) {
            self.rates.fill(0.0);
        }
        self.find_slopes(field, t, y);
    }

    fn find_slopes(&mut self, field: &mut impl Field, t: f64, y: &[f64]) {
        field.mass_slopes(t, y, &self.rates, (&mut self.by_state, &mut self.by_time));
    }

    /// The equations `M z = f` and `M z' = (J - D) z + ∂f/∂t - ∂(M z)/∂t`.
    fn describe(&mut self, here: &FieldHere<'_>) {
        let Descriptor { mass: own_mass, slopes, force, drift, .. } = &mut self.descriptor;
        own_mass.copy_from_slice(here.mass);
        force.copy_from_slice(here.slope);
        let difference = |out: &mut [f64], a: &[f64], b: &[f64]| {
            out.iter_mut().zip(a).zip(b).for_each(|((out, a), b)| *out = a - b);
        };
        difference(slopes, here.jacobian, &self.by_state);
        difference(drift, &self.drift, &self.by_time);
    }

    fn has_settled(&self) -> bool {
        let size = self.found.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
        self.found.iter().zip(&self.rates).all(|(x, z)| (x - z).abs() <= FOUND * size)
    }
}
