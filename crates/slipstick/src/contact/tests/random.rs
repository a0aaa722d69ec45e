//! What holds for every impact, whatever bodies and contacts: tried on many that are drawn at random.

use super::{Bodies, assert_near};
use crate::contact::{ImpactResult, LawNumbers, resolve_impact};
use crate::model::ImpactLaw;
use proptest::prelude::*;

/// How many impacts are drawn for each property, unless `PROPTEST_CASES` asks for more.
const DRAWN: u32 = 2500;

fn drawn() -> u32 {
    ProptestConfig::default().cases.max(DRAWN)
}

/// Rounding of an impact: contacts that nearly say the same magnify it.
const ROUNDING: f64 = 1e-9;

/// A ball of a chain: its mass, its velocity, and the restitution of the contact with the next one.
type Drawn = Vec<(f64, f64, f64)>;

fn chains() -> impl Strategy<Value = Drawn> {
    let velocity = prop_oneof![3 => -2.0..2.0_f64, 1 => (-2_i32..3).prop_map(f64::from)];
    let restitution = prop_oneof![3 => 0.0..=1.0_f64, 1 => Just(0.0), 1 => Just(1.0)];
    prop::collection::vec((0.1..10.0_f64, velocity, restitution), 2..6)
}

/// The chain as bodies and velocities.
fn chain(drawn: &Drawn, law: ImpactLaw) -> (Bodies, Vec<f64>) {
    let masses: Vec<f64> = drawn.iter().map(|ball| ball.0).collect();
    let restitution: Vec<f64> = drawn[1..].iter().map(|ball| ball.2).collect();
    (Bodies::in_line(&masses, &restitution, law), drawn.iter().map(|ball| ball.1).collect())
}

fn impact(bodies: &Bodies, velocities: &[f64]) -> ImpactResult {
    let relations = bodies.relations(velocities, &vec![0.0; velocities.len()]);
    resolve_impact(&relations, &bodies.restitution()).expect("impulses")
}

fn after(bodies: &Bodies, velocities: &[f64]) -> Vec<f64> {
    bodies.after(velocities, &impact(bodies, velocities).impulses)
}

fn momentum(bodies: &Bodies, velocities: &[f64]) -> f64 {
    velocities.iter().zip(&bodies.masses).map(|(v, m)| m * v).sum()
}

/// A body in the plane that hits with two corners: mass, half width, half height, velocities, restitution,
/// friction.
type DrawnBlock = (f64, f64, f64, [f64; 3], f64, f64);

fn blocks() -> impl Strategy<Value = DrawnBlock> {
    let velocity = [-2.0..2.0_f64, -2.0..-0.01_f64, -2.0..2.0_f64];
    (0.1..10.0_f64, 0.1..2.0_f64, 0.1..2.0_f64, velocity, 0.0..=1.0_f64, 0.0..0.5_f64)
}

/// The block with its corners in this order, seen in a mirror or not.
fn block(drawn: &DrawnBlock, friction: bool, sides: [f64; 2]) -> Bodies {
    let (mass, b, h, _, restitution, mu) = *drawn;
    let corner = |side: f64| [vec![0.0, 1.0, side * b], vec![1.0, 0.0, h]];
    let rows = sides.map(|side| {
        let [normal, tangent] = corner(side);
        [normal, if friction { tangent } else { vec![0.0; 3] }]
    });
    let friction = friction.then_some((mu, mu));
    let law = LawNumbers { restitution, friction, law: ImpactLaw::Moreau, given: None };
    let inertia = mass * (b * b + h * h) / 3.0;
    Bodies { masses: vec![mass, mass, inertia], rows: rows.to_vec(), laws: vec![law; 2] }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: drawn(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn momentum_is_kept_and_energy_is_not_gained(drawn in chains()) {
        for law in [ImpactLaw::Moreau, ImpactLaw::Poisson, ImpactLaw::Sequential] {
            let (bodies, before) = chain(&drawn, law);
            let impact = impact(&bodies, &before);
            let after = bodies.after(&before, &impact.impulses);
            let size: f64 = before.iter().zip(&bodies.masses).map(|(v, m)| (m * v).abs()).sum();
            prop_assert!((momentum(&bodies, &after) - momentum(&bodies, &before)).abs() <= ROUNDING * size);
            let (old, new) = (bodies.kinetic(&before), bodies.kinetic(&after));
            prop_assert!(new <= old * (1.0 + ROUNDING), "{law:?} {old} {new}");
            prop_assert!((new - old - impact.energy).abs() <= ROUNDING * old, "{law:?}");
            let approach = after.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::min);
            prop_assert!(approach >= -ROUNDING * size, "{law:?} {after:?}");
        }
    }

    #[test]
    fn a_mirror_image_and_units_do_not_matter(drawn in chains(), power in -9_i32..=9) {
        let (bodies, before) = chain(&drawn, ImpactLaw::Moreau);
        let expected = after(&bodies, &before);
        let mut mirrored = Bodies {
            masses: bodies.masses.iter().rev().copied().collect(),
            rows: Vec::new(),
            laws: bodies.laws.iter().rev().copied().collect(),
        };
        mirrored.rows = Bodies::in_line(&mirrored.masses, &mirrored.restitution(), ImpactLaw::Moreau).rows;
        let turned: Vec<f64> = before.iter().rev().map(|v| -v).collect();
        let back: Vec<f64> = after(&mirrored, &turned).iter().rev().map(|v| -v).collect();
        let unit = 10_f64.powi(power);
        let scaled = Bodies {
            masses: bodies.masses.iter().map(|m| m * unit).collect(),
            rows: bodies.rows.clone(),
            laws: bodies.laws.clone(),
        };
        let faster: Vec<f64> = before.iter().map(|v| v / unit).collect();
        let slower: Vec<f64> = after(&scaled, &faster).iter().map(|v| v * unit).collect();
        for (other, what) in [(back, "mirrored"), (slower, "in other units")] {
            let near = other.iter().zip(&expected).all(|(a, b)| (a - b).abs() <= ROUNDING * 10.0);
            prop_assert!(near, "{what}: {other:?} instead of {expected:?}");
        }
    }

    #[test]
    fn the_order_of_contacts_does_not_matter(drawn in blocks(), friction in any::<bool>()) {
        let (velocity, other) = (drawn.3, block(&drawn, friction, [1.0, -1.0]));
        let one = block(&drawn, friction, [-1.0, 1.0]);
        assert_near(&after(&one, &velocity), &after(&other, &velocity), "corners the other way round");
    }

    #[test]
    fn a_block_in_a_mirror_falls_as_its_image_does(drawn in blocks(), friction in any::<bool>()) {
        let bodies = block(&drawn, friction, [-1.0, 1.0]);
        let [x, y, spin] = drawn.3;
        let expected = after(&bodies, &[x, y, spin]);
        let image = after(&bodies, &[-x, y, -spin]);
        assert_near(&[-image[0], image[1], -image[2]], &expected, "a mirror image");
    }
}
