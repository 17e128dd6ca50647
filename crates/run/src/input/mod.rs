//! What the user of a test says, and who answers what its rules ask.
//!
//! The turns of the test (`written_turns`) come first. A simulator, a person as long as the agent waits for input
//! (`awaited_input`), a walk (`walk_input`) or a program (`driver_input`) says what comes after them (`test_inputs`). `mocks`
//! execute client-side tools, and so do servers of tools (`tool_servers`); scripts and judges answer what rules ask (`script_oracle`, `judges`, through `helpers`).
//!
//! **Invariant:** what an agent says is never a text of ananke's own: it is quoted, bounded and never interpolated.

mod awaited_input;
mod driver_input;
mod helpers;
mod hosted_tools;
mod judges;
mod mocks;
mod run_helper;
mod script_oracle;
mod simulated_input;
mod simulator;
mod test_inputs;
mod tool_servers;
mod walk_input;
mod written_turns;

pub(crate) use awaited_input::AwaitedInput;
pub(crate) use driver_input::DriverInput;
pub(crate) use helpers::Helpers;
pub(crate) use hosted_tools::HostedTools;
pub(crate) use judges::{Judges, TestOracle};
pub(crate) use mocks::Mocks;
pub use run_helper::RunHelpers;
pub(crate) use script_oracle::ScriptOracle;
pub(crate) use simulated_input::SimulatedInput;
pub(crate) use simulator::Simulator;
pub(crate) use test_inputs::TestInputs;
pub(crate) use tool_servers::{OpenedTools, ServerAccess, ToolServers};
pub(crate) use walk_input::WalkInput;
pub(crate) use written_turns::WrittenTurns;
