//! Cases that were solved exactly, in rational numbers.

use super::super::{Problem, Proof, Solution, enumerate, lemke, solve};

const CASES: &str = include_str!("../../../../tests/contact_reference/lcp_cases.json");
/// The cases have small whole numbers and at most five rows: solutions have all digits but a few.
const CLOSE: f64 = 1e-12;

struct Case {
    kind: String,
    matrix: Vec<f64>,
    constant: Vec<f64>,
    solutions: Vec<Vec<f64>>,
}

impl Case {
    fn problem(&self) -> Problem<'_> {
        Problem { matrix: &self.matrix, constant: &self.constant }
    }

    fn lists(&self, solution: &Solution) -> bool {
        self.solutions
            .iter()
            .any(|z| z.iter().zip(&solution.z).all(|(a, b)| (a - b).abs() <= CLOSE * (1.0 + a.abs())))
    }
}

/// The rational numbers, written as strings, of the value of a key.
fn numbers(text: &str) -> Vec<f64> {
    let number = |text: &str| match text.split_once('/') {
        Some((p, q)) => p.parse::<f64>().unwrap() / q.parse::<f64>().unwrap(),
        None => text.parse().unwrap(),
    };
    text.split('"').skip(1).step_by(2).map(number).collect()
}

/// The text between a key and another one.
fn between<'t>(text: &'t str, from: &str, to: &str) -> &'t str {
    let start = text.find(from).unwrap() + from.len();
    &text[start..start + text[start..].find(to).unwrap()]
}

fn cases() -> Vec<Case> {
    let case = |text: &str| Case {
        kind: between(text, "\"", "\"").to_owned(),
        matrix: numbers(between(text, "\"M\":", "\"q\":")),
        constant: numbers(between(text, "\"q\":", "\"P_matrix\":")),
        solutions: text.split("\"z\":").skip(1).map(|z| numbers(&z[..z.find("\"w\":").unwrap()])).collect(),
    };
    CASES.split("\"kind\":").skip(1).map(case).collect()
}

#[test]
fn all_are_read() {
    let cases = cases();
    assert_eq!(cases.len(), 58);
    assert_eq!(cases.iter().map(|case| case.solutions.len()).sum::<usize>(), 56);
}

#[test]
fn enumeration_finds_the_listed_solutions() {
    for case in cases() {
        let found = enumerate(&case.problem()).unwrap();
        let listed = found.iter().filter(|solution| case.lists(solution)).count();
        assert_eq!(listed, case.solutions.len(), "{}: {:?} {found:?}", case.kind, case.problem());
        assert_eq!(found.is_empty(), case.solutions.is_empty(), "{}", case.kind);
    }
}

#[test]
fn lemke_finds_a_solution_or_none_where_there_is_none() {
    for case in cases() {
        let outcome = solve(&case.problem());
        match outcome.clone().solution() {
            Some(solution) => assert!(case.lists(&solution), "{}: {solution:?}", case.kind),
            None => assert!(
                case.solutions.is_empty() && outcome.proves_no_solution(),
                "{}: {outcome:?}",
                case.kind
            ),
        }
    }
}

#[test]
fn a_ray_says_what_it_proves() {
    let proof = |matrix: &[f64], constant: &[f64]| match lemke(&Problem { matrix, constant }) {
        super::super::LcpOutcome::Ray(ray) => ray.proof,
        other => panic!("{other:?}"),
    };
    assert_eq!(proof(&[0.0, 1.0, -1.0, 0.0], &[-1.0, -1.0]), Proof::Semidefinite);
    assert_eq!(proof(&[1.0, -1.0, -1.0, 1.0], &[-1.0, 0.5]), Proof::Semidefinite);
    assert_eq!(proof(&[-1.0], &[-1.0]), Proof::Infeasible);
}
