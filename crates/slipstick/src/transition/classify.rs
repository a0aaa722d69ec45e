//! How a motion goes on where it stands on switching surfaces (rule 19): to a side of each, or along it.
//!
//! A choice of sides is consistent if, with those sides locked, the motion of each surface is decided on its
//! own side; a choice to slide is consistent if the weights are between 0 and 1. First derivatives decide
//! nearly always; where they do not, the first significant coefficient of the motion does.

use super::settle::{Settlement, Way, fixed, settle};
use crate::formulation::{Flow, Sliding};

/// Where the motion takes the value of a guard from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heading {
    /// To positive values.
    Up,
    /// To negative values.
    Down,
    /// It stays at zero, as far as its motion can be told from rounding.
    Stays,
}

impl Heading {
    /// Whether a motion that is locked to the side of this sign stays on it.
    fn keeps(self, sign: f64) -> bool {
        match self {
            Self::Up => sign > 0.0,
            Self::Down => sign < 0.0,
            Self::Stays => true,
        }
    }
}

/// What finds headings: the motion of a form, with its mode to be locked.
pub trait Motions<'a> {
    /// The form whose mode is locked to try a side.
    fn flow(&mut self) -> &mut Flow<'a>;
    /// Where the value of a guard goes from here, in the mode that is locked.
    fn heading(&mut self, guard: usize) -> Heading;
    /// Whether a mixture of the fields goes on along the only surface, which both of them lead to.
    fn can_slide(&mut self, sliding: &Sliding) -> bool;
}

/// What is known of the motion at a surface before it is classified.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Incoming {
    /// The sign of the side that the motion is going to, 0 where it slides.
    pub side: f64,
    /// Whether an exit has fired: the motion leaves the surface to that side (rule 20).
    pub leaves: bool,
}

/// How the motion goes on at all surfaces that meet.
#[derive(Clone, Debug, PartialEq)]
pub struct Classified {
    /// One way for each surface.
    pub ways: Vec<Way>,
    /// Whether no other choice is consistent.
    pub unique: bool,
    /// Whether the motion stays where the surfaces meet because no way leads away from there, although rates
    /// alone do not hold it on all of them.
    pub in_corner: bool,
}

impl Classified {
    fn sure(ways: Vec<Way>) -> Self {
        Self { ways, unique: true, in_corner: false }
    }

    fn of(settled: Settlement) -> Self {
        Self { ways: settled.ways, unique: settled.unique, in_corner: false }
    }
}

/// Finds how the motion goes on at surfaces whose fields have been evaluated. None if no choice is
/// consistent. The mode is locked as before afterwards, apart from the signs of these surfaces.
///
/// Where exits have fired, their own motion has decided: those surfaces are left and the others are slid on,
/// unless the rates contradict.
pub fn classify(
    motions: &mut dyn Motions<'_>,
    sliding: &mut Sliding,
    incoming: &[Incoming],
) -> Option<Classified> {
    let wanted: Vec<f64> = incoming.iter().map(|one| one.side).collect();
    if incoming.iter().any(|one| one.leaves) {
        let ways: Vec<Way> = wanted.iter().copied().map(go_on).collect();
        if follows(sliding, &ways) {
            return Some(Classified::sure(ways));
        }
    }
    let settled = settle(sliding, &wanted);
    if settled.found && !sliding.is_tangent(&settled.fixed()) {
        return Some(Classified::of(settled));
    }
    if wanted.len() == 1 {
        return Some(classify_one(motions, sliding, wanted[0]));
    }
    let by_motion = (!sliding.adds_up()).then(|| choose_sides(motions, sliding, &wanted)).flatten();
    let by_rates = || settled.found.then(|| Classified::of(settled));
    by_motion.or_else(by_rates).or_else(|| stay_in_corner(sliding, wanted.len()))
}

fn go_on(side: f64) -> Way {
    if side == 0.0 { Way::Along } else { Way::Side(side) }
}

/// Whether rates do not contradict a choice by more than their rounding.
fn follows(sliding: &mut Sliding, ways: &[Way]) -> bool {
    let fixed = fixed(ways);
    if !sliding.find_weights(&fixed) || !sliding.is_convex() {
        return false;
    }
    ways.iter().enumerate().all(|(i, way)| match way {
        Way::Side(side) => {
            side * sliding.weighted_rate(i) >= -sliding.rounding(i) && !sliding.is_bound(i, &fixed)
        }
        Way::Along => (0.0..=1.0).contains(&sliding.weights()[i]),
    })
}

/// No way leads away, and a mixture keeps the motion on all surfaces, those included whose rates do not
/// depend on the side.
fn stay_in_corner(sliding: &mut Sliding, count: usize) -> Option<Classified> {
    let corner = || Classified { ways: vec![Way::Along; count], unique: true, in_corner: true };
    sliding.can_stay_on_all().then(corner)
}

/// One surface: both of its sides are asked.
fn classify_one(motions: &mut dyn Motions<'_>, sliding: &Sliding, wanted: f64) -> Classified {
    let [below, above] = [0, 1].map(|side| {
        sliding.set_side(side, &mut motions.flow().mode);
        motions.heading(sliding.surfaces()[0].guard)
    });
    let sure = |way| Classified::sure(vec![way]);
    match (below.keeps(-1.0), above.keeps(1.0)) {
        (false, false) if motions.can_slide(sliding) => sure(Way::Along),
        // Each side sends the motion to the other without end.
        (false, false) => sure(Way::Side(if wanted == 0.0 { -1.0 } else { wanted })),
        (true, false) => sure(Way::Side(-1.0)),
        (false, true) => sure(Way::Side(1.0)),
        // A field that runs along the surface is the same motion on both sides.
        (true, true) => {
            let unique = below == Heading::Stays || above == Heading::Stays;
            let sign = if wanted == 0.0 { side_without_want(below) } else { wanted };
            Classified { unique, ..sure(Way::Side(sign)) }
        }
    }
}

/// The side to leave a surface to that was slid on, where both lead away.
fn side_without_want(below: Heading) -> f64 {
    if below == Heading::Stays { 1.0 } else { -1.0 }
}

/// Several surfaces: of all choices of sides that the motion keeps to, the one with the fewest changes.
fn choose_sides(motions: &mut dyn Motions<'_>, sliding: &Sliding, wanted: &[f64]) -> Option<Classified> {
    let count = wanted.len();
    let mut best: Option<(usize, usize)> = None;
    let mut found = 0;
    for side in 0..1_usize << count {
        sliding.set_side(side, &mut motions.flow().mode);
        let keeps = (0..count).all(|i| motions.heading(sliding.surfaces()[i].guard).keeps(sign_of(side, i)));
        if !keeps {
            continue;
        }
        found += 1;
        let changes = (0..count).filter(|&i| wanted[i] != sign_of(side, i)).count();
        if best.is_none_or(|(_, fewest)| changes < fewest) {
            best = Some((side, changes));
        }
    }
    let (side, _) = best?;
    let ways = (0..count).map(|i| Way::Side(sign_of(side, i))).collect();
    Some(Classified { unique: found == 1, ..Classified::sure(ways) })
}

fn sign_of(side: usize, surface: usize) -> f64 {
    if side >> surface & 1 == 1 { 1.0 } else { -1.0 }
}
