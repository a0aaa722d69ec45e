//! Stiff problems: explicit methods would need steps for stability, not for accuracy.
//!
//! Truths: extrapolation of the linearly implicit Euler rule (Hairer, Wanner II, section IV.9) in 113-bit
//! numbers (33 digits), started from the very doubles that the problem is stated with, twice: with 12 columns
//! at 1e-18 and 14 at 1e-20 (pollution: 12 at 1e-16 and 1e-17; ring modulator: 10 at 1e-12 and 12 at 1e-14).
//! The bound in `source` is the difference of the two, relative to the scale of each component; published
//! digits are compared with in the same way.
//!
//! Errors are measured relative to the size that each component has at the end, or has had on the way if it
//! goes through zero.

use super::Problem;
use crate::equations::ClosureSystem;
use crate::simulate::Start;
use std::f64::consts::PI;

/// The problems of the suite `stiff`.
pub fn stiff() -> Vec<Problem> {
    vec![van_der_pol_1e3(), van_der_pol_1e6(), robertson(), ring_modulator(), pollution()]
}

/// The van der Pol oscillator with damping 1000, over a period and a quarter: three slow pieces, two jumps.
fn van_der_pol_1e3() -> Problem {
    let mu = 1e3;
    let system = ClosureSystem::new(["x", "v"], move |_, y, dy| {
        dy[0] = y[1];
        dy[1] = mu * (1.0 - y[0] * y[0]) * y[1] - y[0];
    })
    .jacobian(move |_, y, j| {
        j.copy_from_slice(&[0.0, 1.0, -2.0 * mu * y[0] * y[1] - 1.0, mu * (1.0 - y[0] * y[0])]);
    });
    let end = vec![1.706167732170465, -0.0008928097010248166];
    Problem {
        name: "van-der-pol-1e3",
        source: "Hairer, Wanner II, section IV.1; oracle 33 digits, bound 1e-19; the digits of the test set for IVP solvers within 3e-14",
        system: Box::new(system),
        start: Start::at([2.0, 0.0]),
        until: 2000.0,
        scale: Some(sizes(&end)),
        end,
        absolute: 1e-3,
        promise: 1e3,
        invariant: None,
    }
}

/// The van der Pol oscillator in slow time: the speed is stiff with 1/ε = 1e6.
fn van_der_pol_1e6() -> Problem {
    let epsilon = 1e-6;
    let system = ClosureSystem::new(["x", "v"], move |_, y, dy| {
        dy[0] = y[1];
        dy[1] = ((1.0 - y[0] * y[0]) * y[1] - y[0]) / epsilon;
    })
    .jacobian(move |_, y, j| {
        let row = [-2.0 * y[0] * y[1] - 1.0, 1.0 - y[0] * y[0]].map(|x| x / epsilon);
        j.copy_from_slice(&[0.0, 1.0, row[0], row[1]]);
    });
    let end = vec![1.7061674375431954, -0.8928100165510994];
    Problem {
        name: "van-der-pol-1e6",
        source: "Hairer, Wanner II, section IV.10; oracle 33 digits, bound 5e-20; the published 1.706167732170483, -0.8928097010247975 belong to the start (2, 0)",
        system: Box::new(system),
        start: Start::at([2.0, -0.66]),
        until: 2.0,
        scale: Some(sizes(&end)),
        end,
        absolute: 1.0,
        promise: 1e3,
        invariant: None,
    }
}

/// Robertson's three reactions, until nearly nothing of the first two substances is left.
fn robertson() -> Problem {
    let system = ClosureSystem::new(["a", "b", "c"], |_, y, dy| {
        let (slow, back, fast) = (0.04 * y[0], 1e4 * y[1] * y[2], 3e7 * y[1] * y[1]);
        dy[0] = back - slow;
        dy[1] = slow - back - fast;
        dy[2] = fast;
    })
    .jacobian(|_, y, j| {
        let (b, c, fast) = (1e4 * y[1], 1e4 * y[2], 6e7 * y[1]);
        j.copy_from_slice(&[-0.04, c, b, 0.04, -c - fast, -b, 0.0, fast, 0.0]);
    });
    let end = vec![2.083340149701294e-08, 8.333360770334784e-14, 0.9999999791665152];
    Problem {
        name: "robertson",
        source: "Hairer, Wanner II, sections IV.1 and IV.10; oracle 33 digits, bound 6e-20; the published digits within 2e-14",
        system: Box::new(system),
        start: Start::at([1.0, 0.0, 0.0]),
        until: 1e11,
        scale: Some(sizes(&end)),
        end,
        absolute: 1e-6,
        promise: 1e3,
        invariant: Some(|y| y.iter().sum()),
    }
}

/// The size of each component, for errors relative to it.
fn sizes(end: &[f64]) -> Vec<f64> {
    end.iter().map(|y| y.abs()).collect()
}

/// A circuit of four diodes that mixes two signals: stiff and oscillating.
fn ring_modulator() -> Problem {
    let names = (1..=15).map(|i| format!("{}{i}", if i <= 7 { 'u' } else { 'i' }));
    Problem {
        name: "ring-modulator",
        source: "test set for IVP solvers, ring modulator with Cs = 2e-12; oracle 33 digits, bound 6e-11; the published digits within 2e-10",
        system: Box::new(ClosureSystem::new(names, modulate).jacobian(modulation_jacobian)),
        start: Start::at([0.0; 15]),
        until: 1e-3,
        end: vec![
            -0.023390573584371698,
            -0.007367485486008193,
            0.2582956709990136,
            -0.40644657205897344,
            -0.4039455664457164,
            0.2607966766122707,
            0.11067618612733106,
            2.939904342433006e-07,
            -2.8400299330664833e-08,
            0.0007267198267291618,
            0.0007929487197023317,
            -0.0007255283495765928,
            -0.0007941401968549008,
            7.088495416875664e-05,
            2.3900590752771132e-05,
        ],
        // The largest size of each component on the way.
        scale: Some(vec![
            0.59, 0.49, 0.65, 0.65, 0.58, 0.58, 0.88, 3.2e-05, 2.1e-06, 0.0097, 0.0097, 0.0097, 0.0097,
            0.0011, 0.00074,
        ]),
        absolute: 1e-3,
        promise: 1e4,
        invariant: None,
    }
}

// The letters of the circuit: capacities, resistances, inductances.
const C: f64 = 1.6e-8;
const CS: f64 = 2e-12;
const CP: f64 = 1e-8;
const R: f64 = 25000.0;
const RP: f64 = 50.0;
const LH: f64 = 4.45;
const LS1: f64 = 0.002;
const LS2: f64 = 0.0005;
const RG1: f64 = 36.3;
const RG2: f64 = 17.3;
const RI: f64 = 50.0;
const RC: f64 = 600.0;
/// The current of a diode is γ (exp(δ u) - 1).
const GAMMA: f64 = 4.067286402e-8;
const DELTA: f64 = 17.7493332;

/// The voltages over the diodes.
fn over_diodes(t: f64, y: &[f64]) -> [f64; 4] {
    let carrier = 2.0 * (20000.0 * PI * t).sin();
    [
        y[2] - y[4] - y[6] - carrier,
        -y[3] + y[5] - y[6] - carrier,
        y[3] + y[4] + y[6] + carrier,
        -y[2] - y[5] + y[6] + carrier,
    ]
}

fn modulate(t: f64, y: &[f64], dy: &mut [f64]) {
    let q = over_diodes(t, y).map(|u| GAMMA * ((DELTA * u).exp() - 1.0));
    let signal = 0.5 * (2000.0 * PI * t).sin();
    dy[0] = (y[7] - 0.5 * y[9] + 0.5 * y[10] + y[13] - y[0] / R) / C;
    dy[1] = (y[8] - 0.5 * y[11] + 0.5 * y[12] + y[14] - y[1] / R) / C;
    dy[2] = (y[9] - q[0] + q[3]) / CS;
    dy[3] = (-y[10] + q[1] - q[2]) / CS;
    dy[4] = (y[11] + q[0] - q[2]) / CS;
    dy[5] = (-y[12] - q[1] + q[3]) / CS;
    dy[6] = (-y[6] / RP + q[0] + q[1] - q[2] - q[3]) / CP;
    dy[7] = -y[0] / LH;
    dy[8] = -y[1] / LH;
    dy[9] = (0.5 * y[0] - y[2] - RG2 * y[9]) / LS2;
    dy[10] = (-0.5 * y[0] + y[3] - RG2 * y[10]) / LS2;
    dy[11] = (0.5 * y[1] - y[4] - RG2 * y[11]) / LS2;
    dy[12] = (-0.5 * y[1] + y[5] - RG2 * y[12]) / LS2;
    dy[13] = (-y[0] + signal - (RI + RG1) * y[13]) / LS1;
    dy[14] = (-y[1] - (RC + RG1) * y[14]) / LS1;
}

/// The Jacobian of everything but the diodes: row, column, value.
const WIRES: [(usize, usize, f64); 33] = [
    (0, 7, 1.0 / C),
    (0, 9, -0.5 / C),
    (0, 10, 0.5 / C),
    (0, 13, 1.0 / C),
    (0, 0, -1.0 / (R * C)),
    (1, 8, 1.0 / C),
    (1, 11, -0.5 / C),
    (1, 12, 0.5 / C),
    (1, 14, 1.0 / C),
    (1, 1, -1.0 / (R * C)),
    (2, 9, 1.0 / CS),
    (3, 10, -1.0 / CS),
    (4, 11, 1.0 / CS),
    (5, 12, -1.0 / CS),
    (6, 6, -1.0 / (RP * CP)),
    (7, 0, -1.0 / LH),
    (8, 1, -1.0 / LH),
    (9, 0, 0.5 / LS2),
    (9, 2, -1.0 / LS2),
    (9, 9, -RG2 / LS2),
    (10, 0, -0.5 / LS2),
    (10, 3, 1.0 / LS2),
    (10, 10, -RG2 / LS2),
    (11, 1, 0.5 / LS2),
    (11, 4, -1.0 / LS2),
    (11, 11, -RG2 / LS2),
    (12, 1, -0.5 / LS2),
    (12, 5, 1.0 / LS2),
    (12, 12, -RG2 / LS2),
    (13, 0, -1.0 / LS1),
    (13, 13, -(RI + RG1) / LS1),
    (14, 1, -1.0 / LS1),
    (14, 14, -(RC + RG1) / LS1),
];

/// How a diode is wired.
struct Diode {
    /// The three voltages that it sees, with their signs.
    sees: [(usize, f64); 3],
    /// The sign with which its current enters the equations of u3 … u7.
    enters: [f64; 5],
}

const DIODES: [Diode; 4] = [
    Diode { sees: [(2, 1.0), (4, -1.0), (6, -1.0)], enters: [-1.0, 0.0, 1.0, 0.0, 1.0] },
    Diode { sees: [(3, -1.0), (5, 1.0), (6, -1.0)], enters: [0.0, 1.0, 0.0, -1.0, 1.0] },
    Diode { sees: [(3, 1.0), (4, 1.0), (6, 1.0)], enters: [0.0, -1.0, -1.0, 0.0, -1.0] },
    Diode { sees: [(2, -1.0), (5, -1.0), (6, 1.0)], enters: [1.0, 0.0, 0.0, 1.0, -1.0] },
];

fn modulation_jacobian(t: f64, y: &[f64], j: &mut [f64]) {
    j.fill(0.0);
    for (row, column, value) in WIRES {
        j[15 * row + column] = value;
    }
    for (Diode { sees, enters }, u) in DIODES.iter().zip(over_diodes(t, y)) {
        let conductance = GAMMA * DELTA * (DELTA * u).exp();
        for (k, sign) in enters.iter().enumerate() {
            let capacity = if k == 4 { CP } else { CS };
            for (column, with) in sees {
                j[15 * (2 + k) + column] += sign * with * conductance / capacity;
            }
        }
    }
}

/// The chemistry of air pollution: 25 reactions of 20 substances.
fn pollution() -> Problem {
    let mut start = [0.0; 20];
    for (i, y) in [(1, 0.2), (3, 0.04), (6, 0.1), (7, 0.3), (8, 0.01), (16, 0.007)] {
        start[i] = y;
    }
    let end = vec![
        0.056462554800227695,
        0.13424841304223387,
        4.139734331099427e-09,
        0.005523140207484359,
        2.018977262302196e-07,
        1.4645418634939657e-07,
        0.07784249118997964,
        0.3245075353396018,
        0.007494013383880406,
        1.6222931573015602e-08,
        1.1358638332570748e-08,
        0.00223050597572136,
        0.00020871628827986302,
        1.3969210168401579e-05,
        0.008964884856898295,
        4.352846369330103e-18,
        0.006899219696263405,
        0.0001007803037365946,
        1.7721465139699842e-06,
        5.6829432923163926e-05,
    ];
    let names = (1..=20).map(|i| format!("y{i}"));
    Problem {
        name: "pollution",
        source: "test set for IVP solvers, pollution (Verwer 1994); oracle 33 digits, bound 2e-18; the published digits within 5e-16",
        system: Box::new(ClosureSystem::new(names, react).jacobian(reaction_jacobian)),
        start: Start::at(start),
        until: 60.0,
        scale: Some(sizes(&end)),
        end,
        absolute: 1e-6,
        promise: 1e3,
        invariant: None,
    }
}

/// A reaction: its speed constant, the substances that its speed is proportional to, and what it makes or (if
/// negative) uses of which. Substances are numbered from 1, as in the literature.
struct Reaction {
    speed: f64,
    of: &'static [usize],
    makes: &'static [(usize, f64)],
}

const fn reaction(speed: f64, of: &'static [usize], makes: &'static [(usize, f64)]) -> Reaction {
    Reaction { speed, of, makes }
}

const REACTIONS: [Reaction; 25] = [
    reaction(0.35, &[1], &[(1, -1.0), (2, 1.0), (3, 1.0)]),
    reaction(26.6, &[2, 4], &[(1, 1.0), (2, -1.0), (4, -1.0)]),
    reaction(12300.0, &[5, 2], &[(1, 1.0), (2, -1.0), (5, -1.0), (6, 1.0)]),
    reaction(0.00086, &[7], &[(5, 2.0), (7, -1.0), (8, 1.0)]),
    reaction(0.00082, &[7], &[(7, -1.0), (8, 1.0)]),
    reaction(15000.0, &[7, 6], &[(5, 1.0), (6, -1.0), (7, -1.0), (8, 1.0)]),
    reaction(0.00013, &[9], &[(5, 1.0), (8, 1.0), (9, -1.0), (10, 1.0)]),
    reaction(24000.0, &[9, 6], &[(6, -1.0), (9, -1.0), (11, 1.0)]),
    reaction(16500.0, &[11, 2], &[(1, 1.0), (2, -1.0), (10, 1.0), (11, -1.0), (12, 1.0)]),
    reaction(9000.0, &[11, 1], &[(1, -1.0), (11, -1.0), (13, 1.0)]),
    reaction(0.022, &[13], &[(1, 1.0), (11, 1.0), (13, -1.0)]),
    reaction(12000.0, &[10, 2], &[(1, 1.0), (2, -1.0), (10, -1.0), (14, 1.0)]),
    reaction(1.88, &[14], &[(5, 1.0), (7, 1.0), (14, -1.0)]),
    reaction(16300.0, &[1, 6], &[(1, -1.0), (6, -1.0), (15, 1.0)]),
    reaction(4.8e6, &[3], &[(3, -1.0), (4, 1.0)]),
    reaction(0.00035, &[4], &[(4, -1.0), (16, 1.0)]),
    reaction(0.0175, &[4], &[(3, 1.0), (4, -1.0)]),
    reaction(1e8, &[16], &[(6, 2.0), (16, -1.0)]),
    reaction(4.44e11, &[16], &[(3, 1.0), (16, -1.0)]),
    reaction(1240.0, &[17, 6], &[(5, 1.0), (6, -1.0), (17, -1.0), (18, 1.0)]),
    reaction(2.1, &[19], &[(2, 1.0), (19, -1.0)]),
    reaction(5.78, &[19], &[(1, 1.0), (3, 1.0), (19, -1.0)]),
    reaction(0.0474, &[1, 4], &[(1, -1.0), (4, -1.0), (19, 1.0)]),
    reaction(1780.0, &[19, 1], &[(1, -1.0), (19, -1.0), (20, 1.0)]),
    reaction(3.12, &[20], &[(1, 1.0), (19, 1.0), (20, -1.0)]),
];

fn react(_t: f64, y: &[f64], dy: &mut [f64]) {
    dy.fill(0.0);
    for Reaction { speed, of, makes } in &REACTIONS {
        let rate = of.iter().fold(*speed, |rate, i| rate * y[i - 1]);
        for (i, count) in *makes {
            dy[i - 1] += count * rate;
        }
    }
}

fn reaction_jacobian(_t: f64, y: &[f64], j: &mut [f64]) {
    j.fill(0.0);
    for Reaction { speed, of, makes } in &REACTIONS {
        for (place, column) in of.iter().enumerate() {
            let others = of.iter().enumerate().filter(|(other, _)| *other != place);
            let slope = others.fold(*speed, |slope, (_, i)| slope * y[i - 1]);
            for (row, count) in *makes {
                j[20 * (row - 1) + column - 1] += count * slope;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::equations::Locked;

    /// Exact Jacobians agree with central differences at a state in which every term matters.
    #[test]
    fn jacobians_are_the_derivatives_of_the_fields() {
        for problem in stiff() {
            let n = problem.start.y.len();
            let y: Vec<f64> = (0..n).map(|i| 0.1 + 0.01 * i as f64).collect();
            let (locked, t) = (Locked::default(), 1e-5);
            let mut evaluator = problem.system.evaluator();
            let mut exact = vec![0.0; n * n];
            assert!(evaluator.jacobian(locked, t, &y, &mut exact), "{}", problem.name);
            let (mut up, mut down) = (vec![0.0; n], vec![0.0; n]);
            for column in 0..n {
                let mut moved = |by: f64, out: &mut [f64]| {
                    let mut beside = y.clone();
                    beside[column] += by;
                    evaluator.derivative(locked, t, &beside, out);
                };
                let h = 1e-5;
                moved(h, &mut up);
                moved(-h, &mut down);
                for row in 0..n {
                    let difference = (up[row] - down[row]) / (2.0 * h);
                    // A row's rounding is that of its largest term; third derivatives of the diodes add (δ
                    // h)²/6.
                    let largest = up[row].abs().max(down[row].abs());
                    let allowed = 1e-10 * largest / h * 1e-4 + 1e-8 * exact[n * row + column].abs();
                    let error = (difference - exact[n * row + column]).abs();
                    assert!(error <= allowed, "{} ∂f{row}/∂y{column}: {error:e} > {allowed:e}", problem.name);
                }
            }
        }
    }

    /// Each truth has as many components as the state and is of the size that errors are measured with.
    #[test]
    fn truths_fit_their_scales() {
        for problem in stiff() {
            let scale = problem.scale.as_ref().unwrap();
            assert_eq!(problem.end.len(), problem.start.y.len());
            assert_eq!(scale.len(), problem.end.len());
            for (y, s) in problem.end.iter().zip(scale) {
                assert!(y.abs() <= *s && *s > 0.0, "{}: {y:e} beyond {s:e}", problem.name);
            }
        }
    }
}
