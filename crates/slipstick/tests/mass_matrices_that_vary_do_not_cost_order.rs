//! Behind a mass matrix that depends on time and state, regular or singular of index 1, a method keeps the order of its solution and of its dense
//! output, also across events.

mod common;

use slipstick::equations::{ClosureGuard, ClosureSystem, System};
use slipstick::formulation::{Field, Flow};
use slipstick::mode::Mode;
use slipstick::simulate::{Options, Start, simulate};
use slipstick::step::Method;
use slipstick::trajectory::Trajectory;

/// What stands in the third row of the matrix, the one of the algebraic equation `w = 1 + x y / 2`.
#[derive(Clone, Copy, Debug)]
enum Third {
    /// `2 + w` on the diagonal: the matrix is regular, and `w'` is that of the equation.
    Regular,
    /// Nothing: the equation stands alone.
    Nothing,
    /// A combination of the other rows that varies, so that the equation stands in none of the rows alone.
    Dependent,
}

/// Newton's iteration with one Jacobian for all stages does not converge at long fixed steps where an equation stands in no row alone.
fn cases() -> impl Iterator<Item = (Method, Third)> {
    let all = [Third::Regular, Third::Nothing, Third::Dependent];
    let methods = [Method::Radau5, Method::Sdirk4, Method::Rodas4];
    let iterates = |method: Method| method != Method::Rodas4;
    let pairs = methods.into_iter().flat_map(move |method| all.map(|third| (method, third)));
    pairs.filter(move |(method, third)| !(iterates(*method) && matches!(third, Third::Dependent)))
}

fn matrix(third: Third, t: f64, s: &[f64]) -> [f64; 9] {
    let (a, b, c, d) = (2.0 + 0.1 * t.sin() * s[2], 0.1 * s[0], 0.5, 1.0 + 0.1 * s[1] * s[1]);
    let last = match third {
        Third::Regular => [0.1 * s[1], 0.0, 2.0 + 0.1 * s[2]],
        Third::Nothing => [0.0; 3],
        Third::Dependent => [a + 0.2 * s[0] * c, b + 0.2 * s[0] * d, 0.0],
    };
    [a, b, 0.0, c, d, 0.0, last[0], last[1], last[2]]
}

fn off(s: &[f64]) -> f64 {
    s[2] - 1.0 - 0.5 * s[0] * s[1]
}

/// The circle x' = y, y' = -x with w = 1 + x y / 2.
fn circle(third: Third) -> ClosureSystem {
    ClosureSystem::new(["x", "y", "w"], move |t, s, ds| {
        let rates = [s[1], -s[0], 0.5 * (s[1] * s[1] - s[0] * s[0])];
        for (out, row) in ds.iter_mut().zip(matrix(third, t, s).chunks(3)) {
            *out = row.iter().zip(&rates).map(|(m, r)| m * r).sum();
        }
        ds[2] += if matches!(third, Third::Regular) { 0.0 } else { off(s) };
    })
    .varying_mass(move |t, s, m| m.copy_from_slice(&matrix(third, t, s)))
}

fn exact(t: f64) -> [f64; 3] {
    [t.cos(), -t.sin(), 1.0 - 0.5 * t.sin() * t.cos()]
}

fn run(system: &ClosureSystem, method: Method, (from, until): (f64, f64), h: f64) -> Trajectory {
    let options = Options { method, ..Options::until(until).tolerances(1e-11, 1e-11) }.fixed_step(h);
    simulate(system, &Start { t: from, ..Start::at(exact(from)) }, &options).unwrap()
}

fn error_at(run: &Trajectory, t: f64) -> f64 {
    let y = run.state_after(t).unwrap().y;
    y.iter().zip(exact(t)).map(|(y, x)| (y - x).abs()).fold(0.0, f64::max)
}

/// The observed order, from steps of the size h, h/2 and h/4; those of the method of order 5 are longer, so that its errors are not rounding.
fn observed(method: Method, error: impl Fn(f64) -> f64) -> (f64, [f64; 3]) {
    let h = if method == Method::Radau5 { 0.2 } else { 0.1 };
    let errors = [h, h / 2.0, h / 4.0].map(error);
    ((errors[0] / errors[2]).log2() / 2.0, errors)
}

fn assert_order(what: &str, (method, third): (Method, Third), found: (f64, [f64; 3]), expected: u32) {
    let (order, errors) = found;
    let message = format!("{what}, {} {third:?}: order {order:.2} from {errors:?}", method.name());
    assert!((order - f64::from(expected)).abs() < 0.25, "{message}");
}

#[test]
fn of_the_solution() {
    for (method, third) in cases() {
        let error = |h: f64| error_at(&run(&circle(third), method, (0.0, 2.0), h), 2.0);
        assert_order("solution", (method, third), observed(method, error), method.facts().order);
    }
}

#[test]
fn of_dense_output() {
    for (method, third) in cases() {
        let (order, errors) = observed(method, |h| {
            let one = run(&circle(third), method, (0.5, 0.5 + h), h);
            (1..20).map(|k| error_at(&one, 0.5 + h * f64::from(k) / 20.0)).fold(0.0, f64::max)
        });
        assert_order("dense output", (method, third), (order - 1.0, errors), method.facts().dense_order);
    }
}

/// Whenever x passes zero, y loses a tenth.
#[test]
fn across_events() {
    for (method, third) in cases() {
        let system =
            circle(third).guard(ClosureGuard::both("middle", |_, s| s[0]).reset(|_, before, after| {
                after[1] = 0.9 * before[1];
                after[2] = 1.0 + 0.5 * before[0] * after[1];
            }));
        let (end, size) = (15.0_f64, 0.9_f64.powi(5));
        let (x, y) = (size * end.cos(), -size * end.sin());
        let error = |h: f64| {
            let run = run(&system, method, (0.0, end), h);
            assert_eq!(run.events.len(), 5);
            let s = run.end_state();
            (s[0] - x).abs().max((s[1] - y).abs()).max((s[2] - 1.0 - 0.5 * x * y).abs())
        };
        // How far into a step an event falls is left to chance: the largest error of steps of about the same size.
        let largest = |h: f64| (0..6).map(|k| error(h * (1.0 + 0.01 * f64::from(k)))).fold(0.0, f64::max);
        assert_order("across events", (method, third), observed(method, largest), method.facts().order);
    }
}

/// Formulas know the derivatives of their mass matrix. The same at every step of a run, up to the error of the differences.
#[test]
fn formulas_give_the_slopes_that_differences_give() {
    let text = r#"
states      = { x = 1.0, y = 0.0, w = 1.0 }
derivatives = { x = "(2 + 0.1*sin(t)*w)*y - 0.1*x^2", y = "0.5*y - (1 + 0.1*y^2)*x", w = "w - 1 - 0.5*x*y" }
mass        = { x.x = "2 + 0.1*sin(t)*w", x.y = "0.1*x", y.x = 0.5, y.y = "1 + 0.1*y^2", w = 0 }
run         = { until = 1 }
"#;
    let formulas = common::system_of(text);
    let closures = circle(Third::Nothing);
    let (point, rates) = ([0.7, -0.4, 1.3], [2.0, -3.0, 5.0]);
    let [exact, differences] = [&formulas as &dyn System, &closures].map(|system| {
        let mut flow = Flow::new(system, Mode::new(0, 0, 0));
        let (mut by_state, mut by_time) = ([f64::NAN; 9], [f64::NAN; 3]);
        flow.mass_slopes(0.3, &point, &rates, (&mut by_state, &mut by_time));
        by_state.into_iter().chain(by_time).collect::<Vec<f64>>()
    });
    assert!(exact.iter().zip(&differences).all(|(a, b)| (a - b).abs() < 1e-7), "{exact:?} {differences:?}");
    // ∂(m₀₁ z₁)/∂x and ∂(m₀₀ z₀)/∂t.
    assert!((exact[0] + 0.3).abs() < 1e-15 && (exact[9] - 0.26 * 0.3_f64.cos()).abs() < 1e-15, "{exact:?}");
}
