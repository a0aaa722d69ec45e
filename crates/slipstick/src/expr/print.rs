//! Formulas as text, with the parentheses that are needed and no others.
//!
//! In: a tree or a DAG that can say how each node looks ([`Printable`]). Out: text
//! that parses back to the same thing. The printer keeps its own stack, so deep
//! formulas do not overflow, and it stops at a limit, because a small DAG can
//! be an astronomically long text.

use crate::expr::arena::{Arena, ExprId, InputId, Node};
use crate::expr::operation::{BinaryOp, UnaryOp};
use crate::expr::parse::MAX_TEXT;

/// How tightly an operator binds, from loosest to tightest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Precedence {
    Or,
    And,
    Not,
    Compare,
    Sum,
    Product,
    Negate,
    Power,
    Atom,
}

/// How one node looks; children by number.
pub(crate) enum Printed {
    Leaf(String, Precedence),
    Prefix(&'static str, Precedence, u32),
    Infix(&'static str, Precedence, u32, u32),
    /// A child to a small whole power.
    Raised(u32, &'static str),
    Call(&'static str, Vec<u32>),
}

/// Something whose nodes can be printed.
pub(crate) trait Printable {
    fn printed(&self, node: u32) -> Printed;
}

impl Printed {
    pub(crate) fn unary(op: UnaryOp, x: u32) -> Self {
        match op {
            UnaryOp::Negate => Self::Prefix("-", Precedence::Negate, x),
            UnaryOp::Not => Self::Prefix("not ", Precedence::Not, x),
            _ => Self::Call(op.name(), vec![x]),
        }
    }

    pub(crate) fn binary(op: BinaryOp, a: u32, b: u32) -> Self {
        match infix_level(op) {
            Some(level) => Self::Infix(op.name(), level, a, b),
            None => Self::Call(op.name(), vec![a, b]),
        }
    }

    fn level(&self) -> Precedence {
        match self {
            Self::Leaf(_, level) | Self::Prefix(_, level, _) | Self::Infix(_, level, ..) => *level,
            Self::Raised(..) => Precedence::Power,
            Self::Call(..) => Precedence::Atom,
        }
    }
}

fn infix_level(op: BinaryOp) -> Option<Precedence> {
    Some(match op {
        BinaryOp::Or => Precedence::Or,
        BinaryOp::And => Precedence::And,
        BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Equal | BinaryOp::NotEqual => Precedence::Compare,
        BinaryOp::Add | BinaryOp::Subtract => Precedence::Sum,
        BinaryOp::Multiply | BinaryOp::Divide => Precedence::Product,
        BinaryOp::Power => Precedence::Power,
        _ => return None,
    })
}

/// The loosest operators that stand left and right of `level` without
/// parentheses.
fn sides(level: Precedence) -> (Precedence, Precedence) {
    match level {
        Precedence::Or => (Precedence::Or, Precedence::And),
        Precedence::And => (Precedence::And, Precedence::Not),
        Precedence::Sum => (Precedence::Sum, Precedence::Product),
        Precedence::Product => (Precedence::Product, Precedence::Negate),
        Precedence::Power => (Precedence::Atom, Precedence::Negate),
        _ => (Precedence::Sum, Precedence::Sum),
    }
}

enum Task {
    Node(u32, Precedence),
    Text(&'static str),
}

struct Printer<'a> {
    layout: &'a dyn Printable,
    tasks: Vec<Task>,
    text: String,
    chars: usize,
}

/// The text of `root`, cut to `max_chars` characters (then it ends with `…`).
pub(crate) fn print(layout: &dyn Printable, root: u32, max_chars: usize) -> String {
    let mut printer =
        Printer { layout, tasks: vec![Task::Node(root, Precedence::Or)], text: String::new(), chars: 0 };
    while let Some(task) = printer.tasks.pop() {
        match task {
            Task::Text(text) => printer.write(text),
            Task::Node(node, loosest) => printer.node(node, loosest),
        }
        if printer.chars > max_chars {
            return shortened(&printer.text, max_chars);
        }
    }
    printer.text
}

impl Printer<'_> {
    fn write(&mut self, text: &str) {
        self.chars += text.chars().count();
        self.text.push_str(text);
    }

    /// Writes what comes first and leaves the rest as tasks, last one deepest.
    fn node(&mut self, node: u32, loosest: Precedence) {
        let printed = self.layout.printed(node);
        if printed.level() < loosest {
            self.write("(");
            self.tasks.push(Task::Text(")"));
        }
        match printed {
            Printed::Leaf(text, _) => self.write(&text),
            Printed::Prefix(symbol, level, child) => {
                self.write(symbol);
                self.tasks.push(Task::Node(child, level));
            }
            Printed::Infix(symbol, level, a, b) => self.infix(symbol, level, a, b),
            Printed::Raised(child, power) => {
                self.tasks.push(Task::Text(power));
                self.tasks.push(Task::Node(child, Precedence::Atom));
            }
            Printed::Call(name, arguments) => self.call(name, &arguments),
        }
    }

    fn infix(&mut self, symbol: &'static str, level: Precedence, a: u32, b: u32) {
        let (left, right) = sides(level);
        self.tasks.push(Task::Node(b, right));
        // Powers stand close, as people write them.
        if level == Precedence::Power {
            self.tasks.push(Task::Text(symbol));
        } else {
            for text in [" ", symbol, " "] {
                self.tasks.push(Task::Text(text));
            }
        }
        self.tasks.push(Task::Node(a, left));
    }

    fn call(&mut self, name: &'static str, arguments: &[u32]) {
        self.write(name);
        self.write("(");
        self.tasks.push(Task::Text(")"));
        for (position, &argument) in arguments.iter().enumerate().rev() {
            self.tasks.push(Task::Node(argument, Precedence::Or));
            if position > 0 {
                self.tasks.push(Task::Text(", "));
            }
        }
    }
}

fn shortened(text: &str, max_chars: usize) -> String {
    let kept = max_chars.saturating_sub(1);
    let mut short: String = text.chars().take(kept).collect();
    if max_chars > 0 {
        short.push('…');
    }
    short
}

/// The shortest decimal text that reads back to exactly `value`.
pub(crate) fn number_text(value: f64) -> String {
    let mut text = format!("{value:?}");
    if text.ends_with(".0") {
        text.truncate(text.len() - 2);
    }
    text
}

struct Named<'a> {
    arena: &'a Arena,
    names: &'a dyn Fn(InputId) -> String,
}

impl Printable for Named<'_> {
    fn printed(&self, node: u32) -> Printed {
        match self.arena.node(ExprId(node)) {
            Node::Constant(value) if value.is_sign_negative() => {
                Printed::Leaf(number_text(value), Precedence::Negate)
            }
            Node::Constant(value) => Printed::Leaf(number_text(value), Precedence::Atom),
            Node::Input(input) => Printed::Leaf((self.names)(input), Precedence::Atom),
            Node::Unary(op, x) => Printed::unary(op, x.0),
            Node::Binary(op, a, b) => self.binary(op, a, b),
            Node::Select(c, a, b) => Printed::Call("if", vec![c.0, a.0, b.0]),
        }
    }
}

impl Named<'_> {
    fn binary(&self, op: BinaryOp, a: ExprId, b: ExprId) -> Printed {
        if op == BinaryOp::Multiply
            && let Some((base, power)) = self.whole_power(a, b)
        {
            return Printed::Raised(base.0, power);
        }
        // The arena orders the operands of `+` and `*` by id and would do it
        // again when the text is read back; so print the order that needs no
        // parentheses and stays flat for long sums.
        if op.is_commutative() && self.level(b) == infix_level(op) && self.level(a) != infix_level(op) {
            return Printed::binary(op, b.0, a.0);
        }
        Printed::binary(op, a.0, b.0)
    }

    fn level(&self, id: ExprId) -> Option<Precedence> {
        match self.arena.node(id) {
            Node::Binary(BinaryOp::Multiply, a, b) if self.whole_power(a, b).is_some() => None,
            Node::Binary(op, ..) => infix_level(op),
            _ => None,
        }
    }

    /// Powers 2, 3 and 4 are products in the arena; show them as powers.
    fn whole_power(&self, a: ExprId, b: ExprId) -> Option<(ExprId, &'static str)> {
        if a == b {
            return Some(self.square(a).map_or((a, "^2"), |base| (base, "^4")));
        }
        let cube = |one, other| self.square(one).filter(|&base| base == other);
        let base = cube(a, b).or_else(|| cube(b, a))?;
        Some((base, "^3"))
    }

    fn square(&self, id: ExprId) -> Option<ExprId> {
        match self.arena.node(id) {
            Node::Binary(BinaryOp::Multiply, a, b) if a == b => Some(a),
            _ => None,
        }
    }
}

/// The expression as text that parses back to the same [`ExprId`].
///
/// `names` must give the names that the reader's `resolve` knows. Text that
/// would be longer than a formula may be ([`MAX_TEXT`]) is cut as by
/// [`display_short`].
pub fn display(arena: &Arena, id: ExprId, names: &dyn Fn(InputId) -> String) -> String {
    display_short(arena, id, names, MAX_TEXT)
}

/// The expression as text of at most `max_chars` characters; if it had to
/// be cut, it ends with `…`.
pub fn display_short(
    arena: &Arena,
    id: ExprId,
    names: &dyn Fn(InputId) -> String,
    max_chars: usize,
) -> String {
    print(&Named { arena, names }, id.0, max_chars)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::parse::parse;

    fn name(input: InputId) -> String {
        ["x", "y", "z"].get(input.index()).copied().unwrap_or("w").to_string()
    }

    /// Lowers, prints, and checks that the print lowers to the same id.
    fn printed(text: &str) -> String {
        let mut arena = Arena::new();
        let inputs = [0, 1, 2].map(|n| (name(InputId(n)), arena.input(InputId(n))));
        let mut resolve = |word: &str| inputs.iter().find(|(name, _)| name == word).map(|i| i.1);
        let id = parse(text).unwrap().lower(&mut arena, &mut resolve).unwrap();
        let shown = display(&arena, id, &name);
        let again = parse(&shown).unwrap().lower(&mut arena, &mut resolve).unwrap();
        assert_eq!(id, again, "{text} printed as {shown}");
        shown
    }

    #[test]
    fn whole_powers_look_like_powers() {
        assert_eq!(printed("x * x"), "x^2");
        assert_eq!(printed("x^3 + y^4"), "x^3 + y^4");
        assert_eq!(printed("(x + y)^2"), "(x + y)^2");
        assert_eq!(printed("(x^2)^3"), "(x^2)^3");
        assert_eq!(printed("sin(x)^2"), "sin(x)^2");
        assert_eq!(printed("x^2 * y"), "y * x^2");
    }

    #[test]
    fn commutative_chains_stay_flat() {
        assert_eq!(printed("x + (y + z)"), "y + z + x");
        assert_eq!(printed("x * (y / z)"), "y / z * x");
        assert_eq!(printed("x - (y + z)"), "x - (y + z)");
    }

    #[test]
    fn numbers_print_in_their_shortest_exact_form() {
        assert_eq!(printed("x + 0.1"), "x + 0.1");
        assert_eq!(printed("x * 1e300"), "x * 1e300");
        assert_eq!(printed("1e-7"), "1e-7");
        assert_eq!(printed("-0"), "-0");
        assert_eq!(printed("x^-0.5"), "x^-0.5");
        assert_eq!(printed("(-2)^x"), "(-2)^x");
        assert_eq!(printed("pi"), "3.141592653589793");
    }

    #[test]
    fn what_cannot_be_folded_still_round_trips() {
        for text in ["1 / 0", "-1 / 0", "0 / 0", "1e300 * 1e300", "1e200^3", "-1e308 - 1e308"] {
            printed(text);
        }
        for text in ["(-1e200)^2 + x", "ln(-1)", "1e308 + 1e308", "x / 0", "0 ^ -1"] {
            printed(text);
        }
    }

    #[test]
    fn conditions_print_as_words() {
        assert_eq!(printed("not (x < y and y < z)"), "not (x < y and y < z)");
        assert_eq!(printed("if(x > y, 1, -1)"), "if(y < x, 1, -1)");
    }

    #[test]
    fn exploding_expressions_are_cut_short() {
        let mut arena = Arena::new();
        let mut huge = arena.input(InputId(0));
        for _ in 0..200 {
            let sine = arena.unary(UnaryOp::Sin, huge);
            huge = arena.add(huge, sine);
        }
        let short = display_short(&arena, huge, &name, 20);
        assert_eq!(short.chars().count(), 20);
        assert!(short.ends_with('…'));
        assert_eq!(display(&arena, huge, &name).chars().count(), MAX_TEXT);
        assert_eq!(display_short(&arena, huge, &name, 0), "");
        let x = arena.input(InputId(0));
        assert_eq!(display_short(&arena, x, &name, 1), "x");
    }
}
