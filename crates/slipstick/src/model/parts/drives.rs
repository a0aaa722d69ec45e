//! Drives: the coordinate of a joint, or its velocity, is a function of time.

use super::bodies::{Pose, check_keys};
use super::holding::Held;
use super::lowered::LoweredParts;
use super::source::PartSource;
use super::term::Term;
use crate::expr::Dimension;
use crate::model::Setting;
use std::collections::BTreeMap;

const DRIVE_KEYS: &[&str] = &["joint", "position", "velocity"];

/// Adds a constraint for each drive, and its force. The coordinates that are driven from where they are drawn are told.
pub(super) fn lower_drives(
    source: &mut PartSource,
    section: Option<&Setting>,
    held: &BTreeMap<&str, Held<'_>>,
    lowered: &mut LoweredParts,
) -> Vec<String> {
    let mut driven = Vec::new();
    for (name, part) in section.into_iter().flat_map(Setting::entries) {
        check_keys(source, part, DRIVE_KEYS, &format!("drive `{name}`"));
        let Some(joint) = driven_joint(source, name, part, held) else { continue };
        let Some(coordinate) = joint.coordinate() else { continue };
        let span = &part.key_span;
        let [of_position, of_velocity, _] = in_each(coordinate.dimensions());
        let mut amount = |key, dimension| part.get(key).map(|value| source.moving_as(value, dimension));
        let (position, velocity) = (amount("position", of_position), amount("velocity", of_velocity));
        // A position is met at the start too, wherever the joint is drawn.
        let keeps_the_drawing = velocity.is_some();
        let left = match (position, velocity) {
            (Some(position), None) => &joint.value(coordinate, Pose::Moving) - &position,
            (None, Some(velocity)) => &joint.velocity(coordinate) - &velocity,
            (both, _) => {
                let how = if both.is_some() {
                    "both `position` and `velocity`"
                } else {
                    "no `position` and no `velocity`"
                };
                let message = format!("drive `{name}` has {how}");
                source.error(
                    "bad-drive",
                    part.span.clone(),
                    message,
                    "give one of them, as a function of `t`",
                );
                continue;
            }
        };
        let row = format!("drive.{name}.row");
        lowered.constraint(&row, &left, span);
        let force = if coordinate.word == "angle" { "torque" } else { "force" };
        lowered.output(&format!("drive.{name}.{force}"), &-&Term::whole(format!("lambda.{row}")), span);
        let ends = [&joint.ends.first, &joint.ends.second];
        if let (true, [None, Some(i)], "angle") =
            (keeps_the_drawing, ends.map(|end| end.body), coordinate.word)
        {
            driven.push(joint.ends.bodies.list[i].coordinates()[2].clone());
        }
    }
    driven
}

/// All dimensions, or none of them.
pub(super) fn in_each(all: Option<[Dimension; 3]>) -> [Option<Dimension>; 3] {
    all.map_or([None; 3], |all| all.map(Some))
}

/// The joint of a drive, which leaves a coordinate free.
fn driven_joint<'h>(
    source: &mut PartSource,
    name: &str,
    part: &Setting,
    held: &'h BTreeMap<&str, Held<'_>>,
) -> Option<&'h Held<'h>> {
    let Some(joint) = source.name_of(part, "joint") else {
        let message = format!("drive `{name}` has no `joint`");
        source.error("missing-key", part.span.clone(), message, "for example `joint = \"main\"`");
        return None;
    };
    let Some(found) = held.get(joint.as_str()) else {
        let error =
            crate::model::unknown_name(&joint, part.span.clone(), held.keys().copied(), "among the joints");
        source.errors.push(error);
        return None;
    };
    if found.coordinate().is_none() {
        let message = format!("drive `{name}` cannot move joint `{joint}`, which leaves nothing free");
        source.error("bad-drive", part.span.clone(), message, "drive a joint with an angle or a position");
        return None;
    }
    Some(found)
}
