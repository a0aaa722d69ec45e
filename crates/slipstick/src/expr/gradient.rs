//! Partial derivatives by all inputs at once, of which most are zero.
//!
//! From the leaves up, each expression has the derivatives by those inputs that it depends on. A sum takes
//! over those of its longer side, so that the gradient of a sum of many terms costs what the terms cost. The
//! formulas are those that [`Arena::derivative`] gives.

use crate::expr::arena::{Arena, ExprId, InputId, Node};
use crate::expr::memo::Memo;
use crate::expr::operation::BinaryOp;
use std::collections::BTreeMap;

/// Derivatives by input.
type Partials = BTreeMap<InputId, ExprId>;

/// For each of `ids`, its derivatives by the wanted inputs that are not always zero, by input.
pub fn gradients(
    arena: &mut Arena,
    ids: &[ExprId],
    wanted: impl Fn(InputId) -> bool,
) -> Vec<Vec<(InputId, ExprId)>> {
    let (zero, one) = (arena.constant(0.0), arena.constant(1.0));
    let order = arena.reachable(ids);
    let mut uses: Memo<u32> = Memo::new(&order, 0);
    let operands = order.iter().flat_map(|id| arena.node(*id).operands());
    operands.chain(ids.iter().copied()).for_each(|id| uses[id.index()] += 1);
    let mut found: Memo<Partials> = Memo::new(&order, Partials::new());
    for &id in &order {
        let partials = match arena.node(id) {
            Node::Input(input) if wanted(input) => Partials::from([(input, one)]),
            Node::Constant(_) | Node::Input(_) => Partials::new(),
            node => {
                let mut taken = Taken::new(node, &mut found, &mut uses);
                match node {
                    Node::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), ..) => {
                        taken.add_up(arena, op == BinaryOp::Subtract)
                    }
                    _ => taken.combine(arena, id, zero),
                }
            }
        };
        found[id.index()] = partials;
    }
    let mut take = |id: &ExprId| take(&mut found, &mut uses, *id);
    ids.iter().map(|id| take(id).into_iter().filter(|(_, rate)| *rate != zero).collect()).collect()
}

/// The derivatives of an expression, for the last that uses it as they are.
fn take(found: &mut Memo<Partials>, uses: &mut Memo<u32>, id: ExprId) -> Partials {
    let left = &mut uses[id.index()];
    *left -= 1;
    if *left == 0 { std::mem::take(&mut found[id.index()]) } else { found[id.index()].clone() }
}

/// The operands of an operation with their derivatives.
struct Taken {
    operands: Vec<(ExprId, Partials)>,
}

impl Taken {
    fn new(node: Node, found: &mut Memo<Partials>, uses: &mut Memo<u32>) -> Self {
        let list: Vec<ExprId> = node.operands().collect();
        let mut operands: Vec<(ExprId, Partials)> = Vec::with_capacity(list.len());
        for (k, &id) in list.iter().enumerate() {
            // `x * x` has one operand, which is used twice.
            match list[..k].iter().position(|other| *other == id) {
                Some(_) => uses[id.index()] -= 1,
                None if list[k + 1..].contains(&id) && uses[id.index()] == 2 => {
                    operands.push((id, std::mem::take(&mut found[id.index()])));
                    uses[id.index()] -= 1;
                }
                None => operands.push((id, take(found, uses, id))),
            }
        }
        Self { operands }
    }

    /// The derivatives of a sum or difference.
    fn add_up(&mut self, arena: &mut Arena, subtract: bool) -> Partials {
        let zero = arena.constant(0.0);
        let mut sides = self.operands.drain(..).map(|(_, partials)| partials);
        let (left, right) = (sides.next().unwrap_or_default(), sides.next());
        let Some(right) = right else {
            // Both sides are one expression.
            let both = |arena: &mut Arena, rate| if subtract { zero } else { arena.add(rate, rate) };
            return left.into_iter().map(|(input, rate)| (input, both(arena, rate))).collect();
        };
        if left.len() >= right.len() || subtract {
            return merge(left, right, zero, |a, b| if subtract { arena.sub(a, b) } else { arena.add(a, b) });
        }
        merge(right, left, zero, |b, a| arena.add(a, b))
    }

    /// The derivatives of any other operation.
    fn combine(&self, arena: &mut Arena, id: ExprId, zero: ExprId) -> Partials {
        let Some((_, longest)) = self.operands.iter().max_by_key(|(_, partials)| partials.len()) else {
            return Partials::new();
        };
        let mut inputs: Vec<InputId> = longest.keys().copied().collect();
        let others = self.operands.iter().filter(|(_, partials)| partials.len() <= longest.len());
        inputs.extend(
            others.flat_map(|(_, partials)| partials.keys().filter(|input| !longest.contains_key(input))),
        );
        let of = |operand: ExprId, input: InputId| {
            let known = self.operands.iter().find(|(id, _)| *id == operand);
            known.and_then(|(_, partials)| partials.get(&input).copied()).unwrap_or(zero)
        };
        let rate = |input: InputId| (input, arena.rate_of(id, zero, |operand| of(operand, input)));
        inputs.into_iter().map(rate).filter(|(_, rate)| *rate != zero).collect()
    }
}

/// Takes the second side into the first.
fn merge(
    mut into: Partials,
    from: Partials,
    zero: ExprId,
    mut join: impl FnMut(ExprId, ExprId) -> ExprId,
) -> Partials {
    for (input, rate) in from {
        let known = into.get(&input).copied().unwrap_or(zero);
        into.insert(input, join(known, rate));
    }
    into
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::sample::sample_formulas;
    use crate::expr::{SAMPLE_INPUTS, parse};

    fn lower(arena: &mut Arena, text: &str) -> ExprId {
        let names = |name: &str| SAMPLE_INPUTS.iter().position(|input| *input == name);
        let mut inputs: Vec<(String, ExprId)> = Vec::new();
        let syntax = parse(text).expect("a formula");
        for (name, _) in syntax.names() {
            let index = u32::try_from(names(name).unwrap_or(40)).expect("a small number");
            inputs.push((name.to_owned(), arena.input(InputId(index))));
        }
        syntax
            .lower(arena, &mut |name| inputs.iter().find(|(n, _)| n == name).map(|(_, id)| *id))
            .expect("names")
    }

    #[test]
    fn gradients_are_the_derivatives_one_by_one() {
        let mut arena = Arena::new();
        let mut ids: Vec<ExprId> = sample_formulas().iter().map(|text| lower(&mut arena, text)).collect();
        for text in [
            "x + x",
            "x - x",
            "(x + 1) * (x + 1)",
            "if(x < 1, x, x^2) + min(x, x)",
            "-(x + y) / (x + y)",
            "3",
        ] {
            ids.push(lower(&mut arena, text));
        }
        let zero = arena.constant(0.0);
        let found = gradients(&mut arena, &ids, |input| input.0 != 1);
        for (id, found) in ids.iter().zip(found) {
            let inputs = arena.inputs_of(&[*id]).into_iter().filter(|input| input.0 != 1);
            let one_by_one: Vec<(InputId, ExprId)> = inputs
                .map(|input| (input, arena.derivative(*id, input)))
                .filter(|(_, rate)| *rate != zero)
                .collect();
            assert_eq!(found, one_by_one);
        }
    }

    #[test]
    fn a_sum_of_many_terms_is_differentiated_term_by_term() {
        let mut arena = Arena::new();
        let mut sum = arena.constant(0.0);
        for k in 0..20_000 {
            let x = arena.input(InputId(k));
            let square = arena.mul(x, x);
            sum = arena.add(sum, square);
        }
        let before = arena.len();
        let gradient = gradients(&mut arena, &[sum], |_| true);
        assert_eq!(gradient[0].len(), 20_000);
        assert!(arena.len() - before <= 2 * 20_000 + 1);
    }
}
