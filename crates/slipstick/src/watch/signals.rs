//! All that watch knows of the motion: comparisons as functions of local time, each with its band.

/// The highest degree of a [`StepPolynomial`].
pub const STEP_DEGREE: usize = 16;

/// Orders of a series that are tried before a comparison counts as undecided (rule 6): the derivatives 0 to
/// 12.
pub const MOST_ORDERS: usize = 12;

/// A number and how far rounding can have moved it. Its sign is known if its absolute value is larger than
/// the band.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Banded {
    /// The number.
    pub value: f64,
    /// The bound of its rounding errors, not negative.
    pub band: f64,
}

impl Banded {
    /// A number with its band.
    pub fn new(value: f64, band: f64) -> Self {
        Self { value, band }
    }

    /// The sign as +1 or -1, if it is known.
    pub fn sign(&self) -> Option<f64> {
        (self.value.abs() > self.band).then(|| self.value.signum())
    }

    /// Whether both numbers are finite.
    pub fn is_finite(&self) -> bool {
        self.value.is_finite() && self.band.is_finite()
    }
}

/// What is known of a comparison over a part of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Described {
    /// A polynomial with its remainder.
    Here,
    /// Nothing, but of shorter parts something may be known: the formula has a kink, a jump or a pole in
    /// this one.
    Shorter,
    /// Nothing, and neither of shorter parts: it is no formula (closures). Then values are sampled.
    Never,
}

/// A comparison over a part of a step as a polynomial of `θ`, from 0 to 1.
///
/// It only proposes roots and excludes them; what is found is decided by [`Signals::values`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepPolynomial {
    /// The degree; coefficients above it are not read.
    pub degree: usize,
    /// The coefficients of `θ^k`.
    pub coefficients: [f64; STEP_DEGREE + 1],
    /// A bound of the difference between the polynomial and the formula at points of the dense output, other
    /// than rounding.
    pub remainder: f64,
    /// The largest band of the formula's values within the step.
    pub band: f64,
}

impl Default for StepPolynomial {
    fn default() -> Self {
        Self { degree: 0, coefficients: [0.0; STEP_DEGREE + 1], remainder: 0.0, band: 0.0 }
    }
}

/// Comparisons as functions of local time `s`, which is 0 at the start of the step at hand and `h` at its
/// end.
///
/// Before a step is tried, and in transitions, only `s = 0` exists: `values`, `series`, `trial_series` and
/// `fastest` have to work there.
pub trait Signals {
    /// Values of some comparisons from their formulas at one point of the dense output, with their bands, in
    /// the order of `which`.
    fn values(&mut self, which: &[usize], s: f64, out: &mut [Banded]);

    /// Taylor coefficients `c_0 ..= c_order` of a comparison along the motion at `s = 0`, with the bands
    /// `b_k` of rule 6.
    ///
    /// `out` holds what the last call for this comparison gave, so that it can be extended; it may get more
    /// than was asked for. False: the comparison has no series here (a closure, or a formula such as a root
    /// at zero).
    fn series(&mut self, comparison: usize, order: usize, out: &mut Vec<Banded>) -> bool;

    /// Coefficients estimated from the dense output of two trial steps, for comparisons without a series
    /// (rule 6).
    ///
    /// `attempt` counts from 0; each makes the trial steps shorter. False: no more can be tried.
    fn trial_series(&mut self, comparison: usize, attempt: usize, out: &mut Vec<Banded>) -> bool;

    /// The comparison over a part of the step, between two local times, as a polynomial of `θ` that is 0 at
    /// the first and 1 at the last.
    fn polynomial(&mut self, comparison: usize, part: (f64, f64), out: &mut StepPolynomial) -> Described;

    /// The only points of the step that may be looked at, as parts of it in rising order, with 1 the last.
    /// Empty: all of it.
    fn points(&self) -> &[f64];

    /// The error that the dense output may have at the end of the step, in this comparison where it is at a
    /// local time. It widens the band of the first step after a decision by a derivative of order two or
    /// more (rule 6), and says what touches zero.
    fn dense_error(&mut self, comparison: usize, s: f64) -> f64;

    /// The part of that error which grows with the first power of time from the start of the step: zero where
    /// dense output begins with the exact slope.
    fn slope_error(&mut self, comparison: usize) -> f64;

    /// By how much some comparisons can change at most within the step, in the order of `which`; infinite where
    /// that is not known. In a part of the step it is no more than that part of it.
    fn travels(&mut self, which: &[usize], out: &mut [f64]);

    /// Where the inputs of comparisons are in the step at hand, for the horizon.
    fn extents(&mut self, out: &mut Vec<Extent>);

    /// Which of these inputs a comparison depends on; others do not move. None: not known, it may be all of them.
    fn reads(&self, comparison: usize) -> Option<&[u32]>;

    /// By how much the comparison can change at most per unit of the path that its inputs go: everywhere, or on a path of
    /// this length from here. None: not known.
    fn fastest(&mut self, comparison: usize, length: f64) -> Option<SpeedBound>;

    /// How far an input of the comparison may go on a path of this length.
    fn radius(&self, comparison: usize, input: usize, length: f64) -> f64;
}

/// Where an input of comparisons is within a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// Where it starts.
    pub start: f64,
    /// How far from there it can be at most.
    pub radius: f64,
}

impl Extent {
    /// Whether all of it is in a room.
    #[inline]
    pub fn is_within(&self, (lo, hi): (f64, f64)) -> bool {
        self.start - self.radius >= lo && self.start + self.radius <= hi
    }
}

/// How fast a comparison can change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpeedBound {
    /// By how much at most, per unit of the path.
    pub speed: f64,
    /// The length of the path on which that holds; infinite if it holds everywhere.
    pub length: f64,
}

/// The value of a comparison is not finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NotFinite {
    /// The comparison.
    pub comparison: usize,
    /// Where, in local time.
    pub s: f64,
}
