//! The agent that requests are passed on to.

use std::sync::Arc;

use url::Url;

use crate::lab_error::LabError;
use ananke_agents::{Capability, Target, types_with};
use ananke_base::context::Context;
use ananke_base::text::any_of;
use ananke_model::variables::Mode;
use ananke_plan::{LoadedFile, Plan, Preparation, PrepareError};

/// An agent that requests are passed on to.
#[derive(Debug)]
pub struct ProxiedAgent {
    /// The URL of the agent.
    pub endpoint: Url,
    /// The target of tests of it.
    pub target: Arc<dyn Target>,
}

/// The agent of the one test of `plan`.
///
/// # Errors
/// If its target cannot be filled, has no endpoint, or reads no requests of clients.
pub fn proxied_agent(context: &Context, plan: &Plan) -> Result<ProxiedAgent, LabError> {
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
    let prepared = match begun.and_then(|mut preparation| preparation.finish()) {
        Ok(prepared) => prepared,
        // The problems quote values of the config, so that their secrets are masked from now on.
        Err(PrepareError::Broken(problems, secrets)) => {
            plan.redactor.add(&secrets);
            return Err(LabError::Broken(problems, plan.redactor.clone()));
        }
        Err(PrepareError::Changed) => {
            let message = "the config changed while it was read";
            return Err(LabError::refused(message, "try again"));
        }
    };
    let name = &entry.test.target;
    let endpoint = match prepared.target.endpoint() {
        Some(endpoint) => endpoint.parse().ok(),
        None => None,
    };
    let Some(endpoint) = endpoint else {
        let message = format!("the target `{name}` has no endpoint to pass requests on to");
        let help = "name a target with an `endpoint`: `--target NAME`";
        return Err(LabError::refused(message, help));
    };
    // A target may have an endpoint and still no reader of requests. It is refused before the proxy listens, because what passed would
    // be lost otherwise.
    if let Some(target) = plan.config.target(name)
        && !target.model.capabilities().has(Capability::PassingRequests)
    {
        let mut readable = Vec::new();
        for name in types_with(Capability::PassingRequests) {
            readable.push(format!("`{name}`"));
        }
        let message = format!(
            "what passes to the target `{name}`, {}, cannot be written as tests: only requests to a target of the type {} are read",
            target.model.describe(),
            any_of(&readable)
        );
        let help = "record a run of tests instead: `ananke run --record DIR`";
        return Err(LabError::refused(message, help));
    }
    Ok(ProxiedAgent {
        endpoint,
        target: prepared.target,
    })
}
