//! Gaps between shapes in random poses are the distances of their outlines as samples measure them, and slips are the
//! velocities of the points that touch.

use slipstick::expr::{Arena, Syntax};
use slipstick::model::{Model, dependency_order};
use std::collections::BTreeMap;

type Vector = [f64; 2];

/// A shape as points of its outline, with the radius around them.
struct Sampled {
    points: Vec<Vector>,
    radius: f64,
}

/// Every shape with what samples know of it.
const SHAPES: &[(&str, &str)] = &[
    ("disc", "disc = 0.2"),
    ("half_plane", "half_plane = [0.6, 0.8]"),
    ("segment", "segment = [[-0.3, 0], [0.4, 0.1]]"),
    ("capsule", "capsule = [0.6, 0.1]"),
    ("box", "box = [0.5, 0.3]"),
    ("left", "polygon = [[0, 0], [0.4, 0], [0.5, 0.3], [0.1, 0.4]]"),
    ("right", "polygon = [[0, 0], [0.1, 0.4], [0.5, 0.3], [0.4, 0]]"),
    ("round", "polygon = [[0, 0], [0.4, 0], [0.1, 0.4]], radius = 0.05"),
    ("ellipse", "ellipse = [0.4, 0.15]"),
];

const PAIRS: &[(&str, &str)] = &[
    ("disc", "disc"),
    ("disc", "half_plane"),
    ("half_plane", "disc"),
    ("disc", "segment"),
    ("disc", "capsule"),
    ("disc", "box"),
    ("left", "disc"),
    ("disc", "right"),
    ("disc", "round"),
    ("capsule", "half_plane"),
    ("capsule", "capsule"),
    ("capsule", "segment"),
    ("capsule", "box"),
    ("segment", "half_plane"),
    ("box", "half_plane"),
    ("round", "half_plane"),
    ("round", "left"),
    ("box", "box"),
    ("right", "left"),
    ("ellipse", "half_plane"),
];

/// How far samples may be from the truth.
const COARSE: f64 = 2e-3;
/// Where the shapes are on their bodies, and where the centres of mass are.
const AT: Vector = [0.1, -0.05];
const TURN: f64 = 0.7;
const COM: [Vector; 2] = [[0.03, 0.02], [-0.1, 0.04]];

fn rotated([x, y]: Vector, angle: f64) -> Vector {
    let (sin, cos) = angle.sin_cos();
    [x * cos - y * sin, x * sin + y * cos]
}

fn plus(a: Vector, b: Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1]]
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn outline(corners: &[Vector], closed: bool, radius: f64) -> Sampled {
    let sides = if closed { corners.len() } else { corners.len() - 1 };
    let side = |i: usize| {
        let (a, b) = (corners[i], corners[(i + 1) % corners.len()]);
        (0..=200).map(move |k| [0, 1].map(|axis| a[axis] + (b[axis] - a[axis]) * f64::from(k) / 200.0))
    };
    Sampled { points: (0..sides).flat_map(side).collect(), radius }
}

fn sampled(name: &str) -> Sampled {
    match name {
        "disc" => Sampled { points: vec![[0.0; 2]], radius: 0.2 },
        // Its border is known by more than points.
        "half_plane" => Sampled { points: vec![[0.0; 2]], radius: 0.0 },
        "segment" => outline(&[[-0.3, 0.0], [0.4, 0.1]], false, 0.0),
        "capsule" => outline(&[[-0.3, 0.0], [0.3, 0.0]], false, 0.1),
        "box" => outline(&[[-0.25, -0.15], [0.25, -0.15], [0.25, 0.15], [-0.25, 0.15]], true, 0.0),
        "left" | "right" => outline(&[[0.0, 0.0], [0.4, 0.0], [0.5, 0.3], [0.1, 0.4]], true, 0.0),
        "round" => outline(&[[0.0, 0.0], [0.4, 0.0], [0.1, 0.4]], true, 0.05),
        _ => {
            let point = |k: u32| {
                let angle = f64::from(k) * std::f64::consts::TAU / 2000.0;
                [0.4 * angle.cos(), 0.15 * angle.sin()]
            };
            Sampled { points: (0..2000).map(point).collect(), radius: 0.0 }
        }
    }
}

/// Values of the formulas of a model.
struct Values<'m> {
    model: &'m Model,
    parameters: BTreeMap<&'m str, f64>,
}

impl<'m> Values<'m> {
    fn new(model: &'m Model) -> Self {
        let names: Vec<&str> = model.parameters.iter().map(|d| d.name.as_str()).collect();
        let uses = |i: usize| model.parameters[i].formula.syntax.names().map(|(name, _)| name).collect();
        let mut values = Self { model, parameters: BTreeMap::new() };
        for i in dependency_order(&names, uses).expect("no circles") {
            let value = values.of(&model.parameters[i].formula.syntax, &[]);
            values.parameters.insert(names[i], value);
        }
        values
    }

    fn of(&self, syntax: &Syntax, states: &[(String, f64)]) -> f64 {
        let mut arena = Arena::new();
        let mut known = BTreeMap::new();
        for (name, _) in syntax.names() {
            let of_state = states.iter().find(|(state, _)| state == name).map(|(_, value)| *value);
            let value = of_state.or_else(|| self.parameters.get(name).copied());
            known.insert(name.to_owned(), arena.constant(value.expect(name)));
        }
        let id = syntax.lower(&mut arena, &mut |name| known.get(name).copied()).expect("known names");
        arena.evaluate(&[id], &[])[0]
    }

    /// The smallest gap, and which contact has it.
    fn gap(&self, states: &[(String, f64)]) -> (f64, usize) {
        let contacts = self.model.mechanism.contacts.iter().enumerate();
        let gaps = contacts.map(|(i, contact)| (self.of(&contact.gap().expect("a gap").syntax, states), i));
        gaps.min_by(|a, b| a.0.total_cmp(&b.0)).expect("a contact")
    }

    fn slip(&self, contact: usize, states: &[(String, f64)]) -> f64 {
        let slip = self.model.mechanism.contacts[contact].slip.as_ref().expect("friction");
        self.of(&slip.syntax, states)
    }
}

/// Coordinates and speeds of both bodies.
fn states(poses: [[f64; 3]; 2], speeds: [[f64; 3]; 2]) -> Vec<(String, f64)> {
    let names = ["com.x", "com.y", "angle"];
    let of = |body: usize, i: usize| {
        let name = format!("{}.{}", ["a", "b"][body], names[i]);
        [(name.clone(), poses[body][i]), (format!("{name}'"), speeds[body][i])]
    };
    (0..2).flat_map(|body| (0..3).flat_map(move |i| of(body, i))).collect()
}

/// The points of a shape, with its body in this pose.
fn placed(shape: &Sampled, body: usize, [x, y, angle]: [f64; 3]) -> Vec<Vector> {
    let back = COM[body].map(|part| -part);
    let of = |point: &Vector| {
        let on_body = plus(rotated(plus(*point, AT), TURN), back);
        plus(rotated(on_body, angle), [x, y])
    };
    shape.points.iter().map(of).collect()
}

fn model(first: &str, second: &str) -> Model {
    let form = |name: &str| SHAPES.iter().find(|(known, _)| *known == name).expect("a shape").1;
    // The half-plane is turned so that up is out of it.
    let away = if second == "half_plane" { -40 } else { 40 };
    let text = format!(
        "[bodies]\na = {{ mass = 1, inertia = 1, com = [{}, {}] }}\nb = {{ mass = 1, inertia = 1, com = [{}, {}], y = {away} }}\n\
         [shapes]\nA = {{ body = \"a\", {}, at = [{}, {}], turn = {TURN} }}\nB = {{ body = \"b\", {}, at = [{}, {}], turn = {TURN} }}\n\
         [contacts]\nc = {{ between = [\"A\", \"B\"], friction = 0.5 }}\n[run]\nuntil = 1\n",
        COM[0][0],
        COM[0][1],
        COM[1][0],
        COM[1][1],
        form(first),
        AT[0],
        AT[1],
        form(second),
        AT[0],
        AT[1],
    );
    let model = Model::from_toml(&text);
    model.unwrap_or_else(|errors| {
        panic!("{first} {second}: {:?}", errors.iter().map(|e| &e.message).collect::<Vec<_>>())
    })
}

/// The smallest distance of two outlines.
fn distance(one: &[Vector], other: &[Vector]) -> f64 {
    let all = one.iter().flat_map(|a| other.iter().map(move |b| (a[0] - b[0]).hypot(a[1] - b[1])));
    all.fold(f64::INFINITY, f64::min)
}

/// How far the lowest of these points is above a half-plane.
fn height(points: &[Vector], body: usize, pose: [f64; 3]) -> f64 {
    let normal = rotated([0.6, 0.8], TURN + pose[2]);
    let border = placed(&Sampled { points: vec![[0.0; 2]], radius: 0.0 }, body, pose)[0];
    let heights = points.iter().map(|point| dot(normal, *point) - dot(normal, border));
    heights.fold(f64::INFINITY, f64::min)
}

/// Compares a slip with the velocities of the points that touch: along the normal these are as far from the centres of mass
/// as the first shape reaches.
fn check_slip(values: &Values<'_>, (name, reach): (&str, f64), poses: [[f64; 3]; 2], contact: usize) {
    let still = [[0.0; 3]; 2];
    let gap = |i: usize, h: f64| {
        let mut poses = poses;
        poses[0][i] += h;
        values
            .of(&values.model.mechanism.contacts[contact].gap().expect("a gap").syntax, &states(poses, still))
    };
    let normal = [0, 1].map(|i| (gap(i, 1e-6) - gap(i, -1e-6)) / 2e-6);
    assert!((dot(normal, normal) - 1.0).abs() < 1e-6, "{name}: the normal is {normal:?}");
    let tangent = [normal[1], -normal[0]];
    let apart = [0, 1].map(|i| poses[0][i] - poses[1][i]);
    // With the normal from the second to the first, the point is at -reach along it.
    let expected = [[tangent[0], tangent[1], reach], [-tangent[0], -tangent[1], dot(apart, normal) - reach]];
    for (body, truths) in expected.iter().enumerate() {
        for (i, truth) in truths.iter().enumerate() {
            let mut speeds = still;
            speeds[body][i] = 1.0;
            let slip = values.slip(contact, &states(poses, speeds));
            assert!(
                (slip - truth).abs() < COARSE,
                "{name}: speed {i} of body {body}: {slip} and not {truth}"
            );
        }
    }
}

#[test]
fn gaps_and_slips_are_those_of_sampled_outlines() {
    let mut seed = 1_u64;
    let mut random = move |least: f64, most: f64| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        least + (most - least) * ((seed >> 11) as f64 / (1_u64 << 53) as f64)
    };
    for (first, second) in PAIRS {
        let (model, shapes) = (model(first, second), [sampled(first), sampled(second)]);
        let values = Values::new(&model);
        let name = format!("{first} and {second}");
        let mut seen = 0;
        for _ in 0..60 {
            let mut pose = || [random(-0.8, 0.8), random(-0.8, 0.8), random(-3.0, 3.0)];
            let mut poses = [pose(), pose()];
            let points = [0, 1].map(|body| placed(&shapes[body], body, poses[body]));
            let between = match (*first, *second) {
                ("half_plane", _) => height(&points[1], 0, poses[0]),
                (_, "half_plane") => height(&points[0], 1, poses[1]),
                _ => distance(&points[0], &points[1]),
            };
            let truth = between - shapes[0].radius - shapes[1].radius;
            let (gap, contact) = values.gap(&states(poses, [[0.0; 3]; 2]));
            // Inside of each other, depths are counted otherwise; lines may cross without an end in the other.
            if truth < 0.02 || gap < 0.0 {
                continue;
            }
            seen += 1;
            // Sharp corners are not nearer to each other than to the lines of their sides.
            let is_sharp = |shape: &str| matches!(shape, "box" | "left" | "right");
            let is_right = if is_sharp(first) && is_sharp(second) {
                gap < truth + COARSE
            } else {
                (gap - truth).abs() < COARSE
            };
            assert!(is_right, "{name}: {gap} and not {truth} at {poses:?}");
            // Moved until they touch.
            let at = |x: f64, y: f64| {
                let mut poses = poses;
                (poses[0][0], poses[0][1]) = (poses[0][0] + x, poses[0][1] + y);
                values.of(
                    &model.mechanism.contacts[contact].gap().expect("a gap").syntax,
                    &states(poses, [[0.0; 3]; 2]),
                )
            };
            let normal = [(at(1e-6, 0.0) - at(-1e-6, 0.0)) / 2e-6, (at(0.0, 1e-6) - at(0.0, -1e-6)) / 2e-6];
            (poses[0][0], poses[0][1]) = (poses[0][0] - gap * normal[0], poses[0][1] - gap * normal[1]);
            let moved = placed(&shapes[0], 0, poses[0]);
            // Past the end of a side, its line is met and not the shape, and further on another side.
            let radii = shapes[0].radius + shapes[1].radius;
            let is_past = values.gap(&states(poses, [[0.0; 3]; 2])).0.abs() > 1e-9;
            if is_past || is_sharp(first) && is_sharp(second) && distance(&moved, &points[1]) > radii + COARSE
            {
                continue;
            }
            let lowest = moved.iter().map(|p| dot(normal, [p[0] - poses[0][0], p[1] - poses[0][1]]));
            let reach = match *first {
                "half_plane" => {
                    let moved = placed(&shapes[1], 1, poses[1]);
                    let highest = moved.iter().map(|p| dot(normal, [p[0] - poses[0][0], p[1] - poses[0][1]]));
                    -highest.fold(f64::NEG_INFINITY, f64::max) - shapes[1].radius
                }
                _ => shapes[0].radius - lowest.fold(f64::INFINITY, f64::min),
            };
            check_slip(&values, (&name, reach), poses, contact);
        }
        assert!(seen > 8, "{name} was apart {seen} times only");
    }
}
