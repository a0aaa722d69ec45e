//! The fields that meet at surfaces, one on each side.

use super::duals::Duals;
use super::local::LocalSurfaces;
use super::{FilippovCombination, SideRates, SurfaceSet, SurfaceSides};
use crate::equations::{System, rate_error};
use crate::formulation::FieldEnv;
use crate::math::dot;

/// Rates below this part of the largest entry of a field are rounding.
const ROUNDING: f64 = 2e-15;
/// How far a field may be from the sum of its terms, as a part of it.
const ADDS_UP: f64 = 1e-9;
/// The same where it decides which combination is taken.
const AFFINE: f64 = 1e-12;
/// How far fields may be from what the rates tell of them, where only one combination stays on the surfaces.
const SAME_FIELD: f64 = 1e-9;
/// Fields are taken at points that differ by rounding: entries below this part of the largest one, of the
/// fields or of the point, tell nothing.
const SMALL_ENTRY: f64 = 1e-12;
/// The same where it decides which combination is taken.
const SMALL_AFFINE: f64 = 0.01 * AFFINE;
/// A vector of which others leave no more than this part is one of them.
const SPANNED: f64 = 1e-12;

/// The fields on the sides of surfaces that meet.
#[derive(Clone, Debug)]
pub struct SideFields {
    sides: SurfaceSides,
    n: usize,
    /// The fields, one after the other.
    fields: Vec<f64>,
    duals: Duals,
}

impl SideFields {
    /// Room for the fields of a system.
    pub(super) fn new(system: &dyn System, sides: SurfaceSides) -> Self {
        let n = system.layout().dimension();
        Self { sides, n, fields: vec![0.0; n * sides.count()], duals: Duals::new(system, sides.surfaces()) }
    }

    /// Becomes as new.
    pub(super) fn renew(&mut self) {
        self.duals.renew();
    }

    /// The field of a side.
    pub(super) fn field(&self, side: usize) -> &[f64] {
        &self.fields[side * self.n..(side + 1) * self.n]
    }

    /// Whether the fields are the rates of states: no mass matrix stands before these.
    pub(super) fn are_rates(&self) -> bool {
        self.duals.are_gradients()
    }

    /// Gets ready to evaluate the fields around a point.
    pub(super) fn begin(&mut self, env: &mut FieldEnv<'_>, local: &LocalSurfaces) {
        self.duals.find(env, local);
    }

    /// Evaluates the field of the side that is locked at a point on it, next to the one of interest.
    pub(super) fn evaluate(
        &mut self,
        env: &mut FieldEnv<'_>,
        side: usize,
        local: &LocalSurfaces,
        beside: &mut [f64],
    ) {
        self.duals.solve_algebraic(env, beside);
        let field = &mut self.fields[side * self.n..(side + 1) * self.n];
        env.derivative(beside, field);
        self.duals.replace_algebraic(local.point(), beside, field);
    }

    /// The rates of all surfaces along the fields.
    pub(super) fn find_rates(&self, local: &LocalSurfaces, rates: &mut SideRates) {
        for (i, time_rate) in local.time_rates.iter().enumerate() {
            let dual = self.duals.dual(i);
            for (rate, field) in rates.of_mut(i).iter_mut().zip(self.all()) {
                *rate = time_rate + dot(dual, field);
            }
        }
    }

    /// How large rates are by rounding alone, where those of other components cancel or vanish, and by the
    /// error of gradients from differences.
    pub(super) fn find_rounding(
        &self,
        env: &FieldEnv<'_>,
        set: &SurfaceSet,
        local: &LocalSurfaces,
        rounding: &mut [f64],
    ) {
        let largest = self.largest();
        for (i, (rounding, surface)) in rounding.iter_mut().zip(set.surfaces()).enumerate() {
            let steep = sum_of_sizes(self.duals.dual(i));
            *rounding = ROUNDING * steep * largest;
            if env.differences_guard(surface.guard) {
                let gradient = sum_of_sizes(local.gradient(i));
                let after_mass = if gradient > 0.0 { steep / gradient } else { 1.0 };
                *rounding += after_mass * self.error_of_differences(local, i, env.t);
            }
        }
    }

    /// How much the error of a gradient from differences changes the rate of a surface along any of the
    /// fields.
    fn error_of_differences(&self, local: &LocalSurfaces, i: usize, t: f64) -> f64 {
        let fastest = |j: usize| self.all().fold(0.0_f64, |a, f| a.max(f[j].abs()));
        rate_error(local.gradient(i), local.time_rates[i], (t, local.point()), fastest)
    }

    fn all(&self) -> impl Iterator<Item = &[f64]> {
        self.fields.chunks_exact(self.n.max(1))
    }

    fn largest(&self) -> f64 {
        self.fields.iter().fold(0.0_f64, |a, b| a.max(b.abs()))
    }

    /// The combination of all fields with these shares.
    pub(super) fn combine(&self, shares: &[f64], dy: &mut [f64]) {
        dy.fill(0.0);
        for (field, share) in self.all().zip(shares) {
            for (dy, f) in dy.iter_mut().zip(field) {
                *dy += share * f;
            }
        }
    }

    /// Puts the algebraic states of a point to their combination with these shares.
    pub(super) fn combine_algebraic(&self, shares: &[f64], y: &mut [f64]) {
        for (row, column) in self.duals.algebraic_places() {
            y[column] += self.all().zip(shares).map(|(field, share)| share * field[row]).sum::<f64>();
        }
    }

    /// Where the combination of all fields in equal parts takes a state in a time `h`.
    pub fn go_between(&self, h: f64, y: &mut [f64]) {
        let part = h / self.sides.count() as f64;
        for field in self.all() {
            y.iter_mut().zip(field).for_each(|(y, f)| *y += part * f);
        }
    }

    /// Whether each sign stands in a term of its own: then the weights tell everything, and the product of
    /// weights does as well as any other combination.
    pub(super) fn are_affine(&self) -> bool {
        if self.sides.add_up() {
            return true;
        }
        let largest = self.largest();
        (0..self.sides.count()).all(|b| {
            // The field without the first of the signs, and the change that this one makes alone.
            let first = b & b.wrapping_neg();
            let (all, less, one, none) =
                (self.field(b), self.field(b ^ first), self.field(first), self.field(0));
            (0..self.n).all(|j| {
                let size = all[j].abs() + less[j].abs() + one[j].abs() + none[j].abs();
                (all[j] - less[j] - one[j] + none[j]).abs() <= AFFINE * size + SMALL_AFFINE * largest
            })
        })
    }

    /// Whether the field of all positive sides, which is given at a point, is the sum of its terms.
    pub(super) fn add_up_to(&self, positive: &[f64], point: &[f64]) -> bool {
        let sides = self.sides.count();
        let largest = self.fields.iter().chain(point).fold(0.0_f64, |a, b| a.max(b.abs()));
        (0..self.n).all(|j| {
            let entry = |b: usize| self.field(b)[j];
            let sum: f64 = entry(0) + (1..sides).map(|b| entry(b) - entry(0)).sum::<f64>();
            let size = (0..sides).fold(positive[j].abs(), |size, b| size.max(entry(b).abs()));
            (positive[j] - sum).abs() <= ADDS_UP * size + SMALL_ENTRY * largest
        })
    }

    /// Whether no other combination of the fields that have a share stays on the surfaces whose weights are
    /// not fixed: the fields then depend on the side in no other way than the rates of these surfaces do.
    pub(super) fn follow_from_rates(&self, of: &FilippovCombination, fixed: &[Option<f64>]) -> bool {
        let used: Vec<usize> = (0..self.sides.count()).filter(|&b| of.shares()[b] > SAME_FIELD).collect();
        let mut known: Vec<Vec<f64>> = vec![vec![1.0; used.len()]];
        let free = (0..fixed.len()).filter(|&i| fixed[i].is_none());
        known.extend(free.map(|i| used.iter().map(|&b| of.rates.rate(i, b)).collect()));
        let basis = orthogonal(known);
        let largest = self.largest();
        (0..self.n).all(|j| {
            let mut entries: Vec<f64> = used.iter().map(|&b| self.field(b)[j]).collect();
            let size = entries.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
            take_off(&mut entries, &basis);
            entries.iter().all(|rest| rest.abs() <= SAME_FIELD * size + SMALL_ENTRY * largest)
        })
    }
}

fn sum_of_sizes(values: &[f64]) -> f64 {
    values.iter().map(|value| value.abs()).sum()
}

/// Unit vectors that span the same as the given ones.
fn orthogonal(vectors: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for mut vector in vectors {
        let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let before = norm(&vector);
        // Twice, for rounding.
        take_off(&mut vector, &basis);
        take_off(&mut vector, &basis);
        let size = norm(&vector);
        if size > SPANNED * before {
            for x in &mut vector {
                *x /= size;
            }
            basis.push(vector);
        }
    }
    basis
}

/// Takes off from a vector what lies along others.
fn take_off(vector: &mut [f64], basis: &[Vec<f64>]) {
    for unit in basis {
        let along: f64 = unit.iter().zip(&*vector).map(|(a, b)| a * b).sum();
        vector.iter_mut().zip(unit).for_each(|(x, u)| *x -= along * u);
    }
}

#[cfg(test)]
impl SideFields {
    /// These fields, one for each side.
    pub(super) fn given(sides: SurfaceSides, fields: &[&[f64]]) -> Self {
        let n = fields[0].len();
        Self { sides, n, fields: fields.concat(), duals: Duals::identity(sides.surfaces(), n) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_combined_by_their_shares() {
        let fields = SideFields::given(SurfaceSides::of(1), &[&[1.0, 4.0], &[-1.0, 0.0]]);
        let (mut dy, mut y) = ([9.0; 2], [1.0, 1.0]);
        fields.combine(&[0.25, 0.75], &mut dy);
        assert_eq!(dy, [-0.5, 1.0]);
        fields.go_between(0.5, &mut y);
        assert_eq!(y, [1.0, 2.0]);
    }

    #[test]
    fn a_product_of_signs_is_not_a_sum_of_terms() {
        let sides = SurfaceSides::of(2);
        let given = |field: fn(f64, f64) -> f64| {
            let value = |b: usize| [field(sides.sign(b, 0), sides.sign(b, 1))];
            let values = [0, 1, 2, 3].map(value);
            SideFields::given(sides, &values.each_ref().map(|value| &value[..]))
        };
        assert!(given(|a, b| 1.0 + 3.0 * a - 0.1 * b).are_affine());
        assert!(!given(|a, b| 1.0 + 3.0 * a - 0.1 * a * b).are_affine());
    }
}
