//! The picture of a run at any time.

use super::super::RunResult;
use super::bounds::{Extent, reach};
use slipstick::formulation::Mixture;
use slipstick::mode::Mode;
use slipstick::model::{DrawnBody, Picture, Reference, contact_name};
use slipstick::trajectory::{Density, Segment, sample_times};

/// About as many moments are looked at to find out how far things go.
const LOOKS: usize = 2000;
/// An angle that changes by less shows no turn.
const NO_TURN: f64 = 1e-12;

/// Position and angle.
pub(crate) type Pose = [f64; 3];

/// Something that moves: the pose of a body, or a place.
#[derive(Clone, Debug)]
pub(crate) struct PoseTrack {
    at: [usize; 2],
    angle: Option<usize>,
    /// How far what moves with it goes from its place.
    pub(crate) reach: f64,
    /// Whether it moves during the run, and whether it turns.
    pub(crate) moves: bool,
    pub(crate) turns: bool,
}

impl PoseTrack {
    /// Its pose, from all numbers of the picture.
    fn pose(&self, row: &[f64]) -> Pose {
        let [x, y] = self.at.map(|place| row[place]);
        [x, y, self.angle.map_or(0.0, |place| row[place])]
    }
}

/// The picture of a run: first the tracks of bodies that move, then of the places of lines, then of points.
pub(crate) struct Scene<'a> {
    pub(crate) result: &'a RunResult<'a>,
    /// The picture with the place of each number in a row.
    pub(crate) numbered: Picture<usize>,
    pub(crate) tracks: Vec<PoseTrack>,
    /// What the things that move and those that stand still cover during the run.
    pub(crate) bounds: Extent,
    observer: Mixture<'a>,
    state: Vec<f64>,
    row: Vec<f64>,
}

impl<'a> Scene<'a> {
    /// None if the model draws nothing, or nothing was computed.
    pub(crate) fn new(result: &'a RunResult<'a>) -> Option<Self> {
        let (rule, system) = (&result.file.model.about.picture, &result.plan.system);
        if rule.is_empty() || result.trajectory.segments.is_empty() {
            return None;
        }
        let numbered = rule.numbered();
        let mut count = 0;
        numbered.visit(&mut |_, _| count += 1);
        let mut scene = Self {
            result,
            tracks: tracks(&numbered),
            numbered,
            bounds: Extent::default(),
            observer: Mixture::new(system, system.picture()),
            state: vec![0.0; result.trajectory.state_names.len()],
            row: vec![0.0; count],
        };
        scene.look_around();
        Some(scene)
    }

    /// The picture at a time of a segment, with all its numbers.
    pub(crate) fn frame(&mut self, segment: &Segment, t: f64) -> Picture<f64> {
        self.observe(segment, t);
        self.numbered.map(&mut |_, place| self.row[*place])
    }

    /// The pose of every track at a time of a segment.
    pub(crate) fn poses(&mut self, segment: &Segment, t: f64) -> Vec<Pose> {
        self.observe(segment, t);
        self.tracks.iter().map(|track| track.pose(&self.row)).collect()
    }

    /// The segment that holds a time: at an event, the one after it.
    pub(crate) fn segment_at(&self, t: f64) -> &'a Segment {
        let segments = &self.result.trajectory.segments;
        let after = segments.partition_point(|segment| segment.start_time <= t);
        &segments[after.saturating_sub(1)]
    }

    fn observe(&mut self, segment: &Segment, t: f64) {
        segment.state_into(t, &mut self.state);
        self.observer.put_back(&segment.mode, t, &mut self.state);
        self.observer.observe(&segment.mode, t, &self.state, &mut self.row);
    }

    /// Finds out how far things go, and which of them turn.
    fn look_around(&mut self) {
        let trajectory = &self.result.trajectory;
        let steps = trajectory.segments.iter().map(|segment| segment.steps().len()).sum();
        let density = Density::about(LOOKS, steps);
        let stride = trajectory.segments.len().div_ceil(LOOKS).max(1);
        let mut first: Option<Vec<Pose>> = None;
        for segment in trajectory.segments.iter().step_by(stride) {
            for t in sample_times(segment, trajectory.start_time(), None, density) {
                let poses = self.poses(segment, t);
                let start = first.get_or_insert_with(|| poses.clone());
                for ((track, pose), start) in self.tracks.iter_mut().zip(&poses).zip(start) {
                    track.moves |= pose != start;
                    track.turns |= (pose[2] - start[2]).abs() > NO_TURN;
                }
                let frame = self.numbered.map(&mut |_, place| self.row[*place]);
                self.bounds.add_picture(&frame);
            }
        }
        self.bounds = self.bounds.or_unit();
        let sizes = self.numbered.map(&mut |_, place| self.row[*place]);
        let moving = |body: &&DrawnBody<f64>| body.pose.is_some();
        for (track, body) in self.tracks.iter_mut().zip(sizes.bodies.iter().filter(moving)) {
            track.reach = reach(body, self.bounds.size());
        }
    }

    /// For bodies and behind them lines, whether they are lit: a contact of theirs is closed in this mode, or
    /// something of theirs has happened not longer ago than `glow`.
    pub(crate) fn lit(&self, mode: &Mode, t: f64, glow: f64) -> Vec<bool> {
        let trajectory = &self.result.trajectory;
        let before = trajectory.events.partition_point(|event| event.t < t - glow);
        let recent = trajectory.events[before..].iter().take_while(|event| event.t <= t);
        let mut names: Vec<&str> = recent.flat_map(|event| self.result.guard_names(&event.guards)).collect();
        let closed = self.result.contacts().iter().filter(|contact| mode.status(contact).is_closed());
        let closed: Vec<String> = closed.map(|contact| contact_name(&contact.name, "closed")).collect();
        names.extend(closed.iter().map(String::as_str));
        let is_lit = |lights: &Vec<Reference>| {
            lights.iter().any(|light| names.iter().any(|name| belongs(name, &light.name)))
        };
        let (bodies, lines) = (&self.numbered.bodies, &self.numbered.lines);
        bodies
            .iter()
            .map(|body| &body.lights)
            .chain(lines.iter().map(|line| &line.lights))
            .map(is_lit)
            .collect()
    }
}

/// Whether something that happens is what a light is named after, or belongs to it as a hit does
/// to a contact.
pub(crate) fn belongs(name: &str, light: &str) -> bool {
    name.strip_prefix(light)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.') || rest == " at rest")
}

/// Everything of a picture that can move.
fn tracks(picture: &Picture<usize>) -> Vec<PoseTrack> {
    let place = |at: [usize; 2], angle| PoseTrack { at, angle, reach: 0.0, moves: false, turns: false };
    let bodies = picture.bodies.iter().filter_map(|body| body.pose.as_ref());
    let bodies = bodies.map(|[x, y, angle]| place([*x, *y], Some(*angle)));
    let lines = picture.lines.iter().flat_map(|line| &line.through).map(|at| place(*at, None));
    bodies.chain(lines).chain(picture.points.iter().map(|point| place(point.at, None))).collect()
}
