//! An agent of A2A.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::Value;
use url::Url;

use super::session::A2aSession;
use super::settings::{A2aSettings, AgentLocation};
use ananke_agents::{Limits, Session, SessionOptions, Target, TargetError, http};
use ananke_base::message::DeclaredTool;

/// An agent of A2A.
#[derive(Debug)]
pub struct A2aTarget {
    settings: Arc<A2aSettings>,
}

impl A2aTarget {
    /// The agent that `settings` describe.
    pub fn new(settings: A2aSettings) -> Self {
        Self {
            settings: Arc::new(settings),
        }
    }

    fn url(&self) -> &Url {
        match &self.settings.location {
            AgentLocation::CardUrl { url, endpoint } => endpoint.as_ref().unwrap_or(url),
            AgentLocation::Endpoint(url) => url,
            AgentLocation::Card { card, .. } => &card.interface.url,
        }
    }
}

impl Target for A2aTarget {
    fn agent(&self) -> &str {
        match &self.settings.location {
            AgentLocation::Card {
                name: Some(name), ..
            } => name,
            AgentLocation::Card { .. }
            | AgentLocation::CardUrl { .. }
            | AgentLocation::Endpoint(_) => "a2a",
        }
    }

    fn endpoint(&self) -> Option<&str> {
        Some(self.url().as_str())
    }

    fn address(&self, _connector: Option<&str>) -> Option<String> {
        Some(http::place(self.url()))
    }

    fn state(&self) -> &Value {
        &Value::Null
    }

    fn declared_tools<'a>(
        &'a self,
        options: SessionOptions,
        limits: &'a Limits,
    ) -> BoxFuture<'a, Result<Option<Vec<DeclaredTool>>, TargetError>> {
        let session = A2aSession::new(Arc::clone(&self.settings), options);
        Box::pin(async move { session.declared_tools(limits).await.map(Some) })
    }

    fn open(
        &self,
        options: SessionOptions,
    ) -> BoxFuture<'_, Result<Box<dyn Session>, TargetError>> {
        let session = A2aSession::new(Arc::clone(&self.settings), options);
        Box::pin(async move { Ok(Box::new(session) as Box<dyn Session>) })
    }
}
