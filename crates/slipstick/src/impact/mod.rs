//! Velocity jumps: impacts as complementarity problems and consistent restarts. Empty until contacts exist;
//! see "Not there yet" in ARCHITECTURE.md.
