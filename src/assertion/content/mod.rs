//! Rules about values: the last message, the state and how a run ends.

mod embedded_json;
pub(crate) mod outcome;
pub(crate) mod output;
pub(crate) mod state;
mod value_matcher;

pub use outcome::ExpectedOutcome;
pub use output::OutputRule;
pub use state::StateRule;
pub use value_matcher::{Matcher, Wanted};
pub(crate) use value_matcher::{json, same};
