//! A model that is drawn runs as one that is not, to the bit, and what is drawn follows the trajectory.

use slipstick::formulation::Mixture;
use slipstick::model::Model;
use slipstick::simulate::{Overrides, Plan, simulate};
use slipstick::trajectory::Trajectory;

const BALL: &str = r#"
parameters  = { g = 9.81, e = 0.9, r = 0.05 }
states      = { y = 1.0, v = 0.0, phi = 0 }
derivatives = { y = "v", v = "-g", phi = "3 + sign(v)" }
outputs     = { height = "y + r", side = "if y > 0.5 then 1 else -1" }
events.floor = { guard = "y < 0", reset = { v = "-e * v" } }
run         = { until = 3, rtol = 1e-9 }
"#;
const PICTURE: &str = r#"
[picture]
ball  = { disc = "r", at = ["side * v", "height"], angle = "phi", lights = "floor" }
floor = { half_plane = [0, 1] }
cord  = { line = [[0, 2], ["sign(v)", "abs(v) + sin(phi)"]], width = "r / 10" }
"#;
const CRANK: &str = r#"
parameters  = { l = 1 }
coordinates = { x = 1, y = 0 }
kinetic     = "(x'^2 + y'^2) / 2"
potential   = "9.81 * y"
constraints = { rod = "x^2 + y^2 - l^2" }
contacts    = { wall = { gap = "x + 0.5", restitution = 0.5 } }
run         = { until = 4 }
"#;
const DRAWN_CRANK: &str = r#"
[picture]
bob = { box = ["l / 8", 0.1], at = ["x", "y"], angle = "atan2(y, x)", lights = "contact.wall" }
pull = { line = [["x", "y"], ["x - lambda.rod * x", "y"]] }
"#;

fn run(text: &str) -> (Plan, Trajectory) {
    let model = Model::from_toml(text).unwrap();
    let plan = Plan::new(&model, &Overrides::default()).unwrap();
    let trajectory = simulate(&plan.system, &plan.start, &plan.options).unwrap();
    (plan, trajectory)
}

#[test]
fn runs_have_the_same_bits_with_and_without_a_picture() {
    for (model, picture) in [(BALL, PICTURE), (CRANK, DRAWN_CRANK)] {
        let (_, plain) = run(model);
        let (_, drawn) = run(&format!("{model}{picture}"));
        assert!(!plain.events.is_empty());
        let bits = |run: &Trajectory| -> Vec<Vec<u64>> {
            let ends =
                run.segments.iter().map(|s| s.start.iter().chain(&s.end).map(|x| x.to_bits()).collect());
            ends.collect()
        };
        assert_eq!(bits(&plain), bits(&drawn));
        let times = |run: &Trajectory| run.events.iter().map(|event| event.t.to_bits()).collect::<Vec<_>>();
        assert_eq!(times(&plain), times(&drawn));
        assert_eq!(plain.guard_names, drawn.guard_names);
        assert_eq!(plain.statistics.derivatives, drawn.statistics.derivatives);
        assert_eq!(plain.statistics.guards, drawn.statistics.guards);
    }
}

#[test]
fn numbers_of_the_picture_are_those_of_outputs_on_both_sides_of_events() {
    let (plan, trajectory) = run(&format!("{BALL}{PICTURE}"));
    let model = Model::from_toml(&format!("{BALL}{PICTURE}")).unwrap();
    let mut row = vec![0.0; model.about.picture.formulas().len()];
    let mut outputs = vec![0.0; model.outputs.len()];
    let mut picture = Mixture::new(&plan.system, plan.system.picture());
    let mut observer = Mixture::new(&plan.system, plan.system.outputs());
    let numbered = model.about.picture.numbered();
    let [x, y, angle] = numbered.bodies[0].pose.unwrap();
    let mut jumps = 0;
    for (i, event) in trajectory.events.iter().enumerate() {
        let mut sides = Vec::new();
        for (segment, state) in [(i, &event.before), (i + 1, &event.after)] {
            let mode = &trajectory.segments[segment].mode;
            picture.observe(mode, event.t, state, &mut row);
            observer.observe(mode, event.t, state, &mut outputs);
            assert_eq!(row[x], outputs[1] * state[1]);
            assert_eq!(row[y], outputs[0]);
            assert_eq!(row[angle], state[2]);
            sides.push(row[x]);
        }
        jumps += usize::from(sides[0] > 0.0 && sides[1] < 0.0);
    }
    // The ball falls before each bounce and rises after it, below half of the height.
    assert_eq!(jumps, 4);
}
