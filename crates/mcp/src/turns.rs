//! The turns of a test with a server of MCP, as they are written and as they are sent.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use ananke_agents::{ProtocolTurn, TargetError, ToolTurns};
use ananke_base::message::{OwnTurn, OwnTurnKind};
use ananke_base::source::{FreeMap, Node};
use ananke_derive::Fill;
use ananke_model::model::{Since, Text, optional_mapping};
use ananke_model::variables::{Interpolation, Leaf};

/// The turns by which a test lists and calls the tools of a server.
pub(super) const TOOLS: ToolTurns = ToolTurns {
    list: &ListTurn::KIND,
    call: &CallTurn::KIND,
};

/// The request of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum McpRequest {
    /// A call to a tool, with its arguments: an object, unless it is to be found out what comes of something else.
    Call(String, Value),
    /// The list of the tools.
    List,
    /// The resource with this URI.
    Read(String),
    /// A prompt, filled with arguments.
    Prompt(String, Value),
}

impl McpRequest {
    /// The request of a turn.
    ///
    /// # Errors
    /// If it is a turn of another protocol. A test with such a turn does not load.
    pub(super) fn of(turn: OwnTurn) -> Result<Self, TargetError> {
        let OwnTurn { kind, mut keys } = turn;
        let mut take = |key: &str| keys.remove(key).unwrap_or_default();
        let text = |value: Value| value.as_str().unwrap_or_default().to_owned();
        if *kind == CallTurn::KIND {
            Ok(Self::Call(text(take("tool")), take("args")))
        } else if *kind == ListTurn::KIND {
            Ok(Self::List)
        } else if *kind == ReadTurn::KIND {
            Ok(Self::Read(text(take("uri"))))
        } else if *kind == PromptTurn::KIND {
            Ok(Self::Prompt(text(take("prompt")), take("args")))
        } else {
            let message = format!("a server of MCP takes no turns of the type `{}`", kind.name);
            Err(TargetError::new(message))
        }
    }
}

/// A turn that calls a tool itself, without an agent that decides to.
#[derive(Clone, Debug, Deserialize, Fill, JsonSchema)]
#[schemars(transform = Since("1.2"))]
#[fill(keys)]
pub(super) struct CallTurn {
    /// The name of the tool.
    #[schemars(example = &"search")]
    tool: Text,
    /// The arguments of the call (default: none).
    #[serde(default, deserialize_with = "optional_mapping")]
    #[schemars(
        with = "Option<serde_json::Map<String, serde_json::Value>>",
        example = serde_json::json!({"query": "shoes"})
    )]
    #[fill(default = Map::new().into())]
    args: Option<Node>,
}

impl ProtocolTurn for CallTurn {
    const KIND: OwnTurnKind = OwnTurnKind {
        name: "mcp:call",
        describe: |keys| with_arguments("(calls a tool)", keys, "tool"),
        said: None,
    };
    const SINCE: &'static str = "1.2";
    const DESCRIPTION: &'static str = "Calls a tool of an MCP server.";

    fn describe_written(&self) -> String {
        format!("(calls a tool) {}", self.tool.value)
    }
}

/// A turn that lists the tools.
#[derive(Clone, Debug, Deserialize, Fill, JsonSchema)]
#[fill(keys)]
pub(super) struct ListTurn {}

impl ProtocolTurn for ListTurn {
    const KIND: OwnTurnKind = OwnTurnKind {
        name: "mcp:list",
        describe: |_| "(lists the tools)".to_owned(),
        said: None,
    };
    const SINCE: &'static str = "1.2";
    const DESCRIPTION: &'static str =
        "Lists the tools of an MCP server. The text of the turn is the list as JSON.";

    fn describe_written(&self) -> String {
        (Self::KIND.describe)(&Map::new())
    }
}

/// A turn that reads a resource.
#[derive(Clone, Debug, Deserialize, Fill, JsonSchema)]
#[schemars(transform = Since("1.2"))]
#[fill(keys)]
pub(super) struct ReadTurn {
    /// The URI of the resource.
    #[schemars(example = &"file:///orders/1.txt")]
    #[fill(with = fill_uri)]
    uri: Text,
}

fn fill_uri(written: &Text, interpolation: &mut Interpolation<'_>) -> Leaf<Value> {
    interpolation.sent_text(written).map(Value::from)
}

impl ProtocolTurn for ReadTurn {
    const KIND: OwnTurnKind = OwnTurnKind {
        name: "mcp:read",
        describe: |keys| format!("(reads a resource) {}", text(keys, "uri")),
        said: None,
    };
    const SINCE: &'static str = "1.2";
    const DESCRIPTION: &'static str =
        "Reads a resource of an MCP server. The text of the turn is the text of its contents.";

    fn describe_written(&self) -> String {
        format!("(reads a resource) {}", self.uri.value)
    }
}

/// A turn that fills a prompt.
#[derive(Clone, Debug, Deserialize, Fill, JsonSchema)]
#[schemars(transform = Since("1.2"))]
#[fill(keys)]
pub(super) struct PromptTurn {
    /// The name of the prompt.
    #[schemars(example = &"greeting")]
    prompt: Text,
    /// The arguments of the prompt, each a text (default: none).
    #[schemars(example = serde_json::json!({"name": "Ada"}))]
    #[fill(default = Map::new().into())]
    args: Option<FreeMap<Text>>,
}

impl ProtocolTurn for PromptTurn {
    const KIND: OwnTurnKind = OwnTurnKind {
        name: "mcp:prompt",
        describe: |keys| with_arguments("(gets a prompt)", keys, "prompt"),
        said: None,
    };
    const SINCE: &'static str = "1.2";
    const DESCRIPTION: &'static str =
        "Gets a prompt of an MCP server. The text of the turn is the text of its messages.";

    fn describe_written(&self) -> String {
        format!("(gets a prompt) {}", self.prompt.value)
    }
}

fn text<'k>(keys: &'k Map<String, Value>, key: &str) -> &'k str {
    keys.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// A turn in words that names something and has arguments: `(calls a tool) pay({"amount":5})`.
fn with_arguments(begins: &str, keys: &Map<String, Value>, key: &str) -> String {
    let args = keys.get("args").cloned().unwrap_or_default();
    format!("{begins} {}({args})", text(keys, key))
}
