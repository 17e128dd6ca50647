//! The hooks of a test, one after the other: each gets the variables of those before it.

use std::sync::Mutex;

use serde_json::{Map, Value};

use crate::context::{Case, TestStep};
use crate::hook;
use ananke_base::context::lock;
use ananke_plan::Preparation;
use ananke_recording::AttemptEnvironment;
use ananke_trace::outcome::Halt;

/// Runs every hook and adds its variables to `preparation`; stops at the first that fails (SPEC 3). Variables that a
/// header will contain are masked as secrets before anything more is reported.
pub(crate) async fn run_hooks(
    case: &Case,
    environment: &AttemptEnvironment,
    preparation: &Mutex<Preparation>,
) -> Result<(), Halt> {
    // Without hooks, secrets are masked when all variables are known, which is soon.
    let hooks = lock(preparation).hooks();
    if hooks > 0 {
        environment.add_secrets(&lock(preparation).secrets());
    }
    for index in 0..hooks {
        let run = run_hook(case, environment, preparation, index);
        let variables = environment.hook(index + 1, run).await?;
        lock(preparation).define(variables);
        environment.add_secrets(&lock(preparation).secrets());
    }
    Ok(())
}

/// Runs the hook at `index`, if there is one. If it fails, what it would have given is masked as if it had succeeded.
async fn run_hook(
    case: &Case,
    environment: &AttemptEnvironment,
    preparation: &Mutex<Preparation>,
    index: usize,
) -> Result<Map<String, Value>, Halt> {
    let command = lock(preparation).hook(index);
    let Some(mut command) = command.map_err(|error| case.unprepared(error))? else {
        return Ok(Map::new());
    };
    case.warn(std::mem::take(&mut command.warnings));
    let who = format!("hook {}", index + 1);
    case.warn(command.launch.leave_out_unusable(&who));

    // The hook may take its own timeout, but never longer than is left for the attempt.
    case.watchdog
        .begin(TestStep::Hook(index + 1), command.launch.timeout)?;
    let run = async {
        let ended = hook::run(&command, case.shared.stopper.token()).await;
        ended.map_err(|error| {
            let secrets = lock(preparation).secrets_with(error.gave());
            environment.add_secrets(&secrets);
            error.into()
        })
    };
    case.watchdog.within(run).await
}
