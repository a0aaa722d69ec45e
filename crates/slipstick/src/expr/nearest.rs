//! "Did you mean …?": the candidate nearest to a misspelt word.
//!
//! In: a word and the candidates. Out: the candidate with the fewest typing
//! slips, if it is near enough to be worth suggesting.

/// Longer words are not compared: the cost grows with the square of the length.
const LONGEST: usize = 64;

/// Costs of the slips, by how easily they happen: so `tahn` means `tanh` and
/// not `tan`, and `sine` means `sin` and not `sinh`.
const SWAPPED: usize = 9;
const EXTRA: usize = 10;
const WRONG: usize = 11;

/// The candidate nearest to `word`, or `None` if nothing is near.
///
/// Distance counts inserted, missing, wrong and swapped letters; upper and
/// lower case count as equal. A third of the letters may be wrong, at least one
/// (in words of one letter none: they have nothing in common with anything).
/// On a tie the earlier candidate wins, so the answer is deterministic.
pub fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let word = letters(word)?;
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let Some(other) = letters(candidate) else {
            continue;
        };
        let allowed = WRONG * slips_allowed(word.len().min(other.len()));
        // Every letter too many costs something.
        if EXTRA * word.len().abs_diff(other.len()) > allowed {
            continue;
        }
        let cost = slips(&word, &other);
        if cost <= allowed && best.is_none_or(|(least, _)| cost < least) {
            best = Some((cost, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

fn slips_allowed(length: usize) -> usize {
    match length {
        0 | 1 => 0,
        2..=5 => 1,
        _ => length / 3,
    }
}

fn letters(word: &str) -> Option<Vec<char>> {
    // Bytes bound characters, so hostile words are refused without a scan.
    if word.is_empty() || word.len() > 4 * LONGEST {
        return None;
    }
    let letters: Vec<char> = word.chars().flat_map(char::to_lowercase).collect();
    (letters.len() <= LONGEST).then_some(letters)
}

/// Optimal string alignment (Levenshtein distance plus swapped neighbours),
/// with the costs above.
fn slips(a: &[char], b: &[char]) -> usize {
    let mut before = vec![0; b.len() + 1];
    let mut above: Vec<usize> = (0..=b.len()).map(|count| count * EXTRA).collect();
    for i in 1..=a.len() {
        let mut row = vec![i * EXTRA; b.len() + 1];
        for j in 1..=b.len() {
            let wrong = if a[i - 1] == b[j - 1] { 0 } else { WRONG };
            let extra = above[j].min(row[j - 1]) + EXTRA;
            let mut least = extra.min(above[j - 1] + wrong);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before[j - 2] + SWAPPED);
            }
            row[j] = least;
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(word: &str) -> Option<&'static str> {
        nearest(word, ["speed", "angle", "tanh", "tan", "x"].into_iter())
    }

    #[test]
    fn one_slip_is_forgiven() {
        assert_eq!(near("sped"), Some("speed"));
        assert_eq!(near("angel"), Some("angle"));
        assert_eq!(near("Speed"), Some("speed"));
        assert_eq!(near("tahn"), Some("tanh"));
    }

    #[test]
    fn an_exact_match_beats_a_near_one() {
        assert_eq!(near("tan"), Some("tan"));
    }

    #[test]
    fn unrelated_words_get_no_suggestion() {
        assert_eq!(near("temperature"), None);
        assert_eq!(near("y"), None);
        assert_eq!(near(""), None);
    }

    #[test]
    fn the_earlier_candidate_wins_a_tie() {
        assert_eq!(nearest("cat", ["car", "cap"].into_iter()), Some("car"));
    }

    #[test]
    fn likelier_slips_win_over_less_likely_ones() {
        assert_eq!(nearest("tahn", ["tan", "tanh"].into_iter()), Some("tanh"));
        assert_eq!(nearest("sine", ["sinh", "sin"].into_iter()), Some("sin"));
    }

    #[test]
    fn very_long_words_are_refused_quickly() {
        assert_eq!(near(&"a".repeat(1 << 20)), None);
    }

    #[test]
    fn distance_counts_each_kind_of_slip_once() {
        let count = |a: &str, b: &str| slips(&letters(a).unwrap(), &letters(b).unwrap());
        assert_eq!(count("abc", "abc"), 0);
        assert_eq!(count("abc", "abd"), WRONG);
        assert_eq!(count("abc", "abcd"), EXTRA);
        assert_eq!(count("abc", "ab"), EXTRA);
        assert_eq!(count("abc", "acb"), SWAPPED);
        assert_eq!(count("kitten", "sitting"), 2 * WRONG + EXTRA);
    }
}
