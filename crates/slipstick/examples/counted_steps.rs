//! Runs each method on a problem of its kind, each run in a function that callgrind can tell from the rest:
//! `.ci/instructions` counts the instructions of a step with it. Prints one line for each run: its name and
//! how many steps it made.

use slipstick::equations::System;
use slipstick::formulation::Stabilisation;
use slipstick::model::Model;
use slipstick::problems::{MarbleJar, constrained, marble_jar, smooth, stiff};
use slipstick::simulate::{
    Failure, Keep, Monitor, Options, Overrides, Plan, Progress, Simulator, Start, Stop, simulate,
};
use slipstick::step::Method;
use slipstick::trajectory::Trajectory;

/// One run, counted. Gives its steps.
#[inline(never)]
fn counted_run(run: &mut dyn FnMut() -> u64) -> u64 {
    std::hint::black_box(run())
}

/// The steps of a run that has come to its end.
fn steps_of(run: Result<Trajectory, Box<Failure>>) -> u64 {
    run.map_or(0, |run| run.statistics.accepted + run.statistics.rejected)
}

fn count(problem: &str, system: &dyn System, start: &Start, options: &Options) {
    let mut options = options.clone();
    options.keep = Keep::Ends;
    let steps = counted_run(&mut || steps_of(simulate(system, start, &options)));
    println!("{problem}/{} {steps}", options.method.name());
}

fn adaptive() -> impl Iterator<Item = Method> {
    Method::ALL.iter().copied().filter(|method| method.facts().error_order.is_some())
}

/// Pleiades for explicit methods, van der Pol's equation for implicit ones.
fn count_plain_equations() {
    let problems: Vec<_> = smooth().into_iter().chain(stiff()).collect();
    let named = |name: &str| problems.iter().find(|problem| problem.name == name);
    for method in adaptive().filter(|method| !method.facts().mechanisms_only) {
        let name = if method.facts().implicit { "van-der-pol-1e3" } else { "pleiades" };
        if let Some(problem) = named(name) {
            let options = Options { method, ..problem.options(1e-5) };
            count(name, &*problem.system, &problem.start, &options);
        }
    }
}

fn count_mechanism() {
    let all = constrained();
    let Some(andrews) = all.iter().find(|problem| problem.name == "andrews-0.03") else { return };
    for method in adaptive() {
        let mut options = andrews.plan.options.clone().tolerances(1e-5, 1e-6);
        options.method = method;
        count("andrews", &andrews.plan.system, &andrews.plan.start, &options);
    }
    for (name, stabilisation) in
        [("andrews-stabilised", Stabilisation::Twice), ("andrews-drifting", Stabilisation::None)]
    {
        let mut options = andrews.plan.options.clone().tolerances(1e-8, 1e-9);
        (options.method, options.constraints.stabilisation) = (Method::DormandPrince5, stabilisation);
        count(name, &andrews.plan.system, &andrews.plan.start, &options);
    }
}

fn count_events() {
    if let Some(jar) = marble_jar(MarbleJar { marbles: 2, damped: false }, 1e-6).pop() {
        count("jar", &*jar.system, &jar.start, &jar.options);
    }
}

/// 100 bodies on springs; the same with a guard; and with 100 joints that are open until that guard fires.
/// They cost next to nothing. All keep their dense output.
fn count_open_joints() {
    let (free, open) =
        (include_str!("../tests/cases/free-100.toml"), include_str!("../tests/cases/open-contacts-100.toml"));
    let others = open.lines().filter(|line| !line.starts_with("constraints"));
    let guarded: Vec<&str> = others.chain(["events.held.guard = \"held > 0.5\""]).collect();
    for (name, text) in [("free-100", free), ("guarded-100", &guarded.join("\n")), ("open-100", open)] {
        let Ok(model) = Model::from_toml(text) else { continue };
        let Ok(plan) = Plan::new(&model, &Overrides::default()) else { continue };
        let steps = counted_run(&mut || steps_of(simulate(&plan.system, &plan.start, &plan.options)));
        println!("{name}/{} {steps}", plan.options.method.name());
    }
}

/// 100 bodies on springs, as a mechanism, and the same with a floor far below each: an open contact costs its guard.
fn count_open_contacts() {
    let each = |form: &dyn Fn(usize) -> String| (0..100).map(form).collect::<Vec<_>>();
    let coordinates = each(&|k| format!("y{k} = {}", 0.01 * k as f64)).join(", ");
    let kinetic = each(&|k| format!("y{k}'^2/2")).join(" + ");
    let potential = each(&|k| format!("(1 + 0.01*{k})*y{k}^2/2")).join(" + ");
    let free = format!(
        "coordinates = {{ {coordinates} }}\nkinetic = \"{kinetic}\"\npotential = \"{potential}\"\n\
         run = {{ method = \"dop853\", rtol = 1e-8, until = 100 }}\n"
    );
    let contacts = each(&|k| format!("contacts.c{k} = {{ gap = \"y{k} + 9\" }}")).join("\n");
    for (name, text) in [("free-mechanism", free.clone()), ("open-contacts", format!("{free}{contacts}"))] {
        let Ok(model) = Model::from_toml(&text) else { continue };
        let Ok(plan) = Plan::new(&model, &Overrides::default()) else { continue };
        let steps = counted_run(&mut || steps_of(simulate(&plan.system, &plan.start, &plan.options)));
        println!("{name}/{} {steps}", plan.options.method.name());
    }
}

/// A ball that bounces twenty times.
const BALL: &str = "parameters = { g = 9.81, e = 0.9 }\nstates = { y = 1, v = 0 }\nderivatives = { y = \"v\", v = \"-g\" }\n\
    events.floor = { guard = \"y < 0\", reset = { v = \"-e * v\" } }\nrun = { rtol = 1e-6, until = ";
/// A relay that feeds back: it slides 28 times and switches between.
const RELAY: &str = "states = { y1 = 0, y2 = 0.2, y3 = 0.06 }\nswitches.relay = \"y1\"\n\
    derivatives = { y1 = \"-3.5*y1 + y2 - relay\", y2 = \"-627.5*y1 + y3 + 2*relay\", y3 = \"-625*y1 - relay\" }\n\
    run = { rtol = 1e-6, until = 12.566370614359172 }";
/// A block on a belt that sticks and slips six times.
const BELT: &str = "states = { x = 0, v = 0.5 }\n\
    derivatives = { x = \"v\", v = \"-x - (1 - 0.2*abs(v - 0.5))*sign(v - 0.5)\" }\nrun = { rtol = 1e-6, until = 42 }";

/// 100 balls that bounce each by itself.
fn hundred_balls() -> String {
    let each = |form: &dyn Fn(usize) -> String| (0..100).map(form).collect::<Vec<_>>();
    let states = each(&|k| format!("y{k} = {}, v{k} = 0", 1.0 + 0.01 * k as f64)).join(", ");
    let derivatives = each(&|k| format!("y{k} = \"v{k}\", v{k} = \"-9.81\"")).join(", ");
    let bounce =
        |k: usize| format!("events.b{k} = {{ guard = \"y{k} < 0\", reset = {{ v{k} = \"-0.9*v{k}\" }} }}");
    let events = each(&bounce).join("\n");
    format!(
        "states = {{ {states} }}\nderivatives = {{ {derivatives} }}\n{events}\nrun = {{ rtol = 1e-6, until = 3 }}"
    )
}

/// Ends a run before its first step.
struct AtOnce;

impl Monitor for AtOnce {
    fn watch(&mut self, _progress: &Progress) -> Option<Stop> {
        Some(Stop { code: "set-up", reason: String::new() })
    }
}

/// What it takes to begin a run of the ball with other parameters, by a simulator that has run before: all
/// from the call up to the first step, and to hand back the record. Dropping that is not counted.
fn count_set_up() {
    let Ok(model) = Model::from_toml(&format!("{BALL}7.5 }}")) else { return };
    let Ok(plan) = Plan::new(&model, &Overrides::default()) else { return };
    let Some(values) = plan.system.prepare(&[(0, 1.62), (1, 0.5)]) else { return };
    let options = Options { keep: Keep::Ends, ..plan.options };
    let mut simulator = Simulator::new(&plan.system, &options);
    let before = simulator.run(&plan.system.initial_values().parameters, &plan.start);
    let start = plan.start.with(&values);
    if before.is_ok() {
        let mut run = None;
        counted_run(&mut || {
            run = Some(simulator.run_watched(&values.parameters, &start, &mut AtOnce));
            1
        });
        println!("set-up/run 1");
    }
}

/// Whole runs with events, from model files, counted as one step each.
fn count_runs() {
    let runs = [
        ("ball", format!("{BALL}7.5 }}")),
        ("relay", RELAY.to_owned()),
        ("belt", BELT.to_owned()),
        ("balls", hundred_balls()),
    ];
    for (name, text) in runs {
        let Ok(model) = Model::from_toml(&text) else { continue };
        let Ok(plan) = Plan::new(&model, &Overrides::default()) else { continue };
        let options = Options { keep: Keep::Ends, ..plan.options };
        counted_run(&mut || steps_of(simulate(&plan.system, &plan.start, &options)));
        println!("{name}/run 1");
    }
}

fn main() {
    count_plain_equations();
    count_mechanism();
    count_events();
    count_open_joints();
    count_open_contacts();
    count_set_up();
    count_runs();
}
