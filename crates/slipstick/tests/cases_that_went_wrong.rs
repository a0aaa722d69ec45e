//! Small models that were wrong, refused or too dear once, each named by its symptom, and what must happen
//! instead.
//!
//! `STILL_WRONG` lists the rows that still go wrong. Such a row has to go wrong, so that the list shrinks with every row that
//! comes right.

mod cpu_time;

use slipstick::model::Model;
use slipstick::simulate::{Overrides, Plan, Unwatched, simulate_watched};
use slipstick::step::{Method, Tolerances};
use slipstick::trajectory::{EventKind, Outcome, Trajectory};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// The rows that still go wrong.
const STILL_WRONG: &[&str] = &[];

/// What a row says: nothing if all is right, otherwise what is wrong.
type Verdict = Result<(), String>;

/// Makes a test of each row.
macro_rules! rows {
    ($($(#[$doc:meta])* $name:ident => $check:expr;)*) => {$(
        $(#[$doc])*
        #[test]
        fn $name() {
            judge(stringify!($name), || $check);
        }
    )*};
}

rows! {
    two_modes_with_one_threshold_run_away_from_it => all_methods(case("two-modes-one-threshold"), |run, rtol| {
        near("x(3)", end(run, "x"), 1.0, 10.0 * rtol)
    });
    a_thermostat_without_hysteresis_heats_on => all_methods(case("thermostat-no-hysteresis"), |run, rtol| {
        near("T(2)", end(run, "T"), 20.0, 200.0 * rtol)
    });
    a_guard_that_is_true_where_its_mode_begins_never_fires => all_methods(case("thermostat-timer"), |run, rtol| {
        near("T(12)", end(run, "T"), 19.7328, 5e-5 + 2000.0 * rtol)?;
        equal("transitions", transitions(run), 41)
    });
    a_thing_that_lifts_off_is_hit_at_once => all_methods(case("lift-off"), |run, rtol| {
        near("y(2)", end(run, "y"), 6.69588, 1e-5 + 100.0 * rtol)?;
        equal("lift", fired(run, "lift"), 1)?;
        equal("hit", fired(run, "hit"), 0)
    });
    touching_balls_fall_through_each_other => all_methods(case("touching-balls"), |run, rtol| {
        near("q0", end(run, "q0"), 0.75, 1e-4 + 30.0 * rtol)?;
        near("q1", end(run, "q1"), 0.76, 1e-4 + 30.0 * rtol)
    });
    a_block_that_slips_at_the_corner_sticks_again => all_methods(case("leave-stick-at-corner"), |run, rtol| {
        near("x(5)", end(run, "x"), 1.0 + 0.2 * 4.5_f64.sin(), 30.0 * rtol)?;
        equal("slip", fired(run, "slip"), 1)?;
        equal("stick", fired(run, "stick"), 0)
    });
    a_guard_that_starts_at_a_triple_zero_fires_many_times => all_methods(TRIPLE_ZERO, |run, rtol| {
        equal("up", fired(run, "up"), 1)?;
        near("t", run.event_times("up").next().unwrap_or(f64::NAN), 0.0, 1e-9)?;
        near("z(1)", end(run, "z"), 1.0 / 6.0, 10.0 * rtol)
    });
    events_caused_by_events_are_lost => all_methods_and_steps(case("events-cause-events"), &[1.7, 0.3, 0.01], |run, rtol| {
        equal("high", fired(run, "high"), 3)?;
        let times = run.event_times("high").zip([2.0, 3.0, 4.0]);
        times.into_iter().try_for_each(|(t, truth)| near("t", t, truth, 10.0 * rtol))
    });
    an_event_fires_many_times_while_sliding_on_a_curve => all_methods(case("event-while-sliding-on-a-curve"), |run, rtol| {
        equal("f", fired(run, "f"), 1)?;
        near("t", run.event_times("f").next().unwrap_or(f64::NAN), 0.5_f64.sqrt(), 30.0 * rtol)
    });
    leaving_one_surface_drops_sliding_on_another => all_methods(case("two-floors"), |run, rtol| {
        near("x(4)", end(run, "x"), 1.0, 30.0 * rtol)
    });
    a_pendulum_stops_dead_at_a_surface_of_positions_and_speeds => passes_the_surface();
    a_surface_of_speeds_that_is_approached_panics => run(case("panic-reach"), |_| ()).map(|_| ()).or(Ok(()));
    infinities_are_accepted => refused_or_finite(case("overflow"));
    constraints_that_are_no_numbers_are_accepted => run(case("nan-constraint"), |_| ()).map_or(Ok(()), |run| {
        Err(format!("{}: a constraint that is NaN is no constraint that is met", run.outcome))
    });
    a_ball_with_drag_falls_through_the_floor_of_implicit_methods => accumulates();
    a_plastic_impact_is_found_many_times => all_methods(PLASTIC, |run, _| {
        equal("hit", fired(run, "hit"), 11)
    });
    of_two_switches_that_fall_together_one_is_lost => all_methods(case("coinciding-switches"), |run, rtol| {
        near("b(2)", end(run, "b"), 0.18, 10.0 * rtol)?;
        near("a(2)", end(run, "a"), 1.44, 30.0 * rtol)
    });
    a_guard_on_a_switched_output_does_not_fire_while_sliding => all_methods(case("guard-on-sliding-output"), |run, rtol| {
        equal("e", fired(run, "e"), 1)?;
        near("t", run.event_times("e").next().unwrap_or(f64::NAN), 2.0, 30.0 * rtol)
    });
    a_switch_in_a_branch_that_is_not_taken_is_a_cycle => all_methods(case("branch-not-taken"), |_, _| Ok(()));
    a_switch_in_a_one_sided_branch_is_a_cycle => all_methods(case("branch-not-taken-one-sided"), |_, _| Ok(()));
    the_pounding_problem_is_a_cycle => {
        let run = run(case("pounding-as-printed"), |_| ())?;
        equal("transitions", transitions(&run), 18)
    };
    a_power_of_a_branch_lets_every_step_be_rejected => runs(case("livelock"));
    an_infinite_jacobian_ends_the_run => runs(case("root-with-radau5"));
    twisting_accumulates_at_fine_tolerances => all_methods(case("twisting-1e-9"), |run, rtol| {
        near("x(8)", end(run, "x"), 0.0, rtol)?;
        near("v(8)", end(run, "v"), 0.0, rtol)
    });
    rest_is_ignored_where_a_sign_changes_with_the_impact => all_methods(case("rest-with-sign"), |run, _| {
        near("theta(3)", end(run, "theta"), 0.0, 0.0)?;
        near("w(3)", end(run, "w"), 0.0, 0.0)
    });
    touching_the_corner_of_sliding_is_dear => {
        let run = run(case("touches-the-corner"), |_| ())?;
        near("x(4)", end(&run, "x"), -0.5522847498, 1e-6)?;
        at_most("right-hand sides", run.statistics.derivatives, 600)
    };
    an_oscillator_beside_a_constant_is_taken_for_stiff => {
        let run = run(case("oscillator-is-not-stiff"), |_| ())?;
        near("y(8.5)", end(&run, "y"), 1e-3 * (8.5 * 1e5_f64.sqrt()).cos(), 1e-5)?;
        at_most("right-hand sides", run.statistics.derivatives, 85_000)
    };
    a_gear_is_no_whole_number => all_methods(case("gearbox"), |run, rtol| {
        near("gear(60)", end(run, "gear"), 3.0, 0.0)?;
        near("v(60)", end(run, "v"), 12.2475, 1e-4 + 100.0 * rtol)
    });
    constants_move_while_sliding => all_methods(case("constants-while-sliding"), |run, rtol| {
        near("amp", end(run, "amp"), 1.0, 0.0)?;
        near("clock", end(run, "clock"), 50.0, 1e-11)?;
        near("y", end(run, "y"), 50.0_f64.sin(), 30.0 * rtol)
    });
    rest_comes_early_beside_a_fast_coordinate => rests_alike();
    an_impact_raises_the_energy_without_a_warning => {
        let run = run(case("oblique-impact-energy"), |_| ())?;
        said(&run, |code, text| code.contains("energy") || text.contains("energy"))
    };
    two_resets_that_contradict_each_other_go_on => match run(case("three-balls-together"), |_| ()) {
        Err(why) if why.contains("conflicting-resets") => Ok(()),
        other => Err(format!("no `conflicting-resets` ends the run: {:?}", other.map(|run| run.outcome))),
    };
    a_reset_that_passes_through_is_not_noticed => {
        let run = run(THROUGH, |_| ())?;
        said(&run, |code, _| code == "passes-through")
    };
    taking_off_by_force_is_refused => {
        let run = run(case("take-off-by-force"), |_| ())?;
        equal("leave", fired(&run, "leave"), 1)?;
        let leaves = run.events.iter().find(|e| e.guards.iter().any(|&g| run.guard_names[g] == "leave"));
        let height = leaves.map_or(f64::NAN, |event| event.before[1]);
        near("height", height, 2.0 / 3.0 * 0.99995, 1e-5)
    };
    friction_of_joints_is_refused => {
        let run = run(case("joint-friction"), |_| ())?;
        let [x, y, vx, vy] = ["x", "y", "x'", "y'"].map(|name| end(&run, name));
        near("rod", x * x + y * y, 1.0, 1e-9)?;
        let energy = f64::midpoint(vx * vx, vy * vy) + 9.81 * y;
        (energy < -0.5).then_some(()).ok_or(format!("the energy is {energy} and was 0: friction takes none"))
    };
    constraints_of_modes_are_refused => {
        let run = run(case("mode-with-constraints"), |_| ())?;
        equal("hit", fired(&run, "hit"), 1)?;
        ["x", "y", "x'", "y'"].into_iter().try_for_each(|name| near(name, end(&run, name), 0.0, 1e-9))
    };
    open_contacts_cost_as_much_as_closed_ones => open_contacts_are_cheap();
    a_small_pendulum_is_moved_without_a_note => small_is_like_large();
    auto_with_fixed_steps_fails_where_its_partner_does_not => run(STIFF, |plan| plan.options.method = Method::Radau5).and(runs(STIFF));
    checking_many_outputs_takes_quadratic_time => checking_is_linear();
}

const TRIPLE_ZERO: &str = r#"
states = { z = 0, v = 0, a = 0 }
derivatives = { z = "v", v = "a", a = 1 }
events.up.guard = "z > 0"
run.until = 1
"#;

/// Pushed from a wall that takes all speed, each swing grows and hits it again.
const PLASTIC: &str = r#"
states = { x = 2.5, v = 0 }
derivatives = { x = "v", v = "1 - x + 0.1*v" }
events.hit = { guard = "x < 0", reset = { v = 0 } }
run.until = 60
"#;

/// The ball of the README with the sign of its reset forgotten.
const THROUGH: &str = r#"
parameters  = { g = 9.81, e = 0.9 }
states      = { y = 1.0, v = 0.0 }
derivatives = { y = "v", v = "-g" }
events.floor = { guard = "y < 0", reset = { v = "e * v" } }
run          = { until = 3 }
"#;

const STIFF: &str = r#"
states.y = 0
derivatives.y = "-1e5*(y - cos(t))"
run = { until = 2, fixed_step = 0.02 }
"#;

fn passes_the_surface() -> Verdict {
    let run = run(case("surface-of-positions-and-speeds"), |_| ())?;
    let first = run.events.first().ok_or("no event")?;
    near("speed at the bottom", first.after[2].hypot(first.after[3]), (2.0 * 9.81_f64).sqrt(), 1e-4)?;
    for (event, sides) in run.events.iter().zip(run.segments.windows(2)) {
        let resets = event.kinds.contains(&EventKind::Reset);
        for (before, after) in sides[0].end.iter().zip(&sides[1].start).filter(|_| !resets) {
            near("a state across an event that resets nothing", *after, *before, 1e-9)?;
        }
        let pairs = event.before.iter().zip(&sides[0].end).chain(event.after.iter().zip(&sides[1].start));
        for (log, path) in pairs {
            near("the log against the trajectory", *log, *path, 1e-9)?;
        }
    }
    Ok(())
}

/// Every method that can run it, at 50 tolerances.
fn accumulates() -> Verdict {
    for k in 0..50 {
        let rtol = 10_f64.powf(-3.0 - 7.0 * f64::from(k) / 49.0);
        for method in methods().filter(|method| rtol >= finest(method)) {
            let run = run_with(case("drag-ball-implicit"), method, rtol, None)?;
            let Outcome::Accumulation { t, .. } = run.outcome else {
                return Err(format!("{method} at {rtol:e}: {}, y = {}", run.outcome, end(&run, "y")));
            };
            near(&format!("accumulation of {method} at {rtol:e}"), t, 1.021247748, 1e-7 + 30.0 * rtol)?;
        }
    }
    Ok(())
}

fn rests_alike() -> Verdict {
    let mut counts = Vec::new();
    for speed in ["0", "1", "100", "10000"] {
        let text = case("zeno-beside-another-coordinate").replace("x = 100", &format!("x = {speed}"));
        let run = run(&text, |_| ())?;
        let is_rest = |event: &&slipstick::trajectory::Event| event.kinds.contains(&EventKind::Rest);
        let rest = run.events.iter().find(is_rest).ok_or("no rest")?;
        near("rest", rest.t, 8.578949178729, 2e-9)?;
        counts.push(fired(&run, "floor"));
    }
    let alike = counts.iter().all(|count| *count == counts[0] && (210..=230).contains(count));
    alike.then_some(()).ok_or(format!("impacts by speed of x: {counts:?}"))
}

/// 100 open contacts may cost 1.05 times the instructions of none; a clock on a busy machine tells less.
fn open_contacts_are_cheap() -> Verdict {
    let texts = [case("free-100"), case("open-contacts-100")];
    let plans = texts.map(|text| plan(text).unwrap());
    let mut best = [Duration::MAX; 2];
    for _ in 0..5 {
        for (plan, best) in plans.iter().zip(&mut best) {
            let mut run = Ok(());
            let time = cpu_time::time_of(|| {
                run = simulate_watched(&plan.system, &plan.start, &plan.options, &mut Unwatched).map(drop);
            });
            run.map_err(|failure| failure.error.to_string())?;
            *best = time.min(*best);
        }
    }
    let ratio = best[1].as_secs_f64() / best[0].as_secs_f64();
    (ratio < 1.5).then_some(()).ok_or(format!("{ratio:.2} times the time"))
}

fn small_is_like_large() -> Verdict {
    let look = |scale: f64| {
        let text = format!(
            "coordinates = {{ x = {:e}, y = 0 }}\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = \"{:e}*y\"\n\
             constraints.rod = \"x^2 + y^2 - {:e}\"\nevents.low.guard = \"x < 0\"\nrun = {{ until = 2, atol = {:e} }}",
            1.1 * scale,
            9.81 * scale,
            scale * scale,
            1e-9 * scale
        );
        let run = run(&text, |_| ())?;
        let notes: Vec<_> = run.notes.iter().map(|note| note.code).collect();
        Ok::<_, String>((notes, run.event_times("low").next().unwrap_or(f64::NAN), end(&run, "x") / scale))
    };
    let (one, small) = (look(1.0)?, look(1e-9)?);
    (one.0 == small.0)
        .then_some(())
        .ok_or(format!("notes {:?}, and of the small one {:?}", one.0, small.0))?;
    near("low", small.1, one.1, 1e-9)?;
    near("x(2)", small.2, one.2, 1e-9)
}

/// Four times the outputs may cost four times the time, and some; squares would be sixteen.
fn checking_is_linear() -> Verdict {
    let text = |n: usize| {
        let outputs: Vec<String> = (0..n).map(|i| format!("o{i} = \"x + {i}\"\n")).collect();
        format!("states.x = 1\nderivatives.x = \"-x\"\nrun.until = 1\n[outputs]\n{}", outputs.concat())
    };
    let time = |n: usize| {
        let text = text(n);
        let once = |_| cpu_time::time_of(|| assert!(plan(&text).is_ok()));
        (0..3).map(once).min().unwrap_or_default().as_secs_f64()
    };
    let ratio = time(2400) / time(600);
    (ratio < 8.0).then_some(()).ok_or(format!("four times the outputs, {ratio:.1} times the time"))
}

/// A row is right, or it is known to be wrong.
fn judge(name: &str, check: impl FnOnce() -> Verdict) {
    let verdict = catch_unwind(AssertUnwindSafe(check)).unwrap_or(Err("a panic".to_owned()));
    let is_listed = STILL_WRONG.contains(&name);
    match verdict {
        Ok(()) => assert!(!is_listed, "`{name}` has come right: take it off STILL_WRONG"),
        Err(why) => assert!(is_listed, "{name}: {why}"),
    }
}

fn case(name: &str) -> &'static str {
    let all = [
        ("branch-not-taken", include_str!("cases/branch-not-taken.toml")),
        ("branch-not-taken-one-sided", include_str!("cases/branch-not-taken-one-sided.toml")),
        ("coinciding-switches", include_str!("cases/coinciding-switches.toml")),
        ("constants-while-sliding", include_str!("cases/constants-while-sliding.toml")),
        ("drag-ball-implicit", include_str!("cases/drag-ball-implicit.toml")),
        ("event-while-sliding-on-a-curve", include_str!("cases/event-while-sliding-on-a-curve.toml")),
        ("events-cause-events", include_str!("cases/events-cause-events.toml")),
        ("free-100", include_str!("cases/free-100.toml")),
        ("gearbox", include_str!("cases/gearbox.toml")),
        ("guard-on-sliding-output", include_str!("cases/guard-on-sliding-output.toml")),
        ("joint-friction", include_str!("cases/joint-friction.toml")),
        ("leave-stick-at-corner", include_str!("cases/leave-stick-at-corner.toml")),
        ("lift-off", include_str!("cases/lift-off.toml")),
        ("livelock", include_str!("cases/livelock.toml")),
        ("mode-with-constraints", include_str!("cases/mode-with-constraints.toml")),
        ("nan-constraint", include_str!("cases/nan-constraint.toml")),
        ("oblique-impact-energy", include_str!("cases/oblique-impact-energy.toml")),
        ("open-contacts-100", include_str!("cases/open-contacts-100.toml")),
        ("oscillator-is-not-stiff", include_str!("cases/oscillator-is-not-stiff.toml")),
        ("overflow", include_str!("cases/overflow.toml")),
        ("panic-reach", include_str!("cases/panic-reach.toml")),
        ("pounding-as-printed", include_str!("cases/pounding-as-printed.toml")),
        ("rest-with-sign", include_str!("cases/rest-with-sign.toml")),
        ("root-with-radau5", include_str!("cases/root-with-radau5.toml")),
        ("surface-of-positions-and-speeds", include_str!("cases/surface-of-positions-and-speeds.toml")),
        ("take-off-by-force", include_str!("cases/take-off-by-force.toml")),
        ("thermostat-no-hysteresis", include_str!("cases/thermostat-no-hysteresis.toml")),
        ("thermostat-timer", include_str!("cases/thermostat-timer.toml")),
        ("three-balls-together", include_str!("cases/three-balls-together.toml")),
        ("touches-the-corner", include_str!("cases/touches-the-corner.toml")),
        ("touching-balls", include_str!("cases/touching-balls.toml")),
        ("twisting-1e-9", include_str!("cases/twisting-1e-9.toml")),
        ("two-floors", include_str!("cases/two-floors.toml")),
        ("two-modes-one-threshold", include_str!("cases/two-modes-one-threshold.toml")),
        ("zeno-beside-another-coordinate", include_str!("cases/zeno-beside-another-coordinate.toml")),
    ];
    all.into_iter().find(|(own, _)| *own == name).map(|(_, text)| text).expect("a case")
}

fn plan(text: &str) -> Result<Plan, String> {
    let in_words = |errors: Vec<slipstick::model::Diagnostic>| format!("refused: {errors:?}");
    let model = Model::from_toml(text).map_err(in_words)?;
    Plan::new(&model, &Overrides::default()).map_err(in_words)
}

/// Runs a model; a run that fails is an error that begins with its code.
fn run(text: &str, change: impl FnOnce(&mut Plan)) -> Result<Trajectory, String> {
    let mut plan = plan(text)?;
    change(&mut plan);
    plan.options.limits.steps = plan.options.limits.steps.min(200_000);
    simulate_watched(&plan.system, &plan.start, &plan.options, &mut Unwatched)
        .map_err(|failure| format!("{}: {}", failure.error.code(), failure.error))
}

fn run_with(text: &str, method: &str, rtol: f64, longest: Option<f64>) -> Result<Trajectory, String> {
    let set = |plan: &mut Plan| {
        plan.options.method = Method::from_name(method).expect("a method");
        plan.options.tolerances = Tolerances::uniform(rtol, 1e-3 * rtol);
        plan.options.steps.longest = longest;
    };
    run(text, set).map_err(|why| format!("{method} at rtol {rtol:e}, longest step {longest:?}: {why}"))
}

/// It reaches the end, and everything on the way is finite.
fn runs(text: &str) -> Verdict {
    run(text, |_| ()).and_then(|run| complete(&run))
}

fn complete(run: &Trajectory) -> Verdict {
    run.outcome.is_complete().then_some(()).ok_or(run.outcome.to_string())?;
    let ends = run.segments.iter().flat_map(|s| s.start.iter().chain(&s.end));
    ends.clone().all(|y| y.is_finite()).then_some(()).ok_or("a state is not finite".to_owned())
}

/// What fails is refused with finite states before; what does not has finite states.
fn refused_or_finite(text: &str) -> Verdict {
    run(text, |_| ()).map_or(Ok(()), |run| complete(&run))
}

/// The methods that can run equations with steps of their own size.
fn methods() -> impl Iterator<Item = &'static str> {
    ["auto", "dopri5", "tsit5", "dop853", "bs32", "heun2", "rkf45", "rkf78", "radau5", "sdirk4", "rodas4"]
        .into_iter()
}

/// Methods of low order need too many steps below this tolerance.
fn finest(method: &str) -> f64 {
    match method {
        "heun2" => 1e-6,
        "bs32" => 1e-8,
        _ => 1e-10,
    }
}

fn all_methods(text: &str, check: impl Fn(&Trajectory, f64) -> Verdict) -> Verdict {
    all_methods_and_steps(text, &[], check)
}

fn all_methods_and_steps(text: &str, steps: &[f64], check: impl Fn(&Trajectory, f64) -> Verdict) -> Verdict {
    for method in methods() {
        for rtol in [1e-3, 1e-4, 1e-6, 1e-8, 1e-10].into_iter().filter(|rtol| *rtol >= finest(method)) {
            for longest in std::iter::once(None).chain(steps.iter().copied().map(Some)) {
                let run = run_with(text, method, rtol, longest)?;
                let verdict = complete(&run).and_then(|()| check(&run, rtol));
                verdict
                    .map_err(|why| format!("{method} at rtol {rtol:e}, longest step {longest:?}: {why}"))?;
            }
        }
    }
    Ok(())
}

fn end(run: &Trajectory, name: &str) -> f64 {
    let place = run.state_names.iter().position(|own| own == name).expect("a state");
    run.end_state()[place]
}

fn fired(run: &Trajectory, name: &str) -> usize {
    run.event_times(name).count()
}

/// How many instants have events.
fn transitions(run: &Trajectory) -> usize {
    let mut times: Vec<f64> = run.events.iter().map(|event| event.t).collect();
    times.dedup();
    times.len()
}

fn near(what: &str, value: f64, truth: f64, within: f64) -> Verdict {
    ((value - truth).abs() <= within)
        .then_some(())
        .ok_or(format!("{what} is {value}, not {truth} ± {within:e}"))
}

fn equal(what: &str, value: usize, truth: usize) -> Verdict {
    (value == truth).then_some(()).ok_or(format!("{what}: {value}, not {truth}"))
}

fn at_most(what: &str, value: u64, most: u64) -> Verdict {
    (value <= most).then_some(()).ok_or(format!("{what}: {value}, more than {most}"))
}

fn said(run: &Trajectory, is_meant: impl Fn(&str, &str) -> bool) -> Verdict {
    let notes: Vec<_> = run.notes.iter().map(|note| note.code).collect();
    let is_there = run.notes.iter().any(|note| is_meant(note.code, &note.text));
    is_there.then_some(()).ok_or(format!("no such warning among {notes:?}"))
}
