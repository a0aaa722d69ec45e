//! The elementary operations and what they compute.
//!
//! Everything that evaluates a formula (constant folding, the tape, the tree
//! walker) goes through `apply`, so that all of them agree bit for bit.
//! In: operands as `f64`. Out: the value as `f64`; a condition is 1.0 or 0.0.

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

/// An operation with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum UnaryOp {
    /// `-x`
    Negate,
    /// `not c`
    Not,
    /// `sin(x)`
    Sin,
    /// `cos(x)`
    Cos,
    /// `tan(x)`
    Tan,
    /// `asin(x)`
    Asin,
    /// `acos(x)`
    Acos,
    /// `atan(x)`
    Atan,
    /// `sinh(x)`
    Sinh,
    /// `cosh(x)`
    Cosh,
    /// `tanh(x)`
    Tanh,
    /// `asinh(x)`
    Asinh,
    /// `acosh(x)`
    Acosh,
    /// `atanh(x)`
    Atanh,
    /// `exp(x)`
    Exp,
    /// `ln(x)`, the natural logarithm
    Ln,
    /// `log10(x)`, the decimal logarithm
    Log10,
    /// `sqrt(x)`
    Sqrt,
    /// `cbrt(x)`, the cube root
    Cbrt,
    /// `abs(x)`
    Abs,
    /// `sign(x)`: -1, 0 or 1
    Sign,
    /// `floor(x)`
    Floor,
    /// `ceil(x)`
    Ceil,
    /// `round(x)`, halves away from zero
    Round,
}

/// An operation with two operands.
///
/// `>` and `>=` do not appear: they are `<` and `<=` with swapped operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum BinaryOp {
    /// `a + b`
    Add,
    /// `a - b`
    Subtract,
    /// `a * b`
    Multiply,
    /// `a / b`
    Divide,
    /// `a ^ b`
    Power,
    /// `atan2(y, x)`
    Atan2,
    /// `hypot(a, b)`
    Hypot,
    /// `min(a, b)`
    Min,
    /// `max(a, b)`
    Max,
    /// `mod(a, b) = a - b * floor(a / b)`
    Modulo,
    /// `a < b`
    Less,
    /// `a <= b`
    LessEqual,
    /// `a == b`
    Equal,
    /// `a != b`
    NotEqual,
    /// `c and d`
    And,
    /// `c or d`
    Or,
}

impl UnaryOp {
    /// The value of the operation.
    #[inline]
    pub fn apply(self, x: f64) -> f64 {
        match self {
            Self::Negate => -x,
            Self::Not => truth(x == 0.0),
            Self::Sin => x.sin(),
            Self::Cos => x.cos(),
            Self::Tan => x.tan(),
            Self::Asin => x.asin(),
            Self::Acos => x.acos(),
            Self::Atan => x.atan(),
            Self::Sinh => x.sinh(),
            Self::Cosh => x.cosh(),
            Self::Tanh => x.tanh(),
            Self::Asinh => x.asinh(),
            Self::Acosh => x.acosh(),
            Self::Atanh => x.atanh(),
            Self::Exp => x.exp(),
            Self::Ln => x.ln(),
            Self::Log10 => x.log10(),
            Self::Sqrt => x.sqrt(),
            Self::Cbrt => x.cbrt(),
            Self::Abs => x.abs(),
            Self::Sign => sign(x),
            Self::Floor => x.floor(),
            Self::Ceil => x.ceil(),
            Self::Round => x.round(),
        }
    }

    /// Whether the operation has kinks or jumps.
    pub fn smoothness(self) -> Smoothness {
        match self {
            Self::Abs => Smoothness::Kink,
            Self::Not | Self::Sign | Self::Floor | Self::Ceil | Self::Round => Smoothness::Jump,
            _ => Smoothness::Smooth,
        }
    }

    /// How the operation is written: a function name, `-` or `not`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Negate => "-",
            Self::Not => "not",
            Self::Sin => "sin",
            Self::Cos => "cos",
            Self::Tan => "tan",
            Self::Asin => "asin",
            Self::Acos => "acos",
            Self::Atan => "atan",
            Self::Sinh => "sinh",
            Self::Cosh => "cosh",
            Self::Tanh => "tanh",
            Self::Asinh => "asinh",
            Self::Acosh => "acosh",
            Self::Atanh => "atanh",
            Self::Exp => "exp",
            Self::Ln => "ln",
            Self::Log10 => "log10",
            Self::Sqrt => "sqrt",
            Self::Cbrt => "cbrt",
            Self::Abs => "abs",
            Self::Sign => "sign",
            Self::Floor => "floor",
            Self::Ceil => "ceil",
            Self::Round => "round",
        }
    }
}

impl BinaryOp {
    /// The value of the operation.
    #[inline]
    pub fn apply(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::Multiply => a * b,
            Self::Divide => a / b,
            Self::Power => a.powf(b),
            Self::Atan2 => a.atan2(b),
            Self::Hypot => a.hypot(b),
            Self::Min => minimum(a, b),
            Self::Max => -minimum(-a, -b),
            Self::Modulo => a - b * (a / b).floor(),
            Self::Less => truth(a < b),
            Self::LessEqual => truth(a <= b),
            Self::Equal => truth(a == b),
            Self::NotEqual => truth(a != b),
            Self::And => truth(a != 0.0 && b != 0.0),
            Self::Or => truth(a != 0.0 || b != 0.0),
        }
    }

    /// Whether the operation has kinks or jumps.
    pub fn smoothness(self) -> Smoothness {
        match self {
            Self::Add
            | Self::Subtract
            | Self::Multiply
            | Self::Divide
            | Self::Power
            | Self::Atan2
            | Self::Hypot => Smoothness::Smooth,
            Self::Min | Self::Max => Smoothness::Kink,
            _ => Smoothness::Jump,
        }
    }

    /// How the operation is written: a symbol, a word or a function name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Power => "^",
            Self::Atan2 => "atan2",
            Self::Hypot => "hypot",
            Self::Min => "min",
            Self::Max => "max",
            Self::Modulo => "mod",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::And => "and",
            Self::Or => "or",
        }
    }

    /// Whether swapping the operands never changes the value.
    ///
    /// `hypot` is left out: nothing promises that the platform's is symmetric.
    pub fn is_commutative(self) -> bool {
        matches!(
            self,
            Self::Add
                | Self::Multiply
                | Self::Min
                | Self::Max
                | Self::Equal
                | Self::NotEqual
                | Self::And
                | Self::Or
        )
    }
}

#[inline]
fn truth(holds: bool) -> f64 {
    if holds { 1.0 } else { 0.0 }
}

#[inline]
fn sign(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else if x == 0.0 {
        0.0
    } else {
        x
    }
}

/// The smaller operand. Unlike `f64::min` it passes a NaN on (a simulator must
/// not hide one) and orders -0 before 0 (so that swapping operands is exact).
#[inline]
fn minimum(a: f64, b: f64) -> f64 {
    if a < b {
        a
    } else if b < a {
        b
    } else if a == b {
        if a.is_sign_negative() { a } else { b }
    } else {
        a + b
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
