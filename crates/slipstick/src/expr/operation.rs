//! The elementary operations: two lists, and what they compute.
//!
//! All that is known of an operation stands in its row, see [`rows`](super::rows). Everything that evaluates
//! a formula (constant folding, the tape, the tree walker) goes through `apply`, so that all of them agree
//! bit for bit. In: operands as `f64`. Out: the value as `f64`; a condition is 1.0 or 0.0.

use crate::expr::rows::{
    BinaryRow, UnaryRow, arithmetic, conditions, hyperbolic, kinks, powers, trigonometric,
};

/// How an operation behaves where it is not smooth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Smoothness {
    /// Differentiable wherever it is defined.
    Smooth,
    /// Continuous, but its derivative jumps.
    Kink,
    /// Its value itself jumps.
    Jump,
}

/// Makes an enum of operations from a list of rows.
macro_rules! operations {
    ($(#[$about:meta])* $name:ident [$($operand:ident)*] $operands:tt: $row:ident {
        $($(#[$doc:meta])* $op:ident = $place:path,)*
    }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum $name {
            $($(#[$doc])* $op,)*
        }

        impl $name {
            /// All of them, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$op,)*];

            /// The value of the operation.
            #[inline]
            pub fn apply(self, $($operand: f64),*) -> f64 {
                // Not by the row: the value is compiled into the branch.
                match self {
                    $(Self::$op => ($place.value)$operands,)*
                }
            }

            /// All that is known of the operation.
            pub(super) const fn row(self) -> &'static $row {
                match self {
                    $(Self::$op => const { &$place },)*
                }
            }

            /// Whether the operation has kinks or jumps.
            pub fn smoothness(self) -> Smoothness {
                self.row().smoothness
            }

            /// How the operation is written: a symbol, a word or a function name.
            pub fn name(self) -> &'static str {
                self.row().name
            }
        }
    };
}

operations! {
    /// An operation with one operand.
    UnaryOp [x] (x): UnaryRow {
        /// `-x`
        Negate = arithmetic::NEGATE,
        /// `not c`
        Not = conditions::NOT,
        /// `sin(x)`
        Sin = trigonometric::SIN,
        /// `cos(x)`
        Cos = trigonometric::COS,
        /// `tan(x)`
        Tan = trigonometric::TAN,
        /// `asin(x)`
        Asin = trigonometric::ASIN,
        /// `acos(x)`
        Acos = trigonometric::ACOS,
        /// `atan(x)`
        Atan = trigonometric::ATAN,
        /// `sinh(x)`
        Sinh = hyperbolic::SINH,
        /// `cosh(x)`
        Cosh = hyperbolic::COSH,
        /// `tanh(x)`
        Tanh = hyperbolic::TANH,
        /// `asinh(x)`
        Asinh = hyperbolic::ASINH,
        /// `acosh(x)`
        Acosh = hyperbolic::ACOSH,
        /// `atanh(x)`
        Atanh = hyperbolic::ATANH,
        /// `exp(x)`
        Exp = powers::EXP,
        /// `ln(x)`, the natural logarithm
        Ln = powers::LN,
        /// `log10(x)`, the decimal logarithm
        Log10 = powers::LOG10,
        /// `sqrt(x)`
        Sqrt = powers::SQRT,
        /// `cbrt(x)`, the cube root
        Cbrt = powers::CBRT,
        /// `abs(x)`
        Abs = kinks::ABS,
        /// `sign(x)`: -1, 0 or 1
        Sign = kinks::SIGN,
        /// `floor(x)`
        Floor = kinks::FLOOR,
        /// `ceil(x)`
        Ceil = kinks::CEIL,
        /// `round(x)`, halves away from zero
        Round = kinks::ROUND,
    }
}

operations! {
    /// An operation with two operands.
    ///
    /// `>` and `>=` do not appear: they are `<` and `<=` with swapped operands.
    BinaryOp [a b] (a, b): BinaryRow {
        /// `a + b`
        Add = arithmetic::ADD,
        /// `a - b`
        Subtract = arithmetic::SUBTRACT,
        /// `a * b`
        Multiply = arithmetic::MULTIPLY,
        /// `a / b`
        Divide = arithmetic::DIVIDE,
        /// `a ^ b`
        Power = powers::POWER,
        /// `atan2(y, x)`
        Atan2 = trigonometric::ATAN2,
        /// `hypot(a, b)`
        Hypot = powers::HYPOT,
        /// `min(a, b)`
        Min = kinks::MIN,
        /// `max(a, b)`
        Max = kinks::MAX,
        /// `mod(a, b) = a - b * floor(a / b)`
        Modulo = kinks::MODULO,
        /// `a < b`
        Less = conditions::LESS,
        /// `a <= b`
        LessEqual = conditions::LESS_EQUAL,
        /// `a == b`
        Equal = conditions::EQUAL,
        /// `a != b`
        NotEqual = conditions::NOT_EQUAL,
        /// `c and d`
        And = conditions::AND,
        /// `c or d`
        Or = conditions::OR,
    }
}

impl BinaryOp {
    /// Whether swapping the operands never changes the value.
    pub fn is_commutative(self) -> bool {
        self.row().commutative
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sign_of_zero_is_zero_and_of_nan_is_nan() {
        assert_eq!(UnaryOp::Sign.apply(0.0), 0.0);
        assert_eq!(UnaryOp::Sign.apply(-0.0).to_bits(), 0.0_f64.to_bits());
        assert_eq!(UnaryOp::Sign.apply(-3.0), -1.0);
        assert!(UnaryOp::Sign.apply(f64::NAN).is_nan());
    }

    #[test]
    fn modulo_follows_the_sign_of_the_divisor() {
        assert_eq!(BinaryOp::Modulo.apply(-1.0, 3.0), 2.0);
        assert_eq!(BinaryOp::Modulo.apply(7.5, 2.0), 1.5);
        assert_eq!(BinaryOp::Modulo.apply(7.5, -2.0), -0.5);
    }

    #[test]
    fn minimum_and_maximum_pass_nan_on_from_either_side() {
        for op in [BinaryOp::Min, BinaryOp::Max] {
            assert!(op.apply(f64::NAN, 1.0).is_nan());
            assert!(op.apply(1.0, f64::NAN).is_nan());
        }
    }

    #[test]
    fn commutative_operations_do_not_see_the_order_of_operands() {
        let values = [0.0, -0.0, 1.5, -2.0, f64::INFINITY, 1e-320];
        let ops = [BinaryOp::Add, BinaryOp::Multiply, BinaryOp::Min, BinaryOp::Max];
        for op in ops {
            assert!(op.is_commutative());
            for a in values {
                for b in values {
                    let (ab, ba) = (op.apply(a, b), op.apply(b, a));
                    assert!(ab.to_bits() == ba.to_bits() || ab.is_nan() && ba.is_nan());
                }
            }
        }
    }

    #[test]
    fn maximum_prefers_positive_zero() {
        assert!(BinaryOp::Max.apply(-0.0, 0.0).is_sign_positive());
        assert!(BinaryOp::Min.apply(0.0, -0.0).is_sign_negative());
    }
}
