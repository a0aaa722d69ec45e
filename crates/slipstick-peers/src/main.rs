//! Compares Slipstick with other solvers in Rust: the time to reach the same error, on the same machine, in
//! the same run.
//!
//! ```text
//! cd crates/slipstick-peers
//! cargo run --release                    # a table: each of our methods against the fastest peer at equal error, by CPU time
//! cargo run --release -- --json          # the same as one JSON object per line
//! cargo run --release -- --curves        # every point that was measured, as JSON
//! cargo run --release -- pleiades        # one problem only
//! ./count                                # the points with instructions instead of seconds, counted by callgrind; ten minutes
//! ./count | cargo run --release -- table # the table from points that were printed before
//! cargo run --release -- once pleiades 'slipstick dopri5' 1e-8 20    # one solver, 20 times, for a profiler
//! ```
//!
//! Fields of a row: `problem`, `order` (of explicit methods; null for stiff problems, in which every implicit
//! method takes part), `error`, `ours` and `ours_cost` (a method of Slipstick and its seconds or
//! instructions), `fastest_peer` and `peer_cost`, `ratio` (ours over the peer's: below 1, Slipstick is
//! faster). A side whose curve does not reach the error is null.
//!
//! What makes it fair: all get the same right-hand side and Jacobian (`equations.rs`), compiled into each
//! with link-time optimisation; the same relative and absolute tolerances, from 1e-3 to 1e-12; errors are
//! those at the end against the truth that Slipstick's own tests use; times are CPU time, the median of many
//! solves, taken in turns; nothing is stored on the way where that can be turned off.

use curve::{Point, cost_at, counted_solve, measure, walk};
use serde_json::{Value, json};
use slipstick::problems::{Problem, smooth, stiff};
use solvers::{PROBLEMS, Solver, solvers};
use std::process::ExitCode;
use std::time::Duration;

mod curve;
mod equations;
mod solvers;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let flag = |name: &str| words.contains(&name);
    let names: Vec<&str> = words.iter().copied().filter(|word| !word.starts_with("--")).collect();
    match names[..] {
        ["once", problem, solver, tolerance, times] => once(problem, solver, tolerance, times),
        ["solvers", problem] => list(problem),
        ["counted", problem] => counted(problem),
        ["table"] => table(flag("--json")),
        [] => compare(&PROBLEMS, flag("--json"), flag("--curves")),
        _ if names.iter().all(|name| PROBLEMS.contains(name)) => {
            compare(&names, flag("--json"), flag("--curves"))
        }
        _ => complain(&format!("problems are {}; the file main.rs says how to call it", PROBLEMS.join(", "))),
    }
}

fn complain(message: &str) -> ExitCode {
    eprintln!("{message}");
    ExitCode::from(2)
}

/// The problem of Slipstick's suites with that name.
fn problem(name: &str) -> Problem {
    let mut all = smooth().into_iter().chain(stiff());
    all.find(|problem| problem.name == name).expect("the name was checked")
}

/// Prints the names of a problem's solvers.
fn list(problem: &str) -> ExitCode {
    let Some(all) = solvers(problem) else { return complain("no such problem") };
    for solver in all {
        println!("{}", solver.name);
    }
    ExitCode::SUCCESS
}

/// Solves one problem with one solver so many times, and prints the error.
fn once(name: &str, solver: &str, tolerance: &str, times: &str) -> ExitCode {
    let (Ok(tolerance), Ok(times)) = (tolerance.parse::<f64>(), times.parse::<u32>()) else {
        return complain("a tolerance and a number of times are expected");
    };
    let found = solvers(name).and_then(|all| all.into_iter().find(|s| s.name == solver));
    let Some(solver) = found else { return complain("no such problem or solver") };
    let mut solve = (solver.prepare)(tolerance);
    let mut end = None;
    for _ in 0..times {
        end = std::hint::black_box(solve());
    }
    match end {
        Some(end) => println!("{:e}", problem(name).error(&end)),
        None => println!("failed"),
    }
    ExitCode::SUCCESS
}

/// Prints every point without its cost. Each is solved once more in a function that callgrind can tell:
/// `count` puts the two together.
fn counted(name: &str) -> ExitCode {
    let Some(all) = solvers(name) else { return complain("no such problem") };
    walk(&problem(name), &all, Duration::from_secs(1), |place, tolerance, error, solve| {
        counted_solve(solve);
        println!("{}", point(name, &all[place], tolerance, error));
    });
    ExitCode::SUCCESS
}

/// Reads points from standard input, and prints what they say at equal errors.
fn table(as_json: bool) -> ExitCode {
    let read: Result<Vec<Value>, _> =
        std::io::stdin().lines().map_while(Result::ok).map(|l| l.parse()).collect();
    let Ok(points) = read else { return complain("points are expected, one JSON object per line") };
    if !as_json {
        println!("{}", heading());
    }
    for name in PROBLEMS {
        let all = solvers(name).unwrap_or_default();
        let curve = |solver: &Solver| {
            let its = points.iter().filter(|p| p["problem"] == name && p["solver"] == solver.name.as_str());
            its.filter_map(read_point).collect()
        };
        let curves: Vec<Vec<Point>> = all.iter().map(curve).collect();
        print_rows(&rows(name, &all, &curves), as_json);
    }
    ExitCode::SUCCESS
}

fn read_point(value: &Value) -> Option<Point> {
    let cost = value["instructions"].as_f64().or(value["seconds"].as_f64())?;
    Some(Point { tolerance: value["tolerance"].as_f64()?, error: value["error"].as_f64()?, cost })
}

/// Measures the curves of the problems, and prints them or what they say at equal errors.
fn compare(names: &[&str], as_json: bool, as_curves: bool) -> ExitCode {
    if !as_json && !as_curves {
        println!("{}", heading());
    }
    for name in names {
        let Some(all) = solvers(name) else { return complain("no such problem") };
        let curves = measure(&problem(name), &all);
        if as_curves {
            print_curves(name, &all, &curves);
        } else {
            print_rows(&rows(name, &all, &curves), as_json);
        }
    }
    ExitCode::SUCCESS
}

fn print_curves(name: &str, all: &[Solver], curves: &[Vec<Point>]) {
    for (solver, curve) in all.iter().zip(curves) {
        for Point { tolerance, error, cost } in curve {
            let mut row = point(name, solver, *tolerance, *error);
            row["seconds"] = json!(cost);
            println!("{row}");
        }
    }
}

fn point(name: &str, solver: &Solver, tolerance: f64, error: f64) -> Value {
    json!({ "problem": name, "solver": solver.name, "order": solver.order, "tolerance": tolerance, "error": error })
}

fn print_rows(rows: &[Value], as_json: bool) {
    for row in rows {
        println!("{}", if as_json { row.to_string() } else { line(row) });
    }
}

/// The rows of a problem: each of our methods at four errors.
fn rows(name: &str, all: &[Solver], curves: &[Vec<Point>]) -> Vec<Value> {
    let ours = all.iter().zip(curves).filter(|(solver, _)| solver.ours);
    let cases = ours.flat_map(|our| [1e-4, 1e-6, 1e-8, 1e-10].map(|error| (our, error)));
    cases.map(|((solver, curve), error)| row(name, (solver, curve), error, all, curves)).collect()
}

/// One of our methods against the fastest peer of its order.
fn row(name: &str, ours: (&Solver, &Vec<Point>), error: f64, all: &[Solver], curves: &[Vec<Point>]) -> Value {
    let peers = all.iter().zip(curves).filter(|(s, _)| !s.ours && s.order == ours.0.order);
    let costs = peers.filter_map(|(s, curve)| Some((s.name.as_str(), cost_at(curve, error)?)));
    let peer = costs.min_by(|a, b| a.1.total_cmp(&b.1));
    let cost = cost_at(ours.1, error);
    json!({ "problem": name, "order": ours.0.order, "error": error, "ours": ours.0.name, "ours_cost": cost,
        "fastest_peer": peer.map(|p| p.0), "peer_cost": peer.map(|p| p.1),
        "ratio": cost.zip(peer).map(|(o, p)| o / p.1) })
}

fn heading() -> String {
    format!(
        "{:<16} {:>5} {:>6}  {:<22} {:>9}  {:<32} {:>9} {:>6}",
        "problem", "order", "error", "ours", "ours_cost", "fastest_peer", "peer_cost", "ratio"
    )
}

fn line(row: &Value) -> String {
    let text = |key: &str| row[key].as_str().unwrap_or("-").to_owned();
    let cost = |key: &str| row[key].as_f64().map_or_else(|| "-".to_owned(), |s| format!("{s:.2e}"));
    let order = row["order"].as_u64().map_or_else(|| "-".to_owned(), |o| o.to_string());
    let ratio = row["ratio"].as_f64().map_or_else(|| "-".to_owned(), |r| format!("{r:.2}"));
    format!(
        "{:<16} {:>5} {:>6}  {:<22} {:>9}  {:<32} {:>9} {:>6}",
        text("problem"),
        order,
        row["error"].as_f64().map_or_else(String::new, |e| format!("{e:.0e}")),
        text("ours"),
        cost("ours_cost"),
        text("fastest_peer"),
        cost("peer_cost"),
        ratio
    )
}
