//! What of a test may not be shown.

use std::sync::Arc;

use crate::project::{Config, ResolvedTarget};
use ananke_base::diagnostic::SourceFile;
use ananke_base::source::FreeMap;
use ananke_model::model::{Hook, Text};
use ananke_model::variables::{Interpolation, Mode, Scope, Secret, is_secret_name};

/// The values in the environments of `hooks`, which are written in `source`, whose names say that they are secret (SPEC 14).
pub(crate) fn secrets_of_hooks<'h>(
    hooks: impl IntoIterator<Item = &'h Hook>,
    source: &Arc<SourceFile>,
    scope: &Scope,
) -> Vec<Secret> {
    let scope = scope.clone().open();
    let mut interpolation = Interpolation::again(&scope, source, Mode::Check);
    let environments = hooks.into_iter().map(|hook| &hook.env);
    add_environments(environments, &mut interpolation);
    interpolation.into_secrets()
}

fn add_environments<'e>(
    environments: impl Iterator<Item = &'e Option<FreeMap<Text>>>,
    interpolation: &mut Interpolation<'_>,
) {
    for (name, text) in environments.flatten().flatten() {
        if is_secret_name(&name.value)
            && let Ok(value) = interpolation.text(text)
        {
            interpolation.add_named_secret(&format!("env.{}", name.value), &value);
        }
    }
}

/// The variables of `scope` that the headers of `targets` carry, the headers themselves, and what the config says is
/// secret.
pub(crate) fn secrets_of<'t>(
    config: &Config,
    targets: impl IntoIterator<Item = &'t ResolvedTarget>,
    scope: &Scope,
) -> Vec<Secret> {
    let scope = scope.clone().open();
    let mut interpolation = Interpolation::again(&scope, &config.source, Mode::Check);
    for target in targets {
        target.model.compile(&mut interpolation);
    }
    let model = &config.model;
    let scripts = model.scripts.iter().flat_map(FreeMap::values);
    let servers = model.server.iter().flat_map(|servers| &servers.0);
    let programs = scripts
        .map(|script| &script.env)
        .chain(servers.map(|server| &server.env));
    let hooks = [&model.setup, &model.teardown]
        .into_iter()
        .flatten()
        .flatten();
    add_environments(
        programs.chain(hooks.map(|hook| &hook.env)),
        &mut interpolation,
    );
    let mut secrets = interpolation.into_secrets();
    secrets.extend(config.redactions.secrets(&scope));
    secrets
}
