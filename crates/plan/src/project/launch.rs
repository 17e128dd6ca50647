//! Everything a program of the project is started with: checked when a test is loaded, filled when it is needed.

use std::path::Path;
use std::time::Duration;

use ananke_base::context::{Context, absolute_from, display_name};
use ananke_model::model::{Hook, ScriptProgram, TimeoutMs};
use ananke_model::variables::{Fill as _, Interpolation, Scope, as_text};
use ananke_trace::process::{CompiledCommand, Launch, WrittenCommand};

/// The time that a program may take without a setting (SPEC 3).
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// The prefix of a variable's name in the environment of a program.
const VARIABLE_PREFIX: &str = "ANANKE_VAR_";

/// The environment of a program.
#[derive(Clone, Copy)]
pub(crate) struct LaunchContext<'a> {
    pub(crate) context: &'a Context,
    /// The config's folder.
    pub(crate) home: &'a Path,
    /// The variables it gets.
    pub(crate) scope: &'a Scope,
}

/// A program as it is written, with how long it may take.
#[derive(Clone, Copy)]
pub(crate) struct WrittenProgram<'a> {
    /// The program itself.
    pub(crate) command: WrittenCommand<'a>,
    timeout_ms: Option<&'a TimeoutMs>,
}

impl<'a> From<&'a Hook> for WrittenProgram<'a> {
    fn from(
        Hook {
            cmd,
            timeout_ms,
            env,
            cwd,
        }: &'a Hook,
    ) -> Self {
        let command = WrittenCommand {
            cmd,
            env: env.as_ref(),
            cwd: cwd.as_ref(),
            may_lack_secrets: false,
        };
        Self {
            command,
            timeout_ms: timeout_ms.as_ref(),
        }
    }
}

impl<'a> From<&'a ScriptProgram> for WrittenProgram<'a> {
    fn from(
        ScriptProgram {
            cmd,
            timeout_ms,
            env,
            cwd,
        }: &'a ScriptProgram,
    ) -> Self {
        let command = WrittenCommand {
            cmd,
            env: env.as_ref(),
            cwd: cwd.as_ref(),
            may_lack_secrets: true,
        };
        Self {
            command,
            timeout_ms: timeout_ms.as_ref(),
        }
    }
}

impl LaunchContext<'_> {
    /// `argv` in the config's folder.
    pub(crate) fn launch(self, argv: Vec<String>) -> Launch {
        let Self {
            context,
            home,
            scope,
        } = self;
        let variables = scope
            .values()
            .map(|(name, value)| (format!("{VARIABLE_PREFIX}{name}"), as_text(value)));
        let mut environment = (*context.environment).clone();
        environment.extend(variables);
        Launch {
            argv,
            environment,
            folder: home.to_path_buf(),
            folder_name: display_name(context, home),
            timeout: DEFAULT_TIMEOUT,
        }
    }
}

impl WrittenProgram<'_> {
    /// Fills the program, and reports everything that is wrong with it; `None` where something is known later or was
    /// reported.
    pub(crate) fn fill(
        self,
        surroundings: LaunchContext<'_>,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Launch> {
        let Self {
            command,
            timeout_ms,
        } = self;
        let command = command.fill(interpolation, Interpolation::text);
        let timeout = timeout_ms.fill(interpolation);
        let CompiledCommand {
            argv,
            environment,
            cwd,
        } = command.ok()?;
        let mut launch = surroundings.launch(argv);
        launch.environment.extend(environment);
        if let Some(folder) = cwd {
            let LaunchContext { context, home, .. } = surroundings;
            launch.folder = absolute_from(context, home, folder.as_ref());
            launch.folder_name = display_name(context, &launch.folder);
        }
        let files = &surroundings.context.files;
        files.note_command(&launch.argv, &launch.folder);
        if let Some(timeout) = timeout.ok()? {
            launch.timeout = timeout;
        }
        Some(launch)
    }
}
