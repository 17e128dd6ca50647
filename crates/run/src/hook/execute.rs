//! Runs hooks and scripts, and reads what they print.

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::answer::ScriptRequest;
use super::error::{FailureCause, ProgramError};
use super::output::variables;
use super::pipes::SHOWN_LINES;
use super::process::RunningProgram;
use super::unread_output::UnreadOutput;
use ananke_plan::compile::HookCommand;

/// Runs a hook and reads the variables it gives.
///
/// # Errors
/// If it cannot be started, fails or times out, or prints anything but one JSON object whose keys are names of variables.
pub async fn run(
    command: &HookCommand,
    cancel: &CancellationToken,
) -> Result<Map<String, Value>, ProgramError> {
    let failed = |cause, errors| ProgramError::of_hook(command, cause, errors);
    let running = RunningProgram::start(&command.launch, None)
        .map_err(|error| failed(error.into(), String::new()))?;
    let finished = running.finish(command.launch.timeout, cancel).await;
    let read = |shown: &[u8]| match finished.failure_cause(shown) {
        None if !command.role.gives_variables() => Ok(Map::new()),
        None => variables(&finished.output, shown).map_err(FailureCause::Output),
        Some(cause) => Err(cause),
    };
    if let Ok(gave) = read(&finished.output) {
        return Ok(gave);
    }
    let unread = UnreadOutput::of(&finished.output);
    let read = read(&unread.shown);
    let errors = unread.errors(finished.errors).last_lines(SHOWN_LINES);
    read.map_err(|cause| failed(cause, errors).with_output(unread.gave))
}

/// Sends a script its request and reads its answer, which has the expected form.
///
/// # Errors
/// If it cannot be started, fails or times out, or prints anything else.
pub async fn ask(
    request: ScriptRequest<'_>,
    cancel: &CancellationToken,
) -> Result<Value, ProgramError> {
    let failed = |cause, errors| ProgramError::of_script(request, cause, errors);
    let input = request.body.to_string().into_bytes();
    let running = RunningProgram::start(request.launch, Some(input))
        .map_err(|error| failed(error.into(), String::new()))?;
    let finished = running.finish(request.launch.timeout, cancel).await;
    let read = match finished.failure_cause(&finished.output) {
        None => request
            .expected
            .read(&finished.output)
            .map_err(FailureCause::Output),
        Some(cause) => Err(cause),
    };
    read.map_err(|cause| failed(cause, finished.errors.last_lines(SHOWN_LINES)))
}
