//! The kinds of output items: which of them are calls, and who executes those.
//!
//! **Invariant:** an item that may be a call is a call or unread.

use std::borrow::Cow;

use serde_json::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum OutputItemKind {
    /// Text for the user.
    Message,
    /// Reasoning of the model.
    Reasoning,
    /// A call to a tool.
    Call(CallSide),
    /// A question whether a call may be executed.
    Approval,
    /// The result of a call.
    Result,
    /// An item without a fact, such as a list of tools.
    Silent,
    /// An item of a type that is not known.
    Unknown,
}

/// The side that executes a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum CallSide {
    /// The client, with a function that it declares.
    Function,
    /// The client, with a tool of the API, such as a computer or a shell.
    Client,
    Server,
}

/// Types of items without a fact that a rule is about, although some hold names of tools.
const SILENT: [&str; 6] = [
    "mcp_list_tools",
    "mcp_approval_response",
    "compaction",
    "additional_tools",
    "configuration_update",
    "item_reference",
];

/// Types of calls that the client executes, although it declares no function for them.
const OF_CLIENT: [&str; 4] = [
    "custom_tool_call",
    "computer_call",
    "local_shell_call",
    "apply_patch_call",
];

/// Keys of an item of every kind. An extension item with another key says what a tool did.
const OF_ANY_ITEM: [&str; 3] = ["id", "type", "status"];

impl OutputItemKind {
    /// The kind of an item, by its type and by the keys that say who executes it.
    pub(super) fn of(item: &Value) -> Self {
        let item_type = type_of(item);
        let base = base_type(item_type);
        match base {
            "message" => return Self::Message,
            "reasoning" => return Self::Reasoning,
            "function_call" => return Self::Call(CallSide::Function),
            "mcp_approval_request" => return Self::Approval,
            // Code of the model that calls functions of the client.
            "program" => return Self::Call(CallSide::Server),
            _ => {}
        }
        if SILENT.contains(&base) {
            return Self::Silent;
        }
        if OF_CLIENT.contains(&base) || is_of_client(base, item) {
            return Self::Call(CallSide::Client);
        }
        if base.ends_with("_output") {
            return Self::Result;
        }
        // A type with the name of a provider is an extension of the API, of which not all end with `_call`.
        let is_extension = base != item_type && has_content(item);
        if base.ends_with("_call") || is_extension {
            return Self::Call(CallSide::Server);
        }
        Self::Unknown
    }
}

/// Whether a tool that a server or a client may execute is executed by the client here.
fn is_of_client(base: &str, item: &Value) -> bool {
    match base {
        "shell_call" => item["environment"]["type"] == "local",
        "tool_search_call" => item["execution"] == "client",
        _ => false,
    }
}

fn has_content(item: &Value) -> bool {
    let Some(keys) = item.as_object() else {
        return false;
    };
    let mut keys = keys.keys();
    keys.any(|key| !OF_ANY_ITEM.contains(&key.as_str()))
}

/// The type of an item; empty if it has none.
pub(super) fn type_of(item: &Value) -> &str {
    item["type"].as_str().unwrap_or_default()
}

/// The type without the name of a provider before it: `openai:web_search_call` is `web_search_call`.
pub(super) fn base_type(item_type: &str) -> &str {
    match item_type.rsplit_once(':') {
        Some((_, base)) => base,
        None => item_type,
    }
}

/// The tool of a call: its own name, else that of the item's type. `None` if the item has to name it and does not.
pub(super) fn tool_name(item: &Value) -> Option<Cow<'_, str>> {
    if let Some(name) = item["name"].as_str()
        && !name.is_empty()
    {
        return Some(Cow::Borrowed(name));
    }
    let base = base_type(type_of(item));
    // These types say who executes the tool, and not which one it is.
    if matches!(
        base,
        "function_call" | "custom_tool_call" | "mcp_call" | "mcp_approval_request"
    ) {
        return None;
    }
    let name = base.strip_suffix("_call").unwrap_or(base);
    if name.is_empty() {
        return None;
    }
    Some(Cow::Owned(name.to_owned()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(items: &[(serde_json::Value, OutputItemKind, Option<&str>)]) {
        for (item, kind, name) in items {
            assert_eq!(OutputItemKind::of(item), *kind, "{item}");
            assert_eq!(tool_name(item).as_deref(), *name, "{item}");
        }
    }

    #[test]
    fn a_call_that_the_client_executes_has_its_side() {
        use CallSide::{Client, Function};
        check(&[
            (
                json!({ "type": "function_call", "name": "pay" }),
                OutputItemKind::Call(Function),
                Some("pay"),
            ),
            (
                json!({ "type": "function_call" }),
                OutputItemKind::Call(Function),
                None,
            ),
            (
                json!({ "type": "custom_tool_call", "name": "sql" }),
                OutputItemKind::Call(Client),
                Some("sql"),
            ),
            (
                json!({ "type": "computer_call" }),
                OutputItemKind::Call(Client),
                Some("computer"),
            ),
            (
                json!({ "type": "shell_call", "environment": { "type": "local" } }),
                OutputItemKind::Call(Client),
                Some("shell"),
            ),
        ]);
    }

    #[test]
    fn every_other_item_that_may_be_a_call_is_one() {
        use CallSide::Server;
        check(&[
            (
                json!({ "type": "shell_call", "environment": { "type": "container_reference" } }),
                OutputItemKind::Call(Server),
                Some("shell"),
            ),
            (
                json!({ "type": "web_search_call" }),
                OutputItemKind::Call(Server),
                Some("web_search"),
            ),
            (
                json!({ "type": "openai:web_search_call" }),
                OutputItemKind::Call(Server),
                Some("web_search"),
            ),
            (
                json!({ "type": "acme:document_search", "query": "x" }),
                OutputItemKind::Call(Server),
                Some("document_search"),
            ),
            (
                json!({ "type": "acme:mark", "id": "1" }),
                OutputItemKind::Unknown,
                Some("mark"),
            ),
            (
                json!({ "type": "mcp_call", "name": "roll" }),
                OutputItemKind::Call(Server),
                Some("roll"),
            ),
            (
                json!({ "type": "brand_new_call" }),
                OutputItemKind::Call(Server),
                Some("brand_new"),
            ),
            (
                json!({ "type": "function_call_output" }),
                OutputItemKind::Result,
                Some("function_call_output"),
            ),
            (
                json!({ "type": "mcp_list_tools" }),
                OutputItemKind::Silent,
                Some("mcp_list_tools"),
            ),
            (
                json!({ "type": "news" }),
                OutputItemKind::Unknown,
                Some("news"),
            ),
            (json!({}), OutputItemKind::Unknown, None),
        ]);
    }
}
