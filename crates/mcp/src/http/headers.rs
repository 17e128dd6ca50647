//! The headers of requests to a server over HTTP: what the body says, for those who look at headers alone.

use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use crate::era::MODERN;
use crate::outgoing::Outgoing;

/// The arguments of tools that are headers too.
#[derive(Clone, Debug, Default)]
pub(super) struct MirroredArguments {
    /// The headers of a tool.
    tools: HashMap<String, Vec<MirroredArgument>>,
    /// Whether the tools are known.
    pub(super) is_known: bool,
}

/// An argument that is a header too.
#[derive(Clone, Debug, PartialEq, Eq)]
struct MirroredArgument {
    header: String,
    /// The keys that lead to it in the arguments.
    path: Vec<String>,
}

impl MirroredArguments {
    /// Takes the tools of the server.
    pub(super) fn learn(&mut self, tools: &[Value]) {
        self.is_known = true;
        for tool in tools {
            let Some(name) = tool.get("name").and_then(Value::as_str) else {
                continue;
            };
            let mut arguments = Vec::new();
            if let Some(schema) = tool.get("inputSchema") {
                find_mirrored(schema, &mut Vec::new(), &mut arguments);
            }
            self.tools.insert(name.to_owned(), arguments);
        }
    }

    /// The headers of a call.
    fn of_call(&self, params: &Map<String, Value>) -> Vec<(String, String)> {
        let tool = params
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let arguments = params.get("arguments").and_then(Value::as_object);
        let headers = self.tools.get(tool).into_iter().flatten().filter_map(
            |MirroredArgument { header, path }| {
                let (first, rest) = path.split_first()?;
                let found = rest
                    .iter()
                    .try_fold(arguments?.get(first)?, |value, key| value.get(key));
                let value = match found? {
                    Value::String(text) => text.clone(),
                    value @ (Value::Number(_) | Value::Bool(_)) => value.to_string(),
                    Value::Null | Value::Array(_) | Value::Object(_) => return None,
                };
                Some((header.clone(), safe(&value)))
            },
        );
        headers.collect()
    }
}

/// Finds the arguments of a schema that are headers too: properties, and properties of properties.
fn find_mirrored(schema: &Value, path: &mut Vec<String>, found: &mut Vec<MirroredArgument>) {
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        path.push(name.clone());
        if let Some(header) = property.get("x-mcp-header").and_then(Value::as_str) {
            let header = format!("mcp-param-{}", header.to_ascii_lowercase());
            found.push(MirroredArgument {
                header,
                path: path.clone(),
            });
        }
        find_mirrored(property, path, found);
        path.pop();
    }
}

/// A text as the value of a header; what cannot be one is encoded.
fn safe(text: &str) -> String {
    let is_plain = text.bytes().all(|byte| (0x20..0x7f).contains(&byte));
    if is_plain && text.trim() == text && !text.starts_with("=?base64?") {
        return text.to_owned();
    }
    format!("=?base64?{}?=", STANDARD.encode(text))
}

/// The headers of a message, apart from those of its connection.
pub(super) fn of_message(
    message: &Outgoing,
    mirrored: &MirroredArguments,
) -> Vec<(String, String)> {
    let Outgoing::Request { method, params, .. } = message else {
        return Vec::new();
    };
    let is_modern = params.get("_meta").is_some_and(|meta| {
        meta.get("io.modelcontextprotocol/protocolVersion")
            .is_some_and(|version| version == MODERN)
    });
    if !is_modern {
        return Vec::new();
    }
    let own = |name: &str, value: String| (name.to_owned(), value);
    let mut headers = vec![
        own("mcp-protocol-version", MODERN.to_owned()),
        own("mcp-method", (*method).to_owned()),
    ];
    let name = match *method {
        "tools/call" | "prompts/get" => params.get("name"),
        "resources/read" => params.get("uri"),
        _ => None,
    };
    headers.extend(
        name.and_then(Value::as_str)
            .map(|name| own("mcp-name", safe(name))),
    );
    if *method == "tools/call" {
        headers.extend(mirrored.of_call(params));
    }
    headers
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_and_names_are_headers_of_a_modern_call() {
        let mut mirrored = MirroredArguments::default();
        let size = json!({ "properties": { "size": { "x-mcp-header": "Size" } } });
        let properties = json!({ "city": { "x-mcp-header": "City" }, "limit": { "x-mcp-header": "Limit" }, "b": {}, "shoe": size });
        mirrored.learn(&[json!({ "name": "find", "inputSchema": { "properties": properties } })]);
        let meta = json!({ "io.modelcontextprotocol/protocolVersion": MODERN });
        let arguments = json!({ "city": "Łódź", "limit": 3, "b": "c", "shoe": { "size": 42 } });
        let params = json!({ "_meta": meta, "name": "find", "arguments": arguments });
        let Value::Object(params) = params else {
            panic!("an object")
        };
        let call = Outgoing::Request {
            id: 1,
            method: "tools/call",
            params,
        };
        let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let expected = [
            header("mcp-protocol-version", MODERN),
            header("mcp-method", "tools/call"),
            header("mcp-name", "find"),
            header("mcp-param-city", "=?base64?xYHDs2TFug==?="),
            header("mcp-param-limit", "3"),
            header("mcp-param-size", "42"),
        ];
        assert_eq!(of_message(&call, &mirrored), expected);
        let legacy = Outgoing::Request {
            id: 1,
            method: "tools/call",
            params: Map::new(),
        };
        assert_eq!(of_message(&legacy, &mirrored), []);
    }
}
