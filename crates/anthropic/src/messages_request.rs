//! The body of a request for a message.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value, json};

use ananke_agents::{ModelSettings, ReservedKeys};
use ananke_base::message::ToolDeclaration;

/// The key of the tools, whose items in `params` are added to those of the client.
pub(super) const TOOLS: &str = "tools";

/// The keys that every request has of its own.
pub(super) const RESERVED: ReservedKeys = ReservedKeys {
    names: &["model", "messages", "system", "stream"],
    help: "the model is `model`, its system prompt is `instructions`, and its tools are `client_tools`",
};

/// The most tokens of an answer, apart from those of reasoning. The API requires a number and has no default.
const MAX_TOKENS: u64 = 4096;

/// A request: the whole conversation so far, and the tools.
#[derive(Serialize)]
pub(super) struct MessagesRequest<'a> {
    model: &'a str,
    messages: &'a [Value],
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<Cow<'a, str>>,
    stream: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<MessagesTool<'a>>,
    #[serde(flatten)]
    params: Map<String, Value>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum MessagesTool<'a> {
    Client {
        name: &'a str,
        #[serde(skip_serializing_if = "str::is_empty")]
        description: &'a str,
        input_schema: &'a Value,
    },
    /// A tool of the API, as `params.tools` has it.
    OfApi(&'a Value),
}

/// The parts of a request that differ from one request of a conversation to the next.
pub(super) struct MessagesParts<'a> {
    /// The conversation so far.
    pub(super) messages: &'a [Value],
    /// The instructions in the history of the test, which follow those of the target.
    pub(super) history_system: &'a [String],
    /// The tools of the client.
    pub(super) tools: &'a [ToolDeclaration],
    /// The model that is asked.
    pub(super) model: &'a str,
    /// The container in which the server executes code, once there is one.
    pub(super) container: Option<&'a str>,
    /// The data of the caller, as further keys.
    pub(super) props: Map<String, Value>,
}

impl<'a> MessagesRequest<'a> {
    /// A request for a stream of events. If target and caller set the same key, the value of the caller is sent.
    pub(super) fn new(settings: &'a ModelSettings, parts: MessagesParts<'a>) -> Self {
        let mut params = settings.further_keys(parts.props, &RESERVED);
        // A null in a test removes a key of the target.
        params.retain(|_, value| !value.is_null());
        if !params.contains_key("max_tokens") {
            // The tokens of reasoning are part of the number, which must be larger than their budget.
            let budget = params
                .get("thinking")
                .and_then(|thinking| thinking["budget_tokens"].as_u64());
            let most = MAX_TOKENS.saturating_add(budget.unwrap_or_default());
            params.insert("max_tokens".to_owned(), most.into());
        }
        if let Some(id) = parts.container {
            add_container(&mut params, id);
        }
        Self {
            model: parts.model,
            messages: parts.messages,
            system: system(settings.instructions.as_deref(), parts.history_system),
            stream: true,
            tools: tools(parts.tools, &settings.params.tools),
            params,
        }
    }
}

/// The instructions of the target and those of the history of the test. The API has no such messages.
fn system<'a>(instructions: Option<&'a str>, history: &'a [String]) -> Option<Cow<'a, str>> {
    let mut texts: Vec<&str> = instructions.into_iter().collect();
    texts.extend(history.iter().map(String::as_str));
    match texts.as_slice() {
        [] => None,
        [only] => Some(Cow::Borrowed(only)),
        _ => Some(Cow::Owned(texts.join("\n\n"))),
    }
}

/// The tools of a request. A tool of the API that the client executes, such as `bash`, is declared in its own form, while its mock
/// is that of the client's tool of the same name: the API refuses two tools of one name.
fn tools<'a>(of_client: &'a [ToolDeclaration], of_api: &'a [Value]) -> Vec<MessagesTool<'a>> {
    let mut tools = Vec::new();
    for tool in of_client {
        if !of_api.iter().any(|other| other["name"] == tool.name) {
            tools.push(MessagesTool::Client {
                name: &tool.name,
                description: &tool.description,
                input_schema: &tool.parameters,
            });
        }
    }
    tools.extend(of_api.iter().map(MessagesTool::OfApi));
    tools
}

/// Names the container that the conversation uses, unless the target names one itself.
fn add_container(params: &mut Map<String, Value>, id: &str) {
    match params.get_mut("container") {
        None => {
            params.insert("container".to_owned(), id.into());
        }
        // Skills of a container are declared in an object, which names the container as well.
        Some(Value::Object(keys)) if !keys.contains_key("id") => {
            keys.insert("id".to_owned(), json!(id));
        }
        Some(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ananke_agents::ModelParams;

    use super::*;

    fn settings(params: Value, server_tools: Vec<Value>) -> ModelSettings {
        ModelSettings {
            endpoint: "http://h/v1/messages".parse().unwrap(),
            model: "m".to_owned(),
            instructions: Some("Be brief".to_owned()),
            params: ModelParams {
                keys: serde_json::from_value(params).unwrap(),
                tools: server_tools,
            },
            headers: Vec::new(),
            options: Arc::default(),
            retries: 0,
            tools: ananke_agents::ToolExecution::Run,
        }
    }

    fn body(settings: &ModelSettings, props: Value, container: Option<&str>) -> Value {
        let tool = |name: &str| ToolDeclaration {
            name: name.to_owned(),
            description: String::new(),
            parameters: json!({ "type": "object" }),
        };
        let tools = [tool("find"), tool("bash")];
        let history_system = ["Be kind".to_owned()];
        let request = MessagesRequest::new(
            settings,
            MessagesParts {
                messages: &[],
                history_system: &history_system,
                tools: &tools,
                model: "m",
                container,
                props: serde_json::from_value(props).unwrap(),
            },
        );
        serde_json::to_value(request).unwrap()
    }

    #[test]
    fn a_request_has_the_most_tokens_that_the_api_requires() {
        let thinks = json!({ "thinking": { "type": "enabled", "budget_tokens": 2000 } });
        let nine = json!({ "max_tokens": 9 });
        for (params, props, most) in [
            (json!({}), json!({}), 4096),
            (nine.clone(), json!({}), 9),
            (nine, json!({ "max_tokens": null }), 4096),
            (thinks, json!({}), 6096),
        ] {
            let sent = body(&settings(params.clone(), Vec::new()), props, None);
            assert_eq!(sent["max_tokens"], most, "{params}");
        }
    }

    #[test]
    fn tools_of_the_api_are_added_and_declare_those_of_the_client_with_their_name() {
        let bash = json!({ "type": "bash_20250124", "name": "bash" });
        let sent = body(
            &settings(json!({}), vec![bash.clone()]),
            json!({ "tools": [], "system": "x" }),
            None,
        );
        let find = json!({ "name": "find", "input_schema": { "type": "object" } });
        assert_eq!(sent["tools"], json!([find, bash]));
        assert_eq!(sent["system"], "Be brief\n\nBe kind");
    }

    #[test]
    fn the_container_of_the_conversation_is_named() {
        for (params, expected) in [
            (json!({}), json!("c_1")),
            (json!({ "container": "own" }), json!("own")),
            (
                json!({ "container": { "skills": [1] } }),
                json!({ "skills": [1], "id": "c_1" }),
            ),
        ] {
            let sent = body(&settings(params, Vec::new()), json!({}), Some("c_1"));
            assert_eq!(sent["container"], expected);
        }
    }
}
