//! Half-explicit methods (paper 001, section 3.2): order 5 of positions and speeds, and multipliers at theirs, on a pendulum and on Andrews' mechanism.

mod common;

use slipstick::formulation::{Index1, Stabilisation};
use slipstick::mode::Mode;
use slipstick::simulate::{Keep, Options, Plan, simulate};
use slipstick::step::Method;

const METHODS: [Method; 2] = [Method::HalfExplicit5, Method::PartitionedHalfExplicit5];

#[test]
fn try_it() {
    let mut plan = common::plan(include_str!("../src/problems/constrained/andrews.toml"));
    for method in [Method::DormandPrince5, METHODS[0], METHODS[1]] {
        for tol in [1e-4, 1e-6, 1e-8] {
            for s in [Stabilisation::None, Stabilisation::Twice, Stabilisation::Project] {
            plan.options = plan.options.tolerances(tol, tol / 10.0);
            plan.options.stabilisation = s;
            (plan.options.method, plan.options.until) = (method, 0.03);
            let now = std::time::Instant::now();
            let run = simulate(&plan.system, &plan.start, &plan.options).unwrap();
            let wall = now.elapsed();
            let truth = [15.810_771_195_153_707, -15.756_371_058_411_84, 0.040_822_240_119_645_8];
            let e = (0..3).map(|i| (run.end_state()[i]-truth[i]).abs()/truth[i].abs()).fold(0.0, f64::max);
            println!("{} {tol} {} {e:e} {:?} rhs {} acc {} rej {} fac {}", method.name(), s.name(), wall, run.statistics.derivatives, run.statistics.accepted, run.statistics.rejected, run.statistics.motion_factorisations);
        }}
    }
}
