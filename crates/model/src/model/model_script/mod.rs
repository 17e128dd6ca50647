//! The script of a model, as it is written and as it is filled: what stands in for the provider answers with it.
//!
//! `reply` has the steps of an answer, `rule` the condition of an answer whose order is not fixed, and `script_file` the file of
//! `ananke model`, which is a script or has one for each lane.
//!
//! **Invariant:** a script has no results of tools: those come from the agent's own code.

mod reply;
mod rule;
mod script_file;

pub use reply::{
    CompiledModelReply, CompiledModelStep, ModelFinish, ModelReply, ModelScriptCall, ModelStep,
    ModelTokens, ScriptedTokens,
};
pub use rule::{
    CompiledModelRule, CompiledModelScript, EmbeddingAnswers, ModelApiName, ModelCondition,
    ModelRule, ModelScript, ModelWhen,
};
pub use script_file::{LaneScripts, ScriptFile};
