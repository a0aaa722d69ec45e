//! The motions at points where guards on forces are sampled: one guard after the other at the same points.

use crate::equations::Locked;

/// So many points are kept: twice those of a polynomial through values.
const MOST_KEPT: usize = 34;

/// Accelerations and forces at a point, and how far rounding may have moved them.
#[derive(Debug, Default)]
struct KnownMotion {
    mode: usize,
    stamp: u64,
    t: f64,
    parameters: Vec<f64>,
    y: Vec<f64>,
    motion: Vec<f64>,
    rounding: Vec<f64>,
}

/// The motions that were found last.
#[derive(Debug, Default)]
pub(super) struct KnownMotions {
    kept: Vec<KnownMotion>,
    found: usize,
}

impl KnownMotions {
    /// None is known any more: the form is another one.
    pub(super) fn forget(&mut self) {
        self.found = 0;
    }

    /// The motion at a point and its rounding, if it is known.
    pub(super) fn at(&self, locked: Locked<'_>, t: f64, y: &[f64]) -> Option<(&[f64], &[f64])> {
        let kept = &self.kept[..self.found.min(self.kept.len())];
        let is_there = |known: &&KnownMotion| {
            let same = known.t == t && (known.mode, known.stamp) == (locked.mode, locked.stamp);
            same && known.y == y && known.parameters == locked.parameters
        };
        let known = kept.iter().find(is_there).filter(|_| locked.stamp != 0)?;
        Some((&known.motion, &known.rounding))
    }

    /// Keeps what was found at a point, in the place of the oldest.
    pub(super) fn keep(
        &mut self,
        locked: Locked<'_>,
        (t, y): (f64, &[f64]),
        motion: &[f64],
        find_rounding: impl FnOnce(&mut Vec<f64>),
    ) {
        if locked.stamp == 0 {
            return;
        }
        let place = self.found % MOST_KEPT;
        if self.kept.len() == place {
            self.kept.push(KnownMotion::default());
        }
        let known = &mut self.kept[place];
        (known.mode, known.stamp, known.t) = (locked.mode, locked.stamp, t);
        let lists =
            [(&mut known.y, y), (&mut known.motion, motion), (&mut known.parameters, locked.parameters)];
        for (to, from) in lists {
            to.clear();
            to.extend_from_slice(from);
        }
        known.rounding.clear();
        find_rounding(&mut known.rounding);
        self.found += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_motion_is_known_at_its_point_and_in_its_mode_alone() {
        let (mut known, locked) = (KnownMotions::default(), Locked { stamp: 3, ..Locked::default() });
        known.keep(locked, (1.0, &[2.0]), &[5.0], |rounding| rounding.push(0.5));
        assert_eq!(known.at(locked, 1.0, &[2.0]), Some((&[5.0][..], &[0.5][..])));
        assert_eq!(known.at(locked, 1.0, &[2.5]), None);
        for other in [Locked { stamp: 4, ..locked }, Locked { mode: 1, ..locked }] {
            assert_eq!(known.at(other, 1.0, &[2.0]), None);
        }
        assert_eq!(known.at(Locked { parameters: &[1.0], ..locked }, 1.0, &[2.0]), None);
        let unknown = Locked { stamp: 0, ..locked };
        known.keep(unknown, (9.0, &[2.0]), &[5.0], |_| ());
        assert_eq!(known.at(unknown, 9.0, &[2.0]), None);
        for k in 0..MOST_KEPT {
            known.keep(locked, (k as f64 + 2.0, &[2.0]), &[k as f64], |_| ());
        }
        assert_eq!(known.at(locked, 1.0, &[2.0]), None, "the oldest makes room");
        known.forget();
        assert_eq!(known.at(locked, 5.0, &[2.0]), None);
    }
}
