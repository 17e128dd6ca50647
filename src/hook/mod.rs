//! Programs of the project: hooks that prepare a test, and scripts that are asked. They are started without a shell,
//! bounded in time and output, and read as JSON (SPEC 3, 7.5).
//!
//! [`run`] takes a filled [`HookCommand`] and gives variables, [`ask`] takes what a script is [`Asked`] and gives its
//! answer, or a [`ProgramError`] says what went wrong. When they return, no process of the program's group is left.

mod answer;
mod error;
mod output;
mod process;
mod streams;

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::assertion::Program;
use crate::compile::HookCommand;
use crate::project::Launch;

pub use answer::Expected;
pub use error::ProgramError;
use error::Trouble;
use process::Running;
use streams::TOLD_LINES;

/// What is asked of a script.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// Which one, as people call it.
    pub program: &'a Program,
    /// What is started.
    pub launch: &'a Launch,
    /// What it gets on its stdin.
    pub request: &'a Value,
    /// What it is to answer.
    pub expected: Expected,
}

/// Runs a hook and reads the variables it gives.
///
/// # Errors
/// Where it cannot be started, does not end well or in time, or prints something else than one JSON object with names
/// of variables as keys.
pub async fn run(
    command: &HookCommand,
    cancel: &CancellationToken,
) -> Result<Map<String, Value>, ProgramError> {
    let failed = |trouble, errors| ProgramError::of_hook(command, trouble, errors);
    let running =
        Running::start(&command.launch, None).map_err(|error| failed(error.into(), String::new()))?;
    let finished = running.finish(command.launch.timeout, cancel).await;
    let read = match finished.trouble() {
        None if command.is_teardown => Ok(Map::new()),
        None => output::variables(&finished.output).map_err(Trouble::Output),
        Some(trouble) => Err(trouble),
    };
    read.map_err(|trouble| failed(trouble, finished.errors.last_lines(TOLD_LINES)))
}

/// Asks a script, and reads an answer of the shape that is expected.
///
/// # Errors
/// Where it cannot be started, does not end well or in time, or prints something else.
pub async fn ask(asked: Asked<'_>, cancel: &CancellationToken) -> Result<Value, ProgramError> {
    let failed = |trouble, errors| ProgramError::of_script(asked, trouble, errors);
    let input = asked.request.to_string().into_bytes();
    let running =
        Running::start(asked.launch, Some(input)).map_err(|error| failed(error.into(), String::new()))?;
    let finished = running.finish(asked.launch.timeout, cancel).await;
    let read = match finished.trouble() {
        None => asked.expected.read(&finished.output).map_err(Trouble::Output),
        Some(trouble) => Err(trouble),
    };
    read.map_err(|trouble| failed(trouble, finished.errors.last_lines(TOLD_LINES)))
}
