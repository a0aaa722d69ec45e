//! Taylor series of formulas, one order at a time, with a bound of the error of each coefficient (rule 2 of
//! the events).
//!
//! In: a [`Tape`], and the coefficients of its inputs as they become known. Out: those of its outputs. Order
//! k is computed from the orders below and from order k of the inputs, so that a motion can be continued by
//! its own right-hand side: `y_(k+1) = f_k / (k + 1)`.
//!
//! Sums, products and quotients have recurrences of their own. All other operations follow from their
//! derivatives: with θ = s d/ds, which makes `k x_k` of a coefficient `x_k`, `θ sin(x) = cos(x) θx`. What
//! stands beside θx is needed only up to order k - 1, so that the sine and the cosine can be computed from
//! each other. A new function therefore needs no recurrence.

mod coefficient;
mod composition;
mod degree;
mod program;
#[cfg(test)]
mod tests;

use crate::expr::band::Inexact;
use crate::expr::operation::BinaryOp;
use crate::expr::tape::Tape;
use coefficient::{Branching, difference, negated, quotient};
use program::{Further, Jumps, Program, Zeroth};

pub use composition::{Composition, LARGEST_DEGREE};

/// The Taylor series of everything in a formula: program and working memory for one tape.
#[derive(Clone, Debug)]
pub struct Expansion<T> {
    program: Program,
    /// By rows of the program, then by orders.
    coefficients: Vec<T>,
    orders: usize,
}

/// A series whose coefficients have error bounds.
pub type Series = Expansion<Inexact>;

#[expect(private_bounds, reason = "the kinds of coefficients are fixed")]
impl<T: Branching> Expansion<T> {
    /// Room for the series of the outputs of a tape up to an order. `moves` tells which inputs depend on the
    /// variable of the series; the others have coefficients of order zero only.
    pub fn new(tape: &Tape, order: usize, moves: &dyn Fn(usize) -> bool) -> Self {
        Self::of(Program::new(tape, moves), order)
    }

    fn of(program: Program, order: usize) -> Self {
        let orders = order + 1;
        let coefficients = vec![T::ZERO; program.row_count * orders];
        Self { program, coefficients, orders }
    }

    /// The total degree of the outputs in the inputs that move; none if they are not polynomials.
    pub fn degree(&self) -> Option<usize> {
        self.program.degree.map(|degree| degree as usize)
    }

    /// The highest order there is room for.
    pub fn order(&self) -> usize {
        self.orders - 1
    }

    /// Sets a coefficient of an input; one that the outputs do not depend on is ignored. True if it was
    /// another before.
    ///
    /// # Panics
    /// If there is no room for the order.
    pub fn set_input(&mut self, input: usize, order: usize, coefficient: T) -> bool {
        let used = self.program.inputs.binary_search(&input);
        used.is_ok_and(|place| self.set_used(place, order, coefficient))
    }

    /// The inputs that the outputs depend on, ascending.
    pub fn inputs(&self) -> &[usize] {
        &self.program.inputs
    }

    /// Sets a coefficient of an input, by its place among [`inputs`](Self::inputs). True if it was another
    /// before.
    ///
    /// # Panics
    /// If there is no such input or no room for the order.
    pub fn set_used(&mut self, place: usize, order: usize, coefficient: T) -> bool {
        assert!(order < self.orders, "there is no room for this order");
        let row = self.program.input_rows[place] as usize;
        let place = &mut self.coefficients[row * self.orders + order];
        std::mem::replace(place, coefficient) != coefficient
    }

    /// Computes one order of everything, from the orders below and from that of the inputs.
    ///
    /// # Panics
    /// If there is no room for the order.
    pub fn extend(&mut self, order: usize) {
        assert!(order < self.orders, "there is no room for this order");
        for rule in &self.program.rules {
            let rows = Rows { coefficients: &self.coefficients, orders: self.orders };
            let coefficient = match order {
                0 => rows.zeroth(rule.zeroth),
                k => rows.further(rule.further, k),
            };
            self.coefficients[rule.to as usize * self.orders + order] = coefficient;
        }
    }

    /// Sets the coefficients of an input up to an order, by its place among [`inputs`](Self::inputs); those that
    /// are not given are zero.
    fn set_row(&mut self, place: usize, order: usize, coefficients: impl Iterator<Item = T>) {
        let start = self.program.input_rows[place] as usize * self.orders;
        let row = self.coefficients[start..=start + order].iter_mut();
        row.zip(coefficients.chain(std::iter::repeat(T::ZERO))).for_each(|(to, c)| *to = c);
    }

    /// Computes all orders of everything up to one, from those of the inputs.
    fn extend_up_to(&mut self, order: usize) {
        if !self.program.by_rows {
            return (0..=order).for_each(|k| self.extend(k));
        }
        for rule in &self.program.rules {
            let to = rule.to as usize * self.orders;
            let rows = Rows { coefficients: &self.coefficients, orders: self.orders };
            self.coefficients[to] = rows.zeroth(rule.zeroth);
            for k in 1..=order {
                let rows = Rows { coefficients: &self.coefficients, orders: self.orders };
                self.coefficients[to + k] = rows.further(rule.further, k);
            }
        }
    }

    /// The coefficients of the first output up to an order.
    fn first_output(&self, order: usize) -> &[T] {
        let start = self.program.outputs.first().map_or(0, |&row| row as usize * self.orders);
        &self.coefficients[start..=start + order]
    }

    /// A coefficient of an output, if it is finite.
    pub fn output(&self, output: usize, order: usize) -> Option<T> {
        let row = *self.program.outputs.get(output)?;
        let known = order < self.orders;
        known.then(|| self.coefficients[row as usize * self.orders + order]).filter(T::is_finite)
    }
}

/// A value that may jump.
fn jumping<T: Branching, const N: usize>(jumps: Jumps, operands: [T; N], op: impl Fn([T; N]) -> T) -> T {
    match jumps {
        Jumps::AsOperands => op(operands),
        Jumps::Never => op(operands).settled(),
        Jumps::WhereItTouches => op(operands.map(T::touching)),
    }
}

/// The coefficients that are known.
#[derive(Clone, Copy)]
struct Rows<'a, T> {
    coefficients: &'a [T],
    orders: usize,
}

impl<'a, T: Branching> Rows<'a, T> {
    #[inline]
    fn at(self, row: u32, order: usize) -> T {
        self.coefficients[row as usize * self.orders + order]
    }

    /// Coefficients of one row, from order `first` on.
    #[inline]
    fn part(self, row: u32, first: usize, count: usize) -> &'a [T] {
        let start = row as usize * self.orders + first;
        &self.coefficients[start..start + count]
    }

    /// The sum of `a_i b_(k - i)` over `count` orders from `first` on.
    fn convolution(self, a: u32, b: u32, k: usize, (first, count): (usize, usize)) -> T {
        // The least order of b is k - (first + count - 1).
        T::dot(self.part(a, first, count), self.part(b, k + 1 - first - count, count))
    }

    fn zeroth(self, rule: Zeroth) -> T {
        let of = |row: u32| self.at(row, 0);
        match rule {
            Zeroth::Number(value) => T::number(value),
            Zeroth::Nothing => T::ZERO,
            Zeroth::Unary(op, x, jumps) => jumping(jumps, [of(x)], |[x]| T::unary(op, x)),
            Zeroth::Square(x) => T::square(of(x)),
            Zeroth::Binary(op, (a, b), jumps) => jumping(jumps, [of(a), of(b)], |[a, b]| T::binary(op, a, b)),
            Zeroth::Select(c, a, b) => T::select(of(c), of(a), of(b)),
        }
    }

    /// The coefficient of order k > 0.
    fn further(self, rule: Further, k: usize) -> T {
        let of = |row: u32| self.at(row, k);
        match rule {
            Further::Nothing => T::ZERO,
            Further::Stepped(itself) => {
                let known = self.at(itself, 0).is_certain();
                if known { T::ZERO } else { T::UNDEFINED }
            }
            Further::Same(x) => of(x),
            Further::Negation(x) => negated(of(x)),
            Further::Sum(a, b) => T::binary(BinaryOp::Add, of(a), of(b)),
            Further::Difference(a, b) => difference(of(a), of(b)),
            Further::Scaled(factor, x) => T::binary(BinaryOp::Multiply, self.at(factor, 0), of(x)),
            Further::Divided(x, divisor) => quotient(of(x), self.at(divisor, 0)),
            Further::Product(a, b) => self.convolution(a, b, k, (0, k + 1)),
            Further::Quotient(itself, a, b) => {
                let lost = self.convolution(b, itself, k, (1, k));
                quotient(difference(of(a), lost), self.at(b, 0))
            }
            Further::Choice(condition, yes, no) => match self.at(condition, 0).branch() {
                Some(true) => of(yes),
                Some(false) => of(no),
                None => T::UNDEFINED,
            },
            Further::Theta(x) if k == 1 => of(x),
            Further::Theta(x) => T::binary(BinaryOp::Multiply, of(x), T::number(k as f64)),
            Further::Integral(rate) if k == 1 => of(rate),
            Further::Integral(rate) => quotient(of(rate), T::number(k as f64)),
            Further::RateProduct(rate, value) => self.convolution(rate, value, k, (1, k)),
            Further::RateQuotient(itself, rate, value) if k > 1 => {
                let lost = self.convolution(itself, value, k, (1, k - 1));
                quotient(difference(of(rate), lost), self.at(value, 0))
            }
            Further::RateQuotient(_, rate, value) => quotient(of(rate), self.at(value, 0)),
        }
    }
}
