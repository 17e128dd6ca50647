//! Agents behind HTTP APIs of their own as a protocol of the registry.

use std::sync::Arc;

use super::compile::compile;
use super::config::{HttpAgentConfig, HttpRequestKeys};
use super::proposal::HttpProposals;
use ananke_agents::{
    Capabilities, Capability, ProposingProtocol, Protocol, ProtocolConfig, Target,
};
use ananke_base::source::FreeMap;
use ananke_model::model::Text;
use ananke_model::variables::{Interpolation, Leaf};

/// The abilities of an agent whose responses show everything that a mapping can find.
const ABILITIES: &[Capability] = &[
    Capability::UserTurns,
    Capability::History,
    Capability::ToolCalls,
    Capability::Usage,
    Capability::State,
    Capability::Interrupts,
    Capability::OwnRequests,
    Capability::PassingRequests,
];

impl Protocol for HttpAgentConfig {
    const TYPE: &'static str = "http";
    const SINCE: &'static str = "1.4";
    const ABILITIES: Capabilities = Capabilities::of(ABILITIES);
    const IDLE_KEYS: &'static [&'static str] = &["client_tools"];
    const PROPOSING: Option<&'static dyn ProposingProtocol> = Some(&HttpProposals);
}

impl ProtocolConfig for HttpAgentConfig {
    fn describe(&self) -> &'static str {
        "an agent behind an HTTP API of its own"
    }

    fn capabilities(&self) -> Capabilities {
        let response = &self.response;
        let mut capabilities = Self::ABILITIES;
        let request = &self.request;
        // What the mapping does not show would pass every prohibition on it, so that tests with such a rule do not load.
        for (is_shown, capability) in [
            (response.calls.is_some(), Capability::ToolCalls),
            (response.usage.is_some(), Capability::Usage),
            (response.state.is_some(), Capability::State),
            (self.resume.is_some(), Capability::Interrupts),
            (sends_messages(request), Capability::History),
        ] {
            if !is_shown {
                capabilities = capabilities.without(capability);
            }
        }
        capabilities
    }

    fn how_to_get(&self, lacking: Capability) -> Option<&'static str> {
        match lacking {
            Capability::ToolCalls => Some(
                "say where the calls are: `calls: { at: \"tool_calls[*]\", name: name, args: args }` in `response` of the target",
            ),
            Capability::Usage => Some(
                "say where the tokens are: `usage: { input: …, output: … }` in `response` of the target",
            ),
            Capability::State => {
                Some("say where the state is: `state: …` in `response` of the target")
            }
            Capability::Interrupts => Some(
                "say how an interrupt is answered: `resume: { body: … }` in the target, and `interrupts` in its `response`",
            ),
            Capability::History => {
                Some("send the conversation: `${MESSAGES}` or `${HISTORY}` in `body` of the target")
            }
            Capability::ClientTools => Some(
                "calls are read, and never executed: declare the tools in `body`, or test the model by itself",
            ),
            _ => None,
        }
    }

    fn headers(&self) -> Option<&FreeMap<Text>> {
        self.request.headers.as_ref()
    }

    fn compile(&self, interpolation: &mut Interpolation<'_>) -> Leaf<Arc<dyn Target>> {
        Ok(Arc::new(compile(self, interpolation)?))
    }
}

/// Whether a request has the messages before its turn.
fn sends_messages(request: &HttpRequestKeys) -> bool {
    if let Some(body) = &request.body
        && names_messages(&body.to_json().to_string())
    {
        return true;
    }
    let mut form = request.form.iter().flatten();
    form.any(|(_, text)| names_messages(text))
}

/// Whether a text has `${MESSAGES}` or `${HISTORY}`, with a path or a default as well.
fn names_messages(text: &str) -> bool {
    text.contains("${MESSAGES") || text.contains("${HISTORY")
}
