//! Where a body is that a joint carries, how fast it moves, and in which ways.

use super::JointTree;
use crate::model::parts::bodies::{Body, BodyList, BodyPlace, Pose};
use crate::model::parts::holding::{Held, kept_value};
use crate::model::parts::joint::Joint;
use crate::model::parts::lowered::LoweredParts;
use crate::model::parts::term::{Pair, Term, left_of, minus, plus, scaled};
use crate::model::{Along, TreeBody, TreeMotion, TreeRule};
use std::collections::BTreeMap;

/// The rows that a joint would have which can carry a body.
pub(super) type RowsOf = &'static [&'static str];

impl Joint {
    /// The rows that it would have, if it can carry a body.
    pub(super) fn rows(&self) -> Option<RowsOf> {
        match self.kind.word {
            "revolute" => Some(&["x", "y"]),
            "prismatic" => Some(&["across", "angle"]),
            "fixed" => Some(&["along", "across", "angle"]),
            _ => None,
        }
    }

    /// Whether it can be open at some time.
    pub(super) fn can_open(&self) -> bool {
        let holding = &self.holding;
        holding.open || holding.is_opened || holding.condition.is_some() || holding.can_break()
    }
}

/// All that trees of bodies are made of.
pub(in crate::model::parts) struct CarriedPlaces<'a> {
    pub(in crate::model::parts) tree: &'a JointTree,
    pub(in crate::model::parts) bodies: &'a BodyList,
    pub(in crate::model::parts) joints: &'a [Joint],
    pub(in crate::model::parts) held: &'a BTreeMap<&'a str, Held<'a>>,
}

/// A body with the joint that carries it.
pub(in crate::model::parts) struct Carried<'a> {
    pub(super) held: &'a Held<'a>,
    pub(super) bodies: &'a BodyList,
    body: &'a Body,
    /// The end of the joint that is on the body.
    pub(super) end: usize,
    is_watched: bool,
    /// What the joint keeps, by rows.
    kept: BTreeMap<&'static str, Term>,
}

impl<'a> CarriedPlaces<'a> {
    /// Adds the coordinates of joints that carry bodies, and where these are then.
    pub(in crate::model::parts) fn lower(
        &self,
        was_placed: impl Fn(usize) -> bool,
        lowered: &mut LoweredParts,
    ) -> Vec<Option<Carried<'a>>> {
        let mut all = Vec::new();
        for (i, body) in self.bodies.list.iter().enumerate() {
            let carrier = self.tree.carriers[i].and_then(|(k, end)| {
                let held = self.held.get(self.joints[k].name.as_str())?;
                Some((k, end, held))
            });
            let Some((k, end, held)) = carrier else {
                all.push(None);
                continue;
            };
            let mut kept = BTreeMap::new();
            if held.joint.kind.word != "revolute" {
                for (row, drawn) in (held.joint.kind.relative)(&held.ends, Pose::Drawn) {
                    kept.insert(row, kept_value(held, (row, drawn), was_placed(k), lowered));
                }
            }
            let is_watched = self.tree.watched.contains(&held.joint.name);
            let carried = Carried { held, bodies: self.bodies, body, end, is_watched, kept };
            carried.place(lowered);
            all.push(Some(carried));
        }
        all
    }

    /// The trees as the equations want them.
    pub(in crate::model::parts) fn rule(
        &self,
        carried: &[Option<Carried<'a>>],
        lowered: &mut LoweredParts,
    ) -> TreeRule {
        let mut rule = TreeRule::default();
        let mut places = vec![None; self.bodies.list.len()];
        for (place, &i) in self.tree.order.iter().enumerate() {
            places[i] = Some(place);
            let body = &self.bodies.list[i];
            let masses = [&body.mass, &body.inertia].map(|m| m.clone().unwrap_or_else(Term::zero));
            let (parent, lever, motions) = match &carried[i] {
                Some(carried) => {
                    rule.places.extend(carried.names());
                    let parent = carried.other().body.and_then(|i| places[i]);
                    (parent, carried.lever(), carried.motions(&mut rule.holds))
                }
                None => (None, [Term::zero(), Term::zero()], free_motions(body)),
            };
            let mut both = |pair: &Pair| pair.each_ref().map(|term| lowered.formula(term, &body.span));
            let motions = motions
                .iter()
                .map(|(along, turn, push)| TreeMotion { along: along.clone(), turn: *turn, push: both(push) })
                .collect();
            rule.bodies.push(TreeBody {
                parent,
                place: body.coordinates(),
                masses: both(&masses),
                lever: both(&lever),
                motions,
            });
        }
        rule
    }
}

/// One way of moving: along what, how fast it turns, and how fast the centre of mass moves.
type Way = (Along, f64, Pair);

fn free_motions(body: &Body) -> Vec<Way> {
    let [x, y, angle] = body.coordinates().map(Along::Coordinate);
    let (zero, one) = (Term::zero, Term::one);
    vec![(x, 0.0, [one(), zero()]), (y, 0.0, [zero(), one()]), (angle, 1.0, [zero(), zero()])]
}

impl Carried<'_> {
    /// The coordinate, or one of its rates.
    fn coordinate(&self, order: usize) -> Term {
        let word = self.held.coordinate().map(|coordinate| coordinate.word);
        word.map_or_else(Term::zero, |word| Term::whole(self.held.own(word) + &"'".repeat(order)))
    }

    /// What is missing in a row, or the rate of that: nothing, but where the force of the joint is looked at.
    fn slack(&self, row: &str, order: usize) -> Term {
        let is_one = self.is_watched && order < 2;
        if is_one {
            Term::whole(format!("slack.{}{}", self.held.own(row), "'".repeat(order)))
        } else {
            Term::zero()
        }
    }

    pub(super) fn own(&self) -> &BodyPlace {
        [&self.held.ends.first, &self.held.ends.second][self.end]
    }

    pub(super) fn other(&self) -> &BodyPlace {
        [&self.held.ends.second, &self.held.ends.first][self.end]
    }

    /// Plus for the second body of the joint, minus for the first.
    pub(super) fn signed(&self, term: &Term) -> Term {
        if self.end == 1 { term.clone() } else { -term }
    }

    fn sign(&self) -> f64 {
        if self.end == 1 { 1.0 } else { -1.0 }
    }

    /// A quantity that the joint leaves free, or keeps.
    fn row(&self, row: &str, order: usize) -> Term {
        let kept = self.kept.get(row).filter(|_| order == 0).cloned().unwrap_or_else(Term::zero);
        &kept + &self.slack(row, order)
    }

    /// The angle of the second end against the first, or a rate of it.
    fn turn(&self, order: usize) -> Term {
        match self.held.joint.kind.word {
            "revolute" if self.held.ends.is_mirrored => -&self.coordinate(order),
            "revolute" => self.coordinate(order),
            _ => self.row("angle", order),
        }
    }

    /// Along and across the axis of the first end: from its point to that of the second, or how fast that changes.
    fn way(&self, order: usize) -> Pair {
        let along = match self.held.joint.kind.word {
            "prismatic" => self.coordinate(order),
            _ => self.row("along", order),
        };
        [along, self.row("across", order)]
    }

    /// From the point of the first end to that of the second.
    fn between(&self) -> Pair {
        if self.held.joint.kind.word == "revolute" {
            return [self.slack("x", 0), self.slack("y", 0)];
        }
        self.in_axes(&self.way(0))
    }

    fn in_axes(&self, [a, b]: &Pair) -> Pair {
        let [along, across] = self.held.ends.axes(Pose::Moving);
        plus(&scaled(&along, a), &scaled(&across, b))
    }

    /// How fast that changes, and how fast the rate changes.
    fn between_rate(&self) -> Pair {
        if self.held.joint.kind.word == "revolute" {
            return [self.slack("x", 1), self.slack("y", 1)];
        }
        let spin = self.bodies.turning(&self.held.ends.first);
        plus(&scaled(&left_of(&self.between()), &spin), &self.in_axes(&self.way(1)))
    }

    fn between_rate_of_rate(&self) -> Pair {
        if self.held.joint.kind.word == "revolute" {
            return [Term::zero(), Term::zero()];
        }
        let (first, between) = (&self.held.ends.first, self.between());
        let (spin, spin_up) = (self.bodies.turning(first), self.bodies.spin_up(first));
        let swung = minus(&scaled(&left_of(&between), &spin_up), &scaled(&between, &spin.squared()));
        let sliding = scaled(&left_of(&self.in_axes(&self.way(1))), &(&Term::number(2.0) * &spin));
        plus(&plus(&swung, &sliding), &self.in_axes(&self.way(2)))
    }

    /// Where the body is, how fast it moves, and the start of the coordinate.
    fn place(&self, lowered: &mut LoweredParts) {
        let span = &self.body.span;
        let [x, y, angle] = self.body.coordinates();
        let turned = &self.bodies.angle(self.other(), Pose::Moving) + &self.signed(&self.turn(0));
        lowered.output(&angle, &(&turned - &self.own().angle), span);
        let arm = self.bodies.arm(self.own());
        let point =
            plus(&self.bodies.position(self.other(), Pose::Moving), &self.between().map(|t| self.signed(&t)));
        let [at_x, at_y] = minus(&point, &arm);
        lowered.output(&x, &at_x, span);
        lowered.output(&y, &at_y, span);
        let spin = &self.bodies.turning(self.other()) + &self.signed(&self.turn(1));
        lowered.output(&format!("{angle}'"), &spin, span);
        let moving = plus(&self.bodies.velocity(self.other()), &self.between_rate().map(|t| self.signed(&t)));
        let [vx, vy] = minus(&moving, &scaled(&left_of(&arm), &Term::whole(format!("{angle}'"))));
        lowered.output(&format!("{x}'"), &vx, span);
        lowered.output(&format!("{y}'"), &vy, span);
        if let Some(coordinate) = self.held.coordinate() {
            let start = [self.held.value(coordinate, Pose::Drawn), self.held.drawn_rate(coordinate)];
            lowered.moving_coordinate(
                &self.held.own(coordinate.word),
                start.each_ref(),
                &self.held.joint.span,
            );
        }
    }

    /// How fast the velocity of the body changes: x, y, angle.
    pub(in crate::model::parts) fn acceleration(&self) -> [Term; 3] {
        let angle = &self.body.coordinates()[2];
        let spin_up = &self.bodies.spin_up(self.other()) + &self.signed(&self.turn(2));
        let carried = self.bodies.acceleration(self.other());
        let point = plus(&carried, &self.between_rate_of_rate().map(|t| self.signed(&t)));
        let arm = self.bodies.arm(self.own());
        let swung = minus(&point, &scaled(&left_of(&arm), &Term::whole(format!("{angle}''"))));
        let [x, y] = plus(&swung, &scaled(&arm, &Term::whole(format!("{angle}'")).squared()));
        [x, y, spin_up]
    }

    /// The names of where the body is.
    pub(in crate::model::parts) fn names(&self) -> [String; 3] {
        self.body.coordinates()
    }

    /// From the centre of mass of the body that carries it to its own.
    fn lever(&self) -> Pair {
        if self.other().body.is_none() {
            return [Term::zero(), Term::zero()];
        }
        let [own, other] = [self.own(), self.other()].map(|place| self.bodies.arm(place));
        minus(&plus(&other, &self.between().map(|t| self.signed(&t))), &own)
    }

    /// In which ways it moves against the body that carries it.
    fn motions(&self, holds: &mut Vec<String>) -> Vec<Way> {
        let arm = self.bodies.arm(self.own());
        let [along, across] = self.held.ends.axes(Pose::Moving);
        let signed = |pair: &Pair| pair.each_ref().map(|term| self.signed(term));
        let swing = |from: &Pair, turn: f64| scaled(&left_of(from), &Term::number(-turn));
        let mut ways = Vec::new();
        if let Some(coordinate) = self.held.coordinate() {
            let name = Along::Coordinate(self.held.own(coordinate.word));
            ways.push(if coordinate.word == "angle" {
                let turn = if self.held.ends.is_mirrored { -self.sign() } else { self.sign() };
                (name, turn, swing(&arm, turn))
            } else {
                (name, 0.0, signed(&along))
            });
        }
        let rows = self.held.joint.rows().filter(|_| self.is_watched).unwrap_or_default();
        for row in rows {
            let held = Along::Held(holds.len());
            holds.push(self.held.own(row));
            ways.push(match *row {
                "x" => (held, 0.0, signed(&[Term::one(), Term::zero()])),
                "y" => (held, 0.0, signed(&[Term::zero(), Term::one()])),
                "along" => (held, 0.0, signed(&along)),
                "across" => (held, 0.0, signed(&across)),
                // It turns about the point of the second end, which stays.
                _ => {
                    let from = if self.end == 1 { arm.clone() } else { plus(&arm, &self.between()) };
                    (held, self.sign(), swing(&from, self.sign()))
                }
            });
        }
        ways
    }
}
