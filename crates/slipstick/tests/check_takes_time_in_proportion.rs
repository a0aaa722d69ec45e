//! Reading, checking and compiling a model takes time in proportion to its size: four times the size takes far
//! from sixteen times as long.
//!
//! Times are those of the processor, and are compared with each other: the shortest of several rounds of each size.

mod cpu_time;

use slipstick::model::Model;
use slipstick::simulate::{Overrides, Plan};
use std::fmt::Write;
use std::time::Duration;

/// How many times as long four times the size may take: between 4, with some for caches and sorting, and 16.
const MOST: f64 = 7.0;
/// How often a pair of sizes is tried before it counts as too slow: other programs may be at work.
const ROUNDS: usize = 40;

/// One line for each number below `n`.
fn lines(n: usize, line: impl Fn(usize) -> String) -> String {
    (0..n).fold(String::new(), |mut text, i| {
        let _ = writeln!(text, "{}", line(i));
        text
    })
}

fn read_and_compile(text: &str) -> Duration {
    cpu_time::time_of(|| {
        let model = Model::from_toml(text).ok()?;
        Some(Plan::new(&model, &Overrides::default()).expect("a plan"))
    })
}

/// Compares models of size `n` and `4 n`.
fn assert_in_proportion(n: usize, model: impl Fn(usize) -> String) {
    let (small, large) = (model(n), model(4 * n));
    let mut shortest = [Duration::MAX; 2];
    for _ in 0..ROUNDS {
        for (shortest, text) in shortest.iter_mut().zip([&small, &large]) {
            *shortest = read_and_compile(text).min(*shortest);
        }
        if shortest[1].as_secs_f64() <= MOST * shortest[0].as_secs_f64() {
            return;
        }
    }
    panic!("{:?} for {n}, {:?} for four times as much", shortest[0], shortest[1]);
}

const SMALL: &str = "states.x = 1\nderivatives.x = \"-x\"\nrun.until = 1\n";

#[test]
fn states_that_depend_on_their_neighbours() {
    assert_in_proportion(500, |n| {
        let next = |i: usize, by: usize| (i + by) % n;
        let derivative =
            |i: usize| format!("s{i} = \"s{} - 2 * s{i} + abs(s{})\"", next(i, 1), next(i, n - 1));
        let states = lines(n, |i| format!("s{i} = {i}"));
        format!("[states]\n{states}[derivatives]\n{}[run]\nuntil = 1\n", lines(n, derivative))
    });
}

#[test]
fn outputs_that_use_each_other() {
    assert_in_proportion(500, |n| {
        format!("{SMALL}[outputs]\no0 = \"x\"\n{}", lines(n, |i| format!("o{} = \"x * {i} + o{i}\"", i + 1)))
    });
}

#[test]
fn parameters_and_discrete_variables_with_their_resets() {
    assert_in_proportion(500, |n| {
        let parameters = lines(n, |i| format!("p{} = \"p{i} + 1\"", i + 1));
        let (discrete, resets) =
            (lines(n, |i| format!("d{i} = \"p{i}\"")), lines(n, |i| format!("d{i} = \"d{i} + p{i}\"")));
        format!(
            "{SMALL}[parameters]\np0 = 1\n{parameters}[discrete]\n{discrete}\
             [events.e]\nguard = \"x < 0.5\"\n[events.e.reset]\n{resets}"
        )
    });
}

#[test]
fn events_with_guards_that_join_conditions() {
    assert_in_proportion(500, |n| {
        let event = |i: usize| {
            format!(
                "[events.e{i}]\nguard = \"x > {i} and t < {i}\"\n[events.f{i}]\nguard = \"x < {i}\"\nreset = {{ x = {i} }}"
            )
        };
        format!("{SMALL}{}", lines(n, event))
    });
}

#[test]
fn modes_with_events_and_outputs_of_their_own() {
    assert_in_proportion(250, |n| {
        let mode = |i: usize| {
            let next = (i + 1) % n;
            format!(
                "[modes.m{i}]\noutputs.o{i} = 1\nevents.e = {{ guard = \"abs(x) > {i}\", goto = \"m{next}\" }}"
            )
        };
        format!("{SMALL}[outputs]\n{}{}", lines(n, |i| format!("o{i} = 0")), lines(n, mode))
    });
}

/// What all modes share is not read or compiled again for each.
#[test]
fn many_modes_beside_many_states_and_events() {
    assert_in_proportion(250, |n| {
        let mode = |i: usize| {
            let next = (i + 1) % n;
            format!(
                "[modes.m{i}]\nderivatives.s{i} = \"1 - abs(s{next})\"\n\
                 events.e = {{ guard = \"s{i} > {i}\", goto = \"m{next}\" }}"
            )
        };
        let event = |i: usize| format!("[events.e{i}]\nguard = \"s{i} > 2 * {i}\"");
        format!(
            "[states]\n{}[derivatives]\n{}[run]\nuntil = 1\n{}{}",
            lines(n, |i| format!("s{i} = {i}")),
            lines(n, |i| format!("s{i} = \"-s{i}\"")),
            lines(n, event),
            lines(n, mode)
        )
    });
}

#[test]
fn many_modes_beside_many_bodies_and_joints() {
    assert_in_proportion(250, |n| {
        let mode = |i: usize| {
            format!(
                "[modes.m{i}]\nforces.x{i} = 1\nconstraints.c{i} = \"x{i} - {i}\"\n\
                 events.e = {{ guard = \"x{i} > {i}\", goto = \"m{}\" }}",
                (i + 1) % n
            )
        };
        format!(
            "[coordinates]\n{}[inertia]\n{}[run]\nuntil = 1\n{}",
            lines(n, |i| format!("x{i} = {i}")),
            lines(n, |i| format!("x{i} = 1")),
            lines(n, mode)
        )
    });
}

#[test]
fn chains_of_bodies_and_joints() {
    assert_in_proportion(250, |n| {
        let both = |value: &str| lines(n, |i| format!("x{i} = {value}\ny{i} = {value}"));
        let rod = |i: usize| format!("r{0} = \"(x{0} - x{i})^2 + (y{0} - y{i})^2 - 1\"", i + 1);
        format!(
            "[coordinates]\n{}[inertia]\n{}[forces]\n{}[constraints]\n{}[run]\nuntil = 1\n",
            lines(n, |i| format!("x{i} = {i}\ny{i} = 0")),
            both("1"),
            both("-9.81"),
            lines(n - 1, rod)
        )
    });
}

#[test]
fn energies_with_many_terms() {
    assert_in_proportion(500, |n| {
        let sum = |term: &dyn Fn(usize) -> String| (0..n).map(term).collect::<Vec<_>>().join(" + ");
        let kinetic = sum(&|i| format!("m / 2 * x{i}'^2"));
        let potential = sum(&|i| format!("cos(x{i} - x{})", i.saturating_sub(1)));
        format!(
            "kinetic = \"{kinetic}\"\npotential = \"{potential}\"\nparameters.m = 2\nrun.until = 1\n[coordinates]\n{}",
            lines(n, |i| format!("x{i} = {i}"))
        )
    });
}

#[test]
fn files_of_nothing_but_errors() {
    assert_in_proportion(4000, |n| {
        let misspelt = lines(n, |i| format!("o{i} = \"y{i} + x\""));
        let resets = lines(n, |i| {
            format!("[events.e{i}]\nguard = \"x > 1\"\nreset = {{ z{i} = 1 }}\ngoto = \"m{i}\"")
        });
        let rates = lines(n, |i| format!("w{i} = 1"));
        let text =
            format!("states.x = 1\nrun.until = 1\n[outputs]\n{misspelt}{resets}[derivatives]\n{rates}");
        assert_eq!(Model::from_toml(&text).map_or_else(|errors| errors.len(), |_| 0), 4 * n + 1);
        text
    });
}
