//! Drives: a joint whose coordinate, or its velocity, is a function of time.

use super::value::{Amount, FileTable};

/// What a drive prescribes. [`JointHandle::velocity`](super::JointHandle::velocity) and
/// [`JointHandle::position`](super::JointHandle::position) make one.
#[derive(Clone, Debug, PartialEq)]
pub struct Drive(pub(super) FileTable);

impl Drive {
    pub(super) fn new(joint: &str, what: &str, amount: Amount) -> Self {
        Self(FileTable::default().with("joint", joint).with(what, amount))
    }
}
