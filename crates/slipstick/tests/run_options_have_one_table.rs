//! The table of run options is what models, results and the book go by.

use slipstick::simulate::{OptionValue, Overrides, Plan, RUN_OPTIONS, RunOption};
use std::fmt::Write as _;

/// The table as the book has it.
fn table() -> String {
    let mut text = String::from("| key | type | unit | default | meaning |\n|---|---|---|---|---|\n");
    for option in RUN_OPTIONS {
        let RunOption { key, unit, default, about, more, .. } = option;
        let more = more.map_or(String::new(), |page| format!(" ([more]({page}))"));
        writeln!(text, "| `{key}` | {} | {unit} | {default} | {about}{more} |", option.type_in_words())
            .unwrap();
    }
    text
}

#[test]
fn the_book_has_the_table() {
    let book = include_str!("../../../book/src/model-file.md");
    assert!(book.contains(&table()), "the table is now:\n{}", table());
}

#[test]
fn a_key_has_one_row() {
    for (i, option) in RUN_OPTIONS.iter().enumerate() {
        assert!(RUN_OPTIONS[..i].iter().all(|other| other.key != option.key), "{}", option.key);
        assert!(!option.about.is_empty() && !option.type_in_words().is_empty(), "{}", option.key);
        assert!(RunOption::of(option.key).is_some_and(|row| row.key == option.key));
    }
}

fn plan(run: &str) -> Plan {
    let text = format!("states.x = 1\nderivatives.x = \"-x\"\n[run]\nuntil = 1\n{run}");
    let model = Plan::read_model(&text).unwrap_or_else(|errors| panic!("{run}: {errors:?}"));
    Plan::new(&model, &Overrides::default()).unwrap_or_else(|errors| panic!("{run}: {errors:?}"))
}

/// A number or a word in backticks is the value where nothing is said.
#[test]
fn defaults_are_as_stated() {
    let plan = plan("");
    let mut compared = 0;
    for option in RUN_OPTIONS {
        let stated = option.default.trim_matches('`');
        let is = option.value(&plan);
        let as_stated = match (&is, stated.parse::<f64>(), stated.trim_matches('"')) {
            (OptionValue::Number(x), Ok(number), _) => *x == number,
            (OptionValue::Count(n), Ok(number), _) => *n as f64 == number,
            (OptionValue::Word(is), _, word) => is == word,
            _ => continue,
        };
        assert!(as_stated, "{}: {is:?}, stated {stated}", option.key);
        compared += 1;
    }
    assert!(compared >= 8, "only {compared}");
}

/// Each option is set by the model file, and shows what it was set to.
#[test]
fn what_a_model_says_is_what_a_run_has() {
    let number = OptionValue::Number;
    let word = |text: &str| OptionValue::Word(text.to_owned());
    let both = OptionValue::Table(vec![("time", number(1e-7)), ("amplitude", number(1e-6))]);
    for (key, text, expected) in [
        ("from", "0.25", number(0.25)),
        ("rtol", "1e-5", number(1e-5)),
        ("rtol", "{ x = 1e-4 }", OptionValue::List(vec![number(1e-4)])),
        ("atol", "1e-9", number(1e-9)),
        ("norm", "\"mean\"", word("mean")),
        ("method", "\"tsit5\"", word("tsit5")),
        ("control", "\"pid\"", word("pid")),
        ("safety", "0.8", number(0.8)),
        ("output_step", "\"1 / 4\"", number(0.25)),
        ("first_step", "1e-3", number(1e-3)),
        ("longest_step", "0.5", number(0.5)),
        ("fixed_step", "0.125", number(0.125)),
        ("max_events", "7", OptionValue::Count(7)),
        ("max_steps", "8", OptionValue::Count(8)),
        ("detection", "\"stages\"", word("stages")),
        ("detection", "5", OptionValue::Count(5)),
        ("location", "\"dense\"", word("dense")),
        ("concurrency", "{ time = 1e-7, amplitude = 1e-6 }", both),
        ("regularise", "0.01", number(0.01)),
    ] {
        let value = RunOption::of(key).unwrap().value(&plan(&format!("{key} = {text}")));
        assert_eq!(value, expected, "{key} = {text}");
    }
}

#[test]
fn bodies_have_the_coordinates_that_a_model_asks_for() {
    let value = |run: &str| {
        let text = format!("bodies.ball = {{ mass = 1, inertia = 1 }}\n[run]\nuntil = 1\n{run}");
        let model = Plan::read_model(&text).unwrap_or_else(|errors| panic!("{run}: {errors:?}"));
        let plan =
            Plan::new(&model, &Overrides::default()).unwrap_or_else(|errors| panic!("{run}: {errors:?}"));
        RunOption::of("coordinates").expect("a row").value(&plan)
    };
    assert_eq!(value("coordinates = \"joint\""), OptionValue::Word("joint".to_owned()));
    assert_eq!(value("coordinates = \"absolute\""), value(""));
}

/// All that is wrong is reported at once, each with its place.
#[test]
fn everything_that_is_wrong_in_the_section_is_reported() {
    let text = "states.x = 1\nderivatives.x = \"-x\"\n[run]\nuntil = 1\nrtoll = 1\nmax_steps = 0\n\
                rtol = { y = 1e-3, x = 0 }\nnorm = \"meen\"\nconcurrency = { time = 0 }\nmethod = \"tsit\"\n";
    let errors = Plan::read_model(text).unwrap_err();
    let seen: Vec<(&str, &str)> = errors.iter().map(|e| (e.code, &text[e.span.clone().unwrap()])).collect();
    let expected = [
        ("unknown-key", "rtoll"),
        ("wrong-type", "0"),
        ("unknown-name", "y"),
        ("wrong-type", "0"),
        ("wrong-type", "\"meen\""),
        ("missing-key", "{ time = 0 }"),
        ("wrong-type", "0"),
        ("unknown-method", "\"tsit\""),
    ];
    assert_eq!(seen, expected, "{errors:?}");
}
