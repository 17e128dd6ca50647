//! The neutral record of what an agent did; knows no protocol.

mod change;

pub use change::{Change, Outcome, ResultContent, Role, SnapshotCall, SnapshotItem};
