//! What of a test may not be shown.

use crate::project::{Config, ResolvedTarget};
use ananke_model::variables::{Interpolation, Mode, Scope, Secret};

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
    let mut secrets = interpolation.into_secrets();
    secrets.extend(config.redactions.secrets(&scope));
    secrets
}
