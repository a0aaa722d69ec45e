//! Work counts.

/// How often each thing of a form was evaluated so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkCounts {
    /// Right-hand sides.
    pub derivatives: u64,
    /// Those of them that were taken to find where guards go, at the start of a segment.
    pub headings: u64,
    /// Right-hand sides where a segment begins that were known when they were wanted.
    pub reused: u64,
    /// Values of single guards.
    pub guards: u64,
    /// Jacobians, exact or by differences.
    pub jacobians: u64,
}
