//! The hooks of a test, one after the other: each sees what those before it gave.

use std::sync::{Mutex, PoisonError};

use serde_json::{Map, Value};

use crate::compile::HookCommand;
use crate::engine::Halt;
use crate::hook;
use crate::outcome::{ErrorKind, Problem};
use crate::plan::Preparation;
use crate::recording::Tape;
use crate::redact::Redactor;

use super::Run;
use super::attempt::{broken, unprepared_problem};

/// Runs every hook and hands what it gave to `preparation`; stops at the first that does not do its work (SPEC 3).
/// What it gave and a header will carry is learnt as a secret before anything more is told.
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
            player.hook(index + 1).map_err(broken)?.map_err(Halt::Broken)
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
