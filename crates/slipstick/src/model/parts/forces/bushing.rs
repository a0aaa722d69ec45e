//! A soft joint: springs along both axes of its first end, and one against turning, with dampers beside them.

use super::{ForceKind, ForceReader};
use crate::expr::Dimension;
use crate::model::parts::bodies::{BodyPlace, Pose};
use crate::model::parts::joints::Ends;
use crate::model::parts::term::{Pair, Term, cross, dot, left_of, minus, plus, scaled};

pub(super) const KIND: ForceKind = ForceKind {
    word: "bushing",
    keys: &["stiffness", "damping"],
    lower: |reader| {
        let [first, second] = reader.places()?;
        let turning = Dimension::TORSIONAL_STIFFNESS;
        let [kx, ky, ka] = three(reader, "stiffness", [Dimension::STIFFNESS, turning])?;
        let ends = Ends {
            bodies: reader.bodies,
            first,
            second,
            axis: [Term::one(), Term::zero()],
            is_mirrored: false,
            track: None,
        };
        let (axes, between, turn) =
            (ends.axes(Pose::Moving), ends.between(Pose::Moving), ends.turn(Pose::Moving));
        let half = Term::number(0.5);
        for (stiffness, stretched) in
            [(kx, dot(&axes[0], &between)), (ky, dot(&axes[1], &between)), (ka, turn)]
        {
            reader.lowered.potential.push(&(&half * &stiffness) * &stretched.squared());
        }
        if reader.part.get("damping").is_some() {
            let damping = three(reader, "damping", [Dimension::DAMPING, Dimension::TORSIONAL_DAMPING])?;
            damp(reader, (&ends, &axes), &damping);
        }
        Some(())
    },
};

/// An amount along each axis, and one against turning.
fn three(reader: &mut ForceReader<'_>, key: &str, [along, turning]: [Dimension; 2]) -> Option<[Term; 3]> {
    let example = format!("{key} = [\"1e5 N/m\", \"1e5 N/m\", \"10 N*m/rad\"]");
    let value = reader.part.get(key);
    let list = value.and_then(|value| reader.source.keep(value.list("three numbers", &example)));
    let Some([x, y, angle]) = list else {
        let message = format!("force `{}` needs three numbers as `{key}`", reader.name);
        let span = reader.part.span.clone();
        reader.source.error("missing-key", span, message, format!("for example `{example}`"));
        return None;
    };
    let mut read = |value, dimension| reader.source.amount_as(value, Some(dimension));
    Some([read(x, along), read(y, along), read(angle, turning)])
}

/// Dampers on the velocity of the second place against what is there of the first body, and on the difference of
/// turning. The forces act in one place.
fn damp(reader: &mut ForceReader<'_>, (ends, axes): (&Ends<'_>, &[Pair; 2]), [dx, dy, da]: &[Term; 3]) {
    let Ends { first, second, bodies, .. } = ends;
    let turning = |place: &BodyPlace| bodies.turning(place);
    let between = ends.between(Pose::Moving);
    let carried = scaled(&left_of(&between), &turning(first));
    let rate = minus(&bodies.velocity(second), &plus(&bodies.velocity(first), &carried));
    let along = |axis: &Pair, damping: &Term| scaled(axis, &-&(damping * &dot(axis, &rate)));
    let force = plus(&along(&axes[0], dx), &along(&axes[1], dy));
    let moment = -&(da * &(&turning(second) - &turning(first)));
    let span = reader.span();
    reader.push_apart(&[first.clone(), second.clone()], &force);
    reader.lowered.push(bodies.moment_on(second, &moment), &span);
    reader.lowered.push(bodies.moment_on(first, &-&(&moment + &cross(&between, &force))), &span);
}
