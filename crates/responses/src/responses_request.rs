//! The body of a request for a response.

use serde::Serialize;
use serde_json::{Map, Value};

use super::config::HistoryForm;
use ananke_agents::{ModelSettings, ReservedKeys};
use ananke_base::message::ToolDeclaration;

/// The keys that every request has of its own, or that contradict them: a conversation that the server keeps, a response that
/// is not waited for, and the messages of chat completions.
pub(super) const RESERVED: ReservedKeys = ReservedKeys {
    names: &[
        "model",
        "input",
        "instructions",
        "stream",
        "store",
        "previous_response_id",
        "conversation",
        "background",
        "messages",
    ],
    help: "the model is `model`, its tools are `client_tools`, and `history` says who keeps the conversation",
};

/// A request: the conversation so far or what is new of it, and the tools.
#[derive(Serialize)]
pub(super) struct ResponsesRequest<'a> {
    model: &'a str,
    input: &'a [Value],
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<&'a str>,
    stream: bool,
    store: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_response_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<RequestTool<'a>>,
    #[serde(flatten)]
    params: Map<String, Value>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum RequestTool<'a> {
    Function {
        #[serde(rename = "type")]
        kind: &'static str,
        name: &'a str,
        #[serde(skip_serializing_if = "str::is_empty")]
        description: &'a str,
        parameters: &'a Value,
        strict: bool,
    },
    /// A tool of the server, as `params.tools` has it.
    OfServer(&'a Value),
}

/// The parts of a request that differ from one request of a conversation to the next.
pub(super) struct RequestParts<'a> {
    /// The form in which it has the conversation.
    pub(super) history: HistoryForm,
    /// The items that are sent.
    pub(super) input: &'a [Value],
    /// The response whose conversation goes on, if the server stores it.
    pub(super) previous: Option<&'a str>,
    /// The functions of the client.
    pub(super) tools: &'a [ToolDeclaration],
    /// The model that is asked.
    pub(super) model: &'a str,
    /// The data of the caller, as further keys.
    pub(super) props: Map<String, Value>,
}

impl<'a> ResponsesRequest<'a> {
    /// A request for a stream of events. If caller and target have a value for one key, that of the caller is sent.
    pub(super) fn new(settings: &'a ModelSettings, parts: RequestParts<'a>) -> Self {
        let mut params = settings.further_keys(parts.props, &RESERVED);
        // A null in a test removes a key of the target.
        params.retain(|_, value| !value.is_null());

        let mut tools = Vec::new();
        for tool in parts.tools {
            tools.push(RequestTool::Function {
                kind: "function",
                name: &tool.name,
                description: &tool.description,
                parameters: &tool.parameters,
                // A strict schema needs every property to be required, which schemas of users need not be.
                strict: false,
            });
        }
        tools.extend(settings.params.tools.iter().map(RequestTool::OfServer));
        Self {
            model: parts.model,
            input: parts.input,
            // A response does not inherit them from the one before.
            instructions: settings.instructions.as_deref(),
            stream: true,
            store: parts.history == HistoryForm::PreviousResponseId,
            previous_response_id: parts.previous,
            tools,
            params,
        }
    }
}
