//! An agent written in YAML and built into the program: neutral changes without a wire, in virtual time.

mod agent_steps;
mod compile;
mod config;
mod protocol;
mod rules;
mod script;
mod session;
mod target;

pub use agent_steps::{AgentStep, AgentStepReader, written_agent, written_steps};
pub use config::ScriptedConfig;
pub use script::{CompiledRule, CompiledStep, Condition};
pub use target::ScriptedTarget;
