//! The equations that every solver gets: one piece of code, of fixed size, inlined into each.

use slipstick::problems::{Problem, smooth, stiff};

/// Equations of a fixed dimension. The truth, the start and the end come from Slipstick's problem of the same
/// name.
pub(crate) trait Equations<const N: usize>: Copy + Send + Sync + 'static {
    /// The name of the problem.
    const NAME: &'static str;
    /// Whether it is for implicit methods.
    const STIFF: bool = false;

    /// `dy = f(t, y)`.
    fn field(t: f64, y: &[f64; N], dy: &mut [f64; N]);

    /// `∂f/∂y` by rows; only stiff problems have it.
    fn jacobian(_y: &[f64; N]) -> [[f64; N]; N] {
        [[0.0; N]; N]
    }

    /// The problem with its truth.
    fn problem() -> Problem {
        let mut all = smooth().into_iter().chain(stiff());
        all.find(|problem| problem.name == Self::NAME).expect("the problem exists")
    }

    /// Where it starts.
    fn start() -> [f64; N] {
        Self::problem().start.y.try_into().expect("the dimension is right")
    }
}

/// A slice as an array: solvers know the length only when they run.
#[inline(always)]
pub(crate) fn fixed<const N: usize>(y: &[f64]) -> &[f64; N] {
    y.try_into().expect("the dimension is right")
}

/// As [`fixed`], to be written to.
#[inline(always)]
pub(crate) fn fixed_mut<const N: usize>(y: &mut [f64]) -> &mut [f64; N] {
    y.try_into().expect("the dimension is right")
}

#[derive(Clone, Copy)]
pub(crate) struct Arenstorf;

impl Equations<4> for Arenstorf {
    const NAME: &'static str = "arenstorf";

    #[inline(always)]
    fn field(_t: f64, s: &[f64; 4], ds: &mut [f64; 4]) {
        let mu = 0.012277471;
        let nu = 1.0 - mu;
        let [x, y, vx, vy] = *s;
        let cubed = |x: f64| {
            let r2 = x * x + y * y;
            r2 * r2.sqrt()
        };
        let (to_earth, to_moon) = (cubed(x + mu), cubed(x - nu));
        ds[0] = vx;
        ds[1] = vy;
        ds[2] = x + 2.0 * vy - nu * (x + mu) / to_earth - mu * (x - nu) / to_moon;
        ds[3] = y - 2.0 * vx - nu * y / to_earth - mu * y / to_moon;
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Pleiades;

impl Equations<28> for Pleiades {
    const NAME: &'static str = "pleiades";

    #[inline(always)]
    fn field(_t: f64, s: &[f64; 28], ds: &mut [f64; 28]) {
        ds[..14].copy_from_slice(&s[14..]);
        ds[14..].fill(0.0);
        for i in 0..7 {
            for j in 0..i {
                let (dx, dy) = (s[j] - s[i], s[7 + j] - s[7 + i]);
                let r2 = dx * dx + dy * dy;
                let w = 1.0 / (r2 * r2.sqrt());
                let (mi, mj) = ((i + 1) as f64, (j + 1) as f64);
                ds[14 + i] += mj * dx * w;
                ds[21 + i] += mj * dy * w;
                ds[14 + j] -= mi * dx * w;
                ds[21 + j] -= mi * dy * w;
            }
        }
    }
}

#[derive(Clone, Copy)]
pub(crate) struct VanDerPol;

impl Equations<2> for VanDerPol {
    const NAME: &'static str = "van-der-pol-1e6";
    const STIFF: bool = true;

    #[inline(always)]
    fn field(_t: f64, y: &[f64; 2], dy: &mut [f64; 2]) {
        dy[0] = y[1];
        dy[1] = ((1.0 - y[0] * y[0]) * y[1] - y[0]) / 1e-6;
    }

    #[inline(always)]
    fn jacobian(y: &[f64; 2]) -> [[f64; 2]; 2] {
        [[0.0, 1.0], [(-2.0 * y[0] * y[1] - 1.0) / 1e-6, (1.0 - y[0] * y[0]) / 1e-6]]
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Robertson;

impl Equations<3> for Robertson {
    const NAME: &'static str = "robertson";
    const STIFF: bool = true;

    #[inline(always)]
    fn field(_t: f64, y: &[f64; 3], dy: &mut [f64; 3]) {
        let (slow, back, fast) = (0.04 * y[0], 1e4 * y[1] * y[2], 3e7 * y[1] * y[1]);
        dy[0] = back - slow;
        dy[1] = slow - back - fast;
        dy[2] = fast;
    }

    #[inline(always)]
    fn jacobian(y: &[f64; 3]) -> [[f64; 3]; 3] {
        let (b, c, fast) = (1e4 * y[1], 1e4 * y[2], 6e7 * y[1]);
        [[-0.04, c, b], [0.04, -c - fast, -b], [0.0, fast, 0.0]]
    }
}
