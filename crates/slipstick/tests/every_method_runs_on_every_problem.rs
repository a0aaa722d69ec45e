//! One table: every method on every formulation, each with problems whose truth is known. Where a method does not belong there is a hole, with
//! its reason and the word that the run ends with instead; a hole that is none any more fails the test too, and so does a table in the book that
//! is not this one.
//!
//! A new formulation is a new set of columns in `columns`.

use slipstick::problems::{
    Bounds, EventProblem, Problem, allowance, behind_mass_matrices, mechanisms, more_sliding, quick_events,
    smooth, stiff,
};
use slipstick::simulate::{Limits, Options, simulate};
use slipstick::step::Method;
use std::fmt::Write as _;

const TOLERANCE: f64 = 1e-6;
/// How many times the tolerance the errors of events and of the end may be, beside what the method itself needs. Errors of states are also
/// allowed to grow with the size of the state, as the relative tolerance does.
const MULTIPLE: f64 = 100.0;
/// More than any method needs that belongs there.
const LIMITS: Limits = Limits { steps: 100_000, events: 500 };

const PLAIN: &str = "plain";
const MASS: &str = "mass matrix";
const EVENTS: &str = "modes and events";
const CLOCKS: &str = "clocks";
const SLIDING: &str = "sliding";
const MECHANISM: &str = "mechanism";

/// A problem of a formulation, with a step for the methods that cannot choose theirs.
struct Column {
    formulation: &'static str,
    truth: Truth,
    fixed_step: f64,
}

enum Truth {
    /// Of the state at the end.
    End(Problem),
    /// Of every event too.
    Events(Box<EventProblem>),
}

impl Column {
    fn name(&self) -> &str {
        match &self.truth {
            Truth::End(problem) => problem.name,
            Truth::Events(problem) => &problem.name,
        }
    }

    /// Takes out of `all` the problem of a name.
    fn end(formulation: &'static str, all: Vec<Problem>, name: &str, fixed_step: f64) -> Self {
        let problem = all.into_iter().find(|problem| problem.name == name).unwrap();
        Self { formulation, truth: Truth::End(problem), fixed_step }
    }

    fn events(formulation: &'static str, all: Vec<EventProblem>, name: &str, fixed_step: f64) -> Self {
        let problem = all.into_iter().find(|problem| problem.name == name).unwrap();
        Self { formulation, truth: Truth::Events(Box::new(problem)), fixed_step }
    }
}

fn columns() -> Vec<Column> {
    vec![
        Column::end(PLAIN, smooth(), "harmonic-oscillator", 0.01),
        Column::end(PLAIN, smooth(), "arenstorf", 1.8e-4),
        Column::end(PLAIN, stiff(), "van-der-pol-1e6", 1e-4),
        Column::end(PLAIN, stiff(), "robertson", 1e6),
        Column::end(MASS, behind_mass_matrices(), "constant-mass", 0.01),
        Column::end(MASS, behind_mass_matrices(), "varying-mass", 0.01),
        Column::end(MASS, behind_mass_matrices(), "singular-mass", 0.01),
        Column::end(MASS, behind_mass_matrices(), "varying-singular-mass", 0.01),
        Column::events(EVENTS, quick_events(), "ball-e0.7", 0.01),
        Column::events(EVENTS, more_sliding(), "temperature-control", 0.005),
        Column::events(CLOCKS, quick_events(), "doses", 0.01),
        Column::events(SLIDING, more_sliding(), "chatter", 0.01),
        Column::events(SLIDING, more_sliding(), "stick-slip-belt", 0.01),
        Column::events(SLIDING, more_sliding(), "two-relays", 0.01),
        Column::end(MECHANISM, mechanisms(), "iftomm-a01", 0.001),
    ]
}

/// A place where a method does not belong.
struct Hole {
    methods: fn(Method) -> bool,
    problems: &'static [&'static str],
    /// What the run ends with: the code of an error or an outcome, or `inaccurate`.
    code: &'static str,
    reason: &'static str,
}

fn is_explicit(method: Method) -> bool {
    !method.facts().implicit && !runs_mechanisms_only(method)
}

fn runs_mechanisms_only(method: Method) -> bool {
    method.facts().mechanisms_only
}

fn chooses_steps(method: Method) -> bool {
    method.facts().error_order.is_some()
}

fn holes() -> Vec<Hole> {
    vec![
        Hole {
            methods: |method| is_explicit(method) && chooses_steps(method),
            problems: &["van-der-pol-1e6", "robertson"],
            code: "step-limit",
            reason: "an explicit method has to follow the fastest decay, however little is left of it: millions of steps",
        },
        Hole {
            methods: |method| is_explicit(method) && !chooses_steps(method),
            problems: &["van-der-pol-1e6", "robertson"],
            code: "derivative-not-finite",
            reason: "an explicit method with a step longer than the fastest decay grows without bound",
        },
        Hole {
            methods: is_explicit,
            problems: &["constant-mass", "varying-mass", "singular-mass", "varying-singular-mass"],
            code: "wrong-method",
            reason: "an explicit method cannot solve for derivatives behind a mass matrix, nor for algebraic states",
        },
        Hole {
            methods: runs_mechanisms_only,
            problems: &[
                "harmonic-oscillator",
                "arenstorf",
                "van-der-pol-1e6",
                "robertson",
                "constant-mass",
                "varying-mass",
                "singular-mass",
                "varying-singular-mass",
                "ball-e0.7",
                "temperature-control",
                "doses",
                "chatter",
                "stick-slip-belt",
                "two-relays",
            ],
            code: "wrong-method",
            reason: "a half-explicit or generalized-α method works on the constraints of a mechanism, and there is none",
        },
    ]
}

/// The hole in a cell, with its number.
fn hole(method: Method, problem: &str) -> Option<(usize, Hole)> {
    let mut numbered = (1..).zip(holes());
    numbered.find(|(_, hole)| (hole.methods)(method) && hole.problems.contains(&problem))
}

/// Runs a cell. What is wrong, if something is: a word for it, and more.
fn run(column: &Column, method: Method) -> Result<(), (String, String)> {
    let fixed_step = (!chooses_steps(method)).then_some(column.fixed_step);
    let options = |given: Options| Options { method, limits: LIMITS, ..given }.fixed_step(fixed_step);
    match &column.truth {
        Truth::End(problem) => run_to_end(problem, method, &options(problem.options(TOLERANCE))),
        Truth::Events(problem) => {
            let given = Options::until(problem.options.until).tolerances(TOLERANCE, TOLERANCE);
            run_events(column, method, options(given))
        }
    }
}

fn run_to_end(problem: &Problem, method: Method, options: &Options) -> Result<(), (String, String)> {
    let run = simulate(problem.system.as_ref(), &problem.start, options)
        .map_err(|failure| (failure.error.code().to_owned(), failure.to_string()))?;
    if !run.outcome.is_complete() {
        return Err((run.outcome.code().to_owned(), format!("at {}", run.end_time())));
    }
    let (error, allowed) = (problem.error(run.end_state()), problem.promised_error(method, TOLERANCE));
    if error <= allowed { Ok(()) } else { Err(("inaccurate".to_owned(), format!("{error:e} > {allowed:e}"))) }
}

fn run_events(column: &Column, method: Method, options: Options) -> Result<(), (String, String)> {
    // A problem is made anew, because its options and bounds are those of the cell.
    let mut own = columns().into_iter().find(|c| c.name() == column.name()).unwrap();
    let Truth::Events(problem) = &mut own.truth else { unreachable!("it has events") };
    let bound = MULTIPLE * allowance(method, TOLERANCE) * TOLERANCE;
    let size = problem.end.iter().flatten().fold(1.0, |size: f64, y| size.max(y.abs()));
    problem.options = options;
    problem.bounds = Bounds { time: bound, state: bound * size, end: bound * size, ..problem.bounds };
    let measured = problem.measure(&[]);
    if measured.is_ok() {
        return Ok(());
    }
    let code = match simulate(problem.system.as_ref(), &problem.start, &problem.options) {
        Err(failure) => failure.error.code(),
        Ok(run) if !run.outcome.is_complete() => run.outcome.code(),
        Ok(_) => "inaccurate",
    };
    let errors = [measured.time_error, measured.state_error, measured.end_error];
    Err((code.to_owned(), format!("{:?}, errors {errors:?}", measured.complaints)))
}

fn check(formulation: &str) {
    let mut wrong = Vec::new();
    for column in columns().iter().filter(|column| column.formulation == formulation) {
        for method in Method::named() {
            let expected = hole(method, column.name()).map_or("right", |(_, hole)| hole.code);
            let (code, more) = run(column, method).err().unwrap_or(("right".to_owned(), String::new()));
            if code != expected {
                wrong.push(format!(
                    "{} with {}: {code}, not {expected}; {more}",
                    column.name(),
                    method.name()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} cells:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn plain_equations() {
    check(PLAIN);
}

#[test]
fn equations_behind_a_mass_matrix() {
    check(MASS);
}

#[test]
fn modes_and_events() {
    check(EVENTS);
}

#[test]
fn clocks() {
    check(CLOCKS);
}

#[test]
fn sliding_on_surfaces() {
    check(SLIDING);
}

#[test]
fn mechanisms_with_constraints() {
    check(MECHANISM);
}

/// The table as the book has it: problems by methods, and the number of its hole in each cell that is one.
fn table() -> String {
    let mut text = String::from("| formulation | problem |");
    for method in Method::named() {
        write!(text, " `{}` |", method.name()).unwrap();
    }
    write!(text, "\n|---|---|{}", "---|".repeat(Method::named().count())).unwrap();
    for column in columns() {
        write!(text, "\n| {} | `{}` |", column.formulation, column.name()).unwrap();
        for method in Method::named() {
            let cell = hole(method, column.name()).map_or("yes".to_owned(), |(number, _)| number.to_string());
            write!(text, " {cell} |").unwrap();
        }
    }
    text.push('\n');
    for (i, hole) in holes().iter().enumerate() {
        write!(text, "\n{}. `{}`: {}.", i + 1, hole.code, hole.reason).unwrap();
    }
    text
}

#[test]
fn the_book_has_this_table() {
    let problems = columns();
    let known = |name: &&str| problems.iter().any(|column| column.name() == *name);
    assert!(holes().iter().flat_map(|hole| hole.problems).all(known), "a hole is of no problem");
    let book = include_str!("../../../book/src/benchmarks.md");
    assert!(book.contains(&table()), "the table is now:\n{}", table());
}
