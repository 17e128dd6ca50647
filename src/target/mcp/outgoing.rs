//! What is sent to a server: messages of JSON-RPC, one line each.

use serde_json::{Map, Value, json};

/// The version that is asked for: the newest that begins with `initialize`.
const VERSION: &str = "2025-11-25";

/// The versions that are understood.
pub(super) const KNOWN_VERSIONS: [&str; 4] = [VERSION, "2025-06-18", "2025-03-26", "2024-11-05"];

/// The version of this client. It is that of what is sent and not that of the program, so that recordings stay valid.
const CLIENT_VERSION: &str = "1";

/// JSON-RPC: there is no such method.
const METHOD_NOT_FOUND: i32 = -32601;

/// The first message.
pub(super) fn initialize(id: u64) -> Vec<u8> {
    let params = json!({
        "protocolVersion": VERSION,
        "capabilities": {},
        "clientInfo": { "name": "ananke", "version": CLIENT_VERSION },
    });
    request(id, "initialize", &params)
}

/// Says that the answer to the first message was understood.
pub(super) fn initialized() -> Vec<u8> {
    json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string().into_bytes()
}

/// Calls a tool.
pub(super) fn call_tool(id: u64, tool: &str, args: &Map<String, Value>) -> Vec<u8> {
    request(id, "tools/call", &json!({ "name": tool, "arguments": args }))
}

/// Asks for a page of the tools: the first, or the one that `cursor` names.
pub(super) fn list_tools(id: u64, cursor: Option<&str>) -> Vec<u8> {
    request(id, "tools/list", &cursor.map_or_else(|| json!({}), |cursor| json!({ "cursor": cursor })))
}

/// Answers what a server asks: nothing was offered to it, so everything is declined.
pub(super) fn reply(id: &Value, method: &str) -> Vec<u8> {
    let failed = |code: i32, message: &str| json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } });
    let message = match method {
        "ping" => json!({ "jsonrpc": "2.0", "id": id, "result": {} }),
        "roots/list" => json!({ "jsonrpc": "2.0", "id": id, "result": { "roots": [] } }),
        "elicitation/create" => json!({ "jsonrpc": "2.0", "id": id, "result": { "action": "decline" } }),
        "sampling/createMessage" => failed(-1, "User rejected sampling request"),
        _ => failed(METHOD_NOT_FOUND, "Method not found"),
    };
    message.to_string().into_bytes()
}

fn request(id: u64, method: &str, params: &Value) -> Vec<u8> {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string().into_bytes()
}
