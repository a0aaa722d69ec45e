//! The data of the moving picture in the page.

use super::super::{RunResult, number};
use super::base64::base64;
use super::keys::Keys;
use super::scene::{Scene, belongs};
use serde_json::{Value, json};
use slipstick::contact::{Hit, Impact};
use slipstick::model::{
    DrawnBody, DrawnLine, DrawnPoint, DrawnShape, Formula, Outline, Picture, Reference, contact_name,
};
use slipstick::trajectory::{Event, Segment};

/// The page tests itself at so many moments.
const TESTED: usize = 24;
/// The most events of which the page shows ticks.
const MOST_EVENTS: usize = 20_000;
/// Units of lengths, for the scale.
const LENGTHS: [&str; 8] = ["m", "km", "cm", "mm", "um", "nm", "in", "ft"];

/// The data of the picture; none if the model draws nothing.
pub(crate) fn data(result: &RunResult<'_>) -> Option<Value> {
    let mut scene = Scene::new(result)?;
    let keys = Keys::of(&mut scene);
    let tracks = PlacedTracks::of(&keys, scene.tracks.len());
    let trajectory = &result.trajectory;
    let end = keys.cut.unwrap_or(trajectory.end_time());
    let events = trajectory.events.iter().filter(|event| event.t <= end).take(MOST_EVENTS);
    let picture = scene.frame(&trajectory.segments[0], trajectory.start_time());
    let mut next = 0..scene.tracks.len();
    let mut place =
        || next.next().map_or((Value::Null, false), |k| (tracks.places[k].clone(), scene.tracks[k].turns));
    let bodies: Vec<Value> = picture.bodies.iter().map(|body| body_json(body, &mut place)).collect();
    let lines: Vec<Value> = picture.lines.iter().map(|line| line_json(line, &mut place)).collect();
    let joint = |point: &DrawnPoint<f64>| json!({ "name": point.name, "kind": "point", "at": place().0 });
    let joints: Vec<Value> = picture.points.iter().map(joint).collect();
    let events: Vec<Value> = events.map(|event| event_json(result, event, &picture)).collect();
    Some(json!({
        "v": 1,
        "dimension": 2,
        "unit": length_unit(result),
        "time_unit": result.file.model.unit("t"),
        "bounds": [scene.bounds.low, scene.bounds.high],
        "bodies": bodies,
        "lines": lines,
        "joints": joints,
        "tracks": tracks.moving.len(),
        "t": base64(&keys.t.iter().flat_map(|t| t.to_le_bytes()).collect::<Vec<u8>>()),
        "q": base64(&tracks.bytes(&keys)),
        "events": events,
        "closed": closed(result),
        "modes": modes(result),
        "vectors": {},
        "ends": keys.cut.map(number),
        "test": test(&mut scene, end, &tracks.moving),
    }))
}

/// Tracks that stand still all the time have a pose and no motion.
struct PlacedTracks {
    /// For each track its number among those that move, or its pose.
    places: Vec<Value>,
    moving: Vec<usize>,
}

impl PlacedTracks {
    fn of(keys: &Keys, count: usize) -> Self {
        let (mut places, mut moving) = (Vec::new(), Vec::new());
        for track in 0..count {
            let first = keys.q[0][track];
            if keys.q.iter().all(|q| q[track][..3] == first[..3] && q[track][3..] == [0.0; 3]) {
                places.push(json!([first[0], first[1], first[2]]));
            } else {
                places.push(json!(moving.len()));
                moving.push(track);
            }
        }
        Self { places, moving }
    }

    /// `f32[times][tracks][6]`.
    fn bytes(&self, keys: &Keys) -> Vec<u8> {
        let of_time = |q: &Vec<[f64; 6]>| {
            let moving: Vec<f64> = self.moving.iter().flat_map(|track| q[*track]).collect();
            moving
        };
        // The page draws pixels: seven digits are enough.
        #[allow(clippy::cast_possible_truncation)]
        keys.q.iter().flat_map(of_time).flat_map(|x| (x as f32).to_le_bytes()).collect()
    }
}

fn names(lights: &[Reference]) -> Vec<&str> {
    lights.iter().map(|light| light.name.as_str()).collect()
}

/// `place` gives the places of what can move one after the other, and whether they turn.
fn body_json(body: &DrawnBody<f64>, place: &mut impl FnMut() -> (Value, bool)) -> Value {
    let (pose, turns) = body.pose.map_or_else(|| (json!([0.0, 0.0, 0.0]), false), |_| place());
    let points: Vec<Value> =
        body.points.iter().map(|point| json!({ "name": point.name, "at": point.at })).collect();
    json!({
        "name": body.name,
        "pose": pose,
        "turns": turns,
        "shapes": body.shapes.iter().map(shape_json).collect::<Vec<_>>(),
        "points": points,
        "lights": names(&body.lights),
    })
}

fn line_json(line: &DrawnLine<f64>, place: &mut impl FnMut() -> (Value, bool)) -> Value {
    let through: Vec<Value> = line.through.iter().map(|_| place().0).collect();
    let kind = if line.is_spring { "spring" } else { "line" };
    let lights = names(&line.lights);
    json!({ "name": line.name, "kind": kind, "through": through, "width": line.width, "lights": lights })
}

fn shape_json(shape: &DrawnShape<f64>) -> Value {
    let (kind, size) = match &shape.outline {
        Outline::Disc(radius) => ("disc", json!(radius)),
        Outline::Box(sizes) => ("box", json!(sizes)),
        Outline::Capsule(sizes) => ("capsule", json!(sizes)),
        Outline::Ellipse(axes) => ("ellipse", json!(axes)),
        Outline::Segment(ends) => ("segment", json!(ends)),
        Outline::HalfPlane(direction) => ("half_plane", json!(direction)),
        Outline::Polygon(corners) => ("polygon", json!(corners)),
    };
    json!({ "kind": kind, "size": size, "at": shape.at, "turn": shape.turn, "width": shape.width })
}

/// What happened, when, what it lights up, and the sum of the impulses.
fn event_json(result: &RunResult<'_>, event: &Event, picture: &Picture<f64>) -> Value {
    let fired = result.guard_names(&event.guards);
    let is_of =
        |lights: &[Reference]| lights.iter().any(|light| fired.iter().any(|name| belongs(name, &light.name)));
    let bodies: Vec<usize> =
        (0..picture.bodies.len()).filter(|k| is_of(&picture.bodies[*k].lights)).collect();
    let lines: Vec<usize> = (0..picture.lines.len()).filter(|k| is_of(&picture.lines[*k].lights)).collect();
    let hits: Vec<&Hit> = event.impacts().flat_map(Impact::pushes).collect();
    let impulse = (!hits.is_empty()).then(|| hits.iter().map(|hit| hit.impulse.0).sum::<f64>());
    let kinds: Vec<&str> = event.kinds.iter().map(|kind| kind.name()).collect();
    json!({
        "t": event.t,
        "name": result.event_names(event),
        "kind": kinds.join(", "),
        "bodies": bodies,
        "lines": lines,
        "at": null,
        "impulse": impulse,
    })
}

/// When contacts that light something up were closed: name, from, to.
fn closed(result: &RunResult<'_>) -> Vec<Value> {
    let lit = |name: &str| result.file.model.about.picture.lights().any(|light| light.name == name);
    let mut list = Vec::new();
    for contact in result.contacts() {
        let name = contact_name(&contact.name, "");
        let name = name.trim_end_matches('.');
        if !lit(name) {
            continue;
        }
        let is_closed = |segment: &Segment| segment.mode.status(contact).is_closed();
        list.extend(
            spans(result, is_closed)
                .into_iter()
                .filter(|(is, ..)| *is)
                .map(|(_, from, to)| json!([name, from, to])),
        );
    }
    list
}

/// The modes of the automaton: name, from, to.
fn modes(result: &RunResult<'_>) -> Vec<Value> {
    if !result.has_modes() {
        return Vec::new();
    }
    let spans = spans(result, |segment| segment.mode.values.place);
    spans.into_iter().map(|(mode, from, to)| json!([result.mode_name(mode), from, to])).collect()
}

/// From when to when something is the same.
fn spans<T: PartialEq>(result: &RunResult<'_>, of: impl Fn(&Segment) -> T) -> Vec<(T, f64, f64)> {
    let mut spans: Vec<(T, f64, f64)> = Vec::new();
    for segment in &result.trajectory.segments {
        let is = of(segment);
        match spans.last_mut() {
            Some(last) if last.0 == is => last.2 = segment.end_time,
            _ => spans.push((is, segment.start_time, segment.end_time)),
        }
    }
    spans
}

/// The unit of the first name of a length that stands in a place.
fn length_unit(result: &RunResult<'_>) -> Option<String> {
    let model = &result.file.model;
    let mut found = None;
    model.about.picture.visit(&mut |_, formula: &Formula| {
        for (name, _) in formula.syntax.names() {
            let unit = model.unit(name).filter(|unit| LENGTHS.contains(unit));
            found = found.take().or(unit.map(str::to_owned));
        }
    });
    found
}

/// What the page compares its own picture with: times, whether after the event there, and the poses of what
/// moves.
fn test(scene: &mut Scene<'_>, end: f64, moving: &[usize]) -> Vec<Value> {
    let segments: Vec<&Segment> =
        scene.result.trajectory.segments.iter().filter(|segment| segment.end_time <= end).collect();
    let stride = segments.len().div_ceil(TESTED / 3).max(1);
    // Both ends of segments, and moments between them that are no middles.
    let between = (TESTED / segments.len().max(1)).saturating_sub(2).max(1);
    let mut list = Vec::new();
    for segment in segments.into_iter().step_by(stride) {
        let (start, end) = (segment.start_time, segment.end_time);
        let inside =
            (1..=between).map(|k| (start + k as f64 / (between as f64 + 0.618) * (end - start), true));
        for (t, after) in std::iter::once((start, true)).chain(inside).chain([(end, false)]) {
            let poses = scene.poses(segment, t);
            list.push(json!([t, after, moving.iter().map(|track| poses[*track]).collect::<Vec<_>>()]));
        }
    }
    list
}
