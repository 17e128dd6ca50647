//! An agent in the process of a test, as a target.

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::session::ExternalSession;
use crate::error::TargetError;
use crate::session::{Session, SessionOptions};
use crate::target::Target;
use ananke_base::message::RequestContext;

/// An agent in the process of a test.
#[derive(Debug)]
pub(super) struct ExternalTarget {
    agent: String,
}

impl ExternalTarget {
    /// The agent of this name.
    pub(super) fn new(agent: String) -> Self {
        Self { agent }
    }
}

impl Target for ExternalTarget {
    fn agent(&self) -> &str {
        &self.agent
    }

    fn state(&self) -> &Value {
        &Value::Null
    }

    fn address(&self, _connector: Option<&str>) -> Option<String> {
        Some(format!("external {}", self.agent))
    }

    fn not_sent(&self, context: &RequestContext) -> Vec<String> {
        // The program gets what the user says, and nothing else of a request.
        context.names().map(str::to_owned).collect()
    }

    fn open(
        &self,
        options: SessionOptions,
    ) -> BoxFuture<'_, Result<Box<dyn Session>, TargetError>> {
        let session = ExternalSession::new(self.agent.clone(), options);
        Box::pin(async move { Ok(Box::new(session) as Box<dyn Session>) })
    }
}
