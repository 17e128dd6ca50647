//! A project: its config with the targets, variables, servers, scripts and redactions in it, and which files are its tests.
//!
//! `locate` finds the config, `read_config` reads it, also partly if it has mistakes, and `discover` walks the folders.
//! `agents` finds a target by its name, its `agentId` or the assistant that a file belongs to.
//!
//! **Invariant:** it knows nothing of the contents of a test file.

mod agent_choice;
mod agents;
mod config;
mod config_file;
mod discover;
mod env_file;
mod judges;
mod launch;
mod locate;
mod model_addresses;
mod models;
mod mutation_gate;
mod own_output;
mod prices;
mod read_config;
mod redactions;
mod run_hooks;
mod run_settings;
mod scripts;
mod servers;
mod targets;
mod tool_servers;
mod unreached_tests;
mod variables;

pub use agent_choice::AgentChoice;
pub(crate) use config::TargetRules;
pub use config::{Config, DEFAULT_TURN_TIMEOUT};
pub use config_file::{CONFIG_NAME, ConfigFile, file_schema};
pub use discover::directories;
pub(crate) use discover::{ProjectFiles, default_specs, discover, is_spec};
pub(crate) use env_file::with_env_files;
pub(crate) use judges::judge_names;
pub use judges::{OTHER_JUDGE, own_judge};
pub(crate) use launch::{LaunchContext, WrittenProgram};
pub(crate) use locate::check_name_of_config;
pub use locate::locate;
pub(crate) use model_addresses::ServedAddresses;
pub use models::TestModelScript;
pub(crate) use models::fill_test_models;
pub use mutation_gate::{HarmlessRule, MutationGate};
pub(crate) use own_output::is_own_output;
pub(crate) use read_config::ReadConfig;
pub use redactions::Redactions;
pub use run_hooks::RunHook;
pub use run_settings::run_policy;
pub(crate) use run_settings::{needs_new_threads, settings_over};
pub(crate) use scripts::{Scripts, script_names};
pub(crate) use servers::server_command;
pub use servers::{Readiness, ServerCommand};
pub(crate) use targets::unknown_target;
pub use targets::{ResolvedTarget, is_default};
pub use variables::Variables;
