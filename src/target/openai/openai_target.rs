//! A model behind an OpenAI-compatible endpoint.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::retry_after::LONGEST_WAIT;
use super::session::OpenaiSession;
use super::settings::OpenaiSettings;
use crate::target::error::TargetError;
use crate::target::session::{Session, SessionOptions};
use crate::target::target::Target;

/// A model behind an OpenAI-compatible endpoint.
#[derive(Debug)]
pub struct OpenaiTarget {
    settings: Arc<OpenaiSettings>,
}

impl OpenaiTarget {
    /// The model that `settings` describe.
    pub fn new(settings: OpenaiSettings) -> Self {
        Self { settings: Arc::new(settings) }
    }
}

impl Target for OpenaiTarget {
    fn agent(&self) -> &str {
        &self.settings.model
    }

    fn endpoint(&self) -> Option<&str> {
        Some(self.settings.endpoint.as_str())
    }

    fn state(&self) -> &Value {
        &Value::Null
    }

    fn longest_wait(&self) -> Duration {
        LONGEST_WAIT * self.settings.retries
    }

    fn open(&self, options: SessionOptions) -> BoxFuture<'_, Result<Box<dyn Session>, TargetError>> {
        let session = OpenaiSession::new(Arc::clone(&self.settings), options);
        Box::pin(async move { Ok(Box::new(session) as Box<dyn Session>) })
    }
}
