//! The systems of `stabilised.rs`, dense, by the null spaces of the gradients.
//!
//! Constraints of positions fix `x` up to the directions `Z` that they leave free, and those of speeds fix
//! `v` up to the directions `Y`, which are among these. The rest of `Z`, `E`, is what constraints of speeds
//! alone forbid. With `x = x₀ + Z a` and `v = v₀ + Y b`, what the first equation says along `Y` gives `b = s
//! Yᵀ Z a - …`; what it says along `E`, and what the forces do along `Y`, are as many equations as there are
//! unknowns `(a, z)`: a matrix `s² A₂ + s A₁ + A₀` that has the size of what moves freely. The multipliers
//! carry what is left. Only that matrix depends on `s`, so that another step size takes next to no work.

use super::row_space::RowSpace;
use super::stabilised::{Linearised, Sides};
use crate::math::{Complex, ComplexLu, RealLu, dot};

/// The system with its factors.
#[derive(Clone, Debug)]
pub(super) struct DenseStabilised {
    n: usize,
    further: usize,
    /// The gradients of all constraints, and of those of positions if there are others; both by rows.
    all: RowSpace,
    own: Option<RowSpace>,
    rows: Vec<f64>,
    /// `E`, one direction after the other, and how many directions are in `Y` and in `E`.
    extra: Vec<f64>,
    free: usize,
    extras: usize,
    /// How far `v` stays behind `s` times each direction.
    behind: Vec<f64>,
    /// `A₀`, `A₁`, `A₂`.
    reduced: [Vec<f64>; 3],
    real: (f64, RealLu),
    complex: (Complex, ComplexLu),
    parts: [Part; 2],
    level: Vec<f64>,
}

/// Scratch for the real or the imaginary part of a solution.
#[derive(Clone, Debug)]
struct Part {
    /// `(x, u)`, masses times `u`, what is left of the forces, what is left of the rates of positions, and
    /// `(a, z)`.
    both: Vec<f64>,
    heavy: Vec<f64>,
    force: Vec<f64>,
    push: Vec<f64>,
    along: Vec<f64>,
}

impl DenseStabilised {
    /// Room for matrices of this size.
    pub(super) fn new(of: &Linearised<'_>) -> Self {
        let ((n, further), m, h) = (of.size(), of.gradients.rows(), of.holonomic);
        let room = |length: usize| vec![0.0; length];
        let part = || Part {
            both: room(2 * n + further),
            heavy: room(n + further),
            force: room(n + further),
            push: room(n),
            along: room(n + further),
        };
        Self {
            n,
            further,
            all: RowSpace::new(n, m),
            own: (h < m).then(|| RowSpace::new(n, h)),
            rows: room(m * n),
            extra: Vec::with_capacity(n * n.min(m - h)),
            free: 0,
            extras: 0,
            behind: room(n * n),
            reduced: [0; 3].map(|_| room((n + further) * (n + further))),
            real: (0.0, RealLu::new(0)),
            complex: (Complex::default(), ComplexLu::new(0)),
            parts: [part(), part()],
            level: room(m),
        }
    }

    /// About how many multiplications it takes to linearise, to factor for a real number, and to solve for
    /// one, if no row follows from others.
    pub(super) fn work(of: &Linearised<'_>) -> [f64; 3] {
        let ((n, further), m) = (of.size(), of.gradients.rows());
        let unknowns = (n - of.holonomic.min(n) + further) as f64;
        let (n, m) = (n as f64, m as f64);
        let entries = (of.mass.values.len() + of.forces.values.len()) as f64;
        let turning = n * (2.0 * m + unknowns) + entries;
        [m * m * n + 2.0 * unknowns * turning, unknowns.powi(3) / 3.0, 2.0 * turning + unknowns * unknowns]
    }

    /// Finds everything that does not depend on `s`.
    pub(super) fn linearise(&mut self, of: &Linearised<'_>) {
        let n = self.n;
        self.rows.fill(0.0);
        for ((row, column), value) in of.gradients.places().zip(&of.gradients.values) {
            self.rows[row * n + column] = *value;
        }
        self.all.reflect(&self.rows);
        self.free = n - self.all.rank;
        self.find_extra(of.holonomic);
        let unknowns = self.free + self.extras + self.further;
        if self.real.1.entries_mut().len() != unknowns * unknowns {
            (self.real.1, self.complex.1) = (RealLu::new(unknowns), ComplexLu::new(unknowns));
        }
        for column in 0..self.free + self.extras {
            self.move_along(of, column);
        }
        for state in 0..self.further {
            self.change_state(of, state);
        }
    }

    /// `E`: what is left of the directions that constraints of positions leave free, the longest first.
    fn find_extra(&mut self, holonomic: usize) {
        self.extra.clear();
        self.extras = 0;
        let (n, free, all) = (self.n, self.free, &self.all);
        let Some(own) = &mut self.own else { return };
        own.reflect(&self.rows[..holonomic * n]);
        let (wide, rest) = (n - own.rank, &mut self.parts[0].push);
        self.extras = wide.saturating_sub(free);
        for start in (0..self.extras).map(|extra| extra * n) {
            self.extra.resize(start + n, 0.0);
            let (found, best) = self.extra.split_at_mut(start);
            for j in 0..wide {
                rest.copy_from_slice(own.free(j));
                for unit in (0..free).map(|i| all.free(i)).chain(found.chunks_exact(n)) {
                    take_along(rest, unit);
                }
                if dot(rest, rest) > dot(best, best) {
                    best.copy_from_slice(rest);
                }
            }
            let length = dot(best, best).sqrt().max(f64::MIN_POSITIVE);
            for x in best {
                *x /= length;
            }
        }
    }

    /// A direction of `Z`: those of `Y` first.
    fn direction(&self, column: usize) -> &[f64] {
        match column.checked_sub(self.free) {
            None => self.all.free(column),
            Some(extra) => &self.extra[extra * self.n..(extra + 1) * self.n],
        }
    }

    /// The column of the matrices for a motion along a direction.
    fn move_along(&mut self, of: &Linearised<'_>, column: usize) {
        let n = self.n;
        let mut part = self.take_part(0);
        let mut behind = std::mem::take(&mut self.behind);
        let lag = &mut behind[column * n..(column + 1) * n];
        part.both.fill(0.0);
        part.both[..n].copy_from_slice(self.direction(column));
        part.set_push(of);
        // What keeps the rates of constraints, `G⁺ L x`, and what positions change of their own rates.
        let mut level = std::mem::take(&mut self.level);
        of.slopes.times(&part.both, &mut level);
        self.all.meet_level(&level, lag);
        self.level = level;
        let extra = self.extra.chunks_exact(n.max(1)).map(|unit| dot(unit, lag) - dot(unit, &part.push));
        part.along[self.free..self.free + self.extras]
            .iter_mut()
            .zip(extra)
            .for_each(|(along, extra)| *along = extra);
        for i in 0..self.free {
            let unit = self.all.free(i);
            add(dot(unit, &part.push), unit, lag);
        }
        // A₀: what positions and the lag do.
        part.both[n..2 * n].iter_mut().zip(&*lag).for_each(|(v, lag)| *v = -lag);
        of.forces.times(&part.both, &mut part.force);
        of.mass.times(&part.both[n..], &mut part.heavy);
        self.put(0, column, &mut part, |part| &part.force, true);
        // A₁ and A₂: what speeds along the direction do.
        part.both.fill(0.0);
        if column < self.free {
            part.both[n..2 * n].copy_from_slice(self.direction(column));
        }
        of.forces.times(&part.both, &mut part.force);
        part.force.iter_mut().zip(&part.heavy).for_each(|(force, heavy)| *force += heavy);
        let extra = column.wrapping_sub(self.free);
        part.along[self.free..self.free + self.extras].fill(0.0);
        if extra < self.extras {
            part.along[column] = 1.0;
        }
        self.put(1, column, &mut part, |part| &part.force, true);
        of.mass.times(&part.both[n..], &mut part.heavy);
        self.put(2, column, &mut part, |part| &part.heavy, false);
        self.behind = behind;
        self.parts[0] = part;
    }

    /// The column for a change of a further state.
    fn change_state(&mut self, of: &Linearised<'_>, state: usize) {
        let (n, column) = (self.n, self.free + self.extras + state);
        let mut part = self.take_part(0);
        part.both.fill(0.0);
        part.both[2 * n + state] = 1.0;
        of.forces.times(&part.both, &mut part.force);
        of.mass.times(&part.both[n..], &mut part.heavy);
        self.put(0, column, &mut part, |part| &part.force, false);
        self.put(1, column, &mut part, |part| &part.heavy, false);
        part.heavy.fill(0.0);
        self.put(2, column, &mut part, |part| &part.heavy, false);
        self.parts[0] = part;
    }

    fn take_part(&mut self, part: usize) -> Part {
        let empty = Part { both: vec![], heavy: vec![], force: vec![], push: vec![], along: vec![] };
        std::mem::replace(&mut self.parts[part], empty)
    }

    /// Puts forces into a column of one of the matrices: along `Y`, what is in `along` for `E` or nothing,
    /// and further states.
    fn put(
        &mut self,
        matrix: usize,
        column: usize,
        part: &mut Part,
        forces: impl Fn(&Part) -> &[f64],
        with_extra: bool,
    ) {
        let (n, moving) = (self.n, self.free + self.extras);
        let unknowns = moving + self.further;
        for row in 0..unknowns {
            let value = if row < self.free {
                dot(self.all.free(row), &forces(part)[..n])
            } else if row < moving {
                if with_extra { part.along[row] } else { 0.0 }
            } else {
                forces(part)[n + row - moving]
            };
            self.reduced[matrix][row * unknowns + column] = value;
        }
    }

    /// Factors for a real and a complex number; false if there is no pivot somewhere.
    pub(super) fn factor(&mut self, real: f64, complex: Complex) -> bool {
        (self.real.0, self.complex.0) = (real, complex);
        let square = complex * complex;
        let [a0, a1, a2] = &self.reduced;
        let matrix = self.real.1.entries_mut();
        for (i, x) in matrix.iter_mut().enumerate() {
            *x = a0[i] + real * (a1[i] + real * a2[i]);
        }
        let (re, im) = self.complex.1.entries_mut();
        for (i, (re, im)) in re.iter_mut().zip(im).enumerate() {
            *re = a0[i] + complex.re * a1[i] + square.re * a2[i];
            *im = complex.im * a1[i] + square.im * a2[i];
        }
        self.real.1.factor().is_ok() && self.complex.1.factor().is_ok()
    }

    pub(super) fn solve_real(&mut self, of: &Linearised<'_>, sides: &mut Sides<'_>) {
        let mut sides = [sides];
        let s = [self.real.0];
        self.prepare(of, s, &mut sides);
        let unknowns = self.unknowns();
        self.real.1.solve(&mut self.parts[0].along[..unknowns]);
        self.finish(of, s, &mut sides);
    }

    pub(super) fn solve_complex(&mut self, of: &Linearised<'_>, mut sides: [&mut Sides<'_>; 2]) {
        let s = [self.complex.0.re, self.complex.0.im];
        self.prepare(of, s, &mut sides);
        let unknowns = self.unknowns();
        let [re, im] = &mut self.parts;
        self.complex.1.solve(&mut re.along[..unknowns], &mut im.along[..unknowns]);
        self.finish(of, s, &mut sides);
    }

    fn unknowns(&self) -> usize {
        self.free + self.extras + self.further
    }

    /// `x₀` and `v₀`, which meet the constraints, and what is left of the other equations, in `along`.
    fn prepare<const P: usize>(&mut self, of: &Linearised<'_>, s: [f64; P], sides: &mut [&mut Sides<'_>; P]) {
        let (n, moving) = (self.n, self.free + self.extras);
        for (p, sides) in sides.iter_mut().enumerate() {
            let mut part = self.take_part(p);
            part.both.fill(0.0);
            self.own.as_mut().unwrap_or(&mut self.all).meet_level(sides.levels, &mut part.both[..n]);
            for (k, rate) in sides.rates.iter_mut().enumerate() {
                *rate -= of.slopes.row_times(k, &part.both);
            }
            self.all.meet_level(sides.rates, &mut part.both[n..2 * n]);
            part.set_push(of);
            part.push.iter_mut().zip(&*sides.positions).for_each(|(push, a)| *push += a);
            for (unit, row) in self.extra.chunks_exact(n.max(1)).zip(self.free..) {
                part.along[row] = dot(unit, &part.push) + dot(unit, &part.both[n..2 * n]);
            }
            for i in 0..self.free {
                let unit = self.all.free(i);
                let along = dot(unit, &part.push);
                add(-along, unit, &mut part.both[n..2 * n]);
            }
            self.parts[p] = part;
        }
        self.find_forces(of, s, sides);
        for part in &mut self.parts[..P] {
            for row in 0..self.free {
                part.along[row] = dot(self.all.free(row), &part.force[..n]);
            }
            part.along[moving..moving + self.further].copy_from_slice(&part.force[n..]);
        }
    }

    /// What `b - K x - (s M + C) u` leaves.
    fn find_forces<const P: usize>(&mut self, of: &Linearised<'_>, s: [f64; P], sides: &[&mut Sides<'_>; P]) {
        let n = self.n;
        for part in &mut self.parts[..P] {
            of.forces.times(&part.both, &mut part.force);
            of.mass.times(&part.both[n..], &mut part.heavy);
        }
        for i in 0..n + self.further {
            let heavy = times(s, std::array::from_fn(|p| self.parts[p].heavy[i]));
            for p in 0..P {
                let force = &mut self.parts[p].force[i];
                *force = sides[p].motion[i] - *force - heavy[p];
            }
        }
    }

    /// Moves along the free directions as `along` says, and finds what carries the rest.
    fn finish<const P: usize>(&mut self, of: &Linearised<'_>, s: [f64; P], sides: &mut [&mut Sides<'_>; P]) {
        let (n, moving) = (self.n, self.free + self.extras);
        for column in 0..moving {
            let along: [f64; P] = std::array::from_fn(|p| self.parts[p].along[column]);
            let fast = times(s, along);
            for p in 0..P {
                let mut both = std::mem::take(&mut self.parts[p].both);
                let direction = self.direction(column);
                let (x, v) = both[..2 * n].split_at_mut(n);
                add(along[p], direction, x);
                if column < self.free {
                    add(fast[p], direction, v);
                }
                add(-along[p], &self.behind[column * n..(column + 1) * n], v);
                self.parts[p].both = both;
            }
        }
        for part in &mut self.parts[..P] {
            part.both[2 * n..].copy_from_slice(&part.along[moving..moving + self.further]);
        }
        self.find_forces(of, s, sides);
        self.find_pushes(of, s, sides);
        for (part, sides) in self.parts.iter_mut().zip(sides) {
            self.all.carry(&mut part.force[..n], sides.rates);
            self.own.as_mut().unwrap_or(&mut self.all).carry(&mut part.push, sides.levels);
            sides.positions.copy_from_slice(&part.both[..n]);
            sides.motion.copy_from_slice(&part.both[n..]);
        }
    }

    /// What `a - s x + D x + v` leaves.
    fn find_pushes<const P: usize>(&mut self, of: &Linearised<'_>, s: [f64; P], sides: &[&mut Sides<'_>; P]) {
        let n = self.n;
        self.parts[..P].iter_mut().for_each(|part| part.set_push(of));
        for i in 0..n {
            let fast = times(s, std::array::from_fn(|p| self.parts[p].both[i]));
            for p in 0..P {
                let part = &mut self.parts[p];
                part.push[i] += sides[p].positions[i] - fast[p] + part.both[n + i];
            }
        }
    }
}

impl Part {
    /// `D x`.
    fn set_push(&mut self, of: &Linearised<'_>) {
        let n = self.push.len();
        self.push.fill(0.0);
        for (push, row) in self.push.iter_mut().zip(of.kinematics.chunks_exact(n.max(1))) {
            *push = dot(row, &self.both[..n]);
        }
    }
}

/// A number times another: real ones have one part, complex ones two.
#[inline]
fn times<const P: usize>(s: [f64; P], x: [f64; P]) -> [f64; P] {
    let mut out = [s[0] * x[0]; P];
    if P == 2 {
        out[0] -= s[1] * x[1];
        out[1] = s[0] * x[1] + s[1] * x[0];
    }
    out
}

fn add(factor: f64, x: &[f64], to: &mut [f64]) {
    to.iter_mut().zip(x).for_each(|(to, x)| *to += factor * x);
}

fn take_along(x: &mut [f64], unit: &[f64]) {
    let along = dot(x, unit);
    add(-along, unit, x);
}
