//! An agent written in YAML and built into the program: rules in, neutral changes out, without a connection.
//!
//! **Invariant:** it advances the clock of its test and never sleeps, so that the same script takes the same time everywhere.

mod agent_steps;
mod config;
mod protocol;
mod rules;
mod script;
mod session;
mod target;

pub use agent_steps::{AgentStep, AgentStepReader, written_agent, written_steps};
pub use config::ScriptedConfig;
pub use script::{CompiledCall, CompiledRule, CompiledStep, Condition};
pub use target::ScriptedTarget;
