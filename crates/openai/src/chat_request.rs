//! The body of a chat-completions request.

use serde::Serialize;
use serde_json::{Map, Value};

use super::chat_message::ChatMessage;
use ananke_agents::{ModelSettings, ReservedKeys};
use ananke_base::message::ToolDeclaration;

/// The keys that every request has of its own.
pub(super) const RESERVED: ReservedKeys = ReservedKeys {
    names: &["model", "messages", "stream", "functions", "function_call"],
    help: "the model is `model`, its tools are `client_tools`",
};

/// Asks for the tokens of the response; servers that do not know it ignore it. `params` may set it to another value, or to
/// null to omit it.
const STREAM_OPTIONS: &str = "stream_options";

/// A request: the whole conversation, and the tools.
#[derive(Serialize)]
pub(super) struct ChatRequest<'a> {
    model: &'a str,
    messages: &'a [ChatMessage],
    stream: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    #[serde(flatten)]
    params: Map<String, Value>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Tool<'a> {
    Function {
        #[serde(rename = "type")]
        kind: &'static str,
        function: ToolFunction<'a>,
    },
    /// A tool of the server, as `params.tools` has it.
    OfServer(&'a Value),
}

#[derive(Serialize)]
struct ToolFunction<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    parameters: &'a Value,
}

impl<'a> ChatRequest<'a> {
    /// A request for a stream of chunks to `model`. `tools` are those of the client, and `props` the data of the caller: of two
    /// values for one key, that of the caller is sent instead of that of the target.
    pub(super) fn new(
        model: &'a str,
        messages: &'a [ChatMessage],
        tools: &'a [ToolDeclaration],
        settings: &'a ModelSettings,
        props: Map<String, Value>,
    ) -> Self {
        // Usage comes first, because the keys that follow may replace it: servers report tokens in a stream only if asked.
        let mut keys = Map::new();
        let usage = serde_json::json!({ "include_usage": true });
        keys.insert(STREAM_OPTIONS.to_owned(), usage);
        keys.extend(settings.further_keys(props, &RESERVED));
        // A null in a test removes a key, also one that the lines above added.
        keys.retain(|_, value| !value.is_null());

        // The tools of the client come first, because the order of tools may matter to a model.
        let mut all_tools = Vec::new();
        for tool in tools {
            all_tools.push(Tool::Function {
                kind: "function",
                function: ToolFunction {
                    name: &tool.name,
                    description: &tool.description,
                    parameters: &tool.parameters,
                },
            });
        }
        all_tools.extend(settings.params.tools.iter().map(Tool::OfServer));
        Self {
            model,
            messages,
            stream: true,
            tools: all_tools,
            params: keys,
        }
    }
}
