//! What hangs together, directly or through others.

/// Members of groups that are joined one pair after the other.
#[derive(Clone, Debug)]
pub struct Groups {
    parents: Vec<usize>,
}

impl Groups {
    /// This many members, each alone.
    pub fn new(members: usize) -> Self {
        Self { parents: (0..members).collect() }
    }

    /// The member that stands for the group of one.
    pub fn of(&mut self, member: usize) -> usize {
        let mut root = member;
        while self.parents[root] != root {
            // Paths get shorter each time that they are gone.
            self.parents[root] = self.parents[self.parents[root]];
            root = self.parents[root];
        }
        root
    }

    /// The groups of two members become one; that of the lesser stands for it.
    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.of(a), self.of(b));
        self.parents[a.max(b)] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_joined_through_others_is_one_group() {
        let mut groups = Groups::new(6);
        for (a, b) in [(4, 5), (0, 2), (2, 4)] {
            groups.join(a, b);
        }
        assert_eq!([0, 1, 2, 3, 4, 5].map(|k| groups.of(k)), [0, 1, 0, 3, 0, 0]);
    }
}
