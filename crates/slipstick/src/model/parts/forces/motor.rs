//! A torque or a force along the coordinate of a joint, on its second body.

use super::ForceKind;

pub(super) const KIND: ForceKind = ForceKind {
    word: "motor",
    keys: &["torque", "force"],
    lower: |reader| {
        let joint = reader.joint()?;
        let coordinate = joint.coordinate()?;
        let [key, other] = if coordinate.word == "angle" { ["torque", "force"] } else { ["force", "torque"] };
        if let Some(wrong) = reader.part.get(other) {
            let message = format!("force `{}` moves an {} by a `{other}`", reader.name, coordinate.word);
            reader.source.error("bad-force", wrong.key_span.clone(), message, format!("give a `{key}`"));
            return None;
        }
        let amount = reader.needed(key, "\"2\"")?;
        let span = reader.span();
        reader.lowered.push(joint.push(coordinate, &amount), &span);
        Some(())
    },
};
