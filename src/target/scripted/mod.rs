//! An agent written in YAML and built into the program: neutral changes without a wire, in virtual time.

mod compile;
mod config;
mod protocol;
mod rules;
mod script;
mod session;
mod target;

pub use config::ScriptedConfig;
pub use script::{CompiledRule, CompiledStep, Condition};
pub use target::ScriptedTarget;
