//! A helper of a test that is ready to be asked.

use std::sync::Arc;
use std::time::Duration;

use super::preparation::Preparation;
use crate::compile::CompiledClientTools;
use crate::loaded::{FilledTarget, PrepareError, of_older_versions};
use crate::plan::Plan;
use crate::project::{Config, DEFAULT_TURN_TIMEOUT, LaunchContext};
use ananke_agents::{Target, TargetPace, ToolTurns};
use ananke_base::context::Context;
use ananke_base::diagnostic::Diagnostic;
use ananke_model::variables::{Interpolation, Mode, Scope, Secret};
use ananke_rules::ScriptSource;
use ananke_trace::process::Launch;

/// A helper of a test that is ready to be asked.
#[derive(Clone, Debug)]
pub struct PreparedHelper {
    /// The target.
    pub target: Arc<dyn Target>,
    /// Its client-side tools.
    pub client_tools: CompiledClientTools,
    /// The turns by which a client lists and calls its tools, if its protocol has them.
    pub tool_turns: Option<ToolTurns>,
    /// The rate at which it may be asked.
    pub pace: TargetPace,
    /// The time that one answer may take.
    pub timeout: Duration,
    /// Values that must be masked.
    pub secrets: Vec<Secret>,
    /// What has another meaning in files of newer versions.
    pub(super) warnings: Vec<String>,
}

/// The problems of a helper, and the secrets that were found until then.
type Unprepared = (Vec<Diagnostic>, Vec<Secret>);

impl PreparedHelper {
    /// The target `name` as a helper, filled with what `scope` knows.
    fn of(
        config: &Config,
        name: &str,
        context: &Context,
        scope: &Scope,
        mode: Mode,
    ) -> Result<Self, Unprepared> {
        let mut problems = Vec::new();
        let target = config
            .agent_named(name)
            .map_err(|problem| (Vec::from_iter(problem), Vec::new()))?;
        let mut interpolation = Interpolation::new(scope, &config.source, mode, &mut problems);
        let tool_turns = target.model.tool_turns();
        let filled = FilledTarget::of(config, target, context, &mut interpolation);
        let secrets = interpolation.into_secrets();
        let warnings = of_older_versions(&problems).collect();
        problems.retain(Diagnostic::is_error);
        match (filled.agent, filled.timeout, filled.pace) {
            (Some(target), Ok(timeout), Some(pace)) if problems.is_empty() => Ok(Self {
                target,
                client_tools: filled.client_tools,
                tool_turns,
                pace,
                timeout: timeout.unwrap_or(DEFAULT_TURN_TIMEOUT),
                secrets,
                warnings,
            }),
            _ => Err((problems, secrets)),
        }
    }
}

impl Preparation {
    /// The target `name` as a helper, filled with what is known by now.
    ///
    /// # Errors
    /// If there is no such target, or a leaf of it cannot be filled.
    pub fn helper(&self, name: &str) -> Result<PreparedHelper, PrepareError> {
        let helper = PreparedHelper::of(
            &self.plan.config,
            name,
            &self.context,
            &self.scope,
            self.mode,
        );
        helper.map_err(|(problems, secrets)| {
            PrepareError::Broken(problems, [self.secrets(), secrets].concat())
        })
    }
}

impl Plan {
    /// The name of the target that `name` means: its name, or its `agentId`.
    ///
    /// # Errors
    /// If there is none, or it is broken.
    pub fn agent(&self, name: &str) -> Result<&str, Vec<Diagnostic>> {
        let target = self.config.agent_named(name).map_err(Vec::from_iter)?;
        Ok(&target.name)
    }

    /// The target `name` as a helper of the whole run, filled with what the config and the command line know. Its secrets
    /// are masked from now on.
    ///
    /// # Errors
    /// If there is no such target, or a leaf of it cannot be filled.
    pub fn helper(&self, name: &str, context: &Context) -> Result<PreparedHelper, Vec<Diagnostic>> {
        let helper = PreparedHelper::of(
            &self.config,
            name,
            context,
            &self.variables.scope(context),
            Mode::Send,
        );
        let secrets = match &helper {
            Ok(helper) => &helper.secrets,
            Err((_, secrets)) => secrets,
        };
        self.redactor.add(secrets);
        helper.map_err(|(problems, _)| problems)
    }

    /// The command that asks the script `name`, filled with the variables of the config and the command line.
    ///
    /// # Errors
    /// If there is no such script, or a leaf of it cannot be filled.
    pub fn script(
        &self,
        name: &ScriptSource,
        context: &Context,
    ) -> Result<Launch, Vec<Diagnostic>> {
        let scope = self.variables.scope(context);
        let surroundings = LaunchContext {
            context,
            home: &self.config.folder,
            scope: &scope,
        };
        let mut problems = Vec::new();
        let launch =
            self.config
                .scripts(&context.files)
                .launch(name, None, surroundings, &mut problems);
        launch.ok_or(problems)
    }
}
