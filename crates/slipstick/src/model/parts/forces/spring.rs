//! Springs and dampers, between two points or along the coordinate of a joint.

use super::{ForceKind, ForceReader};
use crate::expr::Dimension;
use crate::model::parts::bodies::Pose;
use crate::model::parts::joints::{Ends, rate_along};
use crate::model::parts::term::{Term, length, origin};

pub(super) const SPRING: ForceKind = ForceKind {
    word: "spring",
    keys: &["stiffness", "rest", "damping", "preload"],
    lower: |reader| {
        let stretch = SpringStretch::of(reader)?;
        store(reader, &stretch)?;
        if reader.part.get("damping").is_some() { damp(reader, &stretch) } else { Some(()) }
    },
};

pub(super) const DAMPER: ForceKind = ForceKind {
    word: "damper",
    keys: &["damping"],
    lower: |reader| {
        let stretch = SpringStretch::of(reader)?;
        damp(reader, &stretch)
    },
};

/// What is stretched: the distance of two points, or the coordinate of a joint.
struct SpringStretch {
    now: Term,
    drawn: Term,
    /// How fast it changes.
    rate: Term,
    /// What a force along it does to each coordinate of bodies.
    gradient: Vec<(String, Term)>,
    /// What it is measured in, its rate, and the force along it.
    dimensions: [Dimension; 3],
}

impl SpringStretch {
    fn of(reader: &mut ForceReader<'_>) -> Option<Self> {
        if reader.value.is_list() { Self::of_points(reader) } else { Self::of_joint(reader) }
    }

    fn of_points(reader: &mut ForceReader<'_>) -> Option<Self> {
        let [first, second] = reader.places()?;
        let ends =
            Ends { bodies: reader.bodies, first, second, axis: origin(), is_mirrored: false, track: None };
        let between = ends.between(Pose::Moving);
        let through = [&ends.first, &ends.second].map(|end| ends.bodies.position(end, Pose::Moving));
        reader.lowered.springs.push((reader.name.to_owned(), through));
        let now = length(&between);
        let direction = between.map(|part| part.over(&now));
        let gradient = ends.slope_along(&direction, false);
        let dimensions = [Dimension::LENGTH, Dimension::VELOCITY, Dimension::FORCE];
        let drawn = length(&ends.between(Pose::Drawn));
        Some(Self { now, drawn, rate: rate_along(&gradient), gradient, dimensions })
    }

    fn of_joint(reader: &mut ForceReader<'_>) -> Option<Self> {
        let joint = reader.joint()?;
        let coordinate = joint.coordinate()?;
        Some(Self {
            now: joint.value(coordinate, Pose::Moving),
            drawn: joint.value(coordinate, Pose::Drawn),
            rate: joint.velocity(coordinate),
            gradient: joint.push(coordinate, &Term::one()),
            dimensions: coordinate.dimensions()?,
        })
    }
}

/// The energy of a spring: it rests as drawn if nothing else is said, and a preload pulls together.
fn store(reader: &mut ForceReader<'_>, stretch: &SpringStretch) -> Option<()> {
    let span = reader.span();
    let [of_length, _, of_force] = stretch.dimensions;
    let stiffness = reader.needed_as("stiffness", "100", of_force.per(of_length))?;
    let mut amount =
        |key, dimension| reader.part.get(key).map(|value| reader.source.amount_as(value, Some(dimension)));
    let (rest, preload) = (amount("rest", of_length), amount("preload", of_force));
    let rest = match rest {
        Some(rest) => rest,
        None => reader.lowered.fixed(&format!("force.{}.rest", reader.name), stretch.drawn.clone(), &span),
    };
    let stretched = (&stretch.now - &rest).squared();
    reader.lowered.potential.push(&(&Term::number(0.5) * &stiffness) * &stretched);
    if let Some(preload) = preload {
        reader.lowered.potential.push(&preload * &stretch.now);
    }
    Some(())
}

/// A force against the rate.
fn damp(reader: &mut ForceReader<'_>, stretch: &SpringStretch) -> Option<()> {
    let [_, of_rate, of_force] = stretch.dimensions;
    let damping = reader.needed_as("damping", "1", of_force.per(of_rate))?;
    let force = -&(&damping * &stretch.rate);
    let forces = stretch.gradient.iter().map(|(name, slope)| (name.clone(), slope * &force));
    let span = reader.span();
    reader.lowered.push(forces, &span);
    Some(())
}
