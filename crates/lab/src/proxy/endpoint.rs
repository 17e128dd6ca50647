//! The endpoint of a test's agent.

use std::sync::Arc;

use url::Url;

use crate::lab_error::LabError;
use ananke_agents::served_protocols;
use ananke_base::context::Context;
use ananke_base::text::any_of;
use ananke_model::variables::Mode;
use ananke_plan::{LoadedFile, Plan, Preparation, PrepareError};

/// The endpoint of the agent of the one test of `plan`.
///
/// # Errors
/// If its target cannot be filled, or has no endpoint.
pub fn endpoint(context: &Context, plan: &Plan) -> Result<Url, LabError> {
    let context = Context {
        environment: Arc::clone(&plan.environment),
        ..context.clone()
    };
    let shared = Arc::new(plan.clone());
    let Some(entry) = shared.cases.first() else {
        return Err(LabError::refused(
            "there is no test",
            "name a target of the config",
        ));
    };
    let file = LoadedFile::of_case(&context, entry).and_then(|file| file.test_of(entry));
    let setup = plan.variables.setup.clone();
    let begun =
        file.and_then(|test| Preparation::begin(&context, &shared, entry, test, Mode::Send, setup));
    let prepared = begun
        .and_then(|mut preparation| preparation.finish())
        .map_err(|error| match error {
            PrepareError::Broken(problems, secrets) => {
                plan.redactor.add(&secrets);
                LabError::Broken(problems, plan.redactor.clone())
            }
            PrepareError::Changed => {
                LabError::refused("the config changed while it was read", "try again")
            }
        })?;
    let endpoint = prepared
        .target
        .endpoint()
        .and_then(|endpoint| endpoint.parse().ok());
    let endpoint = endpoint.ok_or_else(|| {
        let message = format!(
            "the target `{}` has no endpoint to pass requests on to",
            entry.test.target
        );
        LabError::refused(message, "name a target with an `endpoint`: `--target NAME`")
    })?;
    let name = &entry.test.target;
    if let Some(target) = plan.config.target(name)
        && !target.model.has_readable_requests()
    {
        let mut readable = Vec::new();
        for protocol in served_protocols() {
            readable.push(protocol.name());
        }
        let message = format!(
            "what passes to the target `{name}`, {}, cannot be written as tests: only requests of {} are read",
            target.model.describe(),
            any_of(&readable)
        );
        let help = "record a run of tests instead: `ananke run --record DIR`";
        return Err(LabError::refused(message, help));
    }
    Ok(endpoint)
}
