//! Springs and dampers, between two points or along the coordinate of a joint.

use super::{ForceKind, ForceReader};
use crate::model::parts::bodies::{Place, Pose};
use crate::model::parts::term::{Term, dot, length, minus, scaled};

pub(super) const SPRING: ForceKind = ForceKind {
    word: "spring",
    keys: &["stiffness", "rest", "damping", "preload"],
    lower: |reader| if reader.value.is_list() { between_points(reader) } else { along_joint(reader) },
};

pub(super) const DAMPER: ForceKind = ForceKind {
    word: "damper",
    keys: &["damping"],
    lower: |reader| {
        reader.needed("damping", "\"1 N*s/m\"")?;
        if reader.value.is_list() {
            let places = reader.places()?;
            damp_points(reader, &places)
        } else {
            damp_joint(reader)
        }
    },
};

fn between_points(reader: &mut ForceReader<'_>) -> Option<()> {
    let places = reader.places()?;
    let stiffness = reader.needed("stiffness", "\"100 N/m\"")?;
    let distance = |pose| {
        let [first, second] = [0, 1].map(|i| reader.bodies.position(&places[i], pose));
        length(&minus(&second, &first))
    };
    let (now, drawn) = (distance(Pose::Moving), distance(Pose::Drawn));
    store(reader, &stiffness, (&now, drawn));
    if reader.part.get("damping").is_some() {
        damp_points(reader, &places)?;
    }
    Some(())
}

fn along_joint(reader: &mut ForceReader<'_>) -> Option<()> {
    let joint = reader.joint()?;
    let coordinate = joint.coordinate()?;
    let stiffness = reader.needed("stiffness", "\"1 N*m/rad\"")?;
    let (now, drawn) = (joint.value(coordinate, Pose::Moving), joint.value(coordinate, Pose::Drawn));
    store(reader, &stiffness, (&now, drawn));
    if reader.part.get("damping").is_some() {
        damp_joint(reader)?;
    }
    Some(())
}

/// The energy of a spring: it rests as drawn if nothing else is said, and a preload pulls together.
fn store(reader: &mut ForceReader<'_>, stiffness: &Term, (now, drawn): (&Term, Term)) {
    let span = reader.span();
    let rest = match reader.amount("rest") {
        Some(rest) => rest,
        None => reader.lowered.fixed(&format!("force.{}.rest", reader.name), drawn, &span),
    };
    let stretched = (now - &rest).squared();
    reader.lowered.potential.push(&(&Term::number(0.5) * stiffness) * &stretched);
    if let Some(preload) = reader.amount("preload") {
        reader.lowered.potential.push(&preload * now);
    }
}

fn damp_points(reader: &mut ForceReader<'_>, places: &[Place; 2]) -> Option<()> {
    let damping = reader.source.moving_of(reader.part, "damping")?;
    let between = {
        let [first, second] = [0, 1].map(|i| reader.bodies.position(&places[i], Pose::Moving));
        minus(&second, &first)
    };
    let rate = minus(&reader.bodies.velocity(&places[1]), &reader.bodies.velocity(&places[0]));
    let direction = between.clone().map(|part| part.over(&length(&between)));
    let force = -&(&damping * &dot(&direction, &rate));
    reader.push_apart(places, &scaled(&direction, &force));
    Some(())
}

fn damp_joint(reader: &mut ForceReader<'_>) -> Option<()> {
    let damping = reader.source.moving_of(reader.part, "damping")?;
    let joint = reader.joint()?;
    let coordinate = joint.coordinate()?;
    let span = reader.span();
    reader.lowered.push(joint.push(coordinate, &-&(&damping * &joint.velocity(coordinate))), &span);
    Some(())
}
