//! Everything a program of the project is started with: checked when a test is loaded, filled when it is needed.

use std::path::Path;
use std::time::Duration;

use super::paths::{absolute_from, display_name};
use crate::context::Context;
use crate::diagnostic::Code;
use crate::model::{Hook, ScriptProgram, Text, TimeoutMs};
use crate::process::Launch;
use crate::source::FreeMap;
use crate::variables::{Interpolation, Leaf, Scope, as_text};

/// How long a program may take without a setting (SPEC 3).
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// What goes before a variable's name in the environment of a program.
const VARIABLE_PREFIX: &str = "ANANKE_VAR_";

/// Where a program finds itself.
#[derive(Clone, Copy)]
pub(crate) struct LaunchContext<'a> {
    pub(crate) context: &'a Context,
    /// The config's folder.
    pub(crate) home: &'a Path,
    /// The variables it gets.
    pub(crate) scope: &'a Scope,
}

/// A program as it is written.
#[derive(Clone, Copy)]
pub(crate) struct WrittenProgram<'a> {
    cmd: &'a [Text],
    timeout_ms: Option<&'a TimeoutMs>,
    env: Option<&'a FreeMap<Text>>,
    cwd: Option<&'a Text>,
}

impl<'a> From<&'a Hook> for WrittenProgram<'a> {
    fn from(Hook { cmd, timeout_ms, env, cwd }: &'a Hook) -> Self {
        Self { cmd, timeout_ms: timeout_ms.as_ref(), env: env.as_ref(), cwd: cwd.as_ref() }
    }
}

impl<'a> From<&'a ScriptProgram> for WrittenProgram<'a> {
    fn from(ScriptProgram { cmd, timeout_ms, env, cwd }: &'a ScriptProgram) -> Self {
        Self { cmd, timeout_ms: timeout_ms.as_ref(), env: env.as_ref(), cwd: cwd.as_ref() }
    }
}

impl Launch {
    /// `argv` in the config's folder.
    pub(crate) fn at_home(argv: Vec<String>, surroundings: LaunchContext<'_>) -> Self {
        let LaunchContext { context, home, scope } = surroundings;
        let variables =
            scope.values().map(|(name, value)| (format!("{VARIABLE_PREFIX}{name}"), as_text(value)));
        let mut environment = (*context.environment).clone();
        environment.extend(variables);
        Self {
            argv,
            environment,
            folder: home.to_path_buf(),
            folder_name: display_name(context, home),
            timeout: DEFAULT_TIMEOUT,
        }
    }

    /// Fills a program, and reports everything that is wrong with it; `None` where something is known later or was
    /// reported.
    pub(crate) fn fill(
        written: WrittenProgram<'_>,
        surroundings: LaunchContext<'_>,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Self> {
        let WrittenProgram { cmd, timeout_ms, env, cwd } = written;
        let words: Vec<Option<String>> = cmd.iter().map(|word| interpolation.text(word).ok()).collect();
        let own = environment(env, interpolation, Interpolation::text);
        let timeout = timeout_ms.map(|number| interpolation.number(number)).transpose().ok();
        let folder = cwd.map(|folder| interpolation.text(folder)).transpose().ok();
        let argv = words.into_iter().collect::<Option<Vec<_>>>()?;
        program(&argv, cmd, interpolation)?;
        let mut launch = Self::at_home(argv, surroundings);
        launch.environment.extend(own?);
        if let Some(folder) = folder? {
            let LaunchContext { context, home, .. } = surroundings;
            launch.folder = absolute_from(context, home, folder.as_ref());
            launch.folder_name = display_name(context, &launch.folder);
        }
        if let Some(timeout) = timeout? {
            launch.timeout = Duration::from_millis(timeout);
        }
        Some(launch)
    }
}

/// Whether the first word names a program; reports it where it does not.
pub(super) fn program(
    argv: &[String],
    written: &[Text],
    interpolation: &mut Interpolation<'_>,
) -> Option<()> {
    if argv.first().is_some_and(|program| !program.is_empty()) {
        return Some(());
    }
    // The schema reports an empty list.
    let span = written.first()?.span;
    interpolation.report(Code::BadValue, span, "the first entry of `cmd` names no program", None);
    None
}

/// The variables of `env`, each filled by `fill`.
pub(super) fn environment<'f>(
    written: Option<&FreeMap<Text>>,
    interpolation: &mut Interpolation<'f>,
    fill: impl Fn(&mut Interpolation<'f>, &Text) -> Leaf<String>,
) -> Option<Vec<(String, String)>> {
    let one = |(name, text): &(Text, Text)| {
        let value = fill(interpolation, text).ok();
        if name.is_empty() || name.contains(['=', '\0']) {
            let message = format!("`{}` is not a valid name of an environment variable", name.escape_debug());
            interpolation.report(Code::BadValue, name.span, message, None);
            return None;
        }
        Some((name.value.clone(), value?))
    };
    let filled: Vec<Option<(String, String)>> = written.into_iter().flatten().map(one).collect();
    filled.into_iter().collect()
}
