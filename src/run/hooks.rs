//! The hooks of a test, one after the other: each gets the variables of those before it.

use std::sync::{Mutex, PoisonError};

use serde_json::{Map, Value};

use crate::compile::HookCommand;
use crate::engine::Halt;
use crate::hook;
use crate::outcome::{ErrorKind, Problem};
use crate::plan::Preparation;
use crate::recording::Tape;
use crate::redact::Redactor;

use super::problems::{recording_problem, unprepared_problem};
use super::shared::Run;

/// Runs every hook and adds its variables to `preparation`; stops at the first that fails (SPEC 3). Variables that a
/// header will contain are masked as secrets before anything more is reported.
pub(super) async fn run_hooks(
    shared: &Run,
    tape: &Tape,
    redactor: &Redactor,
    preparation: &Mutex<Preparation<'_>>,
) -> Result<(), Halt> {
    let known = || preparation.lock().unwrap_or_else(PoisonError::into_inner);
    let hooks = known().hooks();
    if hooks == 0 {
        return Ok(());
    }
    let learn = || {
        let secrets = known().secrets();
        redactor.add(&secrets);
        tape.learn(&secrets, redactor);
    };
    learn();
    for index in 0..hooks {
        let gave = if let Some(player) = tape.player() {
            player.hook(index + 1).map_err(recording_problem)?.map_err(Halt::Broken)
        } else {
            let command = known().hook(index);
            match command {
                Ok(command) => run_hook(shared, command).await,
                Err(error) => Err(unprepared_problem(redactor, error).into()),
            }
        };
        match &gave {
            Ok(values) => tape.hook_gave(Ok(values)),
            Err(Halt::Broken(problem)) => tape.hook_gave(Err(problem)),
            Err(Halt::Stopped) => {}
        }
        known().define(gave?);
        learn();
    }
    Ok(())
}

async fn run_hook(shared: &Run, command: Option<HookCommand>) -> Result<Map<String, Value>, Halt> {
    let Some(command) = command else { return Ok(Map::new()) };
    hook::run(&command, shared.stopper.token()).await.map_err(|error| {
        if error.is_stopped() {
            return Halt::Stopped;
        }
        let (message, help) = (error.to_string(), error.help());
        Halt::Broken(Problem { kind: ErrorKind::Hook, message, help })
    })
}
