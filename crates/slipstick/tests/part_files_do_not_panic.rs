//! Whatever is done to a file of parts, reading, checking and starting it ends with a model or with messages.
//!
//! `PART_FILES=1000000 cargo test --release --test part_files_do_not_panic -- --nocapture` tries more of them, and
//! `PART_FILES_FROM=SEED` begins elsewhere.

use slipstick::model::{Model, Sources};
use slipstick::simulate::{Overrides, Plan, simulate};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// How many files are tried in the normal run.
const SHARE: u64 = 1000;
/// No file of a few dozen lines takes longer than this to be read and started.
const LONGEST: Duration = Duration::from_secs(60);

const FILES: &[&str] = &[
    include_str!("../../../models/cradle.toml"),
    include_str!("../../../models/latch.toml"),
    include_str!("../../../models/four-bar.toml"),
    include_str!("../../../models/slider-crank.toml"),
    include_str!("../../../models/andrews.toml"),
    // Curves, rolling, cams, starts, sensors.
    r#"
gravity = [0, "-9.81 m/s^2"]
[parameters]
r = "0.1 m"
n = 3
[bodies]
wheel = { shape = { disc = "r" }, mass = 2, y = "r" }
cam = { mass = 1, inertia = 0.1, frames = { F = { at = [0.1, 0], angle = "30 deg" } } }
rod = { shape = { capsule = [0.2, 0.02] }, density = 7850, depth = 0.01, y = 0.2 }
bead = { repeat = "n", mass = 0.1, inertia = 1e-4, x = "0.3*k", material = "steel" }
[shapes]
ramp = { body = "ground", half_plane = ["sin(0.1)", "cos(0.1)"] }
outer = { body = "cam", curve = { x = "0.03 m + 0.1 m*cos(s)", y = "0.1 m*sin(s)", s = [0, "2*pi"], closed = true } }
tip = { body = "rod", disc = 0.02 }
wire = { body = "ground", curve = { x = "s", y = "s^2", s = [-1, 1] } }
stone = { body = "bead[0]", polygon = [[0, 0], [0.1, 0], [0, 0.1]], radius = 0.01, solid = "inside" }
floor = { body = "ground", segment = [[-1, -1], [1, -1]], material = "steel" }
plane = { body = "ground", half_plane = [0, 1], at = [0, -2] }
egg = { repeat = "n - 1", body = "bead[k+1]", ellipse = [0.02, 0.01], move = [0.1, 0], turn = 0.2 }
[joints]
roll = { rolling = ["wheel", "ramp"], start = { velocity = 1 } }
main = { revolute = ["ground", "cam.origin"], friction = { torque = 0.1 }, start = { angle = 0.2 } }
guide = { prismatic = ["ground.origin", "rod.origin"], axis = [0, 1], stops = { from = -1, to = 1, restitution = 0.5 } }
follow = { cam = ["tip", "outer"] }
slide = { on_curve = ["bead[1].origin", "wire"], stops = { from = -1, to = 1 } }
glue = { fixed = ["bead[0]", "bead[2]"], while = "t < 0.5 s" }
[forces]
s = { spring = ["ground", "bead[2].com"], stiffness = 10, damping = 1, preload = "1 N" }
b = { bushing = ["cam.F", "bead[2]"], stiffness = [1, 2, 3], damping = [0.1, 0.1, 0.1] }
d = { drag = "bead[2]", area = 0.1, coefficient = 1, density = 1.2 }
c = { couple = "cam", torque = "-0.1 N*m*s * cam.angle'" }
[drives]
turn = { joint = "main", velocity = "3 rad/s" }
[materials]
steel = { density = 7850 }
[pairs]
"steel steel" = { restitution = 0.5, friction = { static = 0.3, sliding = 0.2 } }
[contacts]
land = { between = ["stone", "floor"] }
eggs = { between = ["egg[*]", "plane"], law = "moreau", restitution = 0, friction = 0.1 }
[sensors]
a = { acceleration = "bead[1]", relative_to = "cam", in = "cam.F" }
e = { energy = "total" }
f = { force = "guide", on = "rod" }
[assemble]
pinned = ["cam.angle"]
weight = { rod = 3 }
[defaults]
shapes = { contact = true }
[outputs]
g = "bead[n-1].y''"
h = "joint.follow.s'"
[events]
up = { guard = "bead[0].y > 0.1", reset = { "bead[0].y'" = 0 } }
hit = { on = "contact.land.hit" }
[run]
until = 0.01
"#,
    // Parts from a file, mirrored and on each other.
    r#"
gravity = [0, -9.81]
[bodies]
trunk = { mass = 5, inertia = 1, points = { hip = [0.1, 0] }, y = 1 }
[parts]
left = { use = "leg.toml", on = "trunk.hip", set = { l = "0.3 m" } }
right = { use = "leg.toml", on = "trunk", x = -0.1, mirror = true, angle = "5 deg" }
free = { use = "leg.toml" }
[outputs]
apart = "left.shank.foot.x - right.shank.foot.x"
[run]
until = 0.01
"#,
];

const LEG: &str = r#"
gravity = [0, -3]
[parameters]
l = 0.4
[bodies]
ground = { points = { hook = [0.3, 0.5] } }
thigh = { link = { hip = [0, 0], knee = ["l", 0] }, mass = 2, angle = "-60 deg" }
shank = { link = { knee = [0, 0], foot = ["l", 0] }, mass = 1, angle = "-100 deg" }
[joints]
hip = { revolute = ["ground", "thigh.hip"], at = [0.1, 0] }
knee = { revolute = ["thigh.knee", "shank.knee"], stops = { from = "-2", to = "-0.2" } }
[forces]
push = { point = "shank.foot", force = ["if shank.foot.x' > 0 m/s then 1 N else 2 N", 0.5] }
band = { spring = ["ground.hook", "shank.foot"], stiffness = 20 }
[shapes]
sole = { body = "shank.foot", disc = 0.02 }
[events]
far = { guard = "shank.foot.x > 0.5", reset = { "thigh.angle'" = 0 } }
"#;

const NUMBERS: &[&str] = &[
    "0",
    "-1",
    "1e300",
    "-1e300",
    "1e-300",
    "nan",
    "inf",
    "-inf",
    "0.5",
    "3",
    "1e9",
    "99999999999999999999",
    "true",
    "[]",
    "{}",
    "\"\"",
];
const WORDS: &[&str] = &[
    "ground", "k", "t", "here", "inside", "outside", "\u{e9}", "-", "[", "]", "'", "\"", "{", "}", "=", ",",
    "\n", "mm", "rad/s", "0/0", "^", "*", ".",
];

/// Numbers that look as if they were drawn at random.
struct Drawn(u64);

impl Drawn {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % (n.max(1) as u64)).unwrap_or(0)
    }

    fn one<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

/// Words, numbers and everything between them.
fn tokens(text: &str) -> Vec<String> {
    let kind = |c: char| {
        if c.is_alphanumeric() || c == '_' || c == '.' {
            0
        } else if c.is_whitespace() {
            1
        } else {
            2
        }
    };
    let mut tokens: Vec<String> = Vec::new();
    let mut last = 3;
    for c in text.chars() {
        match tokens.last_mut() {
            Some(token) if kind(c) == last && last != 2 => token.push(c),
            _ => tokens.push(c.to_string()),
        }
        last = kind(c);
    }
    tokens
}

/// A file with one thing done to it.
fn changed(text: &str, drawn: &mut Drawn) -> String {
    let mut tokens = tokens(text);
    let words = |tokens: &[String]| -> Vec<usize> {
        (0..tokens.len()).filter(|&i| tokens[i].starts_with(|c: char| c.is_alphanumeric())).collect()
    };
    let all = words(&tokens);
    if all.is_empty() {
        return text.to_owned();
    }
    let numbers: Vec<usize> =
        all.iter().copied().filter(|&i| tokens[i].starts_with(|c: char| c.is_ascii_digit())).collect();
    let (a, b) = (all[drawn.below(all.len())], all[drawn.below(all.len())]);
    match drawn.below(10) {
        0 => tokens.swap(a, b),
        1 | 2 if !numbers.is_empty() => {
            let i = numbers[drawn.below(numbers.len())];
            drawn.one(NUMBERS).clone_into(&mut tokens[i]);
        }
        3 => {
            let other = tokens[b].clone();
            tokens[a] = other;
        }
        4 => drawn.one(WORDS).clone_into(&mut tokens[a]),
        5 => {
            let i = drawn.below(tokens.len());
            tokens.remove(i);
        }
        6 => tokens.insert(a, drawn.one(WORDS).to_owned()),
        7 => return lines_changed(text, drawn),
        8 => tokens[a] = format!("{}x", tokens[a]),
        _ => tokens[a] = tokens[a].chars().rev().collect(),
    }
    tokens.concat()
}

/// A line that is gone, there twice, or elsewhere.
fn lines_changed(text: &str, drawn: &mut Drawn) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let (a, b) = (drawn.below(lines.len()), drawn.below(lines.len()));
    match drawn.below(3) {
        0 => {
            lines.remove(a);
        }
        1 => lines.insert(b, lines[a]),
        _ => lines.swap(a, b),
    }
    lines.join("\n")
}

/// Reads, checks and starts; how far it came.
fn tried(text: &str, leg: &str) -> usize {
    let sources = Sources::gather(text, &mut |path| {
        if path == "leg.toml" { Ok(leg.to_owned()) } else { Err("there is no such file".to_owned()) }
    });
    let Ok(model) = Model::from_sources(&sources).inspect_err(|errors| {
        for error in errors {
            assert!(!error.message.is_empty());
            assert!(error.span.iter().all(|span| sources.place(span).span.start <= text.len() + leg.len()));
        }
    }) else {
        return 0;
    };
    let Ok(mut plan) = Plan::new(&model, &Overrides::default()) else { return 1 };
    plan.options.limits.steps = 2;
    plan.options.limits.events = 10;
    match simulate(&plan.system, &plan.start, &plan.options) {
        Ok(_) => 3,
        Err(_) => 2,
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn changed_files_end_with_a_model_or_with_messages() {
    let (from, count) = (number("PART_FILES_FROM").unwrap_or(0), number("PART_FILES").unwrap_or(SHARE));
    let (mut reached, mut slowest) = ([0_u64; 4], (Duration::ZERO, 0));
    for seed in from..from + count {
        let mut drawn = Drawn(seed);
        let file = drawn.below(FILES.len());
        let (mut text, mut leg) = (FILES[file].to_owned(), LEG.to_owned());
        for _ in 0..=drawn.below(3) {
            if file == FILES.len() - 1 && drawn.below(2) == 0 {
                leg = changed(&leg, &mut drawn);
            } else {
                text = changed(&text, &mut drawn);
            }
        }
        if drawn.below(3) == 0 {
            text = text.replace("[run]", "[run]\ncoordinates = \"joint\"");
        }
        if count == 1 {
            println!("{text}\n--- leg.toml\n{leg}");
        }
        let begin = Instant::now();
        let end = catch_unwind(AssertUnwindSafe(|| tried(&text, &leg)));
        let Ok(end) = end else { panic!("seed {seed}:\n{text}\n--- leg.toml\n{leg}") };
        reached[end] += 1;
        slowest = slowest.max((begin.elapsed(), seed));
        assert!(slowest.0 < LONGEST, "seed {seed} takes {:?}:\n{text}\n--- leg.toml\n{leg}", slowest.0);
    }
    println!("refused, not planned, not started, started: {reached:?}; slowest: {slowest:?}");
    assert!(count < 100 || reached[0] > 0 && reached[3] > 0, "{reached:?}");
}

#[test]
fn the_files_are_right_as_they_stand() {
    for text in FILES {
        let sources = Sources::gather(text, &mut |_| Ok(LEG.to_owned()));
        let model = Model::from_sources(&sources).unwrap_or_else(|errors| panic!("{errors:#?}"));
        let plan = Plan::new(&model, &Overrides::default()).unwrap_or_else(|errors| panic!("{errors:#?}"));
        let mut options = plan.options.clone();
        options.limits.steps = 2;
        simulate(&plan.system, &plan.start, &options).unwrap_or_else(|failure| panic!("{failure}"));
    }
}
