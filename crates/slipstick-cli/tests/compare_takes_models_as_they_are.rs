//! `slipstick compare` on models that say how they are run, under its limits, and with names and numbers that do not fit.

mod common;

use common::slipstick;
use serde_json::Value;

const PENDULUM: &str = "coordinates = { x = 1, y = 0 }\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = \"9.81*y\"\n\
                        constraints.rod = \"x^2 + y^2 - 1\"\n";
const DECAY: &str = "states.x = 1\nderivatives.x = \"-x\"\nrun.until = 1\n";

struct Answer {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Answer {
    fn rows(&self) -> Vec<Value> {
        let objects = self.stdout.lines().map(|line| serde_json::from_str::<Value>(line).expect("an object"));
        objects.filter(|object| object["kind"] == "run").collect()
    }

    /// The methods that ran, each once, in order.
    fn methods(&self) -> Vec<String> {
        let mut names: Vec<String> =
            self.rows().iter().map(|row| row["method"].as_str().unwrap_or_default().to_owned()).collect();
        names.dedup();
        names
    }
}

fn compare(model: &str, arguments: &[&str]) -> Answer {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("model.toml"), model).unwrap();
    let output = slipstick(folder.path(), &[&["compare"], arguments].concat());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Answer { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
}

fn compare_run(run: &str, arguments: &[&str]) -> Answer {
    compare(&format!("{PENDULUM}run = {{ until = 1, {run} }}\n"), &[&["model.toml"], arguments].concat())
}

/// The limit ends the run that is under way, and no other begins.
#[test]
fn no_run_begins_after_the_limit_on_real_time() {
    let arguments =
        ["mechanisms", "--only", "four-bars-40", "--methods", "alpha", "--max-wall", "0.01", "--json"];
    let answer = compare("", &arguments);
    let rows = answer.rows();
    assert_eq!((rows.len(), answer.code), (3, Some(1)), "{}", answer.stderr);
    let why = |row: &Value| row["failure"].as_str().unwrap_or_default().to_owned();
    assert!(why(&rows[0]).contains("real time") || why(&rows[0]) == "not run: --max-wall", "{}", rows[0]);
    for row in &rows[1..] {
        assert_eq!((why(row), &row["n_rhs"]), ("not run: --max-wall".to_owned(), &Value::from(0)));
    }
}

#[test]
fn references_have_limits_that_can_be_raised() {
    let model = format!("{PENDULUM}run.until = 1e6\n");
    let answer = compare(&model, &["model.toml", "--max-wall", "0.05"]);
    assert!(answer.code == Some(2) && answer.stderr.contains("no-reference"), "{}", answer.stderr);
    assert!(answer.stderr.contains("raise it with `--max-wall`"), "{}", answer.stderr);
    let answer = compare_run("", &["--max-steps", "10"]);
    assert!(answer.code == Some(2) && answer.stderr.contains("limit of 40 steps"), "{}", answer.stderr);
    assert!(answer.stderr.contains("raise it with `--max-steps`"), "{}", answer.stderr);
}

/// What a model says for one method is used for that, and left out for others, with a note.
#[test]
fn options_for_one_method_are_left_out_for_others() {
    let answer = compare_run("method = \"alpha\", rho_infinity = 0.5", &["--tolerances", "1e-3", "--json"]);
    assert_eq!(answer.code, Some(0), "{}", answer.stderr);
    assert_eq!(answer.methods(), ["hem5", "phem56", "mdop5", "alpha"]);
    assert!(answer.stderr.contains("`rho_infinity` of the model is left out for hem5, phem56, mdop5\n"));
    let usual = compare_run("method = \"alpha\"", &["--tolerances", "1e-3", "--methods", "alpha", "--json"]);
    assert_ne!(
        usual.rows()[0]["error"],
        answer.rows()[3]["error"],
        "`alpha` has the `rho_infinity` of the model"
    );

    let answer =
        compare_run("method = \"radau5\", stabilisation = \"ggl\"", &["--tolerances", "1e-4", "--json"]);
    assert_eq!(answer.code, Some(0), "{}", answer.stderr);
    assert_eq!(answer.methods(), ["hem5", "phem56", "mdop5", "radau5"]);
    assert!(answer.stderr.contains("`stabilisation` of the model is left out for hem5, phem56\n"));

    let answer = compare_run("datol = 1e-3, metric = \"identity\"", &["--methods", "alpha,dopri5", "--json"]);
    assert_eq!(answer.code, Some(0), "{}", answer.stderr);
    assert!(answer.stderr.contains("`metric` of the model is left out for alpha\n"), "{}", answer.stderr);
    assert!(answer.stderr.contains("`datol` of the model is left out for alpha\n"), "{}", answer.stderr);
}

#[test]
fn a_fixed_step_is_left_out_and_that_is_said() {
    let answer =
        compare_run("fixed_step = 0.01", &["--tolerances", "1e-3,1e-6", "--methods", "dopri5", "--json"]);
    assert!(answer.stderr.contains("note[left-out]: `fixed_step`"), "{}", answer.stderr);
    let rows = answer.rows();
    assert_ne!(rows[0]["n_accepted"], rows[1]["n_accepted"], "tolerances choose the steps");
}

#[test]
fn methods_that_take_no_terms_are_not_tried_on_a_model_with_terms() {
    let answer =
        compare_run("stabilisation = { rate = 20, position = 100 }", &["--tolerances", "1e-4", "--json"]);
    assert_eq!((answer.code, answer.methods().join(" ").as_str()), (Some(0), "dopri5 dop853 radau5"));
}

/// Lorenz's equations magnify errors by e^54 until 60: two references are as far apart as the attractor is wide.
#[test]
fn ends_that_are_not_known_are_no_measure_of_errors() {
    let model = "states = { x = 1, y = 1, z = 1 }\nrun.until = 60\n\
                 derivatives = { x = \"10*(y-x)\", y = \"x*(28-z)-y\", z = \"x*y-8/3*z\" }\n";
    let answer = compare(model, &["model.toml", "--tolerances", "1e-4", "--methods", "dopri5"]);
    assert_eq!(answer.code, Some(1));
    assert!(answer.stderr.contains("warning[unsure-reference]") && answer.stderr.contains("shorten `until`"));
    assert!(
        answer.stdout.lines().any(|line| line.contains("dopri5") && line.contains(" ? ")),
        "{}",
        answer.stdout
    );
    let known = compare(model, &["model.toml", "--tolerances", "1e-4", "--methods", "dopri5", "--json"]);
    let row = &known.rows()[0];
    assert!(row["ok"] == true && row["error"].is_null() && row["uncertainty"].is_null(), "{row}");
}

#[test]
fn names_that_mean_nothing_here_are_refused() {
    for (model, methods, message, cure) in [
        (DECAY, "mdop5", "no coordinates here", "choose `dopri5`"),
        (DECAY, "dopri5+pstab", "no coordinates here", "choose `dopri5`"),
        (PENDULUM, "mdop5+none", "`mdop5` is `dopri5+project`", "or `dopri5+none`"),
        (PENDULUM, "alpha+pstab", "makes no corrections", "choose `alpha`, or `alpha2`"),
    ] {
        let model = format!("{model}{}", if model == PENDULUM { "run.until = 1\n" } else { "" });
        let answer = compare(&model, &["model.toml", "--methods", methods]);
        assert_eq!(answer.code, Some(2), "{methods}: {}", answer.stdout);
        assert!(
            answer.stderr.contains(message) && answer.stderr.contains(cure),
            "{methods}: {}",
            answer.stderr
        );
    }
    let answer = compare("", &["mechanisms", "--only", "foo"]);
    assert!(answer.stderr.contains("classic, four-bars, planar, stiff"), "{}", answer.stderr);
}

#[test]
fn lists_may_have_spaces_and_repetitions_and_columns_stand_below_each_other() {
    let arguments = ["--methods", "hem5, phem56+project,hem5", "--tolerances", "1e-3,1e-4,1e-3"];
    let answer = compare_run("", &arguments);
    assert_eq!(answer.code, Some(0), "{}", answer.stderr);
    let rows: Vec<&str> = answer.stdout.lines().filter(|line| line.starts_with("model ")).collect();
    assert_eq!(rows.len(), 4, "{}", answer.stdout);
    let heading = answer.stdout.lines().nth(1).unwrap();
    let end = heading.find("error").unwrap() + "error".len();
    assert!(rows.iter().all(|row| row[..end].ends_with(|c: char| c.is_ascii_digit())), "{}", answer.stdout);
}

/// A failure says what to do about it.
#[test]
fn failures_have_hints() {
    let answer = compare("", &["smooth", "--methods", "dopri5", "--max-steps", "5", "--json"]);
    let row = &answer.rows()[0];
    assert!(row["failure"].as_str().unwrap().contains("limit of 5 steps"), "{row}");
    assert!(row["hint"].as_str().unwrap().contains("`--max-steps`"), "{row}");
}

/// Nothing is run for a method that can run nothing here, and nothing before the names are known to be right.
#[test]
fn methods_that_cannot_run_at_all_are_refused() {
    let terms = compare_run("stabilisation = { rate = 20, position = 100 }", &["--methods", "hem5"]);
    assert!(terms.code == Some(2) && terms.stdout.is_empty(), "{}", terms.stdout);
    assert!(
        terms.stderr.contains("takes no terms") && terms.stderr.contains("`\"pstab\"`"),
        "{}",
        terms.stderr
    );
    let suite = compare("", &["smooth", "--methods", "dopri5,alpha"]);
    assert!(suite.code == Some(2) && suite.stderr.contains("`alpha`: method"), "{}", suite.stderr);
    let endless = format!("{PENDULUM}run.until = 1e9\n");
    let unknown = compare(&endless, &["model.toml", "--methods", "hem6", "--max-wall", "1"]);
    assert!(unknown.stderr.contains("unknown-method"), "{}", unknown.stderr);
}

/// The time of a run that an event ends is a part of its error: the guard itself is met by every method.
#[test]
fn the_time_of_the_end_counts() {
    let model = "states.x = 0\nderivatives.x = \"1.5+cos(7*t)*sin(3*x)\"\nrun.until = 100\n\
                 events.hit = { guard = \"x > 8\", stop = true }\n";
    let answer =
        compare(model, &["model.toml", "--methods", "bs32,dopri5", "--tolerances", "1e-2,1e-6", "--json"]);
    let errors: Vec<f64> = answer.rows().iter().map(|row| row["error"].as_f64().expect("an end")).collect();
    assert!(errors[0] > 1e-3 && errors[2] > 1e-3, "{errors:?}");
    assert!(errors[1] < 1e-5 && errors[3] < 1e-5 && errors[1] > 0.0 && errors[3] > 0.0, "{errors:?}");
}

/// What is absolute in the tolerances of a model stays so: it says how small states are.
#[test]
fn small_things_are_compared_by_their_own_size() {
    let model = "coordinates = { x = 1e-9, y = 0 }\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = \"9.81e-9*y\"\n\
                 constraints.rod = \"1e9*(x^2 + y^2) - 1e-9\"\nrun = { until = 2, atol = 1e-17, max_steps = 500 }\n";
    let answer =
        compare(model, &["model.toml", "--methods", "hem5,alpha", "--tolerances", "1e-3,1e-6", "--json"]);
    let rows = answer.rows();
    let error = |k: usize| rows[k]["error"].as_f64().expect("an end");
    assert!(error(0) < 1e-2 && error(0) > 100.0 * error(1) && error(1) > 1e-10, "{rows:?}");
    // The limit on steps is the model's, too.
    assert!(rows[3]["failure"].as_str().is_some_and(|why| why.contains("limit of 500 steps")), "{}", rows[3]);
}

#[test]
fn a_reference_that_fails_says_what_is_the_matter() {
    let ball = "states = { h = 1, v = 0 }\nderivatives = { h = \"v\", v = -9.81 }\nrun.until = 3\n\
                events.floor = { guard = \"h < 0\", reset = { v = \"-v/2\" } }\n";
    let answer = compare(ball, &["model.toml"]);
    assert!(answer.stderr.contains("accumulate") && answer.stderr.contains("at_rest"), "{}", answer.stderr);
}

/// A model that lets its joints drift is compared as one that does not, if that is asked for.
#[test]
fn a_drift_of_zero_undoes_that_of_the_model() {
    let arguments = ["--methods", "mdop5", "--tolerances", "1e-4", "--json"];
    let drift = |more: &[&str]| {
        let answer = compare_run("datol = 1e-3", &[&arguments, more].concat());
        assert_eq!(answer.code, Some(0), "{}", answer.stderr);
        answer.rows()[0]["drift_position"].as_f64().expect("a rod")
    };
    assert!(drift(&[]) > 1e-8 && drift(&["--drift", "0"]) < 1e-14);
}
