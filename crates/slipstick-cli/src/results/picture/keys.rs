//! The motion of everything as few moments between which cubic curves show the rest: both sides of each
//! event, and as many in between as can be told apart.

use super::scene::{Pose, Scene};
use slipstick::trajectory::Segment;

/// What may differ from the trajectory: a quarter of a pixel where the picture has so many.
const PIXELS: f64 = 1000.0;
const TOLERANCE: f64 = 0.25;
/// As many bytes as the motion may take in the page. Text of bytes is a third longer.
const MOST_BYTES: usize = 6_000_000;
/// About as many moments are looked at.
const LOOKS: usize = 6000;
/// So many steps are never joined to one: what goes to and fro could look like what stands still.
const BLOCK: usize = 16;
/// How often a step is cut in two at most.
const CUTS: u32 = 10;
/// Velocities are differences over this part of the time between two looks.
const DIFFERENCE: f64 = 1e-3;
/// How often the tolerance is doubled before the picture is cut off.
const DOUBLINGS: u32 = 6;

/// Position, angle and their rates.
pub(crate) type Key = [f64; 6];

/// The motion of all tracks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Keys {
    pub(crate) t: Vec<f64>,
    /// A list for each time, with a key for each track.
    pub(crate) q: Vec<Vec<Key>>,
    /// Where it ends before the run does, because there would be too much of it.
    pub(crate) cut: Option<f64>,
}

impl Keys {
    /// The motion of a run.
    pub(crate) fn of(scene: &mut Scene<'_>) -> Self {
        let most = MOST_BYTES / (8 + 24 * scene.tracks.len());
        let mut tolerance = TOLERANCE / PIXELS * scene.bounds.size();
        for _ in 0..DOUBLINGS {
            let keys = Self::within(scene, tolerance, most);
            if keys.cut.is_none() {
                return keys;
            }
            tolerance *= 2.0;
        }
        Self::within(scene, tolerance, most)
    }

    fn within(scene: &mut Scene<'_>, tolerance: f64, most: usize) -> Self {
        let segments = &scene.result.trajectory.segments;
        let steps: usize = segments.iter().map(|segment| segment.steps().len()).sum();
        let stride = steps.div_ceil(LOOKS).max(1);
        let mut thinner = Thinner { scene, tolerance, keys: Self::default() };
        for segment in segments {
            thinner.segment(segment, stride);
            if thinner.keys.t.len() > most {
                thinner.keys.t.truncate(most);
                thinner.keys.q.truncate(most);
                thinner.keys.cut = thinner.keys.t.last().copied();
                break;
            }
        }
        thinner.keys
    }

    /// The poses on a track at a time: where two keys have the same time, after it.
    #[cfg(test)]
    pub(crate) fn pose(&self, track: usize, t: f64) -> Pose {
        let after = self.t.partition_point(|key| *key <= t).clamp(1, self.t.len() - 1);
        let [from, to] = [after - 1, after];
        hermite((self.t[from], &self.q[from][track]), (self.t[to], &self.q[to][track]), t)
    }
}

/// The cubic curve between two keys.
fn hermite((t0, from): (f64, &Key), (t1, to): (f64, &Key), t: f64) -> Pose {
    let h = t1 - t0;
    if h <= 0.0 {
        return [to[0], to[1], to[2]];
    }
    let s = (t - t0) / h;
    let (a, b) = (s * s * (3.0 - 2.0 * s), s * (1.0 - s));
    [0, 1, 2].map(|k| {
        let line = from[k] + a * (to[k] - from[k]);
        line + h * b * ((1.0 - s) * from[k + 3] - s * to[k + 3])
    })
}

/// A moment with all poses.
type Look = (f64, Vec<Pose>);
type Moment = (f64, Vec<Key>);

struct Thinner<'s, 'a> {
    scene: &'s mut Scene<'a>,
    /// A length.
    tolerance: f64,
    keys: Keys,
}

impl Thinner<'_, '_> {
    fn segment(&mut self, segment: &Segment, stride: usize) {
        let times = looks(segment, stride);
        let mut from = self.key(segment, segment.start_time, spacing(&times, 0));
        self.push(&from);
        let mut first = 0;
        while first + 1 < times.len() {
            let last = (first + 2 * BLOCK).min(times.len() - 1);
            let looks: Vec<Look> =
                times[first..=last].iter().map(|t| (*t, self.scene.poses(segment, *t))).collect();
            let to = self.key(segment, times[last], spacing(&times, last));
            self.fit(segment, &looks, &from, &to);
            (from, first) = (to, last);
        }
    }

    /// Adds what is needed after `from` up to `to`.
    fn fit(&mut self, segment: &Segment, looks: &[Look], from: &Moment, to: &Moment) {
        if looks.len() <= 2 {
            return self.cut(segment, from, to, CUTS);
        }
        if looks[1..looks.len() - 1].iter().all(|look| self.is_near(look, from, to)) {
            return self.push(to);
        }
        let middle = looks.len() / 2;
        let (t, _) = looks[middle];
        let at = self.key(segment, t, (looks[middle + 1].0 - t).min(t - looks[middle - 1].0));
        self.fit(segment, &looks[..=middle], from, &at);
        self.fit(segment, &looks[middle..], &at, to);
    }

    /// Cuts the time between two looks in halves until the curve is near.
    fn cut(&mut self, segment: &Segment, from: &Moment, to: &Moment, left: u32) {
        let t = f64::midpoint(from.0, to.0);
        let look = (t, self.scene.poses(segment, t));
        if left == 0 || !(from.0 < t && t < to.0) || self.is_near(&look, from, to) {
            return self.push(to);
        }
        let at = self.key(segment, t, to.0 - t);
        self.cut(segment, from, &at, left - 1);
        self.cut(segment, &at, to, left - 1);
    }

    fn is_near(&self, (t, poses): &Look, from: &Moment, to: &Moment) -> bool {
        let tracks = self.scene.tracks.iter().zip(poses).zip(from.1.iter().zip(&to.1));
        tracks.into_iter().all(|((track, pose), (a, b))| {
            let shown = hermite((from.0, a), (to.0, b), *t);
            let off = (shown[0] - pose[0]).hypot(shown[1] - pose[1]);
            let off = off + track.reach * (shown[2] - pose[2]).abs();
            // What has no place is not drawn, however near the curve is.
            off <= self.tolerance || !pose.iter().all(|x| x.is_finite())
        })
    }

    /// Poses and rates at a time; `spacing` says how far the next looks are.
    fn key(&mut self, segment: &Segment, t: f64, spacing: f64) -> Moment {
        let here = self.scene.poses(segment, t);
        let d = DIFFERENCE * spacing;
        let rates = match (t - d > segment.start_time, t + d < segment.end_time) {
            _ if d <= 0.0 => vec![[0.0; 3]; here.len()],
            (true, true) => {
                let [before, after] = [t - d, t + d].map(|t| self.scene.poses(segment, t));
                let rate = |a: &Pose, b: &Pose| [0, 1, 2].map(|k| (b[k] - a[k]) / (2.0 * d));
                before.iter().zip(&after).map(|(a, b)| rate(a, b)).collect()
            }
            (_, at_start) => self.one_sided(segment, (t, &here), if at_start { d } else { -d }),
        };
        let join = |(p, v): (&Pose, Pose)| [p[0], p[1], p[2], v[0], v[1], v[2]];
        (t, here.iter().zip(rates).map(join).collect())
    }

    /// Rates from one side, right for parabolas.
    fn one_sided(&mut self, segment: &Segment, (t, here): (f64, &[Pose]), d: f64) -> Vec<Pose> {
        let [one, two] = [t + d, t + 2.0 * d].map(|t| self.scene.poses(segment, t));
        let rate = |(f, (g, h)): (&Pose, (&Pose, &Pose))| {
            // Of what stands still it is zero, and not rounding.
            [0, 1, 2].map(|k| (4.0 * (g[k] - f[k]) - (h[k] - f[k])) / (2.0 * d))
        };
        here.iter().zip(one.iter().zip(&two)).map(rate).collect()
    }

    fn push(&mut self, (t, keys): &Moment) {
        self.keys.t.push(*t);
        self.keys.q.push(keys.clone());
    }
}

/// The ends of a segment, and between them the ends and the middles of some steps.
fn looks(segment: &Segment, stride: usize) -> Vec<f64> {
    let (start, end) = (segment.start_time, segment.end_time);
    let mut times = vec![start];
    let steps = segment.steps().iter().step_by(stride).map(|step| step.t);
    for t in steps.chain([end]).filter(|t| *t > start && *t <= end) {
        let last = times[times.len() - 1];
        if t > last {
            times.extend([f64::midpoint(last, t), t]);
        }
    }
    times
}

/// The time to the nearer of the neighbours.
fn spacing(times: &[f64], k: usize) -> f64 {
    let before = k.checked_sub(1).map_or(f64::INFINITY, |before| times[k] - times[before]);
    let after = times.get(k + 1).map_or(f64::INFINITY, |after| after - times[k]);
    let least = before.min(after);
    if least.is_finite() { least } else { 0.0 }
}
