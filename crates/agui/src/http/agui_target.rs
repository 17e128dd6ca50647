//! An agent that speaks AG-UI, and the way to it from the keys of a target.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::{AguiConfig, AguiSettings, AguiTransport, session::AguiSession};
use ananke_agents::{Session, SessionOptions, Target, TargetError, http, http::headers};
use ananke_model::variables::{Fill as _, Interpolation, Leaf, endpoint_url};

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

/// The agent's name without a setting, which only a runtime has to know.
const AGENT: &str = "agui";

/// Checks and fills a target.
///
/// # Errors
/// If something is known later or was reported.
pub(super) fn compile(
    target: &AguiConfig,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<AguiTarget> {
    let agent: Leaf<Option<_>> = target.agent_id.fill(interpolation);
    let endpoint = endpoint_url(&target.endpoint, "endpoint", interpolation);
    let headers = headers(target.headers.as_ref(), interpolation);
    let options = target.http.fill(interpolation);
    let conversation = target.conversation.fill(interpolation);
    Ok(AguiTarget::new(AguiSettings {
        agent: agent?.unwrap_or_else(|| AGENT.to_owned()),
        endpoint: endpoint?,
        headers: headers?,
        options: Arc::new(options?),
        transport: target.transport(),
        conversation: conversation?,
    }))
}
