//! A run that could not be made to its end: why, and what was computed.

use super::Error;
use crate::trajectory::Trajectory;

/// An error together with what was computed before it.
#[derive(Clone, thiserror::Error)]
#[error("{error}")]
pub struct Failure {
    /// What went wrong.
    pub error: Error,
    /// The trajectory up to there.
    pub trajectory: Trajectory,
}

/// The error and how far the run came; a whole trajectory would bury it.
impl std::fmt::Debug for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let reached = self.trajectory.end_time();
        f.debug_struct("Failure")
            .field("error", &self.error)
            .field("reached", &reached)
            .finish_non_exhaustive()
    }
}
