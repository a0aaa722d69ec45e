//! Compares Slipstick with other solvers in Rust: the time to reach the same error, on the same machine, in the same run.
//!
//! ```text
//! cd crates/slipstick-peers
//! cargo run --release                    # a table: ours against the fastest peer at equal error
//! cargo run --release -- --json          # the same as one JSON object per line
//! cargo run --release -- --curves        # every point that was measured, as JSON
//! cargo run --release -- pleiades        # one problem only
//! cargo run --release -- once pleiades 'slipstick dopri5' 1e-8 20    # one solver, 20 times, for a profiler
//! ./count pleiades 1e-8                  # instructions per solve of every solver, counted by callgrind
//! ```
//!
//! Fields of a row: `problem`, `order` (of explicit methods; null for stiff problems, in which every implicit method takes part), `error`,
//! `ours` and `ours_s` (Slipstick's fastest method there and its seconds), `fastest_peer` and `peer_s`, `ratio` (ours over the peer's: below
//! 1, Slipstick is faster). A side whose curve does not reach the error is null.
//!
//! What makes it fair: all get the same right-hand side and Jacobian (`equations.rs`), compiled into each with link-time optimisation;
//! the same relative and absolute tolerances, from 1e-3 to 1e-12; errors are those at the end against the truth that Slipstick's
//! own tests use; times are CPU time, the median of many solves, taken in turns; nothing is stored on the way where that can be turned off.

use curve::{Point, measure, time_at};
use serde_json::{Value, json};
use slipstick::problems::{Problem, smooth, stiff};
use solvers::{PROBLEMS, Solver, solvers};
use std::process::ExitCode;

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
            continue;
        }
        for row in rows(name, &all, &curves) {
            println!("{}", if as_json { row.to_string() } else { line(&row) });
        }
    }
    ExitCode::SUCCESS
}

fn print_curves(name: &str, all: &[Solver], curves: &[Vec<Point>]) {
    for (solver, curve) in all.iter().zip(curves) {
        for Point { tolerance, error, seconds } in curve {
            let row = json!({ "problem": name, "solver": solver.name, "order": solver.order,
                "tolerance": tolerance, "error": error, "seconds": seconds });
            println!("{row}");
        }
    }
}

/// The rows of a problem: each order that is there, at four errors.
fn rows(name: &str, all: &[Solver], curves: &[Vec<Point>]) -> Vec<Value> {
    let mut orders: Vec<Option<u32>> = all.iter().map(|solver| solver.order).collect();
    orders.sort_unstable();
    orders.dedup();
    let cases = orders.iter().flat_map(|order| [1e-4, 1e-6, 1e-8, 1e-10].map(|error| (*order, error)));
    cases.map(|(order, error)| row(name, order, error, all, curves)).collect()
}

fn row(name: &str, order: Option<u32>, error: f64, all: &[Solver], curves: &[Vec<Point>]) -> Value {
    let fastest = |ours: bool| {
        let those = all.iter().zip(curves).filter(|(s, _)| s.ours == ours && s.order == order);
        let timed = those.filter_map(|(s, curve)| Some((s.name.as_str(), time_at(curve, error)?)));
        timed.min_by(|a, b| a.1.total_cmp(&b.1))
    };
    let (ours, peer) = (fastest(true), fastest(false));
    json!({ "problem": name, "order": order, "error": error,
        "ours": ours.map(|o| o.0), "ours_s": ours.map(|o| o.1),
        "fastest_peer": peer.map(|p| p.0), "peer_s": peer.map(|p| p.1),
        "ratio": ours.zip(peer).map(|(o, p)| o.1 / p.1) })
}

fn heading() -> String {
    format!(
        "{:<16} {:>5} {:>6}  {:<22} {:>9}  {:<32} {:>9} {:>6}",
        "problem", "order", "error", "ours", "ours_s", "fastest_peer", "peer_s", "ratio"
    )
}

fn line(row: &Value) -> String {
    let text = |key: &str| row[key].as_str().unwrap_or("-").to_owned();
    let seconds = |key: &str| row[key].as_f64().map_or_else(|| "-".to_owned(), |s| format!("{s:.2e}"));
    let order = row["order"].as_u64().map_or_else(|| "-".to_owned(), |o| o.to_string());
    let ratio = row["ratio"].as_f64().map_or_else(|| "-".to_owned(), |r| format!("{r:.2}"));
    format!(
        "{:<16} {:>5} {:>6}  {:<22} {:>9}  {:<32} {:>9} {:>6}",
        text("problem"),
        order,
        row["error"].as_f64().map_or_else(String::new, |e| format!("{e:.0e}")),
        text("ours"),
        seconds("ours_s"),
        text("fastest_peer"),
        seconds("peer_s"),
        ratio
    )
}
