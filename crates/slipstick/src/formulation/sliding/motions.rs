//! The motion along surfaces, and those that are over: their room is used again.

use super::duplicates::Place;
use super::{Sliding, Surface, SurfaceSet};
use crate::equations::System;
use crate::formulation::FieldEnv;

/// Motions along surfaces.
#[derive(Debug, Default)]
pub struct SlidingMotions {
    /// The one at hand, if the motion slides.
    pub(in crate::formulation) now: Option<Sliding>,
    /// Those that are over: as many as were ever held at once.
    over: Vec<Sliding>,
}

impl SlidingMotions {
    /// The motion along surfaces that are met at a point; those that are the same surface count once.
    pub(in crate::formulation) fn meet(
        &mut self,
        system: &dyn System,
        env: FieldEnv<'_>,
        surfaces: &[Surface],
        y: &[f64],
    ) -> Sliding {
        let FieldEnv { eval: evaluator, mode, parameters, t, .. } = env;
        let mut place = Place { evaluator, mode, parameters, t, y };
        self.take(system, SurfaceSet::met(&mut place, surfaces))
    }

    /// The motion along some surfaces, as new.
    pub(in crate::formulation) fn take(&mut self, system: &dyn System, set: SurfaceSet) -> Sliding {
        let Some(place) = self.over.iter().position(|other| other.set.len() == set.len()) else {
            return Sliding::new(system, set);
        };
        let mut sliding = self.over.swap_remove(place);
        sliding.renew(set);
        sliding
    }

    /// A motion along surfaces is over.
    pub(in crate::formulation) fn give_back(&mut self, sliding: Sliding) {
        self.over.push(sliding);
    }

    /// The motion does not slide any more.
    pub(in crate::formulation) fn leave(&mut self) {
        self.over.extend(self.now.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::equations::ClosureSystem;
    use crate::formulation::WorkCounts;
    use crate::mode::Mode;

    /// A motion that is over must not change the next one by a bit.
    #[test]
    fn what_is_used_again_is_as_new() {
        let system = ClosureSystem::switched(["x", "y"], |_, y, signs, dy| {
            dy[0] = 0.3 - signs[0] + y[1];
            dy[1] = 0.0 * y[0] + signs[1];
        })
        .switch("a", |_, y| y[0] + 3.0 * y[1])
        .switch("b", |_, y| y[0] * y[0] - y[1]);
        let surfaces = [0, 1].map(|guard| SurfaceSet::of(vec![Surface::of_switch(guard, guard)]));
        let mut motions = SlidingMotions::default();
        let slide = |sliding: &mut Sliding, y: &[f64]| {
            let (mut eval, mut mode, mut counts) =
                (system.evaluator(), Mode::new(0, 2, 0), WorkCounts::default());
            mode.values.signs.fill(1.0);
            let parameters = &[][..];
            let mut env =
                FieldEnv { eval: &mut *eval, mode: &mut mode, parameters, t: 0.0, counts: &mut counts };
            let mut dy = [0.0; 2];
            sliding.derivative(&mut env, y, &mut dy);
            sliding.keep_jumps();
            (dy, sliding.combination.weights().to_vec(), counts)
        };
        let mut first = motions.take(&system, surfaces[0].clone());
        slide(&mut first, &[0.1, 0.2]);
        motions.give_back(first);
        let (mut again, mut new) =
            (motions.take(&system, surfaces[1].clone()), Sliding::new(&system, surfaces[1].clone()));
        assert!(motions.over.is_empty());
        assert_eq!(slide(&mut again, &[0.5, 0.3]), slide(&mut new, &[0.5, 0.3]));
    }
}
