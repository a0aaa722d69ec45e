//! Parameters come from outside with every evaluation: a model is compiled once.

use slipstick::equations::{Fixed, FormulaSystem, System};
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
    let fixed = Fixed::evaluate(&model, &[]).expect("values");
    let system = FormulaSystem::compile(&model, fixed).expect("a system");
    assert_eq!(system.parameters(), [2.0]);
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
