//! One table: every method, on the form of a mechanism that it solves, with every problem of contacts and
//! friction. Events are those of the closed forms, or of an explicit method of order 8 on the index-1 form
//! where there are none. The table has no holes.

mod common;

use common::plan;
use slipstick::formulation::Stabilisation;
use slipstick::simulate::{Options, Plan, simulate};
use slipstick::step::Method;
use slipstick::trajectory::Trajectory;

const TOLERANCE: f64 = 1e-7;
/// What event times may be off by: of methods of order two, and of others.
const OFF: [f64; 2] = [1e-4, 1e-6];
/// The step of methods that cannot choose theirs.
const FIXED_STEP: f64 = 1e-3;
/// How many units of rounding of the speeds a slip may be at the end of a step while its contact sticks.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// A block on a belt that moves, held by a spring that is inclined: it sticks and slips.
const BELT: &str = r#"
parameters = { k = 40, L = 0.4, H = 0.5, vb = 0.3 }
coordinates = { x = 0, y = 0 }
speeds.x = 0.3
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y + k/2*(hypot(x, y - H) - L)^2"
contacts.belt = { gap = "y", slip = "x' - vb", friction = { static = 0.6, sliding = 0.4 } }
run.until = 6.8
"#;

/// A bead slides down a dome, leaves it, and hits the ground.
const DOME: &str = r#"
coordinates = { x = "sin(0.2)", y = "cos(0.2)" }
speeds = { x = "1.5*cos(0.2)", y = "-1.5*sin(0.2)" }
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y"
contacts.dome = { gap = "hypot(x, y) - 1", slip = "(x'*y - y'*x)/hypot(x, y)", friction = 0.3 }
contacts.ground = { gap = "y", restitution = 0.5 }
run.until = 0.8
"#;

/// The bead comes to rest on the dome.
const BRAKED: &str = r#"
coordinates = { x = "sin(0.05)", y = "cos(0.05)" }
speeds = { x = "0.6*cos(0.05)", y = "-0.6*sin(0.05)" }
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y"
run.until = 1
[contacts.dome]
gap = "hypot(x, y) - 1"
slip = "(x'*y - y'*x)/hypot(x, y)"
friction = { static = 0.4, sliding = 0.3 }
"#;

/// A cylinder rolls down another, slips, and leaves it.
const DRUM: &str = r#"
coordinates = { x = "1.25*sin(0.1)", y = "1.25*cos(0.1)", th = 0 }
kinetic = "(x'^2 + y'^2)/2 + 0.0625/4*th'^2"
potential = "9.81*y"
contacts.drum = { gap = "hypot(x, y) - 1.25", slip = "(x'*y - y'*x)/hypot(x, y) - 0.25*th'", friction = 0.4 }
run.until = 1.4
"#;

/// A block on a table that moves, and one on top of it.
const STACK: &str = r#"
coordinates = { x1 = 0, y1 = 0, x2 = 0, y2 = 0 }
kinetic = "x1'^2 + y1'^2 + (x2'^2 + y2'^2)/2"
potential = "9.81*(2*y1 + y2)"
run.until = 4
[contacts.lower]
gap = "y1"
slip = "x1' - 1.4*(1 - cos(4*t))*exp(-0.25*t)"
friction = { static = 0.35, sliding = 0.3 }
[contacts.upper]
gap = "y2 - y1"
slip = "x2' - x1'"
friction = { static = 0.25, sliding = 0.2 }
"#;

/// A double pendulum of points and rods that hits a wall: the impact goes through the joints.
const WALL: &str = r#"
kinetic = "(x1'^2 + y1'^2)/2 + x2'^2 + y2'^2"
potential = "9.81*(y1 + 2*y2)"
constraints.rod1 = "hypot(x1, y1) - 1"
constraints.rod2 = "hypot(x2 - x1, y2 - y1) - 0.7"
contacts.wall = { gap = "-0.96*x2 + 0.28*y2 + 0.9", restitution = 1 }
run.until = 3
[coordinates]
x1 = "sin(-0.7)"
y1 = "-cos(0.7)"
x2 = "sin(-0.7) + 0.7*sin(-0.4)"
y2 = "-cos(0.7) - 0.7*cos(0.4)"
"#;

/// A pendulum whose rod brakes it by a part of its own force.
const ROD: &str = r#"
coordinates = { x = 0.8, y = -0.6 }
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y"
constraints.rod = "x^2 + y^2 - 1"
forces.x = "-0.1*abs(lambda.rod)*sign(x')"
run.until = 4
"#;

/// A slider on a bent rail whose roughness varies, with a bob that hangs from it on a rod. It does not stop.
const SLIDER: &str = r#"
coordinates = { x = 0, y = 0, u = 0.6, w = -0.8 }
speeds = { x = 3, u = 3 }
kinetic = "x'^2 + y'^2 + (u'^2 + w'^2)/2"
potential = "9.81*(2*y + w)"
constraints.rod = "(u - x)^2 + (w - y)^2 - 1"
run.until = 0.6
[contacts.rail]
gap = "y - 0.1*x^2"
slip = "(x' + 0.2*x*y')/sqrt(1 + 0.04*x^2)"
friction = "0.2 + 0.05*x"
"#;

/// A block that rocks on its two edges until it stands: its contacts then hold it more than once.
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

/// The slip of a contact at a state.
type Slip = fn(f64, &[f64]) -> f64;

struct Case {
    name: &'static str,
    text: &'static str,
    /// The events with their times; none where a run of high order gives them.
    truth: Option<&'static [(&'static str, f64)]>,
    /// The slips of contacts, in their order.
    slips: &'static [Slip],
}

const CASES: [Case; 9] = [
    Case {
        name: "belt",
        text: BELT,
        truth: Some(&[
            ("contact.belt.slip", 0.780_427_898_683_066_8),
            ("contact.belt.stick", 2.012_141_894_603_404_3),
            ("contact.belt.slip", 2.318_613_475_308_381),
            ("contact.belt.stick", 3.550_327_471_228_718_7),
            ("contact.belt.slip", 3.856_799_051_933_695_7),
            ("contact.belt.stick", 5.088_513_047_854_033),
            ("contact.belt.slip", 5.394_984_628_559_01),
            ("contact.belt.stick", 6.626_698_624_479_348),
        ]),
        slips: &[|_, y| y[2] - 0.3],
    },
    Case {
        name: "dome",
        text: DOME,
        truth: Some(&[
            ("contact.dome.lift", 0.353_041_120_864_731_6),
            ("contact.ground.hit", 0.575_704_867_145_883_1),
        ]),
        slips: &[],
    },
    Case {
        name: "braked",
        text: BRAKED,
        truth: Some(&[("contact.dome.stick", 0.336_242_276_919_813_8)]),
        slips: &[|_, y| (y[2] * y[1] - y[3] * y[0]) / y[0].hypot(y[1])],
    },
    Case {
        name: "drum",
        text: DRUM,
        truth: Some(&[
            ("contact.drum.slip", 1.132_020_096_341_461_6),
            ("contact.drum.lift", 1.282_370_194_410_718),
        ]),
        slips: &[|_, y| (y[3] * y[1] - y[4] * y[0]) / y[0].hypot(y[1]) - 0.25 * y[5]],
    },
    Case {
        name: "stack",
        text: STACK,
        truth: Some(&[
            ("contact.upper.slip", 0.118_967_363_402_859_1),
            ("contact.lower.slip", 0.238_952_104_886_570_12),
            ("contact.lower.stick", 0.749_120_758_917_057_7),
            ("contact.upper.reverse", 0.986_438_104_959_153_3),
            ("contact.lower.slip", 1.052_205_794_276_431_6),
            ("contact.lower.stick", 1.508_158_917_699_511_7),
            ("contact.upper.reverse", 1.779_953_044_613_124_6),
            ("contact.upper.stick", 2.404_230_725_386_149),
            ("contact.upper.slip", 2.558_865_571_316_738),
            ("contact.upper.stick", 3.188_819_230_914_946),
        ]),
        slips: &[|t, y| y[4] - 1.4 * (1.0 - (4.0 * t).cos()) * (-0.25 * t).exp(), |_, y| y[6] - y[4]],
    },
    Case {
        name: "wall",
        text: WALL,
        truth: Some(&[
            ("contact.wall.hit", 0.818_414_972_727_991_7),
            ("contact.wall.hit", 2.455_499_143_569_585_8),
        ]),
        slips: &[],
    },
    Case { name: "rod", text: ROD, truth: None, slips: &[] },
    Case { name: "slider", text: SLIDER, truth: Some(&[]), slips: &[] },
    Case { name: "rocking", text: ROCKING, truth: None, slips: &[] },
];

/// A method on a form: all of them, and Radau IIA on the stabilised form too.
fn rows() -> impl Iterator<Item = (String, Method, bool)> {
    let own = Method::named().map(|method| (method.name().to_owned(), method, false));
    own.chain([("radau5+ggl".to_owned(), Method::Radau5, true)])
}

fn options(plan: &Plan, method: Method, is_stabilised: bool) -> Options {
    let mut options = plan.options.clone().tolerances(TOLERANCE, 0.01 * TOLERANCE).with_method(method);
    if is_stabilised {
        options = options.stabilisation(Stabilisation::Ggl);
    }
    if method.facts().error_order.is_none() { options.fixed_step(FIXED_STEP) } else { options }
}

fn run(plan: &Plan, options: &Options) -> Trajectory {
    simulate(&plan.system, &plan.start, options).unwrap_or_else(|failure| panic!("{failure}"))
}

/// The events by name, with their times.
fn events(run: &Trajectory) -> Vec<(String, f64)> {
    let name = |guards: &[usize]| {
        guards.iter().map(|&guard| run.guard_names[guard].clone()).collect::<Vec<_>>().join(" + ")
    };
    run.events.iter().map(|event| (name(&event.guards), event.t)).collect()
}

fn truth(case: &Case, plan: &Plan) -> Vec<(String, f64)> {
    let Some(truth) = case.truth else {
        let exact = plan.options.clone().tolerances(1e-12, 1e-14).with_method(Method::DormandPrince8);
        return events(&run(plan, &exact));
    };
    truth.iter().map(|(name, t)| ((*name).to_owned(), *t)).collect()
}

/// What is wrong with the events of a run, if something is.
fn complaint(found: &[(String, f64)], truth: &[(String, f64)], off: f64) -> Option<String> {
    if found.len() != truth.len() {
        return Some(format!("{} events, not {}: {found:?}", found.len(), truth.len()));
    }
    let is_off = |((name, t), (other, truth)): &(&(String, f64), &(String, f64))| {
        name != other || (t - truth).abs() > off
    };
    found.iter().zip(truth).find(is_off).map(|(found, truth)| format!("{found:?}, not {truth:?}"))
}

/// The largest slip at the ends of steps in which a contact sticks, in units of the largest speed of the run.
fn largest_slip(case: &Case, run: &Trajectory) -> f64 {
    let (mut slips, mut fastest) = (0.0_f64, 0.0_f64);
    for segment in &run.segments {
        for t in segment.steps().iter().skip(1).map(|step| step.t).chain([segment.end_time]) {
            let y = segment.state(t);
            fastest = y[y.len() / 2..].iter().fold(fastest, |most, v| most.max(v.abs()));
            // The state of a contact is followed by its direction.
            let sticks = |k: usize| segment.mode.values.discrete[2 * k] == 2.0;
            let sticking = case.slips.iter().enumerate().filter(|(k, _)| sticks(*k));
            slips = sticking.fold(slips, |most, (_, slip)| most.max(slip(t, &y).abs()));
        }
    }
    slips / fastest
}

fn check(case: &Case) {
    let plan = plan(case.text);
    let truth = truth(case, &plan);
    for (name, method, is_stabilised) in rows() {
        let run = run(&plan, &options(&plan, method, is_stabilised));
        let off = OFF[usize::from(method.facts().order > 2)];
        if let Some(wrong) = complaint(&events(&run), &truth, off) {
            panic!("{name} on {}: {wrong}", case.name);
        }
        let slip = largest_slip(case, &run);
        assert!(slip <= ROUNDING, "{name} on {}: a slip of {slip:e}", case.name);
    }
}

macro_rules! table {
    ($($test:ident => $case:literal,)+) => {
        $(#[test]
        fn $test() {
            check(CASES.iter().find(|case| case.name == $case).unwrap());
        })+
    };
}

table! {
    a_block_sticks_to_a_belt_and_slips => "belt",
    a_bead_slides_off_a_dome => "dome",
    a_bead_is_braked_to_rest_on_a_dome => "braked",
    a_cylinder_rolls_slips_and_leaves => "drum",
    stacked_blocks_slip_one_by_one => "stack",
    an_impact_goes_through_joints => "wall",
    a_rod_brakes_by_its_own_force => "rod",
    a_slider_on_a_bent_rail_slides_on => "slider",
    a_rocking_block_comes_to_stand => "rocking",
}

/// The order between the first and the last of three numbers of steps that double.
fn order(errors: [f64; 3]) -> f64 {
    (errors[0] / errors[2]).log2() / 2.0
}

/// The largest error of the slider at its end for some numbers of equal steps.
fn errors_of_slider(method: Method, is_stabilised: bool, steps: [u32; 3]) -> [f64; 3] {
    let plan = plan(SLIDER);
    let exact = plan.options.clone().tolerances(1e-13, 1e-14).with_method(Method::DormandPrince8);
    let truth = run(&plan, &exact);
    steps.map(|steps| {
        let fixed = plan.options.until / f64::from(steps);
        // Newton's iterations go far below the errors of the steps.
        let options = options(&plan, method, is_stabilised).tolerances(1e-11, 1e-13);
        let run = run(&plan, &options.fixed_step(fixed));
        let both = run.end_state().iter().zip(truth.end_state());
        both.fold(0.0, |worst: f64, (found, truth)| worst.max((found - truth).abs()))
    })
}

#[test]
fn half_explicit_methods_slide_at_order_five() {
    for method in [Method::HalfExplicit5, Method::PartitionedHalfExplicit5] {
        let errors = errors_of_slider(method, false, [20, 40, 80]);
        assert!(order(errors) > 4.75, "{}: {:.2} from {errors:?}", method.name(), order(errors));
    }
}

#[test]
fn generalized_alpha_methods_slide_at_order_two() {
    for method in [Method::GeneralizedAlpha, Method::GeneralizedAlpha2, Method::GeneralizedAlpha3] {
        let errors = errors_of_slider(method, false, [100, 200, 400]);
        assert!((order(errors) - 2.0).abs() < 0.2, "{}: {:.2} from {errors:?}", method.name(), order(errors));
    }
}

#[test]
fn radau_slides_at_order_five_on_the_stabilised_form() {
    let errors = errors_of_slider(Method::Radau5, true, [10, 20, 40]);
    assert!(order(errors) > 4.5, "{:.2} from {errors:?}", order(errors));
}

/// A block that sticks, with a bob that swings on it: corrections of the rod do not move the block along the
/// ground.
#[test]
fn what_sticks_does_not_creep() {
    let plan = plan(
        r#"
        coordinates = { x = 0, y = 0, u = 0.6, w = -0.8 }
        kinetic = "x'^2 + y'^2 + (u'^2 + w'^2)/2"
        potential = "9.81*(2*y + w)"
        constraints.rod = "(u - x)^2 + (w - y)^2 - 1"
        contacts.ground = { gap = "y", slip = "x'", friction = 5 }
        run.until = 5
        "#,
    );
    for (name, method, is_stabilised) in rows() {
        let run = run(&plan, &options(&plan, method, is_stabilised));
        assert!(run.events.is_empty(), "{name}: {:?}", events(&run));
        let x = run.end_state()[0];
        assert!(x.abs() <= 1e-12, "{name}: {x:e}");
    }
}

/// The block has a stiff spring to a small mass: where the block would creep, the spring would be pressed.
#[test]
fn what_sticks_does_not_press_stiff_springs() {
    let plan = plan(
        r#"
        coordinates = { x = 0, y = 0, u = 0.6, w = -0.8, s = 0 }
        kinetic = "x'^2 + y'^2 + (u'^2 + w'^2)/2 + 0.005*s'^2"
        potential = "9.81*(2*y + w) + 5e6*(s - x)^2"
        forces = { s = "-200*(s' - x')", x = "200*(s' - x')" }
        constraints.rod = "(u - x)^2 + (w - y)^2 - 1"
        contacts.ground = { gap = "y", slip = "x'", friction = 5 }
        run.until = 2
        "#,
    );
    let steps =
        |is_stabilised| run(&plan, &options(&plan, Method::Radau5, is_stabilised)).statistics.accepted;
    let (index_1, stabilised) = (steps(false), steps(true));
    assert!(stabilised <= index_1, "{stabilised} steps, and {index_1} on the index-1 form");
}

/// A rod that slides on its tip and all but jams: what rings in the multipliers of a generalized-α method,
/// after a step of another size, comes to all accelerations. Its error estimate must not see that.
#[test]
fn generalized_alpha_methods_do_not_ring_next_to_jamming() {
    let plan = plan(
        r#"
        coordinates = { x = 0, y = "sin(1.1)", th = 1.1 }
        speeds.x = -2
        kinetic = "(x'^2 + y'^2)/2 + th'^2/6"
        potential = "9.81*y"
        contacts.tip = { gap = "y - sin(th)", slip = "x' + th'*sin(th)", friction = 1.2 }
        run.until = 0.012
        "#,
    );
    for method in [Method::GeneralizedAlpha, Method::GeneralizedAlpha2, Method::GeneralizedAlpha3] {
        let run = run(&plan, &options(&plan, method, false));
        let (accepted, rejected) = (run.statistics.accepted, run.statistics.rejected);
        assert!(20 * rejected < accepted, "{}: {rejected} of {accepted} steps", method.name());
    }
}
