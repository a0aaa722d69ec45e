//! Discs that come to rest side by side touch without force. From rounding on they may drift into each other: then they hit.

use slipstick::model::Model;
use slipstick::simulate::{Overrides, Plan, simulate};

/// Ten discs are poured between two walls.
const DISCS: &str = r#"
gravity = [0, "-9.81 m/s^2"]
run = { until = 3, rtol = 1e-6 }
[bodies.ball]
repeat = 10
shape = { disc = "10 mm" }
mass = "0.1 kg"
x = "1 m * (0.015 + 0.03*mod(k, 4) + 0.003*sin(7*k))"
y = "1 m * (0.02 + 0.03*floor(k/4))"
velocity = ["1 m/s * (0.1*sin(3*k))", 0]
[shapes]
floor = { body = "ground", half_plane = [0, 1] }
left = { body = "ground", half_plane = [1, 0] }
right = { body = "ground", half_plane = [-1, 0], at = [0.12, 0] }
[contacts]
pile = { among = "ball[*]", restitution = 0.5 }
walls = { between = ["ball[*]", "floor"], restitution = 0.5 }
left = { between = ["ball[*]", "left"], restitution = 0.5 }
right = { between = ["ball[*]", "right"], restitution = 0.5 }
"#;

/// How deep time stepping may go into a contact before it is taken back.
const CAPTURED: f64 = 1e-5;

#[test]
fn discs_that_rest_beside_each_other_stay_apart() {
    let model = Model::from_toml(DISCS).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let plan = Plan::new(&model, &Overrides::default()).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let run =
        simulate(&plan.system, &plan.start, &plan.options).unwrap_or_else(|failure| panic!("{failure}"));
    let ends = run.segments.iter().flat_map(|segment| [&segment.start[..], &segment.end[..]]);
    let mut deepest = 0.0_f64;
    for y in ends {
        for i in 0..10 {
            for j in 0..i {
                let gap = (y[3 * i] - y[3 * j]).hypot(y[3 * i + 1] - y[3 * j + 1]) - 0.02;
                deepest = deepest.min(gap);
            }
        }
    }
    assert!(deepest > -CAPTURED, "a gap of {deepest} m");
}
