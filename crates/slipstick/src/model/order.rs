//! The order in which definitions that use each other can be computed.

use std::collections::BTreeMap;

/// Sorts definitions so that each comes after those it uses. `uses(i)` lists the names that definition `i`
/// mentions; names outside the list are ignored. The error lists every cycle once, each beginning with its
/// first member.
pub fn dependency_order<'a>(
    names: &[&'a str],
    uses: impl Fn(usize) -> Vec<&'a str>,
) -> Result<Vec<usize>, Vec<Vec<usize>>> {
    let index: BTreeMap<&str, usize> = names.iter().enumerate().map(|(i, n)| (*n, i)).collect();
    let needs: Vec<Vec<usize>> = (0..names.len())
        .map(|i| {
            let mut needs: Vec<usize> = uses(i).iter().filter_map(|n| index.get(n).copied()).collect();
            needs.sort_unstable();
            needs.dedup();
            needs
        })
        .collect();
    let order = peel(&needs);
    if order.len() == names.len() { Ok(order) } else { Err(cycles(&needs, &order)) }
}

/// Kahn's method: repeatedly removes what needs nothing that is left. The rest is in or after a cycle.
fn peel(needs: &[Vec<usize>]) -> Vec<usize> {
    let mut open: Vec<usize> = needs.iter().map(Vec::len).collect();
    let mut needed_by = vec![Vec::new(); needs.len()];
    for (i, list) in needs.iter().enumerate() {
        for &n in list {
            needed_by[n].push(i);
        }
    }
    let mut order: Vec<usize> = (0..needs.len()).filter(|&i| open[i] == 0).collect();
    let mut next = 0;
    while let Some(&done) = order.get(next) {
        next += 1;
        for &i in &needed_by[done] {
            open[i] -= 1;
            if open[i] == 0 {
                order.push(i);
            }
        }
    }
    order
}

/// From each definition left, follows the first need that is left, until one repeats.
fn cycles(needs: &[Vec<usize>], order: &[usize]) -> Vec<Vec<usize>> {
    let mut state = vec![0_usize; needs.len()];
    for &i in order {
        state[i] = usize::MAX;
    }
    let mut cycles = Vec::new();
    for first in 0..needs.len() {
        let (mut path, mut at) = (Vec::new(), first);
        while state[at] == 0 {
            state[at] = first + 1;
            path.push(at);
            // What is left needs something that is left: otherwise it would have been taken away.
            at = needs[at].iter().copied().find(|&n| state[n] != usize::MAX).unwrap_or(at);
        }
        if state[at] == first + 1
            && let Some(begin) = path.iter().position(|&i| i == at)
        {
            cycles.push(path[begin..].to_vec());
        }
    }
    cycles
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(graph: &[(&'static str, &[&'static str])]) -> Result<Vec<usize>, Vec<Vec<usize>>> {
        let names: Vec<&str> = graph.iter().map(|g| g.0).collect();
        dependency_order(&names, |i| graph[i].1.to_vec())
    }

    #[test]
    fn a_definition_comes_after_what_it_uses() {
        assert_eq!(order(&[("a", &["b", "c"]), ("b", &["c", "g"]), ("c", &[])]), Ok(vec![2, 1, 0]));
    }

    #[test]
    fn each_cycle_is_reported_once() {
        let graph: &[(&str, &[&str])] = &[("a", &["b"]), ("b", &["a"]), ("c", &["c"]), ("d", &["a"])];
        assert_eq!(order(graph), Err(vec![vec![0, 1], vec![2]]));
    }

    #[test]
    fn a_long_chain_needs_no_deep_stack() {
        let names: Vec<String> = (0..100_000).map(|i| format!("p{i}")).collect();
        let refs: Vec<&str> = names.iter().map(String::as_str).collect();
        let order = dependency_order(&refs, |i| refs.get(i + 1).copied().into_iter().collect()).unwrap();
        assert_eq!(order[0], 99_999);
    }
}
