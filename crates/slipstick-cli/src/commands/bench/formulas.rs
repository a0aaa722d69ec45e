//! The suite `formulas`: how fast formulas are compiled and evaluated, as ratios within one run.

use super::SuiteRow;
use slipstick::expr::{
    Arena, InputId, SAMPLE_INPUTS, SAMPLE_POINT, Syntax, Tape, Walker, parse, sample_formulas,
};
use std::hint::black_box;
use std::time::Instant;

pub(super) const SUITE: (&str, &str) =
    ("formulas", "a set of 500 operations: compiling it, and evaluating it by tape and by tree");

/// The tape must be this much faster than walking the tree.
const RATIO_PROMISED: f64 = 3.0;

/// Reading, sharing, differentiating and compiling must take less than this.
const COMPILE_PROMISED: f64 = 1e-3;

/// Compiling, walking the tree, running the tape.
pub(super) fn rows() -> Vec<SuiteRow> {
    let texts = sample_formulas();
    let compile = best_of(20, || {
        black_box(compile(&texts));
    });
    let (arena_size, tape) = compile_values(&texts);
    let walkers = walkers(&texts);
    let tree = best_of(20, || walk_many(&walkers)) / REPEATS as f64;
    let fast = best_of(20, || run_many(&tape)) / REPEATS as f64;
    let operations = tape.operation_count();
    vec![
        row(
            "compile",
            compile,
            compile < COMPILE_PROMISED,
            format!("parse, share, differentiate and compile {} formulas; promised below 1 ms", texts.len()),
        ),
        row("tree", tree, true, "one evaluation of the set, walking the trees".to_owned()),
        row(
            "tape",
            fast,
            tree / fast >= RATIO_PROMISED,
            format!(
                "{:.1} times faster than the tree ({operations} operations shared, {arena_size} nodes); promised 3",
                tree / fast
            ),
        ),
    ]
}

/// How often the set is evaluated for one measurement.
const REPEATS: usize = 200;

fn row(problem: &str, wall_s: f64, ok: bool, note: String) -> SuiteRow {
    SuiteRow {
        suite: SUITE.0,
        problem: problem.to_owned(),
        ok,
        wall_s: Some(wall_s),
        note: Some(note),
        ..SuiteRow::default()
    }
}

/// The shortest of several times: what is left when nothing else disturbs.
fn best_of(times: usize, mut work: impl FnMut()) -> f64 {
    let one = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    (0..times).map(|_| one(&mut work)).fold(f64::INFINITY, f64::min)
}

fn lower(arena: &mut Arena, syntax: &Syntax) -> Option<slipstick::expr::ExprId> {
    let inputs: Vec<_> = (0..).map(InputId).take(SAMPLE_INPUTS.len()).map(|i| arena.input(i)).collect();
    let mut resolve = |name: &str| SAMPLE_INPUTS.iter().position(|n| *n == name).map(|i| inputs[i]);
    syntax.lower(arena, &mut resolve).ok()
}

/// The whole way: parse, share, differentiate by four inputs, compile.
fn compile(texts: &[String]) -> Tape {
    let mut arena = Arena::new();
    let values: Vec<_> = texts.iter().filter_map(|t| lower(&mut arena, &parse(t).ok()?)).collect();
    let mut outputs = values.clone();
    for input in (0..4).map(InputId) {
        let one = arena.constant(1.0);
        outputs.extend(arena.derivative_along(&values, &[(input, one)]));
    }
    Tape::compile(&arena, SAMPLE_INPUTS.len(), &outputs)
}

fn compile_values(texts: &[String]) -> (usize, Tape) {
    let mut arena = Arena::new();
    let values: Vec<_> = texts.iter().filter_map(|t| lower(&mut arena, &parse(t).ok()?)).collect();
    (arena.len(), Tape::compile(&arena, SAMPLE_INPUTS.len(), &values))
}

fn walkers(texts: &[String]) -> Vec<Walker> {
    let slot = |name: &str| SAMPLE_INPUTS.iter().position(|n| *n == name);
    texts.iter().filter_map(|t| Walker::new(&parse(t).ok()?, &mut { slot })).collect()
}

fn walk_many(walkers: &[Walker]) {
    for _ in 0..REPEATS {
        for walker in walkers {
            black_box(walker.evaluate(black_box(&SAMPLE_POINT)));
        }
    }
}

fn run_many(tape: &Tape) {
    let mut registers = tape.registers();
    let mut out = vec![0.0; tape.output_count()];
    for _ in 0..REPEATS {
        registers.inputs_mut().copy_from_slice(black_box(&SAMPLE_POINT));
        tape.run(&mut registers, &mut out);
        black_box(&out);
    }
}
