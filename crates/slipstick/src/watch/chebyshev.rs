//! Polynomials through values, for comparisons that give no polynomial of their own (closures).
//!
//! Values at the Chebyshev points of an interval give the coefficients `a_k` of `Σ a_k T_k`. If the last ones
//! are small, the polynomial is close to the function (Trefethen, Approximation Theory and Approximation
//! Practice, 2013). Points are doubled once, then the interval is halved. That is an estimate: a spike
//! between points is not seen.

use super::bernstein::Bernstein;
use super::search::StepPiece;
use super::signals::{Banded, NotFinite};
use std::sync::OnceLock;

/// The degrees that are tried on an interval; the points of the first are among those of the second.
const COARSE: usize = 8;
const FINE: usize = 16;
/// The last coefficients, as a part of the largest value, below which the polynomial is taken for the
/// function. Roots are located by values; this only matters for how well peaks next to the band are found,
/// and their height depends on its square.
const SMOOTH: f64 = 1e-9;
/// The estimated remainder, in units of the last two coefficients: for coefficients that halve, what follows
/// is as large as the last.
const REMAINDER: f64 = 4.0;
/// The part of the two coefficients before these that counts as well: next to a kink the last ones can be
/// small by chance.
const EARLIER: f64 = 0.05;
/// The remainder is an estimate: this many times as much keeps a function away from zero that has a kink
/// between two points.
const AWAY: f64 = 4.0;
/// Rounding of a coefficient of `T_k`, in units of its size: sums of some products.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// What the bands of values make of a polynomial through them: the Lebesgue constant of 17 points is below 3.
const LEBESGUE: f64 = 3.0;
/// How often an interval is halved, and how often without making it less rough: noise does not become
/// smooth. A kink next to zero is followed until it is told apart from zero.
const DEEPEST: u32 = 40;
const MOST_FRUITLESS: u32 = 2;
/// Roughness has become smaller if it is below this part of what it was before.
const SMALLER: f64 = 0.7;

/// A function of local time.
pub(super) type Value<'a> = &'a mut dyn FnMut(f64) -> Result<Banded, NotFinite>;

/// Bernstein coefficients of the Chebyshev polynomials up to a degree: `rows[k][j]`.
struct ChebyshevTable {
    rows: [[f64; FINE + 1]; FINE + 1],
    /// The largest entry of each row: what rounding of `a_k` becomes.
    largest: [f64; FINE + 1],
    /// `cos(π j / n)`, from j = 0 on.
    points: [f64; FINE + 1],
}

/// Adds pieces that cover an interval. False: somewhere the last coefficients did not become small.
pub(super) fn sample(
    value: Value,
    from: f64,
    to: f64,
    pieces: &mut Vec<StepPiece>,
) -> Result<bool, NotFinite> {
    let patience = Patience { halvings: DEEPEST, fruitless: 0 };
    Fitted::of(value, (from, to))?.refine(value, patience, pieces)
}

/// How much longer an interval is halved.
#[derive(Clone, Copy)]
struct Patience {
    halvings: u32,
    /// How often both halves were as rough as the whole.
    fruitless: u32,
}

/// Values at the points of an interval, from its end to its start.
struct Samples {
    from: f64,
    to: f64,
    values: [f64; FINE + 1],
    band: f64,
    least_band: f64,
}

impl Samples {
    /// Takes the value at a point of the fine degree.
    fn take(&mut self, value: Value, j: usize) -> Result<(), NotFinite> {
        let share = 0.5 * (1.0 + table(FINE).points[j]);
        let probe = value(if j == 0 { self.to } else { self.from + (self.to - self.from) * share })?;
        self.values[j] = probe.value;
        (self.band, self.least_band) = (self.band.max(probe.band), self.least_band.min(probe.band));
        Ok(())
    }

    /// The values at the points of the coarse degree.
    fn coarse(&self) -> [f64; FINE + 1] {
        let mut values = [0.0; FINE + 1];
        (0..=COARSE).for_each(|j| values[j] = self.values[2 * j]);
        values
    }
}

/// An interval with the polynomial through its values.
struct Fitted {
    ends: (f64, f64),
    fit: Fit,
    band: f64,
    least_band: f64,
    smooth: bool,
}

impl Fitted {
    fn of(value: Value, (from, to): (f64, f64)) -> Result<Self, NotFinite> {
        let values = [0.0; FINE + 1];
        let mut samples = Samples { from, to, values, band: 0.0, least_band: f64::INFINITY };
        for j in 0..=COARSE {
            samples.take(value, 2 * j)?;
        }
        let mut fit = Fit::of(&samples.coarse(), COARSE);
        if !fit.will_do(samples.band) {
            for j in 0..COARSE {
                samples.take(value, 2 * j + 1)?;
            }
            fit = Fit::of(&samples.values, FINE);
        }
        let smooth = fit.will_do(samples.band);
        let Samples { band, least_band, .. } = samples;
        Ok(Self { ends: (from, to), fit, band, least_band, smooth })
    }

    /// Adds pieces for the interval, halved where it is not smooth. Of a kink or a spike one half is rid,
    /// of noise neither.
    fn refine(
        &self,
        value: Value,
        patience: Patience,
        pieces: &mut Vec<StepPiece>,
    ) -> Result<bool, NotFinite> {
        let (from, to) = self.ends;
        let middle = 0.5 * (from + to);
        let may = patience.halvings > 0 && patience.fruitless <= MOST_FRUITLESS;
        if self.smooth || !may || from >= middle || middle >= to {
            let remainder = self.fit.remainder + LEBESGUE * self.band;
            let piece = StepPiece::new(self.ends, self.fit.shape, remainder, self.band);
            pieces.push(piece.with_least_band(self.least_band));
            return Ok(self.smooth);
        }
        let halves = [Self::of(value, (from, middle))?, Self::of(value, (middle, to))?];
        let as_rough = |half: &Self| !half.smooth && half.fit.roughness > SMALLER * self.fit.roughness;
        let fruitless = patience.fruitless + u32::from(halves.iter().all(as_rough));
        let patience = Patience { halvings: patience.halvings - 1, fruitless };
        let left = halves[0].refine(value, patience, pieces)?;
        Ok(halves[1].refine(value, patience, pieces)? && left)
    }
}

/// A polynomial through values, and how good it is.
struct Fit {
    shape: Bernstein,
    remainder: f64,
    size: f64,
    /// The sum of the upper half of the coefficients: unlike the last of them, it does not become small by
    /// chance.
    roughness: f64,
}

impl Fit {
    /// Through the values at the points of degree n.
    fn of(values: &[f64; FINE + 1], n: usize) -> Self {
        let table = table(n);
        let mut coefficients = [0.0; FINE + 1];
        let (mut tail, mut earlier, mut rounding, mut roughness) = (0.0, 0.0, 0.0, 0.0);
        for k in 0..=n {
            let a = chebyshev_coefficient(values, k, n);
            match n - k {
                0 | 1 => tail += a.abs(),
                2 | 3 => earlier += a.abs(),
                _ => {}
            }
            if 2 * k >= n {
                roughness += a.abs();
            }
            rounding += ROUNDING * a.abs() * table.largest[k];
            for (c, row) in coefficients[..=n].iter_mut().zip(&table.rows[k]) {
                *c += a * row;
            }
        }
        let size = values[..=n].iter().fold(0.0, |size: f64, v| size.max(v.abs()));
        let shape = Bernstein::from_coefficients(&coefficients[..=n]);
        // Polynomials of a degree next to that of few points are exact.
        let tail = if n == FINE { f64::max(tail, EARLIER * earlier) } else { tail };
        Self { shape, remainder: REMAINDER * tail + rounding, size, roughness }
    }

    /// Whether it is as good as it can be, or as it has to be to keep the function away from zero.
    fn will_do(&self, band: f64) -> bool {
        let (least, most) = self.shape.range();
        let away = AWAY * self.remainder + band;
        self.remainder <= SMOOTH * self.size + band || least > away || most < -away
    }
}

/// The coefficient of `T_k` in the polynomial of degree n through values at `cos(π j / n)`.
fn chebyshev_coefficient(values: &[f64; FINE + 1], k: usize, n: usize) -> f64 {
    let stride = FINE / n;
    let points = &table(FINE).points;
    let mut sum = 0.0;
    for (j, value) in values[..=n].iter().enumerate() {
        // cos(π j k / n), by the symmetries of the cosine.
        let turn = (j * k * stride) % (2 * FINE);
        let cosine = points[if turn > FINE { 2 * FINE - turn } else { turn }];
        sum += if j == 0 || j == n { 0.5 } else { 1.0 } * cosine * value;
    }
    sum * if k == 0 || k == n { 1.0 } else { 2.0 } / n as f64
}

/// The table of a degree.
fn table(n: usize) -> &'static ChebyshevTable {
    static COARSE_TABLE: OnceLock<ChebyshevTable> = OnceLock::new();
    static FINE_TABLE: OnceLock<ChebyshevTable> = OnceLock::new();
    if n == COARSE { &COARSE_TABLE } else { &FINE_TABLE }.get_or_init(|| make_table(n))
}

/// `T_k` has the Bernstein coefficients `(-1)^(k-j) (2k over 2j) / (k over j)` of degree k, which are then
/// raised to degree n.
fn make_table(n: usize) -> ChebyshevTable {
    let none = [0.0; FINE + 1];
    let mut table = ChebyshevTable { rows: [none; FINE + 1], largest: none, points: none };
    for k in 0..=n {
        let mut row = [0.0; FINE + 1];
        let (mut c, mut sign) = (1.0, if k % 2 == 0 { 1.0 } else { -1.0 });
        for (j, entry) in row[..=k].iter_mut().enumerate() {
            *entry = sign * c;
            // The ratio of neighbours: (2k-2j)(2k-2j-1) / ((2j+1)(2j+2)) · (j+1) / (k-j).
            c *= (2 * k).saturating_sub(2 * j + 1) as f64 / (2 * j + 1) as f64;
            sign = -sign;
        }
        let raised = Bernstein::from_coefficients(&row[..=k]).raised(n);
        table.rows[k][..=n].copy_from_slice(raised.coefficients());
        table.largest[k] = raised.size();
    }
    for j in 0..=n {
        table.points[j] = (std::f64::consts::PI * j as f64 / n as f64).cos();
    }
    // Exact where symmetry says so.
    table.points[n / 2] = 0.0;
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces_of(f: impl Fn(f64) -> f64, from: f64, to: f64) -> (Vec<StepPiece>, bool, usize) {
        let (mut pieces, mut count) = (Vec::new(), 0);
        let proved = sample(
            &mut |s| {
                count += 1;
                Ok(Banded::new(f(s), 1e-16))
            },
            from,
            to,
            &mut pieces,
        );
        (pieces, proved.unwrap(), count)
    }

    fn largest_difference(pieces: &[StepPiece], f: impl Fn(f64) -> f64) -> f64 {
        let mut largest = 0.0_f64;
        for piece in pieces {
            for k in 0..=100 {
                let t = f64::from(k) / 100.0;
                largest = largest.max((piece.shape.at(t) - f(piece.time(t))).abs());
            }
        }
        largest
    }

    #[test]
    fn a_polynomial_of_degree_four_needs_nine_values() {
        let f = |s: f64| (s - 0.3) * (s - 0.7).powi(3);
        let (pieces, proved, count) = pieces_of(f, 0.0, 1.0);
        assert!(proved && count == 9 && pieces.len() == 1 && largest_difference(&pieces, f) < 1e-14);
    }

    #[test]
    fn far_from_zero_nine_values_will_do_for_any_smooth_function() {
        let (pieces, proved, count) = pieces_of(|s| 5.0 + (3.0 * s).sin(), 0.0, 1.0);
        assert!(proved && count == 9 && pieces[0].shape.range().0 > 3.9);
    }

    #[test]
    fn fast_functions_are_halved_until_they_are_smooth() {
        let f = |s: f64| (40.0 * s).sin();
        let (pieces, proved, count) = pieces_of(f, 0.0, 3.0);
        assert!(proved && pieces.len() > 4 && count < 1200, "{count}");
        assert!(largest_difference(&pieces, f) < 1e-8);
        assert!(pieces.windows(2).all(|pair| pair[0].to == pair[1].from) && pieces[0].from == 0.0);
    }

    #[test]
    fn noise_does_not_become_smooth() {
        let noise = |s: f64| ((s * 1e9).sin() * 1e5).fract();
        let (_, proved, count) = pieces_of(noise, 0.0, 1.0);
        assert!(!proved && count < 600, "{count}");
    }

    #[test]
    fn a_kink_is_followed_until_it_is_told_apart_from_zero() {
        for distance in [1e-1, 1e-4, 1e-9] {
            let (pieces, proved, count) = pieces_of(|s| (s - 0.3).abs() - distance, 0.0, 1.0);
            assert!(proved && pieces.len() < 70 && count < 1000, "{distance}: {count}");
        }
        let (_, proved, count) = pieces_of(|s| (s - 0.3).abs(), 0.0, 1.0);
        assert!(!proved && count < 1200, "{count}");
    }
}
