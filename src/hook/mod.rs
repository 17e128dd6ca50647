//! Commands that prepare a test: started without a shell, bounded in time and output, read as JSON (SPEC 3).
//!
//! [`run`] takes a filled [`HookCommand`] and gives variables, or a [`HookError`] that says what went wrong. When it
//! returns, no process of the hook's group is left.

mod error;
#[cfg_attr(unix, path = "group_unix.rs")]
#[cfg_attr(not(unix), path = "group_other.rs")]
mod group;
mod output;
mod process;
mod start;
mod streams;

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::plan::HookCommand;

pub use error::HookError;
use error::Trouble;

/// Runs a hook and reads the variables it gives.
///
/// # Errors
/// Where it cannot be started, does not end well or in time, or prints something else than one JSON object with names
/// of variables as keys.
pub async fn run(command: &HookCommand, cancel: &CancellationToken) -> Result<Map<String, Value>, HookError> {
    let failed = |trouble, errors| HookError::new(command, trouble, errors);
    let process = start::start(command).map_err(|trouble| failed(trouble, String::new()))?;
    let finished = process.finish(command.timeout, cancel).await;
    let read = match finished.trouble() {
        None if command.is_teardown => Ok(Map::new()),
        None => output::variables(&finished.output).map_err(Trouble::Output),
        Some(trouble) => Err(trouble),
    };
    read.map_err(|trouble| failed(trouble, finished.errors.last_lines()))
}
