//! The detection levels of paper 002: with `ends` short sliding arcs are missed, with more samples they are found, and the default finds
//! everything without a knob.

use slipstick::model::{Detection, Model};
use slipstick::problems::disode45;
use slipstick::simulate::{Overrides, Plan, simulate};

/// The events of problem 3 at a tolerance, and the guards that were evaluated.
fn relay(tolerance: f64, detection: Detection) -> (bool, u64, u64) {
    let mut problem = disode45(3, tolerance).problem;
    problem.options.events.detection = detection;
    let measured = problem.measure(&[]);
    (measured.is_ok(), measured.found, measured.statistics.guards)
}

#[test]
fn ends_miss_short_arcs_at_loose_tolerances_and_the_default_does_not() {
    for tolerance in [1e-3, 1e-4, 1e-5, 1e-6] {
        let (whole, ends) = (relay(tolerance, Detection::WholeStep), relay(tolerance, Detection::Ends));
        assert!(whole.0 && !ends.0 && ends.1 < whole.1, "{tolerance:e}: {whole:?}, {ends:?}");
    }
    assert!(relay(1e-9, Detection::Ends).0);
}

/// `eventcontrol = 3` of the paper is `1 + 6 · 3` samples: with it the paper finds all of them.
#[test]
fn more_samples_find_more_and_cost_more_guards() {
    for tolerance in [1e-3, 1e-4, 1e-5, 1e-6] {
        let levels = [Detection::Ends, Detection::Stages, Detection::Samples(7), Detection::Samples(19)];
        let rows = levels.map(|level| relay(tolerance, level));
        assert!(rows.is_sorted_by_key(|row| row.1) && rows.is_sorted_by_key(|row| row.2), "{rows:?}");
        assert!(rows[3].0, "{rows:?}");
    }
}

/// A dip of 0.1 s within a step of 1 s, asked for in the words of the model file.
#[test]
fn a_model_file_says_where_to_look() {
    let events = |line: &str| {
        let text = format!(
            "states = {{ x = 0 }}\nderivatives = {{ x = \"1\" }}\n\
             events.dip = {{ guard = \"(x - 0.45)^2 - 0.0025\" }}\n\
             run = {{ until = 1, method = \"dopri5\", fixed_step = 1{line} }}\n"
        );
        let model = Model::from_toml(&text).unwrap();
        let plan = Plan::new(&model, &Overrides::default()).unwrap();
        simulate(&plan.system, &plan.start, &plan.options).unwrap().events.len()
    };
    for (line, count) in [("", 2), (", detection = \"whole-step\"", 2), (", detection = \"ends\"", 0)] {
        assert_eq!(events(line), count, "{line}");
    }
    // The stages of this method are at 0.2, 0.3, 0.8 and later.
    for (line, count) in [("\"stages\"", 0), ("3", 0), ("9", 2)] {
        assert_eq!(events(&format!(", detection = {line}")), count, "{line}");
    }
}
