//! Scenes drawn at random with contacts: boxes that tumble, discs in a container, blocks on blocks. Each
//! comes to its end, and nothing falls through anything.

mod common;

use slipstick::simulate::simulate;
use slipstick::trajectory::Trajectory;
use std::fmt::Write;

/// How deep a gap may be, in metres: of bodies of a size of one.
const DEEP: f64 = 1e-9;

/// Numbers from a seed: the generator of Vigna, "splitmix64".
struct Numbers(u64);

impl Numbers {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        low + (high - low) * ((x ^ (x >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// One of some values, or any other up to the largest of them.
    fn one_of(&mut self, values: &[f64]) -> f64 {
        let largest = values.iter().copied().fold(0.0, f64::max);
        let any = self.between(0.0, largest);
        let place = self.between(0.0, values.len() as f64 + 1.0);
        values.iter().enumerate().find(|(i, _)| (*i as f64 + 1.0) > place).map_or(any, |(_, value)| *value)
    }
}

type Gap = Box<dyn Fn(&[f64]) -> f64>;

/// A model, and its smallest gap as a function of the state.
struct Scene {
    text: String,
    gap: Gap,
}

/// A box that is thrown on a floor, with friction at its four corners.
fn tumbling_box(numbers: &mut Numbers) -> Scene {
    let mut any = |low, high| numbers.between(low, high);
    let (b, h, start) = (any(0.05, 0.5), any(0.05, 0.5), [any(0.8, 1.5), any(-3.0, 3.0)]);
    let speed = [any(-3.0, 3.0), any(-2.0, 1.0), any(-5.0, 5.0)];
    let (mu, e) = (numbers.one_of(&[0.0, 0.1, 0.3, 0.6, 1.0]), numbers.one_of(&[0.0, 0.3, 0.5, 0.8]));
    let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[x, y]| [x * b, y * h]);
    let mut text = format!(
        "coordinates = {{ x = 0, y = {}, a = {} }}\nspeeds = {{ x = {}, y = {}, a = {} }}\n\
         kinetic = \"(x'^2 + y'^2)/2 + {}*a'^2\"\npotential = \"9.81*y\"\nrun.until = 3\n",
        start[0],
        start[1],
        speed[0],
        speed[1],
        speed[2],
        (b * b + h * h) / 6.0
    );
    for (i, [x, y]) in corners.into_iter().enumerate() {
        writeln!(
            text,
            "contacts.c{i} = {{ gap = \"y + {x}*sin(a) + {y}*cos(a)\", \
             slip = \"x' - ({x}*sin(a) + {y}*cos(a))*a'\", \
             friction = {mu}, restitution = {e} }}"
        )
        .unwrap();
    }
    let lowest = move |s: &[f64]| {
        let height = |[x, y]: [f64; 2]| s[1] + x * s[2].sin() + y * s[2].cos();
        corners.map(height).into_iter().fold(f64::INFINITY, f64::min)
    };
    Scene { text, gap: Box::new(lowest) }
}

/// Discs without friction that fall into a container.
fn discs_in_a_container(numbers: &mut Numbers) -> Scene {
    let count = 2 + usize::from(numbers.between(0.0, 1.0) > 0.5);
    let e = numbers.one_of(&[0.0, 0.5, 1.0]);
    let radii: Vec<f64> = (0..count).map(|_| numbers.between(0.1, 0.25)).collect();
    let (mut text, mut kinetic, mut potential) = (String::new(), String::from("0"), String::from("0"));
    for (i, r) in radii.iter().enumerate() {
        let (x, y, m) = (numbers.between(0.3, 1.7), 0.3 + 0.6 * i as f64, numbers.between(0.5, 2.0));
        let (vx, vy) = (numbers.between(-2.0, 2.0), numbers.between(-2.0, 2.0));
        write!(kinetic, " + {m}*(x{i}'^2 + y{i}'^2)/2").unwrap();
        write!(potential, " + {m}*9.81*y{i}").unwrap();
        write!(
            text,
            "coordinates.x{i} = {x}\ncoordinates.y{i} = {y}\nspeeds.x{i} = {vx}\nspeeds.y{i} = {vy}\n"
        )
        .unwrap();
        for (name, gap) in
            [("f", format!("y{i} - {r}")), ("l", format!("x{i} - {r}")), ("r", format!("{} - x{i}", 2.0 - r))]
        {
            writeln!(text, "contacts.{name}{i} = {{ gap = \"{gap}\", restitution = {e} }}").unwrap();
        }
        for (j, other) in radii[..i].iter().enumerate() {
            let gap = format!("hypot(x{i} - x{j}, y{i} - y{j}) - {}", r + other);
            writeln!(text, "contacts.d{i}{j} = {{ gap = \"{gap}\", restitution = {e} }}").unwrap();
        }
    }
    write!(text, "kinetic = \"{kinetic}\"\npotential = \"{potential}\"\nrun.until = 2\n").unwrap();
    let smallest = move |s: &[f64]| {
        let mut least = f64::INFINITY;
        for (i, r) in radii.iter().enumerate() {
            let (x, y) = (s[2 * i], s[2 * i + 1]);
            least = least.min(y - r).min(x - r).min(2.0 - x - r);
            for (j, other) in radii[..i].iter().enumerate() {
                least = least.min((x - s[2 * j]).hypot(y - s[2 * j + 1]) - r - other);
            }
        }
        least
    };
    Scene { text, gap: Box::new(smallest) }
}

/// A pile of blocks on a table that moves to and fro, some of them on springs.
fn pile_of_blocks(numbers: &mut Numbers) -> Scene {
    let count = 2 + usize::from(numbers.between(0.0, 1.0) > 0.5);
    let (spring, reach, rate) =
        (numbers.one_of(&[0.0, 5.0, 50.0]), numbers.between(0.0, 2.0), numbers.between(1.0, 8.0));
    let (mut text, mut kinetic, mut potential) = (String::new(), String::from("0"), String::from("0"));
    for i in 0..count {
        let (m, x, v) = (numbers.between(0.5, 2.0), numbers.between(-0.1, 0.1), numbers.between(-2.0, 2.0));
        write!(kinetic, " + {m}*(x{i}'^2 + y{i}'^2)/2").unwrap();
        write!(potential, " + {m}*9.81*y{i} + {spring}*x{i}^2/2").unwrap();
        write!(text, "coordinates.x{i} = {x}\ncoordinates.y{i} = 0\nspeeds.x{i} = {v}\n").unwrap();
        let sliding = numbers.one_of(&[0.0, 0.1, 0.6]);
        let sticking = sliding + numbers.one_of(&[0.0, 0.2]);
        let (gap, slip) = match i {
            0 => ("y0".to_owned(), format!("x0' - {reach}*cos({rate}*t)")),
            _ => (format!("y{i} - y{}", i - 1), format!("x{i}' - x{}'", i - 1)),
        };
        writeln!(
            text,
            "contacts.c{i} = {{ gap = \"{gap}\", slip = \"{slip}\", \
             friction = {{ static = {sticking}, sliding = {sliding} }} }}"
        )
        .unwrap();
    }
    write!(text, "kinetic = \"{kinetic}\"\npotential = \"{potential}\"\nrun.until = 3\n").unwrap();
    let smallest = move |s: &[f64]| {
        let y = |i: usize| s[2 * i + 1];
        (1..count).map(|i| y(i) - y(i - 1)).fold(y(0), f64::min)
    };
    Scene { text, gap: Box::new(smallest) }
}

fn smallest_gap(run: &Trajectory, gap: &Gap) -> f64 {
    let mut least = f64::INFINITY;
    for segment in &run.segments {
        for step in segment.steps() {
            least = least.min(gap(&segment.state(step.t)));
        }
        least = least.min(gap(&segment.end));
    }
    least
}

fn assert_ends(draw: impl Fn(&mut Numbers) -> Scene, seeds: std::ops::Range<u64>) {
    let (mut wrong, mut refused) = (Vec::new(), Vec::new());
    let count = seeds.end - seeds.start;
    for seed in seeds {
        let scene = draw(&mut Numbers(seed));
        let mut plan = common::plan(&scene.text);
        plan.options.limits.steps = 50_000;
        match simulate(&plan.system, &plan.start, &plan.options) {
            // The direction of a slip that begins where redundant corners stick is not always found; it is named.
            Err(failure) if failure.error.code() == "contact-unsolved" => refused.push(seed),
            Err(failure) => wrong.push(format!("{seed}: {}\n{}", failure.error, scene.text)),
            Ok(run) if !run.outcome.is_complete() => {
                wrong.push(format!("{seed}: {} at {}\n{}", run.outcome, run.end_time(), scene.text));
            }
            Ok(run) => {
                let least = smallest_gap(&run, &scene.gap);
                if least.is_nan() || least < -DEEP {
                    wrong.push(format!("{seed}: a gap of {least:e}\n{}", scene.text));
                }
            }
        }
    }
    assert!(50 * refused.len() as u64 <= count, "too many are refused: {refused:?}");
    assert!(wrong.is_empty(), "{} scenes:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn boxes_tumble_and_come_to_rest() {
    assert_ends(tumbling_box, 0..200);
}

#[test]
fn discs_pile_up_in_a_container() {
    assert_ends(discs_in_a_container, 0..60);
}

#[test]
fn blocks_stick_and_slip_on_each_other() {
    assert_ends(pile_of_blocks, 0..200);
}
