//! The hooks of a test: checked when it is loaded, filled one by one when it starts.

use crate::project::{LaunchContext, WrittenProgram};
use ananke_agents::TargetConfig;
use ananke_model::model::{Hook, Text};
use ananke_model::variables::{Interpolation, Piece, is_reserved, scan};
use ananke_trace::process::Launch;

/// A hook that is ready to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookCommand {
    /// Its number in the test, counted from 1.
    pub number: usize,
    /// The program that is started.
    pub launch: Launch,
    /// The role of the hook.
    pub role: HookRole,
    /// Whether what it prints may be quoted: not where a header takes variables, so that it may be a secret.
    pub may_be_quoted: bool,
    /// Warnings about its keys.
    pub warnings: Vec<String>,
}

/// The role of a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookRole {
    /// Before a test: it gives variables.
    Test,
    /// After a test: what it prints means nothing.
    Teardown,
    /// Before all tests: it gives variables.
    RunSetup,
    /// After all tests: what it prints means nothing.
    RunTeardown,
}

impl HookRole {
    /// Whether it gives variables.
    pub fn gives_variables(self) -> bool {
        matches!(self, Self::Test | Self::RunSetup)
    }

    /// The name of the role in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Test => "hook",
            Self::Teardown => "teardown",
            Self::RunSetup => "setup",
            Self::RunTeardown => "the config's teardown",
        }
    }
}

/// Fills one hook, and reports everything that is wrong with it; `None` where something is known later or was
/// reported. `number` is counted from 1.
pub(crate) fn fill_hook(
    hook: &Hook,
    number: usize,
    surroundings: LaunchContext<'_>,
    interpolation: &mut Interpolation<'_>,
) -> Option<HookCommand> {
    let launch = WrittenProgram::from(hook).fill(surroundings, interpolation)?;
    Some(HookCommand {
        number,
        launch,
        role: HookRole::Test,
        may_be_quoted: true,
        warnings: Vec::new(),
    })
}

/// Whether a header of `target` takes a variable that a hook may have given.
pub fn feeds_headers(target: &TargetConfig) -> bool {
    headers_with(target, |name| !is_reserved(name))
        .next()
        .is_some()
}

/// The headers of `target` that take a variable whose name `is_meant`.
pub(crate) fn headers_with(
    target: &TargetConfig,
    is_meant: impl Fn(&str) -> bool,
) -> impl Iterator<Item = &Text> {
    target.credentials().filter(move |text| {
        let pieces = scan(&text.value).unwrap_or_default();
        pieces
            .iter()
            .any(|piece| matches!(piece, Piece::Reference(reference) if is_meant(reference.name)))
    })
}
