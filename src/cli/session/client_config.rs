//! The config that requests are about.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use ananke::context::Context;
use ananke::project::locate;

use super::session_error::SessionError;

/// The config that `initialize` names, if it does. Clones are the same.
#[derive(Clone, Default)]
pub(super) struct ClientConfig(Arc<OnceLock<PathBuf>>);

impl ClientConfig {
    /// `initialize` names a config, once.
    pub(super) fn name(&self, config: PathBuf) {
        self.0.get_or_init(|| config);
    }

    /// The config that a request names, else that of `initialize`, else the nearest above the first of `paths` or the working
    /// directory.
    ///
    /// # Errors
    /// If there is none.
    pub(super) fn located(
        &self,
        named: Option<PathBuf>,
        paths: &[PathBuf],
        context: &Context,
    ) -> Result<PathBuf, SessionError> {
        let named = named.or_else(|| self.0.get().cloned());
        locate(context, named.as_deref(), paths)
            .map_err(|problem| SessionError::without_config(&problem))
    }
}
