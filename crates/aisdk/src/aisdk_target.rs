//! A backend of `useChat`, and the way to it from the keys of a target.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::config::{AiSdkConfig, AiSdkSettings};
use super::session::AiSdkSession;
use super::ui_chat_request::OWN_KEYS;
use ananke_agents::http::{headers, place};
use ananke_agents::{Session, SessionOptions, Target, TargetError};
use ananke_base::diagnostic::Code;
use ananke_base::message::RequestContext;
use ananke_base::source::Node;
use ananke_model::variables::{Fill as _, Interpolation, Leaf, endpoint_url};

/// The name of the agent in reports: the protocol has none.
const AGENT: &str = "ai-sdk";

/// A backend of `useChat`.
#[derive(Debug)]
pub struct AiSdkTarget {
    settings: Arc<AiSdkSettings>,
}

impl AiSdkTarget {
    /// The backend that `settings` describe.
    pub fn new(settings: AiSdkSettings) -> Self {
        Self {
            settings: Arc::new(settings),
        }
    }
}

impl Target for AiSdkTarget {
    fn agent(&self) -> &str {
        AGENT
    }

    fn endpoint(&self) -> Option<&str> {
        Some(self.settings.endpoint.as_str())
    }

    fn address(&self, _connector: Option<&str>) -> Option<String> {
        Some(place(&self.settings.endpoint))
    }

    fn not_sent(&self, context: &RequestContext) -> Vec<String> {
        context.names().map(str::to_owned).collect()
    }

    fn state(&self) -> &Value {
        &Value::Null
    }

    fn open(
        &self,
        options: SessionOptions,
    ) -> BoxFuture<'_, Result<Box<dyn Session>, TargetError>> {
        let session = AiSdkSession::new(Arc::clone(&self.settings), options);
        Box::pin(async move { Ok(Box::new(session) as Box<dyn Session>) })
    }
}

/// Checks and fills a target.
///
/// # Errors
/// If something is known later or was reported.
pub(super) fn compile(
    target: &AiSdkConfig,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<AiSdkTarget> {
    // Every key is filled before the first `?` returns, so that one run reports the problems of all keys.
    let endpoint = endpoint_url(&target.endpoint, "endpoint", interpolation);
    let key_check = check_body(target.body.as_ref(), interpolation);
    let body: Leaf<Option<_>> = target.body.fill(interpolation);
    let headers = headers(target.headers.as_ref(), interpolation);
    let options = target.http.fill(interpolation);
    key_check?;
    Ok(AiSdkTarget::new(AiSdkSettings {
        endpoint: endpoint?,
        body: body?.unwrap_or_default(),
        headers: headers?,
        options: Arc::new(options?),
    }))
}

/// Checks that no key of `body` is one that every request sets itself.
///
/// # Errors
/// If one is, which is reported to `interpolation`.
fn check_body(body: Option<&Node>, interpolation: &mut Interpolation<'_>) -> Leaf<()> {
    let mut check = Ok(());
    for entry in body.into_iter().flat_map(Node::entries) {
        if OWN_KEYS.contains(&entry.key.as_str()) {
            let message = format!(
                "`{}` cannot be set here: every request has its own",
                entry.key
            );
            let help = "`threadId` sets the `id` of the chat, and the turns make the `messages`";
            let help = Some(help.to_owned());
            check = Err(interpolation.report(Code::BadValue, entry.key_span, message, help));
        }
    }
    check
}
