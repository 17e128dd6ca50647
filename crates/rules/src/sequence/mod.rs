//! `sequence`: in which order calls, results and messages must come.

mod matching;
mod miss;
mod only;
pub(crate) mod sequence;
mod step;
mod steps;
mod walk;
