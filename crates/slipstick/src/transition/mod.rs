//! What happens at one instant: the guards that fired make a new state and mode.
//!
//! Rules 9 to 21 of the page of rules (`EVENTS.md`; rule 14 has their order), repeated until nothing fires any
//! more. Each rule is a piece of its own here; `simulate` puts
//! them in order.

mod cascade;
mod classify;
mod contacts;
mod modes;
mod resets;
mod rule;
mod settle;
mod switches;

pub use cascade::{Cascade, MOST_ROUNDS, Repeat};
pub use classify::{Classified, Heading, Incoming, Motions, classify};
pub use contacts::{ContactRecord, ContactRemark, Contacts, MOST_DEEP};
pub use modes::ModeChanges;
pub use resets::{Conflict, Resets, Target};
pub use rule::{Firing, Impossible, ImpossibleContact, Rule, Tools, Transition};
pub use settle::{Way, fixed, spirals_out};
pub use switches::{Exits, Switches, is_searched, orientation, surfaces_left};
