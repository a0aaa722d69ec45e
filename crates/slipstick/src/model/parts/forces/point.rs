//! A force at a point, in ground axes or in those of a body.

use super::ForceKind;
use crate::model::parts::bodies::Pose;
use crate::model::parts::term::turned;

pub(super) const KIND: ForceKind = ForceKind {
    word: "point",
    keys: &["force", "in"],
    lower: |reader| {
        let value = reader.value;
        let place = reader.place(value)?;
        let Some(mut force) = reader.source.moving_pair_of(reader.part, "force") else {
            let message = format!("force `{}` has no `force`", reader.name);
            reader.source.error(
                "missing-key",
                reader.part.span.clone(),
                message,
                "add `force = [0, \"-5 N\"]`",
            );
            return None;
        };
        if let Some(frame) = reader.part.get("in") {
            let frame = reader.place(frame)?;
            force = turned(&force, &reader.bodies.angle(&frame, Pose::Moving));
        }
        let span = reader.span();
        reader.lowered.push(reader.bodies.force_at(&place, &force), &span);
        Some(())
    },
};
