//! Smooth problems: no events, only accuracy and work.

use super::Problem;
use crate::equations::ClosureSystem;
use crate::simulate::Start;

/// The problems of the suite `smooth`.
pub fn smooth() -> Vec<Problem> {
    vec![harmonic_oscillator(), arenstorf(), pleiades(), van_der_pol()]
}

/// x'' = -x from (1, 0), over ten periods and a bit.
fn harmonic_oscillator() -> Problem {
    let system = ClosureSystem::new(["x", "v"], |_, y, dy| {
        dy[0] = y[1];
        dy[1] = -y[0];
    });
    let until = 64.0_f64;
    Problem {
        name: "harmonic-oscillator",
        source: "closed form: x = cos t, v = -sin t",
        system: Box::new(system),
        start: Start::at([1.0, 0.0]),
        until,
        end: vec![until.cos(), -until.sin()],
        scale: None,
        absolute: 1.0,
        promise: 100.0,
        invariant: Some(|y| 0.5 * (y[0] * y[0] + y[1] * y[1])),
    }
}

/// The mass of the moon relative to earth and moon together.
const MOON: f64 = 0.012277471;

/// A satellite's closed orbit around earth and moon; passing the moon closely makes it sensitive.
fn arenstorf() -> Problem {
    let system = ClosureSystem::new(["x", "y", "vx", "vy"], |_, s, ds| {
        let (mu, nu) = (MOON, 1.0 - MOON);
        let (x, y) = (s[0], s[1]);
        let to_earth = ((x + mu).powi(2) + y * y).powf(1.5);
        let to_moon = ((x - nu).powi(2) + y * y).powf(1.5);
        ds[0] = s[2];
        ds[1] = s[3];
        ds[2] = x + 2.0 * s[3] - nu * (x + mu) / to_earth - mu * (x - nu) / to_moon;
        ds[3] = y - 2.0 * s[2] - nu * y / to_earth - mu * y / to_moon;
    });
    Problem {
        name: "arenstorf",
        source: "Hairer, Norsett, Wanner I, eq. II.0.1; oracle 50 digits, bound 4e-26",
        system: Box::new(system),
        start: Start::at([0.994, 0.0, 0.0, -2.001_585_106_379_082_5]),
        until: 17.065_216_560_157_964,
        end: vec![0.9939999999999088, -3.0309430229824185e-13, -4.9285365810550526e-11, -2.00158510639327],
        scale: None,
        absolute: 1.0,
        // A small error on the way is magnified by up to 2.4e6 (measured by differences).
        promise: 1e5,
        invariant: Some(jacobi_integral),
    }
}

/// The Jacobi integral of the restricted three-body problem.
fn jacobi_integral(s: &[f64]) -> f64 {
    let (mu, nu) = (MOON, 1.0 - MOON);
    let to_earth = (s[0] + mu).hypot(s[1]);
    let to_moon = (s[0] - nu).hypot(s[1]);
    let speed2 = s[2] * s[2] + s[3] * s[3];
    0.5 * (s[0] * s[0] + s[1] * s[1]) + nu / to_earth + mu / to_moon - 0.5 * speed2
}

/// Seven stars in the plane, masses 1 to 7, with several close encounters.
fn pleiades() -> Problem {
    let names = |letter: &str| (1..=7).map(|i| format!("{letter}{i}")).collect::<Vec<_>>();
    let states = [names("x"), names("y"), names("vx"), names("vy")].concat();
    let x = [3.0, 3.0, -1.0, -3.0, 2.0, -2.0, 2.0];
    let y = [3.0, -3.0, 2.0, 0.0, 0.0, -4.0, 4.0];
    let vx = [0.0, 0.0, 0.0, 0.0, 0.0, 1.75, -1.5];
    let vy = [0.0, 0.0, 0.0, -1.25, 1.0, 0.0, 0.0];
    Problem {
        name: "pleiades",
        source: "Hairer, Norsett, Wanner I, section II.10; oracle 50 digits, bound 1e-27",
        system: Box::new(ClosureSystem::new(states, |_, s, ds| attract(s, ds))),
        start: Start::at([x, y, vx, vy].concat()),
        until: 3.0,
        end: vec![
            0.37061391439705127,
            3.237284092057233,
            -3.2225590324183235,
            0.6597091455775308,
            0.342558170715658,
            1.5621721014006311,
            -0.7003092922212495,
            -3.943437585517392,
            -3.27138097397255,
            5.225081843456544,
            -2.5906124349774693,
            1.1982136933922747,
            -0.24296823449358235,
            1.0914492404289797,
            3.4170038063143147,
            1.3545845016255011,
            -2.5900655978107756,
            2.025053734714241,
            -1.155815100160449,
            -0.8072988170223022,
            0.5952396354208719,
            -3.7412449612340084,
            0.3773459685750629,
            0.9386858869551079,
            0.36679222272005696,
            -0.3474046353808494,
            2.344915448180937,
            -1.947020434263292,
        ],
        scale: None,
        absolute: 1.0,
        // A small error on the way is magnified by up to 2.9e3 (measured by differences).
        promise: 1e4,
        invariant: Some(pleiades_energy),
    }
}

fn attract(s: &[f64], ds: &mut [f64]) {
    ds[..14].copy_from_slice(&s[14..]);
    ds[14..].fill(0.0);
    for i in 0..7 {
        for j in 0..i {
            let (dx, dy) = (s[j] - s[i], s[7 + j] - s[7 + i]);
            let r2 = dx * dx + dy * dy;
            let w = 1.0 / (r2 * r2.sqrt());
            let (mi, mj) = ((i + 1) as f64, (j + 1) as f64);
            ds[14 + i] += mj * dx * w;
            ds[21 + i] += mj * dy * w;
            ds[14 + j] -= mi * dx * w;
            ds[21 + j] -= mi * dy * w;
        }
    }
}

fn pleiades_energy(s: &[f64]) -> f64 {
    let mut energy = 0.0;
    for i in 0..7 {
        let mi = (i + 1) as f64;
        energy += 0.5 * mi * (s[14 + i].powi(2) + s[21 + i].powi(2));
        for j in 0..i {
            energy -= mi * (j + 1) as f64 / (s[j] - s[i]).hypot(s[7 + j] - s[7 + i]);
        }
    }
    energy
}

/// The van der Pol oscillator with damping 1, for three periods.
fn van_der_pol() -> Problem {
    let system = ClosureSystem::new(["x", "v"], |_, y, dy| {
        dy[0] = y[1];
        dy[1] = (1.0 - y[0] * y[0]) * y[1] - y[0];
    });
    Problem {
        name: "van-der-pol-1",
        source: "Hairer, Norsett, Wanner I, section I.16; oracle 50 digits, bound 3e-28",
        system: Box::new(system),
        start: Start::at([2.0, 0.0]),
        until: 20.0,
        end: vec![2.0081497621749484, -0.04250887527320215],
        scale: None,
        absolute: 1.0,
        promise: 100.0,
        invariant: None,
    }
}
