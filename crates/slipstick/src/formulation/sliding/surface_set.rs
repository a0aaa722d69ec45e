//! The switching surfaces that meet at a point, with their duplicates.

use super::duplicates::Place;
use super::{Surface, SurfaceSides};
use crate::mode::Mode;

/// A duplicate: a surface that is one of the others, written again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Follower {
    /// Its own guard and switch.
    pub surface: Surface,
    /// The index of the surface that it is.
    pub leader: usize,
    /// +1 if both have the same positive side, otherwise -1.
    pub orientation: f64,
}

/// Switching surfaces that meet, each once.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfaceSet {
    surfaces: Vec<Surface>,
    followers: Vec<Follower>,
}

impl SurfaceSet {
    /// Surfaces that are known to be different ones.
    pub fn of(surfaces: Vec<Surface>) -> Self {
        Self { surfaces, followers: Vec::new() }
    }

    /// Surfaces that are met at a place: those that are the same surface count once.
    pub(super) fn met(place: &mut Place<'_>, surfaces: &[Surface]) -> Self {
        let mut set = Self::of(Vec::new());
        for &surface in surfaces {
            let same = |leader: &Surface| place.same_surface(leader.guard, surface.guard);
            let first = set.surfaces.iter().map(same).enumerate().find_map(|(i, found)| Some((i, found?)));
            match first {
                Some((leader, orientation)) => set.followers.push(Follower { surface, leader, orientation }),
                None => set.surfaces.push(surface),
            }
        }
        set
    }

    /// The surfaces, each once.
    pub fn surfaces(&self) -> &[Surface] {
        &self.surfaces
    }

    /// The surfaces that are one of the others.
    pub fn followers(&self) -> &[Follower] {
        &self.followers
    }

    /// How many different surfaces there are.
    pub fn len(&self) -> usize {
        self.surfaces.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.surfaces.is_empty()
    }

    /// Their sides.
    pub fn sides(&self) -> SurfaceSides {
        SurfaceSides::of(self.surfaces.len())
    }

    /// The guards of all surfaces and their duplicates, ascending.
    pub fn guards(&self) -> Vec<usize> {
        let followers = self.followers.iter().map(|follower| follower.surface.guard);
        let mut guards: Vec<usize> = self.surfaces.iter().map(|s| s.guard).chain(followers).collect();
        guards.sort_unstable();
        guards
    }

    /// The index of a guard's surface, or of the one that it is the same as.
    pub fn index_of(&self, guard: usize) -> Option<usize> {
        let own = self.surfaces.iter().position(|surface| surface.guard == guard);
        let follower = |f: &&Follower| f.surface.guard == guard;
        own.or_else(|| self.followers.iter().find(follower).map(|follower| follower.leader))
    }

    /// Locks a mode to the sign that each surface is given.
    pub(super) fn lock(&self, mode: &mut Mode, sign: impl Fn(usize) -> f64) {
        for (i, surface) in self.surfaces.iter().enumerate() {
            surface.lock(mode, sign(i));
        }
        for follower in &self.followers {
            follower.surface.lock(mode, follower.orientation * sign(follower.leader));
        }
    }

    /// Locks a mode to the signs of a side.
    pub fn lock_side(&self, side: usize, mode: &mut Mode) {
        let sides = self.sides();
        self.lock(mode, |i| sides.sign(side, i));
    }

    /// Locks counts and modes as they are locked while sliding: their guards are only the surfaces then.
    pub(super) fn rest(&self, mode: &mut Mode) {
        for surface in self.surfaces.iter().chain(self.followers.iter().map(|f| &f.surface)) {
            surface.rest(mode);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::equations::{ClosureSystem, System};

    #[test]
    fn a_duplicate_follows_its_leader_to_the_other_sign() {
        let system = ClosureSystem::switched(["x", "y"], |_, _, _, dy| dy.fill(0.0))
            .switch("a", |_, y| y[0] - 1.0)
            .switch("b", |_, y| y[1])
            .switch("c", |_, y| 2.0 - 2.0 * y[0]);
        let mut mode = Mode::new(0, 3, 0);
        let met = [0, 1, 2].map(|guard| Surface::of_switch(guard, guard));
        let (t, y, parameters) = (0.0, &[1.0, 0.0][..], &[][..]);
        let mut place = Place { evaluator: &mut *system.evaluator(), mode: &mode, parameters, t, y };
        let set = SurfaceSet::met(&mut place, &met);
        assert_eq!((set.len(), set.followers().len()), (2, 1));
        assert_eq!([0, 1, 2, 3].map(|guard| set.index_of(guard)), [Some(0), Some(1), Some(0), None]);
        assert_eq!(set.guards(), [0, 1, 2]);
        set.lock_side(1, &mut mode);
        assert_eq!(mode.values.signs, [1.0, -1.0, -1.0]);
    }
}
