//! Parts of the config that no test has.
//!
//! **Invariant:** they are about a project as a whole, never about one agent.

mod mutation_operator;
mod programs;
mod project_settings;
mod written_model;

pub use mutation_operator::MutationOperator;
pub use programs::{Hook, Ready, ScriptProgram, ScriptRule, Server};
pub use project_settings::{
    EnvFile, EnvFileEntry, HarmlessMutation, ModelPrice, MutationSettings, ProjectLimits,
    QuarantineEntry, RedactEntry, RedactMatch, WrittenPrices,
};
pub use written_model::{
    ModelAnswerSource, ModelIsolation, ModelPace, WrittenModel, WrittenModelEnv,
};
