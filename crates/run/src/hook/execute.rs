//! Runs hooks and scripts, and reads what they print.

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::answer::ScriptRequest;
use super::error::{FailureCause, ProgramError};
use super::output::variables;
use super::pipes::SHOWN_LINES;
use super::process::{Finished, RunningProgram};
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
    let running = match RunningProgram::start(&command.launch, None) {
        Ok(running) => running,
        Err(error) => {
            // A hook that was not started has no stderr to show.
            return Err(ProgramError::of_hook(command, error.into(), String::new()));
        }
    };
    let finished = running.finish(command.launch.timeout, cancel).await;
    if let Ok(variables) = read_variables(command, &finished, &finished.output) {
        return Ok(variables);
    }

    // A hook that fails has printed values that may be secrets and are not known yet. So the error is made in a second reading,
    // which quotes only the part that may be shown, and stderr is masked likewise. The second reading fails like the first one.
    let unread = UnreadOutput::of(&finished.output);
    let second_reading = read_variables(command, &finished, &unread.shown);
    let errors = unread.errors(finished.errors).last_lines(SHOWN_LINES);
    // The error has `unread.gave`, the variables that the hook would have given, so that the caller masks them from now on.
    second_reading
        .map_err(|cause| ProgramError::of_hook(command, cause, errors).with_output(unread.gave))
}

/// The variables that a finished hook gives. An error quotes `shown`, the part of its output without secrets.
fn read_variables(
    command: &HookCommand,
    finished: &Finished,
    shown: &[u8],
) -> Result<Map<String, Value>, FailureCause> {
    if let Some(cause) = finished.failure_cause(shown) {
        return Err(cause);
    }
    // The output of a teardown is for people and is not read: no test is left that could use a variable.
    if !command.role.gives_variables() {
        return Ok(Map::new());
    }
    variables(&finished.output, shown).map_err(FailureCause::Output)
}

/// Sends a script its request and reads its answer, which has the expected form.
///
/// # Errors
/// If it cannot be started, fails or times out, or prints anything else.
pub async fn ask(
    request: ScriptRequest<'_>,
    cancel: &CancellationToken,
) -> Result<Value, ProgramError> {
    let input = request.body.to_string().into_bytes();
    let running = match RunningProgram::start(request.launch, Some(input)) {
        Ok(running) => running,
        Err(error) => {
            // A script that was not started has no stderr to show.
            return Err(ProgramError::of_script(
                request,
                error.into(),
                String::new(),
            ));
        }
    };
    let finished = running.finish(request.launch.timeout, cancel).await;
    // An error may quote all of the output: only variables can be secrets that are not known yet, and a script gives none.
    let cause = match finished.failure_cause(&finished.output) {
        Some(cause) => cause,
        None => match request.expected.read(&finished.output) {
            Ok(answer) => return Ok(answer),
            Err(error) => FailureCause::Output(error),
        },
    };
    let errors = finished.errors.last_lines(SHOWN_LINES);
    Err(ProgramError::of_script(request, cause, errors))
}
