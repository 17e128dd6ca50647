//! The commands that run tests: `run`, `coverage`, `verify` and `watch`.
//!
//! `run` decides what there is to run, and `carry_out` runs it.
//!
//! **Invariant:** every run goes through `carry_out`, whatever command it is of.

mod carry_out;
mod coverage;
mod run;
mod verify;
mod watch;

pub(crate) use coverage::CoverageOptions;
pub(crate) use verify::VerifyOptions;
pub(crate) use watch::WatchOptions;
