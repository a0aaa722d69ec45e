//! Impacts that were solved exactly, in rational numbers or 40 digits.

use super::{Bodies, assert_near, exact};
use crate::contact::{ImpactRemark, ImpactResult, LawNumbers, Relations, resolve_impact};
use crate::model::ImpactLaw;

/// Balls in a line, and their velocities after an impact by the laws of Moreau in passes, of Poisson, and one
/// pair after the other.
struct BallLine {
    about: &'static str,
    masses: &'static [f64],
    before: &'static [f64],
    restitution: &'static [f64],
    after: [&'static [f64]; 3],
}

const LINES: &[BallLine] = &[
    BallLine {
        about: "3 balls, masses 1 2 3, e = 1",
        masses: &[1.0, 2.0, 3.0],
        before: &[2.0, 0.0, 0.0],
        restitution: &[1.0, 1.0],
        after: [
            &[-4.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0],
            &[-4.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0],
            &[-2.0 / 3.0, -4.0 / 15.0, 16.0 / 15.0],
        ],
    },
    BallLine {
        about: "3 balls, masses 3 1 3, e = 1/2",
        masses: &[3.0, 1.0, 3.0],
        before: &[1.0, 0.0, 0.0],
        restitution: &[1.0 / 2.0, 1.0 / 2.0],
        after: [
            &[1.0 / 7.0, 9.0 / 14.0, 9.0 / 14.0],
            &[1.0 / 7.0, 9.0 / 14.0, 9.0 / 14.0],
            &[173.0 / 512.0, 1575.0 / 4096.0, 2187.0 / 4096.0],
        ],
    },
    BallLine {
        about: "3 balls, different e (1, 0)",
        masses: &[1.0, 1.0, 1.0],
        before: &[1.0, 0.0, 0.0],
        restitution: &[1.0, 0.0],
        after: [
            &[-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0],
            &[-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0],
            &[0.0, 1.0 / 2.0, 1.0 / 2.0],
        ],
    },
    BallLine {
        about: "3 balls, different e (0, 1)",
        masses: &[1.0, 1.0, 1.0],
        before: &[1.0, 0.0, 0.0],
        restitution: &[0.0, 1.0],
        after: [
            &[1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0],
            &[1.0 / 6.0, 1.0 / 6.0, 2.0 / 3.0],
            &[1.0 / 4.0, 1.0 / 4.0, 1.0 / 2.0],
        ],
    },
    BallLine {
        about: "3 balls, e = 4/5, two from the left",
        masses: &[1.0, 1.0, 1.0],
        before: &[1.0, 1.0, 0.0],
        restitution: &[4.0 / 5.0, 4.0 / 5.0],
        after: [
            &[2.0 / 5.0, 2.0 / 5.0, 6.0 / 5.0],
            &[2.0 / 5.0, 2.0 / 5.0, 6.0 / 5.0],
            &[19.0 / 100.0, 901.0 / 1000.0, 909.0 / 1000.0],
        ],
    },
    BallLine {
        about: "3 balls, second contact separates slowly (the clip matters)",
        masses: &[1.0, 1.0, 1.0],
        before: &[2.0, 0.0, 1.0 / 2.0],
        restitution: &[1.0, 1.0],
        after: [&[0.0, 1.0 / 2.0, 2.0], &[-1.0 / 3.0, 17.0 / 12.0, 17.0 / 12.0], &[0.0, 1.0 / 2.0, 2.0]],
    },
    BallLine {
        about: "5 balls, masses 1 2 1 2 1, e = 1, hit from both ends",
        masses: &[1.0, 2.0, 1.0, 2.0, 1.0],
        before: &[1.0, 0.0, 0.0, 0.0, -2.0],
        restitution: &[1.0, 1.0, 1.0, 1.0],
        after: [
            &[-9.0 / 7.0, -2.0 / 7.0, -2.0 / 7.0, -2.0 / 7.0, 12.0 / 7.0],
            &[-9.0 / 7.0, -2.0 / 7.0, -2.0 / 7.0, -2.0 / 7.0, 12.0 / 7.0],
            &[-155.0 / 81.0, -106.0 / 243.0, 88.0 / 729.0, 364.0 / 729.0, 2.0 / 3.0],
        ],
    },
    BallLine {
        about: "5 balls, masses 5 4 3 2 1, e = 3/4",
        masses: &[5.0, 4.0, 3.0, 2.0, 1.0],
        before: &[1.0, 0.0, 0.0, 0.0, 0.0],
        restitution: &[3.0 / 4.0, 3.0 / 4.0, 3.0 / 4.0, 3.0 / 4.0],
        after: [
            &[-1.0 / 6.0, 7.0 / 12.0, 7.0 / 12.0, 7.0 / 12.0, 7.0 / 12.0],
            &[-1.0 / 6.0, 7.0 / 12.0, 7.0 / 12.0, 7.0 / 12.0, 7.0 / 12.0],
            &[2.0 / 9.0, 35.0 / 144.0, 7.0 / 24.0, 245.0 / 576.0, 343.0 / 288.0],
        ],
    },
    BallLine {
        about: "5 balls, the clip matters twice",
        masses: &[1.0, 1.0, 1.0, 1.0, 1.0],
        before: &[3.0, 0.0, 1.0, 0.0, 1.0 / 4.0],
        restitution: &[9.0 / 10.0, 9.0 / 10.0, 9.0 / 10.0, 9.0 / 10.0],
        after: [
            &[3.0 / 20.0, 19.0 / 100.0, 13.0 / 32.0, 15979.0 / 16000.0, 40081.0 / 16000.0],
            &[-217.0 / 200.0, 233.0 / 200.0, 233.0 / 200.0, 601.0 / 400.0, 601.0 / 400.0],
            &[
                3.0 / 20.0,
                29697.0 / 160000.0,
                643673.0 / 1600000.0,
                1617527.0 / 1600000.0,
                400183.0 / 160000.0,
            ],
        ],
    },
];

fn in_line(line: &BallLine, law: ImpactLaw, expected: &[f64]) {
    let bodies = Bodies::in_line(line.masses, line.restitution, law);
    let still = vec![0.0; line.masses.len()];
    let relations = bodies.relations(line.before, &still);
    let impact = resolve_impact(&relations, line.restitution).expect("impulses");
    let about = format!("{} {law:?}", line.about);
    let after = bodies.after(line.before, &impact.impulses);
    assert_near(&after, expected, &about);
    let lost = bodies.kinetic(&after) - bodies.kinetic(line.before);
    assert_near(&[impact.energy], &[lost], &about);
}

#[test]
fn balls_in_a_line_by_the_law_of_moreau() {
    for line in LINES {
        in_line(line, ImpactLaw::Moreau, line.after[0]);
    }
}

#[test]
fn balls_in_a_line_by_the_law_of_poisson() {
    for line in LINES {
        in_line(line, ImpactLaw::Poisson, line.after[1]);
    }
}

#[test]
fn balls_in_a_line_pair_by_pair() {
    for line in LINES {
        in_line(line, ImpactLaw::Sequential, line.after[2]);
    }
}

/// Contacts without friction with this normal part of `W`.
fn frictionless(response: [[f64; 2]; 2], velocity: [f64; 2], restitution: f64) -> ImpactResult {
    let mut rows = vec![0.0; 16];
    for (i, row) in response.iter().enumerate() {
        row.iter().enumerate().for_each(|(j, w)| rows[8 * i + 2 * j] = *w);
    }
    let law = LawNumbers { restitution, ..LawNumbers::default() };
    let velocity = velocity.into_iter().flat_map(|u| [exact(u), exact(0.0)]).collect();
    let relations = Relations { response: rows, velocity, free: vec![exact(0.0); 4], laws: vec![law; 2] };
    resolve_impact(&relations, &[restitution; 2]).expect("impulses")
}

#[test]
fn a_disc_hits_two() {
    for (restitution, impulse, energy) in [(1.0, 0.8, 0.0), (0.5, 0.6, -0.3), (0.0, 0.4, -0.4)] {
        let impact = frictionless([[2.0, 0.5], [0.5, 2.0]], [-1.0; 2], restitution);
        assert_near(&impact.impulses, &[impulse, 0.0, impulse, 0.0], "a disc on two");
        assert_near(&[impact.energy], &[energy], "a disc on two");
    }
}

/// `b² m / J`, restitution, impulses at the corner that rests and at that which is hit, velocities after it.
const BLOCKS: &[(f64, f64, [f64; 2], [f64; 2])] = &[
    (3.0, 0.0, [1.0 / 6.0, 1.0 / 3.0], [0.0, 0.0]),
    (3.0, 1.0 / 2.0, [1.0 / 4.0, 1.0 / 2.0], [0.0, 1.0 / 2.0]),
    (2.0, 0.0, [1.0 / 8.0, 3.0 / 8.0], [0.0, 0.0]),
    (2.0, 1.0 / 2.0, [3.0 / 16.0, 9.0 / 16.0], [0.0, 1.0 / 2.0]),
    (1.0, 0.0, [0.0, 1.0 / 2.0], [0.0, 0.0]),
    (1.0, 1.0 / 2.0, [0.0, 3.0 / 4.0], [0.0, 1.0 / 2.0]),
    (1.0 / 2.0, 0.0, [0.0, 2.0 / 3.0], [1.0 / 3.0, 0.0]),
    (1.0 / 2.0, 1.0 / 2.0, [0.0, 1.0], [1.0 / 2.0, 1.0 / 2.0]),
];

#[test]
fn a_block_falls_on_a_corner_while_the_other_rests() {
    for &(k, restitution, [resting, hit], after) in BLOCKS {
        let impact = frictionless([[1.0 + k, 1.0 - k], [1.0 - k, 1.0 + k]], [0.0, -1.0], restitution);
        let about = format!("a block of {k} with {restitution}");
        assert_near(&impact.impulses, &[resting, 0.0, hit, 0.0], &about);
        assert_near(&[impact.velocity[0].value, impact.velocity[2].value], &after, &about);
    }
}

/// An impact with friction: `W` of normal, both, and tangent; velocities; restitution and friction; the
/// impulses and the energy by the laws of Smith and of Coulomb.
struct Oblique {
    about: &'static str,
    response: [f64; 3],
    velocity: [f64; 2],
    law: [f64; 2],
    smith: [f64; 3],
    coulomb: [f64; 3],
}

const OBLIQUE: &[Oblique] = &[
    Oblique {
        about: "disc slides through (mu 0.1)",
        response: [1.0, 0.0, 3.0],
        velocity: [-2.0, 3.0],
        law: [0.7, 0.1],
        smith: [3.4, -0.34, -1.8666],
        coulomb: [3.4, -0.34, -1.8666],
    },
    Oblique {
        about: "disc, inside the cone (mu 0.5)",
        response: [1.0, 0.0, 3.0],
        velocity: [-2.0, 3.0],
        law: [0.7, 0.5],
        smith: [3.4, -1.3426860441876562, -2.3438494126785234],
        coulomb: [3.4, -1.0, -2.52],
    },
    Oblique {
        about: "disc, inside the cone (mu 1)",
        response: [1.0, 0.0, 3.0],
        velocity: [-2.0, 3.0],
        law: [0.7, 1.0],
        smith: [3.4, -1.6, -1.98],
        coulomb: [3.4, -1.0, -2.52],
    },
    Oblique {
        about: "rod tip at 60 degrees, mu 0.3",
        response: [1.75, -1.299038105676658, 3.25],
        velocity: [-2.0, 1.0],
        law: [0.7, 0.3],
        smith: [2.0369222279944097, 0.12671983852580757, -0.6259155689190042],
        coulomb: [2.4377404735808357, 0.6666823898251593, -0.39798094716167104],
    },
    Oblique {
        about: "rod tip at 60 degrees, mu 0.8",
        response: [1.75, -1.299038105676658, 3.25],
        velocity: [-2.0, 1.0],
        law: [0.7, 0.8],
        smith: [2.07583605243447, 0.1791426215623628, -0.6329956788948786],
        coulomb: [2.4377404735808357, 0.6666823898251593, -0.39798094716167104],
    },
    Oblique {
        about: "rod tip at 60 degrees, slip away, mu 0.3",
        response: [1.75, -1.299038105676658, 3.25],
        velocity: [-2.0, -1.0],
        law: [0.7, 0.3],
        smith: [2.4994696561014185, 0.7498408968304255, -1.8033386426795974],
        coulomb: [2.4994696561014185, 0.7498408968304255, -1.8033386426795974],
    },
    Oblique {
        about: "rod tip, Newton with Coulomb gains energy",
        response: [1.9867755232736526, -1.4094682105279874, 3.0132244767263474],
        velocity: [-1.0, 0.69],
        law: [1.0, 0.5],
        smith: [1.014788983031159, 0.011463836256382138, -9.03906291429485e-05],
        coulomb: [1.2634789720470958, 0.3620153274992886, 0.12489528798725456],
    },
];

fn oblique(case: &Oblique, law: ImpactLaw, expected: [f64; 3]) {
    let ([nn, nt, tt], [restitution, mu]) = (case.response, case.law);
    let numbers = LawNumbers { restitution, friction: Some((mu, mu)), law, given: None };
    let relations = Relations {
        response: vec![nn, nt, nt, tt],
        velocity: case.velocity.map(exact).to_vec(),
        free: vec![exact(0.0); 2],
        laws: vec![numbers],
    };
    let impact = resolve_impact(&relations, &[restitution]).expect("impulses");
    let found = [impact.impulses[0], impact.impulses[1], impact.energy];
    assert_near(&found, &expected, &format!("{} {law:?}", case.about));
}

#[test]
fn oblique_impacts_by_the_law_of_smith() {
    for case in OBLIQUE {
        oblique(case, ImpactLaw::Smith, case.smith);
    }
}

/// One of them gains energy, as Newton's restitution with Coulomb's friction can.
#[test]
fn oblique_impacts_by_the_law_of_coulomb() {
    for case in OBLIQUE {
        oblique(case, ImpactLaw::Moreau, case.coulomb);
    }
}

/// A point on a rod has one direction to move in. If friction lets it slide neither on nor back, it cannot give back
/// what its restitution says: it stops.
#[test]
fn a_rod_that_jams_on_a_floor_stops() {
    let (across, along, speed) = (0.2, 1.0, -3.0);
    for (friction, stops) in [(0.1, false), (0.3, true)] {
        let relations = Relations {
            response: vec![across * across, across * along, across * along, along * along],
            velocity: vec![exact(across * speed), exact(along * speed)],
            free: vec![exact(0.0); 2],
            laws: vec![LawNumbers {
                restitution: 0.5,
                friction: Some((friction, friction)),
                ..LawNumbers::default()
            }],
        };
        let result = resolve_impact(&relations, &[0.5]).expect("impulses");
        let after = if stops { 0.0 } else { -0.5 * speed };
        assert_near(
            &[result.velocity[0].value, result.velocity[1].value],
            &[across * after, along * after],
            "a rod",
        );
        assert_eq!(result.remarks.contains(&ImpactRemark::GaveUpRestitution), stops, "{:?}", result.remarks);
        assert!(
            result.energy < 0.0 && result.impulses[1].abs() <= friction * result.impulses[0] * (1.0 + 1e-15)
        );
    }
}
