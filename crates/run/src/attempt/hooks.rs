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
    let known = || lock(preparation);
    let hooks = known().hooks();
    if hooks > 0 {
        environment.add_secrets(&known().secrets());
    }
    for index in 0..hooks {
        let gave = environment
            .hook(index + 1, run_hook(case, environment, preparation, index))
            .await?;
        known().define(gave);
        environment.add_secrets(&known().secrets());
    }
    Ok(())
}

/// Runs one hook. If it fails, what it would have given is masked as if it had succeeded.
async fn run_hook(
    case: &Case,
    environment: &AttemptEnvironment,
    preparation: &Mutex<Preparation>,
    index: usize,
) -> Result<Map<String, Value>, Halt> {
    let command = lock(preparation).hook(index);
    match command.map_err(|error| case.unprepared(error))? {
        Some(mut command) => {
            case.warn(std::mem::take(&mut command.warnings));
            case.warn(
                command
                    .launch
                    .leave_out_unusable(&format!("hook {}", index + 1)),
            );
            case.watchdog
                .begin(TestStep::Hook(index + 1), command.launch.timeout)?;
            let run = async {
                hook::run(&command, case.shared.stopper.token())
                    .await
                    .map_err(|error| {
                        let known = lock(preparation);
                        environment.add_secrets(&known.secrets_with(error.gave()));
                        error.into()
                    })
            };
            case.watchdog.within(run).await
        }
        None => Ok(Map::new()),
    }
}
