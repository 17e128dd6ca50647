//! A model of the Responses API.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::config::ResponsesSettings;
use super::session::{CONNECTOR, ResponsesSession};
use ananke_agents::http::{self, LONGEST_WAIT};
use ananke_agents::{Session, SessionOptions, Target, TargetError};
use ananke_base::message::RequestContext;

/// A model of the Responses API.
#[derive(Debug)]
pub struct ResponsesTarget {
    settings: Arc<ResponsesSettings>,
}

impl ResponsesTarget {
    /// The model that `settings` describe.
    pub fn new(settings: ResponsesSettings) -> Self {
        Self {
            settings: Arc::new(settings),
        }
    }
}

impl Target for ResponsesTarget {
    fn agent(&self) -> &str {
        &self.settings.model
    }

    fn endpoint(&self) -> Option<&str> {
        Some(self.settings.endpoint.as_str())
    }

    fn address(&self, connector: Option<&str>) -> Option<String> {
        let place = http::place(&self.settings.endpoint);
        let model = connector.unwrap_or(&self.settings.model);
        Some(format!("{place} {model}"))
    }

    fn prompted(&self, instructions: &str, connector: Option<&str>) -> Option<Box<dyn Target>> {
        let mut settings = ResponsesSettings::clone(&self.settings);
        settings
            .instructions
            .get_or_insert_with(|| instructions.to_owned());
        if let Some(model) = connector {
            model.clone_into(&mut settings.model);
        }
        Some(Box::new(Self::new(settings)))
    }

    fn not_sent(&self, context: &RequestContext) -> Vec<String> {
        let names = context.names().filter(|name| *name != CONNECTOR);
        names.map(str::to_owned).collect()
    }

    fn state(&self) -> &Value {
        &Value::Null
    }

    fn longest_wait(&self) -> Duration {
        LONGEST_WAIT * self.settings.retries
    }

    fn open(
        &self,
        options: SessionOptions,
    ) -> BoxFuture<'_, Result<Box<dyn Session>, TargetError>> {
        let session = ResponsesSession::new(Arc::clone(&self.settings), options);
        Box::pin(async move { Ok(Box::new(session) as Box<dyn Session>) })
    }
}
