//! The hooks of a test, one after the other: each sees what those before it gave.

use serde_json::{Map, Value};

use crate::hook;
use crate::outcome::{ErrorKind, Problem};
use crate::plan::Preparation;
use crate::recording::Tape;
use crate::redact::Redactor;

use super::Run;
use super::attempt::{Halt, broken, unprepared_problem};

/// Runs every hook and hands what it gave to `preparation`; stops at the first that does not do its work (SPEC 3).
/// What it gave and a header will carry is learnt as a secret before anything more is told.
pub(super) async fn run_hooks(
    shared: &Run,
    tape: &Tape,
    redactor: &Redactor,
    preparation: &mut Preparation<'_>,
) -> Result<(), Halt> {
    if preparation.hooks() == 0 {
        return Ok(());
    }
    let learn = |preparation: &Preparation<'_>| {
        let secrets = preparation.secrets();
        redactor.add(&secrets);
        tape.learn(&secrets, redactor);
    };
    learn(preparation);
    for index in 0..preparation.hooks() {
        let gave = match tape.player() {
            Some(player) => player.hook(index + 1).map_err(broken)?.map_err(Halt::Broken),
            None => run_hook(shared, redactor, preparation, index).await,
        };
        match &gave {
            Ok(values) => tape.hook_gave(Ok(values)),
            Err(Halt::Broken(problem)) => tape.hook_gave(Err(problem)),
            Err(Halt::Stopped) => {}
        }
        preparation.define(gave?);
        learn(preparation);
    }
    Ok(())
}

async fn run_hook(
    shared: &Run,
    redactor: &Redactor,
    preparation: &Preparation<'_>,
    index: usize,
) -> Result<Map<String, Value>, Halt> {
    let filled = preparation.hook(index).map_err(|unprepared| unprepared_problem(redactor, unprepared))?;
    let Some(command) = filled else { return Ok(Map::new()) };
    hook::run(&command, shared.stopper.token()).await.map_err(|error| {
        if error.is_stopped() {
            return Halt::Stopped;
        }
        let (message, help) = (error.to_string(), error.help());
        Halt::Broken(Problem { kind: ErrorKind::Hook, message, help })
    })
}
