//! The drag of a fluid at rest on a point: half of density, coefficient and area times the square of the velocity.

use super::ForceKind;
use crate::model::parts::term::{Term, length, scaled};

pub(super) const KIND: ForceKind = ForceKind {
    word: "drag",
    keys: &["area", "coefficient", "density"],
    lower: |reader| {
        let value = reader.value;
        let place = reader.place(value)?;
        let area = reader.needed("area", "\"0.01 m^2\"")?;
        let coefficient = reader.needed("coefficient", "1")?;
        let density = reader.needed("density", "\"1.2 kg/m^3\"")?;
        let velocity = reader.bodies.velocity(&place);
        let half = &(&Term::number(-0.5) * &density) * &(&coefficient * &area);
        let force = scaled(&velocity, &(&half * &length(&velocity)));
        let span = reader.span();
        reader.lowered.push(reader.bodies.force_at(&place, &force), &span);
        Some(())
    },
};
