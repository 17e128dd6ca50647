//! Commands that prepare a test: started without a shell, bounded in time and output, read as JSON (SPEC 3).
//!
//! [`run`] takes a filled [`HookCommand`] and gives variables, or a [`HookError`] that says what went wrong. When it
//! returns, no process of the hook's group is left.

mod error;
mod output;
mod process;
mod streams;

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::plan::HookCommand;

pub use error::HookError;
use error::Trouble;
use process::Running;
use streams::TOLD_LINES;

/// Runs a hook and reads the variables it gives.
///
/// # Errors
/// Where it cannot be started, does not end well or in time, or prints something else than one JSON object with names
/// of variables as keys.
pub async fn run(command: &HookCommand, cancel: &CancellationToken) -> Result<Map<String, Value>, HookError> {
    let failed = |trouble, errors| HookError::new(command, trouble, errors);
    let running = Running::start(command).map_err(|error| failed(error.into(), String::new()))?;
    let mut finished = running.finish(command.timeout, cancel).await;
    let read = match finished.trouble() {
        None if command.is_teardown => Ok(Map::new()),
        None => output::variables(&finished.output).map_err(Trouble::Output),
        Some(trouble) => Err(trouble),
    };
    read.map_err(|trouble| failed(trouble, finished.errors.last_lines(TOLD_LINES)))
}
