//! Values with a stamp that tells that they are the same without looking at them.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};

/// The next stamp. Stamps are compared and nothing else: results do not depend on which ones there are.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// Values that have another stamp after each change. Those with the same stamp are equal; those with another
/// may be.
pub struct Stamped<T> {
    values: T,
    stamp: u64,
}

fn next_stamp() -> u64 {
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl<T> Stamped<T> {
    /// The stamp; it is never zero.
    #[inline]
    pub fn stamp(&self) -> u64 {
        self.stamp
    }
}

impl<T> From<T> for Stamped<T> {
    fn from(values: T) -> Self {
        Self { values, stamp: next_stamp() }
    }
}

impl<T: Default> Default for Stamped<T> {
    fn default() -> Self {
        Self::from(T::default())
    }
}

impl<T> Deref for Stamped<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.values
    }
}

impl<T> DerefMut for Stamped<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        self.stamp = next_stamp();
        &mut self.values
    }
}

impl<T: Clone> Clone for Stamped<T> {
    fn clone(&self) -> Self {
        Self { values: self.values.clone(), stamp: self.stamp }
    }

    fn clone_from(&mut self, other: &Self) {
        self.values.clone_from(&other.values);
        self.stamp = other.stamp;
    }
}

/// Stamps are no results: equal values are written the same.
impl<T: fmt::Debug> fmt::Debug for Stamped<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.values.fmt(f)
    }
}

impl<T: PartialEq> PartialEq for Stamped<T> {
    fn eq(&self, other: &Self) -> bool {
        self.stamp == other.stamp || self.values == other.values
    }
}

impl<T: Eq> Eq for Stamped<T> {}

impl<T: Hash> Hash for Stamped<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.values.hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_the_same_stamp_until_one_of_them_changes() {
        let mut first = Stamped::from(vec![1.0, 2.0]);
        let mut copy = Stamped::from(Vec::new());
        copy.clone_from(&first);
        assert_eq!((first.stamp(), first.clone().stamp()), (copy.stamp(), copy.stamp()));
        first[1] = 3.0;
        assert_ne!(first.stamp(), copy.stamp());
        first[1] = 2.0;
        assert_eq!(first, copy, "what is equal is equal, however it came about");
        assert_ne!(first.stamp(), copy.stamp());
    }

    #[test]
    fn reading_keeps_the_stamp() {
        let values = Stamped::from(vec![1.0]);
        let stamp = values.stamp();
        assert_eq!((values.len(), values.stamp()), (1, stamp));
        assert_ne!(Stamped::from(vec![1.0]).stamp(), stamp);
    }
}
