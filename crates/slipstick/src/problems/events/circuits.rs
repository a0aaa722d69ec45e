//! Circuits that switch by themselves.
//!
//! - Diode bridge: a tank of L = 10 mH and C = 1 µF that feeds R = 1 kΩ through four ideal diodes, from 10 V
//!   (Acary, Brogliato; an example of siconos). The pair of diodes that conducts changes with the sign of the
//!   voltage. The tank does not notice: it is a damped oscillator, V = 10 exp(-a t)(cos ωt - (a/ω) sin ωt),
//!   I = 10/(Lω) exp(-a t) sin ωt, a = 1/(2RC), ω² = 1/(LC) - a².
//! - Buck converter: 24 V are switched onto L = 20 mH, C = 47 µF, R = 22 Ω by a comparator between 8.4
//!   (v - 11.3 V) and a sawtooth from 3.8 V to 8.2 V in 400 µs; the switch is closed while the sawtooth is
//!   above (Deane, Hamill 1990). From 12 V and 0.5 A for 3.9 ms; the current never stops. Truth: matrix
//!   exponentials and roots in 50 digits.

use super::{Bounds, EventProblem, Expected};
use crate::equations::{ClosureGuard, ClosureSystem};

/// Both.
pub(super) fn circuits() -> Vec<EventProblem> {
    vec![diode_bridge(), buck_converter()]
}

const RESISTANCE: f64 = 1e3;
const CAPACITANCE: f64 = 1e-6;
const INDUCTANCE: f64 = 1e-2;

fn diode_bridge() -> EventProblem {
    // The pair that conducts turns the current of the load round on both sides of the bridge.
    let system = ClosureSystem::switched(["V", "I"], |_, y, pair, dy| {
        let load = pair[0] * y[0] / RESISTANCE;
        dy[0] = (-y[1] - pair[0] * load) / CAPACITANCE;
        dy[1] = y[0] / INDUCTANCE;
    })
    .switch("pair", |_, y| y[0]);
    let expected = (1_u8..=16).map(|k| {
        let t = bridge_switches(k);
        Expected::with_state(t, 0, [0.0, bridge_state(t)[1]])
    });
    let expected = expected.collect();
    let source = "Acary, Brogliato; siconos DiodeBridge; closed form";
    let problem = EventProblem::new("diode-bridge", source, system, [10.0, 0.0], 5e-3);
    problem.truth(expected, bridge_state(5e-3), Bounds { time: 1e-10, ..Bounds::all(1e-6) })
}

fn bridge_rates() -> (f64, f64) {
    let a = 0.5 / (RESISTANCE * CAPACITANCE);
    (a, (1.0 / (INDUCTANCE * CAPACITANCE) - a * a).sqrt())
}

/// The k-th zero of the voltage: tan ωt = ω/a.
fn bridge_switches(k: u8) -> f64 {
    let (a, omega) = bridge_rates();
    ((omega / a).atan() + f64::from(k - 1) * std::f64::consts::PI) / omega
}

fn bridge_state(t: f64) -> [f64; 2] {
    let (a, omega) = bridge_rates();
    let (sin, cos) = (omega * t).sin_cos();
    let shrink = 10.0 * (-a * t).exp();
    [shrink * (cos - a / omega * sin), shrink / (INDUCTANCE * omega) * sin]
}

const RAMP_LOW: f64 = 3.8;
const RAMP_HIGH: f64 = 8.2;

fn buck_converter() -> EventProblem {
    let system = ClosureSystem::switched(["v", "i", "ramp"], |_, y, comparator, dy| {
        let source = if comparator[0] < 0.0 { 24.0 } else { 0.0 };
        dy[0] = (y[1] - y[0] / 22.0) / 47e-6;
        dy[1] = (source - y[0]) / 20e-3;
        dy[2] = (RAMP_HIGH - RAMP_LOW) / 400e-6;
    })
    .switch("comparator", |_, y| 8.4 * (y[0] - 11.3) - y[2])
    .guard(ClosureGuard::rising("ramp", |_, y| y[2] - RAMP_HIGH).reset(|_, _, after| after[2] = RAMP_LOW));
    // When the sawtooth falls back, the comparator is carried across its surface: that belongs to the event.
    let caused =
        |&(t, guard): &(f64, usize)| Expected { guards: (0..=guard).rev().collect(), ..Expected::at(t, 0) };
    let expected = BUCK.iter().map(caused).collect();
    let source = "Deane, Hamill 1990; matrix exponentials and roots in 50 digits";
    let problem = EventProblem::new("buck-converter", source, system, [12.0, 0.5, RAMP_LOW], 3.9e-3);
    let end = [11.962644676366793, 0.5372455835425102, 7.099999999999995];
    problem.truth(expected, end, Bounds { time: 1e-9, ..Bounds::all(1e-5) })
}

/// When the comparator (0) is reached by the sawtooth, and when that is at its top (1).
const BUCK: [(f64, usize); 19] = [
    (8.888066353884604e-05, 0),
    (0.0004, 1),
    (0.0006128296268576186, 0),
    (0.0008, 1),
    (0.00104498791545893, 0),
    (0.0012000000000000001, 1),
    (0.0013345401488599376, 0),
    (0.0016, 1),
    (0.0018732578640226554, 0),
    (0.002, 1),
    (0.0021372439925152874, 0),
    (0.0024000000000000002, 1),
    (0.0026310128676904883, 0),
    (0.0028, 1),
    (0.002986122144609214, 0),
    (0.0032, 1),
    (0.003398695315823054, 0),
    (0.0036000000000000003, 1),
    (0.0038106147734786482, 0),
];
