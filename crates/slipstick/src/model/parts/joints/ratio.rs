//! Gears, belts and racks: the coordinate of the second joint is that of the first times a ratio.

use crate::model::Setting;
use crate::model::parts::source::PartSource;
use crate::model::parts::term::Term;

/// A kind of joints between two joints.
pub(in crate::model::parts) struct RatioKind {
    /// The key that names it.
    pub(in crate::model::parts) word: &'static str,
    /// Further keys that it takes.
    pub(in crate::model::parts) keys: &'static [&'static str],
    /// What the coordinates of the two joints are; either if nothing is said.
    pub(in crate::model::parts) coordinates: Option<[&'static str; 2]>,
    /// What the coordinate of the second joint is for each unit of the first.
    pub(in crate::model::parts) ratio: fn(&mut PartSource, &Setting) -> Option<Term>,
}

pub(in crate::model::parts) const RATIO_KINDS: &[RatioKind] = &[
    RatioKind {
        word: "gear",
        keys: &["ratio"],
        coordinates: None,
        ratio: |source, part| source.amount_of(part, "ratio"),
    },
    RatioKind {
        word: "belt",
        keys: &["radii", "crossed"],
        coordinates: Some(["angle", "angle"]),
        ratio: |source, part| {
            let [first, second] = source.pair_of(part, "radii")?;
            let crossed = part.get("crossed").and_then(|value| source.keep(value.boolean())) == Some(true);
            let ratio = first.over(&second);
            Some(if crossed { -&ratio } else { ratio })
        },
    },
    RatioKind {
        word: "rack",
        keys: &["radius"],
        coordinates: Some(["angle", "position"]),
        ratio: |source, part| source.amount_of(part, "radius"),
    },
];
