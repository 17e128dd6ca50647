//! The parts of a request that APIs of models have in the same form: contents, arguments, tools and parameters.

use serde_json::{Map, Value};

use ananke_base::context::digest;
use ananke_trace::trace::OfferedTool;

/// The keys of a body that change neither the question nor the answer: the form of the response, its storage and its caching, and
/// the people it is for.
const NOT_ASKED: [&str; 11] = [
    "stream",
    "stream_options",
    "store",
    "include",
    "user",
    "metadata",
    "client_metadata",
    "safety_identifier",
    "prompt_cache_key",
    "prompt_cache_retention",
    CACHE_CONTROL,
];

/// The mark of a part or a tool up to which a provider caches.
const CACHE_CONTROL: &str = "cache_control";

/// The keys of a tool or a server of tools with credentials for it.
const CREDENTIALS: [&str; 3] = ["authorization", "authorization_token", "headers"];

/// The items of a list; none if the value is not a list, since a client may send anything.
pub fn items_of(value: &Value) -> &[Value] {
    match value {
        Value::Array(items) => items,
        _ => &[],
    }
}

/// The content of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromptContent {
    /// The texts, one per line; may be empty.
    pub text: String,
    /// A hash of each part that is not a text.
    pub files: Vec<String>,
}

impl PromptContent {
    /// The content that is a text or a list of parts.
    pub fn of(content: &Value) -> Self {
        match content {
            Value::Null => Self::default(),
            Value::String(text) => Self {
                text: text.clone(),
                files: Vec::new(),
            },
            Value::Array(parts) => Self::of_parts(parts),
            other => Self::of_parts([other]),
        }
    }

    /// The content of some parts of a message, if the others mean something else.
    pub fn of_parts<'v>(parts: impl IntoIterator<Item = &'v Value>) -> Self {
        let mut texts = Vec::new();
        let mut files = Vec::new();
        for part in parts {
            match part["text"].as_str() {
                Some(text) => texts.push(text),
                None => files.push(hash_of_part(part)),
            }
        }
        Self {
            text: texts.join("\n"),
            files,
        }
    }
}

/// A hash of a part instead of the part, because files are large. The order of its keys does not count, since clients differ in it.
fn hash_of_part(part: &Value) -> String {
    let mut part = part.clone();
    // The mark is removed, because clients move it to the end of the conversation as that grows.
    if let Value::Object(keys) = &mut part {
        keys.shift_remove(CACHE_CONTROL);
    }
    part.sort_all_objects();
    digest(&part.to_string())
}

/// The content of a result. Texts are joined, so that a text and a list of one are the same; a part that is not a text has its hash
/// instead of a file.
pub fn result_content(content: &Value) -> Value {
    let Value::Array(parts) = content else {
        return content.clone();
    };
    let read = PromptContent::of_parts(parts);
    if read.files.is_empty() {
        return read.text.into();
    }
    // Objects without a type are no parts: they are the result itself, such as the outputs of a shell.
    if parts.iter().any(|part| part["type"].is_null()) {
        return content.clone();
    }
    let mut items = Vec::new();
    for part in parts {
        items.push(match part["text"].as_str() {
            Some(text) => serde_json::json!({ "type": "text", "text": text }),
            None => serde_json::json!({ "type": part["type"], "hash": hash_of_part(part) }),
        });
    }
    items.into()
}

/// The arguments of a call, which most APIs have as a text: its JSON value, or the text if it is not JSON.
pub fn call_arguments(arguments: &Value) -> Value {
    match arguments {
        Value::Null => Map::new().into(),
        // An empty text is what clients send back of a call without arguments, so that both forms are one.
        Value::String(text) if text.is_empty() => Map::new().into(),
        Value::String(text) => match serde_json::from_str(text) {
            Ok(value) => value,
            Err(_) => arguments.clone(),
        },
        value => value.clone(),
    }
}

/// The tool with these keys that the client executes; `None` if it has no name. Its schema is under the key `parameters`.
pub fn offered_tool(keys: &Value, parameters: &str) -> Option<OfferedTool> {
    let name = keys["name"].as_str()?;
    Some(OfferedTool {
        name: name.to_owned(),
        description: keys["description"].as_str().unwrap_or_default().to_owned(),
        parameters: keys[parameters].clone(),
    })
}

/// A tool that the provider executes, or a server of such tools. It has no credentials, because recordings contain it.
pub fn hosted_tool(declared: &Value) -> Value {
    let mut tool = declared.clone();
    if let Value::Object(keys) = &mut tool {
        keys.shift_remove(CACHE_CONTROL);
        for name in CREDENTIALS {
            keys.shift_remove(name);
        }
    }
    tool
}

/// The schema of the answer under a key, which is removed; null if the answer is any text, since some clients say that and others
/// do not.
pub fn output_schema(keys: &mut Map<String, Value>, key: &str) -> Value {
    match keys.shift_remove(key) {
        Some(format) if format["type"] != "text" => format,
        _ => Value::Null,
    }
}

/// The parameters among the keys of a body that no part of the request has: all but those that change nothing. A key that is not
/// known is one of them, because it may change the answer.
pub fn noted_params(keys: Map<String, Value>) -> Map<String, Value> {
    let mut params = Map::new();
    for (key, value) in keys {
        if !value.is_null() && !NOT_ASKED.contains(&key.as_str()) {
            params.insert(key, value);
        }
    }
    params
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_file_has_one_hash_whatever_the_order_of_its_keys() {
        let image = json!({ "type": "image", "source": { "a": 1, "b": 2 } });
        let other =
            json!({ "source": { "b": 2, "a": 1 }, "type": "image", "cache_control": { "ttl": 1 } });
        let text = json!({ "type": "text", "text": "Look" });
        let content = PromptContent::of(&json!([text, image]));
        assert_eq!(content, PromptContent::of(&json!([other, text])));
        assert_eq!(content.text, "Look");
        assert_eq!(content.files.len(), 1);
        for (value, text, files) in [
            (json!(null), "", 0),
            (json!(["a", { "text": "b" }]), "b", 1),
            (json!({ "type": "image" }), "", 1),
            (json!(7), "", 1),
        ] {
            let content = PromptContent::of(&value);
            assert_eq!((content.text.as_str(), content.files.len()), (text, files));
        }
    }

    #[test]
    fn a_result_of_texts_is_a_text() {
        let text = json!({ "type": "text", "text": "21" });
        assert_eq!(result_content(&json!([text])), "21");
        let image = json!({ "type": "image", "data": "A" });
        let hash = hash_of_part(&image);
        let expected = json!([text, { "type": "image", "hash": hash }]);
        assert_eq!(result_content(&json!([text, image])), expected);
        let outputs = json!([{ "stdout": "ok" }]);
        assert_eq!(result_content(&outputs), outputs);
    }

    #[test]
    fn arguments_are_values_if_they_are_json() {
        for (written, read) in [
            (json!("{\"a\":1}"), json!({ "a": 1 })),
            (json!("{\"a\""), json!("{\"a\"")),
            (json!(""), json!({})),
            (json!(null), json!({})),
            (json!({ "a": 1 }), json!({ "a": 1 })),
        ] {
            assert_eq!(call_arguments(&written), read);
        }
    }

    #[test]
    fn no_credentials_of_a_tool_are_kept() {
        let tool = json!({ "type": "mcp", "server_label": "shop", "authorization": "a", "headers": { "x": "b" }, "cache_control": {} });
        let expected = json!({ "type": "mcp", "server_label": "shop" });
        assert_eq!(hosted_tool(&tool), expected);
    }
}
