//! Streams of the real SDK, read; the meaning of each was written down by hand from reading it.

use std::path::Path;

use ananke::agents::Ended;
use serde_json::Value;

use super::read;

/// Every stream and its meaning.
const CAPTURES: [(&str, &str); 27] = [
    (
        "approval-1",
        "run\ncall call_1: delete_all({\"sure\":true})\ninterrupted [\"aitxt-7M1cNlXkItbZb0ICMqvkPjDB\"]",
    ),
    (
        "approval-2",
        "run\n`result:call_1` was not read: the call is not in the chat\nassistant: All deleted.\nfinished",
    ),
    (
        "badinput",
        "run\ncall call_1: get_weather({\"town\":\"Paris\"})\n  = text AI_InvalidToolInputError: Invalid input for tool get_weather: AI_TypeValidationError: Type validation failed: Value: {\"town\":\"Paris\"}.\nError message: [\n  {\n    \"expected\": \"string\",\n    \"code\": \"invalid_type\",\n    \"path\": [\n      \"city\"\n    ],\n    \"message\": \"Invalid input: expected string, received undefined\"\n  }\n] (error)\nassistant: I used a wrong argument.\nfinished",
    ),
    (
        "badjson",
        "run\ncall call_1: get_weather({\"city\": \"Par)\n  = text AI_InvalidToolInputError: Invalid input for tool get_weather: AI_JSONParseError: JSON parsing failed: Text: {\"city\": \"Par.\nError message: SyntaxError: Unterminated string in JSON at position 13 (line 1 column 14) (error)\nassistant: Bad JSON.\nfinished",
    ),
    (
        "client-1",
        "run\ncall call_1: confirm({\"question\":\"Sure?\"})\nfinished",
    ),
    ("client-2", "run\nassistant: You said yes.\nfinished"),
    (
        "crash",
        "run\nassistant: half a\nerror None: An error occurred.",
    ),
    (
        "denied-1",
        "run\ncall call_1: delete_all({\"sure\":true})\ninterrupted [\"aitxt-nwB1mTEIkB2LaQzhbAZXoHjm\"]",
    ),
    (
        "denied-2",
        "run\n`result:call_1` was not read: the call is not in the chat\nassistant: I did not delete it.\nfinished",
    ),
    (
        "error",
        "run\nassistant: Well,\nerror None: An error occurred.",
    ),
    ("filter", "run\nassistant: partly\nunknown end"),
    (
        "hosted",
        "run\ncall ws_1: web_search({\"query\":\"x\"})\n  = json {\"hits\":1}\nassistant: Found it.\nfinished",
    ),
    ("length", "run\nassistant: cut sho\ntruncated\nfinished"),
    (
        "merge",
        "run\nassistant: Hi there, grüße ☀\u{fe0f}\nthinks: Six times seven.\nassistant: The answer is 42.\n! text came after its end: it is added to the same part\nfinished",
    ),
    (
        "mixed-1",
        "run\ncall call_1: get_weather({\"city\":\"Paris\"})\n  = text sunny\ncall call_2: confirm({\"question\":\"Sure?\"})\nfinished",
    ),
    (
        "mixed-2",
        "run\nassistant: Sunny, and you said yes.\nfinished",
    ),
    (
        "noargs",
        "run\ncall call_1: ping({})\n  = json null\nassistant: pong\nfinished",
    ),
    (
        "parallel",
        "run\ncall call_1: get_weather({\"city\":\"Paris\"})\n  = text sunny\ncall call_2: get_weather({\"city\":\"Oslo\"})\n  = text rainy\nassistant: Paris is sunny, Oslo is rainy.\nfinished",
    ),
    (
        "reason",
        "run\nthinks: Six times seven.\nassistant: The answer is 42.\nfinished",
    ),
    ("source", "run\nassistant: See A.\nfinished"),
    (
        "stream",
        "run\ncall call_1: progress({})\n  = json {\"done\":100}\nassistant: Done.\nfinished",
    ),
    (
        "text",
        "run\nassistant: Hi there, grüße ☀\u{fe0f}\nfinished",
    ),
    ("throw", "run\nerror None: An error occurred."),
    (
        "tool",
        "run\nassistant: Let me look.\ncall call_1: get_weather({\"city\":\"Paris\"})\n  = text sunny\nassistant: It is sunny in Paris.\nfinished",
    ),
    (
        "toolerror",
        "run\ncall call_1: down({})\n  = text Error: out of order (error)\nassistant: The tool is down.\nfinished",
    ),
    (
        "unknown",
        "run\ncall call_1: launch({})\n  = text AI_NoSuchToolError: Model tried to call unavailable tool 'launch'. Available tools: get_weather, ping, down, progress, confirm, delete_all. (error)\nassistant: There is no such tool.\nfinished",
    ),
    (
        "writer",
        "run\ncustom data-status: {\"step\":1}\ncustom data-cart: {\"items\":1}\ncustom data-cart: {\"items\":2}\nassistant: No start, no finish.\nfinished",
    ),
];

/// A file of the captures.
pub(super) fn capture(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/captures/ai-sdk");
    std::fs::read_to_string(folder.join(name)).expect("a capture")
}

/// A request that the official client sent.
pub(super) fn captured_request(name: &str) -> Value {
    serde_json::from_str(&capture(&format!("{name}.request.json"))).expect("JSON")
}

#[tokio::test]
async fn every_captured_stream_is_read() {
    for (name, means) in CAPTURES {
        let exchanged = read(name, &capture(&format!("{name}.sse"))).await;
        assert_eq!(exchanged.changes, means, "{name}");
        assert_eq!(exchanged.ended, Ok(Ended::Terminal), "{name}");
    }
}
