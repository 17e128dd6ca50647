//! The rules of an assert block that have keys of their own.
//!
//! **Invariant:** each says what is required, and nothing of how it is evaluated.

mod judge;
mod model_rules;
mod outcome;
mod provenance;
mod snapshot;
mod step;
mod tool_rules;
mod whenever;

pub use judge::{JudgeRule, JudgedText};
pub use model_rules::{
    ModelRules, ModelUsageLimits, MostRequests, OfferedRules, PromptOf, PromptRules, WhichRequests,
};
pub use outcome::{OutcomeIs, OutcomeRule, RunOutcome};
pub use provenance::{
    DetailedSource, Normalisation, ProvenanceRule, SourceName, TracedCall, TracedValues,
    ValueSource,
};
pub use snapshot::{SnapshotOf, SnapshotRule};
pub use step::{
    CallStep, MessageRole, ResultStep, SequenceMode, SequenceRule, SequenceStep, StepKeys,
};
pub use tool_rules::{
    EveryCall, ForbidCalls, Require, RequireEntry, Subagents, ToolRules, WhichCalls,
};
pub use whenever::{AnswerStatus, AnsweredStep, CauseStep, SamePaths, WheneverRule, WithinScope};
