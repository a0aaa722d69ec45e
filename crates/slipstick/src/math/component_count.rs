//! The length of a vector as a type: known when the code that uses it is compiled, or only when that runs.
//!
//! Methods are compiled for each small dimension. For two or four equations the loops over components would
//! otherwise cost several times as much as what they do.

/// A number of components.
pub trait ComponentCount: Copy + std::fmt::Debug {
    /// The number.
    fn get(self) -> usize;
}

/// A small one: loops are written out.
#[derive(Clone, Copy, Debug)]
pub struct Fixed<const N: usize>;

impl<const N: usize> ComponentCount for Fixed<N> {
    #[inline(always)]
    fn get(self) -> usize {
        N
    }
}

/// Any other.
#[derive(Clone, Copy, Debug)]
pub struct Any(pub usize);

impl ComponentCount for Any {
    #[inline(always)]
    fn get(self) -> usize {
        self.0
    }
}
