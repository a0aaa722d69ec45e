//! How a motion goes on where it stands on switching surfaces (rule 19): to a side of each, or along it.
//!
//! A choice of sides is consistent if, with those sides locked, the motion of each surface is decided on its own side; a choice to slide
//! is consistent if the weights are between 0 and 1. First derivatives decide nearly always; where they do not, the first significant
//! coefficient of the motion does.

use crate::event::{Settlement, Way, settle};
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
}

/// How the motion goes on at all surfaces that meet.
#[derive(Clone, Debug, PartialEq)]
pub struct Classified {
    /// One way for each surface.
    pub ways: Vec<Way>,
    /// Whether no other choice is consistent.
    pub unique: bool,
}

/// Finds how the motion goes on at surfaces whose fields have been evaluated. `wanted` is the side that the motion is going to at each, 0 where it slides.
/// None if no choice is consistent. The mode is locked as before afterwards, apart from the signs of these surfaces.
pub fn classify(motions: &mut dyn Motions<'_>, sliding: &mut Sliding, wanted: &[f64]) -> Option<Classified> {
    if wanted.len() == 1 {
        return Some(classify_one(motions, sliding, wanted[0]));
    }
    let settled = settle(sliding, wanted);
    if settled.found && !sliding.is_tangent(&settled.fixed()) {
        return Some(Classified { ways: settled.ways, unique: settled.unique });
    }
    let by_motion = (!sliding.adds_up()).then(|| choose_sides(motions, sliding, wanted)).flatten();
    by_motion.or_else(|| settled.found.then(|| known(settled)))
}

fn known(settled: Settlement) -> Classified {
    Classified { ways: settled.ways, unique: settled.unique }
}

/// One surface: both of its sides are asked.
fn classify_one(motions: &mut dyn Motions<'_>, sliding: &Sliding, wanted: f64) -> Classified {
    let [below, above] = [0, 1].map(|side| {
        sliding.set_side(side, &mut motions.flow().mode);
        motions.heading(sliding.surfaces()[0].guard)
    });
    let sure = |way| Classified { ways: vec![way], unique: true };
    match (below.keeps(-1.0), above.keeps(1.0)) {
        (false, false) => sure(Way::Along),
        (true, false) => sure(Way::Side(-1.0)),
        (false, true) => sure(Way::Side(1.0)),
        // A field that runs along the surface is the same motion on both sides.
        (true, true) => {
            let unique = below == Heading::Stays || above == Heading::Stays;
            let sign = if wanted == 0.0 { side_without_want(below) } else { wanted };
            Classified { ways: vec![Way::Side(sign)], unique }
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
    Some(Classified { ways: (0..count).map(|i| Way::Side(sign_of(side, i))).collect(), unique: found == 1 })
}

fn sign_of(side: usize, surface: usize) -> f64 {
    if side >> surface & 1 == 1 { 1.0 } else { -1.0 }
}
