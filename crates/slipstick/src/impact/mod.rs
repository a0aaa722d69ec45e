//! Velocity jumps: impacts as complementarity problems and consistent restarts. Empty until contacts exist;
//! see the roadmap in ARCHITECTURE.md.
