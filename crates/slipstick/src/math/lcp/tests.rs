//! The solvers against each other: exact cases, and many random ones against enumeration.
mod random;
mod reference;
