//! What draws a model: numbers from a seed, each with its dimension, written as a rendering asks for.
//!
//! The same seed gives the same model in every rendering. So a model can be written again with other units of
//! length, at another time, moved and turned, or with every number a little changed, and nothing else about
//! it is different.

use super::super::draw::Draw;
use std::fmt;

/// How a drawn model is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rendering {
    /// All lengths are multiplied by ten to this power.
    pub(super) length: i32,
    /// All times are later by this.
    pub(super) shift: f64,
    /// Every drawn number is changed by at most this part of it.
    pub(super) jitter: f64,
    /// Which of the sequences of such changes.
    pub(super) sequence: usize,
    /// Whether mechanisms are moved and turned as a whole.
    pub(super) moved: bool,
    /// Whether mechanisms are written as in a mirror, which turns left and right round.
    pub(super) mirrored: bool,
    /// All constraints and gaps are multiplied by this.
    pub(super) factor: f64,
    /// How contacts are written.
    pub(super) contacts: ContactWriting,
}

/// How the contacts of a drawn model are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) enum ContactWriting {
    /// As they were drawn.
    #[default]
    Plain,
    /// In the opposite order.
    Reversed,
    /// The first one without friction is written twice, under another name.
    Doubled,
    /// The same, the second time with another formula of the same gap.
    Rewritten,
}

impl Default for Rendering {
    /// As it was drawn.
    fn default() -> Self {
        Self {
            length: 0,
            shift: 0.0,
            jitter: 0.0,
            sequence: 0,
            moved: false,
            mirrored: false,
            factor: 1.0,
            contacts: ContactWriting::Plain,
        }
    }
}

/// A number of a model, as it was drawn and as it is written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Quantity {
    /// In the units in which it was drawn.
    pub(super) value: f64,
    text: String,
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A turn by an angle whose cosine and sine are short decimals, and a move.
const COSINE: f64 = 0.6;
const SINE: f64 = 0.8;
const MOVE: [f64; 2] = [1.75, -0.625];

/// Numbers are drawn with so many decimals: models stay readable, and are the same decimals in other units.
const DECIMALS: f64 = 1e4;

/// What draws and writes a model.
pub(super) struct Pen {
    draw: Draw,
    changes: Draw,
    pub(super) rendering: Rendering,
}

impl Pen {
    /// The pen of a kind of models and a seed.
    pub(super) fn new(kind: &str, seed: u64, rendering: Rendering) -> Self {
        let number = usize::try_from(seed).unwrap_or(usize::MAX);
        let changes = Draw::of("changes", number.wrapping_mul(64).wrapping_add(rendering.sequence));
        Self { draw: Draw::of(kind, number), changes, rendering }
    }

    /// A number from an interval, with lengths to the given power as its dimension.
    pub(super) fn of(&mut self, low: f64, high: f64, power: i32) -> Quantity {
        let drawn = (self.draw.between(low, high) * DECIMALS).round() / DECIMALS;
        let change = self.rendering.jitter * self.changes.within(1.0);
        self.derived(drawn * (1.0 + change), power)
    }

    /// A number without a dimension, or of times alone.
    pub(super) fn number(&mut self, low: f64, high: f64) -> Quantity {
        self.of(low, high, 0)
    }

    /// A length, a speed or an acceleration.
    pub(super) fn length(&mut self, low: f64, high: f64) -> Quantity {
        self.of(low, high, 1)
    }

    /// A number that follows from others, or is always the same.
    #[allow(clippy::unused_self)] // as the others
    pub(super) fn derived(&self, value: f64, power: i32) -> Quantity {
        let text = match power * self.rendering.length {
            0 => format!("{value}"),
            exponent => format!("{value}e{exponent}"),
        };
        let text = if value < 0.0 { format!("({text})") } else { text };
        Quantity { value, text }
    }

    /// One of so many choices.
    pub(super) fn choice(&mut self, of: usize) -> usize {
        self.draw.below(of)
    }

    /// Yes or no.
    pub(super) fn coin(&mut self) -> bool {
        self.choice(2) == 0
    }

    /// The time since the model began, in formulas.
    pub(super) fn time(&self) -> String {
        match self.rendering.shift {
            0.0 => "t".to_owned(),
            shift => format!("(t - {shift})"),
        }
    }

    /// The moment that is later than the beginning by a time.
    pub(super) fn moment(&self, time: &Quantity) -> String {
        match self.rendering.shift {
            0.0 => time.to_string(),
            shift => format!("{shift} + {time}"),
        }
    }

    /// The formula of a constraint, which may be multiplied by a number.
    pub(super) fn constraint(&self, formula: &str) -> String {
        match self.rendering.factor {
            1.0 => formula.to_owned(),
            factor => format!("{factor} * ({formula})"),
        }
    }

    /// A formula that turns its sign in a mirror, such as an angle or a velocity to the right.
    pub(super) fn handed(&self, formula: &str) -> String {
        if self.rendering.mirrored { format!("(-{formula})") } else { formula.to_owned() }
    }

    /// The same of a number.
    pub(super) fn handed_number(&self, value: f64, power: i32) -> Quantity {
        self.derived(if self.rendering.mirrored { -value } else { value }, power)
    }

    /// Where a point `(a, b)` is in the coordinates that are written.
    pub(super) fn placed(&self, [a, b]: [f64; 2]) -> [Quantity; 2] {
        let [x, y] = self.turned([a, b]);
        let [dx, dy] = if self.rendering.moved { MOVE } else { [0.0; 2] };
        [x.value + dx, y.value + dy].map(|value| self.derived(value, 1))
    }

    /// The same of a direction or a speed.
    pub(super) fn turned(&self, [a, b]: [f64; 2]) -> [Quantity; 2] {
        let turned = match self.rendering {
            Rendering { moved: true, .. } => [COSINE * a - SINE * b, SINE * a + COSINE * b],
            Rendering { mirrored: true, .. } => [-a, b],
            _ => [a, b],
        };
        turned.map(|value| self.derived(value, 1))
    }

    /// The formulas of a point's place, as drawn, from the names of its coordinates.
    pub(super) fn place_of(&self, x: &str, y: &str) -> [String; 2] {
        if !self.rendering.moved {
            return [self.handed(x), y.to_owned()];
        }
        let [dx, dy] = MOVE.map(|value| self.derived(value, 1));
        let (x, y) = (format!("({x} - {dx})"), format!("({y} - {dy})"));
        self.direction_of(&x, &y)
    }

    /// The same of its speed.
    pub(super) fn direction_of(&self, x: &str, y: &str) -> [String; 2] {
        if !self.rendering.moved {
            return [self.handed(x), y.to_owned()];
        }
        [format!("({COSINE}*{x} + {SINE}*{y})"), format!("({COSINE}*{y} - {SINE}*{x})")]
    }
}

impl Rendering {
    /// Whether formulas are written with other numbers, so that what is named after them has other names.
    pub(super) fn renames(&self) -> bool {
        *self != Self { contacts: self.contacts, ..Self::default() }
    }

    /// A state as in the mirror: coordinates with these places, and their speeds so many places later.
    pub(super) fn mirror(&self, state: &mut [f64], handed: &[usize], coordinates: usize) {
        for &place in handed.iter().filter(|_| self.mirrored) {
            state[place] = -state[place];
            state[place + coordinates] = -state[place + coordinates];
        }
    }

    /// A state as it was drawn, from one that was computed: the powers of its lengths, and the points that
    /// were moved, as places of both coordinates. Speeds of points come so many places later.
    pub(super) fn undo(&self, state: &mut [f64], powers: &[i32], points: &[[usize; 2]], coordinates: usize) {
        for (value, power) in state.iter_mut().zip(powers) {
            *value *= 10_f64.powi(-power * self.length);
        }
        if !self.moved {
            return;
        }
        for &[x, y] in points {
            let (a, b) = (state[x] - MOVE[0], state[y] - MOVE[1]);
            (state[x], state[y]) = (COSINE * a + SINE * b, COSINE * b - SINE * a);
            let [x, y] = [x + coordinates, y + coordinates];
            let (a, b) = (state[x], state[y]);
            (state[x], state[y]) = (COSINE * a + SINE * b, COSINE * b - SINE * a);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In other units the same decimals are written, and the same choices are made.
    #[test]
    fn renderings_share_their_numbers() {
        let draw = |rendering| {
            let mut pen = Pen::new("a kind", 3, rendering);
            let number = pen.length(0.5, 2.0);
            (pen.choice(1000), number.value, number.to_string())
        };
        let (choice, value, text) = draw(Rendering::default());
        let (small_choice, small, small_text) = draw(Rendering { length: -6, ..Rendering::default() });
        assert_eq!((choice, value), (small_choice, small));
        assert_eq!(small_text, format!("{text}e-6"));
        let (_, changed, _) = draw(Rendering { jitter: 1e-6, sequence: 1, ..Rendering::default() });
        assert!(changed != value && (changed / value - 1.0).abs() <= 1e-6);
    }

    #[test]
    fn what_is_moved_is_moved_back() {
        let rendering = Rendering { moved: true, ..Rendering::default() };
        let pen = Pen::new("a kind", 1, rendering);
        let ([x, y], [vx, vy]) = (pen.placed([0.3, 0.4]), pen.turned([1.0, -2.0]));
        let mut state = [x.value, y.value, vx.value, vy.value];
        rendering.undo(&mut state, &[1; 4], &[[0, 1]], 2);
        for (value, truth) in state.iter().zip([0.3, 0.4, 1.0, -2.0]) {
            assert!((value - truth).abs() < 1e-15, "{state:?}");
        }
    }
}
