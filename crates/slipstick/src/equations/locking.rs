//! Formulas that switch by themselves: discontinuity locking (paper 000, section 5.1.2), automatic.
//!
//! In: operations with a kink or a jump, as formulas are read. Out: the same operation with its branch
//! locked, and the [`Lock`] that says where the branch ends. A comparison, `abs`, `sign`, `min`, `max` and
//! `atan2` lock a sign; `floor`, `ceil`, `round` and `mod` lock a whole number. What depends on neither time
//! nor states stays as it is, and so do `==` and `!=`: they hold at single points, which no step can be kept
//! on.
//!
//! Locks are listed in the order in which they are made, so that each depends only on those before it.

use super::lagrange::is_of_motion;
use super::lowering::Names;
use super::surfaces::risk;
use crate::expr::{Arena, BinaryOp, ExprId, InputId, Interpret, Node, Smoothness, UnaryOp};
use std::collections::BTreeMap;

/// The first input that stands for a lock until all locks are known: beyond all others.
const FIRST_LOCK: u32 = 1 << 30;

/// Texts of formulas in names of guards are cut to this many characters.
const LONGEST_NAME: usize = 60;

/// What is locked, and by which expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Discontinuity {
    /// The sign of an expression.
    Sign(ExprId),
    /// The largest whole number that is not above an expression.
    Floor(ExprId),
    /// The nearest whole number, halves away from zero.
    Round(ExprId),
    /// How often the event of this index has struck; the event has the guard.
    Clock(usize),
}

/// A quantity that is fixed during a step.
#[derive(Clone, Debug)]
pub(super) struct Lock {
    pub(super) name: String,
    pub(super) rule: Discontinuity,
    /// The input that holds it: +1 or -1, or a whole number.
    pub(super) value: ExprId,
    /// Whether it is a switch that the user has named.
    pub(super) named: bool,
    /// Whether it is softened: then it has a name and a place, but nothing switches.
    pub(super) soft: bool,
    /// Whether it is the border of a part of an outline.
    pub(super) is_corner: bool,
}

/// All locks of a system.
#[derive(Debug)]
pub(super) struct Locks {
    pub(super) list: Vec<Lock>,
    found: BTreeMap<Discontinuity, usize>,
    /// Whether each expression of the arena, as far as known, depends on time or on a state.
    varies: Vec<bool>,
    /// Whether each known expression has a part that is not finite for every time and state.
    risky: Vec<bool>,
    first_parameter: usize,
    /// How wide the layer is in which signs are softened, if they are.
    width: Option<f64>,
}

impl Locks {
    /// No locks; the inputs before `first_parameter` are the time and the states.
    pub(super) fn new(first_parameter: usize, width: Option<f64>) -> Self {
        Self {
            list: Vec::new(),
            found: BTreeMap::new(),
            varies: Vec::new(),
            risky: Vec::new(),
            first_parameter,
            width,
        }
    }

    /// The input that stands for a lock until all are known.
    pub(super) fn input(index: usize) -> InputId {
        InputId(FIRST_LOCK + u32::try_from(index).unwrap_or(u32::MAX - FIRST_LOCK))
    }

    /// The lock that an input stands for.
    pub(super) fn index(input: InputId) -> Option<usize> {
        input.0.checked_sub(FIRST_LOCK).map(|index| index as usize)
    }

    /// Adds a switch that the user has named; `value` is the input of its sign.
    pub(super) fn add_switch(&mut self, name: &str, surface: ExprId, value: ExprId) {
        let rule = Discontinuity::Sign(surface);
        self.found.entry(rule).or_insert(self.list.len());
        self.list.push(Lock {
            name: name.to_owned(),
            rule,
            value,
            named: true,
            soft: false,
            is_corner: false,
        });
    }

    /// Adds a softened switch with a name. Other uses of its sign need a lock of their own.
    pub(super) fn add_soft_switch(&mut self, name: &str, surface: ExprId, value: ExprId) {
        let rule = Discontinuity::Sign(surface);
        self.list.push(Lock {
            name: name.to_owned(),
            rule,
            value,
            named: true,
            soft: true,
            is_corner: false,
        });
    }

    /// The locked quantity of a rule, made by `name` unless there is one: that says whether it is a corner, too.
    pub(super) fn value(
        &mut self,
        arena: &mut Arena,
        rule: Discontinuity,
        name: impl FnOnce() -> (String, bool),
    ) -> ExprId {
        let next = self.list.len();
        let index = *self.found.entry(rule).or_insert(next);
        if index == next {
            let value = arena.input(Self::input(index));
            let (name, is_corner) = name();
            self.list.push(Lock { name, rule, value, named: false, soft: false, is_corner });
        }
        self.list[index].value
    }

    /// The locked sign of a surface. A surface and its opposite share one lock.
    fn sign(&mut self, arena: &mut Arena, surface: ExprId, name: impl FnOnce() -> (String, bool)) -> ExprId {
        let opposite = opposite(arena, surface);
        if !self.found.contains_key(&Discontinuity::Sign(surface))
            && let Some(&index) = self.found.get(&Discontinuity::Sign(opposite))
        {
            return arena.neg(self.list[index].value);
        }
        self.value(arena, Discontinuity::Sign(surface), name)
    }

    /// Whether an expression depends on a state.
    pub(super) fn depends_on_states(&self, arena: &Arena, id: ExprId) -> bool {
        arena.inputs_of(&[id]).iter().any(|input| (1..self.first_parameter).contains(&input.index()))
    }

    /// Whether an expression depends on time, on a state or on a multiplier.
    pub(super) fn varies(&mut self, arena: &Arena, id: ExprId) -> bool {
        for index in self.varies.len()..arena.len() {
            let id = ExprId(u32::try_from(index).unwrap_or(u32::MAX));
            let varies = match arena.node(id) {
                Node::Input(input) => input.index() < self.first_parameter || is_of_motion(input),
                node => node.operands().any(|operand| self.varies[operand.index()]),
            };
            self.varies.push(varies);
        }
        self.varies[id.index()]
    }

    /// Whether there is a part of an expression that is not defined for every time and state.
    pub(super) fn may_be_undefined(&mut self, arena: &Arena, id: ExprId) -> bool {
        self.varies(arena, id);
        for index in self.risky.len()..arena.len() {
            let id = ExprId(u32::try_from(index).unwrap_or(u32::MAX));
            let node = arena.node(id);
            let own = risk(id, node).is_some_and(|id| self.varies[id.index()]);
            self.risky.push(own || node.operands().any(|operand| self.risky[operand.index()]));
        }
        self.risky[id.index()]
    }
}

/// Minus an expression, in the form in which it would be written.
pub(super) fn opposite(arena: &mut Arena, id: ExprId) -> ExprId {
    match arena.node(id) {
        Node::Binary(BinaryOp::Subtract, a, b) => arena.sub(b, a),
        _ => arena.neg(id),
    }
}

/// Reads one formula and locks what can switch in it.
pub(super) struct Locker<'a, 'm> {
    pub(super) names: &'a Names<'m>,
    pub(super) locks: &'a mut Locks,
    pub(super) name: LockName<'a>,
}

/// What locks in a formula are called.
#[derive(Clone, Copy, Debug)]
pub(super) enum LockName<'a> {
    /// Their text, in this key of the model file.
    In(&'a str),
    /// This, whatever their text is: they are borders of parts of an outline.
    Corner(&'a str),
}

impl LockName<'_> {
    /// The name, and whether it is that of a corner.
    fn of(self, text: &str) -> (String, bool) {
        match self {
            Self::In(place) => (name_of(text, place), false),
            Self::Corner(name) => (name.to_owned(), true),
        }
    }
}

impl Interpret for Locker<'_, '_> {
    fn name(&mut self, arena: &mut Arena, name: &str, smooth: bool) -> Option<ExprId> {
        if smooth { self.names.plain(arena, name) } else { self.names.locked(arena, name) }
    }

    fn operation(&mut self, arena: &mut Arena, node: Node, text: &str) -> ExprId {
        if let Some(soft) = self.locks.width.and_then(|width| self.soften(arena, &node, width, text)) {
            return soft;
        }
        if node.smoothness() == Smoothness::Smooth && !matches!(node, Node::Binary(BinaryOp::Atan2, ..)) {
            return arena.build(node);
        }
        let locked = match node {
            Node::Unary(op, x) => self.unary(arena, op, x, text),
            Node::Binary(op, a, b) => self.binary(arena, op, (a, b), text),
            _ => None,
        };
        locked.unwrap_or_else(|| arena.build(node))
    }
}

impl Locker<'_, '_> {
    fn unary(&mut self, arena: &mut Arena, op: UnaryOp, x: ExprId, text: &str) -> Option<ExprId> {
        if !self.locks.varies(arena, x) {
            return None;
        }
        match op {
            UnaryOp::Sign => self.sign(arena, x, text),
            UnaryOp::Abs => {
                let sign = self.sign(arena, x, text)?;
                Some(arena.mul(sign, x))
            }
            UnaryOp::Floor => Some(self.count(arena, Discontinuity::Floor(x), text)),
            UnaryOp::Ceil => {
                let below = arena.neg(x);
                let count = self.count(arena, Discontinuity::Floor(below), text);
                Some(arena.neg(count))
            }
            UnaryOp::Round => Some(self.count(arena, Discontinuity::Round(x), text)),
            _ => None,
        }
    }

    fn binary(
        &mut self,
        arena: &mut Arena,
        op: BinaryOp,
        (a, b): (ExprId, ExprId),
        text: &str,
    ) -> Option<ExprId> {
        match op {
            BinaryOp::Less | BinaryOp::LessEqual => self.is_positive(arena, (b, a), text),
            BinaryOp::Min => {
                let above = self.is_positive(arena, (a, b), text)?;
                Some(arena.select(above, b, a))
            }
            BinaryOp::Max => {
                let above = self.is_positive(arena, (a, b), text)?;
                Some(arena.select(above, a, b))
            }
            BinaryOp::Modulo => {
                let quotient = arena.div(a, b);
                if !self.locks.varies(arena, quotient) {
                    return None;
                }
                let count = self.count(arena, Discontinuity::Floor(quotient), text);
                // Of nothing there is no multiple: without this, `mod(x, 0)` would be x.
                let (zero, nan) = (arena.constant(0.0), arena.constant(f64::NAN));
                let is_zero = arena.binary(BinaryOp::Equal, b, zero);
                let divisor = arena.select(is_zero, nan, b);
                let whole = arena.mul(divisor, count);
                Some(arena.sub(a, whole))
            }
            BinaryOp::Atan2 => self.atan2(arena, (a, b), text),
            _ => None,
        }
    }

    /// The angle, continued across its cut (y = 0, x < 0) from the side that is locked.
    fn atan2(&mut self, arena: &mut Arena, (y, x): (ExprId, ExprId), text: &str) -> Option<ExprId> {
        let sign = self.sign(arena, y, text)?;
        let angle = arena.binary(BinaryOp::Atan2, y, x);
        let (zero, turn) = (arena.constant(0.0), arena.constant(2.0 * std::f64::consts::PI));
        let left = arena.binary(BinaryOp::Less, x, zero);
        let seen = arena.mul(sign, y);
        let other = arena.binary(BinaryOp::Less, seen, zero);
        let behind_cut = arena.binary(BinaryOp::And, left, other);
        let turn = arena.mul(sign, turn);
        let continued = arena.add(angle, turn);
        Some(arena.select(behind_cut, continued, angle))
    }

    /// Whether `a - b` is locked to be positive; none if that cannot change.
    fn is_positive(&mut self, arena: &mut Arena, (a, b): (ExprId, ExprId), text: &str) -> Option<ExprId> {
        let surface = arena.sub(a, b);
        let sign = self.sign(arena, surface, text)?;
        let zero = arena.constant(0.0);
        Some(arena.binary(BinaryOp::Less, zero, sign))
    }

    fn sign(&mut self, arena: &mut Arena, surface: ExprId, text: &str) -> Option<ExprId> {
        let name = self.name;
        let varies = self.locks.varies(arena, surface);
        varies.then(|| self.locks.sign(arena, surface, || name.of(text)))
    }

    fn count(&mut self, arena: &mut Arena, rule: Discontinuity, text: &str) -> ExprId {
        let name = self.name;
        self.locks.value(arena, rule, || name.of(text))
    }
}

/// `sign(v) in derivatives.v`, on one line and not too long.
pub(super) fn name_of(text: &str, place: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    let short: String = line.chars().take(LONGEST_NAME).collect();
    let more = if short.len() < line.len() { "…" } else { "" };
    format!("{short}{more} in {place}")
}
