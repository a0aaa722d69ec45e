//! The order of every explicit and half-explicit method, by the algebraic conditions of Butcher: for each
//! rooted tree t, `Σ b_i Φ_i(t) = 1 / γ(t)`.
//!
//! Hairer, Nørsett, Wanner I, section II.2; for dense output `Σ b_i(θ) Φ_i(t) = θ^ρ(t) / γ(t)`, section II.6.

use super::Method;
use super::explicit::{ErrorRule, Tableau};
use crate::math::dot;

/// A rooted tree: its children (as places in the list of all trees), how many vertices it has, and its
/// density γ.
struct RootedTree {
    children: Vec<usize>,
    vertices: usize,
    density: f64,
}

/// All rooted trees of at most `most` vertices, the smaller ones first.
fn trees(most: usize) -> Vec<RootedTree> {
    let mut all: Vec<RootedTree> = Vec::new();
    for vertices in 1..=most {
        let mut forests = Vec::new();
        let largest = all.len();
        forests_of(&all, vertices - 1, largest, &mut Vec::new(), &mut forests);
        for children in forests {
            let density =
                children.iter().fold(vertices as f64, |product, &child| product * all[child].density);
            all.push(RootedTree { children, vertices, density });
        }
    }
    all
}

/// Adds every multiset of trees before `limit` that has the given number of vertices in all.
fn forests_of(
    all: &[RootedTree],
    vertices: usize,
    limit: usize,
    chosen: &mut Vec<usize>,
    out: &mut Vec<Vec<usize>>,
) {
    if vertices == 0 {
        out.push(chosen.clone());
        return;
    }
    for tree in (0..limit).filter(|&tree| all[tree].vertices <= vertices) {
        chosen.push(tree);
        forests_of(all, vertices - all[tree].vertices, tree + 1, chosen, out);
        chosen.pop();
    }
}

/// Φ of every tree for every stage, for a matrix given by rows.
fn elementary_weights(trees: &[RootedTree], matrix: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut phi: Vec<Vec<f64>> = Vec::new();
    for tree in trees {
        let of_stage = |row: &Vec<f64>| tree.children.iter().map(|&child| dot(row, &phi[child])).product();
        let weights = matrix.iter().map(of_stage).collect();
        phi.push(weights);
    }
    phi
}

/// Every stage of a method: those of the tableau, the one at the end of the step, those for dense output.
fn all_rows(tableau: &Tableau) -> Vec<Vec<f64>> {
    let mut rows: Vec<Vec<f64>> = tableau.matrix.iter().map(|row| row.to_vec()).collect();
    if !tableau.last_is_first {
        rows.push(tableau.weights.to_vec());
    }
    rows.extend(tableau.dense.matrix.iter().map(|row| row.to_vec()));
    rows
}

/// The largest violation, at θ, of the conditions of the trees with exactly `vertices` vertices.
fn violation(trees: &[RootedTree], phi: &[Vec<f64>], weights: &[f64], vertices: usize, theta: f64) -> f64 {
    let power = (0..vertices).fold(1.0, |power, _| power * theta);
    let of_tree = |(tree, phi): (&RootedTree, &Vec<f64>)| (dot(weights, phi) - power / tree.density).abs();
    let of_this_size = trees.iter().zip(phi).filter(|(tree, _)| tree.vertices == vertices);
    of_this_size.map(of_tree).fold(0.0, f64::max)
}

/// Asserts that weights are of exactly the given order at the end of the step.
fn assert_order(name: &str, weights: &[f64], trees: &[RootedTree], phi: &[Vec<f64>], order: usize) {
    for vertices in 1..=order {
        let off = violation(trees, phi, weights, vertices, 1.0);
        assert!(off < ROUNDING, "{name}: off by {off:e} at order {vertices}");
    }
    let off = violation(trees, phi, weights, order + 1, 1.0);
    assert!(off > VIOLATED, "{name}: order {} is met too, to {off:e}", order + 1);
}

/// Terms of up to about 50 are added, some dozens of them.
const ROUNDING: f64 = 1e-13;

/// A condition that is not met is off by more than this.
const VIOLATED: f64 = 1e-6;

/// The same within a step, where errors near its ends are smaller.
const VIOLATED_WITHIN: f64 = 1e-8;

fn explicit_methods() -> impl Iterator<Item = (Method, &'static Tableau)> {
    Method::ALL.iter().filter_map(|&method| Some((method, method.facts().tableau()?)))
}

fn as_index(order: u32) -> usize {
    usize::try_from(order).unwrap()
}

#[test]
fn there_are_as_many_trees_as_known() {
    let trees = trees(9);
    for (vertices, count) in (1..).zip([1, 1, 2, 4, 9, 20, 48, 115, 286]) {
        assert_eq!(trees.iter().filter(|tree| tree.vertices == vertices).count(), count);
    }
    // The tall tree and the bush of four vertices have densities 4! and 4.
    let densities: Vec<f64> = trees.iter().filter(|tree| tree.vertices == 4).map(|t| t.density).collect();
    assert!(densities.contains(&24.0) && densities.contains(&4.0));
}

#[test]
fn rows_have_the_length_and_the_sum_of_their_stage() {
    for (method, tableau) in explicit_methods() {
        let dense = &tableau.dense;
        let mut nodes = tableau.nodes.to_vec();
        if !tableau.last_is_first {
            nodes.push(1.0);
        }
        nodes.extend(dense.nodes);
        let rows = all_rows(tableau);
        assert_eq!(rows.len(), nodes.len(), "{}", method.name());
        for (i, (row, node)) in rows.iter().zip(&nodes).enumerate() {
            assert_eq!(row.len(), i, "{}: row {i}", method.name());
            assert!((row.iter().sum::<f64>() - node).abs() < ROUNDING, "{}: row {i}", method.name());
        }
        assert_eq!(tableau.weights.len(), tableau.nodes.len(), "{}", method.name());
        assert!(dense.rows.iter().all(|row| row.len() == rows.len()), "{}", method.name());
    }
}

#[test]
fn a_last_stage_that_is_the_next_first_has_the_weights_as_its_row() {
    for (method, tableau) in explicit_methods().filter(|(_, tableau)| tableau.last_is_first) {
        let last = tableau.matrix[tableau.matrix.len() - 1];
        assert_eq!([last, &[0.0]].concat(), tableau.weights, "{}", method.name());
    }
}

#[test]
fn weights_have_exactly_the_stated_order() {
    let trees = trees(9);
    for (method, tableau) in explicit_methods() {
        let phi = elementary_weights(&trees, &all_rows(tableau));
        assert_order(method.name(), tableau.weights, &trees, &phi, as_index(method.facts().order));
    }
}

/// The embedded solution `b - e` is of another order than `b`, and the lower of both is the order of their
/// difference. In DOP853 the two estimates, h⁶ and h⁴, are joined to h^(2·6 - 4).
#[test]
fn errors_have_exactly_the_stated_order() {
    let trees = trees(9);
    for (method, tableau) in explicit_methods() {
        let (name, facts) = (method.name(), method.facts());
        let phi = elementary_weights(&trees, &all_rows(tableau));
        let embedded =
            |e: &[f64]| -> Vec<f64> { tableau.weights.iter().zip(e).map(|(b, e)| b - e).collect() };
        match tableau.error {
            ErrorRule::None => assert_eq!(facts.error_order, None, "{name}"),
            ErrorRule::Embedded(e) => {
                let stated = facts.error_order.unwrap();
                let carries_the_lower_order = stated == facts.order;
                let order = if carries_the_lower_order { stated + 1 } else { stated };
                assert_order(name, &embedded(e), &trees, &phi, as_index(order));
            }
            ErrorRule::Joined { fifth, third } => {
                assert_order(name, &embedded(fifth), &trees, &phi, 5);
                assert_order(name, &embedded(third), &trees, &phi, 3);
                assert_eq!(facts.error_order, Some(2 * 6 - 4 - 1), "{name}");
            }
        }
    }
}

/// `b(θ)` of the part of the dense output that needs no bootstrapping: the cubic and what the rows add to it.
fn dense_weights(tableau: &Tableau, theta: f64) -> Vec<f64> {
    let rows = all_rows(tableau);
    let end = tableau.matrix.len() - usize::from(tableau.last_is_first);
    let of_stage = |i: usize| {
        let rise = tableau.weights.get(i).copied().unwrap_or(0.0);
        let bend = f64::from(u8::from(i == 0)) - rise;
        let mut coefficients = vec![rise, bend, rise - f64::from(u8::from(i == end)) - bend];
        coefficients.extend(tableau.dense.rows.iter().map(|row| row[i]));
        let factor = |k: usize| if k.is_multiple_of(2) { theta } else { 1.0 - theta };
        coefficients.iter().enumerate().rev().fold(0.0, |sum, (k, c)| factor(k) * (c + sum))
    };
    (0..rows.len()).map(of_stage).collect()
}

/// Each row adds an order, up to that of the method; bootstrapping beyond that is measured in
/// `methods_have_their_order`.
#[test]
fn dense_output_of_the_tableau_has_exactly_the_order_of_its_rows() {
    let trees = trees(9);
    for (method, tableau) in explicit_methods() {
        let (name, facts) = (method.name(), method.facts());
        let phi = elementary_weights(&trees, &all_rows(tableau));
        let order = (3 + tableau.dense.rows.len()).min(as_index(facts.order));
        assert_eq!(
            order.max(tableau.dense.bootstrap_to).min(as_index(facts.order)),
            as_index(facts.dense_order),
            "{name}"
        );
        for theta in [0.1, 0.3, 0.55, 0.7, 0.95] {
            let weights = dense_weights(tableau, theta);
            for vertices in 1..=order {
                let off = violation(&trees, &phi, &weights, vertices, theta);
                assert!(off < ROUNDING, "{name}: off by {off:e} at order {vertices}, θ = {theta}");
            }
            let off = violation(&trees, &phi, &weights, order + 1, theta);
            assert!(
                off > VIOLATED_WITHIN,
                "{name}: order {} is met too, to {off:e}, at θ = {theta}",
                order + 1
            );
        }
    }
}

/// The rows of both half-explicit methods, from the first stage on: of the states of their stages, and with
/// its node each point at which constraints are met.
#[expect(clippy::type_complexity, reason = "a list of what there is to check")]
fn half_explicit_methods() -> [(Method, Vec<Vec<f64>>, Vec<(f64, &'static [f64])>); 2] {
    let rows = |rows: &[&[f64]]| rows.iter().map(|row| row.to_vec()).collect::<Vec<_>>();
    let hem5 = [&[&[][..]], &super::hem5::MATRIX[..]].concat();
    let met = |nodes: &'static [f64], rows: &[&'static [f64]]| -> Vec<(f64, &'static [f64])> {
        nodes.iter().copied().zip(rows.iter().copied()).collect()
    };
    [
        (Method::HalfExplicit5, rows(&hem5), met(&super::hem5::NODES[1..], &super::hem5::MATRIX)),
        (
            Method::PartitionedHalfExplicit5,
            rows(super::dopri5::TABLEAU.matrix),
            met(&super::phem56::NODES_AHEAD[1..], &super::phem56::AHEAD),
        ),
    ]
}

/// What is printed of HEM5 has 16 digits, of numbers up to 4.
const PRINTED: f64 = 1e-12;

#[test]
fn half_explicit_methods_are_of_order_five_where_nothing_is_constrained() {
    let trees = trees(6);
    for (method, rows, _) in half_explicit_methods() {
        let (phi, weights) = (elementary_weights(&trees, &rows), &rows[rows.len() - 1]);
        for vertices in 1..=5 {
            let off = violation(&trees, &phi, weights, vertices, 1.0);
            assert!(off < PRINTED, "{}: off by {off:e} at order {vertices}", method.name());
        }
        assert!(violation(&trees, &phi, weights, 6, 1.0) > VIOLATED, "{}", method.name());
    }
}

/// Where constraints are met, the rows integrate 1, t and t² exactly, and the last of the step t³ and t⁴ too:
/// with that the constraints of stages do not disturb the order (Brasey, Hairer 1993; Murua 1997). Of HEM5's
/// first point only the first holds; it has no weight in the solution.
#[test]
fn half_explicit_methods_meet_constraints_where_their_rows_are_accurate() {
    for (method, rows, met) in half_explicit_methods() {
        let nodes: Vec<f64> = rows.iter().map(|row| row.iter().sum()).collect();
        let off = |row: &[f64], node: f64, power: i32| {
            let sum: f64 = row.iter().zip(&nodes).map(|(a, c)| a * c.powi(power)).sum();
            (sum - node.powi(power + 1) / f64::from(power + 1)).abs()
        };
        for (k, &(node, row)) in met.iter().enumerate() {
            assert!(row[row.len() - 1] != 0.0, "{}: nothing meets constraint {k}", method.name());
            let is_end = row.len() == rows.len() - 1 || row == &rows[rows.len() - 1][..];
            let highest = match (method, k) {
                (Method::HalfExplicit5, 0) => 0,
                _ if is_end && node == 1.0 => 4,
                _ => 2,
            };
            for power in 0..=highest {
                assert!(off(row, node, power) < PRINTED, "{} {k} {power}", method.name());
            }
        }
    }
}

/// Equation (33): the state of HEM5's eighth stage is of order 3, and the lower estimate of order 2; together
/// they make 2·4 - 3 (34).
#[test]
fn the_estimates_of_hem5_have_exactly_their_orders() {
    let trees = trees(5);
    let [(_, rows, _), _] = half_explicit_methods();
    let phi = elementary_weights(&trees, &rows);
    for (weights, order) in [(&rows[7][..], 3), (&super::hem5::LOWER[..], 2)] {
        for vertices in 1..=order {
            assert!(violation(&trees, &phi, weights, vertices, 1.0) < PRINTED, "{order} {vertices}");
        }
        assert!(violation(&trees, &phi, weights, order + 1, 1.0) > VIOLATED, "{order}");
    }
    assert_eq!(Method::HalfExplicit5.facts().error_order, Some(2 * 4 - 3 - 1));
}

/// The value within the step that makes dense output of `phem56` is of order 4.
#[test]
fn the_value_within_a_step_of_phem56_has_exactly_its_order() {
    let trees = trees(5);
    let [_, (_, rows, _)] = half_explicit_methods();
    let phi = elementary_weights(&trees, &rows);
    let theta = super::phem56::NODES_AHEAD[6];
    for vertices in 1..=4 {
        let off = violation(&trees, &phi, &super::phem56::WITHIN, vertices, theta);
        assert!(off < ROUNDING, "off by {off:e} at order {vertices}");
    }
    assert!(violation(&trees, &phi, &super::phem56::WITHIN, 5, theta) > VIOLATED);
}
