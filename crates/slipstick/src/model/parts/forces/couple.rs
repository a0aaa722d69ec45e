//! A torque on a body.

use super::ForceKind;

pub(super) const KIND: ForceKind = ForceKind {
    word: "couple",
    keys: &["torque"],
    lower: |reader| {
        let value = reader.value;
        let place = reader.place(value)?;
        let torque = reader.needed("torque", "\"1 N*m\"")?;
        let span = reader.span();
        reader.lowered.push(reader.bodies.moment_on(&place, &torque), &span);
        Some(())
    },
};
