//! Detection levels: a comparison that is looked at in some points of a step only is taken for the line
//! between them. What comes and goes between two points is missed.

use super::chebyshev::Value;
use super::cover::line;
use super::search::StepPiece;
use super::signals::NotFinite;

/// Adds a line between each two of the points, which are parts of the step in rising order, up to a local
/// time.
pub(super) fn lines(
    value: Value,
    points: &[f64],
    (h, limit): (f64, f64),
    pieces: &mut Vec<StepPiece>,
) -> Result<(), NotFinite> {
    let (mut from, mut before) = (0.0, value(0.0)?);
    for point in points {
        let to = (point * h).min(limit);
        if to <= from {
            continue;
        }
        let here = value(to)?;
        pieces.push(line((from, to), [before, here]));
        (from, before) = (to, here);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::Banded;

    #[test]
    fn lines_go_through_the_points_up_to_the_limit() {
        let mut pieces = Vec::new();
        let mut value = |s: f64| Ok(Banded::new(s * s, 0.0));
        assert!(lines(&mut value, &[0.0, 0.25, 0.25, 0.5, 1.0], (4.0, 3.0), &mut pieces).is_ok());
        let ends: Vec<(f64, f64)> = pieces.iter().map(|piece| (piece.to, piece.shape.last())).collect();
        assert_eq!(ends, [(1.0, 1.0), (2.0, 4.0), (3.0, 9.0)]);
    }
}
