//! The Messages API as a protocol of the registry.

use std::sync::Arc;

use super::config::{AnthropicConfig, MESSAGES};
use super::messages_request::{RESERVED, TOOLS};
use super::probed::ProbedAnthropic;
use super::served::{MessagesWire, ServedMessages};
use super::session::MessagesApi;
use ananke_agents::{
    Capabilities, Capability, ModelKeys, ModelTarget, ModelWire, ProbedProtocol, Protocol,
    ProtocolConfig, ServedProtocol, Target, ToolExecution,
};
use ananke_base::source::{FreeMap, Node};
use ananke_model::model::Text;
use ananke_model::variables::{Interpolation, Leaf};

/// The header with the version of the API, which a server requires.
const VERSION_HEADER: &str = "anthropic-version";

/// The version of requests. It is the oldest, which every server has.
const VERSION: &str = "2023-06-01";

/// A model keeps nothing: it has no state to show, and no thread to replay.
const ABILITIES: &[Capability] = &[
    Capability::ToolCalls,
    Capability::Usage,
    Capability::ModelRequests,
    Capability::UserTurns,
    Capability::ClientTools,
    Capability::History,
    Capability::UntypedUrls,
    Capability::PassingRequests,
];

impl Protocol for AnthropicConfig {
    const TYPE: &'static str = "anthropic";
    const SINCE: &'static str = "1.4";
    const ABILITIES: Capabilities = Capabilities::of(ABILITIES);
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] = &[(
        "client_tools",
        "The model's tools: declared to it, and their calls answered by their mocks.",
    )];
    const PROBED: Option<&'static dyn ProbedProtocol> = Some(&ProbedAnthropic);
    const SIGNS: &'static [&'static str] = &[
        "\"type\":\"message_start\"",
        "\"type\":\"content_block_start\"",
        "\"type\":\"content_block_delta\"",
        "\"type\":\"message\",\"role\":\"assistant\"",
        "{\"type\":\"error\",\"error\":{\"type\":\"",
    ];
    const SERVED: Option<&'static dyn ServedProtocol> = Some(&ServedMessages);
    const MODEL_WIRE: Option<&'static dyn ModelWire> = Some(&MessagesWire);
}

impl ProtocolConfig for AnthropicConfig {
    fn describe(&self) -> &'static str {
        "a model of the Messages API"
    }

    fn capabilities(&self) -> Capabilities {
        Self::ABILITIES
    }

    fn how_to_see_calls(&self) -> Option<&'static str> {
        // Tools that the server runs are declared in `params`, and their calls are blocks of the response.
        let mut params = self.params.iter().flat_map(Node::entries);
        let declares_tools = params.any(|entry| entry.key == TOOLS);
        if self.tools == Some(ToolExecution::Observed) || declares_tools {
            return None;
        }
        Some(
            "declare its tools in `client_tools`, or those that the server runs in `params.tools`; or write `tools: observed` in the \
             target if the server executes its own tools and its responses show the calls",
        )
    }

    fn model(&self) -> Option<&Text> {
        Some(&self.model)
    }

    fn headers(&self) -> Option<&FreeMap<Text>> {
        self.headers.as_ref()
    }

    fn compile(&self, interpolation: &mut Interpolation<'_>) -> Leaf<Arc<dyn Target>> {
        let keys = ModelKeys {
            endpoint: &self.endpoint,
            model: &self.model,
            instructions: self.instructions.as_ref(),
            params: self.params.as_ref(),
            tools: self.tools,
            headers: self.headers.as_ref(),
            retry_429: self.retry_429.as_ref(),
            http: &self.http,
        };
        let mut settings = keys.fill(MESSAGES, &RESERVED, interpolation)?;
        let mut names = settings.headers.iter().map(|(name, _)| name);
        if !names.any(|name| name.eq_ignore_ascii_case(VERSION_HEADER)) {
            let version = (VERSION_HEADER.to_owned(), VERSION.to_owned());
            settings.headers.push(version);
        }
        Ok(Arc::new(ModelTarget::new(settings, MessagesApi)))
    }
}
