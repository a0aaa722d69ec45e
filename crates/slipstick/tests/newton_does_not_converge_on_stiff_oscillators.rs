//! An oscillator that is far stiffer than its fixed step can follow: positions are summed from parts that are larger than they are by many powers of ten, and what these round to was more than Newton's
//! iteration of generalized-α methods would take for rounding.

mod common;

use common::plan;
use slipstick::simulate::{Options, simulate};
use slipstick::step::{Method, Tolerances};

#[test]
fn stiff_oscillators_die_out() {
    for method in [Method::GeneralizedAlpha, Method::GeneralizedAlpha2, Method::GeneralizedAlpha3] {
        for (step, speed) in [(1e-3, 0.0), (1e-2, 0.0), (1e-2, 3.0), (0.1, 0.0)] {
            for rtol in [1e-6, 1e-8, 1e-10, 1e-12] {
                let plan = plan(&format!(
                    "coordinates.x = 1\nspeeds.x = {speed}\nkinetic = \"x'^2 / 2\"\npotential = \"1e14 * x^2 / 2\"\n\
                     run = {{ until = {}, fixed_step = {step} }}",
                    200.0 * step
                ));
                let tolerances = Tolerances::uniform(rtol, rtol / 10.0);
                let options = Options { method, tolerances, ..plan.options.clone() };
                let run = simulate(&plan.system, &plan.start, &options)
                    .unwrap_or_else(|failure| panic!("{method:?} {step} {rtol:e}: {failure}"));
                let end = run.end_state()[0].abs();
                assert!(run.outcome.is_complete() && end < 1e-9, "{method:?} {step} {rtol:e}: {end:e}");
            }
        }
    }
}
