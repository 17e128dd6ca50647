//! An agent that speaks AG-UI.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::config::AguiTransport;
use super::session::AguiSession;
use super::settings::AguiSettings;
use ananke_agents::{Session, SessionOptions, Target, TargetError, http};

/// An agent that speaks AG-UI.
#[derive(Debug)]
pub struct AguiTarget {
    settings: Arc<AguiSettings>,
}

impl AguiTarget {
    /// The agent that `settings` describe.
    pub fn new(settings: AguiSettings) -> Self {
        Self {
            settings: Arc::new(settings),
        }
    }
}

impl Target for AguiTarget {
    fn agent(&self) -> &str {
        &self.settings.agent
    }

    fn endpoint(&self) -> Option<&str> {
        Some(self.settings.endpoint.as_str())
    }

    fn address(&self, _connector: Option<&str>) -> Option<String> {
        let AguiSettings {
            endpoint,
            transport,
            agent,
            ..
        } = &*self.settings;
        let place = http::place(endpoint);
        Some(if *transport == AguiTransport::Http {
            place
        } else {
            format!("{place} {agent}")
        })
    }

    fn state(&self) -> &Value {
        &self.settings.conversation.state
    }

    fn has_event_clock(&self) -> bool {
        self.settings.conversation.event_clock
    }

    fn open(
        &self,
        options: SessionOptions,
    ) -> BoxFuture<'_, Result<Box<dyn Session>, TargetError>> {
        let session = AguiSession::new(Arc::clone(&self.settings), options);
        Box::pin(async move { Ok(Box::new(session) as Box<dyn Session>) })
    }
}
