//! What happens where a motion meets switching surfaces: it crosses them, slides on some, or leaves (paper
//! 002, section 3.3).
//!
//! On each surface there are three ways to go on: to the positive side, to the negative side, or along the
//! surface. A choice for all surfaces is consistent if the motion that it makes goes to those sides and has
//! weights between 0 and 1 where it slides. Of the consistent choices the one with the fewest surfaces to
//! slide on is taken: on one surface that is crossing where both fields go the same way, and sliding where
//! both go towards it. Where both go away from it there are several, and the one that goes on as before is
//! taken.

use crate::formulation::{FilippovCombination, SideRates};

/// A spiral around two surfaces grows or shrinks if one turn changes its size by more than this part: less
/// may be rounding of the fields.
const GROWS: f64 = 1e-9;

/// How a motion goes on at one surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Way {
    /// To the side with this sign.
    Side(f64),
    /// Along the surface.
    Along,
}

/// How a motion goes on at all surfaces that meet.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Settlement {
    /// One way for each surface.
    pub ways: Vec<Way>,
    /// Whether a consistent choice was found. Where a field runs along a surface exactly, there may be none;
    /// then the motion goes on as before.
    pub found: bool,
    /// Whether no other choice with as few surfaces to slide on is consistent.
    pub unique: bool,
}

impl Settlement {
    /// The weight of each surface that the motion does not go along.
    pub(super) fn fixed(&self) -> Vec<Option<f64>> {
        fixed(&self.ways)
    }
}

/// Finds how a motion goes on; the fields must have been evaluated. `wanted` is the side that the motion is
/// going to, 0 where there is none.
pub(super) fn settle(combination: &mut FilippovCombination, wanted: &[f64]) -> Settlement {
    if combination.sides().add_up() {
        return settle_many(combination, wanted);
    }
    let k = wanted.len();
    let mut best: Option<(usize, usize, Vec<Way>)> = None;
    let mut ties = 0;
    for code in 0..3_usize.pow(u32::try_from(k).unwrap_or(0)) {
        let ways = ways_of(code, k);
        if !is_consistent(combination, &ways) {
            continue;
        }
        let along = ways.iter().filter(|way| **way == Way::Along).count();
        let against = ways.iter().zip(wanted).filter(|(way, wanted)| **way != Way::Side(**wanted)).count();
        match &best {
            Some((fewest, _, _)) if along > *fewest => continue,
            Some((fewest, least, _)) if along == *fewest => {
                ties += 1;
                if against >= *least {
                    continue;
                }
            }
            _ => ties = 0,
        }
        best = Some((along, against, ways));
    }
    let found = best.is_some();
    let ways = best.map_or_else(|| wanted.iter().copied().map(go_on).collect(), |(_, _, ways)| ways);
    Settlement { ways, found, unique: ties == 0 }
}

/// How many surfaces there can be is not limited where fields add up, but the choices are too many to try.
/// Begins with all attractive surfaces slid on, lets go those whose weights are not between 0 and 1, and
/// takes up again those that come back, until the choice is consistent.
fn settle_many(combination: &mut FilippovCombination, wanted: &[f64]) -> Settlement {
    let mut ways: Vec<Way> =
        wanted.iter().enumerate().map(|(i, wanted)| first_guess(combination, i, *wanted)).collect();
    for _ in 0..4 * wanted.len() {
        if is_consistent(combination, &ways) {
            return Settlement { ways, found: true, unique: true };
        }
        for (i, way) in ways.iter_mut().enumerate() {
            let weight = combination.weights()[i];
            *way = match *way {
                Way::Along if weight > 1.0 => Way::Side(1.0),
                Way::Along if weight < 0.0 => Way::Side(-1.0),
                Way::Side(side) if combination.combined_rate(i) * side <= 0.0 => Way::Along,
                same => same,
            };
        }
    }
    Settlement { ways: wanted.iter().copied().map(go_on).collect(), found: false, unique: true }
}

/// Along a surface whose own sign pushes back to it; else to the side that the motion is going to.
fn first_guess(combination: &FilippovCombination, surface: usize, wanted: f64) -> Way {
    match combination.push(surface, surface) {
        push if push < 0.0 => Way::Along,
        _ if wanted != 0.0 => Way::Side(wanted),
        _ => Way::Side(if combination.combined_rate(surface) < 0.0 { -1.0 } else { 1.0 }),
    }
}

/// The way to go on as before.
fn go_on(wanted: f64) -> Way {
    if wanted == 0.0 { Way::Along } else { Way::Side(wanted) }
}

fn ways_of(code: usize, k: usize) -> Vec<Way> {
    let digit = |i: usize| code / 3_usize.pow(u32::try_from(i).unwrap_or(0)) % 3;
    let way = |i| [Way::Side(-1.0), Way::Side(1.0), Way::Along][digit(i)];
    (0..k).map(way).collect()
}

/// The weight of each surface that the motion does not go along.
pub fn fixed(ways: &[Way]) -> Vec<Option<f64>> {
    let weight = |way: &Way| match way {
        Way::Side(sign) => Some(if *sign > 0.0 { 1.0 } else { 0.0 }),
        Way::Along => None,
    };
    ways.iter().map(weight).collect()
}

/// Whether motions around the point where two surfaces meet go round and round and away from it; the fields
/// must have been evaluated. One that stands there exactly can stay, but nothing keeps it.
///
/// Next to the point the rates are constant on each of the four sides. A motion that comes to a side at some
/// distance leaves it at a distance that differs by the ratio of the rates.
pub fn spirals_out(rates: &SideRates) -> bool {
    let turn = |side: usize| {
        let sign = |i: usize| if side >> i & 1 == 1 { 1.0 } else { -1.0 };
        (sign(0) * rates.rate(0, side), sign(1) * rates.rate(1, side))
    };
    let turns = [0, 1, 2, 3].map(turn);
    // From the first surface towards the second on two of the sides, back on the others: always to the left,
    // or always to the right.
    let ahead = |k: usize, (a, b): (f64, f64)| if k == 0 || k == 3 { (a, b) } else { (b, a) };
    let left = (0..4).map(|k| ahead(k, turns[k]));
    let is_left = left.clone().all(|(a, b)| a < 0.0 && b > 0.0);
    let is_right = left.clone().all(|(a, b)| a > 0.0 && b < 0.0);
    let growth: f64 = left.map(|(a, b)| b.abs() / a.abs()).product();
    (is_left && growth > 1.0 + GROWS) || (is_right && growth < 1.0 - GROWS)
}

fn is_consistent(combination: &mut FilippovCombination, ways: &[Way]) -> bool {
    let fixed = fixed(ways);
    if !combination.find_weights(&fixed) || !combination.is_convex() {
        return false;
    }
    ways.iter().enumerate().all(|(i, way)| match way {
        Way::Side(sign) => combination.combined_rate(i) * sign > 0.0 && !combination.is_bound(i, &fixed),
        Way::Along => (0.0..=1.0).contains(&combination.weights()[i]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How a motion goes on at one surface with these rates below and above it, if it was going to a side.
    fn at_one(rates: [f64; 2], wanted: f64) -> Settlement {
        settle(&mut FilippovCombination::of_rates(&[&rates], true), &[wanted])
    }

    #[test]
    fn a_motion_crosses_slides_or_goes_on_as_before() {
        let settled = at_one([1.0, 2.0], 1.0);
        assert_eq!((settled.ways, settled.unique), (vec![Way::Side(1.0)], true));
        assert_eq!(at_one([1.0, -2.0], 1.0).ways, [Way::Along]);
        let away = at_one([-1.0, 2.0], -1.0);
        assert_eq!((away.ways, away.found, away.unique), (vec![Way::Side(-1.0)], true, false));
        assert!(!at_one([0.0, 0.0], 1.0).found, "the field runs along the surface");
    }

    #[test]
    fn a_motion_that_turns_round_a_corner_comes_nearer_or_goes_away() {
        // Rates of the two surfaces on the sides (-, -), (+, -), (-, +) and (+, +): always to the left.
        let rates = |out: f64| [[out, 1.0, -1.0, -out], [-1.0, out, -out, 1.0]];
        let spirals = |out: f64| {
            let [first, second] = rates(out);
            spirals_out(&FilippovCombination::of_rates(&[&first, &second], false).rates)
        };
        assert_ne!(spirals(2.0), spirals(0.5));
        assert!(!spirals(1.0), "it goes round for ever");
    }
}
