//! Parameters come from outside with every evaluation: a model is compiled once.

use slipstick::equations::{FormulaSystem, ParameterValues, System};
use slipstick::mode::Mode;
use slipstick::model::Model;

const DECAY: &str = r#"
[states]
x = 1
[parameters]
k = 2
[derivatives]
x = "-k * x"
[outputs]
power = "k * x^2"
[events.low]
guard = "x < 0.1 * k"
[run]
until = 1
"#;

#[test]
fn every_evaluation_takes_the_parameters_that_it_is_given() {
    let model = Model::from_toml(DECAY).expect("a model");
    let fixed = ParameterValues::evaluate(&model, &[]).expect("values");
    let system = FormulaSystem::compile(&model, fixed).expect("a system");
    assert_eq!(system.shape().parameters, [2.0]);
    let (mode, mut evaluator) = (Mode::start(&system, 0), system.evaluator());
    for k in [2.0, 3.0, -1.0] {
        let (parameters, mut dy, mut out) = ([k], [0.0], [0.0]);
        let locked = mode.locked(&parameters);
        evaluator.derivative(locked, 0.0, &[5.0], &mut dy);
        system.outputs().observe(locked, 0.0, &[5.0], &mut out);
        let guard = evaluator.guard(locked, 0, 0.0, &[5.0]);
        assert_eq!((dy[0], out[0], guard), (-5.0 * k, 25.0 * k, 5.0 - 0.1 * k));
    }
}

const DERIVED: &str = r#"
[parameters]
m = 2
k = "10 * m"
omega = 3
period = "1 / m"
[states]
x = "k / 4"
[discrete]
n = "m + 1"
[derivatives]
x = "-x"
[events.turn]
guard = "omega * t > 1"
[events.tick]
every = "period"
[run]
until = 1
"#;

fn compiled(text: &str) -> FormulaSystem {
    let model = Model::from_toml(text).expect("a model");
    FormulaSystem::compile(&model, ParameterValues::evaluate(&model, &[]).expect("values")).expect("a system")
}

#[test]
fn start_values_and_other_parameters_follow_from_those_that_are_given() {
    let system = compiled(DERIVED);
    assert_eq!(system.prepare(&[]).as_ref(), Some(system.initial_values()));
    let other = system.prepare(&[(0, 4.0)]).expect("values");
    assert_eq!(
        (other.parameters, other.state, other.discrete),
        (vec![4.0, 40.0, 3.0, 0.25], vec![10.0], vec![5.0])
    );
    let given = system.prepare(&[(0, 4.0), (1, 1.0)]).expect("values");
    assert_eq!((given.parameters[1], given.state[0]), (1.0, 0.25), "what is given is not computed");
}

#[test]
fn what_was_decided_when_the_model_was_compiled_is_checked() {
    let system = compiled(DERIVED);
    assert!(system.prepare(&[(2, 0.5)]).is_some());
    assert_eq!(system.prepare(&[(2, -3.0)]), None, "the guard would fall");
    assert_eq!(system.prepare(&[(0, 0.0)]), None, "the period is not finite");
    assert_eq!(system.prepare(&[(0, -1.0)]), None, "the period is negative");
    assert_eq!(system.prepare(&[(9, 1.0)]), None, "there is no such parameter");
}
