//! The script of a model, as it is written: a server answers with it instead of the model's provider.
//!
//! `reply` has the steps of an answer, `rule` the condition of an answer whose order is not fixed, and `script_file` the file of
//! `ananke model`, which is a script or has one for each lane.
//!
//! **Invariant:** a script has no results of tools: those come from the agent's own code.

mod reply;
mod rule;
mod script_file;

pub use reply::{ModelFinish, ModelScriptCall, ModelStep, ModelTokens, ReplySteps};
pub use rule::{EmbeddingAnswers, ModelApiName, ModelRule, ModelScript, ModelWhen};
pub use script_file::{LaneScripts, ScriptFile};
