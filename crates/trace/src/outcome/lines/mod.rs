//! The lines of a transcript that consist of several parts: calls to tools, and calls to models.
//!
//! **Invariant:** every text is bounded, and can be masked.

mod call_outcome;
mod model_line;

pub use call_outcome::{CallFailure, CallOutcome, LateResult};
pub use model_line::{ModelLine, ModelTotals};
