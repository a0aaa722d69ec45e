//! Contacts at one instant: which velocities follow from an impact, and which contacts hold, stick, slide or
//! open after it.
//!
//! In: the contacts that are closed or about to be, as numbers ([`Relations`]). Out: impulses and statuses,
//! or that there are none. Nothing here knows of systems, time or events. Signs: a gap velocity is negative
//! where the contact approaches, a normal force positive where it pushes apart.

mod acceleration;
mod capturing;
mod choices;
mod complementarity;
mod groups;
mod hit;
mod impact;
mod least;
mod limit;
mod painleve;
mod relations;
mod release;
mod smith;
mod status;
#[cfg(test)]
mod tests;

pub use acceleration::{Resolved, Wish, resolve_accelerations};
pub use capturing::{TimeStep, separate, time_step};
pub use hit::{GivenImpulse, Hit, Impact};
pub use impact::{ImpactRemark, ImpactResult, resolve_impact};
pub use least::{rank, respond_beside, share_by_limits, share_friction, share_pushing};
pub use limit::end_hits;
pub use painleve::{Jam, jams, near_jam, stop_slip};
pub use relations::{LawNumbers, Relations, Unsolved};
pub use release::release;
pub use status::Status;
