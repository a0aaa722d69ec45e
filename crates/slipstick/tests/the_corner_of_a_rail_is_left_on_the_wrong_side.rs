//! A bead on a V-shaped rail comes to rest in its corner. With implicit methods it went through the rail by the tolerance, came back with an event, and so on for thousands of events.

mod common;

use common::plan;
use slipstick::simulate::{Limits, Options, simulate};
use slipstick::step::Method;
use slipstick::trajectory::Trajectory;

const METHODS: [Method; 8] = [
    Method::DormandPrince5,
    Method::HalfExplicit5,
    Method::Radau5,
    Method::Rodas4,
    Method::Sdirk4,
    Method::GeneralizedAlpha,
    Method::GeneralizedAlpha2,
    Method::GeneralizedAlpha3,
];

fn run(slope: f64, method: Method, rtol: f64) -> Trajectory {
    let plan = plan(&format!(
        "coordinates = {{ x = 1, y = {slope} }}\nkinetic = \"(x'^2 + y'^2) / 2\"\npotential = \"9.81 * y\"\n\
         constraints.rail = \"y - {slope} * abs(x)\"\nrun.until = 3"
    ));
    let options = plan.options.clone().tolerances(rtol, rtol / 10.0).with_method(method);
    let options = Options { limits: Limits { events: 200, ..options.limits }, ..options };
    simulate(&plan.system, &plan.start, &options).unwrap_or_else(|failure| panic!("{method:?} {failure}"))
}

/// Along the rail the bead falls for `t₁`, and keeps `c` of its speed at the corner, the cosine of the angle by which the rail turns: it rests after `t₁ (1 + 2 c / (1 - c))`.
#[test]
fn a_bead_comes_to_rest_in_the_corner() {
    for slope in [1.0_f64, 0.5] {
        let across = 9.81 * slope / (1.0 + slope * slope);
        let left = (1.0 - slope * slope) / (1.0 + slope * slope);
        let rest = (2.0 / across).sqrt() * (1.0 + 2.0 * left / (1.0 - left));
        for method in METHODS {
            for rtol in [1e-4, 1e-7] {
                let run = run(slope, method, rtol);
                assert_eq!(run.outcome.code(), "accumulation", "{method:?} {rtol:e} {slope}");
                let end = run.segments.last().map_or(0.0, |segment| segment.end_time);
                assert!((end - rest).abs() < 1e-4, "{method:?} {rtol:e} {slope}: {end} {rest}");
                // It is never behind the rail.
                let deepest = run.events.iter().map(|event| event.before[1]).fold(0.0, f64::min);
                assert!(deepest > -1e-12, "{method:?} {rtol:e} {slope}: {deepest:e}");
            }
        }
    }
}
