//! Generalized-α methods on mechanisms of hundreds of bodies: matrices have few entries, and the work grows with the number of links. Forces of closures may act between bodies that no joint
//! connects: that is found out.

use slipstick::equations::{ActiveRows, ClosureSystem, Mechanism, System};
use slipstick::formulation::{Field, Flow, MotionPoint, MotionResidual, Tangents};
use slipstick::math::{Jet, Saddle};
use slipstick::mode::Mode;
use slipstick::problems::{chain, mechanism_problems};
use slipstick::simulate::{Options, Start, simulate};
use slipstick::step::Method;

const METHODS: [Method; 3] = [Method::GeneralizedAlpha, Method::GeneralizedAlpha2, Method::GeneralizedAlpha3];

fn farthest(a: &[f64], b: &[f64]) -> f64 {
    let size = b.iter().fold(1.0_f64, |size, b| size.max(b.abs()));
    a.iter().zip(b).map(|(a, b)| (a - b).abs() / size).fold(0.0, f64::max)
}

/// The largest residual of a rate of a constraint.
fn opening_rate(system: &dyn System, t: f64, y: &[f64]) -> f64 {
    let holonomic = system.constraints().iter().filter(|c| c.holonomic).count();
    let (mut position, mut velocity) = (vec![0.0; holonomic], vec![0.0; system.constraints().len()]);
    system.evaluator().residuals(
        Mode::new(0, 0, 0).locked(system.parameters()),
        t,
        y,
        &mut position,
        &mut velocity,
    );
    velocity.iter().fold(0.0, |most: f64, x| most.max(x.abs()))
}

#[test]
fn the_work_of_a_step_grows_with_the_number_of_links() {
    let costs = [20, 200, 2000].map(|links| {
        let (system, _) = chain(links);
        let tangents = Tangents::new(&system, &ActiveRows::all(&system.shape().mechanism.constraints), true);
        let (matrix, rows) = tangents.joined();
        (tangents.evaluations(), matrix.values.len() + rows.values.len(), Saddle::new(&matrix, &rows).work())
    });
    assert!(costs.iter().all(|cost| cost.0 <= 24), "{costs:?}");
    for pair in costs.windows(2) {
        assert!(pair[1].1 < 11 * pair[0].1 && pair[1].2 < 12.0 * pair[0].2, "{costs:?}");
    }
}

/// Matrices of its 3000 speeds would take 72 MB each if they were full, and their factors minutes.
#[test]
fn a_chain_of_a_thousand_links_falls_as_with_an_explicit_method() {
    let (system, start) = chain(1000);
    let run = |method, fixed_step| {
        // At 1e-8, what positions of a thousand metres round by would come to the speeds of `alpha3`.
        let options =
            Options { method, ..Options::until(0.01).tolerances(1e-6, 1e-6) }.fixed_step(fixed_step);
        simulate(&system, &start, &options).unwrap_or_else(|failure| panic!("{failure}"))
    };
    let truth = run(Method::DormandPrince5, None);
    for method in METHODS {
        let end = run(method, Some(0.001));
        let error = farthest(end.end_state(), truth.end_state());
        assert!(error < 1e-6, "{method:?}: {error:e}");
        if method != Method::GeneralizedAlpha3 {
            let opening = opening_rate(&system, 0.01, end.end_state());
            assert!(opening < 1e-13, "{method:?}: {opening:e}");
        }
    }
}

#[test]
fn rows_of_four_bars_pass_the_position_in_which_they_are_flat() {
    let problems = mechanism_problems();
    for (name, methods) in [("four-bars-40", &METHODS[..]), ("four-bars-100", &METHODS[2..])] {
        let problem = problems.iter().find(|problem| problem.name == name).expect("in the suite");
        for &method in methods {
            let options = Options { method, ..problem.options.clone().tolerances(1e-4, 1e-6) };
            let run = simulate(&*problem.system, &problem.start, &options)
                .unwrap_or_else(|failure| panic!("{name} {method:?}: {failure}"));
            let error = problem.error(run.end_state());
            assert!(error < 0.03, "{name} {method:?}: {error:e}");
        }
    }
}

/// Bobs on rods that hang side by side, with a stiff spring between the first and the last, of which no joint tells.
fn hanging(count: usize) -> (ClosureSystem, Start) {
    let names = (0..count).flat_map(|i| [format!("x{i}"), format!("y{i}")]);
    let places: Vec<(usize, usize)> = (0..count).flat_map(|k| [(k, 2 * k), (k, 2 * k + 1)]).collect();
    let last = 2 * count - 2;
    let system = Mechanism::new(names)
        .forces(move |_, y, f| {
            f.iter_mut().skip(1).step_by(2).for_each(|f| *f = -9.81);
            let stretched = 1e6 * (y[last] - y[0]);
            f[0] += stretched;
            f[last] -= stretched;
        })
        .joints((0..count).map(|i| format!("rod{i}")), |_, q: &[Jet], g| {
            for (q, g) in q.chunks_exact(2).zip(g) {
                *g = q[0] * q[0] + q[1] * q[1] - 1.0;
            }
        })
        .gradient(&places, |_, q, values| values.iter_mut().zip(q).for_each(|(g, q)| *g = 2.0 * q))
        .system();
    let angles = (0..count).map(|i| if i == 0 || i + 1 == count { 0.5 } else { 0.3 + 0.01 * i as f64 });
    let positions = angles.flat_map(|angle: f64| [angle.sin(), -angle.cos()]);
    (system, Start::at(positions.chain(vec![0.0; 2 * count]).collect::<Vec<_>>()))
}

#[test]
fn forces_between_bodies_that_no_joint_connects_are_found() {
    let (system, start) = hanging(40);
    let mut flow = Flow::new(&system, Mode::new(0, 0, 0));
    let rows = ActiveRows::all(&system.shape().mechanism.constraints);
    let (mut left, mut tangents) = (MotionResidual::new(&system, &rows), Tangents::new(&system, &rows, true));
    assert!(tangents.forces.slot(0, 78).is_none());
    let mut rates = vec![0.0; 160];
    flow.derivative(0.0, &start.y, &mut rates);
    let multipliers = flow.constraints().multipliers().to_vec();
    let at = MotionPoint { t: 0.0, y: &start.y, rates: &rates[80..], multipliers: &multipliers };
    for _ in 0..2 {
        flow.second_order().tangents(at, &mut left, &mut tangents);
        assert_eq!(tangents.grown, 1);
        for (row, column, slope) in [(0, 78, -1e6), (78, 0, -1e6), (0, 0, 1e6), (78, 78, 1e6)] {
            let slot = tangents.forces.slot(row, column).expect("an entry");
            assert!((tangents.forces.values[slot] / slope - 1.0).abs() < 1e-3);
        }
    }
    assert!(tangents.forces.values.len() < 700, "{}", tangents.forces.values.len());
    // Its frequency is 225 Hz: without those entries no step of this size could be solved.
    for method in METHODS {
        let options = Options { method, ..Options::until(0.5).tolerances(1e-6, 1e-6) }.fixed_step(0.01);
        let run = simulate(&system, &start, &options).unwrap_or_else(|failure| panic!("{failure}"));
        assert_eq!(run.statistics.accepted, 50);
        assert!((run.end_state()[0] - run.end_state()[78]).abs() < 1e-9);
    }
}
