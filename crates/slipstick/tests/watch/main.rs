//! The room `watch` on signals alone, without a system: every sign change is found once, sides are right,
//! nothing that must not matter does.

mod restarts;
mod roots;
mod segments;
mod signals;
mod variants;
