//! Models that hit, stick, lift off and latch, which come with the program, do what closed forms say, or what two methods
//! that have nothing in common agree about.

mod gallery;

use gallery::{Gallery, assert_near, assert_times};
use slipstick::step::Method;

const G: f64 = 9.81;

/// Closed form, in 22 digits.
#[test]
fn a_mass_is_captured_and_lost() {
    let machine = Gallery::of(include_str!("../../../models/mass-capture.toml"));
    assert_times("meet", &machine.times("meet"), &[0.3821266472498037], 1e-11);
    assert_times("loose", &machine.times("loose"), &[0.4708538088172474], 1e-11);
    let end = machine.end();
    for (name, truth) in [
        ("striker.x", -0.0842686688509054),
        ("striker.com.x'", -1.2177724689992015),
        ("target.x", 0.6506915825859599),
        ("target.com.x'", 0.8706319543871566),
    ] {
        assert_near(name, end[name], truth, 1e-9);
    }
    // The latch takes away energy, and no momentum.
    let hit = &machine.run.events[0];
    let sums = |values: &[f64]| {
        let speed = |name: &str| {
            let place = machine.model.states.iter().position(|state| state.name == name);
            place.map_or(f64::NAN, |place| values[place])
        };
        let [first, second] = [speed("striker.com.x'"), speed("target.com.x'")];
        [2.0 * first + 0.5 * second, first * first + 0.25 * second * second]
    };
    let ([momentum, energy], [momentum_after, energy_after]) = (sums(&hit.before), sums(&hit.after));
    assert_near("momentum", momentum_after, momentum, 1e-13);
    assert_near("energy", energy - energy_after, 0.4, 1e-9);
}

#[test]
fn a_clutch_sticks_on_time() {
    let clutch = Gallery::of(include_str!("../../../models/clutch.toml"));
    let slips = clutch.at(0.3);
    assert_near("slip", slips["slip"], 30.0, 1e-9);
    let sticks: Vec<f64> = clutch.run.events.iter().map(|event| event.t).collect();
    assert_times("it sticks", &sticks, &[0.6], 1e-12);
    let end = clutch.end();
    assert_near("flywheel", end["flywheel.angle'"], 40.0, 1e-10);
    assert_near("flywheel", end["flywheel.angle"], 46.0, 1e-10);
    assert_near("drum", end["drum.angle"], 28.0, 1e-10);
}

/// The door is a rod: it turns with its friction against it, and the latch bears what friction leaves of the pull.
#[test]
fn a_latch_breaks_when_it_has_to() {
    let latch = Gallery::of(include_str!("../../../models/latch.toml"));
    let slows = 0.5 / (20.0 * 0.8 * 0.8 / 3.0);
    let slams = (2.0 - (4.0 - 2.0 * slows * std::f64::consts::PI / 3.0).sqrt()) / slows;
    assert_times("snap", &latch.times("snap"), &[slams], 1e-9);
    assert_times("torn", &latch.times("torn"), &[4.505], 1e-9);
}

/// One ball comes, one goes: with the speed that it had, after a swing that the others do not see.
#[test]
fn a_cradle_hands_its_motion_on() {
    let cradle = Gallery::of(include_str!("../../../models/cradle.toml"));
    let first = &cradle.run.events[0];
    let state = |name: &str, values: &[f64]| {
        let place = cradle.model.states.iter().position(|state| state.name == name).expect("a state");
        values[place]
    };
    let speed = state("ball[0].angle'", &first.before);
    // Energy: a disc of 10 mm on a string of 120 mm.
    let inertia = 0.12 * 0.12 + 0.01 * 0.01 / 2.0;
    let truth = (2.0 * G * 0.12 * (1.0 - 30.0_f64.to_radians().cos()) / inertia).sqrt();
    assert_near("speed", speed, truth, 1e-7);
    for (ball, part) in [(0, 0.0), (1, 0.0), (2, 0.0), (3, 0.0), (4, 1.0)] {
        assert_near(
            "after the hit",
            state(&format!("ball[{ball}].angle'"), &first.after),
            part * speed,
            1e-12,
        );
    }
    let quarter = first.t;
    let times: Vec<f64> = cradle.run.events.iter().take(6).map(|event| event.t).collect();
    let truth: Vec<f64> = [1.0, 3.0, 5.0, 7.0, 9.0, 11.0].map(|part| part * quarter).to_vec();
    assert_times("hits", &times, &truth, 1e-6);
}

/// The follower leaves the cam where the cam falls away faster than weight and spring push, and flies as on a spring.
#[test]
fn a_cam_throws_off_its_follower() {
    let cam = Gallery::of(include_str!("../../../models/cam-follower.toml"));
    let (r, e, w, pull) = (0.03, 0.01, 60.0_f64, 400.0);
    let leaves = ((G + pull * (r - 0.002)) / (e * (w * w - pull))).asin() / w;
    // In flight y'' = -g - pull (y - 2 mm): an oscillation about `middle`.
    let middle = 0.002 - G / pull;
    let own = pull.sqrt();
    let (sin, cos) = (w * leaves).sin_cos();
    let [y0, v0] = [r + e * sin, e * w * cos];
    let gap = |t: f64| {
        let (sin, cos) = (own * (t - leaves)).sin_cos();
        middle + (y0 - middle) * cos + v0 / own * sin - r - e * (w * t).sin()
    };
    let (mut low, mut high) = (0.06, 0.08);
    assert!(gap(low) > 0.0 && gap(high) < 0.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if gap(middle) > 0.0 { low = middle } else { high = middle }
    }
    // At t = 0 the cam strikes the follower, which is at rest. Then all goes round with the cam.
    let turn = 2.0 * std::f64::consts::PI / w;
    let off: Vec<f64> = (0..10).map(|k| leaves + f64::from(k) * turn).collect();
    let mut lands = vec![0.0];
    lands.extend((0..9).map(|k| low + f64::from(k) * turn));
    assert_times("off", &cam.times("off"), &off, 1e-9);
    assert_times("lands", &cam.times("lands"), &lands, 1e-9);
}

#[test]
fn a_floor_carries_what_lies_on_it() {
    let chain = Gallery::of(include_str!("../../../models/chain-on-floor.toml"));
    let end = chain.end();
    assert_near("weight", end["weight"], 0.1 * G, 1e-12);
    assert_near("load", end["load"], end["weight"], 1e-9);
}

/// The same model gives the same bits, and a ball that falls through a mirror hits the same pins.
#[test]
fn a_ball_falls_through_pins_the_same_way_each_time() {
    let text = include_str!("../../../models/pinball.toml");
    let bits = |run: &Gallery| -> Vec<u64> {
        run.run.events.iter().flat_map(|event| &event.after).map(|value| value.to_bits()).collect()
    };
    let [first, second] = [Gallery::of(text), Gallery::of(text)];
    assert!(first.run.events.len() > 7);
    assert_eq!(bits(&first), bits(&second));
    // Ten digits are lost in seven hits between discs.
    let other = Gallery::by(text, Method::DormandPrince8);
    assert_near("drain", other.run.end_time(), first.run.end_time(), 1e-6);
}

/// The times of an event by two methods that have nothing in common.
fn assert_two_methods(text: &str, event: &str, count: usize, bound: f64) {
    let explicit = Gallery::by(text, Method::DormandPrince5).times(event);
    let implicit = Gallery::with(text, |plan| {
        plan.options.method = Method::Radau5;
        plan.options = plan.options.clone().tolerances(1e-10, 1e-12);
    });
    let implicit = implicit.times(event);
    assert!(explicit.len() >= count && implicit.len() >= count, "{explicit:?} {implicit:?}");
    assert_times(event, &explicit[..count], &implicit[..count], bound);
}

#[test]
fn a_loose_pin_knocks_at_the_same_times_by_two_methods() {
    let text = include_str!("../../../models/crank-with-clearance.toml");
    assert_two_methods(text, "knock", 10, 1e-6);
}

/// Its steps are 0.146 s apart, as in the literature, which has no more digits.
#[test]
fn a_woodpecker_climbs_down_in_steps() {
    let text = include_str!("../../../models/woodpecker.toml");
    let beak = Gallery::of(text).times("contact.beak.hit");
    for pair in beak.windows(2) {
        assert!((pair[1] - pair[0] - 0.146).abs() < 1e-3, "{beak:?}");
    }
    assert_two_methods(text, "contact.beak.hit", 4, 1e-6);
}

/// Each click, and the fall of the last one.
#[test]
fn dominoes_fall_at_the_same_times_by_two_methods() {
    let text = include_str!("../../../models/dominoes.toml");
    let run = |method| Gallery::by(text, method);
    let [explicit, implicit] = [Method::DormandPrince5, Method::Radau5].map(run);
    for k in 0..5 {
        let event = format!("click{k}");
        let truth = implicit.times(&event);
        assert_eq!(truth.len(), 1);
        assert_times(&event, &explicit.times(&event), &truth, 1e-8);
    }
    assert_near("falls", explicit.run.end_time(), implicit.run.end_time(), 1e-8);
}

/// Housner's block (1963): each impact leaves 1 - 3/2 sin(a)^2 of its angular velocity, tan(a) = b / h.
#[test]
fn a_rocking_block_loses_what_housner_says() {
    let block = Gallery::of(include_str!("../../../models/rocking-block.toml"));
    let place = block.model.states.iter().position(|state| state.name == "a'").expect("a state");
    let ratios: Vec<f64> =
        block.run.events.iter().map(|event| event.after[place] / event.before[place]).collect();
    for ratio in &ratios[..6] {
        assert_near("ratio", *ratio, 1.0 - 1.5 * 0.1, 1e-9);
    }
}

/// It slips for 2 (pi - atan 4), and sticks for 8 in between.
#[test]
fn a_block_sticks_and_slips_on_time() {
    let block = Gallery::of(include_str!("../../../models/stick-slip.toml"));
    let slips = 2.0 * (std::f64::consts::PI - 4.0_f64.atan());
    let period = 8.0 + slips;
    let breaks: Vec<f64> = (0..5).map(|k| 10.0 + f64::from(k) * period).collect();
    assert_times("break_away", &block.times("break_away"), &breaks, 1e-8);
    let catches: Vec<f64> = breaks.iter().map(|t| t + slips).filter(|t| *t < 60.0).collect();
    assert_times("catch", &block.times("catch"), &catches, 1e-8);
}

#[test]
fn a_block_on_a_belt_slips_at_the_same_times_by_two_methods() {
    let text = include_str!("../../../models/block-on-a-belt.toml");
    assert_two_methods(text, "contact.belt.slip", 2, 1e-6);
    assert_two_methods(text, "contact.belt.stick", 2, 1e-6);
}

/// While the pin is in a slot, this points from the wheel to the pin, but for the play of the pin in the slot.
#[test]
fn a_geneva_drive_follows_its_pin() {
    let drive = Gallery::of(include_str!("../../../models/geneva.toml"));
    let quarter = std::f64::consts::FRAC_PI_2;
    let (c, a) = (0.06, 0.06 * (quarter / 2.0).sin());
    let mut engaged = 0;
    for (t, at) in drive.steps() {
        let angle = quarter - 2.0 * std::f64::consts::PI * t;
        let (x, y) = (a * angle.cos() - c, a * angle.sin());
        if at["out"] > -0.01 {
            continue;
        }
        engaged += 1;
        let play = (2e-5 / x.hypot(y)).asin();
        let off = (y.atan2(x) - at["wheel.angle"]).rem_euclid(quarter);
        let off = off.min(quarter - off);
        assert!(off < play + 1e-9, "t = {t}: off by {off:e}, with a play of {play:e}");
    }
    assert!(engaged > 40, "{engaged} steps");
    for t in [1.0, 2.0, 3.0, 4.0] {
        let turned = (drive.at(t)["wheel.angle"] - quarter / 2.0) / quarter;
        assert_near("quarters", turned, t, 1e-3);
    }
}

/// The pawl holds the wheel by one of twelve teeth: at rest its angles differ by whole twelfths.
#[test]
fn a_ratchet_holds_what_it_has_lifted() {
    let ratchet = Gallery::of(include_str!("../../../models/ratchet.toml"));
    let at_rest: Vec<f64> = [1.0, 2.0, 3.0].map(|t| ratchet.at(t)["wheel.angle"]).to_vec();
    for pair in at_rest.windows(2) {
        let teeth = (pair[0] - pair[1]) / (std::f64::consts::PI / 6.0);
        assert_near("teeth", teeth, teeth.round(), 1e-9);
        assert!(teeth.round() > 2.0, "{teeth}");
    }
    let [first, last] = [at_rest[0], at_rest[2]];
    assert_near(
        "lifted",
        ratchet.at(3.0)["load.y"] - ratchet.at(1.0)["load.y"],
        0.025 * (first - last),
        1e-9,
    );
    // Each tooth that has passed was met by the nose.
    assert!(ratchet.times("click").len() as f64 > -last / (std::f64::consts::PI / 6.0));
    assert_near("speed", ratchet.at(3.0)["wheel.angle'"], 0.0, 1e-9);
}

/// The wheel turns on, the motion does not: an event costs about what it cost before. It was eight times as much.
#[test]
fn a_verge_costs_as_much_in_its_last_minute_as_in_its_first() {
    let cost = |until: f64| {
        let text = include_str!("../../../models/verge.toml");
        let verge = Gallery::with(text, |plan| plan.options.until = until);
        let statistics = &verge.run.statistics;
        [statistics.guards, statistics.derivatives, statistics.events].map(|count| count as f64)
    };
    let costs = [20.0, 40.0, 60.0].map(cost);
    let [first, last] = [0, 1].map(|i| [0, 1, 2].map(|k| costs[i + 1][k] - costs[i][k]));
    let per_event = |cost: [f64; 3]| [cost[0] / cost[2], cost[1] / cost[2]];
    let ([guards, derivatives], [guards_then, derivatives_then]) = (per_event(last), per_event(first));
    assert!(
        guards < 2.0 * guards_then && guards < 2500.0,
        "{guards} guard values for an event, after {guards_then}"
    );
    assert!(derivatives < 1.2 * derivatives_then, "{derivatives} after {derivatives_then}");
}

/// Its tick and tock alternate, and after twenty seconds its period is constant.
#[test]
fn a_verge_keeps_its_period() {
    let verge = Gallery::of(include_str!("../../../models/verge.toml"));
    let mut releases: Vec<(f64, bool)> = Vec::new();
    for event in &verge.run.events {
        let is_lift = |side: &str| {
            let names = event.guards.iter().map(|&g| verge.run.guard_names[g].as_str());
            names.into_iter().any(|name| name.contains(side) && name.ends_with("].lift"))
        };
        for (side, is_tick) in [("tick", true), ("tock", false)] {
            if is_lift(side) {
                // What follows upon a lift of the same pallet is the same release.
                if releases.last().is_some_and(|(_, last)| *last == is_tick) {
                    releases.pop();
                }
                releases.push((event.t, is_tick));
            }
        }
    }
    let ticks: Vec<f64> =
        releases.iter().filter(|(t, is_tick)| *is_tick && *t > 20.0).map(|(t, _)| *t).collect();
    let periods: Vec<f64> = ticks.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(periods.len() > 15, "{periods:?}");
    for period in &periods[periods.len() - 8..] {
        assert_near("period", *period, periods[periods.len() - 1], 1e-6);
    }
}
