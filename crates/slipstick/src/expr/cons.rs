//! The table that makes equal nodes one node.
//!
//! In: a node's key (two words). Out: the id of the equal node, if there is
//! one. Open addressing over plain ids with a fixed hash: fast, and the same
//! on every run.

/// Stands for an unused place; so ids must stay below it.
const UNUSED: u32 = u32::MAX;

/// A node as two words: equal nodes have equal keys and no others.
pub(crate) type Key = (u64, u64);

/// Ids by key. The keys themselves stay with the owner of the nodes.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConsTable {
    places: Vec<u32>,
    used: usize,
}

impl ConsTable {
    /// The id stored under `key`, or the place where it belongs.
    pub(crate) fn find(&self, key: Key, key_of: impl Fn(u32) -> Key) -> Result<u32, usize> {
        let Some(mask) = self.places.len().checked_sub(1) else {
            return Err(0);
        };
        let mut place = hash(key) & mask;
        loop {
            match self.places[place] {
                UNUSED => return Err(place),
                id if key_of(id) == key => return Ok(id),
                _ => place = (place + 1) & mask,
            }
        }
    }

    /// Stores `id` at the place that `find` has just reported.
    pub(crate) fn insert(&mut self, place: usize, id: u32, key_of: impl Fn(u32) -> Key) {
        // At most half full, so that searches stay short.
        if 2 * (self.used + 1) > self.places.len() {
            self.grow(&key_of);
            let place = self.free_place(key_of(id));
            self.places[place] = id;
        } else {
            self.places[place] = id;
        }
        self.used += 1;
    }

    fn grow(&mut self, key_of: &impl Fn(u32) -> Key) {
        let wider = (4 * self.places.len()).max(256);
        let old = std::mem::replace(&mut self.places, vec![UNUSED; wider]);
        for id in old.into_iter().filter(|&id| id != UNUSED) {
            let place = self.free_place(key_of(id));
            self.places[place] = id;
        }
    }

    fn free_place(&self, key: Key) -> usize {
        let mask = self.places.len() - 1;
        let mut place = hash(key) & mask;
        while self.places[place] != UNUSED {
            place = (place + 1) & mask;
        }
        place
    }
}

/// Multiplies, folds the high half in, and repeats: cheap, and every bit of
/// the key reaches the low bits that choose the place.
#[expect(clippy::cast_possible_truncation, reason = "the low bits are what is wanted")]
fn hash(key: Key) -> usize {
    let mixed = (key.0 ^ key.1.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 32) ^ key.1).wrapping_mul(0xd6e8_feb8_6659_fd93);
    (mixed ^ (mixed >> 32)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_found_again_after_growing() {
        let keys: Vec<Key> = (0..5000_u64).map(|n| (n % 7, n * n)).collect();
        let key_of = |id: u32| keys[id as usize];
        let mut table = ConsTable::default();
        for (id, &key) in (0..).zip(&keys) {
            let place = table.find(key, key_of).unwrap_err();
            table.insert(place, id, key_of);
        }
        for (id, &key) in (0..).zip(&keys) {
            assert_eq!(table.find(key, key_of), Ok(id));
        }
        assert!(table.find((99, 99), key_of).is_err());
    }

    #[test]
    fn small_neighbouring_keys_spread_over_the_table() {
        let mut places: Vec<usize> = (0..1024).map(|n| hash((n << 32 | 5, n << 32)) & 4095).collect();
        places.sort_unstable();
        places.dedup();
        assert!(places.len() > 800, "only {} different places", places.len());
    }
}
