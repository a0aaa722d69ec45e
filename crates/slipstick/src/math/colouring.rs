//! Columns of a matrix that can be found together, because no row has entries in two of them (Curtis, Powell
//! and Reid, J. Inst. Maths. Applics. 13, 1974).

use super::Matrix;

/// Groups of columns: each column with an entry is in one of them, and in a group no two columns share a row.
pub fn colours(matrix: &Matrix) -> Vec<Vec<usize>> {
    let mut rows_of = vec![Vec::new(); matrix.columns()];
    for (row, column) in matrix.places() {
        rows_of[column].push(row);
    }
    let mut colour_of = vec![usize::MAX; matrix.columns()];
    // The column for which each colour was last found to be taken.
    let (mut groups, mut taken): (Vec<Vec<usize>>, Vec<usize>) = (Vec::new(), Vec::new());
    for (column, rows) in rows_of.iter().enumerate().filter(|(_, rows)| !rows.is_empty()) {
        for other in rows.iter().flat_map(|&row| matrix.places_of(row)) {
            if let Some(taken) = taken.get_mut(colour_of[*other]) {
                *taken = column;
            }
        }
        let colour = taken.iter().position(|&by| by != column).unwrap_or(taken.len());
        if colour == taken.len() {
            taken.push(usize::MAX);
            groups.push(Vec::new());
        }
        colour_of[column] = colour;
        groups[colour].push(column);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_band_takes_as_many_colours_as_it_is_wide() {
        let places: Vec<(usize, usize)> = (0..100_usize)
            .flat_map(|i| (i.saturating_sub(1)..(i + 2).min(100)).map(move |j| (i, j)))
            .collect();
        let groups = colours(&Matrix::with_places(100, 100, &places));
        assert_eq!(groups.len(), 3);
        assert_eq!(groups.iter().map(Vec::len).sum::<usize>(), 100);
    }

    #[test]
    fn no_row_has_entries_in_two_columns_of_a_group() {
        let places: Vec<(usize, usize)> =
            (0..300).map(|k| ((k * k + 7 * k) % 40, (k * 13 + k / 5) % 55)).collect();
        let matrix = Matrix::with_places(40, 60, &places);
        let groups = colours(&matrix);
        for group in &groups {
            for row in 0..40 {
                assert!(matrix.places_of(row).iter().filter(|column| group.contains(column)).count() <= 1);
            }
        }
        let mut all: Vec<usize> = groups.concat();
        all.sort_unstable();
        let mut with_entries: Vec<usize> = places.iter().map(|(_, column)| *column).collect();
        with_entries.sort_unstable();
        with_entries.dedup();
        assert_eq!(all, with_entries);
    }
}
