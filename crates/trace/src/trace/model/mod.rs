//! Calls of an agent to its model, and the tokens that they cost.
//!
//! `model_call` is a call in the form that all APIs have in common, `logged_model_call` its place among what the agent does, and
//! `model_log` adds it there. `usage` has tokens, and `prices` what they cost.
//!
//! **Invariant:** whatever is not known of tokens stays visible in every sum of them.

mod logged_model_call;
mod model_call;
mod model_log;
mod prices;
mod usage;

pub use logged_model_call::LoggedModelCall;
pub(super) use logged_model_call::ModelSight;
pub use model_call::{
    AnsweredBy, AskedAgain, FinishReason, ModelAnswer, ModelCall, ModelRequest, ModelToolCall,
    ModelUse, OfferedTool, PromptMessage,
};
pub use prices::{CostGap, Price, Prices};
pub use usage::{Cost, ModelUsage, Tokens, Usage};
