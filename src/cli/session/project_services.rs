//! The services that configs start in addition to tests: their servers and `setup`, once for all tests of a client.

use std::path::{Path, PathBuf};

use ananke::diagnostic::{Diagnostic, Severity};
use ananke::run::{ProjectHooks, SetupError};
use ananke::server::{ServerStartError, ServerWatch, Servers};
use ananke::{context::Context, plan::Plan, redact::Redactor, report::terminal::last_words};
use indexmap::IndexMap;
use serde_json::{Map, Value};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use super::session_error::{SessionError, SessionErrorCode};

/// The services that configs have started.
#[derive(Default)]
pub(super) struct ProjectServices(Mutex<IndexMap<PathBuf, StartedServices>>);

/// The services that one config has started.
struct StartedServices {
    servers: Servers,
    hooks: ProjectHooks,
    /// The variables that `setup` gave.
    setup: Map<String, Value>,
}

impl ProjectServices {
    /// Starts the servers of `plan` and runs `setup`, unless that was done before; its variables are known to the plan from then
    /// on.
    ///
    /// # Errors
    /// If one of them fails, or the tests are cancelled: then nothing is left running.
    pub(super) async fn start(
        &self,
        plan: &mut Plan,
        context: &Context,
        cancel: &CancellationToken,
        redactor: &Redactor,
    ) -> Result<ServerWatch, SessionError> {
        let mut started = self.0.lock().await;
        let config = plan.config.source.path.clone();
        if !started.contains_key(&config) {
            let services = StartedServices::start(plan, context, cancel, redactor).await?;
            started.insert(config.clone(), services);
        }
        let Some(services) = started.get(&config) else {
            return Ok(ServerWatch::default());
        };
        plan.variables.setup.clone_from(&services.setup);
        plan.variables.awaits_setup = false;
        Ok(services.servers.watch())
    }

    /// Runs `teardown` of a config and ends its servers; of all configs, if none is named.
    ///
    /// # Errors
    /// If a command of `teardown` cannot be started.
    pub(super) async fn stop(&self, config: Option<&Path>) -> Result<(), SessionError> {
        let mut started = self.0.lock().await;
        let ended: Vec<StartedServices> = match config {
            Some(config) => started.shift_remove(config).into_iter().collect(),
            None => started.drain(..).map(|(_, services)| services).collect(),
        };
        drop(started);
        let mut problems = Vec::new();
        for services in ended {
            problems.extend(services.hooks.tear_down().await);
            services.servers.stop().await;
        }
        if problems
            .iter()
            .any(|problem| problem.severity == Severity::Error)
        {
            return Err(failed(&problems, "", &Redactor::default()));
        }
        Ok(())
    }
}

impl StartedServices {
    async fn start(
        plan: &mut Plan,
        context: &Context,
        cancel: &CancellationToken,
        redactor: &Redactor,
    ) -> Result<Self, SessionError> {
        let cancelled = || {
            SessionError::new(
                SessionErrorCode::Cancelled,
                "the tests were cancelled before they began",
            )
        };
        let servers = std::mem::take(&mut plan.servers);
        let servers = match Servers::start(&servers, cancel, |_| {}).await {
            Ok(servers) => servers,
            Err(ServerStartError::Stopped) => return Err(cancelled()),
            Err(ServerStartError::Broken(error)) => {
                return Err(failed(&[error.problem], &error.printed, redactor));
            }
        };
        let mut hooks = ProjectHooks::new(plan, context);
        match hooks.set_up(cancel, &|_| {}).await {
            Ok(variables) => Ok(Self {
                servers,
                hooks,
                setup: variables.setup,
            }),
            Err(error) => {
                let torn_down = hooks.tear_down().await;
                servers.stop().await;
                Err(match error {
                    SetupError::Stopped => cancelled(),
                    SetupError::Failed(mut problems) => {
                        problems.extend(torn_down);
                        failed(&problems, "", redactor)
                    }
                })
            }
        }
    }
}

/// The reason that no test can run, with the last output of a program.
fn failed(problems: &[Diagnostic], printed: &str, redactor: &Redactor) -> SessionError {
    let SessionError { message, .. } = SessionError::of_problems(problems);
    let message = match last_words(printed, None) {
        words if words.is_empty() => message,
        words => format!("{message}\n{words}"),
    };
    SessionError::new(SessionErrorCode::Project, redactor.text(&message))
}
