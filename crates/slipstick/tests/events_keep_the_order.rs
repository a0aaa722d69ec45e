//! Across twenty events a method keeps what it promises: a tenth of the tolerance gives about a tenth of the error, whichever way events are
//! located, and at fixed steps the error falls with the method's order.

use slipstick::equations::{ClosureGuard, ClosureSystem};
use slipstick::model::Location;
use slipstick::simulate::{Keep, Options, Start, simulate};
use slipstick::step::Method;

/// An oscillator that loses a tenth of its speed whenever it passes the middle: after k passages x = -0.9^k sin(t) up to sign.
const LOSS: f64 = 0.9;
/// Behind the twentieth passage.
const END: f64 = 63.5;

fn system() -> ClosureSystem {
    ClosureSystem::new(["x", "v"], |_, y, dy| {
        dy[0] = y[1];
        dy[1] = -y[0];
    })
    .jacobian(|_, _, j| j.copy_from_slice(&[0.0, 1.0, -1.0, 0.0]))
    .guard(ClosureGuard::both("middle", |_, y| y[0]).reset(|_, before, after| after[1] = LOSS * before[1]))
}

/// The error at the end, against the closed form.
fn error(options: &Options) -> f64 {
    let run = simulate(&system(), &Start::at([1.0, 0.0]), options).expect("a run");
    assert_eq!(run.events.len(), 20, "{:?}", options.method);
    let size = LOSS.powi(20);
    let y = run.end_state();
    (y[0] - size * END.cos()).hypot(y[1] + size * END.sin())
}

fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let (sx, sy) = points.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + x.ln(), b + y.ln()));
    let (mx, my) = (sx / n, sy / n);
    let (top, bottom) = points
        .iter()
        .fold((0.0, 0.0), |(a, b), (x, y)| (a + (x.ln() - mx) * (y.ln() - my), b + (x.ln() - mx).powi(2)));
    top / bottom
}

fn options(method: Method, location: Option<Location>) -> Options {
    let mut options = Options::until(END);
    (options.method, options.events.location, options.keep) = (method, location, Keep::Ends);
    options
}

#[test]
fn a_tenth_of_the_tolerance_gives_about_a_tenth_of_the_error() {
    let ways = [None, Some(Location::Dense), Some(Location::Integrate), Some(Location::OneSided)];
    for &method in
        Method::ALL.iter().filter(|m| m.facts().error_order.is_some() && !m.facts().mechanisms_only)
    {
        // Where steps are long against the time between events, chance decides where an event lies in a step.
        let exponents = match method.facts().order {
            0..4 => 4..8,
            4..6 => 5..10,
            _ => 7..13,
        };
        let tolerances: Vec<f64> = exponents.map(|k| 10f64.powi(-k)).collect();
        for location in ways {
            let points: Vec<(f64, f64)> = tolerances
                .iter()
                .map(|&tol| (tol, error(&options(method, location).tolerances(tol, tol))))
                .collect();
            let slope = slope(&points);
            assert!((0.7..1.35).contains(&slope), "{method:?} {location:?}: {slope} {points:?}");
        }
    }
}

/// The largest error for steps of about this size: how far into a step an event falls is left to chance.
fn largest_error(method: Method, h: f64) -> f64 {
    let mut options = options(method, None);
    let errors = (0..8).map(|k| {
        options.steps.fixed = Some(h * (1.0 + 0.01 * f64::from(k)));
        error(&options)
    });
    errors.fold(0.0, f64::max)
}

#[test]
fn at_fixed_steps_the_error_falls_with_the_order() {
    for &method in Method::ALL.iter().filter(|m| !m.facts().mechanisms_only) {
        let facts = method.facts();
        let base: f64 = if facts.order > 6 { 0.5 } else { 0.15 };
        let points: Vec<(f64, f64)> = [1.0, 0.9, 0.8, 0.7, 0.6, 0.5]
            .iter()
            .map(|part| (base * part, largest_error(method, base * part)))
            .collect();
        let slope = slope(&points);
        assert!(slope > f64::from(facts.order) - 0.6, "{method:?}: {slope} {points:?}");
    }
}
