//! The Responses API as a protocol of the registry.

use std::sync::Arc;

use super::config::{RESPONSES, ResponsesConfig};
use super::probed::ProbedResponses;
use super::responses_request::RESERVED;
use super::served::{ResponsesWire, ServedResponses};
use super::session::ResponsesApi;
use ananke_agents::{
    ApiPath, Capabilities, Capability, ModelKeys, ModelTarget, ModelWire, ProbedProtocol, Protocol,
    ProtocolConfig, ServedProtocol, Target, ToolExecution,
};
use ananke_base::source::FreeMap;
use ananke_model::model::Text;
use ananke_model::variables::{Interpolation, Leaf};

/// A model has no state to show, and no thread to replay. A server asks for approvals, which are interrupts.
const ABILITIES: &[Capability] = &[
    Capability::ToolCalls,
    Capability::Usage,
    Capability::ModelRequests,
    Capability::UserTurns,
    Capability::Interrupts,
    Capability::ClientTools,
    Capability::History,
    Capability::UntypedUrls,
    Capability::PassingRequests,
];

impl Protocol for ResponsesConfig {
    const TYPE: &'static str = "responses";
    const SINCE: &'static str = "1.4";
    const ABILITIES: Capabilities = Capabilities::of(ABILITIES);
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] = &[(
        "client_tools",
        "The model's tools: declared to it as functions, and their calls answered by their mocks.",
    )];
    const PROBED: Option<&'static dyn ProbedProtocol> = Some(&ProbedResponses);
    const SIGNS: &'static [&'static str] = &[
        "\"object\":\"response\"",
        "\"type\":\"response.created\"",
        "\"type\":\"response.in_progress\"",
        "\"type\":\"response.output_item.added\"",
        "\"type\":\"response.output_text.delta\"",
    ];
    const SERVED: Option<&'static dyn ServedProtocol> = Some(&ServedResponses);
    const MODEL_WIRE: Option<&'static dyn ModelWire> = Some(&ResponsesWire);
}

impl ProtocolConfig for ResponsesConfig {
    fn describe(&self) -> &'static str {
        "a model of the Responses API"
    }

    fn capabilities(&self) -> Capabilities {
        Self::ABILITIES
    }

    fn how_to_see_calls(&self) -> Option<&'static str> {
        // Tools that the server runs are declared in `params`, and their calls are items of the response.
        if self.tools == Some(ToolExecution::Observed) || self.params.is_some() {
            return None;
        }
        Some(
            "declare its tools in `client_tools`, or those that the server runs in `params.tools`; or write `tools: observed` in the \
             target if the server executes its own functions and its responses show the calls",
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
        let settings = keys.fill(ApiPath::below_base(RESPONSES), &RESERVED, interpolation)?;
        let history = self.history.unwrap_or_default();
        Ok(Arc::new(ModelTarget::new(
            settings,
            ResponsesApi { history },
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_reads_the_requests_that_a_mock_answers() {
        assert!(ResponsesConfig::SERVED.is_some());
        assert!(ResponsesConfig::ABILITIES.has(Capability::PassingRequests));
    }
}
