//! How a matrix with few entries is eliminated, if its places are those of a symmetric one: in which order,
//! and where its factors have entries (Davis, Direct Methods for Sparse Linear Systems, SIAM 2006, chapter
//! 4). The unknown with the fewest neighbours comes first, which keeps the factors small.

use std::collections::BTreeSet;

/// No column.
pub(super) const NONE: usize = usize::MAX;

/// An entry of the upper half, by columns in the new order.
#[derive(Clone, Copy, Debug)]
pub(super) struct UpperEntry {
    pub(super) row: usize,
    /// Its number among the places, and whether the place was given in the lower half, or on the diagonal.
    pub(super) number: usize,
    pub(super) below: bool,
}

/// The order, the elimination tree, and the length of each column of the factors.
#[derive(Clone, Debug)]
pub(super) struct Elimination {
    /// The unknown at each place of the order.
    pub(super) order: Vec<usize>,
    starts: Vec<usize>,
    entries: Vec<UpperEntry>,
    parent: Vec<usize>,
    /// Where each column of the lower factor begins, and behind them where the last ends.
    pub(super) column_starts: Vec<usize>,
}

impl Elimination {
    /// For `n` unknowns and entries at the given places of one half, or both; those of the diagonal too.
    /// Unknowns from `late` on come behind all others that they share a place with.
    pub(super) fn new((n, late): (usize, usize), places: &[(usize, usize)]) -> Self {
        let order = fewest_neighbours_first((n, late), places);
        let mut place = vec![0; n];
        for (k, &unknown) in order.iter().enumerate() {
            place[unknown] = k;
        }
        let (starts, entries) = upper_half(n, places, &place);
        let parent = vec![NONE; n];
        let mut this = Self { order, starts, entries, parent, column_starts: vec![0; n + 1] };
        this.find_places();
        this
    }

    /// The elimination tree, and how many entries each column has.
    fn find_places(&mut self) {
        let n = self.order.len();
        let (mut marks, mut lengths) = (vec![NONE; n], vec![0; n]);
        for k in 0..n {
            marks[k] = k;
            for index in self.starts[k]..self.starts[k + 1] {
                let mut i = self.entries[index].row;
                while marks[i] != k {
                    if self.parent[i] == NONE {
                        self.parent[i] = k;
                    }
                    lengths[i] += 1;
                    marks[i] = k;
                    i = self.parent[i];
                }
            }
        }
        for (k, length) in lengths.into_iter().enumerate() {
            self.column_starts[k + 1] = self.column_starts[k] + length;
        }
    }

    /// How many entries the lower factor has below its diagonal.
    pub(super) fn filled(&self) -> usize {
        self.column_starts[self.order.len()]
    }

    /// About how many multiplications symmetric factors take.
    pub(super) fn work(&self) -> f64 {
        self.column_starts.windows(2).map(|pair| ((pair[1] - pair[0] + 1) as f64).powi(2)).sum()
    }

    /// The entries of the matrix above the diagonal in column `k`, and on it.
    #[inline]
    pub(super) fn entries(&self, k: usize) -> &[UpperEntry] {
        &self.entries[self.starts[k]..self.starts[k + 1]]
    }

    /// The columns in which row `k` of the lower factor has entries, ascending. `marks` is scratch that was
    /// filled with [`NONE`] before the first row.
    #[inline]
    pub(super) fn find_pattern(&self, k: usize, marks: &mut [usize], pattern: &mut Vec<usize>) {
        pattern.clear();
        marks[k] = k;
        for entry in self.entries(k) {
            let mut i = entry.row;
            while marks[i] != k {
                pattern.push(i);
                marks[i] = k;
                i = self.parent[i];
            }
        }
        // Columns must be taken off in ascending order.
        pattern.sort_unstable();
    }
}

/// The entries of the upper half by columns in the new order; of a place and its mirror image the first
/// counts.
fn upper_half(n: usize, places: &[(usize, usize)], place: &[usize]) -> (Vec<usize>, Vec<UpperEntry>) {
    let mut seen = BTreeSet::new();
    let mut sorted: Vec<(usize, UpperEntry)> = Vec::new();
    for (number, &(i, j)) in places.iter().enumerate() {
        let (row, column) = (place[i].min(place[j]), place[i].max(place[j]));
        if seen.insert((column, row)) {
            sorted.push((column, UpperEntry { row, number, below: place[i] >= place[j] }));
        }
    }
    sorted.sort_unstable_by_key(|(column, entry)| (*column, entry.row));
    let mut starts = vec![0; n + 1];
    for (column, _) in &sorted {
        starts[column + 1] += 1;
    }
    for k in 0..n {
        starts[k + 1] += starts[k];
    }
    (starts, sorted.into_iter().map(|(_, entry)| entry).collect())
}

/// The unknowns in an order in which each has as few neighbours as possible when it is eliminated; its
/// neighbours then are neighbours of each other. Late ones wait for the others.
fn fewest_neighbours_first((n, late): (usize, usize), places: &[(usize, usize)]) -> Vec<usize> {
    let mut neighbours = vec![BTreeSet::new(); n];
    for &(i, j) in places {
        if i != j {
            neighbours[i].insert(j);
            neighbours[j].insert(i);
        }
    }
    let earlier = |i: usize| if i < late { 0 } else { neighbours[i].range(..late).count() };
    let mut waiting: Vec<usize> = (0..n).map(earlier).collect();
    let waiters: Vec<Vec<usize>> =
        (0..late).map(|i| neighbours[i].range(late..).copied().collect()).collect();
    let mut queue: BTreeSet<(usize, usize)> =
        (0..n).filter(|&i| waiting[i] == 0).map(|i| (neighbours[i].len(), i)).collect();
    let mut order = Vec::with_capacity(n);
    while let Some((_, next)) = queue.pop_first() {
        order.push(next);
        let around: Vec<usize> = std::mem::take(&mut neighbours[next]).into_iter().collect();
        waiters.get(next).into_iter().flatten().for_each(|&i| waiting[i] -= 1);
        for &i in &around {
            queue.remove(&(neighbours[i].len(), i));
            neighbours[i].remove(&next);
            neighbours[i].extend(around.iter().filter(|&&j| j != i));
            if waiting[i] == 0 {
                queue.insert((neighbours[i].len(), i));
            }
        }
    }
    order
}
