//! The hooks of a test, one after the other: each sees what those before it gave.

use crate::hook;
use crate::outcome::{ErrorKind, Problem};
use crate::plan::Preparation;

use super::Run;
use super::case::{Halt, learn, unprepared_problem};

/// Runs every hook and hands what it gave to `preparation`; stops at the first that does not do its work (SPEC 3).
/// What it gave and a header will carry is learnt as a secret before anything more is told.
pub(super) async fn run_hooks(shared: &Run, preparation: &mut Preparation<'_>) -> Result<(), Halt> {
    if preparation.hooks() == 0 {
        return Ok(());
    }
    learn(shared, &preparation.secrets());
    for index in 0..preparation.hooks() {
        let filled = preparation.hook(index).map_err(|unprepared| unprepared_problem(shared, unprepared))?;
        let Some(command) = filled else { break };
        let values = hook::run(&command, shared.stopper.token()).await.map_err(|error| {
            if error.is_stopped() {
                return Halt::Stopped;
            }
            let (message, help) = (error.to_string(), error.help());
            Halt::Broken(Problem { kind: ErrorKind::Hook, message, help })
        })?;
        preparation.define(values);
        learn(shared, &preparation.secrets());
    }
    Ok(())
}
