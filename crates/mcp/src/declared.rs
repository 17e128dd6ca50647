//! The tools of a server as neutral declarations.

use serde_json::Value;

use ananke_base::message::DeclaredTool;
use ananke_trace::trace::{Fact, Facts, Unread};

/// The tools that a server lists, in its order.
pub(super) fn declared_tools(tools: &[Value]) -> Vec<DeclaredTool> {
    tools.iter().map(declared_tool).collect()
}

/// The tools of a server that are not read, since they or their names are values of another kind.
pub(super) fn unread_tools(tools: &[Value]) -> Vec<Unread<'static>> {
    let unread = |tool: &Value| {
        let (name, value) = match (tool, tool.get("name")) {
            (Value::Object(_), None | Some(Value::Null | Value::String(_))) => return None,
            (Value::Object(_), Some(name)) => ("key:tools[].name", name),
            _ => ("key:tools[]", tool),
        };
        let facts = Facts::of(&[Fact::DeclaredTools]);
        Some(Unread::other_kind(name, facts, value))
    };
    tools.iter().filter_map(unread).collect()
}

fn declared_tool(tool: &Value) -> DeclaredTool {
    let text = |key: &str| {
        tool.get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let schema = |key: &str| tool.get(key).filter(|schema| !schema.is_null()).cloned();
    let mut rest = tool.as_object().cloned().unwrap_or_default();
    rest.retain(|key, _| {
        !["name", "description", "inputSchema", "outputSchema"].contains(&key.as_str())
    });
    let hint = |key: &str| tool.get("annotations")?.get(key)?.as_bool();
    DeclaredTool {
        name: text("name"),
        description: text("description"),
        input: schema("inputSchema"),
        output: schema("outputSchema"),
        // Without a hint the protocol assumes the worst, and so does this.
        may_change_data: hint("readOnlyHint") != Some(true)
            && hint("destructiveHint") != Some(false),
        is_read_only: hint("readOnlyHint") == Some(true),
        rest,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tool_may_change_data_unless_it_says_otherwise() {
        for (annotations, expected) in [
            (json!(null), true),
            (json!({}), true),
            (json!({ "destructiveHint": false }), false),
            (json!({ "destructiveHint": true }), true),
            (
                json!({ "destructiveHint": true, "readOnlyHint": true }),
                false,
            ),
            (json!({ "destructiveHint": "yes" }), true),
            (json!({ "readOnlyHint": true }), false),
        ] {
            let tool = declared_tool(&json!({ "name": "a", "annotations": annotations }));
            assert_eq!(tool.may_change_data, expected, "{annotations}");
        }
    }

    #[test]
    fn what_is_not_as_promised_is_empty() {
        let tool = declared_tool(&json!(1));
        assert_eq!(
            (tool.name.as_str(), tool.input, tool.rest.len()),
            ("", None, 0)
        );
        let tool = declared_tool(&json!({ "name": "a", "inputSchema": {}, "title": "A" }));
        assert_eq!(Value::from(tool.rest), json!({ "title": "A" }));
    }
}
