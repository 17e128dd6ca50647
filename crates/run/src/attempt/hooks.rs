//! The hooks of a test, one after the other: each gets the variables of those before it.

use std::sync::Mutex;

use serde_json::{Map, Value};

use crate::context::{Case, TestStep};
use crate::hook;
use ananke_base::context::lock;
use ananke_plan::Preparation;
use ananke_recording::AttemptEnvironment;
use ananke_trace::outcome::Halt;

/// Runs every hook in order and adds its variables to `preparation`; stops at the first that fails (SPEC 3). Variables that a
/// header will contain are secrets, and are masked before anything more is reported.
pub(crate) async fn run_hooks(
    case: &Case,
    environment: &AttemptEnvironment,
    preparation: &Mutex<Preparation>,
) -> Result<(), Halt> {
    // A failing hook is reported with what it printed, so the secrets that are known by now are masked first. Without hooks
    // nothing can be reported until the caller has filled all variables and masks all secrets.
    let hook_count = lock(preparation).hooks();
    if hook_count > 0 {
        environment.add_secrets(&lock(preparation).secrets());
    }
    for index in 0..hook_count {
        // A replay returns the recorded variables of the hook and never polls `run`. Recordings count hooks from 1.
        let run = run_hook(case, environment, preparation, index);
        let variables = environment.hook(index + 1, run).await?;
        lock(preparation).define(variables);
        // The new variables may be the first from which a header can be filled.
        environment.add_secrets(&lock(preparation).secrets());
    }
    Ok(())
}

/// Runs the hook at `index`, counted from 0, and returns its variables; none if there is no such hook. A hook that fails may
/// print variables all the same: they are masked as if it had succeeded.
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
    // Environment variables that no system passes to a program are removed, each with a warning.
    let shown_name = format!("hook {}", index + 1);
    case.warn(command.launch.leave_out_unusable(&shown_name));

    // `hook::run` enforces the timeout of the hook; `within` ends it earlier if the attempt has less time left.
    case.watchdog
        .begin(TestStep::Hook(index + 1), command.launch.timeout)?;
    let run = async {
        let result = hook::run(&command, case.shared.stopper.token()).await;
        result.map_err(|error| {
            let secrets = lock(preparation).secrets_with(error.gave());
            environment.add_secrets(&secrets);
            error.into()
        })
    };
    case.watchdog.within(run).await
}
