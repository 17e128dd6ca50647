//! An agent behind an HTTP API of its own.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::session::HttpSession;
use super::settings::HttpAgentSettings;
use ananke_agents::http::{self, LONGEST_WAIT};
use ananke_agents::{PassingRequests, Session, SessionOptions, Target, TargetError};
use ananke_base::message::RequestContext;

/// An agent behind an HTTP API of its own.
#[derive(Debug)]
pub(super) struct HttpTarget {
    pub(super) settings: Arc<HttpAgentSettings>,
}

impl HttpTarget {
    pub(super) fn new(settings: HttpAgentSettings) -> Self {
        Self {
            settings: Arc::new(settings),
        }
    }
}

impl Target for HttpTarget {
    fn agent(&self) -> &str {
        self.settings.base.host_str().unwrap_or("agent")
    }

    fn endpoint(&self) -> Option<&str> {
        Some(&self.settings.endpoint)
    }

    fn address(&self, _connector: Option<&str>) -> Option<String> {
        Some(http::place(&self.settings.base))
    }

    fn not_sent(&self, context: &RequestContext) -> Vec<String> {
        context.names().map(str::to_owned).collect()
    }

    fn passing(&self) -> Option<&dyn PassingRequests> {
        Some(self)
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
        let session = HttpSession::new(Arc::clone(&self.settings), options);
        Box::pin(async move { Ok(Box::new(session) as Box<dyn Session>) })
    }
}
