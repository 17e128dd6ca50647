//! Runs the config's `setup` and `teardown`: once each, before the first test and after the last.
//!
//! Flows in: a plan. Flows out: the variables that every test knows. **Invariant:** teardown runs whatever became of the
//! setup and of the tests; what `setup` gave is masked as far as headers carry it, before anything of it is reported.

use std::sync::Arc;

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::hook::{self, ProgramError};
use ananke_base::context::Context;
use ananke_base::diagnostic::{Code, Diagnostic, Severity, Span};
use ananke_model::model::Hook;
use ananke_plan::compile::{HookCommand, HookRole, feeds_headers};
use ananke_plan::project::{Config, RunHook, Variables};
use ananke_plan::{Plan, secrets_of};
use ananke_trace::redact::Redactor;

/// The commands of a config that run once.
pub struct ProjectHooks {
    context: Context,
    config: Arc<Config>,
    variables: Variables,
    redactor: Redactor,
}

/// The reason that no test can start.
#[derive(Debug)]
pub enum SetupError {
    /// The run was stopped meanwhile.
    Stopped,
    /// A command failed: what is wrong.
    Failed(Vec<Diagnostic>),
}

impl ProjectHooks {
    /// The commands of the config of `plan`.
    pub fn new(plan: &Plan, context: &Context) -> Self {
        Self {
            context: context.clone(),
            config: Arc::clone(&plan.config),
            variables: plan.variables.clone(),
            redactor: plan.redactor.clone(),
        }
    }

    /// Runs the commands of `setup` one after the other, and returns all variables that are defined then. `show` is called with
    /// the name of each command before it starts, and with each warning.
    ///
    /// # Errors
    /// If one fails, or the run is stopped.
    pub async fn set_up(
        &mut self,
        cancel: &CancellationToken,
        show: &(dyn Fn(SetupStep<'_>) + Sync),
    ) -> Result<Variables, SetupError> {
        let config = Arc::clone(&self.config);
        for (index, written) in config.setup(&self.variables).iter().enumerate() {
            // A command may use variables of the commands before it, so it is filled only now.
            let (mut command, span) = self
                .fill_command(written, index, HookRole::RunSetup)
                .map_err(SetupError::Failed)?;
            let name = format!("setup {}", index + 1);
            show(SetupStep::Started(&name));
            // Environment variables that no system passes to a program are removed, each with a warning.
            for warning in command.launch.leave_out_unusable(&name) {
                show(SetupStep::Warning(&warning));
            }
            match hook::run(&command, cancel).await {
                Ok(variables) => self.define(variables),
                // A command that is stopped has an error, too, but the stop is the reason.
                Err(_) if cancel.is_cancelled() => return Err(SetupError::Stopped),
                Err(error) => {
                    // A command that fails may have printed variables. They are masked as if it had succeeded, and the teardown
                    // may use them.
                    self.define(error.gave().clone());
                    return Err(SetupError::Failed(vec![config.at(problem(&error), span)]));
                }
            }
        }
        // From here on, a variable that is not defined is an error: no command can define it any more.
        self.variables.awaits_setup = false;
        Ok(self.variables.clone())
    }

    /// Runs every command of `teardown`, also if the run is stopping. Returns a warning for each that failed, and an error
    /// for each that could not be started.
    pub async fn tear_down(&self) -> Vec<Diagnostic> {
        // A stop of the run must not end a command that cleans up, so it gets a token that is never cancelled. A second interrupt
        // ends this program, and kills the process of the command.
        let never_cancelled = CancellationToken::new();
        let mut problems = Vec::new();
        for (index, written) in self.config.teardown(&self.variables).iter().enumerate() {
            // One command that cannot be filled does not keep the others from cleaning up.
            let filled = self.fill_command(written, index, HookRole::RunTeardown);
            let (mut command, span) = match filled {
                Ok(command) => command,
                Err(errors) => {
                    problems.extend(errors);
                    continue;
                }
            };
            let name = format!("{} {}", HookRole::RunTeardown.as_str(), index + 1);
            // Environment variables that no system passes to a program are removed, each with a warning.
            for warning in command.launch.leave_out_unusable(&name) {
                problems.push(Diagnostic::warning(Code::Setup, warning));
            }
            if let Err(error) = hook::run(&command, &never_cancelled).await {
                // A command that ran may have cleaned up all the same, so its error is a warning; one that was not started has
                // not.
                let mut problem = problem(&error);
                if !error.is_not_started() {
                    problem.severity = Severity::Warning;
                }
                problems.push(self.config.at(problem, span));
            }
        }
        problems
    }

    /// The command `written` in the config, filled with the variables that are defined by now, and its place in the file. `index`
    /// is its index among the commands of `role`, counted from 0.
    fn fill_command(
        &self,
        written: &Hook,
        index: usize,
        role: HookRole,
    ) -> Result<(HookCommand, Span), Vec<Diagnostic>> {
        let config = &self.config;
        let RunHook { launch, span } = config.run_hook(written, &self.context, &self.variables)?;
        // Headers carry secrets. If a target fills headers with variables, the output of a hook may contain such a secret, and
        // errors must not quote it.
        let mut targets = config.targets.iter();
        let may_be_quoted = !targets.any(|target| feeds_headers(&target.model));
        let command = HookCommand {
            number: index + 1,
            launch,
            role,
            may_be_quoted,
            warnings: Vec::new(),
        };
        Ok((command, span))
    }

    /// Takes over what a command gave, and masks what is secret of it. What the command line gives stays.
    fn define(&mut self, mut variables: Map<String, Value>) {
        variables.retain(|name, _| !self.variables.given.contains_key(name));
        self.variables.setup.extend(variables);
        let scope = self.variables.scope(&self.context);
        self.redactor
            .add(secrets_of(&self.config, &self.config.targets, &scope));
    }
}

/// The steps of `setup` while it runs.
#[derive(Clone, Copy, Debug)]
pub enum SetupStep<'a> {
    /// A command starts.
    Started(&'a str),
    /// Something is odd.
    Warning(&'a str),
}

fn problem(error: &ProgramError) -> Diagnostic {
    let problem = Diagnostic::error(Code::Setup, error.to_string());
    match error.help() {
        Some(help) => problem.help(help),
        None => problem,
    }
}
