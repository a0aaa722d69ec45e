//! From joints to constraints: what each keeps, when it holds, when it breaks, and what it does to its coordinate.

use super::bodies::{BodyList, BodyPlace, Pose};
use super::joint::{Joint, JointFriction, JointList, Ratio};
use super::joints::{CoordinateKind, Ends, rate_along};
use super::lowered::{GapRule, LoweredParts, RubbingRule};
use super::source::PartSource;
use super::term::{Pair, Term, dot, left_of, minus, plus, scaled};
use crate::model::{Definition, ImpactLaw, JointRule, PressRule};
use std::collections::BTreeMap;

/// A joint with its ends where they are: what formulas need of it.
pub(super) struct Held<'a> {
    pub(super) joint: &'a Joint,
    pub(super) ends: Ends<'a>,
    /// Whether it carries a body: then what it leaves free is a coordinate of the model.
    pub(super) carries: bool,
}

impl Held<'_> {
    pub(super) fn own(&self, property: &str) -> String {
        format!("joint.{}.{property}", self.joint.name)
    }

    pub(super) fn coordinate(&self) -> Option<CoordinateKind> {
        self.joint.kind.coordinate
    }

    /// Whether its coordinate is the difference of the angles of its bodies.
    pub(super) fn has_plain_angle(&self) -> bool {
        let is_angle = self.coordinate().is_some_and(|coordinate| coordinate.word == "angle");
        is_angle && [&self.ends.first, &self.ends.second].into_iter().all(|end| end.angle.is_zero())
    }

    /// The value of its coordinate.
    pub(super) fn value(&self, coordinate: CoordinateKind, pose: Pose) -> Term {
        if self.carries && pose == Pose::Moving {
            return Term::whole(self.own(coordinate.word));
        }
        (coordinate.value)(&self.ends, pose)
    }

    /// How fast its coordinate changes.
    pub(super) fn velocity(&self, coordinate: CoordinateKind) -> Term {
        rate_along(&self.gradient(coordinate))
    }

    /// The derivative of its coordinate by each coordinate that it depends on.
    fn gradient(&self, coordinate: CoordinateKind) -> Vec<(String, Term)> {
        if self.carries {
            return vec![(self.own(coordinate.word), Term::one())];
        }
        (coordinate.gradient)(&self.ends)
    }

    /// How fast its coordinate changes where its bodies are drawn.
    pub(super) fn drawn_rate(&self, coordinate: CoordinateKind) -> Term {
        let Ends { bodies, first, second, .. } = &self.ends;
        let spins = [first, second].map(|end| bodies.drawn_turning(end));
        if coordinate.word == "angle" {
            let turning = &spins[1] - &spins[0];
            return if self.ends.is_mirrored { -&turning } else { turning };
        }
        let [from, to] = [first, second].map(|end| bodies.drawn_velocity(end));
        let carried = plus(&from, &scaled(&left_of(&self.ends.between(Pose::Drawn)), &spins[0]));
        dot(&self.ends.axes(Pose::Drawn)[0], &minus(&to, &carried))
    }

    /// How fast its rate changes, where that is a sum of what bodies do.
    pub(super) fn acceleration(&self, coordinate: CoordinateKind) -> Option<Term> {
        let is_linear = matches!(coordinate.word, "angle" | "s");
        let product = |(name, slope): &(String, Term)| slope * &Term::whole(format!("{name}''"));
        let gradient = self.gradient(coordinate);
        let is_linear = is_linear || self.carries;
        is_linear.then(|| gradient.iter().map(product).fold(Term::zero(), |sum, term| &sum + &term))
    }

    /// What a force along its coordinate does to the coordinates of bodies.
    pub(super) fn push(&self, coordinate: CoordinateKind, force: &Term) -> Vec<(String, Term)> {
        self.gradient(coordinate).into_iter().map(|(name, slope)| (name, &slope * force)).collect()
    }

    /// Force and moment on the second body, at its point.
    pub(super) fn reaction(&self) -> (Pair, Term) {
        let multiplier = |row: &str| Term::whole(format!("lambda.{}", self.own(row)));
        (self.joint.kind.reaction)(&self.ends, &multiplier)
    }

    /// The impulse on the second body in the last hit, by the variables that keep the impulses of its rows.
    fn impulse(&self) -> Pair {
        let of_row = |row: &str| Term::whole(self.own(&format!("impulse.{row}")));
        (self.joint.kind.reaction)(&self.ends, &of_row).0
    }
}

/// All joints between places, with their ends.
pub(super) fn held<'a>(
    source: &PartSource,
    joints: &'a JointList,
    bodies: &'a BodyList,
    lowered: &mut LoweredParts,
) -> BTreeMap<&'a str, Held<'a>> {
    let mut all = BTreeMap::new();
    for joint in &joints.list {
        let [first, second] = ends(joint, bodies, lowered);
        let (axis, is_mirrored) = (joint.axis.clone(), joint.is_mirrored);
        let mut ends = Ends { bodies, first, second, axis, is_mirrored, track: None };
        if let Some(track) = &joint.track {
            let start = joint.start_on(track, &ends, (source, &mut *lowered));
            ends.track = Some((track, format!("joint.{}.s", joint.name), start));
        }
        all.insert(joint.name.as_str(), Held { joint, ends, carries: false });
    }
    all
}

/// The ends of a joint. One that is not named is where the other is drawn, or where the joint is.
fn ends(joint: &Joint, bodies: &BodyList, lowered: &mut LoweredParts) -> [BodyPlace; 2] {
    [0, 1].map(|end| {
        let mut place = joint.ends[end].clone();
        let position = match joint.place(bodies) {
            _ if joint.named[end] => return place,
            Some(at) => at,
            None if joint.named[1 - end] => bodies.position(&joint.ends[1 - end], Pose::Drawn),
            None => return place,
        };
        let at = bodies.drawn_place(place.body, &position);
        let [x, y] = at;
        let name = |axis: &str| format!("joint.{}.at{}.{axis}", joint.name, end + 1);
        place.at = [lowered.fixed(&name("x"), x, &joint.span), lowered.fixed(&name("y"), y, &joint.span)];
        place
    })
}

/// The constraints of a joint, and everything else that it is.
pub(super) fn lower_joint(
    source: &mut PartSource,
    held: &Held<'_>,
    was_placed: bool,
    lowered: &mut LoweredParts,
) {
    let joint = held.joint;
    if joint.named == [false; 2] && joint.at.is_none() && joint.kind.joins_points {
        let message = format!("joint `{}` does not say where it is", joint.name);
        let hint = "name a point of one of its bodies, or add `at = [x, y]`";
        source.error("bad-joint", joint.span.clone(), message, hint);
    }
    if let Some((_, name, start)) = &held.ends.track {
        let velocity = joint.start[1].clone().unwrap_or_else(Term::zero);
        lowered.coordinate(name, [start, &velocity], &joint.span);
    }
    if !held.carries {
        keep(held, was_placed, lowered);
    }
    if joint.holding.can_break() {
        breaks(held, lowered);
    }
    let Some(coordinate) = held.coordinate() else { return };
    if let Some(friction) = &joint.friction {
        rubs(held, (coordinate, friction), lowered);
    }
    stops(held, coordinate, lowered);
}

/// What a joint keeps, in the mode in which it holds. A body that is drawn nowhere is put on the line of the other, by
/// this joint or by the assembly: there is nothing drawn to keep.
fn keep(held: &Held<'_>, was_placed: bool, lowered: &mut LoweredParts) {
    let (joint, span) = (held.joint, &held.joint.span);
    let holding = &joint.holding;
    let (moving, drawn) =
        ((joint.kind.relative)(&held.ends, Pose::Moving), (joint.kind.relative)(&held.ends, Pose::Drawn));
    let mut found = Vec::new();
    for ((row, moving), (_, drawn)) in moving.into_iter().zip(drawn) {
        let kept = if holding.here && joint.kept.is_none() {
            let name = held.own(&format!("kept.{row}"));
            lowered.discrete(&name, &drawn, span);
            found.push((name.clone(), moving.clone()));
            Term::whole(name)
        } else {
            kept_value(held, (row, drawn), was_placed, lowered)
        };
        let left = &moving - &kept;
        let left = match held.holds() {
            Some(condition) => left.when(&condition, &Term::zero()),
            None => left,
        };
        lowered.constraint(&held.own(row), &left, span);
    }
    if held.is_switched() {
        lowered.discrete(&held.own("closed"), &if holding.open { Term::zero() } else { Term::one() }, span);
    }
    if let Some(condition) = holding.condition.as_ref().filter(|_| holding.here) {
        let reset: Vec<Definition> =
            found.iter().map(|(name, now)| lowered.definition(name, now, span)).collect();
        lowered.event(&held.own("close"), condition, reset, span);
        // One that is shut at the start keeps what is drawn.
        lowered.events.iter_mut().rev().take(1).for_each(|event| event.on_entry = false);
    }
}

/// What a joint keeps of a row: nothing, what is given, or what is drawn.
pub(super) fn kept_value(
    held: &Held<'_>,
    (row, drawn): (&str, Term),
    was_placed: bool,
    lowered: &mut LoweredParts,
) -> Term {
    let joint = held.joint;
    match &joint.kept {
        Some(kept) => kept.clone(),
        None if joint.kind.joins_points || was_placed && row == "across" => Term::zero(),
        None if joint.track.is_some() && row != "roll" => Term::zero(),
        None => lowered.fixed(&held.own(&format!("drawn.{row}")), drawn, &joint.span),
    }
}

impl Held<'_> {
    /// What the model knows of it.
    pub(super) fn rule(&self, lowered: &mut LoweredParts) -> JointRule {
        let ends = [&self.ends.first, &self.ends.second];
        let span = &self.joint.span;
        JointRule {
            name: self.joint.name.clone(),
            span: span.clone(),
            bodies: ends.map(|end| end.body),
            at: ends.map(|end| end.at.each_ref().map(|term| lowered.formula(term, span))),
            is_pin: self.joint.kind.joins_points && self.joint.track.is_none() && self.holds().is_none(),
        }
    }

    /// Whether events open and shut it.
    pub(super) fn is_switched(&self) -> bool {
        let Joint { holding, .. } = self.joint;
        holding.open || holding.is_opened || holding.can_break()
    }

    /// The condition under which it holds, if it does not always.
    fn holds(&self) -> Option<String> {
        let closed = self.is_switched().then(|| format!("{} > 0.5", self.own("closed")));
        let condition = self.joint.holding.condition.as_ref().map(|condition| condition.text().to_owned());
        match (closed, condition) {
            (Some(closed), Some(condition)) => Some(format!("{closed} and {condition}")),
            (closed, condition) => closed.or(condition),
        }
    }

    /// What shutting it sets: whether it is shut, and what it finds if it keeps that.
    pub(super) fn shut(&self, lowered: &mut LoweredParts) -> Vec<Definition> {
        let span = &self.joint.span;
        let mut reset = vec![lowered.definition(&self.own("closed"), &Term::one(), span)];
        if self.joint.holding.here {
            for (row, now) in (self.joint.kind.relative)(&self.ends, Pose::Moving) {
                reset.push(lowered.definition(&self.own(&format!("kept.{row}")), &now, span));
            }
        }
        reset
    }

    /// What opening it sets.
    pub(super) fn open(&self, lowered: &mut LoweredParts) -> Vec<Definition> {
        vec![lowered.definition(&self.own("closed"), &Term::zero(), &self.joint.span)]
    }
}

/// Dry friction along a coordinate, while the joint holds.
fn rubs(
    held: &Held<'_>,
    (coordinate, friction): (CoordinateKind, &JointFriction),
    lowered: &mut LoweredParts,
) {
    let (joint, span) = (held.joint, &held.joint.span);
    let part = match held.holds() {
        Some(condition) => Term::one().when(&condition, &-&Term::one()),
        None => Term::one(),
    };
    let press = match friction.row {
        None => PressRule::Given(lowered.formula(&part, span)),
        Some(row) => {
            let row = held.own(row);
            let force = Term::call("abs", &[&Term::whole(format!("lambda.{row}"))]);
            let force = lowered.formula(&(&part * &force), span);
            PressRule::Joint { part: lowered.formula(&part, span), force, row }
        }
    };
    let rule = RubbingRule {
        joint: joint.name.clone(),
        span: span.clone(),
        press,
        slip: lowered.formula(&held.velocity(coordinate), span),
        friction: friction.limits.each_ref().map(|limit| lowered.formula(limit, span)),
    };
    lowered.rubbing.push(rule);
}

/// A joint that breaks at a force, a moment or the impulse of a hit, each by its own size, stays open. Squares of sizes are
/// smooth. The joint bears the impulse that breaks it: that is known where the hit is over.
fn breaks(held: &Held<'_>, lowered: &mut LoweredParts) {
    let (force, moment) = held.reaction();
    let (holding, span) = (&held.joint.holding, &held.joint.span);
    let part = |[x, y]: &Pair, limit: &Term| (&x.squared() + &y.squared()).over(&limit.squared());
    let force = holding.force.as_ref().map(|limit| part(&force, limit));
    let moment = holding.moment.as_ref().map(|limit| moment.over(limit).squared());
    let load = match (force, moment) {
        (Some(force), Some(moment)) => Some(Term::call("max", &[&force, &moment])),
        (force, moment) => force.or(moment),
    };
    let mut guard = load.map(|load| &load - &Term::one());
    if let Some(limit) = &holding.impulse {
        let own = Term::whole(format!("{} > 1", part(&held.impulse(), limit).text()));
        let beside = |load: Term| Term::whole(format!("{} > 0 or {}", load.text(), own.text()));
        guard = Some(guard.map_or(own.clone(), beside));
        for (row, _) in (held.joint.kind.relative)(&held.ends, Pose::Moving) {
            let kept = held.own(&format!("impulse.{row}"));
            lowered.discrete(&kept, &Term::zero(), span);
            lowered.kept_impulses.push([held.own(row), kept]);
        }
    }
    let reset = held.open(lowered);
    lowered.event(&held.own("break"), &guard.unwrap_or_else(Term::zero), reset, span);
}

/// Each end of the range of a coordinate is a contact.
fn stops(held: &Held<'_>, coordinate: CoordinateKind, lowered: &mut LoweredParts) {
    let (joint, span) = (held.joint, &held.joint.span);
    let value = held.value(coordinate, Pose::Moving);
    let gaps = [
        ("from", joint.stops.from.as_ref().map(|from| &value - from)),
        ("to", joint.stops.to.as_ref().map(|to| to - &value)),
    ];
    let restitution = joint.stops.restitution.clone().unwrap_or_else(Term::zero);
    for (side, gap) in gaps {
        let Some(gap) = gap else { continue };
        let rule = GapRule {
            name: format!("stop.{}.{side}", joint.name),
            span: span.clone(),
            gap: lowered.formula(&gap, span),
            slip: None,
            restitution: lowered.formula(&restitution, span),
            friction: None,
            law: ImpactLaw::default(),
            compliance: None,
        };
        lowered.contacts.push(rule);
    }
}

/// A joint between two joints.
pub(super) fn lower_ratio(
    source: &mut PartSource,
    ratio: &Ratio,
    held: &BTreeMap<&str, Held<'_>>,
    lowered: &mut LoweredParts,
) {
    let mut found = Vec::new();
    for (k, name) in ratio.ends.iter().enumerate() {
        let Some(joint) = held.get(name.as_str()) else {
            let known = held.keys().copied();
            let error = crate::model::unknown_name(name, ratio.span.clone(), known, "among the joints");
            source.errors.push(error);
            return;
        };
        let wanted = ratio.kind.coordinates.map(|words| words[k]);
        let own = joint.coordinate().filter(|own| wanted.is_none_or(|word| word == own.word));
        let Some(coordinate) = own else {
            let message = format!("`{}` `{}` cannot join joint `{name}`", ratio.kind.word, ratio.name);
            let hint = match wanted {
                Some(word) => format!("its end {} must be a joint with a free {word}", k + 1),
                None => "both of its ends must be joints that leave an angle or a position free".to_owned(),
            };
            source.error("bad-joint", ratio.span.clone(), message, hint);
            return;
        };
        found.push((joint, coordinate));
    }
    let [(first, of_first), (second, of_second)] = &found[..] else { return };
    let left = |pose| &second.value(*of_second, pose) - &(&ratio.factor * &first.value(*of_first, pose));
    let name = format!("joint.{}.ratio", ratio.name);
    let kept = lowered.fixed(&format!("joint.{}.drawn", ratio.name), left(Pose::Drawn), &ratio.span);
    lowered.constraint(&name, &(&left(Pose::Moving) - &kept), &ratio.span);
}
