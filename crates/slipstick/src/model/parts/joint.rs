//! Joints as they are written: their kind, their ends, and what they do beside holding.

use super::bodies::{BodyList, BodyPlace, check_keys};
use super::joints::{FOREIGN, JointKind, KINDS, RATIO_KINDS, RatioKind};
use super::shapes::BodyShape;
use super::source::PartSource;
use super::term::{Pair, Term, unit};
use super::track::{CurveTrack, TrackEnds};
use crate::expr::Dimension;
use crate::model::Setting;
use std::ops::Range;

/// The keys of all joints beside their kinds.
const JOINT_KEYS: &[&str] =
    &["at", "repeat", "friction", "stops", "open", "while", "break", "within", "mirror", "start"];
const STOP_KEYS: &[&str] = &["from", "to", "restitution"];
const BREAK_KEYS: &[&str] = &["force", "moment", "impulse"];
const FRICTION_KEYS: &[&str] = &["torque", "force", "coefficient", "radius"];

/// A joint between two places.
pub(super) struct Joint {
    pub(super) name: String,
    pub(super) span: Range<usize>,
    pub(super) kind: &'static JointKind,
    pub(super) ends: [BodyPlace; 2],
    /// Whether places on the bodies are named; otherwise an end is where the other is drawn.
    pub(super) named: [bool; 2],
    /// Where it is drawn, and the place in whose axes that is, if it is not the ground.
    pub(super) at: Option<Pair>,
    pub(super) within: Option<BodyPlace>,
    /// Whether its angle counts the other way round.
    pub(super) is_mirrored: bool,
    pub(super) axis: Pair,
    /// What it keeps, in place of what is drawn.
    pub(super) kept: Option<Term>,
    /// What it runs along.
    pub(super) track: Option<CurveTrack>,
    /// Its own coordinate at the start, and the velocity of that.
    pub(super) start: [Option<Term>; 2],
    pub(super) holding: Holding,
    pub(super) friction: Option<JointFriction>,
    pub(super) stops: Stops,
}

impl Joint {
    /// Where it is drawn, in ground axes, if that is given.
    pub(super) fn place(&self, bodies: &BodyList) -> Option<Pair> {
        self.at.as_ref().map(|at| bodies.drawn_within(self.within.as_ref(), at))
    }
}

/// Dry friction in a joint.
pub(super) struct JointFriction {
    /// The force or torque that it holds against, and that while it moves; or these as parts of the force in the joint.
    pub(super) limits: [Term; 2],
    /// What bears that force.
    pub(super) row: Option<&'static str>,
}

/// When a joint holds.
#[derive(Default)]
pub(super) struct Holding {
    /// Whether it is open at the start.
    pub(super) open: bool,
    /// While this condition is true.
    pub(super) condition: Option<Term>,
    /// Whether it keeps what it finds when it shuts.
    pub(super) here: bool,
    /// The force and the moment that break it.
    pub(super) force: Option<Term>,
    pub(super) moment: Option<Term>,
    /// The impulse of a hit that breaks it.
    pub(super) impulse: Option<Term>,
    /// Whether an event opens it.
    pub(super) is_opened: bool,
}

impl Holding {
    /// Whether too large a load opens it.
    pub(super) fn can_break(&self) -> bool {
        self.force.is_some() || self.moment.is_some() || self.impulse.is_some()
    }
}

/// The range of the coordinate of a joint.
#[derive(Default)]
pub(super) struct Stops {
    pub(super) from: Option<Term>,
    pub(super) to: Option<Term>,
    pub(super) restitution: Option<Term>,
}

/// A joint between two joints.
pub(super) struct Ratio {
    pub(super) name: String,
    pub(super) span: Range<usize>,
    pub(super) kind: &'static RatioKind,
    pub(super) ends: [String; 2],
    /// What the second coordinate is for each unit of the first.
    pub(super) factor: Term,
}

/// Joints as they are read.
#[derive(Default)]
pub(super) struct JointList {
    pub(super) list: Vec<Joint>,
    pub(super) ratios: Vec<Ratio>,
}

impl JointList {
    pub(super) fn read(
        source: &mut PartSource,
        section: Option<&Setting>,
        (bodies, shapes): (&BodyList, &[BodyShape]),
    ) -> Self {
        let mut joints = Self::default();
        for (name, part) in section.into_iter().flat_map(Setting::entries) {
            let Some(kind) = kind_of(source, name, part) else { continue };
            source.copies((name, part), |source, name| match kind {
                AnyKind::Places(kind) => {
                    joints.list.extend(JointReader { source, name, part, bodies, shapes }.joint(kind));
                }
                AnyKind::JointList(kind) => joints.ratios.extend(ratio(source, (name, part), kind)),
            });
        }
        joints
    }
}

#[derive(Clone, Copy)]
enum AnyKind {
    Places(&'static JointKind),
    JointList(&'static RatioKind),
}

/// The one kind of a joint.
fn kind_of(source: &mut PartSource, name: &str, part: &Setting) -> Option<AnyKind> {
    if part.as_table().is_none() {
        let message = format!("joint `{name}` must be a table");
        let hint = "for example `{ revolute = [\"ground\", \"crank.pin\"] }`";
        source.error("wrong-type", part.span.clone(), message, hint);
        return None;
    }
    let places = KINDS.iter().map(|kind| (kind.word, AnyKind::Places(kind)));
    let all: Vec<_> =
        places.chain(RATIO_KINDS.iter().map(|kind| (kind.word, AnyKind::JointList(kind)))).collect();
    let mut found = None;
    for (key, value) in part.entries() {
        if let Some((_, cure)) = FOREIGN.iter().find(|(word, _)| *word == key) {
            let message = format!("joint `{name}` has the kind `{key}`, which is not one of those here");
            source.error("unknown-kind", value.key_span.clone(), message, *cure);
            return None;
        }
        let Some((_, kind)) = all.iter().find(|(word, _)| *word == key) else { continue };
        if let Some((first, _)) = found {
            let message = format!("joint `{name}` has two kinds, `{first}` and `{key}`");
            source.error("two-kinds", value.key_span.clone(), message, "keep one of them");
            return None;
        }
        found = Some((key, *kind));
    }
    if found.is_none() {
        let message = format!("joint `{name}` has no kind");
        let words: Vec<&str> = all.iter().map(|(word, _)| *word).collect();
        source.error("missing-key", part.span.clone(), message, format!("give one of {}", words.join(", ")));
    }
    found.map(|(_, kind)| kind)
}

/// The two ends of a joint, as they are written.
fn ends(
    source: &mut PartSource,
    (name, kind): (&str, &str),
    part: &Setting,
) -> Option<[(String, Range<usize>); 2]> {
    let value = part.get(kind)?;
    let example = format!("{kind} = [\"ground\", \"crank.pin\"]");
    let list = source.keep(value.list("two ends", &example))?;
    let [first, second] = list else {
        let message = format!("joint `{name}` needs two ends, has {}", list.len());
        source.error("wrong-type", value.span.clone(), message, format!("for example `{example}`"));
        return None;
    };
    Some([(source.name(first)?, first.span.clone()), (source.name(second)?, second.span.clone())])
}

fn ratio(source: &mut PartSource, (name, part): (&str, &Setting), kind: &'static RatioKind) -> Option<Ratio> {
    let keys: Vec<&str> = [kind.word, "repeat"].iter().chain(kind.keys).copied().collect();
    check_keys(source, part, &keys, &format!("joint `{name}`"));
    let [(first, _), (second, _)] = ends(source, (name, kind.word), part)?;
    let Some(factor) = (kind.ratio)(source, part) else {
        let message = format!("joint `{name}` has no `{}`", kind.keys[0]);
        let hint = format!("a `{}` needs `{}`", kind.word, kind.keys[0]);
        source.error("missing-key", part.span.clone(), message, hint);
        return None;
    };
    let span = part.key_span.clone();
    Some(Ratio { name: name.to_owned(), span, kind, ends: [first, second], factor })
}

/// Both ends, each with whether a place on its body is named, and what the joint runs along.
type JointEnds = ([(BodyPlace, bool); 2], Option<CurveTrack>);

/// Reads one joint between places.
struct JointReader<'r> {
    source: &'r mut PartSource,
    name: &'r str,
    part: &'r Setting,
    bodies: &'r BodyList,
    shapes: &'r [BodyShape],
}

impl JointReader<'_> {
    fn joint(&mut self, kind: &'static JointKind) -> Option<Joint> {
        let keys: Vec<&str> = [kind.word].iter().chain(kind.keys).chain(JOINT_KEYS).copied().collect();
        check_keys(self.source, self.part, &keys, &format!("joint `{}`", self.name));
        let ([first, second], track) = self.ends(kind)?;
        if first.0.body == second.0.body {
            let message = format!("both ends of joint `{}` are on one body", self.name);
            self.source.error(
                "bad-joint",
                self.part.span.clone(),
                message,
                "join it to another body, or to `ground`",
            );
            return None;
        }
        let (at, kept, here) = self.at(kind)?;
        let mirror = self.part.get("mirror").and_then(|value| self.source.keep(value.boolean()));
        let within = self.within();
        let is_mirrored = mirror == Some(true);
        let is_turned = is_mirrored && kind.word == "angle";
        let axis = self.part.get("axis").and_then(|value| self.source.pair_as(value, None));
        Some(Joint {
            name: self.name.to_owned(),
            span: self.part.key_span.clone(),
            kind,
            named: [first.1, second.1],
            ends: [first.0, second.0],
            at,
            axis: axis.map_or_else(|| [Term::one(), Term::zero()], unit),
            within,
            is_mirrored,
            kept: kept.map(|kept| if is_turned { -&kept } else { kept }),
            track,
            start: self.start(kind)?,
            holding: self.holding(here),
            friction: self.friction(kind),
            stops: self.stops(kind),
        })
    }

    /// Both ends, each with whether a place on its body is named, and what the joint runs along.
    fn ends(&mut self, kind: &JointKind) -> Option<JointEnds> {
        let ends = ends(self.source, (self.name, kind.word), self.part)?;
        let Some(kind) = kind.track else {
            return Some(([self.end(&ends[0])?, self.end(&ends[1])?], None));
        };
        let ends = TrackEnds { name: self.name, kind, part: self.part, ends };
        let (places, track) = ends.read(self.source, (self.bodies, self.shapes))?;
        self.check_track();
        Some((places.map(|place| (place, true)), Some(track)))
    }

    /// The place in whose axes the joint is drawn, if it is not the ground.
    fn within(&mut self) -> Option<BodyPlace> {
        let value = self.part.get("within")?;
        let name = self.source.name(value)?;
        Some(self.bodies.find(self.source, &name, &value.span)?.0)
    }

    /// An end, with whether a place on the body is named. The frame that the joint is drawn in is none.
    fn end(&mut self, (name, span): &(String, Range<usize>)) -> Option<(BodyPlace, bool)> {
        let (place, is_named) = self.bodies.find(self.source, name, span)?;
        let frame = self.part.get("within").and_then(|value| value.string("").ok());
        Some((place, is_named && frame != Some(name)))
    }

    /// Where the joint is drawn, what it keeps in place of what is drawn, and whether it keeps what it finds.
    fn at(&mut self, kind: &JointKind) -> Option<(Option<Pair>, Option<Term>, bool)> {
        let length = self.source.amount_of(self.part, "length");
        let Some(value) = self.part.get("at") else { return Some((None, length, false)) };
        let is_angle = kind.word == "angle";
        let shuts = self.part.get("open").or_else(|| self.part.get("while")).is_some();
        let is_here = value.string("").is_ok_and(|word| word == "here");
        match (is_here, value.is_list()) {
            (true, _) if shuts && !kind.joins_points => Some((None, length, true)),
            (false, true) if !is_angle => Some((self.source.pair(value), length, false)),
            (false, false) if is_angle => {
                Some((None, Some(self.source.amount_as(value, Some(Dimension::ANGLE))), false))
            }
            _ => {
                let message = format!("`at` of joint `{}` cannot be this", self.name);
                let hint = match (is_here, is_angle) {
                    (true, _) => {
                        "`here` is for joints of other kinds than `revolute` that shut: with `open = true` or `while`"
                    }
                    (false, true) => "the `at` of an `angle` is a number",
                    (false, false) => "give a place in the drawing, `at = [0, \"30 mm\"]`",
                };
                self.source.error("bad-joint", value.span.clone(), message, hint);
                None
            }
        }
    }

    fn holding(&mut self, here: bool) -> Holding {
        let open = self.part.get("open").and_then(|value| self.source.keep(value.boolean()));
        let condition = self.part.get("while").map(|value| self.source.condition(value));
        let broken = self.part.get("break");
        if let Some(broken) = broken {
            check_keys(self.source, broken, BREAK_KEYS, "`break`");
        }
        let mut limit = |key: &str| broken.and_then(|broken| self.source.amount_of(broken, key));
        let (force, moment, impulse) = (limit("force"), limit("moment"), limit("impulse"));
        let open = open == Some(true);
        if open && condition.is_some() {
            let message = format!("joint `{}` has both `open` and `while`", self.name);
            let hint = "`while` says when it is shut, also at the start: leave out `open`";
            self.source.error("bad-joint", self.part.span.clone(), message, hint);
        }
        Holding { open, condition, here, force, moment, impulse, is_opened: false }
    }

    /// Dry friction of a given force or torque.
    fn friction(&mut self, kind: &JointKind) -> Option<JointFriction> {
        let value = self.part.get("friction").filter(|_| kind.track.is_none())?;
        check_keys(self.source, value, FRICTION_KEYS, "`friction` of a joint");
        let word = kind.coordinate.map(|coordinate| coordinate.word);
        if let Some(coefficient) = value.get("coefficient") {
            return self.friction_by_force(kind, value, coefficient);
        }
        let key = if word == Some("angle") { "torque" } else { "force" };
        let limits = value.get(key).and_then(|amount| self.limits(amount, key));
        if value.get(key).is_none() || word.is_none() {
            let message = format!("`friction` of joint `{}` needs `{key}`", self.name);
            let hint = format!(
                "for example `friction = {{ {key} = 0.5 }}`; a joint that leaves nothing free has none"
            );
            self.source.error("missing-key", value.span.clone(), message, hint);
        }
        Some(JointFriction { limits: limits?, row: None })
    }

    /// Dry friction that is a part of the force in the joint.
    fn friction_by_force(
        &mut self,
        kind: &JointKind,
        value: &Setting,
        part: &Setting,
    ) -> Option<JointFriction> {
        let Some(row) = kind.bears() else {
            let message = format!(
                "`friction` of joint `{}` follows from its force, which is not there yet for a `{}`",
                self.name, kind.word
            );
            let hint = "give the `torque` or the `force` of the friction; a `prismatic` or a `slot` takes a `coefficient`";
            self.source.error("not-yet", part.key_span.clone(), message, hint);
            return None;
        };
        for key in ["torque", "force", "radius"] {
            let Some(other) = value.get(key) else { continue };
            let message = format!("the friction of joint `{}` has a `coefficient` and a `{key}`", self.name);
            let hint = "the coefficient is for the force in the joint: leave out the other";
            self.source.error("bad-joint", other.key_span.clone(), message, hint);
        }
        Some(JointFriction { limits: self.limits(part, "coefficient")?, row: Some(row) })
    }

    /// One amount for both limits, or a table of two.
    fn limits(&mut self, value: &Setting, key: &str) -> Option<[Term; 2]> {
        if value.as_table().is_none() {
            let both = self.source.moving(value);
            return Some([both.clone(), both]);
        }
        let words = ["static", "sliding"];
        check_keys(self.source, value, &words, &format!("`{key}` of friction"));
        let both = words.map(|word| {
            value.get(word).map(|limit| self.source.moving_as(limit, super::source::dimension_of(key)))
        });
        let [Some(sticking), Some(sliding)] = both else {
            let message =
                format!("`{key}` of the friction of joint `{}` needs both `static` and `sliding`", self.name);
            let hint =
                format!("for example `{key} = {{ static = 0.6, sliding = 0.4 }}`, or one amount for both");
            self.source.error("missing-key", value.span.clone(), message, hint);
            return None;
        };
        Some([sticking, sliding])
    }

    /// Its coordinate at the start, and the velocity of that.
    fn start(&mut self, kind: &JointKind) -> Option<[Option<Term>; 2]> {
        let Some(value) = self.part.get("start") else { return Some([None, None]) };
        let Some(coordinate) = kind.coordinate else {
            let message = format!("joint `{}` leaves nothing free that could start somewhere", self.name);
            self.source.error("bad-joint", value.span.clone(), message, "leave out `start`");
            return None;
        };
        check_keys(self.source, value, &[coordinate.word, "velocity"], "`start` of a joint");
        let [of_place, of_rate, _] = super::drives::in_each(coordinate.dimensions());
        let mut amount = |key, needed| value.get(key).map(|value| self.source.amount_as(value, needed));
        Some([amount(coordinate.word, of_place), amount("velocity", of_rate)])
    }

    /// What runs along something always holds, and its place there has no force of its own.
    fn check_track(&mut self) {
        for key in ["open", "while", "break", "friction"] {
            let Some(value) = self.part.get(key) else { continue };
            let message = format!("joint `{}` runs along a shape and cannot have `{key}` yet", self.name);
            let hint = "make a contact of it: that opens, and has friction";
            self.source.error("not-yet", value.key_span.clone(), message, hint);
        }
    }

    fn stops(&mut self, kind: &JointKind) -> Stops {
        let Some(value) = self.part.get("stops") else { return Stops::default() };
        check_keys(self.source, value, STOP_KEYS, "`stops`");
        if kind.coordinate.is_none() {
            let message = format!("joint `{}` leaves nothing free that could be stopped", self.name);
            self.source.error("bad-joint", value.span.clone(), message, "leave out `stops`");
            return Stops::default();
        }
        let dimension = kind.coordinate.and_then(|coordinate| coordinate.dimensions()).map(|all| all[0]);
        let mut amount = |key| value.get(key).map(|value| self.source.amount_as(value, dimension));
        let (from, to) = (amount("from"), amount("to"));
        Stops { from, to, restitution: self.source.moving_of(value, "restitution") }
    }
}
