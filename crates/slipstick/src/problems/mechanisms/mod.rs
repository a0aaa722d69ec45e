//! The suite `mechanisms`: what integrators for mechanisms are compared on (paper 001, sections 3.4 and 4).
//!
//! In it are the slider-crank of section 3.4, the mechanisms of the suite `constrained`, rows of N four-bars,
//! a family of planar mechanisms drawn from seeds in place of the paper's first set, and a stiff family in
//! place of its third. A family with contacts in place of its second is a suite of its own. The truths of what is drawn are in `truths.txt`: the coordinates at the end, by two
//! methods at tolerances of 1e-12, with the largest difference between them.

use super::draw;
mod force;
mod four_bars;
mod hanging;
mod joint;
mod linkage;
mod loops;
mod machines;
mod planar;
mod slider_crank;
mod stiff;
mod touching;
mod unilateral;

use super::constrained::{ConstrainedProblem, Known, constrained};
use crate::equations::System;
use crate::math::larger_or_nan;
use crate::simulate::{Options, Start};

/// The parts of the suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// The slider-crank of the paper, and the suite `constrained`.
    Classic,
    /// Rows of four-bars.
    FourBars,
    /// The family of planar mechanisms.
    Planar,
    /// The stiff family.
    Stiff,
    /// The family with contacts.
    Unilateral,
}

/// A word of two parts.
const FOUR_BARS: &str = "four-bars";

impl Set {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Classic => "classic",
            Self::FourBars => FOUR_BARS,
            Self::Planar => "planar",
            Self::Stiff => "stiff",
            Self::Unilateral => "unilateral",
        }
    }
}

/// How large a mechanism is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Degrees of freedom.
    pub freedoms: usize,
    /// Joints, each of one or two rows of constraints.
    pub joints: usize,
    /// Rows that follow from others.
    pub redundant: usize,
}

/// A mechanism, where it begins, and where it is at the end.
pub struct MechanismProblem {
    /// The part of the suite.
    pub set: Set,
    /// The name in rows.
    pub name: String,
    /// The equations.
    pub system: Box<dyn System>,
    /// The same without the rows of constraints that follow from others, if there are some: the motion is the
    /// same.
    pub relieved: Option<Box<dyn System>>,
    /// Where it begins.
    pub start: Start,
    /// What is asked of a run beside method and tolerance.
    pub options: Options,
    /// How large it is, where it was counted.
    pub counts: Option<Counts>,
    /// What is known of the state at the end.
    pub end: Vec<Known>,
    /// How far that may be from the truth.
    pub uncertainty: f64,
}

impl MechanismProblem {
    fn new(set: Set, name: String, system: Box<dyn System>, start: Start, until: f64) -> Self {
        let mut problem = Self {
            set,
            name,
            system,
            relieved: None,
            start,
            options: Options::until(until),
            counts: None,
            end: Vec::new(),
            uncertainty: 0.0,
        };
        if let Some((uncertainty, values)) = truth(&problem.name) {
            let known = |(place, value): (usize, f64)| Known { place, value, size: value.abs().max(1.0) };
            (problem.uncertainty, problem.end) =
                (uncertainty, values.into_iter().enumerate().map(known).collect());
        }
        problem
    }

    fn counted(mut self, counts: Counts) -> Self {
        self.counts = Some(counts);
        self
    }

    /// The largest error of a known state at the end, divided by its size; NaN if nothing is known.
    pub fn error(&self, y: &[f64]) -> f64 {
        let error = |known: &Known| (y[known.place] - known.value).abs() / known.size;
        self.end.iter().map(error).reduce(larger_or_nan).unwrap_or(f64::NAN)
    }
}

/// One of the suite `constrained`, as its model says it is run.
fn classic(problem: ConstrainedProblem) -> MechanismProblem {
    let ConstrainedProblem { name, plan, end, .. } = problem;
    MechanismProblem {
        set: Set::Classic,
        name: name.to_owned(),
        system: Box::new(plan.system),
        relieved: None,
        start: plan.start,
        options: plan.options,
        counts: None,
        end,
        uncertainty: 0.0,
    }
}

/// The line of a mechanism in `truths.txt`: its uncertainty and its coordinates at the end.
fn truth(name: &str) -> Option<(f64, Vec<f64>)> {
    let mut lines = include_str!("truths.txt").lines().chain(include_str!("contact-truths.txt").lines());
    let line = lines.find(|line| line.split(' ').next() == Some(name))?;
    let mut numbers = line.split(' ').skip(1).filter_map(|word| word.parse().ok());
    Some((numbers.next()?, numbers.collect()))
}

/// The family of planar mechanisms, drawn from seeds.
pub fn planar_mechanisms() -> Vec<MechanismProblem> {
    planar::planar()
}

/// The stiff family.
pub fn stiff_mechanisms() -> Vec<MechanismProblem> {
    stiff::stiff()
}

/// The family of planar mechanisms with contacts, which is a suite of its own.
pub fn contact_mechanisms() -> Vec<MechanismProblem> {
    unilateral::unilateral()
}

/// The whole suite.
pub fn mechanism_problems() -> Vec<MechanismProblem> {
    let mut all = vec![slider_crank::slider_crank()];
    let mut known: Vec<&str> = Vec::new();
    for problem in constrained().into_iter().filter(is_comparable) {
        // Rows of one problem differ in how it is run.
        if !known.contains(&problem.name) {
            known.push(problem.name);
            all.push(classic(problem));
        }
    }
    all.extend(four_bars::four_bars());
    all.extend(planar_mechanisms());
    all.extend(stiff_mechanisms());
    all
}

/// Whether any method can run it, in moments, and what it should come to is known.
fn is_comparable(problem: &ConstrainedProblem) -> bool {
    const LONG: [&str; 2] = ["andrews-0.3", "pendulum-10000-periods"];
    let is_mechanism = !problem.plan.system.shape().mechanism.constraints.is_empty();
    let is_free = !problem.plan.options.constraints.stabilisation.changes_the_motion();
    is_mechanism && is_free && !problem.end.is_empty() && !LONG.contains(&problem.name)
}
