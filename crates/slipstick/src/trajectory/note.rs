//! Things worth knowing that neither end a run nor change it.

/// A remark about a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// The time it is about.
    pub t: f64,
    /// A stable word that `slipstick explain` knows.
    pub code: &'static str,
    /// The remark, in the user's words.
    pub text: String,
}
