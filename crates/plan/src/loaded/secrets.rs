//! The parts of a test that may not be shown.

use std::sync::Arc;

use crate::project::{Config, ResolvedTarget, WrittenProgram, server_command};
use ananke_base::diagnostic::SourceFile;
use ananke_base::source::FreeMap;
use ananke_model::model::Hook;
use ananke_model::variables::{Interpolation, Mode, Scope, Secret};
use ananke_trace::process::WrittenCommand;

/// The values in the environments of `hooks`, which are written in `source`, whose names say that they are secret (SPEC 14).
pub(crate) fn secrets_of_hooks<'h>(
    hooks: impl IntoIterator<Item = &'h Hook>,
    source: &Arc<SourceFile>,
    scope: &Scope,
) -> Vec<Secret> {
    let mut hooks = hooks.into_iter().peekable();
    if hooks.peek().is_none() {
        return Vec::new();
    }
    let scope = scope.clone().open();
    let mut interpolation = Interpolation::again(&scope, source, Mode::Check);
    for hook in hooks {
        learn(WrittenProgram::from(hook).command, &mut interpolation);
    }
    interpolation.into_secrets()
}

/// Fills a program, whose secrets `interpolation` knows then.
fn learn(command: WrittenCommand<'_>, interpolation: &mut Interpolation<'_>) {
    let _is_known = command.fill(interpolation, Interpolation::text);
}

/// The variables of `scope` that the headers of `targets` carry, the headers themselves, and what the config says is
/// secret.
pub fn secrets_of<'t>(
    config: &Config,
    targets: impl IntoIterator<Item = &'t ResolvedTarget>,
    scope: &Scope,
) -> Vec<Secret> {
    let mut secrets = secrets_of_programs(config, scope);
    let scope = scope.clone().open();
    let mut interpolation = Interpolation::again(&scope, &config.source, Mode::Check);
    for target in targets {
        target.model.compile(&mut interpolation);
    }
    secrets.extend(interpolation.into_secrets());
    secrets.extend(config.redactions.secrets(&scope));
    secrets
}

/// The secrets in the environments of the programs that the config itself names, whichever target is in use (SPEC 14).
pub(crate) fn secrets_of_programs(config: &Config, scope: &Scope) -> Vec<Secret> {
    let scope = scope.clone().open();
    let mut interpolation = Interpolation::again(&scope, &config.source, Mode::Check);
    let model = &config.model;
    for script in model.scripts.iter().flat_map(FreeMap::values) {
        learn(WrittenProgram::from(script).command, &mut interpolation);
    }
    for hook in [&model.setup, &model.teardown]
        .into_iter()
        .flatten()
        .flatten()
    {
        learn(WrittenProgram::from(hook).command, &mut interpolation);
    }
    for server in model.server.iter().flat_map(|servers| &servers.0) {
        learn(server_command(server), &mut interpolation);
    }
    interpolation.into_secrets()
}
