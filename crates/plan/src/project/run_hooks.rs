//! The config's `setup` and `teardown`: checked when it is loaded, filled one by one when a run starts and ends.

use super::config::Config;
use super::launch::{LaunchContext, WrittenProgram};
use super::variables::Variables;
use ananke_base::context::Context;
use ananke_base::diagnostic::{Diagnostic, Span};
use ananke_model::model::Hook;
use ananke_model::variables::{Interpolation, Mode, Scope};
use ananke_trace::process::Launch;

/// The hint about the variables that a command of `setup` may use.
const HINT: &str =
    "a command of `setup` sees the variables of the config, and what the commands before it gave";

/// A command of the config that is ready to run.
#[derive(Clone, Debug)]
pub struct RunHook {
    /// The program that is started.
    pub launch: Launch,
    /// The place of its `cmd`.
    pub span: Span,
}

impl Config {
    /// The commands of `setup` that a run with these variables starts.
    pub fn setup(&self, variables: &Variables) -> &[Hook] {
        commands(self.model.setup.as_ref(), variables)
    }

    /// The same of `teardown`.
    pub fn teardown(&self, variables: &Variables) -> &[Hook] {
        commands(self.model.teardown.as_ref(), variables)
    }

    /// Fills one command with what `variables` gives by now.
    ///
    /// # Errors
    /// The problem of the command.
    pub fn run_hook(
        &self,
        hook: &Hook,
        context: &Context,
        variables: &Variables,
    ) -> Result<RunHook, Vec<Diagnostic>> {
        let scope = variables.scope(context).hint(HINT);
        let mut problems = Vec::new();
        self.fill_run_hook(hook, context, &scope, &mut problems)
            .ok_or(problems)
    }

    /// Reports what is wrong with the commands; what those before them give is not known yet.
    pub(crate) fn check_hooks(
        &self,
        context: &Context,
        variables: &Variables,
        problems: &mut Vec<Diagnostic>,
    ) {
        let known = variables.for_hooks(variables.scope(context));
        let commands =
            [&self.model.setup, &self.model.teardown].map(|written| written.iter().flatten());
        let [setup, teardown] = commands;
        for (index, hook) in setup.enumerate() {
            let scope = if index == 0 {
                known.clone().hint(HINT)
            } else {
                known.clone().open()
            };
            self.fill_run_hook(hook, context, &scope, problems);
        }
        let scope = variables.after_setup(known).hint(HINT);
        for hook in teardown {
            self.fill_run_hook(hook, context, &scope, problems);
        }
    }

    fn fill_run_hook(
        &self,
        hook: &Hook,
        context: &Context,
        scope: &Scope,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<RunHook> {
        let mut interpolation = Interpolation::new(scope, &self.source, Mode::Send, problems);
        let surroundings = LaunchContext {
            context,
            home: &self.folder,
            scope,
        };
        let launch = WrittenProgram::from(hook).fill(surroundings, &mut interpolation)?;
        let (first, last) = (hook.cmd.first()?.span, hook.cmd.last()?.span);
        Some(RunHook {
            launch,
            span: Span {
                end: last.end,
                ..first
            },
        })
    }

    /// Puts a problem at a place of the config.
    pub fn at(&self, problem: Diagnostic, span: Span) -> Diagnostic {
        problem.at(&self.source, span, "")
    }
}

fn commands<'c>(written: Option<&'c Vec<Hook>>, variables: &Variables) -> &'c [Hook] {
    match written {
        Some(commands) if !variables.without_hooks => commands,
        _ => &[],
    }
}
