//! The spine: from a plan to verdicts.

mod event;

pub use event::RunEvent;
