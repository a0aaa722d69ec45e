//! Contacts in closures: the same events and forces as from a model file, with every kind of method; what a contact
//! cannot be is refused.

mod common;

use common::plan;
use slipstick::contact::Status;
use slipstick::equations::{ClosureGuard, ClosureSystem, Coefficient, Contact, Mechanism, System};
use slipstick::formulation::Stabilisation;
use slipstick::math::Jet;
use slipstick::model::ImpactLaw;
use slipstick::simulate::{Options, Plan, Start, simulate};
use slipstick::step::Method;
use slipstick::trajectory::{Joints, Trajectory};

const G: f64 = 9.81;

const METHODS: [(Method, Option<Stabilisation>); 5] = [
    (Method::DormandPrince5, None),
    (Method::HalfExplicit5, None),
    (Method::GeneralizedAlpha, None),
    (Method::Radau5, None),
    (Method::Radau5, Some(Stabilisation::Ggl)),
];

fn names(run: &Trajectory) -> Vec<Vec<String>> {
    let names = |guards: &[usize]| guards.iter().map(|&g| run.guard_names[g].clone()).collect();
    run.events.iter().map(|event| names(&event.guards)).collect()
}

/// Runs closures and the model file of the same mechanism with all methods: events are the same, and so are states
/// and multipliers beside them, to a multiple of the tolerance.
fn agree(closures: &ClosureSystem, model: &str, until: f64) -> Vec<Trajectory> {
    let plan: Plan = plan(model);
    let mut runs = Vec::new();
    for (method, stabilisation) in METHODS {
        let tolerance: f64 = if method == Method::GeneralizedAlpha { 1e-6 } else { 1e-9 };
        let mut options = Options { method, ..Options::until(until).tolerances(tolerance, 1e-2 * tolerance) };
        if let Some(stabilisation) = stabilisation {
            options.constraints.stabilisation = stabilisation;
        }
        let said =
            simulate(&plan.system, &plan.start, &options).unwrap_or_else(|failure| panic!("{failure:?}"));
        let run = simulate(closures, &Start::at(plan.start.y.clone()), &options);
        let run = run.unwrap_or_else(|failure| panic!("{method:?}: {}", failure.error));
        assert_eq!(names(&run), names(&said), "{method:?}");
        let most = 1e3 * tolerance;
        let mut paths = (run.of(closures), said.of(&plan.system));
        for (a, b) in run.events.iter().zip(&said.events) {
            assert!((a.t - b.t).abs() < most, "{method:?}: {} {}", a.t, b.t);
            let forces = [paths.0.forces_after(a.t).unwrap(), paths.1.forces_after(b.t).unwrap()];
            let of = |k: usize, name: &str| {
                let system: [&dyn System; 2] = [closures, &plan.system];
                forces[k].multipliers[system[k].constraints().iter().position(|c| c.name == name).unwrap()]
            };
            for constraint in (closures as &dyn System).constraints() {
                let [a, b] = [of(0, &constraint.name), of(1, &constraint.name)];
                assert!(
                    (a - b).abs() < 10.0 * most * (1.0 + b.abs()),
                    "{method:?} {}: {a} {b}",
                    constraint.name
                );
            }
        }
        drop(paths);
        for (a, b) in run.end_state().iter().zip(said.end_state()) {
            assert!((a - b).abs() < 10.0 * most, "{method:?}: {a} {b}");
        }
        runs.push(run);
    }
    runs
}

const BALL: &str = r#"
coordinates.y = 1
kinetic = "y'^2/2"
potential = "9.81*y"
contacts.floor = { gap = "y", restitution = 0.8 }
run.until = 5
"#;

fn ball() -> Mechanism {
    Mechanism::new(["y"]).forces(|_, _, f| f[0] = -G)
}

#[test]
fn a_ball_bounces_and_rests() {
    let system = ball().contact(Contact::new("floor", |_, q| q[0]).restitution(0.8)).system();
    for run in agree(&system, BALL, 5.0) {
        let rest = run.event_times("contact.floor.rest").next().unwrap();
        assert!((rest - 4.0637127689).abs() < 1e-4, "{rest}");
        assert!(run.end_state()[0].abs() < 1e-15 && run.end_state()[1] == 0.0, "{:?}", run.end_state());
    }
}

const BELT: &str = r#"
parameters = { k = 40, L = 0.4, H = 0.5, vb = 0.3 }
coordinates = { x = 0, y = 0 }
speeds.x = 0.3
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y + k/2*(hypot(x, y - H) - L)^2"
contacts.belt = { gap = "y", slip = "x' - vb", friction = { static = 0.6, sliding = 0.4 } }
run.until = 6.8
"#;

fn spring(_: Jet, q: &[Jet]) -> Jet {
    let stretched = (q[0] * q[0] + (q[1] - 0.5) * (q[1] - 0.5)).sqrt() - 0.4;
    9.81 * q[1] + 20.0 * stretched * stretched
}

#[test]
fn a_block_sticks_and_slips_on_a_belt() {
    let belt = Contact::new("belt", |_, q| q[1]).friction(|_, _, v| v[0] - 0.3, 0.6, 0.4);
    let system = Mechanism::new(["x", "y"]).potential(spring).contact(belt).system();
    agree(&system, BELT, 6.8);
}

#[test]
fn gradients_that_are_given_do_what_jets_do() {
    let belt = Contact::by_differences("belt", |_, q| q[1])
        .friction(|_, _, v| v[0] - 0.3, 0.6, Coefficient::of(|_, _, _| 0.4))
        .gradient(&[1], |_, _, values| values[0] = 1.0)
        .slip_gradient(&[0], |_, _, values| values[0] = 1.0);
    let system = Mechanism::new(["x", "y"]).potential(spring).contact(belt).system();
    agree(&system, BELT, 2.0);
}

const ROCKING: &str = r#"
parameters = { b = 0.1, h = 0.3, a0 = 0.1 }
coordinates = { x = 0, y = "b*sin(a0) + h*cos(a0)", a = "a0" }
kinetic = "(x'^2 + y'^2)/2 + (b^2 + h^2)/6*a'^2"
potential = "9.81*y"
[contacts]
left  = { gap = "y - b*sin(a) - h*cos(a)", slip = "x' + (h*cos(a) + b*sin(a))*a'", friction = 0.8 }
right = { gap = "y + b*sin(a) - h*cos(a)", slip = "x' + (h*cos(a) - b*sin(a))*a'", friction = 0.8 }
[run]
until = 3
"#;

#[test]
fn a_block_rocks_on_its_corners() {
    let corner = |name: &str, b: f64| {
        Contact::new(name, move |_, q| q[1] - b * q[2].sin() - 0.3 * q[2].cos()).friction(
            move |_, q, v| v[0] + (0.3 * q[2].cos() + b * q[2].sin()) * v[2],
            0.8,
            0.8,
        )
    };
    let inertia = (0.01 + 0.09) / 3.0;
    let system = Mechanism::new(["x", "y", "a"])
        .masses(move |_, _, m| m.copy_from_slice(&[1.0, 1.0, inertia]))
        .forces(|_, _, f| f[1] = -G)
        .contact(corner("left", 0.1))
        .contact(corner("right", -0.1))
        .system();
    for run in agree(&system, ROCKING, 1.0) {
        assert!(run.events.len() > 3, "{:?}", names(&run));
    }
}

const PENDULUM: &str = r#"
coordinates = { x = 0.8, y = -0.6 }
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y"
constraints.rod = "x^2 + y^2 - 1"
contacts.wall = { gap = "x + 0.3", restitution = 0.7 }
run.until = 3
"#;

/// Beside a joint and a further state; a discrete variable of the user comes before those of contacts.
#[test]
fn a_pendulum_hits_a_wall() {
    let system = Mechanism::new(["x", "y"])
        .forces(|_, _, f| f[1] = -G)
        .contact(Contact::new("wall", |_, q| q[0] + 0.3).restitution(0.7))
        .joints(["rod"], |_, q, g| g[0] = q[0] * q[0] + q[1] * q[1] - 1.0)
        .system();
    agree(&system, PENDULUM, 3.0);
    let system = system.discrete("own", 7.0);
    assert_eq!(system.shape().discrete_names[..2], ["own", "contact.wall.state"]);
    let run = simulate(&system, &Start::at([0.8, -0.6, 0.0, 0.0]), &Options::until(3.0)).unwrap();
    let joints = Joints::of(&system, &Options::until(3.0).upkeep(), &run).unwrap();
    assert!(joints.position.unwrap().value < 1e-13, "an open contact is no open joint: {joints:?}");
    let discrete = &run.segments.last().unwrap().mode.values.discrete;
    assert!(discrete[0] == 7.0 && discrete[4] > 0.0, "{discrete:?}");
}

/// The model file that this is has a test of its own; the count makes the third hit the last.
#[test]
fn events_follow_what_happens_to_contacts() {
    let counted = |leader: &str| {
        let count = ClosureGuard::after("count", leader)
            .hybrid_reset(|locked, _, _, after| after.discrete[0] = locked.discrete[0] + 1.0);
        let floor = Contact::new("floor", |_, q| q[0]);
        let restitution = Coefficient::of(|locked, _, _| if locked.discrete[0] < 3.0 { 0.8 } else { 0.0 });
        ball().contact(floor.restitution(restitution)).system().discrete("n", 0.0).guard(count)
    };
    let run = simulate(&counted("contact.floor.hit"), &Start::at([1.0, 0.0]), &Options::until(5.0)).unwrap();
    let first = (2.0 / G).sqrt();
    let times: Vec<f64> = run.event_times("count").collect();
    let expected = [1.0, 2.6, 3.88, 4.904].map(|part| part * first);
    assert!(times.len() == 4 && times.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9), "{times:?}");
    assert_eq!(run.end_state(), [0.0, 0.0]);
    let failure = simulate(&counted("floor.hit"), &Start::at([1.0, 0.0]), &Options::until(5.0)).unwrap_err();
    assert_eq!(failure.error.code(), "unknown-name");
}

#[test]
fn contacts_go_with_other_speeds_than_rates() {
    // A bead whose speed is half the rate of its place: the same bounces as those of the ball.
    let floor = Contact::new("floor", |_, q| q[0]).restitution(0.8);
    let system = Mechanism::new(["y"])
        .kinematics(["u"], |_, _, v, dq| dq[0] = 2.0 * v[0])
        .forces(|_, _, f| f[0] = -0.5 * G)
        .contact(floor)
        .system();
    for (method, _) in &METHODS[..2] {
        let options = Options { method: *method, ..Options::until(5.0).tolerances(1e-9, 1e-11) };
        let run = simulate(&system, &Start::at([1.0, 0.0]), &options).unwrap();
        let rest = run.event_times("contact.floor.rest").next().unwrap();
        assert!((rest - 4.0637127689).abs() < 1e-4, "{method:?}: {rest}");
    }
}

#[test]
fn forces_of_contacts_are_read_along_the_run() {
    let belt = Contact::new("belt", |_, q| q[1]).friction(|_, _, v| v[0] - 0.3, 0.6, 0.4);
    let system = Mechanism::new(["x", "y"]).potential(spring).contact(belt).system();
    let run =
        simulate(&system, &Start::at([0.0, 0.0, 0.3, 0.0]), &Options::until(1.5).tolerances(1e-10, 1e-12));
    let run = run.unwrap();
    let slip = run.event_times("contact.belt.slip").next().unwrap();
    let mut path = run.of(&system);
    let (before, after) = (path.contacts_before(slip).unwrap()[0], path.contacts_after(slip).unwrap()[0]);
    assert_eq!((before.status, after.status), (Status::Sticks, Status::Slides(-1.0)));
    let expected = [[4.300088586425665, 2.580053151855399], [4.300088586425665, 1.720035434570266]];
    for (found, [normal, tangent]) in [before, after].into_iter().zip(expected) {
        assert!((found.normal - normal).abs() < 1e-8 && (found.tangent - tangent).abs() < 1e-8, "{found:?}");
    }
}

/// The coefficient looks at a mode: what a model file would find as zones.
#[test]
fn laws_may_depend_on_what_is_discrete() {
    let slide = |friction: Coefficient| {
        let floor = Contact::new("floor", |_, q| q[1]).friction(|_, _, v| v[0], 0.5, friction);
        let system = Mechanism::new(["x", "y"]).forces(|_, _, f| f[1] = -G).contact(floor).system();
        let system = system
            .modes(["rough", "smooth"])
            .guard(ClosureGuard::rising("border", |_, y| y[0] - 0.5).in_mode(0).goto(1));
        simulate(&system, &Start::at([0.0, 0.0, 3.0, 0.0]), &Options::until(1.0)).unwrap()
    };
    let run = slide(Coefficient::of(|locked, _, _| if locked.mode == 0 { 0.5 } else { 0.0 }));
    let speed = (9.0 - G * 0.5_f64).sqrt();
    assert!((run.end_state()[2] - speed).abs() < 1e-6, "{:?}", run.end_state());
    assert!(slide(0.5.into()).event_times("contact.floor.stick").count() == 1);
}

fn refusal(contact: Contact) -> String {
    let system = Mechanism::new(["x", "y"]).contact(contact).system();
    let failure = simulate(&system, &Start::at([0.3, 1.0, 0.7, 0.0]), &Options::until(1.0)).unwrap_err();
    assert!(!failure.error.hint().is_empty());
    failure.error.code().to_owned()
}

#[test]
fn what_a_contact_cannot_be_is_refused() {
    let floor = || Contact::new("floor", |_, q| q[1]);
    assert_eq!(refusal(floor().friction(|_, _, v| v[0] * v[0], 0.5, 0.5)), "slip-not-linear");
    assert_eq!(refusal(floor().law(ImpactLaw::Poisson).friction(|_, _, v| v[0], 0.5, 0.5)), "bad-contact");
    assert_eq!(refusal(floor().gradient(&[1], |_, _, values| values[0] = 2.0)), "wrong-gradient");
    assert_eq!(refusal(floor().gradient(&[2], |_, _, values| values[0] = 1.0)), "bad-place");
    let slips = floor().friction(|_, _, v| v[0], 0.5, 0.5);
    assert_eq!(refusal(slips.slip_gradient(&[0], |_, _, values| values[0] = 2.0)), "wrong-gradient");
    assert_eq!(refusal(Contact::new("floor", |_, q| q[1] - 2.0)), "contact-penetrates");
}
