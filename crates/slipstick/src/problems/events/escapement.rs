//! A verge escapement: a crown wheel of 15 teeth, and a verge with two pallets that it strikes in turn; 30
//! guards.
//!
//! The wheel (1e-5 kg m², pitch radius 30 mm) is driven by 1 mN m and turns by φ; the verge (2e-6 kg m²)
//! swings freely by θ, its pallets 12 mm from its axis. Teeth stand 12.6 mm apart along the pitch circle,
//! unrolled here for one turn. At the upper pallet tooth k is at x = rφ - 12.6 mm k and the pallet at pθ; at
//! the lower one the tooth is half a tooth behind, and the pallet at -pθ. A guard is the gap s pθ - x
//! (s = ±1) between a tooth and a pallet. When it closes with x below 1.5 mm, it is opened again at half the
//! speed: the impulse P acts on the wheel with -r and on the verge with s p. Behind that the tooth has
//! escaped and passes below the pallet: the guard fires, and nothing changes.
//!
//! The wheel starts at φ = -0.05 and the verge at θ = 0.1, both at rest. In 2.7 s there are 40 impacts and 28
//! passages, and every tooth strikes both pallets. Truth: between impacts φ is quadratic and θ linear in
//! time; roots in 60 digits. An error at the start is 550 times as large in the time of the last event, and
//! 130 000 times in the speed of the verge.

use super::{Bounds, EventProblem, Expected};
use crate::equations::{ClosureGuard, ClosureSystem};

const WHEEL: f64 = 1e-5;
const VERGE: f64 = 2e-6;
const TORQUE: f64 = 1e-3;
const RADIUS: f64 = 0.03;
const PALLET: f64 = 0.012;
const PITCH: f64 = 0.0126;
const ESCAPE: f64 = 0.0015;
const RESTITUTION: f64 = 0.5;

pub(super) fn escapement() -> EventProblem {
    let mut system = ClosureSystem::new(["phi", "theta", "wheel", "verge"], |_, y, dy| {
        dy.copy_from_slice(&[y[2], y[3], TORQUE / WHEEL, 0.0]);
    });
    for (name, side, shift) in [("upper", 1.0, 0.0), ("lower", -1.0, 0.5)] {
        for tooth in 0_u8..15 {
            system = system.guard(impact(&format!("{name}{tooth}"), side, f64::from(tooth) + shift));
        }
    }
    let expected = CLOSINGS.iter().map(|&(t, guard)| Expected::at(t, guard)).collect();
    let start = [-0.05, 0.1, 0.0, 0.0];
    let problem = EventProblem::new("verge-escapement", "roots in 60 digits", system, start, 2.7);
    // Rounding of 1e-16, magnified as the head of this file says, with a reserve of 100.
    problem.truth(expected, END, Bounds { time: 1e-11, ..Bounds::all(1e-9) })
}

/// The impact of a tooth on the pallet of one side, if it has not escaped from it.
fn impact(name: &str, side: f64, tooth: f64) -> ClosureGuard {
    let place = move |y: &[f64]| RADIUS * y[0] - PITCH * tooth;
    let gap = move |_: f64, y: &[f64]| side * PALLET * y[1] - place(y);
    ClosureGuard::falling(name, gap).reset(move |_, before, after| {
        if place(before) >= ESCAPE {
            return;
        }
        let closing = side * PALLET * before[3] - RADIUS * before[2];
        let impulse = -(1.0 + RESTITUTION) * closing / (PALLET * PALLET / VERGE + RADIUS * RADIUS / WHEEL);
        after[2] = before[2] - RADIUS * impulse / WHEEL;
        after[3] = before[3] + side * PALLET * impulse / VERGE;
    })
}

const END: [f64; 4] = [5.925904978451641, 0.18581343350054916, 1.304964639261272, 2.338432911139246];

const CLOSINGS: [(f64, usize); 68] = [
    (0.042426406871192854, 0),
    (0.06911943604181976, 15),
    (0.09504296984803076, 0),
    (0.13116780427177405, 15),
    (0.1621919883867512, 15),
    (0.17014044458446548, 1),
    (0.2521721314459194, 16),
    (0.2652765340809544, 1),
    (0.3286499459025424, 2),
    (0.34949290200362854, 16),
    (0.41206896254574876, 17),
    (0.4332537098626705, 2),
    (0.49372280053848355, 3),
    (0.5181200520060959, 17),
    (0.5779806821206284, 18),
    (0.6004347910758996, 3),
    (0.6603245235604939, 4),
    (0.6860038316763666, 18),
    (0.7452323388090407, 19),
    (0.7673142152385937, 4),
    (0.82719529537803, 5),
    (0.8539734581312746, 19),
    (0.9129080403043299, 20),
    (0.9338739694696113, 5),
    (0.993964000994342, 6),
    (1.0222612730981768, 20),
    (1.0808857633943705, 21),
    (1.0999597509355359, 6),
    (1.1604425050180944, 7),
    (1.1910783852268003, 21),
    (1.2492573743191209, 22),
    (1.2652866433715122, 7),
    (1.3264279209940362, 8),
    (1.3607169556346583, 22),
    (1.4049922841722275, 22),
    (1.427129948441012, 22),
    (1.4381071277046342, 8),
    (1.4890855011953616, 8),
    (1.5145746879407254, 8),
    (1.5164976498804776, 23),
    (1.6041895900816534, 23),
    (1.607808923830684, 9),
    (1.6710109363302896, 24),
    (1.7116166236899684, 9),
    (1.7538358930402649, 9),
    (1.7750304340765402, 24),
    (1.8242933542477777, 24),
    (1.8315918774259523, 10),
    (1.9057113056932735, 25),
    (1.9296465410084584, 10),
    (1.9911293375406736, 11),
    (1.999644687167149, 25),
    (2.0647525508010665, 26),
    (2.1008211150315734, 11),
    (2.1584939642671253, 12),
    (2.1635485362862013, 26),
    (2.2277480145142845, 27),
    (2.2730017726486067, 12),
    (2.32042561566374, 12),
    (2.334367223815196, 27),
    (2.3843220435013563, 27),
    (2.3967160072982368, 13),
    (2.46470904475318, 28),
    (2.4983274713319576, 13),
    (2.5547940375379103, 28),
    (2.5578744576131784, 14),
    (2.621859468033666, 29),
    (2.672178006316558, 14),
];
