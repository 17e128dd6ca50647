//! OpenAI-compatible chat completions as a protocol of the registry.

use std::sync::Arc;

use super::chat_request::RESERVED;
use super::config::{CHAT_COMPLETIONS, OpenaiConfig};
use super::probed::ProbedOpenai;
use super::served::{ChatWire, ServedChat};
use super::session::ChatCompletions;
use ananke_agents::{
    ApiPath, Capabilities, Capability, ModelKeys, ModelTarget, ModelWire, ProbedProtocol, Protocol,
    ProtocolConfig, ServedProtocol, Target, ToolExecution,
};
use ananke_base::source::FreeMap;
use ananke_model::model::Text;
use ananke_model::variables::{Interpolation, Leaf};

/// A model keeps nothing between requests, so that it has no state to show and no thread to replay.
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

impl Protocol for OpenaiConfig {
    const TYPE: &'static str = "openai";
    const SINCE: &'static str = "1.3";
    const ABILITIES: Capabilities = Capabilities::of(ABILITIES);
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] = &[(
        "client_tools",
        "The model's tools: declared to it, and their calls answered by their mocks.",
    )];
    const PROBED: Option<&'static dyn ProbedProtocol> = Some(&ProbedOpenai);
    const SIGNS: &'static [&'static str] = &[
        "\"object\":\"chat.completion",
        "\"choices\":[{",
        "\"id\":\"chatcmpl-",
        "\"type\":\"invalid_request_error\",\"param\":",
    ];
    const SERVED: Option<&'static dyn ServedProtocol> = Some(&ServedChat);
    const MODEL_WIRE: Option<&'static dyn ModelWire> = Some(&ChatWire);
}

impl ProtocolConfig for OpenaiConfig {
    fn describe(&self) -> &'static str {
        "an OpenAI-compatible model"
    }

    fn capabilities(&self) -> Capabilities {
        Self::ABILITIES
    }

    fn how_to_see_calls(&self) -> Option<&'static str> {
        if self.tools == Some(ToolExecution::Observed) {
            return None;
        }
        Some(
            "declare its tools in `client_tools`; or write `tools: observed` in the target if the server executes its own and its \
             responses show the calls",
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
        let settings = keys.fill(
            ApiPath::below_base(CHAT_COMPLETIONS),
            &RESERVED,
            interpolation,
        )?;
        Ok(Arc::new(ModelTarget::new(settings, ChatCompletions)))
    }
}
