//! Properties that must hold for every formula, tried on random ones.
//!
//! In: random trees, texts and bytes from proptest. Out: failures, shrunk to
//! the smallest formula that shows them. The tree here is evaluated on its own,
//! so that the room is not only compared with itself.

use crate::expr::arena::{Arena, ExprId, InputId};
use crate::expr::bounds::{Bounds, Boxes};
use crate::expr::interval::Interval;
use crate::expr::parse::parse;
use crate::expr::print::display;
use crate::expr::syntax::Form;
use crate::expr::tape::Tape;
use crate::expr::walk::Walker;
use proptest::prelude::*;

/// A random formula.
#[derive(Clone, Debug)]
pub(super) enum Tree {
    Number(f64),
    Input(usize),
    Negate(Box<Tree>),
    Call(&'static str, Vec<Tree>),
    Infix(&'static str, Box<Tree>, Box<Tree>),
    If(Box<Tree>, Box<Tree>, Box<Tree>),
}

const NAMES: [&str; 4] = ["x", "y", "wheel.speed", "φ"];
const SMOOTH: [&str; 6] = ["sin", "cos", "atan", "tanh", "exp", "sqrt"];
const STEPPED: [&str; 6] = ["abs", "sign", "floor", "ceil", "round", "cbrt"];
const PAIRED: [&str; 5] = ["min", "max", "mod", "hypot", "atan2"];

impl Tree {
    pub(super) fn text(&self) -> String {
        match self {
            Self::Number(value) => format!("{value:?}"),
            Self::Input(input) => NAMES[*input].to_string(),
            Self::Negate(x) => format!("(-{})", x.text()),
            Self::Call(name, arguments) => {
                let texts: Vec<String> = arguments.iter().map(Self::text).collect();
                format!("{name}({})", texts.join(","))
            }
            Self::Infix(symbol, a, b) => format!("({} {symbol} {})", a.text(), b.text()),
            Self::If(c, a, b) => format!("if({},{},{})", c.text(), a.text(), b.text()),
        }
    }

    /// The value, unless something on the way is not finite or hangs on the
    /// sign of a zero: there the simplifications make no promise.
    fn value(&self, inputs: &[f64]) -> Option<f64> {
        let value = match self {
            Self::Number(value) => *value,
            Self::Input(input) => inputs[*input],
            Self::Negate(x) => -x.value(inputs)?,
            Self::Call(name, arguments) => {
                let values: Option<Vec<f64>> = arguments.iter().map(|x| x.value(inputs)).collect();
                called(name, &values?)?
            }
            Self::Infix(symbol, a, b) => joined(symbol, a.value(inputs)?, b.value(inputs)?)?,
            Self::If(c, a, b) => {
                let (yes, no) = (a.value(inputs)?, b.value(inputs)?);
                if c.value(inputs)? == 0.0 { no } else { yes }
            }
        };
        value.is_finite().then_some(value)
    }
}

impl Tree {
    fn parts(&self) -> Vec<&Tree> {
        match self {
            Self::Number(_) | Self::Input(_) => Vec::new(),
            Self::Negate(x) => vec![x],
            Self::Call(_, arguments) => arguments.iter().collect(),
            Self::Infix(_, a, b) => vec![a, b],
            Self::If(c, a, b) => vec![c, a, b],
        }
    }

    /// Whether no part is so large that a small change drowns in rounding.
    pub(super) fn is_tame(&self, inputs: &[f64]) -> bool {
        let small = self.value(inputs).is_some_and(|value| value.abs() < 1e4);
        small && self.parts().into_iter().all(|part| part.is_tame(inputs))
    }
}

fn called(name: &str, values: &[f64]) -> Option<f64> {
    Some(match (name, values) {
        ("not ", [c]) => f64::from(u8::from(*c == 0.0)),
        ("sin", [x]) => x.sin(),
        ("cos", [x]) => x.cos(),
        ("atan", [x]) => x.atan(),
        ("tanh", [x]) => x.tanh(),
        ("exp", [x]) => x.exp(),
        ("sqrt", [x]) => x.sqrt(),
        ("cbrt", [x]) => x.cbrt(),
        ("abs", [x]) => x.abs(),
        ("sign", [x]) if *x == 0.0 => 0.0,
        ("sign", [x]) => x.signum(),
        ("floor", [x]) => x.floor(),
        ("ceil", [x]) => x.ceil(),
        ("round", [x]) => x.round(),
        ("min", [a, b]) => a.min(*b),
        ("max", [a, b]) => a.max(*b),
        ("mod", [a, b]) => a - b * (a / b).floor(),
        ("hypot", [a, b]) => a.hypot(*b),
        ("atan2", [y, x]) if *y != 0.0 => y.atan2(*x),
        _ => return None,
    })
}

fn joined(symbol: &str, a: f64, b: f64) -> Option<f64> {
    let truth = |holds: bool| f64::from(u8::from(holds));
    Some(match symbol {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" => a / b,
        "^" => a.powf(b),
        "<" => truth(a < b),
        "<=" => truth(a <= b),
        ">" => truth(a > b),
        ">=" => truth(a >= b),
        "==" => truth(a == b),
        "!=" => truth(a != b),
        "and" => truth(a != 0.0 && b != 0.0),
        "or" => truth(a != 0.0 || b != 0.0),
        _ => return None,
    })
}

fn leaf() -> impl Strategy<Value = Tree> {
    prop_oneof![
        Just(Tree::Input(0)),
        (0..NAMES.len()).prop_map(Tree::Input),
        prop::sample::select(vec![0.0, 1.0, 2.0, 0.5, 3.0, 10.0, 0.1, 1e-3]).prop_map(Tree::Number),
        (0.0..100.0).prop_map(Tree::Number),
    ]
}

fn infix(symbols: &'static [&'static str], part: &BoxedStrategy<Tree>) -> BoxedStrategy<Tree> {
    (prop::sample::select(symbols), part.clone(), part.clone())
        .prop_map(|(symbol, a, b)| Tree::Infix(symbol, Box::new(a), Box::new(b)))
        .boxed()
}

fn condition(number: &BoxedStrategy<Tree>) -> BoxedStrategy<Tree> {
    let simple = infix(&["<", "<=", ">", ">=", "==", "!="], number);
    let joined = infix(&["and", "or"], &simple);
    let negated = simple.clone().prop_map(|c| Tree::Call("not ", vec![c]));
    prop_oneof![3 => simple, 1 => joined, 1 => negated].boxed()
}

fn unary(names: &'static [&'static str], part: &BoxedStrategy<Tree>) -> BoxedStrategy<Tree> {
    (prop::sample::select(names), part.clone()).prop_map(|(name, x)| Tree::Call(name, vec![x])).boxed()
}

/// Operations two deep on top of `part`: left alone, proptest mostly makes leaves.
fn grown(part: impl Strategy<Value = Tree> + 'static) -> BoxedStrategy<Tree> {
    let symbols = &["+", "-", "*", "/"];
    let part = part.boxed();
    let pair = infix(symbols, &part);
    let uneven = infix(symbols, &prop_oneof![part, pair.clone()].boxed());
    prop_oneof![1 => pair.clone(), 2 => uneven, 2 => infix(symbols, &pair)].boxed()
}

/// Formulas whose value no simplification may change by even one bit.
fn exact() -> impl Strategy<Value = Tree> {
    grown(exact_part())
}

fn exact_part() -> impl Strategy<Value = Tree> {
    leaf().boxed().prop_recursive(5, 40, 3, |part| {
        let part = part.boxed();
        let pair = (prop::sample::select(&PAIRED[..]), part.clone(), part.clone());
        let choice = (condition(&part), part.clone(), part.clone());
        prop_oneof![
            4 => infix(&["+", "-", "*", "/"], &part),
            1 => part.clone().prop_map(|x| Tree::Negate(Box::new(x))),
            1 => unary(&SMOOTH, &part),
            1 => unary(&STEPPED, &part),
            1 => pair.prop_map(|(name, a, b)| Tree::Call(name, vec![a, b])),
            1 => choice.prop_map(|(c, a, b)| Tree::If(Box::new(c), Box::new(a), Box::new(b))),
        ]
    })
}

/// The same and powers too.
fn any_formula() -> impl Strategy<Value = Tree> {
    let power = infix(&["^"], &exact().boxed());
    let sum = infix(&["+", "*", "-", "/", "^"], &power);
    prop_oneof![exact(), power, sum]
}

pub(super) fn smooth() -> impl Strategy<Value = Tree> {
    grown(smooth_part())
}

fn smooth_part() -> impl Strategy<Value = Tree> {
    leaf().boxed().prop_recursive(4, 20, 2, |part| {
        let part = part.boxed();
        prop_oneof![
            3 => infix(&["+", "-", "*", "/"], &part),
            1 => infix(&["^"], &part),
            1 => unary(&SMOOTH, &part),
            1 => part.clone().prop_map(|x| Tree::Negate(Box::new(x))),
        ]
    })
}

pub(super) fn inputs() -> impl Strategy<Value = [f64; 4]> {
    let value = prop_oneof![
        4 => -10.0..10.0_f64,
        1 => prop::sample::select(vec![0.0, 1.0, -1.0, 2.0, 0.5]),
    ];
    [value.clone(), value.clone(), value.clone(), value]
}

fn slot(name: &str) -> Option<usize> {
    NAMES.iter().position(|known| *known == name)
}

pub(super) fn lowered(arena: &mut Arena, text: &str) -> ExprId {
    let inputs = [0, 1, 2, 3].map(|n| arena.input(InputId(n)));
    let mut resolve = |name: &str| slot(name).map(|place| inputs[place]);
    parse(text).unwrap().lower(arena, &mut resolve).unwrap()
}

fn shown(input: InputId) -> String {
    NAMES[input.index()].to_string()
}

fn run(arena: &Arena, ids: &[ExprId], inputs: &[f64]) -> Vec<f64> {
    let tape = Tape::compile(arena, inputs.len(), ids);
    let mut registers = tape.registers();
    registers.inputs_mut().copy_from_slice(inputs);
    let mut out = vec![0.0; ids.len()];
    tape.run(&mut registers, &mut out);
    out
}

/// Values and differences of a formula at steps around a point.
fn slope_by_differences(tree: &Tree, point: &[f64; 4], step: f64) -> Option<f64> {
    let at = |x: f64| {
        let mut moved = *point;
        moved[0] = x;
        tree.value(&moved)
    };
    let (above, below) = (point[0] + step, point[0] - step);
    Some((at(above)? - at(below)?) / (above - below))
}

/// What is known of a formula while its inputs move from one point to another in a straight line.
fn bounds_between(arena: &Arena, id: ExprId, from: &[f64; 4], to: &[f64; 4]) -> Bounds {
    let tape = Tape::compile(arena, 4, &[id]);
    let mut boxes = Boxes::default();
    for (k, input) in boxes.inputs_of(&tape).iter_mut().enumerate() {
        let values = Interval::new(from[k].min(to[k]), from[k].max(to[k]));
        *input = Bounds::moving(values, Interval::point(to[k] - from[k]));
    }
    boxes.run(&tape)
}

/// The value of a formula on the way, and its slope by the exact derivative.
fn value_and_slope(arena: &mut Arena, id: ExprId, from: &[f64; 4], to: &[f64; 4], part: f64) -> [f64; 2] {
    let seeds = [0, 1, 2, 3].map(|k: u32| (InputId(k), arena.constant(to[k as usize] - from[k as usize])));
    let slope = arena.derivative_along(&[id], &seeds)[0];
    let point: Vec<f64> = (0..4).map(|k| from[k] + part * (to[k] - from[k])).collect();
    let values = run(arena, &[id, slope], &point);
    [values[0], values[1]]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_or_refused(text in ".{0,80}") {
        if let Err(error) = parse(&text) {
            prop_assert!(text.get(error.span).is_some());
            prop_assert!(!error.message.is_empty());
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let text = String::from_utf8_lossy(&bytes);
        if let Err(error) = parse(&text) {
            prop_assert!(text.get(error.span).is_some());
        }
    }

    #[test]
    fn any_mixture_of_tokens_is_read_or_refused(
        tokens in prop::collection::vec(prop::sample::select(vec![
            "1", "x", "(", ")", "+", "-", "*", "/", "^", "<", "==", "and", "or", "not", "if(",
            "min(", "sin(", ",", ".5", "pi", " ", "1e9", "nan", "=", "y.z",
            "2 ", "mm", "N*m", "/s", "^2", "^-1", "deg",
        ]), 0..25)
    ) {
        let text = tokens.concat();
        match parse(&text) {
            Err(error) => prop_assert!(text.get(error.span).is_some()),
            Ok(syntax) => {
                let printed = syntax.to_string();
                prop_assert_eq!(parse(&printed).unwrap().to_string(), printed);
            }
        }
    }

    #[test]
    fn quantities_are_printed_as_they_are_read(
        number in 0.0..1e6_f64,
        units in prop::collection::vec((prop::sample::select(vec![
            "m", "mm", "in", "kg", "bar", "s", "min", "h", "N", "kW", "GPa", "deg", "rpm", "Hz", "ohm", "K",
        ]), -2..3_i32, prop::bool::ANY), 1..4),
    ) {
        let mut quantity = format!("{number:?} ");
        for (place, (unit, exponent, above)) in units.into_iter().enumerate() {
            let sign = if place == 0 { "" } else if above { "*" } else { "/" };
            let power = if exponent == 0 { String::new() } else { format!("^{exponent}") };
            quantity = format!("{quantity}{sign}{unit}{power}");
        }
        let forms = |text: &str| -> Vec<Form> {
            parse(text).unwrap().nodes().iter().map(|n| n.form).collect()
        };
        prop_assert!(matches!(forms(&quantity)[..], [Form::Quantity(..)]), "{}", quantity);
        for text in [
            quantity.clone(),
            format!("-{quantity} * x - ({quantity})^2 / ( {quantity} )"),
            format!("2^{quantity} < min( {quantity}*3,{quantity}) or x*{quantity} == 1"),
        ] {
            let printed = parse(&text).unwrap().to_string();
            prop_assert_eq!(forms(&printed), forms(&text), "{}", printed);
            prop_assert_eq!(parse(&printed).unwrap().to_string(), printed);
        }
    }

    #[test]
    fn printing_drops_only_parentheses_that_do_not_matter(tree in any_formula(), point in inputs()) {
        let syntax = parse(&tree.text()).unwrap();
        let again = parse(&syntax.to_string()).unwrap();
        prop_assert_eq!(syntax.nodes().len(), again.nodes().len());
        let forms = |s: &crate::expr::syntax::Syntax| s.nodes().iter().map(|n| n.form).collect::<Vec<_>>();
        prop_assert_eq!(forms(&syntax), forms(&again));
        let value = |s| Walker::new(s, slot).unwrap().evaluate(&point).to_bits();
        prop_assert_eq!(value(&syntax), value(&again));
    }

    #[test]
    fn printed_expressions_read_back_to_the_same_id(tree in any_formula()) {
        let mut arena = Arena::new();
        let id = lowered(&mut arena, &tree.text());
        let text = display(&arena, id, &shown);
        prop_assert_eq!(lowered(&mut arena, &text), id, "{}", text);
        let slope = arena.derivative(id, InputId(0));
        let text = display(&arena, slope, &shown);
        if text.len() < 10_000 {
            prop_assert_eq!(lowered(&mut arena, &text), slope, "{}", text);
        }
    }

    #[test]
    fn tape_and_walker_agree_with_the_tree_to_the_bit(tree in exact(), point in inputs()) {
        let text = tree.text();
        if let Some(value) = tree.value(&point) {
            let walker = Walker::new(&parse(&text).unwrap(), slot).unwrap();
            prop_assert_eq!(walker.evaluate(&point), value);
            let mut arena = Arena::new();
            let id = lowered(&mut arena, &text);
            // `==` and not bits: the sign of a zero may change.
            prop_assert_eq!(run(&arena, &[id], &point), [value]);
        }
    }

    #[test]
    fn the_tape_repeats_node_by_node_evaluation_to_the_bit(
        trees in prop::collection::vec(any_formula(), 1..5), point in inputs()
    ) {
        let mut arena = Arena::new();
        let mut ids: Vec<ExprId> = trees.iter().map(|tree| lowered(&mut arena, &tree.text())).collect();
        let one = arena.constant(1.0);
        ids.extend(arena.derivative_along(&ids, &[(InputId(0), one), (InputId(3), ids[0])]));
        let bits = |values: Vec<f64>| values.into_iter().map(f64::to_bits).collect::<Vec<_>>();
        prop_assert_eq!(bits(run(&arena, &ids, &point)), bits(arena.evaluate(&ids, &point)));
    }

    #[test]
    fn small_powers_keep_twelve_digits(x in -50.0..50.0_f64) {
        let mut arena = Arena::new();
        for power in ["x^2", "x^3", "x^4", "x^-1"] {
            let id = lowered(&mut arena, power);
            let value = run(&arena, &[id], &[x, 0.0, 0.0, 0.0])[0];
            let walked = Walker::new(&parse(power).unwrap(), slot).unwrap().evaluate(&[x]);
            prop_assert!((value - walked).abs() <= 1e-12 * walked.abs());
        }
    }

    #[test]
    fn derivatives_agree_with_differences(tree in smooth(), point in inputs()) {
        // Differences mean something only where two steps agree on them and
        // nothing drowns in rounding.
        let [coarse, fine] = [1e-4, 5e-5].map(|step| slope_by_differences(&tree, &point, step));
        let (Some(coarse), Some(fine), Some(value)) = (coarse, fine, tree.value(&point)) else {
            return Ok(());
        };
        if !tree.is_tame(&point) {
            return Ok(());
        }
        let scale = fine.abs().max(value.abs()).max(1.0);
        if (coarse - fine).abs() > 1e-6 * scale || scale > 1e6 {
            return Ok(());
        }
        let mut arena = Arena::new();
        let id = lowered(&mut arena, &tree.text());
        let slope = arena.derivative(id, InputId(0));
        let exact = run(&arena, &[slope], &point)[0];
        if exact.is_finite() {
            prop_assert!((exact - fine).abs() <= 1e-4 * scale, "{} against {}", exact, fine);
        }
    }

    #[test]
    fn substituting_numbers_is_evaluating(tree in exact(), point in inputs()) {
        let mut arena = Arena::new();
        let id = lowered(&mut arena, &tree.text());
        let numbers = [0, 1, 2, 3].map(|n| (InputId(n), arena.constant(point[n as usize])));
        let folded = arena.substitute(id, &numbers);
        if let Some(value) = tree.value(&point) {
            prop_assert_eq!(arena.is_constant(folded), Some(value));
        }
    }

    #[test]
    fn values_on_the_way_lie_in_their_bounds(
        tree in any_formula(), from in inputs(), to in inputs(), width in -6.0..0.0_f64, part in 0.0..1.0_f64,
    ) {
        let to = [0, 1, 2, 3].map(|k: usize| from[k] + 10f64.powf(width) * (to[k] - from[k]));
        let mut arena = Arena::new();
        let id = lowered(&mut arena, &tree.text());
        let bounds = bounds_between(&arena, id, &from, &to);
        let [value, _] = value_and_slope(&mut arena, id, &from, &to, part);
        // The point itself is only between the ends but for rounding.
        let near = value.abs() * 1e-12;
        let inside = bounds.value.contains(value) || bounds.value.contains(value + near) || bounds.value.contains(value - near);
        prop_assert!(inside, "{}: {value} is not in {bounds:?}", tree.text());
    }

    #[test]
    fn slopes_on_the_way_lie_in_their_bounds(
        tree in smooth(), from in inputs(), to in inputs(), width in -6.0..0.0_f64, part in 0.0..1.0_f64,
    ) {
        let to = [0, 1, 2, 3].map(|k: usize| from[k] + 10f64.powf(width) * (to[k] - from[k]));
        let mut arena = Arena::new();
        let id = lowered(&mut arena, &tree.text());
        let bounds = bounds_between(&arena, id, &from, &to);
        let [value, slope] = value_and_slope(&mut arena, id, &from, &to, part);
        // A slope is computed in another order than its bounds; and large terms may cancel in it.
        let room = 1e-9 * (1.0 + slope.abs());
        // The root of a constant zero has the slope 0 / 0 by the rules, and none in truth.
        if bounds.is_monotone() && value.is_finite() && !slope.is_nan() && tree.is_tame(&from) {
            prop_assert!(bounds.slope.lo - room <= slope && slope <= bounds.slope.hi + room,
                "{}: {slope} is not in {bounds:?}", tree.text());
        }
    }
}
